//! Textures: from coordinates and a sampler to four components.
//!
//! PTX ISA 9.7.10.3 says what `tex` looks up and leaves how to the texture: "See the CUDA C++ Programming Guide for more details
//! of these properties" (5.3.2). Its chapters on texture memory and "Texture Fetching" are followed here, with what they leave
//! open as choices. Pure functions of the image, the sampling and the coordinates; the machine moves the data.
//!
//! * [`sampling`] – lookup properties: those of the texture's own sampler, or of a separate one.
//! * `axis` – the texels and their weights in one dimension.
//! * `channel` – conversion of stored channels to the values read.
//! * `cube` – the face and the place on it that a direction leads to.
//! * [`lookup`](lookup()) – all dimensions, filtered.

mod axis;
#[cfg(test)]
mod axis_tests;
mod channel;
#[cfg(test)]
mod channel_tests;
mod cube;
#[cfg(test)]
mod cube_tests;
mod lookup;
pub mod sampling;

pub use axis::Coordinate;
pub use channel::{Channel, Kind, read as read_channel};
pub use lookup::{Gathered, Image, Lookup, Row, Texel, gather, lookup};
pub use sampling::Sampling;

//! Surfaces: from coordinates to bytes, to zero, or to a trap; from source elements to texels; what can be asked.
//!
//! Pure functions of the surface's shape, the access and the semantics; the machine moves the data.
//!
//! * `address` – [`resolve`], the rule itself, with the choices and deviations that concern addresses.
//! * `element` – how the elements of a vector lie in the transfer, and how narrow ones widen.
//! * `texel` – what `sust.p` converts a source element to.
//! * `query` – what `suq` answers.

mod address;
#[cfg(test)]
mod address_tests;
mod element;
pub mod query;
#[cfg(test)]
mod query_tests;
pub mod texel;
#[cfg(test)]
mod texel_tests;

pub use address::{
    Access, Beyond, Descriptor, Kind, OutOfBoundsMode, Resolution, SurfaceFault, Unit, resolve,
};
pub use element::{element_position, extend_loaded};

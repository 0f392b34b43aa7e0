//! Surfaces: resolves coordinates to bytes, zero or a trap, converts source elements to texels, and answers queries.
//!
//! Pure functions of the surface's shape, the access and the semantics; the machine moves the data.
//!
//! * `address` – [`resolve`], the rule itself, with the choices and deviations that concern addresses.
//! * `mistaken` – accesses as deviations take them.
//! * `element` – order of vector elements in a transfer, and extension of narrow ones.
//! * `texel` – the conversion of a source element by `sust.p`.
//! * `query` – results of `suq`.

mod address;
#[cfg(test)]
mod address_tests;
mod element;
mod mistaken;
pub mod query;
#[cfg(test)]
mod query_tests;
pub mod texel;
#[cfg(test)]
mod texel_tests;

pub use address::{
    Access, Beyond, Descriptor, Kind, OutOfBoundsMode, Resolution, SurfaceFault, Unit, resolve,
};
pub use element::{component_source, element_position, extend_loaded};

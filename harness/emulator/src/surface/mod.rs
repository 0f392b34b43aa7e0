//! Surface addressing: from coordinates to bytes, to zero, or to a trap.
//!
//! Pure functions of the surface's shape, the access and the semantics; the engine moves the data.
//!
//! * [`address`] – [`resolve`], the rule itself, with the choices and deviations that concern addresses.
//! * [`element`] – how the elements of a vector lie in the transfer, and how narrow ones widen.

mod address;
#[cfg(test)]
mod address_tests;
mod element;

pub(crate) use address::{
    Access, Beyond, Descriptor, Kind, OutOfBoundsMode, Resolution, SurfaceFault, Unit, resolve,
};
pub(crate) use element::{element_position, extend_loaded};

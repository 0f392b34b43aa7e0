//! What memory held where a finding is about it: cut out when the verdict is reached, so that a report can draw it without
//! keeping whole states of thousands of launches.
//!
//! * [`accessed_place`] is where a row of the case addressed a surface, outside of it perhaps;
//! * [`grid`] is a region of memory as cells: texels of a surface, bytes of a buffer;
//! * [`view`] is a region with what is permitted, what was observed, and what of that differs;
//! * `gather` decides what of a launch is shown.

pub mod accessed_place;
mod gather;
pub mod grid;
pub mod view;

pub use accessed_place::AccessedPlace;
pub use gather::{Evidence, changed, compared, unobserved};

//! The memory around a mismatch. It is cut out when the verdict is reached, so that reports can draw it without whole states of
//! thousands of launches.
//!
//! * [`accessed_place`] is the texels that a row accessed, perhaps outside of the surface;
//! * [`grid`] is a region of memory as cells: texels of a surface, bytes of a buffer;
//! * [`view`] is a region with permitted and observed contents and their differences;
//! * `gather` chooses the memory that is shown for a launch.

pub mod accessed_place;
mod gather;
pub mod grid;
pub mod view;

pub use accessed_place::AccessedPlace;
pub use gather::{Evidence, changed, compared, unobserved};

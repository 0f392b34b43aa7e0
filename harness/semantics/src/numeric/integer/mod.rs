//! Integer and bit-field instructions.
//!
//! [`w16`], [`w32`] and [`w64`] hold the instructions that exist in several widths, under the same names. What exists for
//! 32 bits only is in [`permute`], [`field32`] and [`product32`], and re-exported here.

pub mod field32;
pub mod permute;
pub mod product32;
mod widths;

pub use field32::{bmsk, lop3, shf_left, shf_right, szext_signed, szext_unsigned};
pub use permute::{PrmtMode, prmt};
pub use product32::{
    add_sat, dp2a, dp4a, mul24_hi_signed, mul24_hi_unsigned, mul24_lo_signed, mul24_lo_unsigned, sub_sat,
};
pub use widths::{w16, w32, w64};

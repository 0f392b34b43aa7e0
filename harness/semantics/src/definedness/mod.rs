//! The defined bits of a result, given those of the operands: the rules of Memcheck, as pure functions.
//!
//! Every rule answers the mask of defined bits of a result (1 = defined), within the result's width (logic and selection,
//! which have none, answer for all 64 bits). A mask is *sound* if
//! any two completions of the undefined operand bits give the same result in the bits it marks, and *exact* if it marks
//! all such bits. Soundness is tested for every rule by enumerating all completions at small widths; the rules of
//! [`bitwise`], addition, subtraction, comparison and bit counting are exact, which is tested the same way.
//!
//! - [`bitwise`]: logic, moves of bits (shifts, fields, permutations, extensions), selection.
//! - [`arithmetic`]: sums, products, quotients, conversions of integers.
//! - [`order`]: comparisons, minima and maxima, absolute values, counting and finding bits.
//! - [`composed`]: operations made of several, as `mad` is of a product and a sum.
//! - [`float`]: floating point, where any undefined bit makes the whole result undefined, except in signs.
//! - [`atomic`]: what atomics store and return.
//!
//! [`doubt`] says what is known of undefined bits beside that: the interval that an approximation lies in.
//!
//! The *values* of undefined bits never influence a mask. Operands are treated as independent, even if both come from one register
//! (`xor a, a`).

pub mod arithmetic;
pub mod atomic;
pub mod bitwise;
pub mod composed;
pub mod doubt;
pub mod float;
pub mod order;

pub use arithmetic::{
    add, add_carry, add_sat, convert_integer, divide, dp2a, dp4a, mad_hi_sat, mad24_hi_sat, mul_hi, mul_lo,
    mul_wide, mul24, remainder, sub, sub_borrow, sub_sat,
};
pub use bitwise::{
    and, bfe_signed, bfe_unsigned, bfi, brev, lop3, or, prmt, select, shf_left, shf_right, shl, shr_signed,
    shr_unsigned, szext, xor,
};
pub use order::{abs, bfind, clz, cnot, compare, max, min, popc, sad};

/// A value with the mask of its defined bits. Bits above the width of the operation do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The bits; where undefined, anything.
    pub value: u64,
    /// 1 = defined.
    pub defined: u64,
}

impl Bits {
    /// A fully defined value.
    #[inline]
    pub fn known(value: u64) -> Bits {
        Bits { value, defined: u64::MAX }
    }

    /// Whether the low `width` bits are all defined.
    #[inline]
    pub fn is_known(self, width: u32) -> bool {
        !self.defined & ones(width) == 0
    }

    /// The least unsigned completion of the low `width` bits.
    #[inline]
    fn least(self, width: u32) -> u64 {
        self.value & self.defined & ones(width)
    }

    /// The greatest unsigned completion of the low `width` bits.
    #[inline]
    fn greatest(self, width: u32) -> u64 {
        (self.value | !self.defined) & ones(width)
    }

    /// The same order as signed `width`-bit integers, as unsigned ones.
    #[inline]
    fn biased(self, width: u32) -> Bits {
        Bits { value: self.value ^ 1 << (width - 1), ..self }
    }

    /// The least and the greatest completion, as integers.
    #[inline]
    fn range(self, signed: bool, width: u32) -> (i128, i128) {
        if signed {
            let (bias, biased) = (1 << (width - 1), self.biased(width));
            (i128::from(biased.least(width)) - bias, i128::from(biased.greatest(width)) - bias)
        } else {
            (self.least(width).into(), self.greatest(width).into())
        }
    }
}

/// `width` ones, 1 ≤ `width` ≤ 64.
#[inline]
fn ones(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The bits that all integers from `least` to `greatest` have in common, in two's complement of `width` ≤ 128 bits: those
/// above the highest in which the two differ.
#[inline]
fn common_prefix(least: i128, greatest: i128, width: u32) -> u128 {
    let differing = least ^ greatest;
    let below = match 128 - differing.leading_zeros() {
        128 => u128::MAX,
        highest => (1 << highest) - 1,
    };
    !below & u128::MAX >> (128 - width)
}

#[cfg(test)]
mod tests;

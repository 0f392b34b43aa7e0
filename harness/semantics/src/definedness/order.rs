//! Undefined bits through comparisons of integers, and through counting and finding bits.

use super::{Bits, arithmetic, bitwise, common_prefix, ones};
use crate::numeric::compare::Comparison;

/// `setp`, `set` on integers: whether all completions compare alike. Exact.
#[inline]
pub fn compare(comparison: Comparison, signed: bool, a: Bits, b: Bits, width: u32) -> bool {
    let known = a.is_known(width) && b.is_known(width);
    let ((a_least, a_greatest), (b_least, b_greatest)) = (a.range(signed, width), b.range(signed, width));
    match comparison {
        Comparison::Eq | Comparison::Ne | Comparison::Equ | Comparison::Neu => {
            // A bit in which both are defined and differ decides.
            known || (a.value ^ b.value) & a.defined & b.defined & ones(width) != 0
        }
        Comparison::Lt | Comparison::Ltu | Comparison::Ge | Comparison::Geu => {
            a_greatest < b_least || a_least >= b_greatest
        }
        Comparison::Gt | Comparison::Gtu | Comparison::Le | Comparison::Leu => {
            a_least > b_greatest || a_greatest <= b_least
        }
        Comparison::Num | Comparison::Nan => known,
    }
}

/// `min`: the bits of the smaller operand if the comparison is decided; otherwise the bits that both operands have in common, and
/// the leading bits that the least and greatest possible result have in common.
#[inline]
pub fn min(a: Bits, b: Bits, signed: bool, width: u32) -> u64 {
    let ((a_least, a_greatest), (b_least, b_greatest)) = (a.range(signed, width), b.range(signed, width));
    if a_greatest <= b_least {
        return a.defined & ones(width);
    }
    if b_greatest <= a_least {
        return b.defined & ones(width);
    }
    let prefix = common_prefix(a_least.min(b_least), a_greatest.min(b_greatest), width) as u64;
    (bitwise::select(UNDEFINED, a, b) | prefix) & ones(width)
}

/// `max`, as [`min`].
#[inline]
pub fn max(a: Bits, b: Bits, signed: bool, width: u32) -> u64 {
    // max(a, b) = ~min(~a, ~b), in either order of the integers.
    let complement = |x: Bits| Bits { value: !x.value, ..x };
    min(complement(a), complement(b), signed, width)
}

const UNDEFINED: Bits = Bits { value: 0, defined: 0 };

/// `a` with its sign known.
#[inline]
fn with_sign(a: Bits, negative: bool, width: u32) -> Bits {
    let sign = 1 << (width - 1);
    Bits { value: if negative { a.value | sign } else { a.value & !sign }, defined: a.defined | sign }
}

#[inline]
fn negated(a: Bits, width: u32) -> Bits {
    Bits { value: a.value.wrapping_neg(), defined: arithmetic::neg(a, width) }
}

/// `abs`.
#[inline]
pub fn abs(a: Bits, width: u32) -> u64 {
    let positive = with_sign(a, false, width);
    let negative = negated(with_sign(a, true, width), width);
    let sign = Bits { value: a.value >> (width - 1), defined: a.defined >> (width - 1) };
    bitwise::select(sign, negative, positive) & ones(width)
}

/// `sad`: `c + |a − b|`.
pub fn sad(a: Bits, b: Bits, c: Bits, signed: bool, width: u32) -> u64 {
    let difference = |a: Bits, b: Bits| Bits {
        value: a.value.wrapping_sub(b.value),
        defined: arithmetic::sub(a, b, width),
    };
    let (forward, backward) = (difference(a, b), difference(b, a));
    let ((a_least, a_greatest), (b_least, b_greatest)) = (a.range(signed, width), b.range(signed, width));
    let magnitude = if a_least >= b_greatest {
        forward
    } else if b_least >= a_greatest {
        backward
    } else {
        Bits { value: forward.value, defined: bitwise::select(UNDEFINED, forward, backward) }
    };
    arithmetic::add(magnitude, c, width)
}

/// `cnot`: 1 for zero, else 0. Exact.
#[inline]
pub fn cnot(a: Bits, width: u32) -> u64 {
    let decided = compare(Comparison::Eq, false, a, Bits::known(0), width);
    ones(width) & !u64::from(!decided)
}

/// `popc`: 32 bits. Exact: every number between the least and the greatest is possible.
#[inline]
pub fn popc(a: Bits, width: u32) -> u64 {
    let least = a.least(width).count_ones();
    let greatest = a.greatest(width).count_ones();
    common_prefix(least.into(), greatest.into(), 32) as u64
}

/// The results possible so far: bits set in all, and in any.
struct Possible {
    all: u32,
    any: u32,
}

impl Possible {
    const NOTHING: Possible = Possible { all: u32::MAX, any: 0 };

    #[inline]
    fn add(&mut self, result: u32) {
        self.all &= result;
        self.any |= result;
    }

    #[inline]
    fn agreed(&self) -> u64 {
        (!(self.all ^ self.any)).into()
    }
}

/// Every number of leading zeros that `a` may have, through `result`.
fn leading_zeros(a: Bits, width: u32, possible: &mut Possible, result: impl Fn(u32) -> u32) {
    for zeros in 0..width {
        let bit = width - 1 - zeros;
        let (defined, one) = (a.defined >> bit & 1 == 1, a.value >> bit & 1 == 1);
        if !defined || one {
            possible.add(result(zeros));
        }
        if defined && one {
            return;
        }
    }
    possible.add(result(width));
}

/// `clz`: 32 bits. Exact.
#[inline]
pub fn clz(a: Bits, width: u32) -> u64 {
    let mut possible = Possible::NOTHING;
    leading_zeros(a, width, &mut possible, |zeros| zeros);
    possible.agreed()
}

/// `bfind`: 32 bits. Exact.
pub fn bfind(a: Bits, signed: bool, shiftamt: bool, width: u32) -> u64 {
    let result = |zeros: u32| match zeros {
        none if none == width => u32::MAX,
        zeros if shiftamt => zeros,
        zeros => width - 1 - zeros,
    };
    let mut possible = Possible::NOTHING;
    if !signed {
        leading_zeros(a, width, &mut possible, result);
        return possible.agreed();
    }
    // Of a negative number the highest zero is found: the highest one of its complement.
    let sign = width - 1;
    let (defined, negative) = (a.defined >> sign & 1 == 1, a.value >> sign & 1 == 1);
    if !defined || !negative {
        leading_zeros(with_sign(a, false, width), width, &mut possible, result);
    }
    if !defined || negative {
        let complement = Bits { value: !a.value, ..a };
        leading_zeros(with_sign(complement, false, width), width, &mut possible, result);
    }
    possible.agreed()
}

//! Floating point: arithmetic on undefined bits is undefined, operations on signs are finer.

use super::{Bits, ones};
use crate::numeric::rounding::Layout;

/// What can still become of a number with undefined bits.
struct Possibly {
    nan: bool,
    subnormal: bool,
}

fn possibly(a: Bits, format: Layout) -> Possibly {
    let fraction = (format.sign() - 1) & !format.infinity();
    let can_be_one = a.value | !a.defined;
    let can_be_zero = !a.value | !a.defined;
    let nonzero_fraction = can_be_one & fraction != 0;
    Possibly {
        nan: nonzero_fraction && can_be_one & format.infinity() == format.infinity(),
        subnormal: nonzero_fraction && can_be_zero & format.infinity() == format.infinity(),
    }
}

/// An operand of arithmetic. What its defined bits prove to be a NaN counts as defined: no operation tells one NaN from
/// another.
#[inline]
pub(crate) fn operand(a: Bits, format: Layout) -> Bits {
    let certain = a.value & a.defined & (format.sign() - 1);
    let is_nan = certain & format.infinity() == format.infinity() && certain != format.infinity();
    if is_nan { Bits::known(a.value) } else { a }
}

/// The bits that copying a number with another sign keeps: if it may be NaN, which NaN comes out is not told; if it may be
/// flushed, a fraction bit is certain only if it is zero anyway.
fn magnitude(a: Bits, format: Layout, ftz: bool) -> u64 {
    let possibly = possibly(a, format);
    let fraction = (format.sign() - 1) & !format.infinity();
    let mut defined = a.defined & (format.sign() - 1);
    if possibly.nan {
        defined &= !fraction;
    }
    if ftz && possibly.subnormal {
        defined &= !fraction | !a.value;
    }
    defined
}

/// `neg{.ftz}` of a number with undefined bits. (For one without, see [`crate::numeric::nan`].)
#[inline]
pub(crate) fn neg(a: Bits, format: Layout, ftz: bool) -> u64 {
    let sign = if possibly(a, format).nan { 0 } else { a.defined & format.sign() };
    magnitude(a, format, ftz) | sign
}

/// `abs{.ftz}` of a number with undefined bits: the sign is zero unless it may be NaN.
#[inline]
pub(crate) fn abs(a: Bits, format: Layout, ftz: bool) -> u64 {
    let sign = if possibly(a, format).nan { 0 } else { format.sign() };
    magnitude(a, format, ftz) | sign
}

/// `copysign d, a, b`: sign of `a`, the rest of `b`. Exact.
#[inline]
pub(crate) fn copysign(a: Bits, b: Bits, format: Layout) -> u64 {
    (a.defined & format.sign() | b.defined & !format.sign()) & ones(format.width())
}

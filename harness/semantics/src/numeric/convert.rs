//! `cvt`: between integers, between floating-point formats, and from one to the other.
//!
//! Values and results are in the low bits of a `u64`; the upper bits of a result are zero. The caller extends it to a wider
//! register (PTX ISA 9.4.1: sign-extended for signed integer types, else zero-extended).

use super::half::Kind;
use super::rounding::{Class, Exact, Layout, Rounding, split};

/// A floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `.f16`: IEEE binary16.
    F16,
    /// `.bf16`: the upper half of a binary32.
    Bf16,
    /// `.f32`: IEEE binary32.
    F32,
    /// `.f64`: IEEE binary64.
    F64,
}

impl Format {
    /// The bit layout of the format.
    #[inline(always)]
    pub const fn layout(self) -> Layout {
        match self {
            Self::F16 => Layout::F16,
            Self::Bf16 => Layout::BF16,
            Self::F32 => Layout::F32,
            Self::F64 => Layout::F64,
        }
    }

    /// `.ftz` "applies only to single precision (.f32) inputs and results".
    #[inline(always)]
    fn flush(self, bits: u64, ftz: bool) -> u64 {
        if ftz && self == Self::F32 { self.layout().flush(bits) } else { bits }
    }
}

impl From<Kind> for Format {
    #[inline]
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::F16 => Self::F16,
            Kind::Bf16 => Self::Bf16,
        }
    }
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer {
    /// `.s8` … `.s64`, as opposed to `.u8` … `.u64`.
    pub signed: bool,
    /// Width in bits: 8, 16, 32 or 64.
    pub width: u32,
}

impl Integer {
    /// The least and the greatest value.
    #[inline]
    fn range(self) -> (i128, i128) {
        match self.signed {
            true => (-(1 << (self.width - 1)), (1 << (self.width - 1)) - 1),
            false => (0, (1 << self.width) - 1),
        }
    }

    /// Its bits: all ones.
    #[inline]
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    #[inline]
    fn value(self, bits: u64) -> i128 {
        match self.signed {
            true => sign_extend(bits, self.width).cast_signed().into(),
            false => (bits & self.mask()).into(),
        }
    }

    #[inline]
    fn clamp(self, value: i128) -> u64 {
        let (least, greatest) = self.range();
        value.clamp(least, greatest) as u64 & self.mask()
    }
}

/// `.rni .rzi .rmi .rpi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerRounding {
    /// "round to nearest integer, choosing even integer if source is equidistant between two integers"
    Rni,
    /// Towards zero.
    Rzi,
    /// Towards −∞.
    Rmi,
    /// Towards +∞.
    Rpi,
    /// To nearest, halves away from zero: the deviation `cvt.rni-half-away`.
    HalfAway,
}

/// The result of converting NaN to an integer. The editions of the manual differ; see `Choice::ConvertNanWide`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NanRule {
    /// "Zero if source is not .f64 and destination is not .s64, .u64. Otherwise 1 << (BitWidth(dst) - 1)".
    #[default]
    Current,
    /// "NaN inputs are converted to 0", as older editions have it.
    Older,
}

impl NanRule {
    /// Whether the editions agree on NaN between these types, so that no choice is consulted.
    #[inline]
    pub fn is_settled(from: Format, to: Integer) -> bool {
        from != Format::F64 && to.width != 64
    }
}

/// The low `width` bits, sign-extended to 64.
#[inline(always)]
pub fn sign_extend(bits: u64, width: u32) -> u64 {
    ((bits << (64 - width)) as i64 >> (64 - width)) as u64
}

/// Integer to integer: extended by the source's sign, then truncated, or with `.sat` clamped to the destination's range.
#[inline]
pub fn integer_to_integer(bits: u64, from: Integer, to: Integer, sat: bool) -> u64 {
    match sat {
        true => to.clamp(from.value(bits)),
        false => from.value(bits) as u64 & to.mask(),
    }
}

/// Integer to floating point; `.sat` clamps to [0, 1].
#[inline]
pub fn integer_to_float(bits: u64, from: Integer, to: Format, rounding: Rounding, sat: bool) -> u64 {
    let value = from.value(bits);
    let result = match value {
        0 => 0,
        _ => {
            let significand = value.unsigned_abs();
            to.layout()
                .round(Exact { negative: value < 0, significand, exponent: 0, sticky: false }, rounding)
        }
    };
    if sat { to.layout().saturate(result) } else { result }
}

/// A finite magnitude rounded to an integer; `None` if it is 2^64 or more, and then an integer already.
fn integral(exact: Exact, rounding: IntegerRounding) -> Option<u64> {
    let Exact { negative, significand, exponent, .. } = exact;
    if exponent > 0 {
        let leading = 127 - significand.leading_zeros() as i32 + exponent;
        return (leading < 64).then(|| (significand as u64) << exponent);
    }
    let (kept, half, rest) = split(significand, -exponent);
    let up = match rounding {
        IntegerRounding::Rni => half && (rest || kept & 1 == 1),
        IntegerRounding::Rzi => false,
        IntegerRounding::Rmi => (half || rest) && negative,
        IntegerRounding::Rpi => (half || rest) && !negative,
        IntegerRounding::HalfAway => half,
    };
    Some(kept + u64::from(up))
}

/// Floating point to integer: "the result is clamped to the destination range by default". `.ftz` applies to `.f32` inputs.
#[inline]
pub fn float_to_integer(
    bits: u64,
    from: Format,
    to: Integer,
    rounding: IntegerRounding,
    ftz: bool,
    nan: NanRule,
) -> u64 {
    let number = from.layout().unpack(from.flush(bits, ftz));
    let sign = if number.exact.negative { -1 } else { 1 };
    match number.class {
        Class::Nan if nan == NanRule::Older || NanRule::is_settled(from, to) => 0,
        Class::Nan => 1 << (to.width - 1),
        Class::Zero => 0,
        Class::Infinite => to.clamp(sign * i128::MAX),
        Class::Finite => match integral(number.exact, rounding) {
            Some(magnitude) => to.clamp(sign * i128::from(magnitude)),
            None => to.clamp(sign * i128::MAX),
        },
    }
}

/// A deviation: truncates a NaN to its upper bits; if its remaining fraction is zero, it becomes an infinity.
#[cold]
pub fn truncated_nan(bits: u64, from: Layout, to: Layout) -> u64 {
    let sign = if bits & from.sign() == 0 { 0 } else { to.sign() };
    sign | to.infinity() | from.fraction_in(bits, to)
}

/// Floating point to floating point. `.ftz` "applies only to single precision (.f32) inputs and results".
#[inline]
pub fn float_to_float(bits: u64, from: Format, to: Format, rounding: Rounding, ftz: bool, sat: bool) -> u64 {
    let number = from.layout().unpack(from.flush(bits, ftz));
    let layout = to.layout();
    let sign = if number.exact.negative { layout.sign() } else { 0 };
    let result = match number.class {
        Class::Nan => layout.canonical_nan(),
        Class::Zero => sign,
        Class::Infinite => sign | layout.infinity(),
        Class::Finite => layout.round(number.exact, rounding),
    };
    finish(result, to, ftz, sat)
}

/// Floating point to an integral value of the same format: `cvt.rni.f32.f32`. The sign of a zero is that of the source.
#[inline]
pub fn float_to_integral(bits: u64, format: Format, rounding: IntegerRounding, ftz: bool, sat: bool) -> u64 {
    let (bits, layout) = (format.flush(bits, ftz), format.layout());
    let number = layout.unpack(bits);
    let result = match number.class {
        Class::Nan => layout.canonical_nan(),
        Class::Finite if number.exact.exponent < 0 => {
            let negative = number.exact.negative;
            match integral(number.exact, rounding) {
                Some(0) => bits & layout.sign(),
                // At most one more than a significand of the format: rounding changes nothing.
                Some(magnitude) => {
                    let exact = Exact { negative, significand: magnitude.into(), exponent: 0, sticky: false };
                    layout.round(exact, Rounding::Rn)
                }
                None => bits,
            }
        }
        _ => bits,
    };
    finish(result, format, false, sat)
}

#[inline]
fn finish(result: u64, format: Format, ftz: bool, sat: bool) -> u64 {
    let result = format.flush(result, ftz);
    if sat { format.layout().saturate(result) } else { result }
}

/// `cvt.rn.f32.f64`.
#[inline(always)]
pub fn f64_to_f32_rn(a: u64) -> u32 {
    let narrow = (f64::from_bits(a) as f32).to_bits();
    if super::double::is_nan(a) { super::single::CANONICAL_NAN } else { narrow }
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;

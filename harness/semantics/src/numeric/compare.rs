//! The comparisons of `setp` and `set`, and `testp`.

use std::cmp::Ordering;

use super::half::Kind;
use super::rounding::Layout;

/// A comparison. The unsigned spellings `lo ls hi hs` are [`Comparison::Lt`] … [`Comparison::Ge`] on unsigned operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `eq`
    Eq,
    /// `ne`: false if an operand is NaN.
    Ne,
    /// `lt`
    Lt,
    /// `le`
    Le,
    /// `gt`
    Gt,
    /// `ge`
    Ge,
    /// `equ`: as `eq`, but true if an operand is NaN.
    Equ,
    /// `neu`
    Neu,
    /// `ltu`
    Ltu,
    /// `leu`
    Leu,
    /// `gtu`
    Gtu,
    /// `geu`
    Geu,
    /// `num`: neither operand is NaN.
    Num,
    /// `nan`: an operand is NaN.
    Nan,
}

impl Comparison {
    /// The verdict on operands so ordered; `None` is unordered, an operand being NaN.
    #[inline(always)]
    pub fn holds(self, order: Option<Ordering>) -> bool {
        let Some(order) = order else {
            // PTX ISA 9.3.1.2: "If either operand is NaN, the result is False", and True for the unordered ones.
            return matches!(
                self,
                Self::Equ | Self::Neu | Self::Ltu | Self::Leu | Self::Gtu | Self::Geu | Self::Nan
            );
        };
        match self {
            Self::Eq | Self::Equ => order.is_eq(),
            Self::Ne | Self::Neu => order.is_ne(),
            Self::Lt | Self::Ltu => order.is_lt(),
            Self::Le | Self::Leu => order.is_le(),
            Self::Gt | Self::Gtu => order.is_gt(),
            Self::Ge | Self::Geu => order.is_ge(),
            Self::Num => true,
            Self::Nan => false,
        }
    }
}

/// On `.f32`; `.ftz` takes subnormal operands for zero.
#[inline(always)]
pub fn f32(comparison: Comparison, a: u32, b: u32, ftz: bool) -> bool {
    let flush = |x: u32| if ftz { super::single::flush(x) } else { x };
    comparison.holds(f32::from_bits(flush(a)).partial_cmp(&f32::from_bits(flush(b))))
}

/// On `.f64`.
#[inline(always)]
pub fn f64(comparison: Comparison, a: u64, b: u64) -> bool {
    comparison.holds(f64::from_bits(a).partial_cmp(&f64::from_bits(b)))
}

/// On `.f16` and `.bf16`.
#[inline]
pub fn f16(comparison: Comparison, a: u16, b: u16, kind: Kind, ftz: bool) -> bool {
    let format = kind.layout();
    let key = |bits: u16| {
        let bits = if ftz { format.flush(bits.into()) } else { bits.into() };
        let magnitude = (bits & (format.sign() - 1)) as i64;
        if bits & format.sign() != 0 { -magnitude } else { magnitude }
    };
    let unordered = format.is_nan(a.into()) || format.is_nan(b.into());
    comparison.holds((!unordered).then(|| key(a).cmp(&key(b))))
}

/// On integers of `width` bits, given in the low bits.
#[inline(always)]
pub fn integer(comparison: Comparison, signed: bool, a: u64, b: u64, width: u32) -> bool {
    let order = if signed {
        super::convert::sign_extend(a, width)
            .cast_signed()
            .cmp(&super::convert::sign_extend(b, width).cast_signed())
    } else {
        let mask = u64::MAX >> (64 - width);
        (a & mask).cmp(&(b & mask))
    };
    comparison.holds(Some(order))
}

/// The property that `testp` tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Neither infinite nor NaN.
    Finite,
    /// ±∞.
    Infinite,
    /// Not NaN.
    Number,
    /// NaN.
    Notanumber,
    /// Neither NaN nor infinite nor subnormal: "positive and negative zero are considered normal numbers".
    Normal,
    /// Subnormal.
    Subnormal,
}

#[inline(always)]
fn testp(property: Property, bits: u64, format: Layout) -> bool {
    let magnitude = bits & (format.sign() - 1);
    let subnormal = magnitude != 0 && magnitude & format.infinity() == 0;
    match property {
        Property::Finite => magnitude < format.infinity(),
        Property::Infinite => magnitude == format.infinity(),
        Property::Number => magnitude <= format.infinity(),
        Property::Notanumber => magnitude > format.infinity(),
        Property::Normal => magnitude < format.infinity() && !subnormal,
        Property::Subnormal => subnormal,
    }
}

/// `testp.op.f32`.
#[inline(always)]
pub fn testp32(property: Property, a: u32) -> bool {
    testp(property, a.into(), Layout::F32)
}

/// `testp.op.f64`.
#[inline(always)]
pub fn testp64(property: Property, a: u64) -> bool {
    testp(property, a, Layout::F64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Comparison; 14] = [
        Comparison::Eq,
        Comparison::Ne,
        Comparison::Lt,
        Comparison::Le,
        Comparison::Gt,
        Comparison::Ge,
        Comparison::Equ,
        Comparison::Neu,
        Comparison::Ltu,
        Comparison::Leu,
        Comparison::Gtu,
        Comparison::Geu,
        Comparison::Num,
        Comparison::Nan,
    ];

    fn row(a: f32, b: f32) -> Vec<u8> {
        ALL.iter().map(|c| u8::from(f32(*c, a.to_bits(), b.to_bits(), false))).collect()
    }

    #[test]
    fn every_comparison_of_every_relation() {
        // columns: eq ne lt le gt ge | equ neu ltu leu gtu geu | num nan
        assert_eq!(row(1.0, 2.0), [0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0]);
        assert_eq!(row(2.0, 2.0), [1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0]);
        assert_eq!(row(3.0, 2.0), [0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0]);
        assert_eq!(row(f32::NAN, 2.0), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1]);
        assert_eq!(row(0.0, -0.0), row(2.0, 2.0));
        for comparison in ALL {
            let f64s = f64(comparison, (-1f64).to_bits(), f64::NAN.to_bits());
            assert_eq!(f64s, f32(comparison, 0, f32::NAN.to_bits(), false), "{comparison:?}");
        }
    }

    #[test]
    fn ftz_takes_subnormals_for_zero() {
        assert!(f32(Comparison::Gt, 1, 0, false));
        assert!(f32(Comparison::Eq, 1, 0x8000_0001, true));
        assert!(f16(Comparison::Gt, 1, 0, Kind::F16, false));
        assert!(f16(Comparison::Eq, 1, 0, Kind::F16, true));
    }

    #[test]
    fn half_precision() {
        assert!(f16(Comparison::Lt, 0xbc00, 0x3c00, Kind::F16, false));
        assert!(f16(Comparison::Eq, 0x8000, 0x0000, Kind::Bf16, false));
        assert!(f16(Comparison::Nan, 0x7c01, 0, Kind::F16, false));
        assert!(!f16(Comparison::Nan, 0x7c00, 0, Kind::F16, false));
        assert!(f16(Comparison::Gt, 0x8001, 0xbc00, Kind::F16, false));
    }

    #[test]
    fn integers() {
        assert!(integer(Comparison::Lt, true, 0xffff, 1, 16));
        assert!(integer(Comparison::Gt, false, 0xffff, 1, 16));
        assert!(integer(Comparison::Eq, false, 0x1_0000_0005, 5, 32));
        assert!(integer(Comparison::Ge, true, u64::MAX, u64::MAX, 64));
        assert!(integer(Comparison::Le, true, 0x8000_0000, 0x7fff_ffff, 32));
    }

    #[test]
    fn properties() {
        use Property::*;
        let holds = |bits: u32| {
            [Finite, Infinite, Number, Notanumber, Normal, Subnormal]
                .map(|property| u8::from(testp32(property, bits)))
        };
        assert_eq!(holds(0x3f80_0000), [1, 0, 1, 0, 1, 0]);
        assert_eq!(holds(0x8000_0000), [1, 0, 1, 0, 1, 0]);
        assert_eq!(holds(0xff80_0000), [0, 1, 1, 0, 0, 0]);
        assert_eq!(holds(0xff80_0001), [0, 0, 0, 1, 0, 0]);
        assert_eq!(holds(0x8000_0001), [1, 0, 1, 0, 0, 1]);
        assert!(testp64(Subnormal, 1) && testp64(Infinite, f64::INFINITY.to_bits()));
    }
}

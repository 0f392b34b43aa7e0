//! `.f16` and `.bf16` on their bits, one at a time or packed in pairs.

use super::extremum::{self, Extremum};
use super::rounding::{Layout, Rounding};

/// One of the two 16-bit formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `.f16`: IEEE binary16.
    F16,
    /// `.bf16`: the upper half of a binary32.
    Bf16,
}

impl Kind {
    /// The bit layout of the format.
    #[inline(always)]
    pub const fn layout(self) -> Layout {
        match self {
            Self::F16 => Layout::F16,
            Self::Bf16 => Layout::BF16,
        }
    }
}

/// The modifiers of a half-precision instruction. `.ftz` and `.sat` exist for `.f16` only, `.relu` for `fma` only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HalfMode {
    /// `.ftz`: subnormal inputs and results become zero of the same sign.
    pub ftz: bool,
    /// `.sat`: the result is clamped to [0, 1], NaN becomes +0.
    pub sat: bool,
    /// `.relu`: a negative result becomes 0, NaN the canonical NaN.
    pub relu: bool,
}

impl HalfMode {
    #[inline]
    fn input(self, a: u16, kind: Kind) -> u64 {
        if self.ftz { kind.layout().flush(a.into()) } else { a.into() }
    }

    #[inline]
    fn output(self, result: u64, kind: Kind) -> u16 {
        let layout = kind.layout();
        let result = if self.ftz { layout.flush(result) } else { result };
        let result = if self.sat { layout.saturate(result) } else { result };
        (if self.relu { layout.relu(result) } else { result }) as u16
    }
}

/// `add{.rn}{.ftz}{.sat}`.
#[inline]
pub fn add(a: u16, b: u16, kind: Kind, mode: HalfMode) -> u16 {
    let sum = kind.layout().add(mode.input(a, kind), mode.input(b, kind), Rounding::Rn);
    mode.output(sum, kind)
}

/// `sub{.rn}{.ftz}{.sat}`.
#[inline]
pub fn sub(a: u16, b: u16, kind: Kind, mode: HalfMode) -> u16 {
    add(a, b ^ 0x8000, kind, mode)
}

/// `mul{.rn}{.ftz}{.sat}`.
#[inline]
pub fn mul(a: u16, b: u16, kind: Kind, mode: HalfMode) -> u16 {
    let product = kind.layout().mul(mode.input(a, kind), mode.input(b, kind), Rounding::Rn);
    mode.output(product, kind)
}

/// `fma.rn{.ftz}{.sat}{.relu}`.
#[inline]
pub fn fma(a: u16, b: u16, c: u16, kind: Kind, mode: HalfMode) -> u16 {
    let (a, b, c) = (mode.input(a, kind), mode.input(b, kind), mode.input(c, kind));
    mode.output(kind.layout().fma(a, b, c, Rounding::Rn), kind)
}

/// `neg{.ftz}`; NaN as for [`super::single::neg`].
#[inline]
pub fn neg(a: u16, kind: Kind, ftz: bool) -> u16 {
    (if ftz { kind.layout().flush(a.into()) as u16 } else { a }) ^ 0x8000
}

/// `abs{.ftz}`; NaN as for [`super::single::neg`].
#[inline]
pub fn abs(a: u16, kind: Kind, ftz: bool) -> u16 {
    (if ftz { kind.layout().flush(a.into()) as u16 } else { a }) & 0x7fff
}

/// `min{.ftz}{.NaN}{.xorsign.abs}`.
#[inline]
pub fn min(a: u16, b: u16, kind: Kind, modifiers: Extremum) -> u16 {
    extremum::min16(a, b, kind.layout(), modifiers)
}

/// `max{.ftz}{.NaN}{.xorsign.abs}`.
#[inline]
pub fn max(a: u16, b: u16, kind: Kind, modifiers: Extremum) -> u16 {
    extremum::max16(a, b, kind.layout(), modifiers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: HalfMode = HalfMode { ftz: false, sat: false, relu: false };

    #[test]
    fn binary16_arithmetic_by_hand() {
        // 1 + 2^-11 is a tie between 1 and 1 + 2^-10: even is 1. 1 + 3·2^-11 ties to 1 + 2^-9.
        assert_eq!(add(0x3c00, 0x1000, Kind::F16, PLAIN), 0x3c00);
        assert_eq!(add(0x3c01, 0x1000, Kind::F16, PLAIN), 0x3c02);
        // 65504 + 16 rounds to the next power of two: infinity.
        assert_eq!(add(0x7bff, 0x4c00, Kind::F16, PLAIN), 0x7c00);
        assert_eq!(sub(0x4200, 0x4000, Kind::F16, PLAIN), 0x3c00);
        // 3 × 1.5 = 4.5
        assert_eq!(mul(0x4200, 0x3e00, Kind::F16, PLAIN), 0x4480);
        // (1 + 2^-10)² − 1 = 2^-9 + 2^-20, exactly between nothing: fused keeps the 2^-20 as a rounding up of 2^-9?
        // 2^-9 has unit 2^-19, so 2^-20 is a tie, and 2^-9 is even: 2^-9.
        assert_eq!(fma(0x3c01, 0x3c01, 0xbc00, Kind::F16, PLAIN), 0x1800);
        // (1 + 2^-10)(1 − 2^-10) − 1 = −2^-20 (four subnormal units of 2^-24); with the product rounded first it would be 0.
        assert_eq!(fma(0x3c01, 0x3bfe, 0xbc00, Kind::F16, PLAIN), 0x8010);
    }

    #[test]
    fn bfloat16_arithmetic_by_hand() {
        // Eight bits of precision: 1 + 2^-8 ties to 1.
        assert_eq!(add(0x3f80, 0x3b80, Kind::Bf16, PLAIN), 0x3f80);
        assert_eq!(mul(0x4040, 0x4040, Kind::Bf16, PLAIN), 0x4110);
        assert_eq!(fma(0x4040, 0x4040, 0x3f80, Kind::Bf16, PLAIN), 0x4120);
    }

    #[test]
    fn modifiers() {
        let ftz = HalfMode { ftz: true, ..PLAIN };
        assert_eq!(add(0x0001, 0x0001, Kind::F16, PLAIN), 0x0002);
        assert_eq!(add(0x8001, 0x8001, Kind::F16, ftz), 0x8000);
        // 2^-14 × 0.5 is subnormal
        assert_eq!(mul(0x0400, 0x3800, Kind::F16, ftz), 0x0000);
        let sat = HalfMode { sat: true, ..PLAIN };
        assert_eq!(add(0x3c00, 0x3c00, Kind::F16, sat), 0x3c00);
        assert_eq!(add(0x7e00, 0x3c00, Kind::F16, sat), 0x0000);
        let relu = HalfMode { relu: true, ..PLAIN };
        assert_eq!(fma(0x3c00, 0xbc00, 0x0000, Kind::F16, relu), 0x0000);
        assert_eq!(fma(0x3c00, 0x7e00, 0x0000, Kind::F16, relu), 0x7fff);
        assert_eq!(neg(0x3c00, Kind::F16, false), 0xbc00);
        assert_eq!(abs(0x8001, Kind::F16, true), 0x0000);
    }

    #[test]
    fn extrema() {
        assert_eq!(max(0x3c00, 0xbc00, Kind::F16, Extremum::default()), 0x3c00);
        assert_eq!(min(0x7c01, 0xbc00, Kind::F16, Extremum::default()), 0xbc00);
        assert_eq!(min(0x7c01, 0xbc00, Kind::Bf16, Extremum::default()), 0xbc00);
    }
}

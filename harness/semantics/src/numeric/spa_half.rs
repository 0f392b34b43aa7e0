//! Pairs of halves as SPA 5.3 computes with them: `HADD2`, `HMUL2`, `HFMA2`.
//!
//! A source is a half or a single, a result too. yuzu and Ryujinx differ in where they round: yuzu computes with halves where no source is a
//! single, Ryujinx always with singles. `fma.rn.f16x2` of PTX is one `HFMA2`, so that a result is rounded once; where it would be another
//! with the other's rounding and no PTX instruction says which, the result is open.

use super::convert::{Format, float_to_float};
use super::rounding::{Layout, Rounding};
use super::single;

/// The operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `a + b`.
    Add,
    /// `a × b`.
    Multiply,
    /// `a × b + c`.
    MultiplyAdd,
}

/// A source in one of the two lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A half.
    Half(u16),
    /// A single, the same for both lanes.
    Single(u32),
}

impl Source {
    /// The single of the same value; flushed if it is subnormal in its own format.
    #[inline]
    pub fn value(self, flushed: bool) -> u32 {
        match self {
            Source::Half(bits) => {
                let bits = if flushed { Layout::F16.flush(bits.into()) } else { bits.into() };
                widened(bits)
            }
            Source::Single(bits) if flushed => single::flush(bits),
            Source::Single(bits) => bits,
        }
    }
}

fn widened(half: u64) -> u32 {
    float_to_float(half, Format::F16, Format::F32, Rounding::Rn, false, false) as u32
}

/// `.FTZ`, `.FMZ`, `.SAT`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// Subnormal numbers count as zero.
    pub flushed: bool,
    /// Zero times anything is zero, of which no source is sure that it is positive.
    pub zero_wins: bool,
    /// Clamped to [+0, 1].
    pub sat: bool,
}

/// A result and its defined bits.
pub type Result = (u32, u32);

struct Computation {
    operation: Operation,
    operands: [u64; 3],
}

impl Computation {
    /// The exact result, rounded once to a format.
    fn rounded(&self, to: Layout) -> u64 {
        let [a, b, c] = self.operands;
        match self.operation {
            Operation::Add => to.add_of(Layout::F32, a, b, Rounding::Rn),
            Operation::Multiply => to.mul_of(Layout::F32, a, b, Rounding::Rn),
            Operation::MultiplyAdd => to.fma_of(Layout::F32, [a, b, c], Rounding::Rn),
        }
    }
}

/// The operands as they count, and whether the sign of a zero is open.
fn prepared(operation: Operation, sources: [Source; 3], mode: Mode) -> (Computation, bool) {
    let mut operands = sources.map(|source| u64::from(source.value(mode.flushed || mode.zero_wins)));
    let is_zero = |bits: u64| bits << 33 == 0;
    let wins =
        mode.zero_wins && operation != Operation::Add && (is_zero(operands[0]) || is_zero(operands[1]));
    if wins {
        (operands[0], operands[1]) = (0, 0);
    }
    (Computation { operation, operands }, wins && !mode.sat)
}

/// The result as a half.
pub fn half(operation: Operation, sources: [Source; 3], mode: Mode) -> Result {
    let (computation, zero_sign_open) = prepared(operation, sources, mode);
    let once = computation.rounded(Layout::F16);
    let twice = float_to_float(
        computation.rounded(Layout::F32),
        Format::F32,
        Format::F16,
        Rounding::Rn,
        false,
        false,
    );
    let of_singles = sources.iter().any(|source| matches!(source, Source::Single(_)));
    let flushes = mode.flushed || mode.zero_wins;
    // Whether a result that is rounded up to the least normal number is flushed is known of singles alone.
    let at_edge = flushes
        && once & 0x7fff == 0x0400
        && Layout::F16_UNBOUNDED.is_below(computation.rounded(Layout::F16_UNBOUNDED), Layout::F16);
    if of_singles && once != twice || at_edge {
        return (once as u32, 0);
    }
    let result = if flushes { Layout::F16.flush(once) } else { once };
    let result = if mode.sat { Layout::F16.saturate(result) } else { result };
    let defined = match result {
        _ if Layout::F16.is_nan(result) => 0x7e00,
        0 | 0x8000 if zero_sign_open => 0x7fff,
        _ => 0xffff,
    };
    (result as u32, defined)
}

/// The result as a single.
pub fn single(operation: Operation, sources: [Source; 3], mode: Mode) -> Result {
    let (computation, zero_sign_open) = prepared(operation, sources, mode);
    let once = computation.rounded(Layout::F32) as u32;
    let of_singles = sources.iter().any(|source| matches!(source, Source::Single(_)));
    if single::is_nan(once) {
        return if mode.sat { (0, u32::MAX) } else { (single::CANONICAL_NAN, 0x7fc0_0000) };
    }
    // yuzu rounds to a half first where all sources are halves.
    if !of_singles && widened(computation.rounded(Layout::F16)) != once {
        return (once, 0);
    }
    let result = if mode.flushed || mode.zero_wins { single::flush(once) } else { once };
    let result = if mode.sat { single::saturate(result) } else { result };
    (result, if zero_sign_open && result << 1 == 0 { u32::MAX >> 1 } else { u32::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Mode = Mode { flushed: false, zero_wins: false, sat: false };
    const NONE: Source = Source::Half(0);

    fn halves(operation: Operation, a: u16, b: u16, c: u16, mode: Mode) -> Result {
        half(operation, [a, b, c].map(Source::Half), mode)
    }

    #[test]
    fn results_are_rounded_once() {
        // 1 + 2^-11 is a tie between 1 and 1 + 2^-10: even is 1.
        assert_eq!(halves(Operation::Add, 0x3c00, 0x1000, 0, PLAIN), (0x3c00, 0xffff));
        assert_eq!(halves(Operation::Multiply, 0x4200, 0x3e00, 0, PLAIN), (0x4480, 0xffff), "3 x 1.5");
        // (1 + 2^-10)(1 - 2^-10) - 1 = -2^-20; with the product rounded first it would be 0.
        assert_eq!(halves(Operation::MultiplyAdd, 0x3c01, 0x3bfe, 0xbc00, PLAIN), (0x8010, 0xffff));
        // (1 + 2^-10)(1 + 2^-1) = 1.5 + 3 * 2^-11, a tie in halves; 2^-24 more decides it, which a single of 24 bits would lose.
        assert_eq!(halves(Operation::MultiplyAdd, 0x3c01, 0x3e00, 0x0001, PLAIN), (0x3e02, 0xffff));
        assert_eq!(halves(Operation::MultiplyAdd, 0x3c01, 0x3e00, 0x8001, PLAIN), (0x3e01, 0xffff));
    }

    #[test]
    fn modifiers() {
        assert_eq!(halves(Operation::Add, 0x7e01, 0x3c00, 0, PLAIN), (0x7fff, 0x7e00));
        let sat = Mode { sat: true, ..PLAIN };
        assert_eq!(halves(Operation::Add, 0x7e01, 0x3c00, 0, sat), (0, 0xffff));
        assert_eq!(halves(Operation::Add, 0x3c00, 0x3c00, 0, sat), (0x3c00, 0xffff));
        let flushed = Mode { flushed: true, ..PLAIN };
        assert_eq!(halves(Operation::Add, 0x8001, 0x8001, 0, flushed), (0x8000, 0xffff));
        assert_eq!(halves(Operation::Multiply, 0x0400, 0x3800, 0, flushed), (0, 0xffff));
        assert_eq!(halves(Operation::Multiply, 0x0400, 0x3800, 0, PLAIN), (0x0200, 0xffff));
        // (1 - 2^-11) 2^-14 is a tie that is rounded to the least normal number.
        assert_eq!(halves(Operation::Multiply, 0x0400, 0x3bff, 0, flushed).1, 0);
        let zero_wins = Mode { zero_wins: true, ..PLAIN };
        assert_eq!(halves(Operation::Multiply, 0x8000, 0x7c00, 0, zero_wins), (0, 0x7fff));
        assert_eq!(halves(Operation::MultiplyAdd, 0x8000, 0x7e00, 0x3c00, zero_wins), (0x3c00, 0xffff));
    }

    #[test]
    fn singles_beside_halves() {
        let one = Source::Half(0x3c00);
        // 1 + 2^-11 + 2^-23 is above the tie.
        assert_eq!(half(Operation::Add, [one, Source::Single(0x3a00_1000), NONE], PLAIN), (0x3c01, 0xffff));
        // Of 2^-11 + 2^-30 a single's sum with 1 loses the last bit: sources differ.
        assert_eq!(half(Operation::Add, [one, Source::Single(0x3a00_0010), NONE], PLAIN).1, 0);
        assert_eq!(
            single(Operation::Add, [one, Source::Single(0x3400_0000), NONE], PLAIN),
            (0x3f80_0001, u32::MAX)
        );
        // 1 + 2^-11 of halves: a single holds it, a half does not.
        assert_eq!(single(Operation::Add, [one, Source::Half(0x1000), NONE], PLAIN).1, 0);
        assert_eq!(single(Operation::Add, [one, one, NONE], PLAIN), (0x4000_0000, u32::MAX));
    }
}

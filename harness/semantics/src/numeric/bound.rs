//! Documented error bounds of the approximate instructions.
//!
//! PTX ISA 9.7.3, the notes of `rcp`, `sqrt`, `rsqrt`, `sin`, `cos`, `lg2`, `ex2`, `tanh` and `div`. Each bound is an interval
//! around the mathematical result, or around the correctly rounded one where the manual counts ULPs. Results from a table of
//! special inputs are exact. Results without a documented error are arbitrary: for large angles, for `div.approx` by subnormal
//! numbers, for the approximations on `.f64`, "gross" ones and others.

use std::f64::consts::PI;

use super::approximate::{exp2, hyperbolic_tangent, log2, turned};
use super::convert::{Format, float_to_float};
use super::rounding::Rounding;
use super::single;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;

/// An approximate instruction, on `.f32` unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `ex2.approx`
    Ex2,
    /// `lg2.approx`
    Lg2,
    /// `sin.approx`
    Sin,
    /// `cos.approx`
    Cos,
    /// `tanh.approx`
    Tanh,
    /// `rcp.approx`
    Rcp,
    /// `sqrt.approx`
    Sqrt,
    /// `rsqrt.approx`
    Rsqrt,
    /// `div.approx`
    DivApprox,
    /// `div.full`
    DivFull,
    /// `rcp.approx.ftz.f64`, `rsqrt.approx.ftz.f64`: "The least significant 32 bits of the double-precision (.f64) destination d
    /// are all zeros", and of the others no error is documented.
    Gross64,
    /// `rsqrt.approx.f64`, without a documented error.
    Rsqrt64,
}

/// A documented bound; [`Document::text`] gives its text and reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Document {
    /// `ex2.approx`
    Ex2,
    /// `lg2.approx` near 1
    Lg2Near,
    /// `lg2.approx` elsewhere
    Lg2,
    /// `sin.approx` of a small angle
    Sin,
    /// `sin.approx` of a large one
    SinFar,
    /// `cos.approx` of a small angle
    Cos,
    /// `cos.approx` of a large one
    CosFar,
    /// `tanh.approx`
    Tanh,
    /// `rcp.approx`
    Rcp,
    /// `sqrt.approx`
    Sqrt,
    /// `rsqrt.approx`
    Rsqrt,
    /// `div.approx`
    DivApprox,
    /// `div.full`
    DivFull,
    /// Linear filtering: see [`crate::texture`].
    Filter,
    /// The same, of integers read as floats.
    FilterIntegers,
    /// Linear filtering on a face of a cube, at a place that is not exact.
    FilterCube,
}

impl Document {
    /// All of them, in the order of their numbers.
    pub const ALL: [Document; 16] = [
        Self::Ex2,
        Self::Lg2Near,
        Self::Lg2,
        Self::Sin,
        Self::SinFar,
        Self::Cos,
        Self::CosFar,
        Self::Tanh,
        Self::Rcp,
        Self::Sqrt,
        Self::Rsqrt,
        Self::DivApprox,
        Self::DivFull,
        Self::Filter,
        Self::FilterIntegers,
        Self::FilterCube,
    ];

    /// The text of the bound and its reference.
    pub fn text(self) -> &'static str {
        match self {
            Self::Ex2 => "`ex2.approx`: 2 ulp (PTX ISA 9.7.3, ex2)",
            Self::Lg2Near => "`lg2.approx` of (0.5, 2): 2^-22 absolute (PTX ISA 9.7.3, lg2)",
            Self::Lg2 => "`lg2.approx` outside of (0.5, 2): 2^-22 relative (PTX ISA 9.7.3, lg2)",
            Self::Sin => "`sin.approx` in [-2pi, 2pi]: 2^-20.5 absolute (PTX ISA 9.7.3, sin)",
            Self::SinFar => "`sin.approx` in [-100pi, 100pi]: 2^-14.7 absolute (PTX ISA 9.7.3, sin)",
            Self::Cos => "`cos.approx` in [-2pi, 2pi]: 2^-20.5 absolute (PTX ISA 9.7.3, cos)",
            Self::CosFar => "`cos.approx` in [-100pi, 100pi]: 2^-14.7 absolute (PTX ISA 9.7.3, cos)",
            Self::Tanh => "`tanh.approx`: 2^-11 relative (PTX ISA 9.7.3, tanh)",
            Self::Rcp => "`rcp.approx`: 1 ulp (PTX ISA 9.7.3, rcp)",
            Self::Sqrt => "`sqrt.approx`: 2^-23 relative (PTX ISA 9.7.3, sqrt)",
            Self::Rsqrt => "`rsqrt.approx`: 2^-22.9 relative (PTX ISA 9.7.3, rsqrt)",
            Self::DivApprox => "`div.approx` by [2^-126, 2^126]: 2 ulp (PTX ISA 9.7.3, div)",
            Self::DivFull => "`div.full`: 2 ulp (PTX ISA 9.7.3, div)",
            Self::Filter => {
                "linear filtering: weights of 8 fractional bits, rounded or truncated, and binary32 arithmetic (CUDA C++ Programming Guide, Linear Filtering)"
            }
            Self::FilterIntegers => {
                "linear filtering of integers read as floats: one step of each axis' weights, 1/256 (CUDA C++ Programming Guide, Linear Filtering)"
            }
            Self::FilterCube => {
                "linear filtering of a cube: as of images, at any place that binary32 arithmetic gives for (s/m+1)/2 and (t/m+1)/2, 2^-20 of the face (CUDA C++ Programming Guide, Cubemap Textures)"
            }
        }
    }
}

/// All numbers from `least` to `greatest`, two binary32 that are no NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least of them.
    pub least: u32,
    /// The greatest.
    pub greatest: u32,
    /// The document that states the bound.
    pub by: Document,
}

impl Interval {
    /// The bits in which numbers of the interval may differ.
    pub fn varying(self) -> u32 {
        let either_zero = self.least << 1 == 0 || self.greatest << 1 == 0;
        // Both zeros are one number, so that the sign is open too.
        match self.least ^ self.greatest {
            0 => 0,
            differing if either_zero || differing & SIGN != 0 => u32::MAX,
            // Numbers of one sign are ordered as their bits are: those above the highest that differs are common to all.
            differing => u32::MAX >> differing.leading_zeros(),
        }
    }

    /// The interval of the negated numbers.
    #[inline]
    pub fn negated(self) -> Self {
        Self { least: self.greatest ^ SIGN, greatest: self.least ^ SIGN, ..self }
    }

    /// The interval of the numbers clamped to [+0, 1].
    #[inline]
    pub fn saturated(self) -> Self {
        Self { least: single::saturate(self.least), greatest: single::saturate(self.greatest), ..self }
    }

    /// The interval of the absolute values.
    #[inline]
    pub fn absolute(self) -> Self {
        match (self.least & SIGN != 0, self.greatest & SIGN != 0) {
            (false, _) => self,
            (true, true) => self.negated(),
            (true, false) => Self { least: 0, greatest: (self.least & !SIGN).max(self.greatest), ..self },
        }
    }
}

/// The permitted results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permitted {
    /// That of the reference.
    Exact,
    /// Any number of the interval, that of the reference among them.
    Between(Interval),
    /// In these bits anything: no error is documented.
    Anything(u64),
}

/// The results that the manual permits for an instruction, given its operands and the `result` of the reference.
pub fn permitted(operation: Operation, [a, b, ..]: [u64; 4], ftz: bool, result: u64) -> Permitted {
    let number = |bits: u64| if ftz { single::flush(bits as u32) } else { bits as u32 };
    let (a_bits, b_bits) = (number(a), number(b));
    let special = |bits: u32| bits << 1 == 0 || bits & INFINITY == INFINITY;
    let (x, y) = (f64::from(f32::from_bits(a_bits)), f64::from(f32::from_bits(b_bits)));
    let around = Around { result: result as u32, ftz };
    match operation {
        Operation::Gross64 if special64(a) => Permitted::Exact,
        Operation::Gross64 => Permitted::Anything(0xffff_ffff_0000_0000),
        Operation::Rsqrt64 if a << 1 == 0 || a >> 63 == 1 || f64::from_bits(a).is_nan() => Permitted::Exact,
        Operation::Rsqrt64 if a == f64::INFINITY.to_bits() => Permitted::Exact,
        Operation::Rsqrt64 => Permitted::Anything(u64::MAX),
        // "For |b| in [2^-126, 2^126], the maximum ulp error is 2." Above, the result is given; of subnormal divisors
        // nothing is said.
        Operation::DivApprox if b_bits << 1 != 0 && b_bits & INFINITY == 0 => Permitted::Anything(u64::MAX),
        Operation::DivApprox if y.abs() > exp2(126.0) || special(a_bits) || special(b_bits) => {
            Permitted::Exact
        }
        Operation::DivApprox => around.ulps(x / y, 2, Document::DivApprox),
        Operation::DivFull if special(a_bits) || special(b_bits) => Permitted::Exact,
        // "The maximum ulp error is 2 across the full range of inputs."
        Operation::DivFull => around.ulps(x / y, 2, Document::DivFull),
        _ if special(a_bits) => Permitted::Exact,
        // "The maximum ulp error is 2 ulp from correctly rounded result across the full range of inputs."
        Operation::Ex2 => around.ulps(exp2(x), 2, Document::Ex2),
        // "The maximum ulp error is 1 across the full range of inputs."
        Operation::Rcp => around.ulps(1.0 / x, 1, Document::Rcp),
        Operation::Lg2 | Operation::Sqrt | Operation::Rsqrt if x < 0.0 => Permitted::Exact,
        // "The maximum relative error over the entire positive finite floating-point range is 2^-23", "2^-22.9".
        Operation::Sqrt => around.relative(x.sqrt(), -23.0, Document::Sqrt),
        Operation::Rsqrt => around.relative(1.0 / x.sqrt(), -22.9, Document::Rsqrt),
        // "The maximum absolute error is 2^-22 when the input operand is in the range (0.5, 2). For positive finite inputs
        // outside of this interval, maximum relative error is 2^-22."
        Operation::Lg2 if x > 0.5 && x < 2.0 => around.absolute(log2(x), (-22.0, -50.0), Document::Lg2Near),
        Operation::Lg2 => around.relative(log2(x), -22.0, Document::Lg2),
        // "[-2pi .. 2pi]: 2^-20.5, [-100pi .. +100pi]: 2^-14.7. Outside of the range [-100pi .. +100pi], only best effort is
        // provided. There are no defined error guarantees."
        Operation::Sin | Operation::Cos if x.abs() <= 100.0 * PI => {
            let (quarters, near, far) = match operation {
                Operation::Sin => (0, Document::Sin, Document::SinFar),
                _ => (1, Document::Cos, Document::CosFar),
            };
            match x.abs() <= 2.0 * PI {
                true => around.absolute(turned(x, quarters), (-20.5, -50.0), near),
                false => around.absolute(turned(x, quarters), (-14.7, -45.0), far),
            }
        }
        Operation::Sin | Operation::Cos => Permitted::Anything(u64::MAX),
        // "The subnormal inputs gets passed through to the output".
        Operation::Tanh if a_bits & INFINITY == 0 => Permitted::Exact,
        // "The maximum relative error over the entire floating point range is 2^-11."
        Operation::Tanh => around.relative(hyperbolic_tangent(x), -11.0, Document::Tanh),
    }
}

/// Whether the tables of `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64`, or the domain of the root, give the result: the upper word
/// counts, and subnormal numbers are zero. (A reciprocal of a negative number is no special one; nor is it bounded.)
#[inline]
fn special64(a: u64) -> bool {
    let exponent = a >> 52 & 0x7ff;
    exponent == 0 || exponent == 0x7ff
}

/// The reference's result, and whether results are flushed.
#[derive(Clone, Copy)]
struct Around {
    result: u32,
    ftz: bool,
}

impl Around {
    /// Results of up to so many ULPs from the rounding of `exact`: numbers that one has to step over.
    fn ulps(self, exact: f64, ulps: i64, by: Document) -> Permitted {
        // Beyond the largest number by more than the error, infinity is the only result.
        let ulp = exp2(104.0);
        let overflows = f32::from_bits(self.result).is_infinite()
            && exact.abs() > f64::from(f32::MAX) + ulps as f64 * ulp;
        if overflows || f32::from_bits(self.result).is_nan() {
            return Permitted::Exact;
        }
        let limit = i64::from(INFINITY);
        // The error is that of the result before it is flushed: one step above a flushed zero is not the least normal number's neighbour.
        let rank = rank(if self.ftz { towards(exact, Rounding::Rn) } else { self.result });
        let at = |steps: i64| of_rank((rank + steps).clamp(-limit, limit));
        self.between(at(-ulps), at(ulps), by)
    }

    /// Results of up to 2^`error` from `exact`, which itself is known up to 2^`doubt`.
    #[inline]
    fn absolute(self, exact: f64, (error, doubt): (f64, f64), by: Document) -> Permitted {
        let distance = exp2(error) + exp2(doubt);
        self.inside(exact - distance, exact + distance, by)
    }

    /// Results of up to 2^`error` times `exact` from it, which is known to one part in 2^45.
    #[inline]
    fn relative(self, exact: f64, error: f64, by: Document) -> Permitted {
        let distance = exact.abs() * (exp2(error) + exp2(-45.0));
        self.inside(exact - distance, exact + distance, by)
    }

    /// The binary32 from `least` to `greatest`.
    #[inline]
    fn inside(self, least: f64, greatest: f64, by: Document) -> Permitted {
        self.between(towards(least, Rounding::Rp), towards(greatest, Rounding::Rm), by)
    }

    fn between(self, least: u32, greatest: u32, by: Document) -> Permitted {
        let flush = |bits: u32| if self.ftz { single::flush(bits) } else { bits };
        let lower = |a: u32, b: u32| if rank(a) <= rank(b) { a } else { b };
        let upper = |a: u32, b: u32| if rank(a) >= rank(b) { a } else { b };
        let interval = Interval {
            least: flush(lower(least, self.result)),
            greatest: flush(upper(greatest, self.result)),
            by,
        };
        match rank(interval.least) == rank(interval.greatest) {
            true => Permitted::Exact,
            false => Permitted::Between(interval),
        }
    }
}

/// The binary32 nearest to `value` in a direction.
#[inline]
pub fn towards(value: f64, direction: Rounding) -> u32 {
    float_to_float(value.to_bits(), Format::F64, Format::F32, direction, false, false) as u32
}

/// The rank of a number among all numbers; both zeros have rank 0.
#[inline]
pub fn rank(bits: u32) -> i64 {
    let magnitude = i64::from(bits & !SIGN);
    if bits & SIGN != 0 { -magnitude } else { magnitude }
}

#[inline]
fn of_rank(rank: i64) -> u32 {
    rank.unsigned_abs() as u32 | if rank < 0 { SIGN } else { 0 }
}

#[cfg(test)]
#[path = "bound_tests.rs"]
mod tests;

//! Correctly rounded arithmetic in any binary format of IEEE 754, in integers: unpack, compute exactly, round once.
//!
//! All rounding modes except the processor's own use these functions, and they are the test reference for the fast paths of
//! [`super::single`] and [`super::double`]. They are tested exhaustively on formats of a few bits, against rationals.
//!
//! Invariant of every operation: the exact result is `significand × 2^exponent`, or lies strictly between that and
//! `(significand + 1) × 2^exponent` ("sticky"); in the latter case the significand has at least two more bits than the
//! format, so that the rounding decision cannot depend on what was lost.

/// `.rn .rz .rm .rp`: to nearest even, towards zero, towards −∞, towards +∞.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even: the default of every instruction with an optional rounding modifier.
    #[default]
    Rn,
    /// Towards zero.
    Rz,
    /// Towards −∞.
    Rm,
    /// Towards +∞.
    Rp,
}

/// The modifiers of a single-precision instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode {
    /// Rounding.
    pub rounding: Rounding,
    /// `.ftz`: subnormal inputs and results become zero of the same sign.
    pub ftz: bool,
    /// `.sat`: the result is clamped to [0, 1], NaN becomes +0.
    pub sat: bool,
}

impl Mode {
    /// `.rn` without `.ftz` and `.sat`.
    pub const PLAIN: Mode = Mode { rounding: Rounding::Rn, ftz: false, sat: false };

    /// Whether it is [`Mode::PLAIN`]: then the `_rn` functions compute the same, and vectorise.
    #[inline]
    pub fn is_plain(self) -> bool {
        self == Self::PLAIN
    }
}

/// The layout of a binary interchange format: sign, biased exponent, fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    exponent_bits: u32,
    fraction_bits: u32,
}

impl Layout {
    /// `.f16`: IEEE binary16.
    pub const F16: Layout = Layout { exponent_bits: 5, fraction_bits: 10 };
    /// `.bf16`: the upper half of a binary32.
    pub const BF16: Layout = Layout { exponent_bits: 8, fraction_bits: 7 };
    /// `.f32`: IEEE binary32.
    pub const F32: Layout = Layout { exponent_bits: 8, fraction_bits: 23 };
    /// The significands of binary32 with more exponents than any operation on binary32 reaches.
    pub const F32_UNBOUNDED: Layout = Layout { exponent_bits: 11, fraction_bits: 23 };
    /// The significands of binary16 with more exponents than any operation on binary16 or binary32 reaches.
    pub const F16_UNBOUNDED: Layout = Layout { exponent_bits: 11, fraction_bits: 10 };
    /// `.f64`: IEEE binary64.
    pub const F64: Layout = Layout { exponent_bits: 11, fraction_bits: 52 };

    /// Width in bits.
    #[inline]
    pub const fn width(self) -> u32 {
        1 + self.exponent_bits + self.fraction_bits
    }

    /// Exponent of the unit of the smallest numbers: subnormals are multiples of 2 to this.
    #[inline]
    const fn lowest_unit(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1)) - self.fraction_bits as i32
    }

    /// The sign bit.
    #[inline]
    pub const fn sign(self) -> u64 {
        1 << (self.width() - 1)
    }

    /// +∞: the exponent field full, the fraction zero.
    #[inline]
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// The bit that makes a NaN quiet.
    #[inline]
    pub const fn quiet_bit(self) -> u64 {
        1 << (self.fraction_bits - 1)
    }

    /// The NaN the emulator generates. "Canonical NaN" is `0x7fffffff` for `.f32` and `0x7fff` for the 16-bit formats; of
    /// `.f64` the manual only names the encoding `0x7fffffff00000000` of two approximations, so the default quiet NaN is
    /// taken: which NaN it is, is undefined bits anyway (see [`super::nan`]).
    #[inline]
    pub const fn canonical_nan(self) -> u64 {
        if self.width() == 64 { self.infinity() | self.quiet_bit() } else { self.sign() - 1 }
    }

    /// The bits below the exponent of a number of this format, as those of a narrower one, which has the upper ones alone.
    #[inline]
    pub const fn fraction_in(self, bits: u64, narrower: Layout) -> u64 {
        (bits & ((1 << self.fraction_bits) - 1)) >> (self.fraction_bits - narrower.fraction_bits)
    }

    /// The bits of 1.0.
    #[inline]
    pub const fn one(self) -> u64 {
        ((1 << (self.exponent_bits - 1)) - 1) << self.fraction_bits
    }

    /// Whether the bits are a NaN.
    #[inline]
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign() - 1) > self.infinity()
    }

    /// Subnormal numbers become zero of the same sign, as `.ftz` specifies for inputs and results.
    #[inline]
    pub const fn flush(self, bits: u64) -> u64 {
        if bits & self.infinity() == 0 { bits & self.sign() } else { bits }
    }

    /// `.sat`: clamps to [+0, 1]; NaN becomes +0. (−0 becomes +0: the manual says "range [0.0, 1.0]" and no more.)
    #[inline]
    pub const fn saturate(self, bits: u64) -> u64 {
        if bits & self.sign() != 0 || self.is_nan(bits) {
            0
        } else if bits > self.one() {
            self.one()
        } else {
            bits
        }
    }

    /// `.relu`: negative becomes +0, NaN becomes the canonical NaN.
    #[inline]
    pub const fn relu(self, bits: u64) -> u64 {
        if self.is_nan(bits) {
            self.canonical_nan()
        } else if bits & self.sign() != 0 {
            0
        } else {
            bits
        }
    }

    /// Takes a number apart.
    #[inline]
    pub fn unpack(self, bits: u64) -> Number {
        let negative = bits & self.sign() != 0;
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        let field = (bits & self.infinity()) >> self.fraction_bits;
        let full = (1 << self.exponent_bits) - 1;
        let class = match (field, fraction) {
            (0, 0) => Class::Zero,
            (f, 0) if f == full => Class::Infinite,
            (f, _) if f == full => Class::Nan,
            _ => Class::Finite,
        };
        let (significand, exponent) = match field {
            0 => (fraction, self.lowest_unit()),
            _ => (fraction | 1 << self.fraction_bits, self.lowest_unit() + field as i32 - 1),
        };
        Number {
            class,
            exact: Exact { negative, significand: u128::from(significand), exponent, sticky: false },
        }
    }

    /// Rounds an exact value, which must not be zero, to the format.
    pub fn round(self, exact: Exact, rounding: Rounding) -> u64 {
        let Exact { negative, significand, exponent, sticky } = exact;
        debug_assert!(significand != 0, "zero has no leading bit");
        let leading = exponent + 127 - significand.leading_zeros() as i32;
        let mut unit = (leading - self.fraction_bits as i32).max(self.lowest_unit());
        let (mut kept, half, rest) = split(significand, unit - exponent);
        let (inexact, rest) = (half || rest || sticky, rest || sticky);
        let up = match rounding {
            Rounding::Rn => half && (rest || kept & 1 == 1),
            Rounding::Rz => false,
            Rounding::Rm => inexact && negative,
            Rounding::Rp => inexact && !negative,
        };
        kept += u64::from(up);
        if kept >> (self.fraction_bits + 1) != 0 {
            kept >>= 1;
            unit += 1;
        }
        let sign = if negative { self.sign() } else { 0 };
        if kept >> self.fraction_bits == 0 {
            return sign | kept;
        }
        let field = (unit - self.lowest_unit() + 1) as u64;
        if field >= (1 << self.exponent_bits) - 1 {
            return sign | self.overflow(negative, rounding);
        }
        sign | field << self.fraction_bits | kept & ((1 << self.fraction_bits) - 1)
    }

    /// The magnitude of a result too large: infinity, or the largest finite number when rounding is towards zero
    /// (IEEE 754 §7.4).
    fn overflow(self, negative: bool, rounding: Rounding) -> u64 {
        let to_infinity = match rounding {
            Rounding::Rn => true,
            Rounding::Rz => false,
            Rounding::Rm => negative,
            Rounding::Rp => !negative,
        };
        self.infinity() - u64::from(!to_infinity)
    }

    /// `a + b`. A NaN operand gives the canonical NaN, here and below.
    #[inline]
    pub fn add(self, a: u64, b: u64, rounding: Rounding) -> u64 {
        self.sum(self.unpack(a), self.unpack(b), rounding)
    }

    /// `a × b`.
    #[inline]
    pub fn mul(self, a: u64, b: u64, rounding: Rounding) -> u64 {
        let product = product(self.unpack(a), self.unpack(b));
        match product.class {
            Class::Finite => self.round(product.exact, rounding),
            _ => self.pack_special(product),
        }
    }

    /// `a × b + c`, rounded once.
    #[inline]
    pub fn fma(self, a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
        let c = self.unpack(c);
        self.sum(product(self.unpack(a), self.unpack(b)), c, rounding)
    }

    /// `a + b` of numbers of another format, rounded once, to this one.
    #[inline]
    pub fn add_of(self, from: Layout, a: u64, b: u64, rounding: Rounding) -> u64 {
        self.sum(from.unpack(a), from.unpack(b), rounding)
    }

    /// `a × b` of numbers of another format, rounded once, to this one.
    #[inline]
    pub fn mul_of(self, from: Layout, a: u64, b: u64, rounding: Rounding) -> u64 {
        let product = product(from.unpack(a), from.unpack(b));
        match product.class {
            Class::Finite => self.round(product.exact, rounding),
            _ => self.pack_special(product),
        }
    }

    /// `a × b + c` of numbers of another format, rounded once, to this one.
    #[inline]
    pub fn fma_of(self, from: Layout, [a, b, c]: [u64; 3], rounding: Rounding) -> u64 {
        self.sum(product(from.unpack(a), from.unpack(b)), from.unpack(c), rounding)
    }

    /// Whether a number of this format is below the least normal number of a format with the same significands.
    #[inline]
    pub fn is_below(self, bits: u64, other: Layout) -> bool {
        let bias = |layout: Layout| (1_u64 << (layout.exponent_bits - 1)) - 1;
        let least = bias(self) - bias(other) + 1;
        (bits & self.infinity()) >> self.fraction_bits < least
    }

    /// `a ÷ b`.
    pub fn div(self, a: u64, b: u64, rounding: Rounding) -> u64 {
        let (a, b) = (self.unpack(a), self.unpack(b));
        let negative = a.exact.negative != b.exact.negative;
        let class = match (a.class, b.class) {
            (Class::Nan, _) | (_, Class::Nan) => Class::Nan,
            (Class::Zero, Class::Zero) | (Class::Infinite, Class::Infinite) => Class::Nan,
            (Class::Zero, _) | (_, Class::Infinite) => Class::Zero,
            (Class::Infinite, _) | (_, Class::Zero) => Class::Infinite,
            (Class::Finite, Class::Finite) => Class::Finite,
        };
        if class != Class::Finite {
            return self.pack_special(Number { class, exact: Exact { negative, ..a.exact } });
        }
        // Both significands get their leading bit at 63; the quotient then has 63 or 64 bits, 9 more than any format.
        let (n, d) = (a.exact.with_leading_bit(126), b.exact.with_leading_bit(63));
        let significand = n.significand / d.significand;
        let sticky = n.significand % d.significand != 0;
        self.round(Exact { negative, significand, exponent: n.exponent - d.exponent, sticky }, rounding)
    }

    /// √a.
    pub fn sqrt(self, a: u64, rounding: Rounding) -> u64 {
        let a = self.unpack(a);
        match a.class {
            Class::Finite if a.exact.negative => self.canonical_nan(),
            Class::Infinite if a.exact.negative => self.canonical_nan(),
            Class::Finite => {
                // An even exponent and 126 or 127 bits: the root has 63 or 64.
                let mut x = a.exact.with_leading_bit(125);
                if x.exponent % 2 != 0 {
                    x = a.exact.with_leading_bit(126);
                }
                let root = x.significand.isqrt();
                let sticky = root * root != x.significand;
                self.round(
                    Exact { significand: root, exponent: x.exponent / 2, sticky, negative: false },
                    rounding,
                )
            }
            _ => self.pack_special(a),
        }
    }

    fn sum(self, a: Number, b: Number, rounding: Rounding) -> u64 {
        match (a.class, b.class) {
            (Class::Nan, _) | (_, Class::Nan) => self.canonical_nan(),
            (Class::Infinite, Class::Infinite) if a.exact.negative != b.exact.negative => {
                self.canonical_nan()
            }
            (Class::Infinite, _) => self.pack_special(a),
            (_, Class::Infinite) => self.pack_special(b),
            (Class::Zero, Class::Zero) if a.exact.negative == b.exact.negative => self.pack_special(a),
            (Class::Zero, Class::Zero) => self.cancelled(rounding),
            (Class::Zero, Class::Finite) => self.round(b.exact, rounding),
            (Class::Finite, Class::Zero) => self.round(a.exact, rounding),
            (Class::Finite, Class::Finite) => match exact_sum(a.exact, b.exact) {
                Some(sum) => self.round(sum, rounding),
                None => self.cancelled(rounding),
            },
        }
    }

    /// The sum of x and −x: +0, but −0 when rounding towards −∞ (IEEE 754 §6.3).
    #[inline]
    fn cancelled(self, rounding: Rounding) -> u64 {
        if rounding == Rounding::Rm { self.sign() } else { 0 }
    }

    #[inline]
    fn pack_special(self, number: Number) -> u64 {
        let sign = if number.exact.negative { self.sign() } else { 0 };
        match number.class {
            Class::Nan => self.canonical_nan(),
            Class::Infinite => sign | self.infinity(),
            Class::Zero | Class::Finite => sign,
        }
    }
}

/// What kind of number it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// ±0.
    Zero,
    /// Neither zero nor infinite nor NaN.
    Finite,
    /// ±∞.
    Infinite,
    /// NaN.
    Nan,
}

/// A number taken apart. `exact` holds its sign in every class, and its value if it is finite.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// What it is.
    pub class: Class,
    /// Its sign and magnitude.
    pub exact: Exact,
}

/// `±(significand + ε) × 2^exponent` with 0 < ε < 1 if `sticky`, else ε = 0.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    /// The sign.
    pub negative: bool,
    /// An integer.
    pub significand: u128,
    /// Exponent of the significand's lowest bit.
    pub exponent: i32,
    /// Whether a little is missing from the significand.
    pub sticky: bool,
}

impl Exact {
    /// The same value with the leading bit of its significand (which only ever moves up) at `position`.
    #[inline]
    fn with_leading_bit(self, position: u32) -> Exact {
        let shift = self.significand.leading_zeros() - (127 - position);
        Exact { significand: self.significand << shift, exponent: self.exponent - shift as i32, ..self }
    }
}

/// `significand ÷ 2^shift` as integer part, half bit, and whether anything nonzero is below it.
pub fn split(significand: u128, shift: i32) -> (u64, bool, bool) {
    match shift {
        ..=0 => ((significand << -shift) as u64, false, false),
        1..=127 => {
            let below = significand & ((1 << shift) - 1);
            let half = 1 << (shift - 1);
            ((significand >> shift) as u64, below & half != 0, below & (half - 1) != 0)
        }
        // The leading bit of a significand is at 126 at most: all of it lies below the half bit.
        _ => (0, false, significand != 0),
    }
}

fn product(a: Number, b: Number) -> Number {
    let negative = a.exact.negative != b.exact.negative;
    let class = match (a.class, b.class) {
        (Class::Nan, _) | (_, Class::Nan) => Class::Nan,
        (Class::Zero, Class::Infinite) | (Class::Infinite, Class::Zero) => Class::Nan,
        (Class::Infinite, _) | (_, Class::Infinite) => Class::Infinite,
        (Class::Zero, _) | (_, Class::Zero) => Class::Zero,
        (Class::Finite, Class::Finite) => Class::Finite,
    };
    let significand = a.exact.significand * b.exact.significand;
    Number {
        class,
        exact: Exact { negative, significand, exponent: a.exact.exponent + b.exact.exponent, sticky: false },
    }
}

/// The sum of two values that are not zero; `None` if they cancel.
///
/// Both leading bits go to 125. Operands have at most 106 bits, so nothing is lost while the exponents differ by less than
/// 20; beyond that at most one leading bit cancels, and what is lost stays far below any rounding decision.
fn exact_sum(a: Exact, b: Exact) -> Option<Exact> {
    let (a, b) = (a.with_leading_bit(125), b.with_leading_bit(125));
    let a_is_larger = (a.exponent, a.significand) >= (b.exponent, b.significand);
    let (large, small) = if a_is_larger { (a, b) } else { (b, a) };
    let shift = (large.exponent - small.exponent).min(126);
    let aligned = small.significand >> shift;
    let sticky = aligned << shift != small.significand;
    let significand = if large.negative == small.negative {
        large.significand + aligned
    } else {
        // large − (aligned + ε) = (large − aligned − 1) + (1 − ε)
        large.significand - aligned - u128::from(sticky)
    };
    (significand != 0).then_some(Exact { significand, exponent: large.exponent, sticky, ..large })
}

#[cfg(test)]
#[path = "rounding_tests.rs"]
mod tests;

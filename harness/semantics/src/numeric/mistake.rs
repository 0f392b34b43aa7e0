//! Mistakes in functions of registers: a row for each deviation, with the instructions that it concerns and what it makes of them.
//!
//! An instruction of PTX that computes one register from others, lane by lane, is looked up here once, when it is decoded, and only where
//! there is a deviation at all. Mistakes that concern memory, control or several lanes are in the rules of these.

use warpdiff_model::{Deviation, Semantics};

use super::approximate;
use super::convert::{Format, float_to_float, sign_extend};
use super::integer::{field32, w32, w64};
use super::rounding::{Layout, Rounding};

/// The kind of numbers of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.u32`
    Unsigned,
    /// `.s32`
    Signed,
    /// `.f32`
    Float,
    /// `.b32`, `.pred`
    Bits,
}

/// A type of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// Its width in bits; 1 of a predicate.
    pub width: u32,
    /// Its kind.
    pub kind: Kind,
}

impl Type {
    /// The bits of a number of this type, without what stands above it in a wider register.
    fn low(self, value: u64) -> u64 {
        if self.width >= 64 { value } else { value & ((1 << self.width) - 1) }
    }

    /// The number, if the type is signed or not.
    fn number(self, value: u64) -> i128 {
        match self.kind {
            Kind::Signed => i128::from(sign_extend(self.low(value), self.width) as i64),
            _ => i128::from(self.low(value)),
        }
    }

    fn is(self, kind: Kind, width: u32) -> bool {
        self.kind == kind && self.width == width
    }

    fn is_integer(self) -> bool {
        matches!(self.kind, Kind::Signed | Kind::Unsigned)
    }
}

/// An instruction, as far as mistakes depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    /// Its opcode: `cvt`.
    pub opcode: &'a str,
    /// Its first type; of `cvt` that of the result.
    pub first: Type,
    /// Its last type, which may be the first.
    pub last: Type,
    /// Its modifiers that are neither types nor spaces, without points: `rni`, `sat`.
    pub modifiers: &'a [&'static str],
}

impl Instruction<'_> {
    fn has(&self, one_of: &[&str]) -> bool {
        self.modifiers.iter().any(|modifier| one_of.contains(modifier))
    }
}

/// What a mistake makes of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Mistake {
    first: Type,
    last: Type,
    compute: Compute,
}

/// The result from the sources, given the first and the last type.
type Compute = fn(&[u64; 4], Type, Type) -> u64;

impl Mistake {
    /// What the semantics mistake the instruction for, if they do.
    pub fn of(instruction: &Instruction<'_>, semantics: &Semantics) -> Option<Self> {
        if semantics.is_specification() {
            return None;
        }
        let concerns = |row: &&Row| {
            row.opcodes.contains(&instruction.opcode)
                && semantics.has(row.deviation)
                && (row.when)(instruction)
        };
        let row = ROWS.iter().find(concerns)?;
        Some(Self { first: instruction.first, last: instruction.last, compute: row.compute })
    }

    /// The result.
    pub fn result(&self, sources: &[u64; 4]) -> u64 {
        (self.compute)(sources, self.first, self.last)
    }
}

/// A deviation as a function of registers.
struct Row {
    deviation: Deviation,
    opcodes: &'static [&'static str],
    /// Which instructions of these opcodes.
    when: fn(&Instruction<'_>) -> bool,
    compute: Compute,
}

const fn row(
    deviation: Deviation,
    opcodes: &'static [&'static str],
    when: fn(&Instruction<'_>) -> bool,
    compute: Compute,
) -> Row {
    Row { deviation, opcodes, when, compute }
}

const ROWS: &[Row] = &[
    row(
        Deviation::AbsLeastLimited,
        &["abs"],
        |it| it.first.kind == Kind::Signed,
        |v, ty, _| ty.low(ty.number(v[0]).unsigned_abs() as u64).min(u64::MAX >> (65 - ty.width)),
    ),
    row(Deviation::BfeEmptyIsWhole, &["bfe"], any, |v, ty, _| {
        let length = if v[2] as u8 == 0 { u32::from(u8::MAX) } else { count(v[2]) };
        field(v[0], count(v[1]), length, ty)
    }),
    row(Deviation::BfePositionModulo, &["bfe"], any, |v, ty, _| {
        field(v[0], count(v[1]) % ty.width, count(v[2]), ty)
    }),
    row(Deviation::BfiUnshifted, &["bfi"], any, |v, ty, _| {
        let ones = if count(v[3]) >= 64 { u64::MAX } else { (1 << count(v[3])) - 1 };
        let mask = ty.low(ones.checked_shl(count(v[2])).unwrap_or(0));
        ty.low(v[1]) & !mask | v[0] & mask
    }),
    row(
        Deviation::BfindFromOne,
        &["bfind"],
        |it| !it.has(&["shiftamt"]),
        |v, ty, _| {
            let bits = ty.low(if ty.number(v[0]) < 0 { !v[0] } else { v[0] });
            if bits == 0 { 0xFFFF_FFFF } else { u64::from(64 - bits.leading_zeros()) }
        },
    ),
    row(Deviation::BrevBytes, &["brev"], any, |v, ty, _| ty.low(v[0]).swap_bytes() >> (64 - ty.width)),
    row(Deviation::ClzLowWord, &["clz"], is_wide, |v, _, _| u64::from((v[0] as u32).leading_zeros())),
    row(Deviation::PopcLowWord, &["popc"], is_wide, |v, _, _| u64::from((v[0] as u32).count_ones())),
    row(
        Deviation::CvtDoubleViaSingle,
        &["cvt"],
        |it| it.first.is(Kind::Float, 64) && it.last.is_integer(),
        |v, _, from| f64::from(from.number(v[0]) as f32).to_bits(),
    ),
    row(
        Deviation::CvtHalfOverflowInfinite,
        &["cvt"],
        |it| it.first.is(Kind::Float, 16) && it.last.is(Kind::Float, 32) && it.has(&["rz"]),
        |v, _, _| {
            let value = f32::from_bits(v[0] as u32);
            match value.is_finite() && value.abs() >= 65536.0 {
                true => Layout::F16.infinity() | u64::from(value.is_sign_negative()) << 15,
                false => {
                    float_to_float(v[0] & 0xFFFF_FFFF, Format::F32, Format::F16, Rounding::Rz, false, false)
                }
            }
        },
    ),
    row(
        Deviation::CvtNanIsLeast,
        &["cvt"],
        |it| it.first.is(Kind::Signed, 32) && it.last.is(Kind::Float, 32) && it.has(&["rzi"]),
        |v, _, _| {
            let value = single(v[0]);
            if value.is_nan() { 0x8000_0000 } else { u64::from(value as i32 as u32) }
        },
    ),
    row(Deviation::CvtUnsignedZero, &["cvt"], is_single_to_unsigned, |_, _, _| 0),
    row(Deviation::CvtUnsignedAsSigned, &["cvt"], is_single_to_unsigned, |v, _, _| {
        let value = single(v[0]);
        if value >= 2_147_483_648.0 { 0x8000_0000 } else { u64::from(value as u32) }
    }),
    row(
        Deviation::CvtFloatIntegral,
        &["cvt"],
        |it| it.first.is(Kind::Float, 32) && it.last.is(Kind::Float, 64),
        |v, _, _| u64::from((f64::from_bits(v[0]).round_ties_even() as f32).to_bits()),
    ),
    row(Deviation::MulWideHalf, &["mul"], |it| it.has(&["wide"]), |v, ty, _| ty.low(v[0].wrapping_mul(v[1]))),
    row(Deviation::Mul24Whole, &["mul24"], |it| it.has(&["lo"]), |v, ty, _| ty.low(v[0].wrapping_mul(v[1]))),
    row(Deviation::SadNoAddend, &["sad"], any, |v, ty, _| {
        ty.low(ty.number(v[0]).abs_diff(ty.number(v[1])) as u64)
    }),
    row(
        Deviation::ShiftAmountCut,
        &["shl"],
        |it| it.first.width == 16,
        |v, ty, _| ty.low(ty.low(v[0]).checked_shl(u32::from(v[1] as u16)).unwrap_or(0)),
    ),
    row(
        Deviation::ShiftAmountCut,
        &["shr"],
        |it| it.first.width == 16,
        |v, ty, _| ty.low((ty.number(v[0]) >> u32::from(v[1] as u16).min(31)) as u64),
    ),
    row(
        Deviation::PrmtSignIgnored,
        &["prmt"],
        |it| it.modifiers.is_empty(),
        |v, _, _| {
            let bytes = v[1] << 32 | v[0] & 0xFFFF_FFFF;
            (0..4).fold(0, |all, n| all | (bytes >> (8 * (v[2] >> (4 * n) & 7)) & 0xFF) << (8 * n))
        },
    ),
    row(Deviation::MinMaxNanPasses, &["min"], is_plain_single, |v, _, _| nan_or(v, f32::min)),
    row(Deviation::MinMaxNanPasses, &["max"], is_plain_single, |v, _, _| nan_or(v, f32::max)),
    row(Deviation::MinMaxZerosEqual, &["min"], is_plain_single, |v, _, _| zeros_alike(v, f32::min)),
    row(Deviation::MinMaxZerosEqual, &["max"], is_plain_single, |v, _, _| zeros_alike(v, f32::max)),
    row(
        Deviation::AddHalves,
        &["add"],
        |it| it.first.is_integer() && it.first.width == 64,
        |v, _, _| {
            let low = u64::from((v[0] as u32).wrapping_add(v[1] as u32));
            (v[0] >> 32).wrapping_add(v[1] >> 32) << 32 | low
        },
    ),
    row(
        Deviation::AddcCarryInjected,
        &["addc"],
        |it| !it.has(&["cc"]),
        |v, ty, _| ty.low(v[0].wrapping_add(v[1]).wrapping_add(1)),
    ),
    row(
        Deviation::BfeBeyondZero,
        &["bfe"],
        |it| it.first.kind == Kind::Signed,
        |v, ty, _| match count(v[1]) {
            position if position >= ty.width => 0,
            position => field(v[0], position, count(v[2]), ty),
        },
    ),
    row(Deviation::BfiBeyondKept, &["bfi"], any, |v, ty, _| match count(v[2]) + count(v[3]) {
        end if end > ty.width => ty.low(v[1]),
        _ => inserted(v, count(v[3]), ty),
    }),
    row(Deviation::BfiEmptyIsWhole, &["bfi"], any, |v, ty, _| match count(v[3]) {
        0 => inserted(v, ty.width, ty),
        length => inserted(v, length, ty),
    }),
    row(
        Deviation::BfindNoneIsZero,
        &["bfind"],
        |it| !it.has(&["shiftamt"]),
        |v, ty, _| {
            let bits = ty.low(if ty.number(v[0]) < 0 { !v[0] } else { v[0] });
            if bits == 0 { 0 } else { u64::from(63 - bits.leading_zeros()) }
        },
    ),
    row(
        Deviation::CvtWideUnsignedAsSigned,
        &["cvt"],
        |it| it.first.is(Kind::Float, 32) && it.last.is(Kind::Unsigned, 64) && it.has(&["rn"]),
        |v, _, _| u64::from((v[0] as i64 as f32).to_bits()),
    ),
    row(
        Deviation::SlctNanTakesFirst,
        &["slct"],
        |it| it.last.is(Kind::Float, 32),
        |v, ty, _| ty.low(if single(v[2]) >= 0.0 || single(v[2]).is_nan() { v[0] } else { v[1] }),
    ),
    row(Deviation::FnsBaseExcluded, &["fns"], any, |v, _, _| {
        let (mask, base, offset) = (v[0] as u32, v[1] as u32, v[2] as i32);
        match base.checked_add_signed(offset.signum()) {
            Some(beside @ 0..32) => field32::fns(mask, beside, offset).into(),
            _ => 0xFFFF_FFFF,
        }
    }),
    row(Deviation::FnsHereIsNext, &["fns"], any, |v, _, _| match v[2] as i32 {
        0 => field32::fns(v[0] as u32, v[1] as u32, 1).into(),
        offset => field32::fns(v[0] as u32, v[1] as u32, offset).into(),
    }),
    row(Deviation::AddZeroPositive, &["add"], is_rounded_down, |v, _, _| sum_down(v[0], v[1])),
    row(Deviation::AddZeroPositive, &["sub"], is_rounded_down, |v, _, _| sum_down(v[0], v[1] ^ MINUS)),
    row(Deviation::RcpZeroLargest, &["rcp"], is_approximated, |v, _, _| match v[0] & !MINUS {
        0 => v[0] & MINUS | 0x7F7F_FFFF,
        _ => approximate::rcp(v[0] as u32, false).into(),
    }),
    row(Deviation::RcpZeroLargest, &["rcp"], is_approximated_flushed, |v, _, _| match v[0] & !MINUS {
        0..0x0080_0000 => v[0] & MINUS | 0x7F7F_FFFF,
        _ => approximate::rcp(v[0] as u32, true).into(),
    }),
    row(Deviation::RootMinusZero, &["rsqrt"], is_approximated, |v, _, _| {
        of_zero(v[0], false, approximate::rsqrt)
    }),
    row(Deviation::RootMinusZero, &["sqrt"], is_approximated, |v, _, _| {
        of_zero(v[0], false, approximate::sqrt)
    }),
    row(Deviation::RootMinusZero, &["lg2"], is_approximated, |v, _, _| {
        of_zero(v[0], false, approximate::lg2)
    }),
    row(Deviation::RootMinusZero, &["rsqrt"], is_approximated_flushed, |v, _, _| {
        of_zero(v[0], true, approximate::rsqrt)
    }),
    row(Deviation::RootMinusZero, &["sqrt"], is_approximated_flushed, |v, _, _| {
        of_zero(v[0], true, approximate::sqrt)
    }),
    row(Deviation::RootMinusZero, &["lg2"], is_approximated_flushed, |v, _, _| {
        of_zero(v[0], true, approximate::lg2)
    }),
    row(Deviation::Ex2MinusInfinity, &["ex2"], is_approximated, |v, _, _| power_of_two(v[0], false)),
    row(Deviation::Ex2MinusInfinity, &["ex2"], is_approximated_flushed, |v, _, _| power_of_two(v[0], true)),
];

/// The sign of a binary32.
const MINUS: u64 = 0x8000_0000;

/// A NaN as the hardware gives it.
const NAN: u64 = 0x7FFF_FFFF;

fn any(_: &Instruction<'_>) -> bool {
    true
}

fn is_wide(instruction: &Instruction<'_>) -> bool {
    instruction.first.width == 64
}

fn is_single_to_unsigned(instruction: &Instruction<'_>) -> bool {
    instruction.first.is(Kind::Unsigned, 32) && instruction.last.is(Kind::Float, 32)
}

/// `min.f32` and `max.f32` without further modifiers.
fn is_plain_single(instruction: &Instruction<'_>) -> bool {
    instruction.first.is(Kind::Float, 32) && instruction.modifiers.is_empty()
}

/// `add.rm.f32` and `sub.rm.f32` without further modifiers.
fn is_rounded_down(instruction: &Instruction<'_>) -> bool {
    instruction.first.is(Kind::Float, 32) && instruction.modifiers == ["rm"]
}

fn is_approximated(instruction: &Instruction<'_>) -> bool {
    instruction.first.is(Kind::Float, 32) && instruction.has(&["approx"]) && !instruction.has(&["ftz"])
}

fn is_approximated_flushed(instruction: &Instruction<'_>) -> bool {
    instruction.first.is(Kind::Float, 32) && instruction.has(&["approx"]) && instruction.has(&["ftz"])
}

/// The sum rounded down, but +0 of opposite numbers.
fn sum_down(a: u64, b: u64) -> u64 {
    let (a, b) = (a & 0xFFFF_FFFF, b & 0xFFFF_FFFF);
    if a == b ^ MINUS && !single(a).is_nan() && !single(a).is_infinite() {
        return 0;
    }
    Layout::F32.add(a, b, Rounding::Rm)
}

/// NaN of -0, and what becomes of other numbers.
fn of_zero(value: u64, flushes: bool, of: fn(u32, bool) -> u32) -> u64 {
    let is_zero = value == MINUS || flushes && (MINUS..MINUS | 0x0080_0000).contains(&value);
    if is_zero { NAN } else { of(value as u32, flushes).into() }
}

/// NaN of minus infinity, and what becomes of other numbers.
fn power_of_two(value: u64, flushes: bool) -> u64 {
    if value == 0xFF80_0000 { NAN } else { approximate::ex2(value as u32, flushes).into() }
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// A position or a length, of which 8 bits count.
fn count(value: u64) -> u32 {
    u32::from(value as u8)
}

/// A NaN, if one of both is one.
fn nan_or(v: &[u64; 4], of: fn(f32, f32) -> f32) -> u64 {
    let (a, b) = (single(v[0]), single(v[1]));
    if a.is_nan() || b.is_nan() { 0x7FFF_FFFF } else { u64::from(of(a, b).to_bits()) }
}

/// The first of two equal numbers. NaNs are left out as they are to be.
fn zeros_alike(v: &[u64; 4], of: fn(f32, f32) -> f32) -> u64 {
    let (a, b) = (single(v[0]), single(v[1]));
    match () {
        () if a == b => v[0] & 0xFFFF_FFFF,
        () if a.is_nan() && b.is_nan() => 0x7FFF_FFFF,
        () => u64::from(of(a, b).to_bits()),
    }
}

/// `bfi` of that many bits.
fn inserted(v: &[u64; 4], length: u32, ty: Type) -> u64 {
    let ones = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
    let mask = ty.low(ones.checked_shl(count(v[2])).unwrap_or(0));
    ty.low(v[1]) & !mask | v[0].checked_shl(count(v[2])).unwrap_or(0) & mask
}

/// `bfe`.
fn field(value: u64, position: u32, length: u32, ty: Type) -> u64 {
    match (ty.width, ty.kind) {
        (32, Kind::Signed) => w32::bfe_signed(value as u32, position, length).into(),
        (32, _) => w32::bfe_unsigned(value as u32, position, length).into(),
        (_, Kind::Signed) => w64::bfe_signed(value, position, length),
        _ => w64::bfe_unsigned(value, position, length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const U32: Type = Type { width: 32, kind: Kind::Unsigned };
    const U64: Type = Type { width: 64, kind: Kind::Unsigned };
    const S32: Type = Type { width: 32, kind: Kind::Signed };
    const B16: Type = Type { width: 16, kind: Kind::Bits };
    const B32: Type = Type { width: 32, kind: Kind::Bits };
    const B64: Type = Type { width: 64, kind: Kind::Bits };
    const F16: Type = Type { width: 16, kind: Kind::Float };
    const F32: Type = Type { width: 32, kind: Kind::Float };
    const F64: Type = Type { width: 64, kind: Kind::Float };

    /// What the deviation makes of an instruction, if anything.
    fn mistaken(
        deviation: Deviation,
        opcode: &str,
        modifiers: &[&'static str],
        [first, last]: [Type; 2],
        sources: &[u64],
    ) -> Option<u64> {
        let instruction = Instruction { opcode, first, last, modifiers };
        let mut all = [0; 4];
        all[..sources.len()].copy_from_slice(sources);
        let mistake = Mistake::of(&instruction, &Semantics::default().with(deviation))?;
        assert!(Mistake::of(&instruction, &Semantics::default()).is_none());
        Some(mistake.result(&all))
    }

    /// Deviation, opcode, modifiers, first and last type, sources, and what it makes of them.
    type Told<'t> = (Deviation, &'static str, &'static [&'static str], [Type; 2], &'t [u64], u64);

    #[test]
    fn each_row_makes_of_its_instruction_what_its_deviation_says() {
        use Deviation as D;
        let single = |value: f32| u64::from(value.to_bits());
        let told: &[Told<'_>] = &[
            (D::AbsLeastLimited, "abs", &[], [S32; 2], &[0x8000_0000], 0x7FFF_FFFF),
            (D::AbsLeastLimited, "abs", &[], [S32; 2], &[0xFFFF_FFFF], 1),
            (D::BfeEmptyIsWhole, "bfe", &[], [U32; 2], &[0xABCD, 8, 0], 0xAB),
            (D::BfePositionModulo, "bfe", &[], [U32; 2], &[0xABCD, 40, 4], 0xB),
            (D::BfiUnshifted, "bfi", &[], [B32; 2], &[0xABCD, 0, 8, 8], 0xAB00),
            (D::BfindFromOne, "bfind", &[], [U32; 2], &[0x10], 5),
            (D::BfindFromOne, "bfind", &[], [S32; 2], &[0xFFFF_FFFF], 0xFFFF_FFFF),
            (D::BrevBytes, "brev", &[], [B32; 2], &[0x0102_0304], 0x0403_0201),
            (D::ClzLowWord, "clz", &[], [B64; 2], &[1 << 40 | 1], 31),
            (D::PopcLowWord, "popc", &[], [B64; 2], &[3 << 40 | 1], 1),
            (D::CvtDoubleViaSingle, "cvt", &["rn"], [F64, S32], &[16_777_217], 16_777_216f64.to_bits()),
            (D::CvtHalfOverflowInfinite, "cvt", &["rz"], [F16, F32], &[single(-1e6)], 0xFC00),
            (D::CvtHalfOverflowInfinite, "cvt", &["rz"], [F16, F32], &[single(65530.0)], 0x7BFF),
            (D::CvtNanIsLeast, "cvt", &["rzi"], [S32, F32], &[0x7FC0_0000], 0x8000_0000),
            (D::CvtUnsignedZero, "cvt", &["rzi"], [U32, F32], &[single(7.0)], 0),
            (D::CvtUnsignedAsSigned, "cvt", &["rzi"], [U32, F32], &[single(3e9)], 0x8000_0000),
            (D::CvtUnsignedAsSigned, "cvt", &["rzi"], [U32, F32], &[single(7.5)], 7),
            (D::CvtFloatIntegral, "cvt", &["rn"], [F32, F64], &[2.5f64.to_bits()], single(2.0)),
            (D::MulWideHalf, "mul", &["wide"], [U32; 2], &[0x8000_0001, 2], 2),
            (D::Mul24Whole, "mul24", &["lo"], [U32; 2], &[0x0100_0001, 3], 0x0300_0003),
            (D::SadNoAddend, "sad", &[], [S32; 2], &[3, 0xFFFF_FFFF, 100], 4),
            (D::ShiftAmountCut, "shl", &[], [B16; 2], &[5, 0x1_0001], 10),
            (D::ShiftAmountCut, "shr", &[], [B16; 2], &[0x8000, 0x1_0001], 0x4000),
            (D::PrmtSignIgnored, "prmt", &[], [B32; 2], &[0x8000_0000, 0, 0xBBBB], 0x8080_8080),
            (D::MinMaxNanPasses, "min", &[], [F32; 2], &[0x7FC0_0000, single(1.0)], 0x7FFF_FFFF),
            (D::MinMaxNanPasses, "max", &[], [F32; 2], &[single(1.0), single(-2.0)], single(1.0)),
            (D::MinMaxZerosEqual, "min", &[], [F32; 2], &[0, 0x8000_0000], 0),
            (D::MinMaxZerosEqual, "max", &[], [F32; 2], &[0x8000_0000, 0], 0x8000_0000),
            (D::MinMaxZerosEqual, "max", &[], [F32; 2], &[single(1.0), single(2.0)], single(2.0)),
            (D::AddHalves, "add", &[], [U64; 2], &[0x1_FFFF_FFFF, 0x2_0000_0001], 0x3_0000_0000),
            (D::AddcCarryInjected, "addc", &[], [U32; 2], &[2, 3, 0], 6),
            (D::BfeBeyondZero, "bfe", &[], [S32; 2], &[0x8000_0000, 40, 4], 0),
            (D::BfeBeyondZero, "bfe", &[], [S32; 2], &[0x8000_0000, 28, 4], 0xFFFF_FFF8),
            (D::BfiBeyondKept, "bfi", &[], [B32; 2], &[0xF, 0x1111, 30, 4], 0x1111),
            (D::BfiBeyondKept, "bfi", &[], [B32; 2], &[0xF, 0x1111, 28, 4], 0xF000_1111),
            (D::BfiEmptyIsWhole, "bfi", &[], [B32; 2], &[0xABCD, 0x1111, 8, 0], 0x00AB_CD11),
            (D::BfiEmptyIsWhole, "bfi", &[], [B32; 2], &[0xABCD, 0x1111, 8, 4], 0x1D11),
            (D::BfindNoneIsZero, "bfind", &[], [S32; 2], &[0xFFFF_FFFF], 0),
            (D::BfindNoneIsZero, "bfind", &[], [U32; 2], &[0x10], 4),
            (D::CvtWideUnsignedAsSigned, "cvt", &["rn"], [F32, U64], &[u64::MAX], single(-1.0)),
            (D::SlctNanTakesFirst, "slct", &[], [S32, F32], &[1, 2, 0x7FC0_0000], 1),
            (D::SlctNanTakesFirst, "slct", &[], [S32, F32], &[1, 2, single(-1.0)], 2),
            (D::FnsBaseExcluded, "fns", &[], [B32; 2], &[0xB2, 1, 1], 4),
            (D::FnsBaseExcluded, "fns", &[], [B32; 2], &[0xB2, 5, 0xFFFF_FFFF], 4),
            (D::FnsBaseExcluded, "fns", &[], [B32; 2], &[0xB2, 4, 0], 4),
            (D::FnsBaseExcluded, "fns", &[], [B32; 2], &[u64::from(u32::MAX), 31, 1], 0xFFFF_FFFF),
            (D::FnsHereIsNext, "fns", &[], [B32; 2], &[0xB2, 2, 0], 4),
            (D::FnsHereIsNext, "fns", &[], [B32; 2], &[0xB2, 2, 2], 5),
            (D::AddZeroPositive, "add", &["rm"], [F32; 2], &[single(1.5), single(-1.5)], 0),
            (D::AddZeroPositive, "sub", &["rm"], [F32; 2], &[single(1.5), single(1.5)], 0),
            (D::AddZeroPositive, "add", &["rm"], [F32; 2], &[0x8000_0000, 0x8000_0000], 0x8000_0000),
            (D::RcpZeroLargest, "rcp", &["approx"], [F32; 2], &[0x8000_0000], 0xFF7F_FFFF),
            (D::RcpZeroLargest, "rcp", &["approx", "ftz"], [F32; 2], &[1], 0x7F7F_FFFF),
            (D::RcpZeroLargest, "rcp", &["approx"], [F32; 2], &[single(2.0)], single(0.5)),
            (D::RootMinusZero, "sqrt", &["approx"], [F32; 2], &[0x8000_0000], 0x7FFF_FFFF),
            (D::RootMinusZero, "sqrt", &["approx"], [F32; 2], &[single(4.0)], single(2.0)),
            (D::RootMinusZero, "rsqrt", &["approx", "ftz"], [F32; 2], &[0x8000_0001], 0x7FFF_FFFF),
            (D::RootMinusZero, "lg2", &["approx", "ftz"], [F32; 2], &[single(4.0)], single(2.0)),
            (D::Ex2MinusInfinity, "ex2", &["approx"], [F32; 2], &[0xFF80_0000], 0x7FFF_FFFF),
            (D::Ex2MinusInfinity, "ex2", &["approx", "ftz"], [F32; 2], &[single(3.0)], single(8.0)),
        ];
        for (deviation, opcode, modifiers, types, sources, result) in told {
            let found = mistaken(*deviation, opcode, modifiers, *types, sources);
            assert_eq!(found, Some(*result), "{deviation} {opcode} {sources:x?}");
        }
        for row in ROWS {
            assert!(
                told.iter().any(|(deviation, ..)| *deviation == row.deviation),
                "{} is not shown",
                row.deviation
            );
        }
    }

    #[test]
    fn other_instructions_are_as_they_were() {
        assert_eq!(mistaken(Deviation::ClzLowWord, "clz", &[], [B32; 2], &[1]), None);
        assert_eq!(mistaken(Deviation::MulWideHalf, "mul", &["lo"], [U32; 2], &[1, 1]), None);
        assert_eq!(mistaken(Deviation::SadNoAddend, "mad", &["lo"], [U32; 2], &[1, 1, 1]), None);
    }
}

//! Mistakes in functions of registers: a row for each deviation, with the instructions that it concerns and what it makes of them.
//!
//! An instruction of PTX that computes one register from others, lane by lane, is looked up here once, when it is decoded, and only where
//! there is a deviation at all. Mistakes that concern memory, control or several lanes are in the rules of these.

use warpdiff_model::{Deviation, Semantics};

use super::convert::sign_extend;

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
        let concerns =
            |row: &&Row| row.opcodes.contains(&instruction.opcode) && semantics.has(row.deviation) && (row.when)(instruction);
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
    row(Deviation::BfeEmptyIsWhole, &["bfe"], any, |v, ty, _| {
        let (position, length) = (v[1] as u8, v[2] as u8);
        let length = if length == 0 { u8::MAX } else { length };
        field(v[0], position.into(), length.into(), ty)
    }),
    row(Deviation::BfePositionModulo, &["bfe"], any, |v, ty, _| {
        field(v[0], u32::from(v[1] as u8) % ty.width, u32::from(v[2] as u8), ty)
    }),
    row(Deviation::BfiUnshifted, &["bfi"], any, |v, ty, _| {
        let mask = ty.low(field_mask(u32::from(v[2] as u8), u32::from(v[3] as u8)));
        ty.low(v[1]) & !mask | v[0] & mask
    }),
    row(Deviation::BfindFromOne, &["bfind"], not_shiftamt, |v, ty, _| {
        let number = ty.number(v[0]);
        let bits = ty.low(if number < 0 { !v[0] } else { v[0] });
        match bits {
            0 => 0xFFFF_FFFF,
            bits => u64::from(64 - bits.leading_zeros()),
        }
    }),
    row(Deviation::ClzOfLowWord, &["clz"], is_wide, |v, ..| u64::from((v[0] as u32).leading_zeros())),
    row(Deviation::PopcOfLowWord, &["popc"], is_wide, |v, ..| u64::from((v[0] as u32).count_ones())),
    row(Deviation::CvtDoubleViaSingle, &["cvt"], |it| it.first.is(Kind::Float, 64) && it.last.is_integer(), |v, _, from| {
        f64::from(from.number(v[0]) as f32).to_bits()
    }),
    row(Deviation::CvtHalfOverflowInfinite, &["cvt"], to_half_directed, |v, ..| {
        use super::convert::{Format, float_to_float};
        use super::rounding::Rounding;
        let value = f32::from_bits(v[0] as u32);
        let toward_zero = float_to_float(v[0] & 0xFFFF_FFFF, Format::F32, Format::F16, Rounding::Rz, false, false);
        match value.is_finite() && value.abs() >= 65536.0 {
            true => 0x7C00 | u64::from(value.is_sign_negative()) << 15,
            false => toward_zero,
        }
    }),
    row(Deviation::CvtNanIsLeast, &["cvt"], |it| it.first.is(Kind::Signed, 32) && it.last.is(Kind::Float, 32), |v, ..| {
        let value = f32::from_bits(v[0] as u32);
        if value.is_nan() { 0x8000_0000 } else { u64::from(value as i32 as u32) }
    }),
    row(Deviation::CvtRniTruncates, &["cvt"], |it| it.has(&["rni"]) && it.first.is(Kind::Signed, 32) && it.last.is(Kind::Float, 32), |v, ..| {
        u64::from(f32::from_bits(v[0] as u32) as i32 as u32)
    }),
    row(Deviation::CvtUnsignedZero, &["cvt"], |it| it.first.is(Kind::Unsigned, 32) && it.last.is(Kind::Float, 32), |_, ..| 0),
    row(Deviation::CvtUnsignedAsSigned, &["cvt"], |it| it.first.is(Kind::Unsigned, 32) && it.last.is(Kind::Float, 32), |v, ..| {
        let value = f32::from_bits(v[0] as u32);
        match value >= 2_147_483_648.0 {
            true => 0x8000_0000,
            false => u64::from(value as u32),
        }
    }),
    row(Deviation::CvtWideningZeros, &["cvt"], |it| it.last.kind == Kind::Signed && it.first.is_integer() && it.first.width > it.last.width, |v, _, from| {
        from.low(v[0])
    }),
    row(Deviation::CvtNarrowUnextended, &["cvt"], |it| it.first.kind == Kind::Signed && it.first.width < 32 && it.last.is_integer() && !it.has(&["sat"]), |v, to, _| {
        to.low(v[0])
    }),
    row(Deviation::CvtFloatIntegral, &["cvt"], |it| it.first.is(Kind::Float, 32) && it.last.is(Kind::Float, 64), |v, ..| {
        u64::from((f64::from_bits(v[0]).round_ties_even() as f32).to_bits())
    }),
    row(Deviation::DivRoundingIgnored, &["div"], |it| it.first.is(Kind::Float, 32) && it.has(&["rz", "rm", "rp"]), |v, ..| {
        u64::from((f32::from_bits(v[0] as u32) / f32::from_bits(v[1] as u32)).to_bits())
    }),
    row(Deviation::MulWideHalf, &["mul"], |it| it.has(&["wide"]), |v, ty, _| ty.low(v[0].wrapping_mul(v[1]))),
    row(Deviation::RemUnsigned, &["rem"], |it| it.first.kind == Kind::Signed, |v, ty, _| {
        let wide = |value: u64| ty.number(value) as u64;
        ty.low(wide(v[0]).checked_rem(wide(v[1])).unwrap_or(v[0]))
    }),
    row(Deviation::SadNoAddend, &["sad"], any, |v, ty, _| {
        ty.low(ty.number(v[0]).abs_diff(ty.number(v[1])) as u64)
    }),
    row(Deviation::ShiftAmountCut, &["shl", "shr"], |it| it.first.width == 16, |v, ty, _| {
        let amount = u32::from(v[1] as u16).min(31);
        ty.low(ty.number(v[0]) as u64).checked_shr(amount).unwrap_or(0)
    }),
    row(Deviation::SlctControlType, &["slct"], |it| it.first.kind != Kind::Float && it.last.kind == Kind::Float, |v, ty, _| {
        // As a signed integer every number with the sign bit is less than zero, -0.0 too.
        ty.low(if (v[2] as u32 as i32) >= 0 { v[0] } else { v[1] })
    }),
    row(Deviation::SetUnorderedAsOrdered, &["set", "setp"], is_unordered, |v, _, ty| {
        u64::from(!is_nan(v[0], ty) && !is_nan(v[1], ty) && false)
    }),
];

fn any(_: &Instruction<'_>) -> bool {
    true
}

fn is_wide(instruction: &Instruction<'_>) -> bool {
    instruction.first.width == 64
}

fn not_shiftamt(instruction: &Instruction<'_>) -> bool {
    !instruction.has(&["shiftamt"])
}

//! Values worth trying: boundaries, small numbers, halves, special floats; and now and then anything at all.

use arbitrary::{Result, Unstructured};

/// The meaning of a source operand, which decides the values it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Any integer of 16 bits.
    I16,
    /// Any integer of 32 bits.
    I32,
    /// Any integer of 64 bits.
    I64,
    /// An integer other than zero, 16 bits: PTX leaves division by zero unspecified.
    Divisor16,
    /// The same, 32 bits.
    Divisor32,
    /// The same, 64 bits.
    Divisor64,
    /// A shift amount: 32 bits, mostly up to a bit beyond 64.
    Amount,
    /// The position or length of a field: the same, but `bfe` and `bfi` look at the low 8 bits only and literals must fit them.
    Field,
    /// The position of a bit of a word: 0 to 31.
    Bit,
    /// binary16.
    F16,
    /// Two binary16.
    F16x2,
    /// binary32.
    F32,
    /// binary64.
    F64,
    /// The table of a function of three bits: a literal from 0 to 255.
    Table,
    /// A predicate: zero or one.
    Truth,
    /// The position of a field in bits 7:0 and its length in bits 15:8, mostly up to a bit beyond 32.
    Span,
    /// The number of a lane, or how far it is to another: mostly one of the first few.
    Lane,
    /// The number of a barrier.
    Barrier,
    /// The number of threads of a warp.
    Warp,
    /// The last lane of a segment in bits 4:0, and in bits 12:8 the bits of a lane that all of a segment have in common.
    Segment,
}

/// Draws a value; bits beyond its width are zero.
pub fn draw(u: &mut Unstructured<'_>, value: Value) -> Result<u64> {
    Ok(match value {
        Value::I16 => integer(u, 16)?,
        Value::I32 => integer(u, 32)?,
        Value::I64 => integer(u, 64)?,
        Value::Divisor16 => integer(u, 16)?.max(1),
        Value::Divisor32 => integer(u, 32)?.max(1),
        Value::Divisor64 => integer(u, 64)?.max(1),
        Value::Amount | Value::Field => amount(u)?,
        Value::Bit => u64::from(u.arbitrary::<u8>()? & 31),
        Value::F16 => float(u, 5, 10)?,
        Value::F16x2 => float(u, 5, 10)? | float(u, 5, 10)? << 16,
        Value::F32 => float(u, 8, 23)?,
        Value::F64 => float(u, 11, 52)?,
        Value::Table => u64::from(u.arbitrary::<u8>()?),
        Value::Truth => u64::from(u.arbitrary::<u8>()? & 1),
        Value::Span => u64::from(edge(u)?) | u64::from(edge(u)?) << 8,
        Value::Lane => u64::from(u.arbitrary::<u8>()? & 3),
        Value::Barrier => u64::from(u.arbitrary::<u8>()? & 15),
        Value::Warp => 32,
        Value::Segment => [0x1f, 0x1f, 0x1c1f, 0x1e1f, 0x1e03, 0x1c03, 0x3, 0x0][u.choose_index(8)?],
    })
}

/// The low `width` bits set.
fn ones(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// A byte, as [`Unstructured::arbitrary`] gives it, which takes three times as long: zero where no byte is left. Integers are drawn by the hundred
/// for each program; of other values there are few.
fn byte(u: &mut Unstructured<'_>) -> u8 {
    u.bytes(1).map_or(0, |bytes| bytes[0])
}

fn integer(u: &mut Unstructured<'_>, width: u32) -> Result<u64> {
    let kind = byte(u);
    let value = match kind % 8 {
        // Small, of either sign.
        0 | 1 => u64::from(kind >> 3).wrapping_sub(8),
        // A power of two, one less, one more, or negated.
        2 | 3 => {
            let power = 1_u64 << (u32::from(byte(u)) % width);
            [power, power.wrapping_sub(1), power.wrapping_add(1), power.wrapping_neg()]
                [usize::from(kind >> 3) % 4]
        }
        // The ends of the signed and of the unsigned range.
        4 => [0, ones(width), ones(width - 1), 1 << (width - 1)][usize::from(kind >> 3) % 4],
        _ => u.arbitrary()?,
    };
    Ok(value & ones(width))
}

/// A position or a length in a word.
fn edge(u: &mut Unstructured<'_>) -> Result<u8> {
    let kind = u.arbitrary::<u8>()?;
    Ok(match kind % 8 {
        0 => u.arbitrary()?,
        1 => [0, 1, 15, 16, 31, 32, 33, 64][usize::from(kind >> 3) % 8],
        _ => kind >> 3,
    })
}

fn amount(u: &mut Unstructured<'_>) -> Result<u64> {
    let kind = u.arbitrary::<u8>()?;
    Ok(match kind % 4 {
        0 => u64::from(u.arbitrary::<u32>()?),
        1 => [15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257][usize::from(kind >> 2) % 12],
        _ => u64::from(kind >> 2),
    })
}

/// An IEEE number with that many exponent and fraction bits.
fn float(u: &mut Unstructured<'_>, exponent_bits: u32, fraction_bits: u32) -> Result<u64> {
    let kind = u.arbitrary::<u8>()?;
    let width = 1 + exponent_bits + fraction_bits;
    let sign = u64::from(kind >> 7) << (width - 1);
    let bias = ones(exponent_bits - 1);
    let at = |exponent: u64, fraction: u64| exponent << fraction_bits | fraction;
    let fraction =
        |u: &mut Unstructured<'_>| Ok::<u64, arbitrary::Error>(u.arbitrary::<u64>()? & ones(fraction_bits));
    let magnitude = match kind % 8 {
        // Whole numbers and halves up to 64: k/2 as fraction * 2^e.
        0 | 1 => small(u64::from(u.arbitrary::<u8>()? % 128), bias, fraction_bits),
        2 => {
            let infinity = at(ones(exponent_bits), 0);
            let smallest_normal = at(1, 0);
            let quiet = at(ones(exponent_bits), 1 << (fraction_bits - 1));
            // The first seven of them twice as often.
            let special = [
                infinity + 1,
                infinity,
                quiet,
                smallest_normal,
                smallest_normal - 1,
                infinity - 1,
                0,
                1,
                at(bias, 0),
            ];
            special[usize::from((kind >> 3) % 16) % special.len()]
        }
        // Near one, all bits of the fraction in use: products and sums that round.
        3..=5 => at(bias - 2 + u64::from(kind >> 4) % 4, fraction(u)?),
        // Around the ends of the integer ranges.
        6 => at(bias + 6 + u64::from(u.arbitrary::<u8>()? % 60).min(bias - 6), fraction(u)?),
        _ => u.arbitrary::<u64>()? & ones(width - 1),
    };
    Ok(sign | magnitude)
}

/// The bits of `halves / 2`.
fn small(halves: u64, bias: u64, fraction_bits: u32) -> u64 {
    let Some(top) = halves.checked_ilog2() else { return 0 };
    let fraction = (halves << (fraction_bits - top)) & ones(fraction_bits);
    ((bias + u64::from(top) - 1) << fraction_bits) | fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_halves() {
        for halves in 0_u16..128 {
            let expected = f32::from(halves) / 2.0;
            assert_eq!(
                small(u64::from(halves), 127, 23),
                u64::from(expected.to_bits()),
                "{halves}/2 as binary32"
            );
            let expected = f64::from(halves) / 2.0;
            assert_eq!(small(u64::from(halves), 1023, 52), expected.to_bits(), "{halves}/2 as binary64");
        }
        // binary16: 1.5 is 0x3e00, 63.5 is 0x53f0.
        assert_eq!(small(3, 15, 10), 0x3e00);
        assert_eq!(small(127, 15, 10), 0x53f0);
    }

    #[test]
    fn values_fit_their_width() {
        let widths = [
            (Value::I16, 16),
            (Value::I32, 32),
            (Value::Amount, 32),
            (Value::F16, 16),
            (Value::F32, 32),
            (Value::Truth, 1),
        ];
        for seed in 0..2000_u32 {
            let bytes: Vec<u8> =
                (0..32).map(|i| (seed.wrapping_mul(2_654_435_761) >> (i % 24)) as u8 ^ i as u8).collect();
            for (value, width) in widths {
                let drawn = draw(&mut Unstructured::new(&bytes), value).unwrap();
                assert!(drawn <= ones(width), "{value:?} gave {drawn:#x}");
            }
            assert_ne!(draw(&mut Unstructured::new(&bytes), Value::Divisor32).unwrap(), 0);
        }
    }
}

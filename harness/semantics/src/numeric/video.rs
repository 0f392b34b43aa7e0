//! Video instructions: an operation on parts of two words, then a limit, then a second operation with a third word. The rules are
//! those of the PTX manual's pseudocode for the instruction of the same name, to which ptxas maps one to one; no description of the
//! machine instruction says more. So the machine code of a video instruction is a witness of its encoding alone.

/// What is read of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Position of its lowest bit.
    pub low: u32,
    /// Its number of bits: 8, 16 or 32.
    pub width: u32,
    /// Whether its highest bit is a sign.
    pub signed: bool,
}

impl Part {
    /// The part of a word, as a number.
    #[inline]
    pub fn of(self, word: u32) -> i64 {
        let above = 64 - self.width;
        let raised = u64::from(word >> self.low) << above;
        if self.signed { raised as i64 >> above } else { (raised >> above) as i64 }
    }

    /// The bits of the word that it reads.
    pub fn bits(self) -> u64 {
        (u64::MAX >> (64 - self.width)) << self.low
    }
}

/// The second operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// The result goes into these bits of the third word: the lowest, and how many.
    Merge(u32, u32),
    /// The sum with the third word.
    Add,
    /// The lesser of both.
    Min,
    /// The greater of both.
    Max,
    /// None: the third word is not read.
    None,
}

impl Second {
    /// The value of the field: `MRG_16H`, `MRG_16L`, `MRG_8B0`, `MRG_8B2`, `ACC`, `MIN`, `MAX`, none.
    pub fn of(field: u8) -> Second {
        match field {
            0 => Second::Merge(16, 16),
            1 => Second::Merge(0, 16),
            2 => Second::Merge(0, 8),
            3 => Second::Merge(16, 8),
            4 => Second::Add,
            5 => Second::Min,
            6 => Second::Max,
            _ => Second::None,
        }
    }

    /// The number of bits of the first result that count.
    fn width(self) -> u32 {
        match self {
            Second::Merge(_, width) => width,
            _ => 32,
        }
    }
}

/// What follows the first operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Whether the result is a signed number: it says what the limits are, and which of two is the lesser.
    pub signed: bool,
    /// Whether it is limited to what its bits can hold.
    pub limited: bool,
    /// What follows.
    pub second: Second,
}

impl Ending {
    /// The word that becomes of an exact result and the third word.
    #[inline]
    pub fn of(self, exact: i64, c: u32) -> u32 {
        let result = if self.limited { limit(exact, self.signed, self.second.width()) } else { exact } as u32;
        match self.second {
            Second::Merge(low, width) => {
                let mask = ((1u32 << width) - 1) << low;
                c & !mask | result << low & mask
            }
            Second::Add => result.wrapping_add(c),
            Second::Min if self.signed => (result as i32).min(c as i32) as u32,
            Second::Min => result.min(c),
            Second::Max if self.signed => (result as i32).max(c as i32) as u32,
            Second::Max => result.max(c),
            Second::None => result,
        }
    }
}

/// A number limited to so many bits.
#[inline]
pub fn limit(exact: i64, signed: bool, width: u32) -> i64 {
    match signed {
        true => exact.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => exact.clamp(0, (1 << width) - 1),
    }
}

/// `VSHL`, `VSHR`: the exact result. The amount is modulo 32, or at most 32.
#[inline]
pub fn shift(a: i64, amount: u32, left: bool, wraps: bool) -> i64 {
    let amount = if wraps { amount & 31 } else { amount.min(32) };
    // What 64 bits do not hold was moved by 32: its lower word is zero, and it is beyond all limits.
    if left {
        a.checked_mul(1 << amount).unwrap_or(if a < 0 { i64::MIN } else { i64::MAX & !0xFFFF_FFFF })
    } else {
        a >> amount
    }
}

/// A constant that ptxas puts into a machine word, as the word has it; `None` of one that goes to a register. The field has 16 bits. ptxas 12.9
/// asks whether the constant is a number of 16 bits by the sign of the *result*, and the word extends it by the sign of the *source*: -4096 as
/// an unsigned source of a signed result becomes 0xf000, and 40000 as a signed source of an unsigned result -25536.
pub fn constant_in_word(constant: u32, result_signed: bool, source_signed: bool) -> Option<u32> {
    let fits = match result_signed {
        true => i16::try_from(constant as i32).is_ok(),
        false => u16::try_from(constant).is_ok(),
    };
    let half = constant as u16;
    fits.then(|| if source_signed { half as i16 as i32 as u32 } else { u32::from(half) })
}

/// What `VMAD` does with its product and its summand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaled {
    /// Whether the product is negated.
    pub negated_product: bool,
    /// Whether the summand is.
    pub negated_summand: bool,
    /// Whether 1 is added.
    pub plus_one: bool,
    /// By how many bits the sum is shifted right: 0, 7 or 15.
    pub scale: u32,
    /// Whether the result is limited to a word.
    pub limited: bool,
}

/// `VMAD`: the summand and the result are signed where a factor is or anything is negated.
#[inline]
pub fn multiply_add(a: i64, b: i64, c: u32, either_signed: bool, how: Scaled) -> u32 {
    let signed = either_signed || how.negated_product || how.negated_summand;
    let product = i128::from(a) * i128::from(b);
    let product = if how.negated_product { -product } else { product };
    let c = if signed { i128::from(c as i32) } else { i128::from(c) };
    let c = if how.negated_summand { -c } else { c };
    let sum = (product + c + i128::from(how.plus_one)) >> how.scale;
    if !how.limited {
        return sum as u32;
    }
    let (least, most) = if signed { (i32::MIN.into(), i32::MAX.into()) } else { (0, u32::MAX.into()) };
    sum.clamp(least, most) as u32
}

/// How `VABSDIFF4` takes bytes and what it makes of their differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteDifferences {
    /// Whether the bytes of each source are signed.
    pub signed: [bool; 2],
    /// Whether the range of a limited difference is that of a signed byte.
    pub signed_result: bool,
    /// Whether differences are limited.
    pub limited: bool,
    /// Whether they are all added to the third source; otherwise each is put in its place.
    pub summed: bool,
}

/// The absolute differences of all four bytes, each in its place without what goes beyond a byte, or all of them added to `c`.
/// "|a-b| exact", as `vabsdiff4` of PTX is compiled to it one to one.
pub fn byte_differences(a: u32, b: u32, c: u32, how: ByteDifferences) -> u32 {
    let byte = |word: u32, n: u32, signed: bool| match (word >> (8 * n)) as u8 {
        byte if signed => i32::from(byte as i8),
        byte => i32::from(byte),
    };
    let greatest = if how.signed_result { 0x7F } else { 0xFF };
    let differences = (0..4).map(|n| {
        let difference = byte(a, n, how.signed[0]).abs_diff(byte(b, n, how.signed[1]));
        if how.limited { difference.min(greatest) } else { difference }
    });
    match how.summed {
        true => differences.fold(c, u32::wrapping_add),
        false => differences.zip(0..).fold(0, |all, (difference, n)| all | (difference & 0xFF) << (8 * n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: Part = Part { low: 0, width: 32, signed: true };

    #[test]
    fn parts_are_extended_by_their_own_type() {
        let byte = |low, signed| Part { low, width: 8, signed };
        assert_eq!(byte(8, true).of(0x0000_8100), -127);
        assert_eq!(byte(8, false).of(0x0000_8100), 129);
        assert_eq!(byte(24, true).of(0xff00_0000), -1);
        assert_eq!(Part { low: 16, width: 16, signed: true }.of(0x8000_1234), -0x8000);
        assert_eq!(WORD.of(0x8000_0000), -0x8000_0000);
        assert_eq!(Part { signed: false, ..WORD }.of(0x8000_0000), 0x8000_0000);
        assert_eq!(byte(16, true).bits(), 0x00ff_0000);
    }

    #[test]
    fn results_are_limited_to_what_the_second_operation_takes() {
        let ending = |signed, limited, second| Ending { signed, limited, second };
        // 0x7fffffff + 1, and -1 as an unsigned number.
        assert_eq!(ending(true, true, Second::None).of(1 << 31, 0), 0x7fff_ffff);
        assert_eq!(ending(false, true, Second::None).of(-1, 0), 0);
        assert_eq!(ending(false, false, Second::None).of(-1, 0), 0xffff_ffff);
        assert_eq!(ending(false, true, Second::Merge(16, 8)).of(300, 0x1122_3344), 0x11ff_3344);
        assert_eq!(ending(true, true, Second::Merge(0, 8)).of(-300, 0x1122_3344), 0x1122_3380);
        assert_eq!(ending(true, false, Second::Merge(16, 16)).of(0x1_2345, 0xaaaa_bbbb), 0x2345_bbbb);
        assert_eq!(ending(true, false, Second::Merge(0, 16)).of(0x1_2345, 0xaaaa_bbbb), 0xaaaa_2345);
    }

    #[test]
    fn second_operations() {
        let ending = |signed, second| Ending { signed, limited: false, second };
        assert_eq!(ending(true, Second::Add).of(5, 0xffff_ffff), 4);
        assert_eq!(ending(true, Second::Min).of(5, 0xffff_ffff), 0xffff_ffff);
        assert_eq!(ending(false, Second::Min).of(5, 0xffff_ffff), 5);
        assert_eq!(ending(true, Second::Max).of(5, 0xffff_ffff), 5);
        assert_eq!(ending(false, Second::Max).of(5, 0xffff_ffff), 0xffff_ffff);
    }

    #[test]
    fn shifts_are_exact() {
        assert_eq!(shift(-1, 4, true, false), -16);
        assert_eq!(shift(1, 33, true, false), 1 << 32);
        assert_eq!(shift(1, 33, true, true), 2);
        assert_eq!(shift(-0x8000_0000, 99, false, false), -1);
        assert_eq!(shift(0xffff_ffff, 32, false, false), 0);
        assert_eq!(shift(0x8000_0000, 32, true, false) as u32, 0, "the lower word is zero");
        assert!(shift(0xffff_ffff, 32, true, false) > 1 << 62, "beyond all limits");
        assert_eq!(shift(-0x8000_0000, 32, true, false), i64::MIN);
    }

    #[test]
    fn products_are_summed_scaled_and_limited() {
        let plain = Scaled {
            negated_product: false,
            negated_summand: false,
            plus_one: false,
            scale: 0,
            limited: false,
        };
        assert_eq!(multiply_add(3, -5, 7, true, plain), 8u32.wrapping_neg());
        assert_eq!(
            multiply_add(3, 5, 7, false, Scaled { negated_product: true, ..plain }),
            8u32.wrapping_neg()
        );
        assert_eq!(multiply_add(3, 5, 7, false, Scaled { negated_summand: true, ..plain }), 8);
        assert_eq!(multiply_add(3, 5, 7, false, Scaled { plus_one: true, ..plain }), 23);
        // (0xffffffff * 0xffffffff) >> 15, unsigned: 0xfffffffe00000001 >> 15 is 0x1fffffffc0000, limited to all ones.
        let scaled = Scaled { scale: 15, ..plain };
        assert_eq!(multiply_add(0xffff_ffff, 0xffff_ffff, 0, false, scaled), 0xfffc_0000);
        assert_eq!(
            multiply_add(0xffff_ffff, 0xffff_ffff, 0, false, Scaled { limited: true, ..scaled }),
            u32::MAX
        );
        // -1 >> 7 stays -1: signed, because a factor is. The summand is signed then, too.
        assert_eq!(multiply_add(-1, 1, 0, true, Scaled { scale: 7, ..plain }), u32::MAX);
        assert_eq!(multiply_add(0, 0, 0xffff_ffff, false, Scaled { scale: 7, ..plain }), 0x01ff_ffff);
        assert_eq!(multiply_add(0, 0, 0xffff_ffff, true, Scaled { scale: 7, ..plain }), u32::MAX);
        assert_eq!(multiply_add(-2, 0x4000_0001, 0, true, Scaled { limited: true, ..plain }), 0x8000_0000);
    }

    #[test]
    fn differences_of_bytes() {
        // |1 - 4|, |0xff - 0|, |0 - 0x80|, |7 - 7|
        let plain = ByteDifferences::default();
        let summed = ByteDifferences { summed: true, ..plain };
        assert_eq!(byte_differences(0x0700_ff01, 0x0780_0004, 9, plain), 0x0080_ff03);
        assert_eq!(byte_differences(0x0700_ff01, 0x0780_0004, 9, summed), 3 + 255 + 128 + 9);
    }

    /// The bytes are 05, ff, 7f, 80 and fa, 01, 80, 7f from the lowest on: 5, -1, 127, -128 and -6, 1, -128, 127 where they are signed.
    #[test]
    fn differences_of_signed_bytes() {
        let of = |signed| {
            byte_differences(0x807f_ff05, 0x7f80_01fa, 0, ByteDifferences { signed, ..Default::default() })
        };
        assert_eq!(of([true, true]), 0xffff_020b);
        assert_eq!(of([false, false]), 0x0101_fef5);
        assert_eq!(of([true, false]), 0xff01_02f5);
        assert_eq!(of([false, true]), 0x01ff_fe0b);
        // -128 and 255 are 383 apart, which is no byte: 0x17f.
        let far = ByteDifferences { signed: [true, false], ..Default::default() };
        assert_eq!(byte_differences(0x80, 0xff, 0, far), 0x7f);
        let limited = ByteDifferences { limited: true, ..far };
        assert_eq!(byte_differences(0x80, 0xff, 0, limited), 0xff);
        assert_eq!(byte_differences(0x80, 0xff, 0, ByteDifferences { signed_result: true, ..limited }), 0x7f);
        assert_eq!(byte_differences(0x80, 0xff, 7, ByteDifferences { summed: true, ..far }), 390);
    }
}

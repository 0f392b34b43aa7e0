//! Bits of words: fields, counts, permutations of bytes, funnel shifts.
//!
//! Functions that only move bits also say which bits of a result are undefined: applied to the undefined bits of their sources.

/// `BFE`: position in bits 7:0 of `field`, length in bits 15:8. Bits beyond the word read as zeros, or as its sign; a signed result is
/// filled with the bit at the end of the field, or the highest bit where the field ends beyond.
#[inline]
pub fn extract(a: u32, field: u32, signed: bool) -> u32 {
    let (position, length) = (field & 0xff, field >> 8 & 0xff);
    if length == 0 {
        return 0;
    }
    let wide = if signed { i64::from(a as i32) } else { i64::from(a) };
    let from = wide >> position.min(63);
    if length >= 32 {
        return from as u32;
    }
    // The sign is the last bit of the field, and of one that ends beyond the word the word's own: `wide` has it there.
    let above = 64 - length;
    if signed { (from << above >> above) as u32 } else { (from as u64 & ((1 << length) - 1)) as u32 }
}

/// `BFI`: the low bits of `a` in `c`, where `field` says as of [`extract`]; bits beyond the word are dropped.
#[inline]
pub fn insert(a: u32, field: u32, c: u32) -> u32 {
    let (position, length) = (field & 0xff, field >> 8 & 0xff);
    if position >= 32 {
        return c;
    }
    let ones = if length >= 32 { u64::MAX } else { (1 << length) - 1 };
    let mask = (ones << position) as u32;
    c & !mask | (a << position) & mask
}

/// `FLO`: the number of the highest bit that differs from the sign, or with `.SH` how far left it would have to go; all ones where
/// there is none, with `.SH` as well.
#[inline]
pub fn find_leading(a: u32, signed: bool, as_shift: bool) -> u32 {
    let a = if signed && a >> 31 == 1 { !a } else { a };
    let number = (0..32).rev().find(|bit| a >> bit & 1 == 1);
    number.map_or(u32::MAX, |bit| if as_shift { 31 - bit } else { bit })
}

/// `LOP3.LUT`: bit `4a + 2b + c` of the table, for the bits at each position.
#[inline]
pub fn by_table(a: u32, b: u32, c: u32, table: u8) -> u32 {
    (0..8).filter(|row| table >> row & 1 == 1).fold(0, |result, row: u8| {
        let pick = |word: u32, bit: u8| if row & bit != 0 { word } else { !word };
        result | pick(a, 4) & pick(b, 2) & pick(c, 1)
    })
}

/// How `PRMT` chooses bytes: the value of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permutation {
    /// A nibble for each byte of the result: three bits of number, and one that takes the byte's sign instead.
    Nibbles,
    /// Four bytes upwards.
    Forward,
    /// Four bytes downwards, modulo 8.
    Backward,
    /// One byte four times.
    Byte,
    /// No byte below the chosen one.
    AtLeast,
    /// No byte above the chosen one.
    AtMost,
    /// One half twice.
    Half,
}

impl Permutation {
    /// The mode of the field's value.
    pub fn of(field: u8) -> Option<Permutation> {
        use Permutation as P;
        [P::Nibbles, P::Forward, P::Backward, P::Byte, P::AtLeast, P::AtMost, P::Half]
            .get(usize::from(field))
            .copied()
    }
}

/// The number of byte `index` of the result among the bytes of `{c, a}`, and whether its sign is taken.
#[inline]
fn chosen(selector: u32, mode: Permutation, index: u32) -> (u32, bool) {
    let n = selector & 3;
    match mode {
        Permutation::Nibbles => (selector >> (4 * index) & 7, selector >> (4 * index + 3) & 1 == 1),
        Permutation::Forward => (n + index, false),
        Permutation::Backward => (n.wrapping_sub(index) & 7, false),
        Permutation::Byte => (n, false),
        Permutation::AtLeast => (index.max(n), false),
        Permutation::AtMost => (index.min(n), false),
        Permutation::Half => (2 * (n & 1) + (index & 1), false),
    }
}

/// `PRMT`: bytes 0 to 3 are those of `a`, 4 to 7 those of `c`.
#[inline]
pub fn permute(a: u32, selector: u32, c: u32, mode: Permutation) -> u32 {
    let both = u64::from(c) << 32 | u64::from(a);
    (0..4).fold(0, |result, index| {
        let (number, takes_sign) = chosen(selector, mode, index);
        let byte = (both >> (8 * number)) as u8;
        let byte = if takes_sign { (byte as i8 >> 7) as u8 } else { byte };
        result | u32::from(byte) << (8 * index)
    })
}

/// The bits of the selector that decide byte `index` of the result.
#[inline]
pub fn deciding_bits(mode: Permutation, index: u32) -> u32 {
    match mode {
        Permutation::Nibbles => 0xf << (4 * index),
        Permutation::Half => 1,
        _ => 3,
    }
}

/// What the two words of `SHF` are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Funnel {
    /// A window over 64 bits that moves by at most 32.
    Word,
    /// An unsigned number of 64 bits.
    Unsigned,
    /// A signed number of 64 bits.
    Signed,
}

/// How far `SHF` shifts: the amount modulo the width, or limited to it.
#[inline]
pub fn funnel_amount(amount: u32, kind: Funnel, wraps: bool) -> u32 {
    let width = if kind == Funnel::Word { 32 } else { 64 };
    if wraps { amount & (width - 1) } else { amount.min(width) }
}

/// `SHF.L`: the upper word of `{high, low}` shifted left.
#[inline]
pub fn funnel_left(low: u32, high: u32, amount: u32) -> u32 {
    let both = u128::from(high) << 32 | u128::from(low);
    (both << amount >> 32) as u32
}

/// `SHF.R`, and with `.HI` the upper word: `{high, low}` shifted right, with its sign where it is a signed number. ptxas makes
/// `shr.s64` a pair of these without a limit of its own.
#[inline]
pub fn funnel_right(low: u32, high: u32, amount: u32, kind: Funnel, upper: bool) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    let wide = if kind == Funnel::Signed { i128::from(both as i64) } else { i128::from(both) };
    let shifted = wide >> amount;
    if upper { (shifted >> 32) as u32 } else { shifted as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_extracted() {
        assert_eq!(extract(0x1234_5678, 0x0804, false), 0x67);
        assert_eq!(extract(0x1234_5678, 0x0404, true), 7);
        assert_eq!(extract(0x0000_0080, 0x0800, true), 0xffff_ff80);
        // Length 0 is 0; a field that ends beyond bit 31 has zeros, or the sign.
        assert_eq!(extract(0xffff_ffff, 0x0004, true), 0);
        assert_eq!(extract(0xf000_0000, 0x081c, false), 0xf);
        assert_eq!(extract(0xf000_0000, 0x081c, true), 0xffff_ffff);
        assert_eq!(extract(0x7000_0000, 0x081c, true), 7);
        // Positions of 32 and more: 0, or the sign.
        assert_eq!([extract(0x8000_0000, 0x0820, false), extract(0x8000_0000, 0x08ff, true)], [0, u32::MAX]);
        // Bits 31:16 of the field are not looked at, and lengths up to 255 take all.
        assert_eq!(extract(0x8765_4321, 0xffff_ff00, false), 0x8765_4321);
        assert_eq!(extract(0x8765_4321, 0x2000, true), 0x8765_4321);
    }

    #[test]
    fn fields_are_inserted() {
        assert_eq!(insert(0xab, 0x0808, 0x1122_3344), 0x1122_ab44);
        assert_eq!(insert(0xff, 0x081c, 0), 0xf000_0000);
        assert_eq!(insert(0xff, 0x0820, 0x55), 0x55);
        assert_eq!(insert(0xff, 0x0004, 0x55), 0x55);
        assert_eq!(insert(0x8765_4321, 0xff00, 0), 0x8765_4321);
    }

    #[test]
    fn leading_bits_are_found() {
        assert_eq!(
            [find_leading(0x0001_0000, false, false), find_leading(0x0001_0000, false, true)],
            [16, 15]
        );
        assert_eq!([find_leading(0, false, false), find_leading(0, false, true)], [u32::MAX; 2]);
        assert_eq!([find_leading(0xffff_fffe, true, false), find_leading(0xffff_fffe, true, true)], [0, 31]);
        assert_eq!(
            [find_leading(0xffff_ffff, true, false), find_leading(0xffff_ffff, true, true)],
            [u32::MAX; 2]
        );
    }

    #[test]
    fn a_table_combines_three_words() {
        let (a, b, c) = (0xffff_0000, 0xff00_ff00, 0xf0f0_f0f0);
        // 0xf2: a | (!b & c); 0x96: the parity; 0xca: a ? b : c; 0x01: none of them.
        assert_eq!(by_table(a, b, c, 0xf2), a | !b & c);
        assert_eq!(by_table(a, b, c, 0x96), a ^ b ^ c);
        assert_eq!(by_table(a, b, c, 0xca), a & b | !a & c);
        assert_eq!(by_table(a, b, c, 0x01), !(a | b | c));
    }

    #[test]
    fn bytes_are_chosen() {
        let permute = |selector, mode| permute(0x3322_1100, selector, 0x7766_5584, mode);
        assert_eq!(permute(0x7531, Permutation::Nibbles), 0x7755_3311);
        assert_eq!(permute(0xc4b0, Permutation::Nibbles), 0xff84_0000, "byte 4 is 0x84, byte 3 is 0x33");
        let rows = [
            (Permutation::Forward, [0x3322_1100, 0x8433_2211, 0x5584_3322, 0x6655_8433]),
            (Permutation::Backward, [0x5566_7700, 0x6677_0011, 0x7700_1122, 0x0011_2233]),
            (Permutation::Byte, [0, 0x1111_1111, 0x2222_2222, 0x3333_3333]),
            (Permutation::AtLeast, [0x3322_1100, 0x3322_1111, 0x3322_2222, 0x3333_3333]),
            (Permutation::AtMost, [0, 0x1111_1100, 0x2222_1100, 0x3322_1100]),
            (Permutation::Half, [0x1100_1100, 0x3322_3322, 0x1100_1100, 0x3322_3322]),
        ];
        for (mode, results) in rows {
            for (selector, result) in (0..).zip(results) {
                assert_eq!(permute(selector | 0xffff_fffc, mode), result, "{mode:?} {selector}");
            }
        }
    }

    #[test]
    fn funnels_shift() {
        let (low, high) = (0x89ab_cdef, 0xf123_4567);
        assert_eq!(funnel_left(low, high, 4), 0x1234_5678);
        assert_eq!(funnel_left(low, high, 32), low);
        assert_eq!([funnel_left(low, high, 40), funnel_left(low, high, 64)], [0xabcd_ef00, 0]);
        let right = |amount, kind| [false, true].map(|upper| funnel_right(low, high, amount, kind, upper));
        assert_eq!(right(4, Funnel::Word), [0x789a_bcde, 0x0f12_3456]);
        assert_eq!(right(4, Funnel::Signed), [0x789a_bcde, 0xff12_3456]);
        assert_eq!(right(32, Funnel::Word), [high, 0]);
        assert_eq!(right(40, Funnel::Unsigned), [0x00f1_2345, 0]);
        assert_eq!(right(40, Funnel::Signed), [0xfff1_2345, 0xffff_ffff]);
        assert_eq!(right(64, Funnel::Unsigned), [0, 0]);
        assert_eq!(right(64, Funnel::Signed), [u32::MAX; 2]);
        assert_eq!(funnel_amount(33, Funnel::Word, true), 1);
        assert_eq!(funnel_amount(33, Funnel::Word, false), 32);
        assert_eq!(funnel_amount(65, Funnel::Unsigned, true), 1);
        assert_eq!(funnel_amount(65, Funnel::Signed, false), 64);
    }
}

//! What `XMAD` computes: a product of halves, and a sum, in all lanes at once; and which bits of it are defined.

use crate::definedness::{self, Bits};

/// All bits of a word.
const WORD: u64 = 0xFFFF_FFFF;

/// What an `XMAD` takes of its operands, in bits of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct XmadMode(pub u32);

impl XmadMode {
    /// The upper half of the first and of the second factor, instead of the lower one.
    pub const UPPER: [u32; 2] = [1 << 0, 1 << 1];
    /// Whether they are signed.
    pub const SIGNED: [u32; 2] = [1 << 2, 1 << 3];
    /// `.PSL`: the product is shifted left by 16.
    pub const RAISED: u32 = 1 << 4;
    /// `.CLO`: the lower half of the summand.
    pub const SUMMAND_LOWER: u32 = 1 << 5;
    /// `.CHI`: its upper half.
    pub const SUMMAND_UPPER: u32 = 1 << 6;
    /// `.CBCC`: the second factor, shifted left by 16, is added as well.
    pub const WITH_FACTOR: u32 = 1 << 7;
    /// `.MRG`: the upper half of the result is the lower one of the second factor.
    pub const MERGED: u32 = 1 << 8;

    /// The product of the lower halves: the first of the three with which ptxas makes a product of words.
    pub const LOWER: XmadMode = XmadMode(0);
    /// The second of them, which crosses the halves.
    pub const CROSSING: XmadMode = XmadMode(Self::UPPER[1] | Self::MERGED);
    /// The third, which joins them.
    pub const JOINING: XmadMode =
        XmadMode(Self::UPPER[0] | Self::UPPER[1] | Self::RAISED | Self::WITH_FACTOR);

    const fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    /// The half of a factor, extended to a word.
    #[inline(always)]
    fn half(self, n: usize, word: u32) -> u32 {
        let half = word >> if self.has(Self::UPPER[n]) { 16 } else { 0 };
        if self.has(Self::SIGNED[n]) { half as i16 as u32 } else { half & 0xFFFF }
    }

    /// One lane.
    #[inline(always)]
    pub fn value(self, a: u32, b: u32, c: u32) -> u32 {
        let product = self.half(0, a).wrapping_mul(self.half(1, b));
        let product = product << if self.has(Self::RAISED) { 16 } else { 0 };
        let c = match () {
            () if self.has(Self::SUMMAND_LOWER) => c & 0xFFFF,
            () if self.has(Self::SUMMAND_UPPER) => c >> 16,
            () if self.has(Self::WITH_FACTOR) => c.wrapping_add(b << 16),
            () => c,
        };
        let sum = product.wrapping_add(c);
        if self.has(Self::MERGED) { sum & 0xFFFF | b << 16 } else { sum }
    }

    /// The defined bits of a result, by the rules of the operations that it is made of.
    pub fn rule(self, v: &[Bits; 4]) -> u64 {
        let [a, b, c, _] = *v;
        let (sixteen, low) = (Bits::known(16), Bits::known(0xFFFF));
        let half = |n: usize, of: Bits| match (self.has(Self::UPPER[n]), self.has(Self::SIGNED[n])) {
            (true, true) => word(sign_extended(upper(of.value)), definedness::shr_signed(of, sixteen, 32)),
            (true, false) => word(upper(of.value), definedness::shr_unsigned(of, sixteen, 32)),
            (false, false) => word(of.value as u32 & 0xFFFF, definedness::and(of, low)),
            (false, true) => {
                let raised = raised(of);
                let value = sign_extended(upper(raised.value));
                word(value, definedness::shr_signed(raised, sixteen, 32))
            }
        };
        let (first, second) = (half(0, a), half(1, b));
        let value = (first.value as u32).wrapping_mul(second.value as u32);
        let mut product = word(value, definedness::mul_lo(first, second, 32));
        if self.has(Self::RAISED) {
            product = raised(product);
        }
        let c = match () {
            () if self.has(Self::SUMMAND_LOWER) => word(c.value as u32 & 0xFFFF, definedness::and(c, low)),
            () if self.has(Self::SUMMAND_UPPER) => {
                word(upper(c.value), definedness::shr_unsigned(c, sixteen, 32))
            }
            () if self.has(Self::WITH_FACTOR) => sum(c, raised(b)),
            () => c,
        };
        if self.has(Self::MERGED) {
            let sum = sum(product, c);
            let sum = word(sum.value as u32 & 0xFFFF, definedness::and(sum, low));
            return definedness::or(sum, raised(b));
        }
        // A raised product and the lower half of the summand have no bits in common: ptxas joins halves so, and one of them may be
        // undefined.
        match self.has(Self::RAISED) && self.has(Self::SUMMAND_LOWER) {
            true => definedness::or(product, c),
            false => definedness::add(product, c, 32),
        }
    }
}

/// A word with its defined bits.
fn word(value: u32, defined: u64) -> Bits {
    Bits { value: value.into(), defined: defined | !WORD }
}

fn upper(value: u64) -> u32 {
    value as u32 >> 16
}

fn sign_extended(half: u32) -> u32 {
    half as i16 as u32
}

fn raised(of: Bits) -> Bits {
    word((of.value as u32) << 16, definedness::shl(of, Bits::known(16), 32))
}

fn sum(a: Bits, b: Bits) -> Bits {
    word((a.value as u32).wrapping_add(b.value as u32), definedness::add(a, b, 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reproducible sequence (xorshift64, Marsaglia 2003).
    fn random() -> impl FnMut() -> u32 {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 16) as u32
        }
    }

    /// Every mode that an instruction can have: at most one treatment of the summand.
    fn modes() -> impl Iterator<Item = XmadMode> {
        let summands = [0, XmadMode::SUMMAND_LOWER, XmadMode::SUMMAND_UPPER, XmadMode::WITH_FACTOR];
        let merged = [0, XmadMode::MERGED];
        (0..32).flat_map(move |low| {
            summands
                .into_iter()
                .flat_map(move |summand| merged.map(|merged| XmadMode(low | summand | merged)))
        })
    }

    /// Undefined bits of the operands change no defined bit of the result.
    #[test]
    fn defined_bits_do_not_depend_on_undefined_ones() {
        let mut random = random();
        for mode in modes() {
            for round in 0..256 {
                let values = [(); 3].map(|()| random());
                let others = [(); 3].map(|()| random());
                // Few undefined bits leave more of a product defined than many.
                let few = if round % 2 == 0 { random() & random() & random() } else { u32::MAX };
                let defined = [(); 3].map(|()| random() | !few);
                let v = [0, 1, 2].map(|n| word(values[n], defined[n].into()));
                let known = mode.rule(&[v[0], v[1], v[2], Bits::known(0)]) as u32;
                let other = [0, 1, 2].map(|n| values[n] & defined[n] | others[n] & !defined[n]);
                let of = |operands: [u32; 3]| mode.value(operands[0], operands[1], operands[2]);
                assert_eq!((of(values) ^ of(other)) & known, 0, "{mode:?} of {values:x?} and {other:x?}");
            }
        }
    }

    /// A product of words as ptxas makes it of three.
    #[test]
    fn three_make_a_product_of_words() {
        let mut random = random();
        for _ in 0..4096 {
            let [a, b, c] = [(); 3].map(|()| random());
            let low = XmadMode::LOWER.value(a, b, c);
            let crossing = XmadMode::CROSSING.value(a, b, 0);
            assert_eq!(XmadMode::JOINING.value(a, crossing, low), a.wrapping_mul(b).wrapping_add(c));
        }
    }
}

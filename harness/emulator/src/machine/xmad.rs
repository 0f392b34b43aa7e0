//! What `XMAD` computes: a product of halves, and a sum, in all lanes at once; and which bits of it are defined.

use warpdiff_semantics::definedness::{self, Bits};

/// All bits of a word.
const WORD: u64 = 0xFFFF_FFFF;

/// What an `XMAD` takes of its operands, in bits of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct XmadMode(pub(crate) u32);

impl XmadMode {
    /// The upper half of the first and of the second factor, instead of the lower one.
    pub(crate) const UPPER: [u32; 2] = [1 << 0, 1 << 1];
    /// Whether they are signed.
    pub(crate) const SIGNED: [u32; 2] = [1 << 2, 1 << 3];
    /// `.PSL`: the product is shifted left by 16.
    pub(crate) const RAISED: u32 = 1 << 4;
    /// `.CLO`, `.CHI`: a half of the summand. `.CBCC`: the second factor, shifted left by 16, is added as well.
    pub(crate) const SUMMAND_LOWER: u32 = 1 << 5;
    pub(crate) const SUMMAND_UPPER: u32 = 1 << 6;
    pub(crate) const WITH_FACTOR: u32 = 1 << 7;
    /// `.MRG`: the upper half of the result is the lower one of the second factor.
    pub(crate) const MERGED: u32 = 1 << 8;

    /// The product of the lower halves, and the two modes with which ptxas makes a product of words of three: it crosses the halves, then
    /// joins.
    pub(super) const LOWER: XmadMode = XmadMode(0);
    pub(super) const CROSSING: XmadMode = XmadMode(Self::UPPER[1] | Self::MERGED);
    pub(super) const JOINING: XmadMode =
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
    pub(super) fn value(self, a: u32, b: u32, c: u32) -> u32 {
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
    pub(super) fn rule(self, v: &[Bits; 4]) -> u64 {
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
    use proptest::prelude::*;

    use super::*;

    /// Every mode that an instruction can have: at most one treatment of the summand.
    fn modes() -> impl Strategy<Value = XmadMode> {
        let summand = prop_oneof![
            Just(0),
            Just(XmadMode::SUMMAND_LOWER),
            Just(XmadMode::SUMMAND_UPPER),
            Just(XmadMode::WITH_FACTOR),
        ];
        (0u32..32, summand, any::<bool>()).prop_map(|(low, summand, merged)| {
            XmadMode(low | summand | if merged { XmadMode::MERGED } else { 0 })
        })
    }

    proptest! {
        /// Undefined bits of the operands change no defined bit of the result.
        #[test]
        fn defined_bits_do_not_depend_on_undefined_ones(
            mode in modes(),
            values: [u32; 3],
            others: [u32; 3],
            defined: [u32; 3],
        ) {
            let v = [0, 1, 2].map(|n| word(values[n], defined[n].into()));
            let known = mode.rule(&[v[0], v[1], v[2], Bits::known(0)]) as u32;
            let other = [0, 1, 2].map(|n| values[n] & defined[n] | others[n] & !defined[n]);
            let (one, two) = (mode.value(values[0], values[1], values[2]), mode.value(other[0], other[1], other[2]));
            prop_assert_eq!((one ^ two) & known, 0);
        }

        /// A product of words as ptxas makes it of three.
        #[test]
        fn three_make_a_product_of_words(a: u32, b: u32, c: u32) {
            let low = XmadMode::LOWER.value(a, b, c);
            let crossing = XmadMode::CROSSING.value(a, b, 0);
            prop_assert_eq!(XmadMode::JOINING.value(a, crossing, low), a.wrapping_mul(b).wrapping_add(c));
        }
    }
}

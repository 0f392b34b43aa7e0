//! Products: `IMUL`, `IMUL32I`, `IMAD`, `XMAD`.

use warpdiff_sass::Mark;
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::spa::product;

use super::super::{Decode, all_or_nothing};
use super::codes::CarryIn;
use super::{Spa, WORD};
use crate::operation::{Class, Code, Slot};
use warpdiff_semantics::xmad::XmadMode;

impl Spa<'_> {
    /// "IMUL": the lower word of a product, or with `.HI` the upper one, for which each factor is signed or not.
    pub(super) fn product(&mut self) -> Decode {
        let (a, b) = (self.source(1)?, self.source(2)?);
        let d = self.result()?;
        self.word_of_product(d, [a, b])?;
        self.finish(d)
    }

    /// Which factors are signed, by how it is written.
    fn signed_factors(&self) -> Decode<[bool; 2]> {
        match self.instruction().modifier_name("signedness of the factors") {
            Some("U32.U32") => Ok([false; 2]),
            Some("S32.U32") => Ok([true, false]),
            Some("U32.S32") => Ok([false, true]),
            Some("") => Ok([true; 2]),
            _ => Err(self.unsupported()),
        }
    }

    /// Writes the lower or the upper word of a product to `d`.
    fn word_of_product(&mut self, d: Slot, [a, b]: [Slot; 2]) -> Decode {
        if self.modifier("part of the product") == 0 {
            self.d.emit(Code::MulN, d.index, [a.index, b.index, 0], 0);
            return Ok(());
        }
        let signed = self.signed_factors()?;
        self.d.lane(
            d,
            &[a, b],
            move |v| u64::from(product::upper_word(v[0] as u32, v[1] as u32, signed)),
            move |v, _| match signed {
                [true, true] | [false, false] => definedness::mul_hi(v[0], v[1], signed[0], 32),
                _ => all_or_nothing(v, [WORD, WORD, 0, 0], WORD),
            },
        );
        Ok(())
    }

    /// "IMAD": the lower word of a product, or with `.HI` the upper one, and a summand. Each of both can be negated; both at once are
    /// `.PO`, one more than the sum. `.SAT` limits the sum of `.HI` to a signed word (`mad.hi.sat.s32` is compiled to it). `.CC` and `.X`
    /// are those of a sum of the product's word and the summand (`mad.lo.cc` and `madc.hi` are). With `.CC` what is negated is inverted and 1
    /// added, as by `IADD`: ptxas 12.9 compiles `sub.cc` of a product to it.
    pub(super) fn product_and_sum(&mut self) -> Decode {
        self.only(&[
            "signedness of the factors",
            "part of the product",
            "saturation",
            "extension",
            "increment",
        ])?;
        let (a, b, c) = (self.unmarked(1)?, self.unmarked(2)?, self.unmarked(3)?);
        let negated = [1, 3].map(|n| self.marks(n).has(Mark::Negated));
        let plus_one = self.instruction().modifier("increment").is_some();
        let upper = self.modifier("part of the product") != 0;
        let extended = self.modifier("extension") != 0;
        let (keeps, d) = (self.has_codes()?, self.written_register()?);
        let word = self.d.temporary(Class::Narrow);
        self.word_of_product(word, [a, b])?;
        if negated[0] && upper {
            // yuzu has no such form; Ryujinx negates a factor, nouveau's name for the bit is that of the product.
            return Err(self.unsupported_because("the upper word of a negated product"));
        }
        let special = extended || keeps;
        if extended && (negated != [false; 2] || plus_one) {
            return Err(self.unsupported_because("a difference with a carry"));
        }
        if self.modifier("saturation") != 0 {
            return match (special || plus_one || negated != [false; 2], upper) {
                (false, true) => self.limited_product_and_sum(d, word, c),
                _ => Err(self.unsupported_because("a limited sum of this kind")),
            };
        }
        match negated {
            _ if extended => self.sum_with_codes(d, [word, c], CarryIn::Code, keeps),
            _ if special || plus_one => self.difference_with_codes(d, [word, c], negated, plus_one, keeps),
            [true, _] => self.d.emit(Code::SubN, d.index, [c.index, word.index, 0], 0),
            [_, true] => self.d.emit(Code::SubN, d.index, [word.index, c.index, 0], 0),
            _ => self.d.emit(Code::AddN, d.index, [word.index, c.index, 0], 0),
        }
        Ok(())
    }

    fn limited_product_and_sum(&mut self, d: Slot, word: Slot, c: Slot) -> Decode {
        if self.signed_factors()? != [true; 2] {
            return Err(self.unsupported_because("a limited sum of factors without a sign"));
        }
        let signed = |word: u64| i64::from(word as u32 as i32);
        self.d.lane(
            d,
            &[word, c],
            move |v| u64::from(product::limited(signed(v[0]) + signed(v[1]))),
            |v, _| definedness::add_sat(v[0], v[1]),
        );
        Ok(())
    }

    /// "XMAD": a product of 16-bit halves, shifted by 16 with `.PSL`, plus `Rc` or a part of it (`.CLO`, `.CHI`), `Rc` and `Rb << 16`
    /// (`.CBCC`), or `Rc` with what signs take from it (`.CSFU`); with `.MRG` the upper half of the result is the lower one of `Rb`. A second
    /// factor that is a number is a half by itself.
    pub(super) fn multiply_add(&mut self) -> Decode {
        let known =
            ["signedness of the halves", "shift of the product", "treatment of the summand", "merging"];
        self.only(&known)?;
        let keeps = self.has_codes()?;
        let d = self.written_register()?;
        let signs = self.modifier("signedness of the halves");
        let (a, b) = (self.unmarked(1)?, self.unmarked(2)?);
        let mut mode = 0;
        let mut set = |bit: u32, is_set: bool| mode |= if is_set { bit } else { 0 };
        for n in 0..2 {
            set(XmadMode::UPPER[n], self.marks(n + 1).has(Mark::UpperHalf));
            set(XmadMode::SIGNED[n], signs >> n & 1 == 1);
        }
        set(XmadMode::RAISED, self.modifier("shift of the product") != 0);
        set(XmadMode::MERGED, self.modifier("merging") != 0);
        let mut c = self.source(3)?;
        if keeps {
            // Carries of the other forms no source describes. Of this one envytools has the carry of the product and the summand: ptxas
            // 12.9 compiles `mad.lo.cc` to it where one half of each factor is known to be all of it.
            if mode & (XmadMode::RAISED | XmadMode::MERGED) != 0
                || self.modifier("treatment of the summand") != 0
            {
                return Err(self.unsupported_because("the carry of a sum that is not plain"));
            }
            let (product, zero) = (self.d.temporary(Class::Narrow), self.d.constant(Class::Narrow, 0));
            self.d.emit(Code::XmadN, product.index, [a.index, b.index, zero.index], mode);
            self.sum_with_codes(d, [product, c], CarryIn::None, true);
            return Ok(());
        }
        match self.modifier("treatment of the summand") {
            0 => {}
            1 => set(XmadMode::SUMMAND_LOWER, true),
            2 => set(XmadMode::SUMMAND_UPPER, true),
            3 => c = self.signs_taken(c, signs)?,
            4 => set(XmadMode::WITH_FACTOR, true),
            _ => return Err(self.unsupported()),
        }
        self.d.emit(Code::XmadN, d.index, [a.index, b.index, c.index], mode);
        Ok(())
    }

    /// The summand of `.CSFU`. The rule is known of the one form that ptxas 12.9 emits.
    fn signs_taken(&mut self, c: Slot, signs: u8) -> Decode<Slot> {
        let halves = [1, 2].map(|n| self.marks(n).has(Mark::UpperHalf));
        let shifts = self.modifier("shift of the product") | self.modifier("merging");
        if halves != [true; 2] || signs != 3 || shifts != 0 {
            return Err(self.unsupported_because("`.CSFU` of other than two signed upper halves"));
        }
        let (a, b) = (self.unmarked(1)?, self.unmarked(2)?);
        let fixed = self.d.temporary(Class::Narrow);
        self.d.lane(
            fixed,
            &[a, b, c],
            |v| u64::from((v[2] as u32).wrapping_sub(product::sign_fix(v[0] as u32, v[1] as u32))),
            |v, _| {
                // What is taken is a multiple of 2^16.
                let taken = product::sign_fix(v[0].value as u32, v[1].value as u32);
                let known = all_or_nothing(v, [WORD, WORD, 0, 0], WORD) | 0xFFFF;
                definedness::sub(v[2], Bits { value: taken.into(), defined: known | !WORD }, 32)
            },
        );
        Ok(fixed)
    }

    /// The half of operand `n` that its mark names, extended to 32 bits.
    pub(super) fn half(&mut self, n: usize, signed: bool) -> Decode<Slot> {
        let value = self.unmarked(n)?;
        let sixteen = self.d.constant(Class::Narrow, 16);
        if self.marks(n).has(Mark::UpperHalf) {
            let right = if signed { Code::ShrSN } else { Code::ShrUN };
            return Ok(self.computed(right, [value.index, sixteen.index, 0]));
        }
        if !signed {
            let low = self.d.constant(Class::Narrow, 0xFFFF);
            return Ok(self.computed(Code::AndN, [value.index, low.index, 0]));
        }
        let raised = self.computed(Code::ShlN, [value.index, sixteen.index, 0]);
        Ok(self.computed(Code::ShrSN, [raised.index, sixteen.index, 0]))
    }
}

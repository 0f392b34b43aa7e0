//! Sums: `IADD`, `IADD32I`, `IADD3`, `ISCADD`, `ISCADD32I`, `LEA`.

use warpdiff_sass::Mark;
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::spa::{bits, product};

use super::super::{Decode, all_or_nothing};
use super::codes::CarryIn;
use super::{Spa, WORD};
use crate::operation::{Class, Code, Slot};

impl Spa<'_> {
    /// "IADD": with `.CC` the codes are kept, with `.X` C is added. A negated summand is inverted, and 1 added instead of the carry.
    /// Both negated are `.PO`, one more than the sum.
    pub(super) fn sum(&mut self) -> Decode {
        self.only(&["extension", "saturation"])?;
        let extended = self.modifier("extension") != 0;
        let keeps = self.has_codes()?;
        let plus_one = self.is_fixed("PO");
        if self.modifier("saturation") != 0 {
            if extended || keeps || plus_one {
                return Err(self.unsupported_because("a limited sum with a carry"));
            }
            return self.limited_sum();
        }
        if plus_one && extended {
            return Err(self.unsupported_because("both one and a carry"));
        }
        let (a, b) = (self.unmarked(1)?, self.unmarked(2)?);
        let negated = [1, 2].map(|n| self.marks(n).has(Mark::Negated));
        let d = self.written_register()?;
        if !extended && !keeps && !plus_one {
            let (code, sources) = match negated {
                [true, _] => (Code::SubN, [b.index, a.index, 0]),
                [_, true] => (Code::SubN, [a.index, b.index, 0]),
                _ => (Code::AddN, [a.index, b.index, 0]),
            };
            self.d.emit(code, d.index, sources, 0);
            return Ok(());
        }
        let carry = match (extended, plus_one || negated != [false; 2]) {
            (true, _) => CarryIn::Code,
            (_, true) => CarryIn::One,
            _ => CarryIn::None,
        };
        let summands = self.inverted([a, b], negated);
        self.sum_with_codes(d, summands, carry, keeps);
        Ok(())
    }

    /// "IADD.SAT": the exact sum or difference of signed words, limited to one (`add.sat.s32` and `sub.sat.s32` are compiled to it).
    fn limited_sum(&mut self) -> Decode {
        let (a, b) = (self.unmarked(1)?, self.unmarked(2)?);
        let signs = [1, 2].map(|n| if self.marks(n).has(Mark::Negated) { -1 } else { 1 });
        let d = self.written_register()?;
        let signed = |word: u64| i64::from(word as u32 as i32);
        self.d.lane(
            d,
            &[a, b],
            move |v| u64::from(product::limited(signs[0] * signed(v[0]) + signs[1] * signed(v[1]))),
            move |v, _| match signs {
                [-1, _] => definedness::sub_sat(v[1], v[0]),
                [_, -1] => definedness::sub_sat(v[0], v[1]),
                _ => definedness::add_sat(v[0], v[1]),
            },
        );
        Ok(())
    }

    /// "IADD3": with `.RS` only the upper part of the first sum counts, with `.LS` its lower half as an upper one. `.CC` keeps the codes,
    /// `.X` adds both carries of the `IADD3.CC` before. A negated summand is inverted there, and without `.X` 1 is added.
    pub(super) fn sum_of_three(&mut self) -> Decode {
        self.only(&["extension", "shift"])?;
        let extended = self.modifier("extension") != 0;
        let keeps = self.has_codes()?;
        let d = self.written_register()?;
        let shift = self.modifier("shift");
        if extended || keeps {
            return match shift {
                0 => self.sum_of_three_with_codes(d, extended, keeps),
                _ => Err(self.unsupported_because("the carry of a shifted sum")),
            };
        }
        let [a, b, c] = [self.half_or_whole(1)?, self.half_or_whole(2)?, self.half_or_whole(3)?];
        match shift {
            0 => {
                self.d.emit(Code::Add3N, d.index, [a.index, b.index, c.index], 0);
                Ok(())
            }
            1 if (1..=2).any(|n| self.marks(n).has(Mark::Negated)) => {
                Err(self.unsupported_because("the upper half of a difference"))
            }
            1 => {
                self.upper_half_sum(d, [a, b, c]);
                Ok(())
            }
            2 => {
                let sixteen = self.d.constant(Class::Narrow, 16);
                let first = self.computed(Code::AddN, [a.index, b.index, 0]);
                let first = self.computed(Code::ShlN, [first.index, sixteen.index, 0]);
                self.d.emit(Code::AddN, d.index, [first.index, c.index, 0], 0);
                Ok(())
            }
            _ => Err(self.unsupported()),
        }
    }

    /// `a + b`, and the sum of that and `c`, each with a carry of its own in and out.
    fn sum_of_three_with_codes(&mut self, d: Slot, extended: bool, keeps: bool) -> Decode {
        let negated = [1, 2, 3].map(|n| self.marks(n).has(Mark::Negated));
        let both = negated[0] && negated[1];
        if both && negated[2] {
            return Err(self.unsupported_because("the carry of three negated words"));
        }
        let mut summands = [d; 3];
        for (n, summand) in (1..).zip(&mut summands) {
            let value = self.part_of_summand(n)?;
            *summand = match negated[n - 1] {
                true => self.computed(Code::NotN, [value.index, 0, 0]),
                false => value,
            };
        }
        let [a, b, c] = summands;
        let carries = match extended {
            true => self.codes.carries,
            // Which addition adds the second 1 of two negated words does not matter to the sum, nor to the sum of the carries.
            false => [negated[0] || negated[1], negated[2] || both]
                .map(|one| self.d.constant(Class::Predicate, u64::from(one))),
        };
        let first = self.sum_and(a, b, carries[0]);
        let sum = self.sum_and(first, c, carries[1]);
        if keeps {
            let lost = self.carry_of([a, b, carries[0]]);
            let kept = self.carry_of([first, c, carries[1]]);
            let carry = self.single_carry([lost, kept], !both);
            self.keep_carry(sum, carry, extended);
            self.keep_two_carries([lost, kept]);
        }
        self.d.emit(Code::MovN, d.index, [sum.index, 0, 0], 0);
        Ok(())
    }

    /// C of a sum of three, which is a single bit. envytools and yuzu have it of the second addition, which is the carry of the whole sum
    /// only where the first gives none; elsewhere it is undefined.
    fn single_carry(&mut self, carries: [Slot; 2], is_known: bool) -> Slot {
        let carry = self.d.temporary(Class::Predicate);
        self.d.lane_partial(
            carry,
            &carries,
            |v| v[1] & 1,
            move |v, _| u64::from(is_known && v[0].is_known(1) && v[0].value & 1 == 0 && v[1].is_known(1)),
        );
        carry
    }

    fn upper_half_sum(&mut self, d: Slot, sources: [Slot; 3]) {
        self.d.lane(
            d,
            &sources,
            |v| u64::from(product::upper_half_sum(v[0] as u32, v[1] as u32, v[2] as u32)),
            |v, _| {
                // As a sum of 33 bits, and one of 32.
                let narrow = |bits: Bits| Bits { value: bits.value & WORD, defined: bits.defined | !WORD };
                let (a, b) = (narrow(v[0]), narrow(v[1]));
                let known = definedness::add(a, b, 33) | !0 << 33;
                let upper = Bits { value: (a.value + b.value) >> 16, defined: known >> 16 | !0 << 17 };
                definedness::add(upper, v[2], 32)
            },
        );
    }

    /// Operand `n`, or the half of it that is named, negated where it is marked so.
    fn half_or_whole(&mut self, n: usize) -> Decode<Slot> {
        let part = self.part_of_summand(n)?;
        if !self.marks(n).has(Mark::Negated) {
            return Ok(part);
        }
        let zero = self.d.constant(Class::Narrow, 0);
        Ok(self.computed(Code::SubN, [zero.index, part.index, 0]))
    }

    /// Operand `n`, or the half of it that is named, without its sign.
    fn part_of_summand(&mut self, n: usize) -> Decode<Slot> {
        let marks = self.marks(n);
        match marks.has(Mark::LowerHalf) || marks.has(Mark::UpperHalf) {
            true => self.half(n, false),
            false => self.unmarked(n),
        }
    }

    /// "ISCADD": `Rd = (Ra << count) + Rb`; `.PO` adds one more. With `.CC` a negated summand is inverted and 1 added, as by `IADD`: ptxas
    /// 12.9 compiles `sub.cc` of a shifted number to it.
    pub(super) fn scaled_sum(&mut self) -> Decode {
        let plus_one = self.is_fixed("PO");
        let (a, b, count) = (self.unmarked(1)?, self.unmarked(2)?, self.source(3)?);
        let negated = [1, 2].map(|n| self.marks(n).has(Mark::Negated));
        let (keeps, d) = (self.has_codes()?, self.written_register()?);
        if !keeps && !plus_one && negated == [false; 2] {
            self.d.emit(Code::ShlAddN, d.index, [a.index, count.index, b.index], 0);
            return Ok(());
        }
        let scaled = self.computed(Code::ShlN, [a.index, count.index, 0]);
        match negated {
            _ if keeps || plus_one => {
                self.difference_with_codes(d, [scaled, b], negated, plus_one, keeps);
            }
            [true, _] => self.d.emit(Code::SubN, d.index, [b.index, scaled.index, 0], 0),
            _ => self.d.emit(Code::SubN, d.index, [scaled.index, b.index, 0], 0),
        }
        Ok(())
    }

    /// Writes the sum of two words of which one may be negated: that is inverted, and 1 added. With `keeps` the codes are those of this sum.
    pub(super) fn difference_with_codes(
        &mut self,
        d: Slot,
        summands: [Slot; 2],
        negated: [bool; 2],
        plus_one: bool,
        keeps: bool,
    ) {
        let carry = if plus_one || negated != [false; 2] { CarryIn::One } else { CarryIn::None };
        let summands = self.inverted(summands, negated);
        self.sum_with_codes(d, summands, carry, keeps);
    }

    /// Two words, inverted where they are negated.
    pub(super) fn inverted(&mut self, summands: [Slot; 2], negated: [bool; 2]) -> [Slot; 2] {
        let [a, b] = summands;
        [(a, negated[0]), (b, negated[1])].map(|(summand, negated)| match negated {
            true => self.computed(Code::NotN, [summand.index, 0, 0]),
            false => summand,
        })
    }

    /// "LEA": `Rd = (Ra << count) + Rb`; "LEA.HI": `Rb` and the upper word of `{Rc, Ra} << count`. A negation is of the number that is
    /// shifted, of 64 bits with `.HI`. With `.CC` and `.X` both are the halves of an address of 64 bits.
    ///
    /// No page says what the predicate of `LEA.HI` is. ptxas 12.9 compiles `atom` of generic addresses to a branch on it: false leads to
    /// `ATOMS` at the lower 24 bits, true to `ATOM`. The windows are below 4 GiB, and the lower word is no operand: it tells that the upper
    /// word is not zero. That of `LEA` is undefined.
    pub(super) fn shifted_sum(&mut self) -> Decode {
        self.only(&["extension"])?;
        let high = self.is_fixed("HI");
        let (a, b) = (self.unmarked(2)?, self.source(3)?);
        let negated = self.marks(2).has(Mark::Negated);
        let count = self.source(if high { 5 } else { 4 })?;
        let shifted = if high {
            let c = self.source(4)?;
            self.upper_of_shifted([a, c, count], negated)
        } else {
            self.computed(Code::ShlN, [a.index, count.index, 0])
        };
        let extended = self.modifier("extension") != 0;
        let (keeps, d) = (self.has_codes()?, self.written_register()?);
        let p = self.predicate_destination(0)?;
        if negated && (extended || keeps) {
            return Err(self.unsupported_because("the carry of a difference"));
        }
        let sum = if negated && !high {
            self.computed(Code::SubN, [b.index, shifted.index, 0])
        } else {
            let carry = if extended { CarryIn::Code } else { CarryIn::None };
            let sum = self.d.temporary(Class::Narrow);
            self.sum_with_codes(sum, [shifted, b], carry, keeps);
            sum
        };
        if p != self.sinks.predicate {
            let (zero, is_upper) = (self.d.constant(Class::Narrow, 0), self.d.temporary(Class::Predicate));
            match high {
                true => self.d.emit(Code::NeN, is_upper.index, [sum.index, zero.index, 0], 0),
                false => self.d.lane_partial(is_upper, &[], |_| 0, |_, _| 0),
            }
            self.d.keep_guard(&[p.index]);
            self.d.emit(Code::MovP, p.index, [is_upper.index, 0, 0], 0);
        }
        self.d.emit(Code::MovN, d.index, [sum.index, 0, 0], 0);
        Ok(())
    }

    fn upper_of_shifted(&mut self, sources: [Slot; 3], negated: bool) -> Slot {
        let upper = self.d.temporary(Class::Narrow);
        self.d.lane(
            upper,
            &sources,
            move |v| {
                let number = v[1] << 32 | v[0] & WORD;
                let number = if negated { number.wrapping_neg() } else { number };
                u64::from(bits::funnel_left(number as u32, (number >> 32) as u32, v[2] as u32 & 31))
            },
            move |v, _| {
                if negated {
                    return all_or_nothing(v, [WORD, WORD, WORD, 0], WORD);
                }
                let undefined = |n: usize| !v[n].defined as u32;
                match v[2].is_known(32) {
                    true => {
                        !u64::from(bits::funnel_left(undefined(0), undefined(1), v[2].value as u32 & 31))
                            & WORD
                    }
                    false => 0,
                }
            },
        );
        upper
    }
}

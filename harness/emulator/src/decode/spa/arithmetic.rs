//! Functions of registers.

use warpdiff_sass::{Mark, Marks, Mnemonic as M};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::integer;

use super::super::{Decode, all_or_nothing};
use super::Spa;
use crate::operation::{Class, Code, Slot};

/// All bits of a register.
const WORD: u64 = 0xFFFF_FFFF;

impl Spa<'_> {
    /// Functions of registers.
    pub(super) fn arithmetic(&mut self) -> Decode {
        match self.mnemonic() {
            M::MOV | M::MOV32I => {
                let (d, a) = (self.destination()?, self.source(1)?);
                self.d.emit(Code::MovN, d.index, [a.index, 0, 0], 0);
                Ok(())
            }
            M::IADD | M::IADD32I => self.sum(),
            M::IADD3 => self.sum_of_three(),
            M::ISCADD => self.scaled_sum(),
            M::IMNMX => self.extremum(),
            M::SEL => self.selection(),
            M::SHL | M::SHR => self.shift(),
            M::LOP | M::LOP32I => self.logic(),
            M::ISETP => self.comparison(),
            M::ISET => self.set(),
            M::PSETP => self.predicate_logic(),
            M::IMUL | M::IMUL32I => self.product(),
            M::XMAD => self.multiply_add(),
            M::LEA => self.shifted_sum(),
            M::ICMP => self.choice(),
            _ => Err(self.unsupported()),
        }
    }

    /// Rejects every modifier outside these roles that is not at its default.
    pub(super) fn only(&self, roles: &[&str]) -> Decode {
        let instruction = self.instruction();
        let other = instruction
            .form
            .modifiers
            .iter()
            .zip(&instruction.modifiers)
            .any(|(field, value)| !roles.contains(&field.role) && field.default != Some(*value));
        if other { Err(self.unsupported()) } else { Ok(()) }
    }

    /// "IADD": with `.CC` the carry is kept, with `.X` it is added. A negated summand is inverted, and 1 added instead of the carry.
    fn sum(&mut self) -> Decode {
        self.only(&["extension"])?;
        let extended = self.modifier("extension") != 0;
        let keeps_carry = self.marks(0).has(Mark::ConditionCodes);
        if self.is_fixed("PO") {
            return self.sum_plus_one();
        }
        if !extended && !keeps_carry {
            let (d, a, b) = (self.destination()?, self.source(1)?, self.source(2)?);
            self.d.emit(Code::AddN, d.index, [a.index, b.index, 0], 0);
            return Ok(());
        }
        let (a, a_negated) = self.summand(1)?;
        let (b, b_negated) = self.summand(2)?;
        let d = self.stored(self.register(0)?).unwrap_or(self.sinks.narrow);
        if extended || !(a_negated || b_negated) {
            let zero = self.d.constant(Class::Narrow, 0);
            self.carried_sum(d, [a, b, zero], extended, keeps_carry);
            return Ok(());
        }
        let one = self.d.constant(Class::Predicate, 1);
        let none = self.d.constant(Class::Predicate, 0);
        let (sum, carry) = self.added([a, b, one]);
        if keeps_carry {
            self.keep_codes([carry, none], sum);
        }
        self.d.emit(Code::MovN, d.index, [sum.index, 0, 0], 0);
        Ok(())
    }

    /// `d = a + b + c`, and with `.X` the carries of a lower word; the carries of both additions are kept or not.
    fn carried_sum(&mut self, d: Slot, [a, b, c]: [Slot; 3], extended: bool, keeps_carry: bool) {
        let none = self.d.constant(Class::Predicate, 0);
        let [first, second] = if extended { self.carries } else { [none; 2] };
        let (sum, first) = self.added([a, b, first]);
        let (sum, second) = self.added([sum, c, second]);
        if keeps_carry {
            self.keep_codes([first, second], sum);
        }
        self.d.emit(Code::MovN, d.index, [sum.index, 0, 0], 0);
    }

    /// `a + b + carry`, and its own carry.
    fn added(&mut self, summands: [Slot; 3]) -> (Slot, Slot) {
        let (sum, carry) = (self.d.temporary(Class::Narrow), self.d.temporary(Class::Predicate));
        self.d.lane(
            sum,
            &summands,
            |v| (v[0] + v[1] + v[2]) & u64::from(u32::MAX),
            |v, _| definedness::add_carry(v[0], v[1], v[2], 32).0,
        );
        self.d.lane(
            carry,
            &summands,
            |v| (v[0] + v[1] + v[2]) >> 32,
            |v, _| u64::from(definedness::add_carry(v[0], v[1], v[2], 32).1),
        );
        (sum, carry)
    }

    /// Keeps the carries of a sum, and whether it is zero.
    fn keep_codes(&mut self, carries: [Slot; 2], sum: Slot) {
        let (zero, is_zero) = (self.d.constant(Class::Narrow, 0), self.d.temporary(Class::Predicate));
        self.d.emit(Code::EqN, is_zero.index, [sum.index, zero.index, 0], 0);
        self.d.emit(Code::MovP, self.is_zero.index, [is_zero.index, 0, 0], 0);
        for (kept, carry) in self.carries.into_iter().zip(carries) {
            self.d.emit(Code::MovP, kept.index, [carry.index, 0, 0], 0);
        }
    }

    /// "IADD.PO": one more than the sum.
    fn sum_plus_one(&mut self) -> Decode {
        self.only(&[])?;
        let (d, a, b) = (self.destination()?, self.source(1)?, self.source(2)?);
        let one = self.d.constant(Class::Narrow, 1);
        let sum = self.computed(Code::AddN, [a.index, b.index, 0]);
        self.d.emit(Code::AddN, d.index, [sum.index, one.index, 0], 0);
        Ok(())
    }

    /// "LEA": `Rd = (Ra << count) + Rb`; "LEA.HI": the same of the words that are shifted out at the top of `Ra` and `Rc`, which is
    /// above it. With `.CC` and `.X` they are the halves of an address of 64 bits.
    fn shifted_sum(&mut self) -> Decode {
        self.only(&["extension"])?;
        let p = self.predicate_destination(0)?;
        let high = self.is_fixed("HI");
        if p != self.sinks.predicate && !high || self.marks(2) != Marks::NONE {
            return Err(self.unsupported());
        }
        let (a, b) = (self.source(2)?, self.source(3)?);
        let count = self.source(if high { 5 } else { 4 })?;
        let shifted = if high {
            let c = self.source(4)?;
            let upper = self.d.temporary(Class::Narrow);
            self.d.lane(
                upper,
                &[a, c, count],
                |v| u64::from(integer::shf_left(v[0] as u32, v[1] as u32, v[2] as u32, false)),
                |v, _| definedness::shf_left(v[0], v[1], v[2], false),
            );
            upper
        } else {
            self.computed(Code::ShlN, [a.index, count.index, 0])
        };
        let extended = self.modifier("extension") != 0;
        let zero = self.d.constant(Class::Narrow, 0);
        let d = self.stored(self.register(1)?).unwrap_or(self.sinks.narrow);
        self.carried_sum(d, [shifted, b, zero], extended, self.marks(1).has(Mark::ConditionCodes));
        // No page says what the predicate of `LEA.HI` is. ptxas 12.9 compiles `atom` of generic addresses to a branch on it: false
        // leads to `ATOMS` at the lower 24 bits, true to `ATOM`. The windows are below 4 GiB, and the lower word is no operand: it
        // tells that the upper word is not zero.
        if p != self.sinks.predicate {
            self.d.emit(Code::NeN, p.index, [d.index, zero.index, 0], 0);
        }
        Ok(())
    }

    /// "ICMP.cmp Rd, Ra, Rb, Rc": `Ra` where `Rc` compares with zero as is asked, else `Rb`.
    fn choice(&mut self) -> Decode {
        self.only(&["comparison", "signedness"])?;
        let (d, a) = (self.destination()?, self.source(1)?);
        let (b, c) = (self.source(2)?, self.source(3)?);
        let zero = self.d.constant(Class::Narrow, 0);
        let holds = self.compare(c, zero)?;
        self.d.emit(Code::SelN, d.index, [a.index, b.index, holds.index], 0);
        Ok(())
    }

    /// Summand `n`, inverted where it is negated, and whether it is.
    fn summand(&mut self, n: usize) -> Decode<(Slot, bool)> {
        let value = self.unmarked(n)?;
        if !self.marks(n).has(Mark::Negated) {
            return Ok((value, false));
        }
        Ok((self.computed(Code::NotN, [value.index, 0, 0]), true))
    }

    /// "IADD3": with `.CC` the carry of both additions is kept, with `.X` that of a lower word is added; with `.RS` only the upper
    /// half of the first sum counts, with `.LS` its lower half as an upper one.
    fn sum_of_three(&mut self) -> Decode {
        self.only(&["extension", "shift"])?;
        let extended = self.modifier("extension") != 0;
        let keeps_carry = self.marks(0).has(Mark::ConditionCodes);
        let (a, b, c) = (self.half_or_whole(1)?, self.half_or_whole(2)?, self.half_or_whole(3)?);
        if !extended && !keeps_carry {
            let d = self.destination()?;
            let mut first = self.computed(Code::AddN, [a.index, b.index, 0]);
            let sixteen = self.d.constant(Class::Narrow, 16);
            match self.modifier("shift") {
                0 => {}
                1 => first = self.computed(Code::ShrUN, [first.index, sixteen.index, 0]),
                2 => first = self.computed(Code::ShlN, [first.index, sixteen.index, 0]),
                _ => return Err(self.unsupported()),
            }
            self.d.emit(Code::AddN, d.index, [first.index, c.index, 0], 0);
            return Ok(());
        }
        if self.modifier("shift") != 0 {
            return Err(self.unsupported_because("the carry of a shifted sum"));
        }
        if (1..=3).any(|n| self.marks(n).has(Mark::Negated)) {
            return Err(self.unsupported_because("the carry of a difference"));
        }
        let d = self.stored(self.register(0)?).unwrap_or(self.sinks.narrow);
        self.carried_sum(d, [a, b, c], extended, keeps_carry);
        Ok(())
    }

    /// Operand `n`, or the half of it that is named, negated where it is marked so.
    fn half_or_whole(&mut self, n: usize) -> Decode<Slot> {
        let marks = self.marks(n);
        if !marks.has(Mark::LowerHalf) && !marks.has(Mark::UpperHalf) {
            return self.source(n);
        }
        let half = self.half(n, false)?;
        if !marks.has(Mark::Negated) {
            return Ok(half);
        }
        let zero = self.d.constant(Class::Narrow, 0);
        Ok(self.computed(Code::SubN, [zero.index, half.index, 0]))
    }

    /// "ISCADD": `Rd = (Ra << count) + Rb`.
    fn scaled_sum(&mut self) -> Decode {
        if self.is_fixed("PO") {
            return Err(self.unsupported());
        }
        let (a, b, count) = (self.source(1)?, self.source(2)?, self.source(3)?);
        let scaled = self.computed(Code::ShlN, [a.index, count.index, 0]);
        if !self.marks(0).has(Mark::ConditionCodes) {
            let d = self.destination()?;
            self.d.emit(Code::AddN, d.index, [scaled.index, b.index, 0], 0);
            return Ok(());
        }
        if (1..=2).any(|n| self.marks(n).has(Mark::Negated)) {
            return Err(self.unsupported_because("the carry of a difference"));
        }
        let zero = self.d.constant(Class::Narrow, 0);
        let d = self.stored(self.register(0)?).unwrap_or(self.sinks.narrow);
        self.carried_sum(d, [scaled, b, zero], false, true);
        Ok(())
    }

    /// "IMNMX": the lesser where the predicate is true, the greater where it is false.
    fn extremum(&mut self) -> Decode {
        self.only(&["signedness"])?;
        let (d, a, b, p) = (self.destination()?, self.source(1)?, self.source(2)?, self.predicate(3)?);
        let signed = self.modifier("signedness") != 0;
        let (min, max) = if signed { (Code::MinSN, Code::MaxSN) } else { (Code::MinUN, Code::MaxUN) };
        let (least, greatest) =
            (self.computed(min, [a.index, b.index, 0]), self.computed(max, [a.index, b.index, 0]));
        self.d.emit(Code::SelN, d.index, [least.index, greatest.index, p.index], 0);
        Ok(())
    }

    fn selection(&mut self) -> Decode {
        let (d, a, b, p) = (self.destination()?, self.source(1)?, self.source(2)?, self.predicate(3)?);
        self.d.emit(Code::SelN, d.index, [a.index, b.index, p.index], 0);
        Ok(())
    }

    /// Amounts of 32 and more shift everything out; with `.W` they count modulo 32.
    fn shift(&mut self) -> Decode {
        self.only(&["treatment of large shifts", "signedness"])?;
        let (d, a, mut amount) = (self.destination()?, self.source(1)?, self.source(2)?);
        if self.modifier("treatment of large shifts") != 0 {
            let mask = self.d.constant(Class::Narrow, 31);
            amount = self.computed(Code::AndN, [amount.index, mask.index, 0]);
        }
        let code = match (self.mnemonic(), self.modifier("signedness")) {
            (M::SHL, _) => Code::ShlN,
            (_, 0) => Code::ShrUN,
            _ => Code::ShrSN,
        };
        self.d.emit(code, d.index, [a.index, amount.index, 0], 0);
        Ok(())
    }

    fn logic(&mut self) -> Decode {
        self.only(&["operation", "test of the result"])?;
        let optional = usize::from(self.mnemonic() == M::LOP);
        let d = self.destination()?;
        let (a, b) = (self.source(optional + 1)?, self.source(optional + 2)?);
        let (code, sources) = match self.modifier("operation") {
            0 => (Code::AndN, [a.index, b.index, 0]),
            1 => (Code::OrN, [a.index, b.index, 0]),
            2 => (Code::XorN, [a.index, b.index, 0]),
            _ => (Code::MovN, [b.index, 0, 0]),
        };
        if optional == 0 {
            self.d.emit(code, d.index, sources, 0);
            return Ok(());
        }
        let result = self.computed(code, sources);
        self.test_result(result)?;
        self.d.emit(Code::MovN, d.index, [result.index, 0, 0], 0);
        Ok(())
    }

    /// "ISETP.cmp.bop P, Q, Ra, Rb, Pc": `P = (Ra cmp Rb) bop Pc`, `Q = !(Ra cmp Rb) bop Pc`.
    fn comparison(&mut self) -> Decode {
        self.only(&["comparison", "signedness", "combination", "extension"])?;
        let (a, b, c) = (self.source(2)?, self.source(3)?, self.predicate(4)?);
        let extended = self.modifier("extension") != 0;
        let holds = if extended { self.compare_upper(a, b) } else { self.compare(a, b)? };
        self.set_predicates(holds, c)
    }

    /// "ISET", which is `ISETP` with a register for its answer: all bits, or with `.BF` the number 1.
    fn set(&mut self) -> Decode {
        self.only(&["comparison", "signedness", "combination", "kind of truth"])?;
        let (d, a, b, c) = (self.destination()?, self.source(1)?, self.source(2)?, self.predicate(3)?);
        let holds = self.compare(a, b)?;
        let combine = self.of_predicates("combination")?;
        let result = self.d.temporary(Class::Predicate);
        self.d.emit(combine, result.index, [holds.index, c.index, 0], 0);
        let truth = if self.modifier("kind of truth") != 0 { 0x3f80_0000 } else { u64::from(u32::MAX) };
        let (truth, zero) = (self.d.constant(Class::Narrow, truth), self.d.constant(Class::Narrow, 0));
        self.d.emit(Code::SelN, d.index, [truth.index, zero.index, result.index], 0);
        Ok(())
    }

    /// "PSETP.op.bop P, Q, Pa, Pb, Pc": `P = (Pa op Pb) bop Pc`, `Q = !(Pa op Pb) bop Pc`.
    fn predicate_logic(&mut self) -> Decode {
        let (a, b, c) = (self.predicate(2)?, self.predicate(3)?, self.predicate(4)?);
        let code = self.of_predicates("operation")?;
        let holds = self.d.temporary(Class::Predicate);
        self.d.emit(code, holds.index, [a.index, b.index, 0], 0);
        self.set_predicates(holds, c)
    }

    /// `P = holds bop c`, `Q = !holds bop c`, of the first two operands.
    pub(super) fn set_predicates(&mut self, holds: Slot, c: Slot) -> Decode {
        let (p, q) = (self.predicate_destination(0)?, self.predicate_destination(1)?);
        let combine = self.of_predicates("combination")?;
        let opposite = self.d.temporary(Class::Predicate);
        self.d.emit(Code::NotP, opposite.index, [holds.index, 0, 0], 0);
        // A destination may be `Pc`, or the guard: both results are there before either is written.
        let (first, second) = (self.d.temporary(Class::Predicate), self.d.temporary(Class::Predicate));
        self.d.emit(combine, first.index, [holds.index, c.index, 0], 0);
        self.d.emit(combine, second.index, [opposite.index, c.index, 0], 0);
        self.d.keep_guard(&[p.index, q.index]);
        self.d.emit(Code::MovP, p.index, [first.index, 0, 0], 0);
        self.d.emit(Code::MovP, q.index, [second.index, 0, 0], 0);
        Ok(())
    }

    pub(super) fn of_predicates(&self, role: &str) -> Decode<Code> {
        match self.modifier(role) {
            0 => Ok(Code::AndP),
            1 => Ok(Code::OrP),
            2 => Ok(Code::XorP),
            _ => Err(self.unsupported()),
        }
    }

    /// Whether `a` compares with `b` as the instruction asks.
    pub(super) fn compare(&mut self, a: Slot, b: Slot) -> Decode<Slot> {
        let signed = self.modifier("signedness") != 0;
        let (less, less_equal) = if signed { (Code::LtSN, Code::LeSN) } else { (Code::LtUN, Code::LeUN) };
        let (code, a, b) = match self.modifier("comparison") {
            0 => return Ok(self.d.constant(Class::Predicate, 0)),
            7 => return Ok(self.d.constant(Class::Predicate, 1)),
            1 => (less, a, b),
            2 => (Code::EqN, a, b),
            3 => (less_equal, a, b),
            4 => (less, b, a),
            5 => (Code::NeN, a, b),
            _ => (less_equal, b, a),
        };
        let holds = self.d.temporary(Class::Predicate);
        self.d.emit(code, holds.index, [a.index, b.index, 0], 0);
        Ok(holds)
    }

    /// "ISETP.X": the comparison of two numbers of 64 bits, of which these are the upper words; the condition codes are those of the
    /// difference of the lower ones.
    fn compare_upper(&mut self, a: Slot, b: Slot) -> Slot {
        let signed = self.modifier("signedness") != 0;
        let comparison = self.modifier("comparison");
        let holds = self.d.temporary(Class::Predicate);
        let sources = [a, b, self.carries[0], self.is_zero];
        let compute = move |v: &[u64; 4]| {
            let number =
                |word: u64| if signed { i64::from(word as u32 as i32) } else { i64::from(word as u32) };
            let difference = number(v[0]) - number(v[1]) - i64::from(v[2] & 1 == 0);
            let (less, equal) = (difference < 0, difference == 0 && v[3] & 1 == 1);
            u64::from(match comparison {
                0 => false,
                1 => less,
                2 => equal,
                3 => less || equal,
                4 => !less && !equal,
                5 => !equal,
                6 => !less,
                _ => true,
            })
        };
        let rule = |v: &[Bits; 4], _: u64| {
            u64::from(v[0].is_known(32) && v[1].is_known(32) && v[2].is_known(1) && v[3].is_known(1))
        };
        self.d.lane(holds, &sources, compute, rule);
        holds
    }

    /// "IMUL": the lower word of a product, or with `.HI` the upper one, for which each factor is signed or not.
    fn product(&mut self) -> Decode {
        let (d, a, b) = (self.destination()?, self.source(1)?, self.source(2)?);
        if self.modifier("part of the product") == 0 {
            self.d.emit(Code::MulN, d.index, [a.index, b.index, 0], 0);
            return Ok(());
        }
        let signs = self.modifier("signedness of the factors");
        let signed = [signs & 1 != 0, signs & 2 != 0];
        let factor = move |v: &[u64; 4], n: usize| match signed[n] {
            true => v[n] as u32 as i32 as u64,
            false => u64::from(v[n] as u32),
        };
        self.d.lane(
            d,
            &[a, b],
            move |v| factor(v, 0).wrapping_mul(factor(v, 1)) >> 32 & WORD,
            move |v, _| match signed {
                [true, true] | [false, false] => definedness::mul_hi(v[0], v[1], signed[0], 32),
                _ => all_or_nothing(v, [WORD, WORD, 0, 0], WORD),
            },
        );
        Ok(())
    }

    /// "XMAD": a product of 16-bit halves, shifted by 16 with `.PSL`, plus `Rc` or a part of it (`.CLO`, `.CHI`) or `Rc` and
    /// `Rb << 16` (`.CBCC`); with `.MRG` the upper half of the result is the lower one of `Rb`.
    fn multiply_add(&mut self) -> Decode {
        let known =
            ["signedness of the halves", "shift of the product", "treatment of the summand", "merging"];
        self.only(&known)?;
        let d = self.destination()?;
        let signs = self.modifier("signedness of the halves");
        let a = self.half(1, signs & 1 != 0)?;
        let whole_b = self.unmarked(2)?;
        let b = self.half(2, signs & 2 != 0)?;
        let sixteen = self.d.constant(Class::Narrow, 16);
        let low = self.d.constant(Class::Narrow, 0xFFFF);
        let mut product = self.computed(Code::MulN, [a.index, b.index, 0]);
        if self.modifier("shift of the product") != 0 {
            product = self.computed(Code::ShlN, [product.index, sixteen.index, 0]);
        }
        let c = self.source(3)?;
        let c = match self.modifier("treatment of the summand") {
            0 => c,
            1 => self.computed(Code::AndN, [c.index, low.index, 0]),
            2 => self.computed(Code::ShrUN, [c.index, sixteen.index, 0]),
            4 => {
                let raised = self.computed(Code::ShlN, [whole_b.index, sixteen.index, 0]);
                self.computed(Code::AddN, [c.index, raised.index, 0])
            }
            _ => return Err(self.unsupported()),
        };
        if self.modifier("merging") == 0 {
            self.d.emit(Code::AddN, d.index, [product.index, c.index, 0], 0);
            return Ok(());
        }
        let sum = self.computed(Code::AddN, [product.index, c.index, 0]);
        let sum = self.computed(Code::AndN, [sum.index, low.index, 0]);
        let merged = self.computed(Code::ShlN, [whole_b.index, sixteen.index, 0]);
        self.d.emit(Code::OrN, d.index, [sum.index, merged.index, 0], 0);
        Ok(())
    }

    /// The half of operand `n` that its mark names, extended to 32 bits.
    fn half(&mut self, n: usize, signed: bool) -> Decode<Slot> {
        let value = self.unmarked(n)?;
        let sixteen = self.d.constant(Class::Narrow, 16);
        let right = if signed { Code::ShrSN } else { Code::ShrUN };
        let raised = match self.marks(n).has(Mark::UpperHalf) {
            true => value,
            false => self.computed(Code::ShlN, [value.index, sixteen.index, 0]),
        };
        Ok(self.computed(right, [raised.index, sixteen.index, 0]))
    }
}

//! Comparisons of integers, operations on predicates, and moves between predicates or condition codes and registers.

use warpdiff_sass::{Mark, Mnemonic as M, Operand};
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::numeric::spa::codes;

use super::super::Decode;
use super::{PT, Spa, WORD, codes::TEST};
use crate::operation::{Class, Code, Slot};

impl Spa<'_> {
    /// Operations on predicates and the condition codes.
    pub(super) fn predicates(&mut self) -> Decode {
        match self.mnemonic() {
            M::PSET => self.predicate_to_word(),
            M::CSET => self.codes_to_word(),
            M::CSETP => self.codes_to_predicates(),
            M::P2R => self.bits_to_register(),
            M::R2P => self.bits_from_register(),
            _ => Err(self.unsupported()),
        }
    }

    /// "ISETP.cmp.bop P, Q, Ra, Rb, Pc": `P = (Ra cmp Rb) bop Pc`, `Q = !(Ra cmp Rb) bop Pc`.
    pub(super) fn comparison(&mut self) -> Decode {
        self.only(&["comparison", "signedness", "combination", "extension"])?;
        let (a, b, c) = (self.source(2)?, self.source(3)?, self.predicate(4)?);
        let always = self.d.constant(Class::Predicate, 1);
        let is_alone = self.predicate_destination(1)? == self.sinks.predicate
            && self.of_predicates("combination")? == Code::AndP
            && c == always;
        if is_alone && self.modifier("extension") == 0 {
            let p = self.predicate_destination(0)?;
            return self.compare_into(p, a, b);
        }
        let holds = self.compare_as_asked(a, b)?;
        self.set_predicates(holds, c)
    }

    /// "ISET", which is `ISETP` with a register for its answer: all bits, or with `.BF` the number 1.
    pub(super) fn set(&mut self) -> Decode {
        self.only(&["comparison", "signedness", "combination", "kind of truth", "extension"])?;
        let (a, b, c) = (self.source(1)?, self.source(2)?, self.predicate(3)?);
        let holds = self.compare_as_asked(a, b)?;
        self.set_word(holds, c)
    }

    fn compare_as_asked(&mut self, a: Slot, b: Slot) -> Decode<Slot> {
        if self.modifier("extension") != 0 { Ok(self.compare_upper(a, b)) } else { self.compare(a, b) }
    }

    /// Writes `holds bop c` to the register: all bits, or with `.BF` the number 1.
    fn set_word(&mut self, holds: Slot, c: Slot) -> Decode {
        let combine = self.of_predicates("combination")?;
        let result = self.d.temporary(Class::Predicate);
        self.d.emit(combine, result.index, [holds.index, c.index, 0], 0);
        let truth = if self.modifier("kind of truth") != 0 { 0x3f80_0000 } else { WORD };
        let (truth, zero) = (self.d.constant(Class::Narrow, truth), self.d.constant(Class::Narrow, 0));
        let d = self.result()?;
        self.d.emit(Code::SelN, d.index, [truth.index, zero.index, result.index], 0);
        self.finish(d)
    }

    /// "PSETP.op.bop P, Q, Pa, Pb, Pc": `P = (Pa op Pb) bop Pc`, `Q = (!Pa op Pb) bop Pc`. Mesa's rule for `Q` is the one with a test
    /// against hardware; Ryujinx negates the whole.
    pub(super) fn predicate_logic(&mut self) -> Decode {
        let (a, b, c) = (self.predicate(2)?, self.predicate(3)?, self.predicate(4)?);
        let code = self.of_predicates("operation")?;
        let holds = self.d.temporary(Class::Predicate);
        self.d.emit(code, holds.index, [a.index, b.index, 0], 0);
        if self.predicate_destination(1)? == self.sinks.predicate {
            return self.set_first(holds, c);
        }
        let opposite = self.d.temporary(Class::Predicate);
        self.d.emit(Code::NotP, opposite.index, [a.index, 0, 0], 0);
        let other = self.d.temporary(Class::Predicate);
        self.d.emit(code, other.index, [opposite.index, b.index, 0], 0);
        self.set_both(holds, other, c)
    }

    /// "PSET": the first result of `PSETP`, in a register.
    fn predicate_to_word(&mut self) -> Decode {
        let (a, b, c) = (self.predicate(1)?, self.predicate(2)?, self.predicate(3)?);
        let code = self.of_predicates("operation")?;
        let holds = self.d.temporary(Class::Predicate);
        self.d.emit(code, holds.index, [a.index, b.index, 0], 0);
        self.set_word(holds, c)
    }

    /// "CSET": whether a test of the condition codes holds, and a predicate, in a register.
    fn codes_to_word(&mut self) -> Decode {
        let (holds, c) = (self.cc_test(self.modifier(TEST))?, self.predicate(2)?);
        self.set_word(holds, c)
    }

    /// "CSETP": `P = test bop Pc`, `Q = !test bop Pc`.
    fn codes_to_predicates(&mut self) -> Decode {
        let (holds, c) = (self.cc_test(self.modifier(TEST))?, self.predicate(3)?);
        self.set_predicates(holds, c)
    }

    /// `P = holds bop c`, `Q = !holds bop c`, of the first two operands.
    pub(super) fn set_predicates(&mut self, holds: Slot, c: Slot) -> Decode {
        let q = self.predicate_destination(1)?;
        if q == self.sinks.predicate {
            return self.set_first(holds, c);
        }
        let opposite = self.d.temporary(Class::Predicate);
        self.d.emit(Code::NotP, opposite.index, [holds.index, 0, 0], 0);
        self.set_both(holds, opposite, c)
    }

    /// `P = holds bop c`, of the first operand, where nothing is done with the second one.
    fn set_first(&mut self, holds: Slot, c: Slot) -> Decode {
        let (p, combine) = (self.predicate_destination(0)?, self.of_predicates("combination")?);
        self.d.emit(combine, p.index, [holds.index, c.index, 0], 0);
        Ok(())
    }

    /// `P = holds bop c`, `Q = other bop c`, of the first two operands.
    fn set_both(&mut self, holds: Slot, other: Slot, c: Slot) -> Decode {
        let (p, q) = (self.predicate_destination(0)?, self.predicate_destination(1)?);
        let combine = self.of_predicates("combination")?;
        // A destination may be `Pc`, or the guard: both results are there before either is written.
        let (first, second) = (self.d.temporary(Class::Predicate), self.d.temporary(Class::Predicate));
        self.d.emit(combine, first.index, [holds.index, c.index, 0], 0);
        self.d.emit(combine, second.index, [other.index, c.index, 0], 0);
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
        match self.modifier("comparison") {
            0 => return Ok(self.d.constant(Class::Predicate, 0)),
            7 => return Ok(self.d.constant(Class::Predicate, 1)),
            _ => {}
        }
        let holds = self.d.temporary(Class::Predicate);
        self.compare_into(holds, a, b)?;
        Ok(holds)
    }

    /// The same in a predicate that is given.
    fn compare_into(&mut self, d: Slot, a: Slot, b: Slot) -> Decode {
        let signed = self.modifier("signedness") != 0;
        let (less, less_equal) = if signed { (Code::LtSN, Code::LeSN) } else { (Code::LtUN, Code::LeUN) };
        let (code, a, b) = match self.modifier("comparison") {
            comparison @ (0 | 7) => {
                let always = self.d.constant(Class::Predicate, u64::from(comparison == 7));
                (Code::MovP, always, always)
            }
            1 => (less, a, b),
            2 => (Code::EqN, a, b),
            3 => (less_equal, a, b),
            4 => (less, b, a),
            5 => (Code::NeN, a, b),
            _ => (less_equal, b, a),
        };
        self.d.emit(code, d.index, [a.index, b.index, 0], 0);
        Ok(())
    }

    /// "ISETP.X": the comparison of two numbers of 64 bits, of which these are the upper words; the condition codes are those of the
    /// difference of the lower ones.
    fn compare_upper(&mut self, a: Slot, b: Slot) -> Slot {
        let signed = self.modifier("signedness") != 0;
        let comparison = self.modifier("comparison");
        let holds = self.d.temporary(Class::Predicate);
        let sources = [a, b, self.codes.zero, self.codes.carry];
        let compute = move |v: &[u64; 4]| {
            let zero = if v[2] & 1 == 1 { codes::ZERO } else { 0 };
            let carry = if v[3] & 1 == 1 { codes::CARRY } else { 0 };
            u64::from(codes::compares_upper(comparison, signed, v[0] as u32, v[1] as u32, zero | carry))
        };
        let rule = move |v: &[Bits; 4], _: u64| u64::from(codes::upper_is_decided(comparison, signed, v));
        self.d.lane(holds, &sources, compute, rule);
        holds
    }

    /// The mask of `P2R` and `R2P`, of as many bits as there are predicates or codes, and the position of bit 0 in the register.
    fn mask(&mut self, n: usize, count: u32) -> Decode<u32> {
        match self.operand(n)? {
            Operand::Immediate(mask) if (0..1 << count).contains(&mask) => Ok(mask as u32),
            // yuzu and Ryujinx disagree on bits of the mask beyond the byte.
            Operand::Immediate(_) => Err(self.unsupported_because("a mask of more bits than there are")),
            _ => Err(self.unsupported_because("a mask that is no number")),
        }
    }

    /// The predicates P0 to P6, or the condition codes in the order of their bits.
    fn named_bits(&self, n: usize) -> Decode<Vec<Slot>> {
        match self.operand(n)? {
            Operand::AllPredicates => {
                Ok((0..u32::from(PT)).map(|index| Slot { class: Class::Predicate, index }).collect())
            }
            Operand::ConditionCodes => {
                let codes = self.codes;
                Ok(vec![codes.zero, codes.sign, codes.carry, codes.overflow])
            }
            _ => Err(self.unsupported_because("this kind of operand")),
        }
    }

    /// "P2R": `Ra` with those bits of a byte replaced that the mask has.
    fn bits_to_register(&mut self) -> Decode {
        let named = self.named_bits(1)?;
        let mask = self.mask(3, named.len() as u32)?;
        let low = 8 * u32::from(self.modifier("byte"));
        let d = self.destination()?;
        let a = self.source(2)?;
        let others = self.d.constant(Class::Narrow, u64::from(!(mask << low)));
        let zero = self.d.constant(Class::Narrow, 0);
        let mut result = self.computed(Code::AndN, [a.index, others.index, 0]);
        for (bit, slot) in (0..).zip(named).filter(|(bit, _)| mask >> bit & 1 == 1) {
            let one = self.d.constant(Class::Narrow, 1 << (low + bit));
            let part = self.computed(Code::SelN, [one.index, zero.index, slot.index]);
            result = self.computed(Code::OrN, [result.index, part.index, 0]);
        }
        self.d.emit(Code::MovN, d.index, [result.index, 0, 0], 0);
        Ok(())
    }

    /// "R2P": each predicate or code that the mask has is a bit of a byte of `Ra`.
    fn bits_from_register(&mut self) -> Decode {
        let named = self.named_bits(0)?;
        let mask = self.mask(2, named.len() as u32)?;
        let marks = self.marks(1);
        let low = 8 * (u32::from(marks.has(Mark::ByteOne)) + 2 * u32::from(marks.has(Mark::ByteTwo)));
        let a = self.unmarked(1)?;
        let zero = self.d.constant(Class::Narrow, 0);
        let written = (0u32..).zip(named).filter(|(bit, _)| mask >> bit & 1 == 1);
        let mut moves = Vec::new();
        for (bit, slot) in written {
            let one = self.d.constant(Class::Narrow, 1 << (low + bit));
            let part = self.computed(Code::AndN, [a.index, one.index, 0]);
            let is_set = self.d.temporary(Class::Predicate);
            self.d.emit(Code::NeN, is_set.index, [part.index, zero.index, 0], 0);
            moves.push((slot.index, is_set.index));
        }
        self.d.keep_guard(&moves.iter().map(|(to, _)| *to).collect::<Vec<_>>());
        for (to, from) in moves {
            self.d.emit(Code::MovP, to, [from, 0, 0], 0);
        }
        if self.operand(0)? == Operand::ConditionCodes {
            self.forget_continued();
        }
        Ok(())
    }
}

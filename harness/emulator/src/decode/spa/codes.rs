//! The condition codes: what writes them with `.CC`, and what reads them with `.X`, by name or by a test.
//!
//! Only codes that some instruction of the program reads are computed. Where no source says what an instruction leaves in a code, the
//! code is undefined after it.

use warpdiff_sass::{Instruction, Mark, Mnemonic as M, Operand};
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::numeric::spa::codes;

use super::super::{Decode, all_or_nothing};
use super::{Spa, WORD};
use crate::operation::{Class, Code, Slot};

/// The role of a modifier that tests the condition codes.
pub(super) const TEST: &str = "test of the condition codes";
/// What `IMNMX.XLO` and `.XMED` read, among the codes that a program reads: no code of the four.
const ORDER: u8 = 1 << 4;
/// What `IADD3.X` reads, likewise.
const TWO_CARRIES: u8 = 1 << 5;
/// All four codes.
const ALL: u8 = codes::ZERO | codes::SIGN | codes::CARRY | codes::OVERFLOW;

/// The condition codes, each a predicate.
#[derive(Clone, Copy)]
pub(super) struct Codes {
    /// Z.
    pub(super) zero: Slot,
    /// S.
    pub(super) sign: Slot,
    /// C.
    pub(super) carry: Slot,
    /// V.
    pub(super) overflow: Slot,
    /// Left by `IMNMX.XHI`: whether the upper words are equal. In which of the codes the machine keeps it no source says.
    equal: Slot,
    /// Left by `IMNMX.XHI`: whether the first number is the one that was asked for.
    first: Slot,
    /// Left by `IADD3.CC` for `IADD3.X`: the carries of its first and its second addition. A sum of three words carries up to 2 into the
    /// next word. ptxas 12.9 compiles sums of three numbers of 64 bits to this pair, also where a word is `RZ` and `IADD.X` would do, and
    /// yuzu keeps the two carries in V and C; which code has which no other source says.
    pub(super) carries: [Slot; 2],
    /// What the program reads.
    read: u8,
}

impl Default for Codes {
    fn default() -> Self {
        let none = Slot { class: Class::Predicate, index: 0 };
        Codes {
            zero: none,
            sign: none,
            carry: none,
            overflow: none,
            equal: none,
            first: none,
            carries: [none; 2],
            read: 0,
        }
    }
}

/// What is added beside two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CarryIn {
    /// Nothing.
    None,
    /// 1: one of the words is inverted.
    One,
    /// C.
    Code,
}

impl Spa<'_> {
    /// Makes room for the codes, and finds out which of them the program reads.
    pub(super) fn lay_out_codes(&mut self) {
        let mut code = |name: &str| {
            let slot = self.d.temporary(Class::Predicate);
            let names = &mut self.d.out.functions[self.d.id.0 as usize].names;
            names.predicates[slot.index as usize] = name.into();
            slot
        };
        let [zero, sign, carry, overflow] = ["CC.Z", "CC.S", "CC.C", "CC.V"].map(&mut code);
        let [equal, first] = ["the order of IMNMX.XHI"; 2].map(&mut code);
        let carries = ["a carry of IADD3.CC"; 2].map(&mut code);
        let statements = self.program.statements.iter();
        let read =
            statements.map(|statement| read_by(&statement.instruction)).fold(0, |all, read| all | read);
        self.codes = Codes { zero, sign, carry, overflow, equal, first, carries, read };
    }

    /// Whether some instruction reads one of these codes.
    pub(super) fn is_code_read(&self, codes: u8) -> bool {
        self.codes.read & codes != 0
    }

    /// Where the result of an instruction goes that may have `.CC`: the destination itself, or a value for [`Spa::finish`].
    pub(super) fn result(&mut self) -> Decode<Slot> {
        if self.has_codes()? { Ok(self.d.temporary(Class::Narrow)) } else { self.destination() }
    }

    /// With `.CC` keeps Z and S of the result, and writes it to the destination. C and V are undefined then: of logic and bit fields
    /// yuzu clears them and Ryujinx leaves them, and of others no source speaks.
    pub(super) fn finish(&mut self, result: Slot) -> Decode {
        if self.has_codes()? {
            self.keep_result_codes(result, None);
            let d = self.written_register()?;
            self.d.emit(Code::MovN, d.index, [result.index, 0, 0], 0);
        }
        Ok(())
    }

    /// Whether the instruction writes the condition codes.
    pub(super) fn has_codes(&self) -> Decode<bool> {
        let n = self.numbered("Rd")?;
        Ok(self.marks(n).has(Mark::ConditionCodes))
    }

    /// `Rd`, whether or not the codes are written with it.
    pub(super) fn written_register(&self) -> Decode<Slot> {
        let register = self.register(self.numbered("Rd")?)?;
        Ok(self.stored(register).unwrap_or(self.sinks.narrow))
    }

    /// Keeps Z and S of a result. V is what is said of it, or undefined; C is undefined.
    pub(super) fn keep_result_codes(&mut self, result: Slot, overflow: Option<bool>) {
        let zero = self.d.constant(Class::Narrow, 0);
        if self.is_code_read(codes::ZERO) {
            self.d.emit(Code::EqN, self.codes.zero.index, [result.index, zero.index, 0], 0);
        }
        if self.is_code_read(codes::SIGN) {
            self.d.emit(Code::LtSN, self.codes.sign.index, [result.index, zero.index, 0], 0);
        }
        self.forget(codes::CARRY, self.codes.carry);
        match overflow {
            Some(overflow) => {
                let value = self.d.constant(Class::Predicate, u64::from(overflow));
                self.d.emit(Code::MovP, self.codes.overflow.index, [value.index, 0, 0], 0);
            }
            None => self.forget(codes::OVERFLOW, self.codes.overflow),
        }
        self.forget_continued();
    }

    /// The code is undefined from here on.
    fn forget(&mut self, code: u8, slot: Slot) {
        if self.is_code_read(code) {
            self.d.lane_partial(slot, &[], |_| 0, |_, _| 0);
        }
    }

    /// What `IMNMX.XHI` and `IADD3.CC` left for the instructions that continue them is gone.
    pub(super) fn forget_continued(&mut self) {
        self.forget(ORDER, self.codes.equal);
        self.forget(ORDER, self.codes.first);
        self.forget_carries();
    }

    fn forget_carries(&mut self) {
        for carry in self.codes.carries {
            self.forget(TWO_CARRIES, carry);
        }
    }

    /// Writes `a + b + carry` to `d`. With `keeps` the codes are those of the sum.
    pub(super) fn sum_with_codes(&mut self, d: Slot, [a, b]: [Slot; 2], carry: CarryIn, keeps: bool) {
        let carry_slot = self.carry_in(carry);
        let sources = [a, b, carry_slot];
        let kept_carry = match keeps && self.is_code_read(codes::CARRY) {
            // The sum needs the carry that is there.
            true if carry == CarryIn::Code => Some(self.carry_of(sources)),
            true => {
                self.emit_carry(self.codes.carry, sources);
                None
            }
            false => None,
        };
        let kept_overflow = (keeps && self.is_code_read(codes::OVERFLOW)).then(|| self.overflow_of(sources));
        self.emit_sum(d, [a, b], carry);
        if keeps {
            self.keep_zero_and_sign(d, carry == CarryIn::Code);
            if let Some(kept) = kept_carry {
                self.d.emit(Code::MovP, self.codes.carry.index, [kept.index, 0, 0], 0);
            }
            if let Some(kept) = kept_overflow {
                self.d.emit(Code::MovP, self.codes.overflow.index, [kept.index, 0, 0], 0);
            }
            self.forget_continued();
        }
    }

    fn carry_in(&mut self, carry: CarryIn) -> Slot {
        match carry {
            CarryIn::None => self.d.constant(Class::Predicate, 0),
            CarryIn::One => self.d.constant(Class::Predicate, 1),
            CarryIn::Code => self.codes.carry,
        }
    }

    /// `a + b`, and 1 where a predicate is true.
    pub(super) fn sum_and(&mut self, a: Slot, b: Slot, carry: Slot) -> Slot {
        let sum = self.d.temporary(Class::Narrow);
        self.d.emit(Code::AddCarryN, sum.index, [a.index, b.index, carry.index], 0);
        sum
    }

    /// Writes `a + b + carry` to `d`.
    fn emit_sum(&mut self, d: Slot, [a, b]: [Slot; 2], carry: CarryIn) {
        if carry == CarryIn::None {
            self.d.emit(Code::AddN, d.index, [a.index, b.index, 0], 0);
            return;
        }
        let carry = self.carry_in(carry);
        self.d.emit(Code::AddCarryN, d.index, [a.index, b.index, carry.index], 0);
    }

    /// C of a sum of two words and a carry.
    pub(super) fn carry_of(&mut self, sources: [Slot; 3]) -> Slot {
        let carry = self.d.temporary(Class::Predicate);
        self.emit_carry(carry, sources);
        carry
    }

    fn emit_carry(&mut self, carry: Slot, sources: [Slot; 3]) {
        self.d.emit(Code::CarryN, carry.index, sources.map(|slot| slot.index), 0);
    }

    fn overflow_of(&mut self, sources: [Slot; 3]) -> Slot {
        let overflow = self.d.temporary(Class::Predicate);
        self.d.lane(
            overflow,
            &sources,
            |v| u64::from(codes::overflows(v[0] as u32, v[1] as u32, v[2] & 1 == 1)),
            |v, _| all_or_nothing(v, [WORD, WORD, 1, 0], 1),
        );
        overflow
    }

    /// Z and S of a sum. Of one that continues a longer number, Ryujinx alone says what Z is: zero where the rest was zero as well. It
    /// is undefined where that is not also what the sum alone says.
    fn keep_zero_and_sign(&mut self, sum: Slot, continues: bool) {
        let zero = self.d.constant(Class::Narrow, 0);
        if self.is_code_read(codes::SIGN) {
            self.d.emit(Code::LtSN, self.codes.sign.index, [sum.index, zero.index, 0], 0);
        }
        if !self.is_code_read(codes::ZERO) {
            return;
        }
        let is_zero = self.d.temporary(Class::Predicate);
        self.d.emit(Code::EqN, is_zero.index, [sum.index, zero.index, 0], 0);
        if !continues {
            self.d.emit(Code::MovP, self.codes.zero.index, [is_zero.index, 0, 0], 0);
            return;
        }
        let both = self.d.temporary(Class::Predicate);
        self.d.lane_partial(
            both,
            &[is_zero, self.codes.zero],
            |v| v[0] & v[1] & 1,
            |v, _| {
                let is = |bits: Bits, value: u64| bits.defined & 1 == 1 && bits.value & 1 == value;
                u64::from(is(v[0], 0) || is(v[0], 1) && is(v[1], 1))
            },
        );
        self.d.emit(Code::MovP, self.codes.zero.index, [both.index, 0, 0], 0);
    }

    /// Keeps C as it is given, and Z and S of the result; V is undefined.
    pub(super) fn keep_carry(&mut self, result: Slot, carry: Slot, continues: bool) {
        self.keep_zero_and_sign(result, continues);
        if self.is_code_read(codes::CARRY) {
            self.d.emit(Code::MovP, self.codes.carry.index, [carry.index, 0, 0], 0);
        }
        self.forget(codes::OVERFLOW, self.codes.overflow);
        self.forget_continued();
    }

    /// Keeps the carries of the two additions of a sum of three, for the one that continues it.
    pub(super) fn keep_two_carries(&mut self, carries: [Slot; 2]) {
        if self.is_code_read(TWO_CARRIES) {
            for (kept, carry) in self.codes.carries.into_iter().zip(carries) {
                self.d.emit(Code::MovP, kept.index, [carry.index, 0, 0], 0);
            }
        }
    }

    /// Whether a test of the condition codes holds: the number of the test as `CSETP`, `BRA` and others have it, 0 to 31.
    ///
    /// # Errors
    /// The tests of the clip state, which compute programs do not have.
    pub(super) fn cc_test(&mut self, test: u8) -> Decode<Slot> {
        if codes::holds(test, 0).is_none() {
            return Err(self.unsupported_because("a test of the clip state"));
        }
        match test {
            0 | 15 => return Ok(self.d.constant(Class::Predicate, u64::from(test == 15))),
            10 => return Ok(self.codes.zero),
            21 => return Ok(self.codes.sign),
            22 => return Ok(self.codes.carry),
            23 => return Ok(self.codes.overflow),
            _ => {}
        }
        let Codes { zero, sign, carry, overflow, .. } = self.codes;
        let holds = self.d.temporary(Class::Predicate);
        let together = |v: &[u64; 4]| (0..4).fold(0, |all, n| all | (v[n] as u8 & 1) << n);
        self.d.lane(
            holds,
            &[zero, sign, carry, overflow],
            move |v| u64::from(codes::holds(test, together(v)) == Some(true)),
            move |v, _| {
                let of = |bit: fn(&Bits) -> u64| (0..4).fold(0, |all, n| all | (bit(&v[n]) & 1) << n);
                let codes = Bits { value: of(|bits| bits.value), defined: of(|bits| bits.defined) };
                u64::from(codes::is_decided(test, codes))
            },
        );
        Ok(holds)
    }

    /// "IMNMX": the lesser where the predicate is true, the greater where it is false. `.XHI` compares the upper words of longer numbers
    /// and keeps which of both is the one, or that they are equal; `.XMED` and `.XLO` go on with lower words: the word of that number,
    /// or where all before are equal, the lesser or the greater.
    ///
    /// What the codes are after `.XHI` no source says: ptxas reads them with `.XLO` alone.
    pub(super) fn extremum(&mut self) -> Decode {
        self.only(&["signedness", "part of a longer number"])?;
        let (a, b, p) = (self.source(1)?, self.source(2)?, self.predicate(3)?);
        let signed = self.modifier("signedness") != 0;
        let (min, max) = if signed { (Code::MinSN, Code::MaxSN) } else { (Code::MinUN, Code::MaxUN) };
        let (least, greatest) =
            (self.computed(min, [a.index, b.index, 0]), self.computed(max, [a.index, b.index, 0]));
        let part = self.modifier("part of a longer number");
        if part == 0 {
            let d = self.result()?;
            self.d.emit(Code::SelN, d.index, [least.index, greatest.index, p.index], 0);
            return self.finish(d);
        }
        let of_words = self.computed(Code::SelN, [least.index, greatest.index, p.index]);
        let continues = part != 3;
        let Codes { equal, first, .. } = self.codes;
        let result = if continues {
            let settled = self.computed(Code::SelN, [a.index, b.index, first.index]);
            self.computed(Code::SelN, [of_words.index, settled.index, equal.index])
        } else {
            of_words
        };
        if self.has_codes()? {
            if part == 1 {
                return Err(self.unsupported_because("the condition codes of the lowest word"));
            }
            self.keep_order([a, b, p], signed, continues);
        }
        let d = self.written_register()?;
        self.d.emit(Code::MovN, d.index, [result.index, 0, 0], 0);
        Ok(())
    }

    /// Keeps which of two words is the one that is asked for, if no upper words have told.
    fn keep_order(&mut self, [a, b, p]: [Slot; 3], signed: bool, continues: bool) {
        for (code, slot) in [
            (codes::ZERO, self.codes.zero),
            (codes::SIGN, self.codes.sign),
            (codes::CARRY, self.codes.carry),
            (codes::OVERFLOW, self.codes.overflow),
        ] {
            self.forget(code, slot);
        }
        self.forget_carries();
        let less = if signed { Code::LtSN } else { Code::LtUN };
        let predicate = |spa: &mut Self, code, sources: [Slot; 2]| {
            let slot = spa.d.temporary(Class::Predicate);
            spa.d.emit(code, slot.index, [sources[0].index, sources[1].index, 0], 0);
            slot
        };
        let alike = predicate(self, Code::EqN, [a, b]);
        let forward = predicate(self, less, [a, b]);
        let backward = predicate(self, less, [b, a]);
        let lesser = predicate(self, Code::AndP, [forward, p]);
        let opposite = predicate(self, Code::NotP, [p, p]);
        let greater = predicate(self, Code::AndP, [backward, opposite]);
        let mut first = predicate(self, Code::OrP, [lesser, greater]);
        let mut equal = alike;
        if continues {
            let fresh = predicate(self, Code::AndP, [self.codes.equal, first]);
            let told = predicate(self, Code::NotP, [self.codes.equal, self.codes.equal]);
            let kept = predicate(self, Code::AndP, [told, self.codes.first]);
            first = predicate(self, Code::OrP, [fresh, kept]);
            equal = predicate(self, Code::AndP, [self.codes.equal, alike]);
        }
        self.d.emit(Code::MovP, self.codes.first.index, [first.index, 0, 0], 0);
        self.d.emit(Code::MovP, self.codes.equal.index, [equal.index, 0, 0], 0);
    }
}

/// The codes that an instruction reads.
fn read_by(instruction: &Instruction) -> u8 {
    if let Some(test) = instruction.modifier(TEST) {
        return codes::read_by(test);
    }
    if let Some(Operand::Condition(test)) = instruction.operands.first() {
        return codes::read_by(*test);
    }
    let named = instruction.operands.contains(&Operand::ConditionCodes);
    let is_extended = instruction.modifier("extension").unwrap_or(0) != 0;
    match instruction.form.mnemonic {
        M::P2R if named => ALL,
        M::ISETP | M::ISET if is_extended => codes::CARRY | codes::ZERO,
        M::IMNMX if matches!(instruction.modifier("part of a longer number"), Some(1 | 2)) => ORDER,
        M::IADD3 if is_extended => TWO_CARRIES,
        // Z of a longer number is made of the one before.
        _ if is_extended => codes::CARRY,
        _ => 0,
    }
}

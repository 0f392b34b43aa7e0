//! Operands to register indices.

use warpdiff_model::Deviation;
use warpdiff_ptx::vocabulary::SpecialRegister;
use warpdiff_sass::form::OperandField;
use warpdiff_sass::{Mark, Marks, Mnemonic, Operand, Register};

use super::super::Decode;
use super::{PT, Spa};
use crate::decoded::NarrowConstant;
use crate::memory_operation::{Address, Place};
use crate::operation::{Class, Code, Slot};

impl Spa<'_> {
    /// Operand `n`.
    pub(super) fn operand(&self, n: usize) -> Decode<Operand> {
        self.instruction()
            .operands
            .get(n)
            .copied()
            .ok_or_else(|| self.unsupported_because("an operand is missing"))
    }

    /// The number of the operand with that role: `Rd`, `Ra`, `Rb`, `Rc`.
    pub(super) fn numbered(&self, wanted: &str) -> Decode<usize> {
        self.place_of(wanted).ok_or_else(|| self.unsupported_because("an operand is missing"))
    }

    /// The same, if there is such an operand.
    pub(super) fn place_of(&self, wanted: &str) -> Option<usize> {
        let fields = self.instruction().form.operands;
        fields.iter().position(|field| match field {
            OperandField::Register { role, .. } => *role == wanted,
            OperandField::OptionalRd => wanted == "Rd",
            _ => false,
        })
    }

    /// What is done to operand `n` on its way.
    pub(super) fn marks(&self, n: usize) -> Marks {
        self.instruction().marks.get(n).copied().unwrap_or_default()
    }

    /// A 32-bit source as it is used: inverted or negated where it is marked so.
    pub(super) fn source(&mut self, n: usize) -> Decode<Slot> {
        let value = self.unmarked(n)?;
        let marks = self.marks(n);
        if [Mark::Absolute, Mark::UpperHalf, Mark::LowerHalf, Mark::ByteOne, Mark::ByteTwo]
            .into_iter()
            .any(|mark| marks.has(mark))
        {
            return Err(self.unsupported());
        }
        let value = match marks.has(Mark::Inverted) {
            true => self.computed(Code::NotN, [value.index, 0, 0]),
            false => value,
        };
        if !marks.has(Mark::Negated) {
            return Ok(value);
        }
        let zero = self.d.constant(Class::Narrow, 0);
        Ok(self.computed(Code::SubN, [zero.index, value.index, 0]))
    }

    /// A narrow temporary with the result of an operation.
    pub(super) fn computed(&mut self, code: Code, sources: [u32; 3]) -> Slot {
        let result = self.d.temporary(Class::Narrow);
        self.d.emit(code, result.index, sources, 0);
        result
    }

    /// A 32-bit source, whatever its marks.
    pub(super) fn unmarked(&mut self, n: usize) -> Decode<Slot> {
        match self.operand(n)? {
            Operand::Register(register) => Ok(self.read(register)),
            Operand::Immediate(_)
                if let Some(place) = self.banks.immediate(self.number)
                    && matches!(self.instruction().form.operands[n], OperandField::Immediate32 { .. }) =>
            {
                Ok(self.d.narrow_constant(NarrowConstant::Bank(place)))
            }
            Operand::Immediate(value) => Ok(self.d.constant(Class::Narrow, u64::from(value as u32))),
            Operand::Float(value) if !value.is_double => Ok(self.d.constant(Class::Narrow, value.bits)),
            Operand::Constant { bank, offset } => self.bank_word(bank, offset),
            _ => Err(self.unsupported_because("this kind of operand")),
        }
    }

    /// A register as a source: `RZ` reads zero.
    pub(super) fn read(&mut self, register: Register) -> Slot {
        match self.stored(register) {
            Some(slot) => slot,
            None => self.d.constant(Class::Narrow, 0),
        }
    }

    /// The registers starting at `first` that hold `bytes`; `RZ` gives that many zeros and is never stored to.
    pub(super) fn range(&self, first: Register, bytes: u32) -> Vec<Option<Slot>> {
        let count = bytes.div_ceil(4) as u8;
        (0..count)
            .map(|n| {
                self.stored(if first == Register::RZ { first } else { Register(first.0.saturating_add(n)) })
            })
            .collect()
    }

    /// The slot of an allocated register: not `RZ`, and within the program's register count.
    pub(super) fn stored(&self, register: Register) -> Option<Slot> {
        (u16::from(register.0) < self.header.registers.min(255))
            .then(|| Slot { class: Class::Narrow, index: u32::from(register.0) })
    }

    /// Operand `n`, a register.
    pub(super) fn register(&self, n: usize) -> Decode<Register> {
        match self.operand(n)? {
            Operand::Register(register) => Ok(register),
            _ => Err(self.unsupported_because("a register that does not exist")),
        }
    }

    /// `Rd`, a destination of 32 bits.
    pub(super) fn destination(&mut self) -> Decode<Slot> {
        let n = self.numbered("Rd")?;
        if self.marks(n).has(Mark::ConditionCodes) {
            return Err(self.unsupported_because("condition codes"));
        }
        let register = self.register(n)?;
        Ok(self.stored(register).unwrap_or(self.sinks.narrow))
    }

    /// Operand `n`, a predicate that is read.
    pub(super) fn predicate(&mut self, n: usize) -> Decode<Slot> {
        let Operand::Predicate { predicate, negated } = self.operand(n)? else {
            return Err(self.unsupported_because("this kind of operand"));
        };
        if predicate == PT {
            return Ok(self.d.constant(Class::Predicate, u64::from(!negated)));
        }
        let slot = Slot { class: Class::Predicate, index: u32::from(predicate) };
        if !negated {
            return Ok(slot);
        }
        let opposite = self.d.temporary(Class::Predicate);
        self.d.emit(Code::NotP, opposite.index, [slot.index, 0, 0], 0);
        Ok(opposite)
    }

    /// Operand `n`, a predicate that is written.
    pub(super) fn predicate_destination(&self, n: usize) -> Decode<Slot> {
        match self.operand(n)? {
            Operand::Predicate { predicate: PT, .. } => Ok(self.sinks.predicate),
            Operand::Predicate { predicate, .. } => {
                Ok(Slot { class: Class::Predicate, index: u32::from(predicate) })
            }
            _ => Err(self.unsupported_because("this kind of operand")),
        }
    }

    /// A special register of the launch.
    pub(super) fn special(&mut self, register: SpecialRegister, component: u32) -> Slot {
        self.d.narrow_constant(NarrowConstant::Special(register, component))
    }

    /// A word of constant bank 0, which describes the launch.
    pub(super) fn launch_constant(&mut self, offset: i32) -> Decode<Slot> {
        self.bank_word(0, offset)
    }

    /// A word of a constant bank: a constant register, which each warp finds filled.
    pub(super) fn bank_word(&mut self, bank: u8, offset: i32) -> Decode<Slot> {
        let Some(place) = self.banks.place(bank, offset, 4) else {
            return Err(self.unsupported_because("a constant outside of its bank"));
        };
        Ok(self.d.narrow_constant(NarrowConstant::Bank(place)))
    }

    /// Operand `n`, an address in a 16 MB window.
    ///
    /// "If register Ra is omitted, equal to RZ, or beyond the set of registers supported for the shader, the effective address is
    /// the zero-extended absolute unsigned immediate offset. […] Otherwise, the effective address is equal to the sum of register
    /// Ra and the signed-extended signed immediate offset." Of `ATOMS` its page says the same of `RZ`, and that it "uses
    /// window-specific addressing, like LDS and STS"; the sum is "the 32-bit addition".
    pub(super) fn window_address(&mut self, n: usize, place: Place) -> Decode<Address> {
        let Operand::Address { base, offset } = self.operand(n)? else {
            return Err(self.unsupported_because("this kind of address"));
        };
        let unsigned = offset as u32 & IMMEDIATE;
        let written = base;
        let Some(base) = self.stored(written) else {
            let missing = written != Register::RZ && self.mnemonic() == Mnemonic::ATOMS;
            let signed = self.d.deviates(Deviation::SpaAbsoluteSignExtended)
                || missing && self.d.deviates(Deviation::SpaAtomsMissingRegisterSigned);
            let sign_extended = signed && unsigned >> 23 == 1;
            let absolute = if sign_extended { unsigned | !IMMEDIATE } else { unsigned };
            return Ok(Address { place, base: None, offset: i64::from(absolute) });
        };
        let added = if self.d.deviates(Deviation::SpaOffsetZeroExtended) { unsigned } else { offset as u32 };
        if self.d.deviates(Deviation::SpaAddressNotWrapped) {
            let wide = self.d.in_class(base, Class::Wide);
            return Ok(Address { place, base: Some(wide), offset: i64::from(added as i32) });
        }
        if added == 0 {
            return Ok(Address { place, base: Some(base), offset: 0 });
        }
        let (added, sum) =
            (self.d.constant(Class::Narrow, u64::from(added)), self.d.temporary(Class::Narrow));
        self.d.emit(Code::AddN, sum.index, [base.index, added.index, 0], 0);
        Ok(Address { place, base: Some(sum), offset: 0 })
    }
}

/// The bits of an immediate offset.
const IMMEDIATE: u32 = 0xFF_FFFF;

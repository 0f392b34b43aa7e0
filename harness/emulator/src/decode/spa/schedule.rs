//! Decodes control fields of scheduled programs: the waits, signals, reads and writes of an instruction.

use warpdiff_sass::control::NO_BARRIER;
use warpdiff_sass::form::OperandField;
use warpdiff_sass::mnemonic::{Access, Subject, Timing};
use warpdiff_sass::{Mnemonic, Operand, Register, serial_control};

use super::super::Decode;
use super::{PT, Spa};
use crate::operation::{Class, Code, Guard, Slot};
use crate::schedule::{Duty, Queue, Reached, Schedule};

/// What an instruction does with registers.
#[derive(Default)]
struct Uses {
    /// Those that it reads, its address included.
    reads: Vec<Slot>,
    /// Those that it writes.
    writes: Vec<Slot>,
    /// Those of its address.
    base: Vec<Slot>,
}

impl Spa<'_> {
    /// The schedule of each statement, without the places that it accesses.
    pub(super) fn schedules(&mut self) -> Decode<Vec<Schedule>> {
        let program = self.program;
        let one = |(number, statement)| {
            (self.number, self.statement) = (number, statement);
            self.schedule()
        };
        program.statements.iter().enumerate().map(one).collect()
    }

    /// What an instruction waits for and signals.
    fn schedule(&self) -> Decode<Schedule> {
        let control = self.statement.control.unwrap_or_default();
        let Uses { reads, writes, .. } = self.uses();
        Ok(Schedule {
            guard: self.written_guard(),
            waits: control.wait | self.waited_set(),
            leaving: self.waited_partly()?,
            queue: match self.mnemonic() {
                Mnemonic::LD | Mnemonic::LDG | Mnemonic::LDL | Mnemonic::ATOM => Some(Queue::Cached),
                Mnemonic::LDS | Mnemonic::ATOMS | Mnemonic::SHFL => Some(Queue::Shared),
                _ if self.is_image_access() => Some(Queue::Cached),
                _ if self.instruction().form.traits.timing == Timing::Slow => Some(Queue::Slow),
                _ => None,
            },
            is_covered: control.write_barrier == NO_BARRIER || self.mnemonic() == Mnemonic::ATOMS,
            reads_in_order: self.reads_in_order(),
            looks_up: self.is_image_access(),
            drains: matches!(self.mnemonic(), Mnemonic::BAR | Mnemonic::MEMBAR),
            write_barrier: barrier(control.write_barrier),
            read_barrier: barrier(control.read_barrier),
            reads,
            writes,
            address: None,
            duty: self.duty(),
        })
    }

    /// Decodes an instruction between its wait and signal operations.
    pub(super) fn scheduled_statement(&mut self, schedule: Schedule) -> Decode {
        let x = self.d.out.schedules.len() as u32;
        self.d.out.schedules.push(schedule);
        self.signalling(Code::Await, x);
        let first = self.d.out.ops.len();
        self.statement()?;
        self.d.out.schedules[x as usize].address = self.reached(first, self.uses().base);
        self.signalling(Code::Signal, x);
        Ok(())
    }

    /// The barriers that `DEPBAR` names in braces.
    fn waited_set(&self) -> u8 {
        let sets = self.instruction().operands.iter().map(|operand| match operand {
            Operand::Scoreboards(set) => *set,
            _ => 0,
        });
        sets.fold(0, |all, set| all | set)
    }

    /// "DEPBAR.LE SB, n": the barrier, and how many of the instructions that signal it may be under way still.
    fn waited_partly(&self) -> Decode<Option<(u8, u32)>> {
        let [Operand::Scoreboard(barrier), Operand::Immediate(most), ..] = self.instruction().operands[..]
        else {
            return Ok(None);
        };
        Ok(Some((barrier, u32::try_from(most).unwrap_or(0))))
    }

    fn signalling(&mut self, code: Code, x: u32) {
        self.d.guard = Guard::NONE;
        self.d.emit(code, 0, [0; 3], x);
    }

    /// The guard as it is written; `None`: it never executes.
    fn written_guard(&self) -> Option<Guard> {
        match (self.instruction().guard.predicate, self.instruction().guard.negated) {
            (PT, false) => Some(Guard::NONE),
            (PT, true) => None,
            (predicate, negated) => Some(Guard::new(u32::from(predicate), negated)),
        }
    }

    /// When the instruction reads and writes, as the sound schedule of a program without one has it.
    fn duty(&self) -> Duty {
        let serial = serial_control(self.instruction());
        if self.stalls_long_enough() {
            return Duty::Fixed;
        }
        let late = serial.write_barrier != NO_BARRIER || serial.read_barrier != NO_BARRIER;
        if late || self.signals_alone() { Duty::Late } else { Duty::Fixed }
    }

    /// Whether it is a slow instruction that writes no register and signals a barrier: ptxas 12.9 waits for `I2I RZ.CC`, and so for the
    /// conversions before it.
    fn signals_alone(&self) -> bool {
        let control = self.statement.control.unwrap_or_default();
        self.instruction().form.traits.timing == Timing::Slow && control.write_barrier != NO_BARRIER
    }

    /// Whether an instruction that is slower than others stalls until its result is there, so that it needs no barrier. Thirteen cycles
    /// is what ptxas 12.9 waits for `I2I`; what memory answers comes at no time that could be stated.
    fn stalls_long_enough(&self) -> bool {
        let is_computed = self.instruction().form.traits.timing == Timing::Slow;
        let control = self.statement.control.unwrap_or_default();
        is_computed && control.write_barrier == NO_BARRIER && control.stall >= 13
    }

    /// Whether it goes through the memory unit, which reads the sources of one instruction after another.
    fn reads_in_order(&self) -> bool {
        self.instruction().form.traits.access.is_some() || self.mnemonic() == Mnemonic::SHFL
    }

    /// Whether it accesses a surface or a texture. The unit that does both does `LDG` as well, all in order: ptxas 12.9 waits for a `SULD`
    /// or an `LDG` alone where it needs what a `TXQ` before it gives.
    fn is_image_access(&self) -> bool {
        matches!(self.instruction().form.traits.subject, Subject::Surface | Subject::Texture)
    }

    /// Whether all its register operands are sources.
    fn is_store(&self) -> bool {
        self.instruction().form.traits.access.is_some_and(Access::is_store)
    }

    /// What the operations from `first` on access, the address in the registers `base`.
    fn reached(&self, first: usize, base: Vec<Slot>) -> Option<Reached> {
        let accesses = |code| matches!(code, Code::Load | Code::Store | Code::Atomic);
        let op = self.d.out.ops[first..].iter().rev().find(|op| accesses(op.code))?;
        let (address, size) = match op.code {
            Code::Atomic => {
                let atomic = &self.d.out.atomics[op.x as usize];
                (atomic.address, atomic.size)
            }
            _ => {
                let access = &self.d.out.accesses[op.x as usize];
                (access.address, access.size * access.registers.len() as u32)
            }
        };
        Some(Reached { address, size, base })
    }

    fn uses(&self) -> Uses {
        let instruction = self.instruction();
        let mut uses = Uses::default();
        let results = match self.is_store() {
            true => [None, None],
            false => ["Rd", "Rd2"].map(|role| self.place_of(role)),
        };
        for (n, operand) in instruction.operands.iter().enumerate() {
            match *operand {
                Operand::Register(register) => {
                    let is_result = results.contains(&Some(n));
                    let slots = self.range(register, 4 * instruction.registers(n));
                    let list = if is_result { &mut uses.writes } else { &mut uses.reads };
                    list.extend(slots.into_iter().flatten());
                }
                Operand::Predicate { predicate, .. } if predicate != PT => {
                    let slot = Slot { class: Class::Predicate, index: u32::from(predicate) };
                    let is_read = match instruction.form.operands[n] {
                        OperandField::PredicateIn { .. } => true,
                        // Of generic accesses; that of `B2R` is a result.
                        OperandField::OptionalPredicate { .. } => instruction.form.traits.access.is_some(),
                        _ => false,
                    };
                    if is_read { uses.reads.push(slot) } else { uses.writes.push(slot) }
                }
                Operand::Address { base, .. } if base != Register::RZ => {
                    let bytes = match instruction.form.operands[n] {
                        OperandField::Coordinates => 4 * instruction.registers(n),
                        _ if self.is_fixed("E") => 8,
                        _ => 4,
                    };
                    uses.base.extend(self.range(base, bytes).into_iter().flatten());
                }
                _ => {}
            }
        }
        // A result beside the other half of its register.
        if self.modifier("place of the result") >= 2 {
            uses.reads.extend(&uses.writes);
        }
        uses.reads.extend(&uses.base);
        uses
    }
}

/// The barrier that a field names.
fn barrier(field: u8) -> Option<u8> {
    (field < 6).then_some(field)
}

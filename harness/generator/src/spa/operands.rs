//! An encoded step → text: the registers and predicates that the program gives it, and the statements that move predicates and
//! condition codes from and to registers.

use std::ops::Range;

use warpdiff_sass::form::OperandField;
use warpdiff_sass::mnemonic::{Subject, Timing};
use warpdiff_sass::texture::Part;
use warpdiff_sass::{Guard, Instruction, Operand as Field, Register as Number, serial_control};

use super::encoded::{Use, instruction, object_of, uses, uses_before, words};
use super::lookups::all_parts;
use super::registers::{HANDLE, ROWS};
use super::schedule::{Duty, Effect, Registers};
use super::write::Writer;
use crate::specimen::{Object, Operand, Register, Step};

/// The first of the predicates that are read, and of those that are written.
const TESTS: u8 = 1;
const VERDICTS: u8 = 4;
/// No barrier, in a control field.
const NONE: u8 = warpdiff_sass::control::NO_BARRIER;

impl Writer<'_> {
    /// The statements of an encoded step; answers where the instruction itself stands. What both instructions of a step need is there
    /// before the first of them, and what they leave is kept behind the second.
    pub(super) fn encoded(&mut self, step: &Step, before: u64, word: u64) -> Range<usize> {
        let (mut sources, mut results) = (step.sources.iter(), step.results.iter());
        let guard = self.guard(step);
        let mut all: Vec<Given> = Vec::new();
        for (number, word) in words(before, word).enumerate() {
            let instruction = instruction(word);
            let is_before = number == 0 && before != 0;
            let uses = if is_before { uses_before(&instruction) } else { uses(&instruction) };
            let mut given = Given::new(instruction, all.last());
            for one in uses {
                self.give(&mut given, one, &mut sources, &mut results);
            }
            given.repeat_result();
            all.push(given);
        }
        let mut range = 0..0;
        for given in &all {
            let text = format!("{guard}{}", given.instruction);
            let reads = if guard.is_empty() { given.reads } else { given.reads.and(Registers::predicate(0)) };
            let effect = Effect { reads, writes: given.writes, duty: duty(&given.instruction) };
            range = self.out.push(text.trim_end_matches(';').trim_end(), effect);
        }
        all.iter().for_each(|given| self.keep(given));
        range
    }

    /// Gives an instruction a source, or a place for a result.
    fn give<'o>(
        &mut self,
        given: &mut Given,
        one: Use,
        sources: &mut impl Iterator<Item = &'o Operand>,
        results: &mut impl Iterator<Item = &'o Register>,
    ) {
        if !one.is_result() {
            return self.source(given, one, sources);
        }
        let Some(result) = results.next() else { return };
        let (first, mut count) = self.place(*result);
        if let Use::Results(n) = one {
            count = given.instruction.registers(n) as u8;
            results.by_ref().take(usize::from(count) - 1).for_each(drop);
        }
        given.result(one, (first, count));
    }

    /// Keeps the predicates and the condition codes that an instruction has written.
    fn keep(&mut self, given: &Given) {
        for (predicate, register) in &given.verdicts {
            let statement = format!("SEL R{register}, RZ, 0x1, !P{predicate}");
            self.fixed(&statement, Registers::predicate(*predicate), Registers::of(*register, 1));
        }
        for (state, register) in &given.kept {
            let (name, mask, read) = match state {
                Use::CodesAfter => ("CC", 0xf, Registers::CODES),
                _ => ("PR", 0x7f, Registers::PREDICATES),
            };
            let statement = format!("P2R R{register}, {name}, RZ, {mask:#x}");
            self.fixed(&statement, read, Registers::of(*register, 1));
        }
    }

    /// Gives an instruction one of its sources.
    fn source<'o>(&mut self, given: &mut Given, one: Use, sources: &mut impl Iterator<Item = &'o Operand>) {
        match one {
            Use::Handle(n) => return self.handle(given, n),
            Use::Row(n) => return self.row(given, n, sources),
            _ => {}
        }
        let Some(source) = sources.next() else { return };
        let register = source.register().map(|register| self.place(register));
        match (one, register) {
            (Use::Constant(n), _) => given.instruction.operands[n] = constant(self.next_constant()),
            (Use::Indexed(n), Some((base, _))) => {
                // The constant itself.
                sources.next();
                let at = self.next_constant();
                given.index(n, base, at);
            }
            (Use::Source(n), Some((first, count))) => given.read(n, first, count),
            (Use::Test(n), Some((word, _))) => {
                let predicate = given.test(n);
                self.set_predicate(predicate, word, "RZ");
            }
            (Use::Before, Some((word, count))) => given.before = Some((word, count)),
            (Use::Codes, Some((word, _))) => {
                self.fixed(&format!("R2P CC, R{word}, 0xf"), Registers::of(word, 1), Registers::CODES);
                given.reads = given.reads.and(Registers::CODES);
            }
            (Use::Predicates, Some((word, _))) => {
                self.fixed(&format!("R2P PR, R{word}, 0x7f"), Registers::of(word, 1), Registers::PREDICATES);
                given.reads = given.reads.and(Registers::PREDICATES);
            }
            _ => {}
        }
        if let Some((before, count)) = given.before
            && let Some(first) = given.first_result
        {
            for n in 0..count {
                let (from, to) = (Registers::of(before + n, 1), Registers::of(first + n, 1));
                self.fixed(&format!("MOV R{}, R{}", first + n, before + n), from, to);
            }
            given.before = None;
            given.reads = given.reads.and(Registers::of(first, count));
        }
    }
}

impl Writer<'_> {
    /// Gives an instruction registers in a row, one of which may hold the handle of a texture.
    fn row<'o>(&mut self, given: &mut Given, n: usize, sources: &mut impl Iterator<Item = &'o Operand>) {
        let is_texture = given.instruction.form.traits.subject == Subject::Texture;
        let parts = if is_texture { all_parts(&given.instruction, n) } else { Vec::new() };
        let count = if is_texture { parts.len() } else { given.instruction.registers(n) as usize };
        let mut row = Vec::with_capacity(count);
        for place in 0..count {
            if parts.get(place) == Some(&Part::Handle) {
                self.load_handle(self.handle_at(Object::Picture));
                row.push((HANDLE, 1));
            } else {
                row.extend(self.places(sources.next().into_iter()));
            }
        }
        let free = given.next_row();
        let (first, used) = self.in_a_row(&row, free);
        given.row(n, first, used);
    }

    fn load_handle(&mut self, at: usize) {
        let register = Registers::of(HANDLE, 1);
        self.fixed(&format!("MOV R{HANDLE}, c[0x0][{at:#x}]"), Registers::default(), register);
    }

    /// Gives an instruction the handle of its image: in a register, or as the number of a word of constant bank 0.
    fn handle(&mut self, given: &mut Given, n: usize) {
        let Some(object) = object_of(&given.instruction) else { return };
        let at = self.handle_at(object);
        if matches!(given.instruction.form.operands[n], OperandField::Unsigned { .. }) {
            given.instruction.operands[n] = Field::Immediate(at as i64 / 4);
            return;
        }
        self.load_handle(at);
        given.read(n, HANDLE, 1);
    }
}

/// An instruction with what it has been given so far.
struct Given {
    instruction: Instruction,
    reads: Registers,
    writes: Registers,
    next_test: u8,
    next_verdict: u8,
    /// Predicates that it writes, each with the register for it.
    verdicts: Vec<(u8, u8)>,
    /// States that it writes, each with the register for it.
    kept: Vec<(Use, u8)>,
    /// The first register of its result.
    first_result: Option<u8>,
    /// What its result is to hold before: registers in a row.
    before: Option<(u8, u8)>,
    /// Rows of registers that it has been given.
    rows: usize,
}

impl Given {
    /// Nothing given yet. Predicates of the instruction before are taken.
    fn new(instruction: Instruction, before: Option<&Given>) -> Self {
        let none = Registers::default();
        let instruction = Instruction { guard: Guard::ALWAYS, ..instruction };
        Self {
            instruction,
            reads: none,
            writes: none,
            next_test: before.map_or(TESTS, |before| before.next_test),
            next_verdict: before.map_or(VERDICTS, |before| before.next_verdict),
            verdicts: Vec::new(),
            kept: Vec::new(),
            first_result: None,
            before: None,
            rows: before.map_or(0, |before| before.rows),
        }
    }

    /// The registers for the next row.
    fn next_row(&mut self) -> u8 {
        self.rows += 1;
        ROWS[(self.rows - 1) % 2]
    }

    /// Registers in a row that are read.
    fn row(&mut self, n: usize, first: u8, used: Registers) {
        self.instruction.operands[n] = match self.instruction.operands[n] {
            Field::Address { offset, .. } => Field::Address { base: Number(first), offset },
            _ => Field::Register(Number(first)),
        };
        self.reads = self.reads.and(used);
    }

    fn read(&mut self, n: usize, first: u8, count: u8) {
        self.instruction.operands[n] = Field::Register(Number(first));
        self.reads = self.reads.and(Registers::of(first, count));
    }

    /// The constant at `at`, by a register whose value is what the operand says is to be taken off.
    fn index(&mut self, n: usize, base: u8, at: i32) {
        if let Field::IndexedConstant { offset, .. } = self.instruction.operands[n] {
            self.instruction.operands[n] =
                Field::IndexedConstant { bank: 0, base: Number(base), offset: at + offset };
        }
        self.reads = self.reads.and(Registers::of(base, 1));
    }

    /// A predicate that is read.
    fn test(&mut self, n: usize) -> u8 {
        let number = self.next_test;
        self.next_test += 1;
        self.predicate(n, number);
        self.reads = self.reads.and(Registers::predicate(number));
        number
    }

    fn result(&mut self, one: Use, (first, count): (u8, u8)) {
        match one {
            Use::Result(n) | Use::Results(n) => {
                self.instruction.operands[n] = Field::Register(Number(first));
                self.writes = self.writes.and(Registers::of(first, count));
                self.first_result.get_or_insert(first);
            }
            Use::Verdict(n) => {
                let number = self.next_verdict;
                self.next_verdict += 1;
                self.predicate(n, number);
                self.writes = self.writes.and(Registers::predicate(number));
                self.verdicts.push((number, first));
            }
            Use::CodesAfter => {
                self.writes = self.writes.and(Registers::CODES);
                self.kept.push((one, first));
            }
            _ => {
                self.writes = self.writes.and(Registers::PREDICATES);
                self.kept.push((one, first));
            }
        }
    }

    /// Names the result once more where it is the last source.
    fn repeat_result(&mut self) {
        let result = self.instruction.operands.first().copied();
        for (field, operand) in self.instruction.form.operands.iter().zip(&mut self.instruction.operands) {
            if let (OperandField::RdAgain, Some(result)) = (field, result) {
                *operand = result;
            }
        }
    }

    fn predicate(&mut self, n: usize, number: u8) {
        if let Field::Predicate { predicate, .. } = &mut self.instruction.operands[n] {
            *predicate = number;
        }
    }
}

fn constant(offset: i32) -> Field {
    Field::Constant { bank: 0, offset }
}

/// When an instruction reads and writes.
fn duty(instruction: &Instruction) -> Duty {
    let control = serial_control(instruction);
    if instruction.form.traits.timing == Timing::Slow {
        // One whose result is `RZ` writes predicates or condition codes as late.
        return Duty::Result;
    }
    match (control.write_barrier, control.read_barrier) {
        (NONE, NONE) => Duty::Fixed,
        (NONE, _) => Duty::Sources,
        _ => Duty::Result,
    }
}

//! Specimen → text of SPA 5.0.
//!
//! The buffers are those of a PTX specimen; parameters lie in constant bank 0 from byte 0x140 on, 8 bytes each. Windows are filled
//! before the first step and copied back after the last one; results are stored at the end, so that they are under way as long as
//! nobody needs them.

use std::collections::HashMap;
use std::ops::Range;

use super::branches::{self, Address, Open};
use super::registers::{FIRST, IN, MEMORY, OUT, ROWS, RZ, SHARED, WORD, allocate};
use super::schedule::{Duty, Effect, Registers, Statements};
use crate::places::SLOT;
use crate::specimen::{Action, Object, Operand, Register, Shape, Side, Space, Specimen, Step, WINDOW};

/// Where the parameters begin in constant bank 0.
const PARAMETERS: usize = 0x140;

/// The program, where each step stands in it, and the step of each slot of the buffer `out`.
pub(crate) fn program(
    specimen: &Specimen,
    scheduled: bool,
    has_ptx: bool,
) -> (String, Vec<Range<usize>>, Vec<usize>) {
    let registers = allocate(specimen);
    let first_counter = registers.values().map(|(first, count)| first + count).max().unwrap_or(0).max(FIRST);
    let count = first_counter + specimen.blocks.len() as u8;
    let shared = if specimen.uses(Space::Shared) { WINDOW * specimen.threads as usize } else { 0 };
    let head = format!(
        ".spa 5.0\n.shader compute\n.registers {count}\n.shared {shared}\n.local {}\n\n",
        local_bytes(specimen)
    );
    let mut writer = Writer {
        specimen,
        has_ptx,
        registers,
        first_counter,
        out: Statements::new(head, scheduled),
        next_constant: 0,
        open: Vec::new(),
        labels: Vec::new(),
        addresses: Vec::new(),
    };
    writer.prologue();
    let steps = writer.body();
    let slots = specimen.steps.iter().enumerate();
    let slots = slots.flat_map(|(index, step)| std::iter::repeat_n(index, step.results.len())).collect();
    (writer.out.text, steps, slots)
}

/// Where the constants of each step begin among the parameters: behind the addresses of buffers and the handles, eight bytes each.
fn constants_at(specimen: &Specimen) -> Vec<usize> {
    let mut next = handles_at(specimen) + 8 * handles(specimen).count();
    let is_constant = |source: &&Operand| source.register().is_none();
    let mut begin = |step: &Step| {
        let begin = next;
        if matches!(step.shape, Shape::Encoded { .. }) {
            next += 8 * step.sources.iter().filter(is_constant).count();
        }
        begin
    };
    specimen.steps.iter().map(&mut begin).collect()
}

/// Bytes of local memory: the window, and all below the absolute addresses that lie above it.
fn local_bytes(specimen: &Specimen) -> u32 {
    let absolute = specimen.steps.iter().filter_map(|step| match step.shape {
        Shape::Window { space: Space::Local, offset, based: false, .. } => Some(offset as u32),
        _ => None,
    });
    // Those that are to lie outside are nearer to the end of the window.
    let upper = absolute.filter(|offset| (0x80_0000..0x80_0040).contains(offset)).max();
    match upper {
        Some(offset) => offset + 16,
        None if specimen.uses(Space::Local) => WINDOW as u32,
        None => 0,
    }
}

/// The buffers, each as the pair of registers that holds the address of this thread's record, and the bytes of a record.
fn records(specimen: &Specimen) -> impl Iterator<Item = (u8, usize)> {
    let results: usize = specimen.steps.iter().map(|step| step.results.len()).sum();
    let memory = if specimen.memory.is_empty() { 0 } else { Specimen::MEMORY_STRIDE };
    [(IN, specimen.inputs.len() * SLOT), (OUT, results * SLOT), (MEMORY, memory)].into_iter()
}

/// The images and the texture, in the order of their handles.
fn handles(specimen: &Specimen) -> impl Iterator<Item = Object> {
    let Specimen { source, sink, picture, .. } = specimen;
    let present = [
        (Object::Image(Side::Source), source.is_some()),
        (Object::Image(Side::Sink), sink.is_some()),
        (Object::Picture, picture.is_some()),
    ];
    present.into_iter().filter(|(_, is_there)| *is_there).map(|(object, _)| object)
}

/// Where the first handle stands in constant bank 0: behind the addresses of the buffers.
fn handles_at(specimen: &Specimen) -> usize {
    PARAMETERS + 8 * records(specimen).filter(|(_, stride)| *stride > 0).count()
}

/// Writes a specimen.
pub(super) struct Writer<'s> {
    pub(super) specimen: &'s Specimen,
    /// Whether every instruction has PTX.
    pub(super) has_ptx: bool,
    registers: HashMap<u32, (u8, u8)>,
    /// The first of the registers that count the runs of loops, one for each block.
    first_counter: u8,
    pub(super) out: Statements,
    /// Where the next constant stands among the parameters.
    next_constant: usize,
    /// The blocks that are open, the outermost first.
    pub(super) open: Vec<Open>,
    /// The statement that each label stands in front of.
    pub(super) labels: Vec<Option<usize>>,
    /// Addresses in the text.
    pub(super) addresses: Vec<Address>,
}

impl Writer<'_> {
    /// The first of the registers that a register of the specimen takes, and how many.
    pub(super) fn place(&self, register: Register) -> (u8, u8) {
        self.registers[&register.number]
    }

    /// Where the handle of an image or of the texture stands in constant bank 0.
    pub(super) fn handle_at(&self, object: Object) -> usize {
        let before = handles(self.specimen).take_while(|other| *other != object);
        handles_at(self.specimen) + 8 * before.count()
    }

    /// Where the next constant stands in constant bank 0. They follow the parameters for buffers, each of eight bytes.
    pub(super) fn next_constant(&mut self) -> i32 {
        let at = self.next_constant;
        self.next_constant += 8;
        at as i32
    }

    /// The register that counts the runs of a loop.
    pub(super) fn counter(&self, block: u8) -> u8 {
        self.first_counter + block
    }

    /// The steps with the branches around them, the end, and the functions that are called; answers where each step stands.
    fn body(&mut self) -> Vec<Range<usize>> {
        let specimen = self.specimen;
        let constants = constants_at(specimen);
        let mut ranges = vec![0..0; specimen.steps.len()];
        let mut functions = Vec::new();
        for (index, step) in specimen.steps.iter().enumerate() {
            self.go_to(step.within);
            match branches::call(step).filter(|_| !self.has_ptx) {
                Some(call) => functions.push((self.call(call), index)),
                None => {
                    self.next_constant = constants[index];
                    ranges[index] = self.step(step);
                }
            }
        }
        self.go_to(None);
        self.results();
        self.epilogue();
        // In some of the programs, whose number of threads no other choice depends on.
        let keeps_count = !self.has_ptx && specimen.threads == 3;
        self.goes(if keeps_count { "EXIT.KEEPREFCOUNT" } else { "EXIT" });
        for (label, index) in functions {
            self.put_label(label);
            self.next_constant = constants[index];
            ranges[index] = self.step(&specimen.steps[index]);
            self.goes("RET");
        }
        let mut text = std::mem::take(&mut self.out.text);
        self.put_addresses(&mut text);
        self.out.text = text;
        ranges
    }

    pub(super) fn fixed(&mut self, statement: &str, reads: Registers, writes: Registers) {
        self.out.push(statement, Effect { reads, writes, duty: Duty::Fixed });
    }

    fn load(&mut self, statement: &str, reads: Registers, writes: Registers) {
        self.out.push(statement, Effect { reads, writes, duty: Duty::Result });
    }

    fn store(&mut self, statement: &str, reads: Registers) {
        self.out.push(statement, Effect { reads, writes: Registers::default(), duty: Duty::Sources });
    }

    fn prologue(&mut self) {
        let none = Registers::default();
        self.load(&format!("S2R R{WORD}, SR_TID.X"), none, Registers::of(WORD, 1));
        let present = records(self.specimen).filter(|(_, stride)| *stride > 0);
        for (number, (pair, stride)) in present.enumerate() {
            let (high, parameter) = (pair + 1, PARAMETERS + 8 * number);
            let (low, both) = (Registers::of(pair, 1), Registers::of(high, 1));
            self.fixed(&format!("XMAD R{pair}, R{WORD}, {stride:#x}, RZ"), Registers::of(WORD, 1), low);
            self.fixed(&format!("IADD R{pair}.CC, R{pair}, c[0x0][{parameter:#x}]"), low, low);
            self.fixed(&format!("IADD.X R{high}, RZ, c[0x0][{:#x}]", parameter + 4), none, both);
        }
        if self.specimen.uses(Space::Shared) {
            let shift = WINDOW.trailing_zeros();
            let (word, shared) = (Registers::of(WORD, 1), Registers::of(SHARED, 1));
            self.fixed(&format!("SHL R{SHARED}, R{WORD}, {shift:#x}"), word, shared);
        }
        for (slot, input) in self.specimen.inputs.iter().enumerate() {
            let (first, count) = self.place(input.register);
            let size = if count == 2 { ".64" } else { "" };
            let statement = format!("LDG.E{size} R{first}, [R{IN}+{:#x}]", slot * SLOT);
            self.load(&statement, Registers::of(IN, 2), Registers::of(first, count));
        }
        self.copy_windows(true);
        let initial = self.specimen.steps.iter().filter(|step| step.within.is_some());
        for result in initial.flat_map(|step| &step.results) {
            // Not every lane writes it.
            let ((first, count), value) = (self.place(*result), result.class.initial());
            for n in 0..count {
                let word = (value >> (32 * n)) as u32;
                let statement = format!("MOV32I R{}, {word:#x}", first + n);
                self.fixed(&statement, Registers::default(), Registers::of(first + n, 1));
            }
        }
    }

    /// Copies the windows of shared and local memory from or to the buffer `memory`.
    fn copy_windows(&mut self, into: bool) {
        for space in [Space::Shared, Space::Local] {
            if !self.specimen.uses(space) {
                continue;
            }
            for offset in (0..WINDOW).step_by(16) {
                let quad = ROWS[offset / 16 % 2];
                let global = format!("[R{MEMORY}+{:#x}]", space as usize * WINDOW + offset);
                let (letter, window, address) = match space {
                    Space::Shared => ('S', format!("[R{SHARED}+{offset:#x}]"), Registers::of(SHARED, 1)),
                    _ => ('L', format!("[{offset:#x}]"), Registers::default()),
                };
                let (data, memory) = (Registers::of(quad, 4), Registers::of(MEMORY, 2));
                if into {
                    self.load(&format!("LDG.E.128 R{quad}, {global}"), memory, data);
                    self.store(&format!("ST{letter}.128 {window}, R{quad}"), address.and(data));
                } else {
                    self.load(&format!("LD{letter}.128 R{quad}, {window}"), address, data);
                    self.store(&format!("STG.E.128 {global}, R{quad}"), memory.and(data));
                }
            }
        }
    }

    fn epilogue(&mut self) {
        self.copy_windows(false);
    }

    /// Stores every result to its slot of `out`.
    fn results(&mut self) {
        let results = self.specimen.steps.iter().flat_map(|step| &step.results);
        for (slot, result) in results.enumerate() {
            let (first, count) = self.place(*result);
            let size = if count == 2 { ".64" } else { "" };
            let statement = format!("STG.E{size} [R{OUT}+{:#x}], R{first}", slot * SLOT);
            self.store(&statement, Registers::of(OUT, 2).and(Registers::of(first, count)));
        }
    }

    fn step(&mut self, step: &Step) -> Range<usize> {
        if let Shape::Encoded { before, word, .. } = step.shape {
            return self.encoded(step, before, word);
        }
        let guard = self.guard(step);
        let results = step.results.iter().map(|result| self.place(*result));
        let results: Vec<(u8, u8)> = results.collect();
        let writes = results
            .iter()
            .fold(Registers::default(), |all, (first, count)| all.and(Registers::of(*first, *count)));
        let result = results.first().map_or("RZ".to_owned(), |(first, _)| format!("R{first}"));
        let Shape::Window { action, space, offset, based } = step.shape else {
            unreachable!("a step of PTX in a program of SPA 5.0")
        };
        let (base, data) = step.sources.split_at(usize::from(based));
        let (address, reads) = self.address(space, offset, base);
        let data: Vec<(u8, u8)> = self.places(data.iter()).collect();
        let (statement, reads, duty) = match action {
            Action::Load => (format!("{result}, {address}"), reads, Duty::Result),
            Action::Store => {
                let (first, used) = self.in_a_row(&data, ROWS[0]);
                (format!("{address}, R{first}"), reads.and(used), Duty::Sources)
            }
            Action::Atomic => {
                let (data, used) = self.swapped(&data);
                (format!("{result}, {address}, {data}"), reads.and(used), Duty::Result)
            }
            Action::Reduction => {
                let (data, used) = self.swapped(&data);
                (format!("{address}, {data}"), reads.and(used), Duty::Sources)
            }
        };
        let reads = if guard.is_empty() { reads } else { reads.and(Registers::predicate(0)) };
        self.out.push(&format!("{guard}{} {statement}", step.opcode), Effect { reads, writes, duty })
    }

    /// The operands of an atomic as text: the second of two follows the first in its registers, unless one of both is `RZ`.
    fn swapped(&mut self, data: &[(u8, u8)]) -> (String, Registers) {
        match *data {
            [(RZ, _), (second, count)] => (format!("RZ, R{second}"), Registers::of(second, count)),
            [first, (RZ, _)] => {
                // It has to be where a pair can begin, too.
                let (first, used) = self.moved(&[first], ROWS[1]);
                (format!("R{first}, RZ"), used)
            }
            [(_, width), _] => {
                let (first, used) = self.in_a_row(data, ROWS[1]);
                (format!("R{first}, R{}", first + width), used)
            }
            _ => {
                let (first, used) = self.in_a_row(data, ROWS[1]);
                (format!("R{first}"), used)
            }
        }
    }

    /// Registers of operands: a literal, which is zero, is `RZ`.
    pub(super) fn places<'o>(
        &self,
        operands: impl Iterator<Item = &'o Operand>,
    ) -> impl Iterator<Item = (u8, u8)> {
        operands.map(|operand| operand.register().map_or((RZ, 1), |register| self.place(register)))
    }

    /// Has a predicate say whether a register differs from another.
    pub(super) fn set_predicate(&mut self, predicate: u8, register: u8, other: &str) {
        let statement = format!("ISETP.NE.AND P{predicate}, PT, R{register}, {other}, PT");
        self.fixed(&statement, Registers::of(register, 1), Registers::predicate(predicate));
    }

    /// The guard as text; the predicate is made here.
    pub(super) fn guard(&mut self, step: &Step) -> String {
        let Some((register, sense)) = step.guard else { return String::new() };
        let (word, _) = self.place(register);
        self.set_predicate(0, word, "RZ");
        if sense { "@P0 ".into() } else { "@!P0 ".into() }
    }

    /// The address as text, and the registers it is in.
    fn address(&mut self, space: Space, offset: i32, base: &[Operand]) -> (String, Registers) {
        let with = |register: u8| match offset {
            0 => format!("[R{register}]"),
            1.. => format!("[R{register}+{offset:#x}]"),
            _ => format!("[R{register}-{:#x}]", offset.unsigned_abs()),
        };
        let base = self.places(base.iter()).next();
        match (space, base) {
            (Space::Global, _) => (with(MEMORY), Registers::of(MEMORY, 2)),
            (_, None) => (format!("[{offset:#x}]"), Registers::default()),
            (Space::Local, Some((base, _))) => (with(base), Registers::of(base, 1)),
            (Space::Shared, Some((base, _))) => {
                let reads = Registers::of(base, 1).and(Registers::of(SHARED, 1));
                self.fixed(&format!("IADD R{WORD}, R{base}, R{SHARED}"), reads, Registers::of(WORD, 1));
                (with(WORD), Registers::of(WORD, 1))
            }
        }
    }

    /// The first of the registers that hold all of the data: where it is more than one value, it is moved to registers in a
    /// row, which are overwritten.
    pub(super) fn in_a_row(&mut self, data: &[(u8, u8)], row: u8) -> (u8, Registers) {
        if let [(first, count)] = data {
            return (*first, Registers::of(*first, *count));
        }
        self.moved(data, row)
    }

    /// Moves data to registers in a row.
    fn moved(&mut self, data: &[(u8, u8)], row: u8) -> (u8, Registers) {
        let mut next = row;
        for (first, count) in data {
            for register in *first..first + count {
                let (read, written) = (Registers::of(register, 1), Registers::of(next, 1));
                self.fixed(&format!("MOV R{next}, R{register}"), read, written);
                next += 1;
            }
        }
        (row, Registers::of(row, next - row))
    }
}

//! Specimen → text of SPA 5.0.
//!
//! The buffers are those of a PTX specimen; parameters lie in constant bank 0 from byte 0x140 on, 8 bytes each. Windows are filled
//! before the first step and copied back after the last one; results are stored at the end, so that they are under way as long as
//! nobody needs them.

use std::collections::HashMap;
use std::ops::Range;

use warpdiff_sass::Mnemonic;
use warpdiff_sass::mnemonic::Timing;

use super::schedule::{Duty, Effect, Registers, Statements};
use crate::places::SLOT;
use crate::specimen::{Action, Operand, Register, Shape, Space, Specimen, Step, WINDOW};

/// Pairs that hold the address of this thread's record of a buffer.
const IN: u8 = 0;
const OUT: u8 = 2;
const MEMORY: u8 = 4;
/// Where this thread's window of shared memory begins.
const SHARED: u8 = 6;
/// A number on its way: the thread's number, an address, a truth value.
const WORD: u8 = 7;
/// Four registers in a row for data that has to be in neighbouring registers, and four more.
const QUADS: [u8; 2] = [8, 12];
/// The first register of the specimen's own.
const FIRST: u8 = 16;

/// Where the parameters begin in constant bank 0.
const PARAMETERS: usize = 0x140;

/// The program, where each step stands in it, and the step of each slot of the buffer `out`.
pub(crate) fn program(specimen: &Specimen, scheduled: bool) -> (String, Vec<Range<usize>>, Vec<usize>) {
    let registers = allocate(specimen);
    let count = registers.values().map(|(first, count)| first + count).max().unwrap_or(0).max(FIRST);
    let shared = if specimen.uses(Space::Shared) { WINDOW * specimen.threads as usize } else { 0 };
    let head = format!(
        ".spa 5.0\n.shader compute\n.registers {count}\n.shared {shared}\n.local {}\n\n",
        local_bytes(specimen)
    );
    let mut writer = Writer { specimen, registers, out: Statements::new(head, scheduled) };
    writer.prologue();
    let steps = specimen.steps.iter().map(|step| writer.step(step)).collect();
    let slots = writer.results();
    writer.epilogue();
    writer.fixed("EXIT", Registers::default(), Registers::default());
    (writer.out.text, steps, slots)
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

/// For each register of the specimen the first that it takes and how many. The results of a step follow each other, aligned to their
/// number; a predicate is a word, which becomes one before it guards.
fn allocate(specimen: &Specimen) -> HashMap<u32, (u8, u8)> {
    let mut next = FIRST;
    let mut taken = HashMap::new();
    let mut take = |group: &[Register]| {
        let words = |register: &Register| (register.class.size() / 4).max(1) as u8;
        let count: u8 = group.iter().map(words).sum();
        next = next.next_multiple_of(count.max(1));
        for register in group {
            taken.insert(register.number, (next, words(register)));
            next += words(register);
        }
    };
    specimen.inputs.iter().for_each(|input| take(&[input.register]));
    specimen.steps.iter().for_each(|step| take(&step.results));
    taken
}

struct Writer<'s> {
    specimen: &'s Specimen,
    registers: HashMap<u32, (u8, u8)>,
    out: Statements,
}

impl Writer<'_> {
    fn place(&self, register: Register) -> (u8, u8) {
        self.registers[&register.number]
    }

    fn fixed(&mut self, statement: &str, reads: Registers, writes: Registers) {
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
        let results: usize = self.specimen.steps.iter().map(|step| step.results.len()).sum();
        let memory = if self.specimen.memory.is_empty() { 0 } else { Specimen::MEMORY_STRIDE };
        let records = [(IN, self.specimen.inputs.len() * SLOT), (OUT, results * SLOT), (MEMORY, memory)];
        let present = records.into_iter().filter(|(_, stride)| *stride > 0);
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
    }

    /// Copies the windows of shared and local memory from or to the buffer `memory`.
    fn copy_windows(&mut self, into: bool) {
        for space in [Space::Shared, Space::Local] {
            if !self.specimen.uses(space) {
                continue;
            }
            for offset in (0..WINDOW).step_by(16) {
                let quad = QUADS[offset / 16 % 2];
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
    fn results(&mut self) -> Vec<usize> {
        let mut slots = Vec::new();
        for (index, step) in self.specimen.steps.iter().enumerate() {
            for result in &step.results {
                let (first, count) = self.place(*result);
                let size = if count == 2 { ".64" } else { "" };
                let statement = format!("STG.E{size} [R{OUT}+{:#x}], R{first}", slots.len() * SLOT);
                self.store(&statement, Registers::of(OUT, 2).and(Registers::of(first, count)));
                slots.push(index);
            }
        }
        slots
    }

    fn step(&mut self, step: &Step) -> Range<usize> {
        let guard = self.guard(step);
        let results = step.results.iter().map(|result| self.place(*result));
        let results: Vec<(u8, u8)> = results.collect();
        let writes = results
            .iter()
            .fold(Registers::default(), |all, (first, count)| all.and(Registers::of(*first, *count)));
        let result = results.first().map_or(String::new(), |(first, _)| format!("R{first}"));
        let Shape::Window { action, space, offset, based } = step.shape else {
            let sources: Vec<u8> = self.sources(&step.sources).map(|(first, _)| first).collect();
            let list: Vec<String> = sources.iter().map(|first| format!("R{first}")).collect();
            let reads = sources.iter().fold(Registers::default(), |all, r| all.and(Registers::of(*r, 1)));
            let statement = format!("{guard}{} {result}, {}", step.opcode, list.join(", "));
            return self.out.push(&statement, Effect { reads, writes, duty: duty(&step.opcode) });
        };
        let (base, data) = step.sources.split_at(usize::from(based));
        let (address, reads) = self.address(space, offset, base);
        let data: Vec<(u8, u8)> = self.sources(data).collect();
        let (statement, reads, duty) = match action {
            Action::Load => (format!("{result}, {address}"), reads, Duty::Result),
            Action::Store => {
                let (first, used) = self.in_a_row(&data, QUADS[0]);
                (format!("{address}, R{first}"), reads.and(used), Duty::Sources)
            }
            Action::Atomic => {
                let (first, used) = self.in_a_row(&data, QUADS[1]);
                let mut statement = format!("{result}, {address}, R{first}");
                if let [(_, width), _] = data.as_slice() {
                    statement.push_str(&format!(", R{}", first + width));
                }
                (statement, reads.and(used), Duty::Result)
            }
        };
        self.out.push(&format!("{guard}{} {statement}", step.opcode), Effect { reads, writes, duty })
    }

    /// Registers of operands; specimens of SPA 5.0 have no literals.
    fn sources<'o>(&'o self, operands: &'o [Operand]) -> impl Iterator<Item = (u8, u8)> + 'o {
        operands.iter().filter_map(|operand| operand.register()).map(|register| self.place(register))
    }

    /// The guard as text; the predicate is made here.
    fn guard(&mut self, step: &Step) -> String {
        let Some((register, sense)) = step.guard else { return String::new() };
        let (word, _) = self.place(register);
        let statement = format!("ISETP.NE.AND P0, PT, R{word}, RZ, PT");
        self.fixed(&statement, Registers::of(word, 1), Registers::default());
        if sense { "@P0 ".into() } else { "@!P0 ".into() }
    }

    /// The address as text, and the registers it is in.
    fn address(&mut self, space: Space, offset: i32, base: &[Operand]) -> (String, Registers) {
        let with = |register: u8| match offset {
            0 => format!("[R{register}]"),
            1.. => format!("[R{register}+{offset:#x}]"),
            _ => format!("[R{register}-{:#x}]", offset.unsigned_abs()),
        };
        let base = self.sources(base).next();
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

    /// The first of the registers that hold all of the data: where it is more than one value, it is moved to four registers in a
    /// row, which are overwritten.
    fn in_a_row(&mut self, data: &[(u8, u8)], quad: u8) -> (u8, Registers) {
        if let [(first, count)] = data {
            return (*first, Registers::of(*first, *count));
        }
        let mut next = quad;
        for (first, count) in data {
            for register in *first..first + count {
                let (read, written) = (Registers::of(register, 1), Registers::of(next, 1));
                self.fixed(&format!("MOV R{next}, R{register}"), read, written);
                next += 1;
            }
        }
        (quad, Registers::of(quad, next - quad))
    }
}

/// When a function of registers is done.
fn duty(opcode: &str) -> Duty {
    let mnemonic = opcode.split('.').next().and_then(Mnemonic::from_text);
    match mnemonic.and_then(Mnemonic::traits).map(|traits| traits.timing) {
        Some(Timing::Slow | Timing::Open) => Duty::Result,
        Some(Timing::Fixed) | None => Duty::Fixed,
    }
}

#[cfg(test)]
mod tests {
    use super::{Duty, duty};
    use crate::specimen::Class;

    #[test]
    fn what_is_slow_says_when_its_result_is_there() {
        assert_eq!(duty("POPC"), Duty::Result);
        assert_eq!(duty("SHR.U32"), Duty::Fixed);
    }

    #[test]
    fn specimens_have_words_only_and_no_literals() {
        for index in 0..500 {
            let specimen = crate::spa_specimen(7, index).expect("a specimen");
            let inputs = specimen.inputs.iter().map(|input| input.register);
            let results = specimen.steps.iter().flat_map(|step| step.results.iter().copied());
            assert!(inputs.chain(results).all(|register| register.class != Class::B16));
            assert!(specimen.steps.iter().flat_map(|step| &step.sources).all(|s| s.register().is_some()));
        }
    }
}

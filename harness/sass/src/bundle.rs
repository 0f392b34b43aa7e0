//! Programs as memory holds them: bundles of one control word and three instruction words.

use crate::control::{Control, ControlWord, NO_BARRIER};
use crate::instruction::{Instruction, Register};
use crate::program::Program;
use crate::word::{Decoded, decode, encode};

/// Fills the last bundle: `NOP`.
const PADDING: u64 = 0x50b0_0000_0007_0f00;
const PADDING_CONTROL: Control =
    Control { stall: 0, stay: false, write_barrier: NO_BARRIER, read_barrier: NO_BARRIER, wait: 0, reuse: 0 };

/// Barrier of results in the serial schedule.
const RESULT: u8 = 0;
/// Barrier of sources in the serial schedule.
const SOURCES: u8 = 1;

/// A schedule that is sound whatever stands before and after: wait for all that is pending, signal all that will be, and give
/// instructions of fixed latency the longest stall there is.
pub fn serial_control(instruction: &Instruction) -> Control {
    let has_result = instruction.register("Rd").is_some_and(|rd| rd != Register::RZ);
    let (write_barrier, read_barrier) = match instruction.form.mnemonic {
        "LDL" | "LDS" | "LDG" | "ATOMS" | "S2R" if has_result => (RESULT, NO_BARRIER),
        // Nothing is written that could be waited for: the sources may be overwritten once they have been read.
        "LDL" | "LDS" | "LDG" | "ATOMS" | "STL" | "STS" | "STG" => (NO_BARRIER, SOURCES),
        _ => (NO_BARRIER, NO_BARRIER),
    };
    Control { stall: 15, stay: true, write_barrier, read_barrier, wait: 1 << RESULT | 1 << SOURCES, reuse: 0 }
}

impl Program {
    /// Its words, bundle by bundle. An unscheduled program gets [`serial_control`]; in any other, a statement without annotations
    /// waits for nothing and signals nothing.
    pub fn words(&self) -> Vec<u64> {
        let unscheduled = self.is_unscheduled();
        let mut words = Vec::with_capacity(self.statements.len().div_ceil(3) * 4);
        for bundle in self.statements.chunks(3) {
            let mut slots = [PADDING_CONTROL; 3];
            let mut instructions = [PADDING; 3];
            for (index, statement) in bundle.iter().enumerate() {
                slots[index] = if unscheduled {
                    serial_control(&statement.instruction)
                } else {
                    statement.control.unwrap_or_default()
                };
                instructions[index] = encode(&statement.instruction);
            }
            words.push(ControlWord { slots, top: false }.encode());
            words.extend(instructions);
        }
        words
    }
}

/// The instructions of a sequence of bundles with their control fields; `None` where the words are no whole number of bundles.
pub fn disassemble(words: &[u64]) -> Option<Vec<(Control, Decoded)>> {
    let (bundles, rest) = words.as_chunks::<4>();
    let slots = |[control, instructions @ ..]: &[u64; 4]| {
        let slots = ControlWord::decode(*control).slots;
        slots.into_iter().zip(instructions.map(decode)).collect::<Vec<_>>()
    };
    rest.is_empty().then(|| bundles.iter().flat_map(slots).collect())
}

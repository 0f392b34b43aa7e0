//! Programs as memory holds them: bundles of one control word and three instruction words.

use std::fmt;

use warpdiff_ptx::source::Span;

use crate::control::{Control, ControlWord, NO_BARRIER};
use crate::form::OperandField;
use crate::instruction::{Instruction, Register};
use crate::mnemonic::{Access, Timing};
use crate::program::{Program, Statement};
use crate::word::{Decoded, IllegalField, decode, encode};

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
    let traits = instruction.form.traits;
    // A predicate is written in any case.
    let has_predicate = |field: &OperandField| match field {
        OperandField::PredicateOut { .. } => true,
        OperandField::OptionalPredicate { .. } => traits.access.is_none(),
        _ => false,
    };
    let is_stored = |role| instruction.register(role).is_some_and(|rd| rd != Register::RZ);
    let has_result =
        is_stored("Rd") || is_stored("Rd2") || instruction.form.operands.iter().any(has_predicate);
    let (write_barrier, read_barrier) = match (traits.timing, traits.access) {
        (Timing::Fixed, _) => (NO_BARRIER, NO_BARRIER),
        (Timing::Slow | Timing::Open, access) if has_result && !access.is_some_and(Access::is_store) => {
            (RESULT, NO_BARRIER)
        }
        // Nothing is written that could be waited for: the sources may be overwritten once they have been read.
        (_, Some(_)) => (NO_BARRIER, SOURCES),
        (_, None) => (NO_BARRIER, NO_BARRIER),
    };
    Control { stall: 15, stay: true, write_barrier, read_barrier, wait: 1 << RESULT | 1 << SOURCES, reuse: 0 }
}

/// The address of the word of a statement: bytes from the first control word.
pub fn address(statement: usize) -> u32 {
    (statement / 3 * 32 + statement % 3 * 8 + 8) as u32
}

/// The statement whose word lies at an address. A control word stands for the instruction behind it.
pub fn statement_at(address: i64) -> Option<usize> {
    let address = usize::try_from(address).ok().filter(|address| address % 8 == 0)?;
    Some(address / 32 * 3 + (address % 32 / 8).saturating_sub(1))
}

/// The offset of a branch: from the word behind one statement to another, or to the control word in front of it, as ptxas encodes it.
pub(crate) fn offset(from: usize, to: usize) -> i32 {
    let in_front = if to.is_multiple_of(3) { 8 } else { 0 };
    (i64::from(address(to)) - in_front - i64::from(address(from)) - 8) as i32
}

impl Program {
    /// The field that a statement runs under: an unscheduled program gets [`serial_control`]; in any other, a statement without
    /// annotations waits for nothing and signals nothing. `.reuse` is no schedule, and kept in either.
    fn control(&self, statement: usize, unscheduled: bool) -> Control {
        let statement = &self.statements[statement];
        let control = if unscheduled {
            serial_control(&statement.instruction)
        } else {
            let stall = u8::from(!statement.paired);
            statement.control.unwrap_or(Control { stall, ..Control::default() })
        };
        Control { reuse: statement.reuse, ..control }
    }

    /// Its words, bundle by bundle, the last one filled up.
    pub fn words(&self) -> Vec<u64> {
        let unscheduled = self.is_unscheduled();
        let mut words = Vec::with_capacity(self.statements.len().div_ceil(3) * 4);
        for (bundle, statements) in self.statements.chunks(3).enumerate() {
            let mut slots = [PADDING_CONTROL; 3];
            let mut instructions = [PADDING; 3];
            for (index, statement) in statements.iter().enumerate() {
                slots[index] = self.control(bundle * 3 + index, unscheduled);
                instructions[index] = encode(&statement.instruction);
            }
            words.push(ControlWord { slots, top: false }.encode());
            words.extend(instructions);
        }
        words
    }

    /// The program of a sequence of bundles: every statement with its control field, no labels, no places.
    ///
    /// # Errors
    ///
    /// The first word that is no instruction, or a number of words that is no whole number of bundles.
    pub fn from_words(words: &[u64]) -> Result<Program, NotAProgram> {
        let instructions = disassemble(words).ok_or(NotAProgram::Incomplete { words: words.len() })?;
        let mut statements = Vec::with_capacity(instructions.len());
        for (index, (control, decoded)) in instructions.into_iter().enumerate() {
            let at = address(index);
            let instruction = match decoded {
                Decoded::Legal(instruction) => instruction,
                Decoded::Illegal(instruction, field) => {
                    return Err(NotAProgram::Illegal { at, text: instruction.to_string(), field });
                }
                Decoded::Undecodable(word) => return Err(NotAProgram::Undecodable { at, word }),
            };
            let (reuse, span) = (control.reuse, Span::default());
            let control = Some(control);
            statements.push(Statement { instruction, control, reuse, absolute: false, paired: false, span });
        }
        Ok(Program { statements, ..Program::default() })
    }
}

/// The reason why words are no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAProgram {
    /// Not a whole number of bundles of four words.
    Incomplete {
        /// The number of words.
        words: usize,
    },
    /// A word that the disassembler prints and that means nothing.
    Illegal {
        /// Bytes from the first control word.
        at: u32,
        /// The text that the disassembler prints.
        text: String,
        /// The field that is wrong.
        field: IllegalField,
    },
    /// A word that matches no form in the table.
    Undecodable {
        /// Bytes from the first control word.
        at: u32,
        /// The word.
        word: u64,
    },
}

impl fmt::Display for NotAProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAProgram::Incomplete { words } => {
                write!(f, "{words} words are no whole number of bundles of 4")
            }
            NotAProgram::Illegal { at, text, field } => write!(f, "at {at:#06x}, `{text}`: {field}"),
            NotAProgram::Undecodable { at, word } => {
                write!(f, "unsupported: word {word:#018x} at {at:#06x} is of no form in the table")
            }
        }
    }
}

impl std::error::Error for NotAProgram {}

/// The instructions of a sequence of bundles with their control fields; `None` where the words are no whole number of bundles.
pub fn disassemble(words: &[u64]) -> Option<Vec<(Control, Decoded)>> {
    let (bundles, rest) = words.as_chunks::<4>();
    let slots = |[control, instructions @ ..]: &[u64; 4]| {
        let slots = ControlWord::decode(*control).slots;
        slots.into_iter().zip(instructions.map(decode)).collect::<Vec<_>>()
    };
    rest.is_empty().then(|| bundles.iter().flat_map(slots).collect())
}

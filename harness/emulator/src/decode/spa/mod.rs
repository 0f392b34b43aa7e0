//! Decodes a checked SPA 5.0 program into flat operations: the same operations as PTX, on the same machine.
//!
//! The instruction's row in [`warpdiff_sass::table`] determines the decoding module:
//!
//! * [`arithmetic`], [`bits`], [`video`], [`float`], [`double`], [`approximation`], [`half`], [`conversion`] – functions of registers;
//!   [`sum`], [`product`], [`resize`] – parts of these.
//! * [`predicates`], [`codes`] – comparisons, predicates, condition codes.
//! * [`warp`] – votes, shuffles, barriers and fences.
//! * [`constant`] – loads from constant banks.
//! * [`memory`], [`atomic`] – windows, global and generic memory, atomics.
//! * [`surface`], [`texture`] – accesses to surfaces, lookups in textures.
//! * [`control`] – branches, calls, the end.
//! * [`special`] – registers that describe the thread, the launch and the processor.
//!
//! [`operand`] decodes registers, immediates, constants and addresses; [`schedule`] decodes scheduling information, if present, and
//! [`sound`] finds out whether a run has to check it.
//!
//! A 32-bit register is a narrow register of the frame with the same number; wider values occupy consecutive registers.

mod approximation;
mod arithmetic;
mod atomic;
mod bits;
mod codes;
mod constant;
mod control;
mod conversion;
mod double;
mod float;
mod half;
mod memory;
mod operand;
mod predicates;
mod product;
mod resize;
mod schedule;
mod sound;
mod special;
mod sum;
mod surface;
mod texture;
mod video;
mod warp;

use std::sync::LazyLock;

use warpdiff_model::Semantics;
use warpdiff_ptx::checked::{EcoString, FunctionId, Module};
use warpdiff_sass::mnemonic::Subject;
use warpdiff_sass::{Header, Instruction, Mnemonic, Program, Statement, misread};

use self::codes::Codes;
use warpdiff_linker::{Banks, MachineCode};

use super::{Decode, Decoder};
use crate::decoded::{Decoded, Site, Unsupported};
use crate::operation::{Class, Code, Guard, Slot};
use crate::registers::FileSizes;

/// The predicate that is always true.
const PT: u8 = 7;
/// All bits of a register.
const WORD: u64 = 0xFFFF_FFFF;

/// Decodes a program under `semantics`, with the variables of its cubin in the slots from `first_slot` on. `module` replaces the PTX
/// module required by the machine: one kernel, and these variables.
///
/// # Errors
/// The first unsupported feature.
pub(crate) fn decode(
    code: &MachineCode,
    module: &Module,
    text: &str,
    semantics: &Semantics,
    first_slot: u32,
) -> Result<Decoded, Unsupported> {
    let MachineCode { program, banks } = code;
    let misread = misread::of(program, semantics);
    let program = misread.as_ref().unwrap_or(program);
    let Some(statement) = program.statements.first() else {
        return Err(Unsupported { span: Default::default(), what: "a program without instructions".into() });
    };
    let decoder = Decoder::new(module, text, semantics, first_slot)?;
    let mut spa = Spa {
        d: decoder,
        program,
        banks,
        header: &program.header,
        statement,
        number: 0,
        starts: Vec::new(),
        sinks: Sinks::default(),
        codes: Codes::default(),
        reduced: Reduced {
            count: Slot { class: Class::Narrow, index: 0 },
            outcome: Slot { class: Class::Predicate, index: 0 },
        },
    };
    spa.kernel()?;
    Ok(spa.d.out)
}

/// The names of the general registers, which every program has again.
static REGISTER_NAMES: LazyLock<Vec<EcoString>> =
    LazyLock::new(|| (0..255).map(|number| format!("R{number}").as_str().into()).collect());

/// Destinations of discarded results: `RZ` and `PT`.
#[derive(Clone, Copy)]
struct Sinks {
    narrow: Slot,
    predicate: Slot,
}

impl Default for Sinks {
    fn default() -> Self {
        Sinks {
            narrow: Slot { class: Class::Narrow, index: 0 },
            predicate: Slot { class: Class::Predicate, index: 0 },
        }
    }
}

/// What a thread has of the latest `BAR.RED`, for `B2R.RESULT`.
#[derive(Clone, Copy)]
struct Reduced {
    /// How many threads have a true predicate.
    count: Slot,
    /// Whether all have, or one.
    outcome: Slot,
}

/// The state of decoding a program.
struct Spa<'m> {
    d: Decoder<'m>,
    program: &'m Program,
    banks: &'m Banks,
    header: &'m Header,
    /// The statement being decoded.
    statement: &'m Statement,
    /// Its number.
    number: usize,
    /// The first operation of each statement.
    starts: Vec<u32>,
    sinks: Sinks,
    /// The condition codes.
    codes: Codes,
    /// The result of the latest `BAR.RED`.
    reduced: Reduced,
}

impl<'m> Spa<'m> {
    /// The whole program: one kernel.
    fn kernel(&mut self) -> Decode {
        self.lay_out_registers();
        self.check_end()?;
        let schedules = match self.program.is_unscheduled() {
            true => Vec::new(),
            false => self.schedules()?,
        };
        // What no path can find missing is not looked for at every instruction of a run.
        let are_checked = !sound::is_sound(self.program, &schedules);
        let mut schedules = schedules.into_iter().filter(|_| are_checked);
        // No statement needs what another has left in its temporaries: they share them.
        let shared = self.d.sizes;
        let mut sizes = shared;
        for (index, statement) in self.program.statements.iter().enumerate() {
            self.starts.push(self.d.out.ops.len() as u32);
            (self.number, self.statement) = (index, statement);
            self.d.site = Site { function: 0, instruction: index as u32 };
            match schedules.next() {
                Some(schedule) => self.scheduled_statement(schedule)?,
                None => self.statement()?,
            }
            sizes = sizes.largest(self.d.sizes);
            self.d.sizes = shared;
        }
        self.starts.push(self.d.out.ops.len() as u32);
        let starts = std::mem::take(&mut self.starts);
        self.d.resolve_jumps(&starts);
        self.d.out.statements = starts;
        self.d.out.statements.pop();
        let info = &mut self.d.out.functions[0];
        info.start = Some(0);
        info.registers = sizes;
        info.frame_size = self.header.local;
        self.d.out.static_shared = self.header.shared;
        Ok(())
    }

    /// The registers of the program come first, under their own numbers.
    fn lay_out_registers(&mut self) {
        self.d.id = FunctionId(0);
        let registers = u32::from(self.header.registers.min(255));
        let predicates = u32::from(PT);
        self.d.sizes = FileSizes { narrow: registers, wide: 0, predicates };
        let names = &mut self.d.out.functions[0].names;
        names.narrow = REGISTER_NAMES[..registers as usize].to_vec();
        names.predicates = (0..predicates).map(|number| format!("P{number}").as_str().into()).collect();
        self.sinks =
            Sinks { narrow: self.d.temporary(Class::Narrow), predicate: self.d.temporary(Class::Predicate) };
        self.lay_out_codes();
        self.reduced =
            Reduced { count: self.d.temporary(Class::Narrow), outcome: self.d.temporary(Class::Predicate) };
    }

    fn statement(&mut self) -> Decode {
        let instruction = &self.statement.instruction;
        self.d.guard = match (instruction.guard.predicate, instruction.guard.negated) {
            (PT, false) => Guard::NONE,
            // `@!PT` never executes.
            (PT, true) => {
                self.d.guard = Guard::NONE;
                self.d.emit(Code::Nop, 0, [0; 3], 0);
                return Ok(());
            }
            (predicate, negated) => Guard::new(u32::from(predicate), negated),
        };
        match instruction.form.traits.subject {
            Subject::Arithmetic => self.arithmetic(),
            Subject::Bits => self.bits(),
            Subject::Predicates => self.predicates(),
            Subject::Video => self.video(),
            Subject::Float => self.float(),
            Subject::Half => self.pairs_of_halves(),
            Subject::Conversion => self.conversion(),
            Subject::Memory => self.memory(),
            Subject::Atomic => self.atomic(),
            Subject::Warp => self.warp(),
            Subject::Surface => self.surface(),
            Subject::Texture => self.texture(),
            Subject::Control => self.control(),
            Subject::Special => self.special_register(),
        }
    }

    fn instruction(&self) -> &'m Instruction {
        &self.statement.instruction
    }

    fn mnemonic(&self) -> Mnemonic {
        self.instruction().form.mnemonic
    }

    /// The value of a modifier field; 0 where the form has none.
    fn modifier(&self, role: &str) -> u8 {
        self.instruction().modifier(role).unwrap_or(0)
    }

    /// Whether the form itself has this modifier.
    fn is_fixed(&self, modifier: &str) -> bool {
        self.instruction().form.fixed_modifiers.contains(&modifier)
    }

    /// "unsupported", with the instruction as it is written.
    fn unsupported(&self) -> Unsupported {
        let span = self.statement.span;
        let words = self.d.text.get(span.range()).unwrap_or("");
        let words = words.trim().trim_end_matches(';');
        Unsupported { span, what: format!("`{}`", words.split_whitespace().collect::<Vec<_>>().join(" ")) }
    }

    /// "unsupported", because of something about the instruction.
    fn unsupported_because(&self, why: &str) -> Unsupported {
        let mut error = self.unsupported();
        error.what = format!("{} ({why})", error.what);
        error
    }
}

//! The forms that programs for a target may have.

use std::sync::OnceLock;

use crate::forms::{self, Form, OpcodeForms};
use crate::places::TARGET;
use crate::{lanes, memory, moves};

/// Targets that brought forms which programs have, the newest last.
const LEVELS: [u32; 6] = [50, 60, 70, 75, 80, TARGET];

/// Forms by their kinds.
#[derive(Debug)]
pub(crate) struct Available {
    /// The number of the target.
    pub(crate) target: u32,
    /// Of instructions from registers to registers.
    pub(crate) registers: Vec<OpcodeForms>,
    /// Of accesses to memory, by opcode, each with how often it is drawn.
    pub(crate) memory: Vec<(u32, Vec<memory::Form>)>,
    /// Of operations among threads, by opcode.
    pub(crate) lanes: Vec<Vec<lanes::Form>>,
    /// Of `mov`.
    pub(crate) moves: Vec<moves::Form>,
    /// Of atomics that threads may contend for.
    pub(crate) contended: Vec<memory::Form>,
}

impl Available {
    /// The forms that a target has: the number of one, as in `sm_75`. Those of sm_50 are there in any case.
    pub(crate) fn on(target: u32) -> &'static Self {
        static ALL: [OnceLock<Available>; LEVELS.len()] = [const { OnceLock::new() }; LEVELS.len()];
        let level = LEVELS.iter().rposition(|level| *level <= target).unwrap_or_default();
        ALL[level].get_or_init(|| {
            let target = LEVELS[level];
            let memory = memory::of_target(target);
            Self {
                target,
                registers: forms::of_target(target),
                contended: memory::contended(&memory),
                memory,
                lanes: lanes::of_target(target),
                moves: moves::of_target(target),
            }
        })
    }

    /// A form that writes the carry.
    pub(crate) fn carry_writer(&self) -> &Form {
        let is_writer = |form: &&Form| form.text == "add.cc.u32";
        let forms = self.registers.iter().flat_map(|of_one| &of_one.forms);
        forms.into_iter().find(is_writer).expect("every target has `add.cc.u32`")
    }
}

/// All forms of instructions from registers to registers that programs have, by opcode.
pub fn register_forms() -> &'static [OpcodeForms] {
    &Available::on(TARGET).registers
}

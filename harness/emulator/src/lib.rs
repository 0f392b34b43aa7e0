//! The reference emulator: determines the specified behaviour of a launch, bit by bit.
//!
//! [`Program::new`] decodes a checked module once, [`Program::spa`] a checked program of SPA 5.0. [`allowed`] gives everything the specification permits a launch to do;
//! [`run`] does one run under one [`warpdiff_model::Semantics`]; [`observe`] makes the emulator a target.
//!
//! Processing steps of a program:
//!
//! * `compiled` – parses, checks and decodes program text.
//! * `program`, `decode` – decode a checked program into `decoded`: flat operations, declared in `operation`,
//!   `memory_operation` and `image_operation`.
//! * `launch` – checks a launch, binds its arguments, and prepares its initial memory.
//! * `machine` – executes it: blocks, warps, groups of lanes, and the loop over operations.
//! * `outcome`, `orders`, `allowed` – derive the allowed outcomes from the final memory, over all orders and choices.
//! * [`trace`] – one thread's run, instruction by instruction.
//! * `findings` – what a watched launch does wrong; [`look_on`] – a run of which an onlooker is told each operation.
//! * `device` – memory that outlives launches, for a driver.
//!
//! Data structures of the machine:
//!
//! * `registers`, `memory` – values as structures of arrays, with their shadow: which bits are undefined, unordered, unfixed.
//! * `address_space` – resolves addresses.
//! * [`warpdiff_races`] – detects data races and unordered atomics; [`warpdiff_semantics::definedness::doubt`] – undefined bits that
//!   result from approximations.
//!
//! The rules of arithmetic, of undefined bits, of surfaces and of textures are functions of [`warpdiff_semantics`]; the machine
//! applies them.

mod address_space;
mod allowed;
mod compiled;
mod decode;
mod decoded;
pub mod device;
mod findings;
mod image_operation;
mod launch;
mod machine;
mod memory;
mod memory_operation;
mod operation;
mod orders;
mod outcome;
mod program;
mod registers;
mod schedule;
pub mod trace;

use warpdiff_model::allowed::MaskedState;
use warpdiff_model::choice::ChoiceSet;

pub use allowed::{
    Reference, allowed, allowed_by_its_assignment, allowed_within, by_assignment, observe, observe_exposed,
    observe_printing, observe_unwritten, observe_within, reference,
};
pub use compiled::{Checked, CompileError, Compiled, compile, decode_module};
pub use decoded::Unsupported;
pub use launch::validation::LaunchError;
pub use machine::scoreboard::hazards::{Hazard, HazardKind};
pub use outcome::{findings, look_on, run};
pub use program::Program;
pub use warpdiff_semantics::printed::Printed;

/// Options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Keep definedness, order and races.
    pub tracked: bool,
    /// In a tracked run, find out which alternatives of the choices would change it: what else a launch may do is computed with the help of that.
    pub weighs: bool,
    /// In which order blocks, warps and the lanes of atomics are served.
    pub schedule: Schedule,
    /// Invert the undefined bits of the memory at the end, which a tracked run knows, so that a value which is right by chance is seen.
    pub exposes_undefined: bool,
    /// What the registers of machine code, and shared and local memory, hold before anything is written there.
    pub unwritten: Unwritten,
    /// Thread-instructions after which it counts as one that does not end, if [`Launch::step_budget`](warpdiff_model::Launch::step_budget)
    /// is not less.
    pub steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tracked: true,
            weighs: false,
            schedule: Schedule::InOrder,
            exposes_undefined: false,
            unwritten: Unwritten::Zeros,
            steps: u64::MAX,
        }
    }
}

/// What is held where nothing has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unwritten {
    /// Zeros.
    #[default]
    Zeros,
    /// Ones.
    Ones,
    /// Another word in each place, drawn by this seed.
    Drawn(u32),
}

/// 2^32 divided by it.
const GOLDEN_RATIO: u32 = 0x9E37_79B9;

impl Unwritten {
    /// The word in a place.
    pub(crate) fn word(self, place: u32) -> u32 {
        match self {
            Self::Zeros => 0,
            Self::Ones => u32::MAX,
            // Multiplied twice by the golden ratio: words of neighbours have nothing in common that a program would find.
            Self::Drawn(seed) => {
                let word = (place ^ seed.rotate_right(8)).wrapping_mul(GOLDEN_RATIO);
                (word ^ word.rotate_right(15)).wrapping_mul(GOLDEN_RATIO)
            }
        }
    }
}

/// In which order blocks, warps and the lanes of atomics are served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Lowest number first.
    #[default]
    InOrder,
    /// Highest number first.
    Reversed,
    /// Beginning with this number, modulo how many there are.
    Rotated(u32),
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What that permits.
    pub outcome: warpdiff_model::Outcome,
    /// The choices it consulted.
    pub consulted: ChoiceSet,
    /// Whether control or an address depended on the order of atomics: the memory contents are then specific to this order.
    /// [`allowed`] also tries other orders. Always false in an untracked run.
    pub order_dependent: bool,
    /// The missing waits of a scheduled program of SPA 5.0; empty in an untracked run.
    pub hazards: Vec<Hazard>,
    /// Thread-instructions executed (of the last round, when a tracked launch needs several); all that it may take if it never ends.
    pub steps: u64,
    /// Whether it was seen that it never ends: its threads repeat themselves, and change nothing.
    pub never_ends: bool,
    /// What it printed. No verdict depends on it.
    pub printed: Printed,
    /// The memory at the end, every bit of it, also after a fault.
    pub memory: MaskedState,
}

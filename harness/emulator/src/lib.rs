//! The reference emulator: what the specification says a launch does, bit by bit.
//!
//! [`Program::new`] decodes a checked module once, [`Program::spa`] a checked program of SPA 5.0. [`allowed`] gives everything the specification permits a launch to do;
//! [`run`] does one run under one [`warpdiff_model::Semantics`]; [`observe`] makes the emulator a target.
//!
//! A program's way through it:
//!
//! * `compiled` – from the text of a program to a checked and decoded program.
//! * `program`, `decode` – from a checked program to `decoded`: flat operations, which `operation` declares.
//! * `launch` – whether a launch can begin, what its arguments are bound to, and the memory it starts with.
//! * `machine` – runs it: blocks, warps, groups of lanes, and the loop over operations.
//! * `outcome`, `orders`, `allowed` – from the memory at the end to what is allowed, over all orders and choices.
//! * `device` – memory that outlives launches, for a driver.
//!
//! What the machine works on:
//!
//! * `registers`, `memory` – values as structures of arrays, with their shadow: which bits are undefined, unordered, unfixed.
//! * `address_space`, `opaque` – what addresses lead to, and what handles of surfaces and textures name.
//! * `doubt` – what is known of undefined bits that come of approximations.
//! * `contention`, `race` – which atomics are unordered, which accesses race.
//!
//! The rules of arithmetic, of undefined bits, of surfaces and of textures are functions of [`warpdiff_semantics`]; the machine
//! applies them.

mod address_space;
mod allowed;
mod compiled;
mod contention;
mod decode;
mod decoded;
pub mod device;
mod doubt;
mod launch;
mod machine;
mod memory;
mod opaque;
mod operation;
mod orders;
mod outcome;
mod program;
mod race;
mod registers;

use warpdiff_model::allowed::MaskedState;
use warpdiff_model::choice::ChoiceSet;

pub use allowed::{allowed, by_assignment, observe};
pub use compiled::{Checked, CompileError, Compiled, compile};
pub use decoded::Unsupported;
pub use launch::validation::LaunchError;
pub use machine::scoreboard::hazards::{Hazard, HazardKind};
pub use outcome::run;
pub use program::Program;

/// How to run a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Keep definedness, order and races.
    pub tracked: bool,
    /// In which order blocks, warps and the lanes of atomics are served.
    pub schedule: Schedule,
}

impl Default for Options {
    fn default() -> Self {
        Self { tracked: true, schedule: Schedule::InOrder }
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

/// What a run did.
#[derive(Clone, Debug)]
pub struct Run {
    /// What that permits.
    pub outcome: warpdiff_model::Outcome,
    /// The choices it consulted.
    pub consulted: ChoiceSet,
    /// Whether control or an address depended on the order in which atomics were served: what was written where is then
    /// only what this order gives. [`allowed`] looks at other orders, too. Always false in an untracked run.
    pub order_dependent: bool,
    /// What a scheduled program of SPA 5.0 does not wait for; empty in an untracked run.
    pub hazards: Vec<Hazard>,
    /// Thread-instructions executed (of the last round, when a tracked launch needs several).
    pub steps: u64,
    /// The memory at the end, every bit of it, also after a fault.
    pub memory: MaskedState,
}

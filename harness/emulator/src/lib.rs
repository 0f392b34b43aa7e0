//! The reference emulator: what the specification says a launch does, bit by bit.
//!
//! [`Program::new`] decodes a checked module once, [`Program::spa`] a checked program of SPA 5.0. [`allowed`] gives everything the specification permits a launch to do;
//! [`run`] does one run under one [`warpdiff_model::Semantics`]; [`observe`] makes the emulator a target.
//!
//! * `compiled` – from a program's text to a checked and decoded program.
//! * `program`, `operation`, `decode` – from the checked module to flat operations.
//! * `registers`, `memory` – state, structure of arrays, with its shadow: what is undefined, what is unordered.
//! * `machine` – blocks, warps, groups of lanes, and the loop.
//! * `doubt` – what is known of undefined bits that come of approximations.
//! * `device` – memory that outlives launches, for whoever is a driver.
//! * `launch`, `outcome`, `orders`, `allowed` – from a launch to its initial memory, and from its final memory to what is allowed.
//! * `contention`, `race` – which atomics are unordered, which accesses race.
//! * `numeric`, `definedness`, `surface` – the rules of arithmetic, of undefined bits and of surface addresses.

mod allowed;
mod compiled;
mod contention;
mod decode;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the rules are a complete family; not every one has an operation yet")
)]
mod definedness;
pub mod device;
mod doubt;
pub mod hazard;
mod launch;
mod machine;
mod memory;
#[expect(dead_code, reason = "the arithmetic is a complete family; not every function has an operation yet")]
mod numeric;
mod operation;
mod orders;
mod outcome;
mod program;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "some orders and scopes come with instructions that are not decoded yet")
)]
mod race;
mod registers;
mod surface;
mod texture;

use warpdiff_model::allowed::MaskedState;
use warpdiff_model::choice::ChoiceSet;

pub use allowed::{allowed, by_assignment, observe};
pub use compiled::{Checked, CompileError, Compiled, compile};
pub use hazard::{Hazard, HazardKind};
pub use launch::LaunchError;
pub use outcome::run;
pub use program::{Program, Unsupported};

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

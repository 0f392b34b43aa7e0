//! The machine: executes a decoded program over a launch.
//!
//! * [`grid`] – which block and which warp runs.
//! * [`warp`] – which lanes of a warp run; [`turn`] – an operation and the lanes that execute it.
//! * [`execute`] – the loop over operations; [`lanes`] applies a function to 32 lanes and its rule to their shadow;
//!   [`scalar`] – such functions; [`slow_operations`] – operations outside the loop.
//! * [`reach`] – where an address leads; [`access`], [`atomic`], [`surface`] – what is done there; [`window`] – what SPA 5.0 says
//!   otherwise of it.
//! * [`barrier`] – where threads of the block meet; [`warp_sync`], [`collective`] – where lanes of a warp do.
//! * [`call`] – frames; [`scoreboard`] – what scheduled programs wait for, and their hazards.
//! * [`faults`], [`indeterminate`] – how lanes and launches end.
//!
//! Everything is generic over [`Tracking`]; under [`Untracked`] the shadow costs nothing.

mod access;
mod atomic;
mod barrier;
mod call;
mod collective;
mod execute;
mod faults;
pub(crate) mod grid;
mod indeterminate;
mod lanes;
mod reach;
mod scalar;
pub(crate) mod scoreboard;
mod slow_operations;
mod surface;
mod turn;
pub(crate) mod warp;
mod warp_sync;
mod window;

use warp::{Geometry, Warp};
use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{Fault, Launch, Semantics};

use crate::Schedule;
use crate::contention::{Contention, Knowledge};
use crate::decoded::Decoded;
use crate::launch::binder::Bound;
use crate::memory::{Allocation, Memory};
use crate::opaque::OpaqueBindings;
use crate::program::Program;
use crate::race::Clocks;

/// Whether the shadow is kept.
pub(crate) trait Tracking {
    /// Whether it is.
    const ON: bool;
}

/// With definedness, order and races.
pub(crate) struct Tracked;
/// Values only.
pub(crate) struct Untracked;

impl Tracking for Tracked {
    const ON: bool = true;
}
impl Tracking for Untracked {
    const ON: bool = false;
}

/// Why a launch ended before all threads did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The step budget ran out, or no thread can go on.
    TimedOut,
    /// Something depends on undefined bits.
    Indeterminate {
        /// What depends on them.
        place: String,
        /// What is the matter there: that it depends on undefined bits and where they came from, or that no text says what
        /// happens.
        origin: String,
    },
}

/// The state of a launch that all blocks share.
pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Program,
    pub(crate) code: &'a Decoded,
    pub(crate) launch: &'a Launch,
    pub(crate) semantics: Semantics,
    pub(crate) schedule: Schedule,
    /// Function that is launched.
    pub(crate) entry: u32,
    pub(crate) memory: Memory,
    pub(crate) opaque: OpaqueBindings,
    pub(crate) clocks: Clocks,
    pub(crate) contention: Contention,
    /// Bytes of shared memory known to have raced late: per block, from earlier runs.
    pub(crate) shared_races: Vec<Option<crate::race::RacedBytes>>,
    pub(crate) faults: Vec<Fault>,
    /// Faults that may be reported or not; they stop nothing.
    pub(crate) may_faults: Vec<Fault>,
    /// What a scheduled program does not wait for.
    pub(crate) hazards: Vec<scoreboard::hazards::Hazard>,
    pub(crate) consulted: ChoiceSet,
    /// Whether a guard, an address or a target depended on the order in which atomics were served.
    pub(crate) order_dependent: bool,
    pub(crate) steps: u64,
    pub(crate) stop: Option<Stop>,
}

impl<'a> Machine<'a> {
    /// A machine that has not begun to run a launch, of one thread or untracked.
    pub(crate) fn new(
        program: &'a Program,
        code: &'a Decoded,
        launch: &'a Launch,
        semantics: &Semantics,
        schedule: Schedule,
        bound: Bound,
    ) -> Self {
        Machine {
            program,
            code,
            launch,
            semantics: *semantics,
            schedule,
            entry: bound.entry,
            memory: bound.memory,
            opaque: bound.opaque,
            clocks: Clocks::new(1, 1),
            contention: Contention::new(Knowledge::new()),
            shared_races: Vec::new(),
            faults: Vec::new(),
            may_faults: Vec::new(),
            hazards: Vec::new(),
            consulted: ChoiceSet::default(),
            order_dependent: false,
            steps: 0,
            stop: None,
        }
    }
}

/// The state of a block that its warps share.
pub(crate) struct BlockState {
    /// Linear number in the grid.
    pub(crate) number: u32,
    pub(crate) geometry: Geometry,
    pub(crate) shared: Allocation,
    pub(crate) barriers: Vec<barrier::BarrierState>,
    /// Per warp: lanes that exited or never were.
    pub(crate) dead: Vec<u32>,
    /// Barriers passed.
    pub(crate) epoch: u32,
}

/// A block.
pub(crate) struct Block {
    pub(crate) state: BlockState,
    pub(crate) warps: Vec<Warp>,
}

impl BlockState {
    /// Linear number in the grid of a thread.
    pub(crate) fn thread(&self, warp: u32, lane: usize) -> u32 {
        self.number * self.geometry.threads() + warp * 32 + lane as u32
    }
}

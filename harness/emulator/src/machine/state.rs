//! The state of a launch that all blocks share.

use warpdiff_model::alternatives::Consulted;
use warpdiff_model::{Fault, Launch, Semantics};
use warpdiff_semantics::onlooker::Onlooker;
use warpdiff_semantics::printed::Printed;

use super::recorder::Recorder;
use super::scoreboard::hazards::Hazard;
use crate::Schedule;
use crate::decoded::Decoded;
use crate::findings::Watch;
use crate::launch::binder::Bound;
use crate::launch::validation::threads;
use crate::memory::Memory;
use crate::program::Program;
use warpdiff_races::contention::Contention;
use warpdiff_races::{Clocks, RacedBytes};
use warpdiff_semantics::opaque::OpaqueBindings;

/// Why a launch ended before all threads did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The step budget ran out, or no thread can go on.
    TimedOut,
    /// Something depends on undefined bits.
    Indeterminate {
        /// The dependent item.
        place: String,
        /// The cause: dependence on undefined bits and their origin, or unspecified behaviour.
        origin: String,
    },
}

/// The clocks of a launch whose accesses are ordered if that is `wanted`. A thread that is alone has nobody to race with.
pub(crate) fn clocks(launch: &Launch, wanted: bool) -> Clocks {
    match wanted && threads(launch) > 1 {
        true => Clocks::new(launch.grid.iter().product(), launch.block.iter().product()),
        false => Clocks::none(),
    }
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
    pub(crate) shared_races: Vec<Option<RacedBytes>>,
    pub(crate) faults: Vec<Fault>,
    /// Faults that may be reported or not; they stop nothing.
    pub(crate) may_faults: Vec<Fault>,
    /// The missing waits of a scheduled program.
    pub(crate) hazards: Vec<Hazard>,
    pub(crate) consulted: Consulted,
    /// Whether a guard, an address or a target depended on the order of atomics.
    pub(crate) order_dependent: bool,
    pub(crate) steps: u64,
    /// Operations that may have changed more than registers.
    pub(crate) changes: u64,
    /// Whether it was seen that the launch never ends. Then it has taken all the steps that it may take.
    pub(crate) never_ends: bool,
    /// Steps after which it has not ended.
    pub(crate) most_steps: u64,
    /// [`Options::unwritten`](crate::Options::unwritten).
    pub(crate) unwritten: crate::Unwritten,
    pub(crate) stop: Option<Stop>,
    /// What the program printed.
    pub(crate) printed: Printed,
    /// In a watched run, what its threads do wrong.
    pub(crate) watch: Option<Box<Watch>>,
    /// In a traced run, the recorder of its thread.
    pub(crate) recorder: Option<Box<Recorder>>,
    /// In a run that is looked on, who does.
    pub(crate) onlooker: Option<&'a dyn Onlooker>,
}

impl<'a> Machine<'a> {
    /// A machine that has not begun to run a launch. Its records are those of [`clocks`], of contention, and of the choices that it
    /// consults.
    pub(crate) fn new(
        program: &'a Program,
        code: &'a Decoded,
        launch: &'a Launch,
        semantics: &Semantics,
        schedule: Schedule,
        bound: Bound,
        (clocks, contention, consulted): (Clocks, Contention, Consulted),
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
            clocks,
            contention,
            shared_races: Vec::new(),
            faults: Vec::new(),
            may_faults: Vec::new(),
            hazards: Vec::new(),
            consulted,
            order_dependent: false,
            steps: 0,
            changes: 0,
            never_ends: false,
            most_steps: launch.step_budget,
            unwritten: crate::Unwritten::Zeros,
            stop: None,
            printed: Printed::default(),
            watch: None,
            recorder: None,
            onlooker: None,
        }
    }
}

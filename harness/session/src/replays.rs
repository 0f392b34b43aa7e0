//! Launches with their answers, as often as a diagnosis asks for them.
//!
//! What a target answered is kept compactly, and what the specification allows is not kept at all: a run has too many variants. A diagnosis
//! asks for the same wrong ones again and again, so the reference runs each of them once, while there is room for what it says.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use warpdiff_corpus::plan::Variant;
use warpdiff_judge::reference::{RecentPrograms, Unit};
use warpdiff_model::{Allowed, Observation, Permitted, State};
use warpdiff_targets::Answer;

use crate::kept_observations::KeptObservations;

/// Most bytes of launches that are kept.
const BYTES: usize = 192 << 20;
/// What a launch takes beside its memory, roughly.
const LAUNCH: usize = 4 << 10;

/// The launches of a variant, each with its answer.
pub(crate) type Launches<'a> = Arc<Vec<(Unit<'a>, Answer)>>;

/// What the replays of a diagnosis share.
#[derive(Default)]
pub(crate) struct Replays {
    /// Bytes of all that is kept.
    used: AtomicUsize,
    pub(crate) programs: RecentPrograms,
}

/// The replay of one variant.
#[derive(Default)]
pub(crate) struct Replay<'a>(OnceLock<Option<Launches<'a>>>);

impl<'a> Replay<'a> {
    /// The launches with their answers. `None` if they are not those that were kept.
    pub(crate) fn launches(
        &self,
        kept: &KeptObservations,
        variant: &'a Variant,
        replays: &Replays,
    ) -> Option<Launches<'a>> {
        if let Some(known) = self.0.get() {
            return known.clone();
        }
        let launches = kept.replay(variant, &replays.programs).map(Arc::new);
        let size = launches.iter().flat_map(|launches| launches.iter()).map(size).sum();
        if replays.used.fetch_add(size, Ordering::Relaxed) <= BYTES {
            // Two threads may replay one variant: they have the same.
            return self.0.get_or_init(|| launches).clone();
        }
        replays.used.fetch_sub(size, Ordering::Relaxed);
        launches
    }
}

/// The approximate size in bytes.
fn size((unit, answer): &(Unit<'_>, Answer)) -> usize {
    let of_state = |state: &State| state.regions.iter().map(|region| region.bytes.len()).sum::<usize>();
    let of_answer = match &answer.observation {
        Observation::Completed { state } | Observation::Faulted { state: Some(state), .. } => of_state(state),
        _ => 0,
    };
    let buffers = unit.planned.launch.buffers.iter().map(|buffer| buffer.bytes.len());
    let surfaces = unit.planned.launch.surfaces.iter().map(|surface| surface.bytes.len());
    LAUNCH + of_answer + of_allowed(&unit.allowed) + buffers.sum::<usize>() + surfaces.sum::<usize>()
}

/// Bytes of the states, each with a mask of what is defined and one of what is unordered.
fn of_allowed(allowed: &Allowed) -> usize {
    let states = allowed.outcomes.iter().filter_map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => Some(state),
        _ => None,
    });
    states.flat_map(|state| &state.regions).map(|region| 3 * region.defined.len()).sum()
}

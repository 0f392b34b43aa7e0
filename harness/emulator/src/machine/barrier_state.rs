//! When a barrier of a block is complete: who has arrived, who waits, and what a reduction has gathered.

use super::warp::NEVER;
use crate::registers::{LANES, Shade};
use warpdiff_races::Arrivals;

/// Number of barriers of a block.
pub(super) const BARRIERS: u32 = 16;

/// One of the barriers of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BarrierState {
    /// Times it was passed.
    pub(super) generation: u32,
    /// Per warp: lanes that arrived.
    pub(super) arrived: Vec<u32>,
    /// Per warp: lanes that arrived and wait.
    pub(super) waiting: Vec<u32>,
    /// What happened before the arrivals of those that do not wait.
    pub(super) arrivals: Arrivals,
    /// Per warp: how its lanes have come to it.
    pub(super) sides: Vec<Side>,
    /// Number of threads it waits for, if the instruction specifies one.
    pub(super) count: Option<u32>,
    /// For a reduction: number of lanes with a true predicate, and of all lanes.
    pub(super) reduced: (u32, u32),
    /// The combined shadow of the predicates in the reduction.
    pub(super) shade: Shade,
    /// Result of the last generation: lanes with a true predicate, all lanes, their shadow.
    pub(super) result: (u32, u32, Shade),
}

impl BarrierState {
    /// Whether every live thread of the block has arrived and waits. False for a barrier of some of the threads, even if the others
    /// have exited since: nothing orders what those did before.
    pub(super) fn is_everyone(&self, dead: &[u32]) -> bool {
        self.count.is_none_or(|count| count as usize >= 32 * self.arrived.len())
            && self.arrived == self.waiting
            && self.arrived.iter().zip(dead).all(|(arrived, dead)| arrived | dead == u32::MAX)
    }

    /// Creates the barriers of a block of `warps` warps.
    pub(super) fn all(warps: usize) -> Vec<BarrierState> {
        let fresh = BarrierState {
            arrived: vec![0; warps],
            waiting: vec![0; warps],
            sides: vec![Side::NONE; warps],
            ..BarrierState::default()
        };
        vec![fresh; BARRIERS as usize]
    }

    pub(super) fn someone_arrived(&self) -> bool {
        self.arrived.iter().any(|mask| *mask != 0)
    }

    /// Whether all threads it waits for have arrived. Exited threads count as arrived.
    pub(super) fn complete(&self, dead: &[u32]) -> bool {
        let full = |(arrived, dead): (&u32, &u32)| arrived | dead == u32::MAX;
        match self.count {
            None => self.arrived.iter().zip(dead).all(full),
            // "the barrier counts in units of warps": a warp all of whose threads arrived counts whole.
            Some(count) => {
                let threads = self.arrived.iter().zip(dead).map(|(arrived, dead)| match arrived {
                    0 => 0,
                    _ if full((arrived, dead)) => LANES as u32,
                    _ => arrived.count_ones(),
                });
                threads.sum::<u32>() >= count
            }
        }
    }
}

/// What lanes of a warp have done at a barrier since it was last complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// The operation with which they came; [`NEVER`] if none has.
    pub(super) pc: u32,
    /// The lanes that had not come when the last ones came, and had more to do than to exit.
    pub(super) elsewhere: u32,
}

impl Side {
    /// Nobody has come.
    pub(super) const NONE: Side = Side { pc: NEVER, elsewhere: 0 };
}

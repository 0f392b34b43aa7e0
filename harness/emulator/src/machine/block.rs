//! A block: the state that its warps share.

use super::barrier_state::BarrierState;
use super::warp::{Geometry, Warps};
use crate::memory::Allocation;

/// The state of a block that its warps share.
pub(crate) struct BlockState {
    /// Linear number in the grid.
    pub(crate) number: u32,
    /// Linear number in the grid of its first thread.
    pub(crate) first_thread: u32,
    pub(crate) geometry: Geometry,
    pub(crate) shared: Allocation,
    /// Its barriers; none until a thread arrives at one.
    pub(crate) barriers: Vec<BarrierState>,
    /// Per warp: lanes that exited or never existed.
    pub(crate) dead: Vec<u32>,
    /// Barriers passed.
    pub(crate) epoch: u32,
}

/// A block.
pub(crate) struct Block {
    pub(crate) state: BlockState,
    /// The [`Machine::changes`](super::Machine::changes) at which its last warp that could run stalled; `None` if it is not stalled.
    pub(super) stalled: Option<u64>,
    pub(crate) warps: Warps,
}

impl BlockState {
    /// Linear number of a thread in the grid.
    pub(crate) fn thread(&self, warp: u32, lane: usize) -> u32 {
        self.first_thread + warp * 32 + lane as u32
    }
}

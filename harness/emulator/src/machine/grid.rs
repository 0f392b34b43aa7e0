//! The order in which blocks and warps run, and the step budget.
//!
//! Warps of a block run in slices of [`WARP_SLICE`] units of fuel: an operation takes one, and one that may be part of a spin-wait takes more. A
//! block runs until it ends; if that takes longer than
//! [`BLOCK_SLICE`], the next blocks get a slice. Blocks that wait for one another therefore make progress, and a launch of many
//! blocks needs memory for only a few of them. A warp that is [stalled](super::stall) does not run, and a block whose warps all are gives way.

use warpdiff_model::Deviation;

use std::collections::VecDeque;

use super::block::{Block, BlockState};
use super::warp::{Geometry, Wait, Warp, Warps};
use super::{Machine, Stop, Tracking, spare};
use crate::Schedule;
use crate::Unwritten;
use crate::decoded::WideConstant;
use crate::launch::validation::{BLOCK_MEMORY_LIMIT, block_memory};
use crate::memory::Allocation;
use crate::registers::LANES;
use warpdiff_races::{SHARED_SHADOWS, Shadow};
use warpdiff_semantics::opaque::Named;

/// Fuel of a slice of a warp.
const WARP_SLICE: u32 = 4096;
/// Fuel of a slice of a block.
const BLOCK_SLICE: u64 = 1 << 18;
/// Blocks that have begun and not ended, at most.
const RESIDENT: usize = 1024;

/// The state of a block after its slice.
enum Slice {
    /// All its threads exited.
    Finished,
    /// It can go on.
    Ongoing,
    /// Each of its warps is stalled, waits at a barrier or has ended.
    Stalled,
    /// The threads of the block are deadlocked.
    Stuck,
}

impl Machine<'_> {
    /// Runs the whole grid.
    pub(crate) fn run_grid<T: Tracking>(&mut self) -> Vec<(u32, Box<Shadow>)> {
        let [x, y, z] = self.launch.grid;
        let blocks = x * y * z;
        let mut shadows = Vec::new();
        let mut active: VecDeque<Block> = VecDeque::new();
        let resident = self.resident(T::ON);
        let mut begun = 0;
        while self.stop.is_none() {
            let mut block = match active.pop_front() {
                Some(block) => block,
                None if begun < blocks => {
                    let next = position(self.schedule, begun, blocks);
                    begun += 1;
                    self.begin_block::<T>(next)
                }
                None => break,
            };
            match self.run_block::<T>(&mut block) {
                Slice::Finished => {
                    shadows.extend(block.state.shared.race.take().map(|race| (block.state.number, race)));
                    spare::keep(block.warps);
                }
                slice @ (Slice::Ongoing | Slice::Stalled) => {
                    block.stalled = matches!(slice, Slice::Stalled).then_some(self.changes);
                    active.push_back(block);
                    if begun < blocks && active.len() < resident {
                        active.push_front(self.begin_block::<T>(position(self.schedule, begun, blocks)));
                        begun += 1;
                    } else if active.iter().all(|block| block.stalled == Some(self.changes)) {
                        self.stop.get_or_insert(Stop::TimedOut);
                        (self.never_ends, self.steps) = (true, self.steps.max(self.most_steps));
                    }
                }
                // All threads of the block wait, and for ever.
                Slice::Stuck => {
                    self.watch_deadlock(&block);
                    if T::ON {
                        (0..block.state.barriers.len()).for_each(|id| self.check_alignment(&block.state, id));
                    }
                    self.stop.get_or_insert(Stop::TimedOut);
                }
            }
        }
        for Block { state, warps, .. } in active {
            shadows.extend(state.shared.race.map(|race| (state.number, race)));
            spare::keep(warps);
        }
        shadows
    }

    /// Blocks that may have begun and not ended: as many as memory is set aside for.
    fn resident(&self, tracked: bool) -> usize {
        let one = block_memory(self.entry as usize, self.code, self.launch, tracked).max(1);
        usize::try_from(BLOCK_MEMORY_LIMIT / one).map_or(RESIDENT, |most| most.clamp(1, RESIDENT))
    }

    fn begin_block<T: Tracking>(&mut self, number: u32) -> Block {
        let [x, y, _] = self.launch.grid;
        // At most 227 KiB, as `check_dimensions` has found.
        let shared = self.code.shared_size(self.launch.dynamic_shared) as u32;
        let geometry = Geometry {
            grid: self.launch.grid,
            block: self.launch.block,
            block_index: [number % x, number / x % y, number / x / y],
            dynamic_shared: self.launch.dynamic_shared,
            total_shared: shared,
            by_second_extent: self.semantics.has(Deviation::TidRowsBySecondExtent),
        };
        let handles = |constant: WideConstant| match constant {
            WideConstant::Value(value) | WideConstant::Address { value, .. } => value,
            WideConstant::SurfaceVariable(number) => Named::Surface(number as usize).handle(),
            WideConstant::TextureVariable(number) => Named::Texture(number as usize).handle(),
            WideConstant::SamplerVariable(number) => Named::Sampler(number as usize).handle(),
            WideConstant::OpaqueParameter(position) => Named::Parameter(position as usize).handle(),
        };
        let count = geometry.threads().div_ceil(LANES as u32);
        let mut warps: Warps = (0..count)
            .map(|index| {
                let values = (&handles as &dyn Fn(WideConstant) -> u64, &self.memory.parameters);
                Warp::new(index, self.code, self.entry, &geometry, values, T::ON, spare::take())
            })
            .collect();
        let mut memory = Allocation::uninitialised(shared as usize, T::ON);
        if T::ON && geometry.threads() > 1 {
            let known = self.shared_races.get_mut(number as usize).and_then(Option::take);
            let (number, len) = (SHARED_SHADOWS + number, shared as usize);
            memory.race = Some(Box::new(match self.watch {
                Some(_) => Shadow::reporting(number, len),
                None => Shadow::knowing(number, len, known.unwrap_or_default()),
            }));
        }
        if self.unwritten != Unwritten::Zeros {
            warps.iter_mut().for_each(|warp| warp.begin_holding(self.unwritten));
            memory.hold(|place| self.unwritten.word(1 << 30 | place));
        }
        let state = BlockState {
            number,
            first_thread: number * geometry.threads(),
            geometry,
            shared: memory,
            barriers: Vec::new(),
            dead: warps.iter().map(|warp| warp.dead).collect(),
            epoch: 0,
        };
        Block { state, stalled: None, warps }
    }

    fn run_block<T: Tracking>(&mut self, block: &mut Block) -> Slice {
        let mut left = BLOCK_SLICE;
        let count = block.warps.len() as u32;
        loop {
            let mut progress = false;
            let mut stalled = false;
            let mut finished = true;
            for n in 0..count {
                let w = &mut block.warps[position(self.schedule, n, count) as usize];
                if w.finished() {
                    continue;
                }
                if self.is_stalled(w) {
                    (stalled, finished) = (true, false);
                    continue;
                }
                let used = self.run_warp::<T>(&mut block.state, w);
                progress |= used != 0;
                finished &= w.finished();
                left = left.saturating_sub(u64::from(used));
                if self.stop.is_some() {
                    return Slice::Ongoing;
                }
            }
            match () {
                () if finished => return Slice::Finished,
                () if !progress && stalled => return Slice::Stalled,
                () if !progress => return Slice::Stuck,
                () if left == 0 => return Slice::Ongoing,
                () => {}
            }
        }
    }

    /// Runs a warp for a slice; answers the operations it executed.
    fn run_warp<T: Tracking>(&mut self, block: &mut BlockState, w: &mut Warp) -> u32 {
        // So short that a warp passes the budget by no more than its lanes.
        let budget = self.most_steps.saturating_sub(self.steps) / LANES as u64;
        let slice = WARP_SLICE.min(u32::try_from(budget).unwrap_or(u32::MAX).saturating_add(1));
        let mut fuel = slice;
        while fuel > 0 && self.stop.is_none() {
            self.wake::<T>(block, w);
            let Some(mut group) = w.take_group() else { break };
            self.run_group::<T>(block, w, &mut group, &mut fuel);
            if fuel == 0 {
                self.look_at_end(w, &group);
            }
            let waits = group.wait == Wait::Members;
            w.put_group(group);
            if waits {
                self.meet_apart::<T>(block, w);
            }
            if self.steps > self.most_steps && self.stop.is_none() {
                self.stop = Some(Stop::TimedOut);
            }
        }
        slice - fuel
    }
}

/// Which of `count` comes `n`-th under the schedule.
#[inline]
pub(super) fn position(schedule: Schedule, n: u32, count: u32) -> u32 {
    match schedule {
        Schedule::InOrder => n,
        Schedule::Reversed => count - 1 - n,
        Schedule::Rotated(by) => ((u64::from(n) + u64::from(by)) % u64::from(count)) as u32,
    }
}

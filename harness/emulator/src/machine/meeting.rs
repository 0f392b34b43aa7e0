//! What accesses meet: earlier accesses that they race with, and others that they contend with.

use super::turn::Turn;
use crate::address_space::Region;
use crate::memory::Allocation;
use crate::memory_operation::Access;
use warpdiff_races::contention::{Actor, Contention, GroupKey, Location, Stamps, Touch};
use warpdiff_races::{Clocks, Strong, StrongKind, widen};

/// The loads or stores of an operation, as they meet others.
pub(super) struct Meeting {
    touch: Touch,
    /// Order and scope, of a strong access.
    pub(super) strong: Option<Strong>,
    /// Whether the elements of a lane are one access: an SPA 5.0 access to shared memory counts as one, regardless of the number of registers.
    /// Of every other access, each element is one.
    pub(super) is_one_access: bool,
    /// Elements of a lane.
    count: usize,
    /// The thread of lane 0.
    pub(super) first: Actor,
    pub(super) region: Region,
}

/// What an access met.
#[derive(Clone, Copy, Default)]
pub(super) struct Met {
    /// The bytes in which it races, bit 0 the first.
    pub(super) raced: u32,
    /// The group of contenders that it is of.
    pub(super) group: Option<GroupKey>,
}

impl Meeting {
    /// Of loads or stores, as `touch` says, to memory of a region.
    #[inline(always)]
    pub(super) fn of(turn: &Turn<'_>, access: &Access, region: Region, touch: Touch) -> Self {
        let kind = if touch == Touch::Store { StrongKind::Write } else { StrongKind::Read };
        let strong = access.strong.map(|(order, scope)| Strong { kind, order, scope });
        let is_one_access = access.window.is_some() && strong.is_some();
        let count = access.registers.len();
        Self { touch, strong, is_one_access, count, first: turn.actor(0), region }
    }

    /// Has the access of a lane to `len` bytes of its region meet others. Memory of one thread has nothing to meet.
    #[inline(always)]
    pub(super) fn meet(
        &self,
        (clocks, contention): (&mut Clocks, &mut Contention),
        memory: &mut Allocation,
        lane: usize,
        (offset, len): (usize, usize),
    ) -> Met {
        let Some(race) = &mut memory.race else { return Met::default() };
        let thread = self.first.thread + lane as u32;
        let raced = match (self.strong, self.touch) {
            (None, Touch::Load) => race.read(clocks, offset, len as u32, thread),
            (None, _) => race.write(clocks, offset, len as u32, thread),
            (Some(strong), _) => {
                let raced = race.strong(clocks, offset, len as u32, thread, strong);
                return Met { raced, group: self.contend(contention, &mut memory.stamps, thread, offset) };
            }
        };
        Met { raced, group: None }
    }

    /// Whether the accesses of 32 lanes to elements of `N` bytes, one after the other from `offset` on, repeat what these threads did last, so that they
    /// meet nothing new.
    #[inline(always)]
    pub(super) fn repeats_row<const N: usize>(
        &self,
        (clocks, contention): (&Clocks, &Contention),
        memory: &Allocation,
        offset: usize,
    ) -> bool {
        let Some(race) = &memory.race else { return true };
        let first = self.first.thread;
        match (self.strong, self.touch) {
            (None, Touch::Load) => race.repeats_reads::<N>(clocks, offset, first),
            (None, _) => race.repeats_writes::<N>(clocks, offset, first),
            (Some(strong), touch) => {
                N == 4
                    && race.repeats_strong(clocks, offset, first, strong)
                    && contention.repeats_row(&memory.stamps, offset, self.first, touch)
            }
        }
    }

    /// Has a strong access meet those with which it contends.
    fn contend(
        &self,
        contention: &mut Contention,
        stamps: &mut Stamps,
        thread: u32,
        offset: usize,
    ) -> Option<GroupKey> {
        let block = if self.region == Region::Shared { self.first.block } else { 0 };
        let location = Location { region: self.region, block, offset: offset as u64 };
        contention.touch(stamps, location, Actor { thread, ..self.first }, self.touch)
    }

    /// Has element `n` of a lane's access, which begins at `first`, meet others, unless it is one access with what `met` others before. An element
    /// has `size` bytes.
    #[inline(always)]
    pub(super) fn meet_element(
        &self,
        others: (&mut Clocks, &mut Contention),
        memory: &mut Allocation,
        lane: usize,
        (first, n, size): (usize, usize, usize),
        met: &mut Option<Met>,
    ) -> Met {
        match *met {
            Some(met) if self.is_one_access => met,
            _ if self.is_one_access => {
                *met.insert(self.meet(others, memory, lane, (first, size * self.count)))
            }
            _ => self.meet(others, memory, lane, (first + n * size, size)),
        }
    }

    /// The bits of element `n` of a lane, of `size` bytes, that are in the `raced` bytes of its access.
    #[inline(always)]
    pub(super) fn raced_bits(&self, raced: u32, (n, size): (usize, usize)) -> u64 {
        let bytes = if self.is_one_access { raced >> (n * size) } else { raced };
        widen(bytes) & u64::MAX >> (64 - 8 * size)
    }
}

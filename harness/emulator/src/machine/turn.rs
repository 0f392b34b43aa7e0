//! A turn: an operation and the lanes of a warp that execute it.

use super::block::BlockState;
use super::warp::{Group, Warp};
use crate::memory_operation::{Address, Place};
use crate::operation::Op;

/// An operation and the lanes of a warp that execute it.
pub(super) struct Turn<'t> {
    pub(super) block: &'t mut BlockState,
    pub(super) warp: &'t mut Warp,
    /// The group of lanes that runs; its program counter is that of the following operation already.
    pub(super) group: &'t mut Group,
    /// The lanes of the group with a true guard.
    pub(super) mask: u32,
    /// The operation.
    pub(super) op: &'t Op,
    /// Its program counter.
    pub(super) pc: u32,
}

impl Turn<'_> {
    /// Linear number in the grid of a lane's thread.
    pub(super) fn thread(&self, lane: usize) -> u32 {
        self.block.thread(self.warp.index, lane)
    }

    /// The address of a lane.
    #[inline(always)]
    pub(super) fn address(&self, address: &Address, lane: usize) -> u64 {
        let base = address.base.map_or(0, |slot| self.warp.value(slot, lane));
        let frame = match address.place {
            Place::Frame => u64::from(self.warp.frames[self.group.frame as usize].local),
            _ => 0,
        };
        base.wrapping_add(address.offset as u64).wrapping_add(frame)
    }

    /// Leaves the lanes of the group that do not execute the operation, because their guard is off, where the group is now.
    pub(super) fn part_from_the_others(&mut self) {
        self.warp.put_group(Group { mask: self.group.mask & !self.mask, ..*self.group });
        self.group.mask = self.mask;
    }
}

/// Effect of an operation on the group that executed it.
pub(super) enum Next {
    /// It goes on at the following operation.
    Go,
    /// The same, but the thread may be in a spin-wait, so others run soon.
    Wait,
    /// As [`Next::Wait`], and a spin-wait is likelier: a strong access has changed nothing.
    Poll,
    /// The groups changed, so the group to run is selected again. The group has its new state.
    Regroup,
}

/// Why a lane does not do its part of an operation.
pub(super) enum Halt {
    /// It has faulted, and ends.
    Lane,
    /// The launch is indeterminate.
    Launch,
}

//! Finds warps that wait for ever.
//!
//! A warp that keeps reading memory that nobody changes may come back to an earlier state. Its own state and memory determine what it does, so it repeats itself until another
//! warp changes memory. Such a warp is *stalled*, and is not run until something changes. If all warps of a launch are stalled, wait at a barrier or have ended, the launch never
//! ends. The machine looks at a warp after every eighth poll, and at the end of a slice in which it was not looked at.
//!
//! Whatever is not known to change registers alone counts as a change. So a loop is not seen to be endless if it has a call, a barrier of the block, an access to a surface or a
//! texture, a clock or a store in it, even one that stores what was there. Nor is one of scheduled machine code in a tracked run.

use super::Machine;
use super::turn::Turn;
use super::warp::{Group, Warp};
use crate::operation::Code;

/// Polls from one look at a warp to the next.
pub(super) const LOOK_EVERY: u32 = 8;
/// Registers of a warp that is looked at, at most: each look may copy them.
const MOST_REGISTERS: usize = 4096;

impl Machine<'_> {
    /// Notes that an operation may have changed something besides the registers of its lanes. After that no warp is stalled.
    pub(super) fn note_change(&mut self) {
        self.changes += 1;
    }

    /// Notes a change for an operation outside the loop, unless that operation is known to change nothing else.
    pub(super) fn note_change_by(&mut self, turn: &Turn<'_>) {
        let changes_nothing = matches!(
            turn.op.code,
            Code::SurfaceQuery
                | Code::PointsTo
                | Code::Fence
                | Code::BranchTable
                | Code::BranchToAddress
                | Code::Push
                | Code::Pop
                | Code::ActiveMask
                | Code::WholeQuads
                | Code::FrameAddress
                | Code::Collective
                | Code::WarpBarrier
        );
        if !changes_nothing {
            self.note_change();
        }
    }

    /// Looks at a warp after a poll of `group`, with this fuel left; answers whether it is stalled.
    #[cold]
    #[inline(never)]
    pub(super) fn stalls_at_poll(&self, w: &mut Warp, group: &Group, fuel: u32) -> bool {
        w.is_seen_in_slice = true;
        self.stalls(w, group, fuel)
    }

    /// Looks at a warp at the end of a slice, unless a poll has done so.
    pub(super) fn look_at_end(&self, w: &mut Warp, group: &Group) {
        if !std::mem::take(&mut w.is_seen_in_slice) {
            self.stalls(w, group, 0);
        }
    }

    /// Looks at a warp while `group` runs; answers whether it is stalled.
    fn stalls(&self, w: &mut Warp, group: &Group, fuel: u32) -> bool {
        if w.registers.narrow.len() + w.registers.wide.len() > MOST_REGISTERS {
            return false;
        }
        let mut seen = w.seen.take().unwrap_or_default();
        let is_stalled = seen.look(self.changes, w, (group, fuel));
        w.seen = Some(seen);
        if is_stalled {
            w.stalled = Some(self.changes);
        }
        is_stalled
    }

    /// Whether a warp is stalled: nothing has changed since it stalled.
    pub(super) fn is_stalled(&self, w: &Warp) -> bool {
        w.stalled == Some(self.changes)
    }
}

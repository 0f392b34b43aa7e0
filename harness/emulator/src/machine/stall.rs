//! Finds warps that wait for ever.
//!
//! A warp may read a place in memory again and again until another thread changes it. If no thread does, the warp comes back to a state that it was in before: it is at the same
//! instruction, and its registers hold the same. What a warp does next depends on its state and on memory alone. So it repeats itself until something changes memory. Such a warp
//! is *stalled*. The machine does not run it until something changes. A launch never ends if each of its warps is stalled, waits at a barrier or has ended.
//!
//! The machine looks at a warp after every eighth poll. It also looks at a warp at the end of a slice, if it has not done so within the slice.
//!
//! An operation counts as a change unless it is known to change nothing but registers. So the machine does not see that a loop is endless if the loop has one of these in it: a
//! call, a barrier of the block, an access to a surface or a texture, a read of a clock, or a store, even a store of what was there. Nor does it see that of a loop of scheduled
//! machine code in a tracked run.

use super::Machine;
use super::turn::Turn;
use super::warp::{Group, Warp};
use crate::operation::Code;

/// Polls from one look at a warp to the next.
pub(super) const LOOK_EVERY: u32 = 8;
/// The machine does not look at a warp that has more registers than these: a look may copy all of them.
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

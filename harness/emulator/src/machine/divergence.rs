//! Whether all threads of a warp execute an aligned barrier.
//!
//! Of `bar` and `barrier.aligned` PTX ISA 9.7.13 says that "all threads in the warp must execute the same barrier instruction", and that
//! in conditional code the behaviour is undefined unless all evaluate the condition identically. Threads need not come together: what
//! counts is who has come when the barrier completes. A thread that has exited need not come, since `exit` counts as arrival; and one
//! that does nothing more than exit, when the others are at the barrier, is as good as gone. So compilers leave kernels early.

use super::Machine;
use super::barrier_state::Side;
use super::block::BlockState;
use super::turn::Turn;
use super::warp::{NEVER, Warp};
use crate::operation::Code;
use crate::registers::lanes;

/// Operations that a lane is followed for, on its way to its end.
const WAY_OUT: u32 = 64;

impl Machine<'_> {
    /// The lanes of a turn execute an aligned barrier; they are among those that have arrived.
    pub(super) fn come_aligned(&mut self, turn: &mut Turn<'_>, id: u8) {
        let index = turn.warp.index as usize;
        let state = &turn.block.barriers[usize::from(id)];
        let earlier = state.sides[index].pc;
        let absent = turn.warp.live() & !state.arrived[index];
        let mut elsewhere = 0;
        if absent != 0 {
            // Lanes with a false guard go on behind the barrier.
            let others = turn.warp.groups.iter().map(|group| (group.mask, group.pc, group.frame));
            let behind = (turn.group.mask & !turn.mask, turn.group.pc, turn.group.frame);
            for (mask, pc, frame) in others.chain([behind]) {
                if mask & absent != 0 && !self.only_exits(turn.warp, pc, frame) {
                    elsewhere |= mask & absent;
                }
            }
        }
        turn.block.barriers[usize::from(id)].sides[index] = Side { pc: turn.pc, elsewhere };
        if earlier != NEVER && earlier != turn.pc {
            let (_, line) = self.instruction_and_line(earlier);
            let detail = format!("other threads of the warp execute the barrier in line {line} instead");
            self.diverges(turn.block, (turn.warp.index, turn.mask), turn.pc, &detail);
        }
    }

    /// Tells of the warps at a barrier of which some threads have not come, and will not come any more.
    pub(super) fn check_alignment(&mut self, block: &BlockState, id: usize) {
        let state = &block.barriers[id];
        for (warp, side) in (0u32..).zip(&state.sides) {
            let arrived = state.arrived[warp as usize];
            let missing = side.elsewhere & !arrived;
            if missing != 0 {
                let [x, y, z] = block.geometry.thread_index(warp * 32 + missing.trailing_zeros());
                let detail = format!("thread ({x}, {y}, {z}) of the same warp does not execute it");
                self.diverges(block, (warp, arrived), side.pc, &detail);
            }
        }
    }

    #[cold]
    fn diverges(&mut self, block: &BlockState, (warp, mask): (u32, u32), pc: u32, detail: &str) {
        let first = lanes(mask).next().unwrap_or(0);
        if !self.watch_divergence((block, warp), first, pc, detail) {
            let why = format!("is undefined, since the barrier is aligned: {detail}");
            self.unspecified(pc, "the behaviour", why);
        }
    }

    /// Whether lanes that stand at an operation do nothing more than exit.
    fn only_exits(&self, w: &Warp, mut pc: u32, mut frame: u32) -> bool {
        for _ in 0..WAY_OUT {
            let Some(op) = self.code.ops.get(pc as usize) else { return true };
            if op.guard.predicate().is_some() {
                return false;
            }
            match op.code {
                Code::Exit => return true,
                Code::Branch => pc = op.x,
                Code::Return => {
                    let called = w.frames[frame as usize];
                    if called.call == NEVER {
                        return true;
                    }
                    (pc, frame) = (called.call + 1, called.parent);
                }
                _ => return false,
            }
        }
        false
    }
}

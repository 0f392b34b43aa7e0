//! Operations that are so rare that the loop over operations does not have them: it calls them here.

use super::turn::{Next, Turn};
use super::warp::{Group, Wait, Warp};
use super::{Machine, Tracking};
use crate::operation::{Class, Code, Slot, Volatile};
use crate::registers::{Origin, Shade, UNDEFINED, UNORDERED, lanes, lanes_where};

/// `mask` with whole quads: lanes 0 to 3, 4 to 7 and so on are a quad, and all four are set where one is.
fn quads_of(mask: u32) -> u32 {
    let firsts = (mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x1111_1111;
    firsts * 0xF
}

impl Machine<'_> {
    /// Executes an operation that the loop does not have.
    #[inline(never)]
    pub(super) fn slow_operation<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let (op, mask) = (turn.op, turn.mask);
        self.note_change_by(turn);
        match op.code {
            Code::Surface => self.surface::<T>(turn),
            Code::SurfaceQuery => self.surface_query::<T>(turn),
            Code::PointsTo => self.points_to::<T>(turn),
            Code::Texture => self.texture::<T>(turn),
            Code::Fence => {
                if T::ON {
                    let scope =
                        if op.x == 0 { warpdiff_races::Scope::Cta } else { warpdiff_races::Scope::Grid };
                    for lane in lanes(mask) {
                        self.clocks.fence(turn.thread(lane), scope);
                    }
                }
                Next::Go
            }
            Code::BranchTable => self.branch_table::<T>(turn),
            Code::BranchToAddress => self.branch_to_address::<T>(turn),
            Code::Push => self.push::<T>(turn),
            Code::Pop => self.pop(turn),
            Code::Call => self.call::<T>(turn),
            Code::Return => self.ret::<T>(turn),
            Code::Exit => self.exit(turn, mask),
            Code::Trap => {
                for lane in lanes(mask) {
                    self.fault(turn, lane, warpdiff_model::FaultClass::Trap, None, "");
                }
                self.exit(turn, mask)
            }
            Code::Barrier => self.barrier::<T>(turn),
            Code::WarpBarrier => self.warp_barrier::<T>(turn),
            Code::Collective => self.collective::<T>(turn),
            Code::ActiveMask => {
                let w = &mut *turn.warp;
                let row = w.rows.n(op.d);
                for lane in lanes(mask) {
                    w.registers.narrow[row][lane] = mask;
                }
                if T::ON {
                    self.shade_active_mask(w, row, mask);
                }
                Next::Go
            }
            Code::WholeQuads => {
                if self.is_strict::<T>() && quads_of(mask) != mask {
                    let why = "has a thread that does not run, and no source says what that lends";
                    self.unspecified(turn.pc, "a quad", why.to_owned());
                    return Next::Regroup;
                }
                Next::Go
            }
            Code::FrameAddress => {
                let slot = Slot { class: Class::Wide, index: op.d };
                let base = turn.warp.frames[turn.group.frame as usize].local;
                let shade = Shade { unfixed: u64::MAX << op.a, ..Shade::CLEAN };
                for lane in lanes(mask) {
                    turn.warp.put::<T>(slot, lane, u64::from(base.wrapping_add(op.x)), shade);
                }
                turn.warp.refresh::<T>(&[Some(slot)]);
                Next::Go
            }
            Code::Volatile => {
                self.read_volatile::<T>(turn);
                Next::Go
            }
            Code::Await => {
                if T::ON {
                    self.await_barriers(turn);
                }
                Next::Go
            }
            Code::Signal => {
                if T::ON {
                    self.signal(turn);
                }
                if self.stop.is_some() { Next::Regroup } else { Next::Go }
            }
            // Everything else has been executed by `step`.
            _ => Next::Go,
        }
    }

    /// What is certain of an active mask: that the executing lane is in it, and that lanes are not which exited before any parted. Of
    /// the others it is certain as long as lanes have not parted: PTX says of no place but those where lanes wait for one
    /// another that they are converged there, and a lane that has come here and exited may have waited for this one as well.
    fn shade_active_mask(&self, w: &mut Warp, row: usize, mask: u32) {
        w.registers.clean(Class::Narrow, row, mask | w.dead);
        if !w.diverged {
            return;
        }
        for lane in lanes(mask) {
            let unordered = u64::from(!w.dead_together & !(1 << lane));
            w.registers.set_shade(Class::Narrow, row, lane, Shade { unordered, ..Shade::CLEAN });
        }
    }

    /// A value that no program can rely on: concrete here, and unordered.
    fn read_volatile<T: Tracking>(&self, turn: &mut Turn<'_>) {
        let op = turn.op;
        let class = if op.a == 1 { Class::Wide } else { Class::Narrow };
        let clock = self.steps;
        let mut shade = Shade { unordered: u64::MAX, ..Shade::CLEAN };
        let mut only = |fields: u64| {
            let origin = Origin::made_by(turn.pc);
            shade = Shade { undefined: !fields, unordered: fields, origin, ..Shade::CLEAN };
        };
        let value = match op.x {
            x if x == Volatile::Clock as u32 || x == Volatile::Clock64 as u32 => clock,
            x if x == Volatile::ClockHigh as u32 => clock >> 32,
            x if x == Volatile::WarpId as u32 => u64::from(turn.warp.index),
            x if x == Volatile::VirtualId as u32 => {
                only(0x1ff << 20 | 0x3f << 8);
                u64::from(turn.warp.index & 0x3f) << 8
            }
            x if x == Volatile::VirtualConfiguration as u32 => {
                only(0x1ff << 20);
                1 << 20
            }
            _ => 0,
        };
        for lane in lanes(turn.mask) {
            turn.warp.put::<T>(Slot { class, index: op.d }, lane, value, shade);
        }
    }

    fn branch_table<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let slot = Slot { class: Class::Narrow, index: turn.op.a };
        if !self.operand_defined::<T>(turn, slot, UNDEFINED | UNORDERED, "the target", 0) {
            return Next::Regroup;
        }
        let code = self.code;
        let table = &code.tables[turn.op.x as usize];
        let (w, group, mask) = (&mut *turn.warp, &mut *turn.group, turn.mask);
        let row = w.rows.n(turn.op.a);
        let mut left = mask;
        while left != 0 {
            let index = w.registers.narrow[row][left.trailing_zeros() as usize];
            let same = lanes_where(left, |lane| w.registers.narrow[row][lane] == index);
            left &= !same;
            // The behaviour of an index out of range is undefined.
            let Some(target) = table.get(index as usize) else {
                self.unspecified(turn.pc, "the out-of-range index", "leaves the behaviour undefined".into());
                return Next::Regroup;
            };
            w.put_group(Group { pc: *target, mask: same, frame: group.frame, wait: Wait::Ready });
        }
        group.mask &= !mask;
        Next::Regroup
    }
}

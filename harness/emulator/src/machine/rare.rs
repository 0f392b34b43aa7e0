//! Operations that are rare enough not to weigh on the loop.

use super::execute::Next;
use super::lanes::Operands;
use super::warp::{Group, Wait, Warp};
use super::{BlockState, Machine, Tracking};
use crate::operation::{Class, Code, Op, Volatile};
use crate::registers::{Origin, Shade, lanes};

impl Machine<'_> {
    /// Operations that are rare enough not to weigh on the loop.
    #[inline(never)]
    pub(super) fn uncommon<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        mask: u32,
        op: &Op,
        pc: u32,
    ) -> Next {
        match op.code {
            Code::Surface => self.surface::<T>(block, w, group, mask, op.x, pc),
            Code::SurfaceQuery => self.surface_query::<T>(block, w, group, mask, op.x, pc),
            Code::PointsTo => self.points_to::<T>(w, mask, op, pc),
            Code::Texture => self.texture::<T>(block, w, group, mask, op.x, pc),
            Code::Fence => {
                if T::ON {
                    let scope = if op.x == 0 { crate::race::Scope::Cta } else { crate::race::Scope::Grid };
                    for lane in lanes(mask) {
                        self.clocks.fence(block.thread(w.index, lane), scope);
                    }
                }
                Next::Go
            }
            Code::BranchTable => self.branch_table::<T>(w, group, mask, op, pc),
            Code::Call => self.call::<T>(block, w, group, mask, op.x, pc),
            Code::Return => self.ret::<T>(block, w, group, mask),
            Code::Exit => self.exit(block, w, group, mask),
            Code::Trap => {
                for lane in lanes(mask) {
                    self.fault(block, w, lane, pc, warpdiff_model::FaultClass::Trap, None, "");
                }
                self.exit(block, w, group, mask)
            }
            Code::Barrier => self.barrier::<T>(block, w, group, mask, op.x, pc),
            Code::WarpBarrier => self.warp_barrier::<T>(block, w, group, mask, op, pc),
            Code::Collective => self.collective::<T>(w, group, mask, op.x, pc),
            Code::ActiveMask => {
                let row = w.rows.n(op.d);
                for lane in lanes(mask) {
                    w.registers.narrow[row][lane] = mask;
                }
                if T::ON {
                    self.shade_active_mask(w, row, mask);
                }
                Next::Go
            }
            Code::FrameAddress => {
                let row = w.rows.w(op.d);
                let base = w.frames[group.frame as usize].local;
                let shade = Shade { unfixed: u64::MAX << op.a, ..Shade::CLEAN };
                for lane in lanes(mask) {
                    w.registers.wide[row][lane] = u64::from(base.wrapping_add(op.x));
                    if T::ON {
                        w.registers.set_shade(Class::Wide, row, lane, shade);
                    }
                }
                if T::ON {
                    w.registers.refresh(Class::Wide, row, w.dead);
                }
                Next::Go
            }
            Code::Volatile => {
                self.read_volatile::<T>(w, op, mask);
                Next::Go
            }
            Code::Await => {
                if T::ON {
                    self.await_barriers(w, mask, op.x, pc);
                }
                Next::Go
            }
            Code::Signal => {
                if T::ON {
                    self.signal(block, w, group, op.x, pc);
                }
                if self.stop.is_some() { Next::Regroup } else { Next::Go }
            }
            // Everything else has been executed by `step`.
            _ => Next::Go,
        }
    }

    /// What is certain of an active mask: that the executing lane is in it, and that lanes which have exited are not. Of
    /// the others it is certain as long as lanes have not parted: PTX says of no place but those where lanes wait for one
    /// another that they are converged there.
    fn shade_active_mask(&self, w: &mut Warp, row: usize, mask: u32) {
        w.registers.clean(Class::Narrow, row, mask | w.dead);
        if !w.diverged {
            return;
        }
        for lane in lanes(mask) {
            let unordered = u64::from(w.live() & !(1 << lane));
            w.registers.set_shade(Class::Narrow, row, lane, Shade { unordered, ..Shade::CLEAN });
        }
    }

    /// A value that no program can rely on: concrete here, and unordered.
    fn read_volatile<T: Tracking>(&mut self, w: &mut Warp, op: &Op, mask: u32) {
        let (class, row) =
            if op.a == 1 { (Class::Wide, w.rows.w(op.d)) } else { (Class::Narrow, w.rows.n(op.d)) };
        let clock = self.steps;
        let value = match op.x {
            x if x == Volatile::Clock as u32 || x == Volatile::Clock64 as u32 => clock,
            x if x == Volatile::ClockHigh as u32 => clock >> 32,
            x if x == Volatile::WarpId as u32 => u64::from(w.index),
            _ => 0,
        };
        for lane in lanes(mask) {
            w.registers.set(class, row, lane, value);
            if T::ON {
                w.registers.set_shade(class, row, lane, Shade { unordered: u64::MAX, ..Shade::CLEAN });
            }
        }
    }

    fn branch_table<T: Tracking>(
        &mut self,
        w: &mut Warp,
        group: &mut Group,
        mask: u32,
        op: &Op,
        pc: u32,
    ) -> Next {
        let row = w.rows.n(op.a);
        let code = self.code;
        let table = &code.tables[op.x as usize];
        if T::ON && w.registers.narrow_dirt[row] != 0 {
            for lane in lanes(mask) {
                let shade = w.registers.shade(Class::Narrow, row, lane);
                self.order_dependent |= shade.unordered != 0;
                if shade.undefined != 0 {
                    self.indeterminate(
                        pc,
                        "the target",
                        Operands::read(&w.registers, &[(Class::Narrow, row)], lane).first_shade(pc).origin,
                    );
                    return Next::Regroup;
                }
            }
        }
        let mut left = mask;
        while left != 0 {
            let index = w.registers.narrow[row][left.trailing_zeros() as usize];
            let same =
                lanes(left).filter(|lane| w.registers.narrow[row][*lane] == index).fold(0, |m, l| m | 1 << l);
            left &= !same;
            // The behaviour of an index out of range is undefined.
            let Some(target) = table.get(index as usize) else {
                self.indeterminate(pc, "the out-of-range index", Origin::made_by(pc));
                return Next::Regroup;
            };
            w.put_group(Group { pc: *target, mask: same, frame: group.frame, wait: Wait::Ready });
        }
        group.mask &= !mask;
        Next::Regroup
    }
}

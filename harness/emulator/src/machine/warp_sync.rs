//! Synchronises lanes of a warp: `bar.warp.sync`, and the `.sync` forms of vote, shuffle, match and redux.
//!
//! A lane meets the lanes in its member mask once each of them that has not exited has executed an instruction "with the same
//! qualifiers and same membermask value" (PTX ISA 9.7.13, 9.7.9). It need not be the same instruction: partners may be at different
//! places, in different calls. Lanes with different masks do not meet, even at the same instruction.
//!
//! Usually all members arrive in one group and none waits. Otherwise the group waits at its operation; it checks again when others
//! join it there, and [`Machine::meet_apart`] looks for partners at other places.

use super::block::BlockState;
use super::turn::{Next, Turn};
use super::warp::{Group, Wait, Warp};
use super::{Machine, Tracking};
use crate::operation::{Class, Code, Slot};
use crate::registers::{LANES, Rows, UNDEFINED, lanes, lanes_where};

/// First target whose lanes may meet from different places: "For .target sm_6x or below, all threads in membermask must
/// execute the same instruction in convergence […] Otherwise, the behavior is undefined."
const INDEPENDENT_LANES: u32 = 70;

/// Position of a lane: the operation, and the registers of its frame.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seat {
    /// The operation.
    pub(super) pc: u32,
    /// Its frame.
    pub(super) rows: Rows,
}

/// Whether lanes `arrived`, which all name `members`, need not wait: each named lane of `live` is there, or none of those
/// that arrived is named. (Who executes without being a member does what PTX leaves undefined; nobody waits for it.)
fn is_complete(members: u32, arrived: u32, live: u32) -> bool {
    members & arrived == 0 || members & live & !arrived == 0
}

/// Calls `f` with each member mask that lanes of `mask` name, and the lanes that name it.
pub(super) fn each_party(mask: u32, members: &[u32; LANES], mut f: impl FnMut(u32, u32)) {
    let mut left = mask;
    while left != 0 {
        let named = members[left.trailing_zeros() as usize];
        let party = lanes_where(left, |lane| members[lane] == named);
        left &= !party;
        f(named, party);
    }
}

impl Machine<'_> {
    /// Whether all that the lanes of `mask` wait for are among them.
    pub(super) fn all_there(w: &Warp, mask: u32, members: &[u32; LANES]) -> bool {
        let mut all = true;
        each_party(mask, members, |named, party| all &= is_complete(named, party, w.live()));
        all
    }

    /// Makes the lanes of a turn wait at its operation. Lanes with a false guard continue.
    pub(super) fn await_members(turn: &mut Turn<'_>) -> Next {
        if turn.group.mask != turn.mask {
            turn.part_from_the_others();
        }
        *turn.group = Group { pc: turn.pc, wait: Wait::Members, ..*turn.group };
        Next::Regroup
    }

    /// `bar.warp.sync`: "guarantees memory ordering among participating threads".
    pub(super) fn warp_barrier<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let slot = Slot { class: Class::Narrow, index: turn.op.a };
        let Some(members) = self.members_of::<T>(turn, slot) else { return Next::Regroup };
        let (mask, pc) = (turn.mask, turn.pc);
        if lanes(mask).any(|lane| members[lane] >> lane & 1 == 0) {
            // "The behavior of bar.warp.sync is undefined if the executing thread is not in the membermask."
            let why = "leaves the behaviour undefined".into();
            self.unspecified(pc, "the member mask without the executing lane", why);
            return Next::Regroup;
        }
        if !Self::all_there(turn.warp, mask, &members) {
            return Self::await_members(turn);
        }
        if T::ON {
            let clocks = &mut self.clocks;
            let (block, warp) = (turn.block.number, turn.warp.index);
            each_party(mask, &members, |_, party| clocks.warp_sync(block, warp, party));
        }
        Next::Go
    }

    /// The member mask that each lane names; `None` when it is undefined.
    pub(super) fn members_of<T: Tracking>(&mut self, turn: &Turn<'_>, slot: Slot) -> Option<[u32; LANES]> {
        let defined = self.operand_defined::<T>(turn, slot, UNDEFINED, "the member mask", 0);
        defined.then(|| turn.warp.registers.narrow[turn.warp.rows.row(slot)])
    }

    /// Resumes lanes that wait for one another in different places.
    pub(super) fn meet_apart<T: Tracking>(&mut self, block: &BlockState, w: &mut Warp) {
        let mut seats = [Seat::default(); LANES];
        let mut members = [0; LANES];
        let mut left = 0;
        for group in w.groups.iter().filter(|group| group.wait == Wait::Members) {
            let rows = Rows { bases: w.frames[group.frame as usize].bases };
            left |= group.mask;
            for lane in lanes(group.mask) {
                seats[lane] = Seat { pc: group.pc, rows };
                members[lane] = self.members_named(w, seats[lane], lane);
            }
        }
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let party = lanes_where(left, |lane| {
                members[lane] == members[first] && self.have_same_qualifiers(seats[lane].pc, seats[first].pc)
            });
            left &= !party;
            if !is_complete(members[first], party, w.live()) {
                continue;
            }
            let pc = seats[first].pc;
            let apart = lanes(party).any(|lane| seats[lane].pc != pc);
            if apart && self.program.module().target < INDEPENDENT_LANES {
                let what = "partners at another place (which needs `.target sm_70` or higher)";
                self.unspecified(pc, what, "leave the behaviour undefined".into());
                return;
            }
            if self.code.ops[pc as usize].code == Code::WarpBarrier {
                if T::ON {
                    self.clocks.warp_sync(block.number, w.index, party);
                }
            } else {
                self.exchange::<T>(w, party, &members, &seats);
            }
            go_on(w, party);
        }
    }

    /// The member mask that a waiting lane names.
    fn members_named(&self, w: &Warp, seat: Seat, lane: usize) -> u32 {
        let op = self.code.ops[seat.pc as usize];
        let row = match op.code {
            Code::WarpBarrier => seat.rows.n(op.a),
            _ => match self.code.collectives[op.x as usize].members {
                Some(slot) => seat.rows.row(slot),
                None => return u32::MAX,
            },
        };
        w.registers.narrow[row][lane]
    }

    /// Whether two operations are of instructions with the same opcode, modifiers and types.
    fn have_same_qualifiers(&self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        let instruction = |pc: u32| {
            let site = self.code.sites[pc as usize];
            self.program.module().functions[site.function as usize].body.get(site.instruction as usize)
        };
        let (Some(a), Some(b)) = (instruction(a), instruction(b)) else { return false };
        a.opcode == b.opcode && a.modifiers == b.modifiers && a.types == b.types
    }
}

/// Puts the lanes `party`, which have waited, behind their operations.
fn go_on(w: &mut Warp, party: u32) {
    let mut going = Vec::new();
    for group in w.groups.iter_mut().filter(|group| group.wait == Wait::Members) {
        if group.mask & party != 0 {
            going.push(Group {
                pc: group.pc + 1,
                mask: group.mask & party,
                frame: group.frame,
                wait: Wait::Ready,
            });
            group.mask &= !party;
        }
    }
    w.groups.retain(|group| group.mask != 0);
    for group in going {
        w.put_group(group);
    }
}

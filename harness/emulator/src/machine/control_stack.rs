//! The stack of machine code: entries that say where `SYNC`, `BRK`, `CONT` and `RET` go.
//!
//! Each thread has a stack of its own: an instruction that takes an entry back goes down to the nearest one of its kind, which is how
//! yuzu and Ryujinx follow one thread. Entries of `SSY`, `PBK` and `PCNT` belong to the call that they were pushed in. Threads with
//! equal stacks share a frame, so that they can run as one group; a stack is the chain of a frame and its parents. Frames are kept
//! and found again: a loop that pushes makes none after its first round.

use warpdiff_model::FaultClass;

use super::turn::{Next, Turn};
use super::warp::{Entry, Frame, Group, NEVER, Wait, Warp};
use super::{Machine, Tracking};
use crate::operation::{Class, Pushed, Slot};
use crate::registers::{UNDEFINED, UNORDERED, lanes, lanes_where};

/// Entries above one another. A device has less room for them.
const DEPTH_LIMIT: u32 = 8192;

impl Machine<'_> {
    /// `SSY`, `PBK`, `PCNT`, `PRET`, and of a call the return address.
    pub(super) fn push<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let entry = Entry { kind: turn.op.a, target: turn.op.x };
        let frame = frame_of_entry(turn.warp, turn.group.frame, entry);
        if turn.warp.frames[frame as usize].depth > DEPTH_LIMIT {
            return self.stack_is_full::<T>(turn, turn.mask);
        }
        if turn.mask != turn.group.mask {
            turn.part_from_the_others();
        }
        turn.group.frame = frame;
        if turn.warp.groups.is_empty() { Next::Go } else { Next::Regroup }
    }

    /// `SYNC`, `BRK`, `CONT`, `RET`.
    pub(super) fn pop(&mut self, turn: &mut Turn<'_>) -> Next {
        let Some((target, frame)) = entry_of_kind(turn.warp, turn.group.frame, turn.op.a) else {
            self.unspecified(turn.pc, "the target", "is on no stack: nothing has pushed it".into());
            return Next::Regroup;
        };
        if turn.mask != turn.group.mask {
            turn.part_from_the_others();
        }
        let is_backward = target < turn.pc;
        turn.group.pc = target;
        turn.group.frame = frame;
        if turn.warp.groups.is_empty() {
            return Next::Go;
        }
        if is_backward && turn.warp.others_ready() {
            turn.warp.circled(turn.group);
        }
        Next::Regroup
    }

    /// `BRX`, `JMX`: each lane goes to the instruction at its address.
    pub(super) fn branch_to_address<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let slot = Slot { class: Class::Narrow, index: turn.op.a };
        if !self.operand_defined::<T>(turn, slot, UNDEFINED | UNORDERED, "the target", 0) {
            return Next::Regroup;
        }
        let code = self.code;
        let (base, added) = (turn.warp.rows.n(turn.op.a), turn.warp.rows.n(turn.op.b));
        let mut left = turn.mask;
        let mut lost = 0;
        while left != 0 {
            let registers = &turn.warp.registers.narrow;
            let first = left.trailing_zeros() as usize;
            let address = registers[base][first];
            let same = lanes_where(left, |lane| registers[base][lane] == address);
            left &= !same;
            let address = address.wrapping_add(registers[added][first]);
            match code.operation_at(address) {
                Some(target) => {
                    let (pc, frame) = (target, turn.group.frame);
                    turn.warp.put_group(Group { pc, mask: same, frame, wait: Wait::Ready });
                }
                None => {
                    for lane in lanes(same) {
                        let detail = format!("address {address:#x} is of no instruction of the program");
                        let class = FaultClass::IllegalInstruction;
                        self.fault(turn, lane, class, Some(address.into()), &detail);
                    }
                    lost |= same;
                }
            }
        }
        turn.group.mask &= !(turn.mask & !lost);
        if lost != 0 { self.exit(turn, lost) } else { Next::Regroup }
    }
}

/// The frame of an entry that is pushed onto the stack `parent`.
fn frame_of_entry(w: &mut Warp, parent: u32, entry: Entry) -> u32 {
    let mut candidate = w.frames[parent as usize].child;
    while candidate != NEVER {
        let frame = &w.frames[candidate as usize];
        if frame.entry == Some(entry) {
            return candidate;
        }
        candidate = frame.sibling;
    }
    let above = w.frames[parent as usize];
    let index = w.frames.len() as u32;
    w.frames.push(Frame {
        parent,
        depth: above.depth + 1,
        entry: Some(entry),
        child: NEVER,
        sibling: above.child,
        ..above
    });
    w.frames[parent as usize].child = index;
    index
}

/// The target of the nearest entry of that kind, and the stack below it.
fn entry_of_kind(w: &Warp, stack: u32, kind: u32) -> Option<(u32, u32)> {
    let mut frame = &w.frames[stack as usize];
    loop {
        let entry = frame.entry?;
        if entry.kind == kind {
            return Some((entry.target, frame.parent));
        }
        if entry.kind == Pushed::Return as u32 {
            return None;
        }
        frame = &w.frames[frame.parent as usize];
    }
}

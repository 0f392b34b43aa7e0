//! Calls and returns: frames of registers and of local memory, recursion limits.

use warpdiff_model::FaultClass;

use super::turn::{Next, Turn};
use super::warp::{Frame, Group, NEVER, Wait, Warp};
use super::{Machine, Stop, Tracking};
use crate::decoded::ParameterPlace;
use crate::memory::Allocation;
use crate::operation::{CallTarget, Class, Slot, Transfer};
use crate::registers::{Rows, Shade, UNDEFINED, lanes, lanes_where};
use warpdiff_semantics::definedness::doubt::Trace;

/// Calls within calls.
const DEPTH_LIMIT: u32 = 2048;
/// Maximum local memory of a thread in bytes, as on every device.
const LOCAL_LIMIT: u32 = 512 << 10;
/// Maximum bytes of a warp's registers in all its frames, shadows included, so that tracked and untracked runs have the same limit.
/// A device saves callers' registers in local memory and runs out of it sooner.
const REGISTER_LIMIT: u64 = 128 << 20;

/// One side of a transfer.
#[derive(Clone, Copy)]
enum Side {
    /// Bytes of local memory.
    Local(usize, usize),
    /// A register, resolved.
    Register(Class, usize),
}

impl Machine<'_> {
    /// `call`.
    pub(super) fn call<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let code = self.code;
        let call = &code.calls[turn.op.x as usize];
        let (function, called) = match call.callee {
            CallTarget::Function(function) => (function, turn.mask),
            CallTarget::System(function) => return self.system_call::<T>(turn, call, function),
            CallTarget::Indirect(register) => {
                let slot = Slot { class: Class::Wide, index: register };
                if !self.operand_defined::<T>(turn, slot, UNDEFINED, "the callee", 0) {
                    return Next::Regroup;
                }
                let addresses = &turn.warp.registers.wide[turn.warp.rows.w(register)];
                let address = addresses[turn.mask.trailing_zeros() as usize];
                let same = lanes_where(turn.mask, |lane| addresses[lane] == address);
                let Some(function) = code.function_at(address) else {
                    return self.bad_call(turn, same, address, "is no function");
                };
                let info = &code.functions[function as usize];
                if info.parameters.len() != call.arguments.len() || info.returns.len() != call.returns.len() {
                    return self.bad_call(turn, same, address, "is a function of another signature");
                }
                (function, same)
            }
        };
        let Turn { warp: w, group, mask, pc, .. } = turn;
        let (mask, pc) = (*mask, *pc);
        // Lanes that call something else call again on their own; lanes whose guard is off go on.
        let elsewhere = mask & !called;
        let passed = group.mask & !mask;
        if elsewhere != 0 {
            w.put_group(Group { pc, mask: elsewhere, frame: group.frame, wait: Wait::Ready });
        }
        if passed != 0 {
            w.put_group(Group { pc: pc + 1, mask: passed, frame: group.frame, wait: Wait::Ready });
        }
        group.mask = called;
        let frame = self.frame_of_call(w, group.frame, function, pc);
        let info = &code.functions[function as usize];
        let target = w.frames[frame as usize];
        let registers = target.bases.plus(info.registers).bytes(true);
        let local = target.local.saturating_add(info.frame_size);
        if target.depth > DEPTH_LIMIT || local > LOCAL_LIMIT || registers > REGISTER_LIMIT {
            return self.stack_is_full::<T>(turn, called);
        }
        self.open_frame::<T>(w, frame, called);
        let (caller, callee) = (w.frames[group.frame as usize], target);
        for (argument, parameter) in call.arguments.iter().zip(&info.parameters) {
            let (from, to) = (outer(argument, &caller), inner(parameter, &callee));
            transfer::<T>(w, from, to, called);
        }
        group.frame = frame;
        group.pc = info.start.unwrap_or(NEVER);
        Next::Regroup
    }

    /// No stack is so large that every recursion fits, and nothing says how large one is: a device faults sooner or later, and
    /// where this one's ends the reference knows nothing more than that it has not come back.
    #[cold]
    pub(super) fn stack_is_full<T: Tracking>(&mut self, turn: &mut Turn<'_>, called: u32) -> Next {
        let detail = "calls nested deeper than the stack";
        for lane in lanes(called) {
            if self.is_strict::<T>() {
                self.may_fault(turn, lane, FaultClass::StackOverflow, None, detail);
            } else {
                self.fault(turn, lane, FaultClass::StackOverflow, None, detail);
            }
        }
        if self.is_strict::<T>() {
            self.stop.get_or_insert(Stop::TimedOut);
        }
        self.exit(turn, called)
    }

    fn bad_call(&mut self, turn: &mut Turn<'_>, same: u32, address: u64, what: &str) -> Next {
        for lane in lanes(same) {
            let detail = format!("address {address:#x} {what}");
            self.fault(turn, lane, FaultClass::IllegalInstruction, Some(address), &detail);
        }
        // The other lanes try the operation again.
        turn.group.pc = turn.pc;
        self.exit(turn, same)
    }

    /// The frame for a call from `parent`, made at its first use.
    fn frame_of_call(&self, w: &mut Warp, parent: u32, function: u32, call: u32) -> u32 {
        let mut candidate = w.frames[parent as usize].child;
        while candidate != NEVER {
            let frame = &w.frames[candidate as usize];
            if frame.function == function && frame.call == call {
                return candidate;
            }
            candidate = frame.sibling;
        }
        let above = w.frames[parent as usize];
        let caller = &self.code.functions[above.function as usize];
        let frame = Frame {
            parent,
            depth: above.depth + 1,
            function,
            call,
            bases: above.bases.plus(caller.registers),
            // Aligned for any type.
            local: above.local.saturating_add(caller.frame_size).next_multiple_of(16),
            entry: None,
            child: NEVER,
            sibling: above.child,
        };
        w.frames.push(frame);
        let index = w.frames.len() as u32 - 1;
        w.frames[parent as usize].child = index;
        index
    }

    /// Makes room for a frame and forgets what the lanes had there.
    fn open_frame<T: Tracking>(&self, w: &mut Warp, frame: u32, mask: u32) {
        let frame = w.frames[frame as usize];
        let info = &self.code.functions[frame.function as usize];
        let end = frame.bases.plus(info.registers);
        w.registers.grow(end.narrow as usize, end.wide as usize, end.predicates as usize, T::ON);
        let top = (frame.local + info.frame_size) as usize;
        for lane in lanes(mask) {
            let local = &mut w.local[lane];
            if local.data.len() < top {
                local.data.resize(top, 0);
                if T::ON {
                    local.defined.resize(top, 0);
                }
                for plane in [&mut local.unordered, &mut local.unfixed] {
                    if !plane.is_empty() {
                        plane.resize(top, 0);
                    }
                }
                if !local.traces.is_empty() {
                    local.traces.resize(top, Trace::NONE);
                }
            }
            if T::ON {
                local.set_undefined_bytes(frame.local as usize, top - frame.local as usize);
            }
        }
        if T::ON {
            for row in frame.bases.narrow..end.narrow {
                w.registers.forget(Class::Narrow, row as usize, mask);
            }
            for row in frame.bases.wide..end.wide {
                w.registers.forget(Class::Wide, row as usize, mask);
            }
            for row in frame.bases.predicates..end.predicates {
                w.registers.forget(Class::Predicate, row as usize, mask);
            }
        }
    }

    /// `ret`.
    pub(super) fn ret<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let mask = turn.mask;
        let frame = turn.warp.frames[turn.group.frame as usize];
        if frame.call == NEVER {
            return self.exit(turn, mask);
        }
        let Turn { warp: w, group, .. } = turn;
        let code = self.code;
        let call = &code.calls[code.ops[frame.call as usize].x as usize];
        let caller = w.frames[frame.parent as usize];
        let info = &code.functions[frame.function as usize];
        for (result, place) in call.returns.iter().zip(&info.returns) {
            let (from, to) = (inner(place, &frame), outer(result, &caller));
            transfer::<T>(w, from, to, mask);
        }
        // Lanes whose guard is off stay.
        if group.mask != mask {
            w.put_group(Group { mask: group.mask & !mask, ..**group });
        }
        **group = Group { pc: frame.call + 1, mask, frame: frame.parent, wait: Wait::Ready };
        Next::Regroup
    }
}

/// The caller's side of a transfer.
fn outer(transfer: &Transfer, frame: &Frame) -> Side {
    match *transfer {
        Transfer::Frame { offset, size } => Side::Local((frame.local + offset) as usize, size as usize),
        Transfer::Register(slot) => Side::Register(slot.class, Rows { bases: frame.bases }.row(slot)),
    }
}

/// The callee's side.
fn inner(place: &ParameterPlace, frame: &Frame) -> Side {
    match *place {
        ParameterPlace::Frame { offset, size } => Side::Local((frame.local + offset) as usize, size as usize),
        ParameterPlace::Register(slot) => Side::Register(slot.class, Rows { bases: frame.bases }.row(slot)),
    }
}

/// Copies a value with its shadow.
fn transfer<T: Tracking>(w: &mut Warp, from: Side, to: Side, mask: u32) {
    transfer_lanes::<T>(w, from, to, mask);
    if let (true, Side::Register(class, row)) = (T::ON, to) {
        w.registers.refresh(class, row, w.dead);
    }
}

fn transfer_lanes<T: Tracking>(w: &mut Warp, from: Side, to: Side, mask: u32) {
    for lane in lanes(mask) {
        match (from, to) {
            (Side::Local(source, size), Side::Local(target, room)) => {
                copy_bytes(&mut w.local[lane], source, target, size.min(room));
            }
            (Side::Register(class, row), Side::Local(target, size)) => {
                let value = w.registers.get(class, row, lane);
                let size = size.min(8);
                w.local[lane].write(target, size, value);
                if T::ON {
                    let shade = w.registers.shade(class, row, lane);
                    w.local[lane].set_undefined(target, size, shade.undefined);
                    w.local[lane].set_unordered(target, size, shade.unordered);
                    w.local[lane].set_unfixed(target, size, shade.unfixed);
                    w.local[lane].set_doubt(target, size, shade.doubt);
                }
            }
            (Side::Local(source, size), Side::Register(class, row)) => {
                let size = size.min(8);
                let value = w.local[lane].read(source, size);
                w.registers.set(class, row, lane, value);
                if T::ON {
                    let undefined = w.local[lane].undefined(source, size);
                    let unordered = w.local[lane].unordered(source, size);
                    let unfixed = w.local[lane].unfixed(source, size);
                    let doubt = w.local[lane].doubt(source, size, undefined);
                    let shade = Shade { undefined, unordered, unfixed, doubt, ..Shade::CLEAN };
                    w.registers.set_shade(class, row, lane, shade);
                }
            }
            (Side::Register(class, row), Side::Register(to_class, to_row)) => {
                let value = w.registers.get(class, row, lane);
                w.registers.set(to_class, to_row, lane, value);
                if T::ON {
                    let shade = w.registers.shade(class, row, lane);
                    w.registers.set_shade(to_class, to_row, lane, shade);
                }
            }
        }
    }
}

/// Copies bytes of local memory with their shadow.
fn copy_bytes(local: &mut Allocation, source: usize, target: usize, size: usize) {
    local.data.copy_within(source..source + size, target);
    for plane in [&mut local.defined, &mut local.unordered, &mut local.unfixed] {
        if !plane.is_empty() {
            plane.copy_within(source..source + size, target);
        }
    }
    if !local.traces.is_empty() {
        local.traces.copy_within(source..source + size, target);
    }
}

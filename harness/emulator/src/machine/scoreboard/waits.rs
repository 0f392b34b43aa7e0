//! Waits of instructions of a scheduled program, and the pending operations they start.
//!
//! Loads, stores and atomics read their sources and write their results at unspecified times; barriers signal completion. Until a
//! thread has waited, its destination holds no value, and a source that it overwrites may be read with the new value. A wait
//! applies to the threads that execute it. An untracked run ignores this: everything happens at once.

use super::pending::{Pending, What};
use crate::address_space::{Region, Spot};
use crate::machine::Machine;
use crate::machine::turn::Turn;
use crate::machine::warp::Warp;
use crate::memory::locate;
use crate::operation::{Class, Slot};
use crate::registers::lanes;
use crate::schedule::{Duty, Queue, Reached};

/// What an instruction has under way for lanes whose guard is false, or if it writes none: no register.
const NO_REGISTER: Slot = Slot { class: Class::Predicate, index: u32::MAX };
/// The number of queues.
const QUEUES: usize = Queue::Slow as usize + 1;

impl Machine<'_> {
    /// Before an instruction: completes the operations it waits for.
    pub(in crate::machine) fn await_barriers(&mut self, turn: &mut Turn<'_>) {
        let code = self.code;
        let wanted = &code.schedules[turn.op.x as usize];
        let (w, mask, pc) = (&mut *turn.warp, turn.mask, turn.pc);
        if wanted.waits != 0 {
            self.wait_for(w, mask, wanted.waits, u64::MAX);
        }
        if wanted.drains {
            have_read(w, mask);
        }
        if let Some((barrier, most)) = wanted.leaving {
            self.wait_for_all_but(w, mask, barrier, most as usize);
        }
        let executed = match wanted.guard.map(|guard| (guard.predicate(), guard.flip())) {
            None => 0,
            Some((None, _)) => mask,
            Some((Some(predicate), flip)) => (w.registers.predicates[w.rows.p(predicate)] ^ flip) & mask,
        };
        w.scoreboard.executing = w.scoreboard.executing & !mask | executed;
        // Whether an instruction is executed depends on its guard in every lane.
        if let Some(predicate) = wanted.guard.and_then(|guard| guard.predicate()) {
            self.note_reading(w, Slot { class: Class::Predicate, index: predicate }, mask, pc);
        }
        wanted.reads.iter().for_each(|slot| self.note_reading(w, *slot, executed, pc));
    }

    /// After an instruction: checks for premature overwrites, and records the operations it starts.
    pub(in crate::machine) fn signal(&mut self, turn: &mut Turn<'_>) {
        let code = self.code;
        let (schedule, pc) = (turn.op.x, turn.pc);
        let done = &code.schedules[schedule as usize];
        let executed = turn.warp.scoreboard.executing & turn.group.mask;
        for slot in &done.writes {
            if let Some(queue) = done.queue {
                self.earlier_have_written(turn.warp, *slot, executed, queue);
            }
            if done.reads_in_order {
                self.earlier_have_read(turn.warp, *slot, executed);
            }
            self.overwrite(turn, *slot, executed);
        }
        if done.duty == Duty::Fixed {
            return;
        }
        turn.warp.scoreboard.begun += 1;
        let number = turn.warp.scoreboard.begun;
        let bit = |barrier: Option<u8>| barrier.map_or(0, |barrier| 1u8 << barrier);
        let result_barriers = bit(done.write_barrier);
        let source_barriers = result_barriers | bit(done.read_barrier);
        // An instruction that writes no register (`I2I RZ.CC`) signals as well, and completes after the earlier ones of its queue.
        let nothing_written = if done.writes.is_empty() { executed } else { 0 };
        let idle = turn.group.mask & !executed;
        // Each barrier in its own turn: who has waited for one of them has not waited for the other.
        for (lanes, barriers) in [(idle, bit(done.read_barrier)), (idle | nothing_written, result_barriers)] {
            if lanes != 0 && barriers != 0 {
                let (slot, what) = (NO_REGISTER, What::Nothing);
                let pending = Pending { op: pc, schedule, number, slot, lanes, barriers, what };
                turn.warp.scoreboard.pending.push(pending);
            }
        }
        if executed == 0 {
            return;
        }
        let begin = |w: &mut Warp, slot: Slot, barriers: u8, what: What| {
            let pending = Pending { op: pc, schedule, number, slot, lanes: executed, barriers, what };
            w.scoreboard.pending.push(pending);
        };
        for slot in &done.writes {
            let shades = Box::new(turn.warp.hide(*slot, executed, pc));
            begin(turn.warp, *slot, result_barriers, What::Result { shades, spoilt: 0 });
        }
        // `SHFL` has no address: that its sources have been read says that those of the accesses before it have been.
        let barriers = bit(done.read_barrier);
        if barriers != 0 && done.reads_in_order && !done.looks_up && done.address.is_none() {
            begin(turn.warp, NO_REGISTER, barriers, What::Nothing);
        }
        // A result that has been written has had its sources read.
        if done.looks_up {
            for slot in &done.reads {
                begin(turn.warp, *slot, source_barriers, What::Address);
            }
        }
        let Some(reached) = &done.address else { return };
        // A predicate is read before the next instruction: ptxas 12.9 overwrites that of `LD` and `ST` there.
        for slot in done.reads.iter().filter(|slot| slot.class != Class::Predicate) {
            let what = match reached.base.contains(slot) {
                true => What::Address,
                false => {
                    What::Data { places: self.places(turn, reached, executed), size: reached.size as usize }
                }
            };
            begin(turn.warp, *slot, source_barriers, what);
        }
    }

    /// The lanes of `mask` have waited for all but so many of the instructions that signal a barrier: instructions that are to be
    /// counted are done in their order.
    fn wait_for_all_but(&self, w: &mut Warp, mask: u32, barrier: u8, most: usize) {
        let signals = |pending: &&Pending| pending.barriers >> barrier & 1 == 1 && pending.lanes & mask != 0;
        let mut numbers: Vec<u64> =
            w.scoreboard.pending.iter().filter(signals).map(|pending| pending.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if let Some(last) = numbers.len().checked_sub(most + 1) {
            self.wait_for(w, mask, 1 << barrier, numbers[last]);
        }
    }

    /// The lanes of `mask` have waited for these barriers, as far as instructions up to that number signal them; and for what is done
    /// before those: earlier results of the same queue ([`is_covered`](crate::schedule::Schedule::is_covered)), and the sources of earlier accesses.
    fn wait_for(&self, w: &mut Warp, mask: u32, waits: u8, up_to: u64) {
        let schedule = |pending: &Pending| &self.code.schedules[pending.schedule as usize];
        let is_named = |pending: &Pending| pending.barriers & waits != 0 && pending.number <= up_to;
        // The latest of each queue, and the latest of those that read their sources in order.
        let (mut last, mut last_reading) = ([0; QUEUES], 0);
        for pending in w.scoreboard.pending.iter().filter(|pending| is_named(pending)) {
            if pending.lanes & mask == 0 {
                continue;
            }
            // That its sources have been read says nothing of results.
            let is_written = schedule(pending).write_barrier.is_some_and(|barrier| waits >> barrier & 1 == 1);
            if let Some(queue) = schedule(pending).queue.filter(|_| is_written) {
                last[queue as usize] = pending.number.max(last[queue as usize]);
            }
            if schedule(pending).reads_in_order {
                last_reading = pending.number.max(last_reading);
            }
        }
        let is_before = |pending: &Pending| match pending.what {
            What::Result { .. } => {
                let queue = schedule(pending).queue.filter(|_| schedule(pending).is_covered);
                queue.is_some_and(|queue| pending.number < last[queue as usize])
            }
            What::Data { .. } | What::Address => {
                schedule(pending).reads_in_order && pending.number < last_reading
            }
            What::Nothing => false,
        };
        settle_those(w, mask, |pending| is_named(pending) || is_before(pending));
    }

    /// An instruction writes a register: those before it in its queue have written it by then, and what they wrote is gone.
    fn earlier_have_written(&self, w: &mut Warp, slot: Slot, mask: u32, queue: Queue) {
        let in_queue =
            |pending: &Pending| self.code.schedules[pending.schedule as usize].queue == Some(queue);
        leave_signals(w, slot, mask, |pending| {
            matches!(pending.what, What::Result { .. }) && in_queue(pending)
        });
    }

    /// An instruction that reads its sources in order writes a register: those before it have read it by then.
    fn earlier_have_read(&self, w: &mut Warp, slot: Slot, mask: u32) {
        let in_order = |pending: &Pending| self.code.schedules[pending.schedule as usize].reads_in_order;
        leave_signals(w, slot, mask, |pending| {
            !matches!(pending.what, What::Result { .. }) && in_order(pending)
        });
    }

    /// The places that the lanes of `mask` access, where they exist.
    fn places(&self, turn: &Turn<'_>, reached: &Reached, mask: u32) -> Vec<(usize, Spot)> {
        let size = u64::from(reached.size);
        let place = |lane: usize| {
            let address = turn.address(&reached.address, lane) & !(size - 1);
            let (region, offset) =
                locate(reached.address.place, address, &self.memory.globals, self.code.bank).ok()?;
            let length = match region {
                Region::Global(_) | Region::Shared | Region::Local => self.length_of(turn, region, lane),
                Region::Param | Region::Surface(_) => 0,
            };
            let inside = offset.checked_add(size).is_some_and(|end| end <= length);
            inside.then_some((lane, Spot { region, offset: offset as usize }))
        };
        lanes(mask).filter_map(place).collect()
    }
}

/// What these lanes have begun with a register concerns nobody any more, where `is_past` says so. It is not done yet, so that its barriers are
/// signalled in their turn: ptxas 12.9 counts an `LDG` whose result an `LDL` overwrites among those that `DEPBAR.LE` leaves.
fn leave_signals(w: &mut Warp, slot: Slot, mask: u32, is_past: impl Fn(&Pending) -> bool) {
    let mut signals = Vec::new();
    for pending in w.scoreboard.pending.iter_mut().filter(|pending| pending.slot == slot && is_past(pending))
    {
        let lanes = pending.lanes & mask;
        pending.lanes &= !mask;
        if lanes != 0 && pending.barriers != 0 {
            let (slot, what) = (NO_REGISTER, What::Nothing);
            signals.push(Pending { slot, lanes, what, ..*pending });
        }
    }
    w.scoreboard.pending.retain(|pending| pending.lanes != 0);
    w.scoreboard.pending.append(&mut signals);
}

/// What these lanes have begun is done, where `is_done` says so.
fn settle_those(w: &mut Warp, mask: u32, is_done: impl Fn(&Pending) -> bool) {
    let Warp { registers, rows, dead, scoreboard, .. } = w;
    for pending in &mut scoreboard.pending {
        let settled = pending.lanes & mask;
        if settled == 0 || !is_done(pending) {
            continue;
        }
        pending.lanes &= !settled;
        if let What::Result { shades, spoilt } = &pending.what {
            let row = rows.row(pending.slot);
            for lane in lanes(settled & !spoilt) {
                registers.set_shade(pending.slot.class, row, lane, shades[lane]);
            }
            registers.refresh(pending.slot.class, row, *dead);
        }
    }
    scoreboard.pending.retain(|pending| pending.lanes != 0);
}

/// What the lanes of `mask` have begun has read its sources.
fn have_read(w: &mut Warp, mask: u32) {
    let reads = |pending: &&mut Pending| matches!(pending.what, What::Data { .. } | What::Address);
    w.scoreboard.pending.iter_mut().filter(reads).for_each(|pending| pending.lanes &= !mask);
    w.scoreboard.pending.retain(|pending| pending.lanes != 0);
}

//! Executes barriers of the block, and the end of threads.

use warpdiff_model::FaultClass;

use super::barrier_state::Side;
use super::barrier_state::{BARRIERS, BarrierState};
use super::block::BlockState;
use super::turn::{Next, Turn};
use super::warp::{Group, Wait, Warp};
use super::{Machine, Tracking};
use crate::operation::{BarrierKind, BarrierOp, Class, Reduction, Slot};
use crate::registers::{LANES, Shade, UNDEFINED, lanes, lanes_where};

impl Machine<'_> {
    /// `bar.sync`, `bar.arrive`, `bar.red`.
    pub(super) fn barrier<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let op = self.code.barriers[turn.op.x as usize];
        for slot in [Some(op.id), op.count].into_iter().flatten() {
            if !self.operand_defined::<T>(turn, slot, UNDEFINED, "the barrier operand", 0) {
                return Next::Regroup;
            }
        }
        let w = &mut *turn.warp;
        let read = |lane: usize| {
            let of = |slot: Slot| w.value(slot, lane) as u32;
            (of(op.id), op.count.map(of))
        };
        let (mask, pc) = (turn.mask, turn.pc);
        let first = read(mask.trailing_zeros() as usize);
        // Lanes that name another barrier, or another number of threads, execute the operation again on their own.
        turn.mask = lanes_where(mask, |lane| read(lane) == first);
        let elsewhere = mask & !turn.mask;
        if elsewhere != 0 {
            w.put_group(Group { pc, mask: elsewhere, ..*turn.group });
            turn.group.mask &= !elsewhere;
        }
        let (id, count) = first;
        if id >= BARRIERS {
            for lane in lanes(turn.mask) {
                let detail = format!("barrier {id} of {BARRIERS}");
                self.fault(turn, lane, FaultClass::IllegalInstruction, None, &detail);
            }
            return self.exit(turn, turn.mask);
        }
        if let Some(wrong) = count.and_then(|count| wrong_count(count, op.kind)) {
            self.unspecified(pc, &wrong, "leaves the behaviour undefined".into());
            return Next::Regroup;
        }
        let count = count.filter(|count| *count != 0);
        self.arrive::<T>(turn, &op, id as u8, count);
        Next::Regroup
    }

    fn arrive<T: Tracking>(&mut self, turn: &mut Turn<'_>, op: &BarrierOp, id: u8, count: Option<u32>) {
        let (w, mask) = (&*turn.warp, turn.mask);
        if turn.block.barriers.is_empty() {
            turn.block.barriers = BarrierState::all(turn.block.dead.len());
        }
        let state = &mut turn.block.barriers[usize::from(id)];
        state.arrived[w.index as usize] |= mask;
        state.count = count.or(state.count);
        let generation = state.generation;
        if let BarrierKind::Reduce { source, negated, .. } = op.kind {
            let row = w.rows.p(source);
            let value = w.registers.predicates[row] ^ if negated { u32::MAX } else { 0 };
            state.reduced.0 += (value & mask).count_ones();
            state.reduced.1 += mask.count_ones();
            if T::ON && w.registers.predicate_dirt[row] != 0 {
                for lane in lanes(mask) {
                    let shade = w.registers.shade(Class::Predicate, row, lane);
                    state.shade.undefined |= shade.undefined;
                    state.shade.unordered |= shade.unordered;
                    state.shade.unfixed |= shade.unfixed;
                    if shade.undefined != 0 {
                        state.shade.origin = shade.origin_seen(turn.pc, 0);
                    }
                }
            }
        }
        if op.kind == BarrierKind::Arrive {
            if T::ON {
                // It does not wait: what it does from here on is after its arrival, but not before the barrier.
                let mut arrivals = std::mem::take(&mut state.arrivals);
                for lane in lanes(mask) {
                    self.clocks.arrive(&mut arrivals, turn.block.thread(w.index, lane));
                }
                turn.block.barriers[usize::from(id)].arrivals = arrivals;
            }
        } else {
            state.waiting[w.index as usize] |= mask;
            if mask != turn.group.mask {
                // Lanes whose guard is off go on.
                turn.part_from_the_others();
            }
            turn.group.wait = Wait::Barrier { id, generation };
        }
        if T::ON && op.aligned {
            self.come_aligned(turn, id);
        }
        self.settle(turn.block, T::ON);
    }

    /// Opens the barriers whose threads are all there.
    fn settle(&mut self, block: &mut BlockState, tracked: bool) {
        for id in 0..block.barriers.len() {
            let state = &block.barriers[id];
            if !state.someone_arrived() || !state.complete(&block.dead) {
                continue;
            }
            if tracked {
                self.check_alignment(block, id);
                self.order(block, id);
            }
            let everyone = block.barriers[id].is_everyone(&block.dead);
            let state = &mut block.barriers[id];
            state.generation += 1;
            state.result = (state.reduced.0, state.reduced.1, state.shade);
            state.reduced = (0, 0);
            state.shade = Shade::CLEAN;
            state.count = None;
            state.arrived.fill(0);
            state.waiting.fill(0);
            state.sides.fill(Side::NONE);
            // Between threads that did not both wait here nothing is ordered: atomics before and after still contend.
            block.epoch += u32::from(everyone);
        }
    }

    /// Tells the race detector what the barrier orders.
    fn order(&mut self, block: &mut BlockState, id: usize) {
        let arrivals = std::mem::take(&mut block.barriers[id].arrivals);
        let state = &block.barriers[id];
        if state.is_everyone(&block.dead) {
            self.clocks.barrier(block.number);
            return;
        }
        let of_warp = |(warp, mask): (usize, &u32)| {
            lanes(*mask).map(|lane| block.thread(warp as u32, lane)).collect::<Vec<_>>()
        };
        let waiting: Vec<u32> = state.waiting.iter().enumerate().flat_map(of_warp).collect();
        self.clocks.barrier_among(arrivals, &waiting);
    }

    /// Resumes the groups of a warp whose barrier has opened.
    pub(super) fn wake<T: Tracking>(&mut self, block: &BlockState, w: &mut Warp) {
        if !w.groups.iter().any(|group| matches!(group.wait, Wait::Barrier { .. })) {
            return;
        }
        for mut group in std::mem::take(&mut w.groups) {
            if let Wait::Barrier { id, generation } = group.wait
                && block.barriers[usize::from(id)].generation != generation
            {
                group.wait = Wait::Ready;
                self.give_result::<T>(block, w, &group, id);
            }
            w.put_group(group);
        }
    }

    /// Writes the result of a `bar.red` that a group waited at.
    fn give_result<T: Tracking>(&mut self, block: &BlockState, w: &mut Warp, group: &Group, id: u8) {
        let op = self.code.ops[group.pc as usize - 1];
        let BarrierKind::Reduce { how, destination, .. } = self.code.barriers[op.x as usize].kind else {
            return;
        };
        let (yes, all, shade) = block.barriers[usize::from(id)].result;
        let value = match how {
            Reduction::And => u64::from(yes == all),
            Reduction::Or => u64::from(yes != 0),
            Reduction::Count => u64::from(yes),
        };
        w.rows.bases = w.frames[group.frame as usize].bases;
        let row = w.rows.row(destination);
        for lane in lanes(group.mask) {
            w.registers.set(destination.class, row, lane, value);
            if T::ON {
                let spread = |bits: u64| if bits != 0 { u64::MAX } else { 0 };
                let shade = Shade {
                    undefined: spread(shade.undefined),
                    unordered: spread(shade.unordered),
                    unfixed: spread(shade.unfixed),
                    ..shade
                };
                w.registers.set_shade(destination.class, row, lane, shade);
            }
        }
    }

    /// Ends the lanes `ended` of the group.
    #[cold]
    pub(super) fn exit(&mut self, turn: &mut Turn<'_>, ended: u32) -> Next {
        self.note_change();
        let w = &mut *turn.warp;
        turn.group.mask &= !ended;
        w.dead |= ended;
        turn.block.dead[w.index as usize] = w.dead;
        // Who waits for these lanes does so no longer.
        for other in &mut w.groups {
            if other.wait == Wait::Members {
                other.wait = Wait::Ready;
            }
        }
        let tracked = !w.registers.narrow_dirt.is_empty() || !w.registers.predicate_dirt.is_empty();
        self.settle(turn.block, tracked);
        Next::Regroup
    }
}

/// What is wrong with a number of threads, if PTX leaves undefined what a barrier does with it: "When specifying a thread
/// count, the value must be a multiple of the warp size", and "a non-zero thread count is required for barrier.arrive".
fn wrong_count(count: u32, kind: BarrierKind) -> Option<String> {
    match count {
        0 if kind == BarrierKind::Arrive => Some("the thread count 0".into()),
        count if count % LANES as u32 != 0 => {
            Some(format!("the thread count {count}, no multiple of {LANES},"))
        }
        _ => None,
    }
}

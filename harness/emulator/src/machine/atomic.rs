//! Executes atomics and reductions: what they store and return.

use warpdiff_model::serial::{AtomicOp, Contenders};
use warpdiff_semantics::definedness::atomic::{by_operands, is_bitwise, open_in_nans, settled};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::compare::Comparison;
use warpdiff_semantics::surface::texel::Certainty;

use super::access::update;
use super::grid::position;
use super::lanes::Operands;
use super::places::{places, row};
use super::reach::{Reach, Request};
use super::recorder::{Touched, note};
use super::turn::{Halt, Next, Turn};
use super::watch::Executed;
use super::whole_row::is_row_defined;
use super::window::Spin;
use super::{Machine, Tracking};
use crate::Schedule;
use crate::address_space::{Region, Spot};
use crate::memory::Allocation;
use crate::memory_operation::{Atomic, Destination};
use crate::operation::{Class, Slot};
use crate::registers::{LANES, Origin, Shade, lanes};
use crate::trace::AccessKind;
use warpdiff_races::contention::{Actor, Done, Location, Touch};
use warpdiff_races::{Shadow, StrongKind, widen};
use warpdiff_semantics::atomic::{AtomicDeviant, AtomicKind};
use warpdiff_semantics::definedness::doubt::Doubt;

impl Machine<'_> {
    /// Executes an `atom` or `red`.
    pub(super) fn atomic<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let code = self.code;
        let atomic = &code.atomics[turn.op.x as usize];
        if !self.address_defined::<T>(turn, &atomic.address)
            || self.is_strict::<T>() && self.stores_at_handle(turn, &atomic.address)
        {
            return Next::Regroup;
        }
        if self.schedule == Schedule::InOrder
            && !T::TRACED
            && let Some(changed) = self.atomic_fast::<T>(turn, atomic)
        {
            if changed {
                self.note_change();
            }
            return if changed { Next::Wait } else { Next::Poll };
        }
        let request = Request::atomic(atomic);
        let slots = atomic.destination.map_or([None; 2], Destination::slots);
        let spin = atomic.spin.then(|| self.spin(turn, &atomic.address));
        let loses = match atomic.deviant {
            AtomicDeviant::LostUpdate => true,
            AtomicDeviant::UniformOnce => Self::is_uniform(turn, atomic),
            _ => false,
        };
        let mut before = loses.then_some([None; LANES]);
        let mut changed = false;
        let faulted = self.in_each(self.lane_order(turn.mask), turn, |machine, turn, lane| {
            let spot = match machine.reach(turn, &request, lane) {
                Reach::At(spot) => spot,
                Reach::Behind(spot, inside) if spot.region != Region::Local => {
                    machine.note_change();
                    machine.make_undefined(turn, spot, inside, lane);
                    turn.warp.put_undefined::<T>(&slots, lane, turn.pc);
                    return Ok(());
                }
                Reach::Behind(spot, _) => spot,
                Reach::Nowhere => return Err(Halt::Lane),
            };
            if spot.region == Region::Local {
                let address = turn.address(&atomic.address, lane);
                let class = warpdiff_model::FaultClass::InvalidSpace;
                machine.fault(turn, lane, class, Some(address), "local memory has no atomics");
                return Err(Halt::Lane);
            }
            if machine.is_strict::<T>() && machine.is_unified(spot.region) {
                return Err(machine.writes_unified(turn.pc));
            }
            if let Some(before) = &mut before {
                let (shared, local) = (&mut turn.block.shared, &mut turn.warp.local[lane]);
                let memory = machine.memory.of(spot.region, shared, local);
                restore(before, memory, spot, atomic.size as usize, lane);
            }
            let attempt = Attempt::of(spin.as_ref(), atomic, lane);
            changed |= machine.atomic_lane::<T>(turn, LaneAtomic { atomic, spot, attempt, lane });
            Ok(())
        });
        turn.warp.refresh::<T>(&slots);
        // Some deviations also change other places.
        if changed || loses || atomic.deviant == AtomicDeviant::FourWords {
            self.note_change();
        }
        match self.after_access(turn, faulted) {
            Next::Go if !changed => Next::Poll,
            Next::Go => Next::Wait,
            next => next,
        }
    }

    /// Whether all lanes of a turn have the same address and operand.
    fn is_uniform(turn: &Turn<'_>, atomic: &Atomic) -> bool {
        let of = |lane| (turn.address(&atomic.address, lane), turn.warp.value(atomic.b, lane));
        let first = of(turn.mask.trailing_zeros() as usize);
        lanes(turn.mask).all(|lane| of(lane) == first)
    }

    /// The lanes in the order of the schedule.
    pub(super) fn lane_order(&self, mask: u32) -> impl Iterator<Item = usize> + use<> {
        let schedule = self.schedule;
        (0..LANES)
            .map(move |n| position(schedule, n as u32, LANES as u32) as usize)
            .filter(move |lane| mask >> lane & 1 == 1)
    }

    /// 32-bit integer atomics in the common case; answers whether memory holds other values than before. `None` if it is not the common case: then
    /// nothing has happened. In a tracked run that needs an operand and memory without undefined or unordered bits, and no known contention.
    #[inline(always)]
    fn atomic_fast<T: Tracking>(&mut self, turn: &mut Turn<'_>, atomic: &Atomic) -> Option<bool> {
        if atomic.size != 4 || atomic.deviant != AtomicDeviant::No || atomic.c.is_some() {
            return None;
        }
        let (threads, number, epoch) = (turn.thread(0), turn.block.number, turn.block.epoch);
        let (w, mask, pc) = (&mut *turn.warp, turn.mask, turn.pc);
        let b_row = w.rows.row(atomic.b);
        if T::ON && (w.registers.narrow_dirt[b_row] != 0 || !self.contention.knows_nothing()) {
            return None;
        }
        let row = row::<4>(&self.memory, turn, &atomic.address);
        let in_row = row.is_some();
        let mut offsets = [0; LANES];
        let (region, first) = match row {
            Some(found) => found,
            None => {
                let (region, each) = places::<4>(&self.memory, turn, &atomic.address, 1)?;
                offsets = each;
                (region, offsets[0] as usize)
            }
        };
        if matches!(region, Region::Local | Region::Param) {
            return None;
        }
        let w = &mut *turn.warp;
        let allocation = self.memory.of_all_lanes(region, &mut turn.block.shared);
        if allocation.constant || T::ON && !allocation.is_plain() {
            return None;
        }
        if T::ON
            && match in_row {
                true => !is_row_defined::<4>(allocation, first),
                false => lanes(mask).any(|lane| allocation.undefined(offsets[lane] as usize, 4) != 0),
            }
        {
            return None;
        }
        let b = w.registers.narrow[b_row];
        let mut old = [0u32; LANES];
        let mut raced = [0u32; LANES];
        let mut changed = 0;
        // Looked up here: inside the loop the compiler would do so again in each lane.
        let data = allocation.data.as_mut_slice();
        macro_rules! each {
            ($f:expr) => {
                if in_row {
                    let row = data[first..first + 4 * LANES].as_chunks_mut().0;
                    for (lane, word) in row.iter_mut().enumerate() {
                        old[lane] = u32::from_le_bytes(*word);
                        let after: u32 = $f(old[lane], b[lane]);
                        changed |= old[lane] ^ after;
                        *word = after.to_le_bytes();
                    }
                } else {
                    for lane in lanes(mask) {
                        let offset = offsets[lane] as usize;
                        let word = &mut data[offset..offset + 4];
                        let before = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                        let after: u32 = $f(before, b[lane]);
                        changed |= before ^ after;
                        word.copy_from_slice(&after.to_le_bytes());
                        old[lane] = before;
                    }
                }
            };
        }
        match atomic.kind {
            AtomicKind::Add => each!(u32::wrapping_add),
            AtomicKind::And => each!(|m, b| m & b),
            AtomicKind::Or => each!(|m, b| m | b),
            AtomicKind::Xor => each!(|m, b| m ^ b),
            AtomicKind::Exch => each!(|_, b| b),
            AtomicKind::MinU => each!(u32::min),
            AtomicKind::MaxU => each!(u32::max),
            _ => return None,
        }
        let actor = Actor { thread: threads, block: number, epoch };
        let repeats =
            |race: &Shadow| race.repeats_strong(&self.clocks, first, threads, update(atomic.strong));
        let is_repeated = T::ON
            && in_row
            && allocation.race.as_deref().is_none_or(repeats)
            && self.contention.repeats_row(&allocation.stamps, first, actor, Touch::Atomic);
        if T::ON && !is_repeated {
            let strong = update(atomic.strong);
            let shared = if region == Region::Shared { number } else { 0 };
            for lane in lanes(mask) {
                let offset = if in_row { first + 4 * lane } else { offsets[lane] as usize };
                let thread = threads + lane as u32;
                if let Some(race) = &mut allocation.race {
                    raced[lane] = race.strong(&mut self.clocks, offset, 4, thread, strong);
                }
                let location = Location { region, block: shared, offset: offset as u64 };
                let actor = Actor { thread, ..actor };
                self.contention.touch(&mut allocation.stamps, location, actor, Touch::Atomic);
                if raced[lane] != 0 {
                    self.changes += 1;
                    // As in `shade_atomic`: bit by bit, or wholly.
                    let undefined = if is_bitwise(atomic.kind) { widen(raced[lane]) } else { u64::MAX };
                    allocation.set_undefined(offset, 4, undefined);
                }
            }
        }
        let Some(Destination::One(slot)) = atomic.destination else { return Some(changed != 0) };
        let row = w.rows.row(slot);
        super::lanes::put_narrow(&mut w.registers.narrow[row], &old, mask | w.dead);
        if T::ON {
            w.registers.clean(Class::Narrow, row, mask | w.dead);
            if is_repeated {
                return Some(changed != 0);
            }
            for lane in lanes(mask).filter(|lane| raced[*lane] != 0) {
                let shade =
                    Shade { undefined: widen(raced[lane]), origin: Origin::made_by(pc), ..Shade::CLEAN };
                w.registers.set_shade(Class::Narrow, row, lane, shade);
            }
        }
        Some(changed != 0)
    }

    /// Executes a lane's atomic at an accessible place; answers whether that place holds another value than before.
    pub(super) fn atomic_lane<T: Tracking>(&mut self, turn: &mut Turn<'_>, what: LaneAtomic<'_>) -> bool {
        let LaneAtomic { atomic, spot, attempt, lane } = what;
        // What a generic address points at decides whether subnormals are flushed, as for an explicit space.
        let kind = match (atomic.kind, spot.region) {
            (AtomicKind::AddF32, Region::Global(_)) => AtomicKind::AddF32Flushed,
            (kind, _) => kind,
        };
        let size = atomic.size as usize;
        let bits = u64::MAX >> (64 - 8 * size);
        let b_value = turn.warp.value(atomic.b, lane) & bits;
        let c_value = atomic.c.map_or(0, |c| turn.warp.value(c, lane)) & bits;
        let op = kind.with(b_value, c_value);
        let uninitialised = T::TRACED && self.reads_unwritten(turn, spot, size, lane);
        let allocation = self.memory.of(spot.region, &mut turn.block.shared, &mut turn.warp.local[lane]);
        let before = allocation.read(spot.offset, size);
        let after = if attempt.made { atomic.deviant.apply(op, before, size) } else { before };
        allocation.write(spot.offset, size, after);
        if atomic.deviant == AtomicDeviant::FourWords && size == 4 {
            let words = (allocation.data.len() - spot.offset) / 4;
            for at in (1..words.min(4)).map(|n| spot.offset + 4 * n) {
                allocation.write(at, 4, op.apply(allocation.read(at, 4), 4));
            }
        }
        // "if (M == Rb) { M = Rc; Rd = 1; } else { Rd = 0 }"
        let is_truth = kind == AtomicKind::Cast && atomic.deviant != AtomicDeviant::CastReturnsOld;
        let returned = match kind {
            _ if is_truth => u64::from(attempt.made && before == b_value),
            _ => atomic.deviant.returned(before, after),
        };
        let shade = if T::ON {
            let operands = dirty_operands(turn, atomic, lane);
            let old = self.shade_atomic(turn, what, operands.as_ref(), Effect { kind, op, before, after });
            match kind {
                AtomicKind::Cast => {
                    let clean = Bits { value: b_value, defined: u64::MAX };
                    let compare = operands.map_or(clean, |operands| operands.bits(0));
                    shade_of_truth(old, (before, compare), 8 * atomic.size, attempt.made)
                }
                _ => old,
            }
        } else {
            Shade::CLEAN
        };
        if T::TRACED {
            let touched = Touched { place: spot, size, value: after, shade, before: Some(before) };
            note((&mut self.recorder, self.onlooker), turn.thread(lane), AccessKind::Atomic, touched);
            self.executed(turn, lane, Executed { kind: AccessKind::Atomic, spot, size, uninitialised });
        }
        let mut put = |slot, value, shade| turn.warp.put::<T>(slot, lane, value, shade);
        match atomic.destination {
            None => {}
            Some(Destination::One(slot)) => put(slot, returned, shade),
            // The upper half of a truth is 0 whatever order the atomics come in.
            Some(Destination::Pair { low, high }) if is_truth => {
                put(low, returned, shade);
                put(high, 0, Shade::CLEAN);
            }
            Some(Destination::Pair { low, high }) => {
                put(low, returned, shade.masked(u64::from(u32::MAX)));
                put(high, returned >> 32, shade.high_half());
            }
        }
        after != before
    }

    /// Races, definedness and contention of an atomic; answers the shadow of what it returns.
    fn shade_atomic(
        &mut self,
        turn: &mut Turn<'_>,
        what: LaneAtomic<'_>,
        operands: Option<&Operands>,
        Effect { kind, op, before, after }: Effect,
    ) -> Shade {
        let LaneAtomic { atomic, spot, attempt, lane } = what;
        let size = atomic.size as usize;
        let bits = u64::MAX >> (64 - 8 * size);
        let (actor, location) = turn.who_and_where(lane, spot);
        let mut strong = update(atomic.strong);
        if matches!(kind, AtomicKind::Cas | AtomicKind::Cast) && after == before {
            strong.kind = StrongKind::Read;
        }
        let pc = turn.pc;
        let allocation = self.memory.of(spot.region, &mut turn.block.shared, &mut turn.warp.local[lane]);
        let stored = allocation.undefined(spot.offset, size);
        let raced = match &mut allocation.race {
            Some(race) => {
                widen(race.strong(&mut self.clocks, spot.offset, atomic.size, actor.thread, strong)) & bits
            }
            None => 0,
        };
        let was_undefined = stored | raced;
        let was_unordered = allocation.unordered(spot.offset, size);
        let mixed = operands.map_or(Shade::CLEAN, |operands| shade_of_operands(operands, kind, (size, pc)));
        let spread = |old, operand| definedness::atomic::spread(kind, (old, operand), bits);
        self.contention.change(location, size, actor, Touch::Atomic);
        let key = match attempt.group {
            None if !attempt.made => None,
            None => self.contention.touch(&mut allocation.stamps, location, actor, Touch::Atomic),
            // Whether it is even attempted depends on lanes that may have other addresses of the bank.
            Some(_) => self.contention.contend(&mut allocation.stamps, location, actor),
        };
        let mut new_unordered = spread(was_unordered, mixed.unordered & bits);
        let mut old_unordered = was_unordered;
        let mut record = 0;
        if let Some(key) = key {
            old_unordered = bits;
            if self.contention.contended(&key).order_matters {
                new_unordered = bits;
            }
            let known = (was_undefined == 0 && was_unordered == 0).then_some(before);
            // Of a truth the lower half says all.
            let is_truth = matches!(op, AtomicOp::Cast(..));
            let split = !is_truth && matches!(atomic.destination, Some(Destination::Pair { .. }));
            let done =
                Done { op, thread: actor.thread, stored: None, high: None, split, spin: attempt.group };
            record = self.contention.record(key, atomic.size as u8, kind, done, (known, after));
        }
        let old = !settled(kind, Bits { value: before, defined: !stored }).defined & bits;
        let new_undefined =
            spread(old | raced, mixed.undefined & bits) | raced | open_in_nans(kind, after) & bits;
        allocation.set_undefined(spot.offset, size, new_undefined);
        allocation.set_unordered(spot.offset, size, new_unordered);
        if matches!(spot.region, Region::Surface(_)) {
            allocation.mark(spot.offset, size, Certainty::Bits);
        }
        let found = allocation.unfixed(spot.offset, size);
        let left = spread(found, mixed.unfixed & bits);
        allocation.set_unfixed(spot.offset, size, left);
        let unfixed = atomic.deviant.returned(found, left);
        if (stored, was_unordered, found) != (new_undefined, new_unordered, left) {
            self.note_change();
        }
        if let Region::Global(index) = spot.region {
            self.contention.stored(0, (index, spot.offset as u64));
        }
        let origin = if was_undefined == 0 { Origin::NONE } else { Origin::made_by(pc) };
        Shade { undefined: was_undefined, unordered: old_unordered, unfixed, origin, record, ..Shade::CLEAN }
    }
}

/// The operands of a lane's atomic, if any of their bits is undefined, unordered or unfixed in some lane.
fn dirty_operands(turn: &Turn<'_>, atomic: &Atomic, lane: usize) -> Option<Operands> {
    let is_clean = |slot: Slot| turn.warp.dirt(slot) == 0;
    if is_clean(atomic.b) && atomic.c.is_none_or(is_clean) {
        return None;
    }
    let row = |slot: Slot| (slot.class, turn.warp.rows.row(slot));
    let registers = &turn.warp.registers;
    Some(match atomic.c {
        Some(c) => Operands::read(registers, &[row(atomic.b), row(c)], lane),
        None => Operands::read(registers, &[row(atomic.b)], lane),
    })
}

/// The shadow that the operands give a new value of `size` bytes. [`by_operands`] says which of its bits they leave defined.
fn shade_of_operands(operands: &Operands, kind: AtomicKind, (size, pc): (usize, u32)) -> Shade {
    let bits = u64::MAX >> (64 - 8 * size);
    let class = if size == 8 { Class::Wide } else { Class::Narrow };
    operands.shade(class, pc, &|operands| by_operands(kind, operands, bits))
}

/// [`AtomicDeviant::LostUpdate`]: puts back what an earlier lane of the warp found at this place. `before` has for each lane its place
/// and what was there.
#[cold]
fn restore(
    before: &mut [Option<(Spot, u64)>; LANES],
    memory: &mut Allocation,
    spot: Spot,
    size: usize,
    lane: usize,
) {
    match before.iter().flatten().find(|(earlier, _)| *earlier == spot) {
        Some((_, found)) => memory.write(spot.offset, size, *found),
        None => before[lane] = Some((spot, memory.read(spot.offset, size))),
    }
}

/// A lane's atomic at an accessible place.
#[derive(Clone, Copy)]
pub(super) struct LaneAtomic<'c> {
    pub(super) atomic: &'c Atomic,
    pub(super) spot: Spot,
    pub(super) attempt: Attempt,
    pub(super) lane: usize,
}

/// What a lane's atomic did.
struct Effect {
    kind: AtomicKind,
    op: AtomicOp,
    /// What memory held.
    before: u64,
    /// What it holds now.
    after: u64,
}

/// What a lane does of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// Whether the atomic is executed: `.SPIN` selects one of several contenders.
    made: bool,
    /// The group of contenders, if there are several.
    group: Option<Contenders>,
}

impl Attempt {
    /// An atomic that is done.
    pub(super) const MADE: Attempt = Attempt { made: true, group: None };

    fn of(spin: Option<&Spin>, atomic: &Atomic, lane: usize) -> Attempt {
        let Some(spin) = spin else { return Self::MADE };
        let group = spin.groups[lane];
        let loser = if group.is_some() { AtomicDeviant::SpinNoneWins } else { AtomicDeviant::SpinAloneFails };
        if atomic.deviant == loser {
            // Nobody is selected, so that nothing depends on who is.
            return Attempt { made: false, group: None };
        }
        Attempt { made: spin.selected >> lane & 1 == 1, group }
    }
}

/// The shadow of whether a compare-and-swap stored, from the shadow `old` of what it found.
fn shade_of_truth(old: Shade, (before, compare): (u64, Bits), width: u32, made: bool) -> Shade {
    let found = Bits { value: before, defined: !old.undefined };
    let decided = !made || definedness::compare(Comparison::Eq, false, found, compare, width);
    let unordered = if old.unordered == 0 { 0 } else { u64::from(u32::MAX) };
    Shade { undefined: u64::from(!decided), unordered, unfixed: 0, doubt: Doubt::NONE, ..old }
}

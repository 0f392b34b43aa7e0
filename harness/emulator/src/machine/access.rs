//! Executes loads and stores.

use warpdiff_model::{Deviation, FaultClass};

use super::lanes::{map1, put_narrow, put_wide};
use super::reach::{Reach, Request};
use super::recorder::{Touched, note};
use super::turn::{Halt, Next, Turn};
use super::watch::Executed;
use super::whole_row::{RowRegister, place, places, quiet_row};
use super::{Machine, Tracking};
use crate::address_space::{Region, Spot};
use crate::memory::Allocation;
use crate::memory_operation::{Access, Extend, Place, Window};
use crate::operation::{Class, Slot};
use crate::registers::{LANES, Origin, Shade, lanes};
use crate::trace::AccessKind;
use warpdiff_races::contention::{Actor, Location, Touch};
use warpdiff_races::{Order, Scope, Shadow, Strong, StrongKind, widen};
use warpdiff_semantics::definedness::doubt::Doubt;

impl Machine<'_> {
    /// Executes a load.
    pub(super) fn load<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let code = self.code;
        let access = &code.accesses[turn.op.x as usize];
        if !self.address_defined::<T>(turn, &access.address) {
            return Next::Regroup;
        }
        if let [Some(slot)] = access.registers[..]
            && access.extend == Extend::Zero
            && !T::TRACED
            && access.window.as_ref().is_none_or(Window::loads_plainly)
            && self.load_fast::<T>(turn, access, slot)
        {
            return if access.strong.is_some() { Next::Wait } else { Next::Go };
        }
        if let Some(window) = &access.window {
            return self.window_load::<T>(turn, access, window);
        }
        if access.address.place == Place::Param && !T::TRACED && self.load_parameter::<T>(turn, access) {
            return Next::Go;
        }
        let request = Request::load(access);
        let kept =
            access.address.place == Place::Local && self.semantics.has(Deviation::PtxasArrayInRegisters);
        // Addresses first: a destination may be the address register.
        let faulted = self.in_each(lanes(turn.mask), turn, |machine, turn, lane| {
            if machine.is_strict::<T>() && Self::is_handle_address(turn.warp, access.address.base, lane) {
                machine.reads_anything::<T>(
                    turn,
                    access,
                    lane,
                    "a load from a pointer to an opaque variable",
                );
                return Ok(());
            }
            if kept && !machine.is_element(turn, &request, lane) {
                turn.warp.put_undefined::<T>(&access.registers, lane, turn.pc);
                return Ok(());
            }
            match machine.reach(turn, &request, lane) {
                Reach::At(spot)
                    if machine.is_strict::<T>() && !access.unified && machine.is_unified(spot.region) =>
                {
                    let detail = "a load of a `.unified` variable without `.unified`";
                    machine.reads_anything::<T>(turn, access, lane, detail);
                }
                Reach::At(spot) => machine.load_lane::<T>(turn, access, spot, lane),
                Reach::Behind(..) => turn.warp.put_undefined::<T>(&access.registers, lane, turn.pc),
                Reach::Nowhere => return Err(Halt::Lane),
            }
            Ok(())
        });
        turn.warp.refresh::<T>(&access.registers);
        match self.after_access(turn, faulted) {
            Next::Go if access.strong.is_some() => Next::Wait,
            next => next,
        }
    }

    /// All lanes load the same place in the parameters, as every kernel does. Answers whether it was that; if not, nothing has happened.
    fn load_parameter<T: Tracking>(&mut self, turn: &mut Turn<'_>, access: &Access) -> bool {
        let (size, memory) = (access.size as usize, &self.memory.parameters);
        let all = (size * access.registers.len()) as u64;
        let offset = access.address.offset as u64;
        if access.address.base.is_some() || offset & (all - 1) != 0 || !memory.holds(offset, all) {
            return false;
        }
        let (w, mask) = (&mut *turn.warp, turn.mask);
        for (n, register) in access.registers.iter().enumerate() {
            let Some(slot) = register else { continue };
            let at = offset as usize + n * size;
            let shade = loaded(memory, (at, size), 0, turn.pc);
            let (value, shade) = extended(memory.read(at, size), shade, access.size, access.extend);
            let row = w.rows.row(*slot);
            w.registers.set_all(slot.class, row, mask | w.dead, value);
            if T::ON {
                w.registers.set_all_shades(slot.class, row, (mask, w.dead), shade);
            }
        }
        true
    }

    /// A lane loads what no text says anything of, and may fault.
    fn reads_anything<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &Access,
        lane: usize,
        detail: &str,
    ) {
        let address = turn.address(&access.address, lane);
        self.may_fault(turn, lane, FaultClass::Unspecified, Some(address), detail);
        turn.warp.put_undefined::<T>(&access.registers, lane, turn.pc);
    }

    pub(super) fn load_lane<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &Access,
        spot: Spot,
        lane: usize,
    ) {
        let size = access.size as usize;
        let thread = turn.thread(lane);
        let all = size * access.registers.len();
        let uninitialised = T::TRACED && self.reads_unwritten(turn, spot, all, lane);
        let whole = if T::ON { self.meet_as_a_whole(turn, access, spot, lane, Touch::Load) } else { None };
        for (n, register) in access.registers.iter().enumerate() {
            let offset = spot.offset + n * size;
            let strongly = access.strong.map(|_| turn.who_and_where(lane, Spot { offset, ..spot }));
            let allocation = self.memory.of(spot.region, &mut turn.block.shared, &mut turn.warp.local[lane]);
            let mut shade = Shade::CLEAN;
            if T::ON {
                let mut raced_bits = 0;
                let mut is_contended = false;
                if let Some((raced, group)) = whole {
                    raced_bits = widen(raced >> (n * size)) & u64::MAX >> (64 - 8 * size);
                    is_contended = group.is_some();
                } else if let Some(race) = &mut allocation.race {
                    let raced = match as_strong(access, StrongKind::Read) {
                        None => race.read(&mut self.clocks, offset, access.size, thread),
                        Some(strong) => race.strong(&mut self.clocks, offset, access.size, thread, strong),
                    };
                    raced_bits = widen(raced);
                }
                // A strong load of what another thread writes meanwhile sees one value or another.
                if let Some((actor, location)) = strongly
                    && whole.is_none()
                    && allocation.race.is_some()
                {
                    let stamps = &mut allocation.stamps;
                    is_contended |= self.contention.touch(stamps, location, actor, Touch::Load).is_some();
                }
                shade = loaded(allocation, (offset, size), raced_bits, turn.pc);
                if is_contended {
                    shade.unordered = u64::MAX >> (64 - 8 * size);
                }
            }
            let value = allocation.read(offset, size);
            if T::TRACED {
                let touched = Touched { place: Spot { offset, ..spot }, size, value, shade, before: None };
                note((&mut self.recorder, self.onlooker), thread, AccessKind::Load, touched);
            }
            let Some(slot) = register else { continue };
            let (value, shade) = extended(value, shade, access.size, access.extend);
            turn.warp.put::<T>(*slot, lane, value, shade);
        }
        if T::TRACED {
            self.executed(turn, lane, Executed { kind: AccessKind::Load, spot, size: all, uninitialised });
        }
    }

    /// The common case: one element of 4 or 8 bytes into a register of its size, all lanes in one allocation and in
    /// bounds. Answers whether it was that; if not, nothing has happened.
    #[inline(always)]
    fn load_fast<T: Tracking>(&mut self, turn: &mut Turn<'_>, access: &Access, slot: Slot) -> bool {
        match (slot.class, access.size) {
            (Class::Narrow, 4) => self.load_words::<T, 4>(turn, access, slot),
            (Class::Wide, 8) => self.load_words::<T, 8>(turn, access, slot),
            _ => false,
        }
    }

    #[inline(always)]
    fn load_words<T: Tracking, const N: usize>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &Access,
        slot: Slot,
    ) -> bool {
        if turn.mask.is_power_of_two() {
            return self.load_word::<T, N>(turn, access, slot);
        }
        let actor = turn.actor(0);
        let threads = actor.thread;
        let (w, mask, pc) = (&mut *turn.warp, turn.mask, turn.pc);
        let Some((allocation, places, _)) =
            places::<N>(&mut self.memory.globals, &mut turn.block.shared, w, &access.address, mask)
        else {
            return false;
        };
        let row = w.rows.row(slot);
        let strong = as_strong(access, StrongKind::Read);
        let (clocks, contention) = (&self.clocks, &self.contention);
        let repeats = |race: &Shadow, first| match strong {
            None => race.repeats_reads::<N>(clocks, first, threads),
            Some(strong) => {
                N == 4
                    && race.repeats_strong(clocks, first, threads, strong)
                    && contention.repeats_row(&allocation.stamps, first, actor, Touch::Load)
            }
        };
        if let Some(first) = quiet_row::<T, N>(allocation, &places, repeats) {
            match N {
                4 => w.registers.narrow[row].load(&allocation.data, first),
                _ => w.registers.wide[row].load(&allocation.data, first),
            }
            if T::ON {
                w.registers.clean(slot.class, row, mask);
            }
            return true;
        }
        if T::ON && strong.is_some() {
            return false;
        }
        let offsets = places.offsets::<N>();
        let mut dirty = 0u64;
        let mut raced = [0u64; LANES];
        // The register is written after the loop: inside, the compiler would take its file for memory that a load may read.
        let mut values = [0u64; LANES];
        for lane in lanes(mask) {
            let offset = offsets[lane] as usize;
            values[lane] = allocation.read(offset, N);
            if T::ON {
                if let Some(race) = &mut allocation.race {
                    let bytes = race.read(&mut self.clocks, offset, N as u32, threads + lane as u32);
                    if bytes != 0 {
                        raced[lane] = widen(bytes);
                    }
                }
                dirty |= allocation.undefined(offset, N) | raced[lane];
            }
        }
        let whole = mask | w.dead;
        match N {
            4 => put_narrow(&mut w.registers.narrow[row], &map1(&values, |value| value as u32), whole),
            _ => put_wide(&mut w.registers.wide[row], &values, whole),
        }
        if T::ON {
            if dirty == 0 && allocation.is_plain() {
                w.registers.clean(slot.class, row, whole);
            } else {
                for lane in lanes(mask) {
                    let shade = loaded(allocation, (offsets[lane] as usize, N), raced[lane], pc);
                    w.registers.set_shade(slot.class, row, lane, shade);
                }
                w.registers.refresh(slot.class, row, w.dead);
            }
        }
        true
    }

    /// The same of one lane.
    fn load_word<T: Tracking, const N: usize>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &Access,
        slot: Slot,
    ) -> bool {
        if T::ON && access.strong.is_some() {
            return false;
        }
        let lane = turn.mask.trailing_zeros() as usize;
        let (thread, pc) = (turn.thread(lane), turn.pc);
        let (w, mask) = (&mut *turn.warp, turn.mask);
        let (globals, shared) = (&mut self.memory.globals, &mut turn.block.shared);
        let Some((allocation, offset)) = place::<N>(globals, shared, w, &access.address, lane) else {
            return false;
        };
        let row = w.rows.row(slot);
        w.registers.set_all(slot.class, row, mask | w.dead, allocation.read(offset, N));
        if T::ON {
            let raced = match &mut allocation.race {
                Some(race) => widen(race.read(&mut self.clocks, offset, N as u32, thread)),
                None => 0,
            };
            let shade = loaded(allocation, (offset, N), raced, pc);
            w.registers.set_all_shades(slot.class, row, (mask, w.dead), shade);
        }
        true
    }

    /// Executes a store.
    pub(super) fn store<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let code = self.code;
        let access = &code.accesses[turn.op.x as usize];
        if !self.address_defined::<T>(turn, &access.address)
            || self.is_strict::<T>() && self.stores_at_handle(turn, &access.address)
        {
            return Next::Regroup;
        }
        if let [Some(slot)] = access.registers[..]
            && !T::TRACED
            && self.store_fast::<T>(turn, access, slot)
        {
            return Next::Go;
        }
        let request = Request::store(access);
        let faulted = self.in_each(lanes(turn.mask), turn, |machine, turn, lane| {
            match machine.reach(turn, &request, lane) {
                Reach::At(spot) if machine.is_strict::<T>() && machine.is_unified(spot.region) => {
                    return Err(machine.writes_unified(turn.pc));
                }
                Reach::At(spot) => machine.store_lane::<T>(turn, access, spot, lane),
                // What is inside may have been stored or not.
                Reach::Behind(spot, inside) => machine.make_undefined(turn, spot, inside, lane),
                Reach::Nowhere => return Err(Halt::Lane),
            }
            Ok(())
        });
        self.after_access(turn, faulted)
    }

    fn store_lane<T: Tracking>(&mut self, turn: &mut Turn<'_>, access: &Access, spot: Spot, lane: usize) {
        let size = access.size as usize;
        let thread = turn.thread(lane);
        let whole = if T::ON { self.meet_as_a_whole(turn, access, spot, lane, Touch::Store) } else { None };
        for (n, register) in access.registers.iter().enumerate() {
            let Some(slot) = register else { continue };
            let offset = spot.offset + n * size;
            let (value, shade) = turn.warp.shaded::<T>(*slot, lane);
            let (actor, location) = turn.who_and_where(lane, Spot { offset, ..spot });
            let mut unordered = shade.unordered;
            // Under another order something else may be stored here.
            if T::ON && access.address.base.is_some_and(|base| turn.warp.shade(base, lane).unordered != 0) {
                unordered = u64::MAX;
            }
            let allocation = self.memory.of(spot.region, &mut turn.block.shared, &mut turn.warp.local[lane]);
            allocation.write(offset, size, value);
            if T::TRACED {
                let touched = Touched { place: Spot { offset, ..spot }, size, value, shade, before: None };
                note((&mut self.recorder, self.onlooker), thread, AccessKind::Store, touched);
            }
            if T::ON {
                self.contention.change(location, size, actor, Touch::Store);
                let mut raced_bits = 0;
                let mut group = None;
                if let Some((raced, met)) = whole {
                    raced_bits = widen(raced >> (n * size)) & u64::MAX >> (64 - 8 * size);
                    group = met;
                } else if let Some(race) = &mut allocation.race {
                    let raced = match as_strong(access, StrongKind::Write) {
                        None => race.write(&mut self.clocks, offset, access.size, thread),
                        Some(strong) => race.strong(&mut self.clocks, offset, access.size, thread, strong),
                    };
                    raced_bits = widen(raced);
                }
                if whole.is_none() && access.strong.is_some() && allocation.race.is_some() {
                    let stamps = &mut allocation.stamps;
                    group = self.contention.touch(stamps, location, actor, Touch::Store);
                }
                if group.is_some_and(|key| self.contention.contended(&key).order_matters) {
                    unordered = u64::MAX;
                }
                allocation.set_undefined(offset, size, shade.undefined | raced_bits);
                allocation.set_unordered(offset, size, unordered);
                allocation.set_unfixed(offset, size, shade.unfixed);
                if raced_bits == 0 {
                    allocation.set_doubt(offset, size, shade.doubt);
                }
                if let Region::Global(index) = spot.region {
                    self.contention.stored(shade.record, (index, offset as u64));
                }
            }
        }
        if T::TRACED {
            let size = size * access.registers.len();
            self.executed(turn, lane, Executed { kind: AccessKind::Store, spot, size, uninitialised: false });
        }
    }

    /// Makes bytes undefined at a place that a lane accesses.
    pub(super) fn make_undefined(&mut self, turn: &mut Turn<'_>, spot: Spot, len: usize, lane: usize) {
        let allocation = self.memory.of(spot.region, &mut turn.block.shared, &mut turn.warp.local[lane]);
        allocation.set_undefined_bytes(spot.offset, len);
    }

    /// The common case, as for loads; in a tracked run only for clean registers.
    #[inline(always)]
    fn store_fast<T: Tracking>(&mut self, turn: &mut Turn<'_>, access: &Access, slot: Slot) -> bool {
        match (slot.class, access.size) {
            (Class::Narrow, 4) => self.store_words::<T, 4>(turn, access, slot),
            (Class::Wide, 8) => self.store_words::<T, 8>(turn, access, slot),
            _ => false,
        }
    }

    #[inline(always)]
    fn store_words<T: Tracking, const N: usize>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &Access,
        slot: Slot,
    ) -> bool {
        let actor = turn.actor(0);
        let threads = actor.thread;
        let (w, mask) = (&mut *turn.warp, turn.mask);
        let row = w.rows.row(slot);
        if T::ON && w.registers.dirt(slot.class, row) != 0 {
            return false;
        }
        let Some((allocation, places, _)) =
            places::<N>(&mut self.memory.globals, &mut turn.block.shared, w, &access.address, mask)
        else {
            return false;
        };
        if allocation.constant || T::ON && !allocation.is_plain() {
            return false;
        }
        let strong = as_strong(access, StrongKind::Write);
        let (clocks, contention) = (&self.clocks, &self.contention);
        let repeats = |race: &Shadow, first| match strong {
            None => race.repeats_writes::<N>(clocks, first, threads),
            Some(strong) => {
                N == 4
                    && race.repeats_strong(clocks, first, threads, strong)
                    && contention.repeats_row(&allocation.stamps, first, actor, Touch::Store)
            }
        };
        if let Some(first) = quiet_row::<T, N>(allocation, &places, repeats) {
            match N {
                4 => w.registers.narrow[row].store(&mut allocation.data, first),
                _ => w.registers.wide[row].store(&mut allocation.data, first),
            }
            return true;
        }
        if T::ON && strong.is_some() {
            return false;
        }
        let offsets = places.offsets::<N>();
        let values = match N {
            4 => map1(&w.registers.narrow[row], u64::from),
            _ => w.registers.wide[row],
        };
        for lane in lanes(mask) {
            let offset = offsets[lane] as usize;
            allocation.write(offset, N, values[lane]);
            if T::ON {
                let mut undefined = 0;
                if let Some(race) = &mut allocation.race {
                    let raced = race.write(&mut self.clocks, offset, N as u32, threads + lane as u32);
                    if raced != 0 {
                        undefined = widen(raced);
                    }
                }
                allocation.set_undefined(offset, N, undefined);
            }
        }
        true
    }
}

impl Turn<'_> {
    /// Who a lane is, and when.
    fn actor(&self, lane: usize) -> Actor {
        Actor { thread: self.thread(lane), block: self.block.number, epoch: self.block.epoch }
    }

    /// Who a lane is, and which location it accesses, for the bookkeeping of contention.
    pub(super) fn who_and_where(&self, lane: usize, spot: Spot) -> (Actor, Location) {
        let number = if spot.region == Region::Shared { self.block.number } else { 0 };
        (self.actor(lane), Location { region: spot.region, block: number, offset: spot.offset as u64 })
    }
}

/// A strong load or store as the race detector wants it; `None` for a weak one.
fn as_strong(access: &Access, kind: StrongKind) -> Option<Strong> {
    access.strong.map(|(order, scope)| Strong { kind, order, scope })
}

/// The shadow of an element that operation `pc` loads from `memory`. `raced` has the bits in which the load races.
fn loaded(memory: &Allocation, (offset, size): (usize, usize), raced: u64, pc: u32) -> Shade {
    let stored = memory.undefined(offset, size);
    let undefined = stored | raced;
    Shade {
        undefined,
        unordered: memory.unordered(offset, size),
        unfixed: memory.unfixed(offset, size),
        origin: if undefined == 0 { Origin::NONE } else { Origin::made_by(pc) },
        record: 0,
        doubt: if raced == 0 { memory.doubt(offset, size, stored) } else { Doubt::NONE },
    }
}

/// A loaded element as it fills its register, and its shadow.
fn extended(value: u64, shade: Shade, size: u32, extend: Extend) -> (u64, Shade) {
    let Extend::Sign(to) = extend else { return (value, shade) };
    let sign = |bits: u64| {
        let unused = 64 - 8 * size;
        ((bits << unused) as i64 >> unused) as u64 & (u64::MAX >> (64 - to))
    };
    let (undefined, unordered, unfixed) = (sign(shade.undefined), sign(shade.unordered), sign(shade.unfixed));
    (sign(value), Shade { undefined, unordered, unfixed, doubt: shade.doubt.of_part(), ..shade })
}

/// Order and scope of an access as the race detector wants them.
pub(super) fn update((order, scope): (Order, Scope)) -> Strong {
    Strong { kind: StrongKind::Update, order, scope }
}

//! Executes loads and stores.

use warpdiff_model::{Deviation, FaultClass};

use super::elements::{extended, extended_shade, loaded, put_shade};
use super::meeting::Meeting;
use super::reach::{Reach, Request};
use super::recorder::{Touched, note};
use super::turn::{Halt, Next, Turn};
use super::watch::Executed;
use super::{Machine, Tracking};
use crate::address_space::{Region, Spot};
use crate::memory_operation::{Access, Place};
use crate::registers::{Shade, lanes};
use crate::trace::AccessKind;
use warpdiff_races::contention::{Actor, Location, Touch};
use warpdiff_races::{Order, Scope, Strong, StrongKind};

impl Machine<'_> {
    /// Executes a load.
    pub(super) fn load<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let code = self.code;
        let access = &code.accesses[turn.op.x as usize];
        if !self.address_defined::<T>(turn, &access.address) {
            return Next::Regroup;
        }
        if self.load_elements::<T>(turn, access) {
            return if access.strong.is_some() { Next::Poll } else { Next::Go };
        }
        if let Some(window) = &access.window {
            return self.window_load::<T>(turn, access, window);
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
            Next::Go if access.strong.is_some() => Next::Poll,
            next => next,
        }
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
        let Spot { region, offset: first } = spot;
        let size = access.size as usize;
        let all = size * access.registers.len();
        let meeting = Meeting::of(turn, access, region, Touch::Load);
        let uninitialised = T::TRACED && self.reads_unwritten(turn, spot, all, lane);
        let mut met = None;
        for (n, register) in access.registers.iter().enumerate() {
            let at = (first + n * size, size);
            let memory = self.memory.of(region, &mut turn.block.shared, &mut turn.warp.local[lane]);
            let mut shade = Shade::CLEAN;
            if T::ON {
                let others = (&mut self.clocks, &mut self.contention);
                let met = meeting.meet_element(others, memory, lane, (first, n, size), &mut met);
                let met = (meeting.raced_bits(met.raced, (n, size)), met.group.is_some());
                shade = loaded(memory, at, met, turn.pc);
            }
            let value = memory.read(at.0, size);
            if T::TRACED {
                let touched =
                    Touched { place: Spot { offset: at.0, ..spot }, size, value, shade, before: None };
                let thread = turn.thread(lane);
                note((&mut self.recorder, self.onlooker), thread, AccessKind::Load, touched);
            }
            let Some(slot) = register else { continue };
            let shade = extended_shade(shade, size, access.extend);
            turn.warp.put::<T>(*slot, lane, extended(value, size, access.extend), shade);
        }
        if T::TRACED {
            self.executed(turn, lane, Executed { kind: AccessKind::Load, spot, size: all, uninitialised });
        }
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
        turn.warp.polls = 0;
        self.note_change();
        if self.store_elements::<T>(turn, access) {
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
        let Spot { region, offset: first } = spot;
        let size = access.size as usize;
        let all = size * access.registers.len();
        let meeting = Meeting::of(turn, access, region, Touch::Store);
        // Under another order something else may be stored here.
        let is_unordered =
            T::ON && access.address.base.is_some_and(|base| turn.warp.shade(base, lane).unordered != 0);
        let mut met = None;
        for (n, register) in access.registers.iter().enumerate() {
            let Some(slot) = register else { continue };
            let at = (first + n * size, size);
            let place = Spot { offset: at.0, ..spot };
            let (value, shade) = turn.warp.shaded::<T>(*slot, lane);
            let memory = self.memory.of(region, &mut turn.block.shared, &mut turn.warp.local[lane]);
            memory.write(at.0, size, value);
            if T::TRACED {
                let touched = Touched { place, size, value, shade, before: None };
                note((&mut self.recorder, self.onlooker), turn.thread(lane), AccessKind::Store, touched);
            }
            if T::ON {
                let (actor, location) = turn.who_and_where(lane, place);
                self.contention.change(location, size, actor, Touch::Store);
                let memory = self.memory.of(region, &mut turn.block.shared, &mut turn.warp.local[lane]);
                let others = (&mut self.clocks, &mut self.contention);
                let met = meeting.meet_element(others, memory, lane, (first, n, size), &mut met);
                let is_disputed = met.group.is_some_and(|key| self.contention.contended(&key).order_matters);
                let raced = meeting.raced_bits(met.raced, (n, size));
                put_shade(memory, at, shade, raced, is_disputed || is_unordered);
                if let Region::Global(index) = region {
                    self.contention.stored(shade.record, (index, at.0 as u64));
                }
            }
        }
        if T::TRACED {
            self.executed(
                turn,
                lane,
                Executed { kind: AccessKind::Store, spot, size: all, uninitialised: false },
            );
        }
    }

    /// Makes bytes undefined at a place that a lane accesses.
    pub(super) fn make_undefined(&mut self, turn: &mut Turn<'_>, spot: Spot, len: usize, lane: usize) {
        let allocation = self.memory.of(spot.region, &mut turn.block.shared, &mut turn.warp.local[lane]);
        allocation.set_undefined_bytes(spot.offset, len);
    }
}

impl Turn<'_> {
    /// Who a lane is, and when.
    pub(super) fn actor(&self, lane: usize) -> Actor {
        Actor { thread: self.thread(lane), block: self.block.number, epoch: self.block.epoch }
    }

    /// Who a lane is, and which location it accesses, for the bookkeeping of contention.
    pub(super) fn who_and_where(&self, lane: usize, spot: Spot) -> (Actor, Location) {
        let number = if spot.region == Region::Shared { self.block.number } else { 0 };
        (self.actor(lane), Location { region: spot.region, block: number, offset: spot.offset as u64 })
    }
}

/// Order and scope of an access as the race detector wants them.
pub(super) fn update((order, scope): (Order, Scope)) -> Strong {
    Strong { kind: StrongKind::Update, order, scope }
}

//! Loads and stores.

use warpdiff_model::{Choice, FaultClass};

use super::execute::Next;
use super::trouble::ADDRESS_OPERAND;
use super::warp::{Group, Warp};
use super::{BlockState, Machine, SurfaceMemory, Tracking};
use crate::contention::{Actor, Location, Touch};
use crate::doubt::Doubt;
use crate::memory::{Allocation, Region, locate};
use crate::operation::{Access, Address, Class, Extend, Place, Slot};
use crate::program::{Bank, slots};
use crate::race::{Order, Scope, Strong, StrongKind};
use crate::registers::{LANES, Origin, Shade, UNDEFINED, UNORDERED, lanes};

/// A place in memory that a lane may access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) region: Region,
    pub(super) offset: usize,
}

/// What a lane's address leads to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// This place.
    At(Spot),
    /// A place behind all variables that may still belong to the block or thread: of a shared memory that is allocated in
    /// units, of a stack; or behind a variable in the bank of constants. Nothing says what is there, nor that an access faults; so
    /// many bytes of the access come before it.
    Behind(Spot, usize),
    /// Nothing: the lane has faulted.
    Nowhere,
}

/// Bytes that are allocated together of shared memory, at most ("the shared memory allocation unit size of target
/// architecture", PTX ISA 10, `%total_smem_size`).
const SHARED_UNIT: u64 = 256;
/// Bytes of local memory that a thread may have.
const LOCAL_LIMIT: u64 = 512 << 10;

/// The memory of a region.
pub(super) fn memory<'m>(
    globals: &'m mut [Allocation],
    parameters: &'m mut Allocation,
    block: &'m mut BlockState,
    local: &'m mut [Allocation],
    surfaces: &'m mut [SurfaceMemory],
    region: Region,
    lane: usize,
) -> &'m mut Allocation {
    match region {
        Region::Global(index) => &mut globals[index as usize],
        Region::Shared => &mut block.shared,
        Region::Local => &mut local[lane],
        Region::Param => parameters,
        Region::Surface(index) => &mut surfaces[index as usize].texels,
    }
}

/// Calls [`memory`](super::access::memory) on the fields of a machine, block and warp.
macro_rules! memory_of {
    ($machine:expr, $block:expr, $warp:expr, $spot:expr, $lane:expr) => {
        $crate::machine::access::memory(
            &mut $machine.globals,
            &mut $machine.parameters,
            $block,
            &mut $warp.local,
            &mut $machine.surfaces,
            $spot.region,
            $lane,
        )
    };
}
pub(super) use memory_of;

impl Machine<'_> {
    /// Whether the address register is defined in every lane of `mask`; otherwise the launch is indeterminate. Notes
    /// whether it depends on the order of atomics.
    #[inline(always)]
    pub(super) fn address_defined<T: Tracking>(
        &mut self,
        w: &Warp,
        base: Option<Slot>,
        mask: u32,
        pc: u32,
    ) -> bool {
        let Some(slot) = base else { return true };
        if !T::ON {
            return true;
        }
        let row = w.rows.row(slot);
        w.registers.dirt(slot.class, row) & (UNDEFINED | UNORDERED) == 0
            || self.operand_defined(w, slot, mask, pc, "the address", ADDRESS_OPERAND)
    }

    /// Whether a register is defined in every lane of `mask`; otherwise the launch is indeterminate. Notes whether it
    /// depends on the order of atomics.
    #[cold]
    pub(super) fn operand_defined(
        &mut self,
        w: &Warp,
        slot: Slot,
        mask: u32,
        pc: u32,
        what: &str,
        operand: usize,
    ) -> bool {
        let row = w.rows.row(slot);
        for lane in lanes(mask) {
            let shade = w.registers.shade(slot.class, row, lane);
            self.order_dependent |= shade.unordered != 0;
            if shade.undefined != 0 {
                let unwritten = shade.origin == Origin::NONE;
                self.indeterminate(
                    pc,
                    what,
                    if unwritten { Origin::unwritten(pc, operand) } else { shade.origin },
                );
                return false;
            }
        }
        true
    }

    /// The address of a lane.
    #[inline(always)]
    pub(super) fn address_of(w: &Warp, group: &Group, address: &Address, lane: usize) -> u64 {
        let base = match address.base {
            None => 0,
            Some(slot) => w.registers.get(slot.class, w.rows.row(slot), lane),
        };
        let frame =
            if address.place == Place::Frame { u64::from(w.frames[group.frame as usize].local) } else { 0 };
        base.wrapping_add(address.offset as u64).wrapping_add(frame)
    }

    /// Finds what a lane accesses, or reports its fault. `align` is the alignment the access needs.
    #[expect(clippy::too_many_arguments, reason = "the position of a lane and the shape of an access")]
    pub(super) fn spot(
        &mut self,
        block: &BlockState,
        w: &Warp,
        lane: usize,
        pc: u32,
        place: Place,
        address: u64,
        size: u64,
        writes: bool,
    ) -> Reach {
        let mut address = address;
        if address & (size - 1) != 0 {
            self.consulted.insert(Choice::MemoryMisaligned);
            if self.semantics.assignment.get(Choice::MemoryMisaligned) == 0 {
                let detail = format!("address {address:#x} is not a multiple of {size}");
                self.fault(block, w, lane, pc, FaultClass::Misaligned, Some(address), &detail);
                return Reach::Nowhere;
            }
            if self.code.literal_alignment {
                return self.in_front(block, w, lane, pc, (place, address), size);
            }
            address &= !(size - 1);
        }
        let found = locate(place, address, &self.globals, self.code.bank);
        let (region, offset) = match found {
            Ok(found) => found,
            Err(class) => {
                let detail = match class {
                    FaultClass::InvalidSpace => format!("address {address:#x} is in another state space"),
                    _ => format!("address {address:#x} is in no allocation"),
                };
                self.fault(block, w, lane, pc, class, Some(address), &detail);
                return Reach::Nowhere;
            }
        };
        let (length, constant) = match region {
            Region::Global(index) => {
                let allocation = &self.globals[index as usize];
                (allocation.data.len(), allocation.constant)
            }
            Region::Shared => (block.shared.data.len(), false),
            Region::Local => (w.local[lane].data.len(), false),
            Region::Param => (self.parameters.data.len(), true),
            Region::Surface(index) => (self.surfaces[index as usize].texels.data.len(), false),
        };
        if offset.checked_add(size).is_none_or(|end| end > length as u64) {
            let name = self.region_name(region);
            let detail = format!("{size} bytes at offset {offset} of {name}, which has {length}");
            let behind = match region {
                // Another variable of the bank, or none.
                Region::Global(index) if constant => {
                    Bank::SIZE - (self.globals[index as usize].base & (Bank::SIZE - 1))
                }
                Region::Shared => (length as u64).next_multiple_of(SHARED_UNIT),
                Region::Local => LOCAL_LIMIT,
                _ => 0,
            };
            if offset.saturating_add(size) <= behind {
                self.may_fault(block, w, lane, pc, FaultClass::OutOfBounds, Some(address), &detail);
                return Reach::Behind(
                    Spot { region, offset: offset as usize },
                    length.saturating_sub(offset as usize),
                );
            }
            self.fault(block, w, lane, pc, FaultClass::OutOfBounds, Some(address), &detail);
            return Reach::Nowhere;
        }
        if writes && constant {
            let detail = format!("{} cannot be written", self.region_name(region));
            self.fault(block, w, lane, pc, FaultClass::InvalidSpace, Some(address), &detail);
            return Reach::Nowhere;
        }
        Reach::At(Spot { region, offset: offset as usize })
    }

    /// A misaligned address that is masked, where variables lie at no more than what `.align` states: the bytes in front of a variable
    /// are anybody's, so that nothing is said of what is there, nor that the access does not fault.
    #[cold]
    fn in_front(
        &mut self,
        block: &BlockState,
        w: &Warp,
        lane: usize,
        pc: u32,
        (place, address): (Place, u64),
        size: u64,
    ) -> Reach {
        let Ok((region, offset)) = locate(place, address, &self.globals, self.code.bank) else {
            let detail = format!("address {address:#x} is in no allocation");
            self.fault(block, w, lane, pc, FaultClass::OutOfBounds, Some(address), &detail);
            return Reach::Nowhere;
        };
        let detail = format!("address {address:#x} is not a multiple of {size}");
        self.may_fault(block, w, lane, pc, FaultClass::OutOfBounds, Some(address), &detail);
        let length = match region {
            Region::Global(index) => self.globals[index as usize].data.len(),
            Region::Shared => block.shared.data.len(),
            Region::Local => w.local[lane].data.len(),
            Region::Param => self.parameters.data.len(),
            Region::Surface(index) => self.surfaces[index as usize].texels.data.len(),
        };
        let low = address & (size - 1);
        let end = offset.saturating_add(size).saturating_sub(low).min(length as u64);
        let start = offset.saturating_sub(low).min(end);
        Reach::Behind(Spot { region, offset: start as usize }, (end - start) as usize)
    }

    /// Whether it is a variable with the attribute `.unified`. "Variables with .unified attribute are read-only and must be loaded by
    /// specifying .unified qualifier on the address operand of ld instruction, otherwise the behavior is undefined" (PTX ISA 5.4.8).
    pub(super) fn is_unified(&self, region: Region) -> bool {
        matches!(region, Region::Global(index) if self.globals[index as usize].unified)
    }

    /// What is stored to a `.unified` variable, or changed there, may do anything: the launch is indeterminate.
    pub(super) fn writes_unified(&mut self, pc: u32) {
        self.unspecified(pc, "the address", "is of a `.unified` variable, which is read-only".into());
    }

    /// What a piece of memory is called.
    fn region_name(&self, region: Region) -> String {
        let index = match region {
            Region::Global(index) => index as usize,
            Region::Shared => return "shared memory".into(),
            Region::Local => return "local memory".into(),
            Region::Param => return "the parameters".into(),
            Region::Surface(index) => return format!("surface `{}`", self.surfaces[index as usize].name),
        };
        let Some(index) = index.checked_sub(self.code.first_slot as usize) else { return "memory".into() };
        match self.code.globals.get(index) {
            Some(id) => format!("`{}`", self.program.module().variables[id.0 as usize].name),
            None => {
                let buffer = self.launch.buffers.get(index - self.code.globals.len());
                buffer.map_or_else(
                    || "memory".into(),
                    |buffer| format!("buffer `{}` with its guards", buffer.name),
                )
            }
        }
    }

    /// Executes a load.
    pub(super) fn load<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        mask: u32,
        x: u32,
        pc: u32,
    ) -> Next {
        let code = self.code;
        let access = &code.accesses[x as usize];
        if !self.address_defined::<T>(w, access.address.base, mask, pc) {
            return Next::Regroup;
        }
        if let Some(window) = &access.window {
            return self.window_load::<T>(block, w, group, mask, (access, window), pc);
        }
        if let [Some(slot)] = access.registers[..]
            && access.extend == Extend::Zero
            && access.strong.is_none()
            && self.load_fast::<T>(block, w, access, slot, mask, pc)
        {
            return Next::Go;
        }
        let total = u64::from(access.size) * access.registers.len() as u64;
        let mut failed = 0;
        // Addresses first: a destination may be the address register.
        for lane in lanes(mask) {
            let address = Self::address_of(w, group, &access.address, lane);
            if T::ON && Self::is_handle_address(w, access.address.base, lane) {
                let detail = "a load from a pointer to an opaque variable";
                self.may_fault(block, w, lane, pc, FaultClass::Unspecified, Some(address), detail);
                access.registers.iter().flatten().for_each(|slot| put_undefined::<T>(w, *slot, lane, pc));
                continue;
            }
            match self.spot(block, w, lane, pc, access.address.place, address, total, false) {
                Reach::At(spot) if T::ON && !access.unified && self.is_unified(spot.region) => {
                    let detail = "a load of a `.unified` variable without `.unified`";
                    self.may_fault(block, w, lane, pc, FaultClass::Unspecified, Some(address), detail);
                    access.registers.iter().flatten().for_each(|slot| put_undefined::<T>(w, *slot, lane, pc));
                }
                Reach::At(spot) => self.load_lane::<T>(block, w, access, spot, lane, pc),
                Reach::Behind(..) => {
                    access.registers.iter().flatten().for_each(|slot| put_undefined::<T>(w, *slot, lane, pc));
                }
                Reach::Nowhere => failed |= 1 << lane,
            }
        }
        self.refresh::<T>(w, &access.registers);
        match self.after_access(block, w, group, failed) {
            Next::Go if access.strong.is_some() => Next::Wait,
            next => next,
        }
    }

    /// Settles the dirt of registers that were written lane by lane.
    pub(super) fn refresh<T: Tracking>(&self, w: &mut Warp, registers: &[Option<Slot>]) {
        if T::ON {
            for slot in registers.iter().flatten() {
                w.registers.refresh(slot.class, w.rows.row(*slot), w.dead);
            }
        }
    }

    /// Ends the lanes that faulted.
    pub(super) fn after_access(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        failed: u32,
    ) -> Next {
        if failed == 0 { Next::Go } else { self.exit(block, w, group, failed) }
    }

    pub(super) fn load_lane<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        access: &Access,
        spot: Spot,
        lane: usize,
        pc: u32,
    ) {
        let size = access.size as usize;
        let thread = block.thread(w.index, lane);
        let whole =
            if T::ON { self.meet_as_a_whole(block, w, access, spot, lane, Touch::Load) } else { None };
        for (n, register) in access.registers.iter().enumerate() {
            let offset = spot.offset + n * size;
            let (actor, location) = who_and_where(block, w, lane, Spot { offset, ..spot });
            let allocation = memory_of!(self, block, w, spot, lane);
            let mut shade = Shade::CLEAN;
            if T::ON {
                let stored = allocation.undefined(offset, size);
                let mut raced_bits = 0;
                let mut unordered = allocation.unordered(offset, size);
                if let Some((raced, group)) = whole {
                    raced_bits = widen(raced >> (n * size)) & u64::MAX >> (64 - 8 * size);
                    if group.is_some() {
                        unordered = u64::MAX >> (64 - 8 * size);
                    }
                } else if let Some(race) = &mut allocation.race {
                    let raced = match access.strong {
                        None => race.read(&mut self.clocks, offset, access.size, thread),
                        Some((order, scope)) => {
                            let strong = Strong { kind: StrongKind::Read, order, scope };
                            race.strong(&mut self.clocks, offset, access.size, thread, strong)
                        }
                    };
                    raced_bits = widen(raced);
                }
                let undefined = stored | raced_bits;
                // A strong load of what another thread writes meanwhile sees one value or another.
                if whole.is_none() && access.strong.is_some() && allocation.race.is_some() {
                    let (len, stamps) = (allocation.data.len(), &mut allocation.stamps);
                    if self.contention.touch(stamps, len, location, actor, Touch::Load).is_some() {
                        unordered = u64::MAX >> (64 - 8 * size);
                    }
                }
                let origin = if undefined == 0 { Origin::NONE } else { Origin::made_by(pc) };
                let unfixed = allocation.unfixed(offset, size);
                let doubt = match raced_bits {
                    0 => allocation.doubt(offset, size, stored),
                    _ => Doubt::NONE,
                };
                shade = Shade { undefined, unordered, unfixed, origin, record: 0, doubt };
            }
            let value = allocation.read(offset, size);
            let Some(slot) = register else { continue };
            let row = w.rows.row(*slot);
            let (value, shade) = extended(value, shade, access.size, access.extend);
            w.registers.set(slot.class, row, lane, value);
            if T::ON {
                w.registers.set_shade(slot.class, row, lane, shade);
            }
        }
    }

    /// The common case: one element of 4 or 8 bytes into a register of its size, all lanes in one allocation and in
    /// bounds. Answers whether it was that; if not, nothing has happened.
    #[inline(always)]
    fn load_fast<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        access: &Access,
        slot: Slot,
        mask: u32,
        pc: u32,
    ) -> bool {
        match (slot.class, access.size) {
            (Class::Narrow, 4) => self.load_words::<T, 4>(block, w, access, slot, mask, pc),
            (Class::Wide, 8) => self.load_words::<T, 8>(block, w, access, slot, mask, pc),
            _ => false,
        }
    }

    #[inline(always)]
    fn load_words<T: Tracking, const N: usize>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        access: &Access,
        slot: Slot,
        mask: u32,
        pc: u32,
    ) -> bool {
        let Some((allocation, offsets, _)) =
            fast_offsets::<N>(&mut self.globals, &mut block.shared, w, &access.address, mask)
        else {
            return false;
        };
        let row = w.rows.row(slot);
        let threads = block.number * block.geometry.threads() + w.index * LANES as u32;
        let mut dirty = 0u64;
        let mut raced_lanes = 0u32;
        let mut undefined = [0u64; LANES];
        for lane in lanes(mask) {
            let offset = offsets[lane] as usize;
            let value = allocation.read(offset, N);
            if T::ON {
                let mut bits = allocation.undefined(offset, N);
                if let Some(race) = &mut allocation.race {
                    let raced = race.read(&mut self.clocks, offset, N as u32, threads + lane as u32);
                    if raced != 0 {
                        bits |= widen(raced);
                        raced_lanes |= 1 << lane;
                    }
                }
                undefined[lane] = bits;
                dirty |= bits;
            }
            if N == 4 {
                w.registers.narrow[row][lane] = value as u32;
            } else {
                w.registers.wide[row][lane] = value;
            }
        }
        if T::ON {
            if dirty == 0 && allocation.is_plain() {
                w.registers.clean(slot.class, row, mask | w.dead);
            } else {
                for lane in lanes(mask) {
                    let origin = if undefined[lane] == 0 { Origin::NONE } else { Origin::made_by(pc) };
                    let offset = offsets[lane] as usize;
                    let shade = Shade {
                        doubt: match raced_lanes >> lane & 1 {
                            0 => allocation.doubt(offset, N, undefined[lane]),
                            _ => Doubt::NONE,
                        },
                        undefined: undefined[lane],
                        unordered: allocation.unordered(offset, N),
                        unfixed: allocation.unfixed(offset, N),
                        origin,
                        record: 0,
                    };
                    w.registers.set_shade(slot.class, row, lane, shade);
                }
                w.registers.refresh(slot.class, row, w.dead);
            }
        }
        true
    }

    /// Executes a store.
    pub(super) fn store<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        mask: u32,
        x: u32,
        pc: u32,
    ) -> Next {
        let code = self.code;
        let access = &code.accesses[x as usize];
        if !self.address_defined::<T>(w, access.address.base, mask, pc)
            || T::ON && self.stores_at_handle(w, access.address.base, mask, pc)
        {
            return Next::Regroup;
        }
        if let [Some(slot)] = access.registers[..]
            && access.strong.is_none()
            && self.store_fast::<T>(block, w, access, slot, mask)
        {
            return Next::Go;
        }
        let total = u64::from(access.size) * access.registers.len() as u64;
        let mut failed = 0;
        for lane in lanes(mask) {
            let address = Self::address_of(w, group, &access.address, lane);
            let place = access.address.place;
            let reach = match &access.window {
                None => self.spot(block, w, lane, pc, place, address, total, true),
                Some(window) => self.window_spot(block, w, lane, pc, (place, address), total, window),
            };
            match reach {
                Reach::At(spot) if T::ON && self.is_unified(spot.region) => {
                    self.writes_unified(pc);
                    return Next::Regroup;
                }
                Reach::At(spot) => self.store_lane::<T>(block, w, access, spot, lane, pc),
                Reach::Behind(spot, inside) => {
                    // What is inside may have been stored or not.
                    memory_of!(self, block, w, spot, lane).set_undefined_bytes(spot.offset, inside);
                }
                Reach::Nowhere => failed |= 1 << lane,
            }
        }
        self.after_access(block, w, group, failed)
    }

    fn store_lane<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        access: &Access,
        spot: Spot,
        lane: usize,
        pc: u32,
    ) {
        let size = access.size as usize;
        let thread = block.thread(w.index, lane);
        let whole =
            if T::ON { self.meet_as_a_whole(block, w, access, spot, lane, Touch::Store) } else { None };
        for (n, register) in access.registers.iter().enumerate() {
            let Some(slot) = register else { continue };
            let row = w.rows.row(*slot);
            let offset = spot.offset + n * size;
            let value = w.registers.get(slot.class, row, lane);
            let shade = if T::ON { w.registers.shade(slot.class, row, lane) } else { Shade::CLEAN };
            let (actor, location) = who_and_where(block, w, lane, Spot { offset, ..spot });
            let allocation = memory_of!(self, block, w, spot, lane);
            allocation.write(offset, size, value);
            if T::ON {
                self.contention.change(location, size, actor, Touch::Store);
                let mut raced_bits = 0;
                let mut group = None;
                if let Some((raced, met)) = whole {
                    raced_bits = widen(raced >> (n * size)) & u64::MAX >> (64 - 8 * size);
                    group = met;
                } else if let Some(race) = &mut allocation.race {
                    let raced = match access.strong {
                        None => race.write(&mut self.clocks, offset, access.size, thread),
                        Some((order, scope)) => {
                            let strong = Strong { kind: StrongKind::Write, order, scope };
                            race.strong(&mut self.clocks, offset, access.size, thread, strong)
                        }
                    };
                    raced_bits = widen(raced);
                }
                let mut unordered = shade.unordered;
                // Under another order something else may be stored here.
                if let Some(base) = access.address.base
                    && w.registers.shade(base.class, w.rows.row(base), lane).unordered != 0
                {
                    unordered = u64::MAX;
                }
                if whole.is_none() && access.strong.is_some() && allocation.race.is_some() {
                    let (len, stamps) = (allocation.data.len(), &mut allocation.stamps);
                    group = self.contention.touch(stamps, len, location, actor, Touch::Store);
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
        let _ = pc;
    }

    /// The common case, as for loads; in a tracked run only for clean registers.
    #[inline(always)]
    fn store_fast<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        access: &Access,
        slot: Slot,
        mask: u32,
    ) -> bool {
        match (slot.class, access.size) {
            (Class::Narrow, 4) => self.store_words::<T, 4>(block, w, access, slot, mask),
            (Class::Wide, 8) => self.store_words::<T, 8>(block, w, access, slot, mask),
            _ => false,
        }
    }

    #[inline(always)]
    fn store_words<T: Tracking, const N: usize>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        access: &Access,
        slot: Slot,
        mask: u32,
    ) -> bool {
        let row = w.rows.row(slot);
        if T::ON && w.registers.dirt(slot.class, row) != 0 {
            return false;
        }
        let Some((allocation, offsets, _)) =
            fast_offsets::<N>(&mut self.globals, &mut block.shared, w, &access.address, mask)
        else {
            return false;
        };
        if allocation.constant || T::ON && !allocation.is_plain() {
            return false;
        }
        let threads = block.number * block.geometry.threads() + w.index * LANES as u32;
        for lane in lanes(mask) {
            let offset = offsets[lane] as usize;
            let value =
                if N == 4 { u64::from(w.registers.narrow[row][lane]) } else { w.registers.wide[row][lane] };
            allocation.write(offset, N, value);
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

/// The allocation that all lanes of `mask` access, their offsets in it, and which it is, if it is one, all are in bounds and aligned,
/// and it is global or shared memory.
#[inline(always)]
pub(super) fn fast_offsets<'m, const N: usize>(
    globals: &'m mut [Allocation],
    shared: &'m mut Allocation,
    w: &Warp,
    address: &Address,
    mask: u32,
) -> Option<(&'m mut Allocation, [u64; LANES], Region)> {
    let slot = address.base?;
    let row = w.rows.row(slot);
    let added = address.offset as u64;
    let first = mask.trailing_zeros() as usize;
    let example = w.registers.get(slot.class, row, first).wrapping_add(added);
    let (allocation, origin, region) = match address.place {
        Place::Shared => (shared, 0, Region::Shared),
        Place::Generic if example >> 32 << 32 == slots::SHARED => (shared, slots::SHARED, Region::Shared),
        Place::Generic | Place::Global => {
            let index = (example >> 32).checked_sub(slots::FIRST)?;
            let allocation = globals.get_mut(index as usize).filter(|allocation| !allocation.unified)?;
            let base = allocation.base;
            (allocation, base, Region::Global(index as u32))
        }
        Place::Const | Place::Local | Place::Param | Place::Frame => return None,
    };
    let last = (allocation.data.len() as u64).checked_sub(N as u64)?;
    let shift = added.wrapping_sub(origin);
    let mut offsets = [0u64; LANES];
    let mut bad = [false; LANES];
    match slot.class {
        Class::Wide => {
            let base = &w.registers.wide[row];
            for i in 0..LANES {
                offsets[i] = base[i].wrapping_add(shift);
                bad[i] = offsets[i] > last || (offsets[i].wrapping_add(origin)) & (N as u64 - 1) != 0;
            }
        }
        _ => {
            let base = &w.registers.narrow[row];
            for i in 0..LANES {
                offsets[i] = u64::from(base[i]).wrapping_add(shift);
                bad[i] = offsets[i] > last || (offsets[i].wrapping_add(origin)) & (N as u64 - 1) != 0;
            }
        }
    }
    let all_good = if mask == u32::MAX {
        !bad.iter().fold(false, |any, bad| any | bad)
    } else {
        lanes(mask).all(|lane| !bad[lane])
    };
    all_good.then_some((allocation, offsets, region))
}

/// A lane gets what nothing is said of.
pub(super) fn put_undefined<T: Tracking>(w: &mut Warp, slot: Slot, lane: usize, pc: u32) {
    let row = w.rows.row(slot);
    w.registers.set(slot.class, row, lane, 0);
    if T::ON {
        let shade = Shade { undefined: u64::MAX, origin: Origin::made_by(pc), ..Shade::CLEAN };
        w.registers.set_shade(slot.class, row, lane, shade);
    }
}

/// Who a lane is, and which location it accesses, for the bookkeeping of contention.
pub(super) fn who_and_where(block: &BlockState, w: &Warp, lane: usize, spot: Spot) -> (Actor, Location) {
    let actor = Actor { thread: block.thread(w.index, lane), block: block.number, epoch: block.epoch };
    let number = if spot.region == Region::Shared { block.number } else { 0 };
    (actor, Location { region: spot.region, block: number, offset: spot.offset as u64 })
}

/// A mask of bytes as a mask of bits.
#[inline]
pub(super) fn widen(bytes: u32) -> u64 {
    let mut bits = 0;
    for n in 0..8 {
        if bytes >> n & 1 == 1 {
            bits |= 0xFF << (8 * n);
        }
    }
    bits
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

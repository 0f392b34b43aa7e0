//! Loads and stores in the common case: every lane accesses memory at its place, in bounds, and no lane faults.

use super::lanes::{map1, put_narrow, put_shades, put_wide};
use super::meeting::Meeting;
use super::places::{place, places, row};
use super::turn::Turn;
use super::whole_row::{RowRegister, is_row_defined};
use super::{Machine, Tracking};
use crate::address_space::Region;
use crate::memory::Allocation;
use crate::memory_operation::{Access, Extend, Place, Window};
use crate::operation::{Class, Slot};
use crate::registers::{LANES, Origin, Registers, Shade, UNORDERED, lanes};
use warpdiff_model::Deviation;
use warpdiff_races::contention::Touch;
use warpdiff_races::{Clocks, widen};
use warpdiff_semantics::definedness::doubt::Doubt;

impl Machine<'_> {
    /// Executes a load in the common case. Answers whether it was that; if not, nothing has happened.
    #[inline(always)]
    pub(super) fn load_elements<T: Tracking>(&mut self, turn: &mut Turn<'_>, access: &Access) -> bool {
        let is_plain = |window: &Window| window.loads_plainly() && !window.low_of_word;
        if T::TRACED || !access.window.as_ref().is_none_or(is_plain) {
            return false;
        }
        match access.size {
            1 => self.load_each::<T, 1>(turn, access),
            2 => self.load_each::<T, 2>(turn, access),
            4 => self.load_each::<T, 4>(turn, access),
            _ => self.load_each::<T, 8>(turn, access),
        }
    }

    #[inline(always)]
    fn load_each<T: Tracking, const N: usize>(&mut self, turn: &mut Turn<'_>, access: &Access) -> bool {
        // All lanes load the same place in the parameters, as every kernel does.
        let is_parameter = access.address.place == Place::Param && access.address.base.is_none();
        if is_parameter || turn.mask.is_power_of_two() {
            return self.load_at_one_place::<T, N>(turn, access);
        }
        if N >= 4 && self.load_row::<T, N>(turn, access) {
            return true;
        }
        self.load_lanes::<T, N>(turn, access)
    }

    /// Loads one register of all 32 lanes from places that lie one after the other, if no bit of them needs to be noted and no access races or contends.
    #[inline(always)]
    fn load_row<T: Tracking, const N: usize>(&mut self, turn: &mut Turn<'_>, access: &Access) -> bool {
        let Some(slot) = whole_register::<N>(access) else { return false };
        let Some((region, offset)) = row::<N>(&self.memory, turn, &access.address) else { return false };
        let meeting = Meeting::of(turn, access, region, Touch::Load);
        let row = turn.warp.rows.row(slot);
        let Some((memory, registers)) = self.quiet_row::<T, N>(turn, &meeting, offset) else { return false };
        match N {
            4 => registers.narrow[row].load(&memory.data, offset),
            _ => registers.wide[row].load(&memory.data, offset),
        }
        if T::ON {
            registers.clean(slot.class, row, u32::MAX);
        }
        true
    }

    /// The memory that all 32 lanes access, one after the other, and the registers, unless there is anything to note of the accesses.
    #[inline(always)]
    fn quiet_row<'m, T: Tracking, const N: usize>(
        &'m mut self,
        turn: &'m mut Turn<'_>,
        meeting: &Meeting,
        offset: usize,
    ) -> Option<(&'m mut Allocation, &'m mut Registers)> {
        let w = &mut *turn.warp;
        let memory = self.memory.of_all_lanes(meeting.region, &mut turn.block.shared);
        let others = (&self.clocks, &self.contention);
        let is_quiet =
            || is_row_defined::<N>(memory, offset) && meeting.repeats_row::<N>(others, memory, offset);
        (!T::ON || is_quiet()).then_some((memory, &mut w.registers))
    }

    /// Loads an element after the other in all lanes.
    #[inline(never)]
    fn load_lanes<T: Tracking, const N: usize>(&mut self, turn: &mut Turn<'_>, access: &Access) -> bool {
        let found = places::<N>(&self.memory, turn, &access.address, access.registers.len());
        let Some((region, offsets)) = found else { return false };
        if region == Region::Local && self.semantics.has(Deviation::PtxasArrayInRegisters) {
            return false;
        }
        let meeting = Meeting::of(turn, access, region, Touch::Load);
        let (mask, pc, all) = (turn.mask, turn.pc, N * access.registers.len());
        let (w, shared) = (&mut *turn.warp, &mut turn.block.shared);
        let mut raced = [0u32; LANES];
        let mut contended = 0u32;
        if T::ON && meeting.is_one_access {
            for lane in lanes(mask) {
                let memory = self.memory.of(region, shared, &mut w.local[lane]);
                let others = (&mut self.clocks, &mut self.contention);
                let met = meeting.meet(others, memory, lane, (offsets[lane] as usize, all));
                raced[lane] = met.raced;
                contended |= u32::from(met.group.is_some()) << lane;
            }
        }
        for (n, register) in access.registers.iter().enumerate() {
            let mut values = [0u64; LANES];
            let mut dirty = false;
            for lane in lanes(mask) {
                let offset = offsets[lane] as usize + n * N;
                let memory = self.memory.of(region, shared, &mut w.local[lane]);
                values[lane] = memory.read(offset, N);
                if !T::ON {
                    continue;
                }
                if !meeting.is_one_access {
                    let others = (&mut self.clocks, &mut self.contention);
                    let met = meeting.meet(others, memory, lane, (offset, N));
                    raced[lane] = met.raced;
                    contended = contended & !(1 << lane) | u32::from(met.group.is_some()) << lane;
                }
                dirty |= raced[lane] != 0 || memory.undefined(offset, N) != 0 || !memory.is_plain();
            }
            let Some(slot) = register else { continue };
            let (row, extend, written) = (w.rows.row(*slot), access.extend, mask | w.dead);
            put_loaded::<N>(&mut w.registers, (slot.class, row), written, &values, extend);
            if !T::ON {
                continue;
            }
            if !dirty && contended == 0 {
                w.registers.clean(slot.class, row, written);
                continue;
            }
            let (memory, local) = (&mut self.memory, &mut w.local);
            put_shades(&mut w.registers, (slot.class, row), (mask, w.dead), |_, lane| {
                let memory = memory.of(region, shared, &mut local[lane]);
                let at = (offsets[lane] as usize + n * N, N);
                let met = (meeting.raced_bits(raced[lane], (n, N)), contended >> lane & 1 == 1);
                extended_shade(loaded(memory, at, met, pc), N, extend)
            });
        }
        true
    }

    /// Loads in one lane, or in lanes that all load the same place in the parameters.
    fn load_at_one_place<T: Tracking, const N: usize>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &Access,
    ) -> bool {
        let (mask, pc, all) = (turn.mask, turn.pc, N * access.registers.len());
        let lane = mask.trailing_zeros() as usize;
        let Some((region, first)) = place(&self.memory, turn, &access.address, all, lane) else {
            return false;
        };
        if region == Region::Local && self.semantics.has(Deviation::PtxasArrayInRegisters) {
            return false;
        }
        let meeting = Meeting::of(turn, access, region, Touch::Load);
        let w = &mut *turn.warp;
        let memory = self.memory.of(region, &mut turn.block.shared, &mut w.local[lane]);
        let mut met = None;
        for (n, register) in access.registers.iter().enumerate() {
            let at = (first + n * N, N);
            let mut shade = Shade::CLEAN;
            if T::ON {
                let others = (&mut self.clocks, &mut self.contention);
                let met = meeting.meet_element(others, memory, lane, (first, n, N), &mut met);
                let met = (meeting.raced_bits(met.raced, (n, N)), met.group.is_some());
                shade = loaded(memory, at, met, pc);
            }
            let Some(slot) = register else { continue };
            let row = w.rows.row(*slot);
            let value = extended(memory.read(at.0, N), N, access.extend);
            w.registers.set_all(slot.class, row, mask | w.dead, value);
            if T::ON {
                let shade = extended_shade(shade, N, access.extend);
                w.registers.set_all_shades(slot.class, row, (mask, w.dead), shade);
            }
        }
        true
    }

    /// Executes a store in the common case. Answers whether it was that; if not, nothing has happened.
    #[inline(always)]
    pub(super) fn store_elements<T: Tracking>(&mut self, turn: &mut Turn<'_>, access: &Access) -> bool {
        if T::TRACED || T::ON && self.contention.watches_changes() {
            return false;
        }
        match access.size {
            1 => self.store_each::<T, 1>(turn, access),
            2 => self.store_each::<T, 2>(turn, access),
            4 => self.store_each::<T, 4>(turn, access),
            _ => self.store_each::<T, 8>(turn, access),
        }
    }

    #[inline(always)]
    fn store_each<T: Tracking, const N: usize>(&mut self, turn: &mut Turn<'_>, access: &Access) -> bool {
        N >= 4 && self.store_row::<T, N>(turn, access) || self.store_lanes::<T, N>(turn, access)
    }

    /// Whether memory may be written.
    #[inline]
    fn can_write(&self, region: Region) -> bool {
        match region {
            Region::Param => false,
            Region::Global(index) => !self.memory.globals[index as usize].constant,
            Region::Shared | Region::Local | Region::Surface(_) => true,
        }
    }

    /// Stores one register of all 32 lanes to places that lie one after the other, if no bit of it needs to be noted and no access races or contends.
    #[inline(always)]
    fn store_row<T: Tracking, const N: usize>(&mut self, turn: &mut Turn<'_>, access: &Access) -> bool {
        let is_clean = |slot: &Slot| !T::ON || turn.warp.dirt(*slot) == 0;
        let Some(slot) = whole_register::<N>(access).filter(is_clean) else { return false };
        let Some((region, offset)) = row::<N>(&self.memory, turn, &access.address) else { return false };
        if !self.can_write(region) {
            return false;
        }
        let meeting = Meeting::of(turn, access, region, Touch::Store);
        let row = turn.warp.rows.row(slot);
        let Some((memory, registers)) = self.quiet_row::<T, N>(turn, &meeting, offset) else { return false };
        match N {
            4 => registers.narrow[row].store(&mut memory.data, offset),
            _ => registers.wide[row].store(&mut memory.data, offset),
        }
        true
    }

    /// Stores all elements of a lane after the other.
    #[inline(never)]
    fn store_lanes<T: Tracking, const N: usize>(&mut self, turn: &mut Turn<'_>, access: &Access) -> bool {
        let (memory, address, count) = (&self.memory, &access.address, access.registers.len());
        let found = match turn.mask.is_power_of_two() {
            true => place(memory, turn, address, N * count, turn.mask.trailing_zeros() as usize)
                .map(|(region, offset)| (region, [offset as u64; LANES])),
            false => places::<N>(memory, turn, address, count),
        };
        let Some((region, offsets)) = found.filter(|(region, _)| self.can_write(*region)) else {
            return false;
        };
        let meeting = Meeting::of(turn, access, region, Touch::Store);
        let (w, shared) = (&mut *turn.warp, &mut turn.block.shared);
        let is_clean = access.registers.iter().flatten().all(|slot| !T::ON || w.dirt(*slot) == 0);
        let is_unordered = access.address.base.is_some_and(|slot| T::ON && w.dirt(slot) & UNORDERED != 0);
        if let [Some(slot)] = access.registers[..]
            && is_clean
            && meeting.strong.is_none()
            && region != Region::Local
            && (!is_unordered || whole_register::<N>(access).is_some())
        {
            let memory = self.memory.of(region, shared, &mut w.local[0]);
            // Plain memory holds no result of an atomic, which a store would have to take away.
            if !T::ON || memory.is_plain() && memory.traces.is_empty() {
                let mut values = [0; LANES];
                w.registers.copy_values((slot.class, w.rows.row(slot)), &mut values);
                let threads = (turn.mask, meeting.first.thread);
                store_weakly::<T, N>(memory, &mut self.clocks, threads, &offsets, &values);
                return true;
            }
        }
        // Under another order something else may be stored here: that is noted lane by lane.
        if is_unordered {
            return false;
        }
        for lane in lanes(turn.mask) {
            let first = offsets[lane] as usize;
            let memory = self.memory.of(region, shared, &mut w.local[lane]);
            let mut met = None;
            for (n, register) in access.registers.iter().enumerate() {
                let Some(slot) = register else { continue };
                let (row, at) = (w.rows.row(*slot), first + n * N);
                memory.write(at, N, w.registers.get(slot.class, row, lane));
                if !T::ON {
                    continue;
                }
                let others = (&mut self.clocks, &mut self.contention);
                let met = meeting.meet_element(others, memory, lane, (first, n, N), &mut met);
                let shade = if is_clean { Shade::CLEAN } else { w.registers.shade(slot.class, row, lane) };
                let is_disputed = met.group.is_some_and(|key| self.contention.contended(&key).order_matters);
                let raced = meeting.raced_bits(met.raced, (n, N));
                put_shade(memory, (at, N), shade, raced, is_disputed);
                if let Region::Global(index) = region {
                    self.contention.stored(shade.record, (index, at as u64));
                }
            }
        }
        true
    }
}

/// Puts loaded elements of `N` bytes into the lanes of `mask` of a register. It is called after the loop over lanes: inside, the compiler would take
/// the register's file for memory that a load may read.
#[inline(always)]
fn put_loaded<const N: usize>(
    registers: &mut Registers,
    (class, row): (Class, usize),
    mask: u32,
    values: &[u64; LANES],
    extend: Extend,
) {
    match class {
        Class::Wide => {
            let values = map1(values, |value| extended(value, N, extend));
            put_wide(&mut registers.wide[row], &values, mask);
        }
        _ => {
            let values = map1(values, |value| extended(value, N, extend) as u32);
            put_narrow(&mut registers.narrow[row], &values, mask);
        }
    }
}

/// Stores `values` with a weak access in each lane of `mask`; `first` is the thread of lane 0. All bits of the values are defined. All lanes share the
/// memory, and nothing is noted of it but which of its bits are defined.
#[inline(always)]
fn store_weakly<T: Tracking, const N: usize>(
    memory: &mut Allocation,
    clocks: &mut Clocks,
    (mask, first): (u32, u32),
    offsets: &[u64; LANES],
    values: &[u64; LANES],
) {
    for lane in lanes(mask) {
        let offset = offsets[lane] as usize;
        memory.write(offset, N, values[lane]);
        if T::ON {
            let raced = match &mut memory.race {
                Some(race) => race.write(clocks, offset, N as u32, first + lane as u32),
                None => 0,
            };
            memory.set_undefined(offset, N, widen(raced));
        }
    }
}

/// The register of an access to elements of `N` bytes which fill their registers, one in each lane.
#[inline(always)]
fn whole_register<const N: usize>(access: &Access) -> Option<Slot> {
    let [Some(slot)] = access.registers[..] else { return None };
    let fills = matches!((slot.class, N), (Class::Narrow, 4) | (Class::Wide, 8));
    (fills && access.extend == Extend::Zero).then_some(slot)
}

/// The shadow of an element that operation `pc` loads from memory. `raced` has the bits in which the load races; one that `is_contended` sees
/// what one thread or another has stored.
#[inline(always)]
pub(super) fn loaded(
    memory: &Allocation,
    (offset, size): (usize, usize),
    (raced, is_contended): (u64, bool),
    pc: u32,
) -> Shade {
    let stored = memory.undefined(offset, size);
    let undefined = stored | raced;
    Shade {
        undefined,
        unordered: if is_contended { element_bits(size) } else { memory.unordered(offset, size) },
        unfixed: memory.unfixed(offset, size),
        origin: if undefined == 0 { Origin::NONE } else { Origin::made_by(pc) },
        record: 0,
        doubt: if raced == 0 { memory.doubt(offset, size, stored) } else { Doubt::NONE },
    }
}

/// Notes of an element in memory the shadow of what has been stored there. `raced` has the bits in which the store races; under another order
/// something else may be stored where it `is_disputed`.
#[inline(always)]
pub(super) fn put_shade(
    memory: &mut Allocation,
    (offset, size): (usize, usize),
    shade: Shade,
    raced: u64,
    is_disputed: bool,
) {
    memory.set_undefined(offset, size, shade.undefined | raced);
    if !memory.is_plain() || is_disputed || shade.unordered | shade.unfixed != 0 {
        memory.set_unordered(offset, size, if is_disputed { u64::MAX } else { shade.unordered });
        memory.set_unfixed(offset, size, shade.unfixed);
    }
    if raced == 0 {
        memory.set_doubt(offset, size, shade.doubt);
    }
}

/// A mask of all bits of an element that has `size` bytes.
#[inline]
fn element_bits(size: usize) -> u64 {
    u64::MAX >> (64 - 8 * size)
}

/// A loaded element of `size` bytes as it fills its register.
#[inline(always)]
pub(super) fn extended(bits: u64, size: usize, extend: Extend) -> u64 {
    let Extend::Sign(to) = extend else { return bits };
    let unused = 64 - 8 * size as u32;
    ((bits << unused) as i64 >> unused) as u64 & (u64::MAX >> (64 - to))
}

/// Its shadow.
pub(super) fn extended_shade(shade: Shade, size: usize, extend: Extend) -> Shade {
    if extend == Extend::Zero {
        return shade;
    }
    let of = |bits: u64| extended(bits, size, extend);
    let (undefined, unordered, unfixed) = (of(shade.undefined), of(shade.unordered), of(shade.unfixed));
    Shade { undefined, unordered, unfixed, doubt: shade.doubt.of_part(), ..shade }
}

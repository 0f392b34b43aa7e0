//! Bounds, alignment and address space of a memory access: a place in memory, one behind it, or a fault.

use warpdiff_model::{Choice, FaultClass};

use super::turn::{Halt, Next, Turn};
use super::{Machine, Tracking};
use crate::address_space::{Bank, Region, Spot};
use crate::memory::locate;
use crate::memory_operation::{Access, Address, Atomic, Window};
use crate::registers::{Origin, UNDEFINED, UNORDERED};

/// The target of a lane's address.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// This place.
    At(Spot),
    /// A place behind all variables that may still belong to the block or thread: in shared memory, which is allocated in units; in
    /// a stack; or behind a variable in the constant bank. The contents are unspecified, and so is whether an access faults. The
    /// number is the bytes of the access that come before it.
    Behind(Spot, usize),
    /// Nothing: the lane has faulted.
    Nowhere,
}

/// The bytes that an operation accesses in each lane.
pub(super) struct Request<'c> {
    pub(super) address: &'c Address,
    /// Required alignment of the address in bytes, a power of two.
    pub(super) size: u64,
    writes: bool,
    /// The rules of SPA 5.0, where they hold.
    pub(super) window: Option<&'c Window>,
}

impl<'c> Request<'c> {
    pub(super) fn load(access: &'c Access) -> Self {
        let size = u64::from(access.size) * access.registers.len() as u64;
        Request { address: &access.address, size, writes: false, window: access.window.as_ref() }
    }

    pub(super) fn store(access: &'c Access) -> Self {
        Request { writes: true, ..Self::load(access) }
    }

    pub(super) fn atomic(atomic: &'c Atomic) -> Self {
        let (size, window) = (atomic.size.into(), atomic.window.as_ref());
        Request { address: &atomic.address, size, writes: true, window }
    }
}

/// Bytes that are allocated together of shared memory, at most ("the shared memory allocation unit size of target
/// architecture", PTX ISA 10, `%total_smem_size`).
const SHARED_UNIT: u64 = 256;
/// Bytes of local memory that a thread may have.
const LOCAL_LIMIT: u64 = 512 << 10;

impl Machine<'_> {
    /// Calls a function for each of the `lanes` of a turn. Returns the lanes that faulted, or `None` if the launch is
    /// indeterminate.
    #[inline]
    pub(super) fn in_each(
        &mut self,
        lanes: impl Iterator<Item = usize>,
        turn: &mut Turn<'_>,
        mut act: impl FnMut(&mut Self, &mut Turn<'_>, usize) -> Result<(), Halt>,
    ) -> Option<u32> {
        let mut faulted = 0;
        for lane in lanes {
            match act(self, turn, lane) {
                Ok(()) => {}
                Err(Halt::Lane) => faulted |= 1 << lane,
                Err(Halt::Launch) => return None,
            }
        }
        Some(faulted)
    }

    /// Ends the lanes that faulted in [`Machine::in_each`].
    pub(super) fn after_access(&mut self, turn: &mut Turn<'_>, faulted: Option<u32>) -> Next {
        match faulted {
            None => Next::Regroup,
            Some(0) => Next::Go,
            Some(faulted) => self.exit(turn, faulted),
        }
    }

    /// Whether the address register is defined in every lane of the turn; otherwise the launch is indeterminate. Notes
    /// whether it depends on the order of atomics.
    #[inline(always)]
    pub(super) fn address_defined<T: Tracking>(&mut self, turn: &Turn<'_>, address: &Address) -> bool {
        let Some(slot) = address.base else { return true };
        self.operand_defined::<T>(turn, slot, UNDEFINED | UNORDERED, "the address", Origin::ADDRESS_OPERAND)
    }

    /// Whether a lane accesses aligned bytes of its local memory.
    pub(super) fn is_element(&self, turn: &Turn<'_>, request: &Request<'_>, lane: usize) -> bool {
        let address = turn.address(request.address, lane);
        let length = self.length_of(turn, Region::Local, lane);
        address.is_multiple_of(request.size)
            && address.checked_add(request.size).is_some_and(|end| end <= length)
    }

    /// Resolves the place that a lane accesses, or reports its fault.
    #[inline]
    pub(super) fn reach(&mut self, turn: &Turn<'_>, request: &Request<'_>, lane: usize) -> Reach {
        self.reach_from(turn, request, turn.address(request.address, lane), lane)
    }

    /// The same for an address that is given.
    pub(super) fn reach_from(
        &mut self,
        turn: &Turn<'_>,
        request: &Request<'_>,
        address: u64,
        lane: usize,
    ) -> Reach {
        match request.window {
            None => self.spot(turn, request, address, lane),
            Some(window) => self.window_spot(turn, request, window, address, lane),
        }
    }

    fn spot(&mut self, turn: &Turn<'_>, request: &Request<'_>, address: u64, lane: usize) -> Reach {
        let size = request.size;
        let mut address = address;
        if address & (size - 1) != 0 {
            self.consulted.note(Choice::MemoryMisaligned);
            if self.semantics.assignment.get(Choice::MemoryMisaligned) == 0 {
                let detail = format!("address {address:#x} is not a multiple of {size}");
                self.fault(turn, lane, FaultClass::Misaligned, Some(address), &detail);
                return Reach::Nowhere;
            }
            if self.code.literal_alignment {
                return self.in_front(turn, request, address, lane);
            }
            address &= !(size - 1);
        }
        let found = locate(request.address.place, address, &self.memory.globals, self.code.bank);
        let (region, offset) = match found {
            Ok(found) => found,
            Err(class) => {
                let detail = match class {
                    FaultClass::InvalidSpace => format!("address {address:#x} is in another state space"),
                    _ => format!("address {address:#x} is in no allocation"),
                };
                self.fault(turn, lane, class, Some(address), &detail);
                return Reach::Nowhere;
            }
        };
        let length = self.length_of(turn, region, lane);
        let constant = match region {
            Region::Global(index) => self.memory.globals[index as usize].constant,
            Region::Param => true,
            Region::Shared | Region::Local | Region::Surface(_) => false,
        };
        if offset.checked_add(size).is_none_or(|end| end > length) {
            let name = self.region_name(region);
            let detail = format!("{size} bytes at offset {offset} of {name}, which has {length}");
            let behind = match region {
                // Another variable of the bank, or none.
                Region::Global(index) if constant => {
                    Bank::SIZE - (self.memory.globals[index as usize].base & (Bank::SIZE - 1))
                }
                Region::Shared => length.next_multiple_of(SHARED_UNIT),
                Region::Local => LOCAL_LIMIT,
                _ => 0,
            };
            if offset.saturating_add(size) <= behind {
                self.may_fault(turn, lane, FaultClass::OutOfBounds, Some(address), &detail);
                let inside = length.saturating_sub(offset) as usize;
                return Reach::Behind(Spot { region, offset: offset as usize }, inside);
            }
            self.fault(turn, lane, FaultClass::OutOfBounds, Some(address), &detail);
            return Reach::Nowhere;
        }
        if request.writes && constant {
            let detail = format!("{} cannot be written", self.region_name(region));
            self.fault(turn, lane, FaultClass::InvalidSpace, Some(address), &detail);
            return Reach::Nowhere;
        }
        Reach::At(Spot { region, offset: offset as usize })
    }

    /// A misaligned address that is masked, where variables lie at no more than what `.align` states: the bytes in front of a variable
    /// may belong to anything, so that nothing is said of what is there, nor that the access does not fault.
    #[cold]
    fn in_front(&mut self, turn: &Turn<'_>, request: &Request<'_>, address: u64, lane: usize) -> Reach {
        let size = request.size;
        let found = locate(request.address.place, address, &self.memory.globals, self.code.bank);
        let Ok((region, offset)) = found else {
            let detail = format!("address {address:#x} is in no allocation");
            self.fault(turn, lane, FaultClass::OutOfBounds, Some(address), &detail);
            return Reach::Nowhere;
        };
        let detail = format!("address {address:#x} is not a multiple of {size}");
        self.may_fault(turn, lane, FaultClass::OutOfBounds, Some(address), &detail);
        let low = address & (size - 1);
        let length = self.length_of(turn, region, lane);
        let end = offset.saturating_add(size).saturating_sub(low).min(length);
        let start = offset.saturating_sub(low).min(end);
        Reach::Behind(Spot { region, offset: start as usize }, (end - start) as usize)
    }

    /// Size in bytes of a region's memory, as seen by a lane.
    pub(super) fn length_of(&self, turn: &Turn<'_>, region: Region, lane: usize) -> u64 {
        let memory = match region {
            Region::Global(index) => &self.memory.globals[index as usize],
            Region::Shared => &turn.block.shared,
            Region::Local => &turn.warp.local[lane],
            Region::Param => &self.memory.parameters,
            Region::Surface(index) => &self.memory.surfaces[index as usize].texels,
        };
        memory.data.len() as u64
    }

    /// Whether it is a variable with the attribute `.unified`. "Variables with .unified attribute are read-only and must be loaded by
    /// specifying .unified qualifier on the address operand of ld instruction, otherwise the behavior is undefined" (PTX ISA 5.4.8).
    pub(super) fn is_unified(&self, region: Region) -> bool {
        matches!(region, Region::Global(index) if self.memory.globals[index as usize].unified)
    }

    /// What is stored to a `.unified` variable, or changed there, may do anything: the launch is indeterminate.
    pub(super) fn writes_unified(&mut self, pc: u32) -> Halt {
        self.unspecified(pc, "the address", "is of a `.unified` variable, which is read-only".into());
        Halt::Launch
    }

    /// What a piece of memory is called.
    fn region_name(&self, region: Region) -> String {
        let index = match region {
            Region::Global(index) => index as usize,
            Region::Shared => return "shared memory".into(),
            Region::Local => return "local memory".into(),
            Region::Param => return "the parameters".into(),
            Region::Surface(index) => {
                return format!("surface `{}`", self.memory.surfaces[index as usize].name);
            }
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
}

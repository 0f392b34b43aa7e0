//! Memory: allocations, and their shadow in a tracked run.

use warpdiff_model::{FaultClass, Format};
use warpdiff_semantics::surface::Descriptor;
use warpdiff_semantics::surface::texel::Certainty;

use crate::address_space::{Bank, Region, slots};
use crate::memory_operation::Place;
use warpdiff_races::Shadow;
use warpdiff_races::contention::Stamps;
use warpdiff_semantics::definedness::doubt::{self, Doubt, Trace};
use warpdiff_semantics::element::{number, put_number};

/// A piece of memory.
#[derive(Default)]
pub(crate) struct Allocation {
    /// Contents, guard bands included.
    pub(crate) data: Vec<u8>,
    /// Generic address of `data[0]` (global and constant memory only).
    pub(crate) base: u64,
    /// Whether stores are refused.
    pub(crate) constant: bool,
    /// Whether it is a variable with the attribute `.unified`: read-only, and read by loads with that qualifier alone.
    pub(crate) unified: bool,
    /// Per byte the defined bits; empty in an untracked run. Nothing is defined in zeros, which take no room in memory that nobody has touched:
    /// the shared memory of machine code may have 16 MiB.
    pub(crate) defined: Vec<u8>,
    /// Per byte the unordered bits; empty as long as there are none.
    pub(crate) unordered: Vec<u8>,
    /// Race-detection shadow; absent in an untracked run and for memory owned by one thread.
    pub(crate) race: Option<Box<Shadow>>,
    /// Per byte the unfixed bits; empty as long as there are none.
    pub(crate) unfixed: Vec<u8>,
    /// Information about undefined bits, per byte; empty if there is none.
    pub(crate) traces: Vec<Trace>,
    /// The atomics it saw in the current epoch.
    pub(crate) stamps: Stamps,
    /// For texels in a tracked run, per byte: whether the launch has stored it, and information about its value; empty until
    /// needed.
    pub(crate) marks: Vec<Mark>,
}

/// The mark of a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Whether the launch has stored it.
    stored: bool,
    certainty: Certainty,
    /// Index of the byte in the value, and number of bytes of the value.
    part: (u8, u8),
}

/// Zeros in the room that the bytes have. Of much memory most is never touched: the system gives zeros that cost nothing until they are.
fn zeros(mut bytes: Vec<u8>, len: usize) -> Vec<u8> {
    if len > 1 << 16 {
        return vec![0; len];
    }
    bytes.clear();
    bytes.resize(len, 0);
    bytes
}

impl Allocation {
    /// Defined zeros.
    pub(crate) fn zeroed(len: usize, tracked: bool) -> Self {
        Self::holding(vec![0; len], tracked)
    }

    /// Defined bytes.
    pub(crate) fn holding(data: Vec<u8>, tracked: bool) -> Self {
        Self { defined: vec![0xFF; if tracked { data.len() } else { 0 }], data, ..Self::default() }
    }

    /// Undefined bytes, with zeros as their data.
    pub(crate) fn uninitialised(len: usize, tracked: bool) -> Self {
        Self { data: vec![0; len], defined: vec![0; if tracked { len } else { 0 }], ..Self::default() }
    }

    /// Becomes [`Allocation::uninitialised`], in the room that it has.
    pub(crate) fn begin_uninitialised(&mut self, len: usize, tracked: bool) {
        // Nothing is known of no bytes.
        if len == 0 && self.data.is_empty() {
            return;
        }
        let Self { data, defined, .. } = std::mem::take(self);
        let defined = zeros(defined, if tracked { len } else { 0 });
        *self = Self { data: zeros(data, len), defined, ..Self::default() };
    }

    /// Has each word hold what `word` says of its number; it stays as undefined as it is.
    pub(crate) fn hold(&mut self, word: impl Fn(u32) -> u32) {
        for (number, bytes) in self.data.chunks_mut(4).enumerate() {
            bytes.copy_from_slice(&word(number as u32).to_le_bytes()[..bytes.len()]);
        }
    }

    /// The little-endian number of `size` bytes at `offset`. The caller has checked the bounds.
    #[inline(always)]
    pub(crate) fn read(&self, offset: usize, size: usize) -> u64 {
        number(&self.data[offset..offset + size])
    }

    /// Stores a number.
    #[inline(always)]
    pub(crate) fn write(&mut self, offset: usize, size: usize, value: u64) {
        put_number(&mut self.data[offset..offset + size], value);
    }

    /// The undefined bits of a number; 0 in an untracked run.
    #[inline(always)]
    pub(crate) fn undefined(&self, offset: usize, size: usize) -> u64 {
        let all = u64::MAX.checked_shr(64 - 8 * size as u32).unwrap_or(0);
        self.defined.get(offset..offset + size).map_or(0, |defined| !number(defined) & all)
    }

    /// The unordered bits of a number.
    #[inline]
    pub(crate) fn unordered(&self, offset: usize, size: usize) -> u64 {
        self.unordered.get(offset..offset + size).map_or(0, number)
    }

    /// The unfixed bits of a number.
    #[inline]
    pub(crate) fn unfixed(&self, offset: usize, size: usize) -> u64 {
        self.unfixed.get(offset..offset + size).map_or(0, number)
    }

    /// Whether no bit has ever been unordered or unfixed.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.unordered.is_empty() && self.unfixed.is_empty()
    }

    /// Sets the undefined bits of a number without further information about them, in a tracked run.
    #[inline(always)]
    pub(crate) fn set_undefined(&mut self, offset: usize, size: usize, bits: u64) {
        if let Some(bytes) = self.defined.get_mut(offset..offset + size) {
            put_number(bytes, !bits);
            self.forget_doubt(offset, size);
        }
    }

    /// Inverts the undefined bits. Those that depend on an order or an address, those computed of an approximation, and those of a texel
    /// of which more is known, such as that it is a NaN, keep the value of this run.
    pub(crate) fn expose_undefined(&mut self) {
        let mut kept = vec![false; self.defined.len()];
        self.certain().for_each(|(offset, size, _)| kept[offset..offset + size].fill(true));
        for (at, kept) in kept.into_iter().enumerate() {
            let approximated = self.traces.get(at).is_some_and(|trace| !trace.is_none());
            if self.defined[at] != 0xFF && !approximated && !kept {
                let settled = !(self.unordered(at, 1) | self.unfixed(at, 1)) as u8;
                self.data[at] ^= !self.defined[at] & settled;
            }
        }
    }

    /// Makes bytes undefined, in a tracked run.
    pub(crate) fn set_undefined_bytes(&mut self, offset: usize, len: usize) {
        if let Some(bytes) = self.defined.get_mut(offset..offset + len) {
            bytes.fill(0);
            self.forget_doubt(offset, len);
        }
    }

    /// Nothing more is known of the undefined bits of these bytes.
    #[inline]
    fn forget_doubt(&mut self, offset: usize, len: usize) {
        if !self.traces.is_empty() {
            self.traces[offset..offset + len].fill(Trace::NONE);
        }
    }

    /// Records information about the undefined bits of a number. Call it after [`Allocation::set_undefined`].
    #[inline]
    pub(crate) fn set_doubt(&mut self, offset: usize, size: usize, doubt: Doubt) {
        if !doubt.is_none() {
            if self.traces.is_empty() {
                self.traces = vec![Trace::NONE; self.data.len()];
            }
            doubt::put(&mut self.traces[offset..offset + size], doubt);
        }
    }

    /// Information about the `undefined` bits of a number.
    #[inline]
    pub(crate) fn doubt(&self, offset: usize, size: usize, undefined: u64) -> Doubt {
        self.traces.get(offset..offset + size).map_or(Doubt::NONE, |traces| doubt::get(traces, undefined))
    }

    /// Sets the unordered bits of a number.
    #[inline]
    pub(crate) fn set_unordered(&mut self, offset: usize, size: usize, bits: u64) {
        set_rare(&mut self.unordered, self.data.len(), (offset, size), bits);
    }

    /// Sets the unfixed bits of a number.
    #[inline]
    pub(crate) fn set_unfixed(&mut self, offset: usize, size: usize, bits: u64) {
        set_rare(&mut self.unfixed, self.data.len(), (offset, size), bits);
    }

    /// Forgets what concerns one launch alone; what nobody has written stays known.
    pub(crate) fn forget_launch(&mut self) {
        (self.race, self.stamps) = (None, Stamps::default());
        for plane in [&mut self.unordered, &mut self.unfixed] {
            *plane = Vec::new();
        }
        (self.traces, self.marks) = (Vec::new(), Vec::new());
    }

    /// Prepares to answer [`Allocation::stored`].
    pub(crate) fn watch_stores(&mut self) {
        self.marks = vec![Mark::default(); self.data.len()];
    }

    /// The bits of a number that the launch has stored.
    #[inline]
    pub(crate) fn stored(&self, offset: usize, size: usize) -> u64 {
        let marks = self.marks.get(offset..offset + size).unwrap_or_default();
        marks.iter().rev().fold(0, |bits, mark| bits << 8 | if mark.stored { 0xFF } else { 0 })
    }

    /// Marks these bytes as stored by the launch in a tracked run, and records information about their value.
    #[inline]
    pub(crate) fn mark(&mut self, offset: usize, size: usize, certainty: Certainty) {
        if self.marks.is_empty() {
            if certainty == Certainty::Bits {
                return;
            }
            self.watch_stores();
        }
        if certainty == Certainty::Bits {
            self.marks[offset..offset + size].fill(Mark { stored: true, ..Mark::default() });
            return;
        }
        let parts = size as u8;
        for (mark, part) in self.marks[offset..offset + size].iter_mut().zip(0..) {
            *mark = Mark { stored: true, certainty, part: (part, parts) };
        }
    }

    /// The values with information beyond their defined bits: offset, size and information. Values partly overwritten by another
    /// store are omitted.
    pub(crate) fn certain(&self) -> impl Iterator<Item = (usize, usize, Certainty)> {
        let whole = |(offset, mark): (usize, &Mark)| {
            let parts = usize::from(mark.part.1);
            let bytes = self.marks.get(offset..offset + parts)?;
            let intact = bytes
                .iter()
                .zip(0..)
                .all(|(byte, part)| *byte == Mark { part: (part, mark.part.1), ..*mark });
            intact.then_some((offset, parts, mark.certainty))
        };
        let first = |(_, mark): &(usize, &Mark)| mark.certainty != Certainty::Bits && mark.part.0 == 0;
        self.marks.iter().enumerate().filter(first).filter_map(whole)
    }

    /// Whether `size` bytes at `offset` lie inside.
    #[inline]
    pub(crate) fn holds(&self, offset: u64, size: u64) -> bool {
        offset.checked_add(size).is_some_and(|end| end <= self.data.len() as u64)
    }
}

/// A surface or the image of a texture.
pub(crate) struct SurfaceMemory {
    /// Its name.
    pub(crate) name: String,
    /// Its shape.
    pub(crate) descriptor: Descriptor,
    /// The texel format.
    pub(crate) format: Format,
    /// Its texels.
    pub(crate) texels: Allocation,
}

/// The memory that all threads of a launch share.
#[derive(Default)]
pub(crate) struct Memory {
    /// Variables with an allocation, then buffers.
    pub(crate) globals: Vec<Allocation>,
    pub(crate) parameters: Allocation,
    /// The surfaces, then the images of textures.
    pub(crate) surfaces: Vec<SurfaceMemory>,
}

impl Memory {
    /// Reports races in all memory that a thread can write.
    pub(crate) fn report_races(&mut self) {
        let texels = self.surfaces.iter_mut().map(|surface| &mut surface.texels);
        let writable = self.globals.iter_mut().chain(texels).zip(0u32..);
        for (memory, number) in writable.filter(|(memory, _)| !memory.constant && !memory.data.is_empty()) {
            memory.race = Some(Box::new(Shadow::reporting(number, memory.data.len())));
        }
    }

    /// The memory of a region that all lanes share: global or shared memory.
    #[inline(always)]
    pub(crate) fn of_all_lanes<'m>(
        &'m mut self,
        region: Region,
        shared: &'m mut Allocation,
    ) -> &'m mut Allocation {
        match region {
            Region::Global(index) => &mut self.globals[index as usize],
            _ => shared,
        }
    }

    /// The memory of a region; for shared and local memory, that of the thread's block or of the thread.
    #[inline]
    pub(crate) fn of<'m>(
        &'m mut self,
        region: Region,
        shared: &'m mut Allocation,
        local: &'m mut Allocation,
    ) -> &'m mut Allocation {
        match region {
            Region::Global(index) => &mut self.globals[index as usize],
            Region::Shared => shared,
            Region::Local => local,
            Region::Param => &mut self.parameters,
            Region::Surface(index) => &mut self.surfaces[index as usize].texels,
        }
    }
}

/// Sets the bits of a number in a plane of `len` bytes that is empty as long as none is set.
#[inline]
fn set_rare(plane: &mut Vec<u8>, len: usize, (offset, size): (usize, usize), bits: u64) {
    if plane.is_empty() {
        if bits == 0 {
            return;
        }
        *plane = vec![0; len];
    }
    put_number(&mut plane[offset..offset + size], bits);
}

/// The global or constant allocation whose slot a generic address is in, without a bounds check. Each has its own slot, except that
/// the allocations of a constant bank share the slot of the first.
pub(crate) fn slot_of(allocations: &[Allocation], address: u64) -> Option<usize> {
    let index = usize::try_from((address >> 32).checked_sub(slots::FIRST)?).ok()?;
    let allocation = allocations.get(index)?;
    if !allocation.constant {
        return Some(index);
    }
    // Addresses ascend with the slots, within a bank too.
    let before = allocations[index..].partition_point(|allocation| allocation.base <= address);
    before.checked_sub(1).map(|last| index + last)
}

/// The windows of machine code have 16 MiB.
const WINDOW_BITS: u32 = 24;
const WINDOW: u64 = 1 << WINDOW_BITS;

/// Splits an address into a region and an offset in it, without a bounds check; `base` gives the generic address of the first byte
/// of a global allocation, and `bank` the constants of the module.
///
/// # Errors
/// `OutOfBounds` for an address in no allocation, `InvalidSpace` for one in a disallowed space.
#[inline]
pub(crate) fn locate(
    place: Place,
    address: u64,
    globals: &[Allocation],
    bank: Bank,
) -> Result<(Region, u64), FaultClass> {
    let address = match place {
        Place::Shared => return Ok((Region::Shared, address)),
        Place::Local | Place::Frame => return Ok((Region::Local, address)),
        Place::Param => return Ok((Region::Param, address)),
        Place::Const if bank.count == 0 || address >= Bank::SIZE => return Err(FaultClass::OutOfBounds),
        Place::Const => bank.window + address,
        Place::Flat => match address >> WINDOW_BITS << WINDOW_BITS {
            slots::spa::SHARED_WINDOW => return Ok((Region::Shared, address & (WINDOW - 1))),
            slots::spa::LOCAL_WINDOW => return Ok((Region::Local, address & (WINDOW - 1))),
            _ if address >> 32 < slots::FIRST => return Err(FaultClass::OutOfBounds),
            _ => address,
        },
        Place::Global | Place::Generic => address,
    };
    let slot = address >> 32;
    if slot >= slots::FIRST {
        let index = slot_of(globals, address).ok_or(FaultClass::OutOfBounds)?;
        let offset = address.checked_sub(globals[index].base).ok_or(FaultClass::OutOfBounds)?;
        return Ok((Region::Global(index as u32), offset));
    }
    let region = match slot << 32 {
        slots::SHARED => Region::Shared,
        slots::LOCAL => Region::Local,
        slots::PARAM => Region::Param,
        _ => return Err(FaultClass::OutOfBounds),
    };
    // "If no state space is given, generic addressing is used"; with a space, the address must be in it.
    if place == Place::Generic { Ok((region, address & 0xFFFF_FFFF)) } else { Err(FaultClass::InvalidSpace) }
}

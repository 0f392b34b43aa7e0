//! The register files of a warp: structure of arrays, 32 lanes per register, and their shadow.
//!
//! There are three files, because lanes of diverged groups may use the same frame for different functions: a lane owns its column
//! in every file, regardless of the meaning of the rows. The shadow holds the undefined and unordered bits per lane, and is read
//! only if the dirt byte of a register requires it.

use crate::operation::{Class, Slot};
use warpdiff_races::contention::HIGH_HALF;
use warpdiff_semantics::definedness::doubt::Doubt;

/// Number of lanes of a warp.
pub(crate) const LANES: usize = 32;

/// A narrow register: one word per lane.
pub(crate) type Narrow = [u32; LANES];
/// A wide register.
pub(crate) type Wide = [u64; LANES];

/// Some bits of some lane are undefined.
pub(crate) const UNDEFINED: u8 = 1;
/// Some bits of some lane are unordered.
pub(crate) const UNORDERED: u8 = 2;
/// Some bits of some lane are unfixed.
pub(crate) const UNFIXED: u8 = 4;
/// With [`UNDEFINED`] alone: every bit of every lane is undefined and has no origin. The shadow does not say so itself: it holds
/// anything until a lane is written.
const UNWRITTEN: u8 = 8;

/// Origin of undefined or unordered bits.
///
/// 0 is no origin. Undefined bits carry the operation that met them first: one that read a register never written before, or one
/// that produced them (a load, a division by zero).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin(u32);

impl Origin {
    /// Not known.
    pub(crate) const NONE: Origin = Origin(0);
    /// The operand number under which an address register is named.
    pub(crate) const ADDRESS_OPERAND: usize = 6;
    /// The operand number under which a guard is named.
    pub(crate) const GUARD_OPERAND: usize = 7;

    /// Source operand `operand` (0 to 7) of operation `op` was never written.
    pub(crate) fn unwritten(op: u32, operand: usize) -> Self {
        Origin(0x8000_0000 | (op & 0x0FFF_FFFF) << 3 | operand.min(7) as u32)
    }

    /// Operation `op` made undefined bits.
    pub(crate) fn made_by(op: u32) -> Self {
        Origin((op & 0x0FFF_FFFF) + 1)
    }

    /// The meaning of the origin.
    pub(crate) fn meaning(self) -> Option<Meaning> {
        match self.0 {
            0 => None,
            code if code >> 31 == 1 => {
                Some(Meaning::Unwritten { op: code >> 3 & 0x0FFF_FFFF, operand: code & 7 })
            }
            code => Some(Meaning::MadeBy { op: code - 1 }),
        }
    }
}

/// The meaning of an [`Origin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A register read before it was written.
    Unwritten {
        /// The reader.
        op: u32,
        /// The source operand.
        operand: u32,
    },
    /// The result of an operation.
    MadeBy {
        /// The operation.
        op: u32,
    },
}

/// The shadow of one lane of one register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shade {
    /// Undefined bits.
    pub(crate) undefined: u64,
    /// Unordered bits.
    pub(crate) unordered: u64,
    /// Implementation-dependent bits that are not undefined: they depend on the placement of variables and buffers and on padding
    /// of their sizes. A program may branch on them, so they count only in data of the final memory, where they are not compared.
    pub(crate) unfixed: u64,
    /// Origin of the undefined bits.
    pub(crate) origin: Origin,
    /// If the value is the unmodified result of an atomic: the number of that atomic's record, plus one; with [`HIGH_HALF`] it is
    /// the upper half of that result.
    pub(crate) record: u32,
    /// Information about the undefined bits.
    pub(crate) doubt: Doubt,
}

impl Shade {
    /// Everything undefined, since nothing has been written yet.
    const UNWRITTEN: Shade = Shade { undefined: u64::MAX, ..Shade::CLEAN };
    /// Nothing undefined, unordered or unfixed.
    pub(crate) const CLEAN: Shade =
        Shade { undefined: 0, unordered: 0, unfixed: 0, origin: Origin::NONE, record: 0, doubt: Doubt::NONE };

    /// The shadow of these bits only.
    #[must_use]
    pub(crate) fn masked(self, bits: u64) -> Shade {
        Shade {
            undefined: self.undefined & bits,
            unordered: self.unordered & bits,
            unfixed: self.unfixed & bits,
            doubt: self.doubt.of_part(),
            ..self
        }
    }

    /// The shadow of the upper half of a 64-bit atomic's result.
    #[must_use]
    pub(crate) fn high_half(self) -> Shade {
        let record = if self.record == 0 { 0 } else { self.record | HIGH_HALF };
        Shade {
            undefined: self.undefined >> 32,
            unordered: self.unordered >> 32,
            unfixed: self.unfixed >> 32,
            record,
            doubt: self.doubt.of_part(),
            ..self
        }
    }

    /// Where the undefined bits came from, as operation `op` sees them, which reads them as its source operand of that number.
    pub(crate) fn origin_seen(&self, op: u32, operand: usize) -> Origin {
        if self.origin == Origin::NONE { Origin::unwritten(op, operand) } else { self.origin }
    }

    /// Whether there is nothing to remember.
    pub(crate) fn is_clean(&self) -> bool {
        self.undefined | self.unordered | self.unfixed == 0
    }

    /// What kinds of dirt there are.
    fn dirt(&self) -> u8 {
        let undefined = if self.undefined != 0 { UNDEFINED } else { 0 };
        let unordered = if self.unordered != 0 { UNORDERED } else { 0 };
        let unfixed = if self.unfixed != 0 { UNFIXED } else { 0 };
        undefined | unordered | unfixed
    }
}

/// The three files, and their shadows in a tracked run.
#[derive(Default)]
pub(crate) struct Registers {
    pub(crate) narrow: Vec<Narrow>,
    pub(crate) wide: Vec<Wide>,
    pub(crate) predicates: Vec<u32>,
    /// Per register: which kinds of dirt some lane has, 0 for none. Empty in an untracked run.
    pub(crate) narrow_dirt: Vec<u8>,
    pub(crate) wide_dirt: Vec<u8>,
    pub(crate) predicate_dirt: Vec<u8>,
    /// Per register, and perhaps for more registers than there are: the shadow of each lane, if the dirt byte requires it.
    narrow_shade: Vec<[Shade; LANES]>,
    wide_shade: Vec<[Shade; LANES]>,
    predicate_shade: Vec<[Shade; LANES]>,
    /// What [`Registers::keep`] keeps.
    kept_narrow: Narrow,
    kept_wide: Wide,
}

impl Registers {
    /// Leaves no registers, but the room for them.
    pub(crate) fn clear(&mut self) {
        self.narrow.clear();
        self.wide.clear();
        self.predicates.clear();
        self.narrow_dirt.clear();
        self.wide_dirt.clear();
        self.predicate_dirt.clear();
    }

    /// Bytes of memory that the room takes.
    pub(crate) fn room(&self) -> usize {
        let shades = [&self.narrow_shade, &self.wide_shade, &self.predicate_shade];
        size_of::<Narrow>() * self.narrow.capacity()
            + size_of::<Wide>() * self.wide.capacity()
            + shades.iter().map(|shades| size_of::<[Shade; LANES]>() * shades.capacity()).sum::<usize>()
    }

    /// Makes room for this number of registers of each class; new ones are zero and, in a tracked run, fully undefined.
    pub(crate) fn grow(&mut self, narrow: usize, wide: usize, predicates: usize, tracked: bool) {
        self.narrow.resize(narrow.max(self.narrow.len()), [0; LANES]);
        self.wide.resize(wide.max(self.wide.len()), [0; LANES]);
        self.predicates.resize(predicates.max(self.predicates.len()), 0);
        if tracked {
            grow_shadow(&mut self.narrow_dirt, &mut self.narrow_shade, self.narrow.len());
            grow_shadow(&mut self.wide_dirt, &mut self.wide_shade, self.wide.len());
            grow_shadow(&mut self.predicate_dirt, &mut self.predicate_shade, self.predicates.len());
        }
    }

    /// Declares everything there is now defined: the constants.
    pub(crate) fn assume_clean(&mut self) {
        self.narrow_dirt.fill(0);
        self.wide_dirt.fill(0);
        self.predicate_dirt.fill(0);
    }

    /// Makes the lanes of `mask` of a register undefined, as at the entry to a function.
    pub(crate) fn forget(&mut self, class: Class, index: usize, mask: u32) {
        let (dirt, shade) = self.shadow(class, index);
        match *dirt {
            _ if mask == u32::MAX => {
                *dirt = UNDEFINED | UNWRITTEN;
                return;
            }
            0 => *shade = [Shade::CLEAN; LANES],
            _ => write_out(dirt, shade),
        }
        *dirt |= UNDEFINED;
        for lane in lanes(mask) {
            shade[lane] = Shade::UNWRITTEN;
        }
    }

    /// The value in a lane.
    #[inline]
    pub(crate) fn get(&self, class: Class, index: usize, lane: usize) -> u64 {
        match class {
            Class::Narrow => u64::from(self.narrow[index][lane]),
            Class::Wide => self.wide[index][lane],
            Class::Predicate => u64::from(self.predicates[index] >> lane & 1),
        }
    }

    /// Sets the value in a lane; bits beyond the class are dropped.
    #[inline]
    pub(crate) fn set(&mut self, class: Class, index: usize, lane: usize, value: u64) {
        match class {
            Class::Narrow => self.narrow[index][lane] = value as u32,
            Class::Wide => self.wide[index][lane] = value,
            Class::Predicate => {
                let bit = 1u32 << lane;
                let word = &mut self.predicates[index];
                *word = if value & 1 == 1 { *word | bit } else { *word & !bit };
            }
        }
    }

    /// Sets the lanes of `mask` to one value.
    pub(crate) fn set_all(&mut self, class: Class, index: usize, mask: u32, value: u64) {
        match class {
            Class::Narrow if mask == u32::MAX => self.narrow[index] = [value as u32; LANES],
            Class::Wide if mask == u32::MAX => self.wide[index] = [value; LANES],
            _ => lanes(mask).for_each(|lane| self.set(class, index, lane, value)),
        }
    }

    /// Sets the shadow of the lanes of `mask` to one shadow. The lanes that are `dead` may have any.
    pub(crate) fn set_all_shades(
        &mut self,
        class: Class,
        index: usize,
        (mask, dead): (u32, u32),
        value: Shade,
    ) {
        if value.is_clean() {
            self.clean(class, index, mask | dead);
        } else if mask | dead == u32::MAX {
            let (dirt, shade) = self.shadow(class, index);
            lanes(mask).for_each(|lane| shade[lane] = value);
            *dirt = value.dirt();
        } else {
            lanes(mask).for_each(|lane| self.set_shade(class, index, lane, value));
            self.refresh(class, index, dead);
        }
    }

    /// Keeps the lanes of a register that all lanes are about to be written of.
    #[inline(never)]
    pub(crate) fn keep(&mut self, class: Class, index: usize) {
        match class {
            Class::Narrow => self.kept_narrow = self.narrow[index],
            Class::Wide => self.kept_wide = self.wide[index],
            Class::Predicate => {}
        }
    }

    /// Puts the kept lanes of `mask` back.
    #[inline(never)]
    pub(crate) fn take_back(&mut self, class: Class, index: usize, mask: u32) {
        match class {
            Class::Narrow => blend_narrow(&mut self.narrow[index], &self.kept_narrow, mask),
            Class::Wide => blend_wide(&mut self.wide[index], &self.kept_wide, mask),
            Class::Predicate => {}
        }
    }

    /// The dirt of a register.
    #[inline]
    pub(crate) fn dirt(&self, class: Class, index: usize) -> u8 {
        match class {
            Class::Narrow => self.narrow_dirt[index],
            Class::Wide => self.wide_dirt[index],
            Class::Predicate => self.predicate_dirt[index],
        }
    }

    /// The shadow of a lane.
    pub(crate) fn shade(&self, class: Class, index: usize, lane: usize) -> Shade {
        let dirt = self.dirt(class, index);
        if dirt == 0 {
            return Shade::CLEAN;
        }
        if dirt & UNWRITTEN != 0 {
            return Shade { undefined: all_bits(class), ..Shade::CLEAN };
        }
        let mut shade = self.kept_shades(class, index)[lane];
        shade.undefined &= all_bits(class);
        shade.unordered &= all_bits(class);
        shade.unfixed &= all_bits(class);
        shade
    }

    /// Copies the values of all lanes of a register.
    #[inline]
    pub(crate) fn copy_values(&self, (class, index): (Class, usize), values: &mut Wide) {
        *values = match class {
            Class::Narrow => self.narrow[index].map(u64::from),
            Class::Wide => self.wide[index],
            Class::Predicate => std::array::from_fn(|lane| self.get(class, index, lane)),
        };
    }

    /// Copies the values of all lanes of a register, and their unfixed bits, where it has no other dirt.
    pub(crate) fn copy(&self, (class, index): (Class, usize), values: &mut Wide, unfixed: &mut Wide) {
        self.copy_values((class, index), values);
        if self.dirt(class, index) != 0 {
            *unfixed = self.kept_shades(class, index).map(|shade| shade.unfixed & all_bits(class));
        }
    }

    /// The unfixed bits of a lane of a register that has no other dirt.
    #[inline]
    pub(crate) fn unfixed(&self, class: Class, index: usize, lane: usize) -> u64 {
        match self.dirt(class, index) {
            0 => 0,
            _ => self.kept_shades(class, index)[lane].unfixed & all_bits(class),
        }
    }

    /// The unfixed bits of a register, if they are the same in the lanes of `mask` and there is no other dirt.
    pub(crate) fn common_unfixed(&self, (class, index): (Class, usize), mask: u32) -> Option<u64> {
        if self.dirt(class, index) != UNFIXED {
            return None;
        }
        let shades = self.kept_shades(class, index);
        let common = shades[mask.trailing_zeros() as usize % LANES].unfixed;
        let differ = lanes(mask).fold(0, |all, lane| all | shades[lane].unfixed ^ common);
        (differ == 0).then_some(common & all_bits(class))
    }

    /// What is kept as the shadow of each lane, which counts if the dirt byte says so.
    #[inline]
    fn kept_shades(&self, class: Class, index: usize) -> &[Shade; LANES] {
        match class {
            Class::Narrow => &self.narrow_shade[index],
            Class::Wide => &self.wide_shade[index],
            Class::Predicate => &self.predicate_shade[index],
        }
    }

    /// Sets the shadow of a lane.
    pub(crate) fn set_shade(&mut self, class: Class, index: usize, lane: usize, value: Shade) {
        let (dirt, shade) = self.shadow(class, index);
        if *dirt == 0 {
            if value.is_clean() {
                return;
            }
            *shade = [Shade::CLEAN; LANES];
        }
        write_out(dirt, shade);
        shade[lane] = value;
        *dirt |= value.dirt();
    }

    /// Writes the shadow of every lane of a register, where so far only the dirt byte says what it is.
    pub(crate) fn write_out(&mut self, class: Class, index: usize) {
        match self.shadow(class, index) {
            (0, shade) => *shade = [Shade::CLEAN; LANES],
            (dirt, shade) => write_out(dirt, shade),
        }
    }

    /// Sets the shadow of one lane and returns the dirt of that shadow. Call [`Registers::write_out`] before the first lane, and
    /// [`Registers::set_dirt`] after the last.
    #[inline]
    pub(crate) fn put_shade(&mut self, class: Class, index: usize, lane: usize, value: Shade) -> u8 {
        self.shadow(class, index).1[lane] = value;
        value.dirt()
    }

    /// Sets the dirt of a register after its lanes of `mask` got new shadows. `dirt` is the dirt of these; `dead` lanes do not count.
    pub(crate) fn set_dirt(&mut self, class: Class, index: usize, (mask, dead): (u32, u32), dirt: u8) {
        let (all, shade) = self.shadow(class, index);
        let others = lanes(!(mask | dead)).fold(0, |all, lane| all | shade[lane].dirt());
        *all = dirt | others;
    }

    /// Marks the lanes of `mask` of a register clean. With all lanes this is one store.
    #[inline]
    pub(crate) fn clean(&mut self, class: Class, index: usize, mask: u32) {
        let (dirt, _) = self.shadow(class, index);
        if mask == u32::MAX {
            *dirt = 0;
        } else if *dirt != 0 {
            self.clean_some(class, index, mask);
        }
    }

    /// Looks again which dirt a register has: setting lanes only adds to it. `dead` lanes do not count.
    pub(crate) fn refresh(&mut self, class: Class, index: usize, dead: u32) {
        let (dirt, shade) = self.shadow(class, index);
        if *dirt != 0 && *dirt & UNWRITTEN == 0 {
            *dirt = lanes(!dead).fold(0, |all, lane| all | shade[lane].dirt());
        }
    }

    #[cold]
    fn clean_some(&mut self, class: Class, index: usize, mask: u32) {
        let (dirt, shade) = self.shadow(class, index);
        write_out(dirt, shade);
        let mut left = 0;
        for (lane, shade) in shade.iter_mut().enumerate() {
            if mask >> lane & 1 == 1 {
                *shade = Shade::CLEAN;
            }
            left |= shade.dirt();
        }
        *dirt = left;
    }

    fn shadow(&mut self, class: Class, index: usize) -> (&mut u8, &mut [Shade; LANES]) {
        match class {
            Class::Narrow => (&mut self.narrow_dirt[index], &mut self.narrow_shade[index]),
            Class::Wide => (&mut self.wide_dirt[index], &mut self.wide_shade[index]),
            Class::Predicate => (&mut self.predicate_dirt[index], &mut self.predicate_shade[index]),
        }
    }
}

fn grow_shadow(dirt: &mut Vec<u8>, shade: &mut Vec<[Shade; LANES]>, len: usize) {
    dirt.resize(len.max(dirt.len()), UNDEFINED | UNWRITTEN);
    shade.resize(len.max(shade.len()), [Shade::CLEAN; LANES]);
}

/// Has the shadow say itself that the register was never written, if only the dirt byte says so.
#[inline]
fn write_out(dirt: &mut u8, shade: &mut [Shade; LANES]) {
    if *dirt & UNWRITTEN != 0 {
        *shade = [Shade::UNWRITTEN; LANES];
        *dirt = UNDEFINED;
    }
}

/// Takes over the lanes of `mask`.
#[inline(never)]
pub(crate) fn blend_narrow(destination: &mut Narrow, value: &Narrow, mask: u32) {
    for i in 0..LANES {
        let keep = 0u32.wrapping_sub(mask >> i & 1);
        destination[i] = destination[i] & !keep | value[i] & keep;
    }
}

/// The same of a wide register.
#[inline(never)]
pub(crate) fn blend_wide(destination: &mut Wide, value: &Wide, mask: u32) {
    for i in 0..LANES {
        let keep = 0u64.wrapping_sub(u64::from(mask >> i & 1));
        destination[i] = destination[i] & !keep | value[i] & keep;
    }
}

/// All bits of a register of the class.
pub(crate) fn all_bits(class: Class) -> u64 {
    match class {
        Class::Narrow => 0xFFFF_FFFF,
        Class::Wide => u64::MAX,
        Class::Predicate => 1,
    }
}

/// The lanes of a mask, lowest first.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros();
        (left != 0).then(|| {
            left &= left - 1;
            lane as usize
        })
    })
}

/// The lanes of a mask that satisfy a predicate, as a mask.
pub(crate) fn lanes_where(mask: u32, holds: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).filter(|lane| holds(*lane)).fold(0, |all, lane| all | 1 << lane)
}

/// Set in an operand index of a constant, rather than of a register of the frame.
pub(crate) const CONSTANT: u32 = 1 << 31;

/// Number of registers of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileSizes {
    pub(crate) narrow: u32,
    pub(crate) wide: u32,
    pub(crate) predicates: u32,
}

impl FileSizes {
    /// Bytes of these registers in a warp, with their shadows in a tracked run.
    pub(crate) fn bytes(self, tracked: bool) -> u64 {
        let shadow = if tracked { 1 + size_of::<[Shade; LANES]>() } else { 0 };
        let of = |count: u32, value: usize| u64::from(count) * (value + shadow) as u64;
        of(self.narrow, size_of::<Narrow>()) + of(self.wide, size_of::<Wide>()) + of(self.predicates, 4)
    }

    /// Room for either.
    #[must_use]
    pub(crate) fn largest(self, other: FileSizes) -> FileSizes {
        self.joined(other, u32::max)
    }

    /// The sum of both sizes.
    #[must_use]
    pub(crate) fn plus(self, other: FileSizes) -> FileSizes {
        self.joined(other, |a, b| a + b)
    }

    fn joined(self, other: FileSizes, of: fn(u32, u32) -> u32) -> FileSizes {
        let (narrow, wide) = (of(self.narrow, other.narrow), of(self.wide, other.wide));
        FileSizes { narrow, wide, predicates: of(self.predicates, other.predicates) }
    }
}

/// Turns operand indices into rows: constants come first, frames are stacked above them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    /// The rows at which the current frame begins.
    pub(crate) bases: FileSizes,
}

/// Row of an operand whose frame begins at `base`.
#[inline(always)]
fn row(index: u32, base: u32) -> usize {
    (if index & CONSTANT != 0 { index & !CONSTANT } else { index + base }) as usize
}

impl Rows {
    /// Row of a narrow operand.
    #[inline(always)]
    pub(crate) fn n(&self, index: u32) -> usize {
        row(index, self.bases.narrow)
    }

    /// Row of a wide operand.
    #[inline(always)]
    pub(crate) fn w(&self, index: u32) -> usize {
        row(index, self.bases.wide)
    }

    /// Row of a predicate operand.
    #[inline(always)]
    pub(crate) fn p(&self, index: u32) -> usize {
        row(index, self.bases.predicates)
    }

    /// Row of any operand.
    #[inline(always)]
    pub(crate) fn row(&self, slot: Slot) -> usize {
        match slot.class {
            Class::Narrow => self.n(slot.index),
            Class::Wide => self.w(slot.index),
            Class::Predicate => self.p(slot.index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNDEFINED_WORD: Shade = Shade { undefined: 0xFFFF_FFFF, ..Shade::CLEAN };

    fn undefined_lanes(registers: &Registers) -> u32 {
        lanes_where(u32::MAX, |lane| registers.shade(Class::Narrow, 0, lane) == UNDEFINED_WORD)
    }

    fn one_register() -> Registers {
        let mut registers = Registers::default();
        registers.grow(1, 0, 0, true);
        registers
    }

    #[test]
    fn a_register_never_written_is_undefined_and_stays_so_in_the_other_lanes() {
        let mut registers = one_register();
        assert_eq!(undefined_lanes(&registers), u32::MAX);
        registers.set_shade(Class::Narrow, 0, 3, Shade::CLEAN);
        assert_eq!(undefined_lanes(&registers), !(1 << 3));
        let mut registers = one_register();
        registers.clean(Class::Narrow, 0, 0xFF);
        assert_eq!(undefined_lanes(&registers), !0xFF);
        registers.clean(Class::Narrow, 0, u32::MAX);
        assert_eq!(undefined_lanes(&registers), 0);
    }

    /// A shadow that no dirt byte requires holds anything: here what was there before the register was cleaned.
    #[test]
    fn what_is_forgotten_of_a_clean_register_leaves_the_other_lanes_clean() {
        let mut registers = one_register();
        registers.set_shade(Class::Narrow, 0, 9, Shade { unordered: 1, ..Shade::CLEAN });
        registers.clean(Class::Narrow, 0, u32::MAX);
        registers.forget(Class::Narrow, 0, 0b11);
        assert_eq!(undefined_lanes(&registers), 0b11);
        assert_eq!(registers.shade(Class::Narrow, 0, 9), Shade::CLEAN);
        registers.forget(Class::Narrow, 0, u32::MAX);
        assert_eq!(undefined_lanes(&registers), u32::MAX);
    }

    #[test]
    fn room_that_is_used_again_holds_nothing_of_before() {
        let mut registers = one_register();
        registers.set(Class::Narrow, 0, 7, 5);
        registers.set_shade(Class::Narrow, 0, 7, Shade { unfixed: 1, ..Shade::CLEAN });
        registers.clear();
        registers.grow(1, 0, 0, true);
        assert_eq!((registers.get(Class::Narrow, 0, 7), undefined_lanes(&registers)), (0, u32::MAX));
        registers.clear();
        registers.grow(1, 0, 0, false);
        assert!(registers.narrow_dirt.is_empty(), "an untracked run has no shadow");
    }
}

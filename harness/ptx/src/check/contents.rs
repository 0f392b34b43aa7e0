//! The bytes that the values of an initialiser make: by the text, and as the assembler emits them.

use std::ops::Range;

use crate::checked::{Image, Relocation, Variable};
use crate::vocabulary::Type;

/// A walk through nested lists: which element comes next at every level that is open.
pub(super) struct Walk {
    /// Extent of every level, the vector included; 0 for a first one left out.
    extents: Vec<u64>,
    /// Bytes from one element of a level to the next.
    strides: Vec<u64>,
    /// Whether the last level is a vector, whose elements must all be there.
    vector: bool,
    /// Index of the next element, outermost first.
    next: Vec<u64>,
    /// Values so far.
    values: u64,
    /// Bytes of an element.
    size: u64,
}

impl Walk {
    /// At the start of a variable.
    pub(super) fn of(variable: &Variable) -> Self {
        let mut extents = variable.dimensions.clone();
        if variable.vector > 1 {
            extents.push(u64::from(variable.vector));
        }
        // As observed: the two halves of an element are a level of their own.
        if variable.ty == Type::F16x2 {
            extents.push(2);
        }
        let mut strides = vec![0; extents.len()];
        let mut stride = u64::from(variable.ty.size());
        for (level, extent) in extents.iter().enumerate().rev() {
            strides[level] = stride;
            stride = stride.saturating_mul((*extent).max(1));
        }
        Self {
            extents,
            strides,
            vector: variable.vector > 1,
            next: Vec::new(),
            values: 0,
            size: u64::from(variable.ty.size()),
        }
    }

    /// Byte offset of the next element by the text: "as in C", lists that are cut short leave a gap.
    pub(super) fn offset(&self) -> u64 {
        self.next
            .iter()
            .zip(&self.strides)
            .fold(0, |sum, (index, stride)| sum.saturating_add(index.saturating_mul(*stride)))
    }

    /// Byte offset of the next value as the assembler emits it: behind the one before.
    pub(super) fn packed_offset(&self) -> u64 {
        self.values.saturating_mul(self.size)
    }

    /// Whether another element fits at the innermost open level.
    pub(super) fn has_room(&self) -> bool {
        match (self.next.last(), self.extents.get(self.next.len().wrapping_sub(1))) {
            (Some(index), Some(extent)) => index < extent || *extent == 0 && self.next.len() == 1,
            _ => true,
        }
    }

    /// Whether values stand here, and not lists.
    pub(super) fn is_innermost(&self) -> bool {
        self.next.len() == self.extents.len()
    }

    /// Whether what stands here is the value of a vector as a whole.
    pub(super) fn stands_for_vector(&self) -> bool {
        self.vector && self.next.is_empty() && self.extents.len() == 1
    }

    /// Whether so many elements are too few for the list that has just ended.
    pub(super) fn lacks_components(&self, elements: u64) -> bool {
        self.vector && self.extents.last() != Some(&elements)
    }

    /// Into a list.
    pub(super) fn open(&mut self) {
        self.next.push(0);
    }

    /// Out of a list; how many elements it has.
    pub(super) fn close(&mut self) -> u64 {
        let elements = self.next.pop().unwrap_or(0);
        self.advance();
        elements
    }

    /// On to the next element, after a value.
    pub(super) fn advance_value(&mut self) {
        self.values += 1;
        self.advance();
    }

    /// On to the next element.
    pub(super) fn advance(&mut self) {
        if let Some(index) = self.next.last_mut() {
            *index += 1;
        }
    }
}

/// A number as an element.
pub(super) struct Number {
    /// Its low eight bytes; what lies above is zero.
    pub(super) bits: u64,
    /// Those by the text, where the assembler makes another number of it.
    pub(super) specified: Option<u64>,
    /// The bytes of which the text does not say what they are.
    pub(super) open: Range<u64>,
    /// The bytes that the assembler leaves to chance.
    pub(super) by_chance: Range<u64>,
}

impl Number {
    /// One whose bytes are known to all.
    pub(super) fn known(bits: u64) -> Self {
        Self { bits, specified: None, open: 0..0, by_chance: 0..0 }
    }
}

/// What a variable holds at first.
#[derive(Default)]
pub(super) struct Contents {
    /// By the text.
    specified: Image,
    /// As emitted, from the first element on that differs.
    emitted: Option<Image>,
}

impl Contents {
    /// From here on the assembler goes its own way; whether it did not before.
    pub(super) fn part(&mut self, walk: &Walk) -> bool {
        let first = self.emitted.is_none();
        let (specified, end) = (&self.specified, walk.packed_offset() as usize);
        self.emitted.get_or_insert_with(|| {
            let mut emitted = specified.clone();
            emitted.bytes.resize(end, 0);
            emitted
        });
        first
    }

    /// A number as the next element.
    pub(super) fn put(&mut self, walk: &Walk, number: Number) {
        let Number { bits, specified, open, by_chance } = number;
        if open != by_chance || specified.is_some() {
            self.part(walk);
        }
        write(&mut self.specified, walk.offset(), walk.size, specified.unwrap_or(bits), open);
        if let Some(emitted) = &mut self.emitted {
            write(emitted, walk.packed_offset(), walk.size, bits, by_chance);
        }
    }

    /// An address as the next element; `forbidden` if the text has no such address.
    pub(super) fn relocate(&mut self, walk: &Walk, relocation: Relocation, forbidden: bool) {
        let open = if forbidden || !relocation.fits { 0..walk.size } else { 0..0 };
        write(&mut self.specified, walk.offset(), walk.size, 0, open);
        self.specified.relocations.push(Relocation { offset: walk.offset(), ..relocation.clone() });
        if let Some(emitted) = &mut self.emitted {
            write(emitted, walk.packed_offset(), walk.size, 0, 0..0);
            emitted.relocations.push(Relocation { offset: walk.packed_offset(), ..relocation });
        }
    }

    /// An element of which the text says nothing and for which the assembler emits nothing.
    pub(super) fn leave_open(&mut self, walk: &Walk) {
        let any = self.specified.any;
        write(&mut self.specified, walk.offset(), walk.size, 0, 0..walk.size);
        self.specified.any = any;
    }

    /// Hands the contents to their variable, whose size is known by now.
    pub(super) fn give(self, variable: &mut Variable) {
        let size = variable.size;
        let cut = |mut image: Image| {
            image.bytes.resize(size as usize, 0);
            image.relocations.retain(|relocation| relocation.offset < size);
            image.undefined.retain(|range| range.start < size);
            image
        };
        let specified = cut(self.specified);
        variable.valued = specified.any;
        variable.emitted = self.emitted.map(|image| Box::new(cut(image)));
        variable.undefined = specified.undefined;
        // The text has no such initial value.
        if variable.ty == Type::F16x2 {
            variable.undefined.clear();
            variable.undefined.push(0..size);
        }
        variable.initial = specified.bytes;
        variable.relocations = specified.relocations;
    }
}

/// Writes an element of `size` bytes; `open` are those of its bytes that are not known.
fn write(image: &mut Image, offset: u64, size: u64, bits: u64, open: Range<u64>) {
    let (start, width) = (offset as usize, size as usize);
    if image.bytes.len() < start + width {
        image.bytes.resize(start + width, 0);
    }
    let bytes = u128::from(bits).to_le_bytes();
    image.bytes[start..start + width].copy_from_slice(&bytes[..width]);
    image.any = true;
    if !open.is_empty() {
        image.undefined.push(offset + open.start..offset + open.end);
    }
}

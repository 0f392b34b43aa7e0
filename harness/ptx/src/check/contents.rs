//! How the values of an initialiser become bytes: by the specification, and as the assembler emits them.

use std::ops::Range;

use crate::checked::{Image, Relocation, Variable};
use crate::vocabulary::Type;

/// A walk through nested lists; it holds the index of the next element at each open level.
pub(super) struct Walk {
    /// Extent of every level, the vector included; 0 for an omitted first dimension.
    extents: Vec<u64>,
    /// Bytes from one element of a level to the next.
    strides: Vec<u64>,
    /// Whether the last level is a vector, which must have all its elements.
    vector: bool,
    /// Index of the next element, outermost first.
    next: Vec<u64>,
    /// Values so far.
    values: u64,
    /// Bytes of an element.
    size: u64,
}

impl Walk {
    /// A walk at the start of a variable.
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

    /// Byte offset of the next element by the specification: "as in C", a list that is too short leaves a gap.
    pub(super) fn offset(&self) -> u64 {
        self.next
            .iter()
            .zip(&self.strides)
            .fold(0, |sum, (index, stride)| sum.saturating_add(index.saturating_mul(*stride)))
    }

    /// Byte offset of the next value as the assembler emits it: directly after the previous value.
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

    /// Whether this level holds values rather than lists.
    pub(super) fn is_innermost(&self) -> bool {
        self.next.len() == self.extents.len()
    }

    /// Whether a value here initialises a whole vector.
    pub(super) fn stands_for_vector(&self) -> bool {
        self.vector && self.next.is_empty() && self.extents.len() == 1
    }

    /// Whether a list that has just ended with `elements` elements is too short.
    pub(super) fn lacks_components(&self, elements: u64) -> bool {
        self.vector && self.extents.last() != Some(&elements)
    }

    /// Enters a list.
    pub(super) fn open(&mut self) {
        self.next.push(0);
    }

    /// Leaves a list and returns its number of elements.
    pub(super) fn close(&mut self) -> u64 {
        let elements = self.next.pop().unwrap_or(0);
        self.advance();
        elements
    }

    /// Moves to the next element, after a value.
    pub(super) fn advance_value(&mut self) {
        self.values += 1;
        self.advance();
    }

    /// Moves to the next element.
    pub(super) fn advance(&mut self) {
        if let Some(index) = self.next.last_mut() {
            *index += 1;
        }
    }
}

/// A number as an element.
pub(super) struct Number {
    /// Low eight bytes; the higher bytes are zero.
    pub(super) bits: u64,
    /// The bits by the specification, where the assembler emits other ones.
    pub(super) specified: Option<u64>,
    /// Bytes that the specification leaves undefined.
    pub(super) open: Range<u64>,
    /// Bytes that the assembler leaves indeterminate.
    pub(super) by_chance: Range<u64>,
}

impl Number {
    /// A number with every byte defined.
    pub(super) fn known(bits: u64) -> Self {
        Self { bits, specified: None, open: 0..0, by_chance: 0..0 }
    }
}

/// The initial contents of a variable.
#[derive(Default)]
pub(super) struct Contents {
    /// By the specification.
    specified: Image,
    /// As emitted by the assembler, from the first different element on.
    emitted: Option<Image>,
}

impl Contents {
    /// Starts a separate image for the assembler; returns whether there was none before.
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

    /// Puts an address as the next element; `forbidden` if the specification allows no such address.
    pub(super) fn relocate(&mut self, walk: &Walk, relocation: Relocation, forbidden: bool) {
        let open = if forbidden || !relocation.fits { 0..walk.size } else { 0..0 };
        write(&mut self.specified, walk.offset(), walk.size, 0, open);
        self.specified.relocations.push(Relocation { offset: walk.offset(), ..relocation.clone() });
        if let Some(emitted) = &mut self.emitted {
            write(emitted, walk.packed_offset(), walk.size, 0, 0..0);
            emitted.relocations.push(Relocation { offset: walk.packed_offset(), ..relocation });
        }
    }

    /// Skips an element that the specification leaves undefined and the assembler does not emit.
    pub(super) fn leave_open(&mut self, walk: &Walk) {
        let any = self.specified.any;
        write(&mut self.specified, walk.offset(), walk.size, 0, 0..walk.size);
        self.specified.any = any;
    }

    /// Moves the contents into their variable, whose size is now known.
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

/// Writes an element of `size` bytes; `open` is the range of its undefined bytes.
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

//! A difference as people compare it: a whole column of a row, or a whole element of a buffer, surface or variable, with its place.

use warpdiff_corpus::bytes::number;
use warpdiff_corpus::elements::Texel;
use warpdiff_corpus::plan::{Column, Location, PlannedLaunch, Row};
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Allowed, Mismatch, RegionKind, State, place_in_words};

use crate::mismatch_class::{row_of, surface_named};
use crate::site::Site;

/// One run of differing bytes, or one problem of the launch as a whole.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The row of the case.
    pub row: Option<Row>,
    /// The output column it begins in.
    pub column: Option<Column>,
    /// The element it is, outside of output columns.
    pub element: Option<DifferingElement>,
    /// Kind and name of the region, for a difference in memory.
    pub region: Option<(RegionKind, String)>,
    /// Byte offset in the region.
    pub offset: usize,
    /// The allowed bytes.
    pub expected: Vec<u8>,
    /// The mask of the allowed bytes' defined bits.
    pub defined: Vec<u8>,
    /// The observed bytes.
    pub observed: Vec<u8>,
    /// The difference in words.
    pub detail: String,
    /// "x = 16, y = 2 of `image` (2d, 16 bytes x 3 rows)", for a surface access.
    pub coordinates: Option<String>,
}

impl Difference {
    /// The place of the row in the corpus.
    pub fn location(&self) -> Option<Location> {
        self.row.as_ref().map(Row::location)
    }
}

/// An element of a buffer, surface or variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingElement {
    /// Its index; elements of a surface are channels.
    pub index: usize,
    /// Its type: `f32`, or of a channel `unorm8`.
    pub ty: &'static str,
    /// Where it lies in a surface.
    pub texel: Option<Texel>,
    /// Where the case states its value, if it does: `cases/a.txt:12:3`.
    pub stated_at: Option<String>,
}

impl DifferingElement {
    /// In words: `element 14`, with its texel where it has one.
    pub fn words(&self) -> String {
        match &self.texel {
            Some(texel) => format!("element {} at {}", self.index, texel.words()),
            None => format!("element {}", self.index),
        }
    }
}

impl Difference {
    /// Bytes of this difference as a number of its type, floating-point numbers with their bits: `1.5 (0x3fc00000)`. `None` where they are no
    /// whole value, or their type is not known.
    pub fn number(&self, bytes: &[u8]) -> Option<String> {
        match (&self.column, &self.element) {
            (Some(column), _) if bytes.len() == column.size as usize => number(bytes, &column.ty),
            (None, Some(element)) => number(bytes, element.ty),
            _ => None,
        }
    }

    /// The expected value as a number, if all of its bits are compared.
    pub fn expected_number(&self) -> Option<String> {
        self.defined.iter().all(|mask| *mask == 0xFF).then(|| self.number(&self.expected)).flatten()
    }

    /// The observed value as a number.
    pub fn observed_number(&self) -> Option<String> {
        self.number(&self.observed)
    }
}

/// The mismatches as a person compares them: outputs as whole columns, with the rows and their coordinates.
pub(crate) fn differences(
    planned: &PlannedLaunch,
    states: Option<(&MaskedState, &State)>,
    mismatches: &[Mismatch],
    site: Option<&Site>,
) -> Vec<Difference> {
    let mut differences: Vec<Difference> = Vec::new();
    for mismatch in mismatches {
        let fresh = in_fields(planned, states, mismatch);
        // Two runs of bytes in one column or element are one difference of it.
        for field in fresh {
            let found = difference(planned, field, site);
            let same = |d: &Difference| {
                (d.column.is_some() || d.element.is_some())
                    && (d.offset, &d.region) == (found.offset, &found.region)
            };
            if !differences.iter().any(same) {
                differences.push(found);
            }
        }
        if differences.len() >= Allowed::MISMATCH_LIMIT {
            break;
        }
    }
    differences.truncate(Allowed::MISMATCH_LIMIT);
    differences
}

/// A mismatch of one column or element, or as it is.
struct FieldMismatch {
    column: Option<Column>,
    element: Option<DifferingElement>,
    mismatch: Mismatch,
}

fn difference(planned: &PlannedLaunch, field: FieldMismatch, site: Option<&Site>) -> Difference {
    let FieldMismatch { column, element, mismatch } = field;
    let row = row_of(planned, &mismatch);
    let coordinates = site.and_then(|site| coordinates(planned, site, row));
    Difference {
        column,
        element,
        row: row.map(|row| Row::new(row.index, planned.inputs_with_bits(row), row.location())),
        region: mismatch.region,
        offset: mismatch.offset,
        expected: mismatch.expected,
        defined: mismatch.defined,
        observed: mismatch.observed,
        detail: mismatch.detail,
        coordinates,
    }
}

/// The region that holds the outputs of a table.
const OUTPUTS: (RegionKind, &str) = (RegionKind::Buffer, PlannedLaunch::OUTPUTS);

/// A mismatch widened to whole columns or elements, because people compare values and not single bytes.
fn in_fields(
    planned: &PlannedLaunch,
    states: Option<(&MaskedState, &State)>,
    mismatch: &Mismatch,
) -> Vec<FieldMismatch> {
    let found = match &mismatch.region {
        Some((kind, name)) if !mismatch.expected.is_empty() => {
            let contents = Contents::of(states, *kind, name, mismatch);
            match (*kind, name.as_str()) == OUTPUTS {
                true => in_columns(planned, &contents, mismatch),
                false => in_elements(planned, &contents, *kind, name, mismatch),
            }
        }
        _ => Vec::new(),
    };
    if found.is_empty() {
        return vec![FieldMismatch { column: None, element: None, mismatch: mismatch.clone() }];
    }
    found
}

/// The bytes around a mismatch: of the region where both states are known, else its own.
struct Contents<'a> {
    expected: &'a [u8],
    defined: &'a [u8],
    /// Bits that are not compared although they are defined.
    unordered: &'a [u8],
    observed: &'a [u8],
    /// Where they begin in the region.
    begin: usize,
}

impl<'a> Contents<'a> {
    fn of(
        states: Option<(&'a MaskedState, &'a State)>,
        kind: RegionKind,
        name: &str,
        mismatch: &'a Mismatch,
    ) -> Self {
        let both = states.and_then(|(allowed, observed)| {
            let masked = allowed.regions.iter().find(|r| r.region.kind == kind && r.region.name == name)?;
            Some((masked, &observed.region(kind, name)?.bytes))
        });
        match both {
            Some((masked, observed)) => Self {
                expected: &masked.region.bytes,
                defined: &masked.defined,
                unordered: &masked.unordered,
                observed,
                begin: 0,
            },
            None => Self {
                expected: &mismatch.expected,
                defined: &mismatch.defined,
                unordered: &[],
                observed: &mismatch.observed,
                begin: mismatch.offset,
            },
        }
    }

    /// The mismatch with these bytes of the region in place of its own.
    fn widened(&self, mismatch: &Mismatch, start: usize, size: usize) -> Option<Mismatch> {
        let begin = start.checked_sub(self.begin)?;
        let range = begin..begin + size;
        let unordered =
            self.unordered.get(range.clone()).unwrap_or_default().iter().chain(std::iter::repeat(&0));
        Some(Mismatch {
            offset: start,
            expected: self.expected.get(range.clone())?.to_vec(),
            defined: self.defined.get(range.clone())?.iter().zip(unordered).map(|(d, u)| d & !u).collect(),
            observed: self.observed.get(range)?.to_vec(),
            ..mismatch.clone()
        })
    }
}

/// The columns that a mismatch in the outputs of a table touches.
fn in_columns(planned: &PlannedLaunch, contents: &Contents<'_>, mismatch: &Mismatch) -> Vec<FieldMismatch> {
    let record = planned.record();
    if record == 0 {
        return Vec::new();
    }
    let row = mismatch.offset / record * record;
    let run = mismatch.offset - row..mismatch.offset - row + mismatch.expected.len();
    let touched = planned.columns.iter().filter(|c| c.bytes().start < run.end && run.start < c.bytes().end);
    let whole = |column: &Column| {
        let mismatch = contents.widened(mismatch, row + column.offset as usize, column.size as usize)?;
        Some(FieldMismatch { column: Some(column.clone()), element: None, mismatch })
    };
    touched.filter_map(whole).collect()
}

/// The first elements that a mismatch touches.
fn in_elements(
    planned: &PlannedLaunch,
    contents: &Contents<'_>,
    kind: RegionKind,
    name: &str,
    mismatch: &Mismatch,
) -> Vec<FieldMismatch> {
    let Some(elements) = planned.elements(kind, name) else { return Vec::new() };
    let end = mismatch.offset + mismatch.expected.len();
    let touched = mismatch.offset / elements.size..end.div_ceil(elements.size);
    let whole = |index: usize| {
        let mut whole = contents.widened(mismatch, index * elements.size, elements.size)?;
        // What is compared as a whole, by its documented bound, is defined in the mismatch alone.
        for (place, mask) in whole.defined.iter_mut().enumerate() {
            let own = (whole.offset + place).checked_sub(mismatch.offset);
            *mask |= own.and_then(|own| mismatch.defined.get(own)).copied().unwrap_or(0);
        }
        let element = DifferingElement {
            index,
            ty: elements.ty,
            texel: elements.texel(index),
            stated_at: planned.stated_at(kind, name, index, elements.size),
        };
        Some(FieldMismatch { column: None, element: Some(element), mismatch: whole })
    };
    touched.take(Allowed::MISMATCH_LIMIT).filter_map(whole).collect()
}

/// The coordinates of a surface access in a row, with the surface they point into.
fn coordinates(planned: &PlannedLaunch, site: &Site, row: Option<&Row>) -> Option<String> {
    let target = site.target.as_ref()?;
    let surface = surface_named(planned, &target.surface)?;
    let values = target.values(surface.geometry, row);
    if values.is_empty() {
        return None;
    }
    let [_, height, depth] = surface.extent;
    let shape = surface.geometry.size_in_words(surface.row_size(), [height, depth], surface.layers);
    Some(format!("{} of `{}` ({shape})", place_in_words(values), surface.name))
}

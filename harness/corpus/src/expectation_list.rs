//! All that is expected of a launch, in order. The outputs that rows state, of which a table has hundreds of thousands, take little memory.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::RegionKind;

use crate::byte_strings::{ByteStrings, EcoBytes};
use crate::location::{Location, SourceFile};
use crate::plan::{Expectation, Expected, PlannedLaunch, StatedSubject};
use crate::stated::Stated;

/// Most bytes of an output that is kept in little memory: the largest type has 16.
const LARGEST: usize = 16;
/// The mask of an output all of whose bits are stated.
static ALL_BITS: [u8; LARGEST] = [0xFF; LARGEST];

/// Expectations in their order.
#[derive(Clone, Default)]
pub struct Expectations {
    /// `None` if there are no outputs.
    table: Option<Arc<OutputTable>>,
    outputs: Vec<KeptOutput>,
    /// The values of the outputs, one after the other, each with its mask if that leaves bits out.
    values: Vec<u8>,
    others: Vec<Other>,
}

/// What all outputs of a table have in common.
#[derive(Debug)]
pub(crate) struct OutputTable {
    /// The file that states them.
    pub(crate) file: Arc<SourceFile>,
    /// Bytes from one row of outputs to the next.
    pub(crate) stride: usize,
    /// The columns.
    pub(crate) columns: Vec<OutputColumn>,
    /// The name of the buffer of outputs.
    buffer: Arc<str>,
}

/// A column of outputs.
#[derive(Debug)]
pub(crate) struct OutputColumn {
    /// Its name.
    pub(crate) name: Arc<str>,
    /// The place of its first byte in a row.
    pub(crate) offset: usize,
    /// Its size in bytes.
    pub(crate) size: usize,
}

impl OutputTable {
    /// A table of these columns.
    pub(crate) fn new(file: &Arc<SourceFile>, stride: usize, columns: Vec<OutputColumn>) -> Self {
        Self { file: Arc::clone(file), stride, columns, buffer: PlannedLaunch::OUTPUTS.into() }
    }
}

/// What a row states of one of its outputs.
#[derive(Clone, Copy, Debug)]
struct KeptOutput {
    /// The position of the row in its launch.
    position: u32,
    /// The index of the row in its case.
    index: u32,
    /// Where it begins in its file, and how many bytes it has there.
    start: u32,
    length: u16,
    column: u8,
    what: KeptWhat,
}

#[derive(Clone, Copy, Debug)]
enum KeptWhat {
    /// A value, all of whose bits are stated.
    Value,
    /// A value and the mask of its stated bits.
    MaskedValue,
    Undefined,
    Nan,
}

impl KeptOutput {
    /// `None` if one of the numbers is too large for the little memory that this takes.
    fn new(
        (position, index): (usize, usize),
        column: usize,
        place: &Range<usize>,
        what: KeptWhat,
    ) -> Option<Self> {
        Some(Self {
            position: position.try_into().ok()?,
            index: index.try_into().ok()?,
            start: place.start.try_into().ok()?,
            length: place.len().try_into().ok()?,
            column: column.try_into().ok()?,
            what,
        })
    }

    /// Its range of the file.
    fn place(&self) -> Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.length)
    }
}

/// Any other expectation.
#[derive(Clone, Debug)]
struct Other {
    /// The number of outputs before it.
    before: usize,
    expectation: Expectation,
}

/// An expectation in a list.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    /// What a row states of an output.
    Output(StatedOutput<'a>),
    /// Any other.
    Other(&'a Expectation),
}

/// What a row states of an output.
#[derive(Clone, Copy, Debug)]
pub struct StatedOutput<'a> {
    table: &'a OutputTable,
    kept: KeptOutput,
    value: &'a [u8],
}

impl Expectations {
    /// A list to which outputs of this table can be added.
    pub(crate) fn of_table(table: Arc<OutputTable>) -> Self {
        Self { table: Some(table), ..Self::default() }
    }

    /// Makes room for so many outputs of `bytes` bytes together.
    pub(crate) fn reserve(&mut self, outputs: usize, bytes: usize) {
        self.outputs.reserve(outputs);
        self.values.reserve(bytes);
    }

    /// Gives back the room that is not used.
    pub(crate) fn shrink(&mut self) {
        self.outputs.shrink_to_fit();
        self.values.shrink_to_fit();
        self.others.shrink_to_fit();
    }

    /// Adds what the row with this position and index states of an output, at this range of the table's file.
    pub(crate) fn push_output(
        &mut self,
        (position, index): (usize, usize),
        column: usize,
        range: &Range<usize>,
        stated: Stated,
    ) {
        let Some(table) = self.table.clone() else { return };
        let size = table.columns[column].size;
        let what = match &stated {
            Stated::Bytes { alternatives, mask, or_undefined: false } if size <= LARGEST => {
                match &**alternatives {
                    [_] if mask.iter().all(|bits| *bits == 0xFF) => Some(KeptWhat::Value),
                    [_] => Some(KeptWhat::MaskedValue),
                    _ => None,
                }
            }
            Stated::Bytes { .. } | Stated::Between(_) => None,
            Stated::Undefined => Some(KeptWhat::Undefined),
            Stated::Nan => Some(KeptWhat::Nan),
        };
        if let Some(kept) = what.and_then(|what| KeptOutput::new((position, index), column, range, what)) {
            if let Stated::Bytes { alternatives, mask, .. } = &stated {
                self.values.extend_from_slice(&alternatives[0]);
                if matches!(kept.what, KeptWhat::MaskedValue) {
                    self.values.extend_from_slice(mask);
                }
            }
            self.outputs.push(kept);
            return;
        }
        let OutputColumn { name: column, offset, .. } = &table.columns[column];
        let location = Location { file: Arc::clone(&table.file), range: range.clone() };
        self.push(Expectation {
            what: stated.expected(RegionKind::Buffer, &table.buffer, position * table.stride + offset, size),
            location,
            subject: StatedSubject::Output { column: Arc::clone(column), row: index },
            row: u32::try_from(position).ok(),
            file: None,
        });
    }

    /// Adds an expectation.
    pub fn push(&mut self, expectation: Expectation) {
        self.others.push(Other { before: self.outputs.len(), expectation });
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.outputs.len() + self.others.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, Expectation>> {
        self.entries().map(|entry| match entry {
            Entry::Output(output) => Cow::Owned(output.expectation()),
            Entry::Other(expectation) => Cow::Borrowed(expectation),
        })
    }

    /// Each of them, outputs as they are kept.
    pub fn entries(&self) -> Entries<'_> {
        Entries { all: self, output: 0, value: 0, other: 0 }
    }

    /// Those that are not about the output of a row alone. All about the ending of a launch are among them.
    pub fn others(&self) -> impl Iterator<Item = &Expectation> {
        self.others.iter().map(|other| &other.expectation)
    }

    /// All in a list of whole expectations.
    pub fn to_vec(&self) -> Vec<Expectation> {
        self.iter().map(Cow::into_owned).collect()
    }

    /// Gives those of each row to one of so many launches: `launch_of` has for each position of a row its launch and its position there. What
    /// is stated of the whole launch holds in each of them.
    pub(crate) fn distributed(
        &self,
        launches: usize,
        launch_of: impl Fn(usize) -> (usize, usize),
    ) -> Vec<Self> {
        let empty = || Self { table: self.table.clone(), ..Self::default() };
        let mut distributed: Vec<Self> = std::iter::repeat_with(empty).take(launches).collect();
        for entry in self.entries() {
            match entry {
                Entry::Output(StatedOutput { kept, value, .. }) => {
                    let (launch, position) = launch_of(kept.position as usize);
                    let position = position as u32;
                    distributed[launch].outputs.push(KeptOutput { position, ..kept });
                    distributed[launch].values.extend_from_slice(value);
                }
                Entry::Other(expectation) => match expectation.row {
                    Some(before) => {
                        let (launch, position) = launch_of(before as usize);
                        let stride = self.table.as_ref().map_or(0, |table| table.stride);
                        let moved = (before as usize * stride, position * stride);
                        let stated = Expectation { row: Some(position as u32), ..expectation.clone() };
                        distributed[launch].push(with_output_at(stated, moved));
                    }
                    None => distributed.iter_mut().for_each(|list| list.push(expectation.clone())),
                },
            }
        }
        distributed
    }
}

/// An expectation of a row whose outputs began at the first of these bytes of their buffer, and begin at the second now.
fn with_output_at(mut expectation: Expectation, (from, to): (usize, usize)) -> Expectation {
    let is_output =
        |region: &RegionKind, name: &str| *region == RegionKind::Buffer && name == PlannedLaunch::OUTPUTS;
    match &mut expectation.what {
        Expected::Bytes { region, name, offset, .. } | Expected::Between { region, name, offset, .. }
            if is_output(region, name) =>
        {
            *offset = *offset - from + to;
        }
        Expected::Undefined { region, name, range } | Expected::Nan { region, name, range }
            if is_output(region, name) =>
        {
            *range = range.start - from + to..range.end - from + to;
        }
        Expected::Bytes { .. } | Expected::Between { .. } => {}
        Expected::Undefined { .. } | Expected::Nan { .. } => {}
        // Only threads that run together can get values in any order, and their launch is not divided.
        Expected::Permutation(_) => {}
        Expected::Fault(_) | Expected::MayFault(_) | Expected::TimedOut => {}
    }
    expectation
}

impl<'a> StatedOutput<'a> {
    /// The place of its first byte in the buffer of outputs.
    pub fn offset(&self) -> usize {
        self.kept.position as usize * self.table.stride + self.column().offset
    }

    /// The bytes that it has, and the mask of those of their bits that are stated; `None` if it is undefined, or a NaN.
    pub fn value(&self) -> Option<(&'a [u8], &'a [u8])> {
        match self.kept.what {
            KeptWhat::Value => Some((self.value, &ALL_BITS[..self.value.len()])),
            KeptWhat::MaskedValue => Some(self.value.split_at(self.value.len() / 2)),
            KeptWhat::Undefined | KeptWhat::Nan => None,
        }
    }

    /// The whole expectation.
    pub fn expectation(&self) -> Expectation {
        let stated = match (self.kept.what, self.value()) {
            (_, Some((value, mask))) => Stated::Bytes {
                alternatives: ByteStrings::from(value),
                mask: EcoBytes::from(mask),
                or_undefined: false,
            },
            (KeptWhat::Nan, None) => Stated::Nan,
            (_, None) => Stated::Undefined,
        };
        let OutputColumn { name, size, .. } = self.column();
        Expectation {
            what: stated.expected(RegionKind::Buffer, &self.table.buffer, self.offset(), *size),
            location: Location { file: Arc::clone(&self.table.file), range: self.kept.place() },
            subject: StatedSubject::Output { column: Arc::clone(name), row: self.kept.index as usize },
            row: Some(self.kept.position),
            file: None,
        }
    }

    fn column(&self) -> &'a OutputColumn {
        &self.table.columns[usize::from(self.kept.column)]
    }
}

/// The entries of a list, one after the other.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    all: &'a Expectations,
    /// The next output.
    output: usize,
    /// The place of its value.
    value: usize,
    /// The next of the others.
    other: usize,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        let Self { all, output, value, other } = self;
        if let Some(next) = all.others.get(*other).filter(|next| next.before == *output) {
            *other += 1;
            return Some(Entry::Other(&next.expectation));
        }
        let kept = *all.outputs.get(*output)?;
        let table = all.table.as_deref()?;
        let size = table.columns[usize::from(kept.column)].size;
        let length = match kept.what {
            KeptWhat::Value => size,
            KeptWhat::MaskedValue => 2 * size,
            KeptWhat::Undefined | KeptWhat::Nan => 0,
        };
        let begin = *value;
        *output += 1;
        *value += length;
        Some(Entry::Output(StatedOutput { table, kept, value: &all.values[begin..begin + length] }))
    }
}

impl Extend<Expectation> for Expectations {
    fn extend<T: IntoIterator<Item = Expectation>>(&mut self, more: T) {
        more.into_iter().for_each(|one| self.push(one));
    }
}

impl FromIterator<Expectation> for Expectations {
    fn from_iter<T: IntoIterator<Item = Expectation>>(all: T) -> Self {
        let mut list = Self::default();
        list.extend(all);
        list
    }
}

impl fmt::Debug for Expectations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Arc<SourceFile> {
        Arc::new(SourceFile::new("a.yaml", "- case: x\n"))
    }

    fn list() -> Expectations {
        let column = |name: &str, offset, size| OutputColumn { name: name.into(), offset, size };
        let columns = vec![column("d", 0, 4), column("e", 4, 2)];
        Expectations::of_table(Arc::new(OutputTable::new(&file(), 8, columns)))
    }

    fn value(alternatives: &[&[u8]], mask: &[u8], or_undefined: bool) -> Stated {
        let alternatives: Vec<Vec<u8>> = alternatives.iter().map(|bytes| bytes.to_vec()).collect();
        Stated::Bytes { alternatives: alternatives.into(), mask: mask.into(), or_undefined }
    }

    fn fault(row: Option<u32>) -> Expectation {
        Expectation {
            what: Expected::Fault(warpdiff_model::FaultClass::SurfaceTrap),
            location: Location { file: file(), range: 0..1 },
            subject: StatedSubject::Other("the fault".into()),
            row,
            file: None,
        }
    }

    /// Of each expectation its subject, its row, and what is expected with its place.
    fn shown(list: &Expectations) -> Vec<String> {
        let what = |expectation: &Expectation| match &expectation.what {
            Expected::Bytes { offset, alternatives, mask, or_undefined, .. } => {
                format!("at {offset} {alternatives:?} of {mask:?}, {or_undefined}")
            }
            Expected::Undefined { range, .. } => format!("undefined {range:?}"),
            Expected::Nan { range, .. } => format!("NaN {range:?}"),
            other => format!("{other:?}"),
        };
        let one = |e: Cow<'_, Expectation>| {
            format!("{} {:?} {:?}: {}", e.subject, e.row, e.location.range, what(&e))
        };
        list.iter().map(one).collect()
    }

    #[test]
    fn every_kind_of_expectation_comes_back_in_its_order() {
        let mut list = list();
        list.push_output((0, 5), 0, &(1..2), value(&[&[1, 2, 3, 4]], &[0xFF; 4], false));
        list.push_output((0, 5), 1, &(3..4), value(&[&[5, 6]], &[0xFF, 0x0F], false));
        list.push(fault(Some(0)));
        list.push_output((1, 9), 0, &(5..6), value(&[&[1; 4], &[2; 4]], &[0xFF; 4], false));
        list.push_output((1, 9), 1, &(7..8), Stated::Undefined);
        list.push_output((2, 10), 1, &(8..9), Stated::Nan);
        list.push_output((2, 10), 0, &(9..10), value(&[&[7; 4]], &[0xFF; 4], true));
        assert_eq!(list.len(), 7);
        assert_eq!(
            shown(&list),
            [
                "output `d` of row 5 Some(0) 1..2: at 0 [[1, 2, 3, 4]] of [255, 255, 255, 255], false",
                "output `e` of row 5 Some(0) 3..4: at 4 [[5, 6]] of [255, 15], false",
                "the fault Some(0) 0..1: Fault(SurfaceTrap)",
                "output `d` of row 9 Some(1) 5..6: at 8 [[1, 1, 1, 1], [2, 2, 2, 2]] of [255, 255, 255, 255], false",
                "output `e` of row 9 Some(1) 7..8: undefined 12..14",
                "output `e` of row 10 Some(2) 8..9: NaN 20..22",
                "output `d` of row 10 Some(2) 9..10: at 16 [[7, 7, 7, 7]] of [255, 255, 255, 255], true",
            ]
        );
        assert_eq!(list.others().count(), 3);
    }

    #[test]
    fn rows_take_their_expectations_to_other_launches() {
        let mut list = list();
        for row in 0..3_u8 {
            let position = usize::from(row);
            list.push_output((position, position), 1, &(0..1), value(&[&[row, row]], &[0xFF; 2], false));
            list.push_output((position, position), 0, &(0..1), value(&[&[row; 4]], &[0xFF; 4], true));
        }
        list.push(fault(None));
        // The rows 0 and 2 become the first two of one launch, row 1 the only one of another.
        let [even, odd] = list.distributed(2, |row| (row % 2, row / 2)).try_into().unwrap();
        assert_eq!(
            shown(&even),
            [
                "output `e` of row 0 Some(0) 0..1: at 4 [[0, 0]] of [255, 255], false",
                "output `d` of row 0 Some(0) 0..1: at 0 [[0, 0, 0, 0]] of [255, 255, 255, 255], true",
                "output `e` of row 2 Some(1) 0..1: at 12 [[2, 2]] of [255, 255], false",
                "output `d` of row 2 Some(1) 0..1: at 8 [[2, 2, 2, 2]] of [255, 255, 255, 255], true",
                "the fault None 0..1: Fault(SurfaceTrap)",
            ]
        );
        assert_eq!(
            shown(&odd),
            [
                "output `e` of row 1 Some(0) 0..1: at 4 [[1, 1]] of [255, 255], false",
                "output `d` of row 1 Some(0) 0..1: at 0 [[1, 1, 1, 1]] of [255, 255, 255, 255], true",
                "the fault None 0..1: Fault(SurfaceTrap)",
            ]
        );
    }
}

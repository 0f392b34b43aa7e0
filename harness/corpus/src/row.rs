//! A row of a table, as reports show it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use ecow::EcoString;

use crate::location::{Location, SourceFile};

/// One row of a table case. A corpus has hundreds of thousands of them, so it is small.
#[derive(Clone, Debug)]
pub struct Row {
    /// Index in the case, from 0.
    pub index: usize,
    /// Its inputs, for reports.
    pub inputs: RowInputs,
    file: Arc<SourceFile>,
    place: SmallRange,
}

impl Row {
    /// The row of that index, and where it stands.
    pub fn new(index: usize, inputs: RowInputs, location: Location) -> Self {
        Self { index, inputs, file: location.file, place: SmallRange::of(&location.range) }
    }

    /// Where it stands.
    pub fn location(&self) -> Location {
        Location { file: Arc::clone(&self.file), range: self.place.bytes() }
    }
}

/// A range of bytes of a corpus file, which has fewer than 4 GiB of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SmallRange {
    start: u32,
    end: u32,
}

impl SmallRange {
    /// The same range. An end beyond 4 GiB becomes that.
    pub(crate) fn of(range: &Range<usize>) -> Self {
        let small = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: small(range.start), end: small(range.end) }
    }

    /// The range.
    pub(crate) fn bytes(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The inputs of a row: its columns, which it shares with other rows, with the values as text.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RowInputs {
    names: Arc<Vec<String>>,
    /// The values in the order of the names, a [`SEPARATOR`] after each. Those of most rows need no memory of their own.
    values: EcoString,
}

/// Stands in no value: those are numbers.
const SEPARATOR: char = '\n';

impl RowInputs {
    /// The values of the columns of these names.
    pub fn new<'v>(names: Arc<Vec<String>>, values: impl IntoIterator<Item = &'v str>) -> Self {
        let mut all = EcoString::new();
        for value in values {
            value.split(SEPARATOR).for_each(|part| all.push_str(part));
            all.push(SEPARATOR);
        }
        Self { names, values: all }
    }

    /// Each column with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names.iter().map(String::as_str).zip(self.values.split_terminator(SEPARATOR))
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The same columns, each with the value that `of` makes of its name and value.
    #[must_use]
    pub fn map(&self, of: impl Fn(&str, &str) -> String) -> Self {
        let values: Vec<String> = self.iter().map(|(name, value)| of(name, value)).collect();
        Self::new(Arc::clone(&self.names), values.iter().map(String::as_str))
    }
}

impl fmt::Debug for RowInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

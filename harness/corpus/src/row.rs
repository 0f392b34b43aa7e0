//! A row of a table, as reports show it.

use std::fmt;
use std::sync::Arc;

use crate::plan::Location;

/// One row of a table case.
#[derive(Clone, Debug)]
pub struct Row {
    /// Index in the case, from 0.
    pub index: usize,
    /// Its inputs, for reports.
    pub inputs: RowInputs,
    /// Where it stands.
    pub location: Location,
}

/// The inputs of a row: its columns, which it shares with other rows, with the values as text.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RowInputs {
    names: Arc<[String]>,
    /// The values in the order of the names, a [`SEPARATOR`] after each.
    values: Box<str>,
}

/// Stands in no value: those are numbers.
const SEPARATOR: char = '\n';

impl RowInputs {
    /// The values of the columns of these names.
    pub fn new<'v>(names: Arc<[String]>, values: impl IntoIterator<Item = &'v str>) -> Self {
        let mut all = String::new();
        for value in values {
            all.extend(value.chars().filter(|c| *c != SEPARATOR));
            all.push(SEPARATOR);
        }
        Self { names, values: all.into() }
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

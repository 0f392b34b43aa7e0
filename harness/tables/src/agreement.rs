//! Counts and differences of the comparison of a table.

/// Result of comparing the entries of a table; a `D` for each difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement<D> {
    /// Entries that were compared.
    pub compared: usize,
    /// Entries that could not be compared.
    pub skipped: usize,
    /// The differences, in the order of the table.
    pub differences: Vec<D>,
}

impl<D> Agreement<D> {
    /// Entries that are the same.
    pub fn same(&self) -> usize {
        self.compared - self.differences.len()
    }
}

impl<D> Default for Agreement<D> {
    fn default() -> Self {
        Self { compared: 0, skipped: 0, differences: Vec::new() }
    }
}

/// Joins the results of the parts of a table, in their order.
impl<D> FromIterator<Agreement<D>> for Agreement<D> {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        parts.into_iter().fold(Self::default(), |mut whole, part| {
            whole.compared += part.compared;
            whole.skipped += part.skipped;
            whole.differences.extend(part.differences);
            whole
        })
    }
}

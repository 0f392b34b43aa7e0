//! How far a table and what is answered now agree.

/// How many entries of a table are as it says; each that is not is a `D`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement<D> {
    /// Entries that were compared.
    pub compared: usize,
    /// Entries that could not be compared.
    pub skipped: usize,
    /// What differs, in the order of the table.
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

/// The agreement of a whole table, from that of its parts in their order.
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

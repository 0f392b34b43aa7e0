//! A deviation as a number.

use std::fmt;

/// A named difference from the specification: a mutant that measures the corpus, a diagnosis that explains a mismatch, or part of the
/// profile of a known target. The families of the catalogue name them: [`Deviation::SuldClampAsZero`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Deviation(pub(super) u16);

impl Deviation {
    /// Its place in the catalogue, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

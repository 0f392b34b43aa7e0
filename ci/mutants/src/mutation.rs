//! What is changed where: mutants, and the places of a text at which they stand.

use std::ops::Range;

/// One small change of a source file.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    /// Its number in the build, from 1.
    pub(crate) number: u32,
    /// The file, from the root of the repository.
    pub(crate) file: String,
    pub(crate) line: usize,
    /// The function, after the type whose it is: `Descriptor::row_size`.
    pub(crate) function: String,
    /// The change in words: `` `a < b` → `a <= b` ``. Changes of one function that read alike have a number behind it: `#2`.
    pub(crate) change: String,
}

impl Mutant {
    /// What names it in a list, whatever its number and line are.
    pub(crate) fn key(&self) -> String {
        format!("{}\t{}\t{}", self.file, self.function, self.change)
    }
}

/// A place of a text, with what mutants put there.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
}

/// How a place asks which mutant is active.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// An expression; mutants have other ones. `is_body` where it stands behind a `=>`, and may be a block without a comma.
    Expression { others: Vec<(u32, String)>, is_body: bool },
    /// A statement that the mutant leaves out.
    Statement { without: u32 },
    /// The guard of an arm; with one mutant it always holds, with the other never.
    Guard { always: u32, never: Option<u32> },
    /// The end of the pattern of an arm that has no guard, and that is never taken with the mutant.
    PatternEnd { never: u32 },
    /// The beginning of a function; the mutants return at once.
    Beginning { returns: Vec<(u32, String)> },
}

impl Kind {
    /// The mutants of the place.
    pub(crate) fn mutants(&self) -> Vec<u32> {
        match self {
            Self::Expression { others: pairs, .. } | Self::Beginning { returns: pairs } => {
                pairs.iter().map(|(mutant, _)| *mutant).collect()
            }
            Self::Statement { without: mutant } | Self::PatternEnd { never: mutant } => vec![*mutant],
            Self::Guard { always, never } => std::iter::once(*always).chain(*never).collect(),
        }
    }
}

//! The trace of a thread, for people ([`text`]) and as data ([`json`]); `words` has the words of both.

pub mod json;
pub mod text;
mod words;

use warpdiff_emulator::trace::Trace;
use warpdiff_judge::parting::{Counts, Parting};

/// What is traced.
pub struct Traced<'a> {
    /// Id of the variant.
    pub case: &'a str,
    /// Number of the launch, from 1, and how many there are.
    pub launch: (usize, usize),
    /// Its kernel.
    pub entry: &'a str,
    /// The row of the case that the thread runs.
    pub row: Option<usize>,
    /// The run of the reference.
    pub ours: &'a Trace,
    /// The other run, with the name of its target.
    pub theirs: Option<Other<'a>>,
}

/// The run that the reference is compared with.
pub struct Other<'a> {
    /// The name of the target.
    pub name: &'a str,
    /// The run.
    pub trace: &'a Trace,
    /// Where both part.
    pub parting: Option<Parting>,
    /// The effects of the reference and of the other.
    pub effects: [Counts; 2],
}

/// Steps before the parting that are printed on each side.
pub const BEFORE: usize = 4;
/// Steps that made the value that differs, of which these are printed.
pub const PRODUCERS: usize = 12;

//! What a target does instead, over a whole run: one diagnosis for each cause.

use warpdiff_judge::finding::{Applied, RefutedBy, RefutedDeviation};
use warpdiff_model::{Choice, Deviation};

use crate::pattern::Pattern;

/// What a target does instead of what the specification says, and in which instructions.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The families of the instructions: `suld.b`. Empty if no instruction is known.
    pub families: Vec<String>,
    /// The variants that are wrong because of them.
    pub wrong: usize,
    /// The variants with such an instruction that are right, and that what is said was held against.
    pub right: usize,
    /// The id of the first wrong variant.
    pub example: String,
    /// What is said.
    pub told: Told,
}

/// What a diagnosis says.
#[derive(Clone, Debug)]
pub enum Told {
    /// What reproduces everything that was observed of the instructions, right or wrong.
    Reproduced(Reproduced),
    /// Nothing known does.
    Unexplained(Unexplained),
}

/// What reproduces everything that was observed.
#[derive(Clone, Debug)]
pub struct Reproduced {
    /// Each of these does, the likeliest first; at least one.
    pub by: Vec<Reproducing>,
    /// Deviations that do so as well, and that claim more of the target than one that is named.
    pub wider: Vec<Deviation>,
    /// Why they were not checked against everything.
    pub unchecked: Option<String>,
    /// Of deviations that a compiler applies in some programs: in how many.
    pub applied: Option<Applied>,
    /// If there are several: the cases that would tell the first from each of the others.
    pub told_apart: Vec<ToldApart>,
}

/// A case that tells two explanations apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldApart {
    /// The deviations that the first explanation is to be told from.
    pub other: Vec<Deviation>,
    /// The id of a variant of the corpus that was not answered in the run, and would decide.
    pub variant: String,
}

/// A set of deviations that together reproduce everything, with the alternatives of choices that they do so with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reproducing {
    /// One deviation, or several that do so only together.
    pub deviations: Vec<Deviation>,
    /// The alternatives that the wrong launches show. Of choices that do not matter there nothing is said.
    pub choices: Vec<(Choice, u8)>,
}

/// What is known where no deviations reproduce everything.
#[derive(Clone, Debug, Default)]
pub struct Unexplained {
    /// The deviation that explains the most, and what refutes it.
    pub nearest: Option<Nearest>,
    /// What the wrong rows have in common, and the right ones have not.
    pub pattern: Option<Pattern>,
}

/// A deviation that explains some of what is wrong.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// The variants that it explains whole.
    pub explains: usize,
    /// The deviation, and one thing that refutes it.
    pub refuted: RefutedDeviation,
    /// The id of the variant that refutes it.
    pub variant: String,
}

impl Nearest {
    /// Where it is refuted, in words: `2 rows of suld/a/b`.
    pub fn refuted_by(&self) -> String {
        let row = self.refuted.example.as_ref().and_then(|example| example.row.as_ref());
        match (&self.refuted.by, row) {
            (RefutedBy::Rows(1), _) => format!("one row of {}", self.variant),
            (RefutedBy::Rows(rows), _) => format!("{rows} rows of {}", self.variant),
            (RefutedBy::Variant { id, .. }, Some(row)) => format!("row {} of {id}", row.index),
            (RefutedBy::Variant { id, .. }, None) => id.clone(),
        }
    }
}

impl Reproducing {
    /// The choices in words: `surface.straddle=bytes`.
    pub fn choices(&self) -> Vec<String> {
        let words = |(choice, alternative): &(Choice, u8)| {
            let info = choice.info();
            let taken = info.alternatives.get(usize::from(*alternative)).copied().unwrap_or("?");
            format!("{}={taken}", info.name)
        };
        self.choices.iter().map(words).collect()
    }
}

impl Diagnosis {
    /// The deviations that are named first: the likeliest cause. Empty if nothing known reproduces everything.
    pub fn first(&self) -> &[Deviation] {
        match &self.told {
            Told::Reproduced(told) => told.by.first().map(|by| by.deviations.as_slice()).unwrap_or_default(),
            Told::Unexplained(_) => &[],
        }
    }
}

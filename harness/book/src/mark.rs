//! The marks of a requirement: what it lacks, so that a reader sees where the corpus is thin.

use warpdiff_corpus::plan::{PlannedLaunch, Variant, Work};
use warpdiff_corpus::{Requirement, RequirementKind};

use crate::witness::Witnessed;

/// What a requirement lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// No case covers it.
    NoCase,
    /// No case that covers it states an expectation by hand.
    NoHandRow,
    /// No deviation breaks it, so that nothing measures whether its cases can fail.
    NoDeviation,
    /// Nothing but our own reading says so.
    NoSecondWitness,
    /// Its witnesses share with the reference what it is about.
    SharedWitness,
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::NoCase, Self::NoHandRow, Self::NoDeviation, Self::NoSecondWitness, Self::SharedWitness];

    /// In two or three words.
    pub fn words(self) -> &'static str {
        match self {
            Self::NoCase => "no case",
            Self::NoHandRow => "no hand row",
            Self::NoDeviation => "no deviation",
            Self::NoSecondWitness => "no second witness",
            Self::SharedWitness => "witness shares code",
        }
    }

    /// What it means, for the legend.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::NoCase => "no case covers the requirement",
            Self::NoHandRow => {
                "no case that covers it states an expectation by hand; the reference alone decides"
            }
            Self::NoDeviation => {
                "no deviation of the catalogue breaks it, so that nothing measures whether its cases can fail; where the text leaves \
                 something open, a choice measures it as well, and what is undefined nothing can break"
            }
            Self::NoSecondWitness => {
                "no implementation or model that is not ours agrees on it: it rests on our own reading"
            }
            Self::SharedWitness => {
                "what agrees on it shares functions with the reference, so that it shows less than the whole"
            }
        }
    }
}

/// What is known of a requirement.
pub(crate) struct Known<'k> {
    pub(crate) requirement: &'k Requirement,
    /// Whether a case covers it.
    pub(crate) covered: bool,
    /// Whether such a case states something by hand.
    pub(crate) stated: bool,
    pub(crate) choices: bool,
    pub(crate) deviations: bool,
    pub(crate) witnesses: &'k [Witnessed],
}

/// The marks of a requirement, none for one that demands nothing or that no program can show.
pub(crate) fn marks(known: &Known<'_>) -> Vec<Mark> {
    let kind = known.requirement.kind;
    if !kind.needs_case() {
        return Vec::new();
    }
    if !known.covered {
        return vec![Mark::NoCase];
    }
    let measured = is_measured(kind, known.deviations, known.choices);
    let mut marks = Vec::new();
    marks.extend((!known.stated).then_some(Mark::NoHandRow));
    marks.extend((!measured).then_some(Mark::NoDeviation));
    if known.witnesses.is_empty() {
        marks.push(Mark::NoSecondWitness);
    } else if known.witnesses.iter().all(|witness| witness.shares.is_some()) {
        marks.push(Mark::SharedWitness);
    }
    marks
}

/// Whether a requirement of this kind has what shows that its cases can fail: a deviation, or a choice where it permits one.
pub fn is_measured(kind: RequirementKind, deviations: bool, choices: bool) -> bool {
    deviations
        || match kind {
            RequirementKind::May => choices,
            RequirementKind::Undefined => true,
            _ => false,
        }
}

/// Whether a variant states an expectation by hand.
pub fn states(variant: &Variant) -> bool {
    let launched = |planned: &PlannedLaunch| !planned.expectations.is_empty() || !planned.logs.is_empty();
    match &variant.work {
        Work::Launches(launches) => launches.iter().any(launched),
        // The reference cannot run it, and targets are judged by what is stated.
        Work::Unsupported(it) => it.launches.iter().any(launched),
        Work::Legality(legality) => {
            !legality.accept.is_empty() || !legality.reject.is_empty() || !legality.bytes.is_empty()
        }
    }
}

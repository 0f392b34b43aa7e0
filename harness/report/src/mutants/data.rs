//! The fates of deviations as data.

use std::collections::BTreeMap;

use serde::Serialize;
use warpdiff_session::mutants::{Fate, Mutant, PassedOver};

/// Version of the format: within it keys are added, never removed or changed in meaning.
pub const FORMAT: u32 = 1;

/// The fate of every deviation that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MutantsDocument {
    /// Version of the format: 1.
    pub format: u32,
    /// Variants of the corpus that were looked at.
    pub variants: usize,
    /// The number of deviations by their fate.
    pub counts: BTreeMap<&'static str, usize>,
    /// The deviations, in the order of the catalogue.
    pub deviations: Vec<MutantDocument>,
}

/// The fate of one deviation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MutantDocument {
    /// Its id.
    pub id: &'static str,
    /// Its family.
    pub family: &'static str,
    /// `killed-by-hand`, `killed-by-reference`, `survived`, `permitted`, `reported-though-permitted` or `not-run`.
    pub fate: &'static str,
    /// The variants that were run with it.
    pub asked: usize,
    /// The id of the variant that decided. Left out if there is none, as are the keys below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The number of the row, from 0. Left out if it is no single row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// The place of the row or the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// What is wrong there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The variants that could not be judged with it, by the reason. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<PassedOverDocument>,
}

/// Variants that could not be judged with a deviation, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassedOverDocument {
    /// `no-reference`, `refused` or `undecided`.
    pub reason: &'static str,
    /// How many.
    pub variants: usize,
    /// The id of the first.
    pub first: String,
    /// What was said of the first.
    pub what: String,
}

impl MutantsDocument {
    /// The fates of these mutants, found among so many variants.
    pub fn new(mutants: &[Mutant], variants: usize) -> Self {
        let mut counts = BTreeMap::new();
        mutants.iter().for_each(|mutant| *counts.entry(mutant.fate().name()).or_default() += 1);
        Self {
            format: FORMAT,
            variants,
            counts,
            deviations: mutants.iter().map(MutantDocument::new).collect(),
        }
    }
}

impl MutantDocument {
    fn new(mutant: &Mutant) -> Self {
        let kill = mutant.kill();
        Self {
            id: mutant.entry.name,
            family: mutant.entry.family,
            fate: mutant.fate().name(),
            asked: mutant.asked,
            variant: kill.map(|kill| kill.variant.clone()),
            row: kill.and_then(|kill| kill.row),
            location: kill.map(|kill| kill.location.clone()),
            what: kill.map(|kill| kill.what.clone()),
            passed_over: mutant
                .passed_over
                .iter()
                .map(|(reason, PassedOver { variants, first, what })| PassedOverDocument {
                    reason: reason.name(),
                    variants: *variants,
                    first: first.clone(),
                    what: what.clone(),
                })
                .collect(),
        }
    }
}

/// The fates in the order in which reports count them, each with its meaning.
pub const FATES: [(Fate, &str); 6] = [
    (Fate::Stated, "a case states what it gets wrong"),
    (Fate::Computed, "only the reference's own computation notices it: no case states what it gets wrong"),
    (Fate::Survived, "no case notices it"),
    (Fate::Reported, "the specification permits it, and a case reports it all the same"),
    (Fate::Permitted, "the specification permits it, and no case reports it"),
    (Fate::NotRun, "it concerns only what an assembler accepts: the emulator cannot be given it"),
];

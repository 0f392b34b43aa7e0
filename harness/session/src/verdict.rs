//! The verdict over a variant: what the reference makes of it, and what each target earns.

use std::collections::BTreeSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use warpdiff_corpus::plan::Variant;
use warpdiff_judge::finding::Finding;
use warpdiff_judge::reference_verdict::ReferenceVerdict;
use warpdiff_judge::verdict_table::{Listed, Raw, Recorded};
use warpdiff_recordings::index::PartDrift;

use crate::kept_observations::KeptObservations;

/// What a target earns on a variant.
#[derive(Clone, Debug)]
pub struct TargetVerdict {
    /// Its status: the worst of its launches.
    pub raw: Raw,
    /// What is wrong, launch by launch.
    pub findings: Vec<Finding>,
    /// Why there is no verdict, where there is none.
    pub why: Option<String>,
    /// Whether it did what is recorded of it: the worst of its launches. `None` where nothing was held against a recording.
    pub recorded: Option<Recorded>,
    /// What differs from the recording, launch by launch.
    pub drifts: Vec<PartDrift>,
    /// Whether the case is in a dialect that the target does not claim: what it did is characterised, not judged.
    pub unclaimed: bool,
    /// What a recording that it is held against has of its launches.
    pub compared: RecordedLaunches,
    /// Of a target that is a recording: what that has of the launches.
    pub replayed: RecordedLaunches,
    /// What a list of known failures says of it.
    pub listed: Option<Listing>,
    /// What it did, until the run is over. `None` where it was not asked, or did too much to be kept.
    pub(crate) kept: Option<KeptObservations>,
}

/// How many launches, or programs put to an assembler, a recording has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecordedLaunches {
    /// It has these.
    pub found: usize,
    /// These it lacks: or it has another launch under their names.
    pub absent: usize,
}

impl RecordedLaunches {
    /// Counts one more.
    pub fn count(&mut self, found: bool) {
        *if found { &mut self.found } else { &mut self.absent } += 1;
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { found: self.found + other.found, absent: self.absent + other.absent }
    }
}

/// The verdict over a variant.
pub struct Verdict<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// Rows of its table, or launches where it has none; 1 for a question of legality.
    pub rows: usize,
    /// What the reference makes of it.
    pub reference: ReferenceVerdict,
    /// What each target earns, in the order they were given.
    pub targets: Vec<TargetVerdict>,
    /// Families of the instructions that its programs have: `suld.b`, `atom.inc`.
    pub instructions: BTreeSet<String>,
    /// How long it took.
    pub elapsed: Duration,
}

impl TargetVerdict {
    /// A verdict with nothing more to say.
    pub fn new(raw: Raw) -> Self {
        Self {
            raw,
            findings: Vec::new(),
            why: None,
            recorded: None,
            drifts: Vec::new(),
            unclaimed: false,
            compared: RecordedLaunches::default(),
            replayed: RecordedLaunches::default(),
            listed: None,
            kept: None,
        }
    }

    /// Of a target that was not asked, and why.
    pub(crate) fn without(why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..Self::new(Raw::NotRun) }
    }
}

/// What a list says of a target on a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entries about it, each with its place and its cause.
    pub entries: Vec<String>,
    /// The first of the target's findings that none of them is about.
    pub uncovered: Option<usize>,
    /// Whether there is something to excuse, and all of it is.
    pub excused: bool,
}

impl Listing {
    /// How a target stands that a list says this of, or nothing.
    pub fn listed(of: Option<&Self>) -> Listed {
        match of {
            None => Listed::No,
            Some(Self { excused: true, .. }) => Listed::Excused,
            Some(Self { excused: false, .. }) => Listed::Otherwise,
        }
    }
}

//! The verdict on a variant: that of the reference, and those of the targets.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warpdiff_corpus::plan::Variant;
use warpdiff_expectations::entry::Entry;
use warpdiff_judge::exit_facts::ExitFacts;
use warpdiff_judge::finding::Finding;
use warpdiff_judge::reference_verdict::ReferenceVerdict;
use warpdiff_judge::surface_access::SurfaceAccess;
use warpdiff_judge::verdict_table::{Listed, Raw, Recorded, Settled};
use warpdiff_recordings::index::PartDrift;
use warpdiff_worker::run_end;

use crate::kept_observations::KeptObservations;
use crate::profiled::Profiled;
use crate::repeated::Repeated;

/// The verdict of a target on a variant.
#[derive(Clone, Debug)]
pub struct TargetVerdict {
    /// Its status: the worst of its launches.
    pub raw: Raw,
    /// The findings, launch by launch.
    pub findings: Vec<Finding>,
    /// Why there is no verdict, or a remark on it.
    pub why: Option<String>,
    /// The comparison with a recording: the worst of its launches. `None` without a recording.
    pub recorded: Option<Recorded>,
    /// The differences from the recording, launch by launch.
    pub drifts: Vec<PartDrift>,
    /// Whether the case is in a dialect that the target does not claim: what it did is characterised, not judged.
    pub unclaimed: bool,
    /// The launches that the compared recording has and lacks.
    pub compared: RecordedLaunches,
    /// The launches that the target has and lacks, if it is a recording.
    pub replayed: RecordedLaunches,
    /// Its launches without a verdict, where others decide the status.
    pub unanswered: Option<Unanswered>,
    /// Whether it came back from none of its launches. That may be what the specification demands, but shows nothing that the target knows.
    pub only_hung: bool,
    /// The expectations that are about it.
    pub listed: Option<Listing>,
    /// What it did, held against the profile of the target. `None` without a profile, or where there is nothing to hold against it.
    pub profiled: Option<Profiled>,
    /// It is wrong where its program shares a module with others, and was right once in a module of its own: no deviation explains that.
    pub(crate) right_alone: bool,
    /// What came of running it again. `None` if it was not to be run again.
    pub repeated: Option<Repeated>,
    /// The answers, until the run is over. Targets that answered the same share them. `None` if there are none, or if they are too
    /// large to keep.
    pub(crate) kept: Option<Arc<KeptObservations>>,
}

/// Launches of a variant without a verdict, beside others that decide its status: a failure that is expected does not stand for launches
/// that nobody judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unanswered {
    /// The worst status of these launches: not run, unsupported or indeterminate.
    pub status: Raw,
    /// The number of these launches.
    pub launches: usize,
    /// Why the first of them has no verdict.
    pub why: String,
}

impl Unanswered {
    /// Adds a launch with this status, or begins with it.
    pub(crate) fn add(this: &mut Option<Self>, status: Raw, why: &str) {
        match this {
            Some(known) => {
                known.status = known.status.max(status);
                known.launches += 1;
            }
            None => *this = Some(Self { status, launches: 1, why: why.into() }),
        }
    }
}

/// The number of launches, and of programs for an assembler, that a recording has and lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedLaunches {
    /// Those that it has.
    pub found: usize,
    /// Those that it lacks, or has in another version.
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
    /// Rows of its table, or launches where it has none; 1 for a case of legality.
    pub rows: usize,
    /// The verdict of the reference.
    pub reference: ReferenceVerdict,
    /// The verdict of each target, in the order given.
    pub targets: Vec<TargetVerdict>,
    /// Families of the instructions that its programs have: `suld.b`, `atom.inc`. Variants with the same families share them.
    pub instructions: Arc<BTreeSet<String>>,
    /// The accesses to surfaces that its programs have.
    pub surface_accesses: Arc<BTreeSet<SurfaceAccess>>,
    /// How long it took.
    pub elapsed: Duration,
}

impl Verdict<'_> {
    /// Whether launches of it have no answer because the run was ended, and the others show nothing wrong.
    pub fn is_cut_short(&self) -> bool {
        let cut = |target: &TargetVerdict| {
            target.raw == Raw::NotRun && target.why.as_deref() == Some(run_end::CUT_SHORT)
        };
        self.targets.iter().any(cut)
    }
}

impl TargetVerdict {
    /// A verdict with nothing but its status.
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
            unanswered: None,
            only_hung: false,
            right_alone: false,
            listed: None,
            profiled: None,
            repeated: None,
            kept: None,
        }
    }

    /// The verdict of a target that was not run, and why.
    pub(crate) fn without(why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..Self::new(Raw::NotRun) }
    }

    /// The verdict of a target that was not run because an entry of `skips` says so.
    pub(crate) fn left_out(entry: &Entry) -> Self {
        let listing =
            Listing { entries: vec![(Bearing::Covers, entry.words())], uncovered: None, how: Listed::Skips };
        Self {
            listed: Some(listing),
            ..Self::without(format!("left out: {} ({})", entry.reason, entry.place()))
        }
    }

    /// The facts by which it counts for the exit code, with this settled status.
    pub fn exit_facts(&self, launched: bool, settled: Settled) -> ExitFacts {
        ExitFacts {
            launched,
            unclaimed: self.unclaimed,
            settled,
            recorded: self.recorded,
            unanswered: self.unanswered.is_some(),
        }
    }

    /// Whether an entry of `skips` left it out.
    pub fn is_left_out(&self) -> bool {
        self.listed.as_ref().is_some_and(|listing| listing.how == Listed::Skips)
    }
}

/// The expectations that are about a target on a variant, and the entries of its profile that show there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entries, each with its place and what it expects, and how it bears on what the target did.
    pub entries: Vec<(Bearing, String)>,
    /// The first finding that no entry covers and the profile does not know.
    pub uncovered: Option<usize>,
    /// How they cover what the target did.
    pub how: Listed,
}

/// How an entry bears on what a target did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bearing {
    /// It covers a failure, or leaves the variant out.
    Covers,
    /// It expects another cause.
    OtherCause,
    /// It expects this cause, and the variant to pass more often.
    TooRarely,
    /// It would cover a failure under another device or driver.
    Elsewhere,
    /// It is an entry of the profile: a deviation that reproduces a failure, or a choice that was decided otherwise.
    Profile,
}

impl Listing {
    /// The effect on the status; [`Listed::No`] for a target without entries.
    pub fn listed(of: Option<&Self>) -> Listed {
        of.map_or(Listed::No, |listing| listing.how)
    }
}

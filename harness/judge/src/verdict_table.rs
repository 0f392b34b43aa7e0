//! The verdict table: the statuses of a variant, and the exit code of every combination. On the axis of the *specification*: the
//! *raw* status that a target earned, and the *settled* status after the expectations of it ([`settle`]). On the axis of the
//! *recording*: [`Recorded`]. The exhaustive table [`join`] gives the exit code of every combination.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::exit_code::Exit;

/// The status of a target on a variant, before the expectations of it are considered.
///
/// Ordered from best to worst: a variant of several launches has the worst of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Raw {
    /// Everything observed is allowed.
    Conforms,
    /// Allowed, but a choice the specification leaves open was decided differently in two places.
    Inconsistent,
    /// Answered, but not judged by the specification: the case states nothing for the target's dialect, or the target does not
    /// claim the dialect of the case.
    Characterised,
    /// Not run: the target does not answer this kind of question.
    NotRun,
    /// The target said that it cannot do this.
    Unsupported,
    /// The specification does not decide, or the check exceeded its bounds.
    Indeterminate,
    /// Something observed is not allowed; but when it was run again, it did what is allowed.
    Flaky,
    /// Something observed is not allowed.
    Violates,
    /// The target refused a program it should run.
    Rejected,
    /// The target did not finish in time.
    Hung,
    /// The target's process died.
    Crashed,
    /// warpdiff could not run the launch: an error of warpdiff or of the machine.
    Broken,
    /// The reference contradicts an expectation: an error of the corpus or of the reference.
    Contradicted,
}

impl Raw {
    /// Every status, with its name in reports.
    pub const ALL: [(Raw, &'static str); 13] = [
        (Raw::Conforms, "conforms"),
        (Raw::Inconsistent, "inconsistent"),
        (Raw::Characterised, "characterised"),
        (Raw::NotRun, "not-run"),
        (Raw::Unsupported, "unsupported"),
        (Raw::Indeterminate, "indeterminate"),
        (Raw::Flaky, "flaky"),
        (Raw::Violates, "violates"),
        (Raw::Rejected, "rejected"),
        (Raw::Hung, "hung"),
        (Raw::Crashed, "crashed"),
        (Raw::Broken, "broken"),
        (Raw::Contradicted, "contradicted"),
    ];

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(status, _)| *status == self).map_or("?", |(_, name)| name)
    }

    /// The status of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(status, _)| *status)
    }

    /// Its position on the axis of the specification.
    pub fn specification(self) -> Specification {
        match self {
            Self::Conforms | Self::Inconsistent => Specification::Conforms,
            Self::Flaky | Self::Violates | Self::Rejected | Self::Hung | Self::Crashed => {
                Specification::Violates
            }
            Self::Indeterminate => Specification::Indeterminate,
            Self::Characterised => Specification::Characterised,
            Self::NotRun | Self::Unsupported | Self::Broken | Self::Contradicted => Specification::NotJudged,
        }
    }

    /// The status of a target that does not claim the dialect: neither right nor wrong.
    #[must_use]
    pub fn unclaimed(self) -> Self {
        match self {
            Self::Conforms
            | Self::Inconsistent
            | Self::Characterised
            | Self::Indeterminate
            | Self::Flaky
            | Self::Violates
            | Self::Rejected
            | Self::Hung
            | Self::Crashed => Self::Characterised,
            Self::NotRun | Self::Unsupported | Self::Broken | Self::Contradicted => self,
        }
    }

    /// Whether it concerns the target's process, and not its semantics.
    pub fn is_of_a_process(self) -> bool {
        matches!(self, Self::Crashed | Self::Rejected | Self::Broken)
    }

    /// Whether the target answered and nothing is wrong.
    pub fn is_right(self) -> bool {
        matches!(self, Self::Conforms | Self::Inconsistent | Self::Characterised)
    }

    /// Whether it says that the target is wrong.
    pub fn is_failure(self) -> bool {
        self.specification() == Specification::Violates
    }
}

/// The axis of the specification: is the observation allowed?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Specification {
    /// It is.
    Conforms,
    /// It is not.
    Violates,
    /// The specification does not decide, or the check exceeded its bounds.
    Indeterminate,
    /// Answered in a dialect that the target does not claim.
    Characterised,
    /// There is no answer to judge, or no rule to judge it by.
    NotJudged,
}

/// The axis of the recording: does the observation agree with the recording?
///
/// Ordered from best to worst: a variant of several launches has the worst of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recorded {
    /// The same outcome, code and bits.
    Same,
    /// The same but for undefined bits, the order of atomics, or the words of a message.
    Alike,
    /// The recording does not have the launch, or has another one under its name.
    Absent,
    /// Another outcome, code, or value of a defined bit: what is recorded is allowed, and what was done now is not. So the difference is the
    /// failure itself.
    TurnedWrong,
    /// Another outcome, code, or value of a defined bit.
    Drifted,
}

impl Recorded {
    /// Every value, with its name in reports.
    pub const ALL: [(Recorded, &'static str); 5] = [
        (Recorded::Same, "as recorded"),
        (Recorded::Alike, "with other undefined bits"),
        (Recorded::Absent, "not recorded"),
        (Recorded::TurnedWrong, "right when recorded"),
        (Recorded::Drifted, "drifted"),
    ];
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The status of a variant after the expectations of the target are considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Settled {
    /// Conforms, as it should.
    Pass,
    /// A failure that is not expected.
    Fail,
    /// Failed, and conformed when it was run again; no entry of `flakes` expects it.
    Flaky,
    /// The failure that an entry of `fails` expects.
    KnownFailure,
    /// The failure that an entry of `flakes` expects at times.
    KnownFlake,
    /// Departs from the specification as the profile of the target says.
    AsProfiled,
    /// Does nothing new that is wrong, but decides a choice otherwise than the profile of the target says.
    OtherChoice,
    /// Fails in another way than the entries expect, or an entry of `flakes` expects it to pass more often.
    OtherFailure,
    /// An entry of `fails` expects a failure, and it conforms, or does so at times.
    UnexpectedPass,
    /// Answered, and not judged by the specification; the run does not fail.
    Characterised,
    /// Not run, because an entry of `skips` says so.
    LeftOut,
    /// Nothing to judge.
    Skip,
    /// Not decided.
    Undecided,
    /// The corpus is in error.
    CorpusError,
    /// warpdiff or the machine is in error.
    Error,
}

/// How expectations and the profile of a target cover what it did on a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// No entry is about it.
    No,
    /// An entry of `fails` is about it, and entries cover every failure, with its cause.
    Fails,
    /// Only entries of `flakes` are about it, and they cover every failure, with its cause.
    Flakes,
    /// Entries are about it, but none covers one of its failures.
    Otherwise,
    /// An entry of `skips` is about it.
    Skips,
    /// Deviations of the profile reproduce every failure that no entry covers.
    Profiled,
    /// The same, or there is no failure, and a choice was decided otherwise than the profile says.
    OtherChoice,
}

impl Listed {
    /// Every answer.
    pub const ALL: [Self; 7] = [
        Self::No,
        Self::Fails,
        Self::Flakes,
        Self::Otherwise,
        Self::Skips,
        Self::Profiled,
        Self::OtherChoice,
    ];
}

/// Joins a raw status with the expectations.
///
/// They excuse failures of the target only, never an error of the corpus or of the machine. A missing answer is excused only where it
/// was not asked for.
pub fn settle(raw: Raw, listed: Listed) -> Settled {
    use Listed::{Fails, Flakes, No, OtherChoice, Otherwise, Profiled, Skips};
    match (raw, listed) {
        (Raw::Contradicted, No | Fails | Flakes | Otherwise | Skips | Profiled | OtherChoice) => {
            Settled::CorpusError
        }
        (Raw::Broken, No | Fails | Flakes | Otherwise | Skips | Profiled | OtherChoice) => Settled::Error,
        // What is left out has no other status than these; any other is a verdict that nobody may hide.
        (Raw::NotRun | Raw::Unsupported, Skips) => Settled::LeftOut,
        (Raw::NotRun | Raw::Unsupported, No | Fails | Flakes | Otherwise | Profiled | OtherChoice) => {
            Settled::Skip
        }
        (Raw::Conforms | Raw::Inconsistent, No | Flakes | Skips | Profiled) => Settled::Pass,
        (Raw::Conforms | Raw::Inconsistent, OtherChoice) => Settled::OtherChoice,
        // Nothing failed, so nothing failed otherwise either: such a pass is no better than an unexpected one.
        (Raw::Conforms | Raw::Inconsistent, Fails | Otherwise) => Settled::UnexpectedPass,
        (Raw::Characterised, No | Fails | Flakes | Otherwise | Skips | Profiled | OtherChoice) => {
            Settled::Characterised
        }
        (Raw::Indeterminate, No | Fails | Flakes | Otherwise | Skips | Profiled | OtherChoice) => {
            Settled::Undecided
        }
        // A profile says what a target always does.
        (Raw::Flaky, No | Otherwise | Skips | Profiled | OtherChoice) => Settled::Flaky,
        (Raw::Flaky, Fails) => Settled::UnexpectedPass,
        (Raw::Flaky, Flakes) => Settled::KnownFlake,
        (Raw::Violates | Raw::Rejected | Raw::Hung | Raw::Crashed, No | Skips) => Settled::Fail,
        (Raw::Violates | Raw::Rejected | Raw::Hung | Raw::Crashed, Fails) => Settled::KnownFailure,
        (Raw::Violates | Raw::Rejected | Raw::Hung | Raw::Crashed, Flakes) => Settled::KnownFlake,
        (Raw::Violates | Raw::Rejected | Raw::Hung | Raw::Crashed, Otherwise) => Settled::OtherFailure,
        (Raw::Violates | Raw::Rejected | Raw::Hung | Raw::Crashed, Profiled) => Settled::AsProfiled,
        (Raw::Violates | Raw::Rejected | Raw::Hung | Raw::Crashed, OtherChoice) => Settled::OtherChoice,
    }
}

/// Joins both axes: the exit code of a settled status and of the comparison with a recording. `None`: there is no recording to
/// compare with.
///
/// Drift is never better than no drift, and never hides a violation or an error. A launch that the recording lacks is no failure,
/// because a corpus grows faster than recordings of devices. A failure that is expected differs from a recording of better days by being
/// one, and that is expected, too.
pub fn join(settled: Settled, recorded: Option<Recorded>) -> Exit {
    use Recorded::{Absent, Alike, Drifted, Same, TurnedWrong};
    match (settled, recorded) {
        (Settled::CorpusError, None | Some(Same | Alike | Absent | TurnedWrong | Drifted)) => Exit::Usage,
        (Settled::Error, None | Some(Same | Alike | Absent | TurnedWrong | Drifted)) => Exit::Broken,
        (
            Settled::Fail | Settled::Flaky | Settled::OtherFailure,
            None | Some(Same | Alike | Absent | TurnedWrong | Drifted),
        ) => Exit::Violates,
        (Settled::UnexpectedPass, None | Some(Same | Alike | Absent)) => Exit::Outdated,
        (Settled::UnexpectedPass, Some(TurnedWrong | Drifted)) => Exit::Drifted,
        // It differs from what is known of the target, as it does from a recording.
        (Settled::OtherChoice, None | Some(Same | Alike | Absent | TurnedWrong | Drifted)) => Exit::Drifted,
        (Settled::KnownFailure | Settled::KnownFlake | Settled::AsProfiled, Some(TurnedWrong)) => {
            Exit::Conforms
        }
        (
            Settled::Pass
            | Settled::KnownFailure
            | Settled::KnownFlake
            | Settled::AsProfiled
            | Settled::Characterised
            | Settled::LeftOut,
            None | Some(Same | Alike | Absent),
        ) => Exit::Conforms,
        (
            Settled::Pass
            | Settled::KnownFailure
            | Settled::KnownFlake
            | Settled::AsProfiled
            | Settled::Characterised
            | Settled::LeftOut,
            Some(TurnedWrong | Drifted),
        ) => Exit::Drifted,
        (Settled::Undecided | Settled::Skip, None | Some(Same | Alike | Absent)) => Exit::Undecided,
        (Settled::Undecided | Settled::Skip, Some(TurnedWrong | Drifted)) => Exit::Drifted,
    }
}

impl Recorded {
    /// Whether a variant of this settled status differs from its recording in a way that counts: an expected failure does not differ by being
    /// one.
    pub fn counts_beside(self, settled: Settled) -> bool {
        match self {
            Self::Same | Self::Alike | Self::Absent => false,
            Self::TurnedWrong => {
                !matches!(settled, Settled::KnownFailure | Settled::KnownFlake | Settled::AsProfiled)
            }
            Self::Drifted => true,
        }
    }
}

impl Settled {
    /// The exit code without a recording.
    pub fn exit(self) -> Exit {
        join(self, None)
    }

    /// Whether the specification was applied.
    pub fn is_judged(self) -> bool {
        !matches!(self, Self::Skip | Self::LeftOut | Self::Characterised)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of raw statuses and expectations, written out: rows are raw statuses, columns `No`, `Fails`, `Flakes`, `Otherwise`,
    /// `Skips`, `Profiled`, `OtherChoice`.
    const SETTLED: [(Raw, [Settled; 7]); 13] = {
        use Settled::*;
        [
            (Raw::Conforms, [Pass, UnexpectedPass, Pass, UnexpectedPass, Pass, Pass, OtherChoice]),
            (Raw::Inconsistent, [Pass, UnexpectedPass, Pass, UnexpectedPass, Pass, Pass, OtherChoice]),
            (Raw::Characterised, [Characterised; 7]),
            (Raw::NotRun, [Skip, Skip, Skip, Skip, LeftOut, Skip, Skip]),
            (Raw::Unsupported, [Skip, Skip, Skip, Skip, LeftOut, Skip, Skip]),
            (Raw::Indeterminate, [Undecided; 7]),
            (Raw::Flaky, [Flaky, UnexpectedPass, KnownFlake, Flaky, Flaky, Flaky, Flaky]),
            (Raw::Violates, [Fail, KnownFailure, KnownFlake, OtherFailure, Fail, AsProfiled, OtherChoice]),
            (Raw::Rejected, [Fail, KnownFailure, KnownFlake, OtherFailure, Fail, AsProfiled, OtherChoice]),
            (Raw::Hung, [Fail, KnownFailure, KnownFlake, OtherFailure, Fail, AsProfiled, OtherChoice]),
            (Raw::Crashed, [Fail, KnownFailure, KnownFlake, OtherFailure, Fail, AsProfiled, OtherChoice]),
            (Raw::Broken, [Error; 7]),
            (Raw::Contradicted, [CorpusError; 7]),
        ]
    };

    #[test]
    fn statuses_and_expectations_are_joined_as_the_table_says() {
        assert_eq!(SETTLED.map(|(raw, _)| raw), Raw::ALL.map(|(raw, _)| raw), "a status is missing");
        for (raw, settled) in SETTLED {
            assert_eq!(Listed::ALL.map(|listed| settle(raw, listed)), settled, "{raw}");
        }
    }

    #[test]
    fn nothing_that_is_wrong_is_silently_green() {
        for (raw, _) in Raw::ALL.iter().filter(|(raw, _)| raw.is_failure()) {
            for listed in [Listed::No, Listed::Otherwise, Listed::Skips] {
                assert_eq!(settle(*raw, listed).exit(), Exit::Violates, "{raw} × {listed:?}");
            }
        }
        for listed in Listed::ALL {
            assert_eq!(settle(Raw::Contradicted, listed).exit(), Exit::Usage);
            assert_eq!(settle(Raw::Broken, listed).exit(), Exit::Broken);
            assert_eq!(settle(Raw::Indeterminate, listed).exit(), Exit::Undecided);
        }
        // Better than expected is out of date, and so is a failure that is said to occur always and occurs at times.
        for raw in [Raw::Conforms, Raw::Inconsistent, Raw::Flaky] {
            assert_eq!(settle(raw, Listed::Fails).exit(), Exit::Outdated);
        }
    }

    /// The table of the two axes, written out: rows are settled statuses, columns no recording, same, alike, absent, turned wrong,
    /// drifted.
    const AXES: [(Settled, [u8; 6]); 15] = [
        (Settled::Pass, [0, 0, 0, 0, 3, 3]),
        (Settled::KnownFailure, [0, 0, 0, 0, 0, 3]),
        (Settled::KnownFlake, [0, 0, 0, 0, 0, 3]),
        (Settled::AsProfiled, [0, 0, 0, 0, 0, 3]),
        (Settled::OtherChoice, [3, 3, 3, 3, 3, 3]),
        (Settled::LeftOut, [0, 0, 0, 0, 3, 3]),
        (Settled::Flaky, [1, 1, 1, 1, 1, 1]),
        (Settled::Fail, [1, 1, 1, 1, 1, 1]),
        (Settled::OtherFailure, [1, 1, 1, 1, 1, 1]),
        (Settled::UnexpectedPass, [6, 6, 6, 6, 3, 3]),
        (Settled::Characterised, [0, 0, 0, 0, 3, 3]),
        (Settled::Skip, [5, 5, 5, 5, 3, 3]),
        (Settled::Undecided, [5, 5, 5, 5, 3, 3]),
        (Settled::CorpusError, [2, 2, 2, 2, 2, 2]),
        (Settled::Error, [4, 4, 4, 4, 4, 4]),
    ];

    #[test]
    fn both_axes_are_joined_as_the_table_says() {
        for (settled, codes) in AXES {
            let columns = std::iter::once(None).chain(Recorded::ALL.map(|(recorded, _)| Some(recorded)));
            for (recorded, code) in columns.zip(codes) {
                assert_eq!(join(settled, recorded).code(), code, "{settled:?} × {recorded:?}");
            }
        }
        let rows: std::collections::HashSet<_> = AXES.iter().map(|(settled, _)| *settled).collect();
        let settled = Raw::ALL.iter().flat_map(|(raw, _)| Listed::ALL.map(|listed| settle(*raw, listed)));
        assert!(settled.into_iter().all(|settled| rows.contains(&settled)));
    }

    #[test]
    fn what_counts_as_a_difference_fails_the_run() {
        for (settled, _) in AXES {
            for (recorded, _) in Recorded::ALL {
                let fails = join(settled, Some(recorded)) != Exit::Conforms;
                assert!(fails || !recorded.counts_beside(settled), "{settled:?} × {recorded:?}");
                assert!(recorded.counts_beside(settled) || join(settled, Some(recorded)) == settled.exit());
            }
        }
    }

    #[test]
    fn drift_is_never_better_news_and_never_hides_worse() {
        for (settled, _) in AXES {
            let drifted = join(settled, Some(Recorded::Drifted));
            for (recorded, _) in Recorded::ALL {
                assert_eq!(join(settled, Some(recorded)).and(drifted), drifted, "{settled:?} × {recorded:?}");
            }
        }
    }

    #[test]
    fn whoever_does_not_claim_a_dialect_neither_conforms_to_it_nor_violates_it() {
        for (raw, name) in Raw::ALL {
            let unclaimed = raw.unclaimed();
            assert!(
                !unclaimed.is_failure() && unclaimed.specification() != Specification::Conforms,
                "{name}"
            );
            // What was no answer is none for it either.
            let answered = raw.specification() != Specification::NotJudged;
            assert_eq!(unclaimed, if answered { Raw::Characterised } else { raw }, "{name}");
        }
    }

    #[test]
    fn names_lead_back_to_statuses() {
        for (raw, name) in Raw::ALL {
            assert_eq!(Raw::from_name(name), Some(raw));
        }
    }
}

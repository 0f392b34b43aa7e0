//! What became of a variant, in two steps: the *raw* status a target earned, and the *settled* status once a list of
//! known failures has been taken into account. One exhaustive table ([`settle`]) joins them, so that no combination is
//! decided by accident; a second one ([`Settled::exit`]) says what each means for the process.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// What a target earned on a variant, before anything known of the target is taken into account.
///
/// Ordered from best to worst: a variant of several launches has the worst of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Raw {
    /// Everything observed is allowed.
    Conforms,
    /// Allowed, but a choice the specification leaves open was decided differently in two places.
    Inconsistent,
    /// Not asked: the target does not answer this kind of question.
    NotRun,
    /// The target said that it cannot do this.
    Unsupported,
    /// The specification does not decide, or the verdict could not be reached within its bounds.
    Indeterminate,
    /// Something observed is not allowed.
    Violates,
    /// The target refused a program it should run.
    Rejected,
    /// The target did not come back where it should have.
    Hung,
    /// The target's process died.
    Crashed,
    /// The runner could not put the question: an error of warpdiff or of the machine.
    Broken,
    /// The reference contradicts an expectation written by hand: an error of the corpus (or of the reference).
    Contradicted,
}

impl Raw {
    /// Every status, with its name in reports and lists of known failures.
    pub const ALL: [(Raw, &'static str); 11] = [
        (Raw::Conforms, "conforms"),
        (Raw::Inconsistent, "inconsistent"),
        (Raw::NotRun, "not-run"),
        (Raw::Unsupported, "unsupported"),
        (Raw::Indeterminate, "indeterminate"),
        (Raw::Violates, "violates"),
        (Raw::Rejected, "rejected"),
        (Raw::Hung, "hung"),
        (Raw::Crashed, "crashed"),
        (Raw::Broken, "broken"),
        (Raw::Contradicted, "contradicted"),
    ];

    /// The name used in reports and lists of known failures.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(status, _)| *status == self).map_or("?", |(_, name)| name)
    }

    /// The status of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(status, _)| *status)
    }

    /// Whether it says that the target is wrong.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Violates | Self::Rejected | Self::Hung | Self::Crashed)
    }
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The status of a variant once the list of known failures has been taken into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Settled {
    /// Conforms, as it should.
    Pass,
    /// A failure nobody knew of.
    Fail,
    /// The failure that the list names.
    KnownFailure,
    /// Fails, but differently from what the list says.
    OtherFailure,
    /// The list names a failure, and there is none any more.
    FixedFailure,
    /// Nothing to judge.
    Skip,
    /// Not decided.
    Undecided,
    /// The corpus is in error.
    CorpusError,
    /// warpdiff or the machine is in error.
    Error,
}

/// Joins a raw status with what the list of known failures says of the variant.
///
/// A list can excuse failures of the target only: never an error of the corpus or of the machine, and never silence.
pub fn settle(raw: Raw, known: Option<Raw>) -> Settled {
    match (raw, known) {
        (Raw::Contradicted, _) => Settled::CorpusError,
        (Raw::Broken, _) => Settled::Error,
        (Raw::Conforms | Raw::Inconsistent, None) => Settled::Pass,
        (Raw::Conforms, Some(Raw::Conforms)) | (Raw::Inconsistent, Some(Raw::Inconsistent)) => Settled::Pass,
        (Raw::Conforms | Raw::Inconsistent, Some(_)) => Settled::FixedFailure,
        (Raw::NotRun | Raw::Unsupported, _) => Settled::Skip,
        (Raw::Indeterminate, _) => Settled::Undecided,
        (Raw::Violates | Raw::Rejected | Raw::Hung | Raw::Crashed, None) => Settled::Fail,
        (Raw::Violates | Raw::Rejected | Raw::Hung | Raw::Crashed, Some(known)) if known == raw => {
            Settled::KnownFailure
        }
        (Raw::Violates | Raw::Rejected | Raw::Hung | Raw::Crashed, Some(_)) => Settled::OtherFailure,
    }
}

/// How the process ends. The numbers are documented in the README and in `--help`, and do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// 0: everything conforms.
    Conforms,
    /// 1: a target violates the specification; a program checked with `check` is rejected; `selfcheck` had a surprise.
    Violates,
    /// 2: wrong usage, or an error in the corpus.
    Usage,
    /// 3: what was recorded differs: a golden has changed, is missing or belongs to no case; a known failure is gone.
    Drifted,
    /// 4: a target could not be run, or warpdiff itself failed.
    Broken,
    /// 5: nothing is wrong, but something was not judged or could not be decided.
    Undecided,
}

impl Exit {
    /// Every way to end, with its number and meaning: the table that `--help` prints.
    pub const TABLE: [(Exit, u8, &'static str); 6] = [
        (Exit::Conforms, 0, "everything conforms"),
        (
            Exit::Violates,
            1,
            "a mismatch: a target violates the specification, `check` rejects, `selfcheck` is surprised",
        ),
        (
            Exit::Usage,
            2,
            "wrong usage, or an error in the corpus (the reference contradicting an expectation included)",
        ),
        (Exit::Drifted, 3, "a recording differs, is missing or belongs to no case; a known failure is gone"),
        (Exit::Broken, 4, "a target could not be run, or warpdiff itself failed"),
        (Exit::Undecided, 5, "nothing is wrong, but something was not judged or could not be decided"),
    ];

    /// Its number.
    pub fn code(self) -> u8 {
        Self::TABLE.iter().find(|(exit, ..)| *exit == self).map_or(4, |(_, code, _)| *code)
    }

    /// How urgent it is: of several, the greatest decides how the process ends.
    fn urgency(self) -> u8 {
        match self {
            Self::Conforms => 0,
            Self::Undecided => 1,
            Self::Drifted => 2,
            Self::Violates => 3,
            Self::Broken => 4,
            Self::Usage => 5,
        }
    }

    /// The more urgent of two.
    #[must_use]
    pub fn and(self, other: Exit) -> Exit {
        if other.urgency() > self.urgency() { other } else { self }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl Settled {
    /// What it means for the process.
    pub fn exit(self) -> Exit {
        match self {
            Self::Pass | Self::KnownFailure => Exit::Conforms,
            Self::Fail | Self::OtherFailure => Exit::Violates,
            Self::FixedFailure => Exit::Drifted,
            Self::Undecided | Self::Skip => Exit::Undecided,
            Self::CorpusError => Exit::Usage,
            Self::Error => Exit::Broken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_known_failures_excuses_failures_only() {
        assert_eq!(settle(Raw::Violates, Some(Raw::Violates)), Settled::KnownFailure);
        assert_eq!(settle(Raw::Crashed, Some(Raw::Violates)), Settled::OtherFailure);
        assert_eq!(settle(Raw::Conforms, Some(Raw::Hung)), Settled::FixedFailure);
        for (known, _) in Raw::ALL {
            assert_eq!(settle(Raw::Contradicted, Some(known)), Settled::CorpusError);
            assert_eq!(settle(Raw::Broken, Some(known)), Settled::Error);
            assert_eq!(settle(Raw::Indeterminate, Some(known)), Settled::Undecided);
        }
    }

    #[test]
    fn every_failure_without_a_list_fails_the_run() {
        for (raw, _) in Raw::ALL.iter().filter(|(raw, _)| raw.is_failure()) {
            assert_eq!(settle(*raw, None).exit(), Exit::Violates, "{raw}");
        }
    }

    #[test]
    fn names_lead_back_to_statuses() {
        for (raw, name) in Raw::ALL {
            assert_eq!(Raw::from_name(name), Some(raw));
        }
    }

    #[test]
    fn the_most_urgent_exit_wins_in_either_order() {
        for (a, ..) in Exit::TABLE {
            for (b, ..) in Exit::TABLE {
                assert_eq!(a.and(b), b.and(a));
            }
        }
        assert_eq!(Exit::Violates.and(Exit::Drifted).code(), 1);
        assert_eq!(Exit::Usage.and(Exit::Violates).code(), 2);
    }
}

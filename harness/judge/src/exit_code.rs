//! The exit codes of the command `warpdiff`: their numbers, their meanings, and which of several decides.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the process ends. The numbers are documented in the README and in `--help`, and do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// 0: everything conforms.
    Conforms,
    /// 1: a target violates the specification; `check` rejects a program; `selfcheck` finds a wrong verdict.
    Violates,
    /// 2: wrong usage, or an error in the corpus.
    Usage,
    /// 3: a target differs from its recording, or decides a choice otherwise than its profile says; two recordings differ.
    Drifted,
    /// 4: a target could not be run, or warpdiff itself failed.
    Broken,
    /// 5: undecided: a required case was inconclusive or not judged. Targets that only run kernels need not answer legality cases.
    Undecided,
    /// 6: a golden differs, is missing or belongs to no case. An expectation no longer fits: its variant passes, or the entry is
    /// stale, expired or matches nothing. A recording has none of the run's launches, or, with `--complete`, only some of them.
    Outdated,
    /// 7: a signal ended the run, and its report is partial.
    Interrupted,
}

impl Exit {
    /// Every way to end, with its number and meaning: the table that `--help` prints.
    pub const TABLE: [(Exit, u8, &'static str); 8] = [
        (Exit::Conforms, 0, "everything conforms"),
        (
            Exit::Violates,
            1,
            "mismatch: a target violates the specification, `check` rejects a program, `selfcheck` finds a wrong verdict, `fuzz` finds a difference, or `mutate` a deviation that no case states anything against",
        ),
        (
            Exit::Usage,
            2,
            "wrong usage, or an error in the corpus (such as an expectation that the reference contradicts)",
        ),
        (
            Exit::Drifted,
            3,
            "drift: a target differs from its recording or decides a choice otherwise than its profile says, or two recordings differ",
        ),
        (Exit::Broken, 4, "a named target could not be run to the end, or warpdiff itself failed"),
        (
            Exit::Undecided,
            5,
            "undecided: a required case was inconclusive or not judged. Targets that only run kernels need not answer legality cases",
        ),
        (
            Exit::Outdated,
            6,
            "a stored file is out of date. A golden file differs, is missing, or belongs to no case. An expected failure, or a deviation that a profile lists, no longer occurs; or an entry has expired or matches no variant. A recording has none of the launches of the run or, with `--complete`, lacks some of them",
        ),
        (Exit::Interrupted, 7, "interrupted: SIGINT or SIGTERM ended the run, and its report is partial"),
    ];

    /// Its number.
    pub fn code(self) -> u8 {
        Self::TABLE.iter().find(|(exit, ..)| *exit == self).map_or(4, |(_, code, _)| *code)
    }

    /// The numbers in the order in which they decide, the most urgent first.
    pub const ORDER: &str = "2, 7, 4, 1, 3, 6, 5, 0";

    /// Its urgency: the exit code with the greatest urgency decides.
    fn urgency(self) -> u8 {
        match self {
            Self::Conforms => 0,
            Self::Undecided => 1,
            Self::Outdated => 2,
            Self::Drifted => 3,
            Self::Violates => 4,
            Self::Broken => 5,
            Self::Interrupted => 6,
            Self::Usage => 7,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_exit_wins_in_either_order() {
        for (a, ..) in Exit::TABLE {
            for (b, ..) in Exit::TABLE {
                assert_eq!(a.and(b), b.and(a));
            }
        }
        let mut all = Exit::TABLE.map(|(exit, ..)| exit);
        all.sort_by_key(|exit| std::cmp::Reverse(exit.urgency()));
        assert_eq!(all.map(|exit| exit.code().to_string()).join(", "), Exit::ORDER);
        assert_eq!(Exit::Violates.and(Exit::Drifted).code(), 1);
        assert_eq!(Exit::Usage.and(Exit::Violates).code(), 2);
    }
}

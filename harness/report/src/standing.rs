//! How a settled status stands on the page: its mark, its word, and which of them are alike. A colour never says more than they do.

use std::collections::BTreeMap;

use warpdiff_judge::verdict_table::Settled;

/// Statuses that are alike for someone who looks for trouble, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// A failure that fails the run, or an error.
    Wrong,
    /// Something else that needs a person: flaky, an unexpected pass, a choice decided otherwise than the profile says, undecided.
    Unsettled,
    /// A failure that is expected.
    Known,
    /// As it should be.
    Right,
    /// Not judged.
    Open,
}

impl Standing {
    /// The standing of a status.
    pub fn of(settled: Settled) -> Self {
        match settled {
            Settled::Fail | Settled::OtherFailure | Settled::CorpusError | Settled::Error => Self::Wrong,
            Settled::Flaky | Settled::UnexpectedPass | Settled::OtherChoice | Settled::Undecided => {
                Self::Unsettled
            }
            Settled::KnownFailure | Settled::KnownFlake | Settled::AsProfiled => Self::Known,
            Settled::Pass => Self::Right,
            Settled::Characterised | Settled::LeftOut | Settled::Skip => Self::Open,
        }
    }

    /// The class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::Unsettled => "unsettled",
            Self::Known => "known",
            Self::Right => "right",
            Self::Open => "open",
        }
    }

    /// The mark, which says without colour what the class does.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Wrong => "✗",
            Self::Unsettled => "≈",
            Self::Known => "!",
            Self::Right => "✓",
            Self::Open => "–",
        }
    }

    /// What the mark means, for the legend.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Wrong => "some violate, or are in error",
            Self::Unsettled => {
                "some are flaky, pass unexpectedly, decide a choice otherwise or are undecided"
            }
            Self::Known => "some fail as expected, or as the profile says",
            Self::Right => "all that were judged conform",
            Self::Open => "none was judged",
        }
    }

    /// All of them.
    pub const ALL: [Self; 5] = [Self::Wrong, Self::Unsettled, Self::Known, Self::Right, Self::Open];
}

/// A status in words, after a number of variants: `3 violate`.
pub fn words(settled: Settled) -> &'static str {
    match settled {
        Settled::Pass => "conform",
        Settled::Fail => "violate",
        Settled::Flaky => "are flaky",
        Settled::OtherFailure => "fail otherwise than expected",
        Settled::KnownFailure => "fail as expected",
        Settled::KnownFlake => "are flaky as expected",
        Settled::AsProfiled => "depart as the profile says",
        Settled::OtherChoice => "decide a choice otherwise than the profile says",
        Settled::UnexpectedPass => "pass unexpectedly",
        Settled::Undecided => "are undecided",
        Settled::Characterised => "are characterised",
        Settled::Skip => "are not judged",
        Settled::LeftOut => "are left out",
        Settled::CorpusError => "have corpus errors",
        Settled::Error => "could not be run",
    }
}

/// The status of one variant in words.
pub fn word(settled: Settled) -> &'static str {
    match settled {
        Settled::Pass => "conforms",
        Settled::Fail => "violates",
        Settled::Flaky => "flaky",
        Settled::OtherFailure => "fails otherwise than expected",
        Settled::KnownFailure => "known failure",
        Settled::KnownFlake => "known to be flaky",
        Settled::AsProfiled => "as the profile says",
        Settled::OtherChoice => "other choice than in the profile",
        Settled::UnexpectedPass => "unexpected pass",
        Settled::Undecided => "undecided",
        Settled::Characterised => "characterised",
        Settled::Skip => "not judged",
        Settled::LeftOut => "left out",
        Settled::CorpusError => "corpus error",
        Settled::Error => "error",
    }
}

/// Variants by their status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statuses(BTreeMap<Settled, usize>);

impl Statuses {
    /// Counts one more.
    pub fn add(&mut self, settled: Settled) {
        *self.0.entry(settled).or_default() += 1;
    }

    /// The number of each status.
    pub fn by_status(&self) -> &BTreeMap<Settled, usize> {
        &self.0
    }

    /// How many have that standing.
    pub fn of(&self, standing: Standing) -> usize {
        self.0.iter().filter(|(settled, _)| Standing::of(**settled) == standing).map(|(_, n)| n).sum()
    }

    /// All of them.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// The most urgent standing that any of them has; `None` if there are none.
    pub fn worst(&self) -> Option<Standing> {
        self.0.keys().map(|settled| Standing::of(*settled)).min()
    }

    /// The mark with a number: `✗ 3/40` if 3 of the 40 that were judged have that standing, `✓ 40` if all have.
    pub fn short(&self) -> String {
        let Some(worst) = self.worst() else { return String::new() };
        let judged = self.total() - self.of(Standing::Open);
        match (self.of(worst), judged) {
            (of, judged) if of == judged || worst == Standing::Open => format!("{} {of}", worst.mark()),
            (of, judged) => format!("{} {of}/{judged}", worst.mark()),
        }
    }

    /// Every status in words: `3 violate, 37 conform`.
    pub fn long(&self) -> String {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(settled, _)| Standing::of(**settled));
        all.into_iter().map(|(settled, n)| format!("{n} {}", words(*settled))).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_standing_is_shown_with_its_share_of_what_was_judged() {
        let of = |all: &[(Settled, usize)]| Statuses(all.iter().copied().collect());
        let mixed =
            of(&[(Settled::Pass, 30), (Settled::Fail, 2), (Settled::OtherFailure, 1), (Settled::Skip, 9)]);
        assert_eq!(mixed.short(), "✗ 3/33");
        assert_eq!(mixed.long(), "2 violate, 1 fail otherwise than expected, 30 conform, 9 are not judged");
        assert_eq!(of(&[(Settled::Pass, 4), (Settled::Skip, 1)]).short(), "✓ 4");
        assert_eq!(of(&[(Settled::Skip, 7)]).short(), "– 7");
        assert_eq!(
            of(&[(Settled::Pass, 4), (Settled::Flaky, 1), (Settled::KnownFailure, 5)]).short(),
            "≈ 1/10"
        );
        assert_eq!(of(&[]).short(), "");
    }
}

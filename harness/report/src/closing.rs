//! The last line of a run: the verdict in words, and the time.

use std::collections::BTreeMap;

use warpdiff_judge::verdict_table::Settled;
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::Verdict;
use warpdiff_terminal::style::Style;

use super::summary::duration;

/// The comparison of a run with goldens and recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsRecorded {
    /// Nothing differs from them.
    Yes,
    /// Something differs from them.
    Differs,
    /// They lack required launches.
    Lacking,
}

impl AsRecorded {
    /// For a run in which something differs, or nothing does.
    pub fn unless(drifted: bool) -> Self {
        if drifted { Self::Differs } else { Self::Yes }
    }
}

/// The last line. Each variant counts by the worst status of its targets; "all conform" is said only if all were judged and no
/// golden differs.
pub fn line(session: &Session<'_>, settling: &Settling, recorded: AsRecorded, style: Style) -> String {
    let counts = counts(session, settling);
    let variants = session.verdicts.len();
    let words = verdict(&counts, in_part(session, settling), recorded);
    let good = counts.keys().all(|settled| matches!(settled, Settled::Pass)) && recorded == AsRecorded::Yes;
    let paint = if good { style.good() } else { worst_paint(&counts, style) };
    format!("{} ({variants} variants, {})\n", paint.paint(words), duration(session.elapsed))
}

/// How many variants are judged, but not as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgedInPart {
    /// Those with launches without a verdict beside others that decide their status.
    pub launches: usize,
    /// Those that the reference cannot run, and that targets do as the case states.
    pub by_case: usize,
}

/// The verdict in words, without the time it took. `counts` has each variant as [`of_variant`] has it.
pub fn words_of(counts: &BTreeMap<Settled, usize>, in_part: JudgedInPart, recorded: AsRecorded) -> String {
    verdict(counts, in_part, recorded)
}

fn in_part(session: &Session<'_>, settling: &Settling) -> JudgedInPart {
    let unanswered =
        |verdict: &&Verdict<'_>| verdict.targets.iter().any(|target| target.unanswered.is_some());
    let by_case = |verdict: &&Verdict<'_>| {
        let targets = verdict.targets.iter().map(|target| settling.target(verdict, target));
        is_by_case(settling.reference(verdict), targets)
    };
    JudgedInPart {
        launches: session.verdicts.iter().filter(unanswered).count(),
        by_case: session.verdicts.iter().filter(by_case).count(),
    }
}

/// Whether the reference cannot run a variant, and targets do as the case states.
pub fn is_by_case(reference: Settled, targets: impl Iterator<Item = Settled>) -> bool {
    reference == Settled::Skip && worst(targets) == Some(Settled::Pass)
}

/// The worst status of a variant's targets; `None` without targets.
fn worst(settled: impl Iterator<Item = Settled>) -> Option<Settled> {
    settled.max_by_key(|settled| severity(*settled))
}

/// The status of a variant: the worst of its targets, or that of the reference without targets. What the reference cannot run, and targets
/// do as the case states, is not judged as a whole.
pub fn of_variant(reference: Settled, targets: impl Iterator<Item = Settled>) -> Settled {
    match worst(targets) {
        Some(Settled::Pass) if reference == Settled::Skip => Settled::Skip,
        worst => worst.unwrap_or(reference),
    }
}

fn counts(session: &Session<'_>, settling: &Settling) -> BTreeMap<Settled, usize> {
    let mut counts = BTreeMap::<Settled, usize>::new();
    for verdict in &session.verdicts {
        let targets = verdict.targets.iter().map(|t| settling.target(verdict, t));
        *counts.entry(of_variant(settling.reference(verdict), targets)).or_default() += 1;
    }
    counts
}

fn worst_paint(counts: &BTreeMap<Settled, usize>, style: Style) -> warpdiff_terminal::style::Paint {
    let harmless = |s: &Settled| {
        matches!(
            s,
            Settled::Pass
                | Settled::Skip
                | Settled::LeftOut
                | Settled::Characterised
                | Settled::KnownFailure
                | Settled::KnownFlake
                | Settled::AsProfiled
        )
    };
    if counts.keys().all(harmless) { style.warn() } else { style.bad() }
}

fn verdict(counts: &BTreeMap<Settled, usize>, in_part: JudgedInPart, recorded: AsRecorded) -> String {
    let of = |settled| counts.get(&settled).copied().unwrap_or(0);
    let harmless =
        |s: &Settled| matches!(s, Settled::Pass | Settled::Skip | Settled::LeftOut | Settled::Characterised);
    let bad: Vec<_> = counts.iter().filter(|(s, _)| !harmless(s)).collect();
    let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
    bad.iter().for_each(|(s, n)| *parts.entry(words(**s)).or_default() += **n);
    let mut parts: Vec<String> = parts.iter().map(|(what, n)| format!("{n} {what}")).collect();
    let (characterised, skipped, left_out) =
        (of(Settled::Characterised), of(Settled::Skip), of(Settled::LeftOut));
    match (parts.is_empty(), of(Settled::Pass), characterised + skipped + left_out) {
        (true, 0, _) if characterised + in_part.by_case == 0 => parts.push("none judged".into()),
        (true, 0, _) => {}
        (true, _, 0) => parts.push("all conform".into()),
        (true, n, _) => parts.push(format!("{n} conform")),
        (false, ..) => {}
    }
    if characterised > 0 {
        parts.push(format!("{characterised} characterised"));
    }
    if in_part.by_case > 0 {
        parts.push(format!("{} conform to what the cases state alone", in_part.by_case));
    }
    let skipped = skipped.saturating_sub(in_part.by_case);
    if skipped > 0 && !parts.iter().any(|part| part == "none judged") {
        parts.push(format!("{skipped} not judged"));
    }
    if left_out > 0 {
        parts.push(format!("{left_out} left out"));
    }
    if in_part.launches > 0 {
        parts.push(format!("{} judged in part", in_part.launches));
    }
    let but = match recorded {
        AsRecorded::Yes => "",
        AsRecorded::Differs => ", but goldens or recordings differ",
        AsRecorded::Lacking => ", but a recording lacks launches",
    };
    parts.join(", ") + but
}

fn severity(settled: Settled) -> u8 {
    match settled {
        Settled::LeftOut => 0,
        Settled::Skip => 1,
        Settled::Pass => 2,
        Settled::Characterised => 3,
        Settled::KnownFlake => 4,
        Settled::KnownFailure | Settled::AsProfiled => 5,
        Settled::Undecided => 6,
        Settled::UnexpectedPass => 7,
        Settled::OtherChoice => 8,
        Settled::Flaky => 9,
        Settled::Fail | Settled::OtherFailure => 10,
        Settled::CorpusError => 11,
        Settled::Error => 12,
    }
}

fn words(settled: Settled) -> &'static str {
    match settled {
        Settled::Pass => "conform",
        Settled::Skip => "not judged",
        Settled::LeftOut => "left out",
        Settled::Characterised => "characterised",
        Settled::Fail | Settled::OtherFailure => "violate",
        Settled::Flaky => "are flaky",
        Settled::KnownFailure => "are known to fail",
        Settled::KnownFlake => "are known to be flaky",
        Settled::AsProfiled => "depart as the profile says",
        Settled::OtherChoice => "decide a choice otherwise than the profile says",
        Settled::UnexpectedPass => "pass unexpectedly",
        Settled::Undecided => "are undecided",
        Settled::CorpusError => "have corpus errors",
        Settled::Error => "could not be run",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_conform_is_said_only_where_all_were_judged_and_are_as_recorded() {
        let said = |counts: &[(Settled, usize)], drifted| {
            verdict(&counts.iter().copied().collect(), JudgedInPart::default(), AsRecorded::unless(drifted))
        };
        assert_eq!(said(&[(Settled::Pass, 3)], false), "all conform");
        assert_eq!(said(&[(Settled::Pass, 3)], true), "all conform, but goldens or recordings differ");
        assert_eq!(said(&[(Settled::Pass, 3), (Settled::Skip, 1)], false), "3 conform, 1 not judged");
        assert_eq!(said(&[(Settled::Skip, 1)], false), "none judged");
        assert_eq!(said(&[(Settled::Characterised, 4)], false), "4 characterised");
        assert_eq!(
            said(&[(Settled::Pass, 3), (Settled::Characterised, 4), (Settled::Skip, 1)], false),
            "3 conform, 4 characterised, 1 not judged"
        );
        assert_eq!(said(&[(Settled::Pass, 3), (Settled::LeftOut, 2)], false), "3 conform, 2 left out");
        assert_eq!(said(&[(Settled::LeftOut, 2)], false), "none judged, 2 left out");
        assert_eq!(said(&[(Settled::Fail, 2), (Settled::Skip, 1)], false), "2 violate, 1 not judged");
        assert_eq!(said(&[(Settled::Fail, 2), (Settled::OtherFailure, 1)], false), "3 violate");
        let known = BTreeMap::from([(Settled::KnownFailure, 2)]);
        let one = JudgedInPart { launches: 1, by_case: 0 };
        assert_eq!(verdict(&known, one, AsRecorded::Yes), "2 are known to fail, 1 judged in part");
        // A target's verdict by what the case states is one, although the reference has none.
        let by_case = JudgedInPart { launches: 0, by_case: 1 };
        let skipped = |count| BTreeMap::from([(Settled::Skip, count)]);
        let conforms = "1 conform to what the cases state alone";
        assert_eq!(verdict(&skipped(1), by_case, AsRecorded::Yes), conforms);
        assert_eq!(verdict(&skipped(3), by_case, AsRecorded::Yes), format!("{conforms}, 2 not judged"));
    }
}

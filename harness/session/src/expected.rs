//! Applies expectations and profiles to a run: which failures they cover, which variants pass unexpectedly, and which entries are out of
//! date.

use std::collections::HashMap;

use warpdiff_corpus::ListedVariant;
use warpdiff_expectations::cause::Failure;
use warpdiff_expectations::day::Day;
use warpdiff_expectations::entry::{Entry, Expected, Selected};
use warpdiff_expectations::in_force::InForce;
use warpdiff_expectations::profile::{Profile, named};
use warpdiff_judge::finding::Finding;
use warpdiff_judge::verdict_table::{Listed, Raw, Settled, settle};
use warpdiff_terminal::suggest::closest;

use crate::notice::{Notice, NoticeKind};
use crate::profile_notices::{self, ProfiledRun};
use crate::session::Session;
use crate::verdict::{Bearing, Listing, TargetVerdict, Verdict};

/// The corpus that a run is a part of: its variants, and the ids of its requirements.
#[derive(Clone, Copy, Debug)]
pub struct WholeCorpus<'c> {
    /// Every variant.
    pub variants: &'c [ListedVariant],
    /// Every id of a requirement.
    pub requirements: &'c [&'c str],
}

/// The facts by which entries select a variant.
pub(crate) fn selected<'v>(verdict: &'v Verdict<'_>) -> Selected<'v> {
    let Verdict { variant, instructions, .. } = verdict;
    Selected { id: &variant.id, covers: &variant.covers, instructions: Some(instructions) }
}

/// The uses of an entry in a session, over all of its targets.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    /// Targets for which it is in force.
    targets: usize,
    /// Verdicts that it is about.
    judged: usize,
    /// Those of them with a failure that it covers.
    covered: usize,
}

/// Notes the entries in the verdicts of a session, and returns what is out of date in them. `expected` has the entries of each target.
pub fn apply(
    expected: &[InForce<'_>],
    session: &mut Session<'_>,
    corpus: WholeCorpus<'_>,
    today: Day,
) -> Vec<Notice> {
    let mut entries: Vec<&Entry> = Vec::new();
    let mut uses: HashMap<*const Entry, Uses> = HashMap::new();
    for entry in expected.iter().flat_map(|of| &of.entries) {
        let uses = uses.entry(std::ptr::from_ref(*entry)).or_default();
        if uses.targets == 0 {
            entries.push(entry);
        }
        uses.targets += 1;
    }
    let mut passes: Vec<(String, Vec<&Entry>)> = Vec::new();
    for verdict in &mut session.verdicts {
        for (index, of) in expected.iter().enumerate() {
            let about = of.about(&selected(verdict));
            if verdict.targets[index].is_left_out() {
                continue;
            }
            if about.is_empty() {
                let elsewhere = would_cover(of, verdict, index);
                let target = &mut verdict.targets[index];
                let elsewhere = elsewhere.into_iter().map(|words| (Bearing::Elsewhere, words));
                target.listed = listing_by_profile(of.profile.as_ref(), target, elsewhere.collect());
                continue;
            }
            let reference = verdict.reference.raw;
            let target = &mut verdict.targets[index];
            for entry in &about {
                let Some(uses) = uses.get_mut(&std::ptr::from_ref(*entry)) else { continue };
                // A missing answer does not show that a failure is gone.
                uses.judged += usize::from(is_judged(reference, target));
                uses.covered +=
                    usize::from(target.findings.iter().any(|finding| entry.covers(&Failure::of(finding))));
            }
            let mut listing = listing(&about, target);
            listing.entries.extend(profile_entries(of.profile.as_ref(), target));
            if settle(target.raw, listing.how) == Settled::UnexpectedPass && is_judged(reference, target) {
                let fails = about.into_iter().filter(|entry| matches!(entry.expected, Expected::Fails(_)));
                let at_times = if target.raw == Raw::Flaky { " at times" } else { "" };
                let words =
                    format!("{} conforms{at_times} on {}", verdict.variant.id, session.targets[index]);
                passes.push((words, fails.collect()));
            }
            target.listed = Some(listing);
        }
    }
    let used = |entry: &Entry| uses.get(&std::ptr::from_ref(entry)).copied().unwrap_or_default();
    let stale: Vec<&Entry> =
        entries.iter().copied().filter(|e| is_stale(e, used(e), session, corpus)).collect();
    let is_stale = |entry: &Entry| stale.iter().any(|other| std::ptr::eq(*other, entry));
    let mut notices: Vec<Notice> = Vec::new();
    for (words, fails) in passes {
        // A stale entry is reported once, and not for each of its variants.
        if let Some(entry) = fails.iter().find(|entry| !is_stale(entry)) {
            notices.push(Notice {
                kind: NoticeKind::UnexpectedPass,
                words: format!("{words}; {}", entry.words()),
                location: entry.location.clone(),
            });
        }
    }
    for entry in &stale {
        let none = match used(entry).judged {
            1 => "the one verdict it is about does not fail like that".to_owned(),
            verdicts => format!("none of the {verdicts} verdicts it is about fails like that"),
        };
        let words = format!("{}; {none}: remove it", entry.words());
        notices.push(Notice { kind: NoticeKind::Stale, words, location: entry.location.clone() });
    }
    for entry in entries.iter().filter(|entry| matches_nothing(entry, session, corpus)) {
        notices.push(Notice {
            kind: NoticeKind::MatchesNothing,
            words: nothing(entry, corpus),
            location: entry.location.clone(),
        });
    }
    for entry in entries.iter().filter(|entry| entry.is_expired(today)) {
        let last = entry.expires.map_or_else(String::new, |last| last.to_string());
        let now = match (&entry.expected, used(entry).covered) {
            (Expected::Skips, _) => "its variants are still not run".into(),
            (_, 0) => "its failure did not occur today".into(),
            (_, 1) => "one verdict still fails like that".into(),
            (_, covered) => format!("{covered} verdicts still fail like that"),
        };
        let words = format!("{}; it held until {last}, and {now}: decide anew", entry.words());
        notices.push(Notice { kind: NoticeKind::Expired, words, location: entry.location.clone() });
    }
    // What a compiler does in some programs may be in those that this run has not.
    let is_whole = session.verdicts.len() == corpus.variants.len();
    for (index, of) in expected.iter().enumerate() {
        let Some(profile) = &of.profile else { continue };
        let run =
            ProfiledRun { target: &session.targets[index], index, verdicts: &session.verdicts, is_whole };
        notices.extend(profile_notices::of(profile, &run));
    }
    notices
}

/// How the profile of a target bears on what it did where no entry is about it.
fn listing_by_profile(
    profile: Option<&Profile>,
    target: &TargetVerdict,
    elsewhere: Vec<(Bearing, String)>,
) -> Option<Listing> {
    let mut listing = listing(&[], target);
    listing.entries = [elsewhere, profile_entries(profile, target)].concat();
    let is_empty = listing.entries.is_empty() && listing.how == Listed::No;
    (!is_empty).then_some(listing)
}

/// The entries of a profile that bear on what a target did on a variant, in words.
fn profile_entries(profile: Option<&Profile>, target: &TargetVerdict) -> Vec<(Bearing, String)> {
    let (Some(profile), Some(profiled)) = (profile, &target.profiled) else { return Vec::new() };
    let shows = profiled.shows.iter().filter_map(|deviation| Some(profile.deviation(*deviation)?.words()));
    let others = profiled.others.iter().filter_map(|(info, taken)| {
        let known = profile.choice(info.choice)?;
        Some(format!("{}; it was decided as {}", known.words(), named(info, taken)))
    });
    shows.chain(others).map(|words| (Bearing::Profile, words)).collect()
}

/// The entries that would cover a failure of this verdict under another device or driver, in words.
fn would_cover(of: &InForce<'_>, verdict: &Verdict<'_>, target: usize) -> Vec<String> {
    let selected = selected(verdict);
    let failures = verdict.targets[target].findings.iter().map(Failure::of);
    let mut words: Vec<String> = failures.flat_map(|failure| of.would_cover(&selected, &failure)).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether a verdict shows that a failure occurs or not.
fn is_judged(reference: Raw, target: &TargetVerdict) -> bool {
    let answered = !matches!(
        target.raw,
        Raw::NotRun | Raw::Unsupported | Raw::Broken | Raw::Contradicted | Raw::Indeterminate
    );
    answered && matches!(reference, Raw::Conforms | Raw::Unsupported)
}

/// How the entries about a variant cover what a target did.
pub(crate) fn listing(about: &[&Entry], target: &TargetVerdict) -> Listing {
    let holds = |entry: &Entry| match (&entry.expected, &target.repeated) {
        // It was run so often that a pass would have shown, if the stated rate were right.
        (Expected::Flakes { passes, .. }, Some(repeated)) => !repeated.refutes(*passes),
        _ => true,
    };
    let of_cause = |entry: &Entry| target.findings.iter().any(|finding| entry.covers(&Failure::of(finding)));
    let covered = |failure: &Failure| about.iter().any(|entry| entry.covers(failure) && holds(entry));
    let knows = |finding: &Finding| target.profiled.as_ref().is_some_and(|profiled| profiled.knows(finding));
    let is_covered = |finding: &Finding| covered(&Failure::of(finding));
    let uncovered = target.findings.iter().position(|finding| !is_covered(finding) && !knows(finding));
    let other_choice = target.profiled.as_ref().is_some_and(|profiled| !profiled.others.is_empty());
    let unlisted = if about.is_empty() { Listed::No } else { Listed::Otherwise };
    // An entry of `fails` about another cause does not turn a flake into a failure that is expected to occur always.
    let says_always = |entry: &Entry| match &entry.expected {
        Expected::Fails(_) => !target.raw.is_failure() || of_cause(entry),
        _ => false,
    };
    let fails = about.iter().any(|entry| says_always(entry));
    let how = match uncovered {
        Some(_) => unlisted,
        None if target.raw.is_failure() && target.findings.is_empty() => unlisted,
        None if fails => Listed::Fails,
        None if other_choice => Listed::OtherChoice,
        None if target.findings.iter().any(|finding| !is_covered(finding)) => Listed::Profiled,
        None if about.is_empty() => Listed::No,
        None => Listed::Flakes,
    };
    let bearing = |entry: &&Entry| match (of_cause(entry), holds(entry)) {
        (false, _) => (Bearing::OtherCause, entry.words()),
        (true, true) => (Bearing::Covers, entry.words()),
        (true, false) => (Bearing::TooRarely, format!("{}; it passes less often than that", entry.words())),
    };
    Listing { entries: about.iter().map(bearing).collect(), uncovered, how }
}

/// Whether every variant that the entry is about was judged on every target, and none fails as it says. A run of some of its variants
/// does not judge the others. An entry of `flakes` cannot be stale: one run without a failure shows nothing.
fn is_stale(entry: &Entry, uses: Uses, session: &Session<'_>, corpus: WholeCorpus<'_>) -> bool {
    if !matches!(entry.expected, Expected::Fails(_)) || uses.judged == 0 || uses.covered > 0 {
        return false;
    }
    let Some(variants) = variants_of(entry, session, corpus) else { return false };
    uses.judged == variants * uses.targets
}

/// Whether no variant of the corpus can match it.
fn matches_nothing(entry: &Entry, session: &Session<'_>, corpus: WholeCorpus<'_>) -> bool {
    variants_of(entry, session, corpus) == Some(0)
}

/// How many variants of the corpus an entry is about; `None` if that depends on instructions of variants that did not run.
fn variants_of(entry: &Entry, session: &Session<'_>, corpus: WholeCorpus<'_>) -> Option<usize> {
    let mut found = 0;
    if entry.selection.instructions.is_empty() {
        let of = |variant: &&ListedVariant| {
            entry.is_about(&Selected { id: &variant.id, covers: &variant.covers, instructions: None })
        };
        return Some(corpus.variants.iter().filter(of).count());
    }
    let ran: HashMap<&str, &Verdict<'_>> =
        session.verdicts.iter().map(|verdict| (verdict.variant.id.as_str(), verdict)).collect();
    for variant in corpus.variants {
        let instructions = ran.get(variant.id.as_str()).map(|verdict| &*verdict.instructions);
        let of = Selected { id: &variant.id, covers: &variant.covers, instructions };
        found += usize::from(entry.selection.selects(&of)?);
    }
    Some(found)
}

/// Says what an entry that matches nothing might mean.
fn nothing(entry: &Entry, corpus: WholeCorpus<'_>) -> String {
    let selection = &entry.selection;
    let requirement = selection.requirements.iter().map(|pattern| pattern.as_str()).find_map(|pattern| {
        let known = corpus.requirements.contains(&pattern) || pattern.contains('*');
        (!known).then(|| closest(pattern, corpus.requirements.iter().copied())).flatten()
    });
    let part = selection.variants.iter().find(|pattern| {
        !pattern.as_str().contains('*') && corpus.variants.iter().any(|variant| pattern.matches(&variant.id))
    });
    let hint = match (requirement, part) {
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, Some(part)) => {
            format!("; a pattern without `*` is the whole id: `*{}*` matches a part", part.as_str())
        }
        (None, None) => String::new(),
    };
    format!("{}: no variant of the corpus has {}{hint}", entry.place(), selection.words())
}

//! Says what of a profile does not hold in a run: deviations that do not show where they would, and choices decided otherwise.

use warpdiff_expectations::profile::{KnownChoice, KnownDeviation, Profile, named};

use crate::notice::{Notice, NoticeKind};
use crate::profiled::Profiled;
use crate::verdict::Verdict;

/// The verdicts of one target of a run.
#[derive(Clone, Copy)]
pub(crate) struct ProfiledRun<'r, 'a> {
    /// The name of the target.
    pub(crate) target: &'r str,
    /// Its place among the targets.
    pub(crate) index: usize,
    /// All verdicts of the run.
    pub(crate) verdicts: &'r [Verdict<'a>],
    /// Whether these are all variants of the corpus.
    pub(crate) is_whole: bool,
}

/// The notices about the profile of a target.
pub(crate) fn of(profile: &Profile, run: &ProfiledRun<'_, '_>) -> Vec<Notice> {
    let stale = profile.deviations.iter().filter(|known| run.is_whole || !known.deviation.entry().optional);
    let stale = stale.filter_map(|known| run.stale(known));
    let others = profile.choices.iter().filter_map(|known| run.decided_otherwise(known));
    stale.chain(others).collect()
}

impl<'r> ProfiledRun<'r, '_> {
    /// The ids of the variants of which this holds.
    fn variants(&self, holds: impl Fn(&Profiled) -> bool) -> Vec<&'r str> {
        self.verdicts
            .iter()
            .filter(|verdict| verdict.targets[self.index].profiled.as_ref().is_some_and(&holds))
            .map(|verdict| verdict.variant.id.as_str())
            .collect()
    }

    /// That a deviation does not show in variants in which it would.
    fn stale(&self, known: &KnownDeviation) -> Option<Notice> {
        let missed = self.variants(|profiled| profiled.misses.contains(&known.deviation));
        let shown = self.variants(|profiled| profiled.shows.contains(&known.deviation)).len();
        let first = missed.first()?;
        let (target, name) = (self.target, known.deviation.name());
        let words = match (shown, missed.len()) {
            (0, 1) => format!("{target} does not show {name} in the one variant that would: {first}"),
            (0, all) => {
                format!(
                    "{target} shows {name} in none of the {all} variants that would show it, such as {first}"
                )
            }
            (shown, missed) => {
                let all = shown + missed;
                format!(
                    "{target} shows {name} in {shown} of the {all} variants that would show it, and not in {first}"
                )
            }
        };
        let words = format!("{}; {words}", known.words());
        Some(Notice { kind: NoticeKind::StaleProfile, words, location: known.known.location.clone() })
    }

    /// That variants show another alternative of a choice.
    fn decided_otherwise(&self, known: &KnownChoice) -> Option<Notice> {
        let of = |profiled: &'r Profiled| {
            profiled.others.iter().find(|(info, _)| info.choice == known.info.choice).map(|(_, taken)| taken)
        };
        let otherwise: Vec<_> = self
            .verdicts
            .iter()
            .filter_map(|v| Some((v.variant.id.as_str(), of(v.targets[self.index].profiled.as_ref()?)?)))
            .collect();
        let (first, taken) = otherwise.first()?;
        let target = self.target;
        let taken = named(known.info, taken);
        let words = match otherwise.len() {
            1 => format!("{target} decided it as {taken} in {first}"),
            all => format!("{target} decided it otherwise in {all} variants, such as {first}: {taken}"),
        };
        let words = format!("{}; {words}", known.words());
        Some(Notice { kind: NoticeKind::OtherChoice, words, location: known.known.location.clone() })
    }
}

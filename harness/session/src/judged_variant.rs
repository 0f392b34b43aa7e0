//! A variant of a run as a diagnosis sees it: what the target did, and whether deviations fit that.

use std::collections::BTreeSet;
use std::sync::Arc;

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::diagnose::{Refutation, is_comparable, predicts, refutation, spoiling};
use warpdiff_judge::finding::{Finding, RefutedBy, RefutedDeviation, counterexample};
use warpdiff_judge::reference::{Programs, Unit};
use warpdiff_judge::shown_by::{may_show, may_show_in_authored, may_show_in_family};
use warpdiff_model::{Deviation, Semantics};
use warpdiff_targets::Answer;

use crate::kept_observations::KeptObservations;
use crate::replays::{Launches, Replay, Replays};
use crate::verdict::TargetVerdict;

/// A variant with what a target did.
pub(crate) struct JudgedVariant<'r, 'a> {
    pub(crate) variant: &'a Variant,
    pub(crate) instructions: &'r BTreeSet<String>,
    pub(crate) earned: &'r TargetVerdict,
    pub(crate) kept: Option<&'r KeptObservations>,
    pub(crate) rows: usize,
    /// The deviations that explain it by itself, the likeliest first. Not all of them are known: see [`mod@crate::screening`].
    pub(crate) explained: Vec<Deviation>,
    /// If it is wrong: the family of the instruction that it is put down to.
    pub(crate) family: Option<String>,
    /// The deviation that explains most of it, if it was asked for and there is none that explains it.
    pub(crate) nearest: Option<RefutedDeviation>,
    pub(crate) replay: Replay<'a>,
    pub(crate) replays: Arc<Replays>,
}

/// How deviations fit the observations.
#[derive(Clone)]
pub(crate) enum Standing {
    Fits,
    /// A variant is wrong in what they leave open, which refutes them unless another one shows them.
    Silent(RefutedDeviation),
    /// A variant refutes them.
    RefutedDeviation(RefutedDeviation),
    /// Not everything could be checked, for this reason.
    Unchecked(String),
}

impl Standing {
    /// Whether nothing refutes them, and something that is wrong does not speak for them.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Self::Silent(_))
    }
}

impl<'a> JudgedVariant<'_, 'a> {
    /// Its launches with their answers. `None` if these were too large to keep.
    pub(crate) fn launches(&self) -> Option<Launches<'a>> {
        self.replay.launches(self.kept?, self.variant, &self.replays)
    }

    /// The first finding that shows semantics: a crash shows none, nor does what is right in a module of its own.
    pub(crate) fn telling(&self) -> Option<&Finding> {
        if self.earned.right_alone {
            return None;
        }
        self.earned.findings.iter().find(|finding| !finding.raw.is_of_a_process())
    }

    /// The family of the instruction that its findings name.
    pub(crate) fn blamed_family(&self) -> Option<String> {
        self.telling()?.site.as_ref().map(|site| site.family.clone())
    }

    /// Whether its findings are put down to the same instructions with these deviations as without.
    pub(crate) fn keeps_sites_with(&self, deviations: &[Deviation]) -> bool {
        let Some(deviation) = deviations.first() else { return true };
        let mut programs = Programs::among(&self.replays.programs);
        let mut last: Option<&Finding> = None;
        let at = |finding: &Finding| finding.site.as_ref().map(|site| site.start);
        let of_semantics = self.earned.findings.iter().filter(|finding| !finding.raw.is_of_a_process());
        for finding in of_semantics {
            let like_last = |last: &Finding| at(last) == at(finding) && last.program == finding.program;
            if last.is_some_and(like_last) {
                continue;
            }
            let (Some(site), Ok(compiled)) = (&finding.site, programs.get(&finding.program)) else {
                return false;
            };
            if !site.shows(*deviation, &compiled) {
                return false;
            }
            last = Some(finding);
        }
        true
    }

    /// Whether the target answered it, and its program has an instruction of the family.
    pub(crate) fn answered_with(&self, family: &str) -> bool {
        let TargetVerdict { raw, findings, .. } = self.earned;
        self.kept.is_some() && (raw.is_right() || !findings.is_empty()) && self.instructions.contains(family)
    }

    /// Whether the emulator with these deviations leaves, in a run of its own, just what was observed. Then they fit it, whatever they leave open:
    /// see [`warpdiff_judge::diagnose`].
    pub(crate) fn is_own_run_of(&self, set: &[Deviation]) -> bool {
        let semantics = set.iter().fold(Semantics::default(), |all, deviation| all.with(*deviation));
        self.kept.is_some_and(|kept| kept.are_of_own_run(self.variant, &semantics, &self.replays.programs))
    }

    /// Whether an author wrote an instruction into one of its programs that can show the deviation.
    pub(crate) fn is_authored(&self, deviation: Deviation) -> bool {
        let Work::Launches(launches) = &self.variant.work else { return false };
        let mut programs = Programs::among(&self.replays.programs);
        launches.iter().any(|planned| {
            let compiled = programs.get(&planned.launch.program);
            compiled.is_ok_and(|of| may_show_in_authored(deviation, &of.checked, &planned.map))
        })
    }

    /// How the variant fits each of these sets of deviations.
    pub(crate) fn against(&self, family: Option<&str>, sets: &[&[Deviation]]) -> Vec<Standing> {
        // A right variant stays right under deviations that cannot show in it.
        if self.earned.findings.is_empty() && sets.iter().all(|set| !self.may_show(set)) {
            return vec![Standing::Fits; sets.len()];
        }
        // What explains the variant by itself admits everything observed of it.
        let explains = |set: &&[Deviation]| matches!(set, [one] if self.explained.contains(one));
        let is_beside = self.is_wrong_otherwise(family);
        let fits: Vec<bool> =
            sets.iter().map(|set| explains(set) || !is_beside && self.is_own_run_of(set)).collect();
        if fits.iter().all(|fits| *fits) {
            return vec![Standing::Fits; sets.len()];
        }
        let Some(launches) = self.launches() else {
            let why =
                format!("not checked against {}: its observations were too large to keep", self.variant.id);
            return vec![Standing::Unchecked(why); sets.len()];
        };
        let of_set = |(set, fits): (&&[Deviation], bool)| {
            if fits {
                return Standing::Fits;
            }
            let semantics = set.iter().fold(Semantics::default(), |all, deviation| all.with(*deviation));
            let refutes = if is_beside { spoiling } else { refutation };
            let mut silent = None;
            for (unit, answer) in launches.iter() {
                if !is_comparable(unit, &answer.observation) {
                    continue;
                }
                let Some(refutation) = refutes(unit, &answer.observation, &semantics) else { continue };
                let by = || self.named(family, set[0], unit, answer, &refutation);
                if !refutation.is_silent {
                    return Standing::RefutedDeviation(by());
                }
                silent = silent.or_else(|| Some(by()));
            }
            silent.map_or(Standing::Fits, Standing::Silent)
        };
        sets.iter().zip(fits).map(of_set).collect()
    }

    /// Whether the variant is wrong because of another family. Then its instructions of this family are right, and a deviation of
    /// the family must not make them wrong.
    pub(crate) fn is_wrong_otherwise(&self, family: Option<&str>) -> bool {
        let of = self.family.as_deref();
        family.is_some() && of.is_some() && of != family
    }

    /// Whether it is right, or wrong because of another family.
    pub(crate) fn does_right(&self, is_other: impl Fn(&String) -> bool) -> bool {
        let TargetVerdict { raw, findings, .. } = self.earned;
        let launches = matches!(self.variant.work, Work::Launches(_));
        launches && (raw.is_right() && findings.is_empty() || self.family.as_ref().is_some_and(is_other))
    }

    /// Whether one of the deviations can show in its programs.
    pub(crate) fn may_show(&self, set: &[Deviation]) -> bool {
        self.show(&[set])[0]
    }

    /// Of several sets whether one of its deviations can show in the programs of the variant.
    pub(crate) fn show(&self, sets: &[&[Deviation]]) -> Vec<bool> {
        let Work::Launches(launches) = &self.variant.work else { return vec![false; sets.len()] };
        let mut programs: Vec<_> = launches.iter().map(|planned| &planned.launch.program).collect();
        programs.dedup();
        let mut known = Programs::among(&self.replays.programs);
        let mut shown = vec![false; sets.len()];
        for text in programs {
            if shown.iter().all(|shows| *shows) {
                break;
            }
            let Ok(compiled) = known.get(text) else { continue };
            for (set, shows) in sets.iter().zip(&mut shown) {
                *shows = *shows || set.iter().any(|deviation| may_show(*deviation, &compiled.checked));
            }
        }
        shown
    }

    /// Whether an author wrote an instruction into it that can show one of the deviations, as far as opcodes say.
    pub(crate) fn has_instruction_for(&self, set: &[Deviation]) -> bool {
        set.iter().any(|deviation| self.instructions.iter().any(|of| may_show_in_family(*deviation, of)))
    }

    /// Whether the deviations of each set together predict everything observed of it.
    pub(crate) fn predicted_by<'d>(&self, sets: impl Iterator<Item = &'d [Deviation]>) -> Vec<bool> {
        let mut sets = sets.peekable();
        if sets.peek().is_none() {
            return Vec::new();
        }
        let speaks = |(unit, answer): &(Unit<'_>, Answer)| is_comparable(unit, &answer.observation);
        let launches = self.launches().unwrap_or_default();
        let of_set = |set: &[Deviation]| {
            let semantics = set.iter().fold(Semantics::default(), |all, deviation| all.with(*deviation));
            let mut launches = launches.iter().filter(|it| speaks(it));
            launches.all(|(unit, answer)| predicts(unit, &answer.observation, &semantics))
        };
        sets.map(of_set).collect()
    }

    /// The first launch of it that refutes a deviation.
    pub(crate) fn refutation_of(
        &self,
        family: Option<&str>,
        deviation: Deviation,
    ) -> Option<RefutedDeviation> {
        let semantics = Semantics::default().with(deviation);
        let launches = self.launches()?;
        let mut comparable =
            launches.iter().filter(|(unit, answer)| is_comparable(unit, &answer.observation));
        comparable.find_map(|(unit, answer)| {
            let refutation = refutation(unit, &answer.observation, &semantics)?;
            Some(self.named(family, deviation, unit, answer, &refutation))
        })
    }

    /// The report that a launch of it refutes a deviation.
    fn named(
        &self,
        family: Option<&str>,
        deviation: Deviation,
        unit: &Unit<'_>,
        answer: &Answer,
        refutation: &Refutation,
    ) -> RefutedDeviation {
        RefutedDeviation {
            deviation,
            by: RefutedBy::Variant { id: self.variant.id.clone(), instruction: family.map(Into::into) },
            example: counterexample(unit, &answer.observation, refutation),
        }
    }
}

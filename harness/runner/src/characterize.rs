//! What does a target do where the specification leaves the choice? Every launch of the corpus whose outcome depends on a choice
//! is an experiment: the alternatives under which the outcome is the observed one are those the target may have taken.

use std::collections::BTreeMap;

use rayon::prelude::*;
use warpdiff_model::semantics::ChoiceInfo;
use warpdiff_model::{Admission, Allowed, Choice, Observation, Outcome};

use crate::experiment::{self, Told};
use crate::plan::{Variant, Work};
use crate::reference::{Programs, Unit, units};
use crate::target::Target;

/// What the experiments say of one choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Launches that show an alternative, by its index.
    pub taken: BTreeMap<u8, usize>,
    /// Launches whose outcome several alternatives explain.
    pub open: usize,
    /// Launches whose outcome no alternative explains, a mixture within one launch included.
    pub neither: usize,
    /// Launches that the target did not run.
    pub not_run: usize,
}

/// What a target does where the specification leaves it open.
#[derive(Clone, Debug, Default)]
pub struct Character {
    /// The tallies of all choices, in the order of [`Choice::ALL`].
    pub choices: Vec<(&'static ChoiceInfo, Tally)>,
    /// The answers to the questions of cases, in the order of the corpus.
    pub told: Vec<Told>,
}

/// Puts every launch to the target that depends on a choice, or whose case asks a question. `done` is called after each variant, from any thread.
pub fn characterize(variants: &[&Variant], target: &dyn Target, done: &(dyn Fn() + Sync)) -> Character {
    let one = |variant: &&Variant| {
        let found = experiments(variant, target);
        done();
        found
    };
    let all: Vec<(Vec<Tally>, Option<Told>)> = variants.par_iter().map(one).collect();
    let sum = |index: usize| {
        let mut total = Tally::default();
        all.iter().for_each(|(tallies, _)| total.add(&tallies[index]));
        total
    };
    let choices = Choice::ALL.iter().enumerate().map(|(index, info)| (info, sum(index))).collect();
    Character { choices, told: all.into_iter().filter_map(|(_, told)| told).collect() }
}

fn experiments(variant: &Variant, target: &dyn Target) -> (Vec<Tally>, Option<Told>) {
    let mut tallies = vec![Tally::default(); Choice::COUNT];
    let Work::Launches(launches) = &variant.work else { return (tallies, None) };
    let mut answers = Vec::new();
    let mut programs = Programs::default();
    // What the reference cannot answer is reported by `run`; it is no experiment.
    let asked = launches.iter().filter_map(|launch| units(launch, &mut programs).ok());
    for unit in asked.flatten().collect::<Vec<Unit<'_>>>() {
        let open = |info: &&ChoiceInfo| alternatives(&unit.allowed.outcomes, info.choice).len() > 1;
        let choices: Vec<_> = Choice::ALL.iter().filter(open).collect();
        if choices.is_empty() && variant.question.is_none() {
            continue;
        }
        let observation = target.observe(unit.question(&variant.id));
        for info in choices {
            tallies[info.choice as usize].note(&unit.allowed, info.choice, &observation);
        }
        answers.extend(experiment::answers(&unit.planned, &observation));
    }
    let told = variant.question.clone();
    (tallies, told.map(|question| Told { question, variant: variant.id.clone(), answers }))
}

/// The alternatives of a choice that lead to the outcomes.
fn alternatives<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>, choice: Choice) -> Vec<u8> {
    let mut all: Vec<u8> = outcomes.into_iter().map(|outcome| outcome.assignment.get(choice)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The alternatives of a choice that outcomes speak for. An outcome is computed under some alternative of every choice, but speaks
/// for it only if the other alternative, everything else being equal, leads elsewhere; otherwise the choice did not come up.
fn explained<'a>(allowed: &Allowed, outcomes: impl Iterator<Item = &'a Outcome>, choice: Choice) -> Vec<u8> {
    let count = u8::try_from(choice.info().alternatives.len()).unwrap_or(u8::MAX);
    let came_up = |outcome: &Outcome| {
        let mut others = (0..count).filter(|other| *other != outcome.assignment.get(choice));
        others.any(|other| {
            let sibling = outcome.assignment.with(choice, other);
            allowed.outcomes.iter().any(|outcome| outcome.assignment == sibling)
        })
    };
    let each = outcomes.flat_map(|outcome| match came_up(outcome) {
        true => vec![outcome.assignment.get(choice)],
        false => (0..count).collect(),
    });
    let mut all: Vec<u8> = each.collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Tally {
    fn note(&mut self, allowed: &Allowed, choice: Choice, observation: &Observation) {
        if matches!(observation, Observation::NotRun { .. } | Observation::Unsupported { .. }) {
            self.not_run += 1;
            return;
        }
        let explains = |outcome: &&Outcome| {
            let alone =
                Allowed { outcomes: vec![(*outcome).clone()], tolerances: allowed.tolerances.clone() };
            matches!(alone.admits(observation), Admission::Conforms { .. })
        };
        match explained(allowed, allowed.outcomes.iter().filter(explains), choice).as_slice() {
            [] => self.neither += 1,
            [one] => *self.taken.entry(*one).or_default() += 1,
            _ => self.open += 1,
        }
    }

    fn add(&mut self, other: &Tally) {
        other.taken.iter().for_each(|(index, count)| *self.taken.entry(*index).or_default() += count);
        self.open += other.open;
        self.neither += other.neither;
        self.not_run += other.not_run;
    }

    /// What the target chooses, in words.
    pub fn words(&self, info: &ChoiceInfo) -> String {
        let name = |index: &u8| info.alternatives.get(usize::from(*index)).copied().unwrap_or("?");
        let taken: Vec<_> = self.taken.keys().map(name).collect();
        match (taken.as_slice(), self.neither) {
            ([], 0) if self.not_run > 0 => "not run".into(),
            ([], 0) if self.open > 0 => "not to be told from these cases".into(),
            ([], 0) => "no case asks".into(),
            ([], _) => "none of the alternatives".into(),
            ([one], 0) => (*one).into(),
            ([one], _) => format!("{one}, and sometimes none of the alternatives"),
            (several, _) => format!("inconsistent: {}", several.join(" and ")),
        }
    }
}

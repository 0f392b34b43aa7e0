//! Finds out which alternative of each choice a target takes. Every launch whose outcome depends on a choice is an experiment: the
//! target may have taken the alternatives whose outcome is the observed one.

use std::collections::BTreeMap;

use rayon::prelude::*;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::reference::{Programs, Unit, units};
use warpdiff_model::allowed::Permits;
use warpdiff_model::choice::ChoiceInfo;
use warpdiff_model::{Admission, Allowed, Choice, Observation, Outcome, Permitted, Semantics, Tolerance};
use warpdiff_targets::{Question, Target};

use crate::batches::{self, Waiting};
use crate::question_answers::{self, QuestionAnswers};

/// The results of the experiments on one choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChoiceTally {
    /// Launches that show an alternative, by its index.
    pub taken: BTreeMap<u8, usize>,
    /// Launches whose outcome several alternatives explain.
    pub open: usize,
    /// Launches whose outcome no alternative explains, a mixture within one launch included.
    pub neither: usize,
    /// Launches that the target did not run.
    pub not_run: usize,
}

/// The alternatives that a target takes, and its answers to questions.
#[derive(Clone, Debug, Default)]
pub struct Character {
    /// The tallies of all choices, in the order of [`Choice::ALL`].
    pub choices: Vec<(&'static ChoiceInfo, ChoiceTally)>,
    /// The answers to the questions of cases, in the order of the corpus.
    pub question_answers: Vec<QuestionAnswers>,
}

/// Runs every launch that depends on a choice, or whose case has a `question`. `done` is called after each variant, from any
/// thread.
pub fn characterize(variants: &[&Variant], target: &dyn Target, done: &(dyn Fn() + Sync)) -> Character {
    let all: Vec<(Vec<ChoiceTally>, Option<QuestionAnswers>)> =
        batches::chunks(variants).into_iter().flat_map(|chunk| found(chunk, target, done)).collect();
    let sum = |index: usize| {
        let mut total = ChoiceTally::default();
        all.iter().for_each(|(tallies, _)| total.add(&tallies[index]));
        total
    };
    let choices = Choice::ALL.iter().enumerate().map(|(index, info)| (info, sum(index))).collect();
    Character { choices, question_answers: all.into_iter().filter_map(|(_, answers)| answers).collect() }
}

impl Character {
    /// Whether there are experiments, and the target ran none of them.
    pub fn ran_nothing(&self) -> bool {
        let ran = |tally: &ChoiceTally| tally.taken.values().sum::<usize>() + tally.open + tally.neither > 0;
        let tallies = || self.choices.iter().map(|(_, tally)| tally);
        self.question_answers.is_empty() && !tallies().any(ran) && tallies().any(|tally| tally.not_run > 0)
    }
}

/// A launch, and the choices that its outcome depends on.
struct Experiment<'a> {
    unit: Unit<'a>,
    choices: Vec<&'static ChoiceInfo>,
}

/// The results of the variants, in their order: all of their launches go to the target at once.
fn found(
    variants: &[&Variant],
    target: &dyn Target,
    done: &(dyn Fn() + Sync),
) -> Vec<(Vec<ChoiceTally>, Option<QuestionAnswers>)> {
    let planned: Vec<Vec<Experiment<'_>>> = variants.par_iter().map(|variant| experiments(variant)).collect();
    let waiting = Waiting::new(planned.iter().map(Vec::len), done);
    let all = || variants.iter().zip(&planned).enumerate();
    let places: Vec<usize> =
        all().flat_map(|(place, (_, experiments))| experiments.iter().map(move |_| place)).collect();
    let questions: Vec<Question<'_>> = all()
        .flat_map(|(_, (variant, experiments))| {
            experiments.iter().map(|e| Question::of(&e.unit, &variant.id))
        })
        .collect();
    let answers = batches::answers(&questions, target, &|index| waiting.answered(places[index]));
    let mut observations = answers.into_iter().map(|answer| answer.observation);
    let tell = |(_, (variant, experiments)): (usize, (&&Variant, &Vec<Experiment<'_>>))| {
        evaluated(variant, experiments, &mut observations)
    };
    all().map(tell).collect()
}

/// The experiments of a variant.
fn experiments(variant: &Variant) -> Vec<Experiment<'_>> {
    let Work::Launches(launches) = &variant.work else { return Vec::new() };
    let mut programs = Programs::default();
    // `run` reports launches that the reference cannot run; they are no experiments.
    let units = launches.iter().filter_map(|launch| units(launch, &mut programs).ok()).flatten();
    let all = units.map(|unit| Experiment { choices: choices(&unit.allowed), unit });
    all.filter(|experiment| !experiment.choices.is_empty() || variant.question.is_some()).collect()
}

/// The choices that the outcome of a launch depends on.
fn choices(allowed: &Allowed) -> Vec<&'static ChoiceInfo> {
    let open = |info: &&ChoiceInfo| match info.choice {
        Choice::SustNormalised => allowed.outcomes.iter().any(has_rounded),
        choice => alternatives(&allowed.outcomes, choice).len() > 1,
    };
    Choice::ALL.iter().filter(open).collect()
}

/// Whether the outcome permits two roundings of some component.
fn has_rounded(outcome: &Outcome) -> bool {
    let Permitted::Completed { state } = &outcome.permitted else { return false };
    let mut values = state.regions.iter().flat_map(|region| &region.values);
    values.any(|value| matches!(value.permitted, Permits::Either(_)))
}

/// The results of a variant's experiments for each choice, and the answers to its question.
fn evaluated(
    variant: &Variant,
    experiments: &[Experiment<'_>],
    observations: &mut dyn Iterator<Item = Observation>,
) -> (Vec<ChoiceTally>, Option<QuestionAnswers>) {
    let mut tallies = vec![ChoiceTally::default(); Choice::COUNT];
    let mut answers = Vec::new();
    for (Experiment { unit, choices }, observation) in experiments.iter().zip(observations) {
        if !choices.is_empty() {
            let outcomes = all_outcomes(unit, Semantics::default());
            let ran = !matches!(observation, Observation::NotRun { .. } | Observation::Unsupported { .. });
            let matching = ran.then(|| matching(&outcomes, &unit.allowed.tolerances, &observation));
            for info in choices {
                tallies[info.choice as usize].note(&outcomes, matching.as_deref(), info.choice);
            }
        }
        answers.extend(question_answers::answers(&unit.planned, &observation));
    }
    let question = variant.question.as_deref().map(str::to_owned);
    (tallies, question.map(|question| QuestionAnswers { question, variant: variant.id.clone(), answers }))
}

/// The alternatives of a choice that lead to the outcomes.
fn alternatives<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>, choice: Choice) -> Vec<u8> {
    let mut all: Vec<u8> = outcomes.into_iter().map(|outcome| outcome.assignment.get(choice)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The alternatives that explain what a target with these deviations did in a launch, of each choice in `wanted` that its outcome depends
/// on; none of a choice if no alternative explains it.
pub(crate) fn alternatives_taken(
    unit: &Unit<'_>,
    observation: &Observation,
    semantics: Semantics,
    wanted: impl Fn(&ChoiceInfo) -> bool,
) -> Vec<(&'static ChoiceInfo, Vec<u8>)> {
    let open = choices(&unit.allowed).into_iter().filter(|info| wanted(info));
    let open: Vec<&'static ChoiceInfo> = open.collect();
    if open.is_empty() {
        return Vec::new();
    }
    let outcomes = all_outcomes(unit, semantics);
    let matching = matching(&outcomes, &unit.allowed.tolerances, observation);
    open.into_iter().map(|info| (info, explained(&outcomes, &matching, info.choice))).collect()
}

/// The outcomes of a launch under every assignment, equal ones included.
fn all_outcomes(unit: &Unit<'_>, semantics: Semantics) -> Vec<Outcome> {
    let (program, planned) = (&unit.compiled.program, &unit.planned);
    let outcomes = warpdiff_emulator::by_assignment(program, &planned.launch, &semantics, u64::MAX);
    let mut all = Allowed { outcomes: outcomes.unwrap_or_default(), tolerances: Vec::new() };
    all.judge_logs(&planned.logs);
    all.judge_permutations(&planned.permutations());
    all.outcomes
}

/// The outcomes that admit an observation, reduced to those with the fewest undefined bits: an alternative that fixes the observed
/// value explains it better than one that leaves it undefined.
fn matching<'a>(
    outcomes: &'a [Outcome],
    tolerances: &[Tolerance],
    observation: &Observation,
) -> Vec<&'a Outcome> {
    let admits = |outcome: &&Outcome| {
        let alone = Allowed { outcomes: vec![(*outcome).clone()], tolerances: tolerances.to_vec() };
        matches!(alone.admits(observation), Admission::Conforms { .. })
    };
    let matching: Vec<_> = outcomes.iter().filter(admits).collect();
    let most = matching.iter().map(|outcome| fixed_bits(outcome)).max();
    matching.into_iter().filter(|outcome| Some(fixed_bits(outcome)) == most).collect()
}

/// The number of bits that an outcome fixes.
fn fixed_bits(outcome: &Outcome) -> u64 {
    let Permitted::Completed { state } = &outcome.permitted else { return 0 };
    let bytes = state.regions.iter().flat_map(|region| region.defined.iter().zip(&*region.unordered));
    bytes.map(|(defined, unordered)| u64::from((defined & !unordered).count_ones())).sum()
}

/// The alternatives of a choice that explain the matching outcomes. An outcome is computed under one alternative of every choice;
/// other alternatives with the same outcome explain it as well.
fn explained(outcomes: &[Outcome], matching: &[&Outcome], choice: Choice) -> Vec<u8> {
    let count = u8::try_from(choice.info().alternatives.len()).unwrap_or(u8::MAX);
    let same = |a: &Outcome, b: &Outcome| a.permitted == b.permitted && a.may == b.may;
    let speaks_for = |outcome: &Outcome, alternative: u8| {
        let assignment = outcome.assignment.with(choice, alternative);
        let mut siblings = outcomes.iter().filter(|sibling| sibling.assignment == assignment).peekable();
        // A choice that was not consulted has no further runs.
        siblings.peek().is_none() || siblings.any(|sibling| same(sibling, outcome))
    };
    (0..count).filter(|index| matching.iter().any(|outcome| speaks_for(outcome, *index))).collect()
}

impl ChoiceTally {
    /// Counts a launch, given its outcomes under all assignments, and those that admit the observation, if the target ran it.
    fn note(&mut self, outcomes: &[Outcome], matching: Option<&[&Outcome]>, choice: Choice) {
        let Some(matching) = matching else {
            self.not_run += 1;
            return;
        };
        match explained(outcomes, matching, choice).as_slice() {
            [] => self.neither += 1,
            [one] => *self.taken.entry(*one).or_default() += 1,
            _ => self.open += 1,
        }
    }

    fn add(&mut self, other: &ChoiceTally) {
        other.taken.iter().for_each(|(index, count)| *self.taken.entry(*index).or_default() += count);
        self.open += other.open;
        self.neither += other.neither;
        self.not_run += other.not_run;
    }

    /// The choice of the target, in words.
    pub fn words(&self, info: &ChoiceInfo) -> String {
        let name = |index: &u8| info.alternatives.get(usize::from(*index)).copied().unwrap_or("?");
        let taken: Vec<_> = self.taken.keys().map(name).collect();
        match (taken.as_slice(), self.neither) {
            ([], 0) if self.not_run > 0 => "not run".into(),
            ([], 0) if self.open > 0 => "these cases do not tell".into(),
            ([], 0) => "no case depends on it".into(),
            ([], _) => "none of the alternatives".into(),
            ([one], 0) => (*one).into(),
            ([one], _) => format!("{one}, and sometimes none of the alternatives"),
            (several, _) => format!("inconsistent: {}", several.join(" and ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use warpdiff_targets::{Answer, EmulatorTarget};

    use super::*;

    /// The emulator with another choice, asked many launches at once and answering them backwards.
    struct Backwards(EmulatorTarget);

    impl Target for Backwards {
        fn name(&self) -> &str {
            "backwards"
        }

        fn observe(&self, _question: Question<'_>) -> Observation {
            panic!("it is to be asked many at once")
        }

        fn batches(&self) -> bool {
            true
        }

        fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
            for (index, question) in questions.iter().enumerate().rev() {
                answered(index, self.0.observe(*question).into());
            }
        }
    }

    #[test]
    fn a_target_that_is_asked_many_at_once_has_the_character_of_one_that_is_not() {
        let corpus = warpdiff_corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases"))
            .unwrap_or_else(|errors| panic!("{}", errors.render(false)));
        let asks = |variant: &&Variant| variant.id.starts_with("experiments/misaligned/");
        let variants: Vec<_> = corpus.variants.iter().filter(asks).collect();
        let faulting = Choice::ALL.iter().find(|info| info.name == "surface.misaligned").unwrap();
        let one = faulting.alternatives.iter().position(|name| *name == "fault").unwrap() as u8;
        let usual = Semantics::default();
        let emulator = EmulatorTarget::new(usual.under(usual.assignment.with(faulting.choice, one)));
        let done = AtomicUsize::new(0);
        let count = || {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let many = characterize(&variants, &Backwards(emulator.clone()), &count);
        assert_eq!(done.into_inner(), variants.len());
        let alone = characterize(&variants, &emulator, &|| ());
        let tallies = |of: &Character| of.choices.iter().map(|(_, tally)| tally.clone()).collect::<Vec<_>>();
        assert_eq!((tallies(&many), &many.question_answers), (tallies(&alone), &alone.question_answers));
        let (_, tally) = many.choices.iter().find(|(info, _)| info.choice == faulting.choice).unwrap();
        assert!(tally.taken.len() == 1 && tally.taken[&one] > 0, "{tally:?}");
    }
}

//! A target behind a layer, which may answer in its place, replace launches, or listen to its answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_emulator::Compiled;
use warpdiff_judge::assembled::Assembled;
use warpdiff_judge::machine_code::MachineCode;
use warpdiff_model::Observation;
use warpdiff_recordings::index::Index;

use super::{Answer, Effort, Exposure, Question, Target};

/// A layer before a target. The defaults change nothing.
pub trait Layer: Send + Sync {
    /// The layer's own answer; `None` to ask the target.
    fn instead(&self, _question: &Question<'_>) -> Option<Observation> {
        None
    }

    /// Substitute question for a target without SPA support, or the answer if there is none. `None`: the question stays as it is.
    fn rephrase(&self, _question: &Question<'_>) -> Option<Result<Rephrased, Observation>> {
        None
    }

    /// Whether one more launch that may fault can be run beside those of the run.
    fn may_fault_again(&self) -> bool {
        true
    }

    /// Called with the target's answer.
    fn hear(&self, _question: &Question<'_>, _observation: &Observation) {}

    /// Called with the answer of an assembler of this dialect.
    fn hear_assembled(&self, _program: &str, _dialect: &str, _assembled: &Assembled) {}

    /// The recording that the target is compared with, if this layer has one.
    fn recording(&self) -> Option<&Index> {
        None
    }

    /// Limit of launches that the target is given at a time. [`Self::instead`] is called for all of them just before.
    fn lot(&self) -> usize {
        usize::MAX
    }
}

/// A substitute question.
pub struct Rephrased {
    /// The launch.
    pub planned: PlannedLaunch,
    /// Its program, compiled.
    pub compiled: Arc<Compiled>,
}

impl Rephrased {
    /// The substitute as a question of the same variant.
    fn question<'a>(&'a self, original: &Question<'a>) -> Question<'a> {
        // What is allowed is of the launch that it stands for.
        let program = Some(&self.compiled.program);
        Question { planned: &self.planned, program, allowed: None, ..*original }
    }
}

/// A target with a layer before it.
pub struct Layered<L> {
    inner: Box<dyn Target>,
    layer: L,
}

impl<L: Layer> Layered<L> {
    /// The target behind this layer.
    pub fn new(inner: Box<dyn Target>, layer: L) -> Self {
        Self { inner, layer }
    }

    /// The substitute question for the target, or the answer in its place; `None` if the question stays.
    fn rephrased(&self, question: &Question<'_>) -> Option<Result<Rephrased, Observation>> {
        if self.inner.takes_spa() { None } else { self.layer.rephrase(question) }
    }
}

impl<L: Layer> Target for Layered<L> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn prepare(&self) -> Result<(), String> {
        self.inner.prepare()
    }

    fn remark(&self) -> Option<String> {
        self.inner.remark()
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        self.layer.instead(&question).unwrap_or_else(|| {
            let observation = match self.rephrased(&question) {
                None => self.inner.observe(question),
                Some(Ok(rephrased)) => self.inner.observe(rephrased.question(&question)),
                Some(Err(observation)) => observation,
            };
            self.layer.hear(&question, &observation);
            observation
        })
    }

    fn observe_as_held(&self, question: Question<'_>) -> Option<Observation> {
        match self.rephrased(&question) {
            None => self.inner.observe_as_held(question),
            Some(Ok(rephrased)) => self.inner.observe_as_held(rephrased.question(&question)),
            Some(Err(_)) => None,
        }
    }

    fn takes_spa(&self) -> bool {
        self.inner.takes_spa()
    }

    fn claims_spa(&self) -> bool {
        self.inner.claims_spa()
    }

    fn newest_architecture(&self) -> Option<u32> {
        self.inner.newest_architecture()
    }

    fn is_compiled(&self) -> bool {
        self.inner.is_compiled()
    }

    fn assemble(&self, program: &str) -> Option<(String, Assembled)> {
        let (dialect, assembled) = self.inner.assemble(program)?;
        self.layer.hear_assembled(program, &dialect, &assembled);
        Some((dialect, assembled))
    }

    fn device(&self) -> BTreeMap<String, String> {
        self.inner.device()
    }

    fn recording(&self) -> Option<&Index> {
        self.layer.recording().or_else(|| self.inner.recording())
    }

    fn replays(&self) -> bool {
        self.inner.replays()
    }

    fn exposure(&self) -> Exposure {
        self.inner.exposure()
    }

    fn may_fault_again(&self) -> bool {
        self.layer.may_fault_again() && self.inner.may_fault_again()
    }

    fn is_deterministic(&self) -> bool {
        self.inner.is_deterministic()
    }

    fn machine_code(&self, program: &str, entry: &str, line: u32) -> Option<MachineCode> {
        self.inner.machine_code(program, entry, line)
    }

    fn batches(&self) -> bool {
        self.inner.batches()
    }

    fn effort(&self) -> Option<Effort> {
        self.inner.effort()
    }

    fn broken(&self) -> Option<String> {
        self.inner.broken()
    }

    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        let lot = self.layer.lot().clamp(1, questions.len().max(1));
        for (number, lot_of) in questions.chunks(lot).enumerate() {
            let mut open = Vec::new();
            for (place, question) in lot_of.iter().enumerate() {
                let index = number * lot + place;
                match self.layer.instead(question) {
                    Some(instead) => answered(index, instead.into()),
                    None => open.push(index),
                }
            }
            let rephrased: Vec<_> = open.par_iter().map(|index| self.rephrased(&questions[*index])).collect();
            let hear = |index: usize, answer: Answer| {
                self.layer.hear(&questions[index], &answer.observation);
                answered(index, answer);
            };
            let mut asked: Vec<(usize, Question<'_>)> = Vec::new();
            for (index, rephrased) in open.into_iter().zip(&rephrased) {
                match rephrased {
                    None => asked.push((index, questions[index])),
                    Some(Ok(rephrased)) => asked.push((index, rephrased.question(&questions[index]))),
                    Some(Err(observation)) => hear(index, observation.clone().into()),
                }
            }
            if asked.is_empty() {
                continue;
            }
            let put: Vec<Question<'_>> = asked.iter().map(|(_, question)| *question).collect();
            self.inner.observe_all(&put, &|place, answer| hear(asked[place].0, answer));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::{Mutex, PoisonError};

    use warpdiff_corpus::plan::Work;
    use warpdiff_judge::reference::{Programs, Unit, units};
    use warpdiff_model::Semantics;

    use super::*;
    use crate::EmulatorTarget;

    /// The emulator, many launches at once, backwards; it notes how many it is asked at once.
    struct Many(EmulatorTarget, std::sync::Arc<Mutex<Vec<usize>>>);

    impl Target for Many {
        fn name(&self) -> &str {
            "many"
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            self.0.observe(question)
        }

        fn batches(&self) -> bool {
            true
        }

        fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
            self.1.lock().unwrap().push(questions.len());
            for (index, question) in questions.iter().enumerate().rev() {
                answered(index, self.observe(*question).into());
            }
        }
    }

    /// Knows every third question it is asked, and gives four at a time.
    #[derive(Default)]
    struct Third {
        looked: Mutex<usize>,
        heard: Mutex<usize>,
    }

    impl Layer for std::sync::Arc<Third> {
        fn instead(&self, _question: &Question<'_>) -> Option<Observation> {
            let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
            *looked += 1;
            (*looked).is_multiple_of(3).then(|| Observation::NotRun { why: format!("{looked}") })
        }

        fn hear(&self, _question: &Question<'_>, observation: &Observation) {
            assert!(!matches!(observation, Observation::NotRun { .. }), "what the target did not say");
            *self.heard.lock().unwrap() += 1;
        }

        fn lot(&self) -> usize {
            4
        }
    }

    #[test]
    fn what_the_layer_answers_is_not_asked_and_every_question_has_its_own_answer() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/data/cases");
        let corpus = warpdiff_corpus::load(&top).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
        let mut programs = Programs::default();
        let mut all: Vec<(&str, Unit<'_>)> = Vec::new();
        for variant in &corpus.variants {
            let Work::Launches(launches) = &variant.work else { continue };
            let of = launches.iter().filter_map(|launch| units(launch, &mut programs).ok()).flatten();
            all.extend(of.map(|unit| (variant.id.as_str(), unit)));
        }
        let questions: Vec<_> =
            all.iter().map(|(variant, unit)| Question::of(unit, variant)).take(10).collect();
        assert_eq!(questions.len(), 10);
        let emulator = EmulatorTarget::new(Semantics::default());
        let (lots, layer) = (std::sync::Arc::default(), std::sync::Arc::new(Third::default()));
        let many = Many(emulator.clone(), std::sync::Arc::clone(&lots));
        let target = Layered::new(Box::new(many), std::sync::Arc::clone(&layer));
        let answers: Mutex<BTreeMap<usize, Answer>> = Mutex::default();
        target.observe_all(&questions, &|index, answer| {
            assert!(answers.lock().unwrap().insert(index, answer).is_none(), "{index} is answered twice");
        });
        // Of 0 1 2 3 | 4 5 6 7 | 8 9 the layer knows 2, 5 and 8.
        assert_eq!(*lots.lock().unwrap(), [3, 3, 1]);
        assert_eq!(*layer.heard.lock().unwrap(), 7);
        for (index, question) in questions.iter().enumerate() {
            let expected = match index % 3 {
                2 => Observation::NotRun { why: format!("{}", index + 1) },
                _ => emulator.observe(*question),
            };
            assert_eq!(answers.lock().unwrap()[&index].observation, expected, "{index}");
        }
    }
}

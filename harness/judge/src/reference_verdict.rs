//! The verdict of the reference on a variant: whether it agrees with every expectation.

use warpdiff_corpus::CorpusError;
use warpdiff_corpus::plan::{Row, Variant};
use warpdiff_emulator::CompileError;
use warpdiff_model::{Outcome, Permitted};

use crate::contradictions::contradictions;
use crate::hazards;
use crate::judgement::{self, indeterminate};
use crate::races;
use crate::reference::{ReferenceError, Unit};
use crate::stated_observations;
use crate::verdict_table::Raw;

/// The verdict of the reference on a variant.
#[derive(Clone, Debug)]
pub struct ReferenceVerdict {
    /// Its status.
    pub raw: Raw,
    /// Why it is not [`Raw::Conforms`].
    pub problems: Vec<CorpusError>,
    /// The allowed outcomes as text. In the verdict of a run it is as a golden keeps it, and empty for launches if nobody reads it.
    pub recording: String,
}

/// The verdict where the reference has no answer.
pub fn unanswered(variant: &Variant, error: &ReferenceError) -> ReferenceVerdict {
    let (raw, message) = match error {
        ReferenceError::Program(CompileError::Rejected(diagnostics)) => {
            let words: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            (Raw::Contradicted, format!("the program is rejected: {}", words.join("; ")))
        }
        ReferenceError::Program(CompileError::Unsupported(what)) => (Raw::Unsupported, what.clone()),
        ReferenceError::Launch(what) => {
            (Raw::Contradicted, format!("the launch does not fit the program: {what}"))
        }
    };
    let problem = CorpusError::new(variant.location.clone(), message);
    let recording = format!("  unanswered: {error}\n");
    ReferenceVerdict { raw, problems: vec![problem], recording }
}

/// The verdict on a variant whose program the reference cannot run, for this reason.
pub fn unsupported(problem: &CorpusError) -> ReferenceVerdict {
    let recording = format!("  unanswered: {}\n", problem.message);
    ReferenceVerdict { raw: Raw::Unsupported, problems: vec![problem.clone()], recording }
}

/// The verdict of the reference on launches: expectations that it contradicts, and launches that it cannot decide. It has no text.
pub fn reference_verdict(variant: &Variant, units: &[Unit<'_>]) -> ReferenceVerdict {
    let mut verdict = ReferenceVerdict::of_no_launch();
    units.iter().for_each(|unit| verdict.add(variant, unit));
    verdict
}

impl ReferenceVerdict {
    /// The verdict on a variant of whose launches none is judged yet.
    pub fn of_no_launch() -> Self {
        Self { raw: Raw::Conforms, problems: Vec::new(), recording: String::new() }
    }

    /// Adds what is wrong in a launch of the variant.
    pub fn add(&mut self, variant: &Variant, unit: &Unit<'_>) {
        if let Some((place, origin)) = indeterminate(unit) {
            let location = unit.planned.rows.first().map_or_else(|| variant.location.clone(), Row::location);
            let message = format!("the specification does not decide the launch: {place}, {origin}");
            let problem = CorpusError::new(location, message);
            let problem = races::notes(unit).into_iter().fold(problem, CorpusError::note);
            self.put(Raw::Indeterminate, problem);
            return;
        }
        if let Some(stop) = unstated_stop(unit) {
            let message = "a whole program without `expect` must complete";
            self.put(Raw::Contradicted, CorpusError::new(variant.location.clone(), message).label(stop));
            return;
        }
        for misjudged in stated_observations::judged_otherwise(unit) {
            self.put(Raw::Contradicted, misjudged);
        }
        self.add_contradictions(unit);
    }

    fn add_contradictions(&mut self, unit: &Unit<'_>) {
        let contradictions = contradictions(unit);
        let hazards = if contradictions.is_empty() { Vec::new() } else { hazards::of(unit) };
        // Said once of a launch: its values are mostly undefined for one reason.
        let mut races =
            contradictions.iter().position(|found| found.leaves_open).map(|at| (at, races::notes(unit)));
        for (number, found) in contradictions.into_iter().enumerate() {
            let message = format!("the reference contradicts {}", found.expectation.subject);
            let problem = CorpusError::new(found.expectation.location, message).label(found.instead);
            let raced = races.take_if(|(at, _)| *at == number).into_iter().flat_map(|(_, notes)| notes);
            let problem = found.notes.into_iter().chain(raced).fold(problem, CorpusError::note);
            // A stated value that is undefined is mostly so because of a hazard.
            let problem = hazards.iter().fold(problem, |problem, hazard| problem.note(hazard.to_string()));
            self.put(Raw::Contradicted, problem);
        }
    }

    fn put(&mut self, raw: Raw, problem: CorpusError) {
        self.raw = self.raw.max(raw);
        self.problems.push(problem);
    }
}

/// How the reference ends a launch without expectations that cannot complete. Such a case would always pass, most likely because
/// `expect` was forgotten.
fn unstated_stop(unit: &Unit<'_>) -> Option<String> {
    let outcomes = &unit.allowed.outcomes;
    let completes = |outcome: &Outcome| matches!(outcome.permitted, Permitted::Completed { .. });
    if !unit.planned.states_nothing() || outcomes.iter().any(completes) {
        return None;
    }
    Some(format!("the reference {}", judgement::describe(outcomes.first()?)))
}

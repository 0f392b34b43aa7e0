//! Findings: all mismatches of a launch with instruction, row, inputs, coordinates, class and deviation.

use std::fmt;
use std::sync::Arc;

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Choice, Deviation, Mismatch, MismatchClass, Observation, Outcome, Permitted, State};

use crate::diagnose::Refutation;
use crate::difference::{Difference, differences};
use crate::evidence::{self, AccessedPlace, Evidence};
use crate::machine_code::MachineCode;
use crate::mismatch_class::symptom;
use crate::reference::Unit;
use crate::site::{self, Site};
use crate::surface_placement::EndedLaunch;
use crate::verdict_table::Raw;

/// The mismatches of one launch, with their site, class, explanation and evidence.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its status.
    pub raw: Raw,
    /// The class that its differences suggest by themselves.
    pub symptom: MismatchClass,
    /// The instruction it comes from.
    pub site: Option<Site>,
    /// Deviations that explain the variant: each alone reproduces everything observed of it, and of the instruction in the run.
    pub explained: Vec<Deviation>,
    /// Whether only all of `explained` together explain the variant.
    pub together: bool,
    /// Why `explained` was not checked against the rest of the run.
    pub unchecked: Option<String>,
    /// Where `explained` are a compiler's, which applies them in some programs: in how many.
    pub applied: Option<Applied>,
    /// Without an explanation: the nearest deviation, and what refutes it.
    pub refuted: Option<RefutedDeviation>,
    /// The differences, first ones first, at most as many as the model reports.
    pub differences: Vec<Difference>,
    /// The outcome that the differences refer to, if several are permitted.
    pub nearest: Option<NearestOutcome>,
    /// The program that ran.
    pub program: Arc<str>,
    /// For a target that runs machine code: what its compiler made of the instruction's line.
    pub machine_code: Option<MachineCode>,
    /// Memory around the differences. Empty in the launches of a variant beyond [`LAUNCHES_SHOWN`].
    pub evidence: Evidence,
}

impl Finding {
    /// Its class: that of the deviation that explains it, or else its symptom. One symptom has many causes: a store at wrong
    /// coordinates leaves wrong values, as a wrong conversion does. If the deviations are of several classes, the one of the
    /// symptom counts.
    pub fn class(&self) -> MismatchClass {
        let mut classes = self.explained.iter().map(|deviation| deviation.class());
        match classes.clone().next() {
            Some(_) if classes.any(|class| class == self.symptom) => self.symptom,
            Some(first) => first,
            None => self.symptom,
        }
    }

    /// Replaces its explanation.
    pub fn set_explanation(&mut self, explanation: &Explanation) {
        let Explanation { deviations, together, unchecked, applied, refuted } = explanation.clone();
        (self.explained, self.together) = (deviations, together);
        (self.unchecked, self.applied, self.refuted) = (unchecked, applied, refuted);
    }
}

impl Finding {
    /// Its explanation in words, to follow the name of its class: `, reproduced exactly by suld.clamp-as-zero`. Empty without an
    /// explanation.
    pub fn explanation(&self) -> String {
        let names: Vec<_> = self.explained.iter().map(|deviation| deviation.name()).collect();
        let words = match names.as_slice() {
            [] => return String::new(),
            [one] => format!(", reproduced exactly by {one}"),
            all if self.together => format!(", reproduced exactly by {} together", all.join(" and ")),
            several => format!(", reproduced exactly by each of {}", several.join(", ")),
        };
        let words = match &self.applied {
            Some(applied) => format!("{words}, {}", applied.words()),
            None => words,
        };
        match &self.unchecked {
            Some(why) => format!("{words} ({why})"),
            None => words,
        }
    }
}

/// The explanation of the findings over a variant: see the fields of [`Finding`].
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// [`Finding::explained`].
    pub deviations: Vec<Deviation>,
    /// [`Finding::together`].
    pub together: bool,
    /// [`Finding::unchecked`].
    pub unchecked: Option<String>,
    /// [`Finding::applied`].
    pub applied: Option<Applied>,
    /// [`Finding::refuted`].
    pub refuted: Option<RefutedDeviation>,
}

/// In how many programs a compiler did what it does in some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The variants of the run in which it did.
    pub variants: usize,
    /// All variants of the run with the instruction that the target answered.
    pub of: usize,
    /// The family of the instruction: `ld`.
    pub instruction: String,
}

impl Applied {
    /// The words that follow the names of the deviations: `as the compiler did in 4 of 61 variants with ld`.
    pub fn words(&self) -> String {
        let Self { variants, of, instruction } = self;
        format!("as the compiler did in {variants} of {of} variants with {instruction}")
    }
}

/// A deviation that explains some of the mismatches, and what refutes it.
#[derive(Clone, Debug)]
pub struct RefutedDeviation {
    /// The deviation.
    pub deviation: Deviation,
    /// What refutes it.
    pub by: RefutedBy,
    /// One difference that refutes it; `expected` is what the deviation predicts.
    pub example: Option<Box<Difference>>,
}

/// What refutes a deviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefutedBy {
    /// This many rows of the variant itself.
    Rows(usize),
    /// Another variant of the run with the same instruction; the deviation explains this one.
    Variant {
        /// Its id.
        id: String,
        /// The instruction: `sust.p`.
        instruction: Option<String>,
    },
}

impl RefutedDeviation {
    /// The message for people, without a full stop.
    pub fn words(&self) -> String {
        let name = self.deviation.name();
        match &self.by {
            RefutedBy::Rows(1) => {
                format!(
                    "no known deviation explains all of this; the nearest is {name}, which one row refutes"
                )
            }
            RefutedBy::Rows(rows) => {
                format!(
                    "no known deviation explains all of this; the nearest is {name}, which {rows} rows refute"
                )
            }
            RefutedBy::Variant { id, instruction } => {
                let of = instruction.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
                format!(
                    "no known deviation explains everything observed{of}; the nearest is {name}, which explains this case and is refuted by {id}"
                )
            }
        }
    }
}

/// The nearest of several permitted outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearestOutcome {
    /// Its alternatives of the choices in which the permitted outcomes differ: `sust.p.integer-range=wrapped`.
    pub under: Vec<String>,
    /// How many outcomes are permitted, at least 2.
    pub of: usize,
}

impl fmt::Display for NearestOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.under.is_empty() {
            write!(f, "if {} ", self.under.join(" and "))?;
        }
        write!(f, "(the nearest of {} permitted outcomes)", self.of)
    }
}

impl NearestOutcome {
    /// Describes this outcome; `None` if it is the only one.
    fn of(outcome: &Outcome, outcomes: &[Outcome]) -> Option<Self> {
        let open = Choice::ALL.iter().filter(|info| {
            outcomes.iter().any(|o| o.assignment.get(info.choice) != outcome.assignment.get(info.choice))
        });
        let taken = open.map(|info| {
            let index = usize::from(outcome.assignment.get(info.choice));
            format!("{}={}", info.name, info.alternatives.get(index).copied().unwrap_or("?"))
        });
        (outcomes.len() > 1).then(|| Self { under: taken.collect(), of: outcomes.len() })
    }
}

/// Most launches of a variant that reports show: of further ones the evidence is not kept.
pub const LAUNCHES_SHOWN: usize = 8;

/// The finding over a launch whose observation is not allowed; with evidence if a report may show it.
pub fn finding(
    unit: &Unit<'_>,
    observation: &Observation,
    raw: Raw,
    mismatches: &[Mismatch],
    explanation: &Explanation,
    with_evidence: bool,
) -> Finding {
    let planned: &PlannedLaunch = &unit.planned;
    let Explanation { deviations: explained, together, unchecked, applied, refuted } = explanation.clone();
    let locate = |m: &Mismatch| site::find(&unit.compiled, planned, m, explained.first().copied());
    let site = mismatches.first().and_then(locate);
    let observed = completed(observation);
    let closest = nearest(&unit.allowed.outcomes, mismatches);
    let allowed = closest.map(|(state, _)| state);
    // The detail of a fault names the permitted ones.
    let compared = mismatches.iter().any(|m| !m.expected.is_empty());
    let chosen =
        closest.filter(|_| compared).and_then(|(_, o)| NearestOutcome::of(o, &unit.allowed.outcomes));
    let states = Option::zip(allowed, observed);
    let symptom =
        symptom(&EndedLaunch { compiled: &unit.compiled, planned, states }, mismatches, site.as_ref());
    let differences = differences(planned, states, mismatches, site.as_ref());
    let gather = || {
        let accessed = accessed(planned, site.as_ref(), &differences);
        match (states, observed) {
            (Some((allowed, observed)), _) => evidence::compared(unit, allowed, observed, &accessed),
            (None, Some(observed)) => evidence::changed(&planned.launch, observed, &accessed),
            (None, None) => evidence::unobserved(&planned.launch, allowed, &accessed),
        }
    };
    let evidence = if with_evidence { gather() } else { Evidence::default() };
    let program = Arc::clone(&unit.compiled.text);
    Finding {
        raw,
        symptom,
        site,
        explained,
        together,
        unchecked,
        applied,
        refuted,
        differences,
        nearest: chosen,
        program,
        machine_code: None,
        evidence,
    }
}

/// The finding over a launch that the reference cannot run, and of which an observation is not what the case states.
pub fn of_stated_alone(
    planned: &PlannedLaunch,
    observation: &Observation,
    raw: Raw,
    mismatches: &[Mismatch],
) -> Finding {
    let evidence = match completed(observation) {
        Some(observed) => evidence::changed(&planned.launch, observed, &[]),
        None => Evidence::default(),
    };
    Finding {
        raw,
        symptom: mismatches.first().map_or(MismatchClass::Value, |mismatch| mismatch.class),
        site: None,
        explained: Vec::new(),
        together: false,
        unchecked: None,
        applied: None,
        refuted: None,
        differences: differences(planned, None, mismatches, None),
        nearest: None,
        program: Arc::clone(&planned.launch.program),
        machine_code: None,
        evidence,
    }
}

/// The first difference between an observation and the prediction of deviations.
pub fn counterexample(
    unit: &Unit<'_>,
    observation: &Observation,
    refutation: &Refutation,
) -> Option<Box<Difference>> {
    let planned: &PlannedLaunch = &unit.planned;
    let mismatches = &refutation.mismatches;
    let site = mismatches.first().and_then(|m| site::find(&unit.compiled, planned, m, None));
    let closest = nearest(&refutation.allowed.outcomes, mismatches);
    let states = Option::zip(closest.map(|(state, _)| state), completed(observation));
    differences(planned, states, mismatches, site.as_ref()).into_iter().next().map(Box::new)
}

fn completed(observation: &Observation) -> Option<&State> {
    match observation {
        Observation::Completed { state } => Some(state),
        _ => None,
    }
}

/// The texels that differing rows accessed.
fn accessed(planned: &PlannedLaunch, site: Option<&Site>, differences: &[Difference]) -> Vec<AccessedPlace> {
    let rows = differences.iter().filter_map(|d| Some((site?, d.row.as_ref()?)));
    let mut accessed: Vec<AccessedPlace> = Vec::new();
    for (site, row) in rows {
        if accessed.iter().all(|known| known.row != row.index) {
            accessed.extend(AccessedPlace::of(planned, site, row));
        }
    }
    accessed
}

/// The nearest outcome with its state: the one that the mismatches were computed from.
fn nearest<'a>(outcomes: &'a [Outcome], mismatches: &[Mismatch]) -> Option<(&'a MaskedState, &'a Outcome)> {
    let states = outcomes.iter().filter_map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => Some((state, outcome)),
        _ => None,
    });
    let holds = |state: &MaskedState, mismatch: &Mismatch| {
        let Some((kind, name)) = &mismatch.region else { return true };
        let run = mismatch.offset..mismatch.offset + mismatch.expected.len();
        let region = state.regions.iter().find(|r| r.region.kind == *kind && r.region.name == *name);
        region.and_then(|r| r.region.bytes.get(run)) == Some(mismatch.expected.as_slice())
    };
    states.into_iter().find(|(state, _)| {
        // A surplus region of the observation is in no permitted state.
        let concerns_bytes = |m: &&Mismatch| !m.expected.is_empty();
        mismatches.iter().filter(concerns_bytes).all(|mismatch| holds(state, mismatch))
    })
}

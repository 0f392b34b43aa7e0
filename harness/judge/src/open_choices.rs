//! What the reference has at the place of a contradicted expectation under each alternative of the choices that matter there, and what a
//! case states instead.
//!
//! Without this an author who is told one of two permitted values would "correct" a right one.

use warpdiff_corpus::bytes;
use warpdiff_corpus::plan::{Expectation, Expected};
use warpdiff_model::choice::Assignment;
use warpdiff_model::{Choice, FaultClass, Outcome};

use crate::judgement::describe;
use crate::reference::{Unit, must_classes};
use crate::stated_field::{Field, FieldBits, undefined_bits};

/// Most things that the reference may have at a place which are named.
const NAMED: usize = 6;

/// What the reference has at a place in one of its outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    /// In words: `ff ff ff ff, -1`, or how the outcome ends.
    words: String,
    /// The value as a case states it, if it is one.
    value: Option<String>,
    /// The fault it ends with, if it does.
    fault: Option<FaultClass>,
}

/// What the reference has at the place of an expectation under each alternative of the choices, if that differs.
pub(crate) fn notes(unit: &Unit<'_>, expectation: &Expectation) -> Vec<String> {
    let (field, exact);
    let field = match &expectation.what {
        Expected::Bytes { region, name, offset, mask, .. } => {
            field = Field::new(unit, *region, name, *offset, mask);
            Some(&field)
        }
        Expected::Undefined { region, name, range } | Expected::Nan { region, name, range } => {
            exact = vec![0xFF; range.len()];
            field = Field::new(unit, *region, name, range.start, &exact);
            Some(&field)
        }
        Expected::Between { region, name, offset, ends: [least, _] } => {
            exact = vec![0xFF; least.len()];
            field = Field::new(unit, *region, name, *offset, &exact);
            Some(&field)
        }
        Expected::Permutation(_) | Expected::Fault(_) | Expected::MayFault(_) | Expected::TimedOut => None,
    };
    // Values of many elements would fill pages.
    if field.is_some_and(|field| field.several().is_some()) {
        return Vec::new();
    }
    let given = |outcome: &Outcome| -> Vec<Given> {
        let ends = || Given {
            words: format!("the launch {}", describe(outcome)),
            value: None,
            fault: must_classes(outcome).first().copied(),
        };
        let Some((field, Ok(readings))) = field.map(|field| (field, field.readings(outcome))) else {
            return vec![ends()];
        };
        let one = |bits: FieldBits<'_>| match undefined_bits(&bits, field.mask) {
            Some(_) => {
                let words = format!("undefined bits, {}", bytes::masked_hex(&bits.bytes, &bits.defined));
                Given { words, value: Some("undefined".into()), fault: None }
            }
            None => {
                let number = field.decoded(unit, &bits.bytes);
                let shown = number.iter().map(|number| format!(", {}", number.words)).collect::<String>();
                let words = format!("{}{shown}", bytes::hex(&bits.bytes));
                let digits = || bits.bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
                let value = number.map_or_else(|| format!("0x{}", digits()), |number| number.stated);
                Given { words, value: Some(value), fault: None }
            }
        };
        readings.into_iter().map(one).collect()
    };
    let outcomes = unit.allowed.outcomes.iter();
    let all = outcomes.flat_map(|outcome| given(outcome).into_iter().map(move |given| (outcome, given)));
    of_outcomes(&all.collect::<Vec<_>>())
}

/// The notes for a place at which outcomes differ; none if they do not.
fn of_outcomes(outcomes: &[(&Outcome, Given)]) -> Vec<String> {
    let mut different: Vec<(&Given, Vec<String>)> = Vec::new();
    let deciding = deciding(outcomes);
    for (outcome, given) in outcomes {
        let under = words(outcome.assignment, &deciding);
        match different.iter_mut().find(|(other, _)| *other == given) {
            Some((_, known)) if !known.contains(&under) => known.push(under),
            Some(_) => {}
            None => different.push((given, vec![under])),
        }
    }
    if different.len() < 2 {
        return Vec::new();
    }
    let lines = different.iter().take(NAMED).map(|(given, under)| {
        let under: Vec<&str> = under.iter().map(String::as_str).filter(|words| !words.is_empty()).collect();
        match under.as_slice() {
            [] => format!("permitted: {}", given.words),
            [one] => format!("if {one}: {}", given.words),
            [first, .., last] if under.len() > 2 => {
                format!("if {first}, or {last}, or in {} cases more: {}", under.len() - 2, given.words)
            }
            [first, rest @ ..] => format!("if {first}, or {}: {}", rest.join(", or "), given.words),
        }
    });
    let mut notes = vec!["the specification leaves open what happens here:".to_owned()];
    notes.extend(lines);
    if different.len() > NAMED {
        notes.push(format!("… and {} more", different.len() - NAMED));
    }
    let all: Vec<&Given> = different.iter().map(|(given, _)| *given).collect();
    notes.extend(advice(&all));
    // One note, so that they stand together.
    vec![notes.join("\n")]
}

/// What to state where the reference may have any of these.
fn advice(different: &[&Given]) -> Option<String> {
    let values: Option<Vec<&str>> =
        different.iter().filter(|given| given.fault.is_none()).map(|given| given.value.as_deref()).collect();
    let fault = different.iter().find_map(|given| given.fault);
    let values = values.filter(|values| different.len() <= NAMED && !values.is_empty());
    match (values.as_deref(), fault) {
        (Some([_]), Some(class)) => Some(format!("`may-fault: {class}` beside the value states both")),
        (Some(values), Some(class)) => {
            Some(format!("`{{any: [{}]}}` and `may-fault: {class}` state all of them", values.join(", ")))
        }
        (Some(values), None) => Some(format!("`{{any: [{}]}}` states all of them", values.join(", "))),
        (None, Some(class)) => Some(format!("`may-fault: {class}` states that it may fault")),
        (None, None) => None,
    }
}

/// The choices that decide what the reference has there: those of which another alternative alone gives something else. If only several
/// together do, all in which the outcomes differ.
fn deciding(outcomes: &[(&Outcome, Given)]) -> Vec<Choice> {
    let differs = |a: Assignment, b: Assignment, choice: Choice| a.get(choice) != b.get(choice);
    let all = Choice::ALL.iter().map(|info| info.choice);
    let varying: Vec<Choice> = all
        .filter(|choice| {
            outcomes.iter().any(|(o, _)| differs(o.assignment, outcomes[0].0.assignment, *choice))
        })
        .collect();
    let alone = |choice: &Choice| {
        let pairs = outcomes.iter().flat_map(|a| outcomes.iter().map(move |b| (a, b)));
        pairs.filter(|(a, b)| a.1 != b.1).any(|((a, _), (b, _))| {
            varying.iter().all(|other| differs(a.assignment, b.assignment, *other) == (other == choice))
        })
    };
    let deciding: Vec<Choice> = varying.iter().copied().filter(alone).collect();
    if deciding.is_empty() { varying } else { deciding }
}

/// `rem.negative=floor and …`, the alternatives of these choices.
fn words(assignment: Assignment, choices: &[Choice]) -> String {
    let of = Choice::ALL.iter().filter(|info| choices.contains(&info.choice));
    let words = of.map(|info| {
        let taken = usize::from(assignment.get(info.choice));
        format!("{}={}", info.name, info.alternatives.get(taken).copied().unwrap_or("?"))
    });
    words.collect::<Vec<_>>().join(" and ")
}

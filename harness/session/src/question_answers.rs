//! The answers of a target to the questions of cases (`question:`), in words.

use std::collections::BTreeMap;

use serde::Serialize;
use warpdiff_corpus::bytes::hex;
use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_model::{Observation, RegionKind};
use warpdiff_recordings::archive::Archive;
use warpdiff_recordings::drift::title;
use warpdiff_recordings::meaning::part;
use warpdiff_recordings::observed::keep;

/// The answers of a target to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QuestionAnswers {
    /// The question.
    pub question: String,
    /// Id of the variant that asks it.
    pub variant: String,
    /// The answers, in the order of rows.
    pub answers: Vec<String>,
}

/// The answers of one launch: one for each of its rows, and one for other changes of memory.
pub fn answers(planned: &PlannedLaunch, observation: &Observation) -> Vec<String> {
    let Observation::Completed { state } = observation else {
        let asked = match planned.rows.as_slice() {
            [row] => inputs(&row.inputs),
            _ => part(planned),
        };
        return vec![format!("{asked}: {}", title(observation))];
    };
    let out =
        state.region(RegionKind::Buffer, PlannedLaunch::OUTPUTS).filter(|_| !planned.columns.is_empty());
    let record = planned.record();
    let row = |(position, row): (usize, &warpdiff_corpus::plan::Row)| {
        let bytes = out.and_then(|out| out.bytes.get(position * record..(position + 1) * record));
        let columns = planned
            .columns
            .iter()
            .filter_map(|column| Some(format!("{} = {}", column.name, hex(bytes?.get(column.bytes())?))));
        let columns: Vec<_> = columns.collect();
        (!columns.is_empty()).then(|| format!("{}: {}", inputs(&row.inputs), columns.join(", ")))
    };
    let mut answers: Vec<String> = planned.rows.iter().enumerate().filter_map(row).collect();
    let changed = memory(planned, observation);
    if !changed.is_empty() || answers.is_empty() {
        let asked = match planned.rows.as_slice() {
            [row] => inputs(&row.inputs),
            _ => part(planned),
        };
        let changed = if changed.is_empty() { "nothing changed".into() } else { changed.join("; ") };
        answers.push(format!("{asked}: {changed}"));
    }
    answers
}

/// The changes of a launch other than the outputs of its rows.
fn memory(planned: &PlannedLaunch, observation: &Observation) -> Vec<String> {
    let kept = keep(observation, &planned.launch, &mut Archive::default());
    let changed: BTreeMap<String, String> = kept.and_then(|entry| entry.changed).unwrap_or_default();
    let outputs = format!("buffer {}", PlannedLaunch::OUTPUTS);
    let others = changed.into_iter().filter(|(name, _)| planned.columns.is_empty() || *name != outputs);
    others.map(|(name, bytes)| format!("{name}: {bytes}")).collect()
}

/// `x = 16, y = 2`
fn inputs(inputs: &warpdiff_corpus::plan::RowInputs) -> String {
    let words: Vec<_> = inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if words.is_empty() { "launched".into() } else { words.join(", ") }
}

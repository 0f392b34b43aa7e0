//! The history as data.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use warpdiff_judge::verdict_table::Settled;

use super::changes::{self, Cell};
use super::nights::{History, Night, TargetHistory};

/// Version of the format: within it fields are added, never removed or changed in meaning.
pub const FORMAT: u32 = 1;

/// The history of every target.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HistoryDocument {
    /// Version of the format: 1.
    pub format: u32,
    /// The targets, by name and device.
    pub targets: Vec<TargetDocument>,
    /// Runs that could not begin, each with its file and why.
    pub unbegun: Vec<String>,
}

/// The history of one target.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetDocument {
    /// Its name, as `--against` writes it; `reference` for runs without a target.
    pub target: String,
    /// The name of its device. Left out if it says none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Its runs, the first one first.
    pub runs: Vec<RunDocument>,
    /// What changed, the most urgent first.
    pub changes: Vec<ChangeDocument>,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunDocument {
    /// The day.
    pub date: String,
    /// Its files.
    pub files: Vec<String>,
    /// Version of warpdiff.
    pub warpdiff: String,
    /// What the target said of itself.
    pub device: BTreeMap<String, String>,
    /// The number of variants that it was about.
    pub variants: usize,
    /// The number of variants by their settled status.
    pub counts: BTreeMap<Settled, usize>,
    /// What was not the same as in the run before, and what it lacks.
    pub events: Vec<String>,
    /// Whether it shows every variant that it was about.
    pub complete: bool,
    /// Its exit code, by the results alone.
    pub exit_code: u8,
}

/// Variants with the same history.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ChangeDocument {
    /// Their last change: `broke`, `new-and-wrong`, `other-cause`, `unsettled`, `comes-and-goes`, `not-judged`, `expected`,
    /// `repaired` or `judged`.
    pub kind: String,
    /// The place of its run in `runs`, from 0.
    pub since: usize,
    /// Their ids.
    pub variants: Vec<String>,
    /// What they did in each run.
    pub history: Vec<CellDocument>,
}

/// A variant in a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "was")]
pub enum CellDocument {
    /// It was judged, or there is a reason why not.
    Seen {
        /// Its settled status.
        settled: Settled,
        /// The cause of its failure. Left out if it did not fail.
        #[serde(skip_serializing_if = "Option::is_none")]
        cause: Option<String>,
    },
    /// The run does not show it.
    Unknown,
    /// The run was not about it.
    Absent,
}

impl HistoryDocument {
    /// The data of a history.
    pub fn new(history: &History) -> Self {
        let targets = history.targets.iter().map(|target| of_target(history, target)).collect();
        Self { format: FORMAT, targets, unbegun: history.unbegun.clone() }
    }
}

fn of_target(history: &History, target: &TargetHistory) -> TargetDocument {
    let cell = |cell: &Cell| match cell {
        Cell::Seen(seen) => CellDocument::Seen {
            settled: seen.settled,
            cause: seen.cause.map(|cause| history.causes[cause].clone()),
        },
        Cell::Unknown => CellDocument::Unknown,
        Cell::Absent => CellDocument::Absent,
    };
    let change = |change: changes::Change| ChangeDocument {
        kind: change.kind.name().into(),
        since: change.since,
        variants: change.variants.iter().map(|variant| history.ids[*variant].clone()).collect(),
        history: change.cells.iter().map(cell).collect(),
    };
    TargetDocument {
        target: target.name.clone(),
        device: target.device.clone(),
        runs: target.nights.iter().enumerate().map(|(number, night)| run(target, number, night)).collect(),
        changes: changes::of(target, &history.ids).into_iter().map(change).collect(),
    }
}

fn run(target: &TargetHistory, number: usize, night: &Night) -> RunDocument {
    RunDocument {
        date: night.date.clone(),
        files: night.files.iter().map(|file| file.display().to_string()).collect(),
        warpdiff: night.warpdiff.clone(),
        device: night.facts.clone(),
        variants: night.variants,
        counts: night.counts.by_status().clone(),
        events: target.events(number),
        complete: night.gaps.is_empty(),
        exit_code: night.exit_code,
    }
}

/// The JSON Schema of the document.
pub fn schema() -> Schema {
    schema_for!(HistoryDocument)
}

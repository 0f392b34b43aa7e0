//! What each target did on each variant in one run or several, as far as expectations are about it.

use std::collections::{BTreeMap, BTreeSet};

use crate::cause::Failure;
use crate::entry::Selected;

/// What one target did, in one run or several.
#[derive(Clone, Debug, Default)]
pub struct TargetResults {
    /// What it reports of itself.
    pub facts: BTreeMap<String, String>,
    /// The variants that ran, by id.
    pub variants: BTreeMap<String, VariantResult>,
}

/// What a target did on a variant.
#[derive(Clone, Debug, Default)]
pub struct VariantResult {
    /// Ids of the requirements that it covers.
    pub covers: Vec<String>,
    /// Families of the instructions in its programs.
    pub instructions: BTreeSet<String>,
    /// Whether it conformed in a run.
    pub passed: bool,
    /// Whether it failed in a run.
    pub failed: bool,
    /// The failures, of all runs.
    pub failures: BTreeSet<Failure>,
    /// The lower end of the interval of its pass rate, where it was run again.
    pub least_rate: Option<f64>,
}

impl VariantResult {
    /// Whether it passes at times and fails at times.
    pub fn is_flaky(&self) -> bool {
        self.passed && self.failed
    }

    /// Whether there is a verdict.
    pub fn is_judged(&self) -> bool {
        self.passed || self.failed
    }

    /// The facts by which entries select it.
    pub fn selected<'v>(&'v self, id: &'v str) -> Selected<'v> {
        Selected { id, covers: &self.covers, instructions: Some(&self.instructions) }
    }
}

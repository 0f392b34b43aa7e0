//! What came of running a failing variant again.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pass_rate::Runs;

/// What came of running a failing variant again, beside the run in which it failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Repeated {
    /// Runs by itself.
    pub alone: Runs,
    /// Runs among the variants that it ran with. Left out if there was no need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_batch: Option<Runs>,
    /// Whether it passes alone and fails among the others.
    pub depends_on_order: bool,
    /// Why it was not run as often as was asked for. Left out if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

impl Repeated {
    /// All runs.
    pub fn runs(&self) -> Runs {
        self.alone.and(self.in_batch.unwrap_or_default())
    }

    /// Whether any run passed: the failure does not always occur.
    pub fn passed(&self) -> bool {
        self.runs().passed > 0
    }

    /// Whether a stated pass rate cannot be right.
    pub fn refutes(&self, rate: f64) -> bool {
        self.runs().refute(rate)
    }
}

impl fmt::Display for Repeated {
    /// `run again by itself, it passed 1 of 4 runs (…)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stopped = self.stopped.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
        if self.runs().of == 0 {
            let why = self.stopped.as_deref().unwrap_or("nothing was run");
            return write!(f, "not run again: {why}");
        }
        match self.in_batch {
            _ if self.depends_on_order => {
                let (alone, batch) = (self.alone, self.in_batch.unwrap_or_default());
                write!(
                    f,
                    "it depends on what runs with it: by itself it passed {} of {} runs, among the others {} of {}{stopped}",
                    alone.passed, alone.of, batch.passed, batch.of
                )
            }
            None => write!(f, "run again by itself, it {}{stopped}", self.alone),
            Some(batch) => {
                write!(f, "run again by itself, it {}; among the others, it {batch}{stopped}", self.alone)
            }
        }
    }
}

//! The result of comparing a table of any kind, as text.

use super::agree::VerdictDifference;
use super::agreement::Agreement;

/// Result of comparing the rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Answers that were compared.
    pub compared: usize,
    /// Answers that could not be compared.
    pub skipped: usize,
    /// The differences, in the order of the table.
    pub disagreements: Vec<Disagreement>,
}

impl Comparison {
    /// Answers that are the same.
    pub fn same(&self) -> usize {
        self.compared - self.disagreements.len()
    }

    /// Counts an answer and its disagreement, if any.
    pub(super) fn count(&mut self, disagreement: Option<Disagreement>) {
        self.compared += 1;
        self.disagreements.extend(disagreement);
    }
}

/// An answer that differs from the table's. Its JSON form is part of the output.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Disagreement {
    /// The row's name in the table.
    pub id: String,
    /// Its line in the table, from 1.
    pub line: usize,
    /// The circumstance.
    pub circumstance: String,
    /// The table's answer.
    pub table: String,
    /// The answer given now.
    pub now: String,
    /// The reason, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl From<&Agreement<VerdictDifference>> for Comparison {
    fn from(agreement: &Agreement<VerdictDifference>) -> Self {
        let disagreements = agreement.differences.iter().map(|difference| Disagreement {
            id: difference.id.clone(),
            line: difference.line,
            circumstance: difference.circumstance.clone(),
            table: difference.table.word().to_owned(),
            now: difference.now.word().to_owned(),
            message: difference.message.clone(),
        });
        Comparison {
            compared: agreement.compared,
            skipped: agreement.skipped,
            disagreements: disagreements.collect(),
        }
    }
}

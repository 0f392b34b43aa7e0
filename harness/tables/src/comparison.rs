//! A table against what is answered now, in words: whatever kind of table it is.

use super::agree::Difference;
use super::agreement::Agreement;

/// How many rows of a table are answered the same now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Answers that were compared.
    pub compared: usize,
    /// Answers that could not be compared.
    pub skipped: usize,
    /// What differs, in the order of the table.
    pub disagreements: Vec<Disagreement>,
}

impl Comparison {
    /// Answers that are the same.
    pub fn same(&self) -> usize {
        self.compared - self.disagreements.len()
    }

    /// Counts an answer, and keeps it if it differs.
    pub(super) fn count(&mut self, disagreement: Option<Disagreement>) {
        self.compared += 1;
        self.disagreements.extend(disagreement);
    }
}

/// An answer that is not given again. It is printed as JSON as it stands here.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Disagreement {
    /// The row's name in the table.
    pub id: String,
    /// Its line in the table, from 1.
    pub line: usize,
    /// Who was asked, under which circumstances.
    pub circumstance: String,
    /// The table's answer.
    pub table: String,
    /// The answer given now.
    pub now: String,
    /// Why, where there is more to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl From<&Agreement<Difference>> for Comparison {
    fn from(agreement: &Agreement<Difference>) -> Self {
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

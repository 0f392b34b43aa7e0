//! A table of verdicts in memory.

use serde::Serialize;
use warpdiff_targets::ptxas::circumstance::Circumstance;

/// Programs and the answers of assemblers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Comment lines on the origin of the table, without their `#`.
    pub origin: Vec<String>,
    /// The circumstances under which programs were assembled.
    pub circumstances: Vec<Circumstance>,
    /// The programs, each with its answers.
    pub programs: Vec<Program>,
}

/// A program without its head, and the answers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name in the table.
    pub id: String,
    /// The line of the table, from 1.
    pub line: usize,
    /// Everything after the directives that every module starts with.
    pub source: String,
    /// An index into [`Verdicts::circumstances`], and the answer.
    pub answers: Vec<(usize, TableAnswer)>,
}

/// The answer of an assembler to a program. Its JSON form is [`TableAnswer::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum TableAnswer {
    /// The program is accepted.
    #[serde(rename = "accepts")]
    Accepts,
    /// The program is rejected.
    #[serde(rename = "rejects")]
    Rejects,
    /// The assembler crashed, which says nothing about the program.
    #[serde(rename = "crashes on")]
    Nothing,
}

impl TableAnswer {
    /// The letter in a table.
    pub fn letter(self) -> char {
        match self {
            Self::Accepts => 'A',
            Self::Rejects => 'R',
            Self::Nothing => '-',
        }
    }

    /// As a verb: "accepts".
    pub fn word(self) -> &'static str {
        match self {
            Self::Accepts => "accepts",
            Self::Rejects => "rejects",
            Self::Nothing => "crashes on",
        }
    }
}

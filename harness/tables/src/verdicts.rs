//! A table of verdicts in memory.

use schemars::JsonSchema;
use serde::Serialize;
use warpdiff_targets::ptxas::circumstance::Circumstance;

/// Programs and who accepted them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Lines that tell where the table comes from, without their `#`.
    pub origin: Vec<String>,
    /// The circumstances under which programs were assembled.
    pub circumstances: Vec<Circumstance>,
    /// The programs, each with its answers.
    pub programs: Vec<Program>,
}

/// A program without its head, and what was made of it.
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

/// What an assembler made of a program. As JSON it is the verb that [`TableAnswer::word`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Answer")]
pub enum TableAnswer {
    /// It took it.
    #[serde(rename = "accepts")]
    Accepts,
    /// It refused it.
    #[serde(rename = "rejects")]
    Rejects,
    /// It crashed, which says nothing of the program.
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

//! A table of initial bytes in memory.

use std::collections::HashMap;

use warpdiff_sass::cubin::Emitted;
use warpdiff_targets::ptxas::circumstance::Circumstance;

use crate::verdicts::Verdicts;

/// Programs with their emitted variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitialTable {
    /// Comment lines on the origin of the table, without their `#`.
    pub origin: Vec<String>,
    /// The programs, each as often as there are circumstances under which it was assembled.
    pub programs: Vec<EmittedProgram>,
}

/// A program with its emitted variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedProgram {
    /// Its name in the table.
    pub id: String,
    /// The circumstance.
    pub circumstance: Circumstance,
    /// Everything after the directives that every module starts with; `None` if it stands in another table.
    pub source: Option<String>,
    /// Variables, each with its line of the table, from 1. They need not be all of the program.
    pub variables: Vec<(usize, Emitted)>,
}

impl InitialTable {
    /// Takes the programs that this table lacks from one that has them under the same names.
    pub fn complete(&mut self, others: &Verdicts) {
        let known: HashMap<&str, &str> =
            others.programs.iter().map(|program| (program.id.as_str(), program.source.as_str())).collect();
        for program in self.programs.iter_mut().filter(|program| program.source.is_none()) {
            program.source = known.get(program.id.as_str()).map(|source| (*source).to_owned());
        }
    }
}

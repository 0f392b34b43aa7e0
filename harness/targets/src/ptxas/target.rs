//! NVIDIA's assembler as a target: it accepts or rejects programs, and gives variables their initial bytes. It runs nothing.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use warpdiff_judge::assembled::Assembled;
use warpdiff_model::Observation;
use warpdiff_terminal::stderr;

use crate::ptxas::assembler::{Assembler, VARIABLE};
use crate::{Question, Target};

/// The release that programs which are to be run are held to (see [`warpdiff_ptx::Rules::TO_RUN`]). Another may be too old for
/// their version, or too new for their target.
const HELD_TO: (u32, u32) = (12, 9);

/// A ptxas, each program put to it once.
pub struct PtxasTarget {
    name: String,
    /// Whether its path was named, here or in the environment, rather than that it is the installed one.
    named: bool,
    assembler: Result<Assembler, String>,
    /// Of whole programs, and of those that a linker has still to finish.
    answers: Mutex<[HashMap<String, Assembled>; 2]>,
}

impl PtxasTarget {
    /// The ptxas at `path`, which has to be there, or the one that is installed. Where none is, nothing is run, visibly.
    pub fn new(path: Option<PathBuf>) -> Self {
        let name = path.as_ref().map_or_else(|| "ptxas".into(), |path| format!("ptxas:{}", path.display()));
        let assembler = Assembler::find(path.as_deref());
        let named = path.is_some() || std::env::var_os(VARIABLE).is_some();
        Self { name, named, assembler, answers: Mutex::default() }
    }

    /// What it says of a program that is whole, or that a linker has still to finish.
    fn answer(&self, assembler: &Assembler, program: &str, relocatable: bool) -> Assembled {
        let known = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known()[usize::from(relocatable)].get(program) {
            return answer.clone();
        }
        let answer = assembler.assemble(program, relocatable);
        known()[usize::from(relocatable)].insert(program.to_owned(), answer.clone());
        answer
    }
}

/// What ptxas says of programs of SPA 5.0.
const NO_SPA: &str = "ptxas takes no SPA 5.0 programs";

impl Target for PtxasTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&self) -> Result<(), String> {
        match &self.assembler {
            Err(why) if self.named => return Err(why.clone()),
            Err(why) => stderr::line(format_args!("{}: skipped: {why}", self.name)),
            Ok(_) => {}
        }
        Ok(())
    }

    /// A program that is to be run must be one that ptxas accepts; more than that cannot be said without running it.
    fn observe(&self, question: Question<'_>) -> Observation {
        if warpdiff_sass::is_spa(&question.planned.launch.program) {
            return Observation::Unsupported { what: NO_SPA.into() };
        }
        let assembler = match &self.assembler {
            Ok(assembler) => assembler,
            Err(why) => return Observation::NotRun { why: why.clone() },
        };
        let program = &question.planned.launch.program;
        let relocatable = warpdiff_ptx::parse(program).is_ok_and(|tree| tree.speaks_of_unified());
        match self.answer(assembler, program, relocatable) {
            Assembled::Accepted { .. } => {
                Observation::NotRun { why: "ptxas accepts the program and runs nothing".into() }
            }
            Assembled::Rejected { message } if assembler.release != HELD_TO => {
                Observation::NotRun { why: format!("{} rejects it: {message}", assembler.dialect()) }
            }
            Assembled::Rejected { message } => Observation::rejected("load", message),
            Assembled::Crashed { why } | Assembled::NoVerdict { why } => Observation::NotRun { why },
        }
    }

    fn assemble(&self, program: &str) -> Option<(String, Assembled)> {
        if warpdiff_sass::is_spa(program) {
            return Some(("ptxas".into(), Assembled::NoVerdict { why: NO_SPA.into() }));
        }
        Some(match &self.assembler {
            Ok(assembler) => (assembler.dialect(), self.answer(assembler, program, false)),
            Err(why) => ("ptxas".into(), Assembled::NoVerdict { why: why.clone() }),
        })
    }
}

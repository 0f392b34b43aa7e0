//! NVIDIA's assembler as a target: it accepts or rejects programs, and gives variables their initial bytes. It runs nothing.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use warpdiff_judge::assembled::Assembled;
use warpdiff_model::Observation;
use warpdiff_terminal::stderr;

use crate::ptxas::assembler::{Assembler, VARIABLE};
use crate::{Question, Target};

/// The release whose rules programs to run must follow (see [`warpdiff_ptx::Rules::TO_RUN`]). Another release may be too old for
/// their version, or too new for their target.
const HELD_TO: (u32, u32) = (12, 9);

/// A ptxas. Each program is assembled once.
pub struct PtxasTarget {
    name: String,
    /// Whether its path was named, in `--against` or in the environment.
    named: bool,
    assembler: Result<Assembler, String>,
    /// Answers for whole programs, and for relocatable ones.
    answers: Mutex<[HashMap<String, Assembled>; 2]>,
}

impl PtxasTarget {
    /// The ptxas at `path`, which must exist, or the installed one. Without one all programs are skipped, with a remark.
    pub fn new(path: Option<PathBuf>) -> Self {
        let name = path.as_ref().map_or_else(|| "ptxas".into(), |path| format!("ptxas:{}", path.display()));
        let assembler = Assembler::find(path.as_deref());
        let named = path.is_some() || std::env::var_os(VARIABLE).is_some();
        Self { name, named, assembler, answers: Mutex::default() }
    }

    /// Its answer to a whole program, or to a relocatable one.
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

/// Reason for every SPA 5.0 program.
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

    /// Its answers do not depend on anything but the launch.
    fn is_deterministic(&self) -> bool {
        true
    }

    /// A program must be one that ptxas accepts; the rest cannot be checked without running it.
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

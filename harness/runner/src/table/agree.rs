//! A table against who may be asked again: the front end of warpdiff, or an assembler.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::verdicts::{Answer, Circumstance, Program, Verdicts};
use crate::ptxas::assembler::{Assembled, Assembler};

/// How many answers of a table are given again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Answers that were compared.
    pub compared: usize,
    /// Answers that say nothing, or were not asked again: of another release than the assembler's.
    pub skipped: usize,
    /// What differs, in the order of the table.
    pub differences: Vec<Difference>,
}

impl Agreement {
    /// Answers that are the same.
    pub fn same(&self) -> usize {
        self.compared - self.differences.len()
    }
}

/// An answer that is not given again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// The program's name in the table.
    pub id: String,
    /// Its line in the table, from 1.
    pub line: usize,
    /// Who was asked, under which directives: `12.9:8.8:sm_50`.
    pub circumstance: String,
    /// The table's answer: `accepts` or `rejects`.
    pub table: &'static str,
    /// The answer given now.
    pub now: &'static str,
    /// Why it is rejected now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// An answer given now, with its reason.
type Now = (Answer, Option<String>);

/// The table against the front end under the rules of the assembler concerned.
pub fn with_front_end(table: &Verdicts) -> Agreement {
    compare(table, |circumstance, source| Some(front_end(circumstance, source)))
}

/// The table against an assembler: the answers of its own release. A program it crashes on is not compared.
pub fn with_assembler(table: &Verdicts, assembler: &Assembler) -> Agreement {
    compare(table, |circumstance, source| {
        if circumstance.release != assembler.release {
            return None;
        }
        match assembler.assemble_under(circumstance, source) {
            Assembled::Accepted { .. } => Some((Answer::Accepts, None)),
            Assembled::Rejected { message } => Some((Answer::Rejects, Some(message))),
            Assembled::NoVerdict { .. } => None,
        }
    })
}

/// What is legal but not run by warpdiff is accepted all the same.
fn front_end(circumstance: &Circumstance, source: &str) -> Now {
    match warpdiff_ptx::compile(&circumstance.program(source), &circumstance.rules()) {
        Ok(_) => (Answer::Accepts, None),
        Err(diagnostics) => match diagnostics.into_iter().find(|diagnostic| !diagnostic.unsupported) {
            Some(wrong) => (Answer::Rejects, Some(wrong.message)),
            None => (Answer::Accepts, None),
        },
    }
}

fn compare(table: &Verdicts, ask: impl Fn(&Circumstance, &str) -> Option<Now> + Sync) -> Agreement {
    let each: Vec<Agreement> = table.programs.par_iter().map(|program| one(table, program, &ask)).collect();
    let mut all = Agreement::default();
    for one in each {
        all.compared += one.compared;
        all.skipped += one.skipped;
        all.differences.extend(one.differences);
    }
    all
}

fn one(table: &Verdicts, program: &Program, ask: &impl Fn(&Circumstance, &str) -> Option<Now>) -> Agreement {
    let mut agreement = Agreement::default();
    for (index, answer) in &program.answers {
        let circumstance = &table.circumstances[*index];
        let now = if *answer == Answer::Nothing { None } else { ask(circumstance, &program.source) };
        let Some((now, message)) = now else {
            agreement.skipped += 1;
            continue;
        };
        agreement.compared += 1;
        if now != *answer {
            agreement.differences.push(Difference {
                id: program.id.clone(),
                line: program.line,
                circumstance: circumstance.to_string(),
                table: answer.word(),
                now: now.word(),
                message,
            });
        }
    }
    agreement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::read::read;

    /// Whatever one letter of a table is, its opposite is a difference, and only that.
    #[test]
    fn a_wrong_answer_is_a_difference() {
        let text = "id\tsource\t12.9:8.8:sm_50\t12.9:1.4:sm_13\n\
                    fine\t.global .u32 a;\tA\tA\n\
                    late\t.global .surfref s;\tA\tR\n\
                    crash\t.global\t-\tR\n";
        let agreement = with_front_end(&read(text).unwrap());
        assert_eq!((agreement.compared, agreement.skipped, agreement.same()), (5, 1, 5));
        let wrong = with_front_end(&read(&text.replace("s;\tA\tR", "s;\tA\tA")).unwrap());
        assert_eq!(wrong.same(), 4);
        let [difference] = wrong.differences.as_slice() else { panic!("{wrong:?}") };
        assert_eq!((difference.id.as_str(), difference.line), ("late", 3));
        assert_eq!((difference.table, difference.now), ("accepts", "rejects"));
        assert_eq!(difference.circumstance, "12.9:1.4:sm_13");
    }
}

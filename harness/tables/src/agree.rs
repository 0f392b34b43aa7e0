//! Compares a table of verdicts with the answers that warpdiff's front end or an assembler gives now.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::Serialize;
use warpdiff_judge::assembled::Assembled;
use warpdiff_targets::ptxas::assembler::Assembler;
use warpdiff_targets::ptxas::circumstance::Circumstance;

use super::agreement::Agreement;
use super::verdicts::{Program, TableAnswer, Verdicts};

/// An answer that differs from the table's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerdictDifference {
    /// The program's name in the table.
    pub id: String,
    /// Its line in the table, from 1.
    pub line: usize,
    /// The circumstance: `12.9:8.8:sm_50`.
    pub circumstance: String,
    /// The table's answer.
    pub table: TableAnswer,
    /// The answer given now.
    pub now: TableAnswer,
    /// Why it is rejected now, or how the assembler crashes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// An answer given now, with its reason.
type Now = (TableAnswer, Option<String>);

/// Compares a table with the front end, under the rules of each circumstance. Programs on which the assembler crashed are skipped.
pub fn with_front_end(table: &Verdicts) -> Agreement<VerdictDifference> {
    compare(table, |circumstance, source, answer| {
        (answer != TableAnswer::Nothing).then(|| front_end(circumstance, source))
    })
}

/// Compares the answers of an assembler's release with its answers now. Other releases are skipped, and programs without a verdict
/// now.
/// A crash is an answer.
pub fn with_assembler(table: &Verdicts, assembler: &Assembler) -> Agreement<VerdictDifference> {
    compare(table, |circumstance, source, _| {
        if circumstance.release != assembler.release {
            return None;
        }
        match assembler.assemble_under(circumstance, source) {
            Assembled::Accepted { .. } => Some((TableAnswer::Accepts, None)),
            Assembled::Rejected { message } => Some((TableAnswer::Rejects, Some(message))),
            Assembled::Crashed { why } => Some((TableAnswer::Nothing, Some(why))),
            Assembled::NoVerdict { .. } => None,
        }
    })
}

/// Replaces the differing answers in the table, and adds a line with `whom` to its origin.
pub fn correct(table: &mut Verdicts, differences: &[VerdictDifference], whom: &str) {
    if differences.is_empty() {
        return;
    }
    let named = table.circumstances.iter().enumerate();
    let circumstances: HashMap<String, usize> = named.map(|(index, c)| (c.to_string(), index)).collect();
    let mut now: HashMap<(usize, usize), TableAnswer> = HashMap::new();
    for difference in differences {
        if let Some(circumstance) = circumstances.get(&difference.circumstance) {
            now.insert((difference.line, *circumstance), difference.now);
        }
    }
    for program in &mut table.programs {
        for (circumstance, answer) in &mut program.answers {
            *answer = now.get(&(program.line, *circumstance)).copied().unwrap_or(*answer);
        }
    }
    let line = format!("Answers of {whom} as it gave them when it was asked again.");
    if !table.origin.contains(&line) {
        table.origin.push(line);
    }
}

/// The front end's answer. A legal program that warpdiff cannot run counts as accepted.
fn front_end(circumstance: &Circumstance, source: &str) -> Now {
    match warpdiff_ptx::compile(&circumstance.program(source), &circumstance.rules()) {
        Ok(_) => (TableAnswer::Accepts, None),
        Err(diagnostics) => match diagnostics.into_iter().find(|diagnostic| !diagnostic.unsupported) {
            Some(wrong) => (TableAnswer::Rejects, Some(wrong.message)),
            None => (TableAnswer::Accepts, None),
        },
    }
}

/// The answer now to a program under a circumstance, given the table's answer; `None` to skip it.
trait Ask: Fn(&Circumstance, &str, TableAnswer) -> Option<Now> + Sync {}

impl<F: Fn(&Circumstance, &str, TableAnswer) -> Option<Now> + Sync> Ask for F {}

fn compare(table: &Verdicts, ask: impl Ask) -> Agreement<VerdictDifference> {
    let each: Vec<_> = table.programs.par_iter().map(|program| one(table, program, &ask)).collect();
    each.into_iter().collect()
}

fn one(table: &Verdicts, program: &Program, ask: &impl Ask) -> Agreement<VerdictDifference> {
    let mut agreement = Agreement::default();
    for (index, answer) in &program.answers {
        let circumstance = &table.circumstances[*index];
        let Some((now, message)) = ask(circumstance, &program.source, *answer) else {
            agreement.skipped += 1;
            continue;
        };
        agreement.compared += 1;
        if now != *answer {
            agreement.differences.push(VerdictDifference {
                id: program.id.clone(),
                line: program.line,
                circumstance: circumstance.to_string(),
                table: *answer,
                now,
                message,
            });
        }
    }
    agreement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

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
        assert_eq!((difference.table, difference.now), (TableAnswer::Accepts, TableAnswer::Rejects));
        assert_eq!(difference.circumstance, "12.9:1.4:sm_13");
    }

    /// What is put right is the answers that differ, and nothing else.
    #[test]
    fn a_corrected_table_has_the_answers_given_now() {
        let right =
            read("id\tsource\t12.9:8.8:sm_50\t12.9:1.4:sm_13\nlate\t.global .surfref s;\tA\tR\n").unwrap();
        let mut wrong = right.clone();
        wrong.programs[0].answers[1].1 = TableAnswer::Accepts;
        let differences = with_front_end(&wrong).differences;
        correct(&mut wrong, &differences, "somebody");
        assert_eq!(wrong.programs, right.programs);
        assert_eq!(wrong.origin, ["Answers of somebody as it gave them when it was asked again."]);
        let before = wrong.clone();
        correct(&mut wrong, &[], "nobody");
        assert_eq!(wrong, before);
    }
}

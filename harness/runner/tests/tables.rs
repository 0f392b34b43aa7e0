//! What NVIDIA's assembler was seen to do, kept under `golden/ptxas`, against the front end: every answer is the same.

use std::path::{Path, PathBuf};

use warpdiff::ptxas::assembler::Assembler;
use warpdiff::table::agree::{correct, with_assembler, with_front_end};
use warpdiff::table::read::read;
use warpdiff::table::verdicts::{Answer, Program, Verdicts};
use warpdiff::table::{lowering, words};

/// The tables, and how many answers each has that are verdicts.
const TABLES: [(&str, usize); 8] = [
    ("surface-forms.tsv", 293_878),
    ("surface-operands.tsv", 11_087),
    ("surface-geometries.tsv", 4_235),
    ("surface-tuples.tsv", 6_242),
    ("surface-random.tsv", 14_000),
    ("surface-vectors.tsv", 4_110),
    ("probes.tsv", 7_456),
    ("declarations.tsv", 24_285),
];

fn table(name: &str) -> Verdicts {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/ptxas").join(name);
    read(&std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_front_end_accepts_what_the_assembler_accepts() {
    for (name, answers) in TABLES {
        let agreement = with_front_end(&table(name));
        assert!(agreement.differences.is_empty(), "{name}: {:#?}", agreement.differences);
        assert_eq!(agreement.compared, answers, "{name}");
    }
}

/// Tables of machine words, as nvdisasm prints them: rows of each.
const WORDS: [(&str, usize); 4] =
    [("decode.tsv", 605), ("bitflips.tsv", 137), ("forms.tsv", 879), ("pairs.tsv", 216)];

#[test]
fn words_are_read_and_written_as_the_disassembler_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sass/tests/nvdisasm");
    for (name, rows) in WORDS {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(words::is_words(&text), "{name}");
        let comparison = words::compare(&text).unwrap();
        assert!(comparison.departures.is_empty(), "{name}: {:#?}", comparison.departures);
        assert_eq!(comparison.compared, rows, "{name}");
    }
}

fn lowering_table() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/ptxas/sass/lowering.tsv");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn loads_and_atomics_become_what_the_assembler_makes_of_them() {
    let comparison = lowering::compare(&lowering_table()).unwrap();
    assert!(comparison.departures.is_empty(), "{:#?}", comparison.departures);
    assert_eq!(comparison.compared, 276);
}

#[test]
fn the_assembler_of_this_machine_makes_the_same_of_them() {
    let assembler = match Assembler::find(None) {
        Ok(assembler) if assembler.release == (12, 9) => assembler,
        Ok(other) => return eprintln!("skipped: {} is no release 12.9", other.build),
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let comparison = lowering::compare_with_assembler(&lowering_table(), &assembler).unwrap();
    assert!(comparison.departures.is_empty(), "{:#?}", comparison.departures);
    assert_eq!((comparison.compared, comparison.skipped), (276, 0));
}

/// A sample of what is kept, put to the assembler of this machine where there is one.
#[test]
fn the_assembler_of_this_machine_says_what_is_kept() {
    let assembler = match Assembler::find(None) {
        Ok(assembler) => assembler,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    for (name, _) in TABLES {
        let mut sample = table(name);
        let mut number = 0;
        sample.programs.retain(|_| {
            number += 1;
            number % 997 == 1
        });
        let agreement = with_assembler(&sample, &assembler);
        assert!(agreement.differences.is_empty(), "{name}: {:#?}", agreement.differences);
        // Wrong throughout, it is made again as it was.
        let mut wrong = sample.clone();
        wrong.programs.iter_mut().for_each(|program| falsify(program, &sample, assembler.release));
        let differences = with_assembler(&wrong, &assembler).differences;
        assert_eq!(differences.len(), agreement.compared, "{name}");
        correct(&mut wrong, &differences, "this one");
        assert_eq!(wrong.programs, sample.programs, "{name}");
    }
}

/// Turns round what an assembler of that release answered.
fn falsify(program: &mut Program, table: &Verdicts, release: (u32, u32)) {
    let of_release = |index: usize| table.circumstances[index].release == release;
    for (_, answer) in program.answers.iter_mut().filter(|(index, _)| of_release(*index)) {
        *answer = match answer {
            Answer::Accepts => Answer::Rejects,
            Answer::Rejects | Answer::Nothing => Answer::Accepts,
        };
    }
}

//! What NVIDIA's assembler was seen to do, kept under `golden/ptxas`, against the front end: every answer is the same.

use std::path::{Path, PathBuf};

use warpdiff_tables::agree::{correct, with_assembler, with_front_end};
use warpdiff_tables::initial::programs::InitialTable;
use warpdiff_tables::read::read;
use warpdiff_tables::verdicts::{Program, TableAnswer, Verdicts};
use warpdiff_tables::{initial, lowering, opaque, words};
use warpdiff_targets::ptxas::assembler::Assembler;

/// The tables, and how many answers each has that are verdicts.
const TABLES: [(&str, usize); 10] = [
    ("surface-forms.tsv", 293_878),
    ("surface-operands.tsv", 11_087),
    ("surface-geometries.tsv", 4_235),
    ("surface-tuples.tsv", 6_242),
    ("surface-random.tsv", 14_000),
    ("surface-vectors.tsv", 4_110),
    ("surface-odd.tsv", 4_696),
    ("memory-tuples.tsv", 10_430),
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
        assert!(comparison.disagreements.is_empty(), "{name}: {:#?}", comparison.disagreements);
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
    assert!(comparison.disagreements.is_empty(), "{:#?}", comparison.disagreements);
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
    assert!(comparison.disagreements.is_empty(), "{:#?}", comparison.disagreements);
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
            TableAnswer::Accepts => TableAnswer::Rejects,
            TableAnswer::Rejects | TableAnswer::Nothing => TableAnswer::Accepts,
        };
    }
}

/// What variables hold at first as the assembler emits it, and how many variables each table has.
const EMITTED: [(&str, usize); 2] = [("variables.tsv", 7_156), ("random-variables.tsv", 3_180)];

fn emitted(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/ptxas/initial").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn variables_are_laid_out_as_the_assembler_emits_them() {
    for (name, variables) in EMITTED {
        let table = initial::read::read(&emitted(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let agreement = initial::agree::with_layout(&table);
        assert!(agreement.differences.is_empty(), "{name}: {:#?}", agreement.differences);
        assert_eq!((agreement.compared, agreement.skipped), (variables, 0), "{name}");
        let sampled = table.programs.iter().any(|program| !program.variables.is_empty());
        assert!(
            sampled && initial::write::write(&table) == emitted(name),
            "{name} is not in its compact form"
        );
    }
    let table = opaque::read::read(&emitted("opaque-members.tsv")).unwrap();
    let agreement = opaque::agree::with_layout(&table);
    assert!(agreement.differences.is_empty(), "{:#?}", agreement.differences);
    assert_eq!(agreement.compared, 1_596);
}

/// One wrong byte anywhere in what was emitted is a difference: of every seventh variable each byte is damaged in turn.
#[test]
fn one_wrong_byte_is_a_difference() {
    let table = initial::read::read(&emitted("variables.tsv")).unwrap();
    let mut damaged = 0;
    for program in table.programs.iter().step_by(7) {
        for (index, (_, variable)) in program.variables.iter().enumerate() {
            let chance = program.source.as_deref().is_some_and(|source| source.contains(".b128"));
            if variable.section == ".nv.global" || chance {
                continue;
            }
            for at in 0..variable.bytes.len().min(64) {
                let mut wrong = program.clone();
                wrong.variables[index].1.bytes[at] ^= 0x10;
                let table = InitialTable { origin: Vec::new(), programs: vec![wrong] };
                let agreement = initial::agree::with_layout(&table);
                assert!(!agreement.differences.is_empty(), "{} {} byte {at}", program.id, variable.name);
                damaged += 1;
            }
        }
    }
    assert!(damaged > 2_000, "{damaged}");
}

/// The long table's own shape gives the same answers, and takes programs that it lacks from a table of verdicts.
#[test]
fn programs_may_stand_in_another_table() {
    let long = "id\tptxas\tptx_version\ttarget\tarch\tsymbol\tsection\tsection_align\toffset\tsize\tbytes_le_hex\telf_bind\telf_type\trelocations\tsnippet\n\
                a\t12.9\t8.8\tsm_50\tsm_50\t$__x__5\t.nv.global.init\t4\t0\t4\t07000000\t0\t1\t\t\n";
    let verdicts = "id\tsource\t12.9:8.8:sm_50\na\t.visible .entry k() { .global .u32 x = 7; ret; }\tA\n";
    let mut table = initial::read::read(long).unwrap();
    assert_eq!(initial::agree::with_layout(&table).skipped, 1);
    table.complete(&read(verdicts).unwrap());
    let agreement = initial::agree::with_layout(&table);
    assert_eq!((agreement.compared, agreement.same()), (1, 1), "{agreement:?}");
}

//! Mistakes that are in no catalogue: a run never says that a deviation reproduces everything, and says what the wrong rows have in common.
//!
//! Each mistake changes what the emulator observed by a rule: which programs, which rows, which bytes. The rules are chosen so that no
//! sentence of the catalogue is theirs.

use crate::cases::corpus;

use warpdiff_corpus::plan::{Column, PlannedLaunch, Row, Variant};
use warpdiff_model::{Observation, Semantics};
use warpdiff_session::diagnosis::{Diagnosis, Told};
use warpdiff_session::session;
use warpdiff_targets::{Question, Target};

/// A mistake: in programs with this text, in rows of which this holds, these bytes of each output become others.
#[derive(Clone, Copy)]
struct Mistake {
    file: &'static str,
    program: &'static str,
    when: When,
    change: Change,
}

/// In which rows, by an input.
#[derive(Clone, Copy)]
enum When {
    Always,
    Negative(&'static str),
    Least(&'static str, i64),
    Equals(&'static str, i64),
    Odd(&'static str),
}

/// What becomes of an output.
#[derive(Clone, Copy)]
enum Change {
    /// The lowest bit is the other one.
    LowestBit,
    /// The bit of the middle is the other one.
    MiddleBit,
    /// The halves of eight bytes change places.
    Halves,
    /// Each byte is one more.
    Increment,
    /// The bits are those of the number rotated by three.
    Rotate,
    /// The pattern 0xa5 is laid over it.
    Mask,
}

impl When {
    fn holds(self, row: &Row) -> bool {
        let input = |name: &str| {
            let text = row.inputs.iter().find(|(column, _)| *column == name)?.1.to_owned();
            match text.strip_prefix("0x") {
                Some(hex) => i64::from_str_radix(hex, 16).ok(),
                None => text.parse::<i64>().ok(),
            }
        };
        match self {
            Self::Always => true,
            Self::Negative(name) => input(name).is_some_and(|it| it < 0),
            Self::Least(name, least) => input(name).is_some_and(|it| it >= least),
            Self::Equals(name, value) => input(name) == Some(value),
            Self::Odd(name) => input(name).is_some_and(|it| it & 1 == 1),
        }
    }
}

impl Change {
    fn apply(self, bytes: &mut [u8]) {
        match self {
            Self::LowestBit => bytes[0] ^= 1,
            Self::MiddleBit => bytes[bytes.len() / 2] ^= 0x10,
            Self::Halves => bytes.rotate_left(bytes.len() / 2),
            Self::Increment => bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1)),
            Self::Rotate => bytes.iter_mut().for_each(|byte| *byte = byte.rotate_left(3)),
            Self::Mask => bytes.iter_mut().for_each(|byte| *byte ^= 0xA5),
        }
    }
}

impl Target for Mistake {
    fn name(&self) -> &str {
        "mistaken"
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let planned: &PlannedLaunch = question.planned;
        let launch = &planned.launch;
        let mut observed =
            warpdiff_emulator::observe(question.program.unwrap(), launch, &Semantics::default()).unwrap();
        let Observation::Completed { state } = &mut observed else { return observed };
        if !launch.program.contains(self.program) {
            return observed;
        }
        let Some(out) = state.regions.iter_mut().find(|region| region.name == PlannedLaunch::OUTPUTS) else {
            return observed;
        };
        for (row, record) in planned.rows.iter().zip(out.bytes.chunks_mut(planned.record().max(1))) {
            let of_column = |column: &Column| column.bytes();
            for bytes in planned.columns.iter().map(of_column).filter(|_| self.when.holds(row)) {
                if let Some(bytes) = record.get_mut(bytes) {
                    self.change.apply(bytes);
                }
            }
        }
        observed
    }
}

const fn mistake(file: &'static str, program: &'static str, when: When, change: Change) -> Mistake {
    Mistake { file, program, when, change }
}

const MISTAKES: [Mistake; 30] = [
    mistake("suld/bounds-1d", ".b32.", When::Always, Change::LowestBit),
    mistake("suld/bounds-1d", ".cg.", When::Always, Change::Increment),
    mistake("suld/bounds-1d", ".clamp", When::Negative("x"), Change::Rotate),
    mistake("suld/bounds-2d", ".b64.", When::Always, Change::Halves),
    mistake("suld/bounds-2d", ".clamp", When::Equals("y", 2), Change::MiddleBit),
    mistake("suld/bounds-2d", ".cs.", When::Least("x", 4), Change::Mask),
    mistake("suld/bounds-3d", ".3d.", When::Equals("z", 1), Change::Increment),
    mistake("suld/bounds-3d", ".b16.", When::Always, Change::Rotate),
    mistake("suld/bounds-3d", ".zero", When::Negative("y"), Change::LowestBit),
    mistake("suld/bounds-a1d", ".a1d.", When::Odd("l"), Change::Mask),
    mistake("suld/bounds-a1d", ".clamp", When::Negative("x"), Change::MiddleBit),
    mistake("suld/bounds-a2d", ".a2d.", When::Negative("x"), Change::Increment),
    mistake("suld/bounds-a2d", ".a2d.", When::Equals("y", 1), Change::LowestBit),
    mistake("suld/bounds-a2d", ".cv.", When::Always, Change::Rotate),
    mistake("suld/widths", ".v2.", When::Always, Change::Increment),
    mistake("suld/widths", ".b8.", When::Always, Change::Mask),
    mistake("suld/sweep-2d", ".b32.", When::Negative("y"), Change::Rotate),
    mistake("suld/sweep-3d", ".zero", When::Least("z", 1), Change::MiddleBit),
    mistake("suld/coordinates", "suld.b.", When::Always, Change::Rotate),
    mistake("arithmetic/integer", "mul.", When::Always, Change::Rotate),
    mistake("arithmetic/integer", "add.", When::Always, Change::Mask),
    mistake("arithmetic/bits", "brev.", When::Always, Change::MiddleBit),
    mistake("arithmetic/bits", "popc.", When::Always, Change::Rotate),
    mistake("arithmetic/bits", "bfe.", When::Always, Change::Mask),
    mistake("arithmetic/convert", "cvt.", When::Always, Change::MiddleBit),
    mistake("arithmetic/float", "fma.", When::Always, Change::Mask),
    mistake("memory/load-store", "ld.global", When::Always, Change::Mask),
    mistake("memory/spaces", "ld.", When::Always, Change::Rotate),
    mistake("suq/dimensions", "suq.", When::Always, Change::Rotate),
    mistake("suld/height-and-depth", "suld.", When::Always, Change::Mask),
];

/// Runs a mistake on cases of its file, and some of others with the same instructions.
fn diagnoses(mistake: Mistake) -> (usize, Vec<Diagnosis>) {
    let of_file = |variant: &&Variant| variant.id.starts_with(mistake.file) && variant.has_launches();
    let all: Vec<&Variant> = corpus().variants.iter().filter(of_file).collect();
    let step = all.len().div_ceil(60).max(1);
    let variants: Vec<&Variant> = all.into_iter().step_by(step).collect();
    let target: Box<dyn Target> = Box::new(mistake);
    let mut session = session::run(&variants, &[target], &|| ());
    let wrong = session.verdicts.iter().filter(|verdict| verdict.targets[0].raw.is_failure()).count();
    (wrong, session.diagnoses.remove(0))
}

#[test]
fn a_mistake_of_no_catalogue_is_never_put_down_to_a_deviation() {
    let mut shown = 0;
    for mistake in MISTAKES {
        let (wrong, found) = diagnoses(mistake);
        shown += usize::from(wrong > 0);
        assert_eq!(wrong > 0, !found.is_empty(), "{} {}", mistake.file, mistake.program);
        for diagnosis in &found {
            let claims = matches!(diagnosis.told, Told::Reproduced(_));
            assert!(!claims, "{} {}: {:?}", mistake.file, mistake.program, diagnosis.told);
        }
    }
    assert_eq!(shown, MISTAKES.len(), "each shows in some variant");
}

/// "For negative x in a2d": the rule is what is said of the wrong rows.
#[test]
fn what_the_wrong_rows_have_in_common_is_said() {
    let files = ["suld/bounds-2d", "suld/bounds-a2d"];
    let of =
        |variant: &&Variant| files.iter().any(|file| variant.id.starts_with(file)) && variant.has_launches();
    let all: Vec<&Variant> = corpus().variants.iter().filter(of).collect();
    let step = all.len().div_ceil(120).max(1);
    let variants: Vec<&Variant> = all.into_iter().step_by(step).collect();
    let mistaken = mistake("", ".a2d.", When::Negative("x"), Change::Increment);
    let found = session::run(&variants, &[Box::new(mistaken)], &|| ()).diagnoses.remove(0);
    let Told::Unexplained(told) = &found[0].told else { panic!("{:?}", found[0].told) };
    let pattern = told.pattern.as_ref().unwrap();
    assert!(pattern.clauses[0].contains(&"with .a2d".to_owned()), "{}", pattern.words());
    assert!(
        pattern.clauses[0].iter().any(|one| one.starts_with("x < 0") || one.starts_with("x <= -")),
        "{}",
        pattern.words()
    );
    assert_eq!(pattern.right_alike, 0, "{}", pattern.words());
}

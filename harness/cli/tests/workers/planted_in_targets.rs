//! A deviation is planted in each kind of target: in our driver library, in a process that speaks the protocol, and in a recording. What a
//! run says of each is what it says of the emulator with the deviation, and names it first.
//!
//! Some are planted here, beside another sample with each value of `WARPDIFF_SAMPLE`; `WARPDIFF_PLANTED` counts the sample.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::shown_by::languages;
use warpdiff_model::Deviation;

use crate::cases::corpus;
use crate::driver_library::library;
use crate::results;

/// Deviations that are planted in each run of the tests: of loads, of references, of variables, of stores, of numbers, of atomics, of machine words, and of what
/// depends on the other programs of a module.
const ALWAYS: [&str; 10] = [
    "suld.clamp-as-zero",
    "surface.first-reference",
    "init.elements-reversed",
    "sust.p-truncates",
    "bfe.signed-zero-extended",
    "atom.dec-ignores-greater",
    "atom.not-written-back",
    "spa.misaligned-not-forced",
    "align.at-most-16",
    "txq.register-ignored",
];
/// Others that are planted.
const SAMPLE: usize = 2;
/// Variants of one requirement that run.
const OF_EACH: usize = 12;
/// Most rows of one.
const ROWS: usize = 256;

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// The deviations that are planted.
fn planted() -> Vec<Deviation> {
    let sound = |deviation: &Deviation| deviation.entry().runs && !deviation.is_permitted();
    let all: Vec<Deviation> = Deviation::all().filter(sound).collect();
    let step = all.len().div_ceil(number("WARPDIFF_PLANTED", SAMPLE).max(1));
    let others = all.iter().skip(number("WARPDIFF_SAMPLE", 0) % step).step_by(step).copied();
    let named = |name: &&str| Deviation::from_name(name).unwrap_or_else(|| panic!("{name}"));
    ALWAYS.iter().map(named).chain(others).collect()
}

/// The ids of small variants of the requirements that it breaks, some of each.
fn witnesses(deviation: Deviation) -> Vec<&'static str> {
    let rows = |variant: &Variant| match &variant.work {
        Work::Launches(launches) => launches.iter().map(|launch| launch.rows.len().max(1)).sum(),
        Work::Legality(_) | Work::Unsupported(_) => usize::MAX,
    };
    let mut found: Vec<&'static str> = Vec::new();
    for id in deviation.entry().breaks {
        let covers = |variant: &&Variant| variant.covers.iter().any(|covered| covered == id);
        let small = corpus().variants.iter().filter(|variant| rows(variant) <= ROWS);
        let covering: Vec<&'static Variant> = small.filter(covers).collect();
        let step = covering.len().div_ceil(OF_EACH).max(1);
        found.extend(covering.into_iter().step_by(step).map(|variant| variant.id.as_str()));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn warpdiff(command: &str, variants: &[&str], deviation: Deviation) -> Command {
    let mut warpdiff = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    warpdiff.arg(command).args(variants).env_remove("CI").env("NO_COLOR", "1");
    warpdiff.arg("--corpus").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases"));
    warpdiff.env("WARPDIFF_CUDA_DEVIATIONS", deviation.name());
    if languages(deviation) == ["spa"] {
        // A device that is given machine words.
        warpdiff.env("WARPDIFF_CUDA_CAPABILITY", "5.2");
    }
    warpdiff
}

#[track_caller]
fn ended(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(matches!(status.code(), Some(0 | 1)), "{status}: {}{}", text(&stdout), text(&stderr));
    text(&stdout)
}

/// What is said of a target: the families, what is named first, and what claims more, of each diagnosis.
fn said(target: &Value) -> Vec<(Value, Value, Value)> {
    let diagnoses = target["diagnoses"].as_array().cloned().unwrap_or_default();
    let of = |one: &Value| {
        (one["families"].clone(), one["reproduced_by"][0]["deviations"].clone(), one["wider"].clone())
    };
    diagnoses.iter().map(of).collect()
}

/// `txq` of a texture in a register asks the first texture of the module: in a module with other programs that is one of theirs, which the launch does
/// not bind. In a module of their own, programs with one texture are right.
#[test]
fn what_is_wrong_only_beside_other_programs_is_said_and_explains_nothing() {
    let deviation = Deviation::from_name("txq.register-ignored").unwrap();
    let mut run = warpdiff("run", &["txq/members/dimensions of 1d and 2d textures*"], deviation);
    run.args(["--no-golden", "--no-repeat", "--json", "--against"])
        .arg(format!("cuda@{}", library().display()));
    let Output { status, stdout, stderr } = run.output().unwrap();
    let (told, words) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert_eq!(status.code(), Some(1), "{words}");
    let report = results::read(&told);
    let of_status = |wanted: &str| -> Vec<&Value> {
        let targets = report["variants"].as_array().unwrap().iter().map(|variant| &variant["targets"][0]);
        targets.filter(|target| target["status"] == wanted).collect()
    };
    let (beside, wrong): (Vec<&Value>, Vec<&Value>) = of_status("violates")
        .into_iter()
        .partition(|target| target["findings"][0]["reproduced_by"] == serde_json::json!([]));
    assert!(!wrong.is_empty() && !beside.is_empty(), "{told}");
    let again = format!(
        "{} wrong launches again in modules of their own ({} right there)",
        wrong.len() + beside.len(),
        beside.len()
    );
    assert!(words.contains(&again), "{again}: {words}");
    let said = said(&report["summary"]["targets"][0]);
    assert!(said.iter().all(|(_, first, _)| first[0] == deviation.name()), "{said:?}");
}

#[test]
fn what_is_planted_in_a_library_a_process_or_a_recording_is_named_first() {
    for deviation in planted() {
        let name = deviation.name();
        let variants = witnesses(deviation);
        let folder = tempfile::tempdir().unwrap();
        let recording = folder.path().join("recording");
        let deviant = format!("emulator+{name}");
        ended(warpdiff("record", &variants, deviation).args(["--against", &deviant, "-o"]).arg(&recording));
        let targets = [
            deviant.clone(),
            format!("process:'{}' worker {deviant}", env!("CARGO_BIN_EXE_warpdiff")),
            format!("cuda@{}", library().display()),
            format!("recording:{}", recording.display()),
        ];
        let mut run = warpdiff("run", &variants, deviation);
        run.args(["--no-golden", "--no-repeat", "--json", "--time-limit", "120", "--jobs", "2"]);
        for target in &targets {
            run.args(["--against", target]);
        }
        let report = results::read(&ended(&mut run));
        let of_targets = report["summary"]["targets"].as_array().unwrap();
        let by_emulator = said(&of_targets[0]);
        assert!(!by_emulator.is_empty(), "{name} shows nowhere among {variants:?}");
        for (target, summary) in targets.iter().zip(of_targets) {
            let said = said(summary);
            for (families, first, wider) in &said {
                let has = |list: &Value| list.as_array().is_some_and(|list| list.iter().any(|it| it == name));
                assert!(has(first) || has(wider), "{target}, {families}: {first} for {name}");
            }
            assert_eq!(said, by_emulator, "{target} with {name}");
        }
    }
}

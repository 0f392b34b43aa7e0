//! How commands end: every code that is documented, by every way to it, and the documents that name them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::copied_folder::copy;
use warpdiff_judge::exit_code::Exit;

/// Folders with copies of the small corpora of the tests, goldens and recordings beside them.
struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    /// The corpus `cases` with its goldens, a recording of the emulator and one of a target that deviates.
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        copy(&data("cases"), &place.path("cases"));
        place.is_well(&["run", "--bless"]);
        let recorded = |target: &str, folder: &str| {
            place.is_well(&["record", "basic", "--against", target, "-o", folder]);
        };
        recorded("emulator", "recorded");
        recorded("emulator+suld.clamp-as-zero", "deviating");
        place.is_well(&["record", "mock-flip", "--against", "emulator", "-o", "others"]);
        let expects = |name: &str, class: &str, variants: &str| {
            let entry = format!(
                "  - variants: '{variants}'\n    cause: {{class: {class}, deviation: none}}\n    reason: a test\n"
            );
            std::fs::write(place.path(name), format!("target: mock\nfails:\n{entry}")).unwrap();
        };
        expects("stale.yaml", "hang", "*add wraps");
        expects("nothing.yaml", "hang", "nowhere/*");
        expects("known.yaml", "value", "*mock-flip");
        let known = std::fs::read_to_string(place.path("known.yaml")).unwrap();
        std::fs::write(place.path("expired.yaml"), known.clone() + "    expires: 2026-11-21\n").unwrap();
        // It names a variant that fails as it says and one that conforms.
        expects("wide.yaml", "value", "*flip*");
        let wide = known.replace("'*mock-flip'", "['*mock-flip', '*add wraps']");
        std::fs::write(place.path("wide.yaml"), wide).unwrap();
        std::fs::write(place.path("old.txt"), "violates *mock-flip\n").unwrap();
        std::fs::write(
            place.path("good.ptx"),
            ".version 8.0\n.target sm_50\n.address_size 64\n.global .u32 a;\n",
        )
        .unwrap();
        std::fs::write(
            place.path("bad.ptx"),
            ".version 8.0\n.target sm_50\n.address_size 64\n.global .u33 a;\n",
        )
        .unwrap();
        std::fs::write(place.path("table.tsv"), "id\tsource\t12.9:8.8:sm_50\tmessages\n").unwrap();
        std::fs::write(place.path("notes"), "no journal\n").unwrap();
        place
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    /// How a command ends, and what it prints.
    fn ended(&self, arguments: &[&str]) -> (i32, String) {
        let program = match arguments.contains(&"mock") {
            true => env!("CARGO_BIN_EXE_warpdiff-misbehaving"),
            false => env!("CARGO_BIN_EXE_warpdiff"),
        };
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).args(arguments).env_remove("CI").env("NO_COLOR", "1");
        // A machine with a device must not judge it in these tests: a driver that sees no device finds none.
        command.env("CUDA_VISIBLE_DEVICES", "");
        let output = command.output().unwrap();
        let words = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code().unwrap(), words)
    }

    #[track_caller]
    fn is_well(&self, arguments: &[&str]) {
        let (code, words) = self.ended(arguments);
        assert_eq!(code, 0, "{arguments:?}: {words}");
    }
}

fn data(corpus: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(corpus)
}

/// Ways to every code: the words of a command line, separated by blanks (`_` is a blank within a word).
const WAYS: [(u8, &[&str]); 7] = [
    (
        0,
        &[
            "run",
            "run basic --against emulator",
            "run basic --against recording:recorded --recorded recorded",
            "run basic --against recording:recorded --recorded recorded --complete",
            // Of what was recorded later nothing is recorded here: that is no failure, as long as there is something.
            "run --against emulator --recorded recorded --no-golden",
            "run mock-flip --against mock --expectations known.yaml",
            "record basic --against emulator -o another",
            "compare recorded recorded",
            "check good.ptx",
            "layout good.ptx",
            "selfcheck basic",
            "fuzz --against emulator --count 2",
            "reduce suld_clamps --against emulator",
            "characterize --corpus alternatives --against emulator",
            // No case of it asks what the specification leaves open.
            "characterize basic --against emulator",
            "list",
            "coverage",
            "roadmap basic",
            "roadmap mock-hang --against mock",
            "doctor",
            "--help",
            "--version",
        ],
    ),
    (
        1,
        &[
            "run mock-flip --against mock",
            "run mock-hang --against mock",
            "run mock-crash --against mock",
            "run mock-reject --against mock",
            // Drift as well; that it violates is the worse news.
            "run suld_clamps --against emulator+suld.clamp-as-zero --recorded recorded",
            "check bad.ptx",
            "reduce suld_clamps --against emulator+suld.clamp-as-zero",
            "conform-protocol --against process:true",
            "conform-protocol --against process:true --require ld-st",
        ],
    ),
    (
        2,
        &[
            "",
            "runn",
            "run --no-such-option",
            "run no_such_case",
            "reduce no_such_case --against emulator",
            "reduce nowhere.yaml --against emulator",
            "run --corpus nowhere",
            "run --corpus wrong",
            "run --against cudda",
            "run --against emulator+no-such-deviation",
            "run --against process:",
            "roadmap no_such_case",
            "roadmap --language sass",
            "conform-protocol --against process:true --require no-such-thing",
            "run --expectations nowhere.yaml --against mock",
            "run --expectations old.txt --against mock",
            "run --expectations cases/basic --against mock",
            "run --expectations known.yaml --today tomorrow --against mock",
            "run basic --against emulator --complete",
            "check nowhere.ptx",
            "layout bad.ptx",
        ],
    ),
    (
        3,
        &[
            "run basic --against recording:recorded --recorded deviating",
            "run basic --against emulator --recorded deviating --no-golden",
            "compare recorded deviating",
        ],
    ),
    (
        4,
        &[
            // A target that is named has to be there, whatever kind of target it is.
            "run basic --against process:/nowhere/target",
            "run basic --against process:true",
            "run basic --against recording:nowhere",
            "run basic --against cuda@/nowhere/libcuda.so",
            "run basic --against cuda@good.ptx",
            "run basic --against ptxas:/nowhere/ptxas",
            "run basic --against ptxas:true",
            "run basic --against emulator --recorded nowhere",
            "record basic --against process:true -o fresh",
            "record basic --against cuda@/nowhere/libcuda.so -o fresh",
            "characterize basic --against cuda@/nowhere/libcuda.so",
            "fuzz --against cuda@/nowhere/libcuda.so --count 2",
            "fuzz --against process:true --count 2",
            "reduce suld_clamps --against process:true",
            "roadmap basic --against process:true",
            "probe --against cuda@/nowhere/libcuda.so",
            "conform-protocol --against process:/nowhere/target",
            "check --table table.tsv --against ptxas:/nowhere/ptxas",
            "compare recorded nowhere",
            "run basic --against mock --resume notes",
            "run basic --html notes/page.html",
        ],
    ),
    (
        5,
        &[
            "run mock-unsupported --against mock",
            "run mock-not-run --against mock",
            "run --against recording:recorded --no-golden",
            "run --corpus open --no-golden",
            // No machine has so many devices: what is not named by its file is skipped.
            "run basic --against cuda:4000",
            "characterize --corpus alternatives --against cuda:4000",
            "fuzz --against cuda:4000 --count 2",
            "reduce suld_clamps --against cuda:4000",
        ],
    ),
    (
        6,
        &[
            "run basic --golden nowhere",
            "run add_wraps --against mock --expectations stale.yaml --no-golden",
            "run mock-flip --against mock --expectations known.yaml --expectations nothing.yaml",
            "run mock-flip --against mock --expectations expired.yaml --today 2026-11-22",
            "run mock-flip add_wraps --against mock --expectations wide.yaml",
            "run --golden outdated",
            // Nothing of what is asked is recorded.
            "run mock-flip --against emulator --recorded recorded",
            "run mock-flip --against recording:recorded",
            "compare recorded others",
            "run --against emulator --recorded recorded --no-golden --complete",
            "run --against recording:recorded --no-golden --complete",
        ],
    ),
];

#[test]
fn every_code_is_reached_by_every_way_to_it() {
    let place = Workplace::new();
    copy(&data("wrong"), &place.path("wrong"));
    copy(&data("open"), &place.path("open"));
    copy(&data("alternatives"), &place.path("alternatives"));
    copy(&place.path("golden/emulator"), &place.path("outdated"));
    let golden = place.path("outdated/basic/add.golden");
    std::fs::write(&golden, std::fs::read_to_string(&golden).unwrap().replace("completes", "faults"))
        .unwrap();
    for (code, ways) in WAYS {
        for way in ways {
            let arguments: Vec<String> = way.split_whitespace().map(|word| word.replace('_', " ")).collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let (ended, words) = place.ended(&arguments);
            assert_eq!(ended, i32::from(code), "{way}: {words}");
        }
    }
}

/// What the environment names has to be there as well.
#[test]
fn a_ptxas_of_the_environment_is_named() {
    let place = Workplace::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    command.current_dir(place.folder.path()).env("WARPDIFF_PTXAS", "/nowhere/ptxas");
    let output = command.args(["run", "basic", "--against", "ptxas"]).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}

#[test]
fn the_codes_are_documented_as_they_are() {
    let codes: Vec<u8> = Exit::TABLE.iter().map(|(_, code, _)| *code).collect();
    // `command_line/interruption.rs` tries 7, which takes a signal.
    let tried: Vec<u8> = WAYS.iter().map(|(code, _)| *code).chain([Exit::Interrupted.code()]).collect();
    assert_eq!(codes, tried, "a code is not tried");
    let place = Workplace::new();
    // Long lines are broken where the terminal ends.
    let help = place.ended(&["--help"]).1.split_whitespace().collect::<Vec<_>>().join(" ");
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    for (_, code, meaning) in Exit::TABLE {
        assert!(help.contains(&format!(" {code} {meaning} ")), "--help lacks {code}: {help}");
        assert!(
            readme.contains(&format!("\n| {code} | {meaning} |\n")),
            "the README lacks {code}: {meaning}"
        );
    }
    let order = format!("the first in this order decides: {}.", Exit::ORDER);
    assert!(help.contains(&order) && readme.contains(&order));
}

#[test]
fn a_corpus_of_many_errors_does_not_flood_and_prints_all_on_request() {
    let place = Workplace::new();
    let broken: String = (0..120)
        .map(|n| format!("- case: number {n}\n  covers: [add]\n  inputs: {{a: u32}}\n  outputs: {{d: u32}}\n  body: addd.u32 %d, %a, {n};\n  rows:\n    - {{a: 1, d: 1}}\n"))
        .collect();
    std::fs::write(place.path("cases/basic/broken.yaml"), broken).unwrap();
    let (code, few) = place.ended(&["run"]);
    assert_eq!(code, 2, "{few}");
    assert!(few.contains("the corpus has 120 errors"), "{few}");
    assert!(few.ends_with("… and 70 more (--all-errors prints them)\n"), "{few}");
    let carets = |text: &str| text.matches("cases/basic/broken.yaml:").count();
    assert_eq!(carets(&few), 50);
    let (code, all) = place.ended(&["run", "--all-errors"]);
    assert_eq!((code, carets(&all)), (2, 120));
    assert!(!all.contains("--all-errors"));
}

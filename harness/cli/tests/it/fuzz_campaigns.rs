//! `warpdiff fuzz` as a campaign: how it ends, goes on and is joined with others, and what becomes of its findings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A target that says `hello` and that a launch was asked of it, and never answers.
const SILENT: &str = r#"process:sh -c 'read hello; printf "%s\n" "{\"type\":\"hello\",\"protocol\":1,\"name\":\"t\",\"dialects\":[\"ptx\"]}"; read launch; touch "$WARPDIFF_ASKED"; cat > /dev/null'"#;

fn warpdiff(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpdiff")).args(arguments).output().expect("warpdiff")
}

/// The exit code and the standard output.
fn ended(arguments: &[&str]) -> (i32, String) {
    let output = warpdiff(arguments);
    let text = String::from_utf8(output.stdout).expect("utf-8");
    (output.status.code().expect("a code"), text)
}

/// The numbers at the start of lines: `4096 programs of seed 1 …` is 4096.
fn programs(summary: &str) -> u64 {
    summary.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number of programs")
}

/// A summary without the line that says how long it took.
fn without_time(summary: &str) -> Vec<&str> {
    let timed = |line: &&str| line.contains(" s, ") && line.ends_with("programs/s");
    summary.lines().filter(|line| !timed(line) && !line.is_empty()).collect()
}

fn yaml_files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
}

#[test]
fn a_campaign_ends_with_its_time_and_says_where_the_next_begins() {
    let fuzz =
        |more: &[&str]| ended(&[&["fuzz", "--against", "emulator", "--per-cause", "0"], more].concat());
    let (code, summary) = fuzz(&["--time", "1s"]);
    assert_eq!(code, 0, "{summary}");
    let tried = programs(&summary);
    let next = format!("its time is up: with the same seed `--first {tried}` goes on");
    assert_eq!(summary.lines().last(), Some(&*next), "{summary}");
    // Each program is what it is by seed and number: as many of them without a time come to the same.
    let (code, counted) = fuzz(&["--count", &tried.to_string()]);
    assert_eq!(code, 0, "{counted}");
    let timed = without_time(&summary);
    assert_eq!(timed[..timed.len() - 1], without_time(&counted)[..]);
    // Where a number of programs is stated too, what comes first ends it.
    let (_, few) = fuzz(&["--time", "1h", "--count", "50"]);
    assert_eq!((programs(&few), few.contains("--first")), (50, false), "{few}");
}

#[test]
fn a_time_without_a_unit_is_wrong_usage() {
    let output = warpdiff(&["fuzz", "--against", "emulator", "--time", "60"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("such as `90s`, `20m` or `1h`"));
}

#[test]
fn a_signal_ends_a_campaign_with_what_was_judged_until_then() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let folder = tempfile::tempdir().expect("a folder");
        let asked = folder.path().join("asked");
        let child = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
            .args(["fuzz", "--against", SILENT, "--time", "1h", "--time-limit", "600", "--out"])
            .arg(folder.path().join("findings"))
            .env("WARPDIFF_ASKED", &asked)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("warpdiff");
        while !asked.exists() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        // SAFETY: kill takes plain numbers; the child is ours and has not been waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
        let output = child.wait_with_output().expect("it ends");
        let summary = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(7), "{summary}");
        // No program of the first chunk has an answer, so that none of it counts.
        assert_eq!(programs(&summary), 0, "{summary}");
        let last = "a signal ended it, and nothing was reduced: with the same seed `--first 0` goes on";
        assert_eq!(summary.lines().last(), Some(last), "{summary}");
    }
}

#[test]
fn each_of_several_targets_gets_the_verdict_that_it_gets_alone() {
    let deviating = "emulator+suld.clamp-as-zero";
    let wider = "emulator+suld.clamp-as-zero,shift.amount-masked";
    let fuzz = |targets: &[&str]| {
        // More than are given to the targets at once.
        let mut arguments = vec!["fuzz", "--count", "1100", "--per-cause", "0"];
        targets.iter().for_each(|target| arguments.extend(["--against", target]));
        ended(&arguments)
    };
    let violate = |summary: &str| {
        let line = summary.lines().nth(1).expect("the counts").to_owned();
        let count = line.split(", ").find_map(|part| part.trim().strip_suffix(" violate the specification"));
        count.expect("a count").to_owned()
    };
    let (code, together) = fuzz(&["emulator", deviating, wider]);
    assert_eq!(code, 1, "{together}");
    let alone: Vec<String> = ["emulator", deviating, wider].iter().map(|target| fuzz(&[target]).1).collect();
    assert_ne!(violate(&alone[1]), violate(&alone[2]), "the second deviation shows somewhere");
    let alone: Vec<&str> = alone.iter().flat_map(|summary| without_time(summary)).collect();
    assert_eq!(without_time(&together), alone);
    // Both clamp wrongly: the reference stands alone with those programs.
    let (_, alike) = fuzz(&[deviating, wider]);
    let (_, first) = fuzz(&[deviating]);
    let sentence = format!("{} programs differ on every target:", violate(&first));
    assert!(alike.contains(&sentence), "{sentence}\n{alike}");
}

/// What two shards found, in folders of their own, one after the other and the other way round.
#[test]
fn shards_are_joined_by_signature_whatever_their_order() {
    let place = tempfile::tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name).display().to_string();
    for (shard, first) in [("one", "0"), ("two", "800")] {
        let (code, summary) = ended(&[
            "fuzz",
            "--against",
            "emulator+suld.clamp-as-zero",
            "--first",
            first,
            "--count",
            "800",
            "--per-cause",
            "2",
            "--out",
            &path(shard),
        ]);
        assert_eq!(code, 1, "{summary}");
    }
    let (one, two, joined, again) = (path("one"), path("two"), path("joined"), path("again"));
    let (code, said) = ended(&["merge", "--findings", &joined, &one, &two]);
    assert_eq!(code, 1, "{said}");
    assert_eq!(ended(&["merge", "--findings", &again, &two, &one]).0, 1);
    let texts = |folder: &str| -> BTreeSet<String> {
        yaml_files(Path::new(folder))
            .iter()
            .map(|path| std::fs::read_to_string(path).expect("a case"))
            .collect()
    };
    let signatures = |folder: &str| -> Vec<String> {
        let texts = texts(folder);
        let lines =
            texts.iter().flat_map(|text| text.lines().filter(|line| line.starts_with("# signature: ")));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(texts(&joined), texts(&again));
    let all: BTreeSet<String> = [signatures(&one), signatures(&two)].concat().into_iter().collect();
    let kept = signatures(&joined);
    assert_eq!((kept.len(), kept.into_iter().collect::<BTreeSet<_>>()), (all.len(), all));
    // What is there already is known, and stays as it is.
    let before = texts(&joined);
    let (_, said) = ended(&["merge", "--findings", &joined, &two]);
    assert!(said.contains("0 of them new"), "{said}");
    assert_eq!(texts(&joined), before);
}

#[test]
fn a_case_without_a_signature_is_no_finding() {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("own.yaml"), "- case: mine\n").expect("the file");
    let folder = place.path().display().to_string();
    let output = warpdiff(&["merge", "--findings", &format!("{folder}/joined"), &folder]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("own.yaml: no line begins with `# signature:`"), "{said}");
}

/// From a planted deviation to a blessed regression: what `fuzz` writes into a corpus is blessed, conforms on the reference, and is violated by the
/// deviation, which is named.
#[test]
fn a_finding_becomes_a_regression_without_a_hand_on_the_keyboard() {
    for (dialect, deviation) in
        [("ptx", "suld.clamp-as-zero"), ("ptx", "shift.amount-masked"), ("spa", "spa.wide-reversed")]
    {
        let place = tempfile::tempdir().expect("a folder");
        let corpus = place.path().join("corpus");
        std::fs::create_dir_all(&corpus).expect("the folder");
        std::fs::write(corpus.join("requirements.yaml"), "[]\n").expect("the file");
        let (corpus, regressions) =
            (corpus.display().to_string(), corpus.join("regressions").display().to_string());
        let against = format!("emulator+{deviation}");
        let (code, summary) = ended(&[
            "fuzz",
            "--dialect",
            dialect,
            "--against",
            &against,
            "--count",
            "1024",
            "--stop",
            "--out",
            &regressions,
        ]);
        assert_eq!(code, 1, "{summary}");
        assert!(!yaml_files(Path::new(&regressions)).is_empty(), "{summary}");
        let golden = place.path().join("golden").display().to_string();
        let run = |more: &[&str]| {
            let output = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
                .args(["run", "--corpus", &corpus, "--golden", &golden])
                .args(more)
                .env_remove("CI")
                .output()
                .expect("warpdiff");
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let (blessed, said) = run(&["--bless"]);
        assert_eq!(blessed, Some(0), "{said}");
        let (right, said) = run(&["--against", "emulator"]);
        assert_eq!(right, Some(0), "{said}");
        let (wrong, said) = run(&["--against", &against]);
        assert_eq!(wrong, Some(1), "{said}");
        assert!(said.contains(&format!("reproduced exactly by {deviation}")), "{said}");
    }
}

/// The seed of what is drawn anew each night: `WARPDIFF_NIGHT_SEED`, or always the same.
fn night_seed() -> u64 {
    std::env::var("WARPDIFF_NIGHT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(23)
}

/// The words that the text of a program is assembled to are the same program: each instruction, its schedule, and where control goes.
#[test]
fn generated_programs_of_spa_are_the_same_from_their_words() {
    let mut instructions = 0;
    for index in 0..200 {
        let written = warpdiff_generator::spa_specimen(night_seed(), index).expect("a specimen").write();
        let text = &*written.launch.program;
        let program = warpdiff_sass::compile(text, &warpdiff_sass::Header::default()).expect("it is legal");
        let words = program.words();
        let again = warpdiff_sass::Program::from_words(&words).expect("they are a program");
        assert_eq!(again.words(), words, "{text}");
        // Behind the end of a program its last bundle is filled up.
        for (number, statement) in program.statements.iter().enumerate() {
            let other = &again.statements[number];
            assert_eq!(statement.instruction, other.instruction, "{number}: {text}");
            assert_eq!(program.target(number), again.target(number), "{number}: {text}");
            assert!(statement.control.is_none() || statement.control == other.control, "{number}: {text}");
        }
        instructions += program.statements.len();
    }
    assert!(instructions > 4000, "{instructions}");
}

#[test]
fn a_corpus_grows_and_the_summary_says_what_it_reaches() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = folder.path().join("corpus");
    let fuzz = |more: &[&str]| {
        let path = corpus.to_str().expect("utf-8");
        ended(&[&["fuzz", "--against", "emulator", "--per-cause", "0", "--corpus", path], more].concat())
    };
    let reached = |summary: &str| -> Vec<u64> {
        let line = summary.lines().find(|line| line.contains(" programs reach ")).expect("the line");
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let (code, summary) = fuzz(&["--count", "300"]);
    assert_eq!(code, 0, "{summary}");
    assert!(summary.starts_with("300 programs of seed 1, guided by a corpus against emulator"), "{summary}");
    let [programs, forms, combinations, new] = reached(&summary)[..] else { panic!("{summary}") };
    assert!(forms > 0 && combinations > forms && new == combinations, "{summary}");
    let files = || std::fs::read_dir(&corpus).expect("the corpus").count() as u64;
    assert_eq!(files(), programs);
    // A later campaign goes on with it, also one that a time ends.
    let (code, summary) = fuzz(&["--time", "1s", "--first", "300", "--jobs", "1"]);
    assert_eq!(code, 0, "{summary}");
    let [programs, _, later, new] = reached(&summary)[..] else { panic!("{summary}") };
    assert_eq!((later, files()), (combinations + new, programs), "{summary}");
}

#[test]
fn a_corpus_that_cannot_be_used_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = |path: &Path, more: &[&str]| {
        let path = path.to_str().expect("utf-8");
        let output = warpdiff(&[&["fuzz", "--corpus", path], more].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, message) = said(&folder.path().join("a/b"), &["--against", "emulator"]);
    assert_eq!(code, Some(4), "{message}");
    assert!(message.contains("--corpus: cannot use ") && message.contains("a/b"), "{message}");
    let file = folder.path().join("file");
    std::fs::write(&file, "x").expect("the file");
    assert_eq!(said(&file, &["--against", "emulator"]).0, Some(4));
    // Statistics are of the programs of a seed.
    assert_eq!(said(folder.path(), &["--statistics"]).0, Some(2));
}

//! The scripts of a night on a GPU: shards, their merge, the plan of jobs, pods. They leave their reports however they end, and end with the
//! most urgent code. Our own driver library stands in for the device, or a script for warpdiff.
#![cfg(target_os = "linux")]

use crate::results;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::driver_library::library;
use tempfile::TempDir;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A script of `ci/`, run in a folder, with nothing of the environment that could change it.
fn script(name: &str, folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(top().join("ci").join(name));
    command.current_dir(folder.path()).args(arguments);
    for variable in [
        "TARGET",
        "EXPECTATIONS",
        "DURATIONS",
        "RECORDED",
        "MINUTES",
        "FAULT_BUDGET",
        "FILTER",
        "SHARDS",
        "PREVIOUS",
        "CI",
        "GITHUB_ACTIONS",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_WORKSPACE",
        "GITHUB_OUTPUT",
        "WARPDIFF_CUDA_DEVIATIONS",
    ] {
        command.env_remove(variable);
    }
    command.env("CUDA_VISIBLE_DEVICES", "").env("WARPDIFF", env!("CARGO_BIN_EXE_warpdiff"));
    command
}

#[track_caller]
fn ended(output: Output, code: i32) -> String {
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

fn read(folder: &TempDir, file: &str) -> String {
    std::fs::read_to_string(folder.path().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// A night of two shards on a device that is wrong: every shard leaves everything, the merge proves that nothing is missing, the
/// summary of the workflow is written once, and the recording has what the run saw. The next night is balanced by it; a shard of
/// it is missing.
#[test]
fn a_night_is_judged_in_shards_and_joined() {
    const CASES: &str = "suld/bounds-2d/*cop=.cs*";
    let folder = tempfile::tempdir().unwrap();
    let target = format!("cuda@{}", library().display());
    let night = |arguments: &[&str], deviations: &str| {
        let mut command = script("gpu-night.sh", &folder, arguments);
        command.env("TARGET", &target).env("FILTER", CASES).env("WARPDIFF_CUDA_DEVIATIONS", deviations);
        command.env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
        command
    };
    ended(night(&["2", "first"], "suld.clamp-as-zero").output().unwrap(), 1);
    for number in 1..=2 {
        for file in [
            "results.jsonl",
            "junit.xml",
            "report.html",
            "report.txt",
            "doctor.txt",
            "recording/recording.yaml",
        ] {
            read(&folder, &format!("first/shard-{number}-of-2/{file}"));
        }
    }
    assert!(read(&folder, "first/night/report.txt").contains("ran exactly once; exit code 1"));
    assert!(read(&folder, "first/night/junit.xml").contains("type=\"clamp behaviour\""));
    assert_eq!(
        read(&folder, "summary.md").matches("\n### What differs").count(),
        1,
        "only the merge writes it"
    );
    let results = results::read(&read(&folder, "first/night/results.jsonl"));
    let variants = results["variants"].as_array().unwrap().len();
    assert!(variants >= 30, "{variants}");
    // The recording holds every launch, and judged from itself it says the same.
    let mut replay = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    let recording = format!("recording:{}", folder.path().join("first/night/recording").display());
    replay.current_dir(top()).args(["run", "--no-golden", "--complete", "--against", &recording, CASES]);
    let said = ended(replay.output().unwrap(), 1);
    assert!(
        said.contains(&format!(" violate ({variants} variants")) && said.contains("suld.clamp-as-zero"),
        "{said}"
    );

    // The next night, balanced by this one. Its second shard never comes.
    let mut command = script("gpu-shard.sh", &folder, &["1", "2", "second/shard-1-of-2"]);
    command.env("TARGET", &target).env("FILTER", CASES).env("DURATIONS", "first/night/results.jsonl");
    let said = ended(command.output().unwrap(), 0);
    assert!(said.contains("balanced by the durations in first/night/results.jsonl"), "{said}");
    let said = ended(script("gpu-merge.sh", &folder, &["second", "one"]).output().unwrap(), 4);
    assert!(said.contains("gap: shard 2 of 2 is missing"), "{said}");
    let said =
        ended(script("gpu-merge.sh", &folder, &["second", "two"]).env("SHARDS", "2").output().unwrap(), 4);
    assert!(said.contains("2 shards ran, and 1 left results"), "{said}");
    // None at all.
    std::fs::create_dir(folder.path().join("nothing")).unwrap();
    let said = ended(script("gpu-merge.sh", &folder, &["nothing"]).output().unwrap(), 4);
    assert!(said.contains("no shard left results"), "{said}");
}

/// Stands in for warpdiff: `run` ends with the code in `CODE`, or, where that is `signal`, at a signal with 7, after its report.
const STAND_IN: &str = r#"#!/usr/bin/env bash
echo "$1 begins"
case $1 in
    run)
        while (($# > 1)); do
            case $1 in --results) results=$2 ;; --resume) answers=$2 ;; esac
            shift
        done
        echo '{"line":"summary"' > "$results"
        [[ -z ${ANSWERS:-} ]] || echo answer > "$answers"
        [[ $CODE == signal ]] || { echo 'end of the report'; exit "$CODE"; }
        trap 'sleep 0.3; echo "end of the report"; exit 7' INT TERM
        echo waits > "$(dirname "$results")/waits"
        while :; do sleep 0.05; done ;;
    record) exit "${RECORD:-0}" ;;
    merge) exit "${MERGE:-0}" ;;
    fuzz) exit "${CODE}" ;;
esac
"#;

fn stand_in(folder: &TempDir) -> PathBuf {
    let program = folder.path().join("warpdiff");
    std::fs::write(&program, STAND_IN).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[test]
fn a_shard_ends_with_the_most_urgent_code_of_its_steps() {
    for (run, record, expected) in [
        ("0", "0", 0),
        ("1", "0", 1),
        ("6", "0", 6),
        ("5", "0", 5),
        ("1", "4", 4),
        ("3", "0", 3),
        // None of warpdiff's codes: it did not run to its end.
        ("101", "0", 4),
        ("137", "0", 4),
        ("2", "4", 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = script("gpu-shard.sh", &folder, &["1", "1", "out"]);
        command.env("WARPDIFF", stand_in(&folder)).env("CODE", run).env("RECORD", record).env("ANSWERS", "1");
        let said = ended(command.output().unwrap(), expected);
        assert!(said.contains(&format!("run: exit {run}\n")) && said.contains("record begins"), "{said}");
        assert!(read(&folder, "out/report.txt").ends_with("end of the report\n"));
    }
}

/// The command in a process group of its own, as a child of a shell that waits for it and writes the number of the group. It is no child of this process: other
/// tests here have workers, and what is found as a child in another group is taken for a descendant that a worker left behind. A shell cannot catch a signal that it
/// begins with ignored, as it does where the tests run in the background of another.
fn in_a_group(command: &Command, folder: &TempDir) -> Command {
    let mut shell = Command::new("env");
    shell
        .args([
            "--default-signal=INT,QUIT",
            "bash",
            "-c",
            r#"set -m; "$@" & echo $! > "$GROUP"; wait $!"#,
            "bash",
        ])
        .env("GROUP", folder.path().join("group"));
    shell.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    if let Some(current) = command.get_current_dir() {
        shell.current_dir(current);
    }
    shell
}

/// A CI service sends a signal to the script; a terminal to the whole process group. Either way warpdiff gets one signal, for at a
/// second one it would end without its report, and the script waits for that.
#[test]
fn a_signal_reaches_warpdiff_once_and_its_report_is_kept() {
    for (signal, group) in [("TERM", false), ("INT", false), ("INT", true), ("TERM", true)] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = script("gpu-shard.sh", &folder, &["1", "1", "out"]);
        command.env("WARPDIFF", stand_in(&folder)).env("CODE", "signal").env("ANSWERS", "1");
        let mut command = in_a_group(&command, &folder);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let shard = command.spawn().unwrap();
        let begun = Instant::now();
        while !folder.path().join("out/waits").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "the run does not begin");
            std::thread::sleep(Duration::from_millis(20));
        }
        let id = read(&folder, "group");
        let whom = format!("{}{}", if group { "-" } else { "" }, id.trim());
        assert!(Command::new("kill").args(["-s", signal, "--", &whom]).status().unwrap().success());
        let said = ended(shard.wait_with_output().unwrap(), 7);
        assert!(said.contains("run: exit 7\n"), "{signal} {group}: {said}");
        assert!(said.contains(&format!("left out: stopped by SIG{signal}")), "{said}");
        assert!(read(&folder, "out/report.txt").ends_with("end of the report\n"), "{signal} {group}");
    }
}

/// A script with its arguments and environment, and what it says of them.
type Wrong<'a> = (&'a str, &'a [&'a str], &'a [(&'a str, &'a str)], &'a str);

#[test]
fn wrong_usage_has_its_code() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes"), "").unwrap();
    let whole = folder.path().display().to_string();
    let cases: [Wrong<'_>; 12] = [
        ("gpu-shard.sh", &[], &[], "usage: ci/gpu-shard.sh NUMBER OF"),
        ("gpu-shard.sh", &["3", "2"], &[], "there is no shard 3 of 2"),
        ("gpu-shard.sh", &["x", "2"], &[], "NUMBER is a number from 1 on"),
        ("gpu-shard.sh", &["1", "2", &whole], &[], "is not empty"),
        ("gpu-shard.sh", &["1", "2", "out"], &[("EXPECTATIONS", "nowhere")], "there are no expectations"),
        ("gpu-shard.sh", &["1", "2", "out"], &[("WARPDIFF", "notes")], "WARPDIFF is not a program"),
        ("gpu-merge.sh", &["nowhere"], &[], "there is no folder"),
        ("fuzz-hour.sh", &["out"], &[("MINUTES", "-1")], "MINUTES is a number"),
        ("kubernetes/shard.sh", &[], &[], "JOB_COMPLETION_INDEX is not set"),
        (
            "kubernetes/shard.sh",
            &[],
            &[("JOB_COMPLETION_INDEX", "0"), ("SHARDS", "2"), ("NIGHT", "night-DATE")],
            "put the date of the night there",
        ),
        (
            "kubernetes/fuzz-shard.sh",
            &[],
            &[("JOB_COMPLETION_INDEX", "0"), ("CAMPAIGN", "fuzz-DATE")],
            "put the date of the campaign there",
        ),
        (
            "kubernetes/fuzz-shard.sh",
            &[],
            &[("JOB_COMPLETION_INDEX", "0"), ("CAMPAIGN", "fuzz"), ("SEED", "x")],
            "SEED is a number, not `x`",
        ),
    ];
    for (name, arguments, variables, why) in cases {
        let mut command = script(name, &folder, arguments);
        command.env_remove("JOB_COMPLETION_INDEX").envs(variables.iter().copied());
        let said = ended(command.output().unwrap(), 2);
        assert!(said.contains(why), "{name} {arguments:?}: {said}");
    }
}

#[test]
fn the_plan_has_a_job_for_each_shard_and_refuses_a_wrong_list() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |list: &str| {
        std::fs::write(folder.path().join("list.json"), list).unwrap();
        script("gpu-plan.sh", &folder, &["list.json"])
            .env("GITHUB_OUTPUT", folder.path().join("output"))
            .output()
            .unwrap()
    };
    let said = ended(
        plan(r#"[{"name": "h100", "labels": ["self-hosted", "h100"], "target": "cuda:1", "shards": 2}]"#),
        0,
    );
    let shards = said.lines().find_map(|line| line.strip_prefix("shards=")).unwrap();
    let shards: serde_json::Value = serde_json::from_str(shards).unwrap();
    assert_eq!(
        shards,
        serde_json::json!([
            {"name": "h100", "labels": ["self-hosted", "h100"], "target": "cuda:1", "shard": 1, "of": 2},
            {"name": "h100", "labels": ["self-hosted", "h100"], "target": "cuda:1", "shard": 2, "of": 2},
        ])
    );
    assert_eq!(read(&folder, "output"), said);
    for (list, why) in [
        ("{", "Expecting"),
        ("[]", "a list of runners is expected"),
        (r#"[{"name": "a"}]"#, "a runner has name, labels, target and shards"),
        (r#"[{"name": "a.b", "labels": ["x"], "target": "cuda", "shards": 1}]"#, "a name is of letters"),
        (r#"[{"name": "a", "labels": [], "target": "cuda", "shards": 1}]"#, "labels are a list"),
        (
            r#"[{"name": "a", "labels": ["x"], "target": "emulator", "shards": 1}]"#,
            "the target is a cuda target",
        ),
        (r#"[{"name": "a", "labels": ["x"], "target": "cuda", "shards": 0}]"#, "1 to 64 shards"),
    ] {
        let said = ended(plan(list), 2);
        assert!(said.contains(why), "{list}: {said}");
    }
    // The list of the repository is right.
    ended(script("gpu-plan.sh", &folder, &[]).output().unwrap(), 0);
}

/// A pod runs the shard of its index, and what an earlier try left does not stand beside it.
#[test]
fn a_pod_runs_the_shard_of_its_index_and_moves_an_earlier_try_aside() {
    let folder = tempfile::tempdir().unwrap();
    let pod = |code: &str| {
        let mut command = script("kubernetes/shard.sh", &folder, &[]);
        command
            .env("WARPDIFF", stand_in(&folder))
            .env("CODE", code)
            .env("NIGHT", folder.path().join("night"));
        command.env("SHARDS", "8").env("JOB_COMPLETION_INDEX", "2");
        command
    };
    let said = ended(pod("4").output().unwrap(), 4);
    assert!(said.contains("== run 3/8 on cuda"), "{said}");
    let said = ended(pod("1").output().unwrap(), 1);
    assert!(said.contains("an earlier try is in "), "{said}");
    read(&folder, "night/shards/3/results.jsonl");
    assert_eq!(std::fs::read_dir(folder.path().join("night/shards")).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(folder.path().join("night/earlier")).unwrap().count(), 1);
}

/// Pods have the programs of their index, and end as what they run; the found cases of two are joined by their signatures.
#[test]
fn a_pod_runs_the_programs_of_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let pod = |index: &str, first: &str| {
        let mut command = script("kubernetes/fuzz-shard.sh", &folder, &[]);
        command
            .env("WARPDIFF", env!("CARGO_BIN_EXE_warpdiff"))
            .env("CAMPAIGN", folder.path().join("campaign"));
        command.env("TARGET", "emulator+suld.clamp-as-zero").env("SEED", "1").env("PROGRAMS", "40");
        command.env("JOB_COMPLETION_INDEX", index);
        let said = ended(command.output().unwrap(), 1);
        assert!(said.contains(&format!("== programs {first} of seed 1")), "{said}");
        let found = folder.path().join(format!("campaign/found-{index}"));
        assert!(std::fs::read_dir(found).unwrap().count() > 0);
        assert!(read(&folder, &format!("campaign/report-{index}.txt")).contains("40 programs of seed 1"));
    };
    pod("0", "0 to 39");
    pod("8", "320 to 359");
}

#[test]
fn the_hour_of_generated_programs_ends_where_nothing_can_be_compared() {
    for (code, expected) in [("4", 4), ("2", 2), ("5", 5)] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = script("fuzz-hour.sh", &folder, &["out"]);
        command
            .env("WARPDIFF", stand_in(&folder))
            .env("CODE", code)
            .env_remove("PROGRAMS")
            .env_remove("SEED");
        let said = ended(command.output().unwrap(), expected);
        assert!(said.contains("== 1 rounds of 2000 programs"), "{said}");
    }
}

/// The durations of a night are kept where its results are whole.
#[test]
fn the_durations_of_a_night_are_kept_where_it_came_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("nights/night.a/results.jsonl", "{\"line\":\"run\"}\n{\"line\":\"summary\"}\n");
    write("nights/night.b/results.jsonl", "{\"line\":\"run\"}\n{\"line\":\"var");
    write("durations/b.jsonl", "the night before");
    ended(script("gpu-durations.sh", &folder, &["nights", "durations"]).output().unwrap(), 0);
    assert!(read(&folder, "durations/a.jsonl").contains("summary"));
    assert_eq!(read(&folder, "durations/b.jsonl"), "the night before");
}

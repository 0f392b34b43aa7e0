//! Runs that are ended early: by a signal, or by `--max-time`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::workplace::{Ended, Workplace};
use crate::results;

/// A target that says `hello`, and never answers a launch.
const SILENT: &str = r#"process:sh -c 'read hello; printf "%s\n" "{\"type\":\"hello\",\"protocol\":1,\"name\":\"t\",\"dialects\":[\"ptx\"]}"; cat > /dev/null'"#;

/// Runs against the emulator and the silent target, and sends these signals as soon as the run has begun.
fn interrupted(place: &Workplace, signals: &[i32]) -> (std::process::ExitStatus, String, String) {
    let arguments = [
        "run",
        "--no-golden",
        "--json",
        "--time-limit",
        "600",
        "--html",
        "page.html",
        "--junit",
        "junit.xml",
    ];
    let mut child = place
        .command(&[&arguments[..], &["--against", SILENT]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    // The first line comes when the signals are handled already.
    out.read_line(&mut said).unwrap();
    for signal in signals {
        // SAFETY: kill takes plain numbers; the child is ours and has not been waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, *signal) }, 0);
    }
    std::io::Read::read_to_string(&mut out, &mut said).unwrap();
    let ended = child.wait_with_output().unwrap();
    (ended.status, said, String::from_utf8(ended.stderr).unwrap())
}

#[test]
fn a_signal_ends_the_run_and_every_report_is_written_and_partial() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let place = Workplace::new("cases");
        let (status, said, err) = interrupted(&place, &[signal]);
        assert_eq!(status.code(), Some(7), "{said}{err}");
        let report = results::read(&said);
        let summary = &report["summary"];
        assert_eq!((&summary["partial"], &summary["exit"]), (&"interrupted".into(), &"interrupted".into()));
        let (judged, left) =
            (report["variants"].as_array().unwrap(), summary["left_out"].as_array().unwrap());
        assert_eq!(report["run"]["selection"]["variants"], judged.len() + left.len());
        assert!(left.len() > 5, "{summary}");
        let page = std::fs::read_to_string(place.path("page.html")).unwrap();
        assert!(page.contains("Partial: interrupted"), "{page}");
        assert!(std::fs::read_to_string(place.path("junit.xml")).unwrap().contains("</testsuites>"));
    }
}

/// Reading the corpus and opening a device take seconds: here the run waits for a file of expectations that comes late.
#[test]
fn a_signal_before_anything_is_judged_leaves_reports_as_well() {
    let place = Workplace::new("cases");
    let late = place.path("late.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&late).status().unwrap().success());
    let run = [
        "run",
        "--no-golden",
        "--json",
        "--junit",
        "junit.xml",
        "--against",
        "emulator",
        "--expectations",
        "late.yaml",
    ];
    let child = place.command(&run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // This comes back when the run has opened the file, too.
    let mut writer = std::fs::OpenOptions::new().write(true).open(&late).unwrap();
    // SAFETY: kill takes plain numbers; the child is ours and has not been waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGTERM) }, 0);
    std::io::Write::write_all(&mut writer, b"target: emulator\n").unwrap();
    drop(writer);
    let ended = Ended::of(child.wait_with_output().unwrap()).with(7);
    let report = ended.results();
    assert_eq!(report["summary"]["partial"], "interrupted");
    let left = report["summary"]["left_out"].as_array().unwrap().len();
    assert_eq!(report["run"]["selection"]["variants"], left, "nothing was judged");
    assert!(std::fs::read_to_string(place.path("junit.xml")).unwrap().contains("<error"));
}

/// The page takes the longest: here nobody reads it, so that it takes until the end of the test.
#[test]
fn the_page_is_written_after_all_other_reports() {
    let place = Workplace::new("cases");
    let page = place.path("page.html");
    assert!(std::process::Command::new("mkfifo").arg(&page).status().unwrap().success());
    let run = [
        "run",
        "--no-golden",
        "--against",
        "emulator",
        "--results",
        "r.jsonl",
        "--junit",
        "junit.xml",
        "--html",
        "page.html",
    ];
    let child = place.command(&run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = std::time::Instant::now();
    while !place.path("junit.xml").exists() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "the page comes first");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let results = results::read(&std::fs::read_to_string(place.path("r.jsonl")).unwrap());
    assert!(results["summary"].is_object(), "{results}");
    assert!(std::fs::read_to_string(&page).unwrap().contains("</html>"));
    assert!(child.wait_with_output().unwrap().status.code().is_some());
}

#[test]
fn a_run_that_takes_too_long_says_what_it_left_out() {
    let place = Workplace::new("cases");
    let arguments = ["run", "--no-golden", "--time-limit", "600", "--max-time", "1", "--against", SILENT];
    let ended = Ended::of(place.command(&arguments).output().unwrap()).with(5);
    assert!(ended.out.contains("partial: the time limit of the run was reached; "), "{}", ended.out);
    assert!(
        ended.out.contains("variants were judged, ") && ended.out.contains(" were left out\n"),
        "{}",
        ended.out
    );
}

/// A target that rejects what it is given, and hangs at its tenth launch, of which a file `blocked` tells.
const BLOCKS: &str = r#"read hello
echo '{"type":"hello","protocol":1,"name":"t","dialects":["ptx"]}'
launches=0
while read launch; do
    id=${launch#*\"id\":}
    id=${id%%[!0-9]*}
    launches=$((launches + 1))
    echo "{\"type\":\"started\",\"id\":$id}"
    if [ $launches = 10 ]; then touch blocked; sleep 600; fi
    echo "{\"type\":\"observed\",\"id\":$id,\"outcome\":{\"kind\":\"rejected\",\"stage\":\"load\",\"message\":\"no\"}}"
done
"#;

#[test]
fn a_signal_ends_the_repetitions_of_what_failed() {
    let place = Workplace::new("cases");
    std::fs::write(place.path("blocks"), BLOCKS).unwrap();
    let run = ["run", "add wraps", "--no-golden", "--json", "--time-limit", "600", "--jobs", "1"];
    let child = place
        .command(&[&run[..], &["--against", "process:sh blocks"]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !place.path("blocked").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // SAFETY: kill takes plain numbers; the child is ours and has not been waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let ended = Ended::of(child.wait_with_output().unwrap()).with(7);
    let report = ended.results();
    assert_eq!(report["summary"]["partial"], "interrupted while failing variants were run again");
    let repeated = &report["variants"][0]["targets"][0]["repeated"];
    let of = repeated["alone"]["of"].as_u64().unwrap();
    assert!((1..10).contains(&of), "{repeated}");
    assert_eq!(repeated["stopped"], "stopped: interrupted");
    assert_eq!(report["summary"]["left_out"], serde_json::Value::Null);
}

/// What is said of `add wraps` on a target that never answers, with these limits of the case and these options.
fn hung(limits: &str, options: &[&str]) -> String {
    let place = Workplace::new("cases");
    place.edit("cases/basic/add.yaml", "- case: add wraps\n", &format!("- case: add wraps\n{limits}"));
    let run = ["run", "add wraps", "--no-golden", "--no-repeat", "--jobs", "1", "--against", SILENT];
    Ended::of(place.command(&[&run[..], options].concat()).output().unwrap()).with(1).out
}

#[test]
fn a_case_has_a_time_limit_of_its_own_and_what_exceeds_it_is_hung() {
    let runs: [(&str, &[&str], &str); 3] = [
        ("", &["--time-limit", "1"], "it did not come back within 1 s (--time-limit)"),
        (
            "  limits: {seconds: 1}\n",
            &["--time-limit", "600"],
            "it did not come back within 1 s (`limits` of the case)",
        ),
        (
            "  limits: {seconds: 600}\n",
            &["--case-limit", "1", "--time-limit", "600"],
            "it did not come back within 1 s (--case-limit, below the `limits` of the case)",
        ),
    ];
    // They wait at the same time.
    std::thread::scope(|scope| {
        for (limits, options, words) in runs {
            scope.spawn(move || {
                let out = hung(limits, options);
                assert!(out.contains(words), "{out}");
            });
        }
    });
}

#[test]
fn limits_of_a_case_are_checked() {
    for (limits, words) in [
        ("{second: 1}", "unknown key `second`"),
        ("{seconds: 0}", "`seconds` is 0"),
        ("{seconds: 3601}", "`seconds` is 3601"),
        // The reference keeps to them, too.
        ("{steps: 3}", "step budget"),
    ] {
        let place = Workplace::new("cases");
        let keyed = format!("- case: add wraps\n  limits: {limits}\n");
        place.edit("cases/basic/add.yaml", "- case: add wraps\n", &keyed);
        let ended = place.run(&["run", "add wraps", "--no-golden"]).with(2);
        assert!((ended.err + &ended.out).contains(words), "{limits}: {}", ended.out);
    }
    let place = Workplace::new("cases");
    place.edit(
        "cases/basic/add.yaml",
        "- case: add wraps\n",
        "- case: add wraps\n  limits: {steps: 100000, seconds: 60}\n",
    );
    place.run(&["run", "add wraps", "--no-golden"]).with(0);
}

//! Failing variants are run again: what passes then is flaky, and never silently green.

use serde_json::Value;

use super::workplace::{Ended, Workplace};

fn run(place: &Workplace, arguments: &[&str]) -> Ended {
    place.run(&[&["run", "--no-golden", "--against", "mock"], arguments].concat())
}

/// What the report has of the mock on the variant with this name.
fn target(report: &Value, name: &str) -> Value {
    let of = report["variants"]
        .as_array()
        .unwrap()
        .iter()
        .find(|variant| variant["id"].as_str().unwrap().ends_with(name));
    of.unwrap()["targets"][0].clone()
}

#[test]
fn what_passes_when_it_is_run_again_is_flaky_and_fails_the_run() {
    let place = Workplace::new("flaky");
    // It fails the first time and every third time from there: after two passes it fails.
    let ended = run(&place, &["mock-every-3"]).with(1);
    assert!(
        ended.out.contains(
            "run again by itself, it passed 2 of 3 runs (between 9.4 % and 99.2 % pass, with 95 % confidence)"
        ),
        "{}",
        ended.out
    );
    assert!(
        ended.out.contains("  flaky  mock/flaky/mock-every-3") && ended.out.contains("1 are flaky"),
        "{}",
        ended.out
    );
    let report = run(&place, &["mock-every-3", "--json"]).with(1).results();
    let target = target(&report, "mock-every-3");
    assert_eq!((&target["status"], &target["settled"]), (&"flaky".into(), &"flaky".into()));
    assert_eq!(target["specification"], "violates");
    assert_eq!(target["repeated"]["alone"], serde_json::json!({"passed": 2, "of": 3}));
    assert_eq!(target["repeated"]["depends_on_order"], false);
    let interval = target["repeated"]["interval"].as_array().unwrap();
    assert!((interval[0].as_f64().unwrap() - 0.0943).abs() < 1e-4, "{interval:?}");
    // It passes every fifth time: it is run until then.
    let ended = run(&place, &["mock-passes-5"]).with(1);
    assert!(ended.out.contains("passed 1 of 4 runs (between 0.6 % and 80.6 %"), "{}", ended.out);
    // Not so often.
    let ended = run(&place, &["mock-passes-5", "--repeat", "3"]).with(1);
    assert!(ended.out.contains("passed 0 of 3 runs") && ended.out.contains("1 violate"), "{}", ended.out);
    let ended = run(&place, &["mock-passes-5", "--no-repeat"]).with(1);
    assert!(!ended.out.contains("run again"), "{}", ended.out);
    run(&place, &["--repeat", "0"]).with(2);
    run(&place, &["--repeat", "3", "--no-repeat"]).with(2);
}

#[test]
fn what_always_fails_is_run_as_often_as_is_needed_to_know_and_once_per_cause() {
    let place = Workplace::new("flaky");
    let ended = run(&place, &["mock-flip"]).with(1);
    assert!(
        ended.out.contains("passed 0 of 459 runs (between 0.0 % and 0.8 % pass, with 95 % confidence)"),
        "{}",
        ended.out
    );
    assert_eq!(
        ended.out.matches("  fails  mock/flaky/mock-flip").count(),
        1,
        "one of two variants: {}",
        ended.out
    );
    // A fault costs a process on hardware, a hang the time limit.
    let ended = run(&place, &["mock-fault", "mock-hang"]).with(1);
    assert!(
        ended.out.contains("passed 0 of 20 runs") && ended.out.contains("passed 0 of 3 runs"),
        "{}",
        ended.out
    );
    let ended = run(&place, &["mock-fault", "--fault-budget", "0"]).with(1);
    assert!(
        ended.out.contains("not run again: stopped: it faults, and nothing is left of the fault budget"),
        "{}",
        ended.out
    );
}

#[test]
fn what_always_answers_the_same_is_not_asked_again() {
    let place = Workplace::new("cases");
    let zero = "emulator+suld.clamp-as-zero";
    place.run(&["record", "suld clamps", "--against", zero, "-o", "night"]).with(0);
    for target in [zero, "recording:night"] {
        let ended = place.run(&["run", "suld clamps", "--no-golden", "--against", target]).with(1);
        assert!(!ended.out.contains("run again"), "{}", ended.out);
    }
}

#[test]
fn flakes_are_expected_with_a_pass_rate() {
    let place = Workplace::new("flaky");
    let expect = |list: &str, variants: &str, passes: &str| {
        let entry = format!(
            "  - variants: '*{variants}'\n    cause: {{class: value, deviation: none}}\n{passes}    reason: a test\n    expires: 2026-12-31\n"
        );
        std::fs::write(place.path("expected.yaml"), format!("target: mock\n{list}:\n{entry}")).unwrap();
    };
    let run =
        |filter: &str| run(&place, &[filter, "--expectations", "expected.yaml", "--today", "2026-11-22"]);
    expect("flakes", "mock-passes-5", "    passes: 0.1\n");
    let ended = run("mock-passes-5").with(0);
    assert!(ended.out.contains("1 are known to be flaky"), "{}", ended.out);
    assert!(ended.out.contains("passed 1 of 4 runs"), "it is said all the same: {}", ended.out);
    // It passes more often than it does: four runs without a pass refute 70 %.
    expect("flakes", "mock-passes-5", "    passes: 0.8\n");
    let ended = run("mock-passes-5").with(1);
    assert!(ended.out.contains("passed 0 of 3 runs") && ended.out.contains("1 violate"), "{}", ended.out);
    assert!(ended.out.contains("flakes, and passes at least 80 %: value"), "{}", ended.out);
    // Never.
    expect("flakes", "mock-flip", "    passes: 0.9\n");
    run("mock-flip too").with(1);
    // Another cause is another failure.
    expect("flakes", "mock-fault", "    passes: 0.1\n");
    run("mock-fault").with(1);
    // One that did not fail today is not stale.
    expect("flakes", "mock-first", "    passes: 0.1\n");
    run("mock-first").with(0);
    // A known failure is not run again.
    expect("fails", "mock-flip*", "");
    let ended = run("mock-flip").with(0);
    assert!(!ended.out.contains("run again"), "{}", ended.out);
}

#[test]
fn an_entry_of_fails_about_another_cause_does_not_hide_that_a_flake_never_passes() {
    let place = Workplace::new("flaky");
    let entries = "target: mock\nfails:\n  - variants: ['*mock-flip', '*mock-hang']\n    cause: {class: hang, deviation: none}\n    reason: a test\nflakes:\n  - variants: '*mock-flip'\n    cause: {class: value, deviation: none}\n    passes: 0.9\n    reason: a test\n    expires: 2026-12-31\n";
    std::fs::write(place.path("expected.yaml"), entries).unwrap();
    let expected = ["--expectations", "expected.yaml", "--today", "2026-11-22"];
    let ended = run(&place, &[&["*mock-flip", "mock-hang"], &expected[..]].concat()).with(1);
    assert!(ended.out.contains("passed 0 of 2 runs"), "{}", ended.out);
}

#[test]
fn that_one_passes_at_times_does_not_excuse_another_that_never_does() {
    let place = Workplace::new("flaky");
    // By the same instruction, so that both failures have one cause.
    place.edit(
        "cases/mock/flaky.yaml",
        "- case: mock-flip too\n  covers: [add.wraps]\n  inputs: {a: u32}\n  outputs: {d: u32}\n  body: sub.u32 %d, %a, 1;\n  rows:\n    - {a: 1, d: 0}",
        "- case: mock-flip too\n  covers: [add.wraps]\n  inputs: {a: u32}\n  outputs: {d: u32}\n  body: add.u32 %d, %a, 1;\n  rows:\n    - {a: 1, d: 2}",
    );
    let entry = "target: mock\nflakes:\n  - variants: ['*mock-passes-5', '*mock-flip too']\n    cause: {class: value, deviation: none}\n    passes: 0.1\n    reason: a test\n    expires: 2026-12-31\n";
    std::fs::write(place.path("expected.yaml"), entry).unwrap();
    let expected = ["--expectations", "expected.yaml", "--today", "2026-11-22"];
    let ended = run(&place, &[&["mock-passes-5", "mock-flip too"], &expected[..]].concat()).with(1);
    assert!(
        ended.out.contains("1 violate, 1 are known to be flaky")
            || ended.out.contains("1 are known to be flaky, 1 violate"),
        "{}",
        ended.out
    );
    let words =
        "expected here to pass more often: expected.yaml:3:5: flakes, and passes at least 10 %: value";
    assert!(ended.out.contains(words), "{}", ended.out);
}

#[test]
fn what_fails_only_after_another_is_said_to_depend_on_the_order() {
    let place = Workplace::new("flaky");
    let batches = |arguments: &[&str]| {
        let mut command = place.command(&[&["run", "--no-golden", "--against", "mock"], arguments].concat());
        Ended::of(command.env("WARPDIFF_MOCK_BATCHES", "1").output().unwrap())
    };
    let ended = batches(&["mock-first", "mock-after-first"]).with(1);
    let words = "it depends on what runs with it: by itself it passed 8 of 8 runs, among the others 0 of 8";
    assert!(ended.out.contains(words) && ended.out.contains("1 are flaky"), "{}", ended.out);
    let report = batches(&["mock-first", "mock-after-first", "--json"]).with(1).results();
    let repeated = target(&report, "mock-after-first")["repeated"].clone();
    assert_eq!(repeated["depends_on_order"], true);
    assert_eq!(repeated["in_batch"], serde_json::json!({"passed": 0, "of": 8}));
    // By itself it passes.
    batches(&["mock-after-first"]).with(0);
    // What fails at times fails so among others, too: that is no dependence on the order.
    let ended = batches(&["mock-every-3", "mock-first"]).with(1);
    assert!(!ended.out.contains("depends on what runs with it"), "{}", ended.out);
}

/// The journal keeps answers for a run that goes on; an answer of a repetition is none of them.
#[test]
fn a_journal_does_not_answer_for_the_target() {
    let place = Workplace::new("flaky");
    let again = || run(&place, &["mock-passes-5", "--resume", "journal"]).with(1);
    assert!(again().out.contains("passed 1 of 4 runs"));
    // This time the failure is taken from the journal, and the mock is new: four failures, and a pass.
    let ended = again();
    assert!(ended.out.contains("passed 1 of 5 runs"), "{}", ended.out);
    // Who reads of a pass or a failure knows that it is not of today.
    let words = "journal: 1 answer is of an earlier run, and not asked for again";
    assert!(ended.err.contains(words), "{}", ended.err);
}

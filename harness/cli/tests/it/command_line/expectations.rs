//! Expectations of a run: what they cover, what is out of date in them, and what is not run.

use super::workplace::{Ended, Workplace};

/// An entry of a list of `fails`.
fn fails(variants: &str, class: &str, deviation: &str) -> String {
    format!(
        "  - variants: '{variants}'\n    cause: {{class: {class}, deviation: {deviation}}}\n    reason: a test\n"
    )
}

/// Writes a file of expectations for these targets.
fn expect(place: &Workplace, targets: &str, lists: &str) {
    std::fs::write(place.path("expected.yaml"), format!("target: '{targets}'\n{lists}")).unwrap();
}

const TODAY: [&str; 4] = ["--expectations", "expected.yaml", "--today", "2026-11-22"];

fn run(place: &Workplace, arguments: &[&str]) -> Ended {
    place.run(&[&["run", "--no-golden"], arguments, &TODAY[..]].concat())
}

#[test]
fn a_known_failure_is_covered_until_it_is_gone() {
    let place = Workplace::new("cases");
    let hang = fails("mock/*mock-hang", "hang", "none");
    expect(&place, "mock", &format!("fails:\n{hang}"));
    let ended = run(&place, &["mock-hang", "--against", "mock"]).with(0);
    assert!(ended.out.contains("1 are known to fail"), "{}", ended.out);
    run(&place, &["mock-crash", "--against", "mock"]).with(1);
    // Gone: every variant it is about was judged.
    expect(&place, "mock", &format!("fails:\n{}", fails("*add wraps", "hang", "none")));
    let ended = run(&place, &["add wraps", "--against", "mock"]).with(6);
    let words = "stale expectation: expected.yaml:3:5: fails: hang, reproduced by no known deviation; the one verdict it is about does not fail like that: remove it";
    assert!(ended.out.contains(words) && ended.out.contains("1 pass unexpectedly"), "{}", ended.out);
    assert!(!ended.out.contains("unexpected pass:"), "a stale entry is said once: {}", ended.out);
    // Another failure at the same place.
    expect(&place, "mock", &format!("fails:\n{}", fails("*mock-hang", "crash", "none")));
    run(&place, &["mock-hang", "--against", "mock"]).with(1);
}

#[test]
fn an_entry_covers_its_target_and_its_cause_alone() {
    let place = Workplace::new("cases");
    let zero = "emulator+suld.clamp-as-zero";
    let entry = |deviation: &str| format!("fails:\n{}", fails("*suld clamps*", "clamp behaviour", deviation));
    let against = |target: &str| run(&place, &["suld clamps", "--against", target]);
    expect(&place, zero, &entry("suld.clamp-as-zero"));
    against(zero).with(0);
    // Another target does the same: nobody said that of it.
    expect(&place, "emulator", &entry("suld.clamp-as-zero"));
    let ended = against(zero).with(1);
    assert!(ended.err.contains("expected.yaml: not applied: it is for other targets"), "{}", ended.err);
    expect(&place, "emulator*", &entry("suld.clamp-as-zero"));
    against(zero).with(0);
    // Another cause at the same place is another failure, and the message says so.
    expect(&place, zero, &entry("none"));
    let ended = against(zero).with(1);
    let words = "expected here is a different failure: expected.yaml:3:5: fails: clamp behaviour, reproduced by no known deviation";
    assert!(ended.out.contains(words), "{}", ended.out);
    assert!(ended.out.contains("reproduced exactly by suld.clamp-as-zero"), "{}", ended.out);
    expect(&place, zero, &entry("sust.clamp-as-zero"));
    against(zero).with(1);
    // Reports say both.
    let report = run(&place, &["suld clamps", "--json", "--against", zero]).with(1).results();
    let mut targets = report["variants"].as_array().unwrap().iter().map(|v| &v["targets"][0]);
    let target = targets.find(|target| target["status"] == "violates").unwrap();
    assert_eq!(target["settled"], "other-failure");
    assert!(target["expectations"][0].as_str().unwrap().contains("sust.clamp-as-zero"), "{target}");
    // An entry beside one that fits has nothing to cover: it is stale.
    let both = entry("suld.clamp-as-zero") + &fails("*suld clamps*", "value", "none");
    expect(&place, zero, &both);
    let ended = against(zero).with(6);
    assert!(ended.out.contains("stale expectation: expected.yaml:6:5: fails: value"), "{}", ended.out);
    let report = run(&place, &["suld clamps", "--json", "--against", zero]).with(6).results();
    assert_eq!(report["summary"]["expectations"][0]["kind"], "stale expectation");
    // A target that did not run the variant says nothing of whether the failure is gone.
    expect(&place, "mock", &format!("fails:\n{}", fails("*mock-unsupported", "value", "none")));
    let ended = run(&place, &["mock-unsupported", "--against", "mock"]).with(5);
    assert!(!ended.out.contains("stale"), "{}", ended.out);
}

#[test]
fn what_is_out_of_date_has_its_own_message() {
    let place = Workplace::new("cases");
    let against = |filter: &[&str]| run(&place, &[filter, &["--against", "mock"]].concat());
    // One of the two fails as the entry says, the other conforms.
    let wide = fails("*flip", "value", "none").replace("'*flip'", "['*mock-flip', '*add wraps']");
    expect(&place, "mock", &format!("fails:\n{wide}"));
    let ended = against(&["mock-flip", "add wraps"]).with(6);
    let words = "unexpected pass: basic/add/add wraps conforms on mock; expected.yaml:3:5: fails: value";
    assert!(ended.out.contains(words) && !ended.out.contains("stale"), "{}", ended.out);
    // The same, if only that one runs: whether the entry is stale is not known then.
    let ended = against(&["add wraps"]).with(6);
    assert!(ended.out.contains(words) && !ended.out.contains("stale"), "{}", ended.out);
    against(&["mock-flip"]).with(0);
    // Nothing matches it; a hint says what was meant, if that can be told.
    expect(&place, "mock", &format!("fails:\n{}", fails("mock-flip", "value", "none")));
    let ended = against(&["add wraps"]).with(6);
    let words = "expectation that matches nothing: expected.yaml:3:5: no variant of the corpus has variant `mock-flip`; a pattern without `*` is the whole id: `*mock-flip*` matches a part";
    assert!(ended.out.contains(words), "{}", ended.out);
    let by_requirement = fails("add.wrap", "value", "none").replace("variants", "requirements");
    expect(&place, "mock", &format!("fails:\n{by_requirement}"));
    let ended = against(&["add wraps"]).with(6);
    assert!(ended.out.contains("requirement `add.wrap`; did you mean `add.wraps`?"), "{}", ended.out);
    // Whether an instruction occurs in variants that did not run is not known.
    let by_instruction = fails("sust.b", "value", "none").replace("variants", "instructions");
    expect(&place, "mock", &format!("fails:\n{by_instruction}"));
    against(&["add wraps"]).with(0);
    // Its last day is over.
    let known = fails("*mock-flip", "value", "none");
    expect(&place, "mock", &format!("fails:\n{known}    expires: 2026-11-21\n"));
    let ended = against(&["mock-flip"]).with(6);
    let words = "it held until 2026-11-21, and one verdict still fails like that: decide anew";
    assert!(ended.out.contains("expired expectation: expected.yaml:3:5"), "{}", ended.out);
    assert!(ended.out.contains(words) && ended.out.contains("1 are known to fail"), "{}", ended.out);
    expect(&place, "mock", &format!("fails:\n{known}    expires: 2026-11-22\n"));
    against(&["mock-flip"]).with(0);
    // A new failure is more urgent than all of it.
    expect(&place, "mock", &format!("fails:\n{known}    expires: 2026-11-21\n"));
    against(&["mock-flip", "mock-guard"]).with(1);
}

#[test]
fn entries_select_by_requirement_and_instruction() {
    let place = Workplace::new("cases");
    let zero = "emulator+suld.clamp-as-zero";
    let of = |selection: &str| {
        let entry = fails("X", "clamp behaviour", "suld.clamp-as-zero").replace("variants: 'X'", selection);
        expect(&place, zero, &format!("fails:\n{entry}"));
        run(&place, &["basic", "--against", zero])
    };
    let report = run_json(&place, zero);
    let failing =
        report["variants"].as_array().unwrap().iter().find(|v| v["targets"][0]["status"] == "violates");
    let covered = failing.unwrap()["covers"][0].as_str().unwrap().to_owned();
    assert!(failing.unwrap()["instructions"].as_array().unwrap().iter().any(|name| name == "suld.b"));
    of("instructions: suld.*").with(0);
    of(&format!("requirements: {covered}")).with(0);
    of(&format!("requirements: {covered}\n    instructions: suld.b")).with(0);
    of("instructions: sust.b").with(1);
    of("variants: basic/add/*\n    instructions: suld.b").with(1);
}

fn run_json(place: &Workplace, target: &str) -> serde_json::Value {
    place.run(&["run", "basic", "--no-golden", "--json", "--against", target]).with(1).results()
}

#[test]
fn what_is_skipped_is_not_run_and_is_said() {
    let place = Workplace::new("cases");
    let skip = "  - variants: '*mock-crash'\n    reason: ends the machine\n    expires: 2026-12-31\n";
    expect(&place, "mock", &format!("skips:\n{skip}"));
    let ended = run(&place, &["mock-crash", "add wraps", "--against", "mock"]).with(0);
    assert!(ended.out.contains("not run: left out: ends the machine (expected.yaml:3:5)"), "{}", ended.out);
    assert!(ended.out.contains("1 conform, 1 left out"), "{}", ended.out);
    let report = run(&place, &["mock-crash", "add wraps", "--json", "--against", "mock"]).with(0).results();
    let targets: Vec<_> = report["variants"].as_array().unwrap().iter().map(|v| &v["targets"][0]).collect();
    assert!(targets.iter().any(|t| t["settled"] == "left-out" && t["status"] == "not-run"), "{targets:?}");
    // Nothing else was judged: that is no green.
    run(&place, &["mock-crash", "--against", "mock"]).with(5);
    // By its instruction, for a target that takes batches, whose worker would die of it.
    let worker = format!("{} worker", env!("CARGO_BIN_EXE_warpdiff-misbehaving"));
    let target = format!("process:{worker} --inject crash=*suld*");
    let skip = skip.replace("variants: '*mock-crash'", "instructions: suld.b");
    expect(&place, "process:*", &format!("skips:\n{skip}"));
    let ended = run(&place, &["basic", "--against", &target]).with(0);
    assert!(
        ended.out.contains("left out: ends the machine") && !ended.out.contains("crash:"),
        "{}",
        ended.out
    );
    // Expired, it still leaves out, and fails the run.
    expect(&place, "mock", "skips:\n  - {variants: '*mock-crash', reason: r, expires: 2026-11-01}\n");
    let ended = run(&place, &["mock-crash", "add wraps", "--against", "mock"]).with(6);
    assert!(ended.out.contains("its variants are still not run: decide anew"), "{}", ended.out);
}

#[test]
fn entries_hold_for_the_device_and_the_driver_that_a_target_reports() {
    let place = Workplace::new("cases");
    let mock = |facts: &str, arguments: &[&str]| {
        let mut command = place.command(arguments);
        Ended::of(command.env("WARPDIFF_MOCK_DEVICE", facts).output().unwrap())
    };
    let known = fails("*mock-flip", "value", "none");
    let expect = |conditions: &str| expect(&place, "*", &format!("{conditions}fails:\n{known}"));
    let against = |facts: &str| {
        mock(facts, &[&["run", "--no-golden", "mock-flip", "--against", "mock"], &TODAY[..]].concat())
    };
    expect("");
    against("").with(0);
    // It does not say which driver it has.
    expect("driver: 570\n");
    let ended = against("").with(1);
    let words = "expected.yaml: not applied: mock does not report its `driver`";
    assert!(ended.err.contains(words), "{}", ended.err);
    let facts = "device=NVIDIA H200,sm=90,driver=570.124.06";
    against(facts).with(0);
    expect("device: NVIDIA H*\nsm: 80..90\ndriver: 570.124..575\n");
    against(facts).with(0);
    expect("driver: 575..\n");
    against(facts).with(1);
    expect("device: NVIDIA H100*\n");
    against(facts).with(1);
    // A recording knows what its target said.
    mock(facts, &["record", "mock-flip", "--against", "mock", "-o", "night"]).with(0);
    let replayed = || run(&place, &["mock-flip", "--against", "recording:night"]);
    expect("driver: 570.124\n");
    replayed().with(0);
    expect("driver: 575\n");
    replayed().with(1);
    // An entry that does not hold is not stale either.
    let other = known.replace("value", "hang") + "    driver: ..565\n";
    self::expect(&place, "*", &format!("fails:\n{known}{other}"));
    replayed().with(0);
}

#[test]
fn a_file_that_is_none_is_refused_with_the_place() {
    let place = Workplace::new("cases");
    expect(&place, "mock", &format!("fails:\n{}", fails("*", "value", "suld.clamp-as-zer")));
    let ended = run(&place, &["--against", "mock"]).with(2);
    assert!(
        ended.err.contains("expected.yaml:4:") && ended.err.contains("did you mean `suld.clamp-as-zero`?")
    );
    assert!(ended.err.contains('^'), "{}", ended.err);
    // A folder stands for its files.
    std::fs::create_dir(place.path("folder")).unwrap();
    let known = format!("target: mock\nfails:\n{}", fails("*mock-flip", "value", "none"));
    std::fs::write(place.path("folder/mock.yaml"), known).unwrap();
    let run = |target: &str| {
        place.run(&["run", "mock-flip", "--no-golden", "--against", "mock", "--expectations", target])
    };
    run("folder").with(0);
    run("folder/mock.yaml").with(0);
    run("cases").with(2);
}

#[test]
fn proposed_expectations_make_the_run_green_and_are_kept_up_to_date() {
    let place = Workplace::new("cases");
    let target = "emulator+suld.clamp-as-zero";
    let results = |arguments: &[&str], file: &str| {
        let ended = place.run(&[&["run", "--no-golden", "--json"], arguments].concat());
        std::fs::write(place.path(file), &ended.out).unwrap();
    };
    results(&["--against", target], "night.json");
    let expect = |more: &[&str]| {
        place.run(&[&["expect", "--today", "2026-11-22", "--from", "night.json"], more].concat())
    };
    let ended = expect(&["--reason", "an old driver", "--link", "https://example.com/7"]).with(0);
    assert!(ended.out.contains("target: 'emulator+suld.clamp-as-zero'\nfails:\n"), "{}", ended.out);
    assert_eq!(ended.out.matches("  - ").count(), 1, "one cause, one entry: {}", ended.out);
    assert!(
        ended.out.contains("    reason: an old driver\n    link: 'https://example.com/7'\n"),
        "{}",
        ended.out
    );
    std::fs::write(place.path("expected.yaml"), &ended.out).unwrap();
    run(&place, &["--against", target]).with(0);
    // What is fixed is removed, what is new is added, and comments stay.
    let stale = fails("*add wraps", "hang", "none");
    std::fs::write(place.path("expected.yaml"), format!("# Ours.\ntarget: '{target}'\nfails:\n{stale}"))
        .unwrap();
    run(&place, &["--against", target]).with(1);
    let ended = expect(&["--bless", "expected.yaml"]).with(0);
    assert!(ended.out.contains("removed expected.yaml:4:5: fails: hang"), "{}", ended.out);
    assert!(ended.out.contains("added to `fails`: "), "{}", ended.out);
    run(&place, &["--against", target]).with(0);
    let text = std::fs::read_to_string(place.path("expected.yaml")).unwrap();
    assert!(text.starts_with("# Ours.\n") && !text.contains("hang"), "{text}");
    assert_eq!(expect(&["--bless", "expected.yaml"]).with(0).out, "expected.yaml fits the results\n");
    // Every failure of the mock, of whatever cause.
    results(&["--against", "mock"], "night.json");
    let ended = expect(&[]).with(0);
    std::fs::write(place.path("expected.yaml"), &ended.out).unwrap();
    let ended = run(&place, &["--against", "mock"]);
    assert!(ended.code == Some(0) || ended.code == Some(5), "{}", ended.out);
    assert!(ended.out.contains("are known to fail") && !ended.out.contains("violate"), "{}", ended.out);
    // Two targets: one has to be named.
    results(&["--against", "mock", "--against", "emulator"], "night.json");
    let ended = expect(&[]).with(2);
    assert!(ended.err.contains("several targets: `emulator`, `mock`; --target names one"), "{}", ended.err);
    expect(&["--target", "mock"]).with(0);
    let ended = expect(&["--target", "emulator"]).with(0);
    assert!(ended.out.is_empty() && ended.err.contains("nothing fails"), "{}", ended.err);
    expect(&["--target", "cuda"]).with(2);
    expect(&["--target", "mock", "--link", "nowhere"]).with(2);
    place.run(&["expect", "--from", "expected.yaml"]).with(2);
    let refused = place
        .command(&["expect", "--from", "night.json", "--bless", "expected.yaml"])
        .env("CI", "true")
        .output();
    assert_eq!(refused.unwrap().status.code(), Some(2));
}

#[test]
fn a_file_for_another_device_is_not_blessed_with_results_of_this_one() {
    let place = Workplace::new("cases");
    let mut command = place.command(&[
        "run",
        "mock-flip",
        "--no-golden",
        "--no-repeat",
        "--against",
        "mock",
        "--results",
        "night.jsonl",
    ]);
    command.env("WARPDIFF_MOCK_DEVICE", "device=NVIDIA H200,driver=570.10").output().unwrap();
    for (conditions, why) in [
        ("device: NVIDIA A100\n", "it is for another device than NVIDIA H200"),
        ("driver: 580..\n", "driver 570.10 is not in 580.."),
        ("sm: 90\n", "`mock` does not report its `sm`"),
    ] {
        let text = format!("target: mock\n{conditions}");
        std::fs::write(place.path("expected.yaml"), &text).unwrap();
        let ended = place.run(&["expect", "--from", "night.jsonl", "--bless", "expected.yaml"]).with(2);
        assert!(ended.err.contains(&format!("does not hold for these results: {why}")), "{}", ended.err);
        assert_eq!(std::fs::read_to_string(place.path("expected.yaml")).unwrap(), text);
    }
    std::fs::write(place.path("expected.yaml"), "target: mock\ndevice: NVIDIA H200\n").unwrap();
    place.run(&["expect", "--from", "night.jsonl", "--bless", "expected.yaml"]).with(0);
}

/// A case of which each row has a launch of its own, because it may fault.
const TRAPS: &str = "- case: suld traps
  covers: [suld.clamp]
  surfaces:
    img: {geometry: 2d, extent: [4, 3], format: u32, texels: sequence}
  inputs: {x: s32}
  outputs: {d: b32}
  body: suld.b.2d.b32.trap %d, [img, {%x, 0}];
  rows:
    - {x: 16, fault: surface-trap}
    - {x: 32, fault: surface-trap}
    - {x: -4, fault: surface-trap}
";

#[test]
fn a_known_failure_does_not_stand_for_launches_that_were_not_run() {
    let place = Workplace::new("cases");
    std::fs::write(place.path("cases/basic/traps.yaml"), TRAPS).unwrap();
    let target = "emulator+surface.clamp-trap-swapped";
    // The narrower of the two that fit.
    let known = fails("*suld traps", "out-of-bounds error", "surface.trap-as-clamp");
    expect(&place, target, &format!("fails:\n{known}"));
    let against = |budget: &str, more: &[&str]| {
        run(&place, &[&["suld traps", "--against", target, "--fault-budget", budget], more].concat())
    };
    let ended = against("3", &[]).with(0);
    assert!(ended.out.contains("1 are known to fail (1 variants"), "{}", ended.out);
    let ended = against("1", &["--junit", "junit.xml", "--results", "night.jsonl"]).with(5);
    assert!(ended.out.contains("1 are known to fail, 1 judged in part"), "{}", ended.out);
    assert!(ended.out.contains("1  not run: fault budget: 1 of 3 launches"), "{}", ended.out);
    let junit = std::fs::read_to_string(place.path("junit.xml")).unwrap();
    assert!(junit.contains("<error"), "{junit}");
    place.run(&["merge", "night.jsonl"]).with(5);
}

#[test]
fn an_expected_failure_is_no_drift_from_a_recording_of_better_days() {
    let place = Workplace::new("cases");
    let zero = "emulator+suld.clamp-as-zero";
    place.run(&["record", "suld clamps", "--against", "emulator", "-o", "right"]).with(0);
    place
        .run(&["record", "suld clamps", "--against", "emulator+surface.negative-x-unsigned", "-o", "wrong"])
        .with(0);
    let against = |target: &str, recording: &str| {
        run(&place, &["suld clamps", "--against", target, "--recorded", recording, "--junit", "junit.xml"])
    };
    let is_red = || {
        let junit = std::fs::read_to_string(place.path("junit.xml")).unwrap();
        junit.contains("<failure") || junit.contains("<error")
    };
    expect(&place, "*", "");
    against(zero, "right").with(1);
    let known = fails("*suld clamps*", "clamp behaviour", "suld.clamp-as-zero");
    expect(&place, "*", &format!("fails:\n{known}"));
    let ended = against(zero, "right").with(0);
    assert!(
        ended.out.contains("right when recorded") && ended.out.contains("are known to fail ("),
        "{}",
        ended.out
    );
    assert!(!is_red());
    // It was wrong in another way: something has changed that no entry speaks of.
    let ended = against(zero, "wrong").with(3);
    assert!(ended.out.contains("drifted"), "{}", ended.out);
    assert!(is_red(), "the exit code is 3, and so JUnit has a failure");
}

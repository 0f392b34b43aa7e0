//! Shards of a run, and how `merge` joins them.

use serde_json::Value;

use super::workplace::Workplace;

const WRONG: &str = "emulator+suld.clamp-as-zero";

/// Runs the corpus in three shards, whose results are `1.jsonl` to `3.jsonl`.
fn in_three(place: &Workplace) -> Vec<Option<i32>> {
    let run = |number: usize| {
        let shard = format!("{number}/3");
        let file = format!("{number}.jsonl");
        place.run(&["run", "--no-golden", "--against", WRONG, "--shard", &shard, "--results", &file]).code
    };
    (1..=3).map(run).collect()
}

fn counts(results: &Value) -> Value {
    results["summary"]["targets"][0]["counts"].clone()
}

#[test]
fn the_shards_of_a_run_are_together_the_whole() {
    let place = Workplace::new("cases");
    let whole = place.run(&["run", "--no-golden", "--against", WRONG, "--json"]).with(1).results();
    let codes = in_three(&place);
    assert!(codes.contains(&Some(1)), "{codes:?}");
    let merged = place
        .run(&[
            "merge",
            "1.jsonl",
            "2.jsonl",
            "3.jsonl",
            "--results",
            "all.jsonl",
            "--junit",
            "all.xml",
            "--html",
            "all.html",
        ])
        .with(1);
    let all = crate::results::read(&std::fs::read_to_string(place.path("all.jsonl")).unwrap());
    assert_eq!(counts(&all), counts(&whole));
    assert_eq!(all["run"]["selection"], whole["run"]["selection"]);
    let ids = |results: &Value| -> Vec<Value> {
        results["variants"].as_array().unwrap().iter().map(|variant| variant["id"].clone()).collect()
    };
    assert_eq!(ids(&all), ids(&whole));
    let variants = ids(&all).len();
    let page = std::fs::read_to_string(place.path("all.html")).unwrap();
    let violate = counts(&whole)["fail"].as_u64().unwrap();
    let cause = format!("✗ {violate}</span> <strong>clamp behaviour, reproduced by suld.clamp-as-zero");
    assert!(page.contains(&cause) && page.contains("<caption>What differs</caption>"), "{page}");
    assert!(merged.out.contains(&format!("every one of {variants} variants")), "{}", merged.out);
    let junit = std::fs::read_to_string(place.path("all.xml")).unwrap();
    assert_eq!(junit.matches("<testcase ").count(), variants);
}

/// The first and the last of three shards have a wrong variant each, and say the same of `suld.b`: together that is one diagnosis of two.
#[test]
fn what_several_shards_say_of_a_target_is_said_once() {
    let place = Workplace::new("cases");
    let whole = place.run(&["run", "--no-golden", "--against", WRONG, "--json"]).with(1).results();
    in_three(&place);
    let diagnoses = |results: &Value| results["summary"]["targets"][0]["diagnoses"].clone();
    let of_shard = |number: usize| {
        let text = std::fs::read_to_string(place.path(&format!("{number}.jsonl"))).unwrap();
        diagnoses(&crate::results::read(&text))
    };
    let wrong = |diagnoses: &Value| diagnoses[0]["wrong"].as_u64();
    assert_eq!([1, 2, 3].map(|number| wrong(&of_shard(number))), [Some(1), None, Some(1)]);
    let files = ["merge", "1.jsonl", "2.jsonl", "3.jsonl", "--results", "all.jsonl", "--junit", "all.xml"];
    let merged = place.run(&files).with(1);
    let all = diagnoses(&crate::results::read(&std::fs::read_to_string(place.path("all.jsonl")).unwrap()));
    // The first wrong variant of the first shard is not that of the corpus.
    let without_example = |mut diagnoses: Value| {
        diagnoses[0]["example"].take();
        diagnoses
    };
    assert_eq!(without_example(all), without_example(diagnoses(&whole)));
    let said = "suld.b, 2 wrong variants: `suld` with `.clamp` loads zero out of bounds, as `.zero` does (suld.clamp-as-zero)";
    assert!(merged.out.contains(said), "{}", merged.out);
    let junit = std::fs::read_to_string(place.path("all.xml")).unwrap();
    assert!(junit.contains(&format!("<property name=\"diagnosis\" value=\"{said};")), "{junit}");
}

/// Shards that say something else of the same instructions are each quoted, with the counts of each.
#[test]
fn what_shards_say_otherwise_stands_beside_one_another() {
    let place = Workplace::new("cases");
    in_three(&place);
    // As if what was seen in the last shard fitted another deviation.
    let text = std::fs::read_to_string(place.path("3.jsonl")).unwrap();
    std::fs::write(
        place.path("3.jsonl"),
        text.replace("\"wider\":[\"surface.mode-ignored\"]", "\"wider\":[]"),
    )
    .unwrap();
    place.run(&["merge", "1.jsonl", "2.jsonl", "3.jsonl", "--results", "all.jsonl"]).with(1);
    let all = crate::results::read(&std::fs::read_to_string(place.path("all.jsonl")).unwrap());
    let diagnoses = all["summary"]["targets"][0]["diagnoses"].as_array().unwrap().clone();
    let counts: Vec<(u64, usize)> = diagnoses
        .iter()
        .map(|one| (one["wrong"].as_u64().unwrap(), one["wider"].as_array().map_or(0, Vec::len)))
        .collect();
    assert_eq!(counts, [(1, 1), (1, 0)]);
}

#[test]
fn a_shard_that_is_missing_twice_there_or_killed_is_a_gap() {
    let place = Workplace::new("cases");
    in_three(&place);
    let ended = place.run(&["merge", "1.jsonl", "3.jsonl"]).with(4);
    assert!(ended.out.contains("gap: shard 2 of 3 is missing"), "{}", ended.out);
    assert!(ended.out.contains("variants did not run"), "{}", ended.out);
    let ended = place.run(&["merge", "1.jsonl", "2.jsonl", "3.jsonl", "1.jsonl"]).with(4);
    assert!(ended.out.contains("gap: shard 1 of 3 is there twice"), "{}", ended.out);
    assert_eq!(ended.out.matches(" ran twice: in 1.jsonl and in 1.jsonl").count(), 1, "{}", ended.out);
    let text = std::fs::read_to_string(place.path("2.jsonl")).unwrap();
    let cut = text.rfind("{\"line\":\"summary\"").unwrap();
    std::fs::write(place.path("2.jsonl"), &text[..cut]).unwrap();
    let ended = place.run(&["merge", "1.jsonl", "2.jsonl", "3.jsonl"]).with(4);
    assert!(ended.out.contains("gap: 2.jsonl has no summary: the run was killed"), "{}", ended.out);
    place.run(&["run", "add wraps", "--no-golden", "--results", "other.jsonl"]).with(0);
    let ended = place.run(&["merge", "1.jsonl", "other.jsonl"]).with(2);
    assert!(
        ended.err.contains("1.jsonl and other.jsonl are not of the same run: they differ in the targets"),
        "{}",
        ended.err
    );
    std::fs::write(place.path("wrong.jsonl"), "{}\n").unwrap();
    place.run(&["merge", "wrong.jsonl"]).with(4);
    place.run(&["run", "--shard", "4/3"]).with(2);
}

#[test]
fn recordings_of_shards_are_joined() {
    let place = Workplace::new("cases");
    place.run(&["record", "--against", "emulator", "-o", "whole"]).with(0);
    for number in ["1", "2"] {
        let shard = format!("{number}/2");
        place.run(&["record", "--against", "emulator", "-o", number, "--shard", &shard]).with(0);
    }
    place.run(&["merge", "1", "2", "--recording", "joined"]).with(0);
    place.run(&["compare", "whole", "joined"]).with(0);
    place.run(&["run", "--no-golden", "--against", "emulator", "--recorded", "joined", "--complete"]).with(0);
    let ended = place.run(&["merge", "1", "1", "--recording", "twice"]).with(2);
    assert!(ended.err.contains("is in both recordings"), "{}", ended.err);
    assert!(!place.path("twice").exists());
    place.run(&["merge", "1", "2", "--recording", "joined"]).with(2);
}

/// Results of the second of two shards, with a part of its text replaced, merged with the first.
fn with_second(place: &Workplace, from: &str, to: &str) -> super::workplace::Ended {
    let text = std::fs::read_to_string(place.path("2.jsonl")).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(place.path("other.jsonl"), text.replace(from, to)).unwrap();
    place.run(&["merge", "1.jsonl", "other.jsonl"])
}

#[test]
fn shards_that_asked_something_else_are_not_joined() {
    let place = Workplace::new("cases");
    let shard = |number: &str, more: &[&str]| {
        let (shard, file) = (format!("{number}/2"), format!("{number}.jsonl"));
        let run = ["run", "--no-golden", "--against", "emulator"];
        place.run(&[&run[..], &["--shard", &shard, "--results", &file], more].concat()).with(0);
    };
    let refused = |what: &str| {
        let ended = place.run(&["merge", "1.jsonl", "2.jsonl"]).with(2);
        assert!(
            ended.err.contains(&format!("are not of the same run: they differ in {what}")),
            "{}",
            ended.err
        );
    };
    shard("1", &["--today", "2026-11-22"]);
    shard("2", &["--today", "2026-11-22"]);
    place.run(&["merge", "1.jsonl", "2.jsonl"]).with(0);
    // A night may pass midnight; what is older is of another night.
    shard("2", &["--today", "2026-11-23"]);
    place.run(&["merge", "1.jsonl", "2.jsonl"]).with(0);
    shard("2", &["--today", "2026-11-15"]);
    refused("the day, by more than one");
    shard("1", &[]);
    // Without the recording it would not show what drifted.
    place.run(&["record", "--against", "emulator", "-o", "night"]).with(0);
    shard("2", &["--recorded", "night"]);
    refused("the recording that a target is compared with");
    std::fs::write(place.path("expected.yaml"), "target: emulator\n").unwrap();
    shard("2", &["--expectations", "expected.yaml"]);
    refused("the expectations");
    // The same variants, but another row in one of them.
    place.edit("cases/basic/add.yaml", "  rows:\n", "  rows: # as they were\n");
    shard("2", &[]);
    refused("the files of their cases");
}

#[test]
fn shards_of_a_farm_have_a_card_each() {
    let place = Workplace::new("cases");
    for number in ["1", "2"] {
        let (shard, file) = (format!("{number}/2"), format!("{number}.jsonl"));
        let mut command = place.command(&[
            "run",
            "mock-flip",
            "add wraps",
            "--no-golden",
            "--no-repeat",
            "--against",
            "mock",
            "--shard",
            &shard,
            "--results",
            &file,
        ]);
        command.env("WARPDIFF_MOCK_DEVICE", "device=NVIDIA H200,bus=0000:17:00.0").output().unwrap();
    }
    with_second(&place, "0000:17:00.0", "0000:65:00.0").with(1);
    let ended = with_second(&place, "NVIDIA H200", "NVIDIA H100").with(2);
    assert!(ended.err.contains("they differ in the device or the driver of a target"), "{}", ended.err);
}

#[test]
fn a_merge_that_does_not_end_with_0_has_a_failure_in_junit() {
    let place = Workplace::new("cases");
    place.run(&["run", "add wraps", "--bless"]).with(0);
    place.edit("cases/basic/add.yaml", "- {a: 7, b: 8}", "- {a: 7, b: 9}");
    place.run(&["run", "add wraps", "--shard", "1/1", "--results", "1.jsonl"]).with(6);
    place.run(&["merge", "1.jsonl", "--junit", "all.xml"]).with(6);
    let junit = std::fs::read_to_string(place.path("all.xml")).unwrap();
    assert!(junit.contains("it ends with 6") && junit.contains("errors=\"1\""), "{junit}");
}

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

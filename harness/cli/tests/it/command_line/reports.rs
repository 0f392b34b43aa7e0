//! The reports for CI services: JUnit, annotations and the summary of a step.

use super::workplace::{Ended, Workplace};

const WRONG: &str = "emulator+suld.clamp-as-zero";

#[test]
fn junit_has_a_suite_for_each_target_and_a_case_for_each_variant() {
    let place = Workplace::new("cases");
    let report = place
        .run(&[
            "run",
            "--no-golden",
            "--json",
            "--against",
            WRONG,
            "--against",
            "emulator",
            "--junit",
            "junit.xml",
        ])
        .with(1)
        .results();
    let junit = std::fs::read_to_string(place.path("junit.xml")).unwrap();
    let variants = report["variants"].as_array().unwrap().len();
    assert_eq!(junit.matches("<testcase ").count(), 2 * variants);
    let fails = report["summary"]["targets"][0]["counts"]["fail"].as_u64().unwrap();
    assert!(fails > 0);
    assert_eq!(junit.matches("<failure ").count() as u64, fails);
    let suite = format!("<testsuite name=\"{WRONG}\" tests=\"{variants}\" skipped=\"");
    assert!(junit.contains(&suite), "{junit}");
    assert!(junit.contains("type=\"clamp behaviour\""), "{junit}");
    assert!(!junit.contains("disabled="));
}

/// What a target does instead is a property of its suite alone, on one line: readers of XML make spaces of line feeds in attributes.
#[test]
fn junit_has_the_diagnoses_of_each_target_in_its_suite() {
    let place = Workplace::new("cases");
    let files = ["run", "--no-golden", "--json", "--junit", "junit.xml"];
    let targets = ["--against", WRONG, "--against", "emulator"];
    let report = place.run(&[&files[..], &targets].concat()).with(1).results();
    let diagnoses = report["summary"]["targets"][0]["diagnoses"].as_array().unwrap();
    let [one] = diagnoses.as_slice() else { panic!("{diagnoses:?}") };
    assert_eq!(one["reproduced_by"][0]["deviations"][0], "suld.clamp-as-zero");
    let junit = std::fs::read_to_string(place.path("junit.xml")).unwrap();
    let suite = |name: &str| {
        let behind = junit.split_once(&format!("<testsuite name=\"{name}\"")).unwrap().1;
        behind.split_once("</testsuite>").unwrap().0
    };
    let said = "<property name=\"diagnosis\" value=\"suld.b, 2 wrong variants: `suld` with `.clamp` loads zero out of bounds, as `.zero` \
                does (suld.clamp-as-zero); surface.mode-ignored fits as well, and claims more\"/>";
    assert!(suite(WRONG).contains(said), "{junit}");
    assert_eq!(suite(WRONG).matches("\"diagnosis\"").count(), 1);
    assert_eq!(suite("emulator").matches("\"diagnosis\"").count(), 0);
}

#[test]
fn github_gets_an_annotation_for_each_cause_and_a_summary() {
    let place = Workplace::new("cases");
    let mut command = place.command(&["run", "--no-golden", "--against", WRONG]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", place.path("step.md"));
    let ended = Ended::of(command.output().unwrap()).with(1);
    let annotations: Vec<&str> = ended.out.lines().filter(|line| line.starts_with("::error ")).collect();
    let [one] = annotations.as_slice() else { panic!("{annotations:?}") };
    // At the first row that differs, in the file as the repository has it.
    assert!(one.starts_with("::error file=cases/basic/suld.yaml,line="), "{one}");
    assert!(one.contains("title=emulator+suld.clamp-as-zero%3A clamp behaviour%2C reproduced by"), "{one}");
    let summary = std::fs::read_to_string(place.path("step.md")).unwrap();
    for words in ["## ❌ warpdiff: ", "| emulator+suld.clamp-as-zero | fail | ", "<details><summary>"] {
        assert!(summary.contains(words), "{words}: {summary}");
    }
    // Several commands of a step add to it; without the variables nothing is said.
    place.run(&["run", "--no-golden"]).with(0);
    assert_eq!(std::fs::read_to_string(place.path("step.md")).unwrap(), summary);
}

#[test]
fn results_are_written_as_they_come_and_a_full_disk_fails_the_run() {
    let place = Workplace::new("cases");
    place.run(&["run", "--no-golden", "--results", "results.jsonl"]).with(0);
    let text = std::fs::read_to_string(place.path("results.jsonl")).unwrap();
    assert!(text.starts_with("{\"line\":\"run\",\"format\":2,"), "{text}");
    assert!(text.lines().last().unwrap().starts_with("{\"line\":\"summary\""), "{text}");
    let ended = place.run(&["run", "--no-golden", "--results", "/dev/full"]).with(4);
    let said = ended.err.matches("could not be written").count();
    assert_eq!(said, 1, "{}", ended.err);
    assert!(ended.err.contains("lines of the results could not be written: No space left"), "{}", ended.err);
    place.run(&["run", "--no-golden", "--results", "no/such/folder/r.jsonl"]).with(4);
}

//! JUnit files of every status that a variant can have are what Jenkins accepts: they fit the schema of its xUnit plugin.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::workplace::Workplace;

/// What is wrong with a JUnit file by the schema of Jenkins; `None` where nothing can tell.
fn wrong_for_jenkins(file: &Path) -> Option<Result<(), String>> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/junit-10.xsd");
    let mut command = Command::new("xmllint");
    command.arg("--noout").arg("--nonet").arg("--schema").arg(schema).arg(file).stdin(Stdio::null());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            assert!(
                std::env::var_os("WARPDIFF_REQUIRE_XMLLINT").is_none(),
                "xmllint (libxml2-utils) is needed: {error}"
            );
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { Ok(()) } else { Err(said) })
}

/// Every status of a target or of the reference in the results.
fn settled(results: &serde_json::Value, into: &mut BTreeSet<String>) {
    for variant in results["variants"].as_array().unwrap() {
        let all = std::iter::once(&variant["reference"]).chain(variant["targets"].as_array().unwrap());
        into.extend(all.map(|one| one["settled"].as_str().unwrap().to_owned()));
    }
}

#[test]
fn junit_of_every_status_fits_the_schema_of_jenkins() {
    let sound = Workplace::new("cases");
    std::fs::write(
        sound.path("known.yaml"),
        "target: mock\n\
         fails:\n\
         \x20 - {variants: '*mock-flip', cause: {class: value, deviation: none}, reason: 'a < b & \"c\"'}\n\
         \x20 - {variants: '*mock-guard', cause: {class: value, deviation: none}, reason: another cause}\n\
         \x20 - {variants: 'basic/add/*', cause: {class: value, deviation: none}, reason: it passes}\n\
         skips:\n\
         \x20 - {variants: '*mock-crash', reason: left out, expires: 2999-01-01}\n",
    )
    .unwrap();
    let flaky = Workplace::new("flaky");
    std::fs::write(
        flaky.path("known.yaml"),
        "target: mock\n\
         flakes:\n\
         \x20 - {variants: '*mock-passes-5', cause: {class: value, deviation: none}, passes: 0.1, reason: rare, expires: 2999-01-01}\n",
    )
    .unwrap();
    let (wrong, open) = (Workplace::new("wrong"), Workplace::new("open"));
    let runs: [(&Workplace, &[&str]); 8] = [
        (&sound, &[]),
        (&sound, &["--against", "emulator", "--against", "emulator+suld.clamp-as-zero"]),
        (&sound, &["--against", "mock", "--no-repeat", "--time-limit", "1"]),
        (&sound, &["--against", "mock", "--no-repeat", "--time-limit", "1", "--expectations", "known.yaml"]),
        (&sound, &["--against", "emulator", "--shard", "2/2", "basic"]),
        (&flaky, &["--against", "mock", "mock-every-3", "mock-passes-5", "--expectations", "known.yaml"]),
        (&wrong, &["--against", "emulator"]),
        (&open, &["--against", "emulator"]),
    ];
    let mut seen = BTreeSet::new();
    let mut checked = 0;
    for (place, arguments) in runs {
        let fixed = ["run", "--no-golden", "--results", "results.jsonl", "--junit", "junit.xml"];
        let ended = place.run(&[&fixed, arguments].concat());
        let results = std::fs::read_to_string(place.path("results.jsonl"))
            .unwrap_or_else(|e| panic!("{e}: {}", ended.err));
        settled(&crate::results::read(&results), &mut seen);
        match wrong_for_jenkins(&place.path("junit.xml")) {
            Some(Err(said)) => panic!("{arguments:?}: {said}"),
            Some(Ok(())) => checked += 1,
            None => {}
        }
    }
    // Joined by `merge`: of one shard, and so with gaps.
    sound
        .run(&[
            "run",
            "basic",
            "--no-golden",
            "--against",
            "emulator",
            "--shard",
            "1/2",
            "--results",
            "1.jsonl",
        ])
        .with(0);
    sound.run(&["merge", "1.jsonl", "--junit", "junit.xml"]).with(4);
    let joined = wrong_for_jenkins(&sound.path("junit.xml"));
    let expected = [
        "pass",
        "fail",
        "flaky",
        "known-failure",
        "known-flake",
        "other-failure",
        "unexpected-pass",
        "left-out",
    ];
    for status in expected {
        assert!(seen.contains(status), "no variant is {status}: {seen:?}");
    }
    assert!(seen.contains("undecided") || seen.contains("corpus-error"), "{seen:?}");
    if checked == 0 {
        // Beside the harness, which captures what tests print.
        writeln!(std::io::stderr(), "skipped: there is no xmllint (libxml2-utils), which reads XML Schema")
            .unwrap();
        return;
    }
    assert_eq!((checked, joined), (runs.len(), Some(Ok(()))));
    // It is not that everything fits: Jenkins knows no `disabled`, and a test case has a name.
    let junit = std::fs::read_to_string(sound.path("junit.xml")).unwrap();
    for (from, to) in [(" skipped=\"", " disabled=\""), ("<testcase name=", "<testcase title=")] {
        assert!(junit.contains(from), "{junit}");
        std::fs::write(sound.path("damaged.xml"), junit.replace(from, to)).unwrap();
        assert!(matches!(wrong_for_jenkins(&sound.path("damaged.xml")), Some(Err(_))), "{to} fits");
    }
}

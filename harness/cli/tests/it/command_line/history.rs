//! What changed from night to night, from files of results that are written here by hand.

use std::path::Path;

use serde_json::{Value, json};
use warpdiff_report::results::line::Selection;

use super::workplace::{Ended, Workplace};

/// A night: what is in the line of its run.
struct Night {
    date: &'static str,
    driver: &'static str,
    warpdiff: &'static str,
    /// All variants of the run.
    ids: Vec<String>,
}

/// The 300 loads, and two others.
fn ids() -> Vec<String> {
    let loads = (0..300).map(|n| format!("suld/bounds/a load[n={n:03}]"));
    loads.chain(["atomics/add/one".to_owned(), "atomics/inc/two".to_owned()]).collect()
}

fn night(date: &'static str, driver: &'static str) -> Night {
    Night { date, driver, warpdiff: "0.1.0", ids: ids() }
}

/// What a target did: settled status, and cause.
type Did = (&'static str, Option<(&'static str, &'static str)>);

const RIGHT: Did = ("pass", None);
const CLAMP: Did = ("fail", Some(("clamp behaviour", "suld.clamp-as-zero")));

impl Night {
    fn run(&self, shard: Option<(usize, usize)>) -> Value {
        let selection = Selection::of(self.ids.iter().map(String::as_str));
        let mut line = json!({
            "line": "run", "format": 2, "warpdiff": self.warpdiff, "date": self.date,
            "targets": [{"name": "cuda", "device": {"device": "NVIDIA H200", "driver": self.driver}}],
            "selection": {"variants": selection.variants, "digest": selection.digest},
        });
        if let Some((number, of)) = shard {
            line["shard"] = json!({"number": number, "of": of});
        }
        line
    }

    fn variant(id: &str, (settled, cause): Did) -> Value {
        let (status, specification) = match settled {
            "pass" => ("conforms", "conforms"),
            "flaky" => ("flaky", "violates"),
            _ => ("violates", "violates"),
        };
        let findings: Vec<Value> = cause
            .iter()
            .map(|(class, deviation)| {
                json!({"status": "violates", "class": class, "reproduced_by": [deviation], "differences": []})
            })
            .collect();
        json!({
            "line": "variant", "id": id, "subject": id.split('/').next(),
            "location": {"file": "cases/x.yaml", "line": 1, "column": 3},
            "covers": [], "instructions": [], "rows": 1, "reference": {"status": "conforms", "settled": "pass"},
            "targets": [{
                "target": "cuda", "status": status, "settled": settled, "specification": specification, "findings": findings
            }],
            "seconds": 0.001,
        })
    }

    fn summary(variants: usize) -> Value {
        json!({
            "line": "summary", "variants": variants, "rows": variants, "reference": {}, "targets": [], "not_judged": [],
            "seconds": 1.0, "exit": "conforms", "exit_code": 0,
        })
    }

    /// The file of a shard, or of the whole run, with those of its variants that `has` selects; a killed one has no summary.
    fn write(&self, path: &Path, shard: Option<(usize, usize)>, killed: bool, did: impl Fn(&str) -> Did) {
        let mine = |place: usize| shard.is_none_or(|(number, of)| place % of == number - 1);
        let ids: Vec<&String> =
            self.ids.iter().enumerate().filter(|(n, _)| mine(*n)).map(|(_, id)| id).collect();
        let shown = if killed { ids.len() / 2 } else { ids.len() };
        let mut lines = vec![self.run(shard)];
        lines.extend(ids[..shown].iter().map(|id| Self::variant(id, did(id))));
        if !killed {
            lines.push(Self::summary(shown));
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(path, text).unwrap();
    }
}

fn is_load(id: &str) -> bool {
    id.starts_with("suld/")
}

/// Six nights: with a new driver the loads fail; a shard is missing; a run is killed; the failure is expected and something else is
/// flaky; then all is repaired, and a new variant is wrong.
fn six_nights(place: &Workplace) {
    let at = |name: &str| place.path("nights").join(name);
    night("2026-11-16", "570.10").write(&at("16/all.jsonl"), None, false, |_| RIGHT);
    let loads_fail = |id: &str| if is_load(id) { CLAMP } else { RIGHT };
    night("2026-11-17", "575.57").write(&at("17/all.jsonl"), None, false, loads_fail);
    for number in [1, 3] {
        let name = format!("18/shard-{number}.jsonl");
        night("2026-11-18", "575.57").write(&at(&name), Some((number, 3)), false, loads_fail);
    }
    night("2026-11-19", "575.57").write(&at("19/all.jsonl"), None, true, loads_fail);
    let waived = |id: &str| match id {
        _ if is_load(id) => ("known-failure", CLAMP.1),
        "atomics/add/one" => ("flaky", Some(("atomicity", "atom.add-lost"))),
        _ => RIGHT,
    };
    night("2026-11-20", "575.57").write(&at("20/all.jsonl"), None, false, waived);
    let mut last = night("2026-11-21", "575.57");
    last.ids.push("zz/new/late".into());
    last.warpdiff = "0.2.0";
    let repaired = |id: &str| if id == "zz/new/late" { CLAMP } else { RIGHT };
    last.write(&at("21/all.jsonl"), None, false, repaired);
}

fn history(place: &Workplace, more: &[&str]) -> Ended {
    place.run(&[&["history", "nights", "--color", "never"], more].concat())
}

#[test]
fn what_broke_together_is_one_line_and_regressions_come_first() {
    let place = Workplace::new("cases");
    six_nights(&place);
    let said = history(&place, &["--show", "1"]).with(0).out;
    let expected = "\
cuda on NVIDIA H200: 6 runs, 2026-11-16 to 2026-11-21
  2026-11-17  driver 570.10 → 575.57
  2026-11-18  shard 2 of 3 is missing
  2026-11-18  101 of 302 variants did not run
  2026-11-19  nights/19/all.jsonl has no summary: the run was killed
  2026-11-19  151 of 302 variants did not run
  2026-11-21  warpdiff 0.1.0 → 0.2.0
  2026-11-21  other variants: 302 → 303
  2026-11-21: 1 violate, 302 conform, exit code 1
   month  11
variants  16 17 18 19 20 21
       1   ·  ·  ·  ·  ·  ✗  new on 2026-11-21, and wrong: clamp behaviour, reproduced by suld.clamp-as-zero
          zz/new/late
     300   ✓  ✗  ✗  ✗  !  ✓  repaired on 2026-11-21: clamp behaviour, reproduced by suld.clamp-as-zero
          suld/bounds/a load[n=000]
          … and 299 more (--show N prints more)
       1   ✓  ✓  ✓  ?  ≈  ✓  repaired on 2026-11-21: atomicity, reproduced by atom.add-lost
          atomics/add/one
";
    assert!(said.starts_with(expected), "{said}");
    // What was not shown is no change: the missing shard and the killed run split no line.
    assert_eq!(said.lines().count(), expected.lines().count() + 1, "{said}");
    // Up to the night of the new driver it is a regression.
    let place = Workplace::new("cases");
    night("2026-11-16", "570.10").write(&place.path("nights/a.jsonl"), None, false, |_| RIGHT);
    let fails = |id: &str| if is_load(id) { CLAMP } else { RIGHT };
    night("2026-11-17", "570.10").write(&place.path("nights/b.jsonl"), None, false, fails);
    let said = history(&place, &[]).with(0).out;
    assert!(said.contains("     300   ✓  ✗  broke on 2026-11-17: clamp behaviour"), "{said}");
}

#[test]
fn the_history_as_data_is_as_its_schema_says_and_options_narrow_it() {
    let place = Workplace::new("cases");
    six_nights(&place);
    let document = history(&place, &["--json"]).with(0).json();
    let target = &document["targets"][0];
    assert_eq!((&target["target"], &target["device"]), (&json!("cuda"), &json!("NVIDIA H200")));
    let runs = target["runs"].as_array().unwrap();
    let complete: Vec<bool> = runs.iter().map(|run| run["complete"].as_bool().unwrap()).collect();
    assert_eq!(complete, [true, true, false, false, true, true]);
    assert_eq!(runs[1]["counts"], json!({"fail": 300, "pass": 2}));
    // An incomplete run is no success, whatever its verdicts are.
    let codes: Vec<u64> = runs.iter().map(|run| run["exit_code"].as_u64().unwrap()).collect();
    assert_eq!(codes, [0, 1, 4, 4, 1, 1]);
    let loads = &target["changes"][1];
    assert_eq!((&loads["kind"], &loads["since"]), (&json!("repaired"), &json!(5)));
    assert_eq!(loads["variants"].as_array().unwrap().len(), 300);
    assert_eq!(loads["history"][1]["settled"], "fail");
    assert_eq!(loads["history"][1]["cause"], "clamp behaviour, reproduced by suld.clamp-as-zero");
    assert_eq!(target["changes"][2]["history"][3], json!({"was": "unknown"}));
    let schema = place.run(&["schema", "history"]).with(0).json();
    for (definition, value) in
        [("TargetDocument", target), ("RunDocument", &runs[0]), ("ChangeDocument", loads)]
    {
        let known = schema["$defs"][definition]["properties"].as_object().unwrap();
        for key in value.as_object().unwrap().keys() {
            assert!(known.contains_key(key), "{definition} has no {key}");
        }
    }

    let since = history(&place, &["--json", "--since", "2026-11-20", "--variants", "atomics"]).with(0).json();
    let target = &since["targets"][0];
    assert_eq!(target["runs"].as_array().unwrap().len(), 2);
    assert_eq!(target["runs"][0]["counts"], json!({"flaky": 1, "pass": 1}));
    assert_eq!(target["changes"].as_array().unwrap().len(), 1);
    let none = history(&place, &["--target", "compiled"]).with(0).out;
    assert_eq!(none, "no runs of such a target in this period\n");
    let usage = history(&place, &["--since", "yesterday"]).with(2).err;
    assert!(usage.contains("`yesterday` is no date"), "{usage}");
}

#[test]
fn two_runs_of_one_day_stand_beside_each_other_and_a_run_that_did_not_begin_is_said() {
    let place = Workplace::new("cases");
    let at = |name: &str| place.path("nights").join(name);
    night("2026-11-16", "570.10").write(&at("a.jsonl"), None, false, |_| RIGHT);
    let fails = |id: &str| if is_load(id) { CLAMP } else { RIGHT };
    night("2026-11-16", "570.10").write(&at("b.jsonl"), None, false, fails);
    let error = json!({"line": "error", "format": 2, "warpdiff": "0.1.0", "error": "no device", "exit": "broken", "exit_code": 4});
    std::fs::write(at("c.jsonl"), format!("{error}\n")).unwrap();
    std::fs::write(at("notes.txt"), "not looked at").unwrap();
    let said = history(&place, &[]).with(0).out;
    assert!(said.contains("did not begin: nights/c.jsonl: the run ended with an error: no device"), "{said}");
    assert!(said.contains("2 runs, 2026-11-16 to 2026-11-16 (2)"), "{said}");
    assert!(said.contains("     300   ✓  ✗  broke on 2026-11-16 (2)"), "{said}");
}

#[test]
fn files_that_are_no_results_are_all_named_with_what_is_wrong() {
    let place = Workplace::new("cases");
    let at = |name: &str| place.path("nights").join(name);
    night("2026-11-16", "570.10").write(&at("a.jsonl"), None, false, |_| RIGHT);
    std::fs::write(at("b.jsonl"), "hello\n").unwrap();
    let run = night("2026-11-17", "570.10").run(None);
    std::fs::write(at("c.jsonl"), format!("{run}\n{{\"line\":\"variant\"}}\n")).unwrap();
    let ended = history(&place, &["--json"]).with(2);
    assert!(ended.err.contains("nights/b.jsonl: not a file of results"), "{}", ended.err);
    assert!(ended.err.contains("nights/c.jsonl:2: missing field"), "{}", ended.err);
    assert_eq!(ended.json()["exit_code"], 2);
    std::fs::create_dir(place.path("empty")).unwrap();
    let none = place.run(&["history", "empty"]).with(2).err;
    assert!(none.contains("empty: no results of nights: no file is named *.jsonl"), "{none}");
    assert!(place.run(&["history", "nowhere"]).with(2).err.contains("nowhere: "));
}

#[test]
fn the_page_has_a_chart_and_the_same_numbers() {
    let place = Workplace::new("cases");
    six_nights(&place);
    history(&place, &["--html", "history.html"]).with(0);
    let page = std::fs::read_to_string(place.path("history.html")).unwrap();
    // A bar for each night on which something did not conform: all but the first.
    let bars =
        page.split("<rect class=\"wrong\"").count() - 1 + page.matches("<rect class=\"known\"").count();
    // Two of them are swatches of the legend.
    assert_eq!(bars, 2 + 5, "{page}");
    assert!(page.contains("2026-11-17: 300 violate, 2 conform; driver 570.10 → 575.57"), "{page}");
    assert!(page.contains("repaired on 2026-11-21") && page.contains("suld/bounds/a load[n=299]"), "{page}");
    for fetched in ["src=\"", "<link", "@import", "url(", "https://"] {
        assert!(!page.contains(fetched), "{fetched}");
    }
}

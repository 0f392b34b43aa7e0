//! `warpdiff roadmap`: the order in which features unlock a corpus, without a target and from what a target answers.

use serde_json::Value;

use super::workplace::{Ended, Workplace};

/// The features that every program of the corpus has.
const COMMON: [&str; 7] = [
    ".entry",
    "buffers with guard bands",
    "cvta.to.global.<int>",
    "ld.param.<type>",
    "mov.<type>",
    "ret",
    "st.global.<type>",
];

fn names(features: &Value) -> Vec<&str> {
    features.as_array().unwrap().iter().map(|feature| feature["name"].as_str().unwrap()).collect()
}

/// The features of each step in the order of the alphabet, the number of variants that it unlocks, and of those unlocked after it.
fn steps(roadmap: &Value) -> Vec<(Vec<&str>, usize, u64)> {
    let of = |step: &'_ Value| (step["unlocks"].as_array().unwrap().len(), step["in_all"].as_u64().unwrap());
    let list = roadmap["steps"].as_array().unwrap().iter();
    let all = list.map(|step| {
        let mut names = names(&step["features"]);
        names.sort_unstable();
        let (unlocks, in_all) = of(step);
        (names, unlocks, in_all)
    });
    all.collect()
}

fn roadmap(place: &Workplace, more: &[&str]) -> Ended {
    place.run(&[&["roadmap"], more].concat()).with(0)
}

fn example_worker() -> String {
    format!("process:'{}'", env!("CARGO_BIN_EXE_warpdiff-example-worker"))
}

/// Seven features are in each of the ten programs: three have no others, three have `add`, one `ld`, two `div` and `rem`, and one
/// `ld`, `add`, `mul`, `sub` and `and`. The variants unlocked for each feature:
///
/// | step | candidates |
/// |---|---|
/// | 1 | none besides: 3/7; **`add`: 6/8**; `ld`: 4/8; `div`, `rem`: 5/9; the five: 8/12 |
/// | 2 | **`ld`: 1**; `div`, `rem`: 2/2, but that is two features; `ld`, `mul`, `sub`, `and`: 2/4 |
/// | 3 | **`div`, `rem`: 2/2**; `mul`, `sub`, `and`: 1/3 |
/// | 4 | the rest |
#[test]
fn what_unlocks_the_most_variants_for_each_feature_comes_first() {
    let place = Workplace::new("roadmap");
    let roadmap = roadmap(&place, &["--json"]).json();
    let mut first = [COMMON.as_slice(), &["add.<int>"]].concat();
    first.sort_unstable();
    assert_eq!(
        steps(&roadmap),
        [
            (first, 6, 6),
            (vec!["ld.global.<type>"], 1, 7),
            (vec!["div.<int>", "rem.<int>"], 2, 9),
            (vec!["and.<int>", "mul.lo.<int>", "sub.<int>"], 1, 10),
        ]
    );
    assert_eq!(roadmap["variants"], 10);
    assert_eq!(roadmap["answered"], 0);
    assert_eq!(roadmap["left_out"]["legality"], 1);
    // By their use: the common ones, then `add` of four variants.
    let features = roadmap["features"].as_array().unwrap();
    assert_eq!(features[7]["name"], "add.<int>");
    assert_eq!(features[7]["used_by"], 4);
    assert_eq!(roadmap["steps"][1]["unlocks"][0], "steps/steps/loads");
}

#[test]
fn a_person_reads_a_line_for_each_feature_and_what_the_placeholders_mean() {
    let place = Workplace::new("roadmap");
    let ended = roadmap(&place, &["--show", "2"]);
    for line in [
        " step  unlocks   in all           used by  feature\n",
        "    1        6        6   60.0 %       10  cvta.to.global.<int>\n",
        "                                       4  add.<int>\n",
        "                                          e.g. steps/steps/moves[n=7]\n",
        "    2        1        7   70.0 %        2  ld.global.<type>\n",
        "… and 2 more steps, which unlock 3 variants (--show N prints more)\n",
        "    <int>  any integer type: .b8 to .b64, .u8 to .u64, .s8 to .s64\n",
        "14 features in 4 steps for 10 variants\n",
        "without 1 variant that only assemblers answer\n",
    ] {
        assert!(ended.out.contains(line), "no line {line:?} in\n{}", ended.out);
    }
    let whole = roadmap(&place, &["--show", "9"]);
    assert!(!whole.out.contains("more steps"), "{}", whole.out);
    // The same again, to the byte.
    assert_eq!(whole.out, roadmap(&place, &["--show", "9"]).out);
}

#[test]
fn a_roadmap_begins_at_what_a_target_answers() {
    let place = Workplace::new("roadmap");
    let worker = example_worker();
    // The example moves and stores, `mov.b32` aside. `add` unlocks three variants; then it is as above.
    let roadmap = roadmap(&place, &["--json", "--against", &worker]).json();
    assert_eq!(
        steps(&roadmap),
        [
            (vec!["add.<int>"], 3, 5),
            (vec!["ld.global.<type>"], 1, 6),
            (vec!["div.<int>", "rem.<int>"], 2, 8),
            (vec!["and.<int>", "mul.lo.<int>", "sub.<int>"], 1, 9),
        ]
    );
    assert_eq!(roadmap["answered"], 2);
    let there = roadmap["features"].as_array().unwrap().iter().filter(|feature| feature["there"] == true);
    let mut there: Vec<_> = there.map(|feature| feature["name"].as_str().unwrap()).collect();
    there.sort_unstable();
    assert_eq!(there, COMMON);
    assert_eq!(
        roadmap["unexplained"],
        serde_json::json!([{"variant": "steps/steps/moves untyped bits", "reason": "mov.b32"}])
    );
}

#[test]
fn a_target_that_answers_everything_has_nothing_before_it() {
    let place = Workplace::new("roadmap");
    let ended = roadmap(&place, &["--against", "emulator"]);
    assert!(ended.out.starts_with("emulator runs 10 of 10 variants\n"), "{}", ended.out);
    assert!(ended.out.contains("14 features, of which 0 are missing, in 0 steps\n"), "{}", ended.out);
    place.run(&["roadmap", "no such case"]).with(2);
    place.run(&["roadmap", "--against", "process:/nowhere/target"]).with(4);
    // None of the programs is in SPA 5.0.
    let ended = roadmap(&place, &["--language", "spa-5.0"]);
    assert!(
        ended.out.contains("without 10 variants in PTX: --language ptx lists what they need"),
        "{}",
        ended.out
    );
}

/// Hung and crashed launches say nothing of features; a rejected program is as good as an unsupported one.
#[test]
fn what_a_target_breaks_on_is_left_open() {
    let place = Workplace::new("cases");
    let of = |filter: &str| {
        let roadmap = roadmap(&place, &["--json", filter, "--against", "mock"]).json();
        (roadmap["answered"].clone(), roadmap["open"].clone(), roadmap["steps"].as_array().unwrap().len())
    };
    assert_eq!(of("mock-crash"), (0.into(), serde_json::json!({"crashed": 1}), 0));
    assert_eq!(of("mock-hang"), (0.into(), serde_json::json!({"hung": 1}), 0));
    assert_eq!(of("mock-unsupported"), (0.into(), serde_json::json!({}), 1));
    assert_eq!(of("mock-reject"), (0.into(), serde_json::json!({}), 1));
    // A wrong answer is one.
    assert_eq!(of("mock-flip"), (1.into(), serde_json::json!({}), 0));
}

/// A loop without an end is right to hang. A target that hangs on everything does so there, too, and runs nothing.
#[test]
fn a_target_that_hangs_on_everything_runs_nothing() {
    let place = Workplace::new("roadmap");
    let kernel = |title: &str, body: &str, expect: &str| {
        format!(
            "- case: {title}\n  program: |\n    .version 8.0\n    .target sm_50\n    .address_size 64\n    .visible .entry k() {{ {body} }}\n  \
             launch: {{entry: k, steps: 1000}}\n  expect: {expect}\n"
        )
    };
    let write = |first: &str| {
        let endless = kernel("endless, mock-hang", "again: bra again;", "{timed-out: true}");
        let both = format!("{endless}{}", kernel(first, "bra next; next: ret;", "{}"));
        std::fs::write(place.path("cases/steps/loops.yaml"), both).unwrap();
        roadmap(&place, &["--json", "loops", "--against", "mock"]).json()
    };
    let hangs = write("returns, mock-hang");
    assert_eq!((&hangs["answered"], &hangs["open"]), (&0.into(), &serde_json::json!({"hung": 2})));
    assert!(hangs["features"].as_array().unwrap().iter().all(|feature| feature["there"] == false));
    // Another answer shows that it knows branches: then it hangs because it must.
    let knows = write("returns");
    assert_eq!((&knows["answered"], &knows["open"]), (&2.into(), &serde_json::json!({})));
}

/// The lines of the program that `show` prints, each feature where it first stands; then the declarations, and the launch of three rows.
#[test]
fn the_kernel_around_a_table_counts_and_so_does_the_launch() {
    let place = Workplace::new("cases");
    let roadmap = roadmap(&place, &["--json", "suld clamps[cop=.ca]"]).json();
    let mut found = names(&roadmap["features"]);
    found.sort_unstable();
    let mut expected = [
        "mov.<type>",
        "%ctaid",
        "%ntid",
        "mul.lo.<int>",
        "%tid",
        "add.<int>",
        "ld.param.<type>",
        "setp.<cmp>.<int>",
        "@p",
        "exit",
        "cvta.to.global.<int>",
        "mad.wide.<int>",
        "ld.global.<type>",
        "suld.b.2d.<type>.clamp",
        "cache operators: .ca .cg .cs .cv .lu .wb .wt .ci",
        "st.global.<type>",
        "ret",
        ".entry",
        ".surfref variables",
        "several threads",
        "buffers with guard bands",
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
}

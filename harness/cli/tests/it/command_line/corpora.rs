//! Corpora of one's own: several at once, with links and what editors leave behind, and without a claim to be complete.

use std::path::Path;

use super::workplace::Workplace;

/// A case that adds; its expectation is `sum`.
fn case(title: &str, covers: &str, sum: u32) -> String {
    format!(
        "- case: {title}\n  covers: [{covers}]\n  why: 1 + 2 = 3\n  inputs: {{a: b32, b: b32}}\n  outputs: {{d: b32}}\n  body: add.u32 %d, %a, %b;\n  rows:\n    - {{a: 1, b: 2, d: {sum}}}\n"
    )
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// An empty folder, which has no corpus above it.
fn place() -> Workplace {
    let place = Workplace::new("cases");
    std::fs::remove_dir_all(place.path("cases")).unwrap();
    place
}

#[test]
fn several_corpora_run_together_each_with_its_goldens() {
    let place = place();
    write(&place.path("one/cases/a/a.yaml"), &case("first", "", 3));
    write(&place.path("two/mine/b/b.yaml"), &case("second", "", 3));
    let both = ["--corpus", "one/cases", "--corpus", "two/mine"];
    let run = |more: &[&str]| place.run(&[&both[..], more].concat());
    assert_eq!(run(&["list"]).with(0).out, "a/a/first\nb/b/second\n");
    place.run(&["run", "--corpus", "one/cases", "--bless"]).with(0);
    assert!(run(&["run"]).with(0).out.contains("goldens: 1 as recorded"), "only one has goldens");
    place.run(&["run", "--corpus", "two/mine", "--bless"]).with(0);
    assert!(place.path("one/golden/emulator/a/a.golden").exists());
    assert!(place.path("two/golden/emulator-of-mine/b/b.golden").exists());
    assert!(run(&["run"]).with(0).out.contains("goldens: 2 as recorded"));
    // A golden that differs counts, whichever corpus it belongs to.
    place.edit("two/golden/emulator-of-mine/b/b.golden", "03 00 00 00", "04 00 00 00");
    assert!(run(&["run"]).with(6).out.contains("b/b.golden"));
    let ended = run(&["run", "--bless"]).with(2);
    assert!(ended.err.contains("--bless: each corpus has goldens of its own"), "{}", ended.err);
    let ended = run(&["compile", "--bless"]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    let ended = place.run(&["list", "--corpus", "one/cases", "--corpus", "one/../one/cases"]).with(2);
    assert!(ended.err.contains("--corpus names one/../one/cases twice"), "{}", ended.err);
    // What is not named is not there.
    assert_eq!(place.run(&["list", "--corpus", "two/mine"]).with(0).out, "b/b/second\n");
}

#[test]
fn corpora_in_one_folder_do_not_take_the_goldens_of_one_another_for_theirs() {
    let place = place();
    // The same file in each, and a case of the same name in two of them.
    write(&place.path("cases/x.yaml"), &case("shipped", "", 3));
    write(&place.path("one/x.yaml"), &case("own", "", 3));
    write(&place.path("two/x.yaml"), &(case("other", "", 3) + &case("more", "", 3)));
    write(&place.path("again/x.yaml"), &case("own", "", 3).replace("a: 1, b: 2, d: 3", "a: 2, b: 2"));
    let run = |arguments: &[&str]| place.run(&[&["run"], arguments].concat());
    let goldens = "goldens: 1 as recorded\n";
    run(&["--corpus", "cases", "--bless"]).with(0);
    let ended = run(&["--corpus", "one"]).with(0);
    assert!(ended.out.contains("goldens: none recorded"), "none of its own: {}", ended.out);
    for corpus in ["one", "two", "again"] {
        let ended = run(&["--corpus", corpus, "--bless"]).with(0);
        assert!(!ended.out.contains("golden removed"), "{}", ended.out);
    }
    for corpus in ["cases", "one", "again"] {
        let ended = run(&["--corpus", corpus]).with(0);
        assert!(ended.out.contains(goldens), "{corpus}: {}", ended.out);
    }
    let ended = run(&["--corpus", "two", "--corpus", "one", "--corpus", "cases"]).with(0);
    assert!(ended.out.contains("goldens: 4 as recorded\n"), "{}", ended.out);

    // A bless of the whole of a corpus tidies up its own folder, and no other.
    place.edit("two/x.yaml", "case: more", "case: most");
    let ended = run(&["--corpus", "two"]).with(6);
    assert!(ended.out.contains("golden without a case: x.golden: x/more"), "{}", ended.out);
    let ended = run(&["--corpus", "two", "--bless"]).with(0);
    assert!(ended.out.contains("golden removed: x.golden: x/more, which no case has"), "{}", ended.out);
    assert_eq!(ended.out.matches("golden removed").count(), 1, "{}", ended.out);
    for corpus in ["cases", "one", "again"] {
        let ended = run(&["--corpus", corpus]).with(0);
        assert!(ended.out.contains(goldens), "{corpus}: {}", ended.out);
    }
}

#[test]
fn the_shipped_corpus_runs_beside_ones_own() {
    let place = place();
    write(&place.path("mine/a/a.yaml"), &case("mine", "add.int.wraps", 3));
    let both = ["--corpus", "mine", "--corpus", "builtin"];
    let run = |more: &[&str]| place.run(&[&both[..], more].concat());
    let ended = run(&["run", "--json", "a/a/mine", "suq/*"]).with(0).results();
    let variants = ended["variants"].as_array().unwrap();
    assert!(variants.len() > 1 && variants.iter().any(|line| line["id"] == "a/a/mine"), "{ended}");
    assert_eq!(ended["summary"]["goldens"]["same"], variants.len() - 1, "those built in");
    let id = variants.iter().find(|line| line["subject"] == "suq").unwrap()["id"].as_str().unwrap();
    let shown = run(&["show", id]).with(0).out;
    assert!(shown.lines().nth(1).unwrap().starts_with("  builtin/suq/"), "{shown}");
    assert!(shown.contains(" (9.7."), "the requirement is known: {shown}");
    // The same without the shipped corpus: no list of requirements, nothing to hold `covers` to.
    place.run(&["run", "--no-golden", "--corpus", "mine"]).with(0);
    // Without a list of its own it may name requirements of its own, beside the shipped corpus, too.
    write(&place.path("mine/a/a.yaml"), &case("mine", "add.int.wrap, my.own", 3));
    run(&["run", "--no-golden", "a/a/mine"]).with(0);
    place.run(&["run", "--no-golden", "--corpus", "mine"]).with(0);
    // With a list, an empty one, each must be in one of the lists.
    write(&place.path("mine/requirements.yaml"), "[]\n");
    let ended = run(&["run", "--no-golden"]).with(2);
    assert!(ended.err.contains("did you mean `add.int.wraps`?"), "{}", ended.err);
}

#[test]
fn the_same_id_in_two_corpora_is_refused_with_both_places() {
    let place = place();
    write(&place.path("one/a/a.yaml"), &case("same", "", 3));
    write(&place.path("two/a/a.yaml"), &case("same", "", 3));
    let ended = place.run(&["run", "--corpus", "one", "--corpus", "two"]).with(2);
    assert!(ended.err.contains("two cases have a variant with the id `a/a/same`"), "{}", ended.err);
    assert!(
        ended.err.contains("two/a/a.yaml:1:3") && ended.err.contains("one/a/a.yaml:1:3"),
        "{}",
        ended.err
    );
}

#[test]
fn an_id_of_a_requirement_means_one_thing() {
    let place = place();
    let list = |text: &str| format!("- {{id: r, kind: must, section: s, text: {text}}}\n");
    for (corpus, text) in [("one", "It wraps."), ("two", "It wraps."), ("three", "It saturates.")] {
        write(&place.path(&format!("{corpus}/{corpus}.yaml")), &case("c", "r", 3));
        write(&place.path(&format!("{corpus}/requirements.yaml")), &list(text));
    }
    let ended = place.run(&["coverage", "--corpus", "one", "--corpus", "two"]).with(0);
    assert!(ended.out.contains('2'), "both cases cover the one requirement: {}", ended.out);
    let ended = place.run(&["list", "--corpus", "one", "--corpus", "three"]);
    let message = "two corpora mean different things by requirement `r`";
    assert!(ended.err.contains(message) && ended.err.contains("one/requirements.yaml:1:8"), "{}", ended.err);
}

#[test]
fn a_corpus_needs_a_case_for_each_requirement_only_if_it_says_so() {
    let place = place();
    let list = "- {id: r, kind: must, section: s, text: It wraps.}\n- {id: q, kind: must, section: s, text: It adds.}\n";
    write(&place.path("cases/a.yaml"), &case("c", "r", 3));
    write(&place.path("cases/requirements.yaml"), list);
    place.run(&["run", "--no-golden"]).with(0);
    assert!(place.run(&["coverage"]).with(0).out.contains("1 of 2 requirements are covered"));
    let ended = place.run(&["coverage", "x"]).with(2);
    assert!(ended.err.contains("no requirement matches `x`"), "{}", ended.err);
    write(&place.path("cases/requirements.yaml"), "[]\n");
    write(&place.path("cases/a.yaml"), &case("c", "", 3));
    let ended = place.run(&["coverage"]).with(2);
    assert!(ended.err.contains("the corpus lists no requirements"), "{}", ended.err);
    write(&place.path("cases/a.yaml"), &case("c", "r", 3));
    write(&place.path("cases/requirements.yaml"), &format!("complete: false\nrequirements:\n{list}"));
    place.run(&["run", "--no-golden"]).with(0);
    write(&place.path("cases/requirements.yaml"), &format!("complete: true\nrequirements:\n{list}"));
    let ended = place.run(&["run", "--no-golden"]).with(2);
    assert!(
        ended.err.contains("no case covers requirement `q`") && ended.err.contains("`complete: true`"),
        "{}",
        ended.err
    );
    // A claim of another corpus is its own: its requirement is not covered by a case of this one.
    write(&place.path("other/b.yaml"), &case("c", "q", 3));
    place.run(&["run", "--no-golden", "--corpus", "cases", "--corpus", "other"]).with(2);
    write(&place.path("cases/requirements.yaml"), &format!("complet: true\nrequirements:\n{list}"));
    let ended = place.run(&["run", "--no-golden"]).with(2);
    assert!(ended.err.contains("did you mean `complete`?"), "{}", ended.err);
}

#[test]
fn what_editors_leave_behind_is_no_case() {
    let place = place();
    write(&place.path("cases/requirements.yaml"), "[]\n");
    write(&place.path("cases/a/a.yaml"), &case("c", "", 3));
    let droppings = [
        "a.yaml~",
        "#a.yaml#",
        ".a.yaml.swp",
        ".a.yaml.swo",
        ".#b.yaml",
        "._a.yaml",
        ".~a.yaml",
        "a.yaml.orig",
    ];
    for name in droppings {
        write(&place.path("cases/a").join(name), "- case: [\n");
    }
    write(&place.path("cases/.git/config.yaml"), "- case: [\n");
    write(&place.path("cases/.ipynb_checkpoints/a-checkpoint.yaml"), "- case: [\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("user@host.1234:5678", place.path("cases/a/.#a.yaml")).unwrap();
    assert_eq!(place.run(&["list"]).with(0).out, "a/a/c\n");
    place.run(&["run", "--no-golden"]).with(0);
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_and_refused_outside() {
    use std::os::unix::fs::symlink;

    let place = place();
    write(&place.path("cases/requirements.yaml"), "[]\n");
    write(&place.path("cases/a/a.yaml"), &case("c", "", 3));
    write(&place.path("secret/s.yaml"), &case("secret", "", 3));
    write(&place.path("secret/k.ptx"), "top secret\n");
    symlink("a", place.path("cases/again")).unwrap();
    let ended = place.run(&["list"]).with(0);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("a/a/c\nagain/a/c\n", ""));
    symlink("../secret", place.path("cases/out")).unwrap();
    symlink("../../secret/s.yaml", place.path("cases/a/s.yaml")).unwrap();
    let ended = place.run(&["list"]).with(0);
    assert_eq!(ended.out, "a/a/c\nagain/a/c\n");
    for path in ["cases/out", "cases/a/s.yaml", "cases/again/s.yaml"] {
        assert!(ended.err.contains(&format!("cannot read `{path}`: a link to ")), "{path}: {}", ended.err);
    }
    assert!(!ended.err.contains("case: secret"), "{}", ended.err);
    place.run(&["run", "--no-golden", "a/a/c"]).with(0);
    place.run(&["run", "--no-golden"]).with(2);
    for path in ["cases/out", "cases/a/s.yaml"] {
        std::fs::remove_file(place.path(path)).unwrap();
    }
    // Nor does a file that a case names come from elsewhere.
    symlink("../../secret/k.ptx", place.path("cases/a/k.ptx")).unwrap();
    let text = "- case: w\n  file: k.ptx\n  launch: {entry: k, grid: [1], block: [1], arguments: []}\n";
    write(&place.path("cases/w.yaml"), &text.replace("k.ptx", "a/k.ptx"));
    let ended = place.run(&["run", "--no-golden", "w/w"]).with(2);
    assert!(ended.err.contains("cannot read `a/k.ptx`: a link to "), "{}", ended.err);
    assert!(!ended.err.contains("top secret"), "{}", ended.err);
}

#[test]
fn errors_of_a_broken_corpus_are_data_under_json() {
    let place = place();
    write(&place.path("cases/requirements.yaml"), "[]\n");
    write(&place.path("cases/a.yaml"), &case("c", "", 3).replace("add.u32", "addd.u32"));
    write(&place.path("cases/b.yaml"), &case("c", "", 3).replace("why:", "wyh:"));
    std::fs::write(place.path("cases/c.yaml"), b"- case: na\xc3\xafve caf\xe9, to begin with\n  why: x\n")
        .unwrap();
    let ended = place.run(&["run", "--no-golden", "--json"]).with(2);
    let line = ended.json();
    assert_eq!((&line["line"], &line["exit"]), (&"error".into(), &"usage".into()), "{line}");
    let problems = line["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 3, "{line}");
    let place_of = |n: usize| {
        let at = &problems[n]["location"];
        format!("{}:{}:{}", at["file"].as_str().unwrap(), at["line"], at["column"])
    };
    assert_eq!(place_of(0), "cases/a.yaml:6:9");
    assert_eq!(problems[0]["message"], "unknown opcode `addd`");
    assert_eq!(place_of(1), "cases/b.yaml:3:3");
    assert_eq!(problems[1]["notes"][0], "did you mean `why`?");
    // The column counts characters, not bytes.
    assert_eq!(place_of(2), "cases/c.yaml:1:18");
    assert_eq!(problems[2]["message"], "not UTF-8: the byte 0xe9");
    assert!(ended.err.contains(" | - case: naïve caf�, to begin with\n"), "{}", ended.err);
}

/// What authors copy from the description of the format conforms, and each of its cases needs what it states.
#[test]
fn the_examples_of_the_format_conform() {
    let readme = include_str!("../../../../../cases/README.md");
    let place = place();
    let blocks = readme.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let whole: Vec<&str> =
        blocks.filter(|block| block.starts_with("- case:") && !block.contains('…')).collect();
    for (number, block) in whole.iter().enumerate() {
        write(&place.path(&format!("cases/example-{number}.yaml")), block);
    }
    write(&place.path("cases/requirements.yaml"), &requirements_of(&whole));
    let ended = place.run(&["run", "--no-golden", "--json"]).with(0).results();
    let titles = ended["variants"].as_array().unwrap().iter().map(|line| line["id"].as_str().unwrap());
    let titles: Vec<&str> = titles.collect();
    for recipe in [
        "eight votes in four bins",
        "four threads draw numbers",
        "two warps swap what they know",
        "two rows store to one word",
        "three times an approximate reciprocal",
        "an access past the last texel traps",
        "a misaligned load is masked or faults",
        "the remainder of a negative quotient",
    ] {
        assert!(titles.iter().any(|id| id.contains(recipe)), "{recipe}: {titles:?}");
    }
    place.run(&["selfcheck"]).with(0);
}

/// A list of the requirements that case files cover.
fn requirements_of(files: &[&str]) -> String {
    let mut ids: Vec<&str> = files
        .iter()
        .flat_map(|text| text.lines().filter_map(|line| line.trim().strip_prefix("covers: [")))
        .flat_map(|ids| ids.trim_end_matches(']').split(", "))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids.iter().map(|id| format!("- {{id: {id}, kind: must, section: s, text: t}}\n")).collect()
}

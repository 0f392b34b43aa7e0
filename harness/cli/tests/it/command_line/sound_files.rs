//! A corpus of which earlier commands found that its files are sound: what is wrong with it is said all the same.

use std::path::Path;

use super::workplace::{Ended, Workplace};

/// A case that adds, as long as a file must be for warpdiff to remember it.
fn case(title: &str, covers: &str, instruction: &str) -> String {
    let filler = "# Nothing to see here.\n".repeat(4000);
    format!(
        "{filler}- case: {title}\n  covers: [{covers}]\n  why: 1 + 2 = 3\n  inputs: {{a: b32, b: b32}}\n  outputs: {{d: b32}}\n  body: {instruction} %d, %a, %b;\n  rows:\n    - {{a: 1, b: 2, d: 3}}\n"
    )
}

/// A corpus of two files with a case each, and a folder to remember in.
struct Place(Workplace);

impl Place {
    fn new() -> Self {
        let place = Self(Workplace::new("cases"));
        std::fs::remove_dir_all(place.0.path("cases")).unwrap();
        std::fs::create_dir_all(place.0.path("cases/a")).unwrap();
        place.write("requirements.yaml", &requirement("r"));
        place.write("a/good.yaml", &case("good", "r", "add.u32"));
        place.write("a/other.yaml", &case("other", "r", "add.u32"));
        place
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.0.path("cases").join(file), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        let mut command = self.0.command(arguments);
        Ended::of(command.env("WARPDIFF_CACHE", self.0.path("cache")).output().unwrap())
    }

    /// The digests of the files that are remembered.
    fn remembered(&self) -> Vec<String> {
        let Ok(mut files) = std::fs::read_dir(self.0.path("cache")) else { return Vec::new() };
        let text = std::fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap();
        assert!(files.next().is_none(), "one file for one program");
        text.lines().skip(1).map(str::to_owned).collect()
    }
}

fn requirement(id: &str) -> String {
    format!("complete: true\nrequirements:\n  - {{id: {id}, kind: must, section: s, text: It wraps.}}\n")
}

const OTHERS: &str = "other cases of the corpus cannot be read";

#[test]
fn a_corpus_that_was_read_before_answers_as_one_that_was_not() {
    let place = Place::new();
    assert!(!Path::new(&place.0.path("cache")).exists());
    for remembered in [0, 2] {
        assert_eq!(place.remembered().len(), remembered);
        let ended = place.run(&["list"]).with(0);
        assert_eq!((ended.out.as_str(), ended.err.as_str()), ("a/good/good\na/other/other\n", ""));
    }
    let listed = place.run(&["list", "--json", "good"]).with(0).json();
    assert_eq!((&listed[0]["rows"], &listed[0]["covers"][0]), (&1.into(), &"r".into()));
    let ended = place.run(&["run", "--no-golden", "--json", "good"]).with(0).results();
    assert_eq!(ended["variants"].as_array().unwrap().len(), 1, "{ended}");
    assert_eq!(ended["summary"]["rows"], 1, "{ended}");
    assert_eq!(place.run(&["run", "--no-golden", "goad"]).with(2).err.lines().count(), 1);
    assert!(place.run(&["coverage"]).with(0).out.contains("1 of 1 requirements are covered"));
}

#[test]
fn what_is_wrong_is_said_though_the_rest_was_read_before() {
    let place = Place::new();
    place.run(&["list"]).with(0);
    assert_eq!(place.remembered().len(), 2);
    // A case that breaks beside one that is remembered.
    place.write("a/other.yaml", &case("other", "r", "addd.u32"));
    for _ in 0..2 {
        let ended = place.run(&["list"]).with(0);
        assert_eq!(ended.out, "a/good/good\n");
        assert!(ended.err.contains("unknown opcode `addd`"), "{}", ended.err);
        let ended = place.run(&["run", "--no-golden", "good"]).with(0);
        assert!(ended.err.contains(OTHERS), "{}", ended.err);
        for needs_it in [&["run"][..], &["run", "other"], &["show", "other"], &["coverage"]] {
            let ended = place.run(needs_it).with(2);
            assert!(ended.err.contains("unknown opcode `addd`"), "{needs_it:?}: {}", ended.err);
        }
    }
    // What files are only together: ids, and requirements.
    place.write("a/other.yaml", &case("other", "q", "add.u32"));
    assert!(place.run(&["run", "--no-golden"]).with(2).err.contains("unknown requirement `q`"));
    place.write("a/other.yaml", &case("other", "r", "add.u32"));
    place.write("requirements.yaml", &requirement("q"));
    let ended = place.run(&["run", "--no-golden", "good"]).with(2);
    assert!(ended.err.contains("unknown requirement `r`"), "{}", ended.err);
    place.write("a/good.yaml", &case("good", "q", "add.u32"));
    place.write("requirements.yaml", &(requirement("q") + &requirement("r")[29..]));
    place.run(&["run", "--no-golden", "good"]).with(0);
    let more = requirement("q") + &(requirement("r") + &requirement("s")[29..])[29..];
    place.write("requirements.yaml", &more);
    let ended = place.run(&["list"]).with(0);
    assert!(ended.err.contains("no case covers requirement `s`"), "{}", ended.err);
    place.write("a/good.yml", &case("good", "q", "add.u32"));
    let ended = place.run(&["list"]).with(0);
    assert!(ended.err.contains("without their extensions they have the same name"), "{}", ended.err);
}

#[test]
fn an_empty_name_of_the_cache_keeps_nothing() {
    let place = Place::new();
    for _ in 0..2 {
        let mut command = place.0.command(&["list"]);
        let home = place.0.path("home");
        let ended = Ended::of(command.env("WARPDIFF_CACHE", "").env("HOME", &home).output().unwrap());
        assert_eq!(ended.with(0).out, "a/good/good\na/other/other\n");
        assert!(!home.exists());
    }
}

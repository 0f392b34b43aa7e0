//! A corpus with cases that cannot be read, or that the reference cannot run, beside good ones.

use crate::workplace::Workplace;

/// A case that adds, with another instruction in place of `add.u32`.
fn case(title: &str, instruction: &str) -> String {
    format!(
        "- case: {title}\n  why: 1 + 2 = 3\n  inputs: {{a: b32, b: b32}}\n  outputs: {{d: b32}}\n  body: {instruction} %d, %a, %b;\n  rows:\n    - {{a: 1, b: 2, d: 3}}\n"
    )
}

/// A corpus of one file with these cases, and `more` as another file.
fn corpus(cases: &[String], more: Option<&str>) -> Workplace {
    let place = Workplace::new("cases");
    std::fs::remove_dir_all(place.path("cases")).unwrap();
    std::fs::create_dir_all(place.path("cases/a")).unwrap();
    std::fs::write(place.path("cases/requirements.yaml"), "[]\n").unwrap();
    std::fs::write(place.path("cases/a/a.yaml"), cases.concat()).unwrap();
    if let Some(text) = more {
        std::fs::write(place.path("cases/a/b.yaml"), text).unwrap();
    }
    place
}

#[test]
fn a_program_that_the_reference_cannot_run_is_unsupported_and_the_others_run() {
    let place = corpus(&[case("good", "add.u32"), case("video", "vadd4.u32.u32.u32")], None);
    let ended = place.run(&["list"]).with(0);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("a/a/good\na/a/video\n", ""));
    let ended = place.run(&["run", "--no-golden"]);
    assert!(ended.out.contains("unsupported: instruction `vadd4`"), "{}", ended.out);
    assert!(ended.out.contains("a.yaml:12:9\n") && ended.out.contains("^^^^^"), "{}", ended.out);
    assert!(ended.out.contains("1 conform, 1 not judged"), "{}", ended.out);
    let ended = place.run(&["run", "--no-golden", "--json", "video"]).with(5).results();
    assert_eq!(ended["variants"][0]["reference"]["status"], "unsupported", "{ended}");
    assert_eq!(ended["variants"][0]["reference"]["problems"][0]["location"]["line"], 12, "{ended}");
    let ended = place.run(&["show", "video"]).with(0);
    assert!(ended.out.contains("not run by the reference\n"), "{}", ended.out);
    assert!(ended.out.contains("instruction `vadd4`") && ended.out.contains("03 00 00 00"), "{}", ended.out);
    let ended = place.run(&["trace", "video"]).with(2);
    assert!(
        ended.err.contains("`a/a/video` has no thread: unsupported: instruction `vadd4`"),
        "{}",
        ended.err
    );
}

/// The emulator with deviations answers for itself, and does not know the instruction either.
#[test]
fn targets_are_asked_what_the_reference_cannot_run() {
    let place = corpus(&[case("video", "vadd4.u32.u32.u32")], None);
    let ended =
        place.run(&["run", "--no-golden", "--json", "--against", "emulator", "video"]).with(5).results();
    let target = &ended["variants"][0]["targets"][0];
    assert_eq!(target["status"], "unsupported", "{ended}");
    assert!(target["why"].as_str().unwrap().contains("the emulator does not run this program"), "{ended}");
}

/// 1 + 2 = 3 in the lowest byte. The mock knows every instruction and changes nothing, so its output is 0.
#[test]
fn a_target_is_judged_by_what_a_case_states_of_what_the_reference_cannot_run() {
    let video = |title: &str, stated: &str| {
        case(title, "vadd4.u32.u32.u32").replace(", d: 3}", &format!("{stated}}}"))
    };
    let cases = [
        video("mock-unchanged wrong", ", d: 3"),
        video("mock-unchanged right", ", d: 0"),
        video("mock-unchanged silent", ""),
        case("good", "add.u32"),
    ];
    let place = corpus(&cases, None);
    let run = ["run", "--no-golden", "--against", "mock"];
    let ended = place.run(&[&run[..], &["--json"]].concat()).with(1).results();
    let of = |title: &str| {
        let all = ended["variants"].as_array().unwrap();
        let variant = all.iter().find(|variant| variant["id"].as_str().unwrap().contains(title)).unwrap();
        assert_eq!(variant["reference"]["status"], "unsupported", "{variant}");
        variant["targets"][0].clone()
    };
    let wrong = of("wrong");
    assert_eq!((&wrong["status"], &wrong["settled"]), (&"violates".into(), &"fail".into()), "{wrong}");
    let difference = &wrong["findings"][0]["differences"][0];
    assert_eq!(
        (&difference["column"], &difference["expected"]),
        (&"d".into(), &"03000000".into()),
        "{wrong}"
    );
    let right = of("right");
    assert_eq!(right["status"], "conforms");
    assert!(right["why"].as_str().unwrap().contains("that the case states alone"), "{right}");
    let silent = of("silent");
    assert_eq!((&silent["status"], &silent["settled"]), (&"indeterminate".into(), &"undecided".into()));
    assert!(silent["why"].as_str().unwrap().starts_with("nothing judged it: "), "{silent}");
    let out = place.run(&run).with(1).out;
    assert!(out.contains("violates: a/a/mock-unchanged wrong"), "{out}");
    assert!(out.contains("nothing judged it: the reference cannot run the program"), "{out}");
    // What nobody but the case judged is no clean pass of the run.
    let out = place.run(&[&run[..], &["right"]].concat()).with(5).out;
    assert!(out.contains("unsupported: instruction `vadd4`") && !out.contains("all conform"), "{out}");
}

#[test]
fn a_broken_case_stops_only_what_needs_it() {
    let place = corpus(&[case("good", "add.u32"), case("typo", "addd.u32")], None);
    let ended = place.run(&["list"]).with(0);
    assert_eq!(ended.out, "a/a/good\n");
    assert!(
        ended.err.contains("unknown opcode `addd`") && ended.err.contains("a.yaml:12:9"),
        "{}",
        ended.err
    );
    for needs_it in [&["run"][..], &["run", "typo"], &["run", "a/a"], &["show", "typo"], &["selfcheck"]] {
        let ended = place.run(needs_it).with(2);
        assert!(ended.err.contains("unknown opcode `addd`"), "{needs_it:?}: {}", ended.err);
    }
    let note = "other cases of the corpus cannot be read";
    for does_not in [&["run", "--no-golden", "good"][..], &["show", "good"]] {
        let ended = place.run(does_not).with(0);
        assert!(ended.err.contains(note) && !ended.err.contains("addd"), "{does_not:?}: {}", ended.err);
    }
}

#[test]
fn a_file_that_is_no_yaml_stops_only_what_may_be_in_it() {
    let place = corpus(&[case("good", "add.u32")], Some("- case: [\n"));
    assert!(place.run(&["list"]).with(0).err.contains("b.yaml:"));
    place.run(&["run", "--no-golden", "good"]).with(0);
    // What is not found may be in the file.
    assert!(place.run(&["run", "--no-golden", "no such case"]).with(2).err.contains("b.yaml:"));
    place.run(&["run", "--no-golden", "a/b"]).with(2);
}

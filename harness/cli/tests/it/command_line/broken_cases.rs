//! A corpus with cases that cannot be read, or that the reference cannot run, beside good ones.

use super::workplace::{Ended, Workplace};

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

/// A folder whose path is too long cannot be read by anyone, root included.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_read_is_an_error_beside_cases_that_are_listed() {
    let place = corpus(&[case("good", "add.u32")], None);
    // Seventeen names of 250 letters are longer than a path may be. Each is made from within the one before.
    let name = "f".repeat(250);
    let script = format!("for n in $(seq 17); do mkdir {name} && cd -P {name} || exit 1; done");
    let made =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(place.path("cases/a")).status();
    assert!(made.unwrap().success());
    let listed = place.run(&["list"]);
    assert_eq!(listed.out, "a/a/good\n", "{}", listed.err);
    let error = format!("error: cannot read `cases/a/{name}");
    assert!(listed.err.contains(&error) && listed.err.contains("File name too long"), "{}", listed.err);
    // A filter that does not need it runs, and a run of everything fails.
    place.run(&["run", "--no-golden", "good"]).with(0);
    let ended = place.run(&["run", "--no-golden"]).with(2);
    assert!(ended.err.contains(&error), "{}", ended.err);
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

/// A path as the working directory has it opens by a click, and an annotation with it attaches.
#[test]
fn places_are_paths_from_the_working_directory() {
    let wrong = case("one", "add.u32").replace("d: 3", "d: 4");
    let place = corpus(&[case("good", "add.u32")], None);
    for folder in ["tests/gpu/mine", "a/cases", "b/cases"] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
    }
    let write = |path: &str, text: &str| std::fs::write(place.path(path), text).unwrap();
    write("tests/gpu/mine/x.yaml", &wrong);
    let absolute = place.path("tests/gpu/mine").display().to_string();
    for named in ["tests/gpu/mine", "./tests/gpu/mine/", absolute.as_str()] {
        let arguments = ["run", "--no-golden", "--corpus", named];
        let ended = place.run(&arguments).with(2);
        assert!(ended.out.contains("--> tests/gpu/mine/x.yaml:7:"), "{named}: {}", ended.out);
        let mut command = place.command(&arguments);
        let ended = Ended::of(command.env("GITHUB_ACTIONS", "true").output().unwrap());
        assert!(ended.out.contains("::error file=tests/gpu/mine/x.yaml,line="), "{named}: {}", ended.out);
    }
    // A step may run below the root of the repository, and GitHub knows files from the root.
    let mut command = place.command(&["run", "--no-golden", "--corpus", "mine"]);
    command.current_dir(place.path("tests/gpu")).env("GITHUB_ACTIONS", "true");
    let ended = Ended::of(command.output().unwrap());
    assert!(ended.out.contains("::error file=mine/x.yaml,line="), "{}", ended.out);
    let ended = Ended::of(command.env("GITHUB_WORKSPACE", place.folder.path()).output().unwrap());
    assert!(ended.out.contains("::error file=tests/gpu/mine/x.yaml,line="), "{}", ended.out);
    // The same words about files of the same name in two corpora are two errors.
    write("a/cases/x.yaml", &wrong.replace("case: one", "case: A"));
    write("b/cases/x.yaml", &wrong.replace("case: one", "case: B"));
    let ended = place.run(&["run", "--no-golden", "--corpus", "a/cases", "--corpus", "b/cases"]).with(2);
    assert!(
        ended.out.contains("a/cases/x.yaml:7") && ended.out.contains("b/cases/x.yaml:7"),
        "{}",
        ended.out
    );
    // Goldens keep their place, whatever the working directory.
    write("a/cases/x.yaml", &case("A", "add.u32"));
    place.run(&["run", "--bless", "--corpus", "a/cases"]).with(0);
    assert!(place.path("a/golden/emulator/x.golden").exists());
    let mut command = place.command(&["run", "--corpus", "."]);
    let ended = Ended::of(command.current_dir(place.path("a/cases")).output().unwrap()).with(0);
    assert!(ended.out.contains("goldens: 1 as recorded"), "{}", ended.out);
}

#[test]
fn an_error_that_variants_share_names_them_all() {
    let text = case("e", "add.u32")
        .replace("  why:", "  matrix: {n: [1, 2, 3]}\n  registers: .reg .b32 %r${n};\n  why:")
        .replace("d: 3", "d: 4");
    let place = corpus(&[text], None);
    let ended = place.run(&["run", "--no-golden"]).with(2);
    assert_eq!(ended.out.matches("the reference contradicts").count(), 1, "{}", ended.out);
    assert!(ended.out.contains("in a/a/e[n=1] and 2 more variants\n"), "{}", ended.out);
}

/// The page names five, and counts the others.
#[test]
fn the_page_names_the_variants_that_share_an_error() {
    let shared = |title: &str, numbers: &str| {
        let keys = format!("  matrix: {{n: [{numbers}]}}\n  registers: .reg .b32 %r${{n}};\n  why:");
        case(title, "add.u32").replace("  why:", &keys).replace("d: 3", "d: 4")
    };
    let place = corpus(&[shared("seven", "1, 2, 3, 4, 5, 6, 7"), shared("two", "1, 2")], None);
    place.run(&["run", "--no-golden", "--html", "page.html"]).with(2);
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    let errors: Vec<&str> = page.split("<div class=\"problem\">").skip(1).collect();
    assert_eq!(errors.len(), 2);
    for n in 1..=7 {
        assert_eq!(errors[0].contains(&format!("a/a/seven[n={n}]</bdi>")), n <= 5, "{n}: {}", errors[0]);
    }
    assert!(errors[0].contains("<p>and 2 more variants</p>"), "{}", errors[0]);
    let named = |id: &str| errors[1].contains(&format!("<bdi class=\"id\">{id}</bdi>"));
    assert!(named("a/a/two[n=1]") && named("a/a/two[n=2]"), "{}", errors[1]);
    assert!(!errors[1].split("</section>").next().unwrap().contains("more variant"), "{}", errors[1]);
}

#[test]
fn ids_stay_on_one_line() {
    let matrix = "  matrix: {n: [\"// 1\\n\", \"// \\e[31m\\n\", \"// \\u202e3\\n\"]}\n  why:";
    let text = case("c", "${n}add.u32").replace("  why:", matrix);
    let place = corpus(&[text], None);
    let ended = place.run(&["list"]).with(0);
    let ids = "a/a/c[n=// 1\\n]\na/a/c[n=// \\u{1b}[31m\\n]\na/a/c[n=// \\u{202e}3\\n]\n";
    assert_eq!(ended.out, ids);
    place.run(&["run", "--bless"]).with(0);
    place.run(&["run"]).with(0);
}

#[test]
fn a_list_of_nothing_but_errors_fails() {
    let place = corpus(&["- case: [\n".to_owned()], None);
    let ended = place.run(&["list"]).with(2);
    assert!(ended.err.contains("a/a.yaml"), "{}", ended.err);
    let ended = place.run(&["list", "--corpus", "cases/a/a.yaml"]).with(2);
    assert!(ended.err.contains("this is a file, not the folder of a corpus"), "{}", ended.err);
    let place = corpus(&[case("good", "add.u32")], None);
    std::fs::rename(place.path("cases/requirements.yaml"), place.path("cases/requirements.yml")).unwrap();
    let ended = place.run(&["list", "--corpus", "cases"]).with(0);
    assert!(ended.err.contains("the list of requirements is called `requirements.yaml`"), "{}", ended.err);
}

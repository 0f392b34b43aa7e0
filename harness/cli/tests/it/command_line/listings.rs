//! Commands that describe the corpus, the machine and the catalogue: `show`, `list`, `selfcheck`, `deviations` and others.

use std::path::Path;

use snapbox::{assert_data_eq, str};

use super::workplace::Workplace;

#[test]
fn the_selfcheck_of_a_sound_judge_has_no_wrong_verdicts() {
    let ended = Workplace::new("cases").run(&["selfcheck"]).with(0);
    for kind in
        ["bits of buffers", "bits of bystanders", "bits of guard bands", "undefined bits", "fault classes"]
    {
        assert!(ended.out.contains(kind), "{kind} is missing:\n{}", ended.out);
    }
    assert!(ended.out.contains("no wrong verdicts"), "{}", ended.out);
}

#[test]
fn show_has_program_inputs_expectations_and_what_is_allowed() {
    let place = Workplace::new("cases");
    let ended = place.run(&["show", "suld clamps[cop=.ca]"]).with(0);
    for words in [
        "basic/suld/suld clamps[cop=.ca]\n",
        "cop = .ca",
        "suld.clamp  must (9.7.11.1): clamp loads data",
        "suld.b.2d.ca.b32.clamp %d, [image, {%x, %y}];",
        "row 1: x = 16, y = 2",
        "0b 00 00 00",
    ] {
        assert!(ended.out.contains(words), "{words} is missing:\n{}", ended.out);
    }
    let ended = place.run(&["show", "an unwritten register"]).with(0);
    assert!(ended.out.contains("f? 00 00 00"), "{}", ended.out);
    place.run(&["show", "no such case"]).with(2);
}

#[test]
fn colours_are_for_terminals_and_on_request() {
    let place = Workplace::new("cases");
    assert!(!place.run(&["run"]).with(0).out.contains('\u{1b}'));
    assert!(place.run(&["run", "--color", "always"]).with(0).out.contains('\u{1b}'));
}

#[test]
fn lists_coverage_schema_doctor_and_completions_answer() {
    let place = Workplace::new("cases");
    let ended = place.run(&["list", "suld"]).with(0);
    assert_eq!(ended.out.lines().count(), 3, "{}", ended.out);
    assert_eq!(place.run(&["list", "--json"]).with(0).json().as_array().unwrap().len(), 15);
    let ended = place.run(&["coverage"]).with(0);
    assert!(ended.out.contains("4 of 4 requirements are covered"), "{}", ended.out);
    for of in ["cases", "requirements", "profile", "results"] {
        assert!(place.run(&["schema", of]).with(0).json().is_object(), "{of}");
    }
    let ended = place.run(&["doctor"]).with(0);
    for what in ["emulator", "corpus", "processor", "driver", "libcuda", "ptxas"] {
        assert!(ended.out.contains(what), "{what} is missing:\n{}", ended.out);
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.run(&["completions", shell]).with(0).out.contains("selfcheck"), "{shell}");
    }
}

#[test]
fn the_catalogue_of_deviations_is_listed() {
    let place = Workplace::new("cases");
    let part =
        place.run(&["deviations", "spa.cas-compares-rc", "spa.cast-returns-old", "tex.layer-wraps"]).with(0);
    assert_data_eq!(
        part.out,
        str![[r#"
spa (2 deviations)

  spa.cas-compares-rc
    `ATOMS.CAS` and `.CAST` compare with Rc and store Rb.
    class         atomicity
    origin        a reading
    breaks        spa.atoms.cas.compares-rb
    shown by      ATOMS .CAS|.CAST

  spa.cast-returns-old
    `ATOMS.CAST` returns the value it found.
    class         atomicity
    origin        a reading
    breaks        spa.atoms.cast
    shown by      ATOMS .CAST

texture (1 deviation)

  tex.layer-wraps
    The layer of `tex` outside of the array wraps around: permitted, since no text says which layer
    it is.
    class         addressing
    origin        a reading
    permitted by  tex.array.outside
    shown by      tex; tld4; TEXTURE

"#]]
    );
    let all = place.run(&["deviations"]).with(0).out;
    for arguments in [&["run", "--against", "emulator+?"][..], &["fuzz", "--against=emulator:ptx+?"]] {
        assert_eq!(place.run(arguments).with(0).out, all);
    }
    let none = place.run(&["deviations", "spa.cass"]).with(2);
    assert_eq!(none.err, "error: no deviation matches `spa.cass`; `warpdiff deviations` lists them\n");
    let by_fact =
        place.run(&["deviations", "instruction:ATOMS", "requirement:tex.array.outside"]).with(0).out;
    assert!(by_fact.contains("spa.cast-returns-old") && by_fact.contains("tex.layer-wraps"));
    assert!(!by_fact.contains("tex.wrap-as-clamp"));
    let none = place.run(&["deviations", "family:surfaces"]).with(2);
    assert_eq!(none.err, "error: no deviation matches `family:surfaces`; `warpdiff deviations` lists them\n");
    let unknown = place.run(&["deviations", "opcode:suld"]).with(2);
    assert!(unknown.err.starts_with("error: `opcode:` in `opcode:suld` is unknown"), "{}", unknown.err);
}

/// The page says what each key is, and each has a value somewhere.
#[test]
fn the_catalogue_as_json_has_the_keys_of_its_page() {
    let listed = Workplace::new("cases").run(&["deviations", "--json"]).with(0).json();
    let entries = listed.as_array().unwrap();
    assert_eq!(entries.len(), warpdiff_model::Deviation::COUNT);
    let keys: std::collections::BTreeSet<_> =
        entries.iter().flat_map(|entry| entry.as_object().unwrap().keys().cloned()).collect();
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deviations.md"))
            .unwrap();
    let (_, table) = page.split_once("## The list as JSON").unwrap();
    let documented = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    assert_eq!(keys, documented.map(|(key, _)| key.to_owned()).collect());
    let of = |id: &str| entries.iter().find(|entry| entry["id"] == id).unwrap();
    assert_eq!(of("atom.inc-off-by-one")["dialects"], serde_json::json!(["ptx", "spa"]));
    assert_eq!(of("ptxas.odd-float")["runs"], false);
    assert_eq!(
        of("ptxas.wide-address")["origins"][0],
        serde_json::json!({"kind": "ptxas", "source": "ptxas 12.9"})
    );
}

//! Profiles of targets: what is known by them, what is new beside them, what no longer shows, and choices decided otherwise.

use super::workplace::{Ended, Workplace};

/// A profile with these entries.
fn profile(choices: &[(&str, &str)], deviations: &[&str]) -> String {
    const KNOWN: &str = "    evidence: {command: a test}\n    date: 2026-11-22\n";
    let choices =
        choices.iter().map(|(name, takes)| format!("  - choice: {name}\n    takes: {takes}\n{KNOWN}"));
    let deviations = deviations.iter().map(|name| format!("  - deviation: {name}\n{KNOWN}"));
    let (choices, deviations) = (choices.collect::<String>(), deviations.collect::<String>());
    format!("describes: a test\nchoices:\n{choices}deviations:\n{deviations}")
}

/// Judges a target by a profile.
fn against(place: &Workplace, target: &str, profile: &str, more: &[&str]) -> Ended {
    std::fs::write(place.path("known.yaml"), profile).unwrap();
    place.run(&[&["run", "--no-golden", "--profile", "known.yaml", "--against", target], more].concat())
}

/// A corpus with a row inside of the surface as well.
fn with_a_row_inside() -> Workplace {
    let place = Workplace::new("cases");
    place.edit("cases/basic/suld.yaml", "    - {x: 0, y: 0, d: 0}\n", "    - {x: 4, y: 1, d: 5}\n");
    place
}

const ZERO: &str = "emulator+suld.clamp-as-zero";

#[test]
fn a_deviation_of_the_profile_is_known() {
    let place = Workplace::new("cases");
    let known = profile(&[], &["suld.clamp-as-zero"]);
    let ended = against(&place, ZERO, &known, &["basic"]).with(0);
    assert!(ended.out.contains("clamp behaviour, reproduced by"), "{}", ended.out);
    assert!(ended.out.contains("(known)") && ended.out.contains("as profiled"), "{}", ended.out);
    assert!(ended.out.contains("2 depart as the profile says"), "{}", ended.out);
    assert!(!ended.out.contains("stale") && !ended.out.contains("violates:"), "{}", ended.out);
    // Results, JUnit and the page have the same word.
    let reports = ["--json", "--junit", "junit.xml", "--html", "page.html"];
    let report = against(&place, ZERO, &known, &[&["basic"], &reports[..]].concat()).with(0).results();
    let targets = report["variants"].as_array().unwrap().iter().map(|variant| &variant["targets"][0]);
    let violating: Vec<_> = targets.filter(|target| target["status"] == "violates").collect();
    assert_eq!(violating.len(), 2);
    for target in violating {
        assert_eq!(target["settled"], "as-profiled");
        assert_eq!(target["expectations"][0], "known.yaml:4:5: known: suld.clamp-as-zero");
    }
    assert_eq!(report["summary"]["targets"][0]["causes"][0]["expected"], 2);
    let junit = std::fs::read_to_string(place.path("junit.xml")).unwrap();
    let skipped = "as the profile says: known.yaml:4:5: known: suld.clamp-as-zero";
    assert_eq!(junit.matches(skipped).count(), 2, "{junit}");
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains("as profiled") && page.contains("as the profile says"));
    // So it is on a target of another name with the same behaviour, and beside other targets.
    against(&place, "emulator+surface.mode-ignored", &known, &["suld clamps"]).with(0);
}

#[test]
fn what_the_profile_does_not_have_is_new() {
    let place = with_a_row_inside();
    let ended = against(&place, ZERO, &profile(&[], &["sust.clamp-as-zero"]), &["basic"]).with(1);
    assert!(ended.out.contains("2 violate") && !ended.out.contains("(known)"), "{}", ended.out);
    // That deviation cannot show in loads: nothing says that it is gone.
    assert!(!ended.out.contains("stale"), "{}", ended.out);
    // Beside what is known, another bug is new.
    let both = "emulator+suld.clamp-as-zero,surface.x-as-texel";
    against(&place, both, &profile(&[], &["suld.clamp-as-zero"]), &["basic"]).with(1);
    against(&place, both, &profile(&[], &["surface.x-as-texel", "suld.clamp-as-zero"]), &["basic"]).with(0);
    // A crash shows no semantics, so no deviation excuses it.
    against(&place, "mock", &profile(&[], &["suld.clamp-as-zero"]), &["mock-crash"]).with(1);
}

#[test]
fn what_no_longer_shows_is_stale() {
    let place = with_a_row_inside();
    let known = profile(&[], &["suld.clamp-as-zero"]);
    let ended = against(&place, "emulator", &known, &["basic"]).with(6);
    let words = "stale in the profile: known.yaml:4:5: known: suld.clamp-as-zero; emulator shows suld.clamp-as-zero in none of the 2 variants that would show it, such as basic/suld/suld clamps[cop=]";
    assert!(ended.out.contains(words) && ended.out.contains("4 conform"), "{}", ended.out);
    // One of two.
    let two = profile(&[], &["suld.clamp-as-zero", "surface.x-as-texel"]);
    let ended = against(&place, ZERO, &two, &["basic"]).with(6);
    assert!(
        ended.out.contains("stale in the profile: known.yaml:7:5: known: surface.x-as-texel"),
        "{}",
        ended.out
    );
    assert!(!ended.out.contains("known: suld.clamp-as-zero;"), "{}", ended.out);
    let report = against(&place, ZERO, &two, &["basic", "--json"]).with(6).results();
    assert_eq!(report["summary"]["expectations"][0]["kind"], "stale in the profile");
    // Where nothing could show it nothing is said of it.
    against(&place, "emulator", &known, &["add wraps"]).with(0);
}

#[test]
fn a_choice_decided_otherwise_is_new() {
    let place = Workplace::new("cases");
    std::fs::write(
        place.path("cases/basic/misaligned.yaml"),
        "- case: a misaligned load\n\
         \x20 covers: [suld.clamp]\n\
         \x20 surfaces:\n\
         \x20   image: {geometry: 1d, extent: [8, 1, 1], format: u8, texels: sequence}\n\
         \x20 inputs: {x: s32}\n\
         \x20 outputs: {d: b32}\n\
         \x20 body: suld.b.1d.b32.zero %d, [image, {%x}];\n\
         \x20 rows:\n\
         \x20   - {x: 2}\n",
    )
    .unwrap();
    let run = |takes: &str, more: &[&str]| {
        against(
            &place,
            "emulator",
            &profile(&[("surface.misaligned", takes)], &[]),
            &[&["misaligned"], more].concat(),
        )
    };
    // The emulator masks the address.
    run("masked", &[]).with(0);
    run("[fault, masked]", &[]).with(0);
    let ended = run("fault", &[]).with(3);
    let words = "other choice than in the profile: known.yaml:3:5: surface.misaligned: fault; emulator decided it as masked in basic/misaligned/a misaligned load";
    assert!(ended.out.contains(words), "{}", ended.out);
    assert!(ended.out.contains("1 decide a choice otherwise than the profile says"), "{}", ended.out);
    let report = run("fault", &["--json", "--junit", "junit.xml"]).with(3).results();
    assert_eq!(report["variants"][0]["targets"][0]["settled"], "other-choice");
    assert_eq!(report["variants"][0]["targets"][0]["status"], "conforms");
    let junit = std::fs::read_to_string(place.path("junit.xml")).unwrap();
    assert!(junit.contains("type=\"choice\""), "{junit}");
}

#[test]
fn a_profile_that_characterize_wrote_knows_its_target() {
    let place = Workplace::new("cases");
    place.run(&["characterize", "basic", "--against", ZERO, "--profile", "seen.yaml"]);
    let seen = std::fs::read_to_string(place.path("seen.yaml")).unwrap();
    assert!(seen.contains("suld.clamp-as-zero") || seen.contains("surface.mode-ignored"), "{seen}");
    let run = |target: &str| {
        place.run(&["run", "--no-golden", "basic", "--against", target, "--profile", "./seen.yaml"])
    };
    let ended = run(ZERO).with(0);
    assert!(ended.out.contains("2 depart as the profile says"), "{}", ended.out);
    // It is for that target alone.
    let ended = run("emulator").with(2);
    assert!(ended.err.contains("this profile is for other targets than those of this run"), "{}", ended.err);
}

#[test]
fn names_files_and_mistakes() {
    let place = Workplace::new("cases");
    let run =
        |name: &str| place.run(&["run", "--no-golden", "basic", "--against", "emulator", "--profile", name]);
    let ended = run("ptxas-12").with(2);
    assert!(
        ended.err.contains("there is no profile `ptxas-12`; did you mean `ptxas-12.9`?"),
        "{}",
        ended.err
    );
    let ended = run("ptxas-12.9").with(2);
    assert!(ended.err.contains("is for other targets than those of this run: `compiled*`"), "{}", ended.err);
    let ended = run("absent.yaml").with(2);
    assert!(ended.err.contains("cannot read absent.yaml"), "{}", ended.err);
    let ended = against(&place, "emulator", &profile(&[], &["suld.clamp-as-zera"]), &[]).with(2);
    for words in [
        "the profile has an error",
        "known.yaml:4:16",
        "^^^^^^^^^^^^^^^^^^",
        "did you mean `suld.clamp-as-zero`?",
    ] {
        assert!(ended.err.contains(words), "{words}\n{}", ended.err);
    }
    let ended = place.run(&["run", "--no-golden", "basic", "--profile", "kepler-compiled"]).with(2);
    assert!(ended.err.contains("this run has none"), "{}", ended.err);
    assert!(place.run(&["schema", "profile"]).with(0).json()["properties"]["deviations"].is_object());
}

/// Kepler as the emulator imitates it does what the profile says, beside the place to which `.clamp` moves, which deviations do not set.
#[test]
fn kepler_is_known_by_its_profile() {
    let place = Workplace::new("cases");
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases");
    let run = |target: &str| {
        let filter = ["suld/bounds-a2d/*[*cop=,*", "sured/p-operations/*max*", "suld/straddle/*"];
        let options = ["--corpus", cases, "--no-golden", "--against", target, "--profile", "kepler-compiled"];
        place.run(&[&["run"], &filter[..], &options].concat())
    };
    let kepler = "emulator+kepler.a2d-unsigned,kepler.straddle-in-bounds,sured.p-sign-from-opcode";
    let ended = run(&format!("{kepler},kepler.misaligned-out-of-bounds")).with(0);
    assert!(
        ended.out.contains("depart as the profile says") && !ended.out.contains("stale"),
        "{}",
        ended.out
    );
    // An implementation of the bare specification is not Kepler.
    let ended = run("emulator").with(3);
    assert!(
        ended.out.contains("surface.clamp-place: last-aligned and last-texel; emulator decided it otherwise")
    );
    for name in ["kepler.a2d-unsigned", "kepler.straddle-in-bounds", "sured.p-sign-from-opcode"] {
        assert!(
            ended.out.contains(&format!("known: {name}; emulator shows {name} in none")),
            "{}",
            ended.out
        );
    }
}

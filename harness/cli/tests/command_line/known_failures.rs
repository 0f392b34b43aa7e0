//! Lists of known failures.

use crate::workplace::Workplace;

#[test]
fn a_known_failure_is_excused_until_it_is_gone() {
    let place = Workplace::new("cases");
    std::fs::write(place.path("known.txt"), "# mock\nmock | hung | hang | none | mock/*mock-hang\n").unwrap();
    let known = ["--against", "mock", "--known", "known.txt"];
    place.run(&[&["run", "mock-hang"], &known[..]].concat()).with(0);
    place.run(&[&["run", "mock-crash"], &known[..]].concat()).with(1);
    std::fs::write(place.path("known.txt"), "mock | hung | hang | none | *add wraps\n").unwrap();
    place.run(&[&["run", "add wraps"], &known[..]].concat()).with(6);
    std::fs::write(place.path("known.txt"), "mock | crashed | crash | none | *mock-hang\n").unwrap();
    place.run(&[&["run", "mock-hang"], &known[..]].concat()).with(1);
}

#[test]
fn a_known_failure_excuses_its_target_and_its_cause_alone() {
    let place = Workplace::new("cases");
    let known = |text: &str| std::fs::write(place.path("known.txt"), text).unwrap();
    let run = |target: &str| place.run(&["run", "suld clamps", "--against", target, "--known", "known.txt"]);
    let zero = "emulator+suld.clamp-as-zero";
    let entry = format!("{zero} | violates | clamp behaviour | suld.clamp-as-zero | *suld clamps*\n");
    known(&entry);
    run(zero).with(0);
    // Another target does the same: nobody said that of it.
    known(&entry.replacen(zero, "emulator", 1));
    run(zero).with(1);
    known(&entry.replacen(zero, "emulator*", 1));
    run(zero).with(0);
    // Another cause at the same place is another failure, and the message says so.
    known(&entry.replacen("| suld.clamp-as-zero |", "| none |", 1));
    let ended = run(zero).with(1);
    let words = "known here is a different failure: known.txt:1:1: violates, clamp behaviour, reproduced by no known deviation";
    assert!(
        ended.out.contains(words) && ended.out.contains("reproduced exactly by suld.clamp-as-zero"),
        "{}",
        ended.out
    );
    known(&entry.replacen("| suld.clamp-as-zero |", "| sust.clamp-as-zero |", 1));
    run(zero).with(1);
    // Reports say both.
    let report = place
        .run(&["run", "suld clamps", "--json", "--against", zero, "--known", "known.txt"])
        .with(1)
        .results();
    let mut targets = report["variants"].as_array().unwrap().iter().map(|v| &v["targets"][0]);
    let target = targets.find(|target| target["status"] == "violates").unwrap();
    assert_eq!(target["settled"], "other-failure");
    assert!(target["known"][0].as_str().unwrap().contains("sust.clamp-as-zero"), "{target}");
    // An entry beside one that fits has nothing to excuse: it is out of date.
    known(&format!("{entry}{zero} | violates | value | none | *suld clamps*\n"));
    let ended = run(zero).with(6);
    assert!(ended.out.contains("known failure gone: known.txt:2:1: violates, value"), "{}", ended.out);
    // A target that did not run the variant says nothing of whether the failure is gone.
    known("mock | violates | value | none | *mock-unsupported\n");
    let ended = place.run(&["run", "mock-unsupported", "--against", "mock", "--known", "known.txt"]).with(5);
    assert!(!ended.out.contains("known failure gone"), "{}", ended.out);
}

#[test]
fn a_list_of_known_failures_that_is_none_is_refused_with_the_place() {
    let place = Workplace::new("cases");
    std::fs::write(place.path("known.txt"), "# old\nviolates *mock-flip\n").unwrap();
    let ended = place.run(&["run", "--against", "mock", "--known", "known.txt"]).with(2);
    assert!(
        ended.err.contains("known.txt:2:1") && ended.err.contains("an entry in the old format"),
        "{}",
        ended.err
    );
    assert!(
        ended.err.contains("expected `TARGET | STATUS | CLASS | DEVIATIONS | VARIANTS`"),
        "{}",
        ended.err
    );
}

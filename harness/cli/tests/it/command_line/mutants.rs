//! `mutate`: which case notices each deviation, and whether by what it states or by the reference's own computation alone.

use super::workplace::Workplace;

const KILLED: &str = "bfe.signed-zero-extended";
const COMPUTED: &str = "shift.amount-masked";
const SURVIVES: &str = "min-max.signalling-nan";
/// With `.trap` in place of `.clamp` the launch faults, in its second row.
const FAULTS: &str = "surface.clamp-trap-swapped";
const UNSIGNED: &str = "shr.unsigned";
/// Its loop ends only with that deviation.
const ENDLESS: &str = "fates/endless/a loop that ends only where a shift loses the sign";

#[test]
fn each_fate_is_found_with_its_first_row() {
    let place = Workplace::new("mutants");
    let ended = place.run(&["mutate", "--json", KILLED, COMPUTED, SURVIVES, FAULTS]).with(1);
    let document = ended.json();
    assert_eq!(document["format"], 1);
    assert_eq!(document["variants"], 6);
    let counts = serde_json::json!({"killed-by-hand": 2, "killed-by-reference": 1, "survived": 1});
    assert_eq!(document["counts"], counts);
    let of = |id: &str| {
        let all = document["deviations"].as_array().unwrap();
        all.iter().find(|mutant| mutant["id"] == id).unwrap().clone()
    };
    let killed = of(KILLED);
    assert_eq!(killed["fate"], "killed-by-hand");
    assert_eq!(
        killed["variant"], "fates/arithmetic/fields with a sign",
        "a case of what it breaks comes first"
    );
    assert_eq!((&killed["row"], &killed["asked"]), (&1.into(), &1.into()));
    assert_eq!(killed["location"], "cases/fates/arithmetic.yaml:37:7");
    assert_eq!(killed["what"], "buffer `out`, byte 4: 08 00 00 00 in place of f8 ff ff ff");
    let computed = of(COMPUTED);
    assert_eq!((&computed["fate"], &computed["row"]), (&"killed-by-reference".into(), &1.into()));
    let survivor = of(SURVIVES);
    assert_eq!((&survivor["fate"], &survivor["asked"]), (&"survived".into(), &1.into()));
    assert!(survivor.get("variant").is_none() && survivor.get("what").is_none());
    let faulting = of(FAULTS);
    assert_eq!((&faulting["fate"], &faulting["row"]), (&"killed-by-hand".into(), &1.into()), "{faulting}");
}

#[test]
fn the_exit_code_says_whether_a_case_states_something_against_each() {
    let place = Workplace::new("mutants");
    let run = |deviation: &str| place.run(&["mutate", deviation]);
    assert!(
        run(KILLED).with(0).out.contains("the cases state what every one gets wrong (1 deviation against 6")
    );
    let computed = run(COMPUTED).with(1).out;
    assert!(computed.contains("only the reference's own computation notices it"), "{computed}");
    let survivor = run(SURVIVES).with(1).out;
    assert!(survivor.contains("1 variant could show it"), "{survivor}");
    // No case has a texture; and what is permitted may go unnoticed.
    assert!(run("tex.wrap-as-clamp").with(1).out.contains("0 variants could show it"));
    assert!(run("tex.layer-wraps").with(0).out.contains("permitted"));
    assert_eq!(
        run("tex.nothing").with(2).err,
        "error: no deviation matches `tex.nothing`; `warpdiff deviations` lists them\n"
    );
    place.run(&["mutate", "--variants", "nowhere", KILLED]).with(2);
    // Without the case of the requirement another one notices it.
    let other = place.run(&["mutate", "--variants", "negative field", KILLED]).with(0).out;
    assert!(other.contains("cases/fates/arithmetic.yaml:27:7"), "{other}");
}

#[test]
fn variants_that_cannot_be_judged_with_a_deviation_are_counted_with_the_reason() {
    let place = Workplace::new("mutants");
    let ended = place.run(&["mutate", "--json", UNSIGNED, KILLED, "--html", "page.html"]).with(1);
    let document = ended.json();
    let of = |id: &str| {
        let all = document["deviations"].as_array().unwrap();
        all.iter().find(|mutant| mutant["id"] == id).unwrap().clone()
    };
    let unsigned = of(UNSIGNED);
    assert_eq!((&unsigned["fate"], &unsigned["asked"]), (&"survived".into(), &1.into()));
    let passed = serde_json::json!([{
        "reason": "undecided",
        "variants": 1,
        "first": ENDLESS,
        "what": "the reference ran out of steps, the target came back",
    }]);
    assert_eq!(unsigned["passed_over"], passed);
    // The loop has no such instruction.
    assert!(of(KILLED).get("passed_over").is_none());
    let said = format!("({ENDLESS}: the reference ran out of steps, the target came back)");
    let table = place.run(&["mutate", UNSIGNED, KILLED]).with(1).out;
    assert!(table.contains("1 variant passed over: ") && table.contains(&said), "{table}");
    assert!(table.contains("    1 passed over, of 1 deviation ("), "{table}");
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains("1 passed over: ") && page.contains(&said), "{page}");
}

#[test]
fn the_page_has_what_the_corpus_lacks_first() {
    let place = Workplace::new("mutants");
    place.run(&["mutate", "--html", "there/page.html", "family:arithmetic"]).with(1);
    let page = std::fs::read_to_string(place.path("there/page.html")).unwrap();
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text} in {page}"));
    assert!(at("What the corpus lacks") < at(SURVIVES) && at(SURVIVES) < at(KILLED));
    assert!(page.contains("<code>bfe.s32</code> zero-extends the field."), "code of sentences is code");
    assert!(page.contains("cases/fates/arithmetic.yaml:37:7, row 1"), "{page}");
}

//! The bugs of others: each deviation that a real project had is named, with the project and the thread, in the `why` of a case that states what it
//! gets wrong.

use std::collections::{BTreeMap, BTreeSet};

use warpdiff_corpus::plan::Variant;
use warpdiff_model::{Deviation, Entry, Origin};
use warpdiff_session::mutants;

use crate::cases::corpus;

/// How a `why` begins to name them. Behind it stand threads, each with the deviations that it reports in brackets.
const WORDS: [&str; 2] =
    ["A bug of others that this case catches: ", "Bugs of others that this case catches: "];

/// The projects and threads of an origin, without what it tells of them behind a colon.
fn threads(source: &str) -> Vec<&str> {
    source.split("; ").map(|part| part.split(": ").next().unwrap_or(part)).collect()
}

/// The projects and threads where an entry comes from.
fn projects(entry: &Entry) -> Vec<&'static str> {
    let of =
        |origin: &Origin| if let Origin::Project(source) = origin { threads(source) } else { Vec::new() };
    entry.origins.iter().flat_map(of).collect()
}

/// What a `why` says of bugs, on one line; empty if it says nothing.
fn bugs(variant: &Variant) -> String {
    let why = variant.why.as_deref().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ");
    WORDS.iter().find_map(|words| why.split_once(words)).map_or_else(String::new, |(_, bugs)| bugs.to_owned())
}

/// The ids between backticks.
fn ids(bugs: &str) -> impl Iterator<Item = &str> {
    bugs.split('`').skip(1).step_by(2)
}

/// Whether the emulator can have the bug of an entry, and the specification forbids it.
fn is_caught(entry: &Entry) -> bool {
    entry.runs && entry.permitted_by.is_none() && !projects(entry).is_empty()
}

#[test]
fn threads_are_parts_of_an_origin() {
    assert_eq!(threads("a/b #1; c commit 12ab: it forgets"), ["a/b #1", "c commit 12ab"]);
    assert_eq!(ids("a/b #1 (`x.y`, `z`); c (`w`).").collect::<Vec<_>>(), ["x.y", "z", "w"]);
}

/// A case with several variants names what one of them catches at least.
#[test]
fn every_bug_of_a_project_is_named_by_a_case_that_states_what_it_gets_wrong() {
    let mut naming: BTreeMap<&str, Vec<(&Variant, String)>> = BTreeMap::new();
    let mut wrong = BTreeSet::new();
    for variant in &corpus().variants {
        let bugs = bugs(variant);
        for id in ids(&bugs) {
            match Deviation::from_name(id).filter(|deviation| is_caught(deviation.entry())) {
                Some(found) => naming.entry(found.name()).or_default().push((variant, bugs.clone())),
                None => {
                    _ = wrong.insert(format!("{}: `{id}` is no bug of a project to catch", variant.location));
                }
            }
        }
    }
    for entry in Deviation::catalogue().iter().filter(|entry| is_caught(entry)) {
        let Some(variants) = naming.get(entry.name) else {
            wrong.insert(format!("{}: no case names {:?}", entry.name, projects(entry)));
            continue;
        };
        for thread in projects(entry) {
            if !variants.iter().any(|(_, bugs)| bugs.contains(thread)) {
                wrong.insert(format!("{}: no case names {thread}", entry.name));
            }
        }
        let mut cases: BTreeMap<String, Vec<&Variant>> = BTreeMap::new();
        for (variant, _) in variants {
            cases.entry(variant.location.to_string()).or_default().push(variant);
        }
        for (place, variants) in cases {
            let mutants = mutants::run(&variants, &[entry], &|| ());
            if mutants.first().is_none_or(|mutant| mutant.stated.is_none()) {
                wrong.insert(format!("{place} names {}, but does not state what it gets wrong", entry.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

//! Requirement, case and deviation: each requirement that can be observed has a case that states something by hand; what a target must do has a
//! deviation that does not do it, or stands on a list with the reason; and each case covers a requirement. That each deviation breaks a requirement,
//! and that a case of the requirement states what it gets wrong, is tested in `deviations`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use warpdiff_book::mark;
use warpdiff_corpus::RequirementKind;
use warpdiff_model::Deviation;

use crate::cases::corpus;

/// Why a requirement has no deviation. What they mean stands in the list itself.
const REASONS: [&str; 8] =
    ["identity", "form", "operation", "bound", "reference", "machine", "declaration", "open"];

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/without_deviation.txt")
}

/// The requirements of the list with their reasons.
fn listed(text: &str) -> BTreeMap<String, String> {
    let mut listed = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [reason, id] = &*words else { panic!("line {number}: a reason and an id were expected: {line}") };
        assert!(REASONS.contains(reason), "line {number}: `{reason}` is none of {REASONS:?}");
        let before = listed.insert((*id).to_owned(), (*reason).to_owned());
        assert!(before.is_none(), "line {number}: `{id}` is here twice");
    }
    listed
}

/// Requirements of the kind `must` that nothing measures, as the book marks them.
fn unbroken() -> BTreeSet<&'static str> {
    let broken: BTreeSet<&str> =
        Deviation::catalogue().iter().flat_map(|entry| entry.breaks).copied().collect();
    let must = corpus().requirements.iter().filter(|requirement| requirement.kind == RequirementKind::Must);
    let is_marked = |id: &&str| !mark::is_measured(RequirementKind::Must, broken.contains(id), false);
    must.map(|requirement| requirement.id.as_str()).filter(is_marked).collect()
}

#[test]
fn what_no_deviation_breaks_is_listed_with_a_reason_and_nothing_else_is() {
    let text = std::fs::read_to_string(path()).unwrap();
    let (listed, unbroken) = (listed(&text), unbroken());
    let is_stale = |id: &str| !unbroken.contains(id);
    let stale: Vec<&str> = listed.keys().map(String::as_str).filter(|id| is_stale(id)).collect();
    if std::env::var_os("WARPDIFF_BLESS").is_some() && !stale.is_empty() {
        let is_kept = |line: &&str| {
            line.starts_with('#') || line.split_whitespace().nth(1).is_none_or(|id| !is_stale(id))
        };
        let kept: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
        std::fs::write(path(), kept).unwrap();
        return;
    }
    assert!(
        stale.is_empty(),
        "a deviation breaks these, or they are no requirements of the kind `must`: take them out of \
         {} (WARPDIFF_BLESS=1 cargo test -p warpdiff --test it triangle::)\n{}",
        path().display(),
        stale.join("\n")
    );
    let missing: Vec<&str> = unbroken.into_iter().filter(|id| !listed.contains_key(*id)).collect();
    assert!(
        missing.is_empty(),
        "no deviation breaks these: add one, or a line with the reason to {}\n{}",
        path().display(),
        missing.join("\n")
    );
}

#[test]
fn every_requirement_that_can_be_observed_has_a_case_that_states_something() {
    let corpus = corpus();
    let stating: BTreeSet<&str> = corpus
        .variants
        .iter()
        .filter(|variant| mark::states(variant))
        .flat_map(|variant| variant.covers.iter().map(|id| &**id))
        .collect();
    let observable = corpus.requirements.iter().filter(|requirement| requirement.kind.needs_case());
    let lacking: Vec<&str> =
        observable.map(|requirement| requirement.id.as_str()).filter(|id| !stating.contains(id)).collect();
    assert_eq!(lacking, Vec::<&str>::new());
}

/// Cases that cover no requirement, by how their ids begin: experiments ask what the specification leaves open, and the others are of instructions
/// of SPA 5.0 that no page of the specification describes.
const WITHOUT_REQUIREMENT: [&str; 6] = [
    "experiments/",
    "spa/arithmetic/",
    "spa/global/rows that meet",
    "spa/programs/the sizes of the launch",
    "spa/surfaces/",
    "spa/textures/a texture of one dimension",
];

#[test]
fn every_case_covers_a_requirement_but_those_that_none_is_about() {
    let idle: BTreeSet<&str> = corpus()
        .variants
        .iter()
        .filter(|variant| variant.covers.is_empty())
        .map(|variant| &*variant.id)
        .collect();
    let is_known = |id: &&&str| WITHOUT_REQUIREMENT.iter().any(|begin| id.starts_with(begin));
    let unknown: Vec<_> = idle.iter().filter(|id| !is_known(id)).collect();
    assert!(unknown.is_empty(), "these cover no requirement: {unknown:#?}");
    for begin in WITHOUT_REQUIREMENT {
        assert!(
            idle.iter().any(|id| id.starts_with(begin)),
            "no such case is without a requirement: {begin}"
        );
    }
}

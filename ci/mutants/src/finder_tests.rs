//! Where mutants stand, and where only deviations or traces are.

use super::find;

/// The changes of a function with these statements.
fn changes(body: &str) -> Vec<String> {
    let source = format!("fn f(s: &Semantics) -> &u32 {{ {body} }}");
    let found = find("f.rs", &source, 1).unwrap();
    found.mutants.into_iter().map(|mutant| mutant.change).collect()
}

#[test]
fn what_stands_behind_the_arm_of_the_specification_is_left_alone() {
    let body =
        "match () { () if s.is_specification() => a + b, () if s.has(Deviation::D) && a < 2 => 3, () => 4 }";
    assert_eq!(changes(body), ["`a + b` → `(a) - (b)`"]);
    let body =
        "match a { 0 => g(), _ if s.is_specification() => h(), 1 if s.has(Deviation::D) => 3, _ => 4 }";
    assert_eq!(
        changes(body),
        ["`0` and `_` exchanged", "`0`: arm left out"],
        "the arms before it are rules of the specification"
    );
}

#[test]
fn an_arm_of_the_specification_that_does_not_take_all_has_others_behind_it() {
    let body = "match a { 1 if s.is_specification() => b, 2 => c + d, _ => e }";
    let all = changes(body);
    assert!(all.contains(&"`c + d` → `(c) - (d)`".to_owned()), "{all:?}");
    assert!(!all.iter().any(|change| change.contains("guard")), "{all:?}");
}

#[test]
fn behind_a_return_without_a_deviation_is_that_deviation() {
    let body = "if !s.normalized || !s.has(Deviation::D) { return a; } b + c";
    let change = "`!s.normalized || !s.has(Deviation::D)` → `!(!s.normalized || !s.has(Deviation::D))`";
    assert_eq!(changes(body), [change]);
    let body = "if !s.has(Deviation::D) { a + b } else { c + d }";
    assert_eq!(
        changes(body),
        ["`!s.has(Deviation::D)` → `!(!s.has(Deviation::D))`", "`a + b` → `(a) - (b)`"]
    );
    let body = "if s.has(Deviation::D) { return a + b; } c + d";
    let change = "`s.has(Deviation::D)` → `!(s.has(Deviation::D))`";
    assert_eq!(changes(body), [change, "`c + d` → `(c) - (d)`"]);
}

#[test]
fn what_a_traced_run_alone_does_is_left_alone() {
    assert_eq!(changes("if let (true, Some(it)) = (T::TRACED, x) { it.see(a + b); } c"), [""; 0]);
    assert_eq!(changes("if T::TRACED && let Some(it) = x { it.see(a + b); } c"), [""; 0]);
    assert_eq!(changes("if let (true, Some(it)) = (is_there, x) { it.see(); } c"), ["`it.see();` left out"]);
}

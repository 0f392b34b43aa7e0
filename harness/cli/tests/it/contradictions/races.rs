//! Values that threads race for: the author is told which instructions race.

use warpdiff_judge::verdict_table::Raw;

use super::{judged, reference};

/// Both threads count themselves in one word, each by a load and a store of its own: the accesses of one are not ordered with those of the
/// other, so that the word is undefined afterwards. The author is told which instructions race, once.
#[test]
fn a_race() {
    let case = "
  buffers: {m: {type: u32, count: 2}}
  inputs: {a: u32}
  registers: |
    .reg .u32 %v;
    .reg .u64 %at;
  body: |
    ld.global.u32 %v, [%m];
    add.u32 %v, %v, %a;
    st.global.u32 [%m], %v;
    mad.wide.u32 %at, %a, 4, %m;
    st.global.u32 [%at], %v;
  launch: together
  rows: [{a: 1}, {a: 1}]
  expect: {memory: {m: ${expected}}}
";
    let (raw, words) = judged(&case.replace("${expected}", "[undefined, undefined]"));
    assert_eq!(raw, Raw::Conforms, "{words}");
    let reference = reference(&case.replace("${expected}", "[2, 1]"));
    assert_eq!(reference.raw, Raw::Contradicted);
    let problems: Vec<String> = reference.problems.iter().map(|problem| problem.render(false)).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    let words = &problems[0];
    assert!(words.contains("the reference leaves bits undefined there"), "{words}");
    // The kernel around the body has the load in one line and the store two lines below.
    let line = |text: &str| -> usize {
        let number = text.rsplit_once("(program line ").unwrap().1;
        number.split(')').next().unwrap().parse().unwrap()
    };
    let race = "a race: nothing orders a read and a write of the same bytes, ";
    let (_, race) = words.split_once(race).unwrap_or_else(|| panic!("{words}"));
    let (first, second) = race.lines().next().unwrap().split_once(" and ").unwrap();
    assert!(first.starts_with("`ld.global.u32 %v, [%m];` of thread "), "{words}");
    assert!(second.starts_with("`st.global.u32 [%m], %v;` of thread "), "{words}");
    assert_eq!(line(first) + 2, line(second), "{words}");
    let thread = |text: &str| text.split("thread ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert_ne!(thread(first), thread(second), "{words}");
    assert!(
        words.contains("more pairs of instructions race"),
        "the stores race with each other, too: {words}"
    );
    assert!(!problems[1].contains("a race"), "it is said once: {}", problems[1]);
    // What is undefined for another reason has no such note.
    let (_, words) = judged(
        "
  inputs: {a: b32}
  outputs: {d: b32}
  registers: .reg .b32 %never;
  body: or.b32 %d, %never, %a;
  launch: together
  rows: [{a: 1, d: 1}, {a: 2, d: 2}]
",
    );
    assert!(words.contains("leaves bits undefined") && !words.contains("a race"), "{words}");
}

/// A branch on a word that two threads write: nothing decides which way it goes.
#[test]
fn a_branch_on_what_threads_race_for() {
    let (raw, words) = judged(
        "
  buffers: {m: {type: u32, count: 1}}
  inputs: {a: u32}
  outputs: {d: u32}
  registers: |
    .reg .u32 %v;
    .reg .pred %p;
  body: |
    st.global.u32 [%m], %a;
    ld.global.u32 %v, [%m];
    setp.eq.u32 %p, %v, 1;
    mov.u32 %d, 0;
    @%p bra DONE;
    mov.u32 %d, 1;
    DONE:
  launch: together
  rows: [{a: 0, d: 1}, {a: 1, d: 0}]
",
    );
    assert_eq!(raw, Raw::Indeterminate, "{words}");
    assert!(words.contains("the guard of `@%p bra DONE;`"), "{words}");
    let race = "a race: nothing orders two writes of the same bytes, `st.global.u32 [%m], %a;` of thread ";
    assert!(words.contains(race), "{words}");
}

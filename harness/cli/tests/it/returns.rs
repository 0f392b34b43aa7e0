//! `returns: permutation`: values that threads share out among them in any order, in the reference and in targets.

use std::path::Path;
use std::process::Command;

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Admission, Observation, Region, RegionKind, Semantics, State};
use warpdiff_session::prepared_variant::verdict;
use warpdiff_session::session;
use warpdiff_targets::{EmulatorTarget, Question, Target};

/// The variants of a case with these lines after its title.
fn variants(lines: &str) -> Vec<Variant> {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("- case: c\n{lines}");
    warpdiff_corpus::load_text_as(Path::new("cases/a/b.yaml"), text, folder.path())
        .unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

/// Four threads draw numbers from a counter that begins at `first`.
fn drawn(first: u32, instruction: &str) -> String {
    format!(
        "  why: w
  buffers: {{m: {{type: u32, values: [{first}]}}}}
  inputs: {{v: u32}}
  outputs: {{other: u64, d: u32}}
  body: |
    mov.u64 %other, 7;
    {instruction}
  launch: together
  rows: [{{v: 1}}, {{v: 1}}, {{v: 1}}, {{v: 1}}]
  expect: {{returns: {{d: permutation}}}}
"
    )
}

/// The status of the reference, and its first problem.
fn reference(lines: &str) -> (Raw, String) {
    let reference = verdict(&variants(lines)[0], &[]).reference;
    let words = reference.problems.first().map(|problem| problem.render(false)).unwrap_or_default();
    (reference.raw, words)
}

#[test]
fn the_reference_is_held_to_it_under_several_orders() {
    assert_eq!(reference(&drawn(0, "atom.global.add.u32 %d, [%m], %v;")).0, Raw::Conforms);
    let wrong = [
        // From 1 on: 1 to 4.
        (1, "atom.global.add.u32 %d, [%m], %v;", "thread 3 has 4, and nobody has 0"),
        // A minimum of 0 and 1: every thread finds 0.
        (
            0,
            "atom.global.min.u32 %d, [%m], %v;",
            "threads 0, 1, 2 and 1 more have 0, and nobody has 1, 2 or 3",
        ),
        // With bound 1 the counter goes 0, 1, 0, 1.
        (0, "atom.global.inc.u32 %d, [%m], %v;", "have 0, and nobody has 2 or 3"),
        // Never written.
        (0, "red.global.add.u32 [%m], %v;", "bits of the value of thread 0 are undefined"),
    ];
    for (first, instruction, words) in wrong {
        let (raw, problem) = reference(&drawn(first, instruction));
        assert_eq!(raw, Raw::Contradicted, "{instruction}");
        assert!(problem.contains("in the reference ") && problem.contains(words), "{problem}");
        assert!(problem.contains("cases/a/b.yaml:11:25"), "at the word `permutation`: {problem}");
    }
}

/// It holds in the order that the reference tries first, and in no other.
#[test]
fn one_order_is_not_enough() {
    // Whoever is first stores its index, and the others what they find: it is a permutation only if thread 0 is first.
    let lines = drawn(0, "atom.global.exch.b32 %d, [%m], %v;")
        .replace("rows: [{v: 1}, {v: 1}, {v: 1}, {v: 1}]", "rows: [{v: 1}, {v: 2}, {v: 3}, {v: 9}]");
    // In the order of the threads: 0, 1, 2, 3. In another the 9 is returned.
    let (raw, problem) = reference(&lines);
    assert_eq!(raw, Raw::Contradicted, "{problem}");
    assert!(problem.contains("has 9"), "{problem}");
}

/// The reference, with values of a buffer put in place of others.
struct Altered {
    reference: EmulatorTarget,
    buffer: &'static str,
    /// Byte offsets, and the words to put there.
    words: Vec<(usize, u32)>,
}

impl Target for Altered {
    fn name(&self) -> &str {
        "altered"
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let mut seen = self.reference.observe(question);
        let Observation::Completed { state } = &mut seen else { return seen };
        let is_it = |r: &&mut Region| r.kind == RegionKind::Buffer && r.name == self.buffer;
        let region = state.regions.iter_mut().find(is_it).unwrap();
        for (at, word) in &self.words {
            region.bytes[*at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        seen
    }
}

/// The status of a target with such values, and what is said of it.
fn judged(variants: &[Variant], buffer: &'static str, words: Vec<(usize, u32)>) -> (Raw, String) {
    let reference = EmulatorTarget::new(Semantics::default());
    let target = Box::new(Altered { reference, buffer, words }) as Box<dyn Target>;
    let all: Vec<&Variant> = variants.iter().collect();
    let session = session::run(&all, &[target], &|| ());
    let verdict = &session.verdicts[0].targets[0];
    (verdict.raw, format!("{:?}", verdict.findings.first().map(|finding| &finding.differences)))
}

/// Four threads store their numbers in slots that a counter gives them. What the atomics return is not stored.
const SLOTS: &str = "  why: w
  buffers: {m: {type: u32, values: [0]}, slot: {type: u32, count: 4}}
  inputs: {t: u32}
  registers: |
    .reg .u32 %i;
    .reg .u64 %at;
  body: |
    atom.global.add.u32 %i, [%m], 1;
    mad.wide.u32 %at, %i, 4, %slot;
    st.global.u32 [%at], %t;
  launch: together
  rows: [{t: 0}, {t: 1}, {t: 2}, {t: 3}]
  expect: {returns: {slot: permutation}, memory: {m: [4]}}
";

#[test]
fn a_target_that_has_a_value_twice_is_wrong_and_the_threads_are_named() {
    let counter = variants(&drawn(0, "atom.global.add.u32 %d, [%m], %v;"));
    // `d` is at byte 8 of each record of 16 bytes.
    let records = |values: [u32; 4]| values.iter().enumerate().map(|(row, v)| (16 * row + 8, *v)).collect();
    for right in [[0, 1, 2, 3], [3, 1, 0, 2]] {
        assert_eq!(judged(&counter, "out", records(right)).0, Raw::Conforms, "{right:?}");
    }
    let (raw, words) = judged(&counter, "out", records([3, 1, 1, 0]));
    assert_eq!(raw, Raw::Violates);
    assert!(words.contains("output `d`: threads 1 and 2 have 1, and nobody has 2"), "{words}");
    let (raw, words) = judged(&counter, "out", records([0, 1, 2, 4]));
    assert_eq!(raw, Raw::Violates);
    assert!(words.contains("output `d`: thread 3 has 4, and nobody has 3"), "{words}");
}

#[test]
fn values_that_no_atomic_returned_are_judged_as_well() {
    let slots = variants(SLOTS);
    for order in [[0, 1, 2, 3], [2, 0, 3, 1]] {
        let words = (0..4).map(|slot| (4 * slot, order[slot])).collect();
        assert_eq!(judged(&slots, "slot", words).0, Raw::Conforms, "{order:?}");
    }
    let (raw, words) = judged(&slots, "slot", vec![(0, 3), (4, 2), (8, 2), (12, 0)]);
    assert_eq!(raw, Raw::Violates);
    assert!(words.contains("buffer `slot`: elements 1 and 2 have 2, and nobody has 1"), "{words}");
}

#[test]
fn selfcheck_damages_the_values_and_the_verdict_turns() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases");
    std::fs::create_dir_all(&cases).unwrap();
    let counter = drawn(0, "atom.global.add.u32 %d, [%m], %v;");
    std::fs::write(cases.join("a.yaml"), format!("- case: counter\n{counter}\n- case: slots\n{SLOTS}"))
        .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    command.current_dir(folder.path()).args(["selfcheck", "--corpus", "cases"]).env_remove("CI");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("no wrong verdicts (2 launches; "), "{text}");
}

/// What is wrong with the key is said at the key.
#[test]
fn what_cannot_be_a_permutation_is_refused() {
    let error = |changes: &[(&str, &str)]| {
        let mut text = drawn(0, "atom.global.add.u32 %d, [%m], %v;");
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        let folder = tempfile::tempdir().unwrap();
        let case = format!("- case: c\n{text}");
        let read = warpdiff_corpus::load_text_as(Path::new("cases/a/b.yaml"), case, folder.path());
        read.map(|variants| variants.len()).expect_err("an error").render(false)
    };
    let words = error(&[("{d: permutation}", "{e: permutation}")]);
    assert!(words.contains("no output or buffer is called `e`"), "{words}");
    assert!(words.contains("expected one of `other`, `d`, `m`"), "{words}");
    let words = error(&[("{d: permutation}", "{d: permutations}")]);
    assert!(words.contains("did you mean `permutation`?"), "{words}");
    let words = error(&[("  launch: together\n", "")]);
    assert!(words.contains("`expect` is for rows launched together"), "{words}");
    let words =
        error(&[("values: [0]}", "values: [0]}, f: {type: f32, count: 2}"), ("{d: perm", "{f: perm")]);
    assert!(words.contains("buffer `f` does not hold integers"), "{words}");
    let words =
        error(&[("values: [0]}", "values: [0]}, b: {type: u8, count: 257}"), ("{d: perm", "{b: perm")]);
    assert!(words.contains("buffer `b` has 257 values, but its type only 256"), "{words}");
    // 0 to 127 fit in 8 bits with a sign.
    let words =
        error(&[("values: [0]}", "values: [0]}, b: {type: s8, count: 129}"), ("{d: perm", "{b: perm")]);
    assert!(words.contains("buffer `b` has 129 values, but its type only 128"), "{words}");
}

/// A target that runs what the reference cannot is held to what the case states.
#[test]
fn without_a_run_of_the_reference_the_case_alone_judges() {
    let planned = match &variants(SLOTS)[0].work {
        Work::Launches(launches) => launches[0].clone(),
        other => panic!("{other:?}"),
    };
    let admission = |slots: [u32; 4]| {
        let region = |name: &str, words: &[u32]| Region {
            kind: RegionKind::Buffer,
            name: name.into(),
            bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        };
        let state = State { regions: vec![region("m", &[4]), region("slot", &slots)] };
        warpdiff_judge::stated_alone::admission(&planned, &Observation::Completed { state })
    };
    assert!(matches!(admission([3, 1, 0, 2]), Admission::Conforms { .. }));
    let Admission::Violates { mismatches } = admission([3, 1, 1, 2]) else { panic!("1 twice") };
    assert_eq!(mismatches[0].detail, "buffer `slot`: elements 1 and 2 have 1, and nobody has 0");
}

//! The list of requirements, and a corpus that is not there.

use std::path::Path;

use snapbox::{assert_data_eq, str};

use super::corpus_errors;

const CASE: &str = "- case: a\n  covers: [add.wraps]\n  body: ret;\n  accept: [spec]\n";

#[test]
fn an_unknown_requirement() {
    let requirements = "- {id: add.wrap, kind: must, section: \"9.7.1.1\", text: Addition wraps.}\n";
    assert_data_eq!(
        corpus_errors(&[("requirements.yaml", requirements), ("arithmetic/add.yaml", CASE)]),
        str![[r#"
error: unknown requirement `add.wraps`
 --> cases/arithmetic/add.yaml:2:12
  |
2 |   covers: [add.wraps]
  |            ^^^^^^^^^ not in `requirements.yaml`
  |
  = note: did you mean `add.wrap`?
"#]]
    );
}

#[test]
fn a_requirement_nobody_covers() {
    let requirements = "
complete: true
requirements:
- {id: add.wraps, kind: must, section: \"9.7.1.1\", text: Addition wraps.}
- {id: sub.wraps, kind: must, section: \"9.7.1.2\", text: Subtraction wraps.}
- {id: add.fast, kind: informative, section: \"9.7.1.1\", text: Addition is fast.}
";
    assert_data_eq!(
        corpus_errors(&[("requirements.yaml", requirements), ("arithmetic/add.yaml", CASE)]),
        str![[r#"
error: no case covers requirement `sub.wraps`
 --> cases/requirements.yaml:5:8
  |
5 | - {id: sub.wraps, kind: must, section: "9.7.1.2", text: Subtraction wraps.}
  |        ^^^^^^^^^
  |
  = note: this corpus claims to cover all of them: `complete: true`
"#]]
    );
}

/// The errors of a corpus that claims to be complete, whose only case covers a requirement by a row of `vadd4`, which the reference does not run.
fn covered_by(row: &str) -> String {
    let requirements = "
complete: true
requirements:
- {id: video.adds, kind: must, section: \"9.7.17\", text: It adds.}
";
    let case = format!(
        "- case: adds\n  covers: [video.adds]\n  why: 1 + 1 + 1 = 3.\n  inputs: {{a: b32}}\n  outputs: {{d: b32}}\n  \
         body: vadd4.u32.u32.u32 %d, %a, %a, %a;\n  rows: [{{a: 1{row}}}]\n"
    );
    corpus_errors(&[("requirements.yaml", requirements), ("video/add.yaml", &case)])
}

/// A requirement that only a case covers which nobody judges is not covered.
#[test]
fn a_case_that_nothing_judges_covers_no_requirement() {
    assert_data_eq!(
        covered_by(""),
        str![[r#"
error: no case covers requirement `video.adds`
 --> cases/requirements.yaml:4:8
  |
4 | - {id: video.adds, kind: must, section: "9.7.17", text: It adds.}
  |        ^^^^^^^^^^
  |
  = note: this corpus claims to cover all of them: `complete: true`
  = note: `video/add/adds` (cases/video/add.yaml:1:3) does not count: nothing judges it
  = note: the reference says: unsupported: instruction `vadd4`
  = note: it states no value, fault or ending that a target could contradict
"#]]
    );
    // Nothing that a target did could contradict these.
    for row in [", d: undefined", ", d: {any: [3, undefined]}", ", may-fault: misaligned", ", d: ~"] {
        assert!(
            covered_by(row).contains("`video/add/adds` (cases/video/add.yaml:1:3) does not count"),
            "{row}"
        );
    }
    // These it could: targets are judged by them.
    for row in [", d: 3", ", d: {any: [3, 4]}", ", fault: misaligned"] {
        assert_eq!(covered_by(row), "no error: 1 variants", "{row}");
    }
}

#[test]
fn requirements_that_are_wrong() {
    let requirements = "
- {id: add.wraps, kind: must, section: \"9.7.1.1\", text: Addition wraps.}
- {id: add.wraps, kind: must, section: \"9.7.1.1\", text: Addition wraps.}
- {id: sub.wraps, kind: shall, section: \"9.7.1.2\", text: Subtraction wraps.}
- {id: mul.wraps, kind: unobservable, section: \"9.7.1.3\", text: Multiplication wraps.}
- {id: div wraps, kind: must, section: \"9.7.1.4\", text: Division wraps.}
- {id: rem.wraps, kind: must, text: The remainder wraps.}
";
    assert_data_eq!(
        corpus_errors(&[("requirements.yaml", requirements), ("arithmetic/add.yaml", CASE)]),
        str![[r#"
error: requirement `add.wraps` appears twice
 --> cases/requirements.yaml:3:8
  |
3 | - {id: add.wraps, kind: must, section: "9.7.1.1", text: Addition wraps.}
  |        ^^^^^^^^^

error: unknown kind of requirement `shall`
 --> cases/requirements.yaml:4:25
  |
4 | - {id: sub.wraps, kind: shall, section: "9.7.1.2", text: Subtraction wraps.}
  |                         ^^^^^ expected one of `must`, `may`, `undefined`, `legality`, `informative`, `unobservable`

error: `mul.wraps` is unobservable: say `why`
 --> cases/requirements.yaml:5:25
  |
5 | - {id: mul.wraps, kind: unobservable, section: "9.7.1.3", text: Multiplication wraps.}
  |                         ^^^^^^^^^^^^

error: `div wraps` cannot be an id
 --> cases/requirements.yaml:6:8
  |
6 | - {id: div wraps, kind: must, section: "9.7.1.4", text: Division wraps.}
  |        ^^^^^^^^^ expected letters, digits, `.`, `-` or `_`

error: this requirement lacks `section`
 --> cases/requirements.yaml:7:3
  |
7 | - {id: rem.wraps, kind: must, text: The remainder wraps.}
  |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"#]]
    );
}

#[test]
fn a_corpus_that_is_not_there() {
    let errors = warpdiff_corpus::load(Path::new("/nowhere/cases")).expect_err("there is nothing");
    assert_data_eq!(
        errors.render(false),
        str![[r#"
error: cannot read `/nowhere/cases`: No such file or directory (os error 2)
 --> /nowhere/cases:1:1
  |
1 |
  | ^
"#]]
    );
}

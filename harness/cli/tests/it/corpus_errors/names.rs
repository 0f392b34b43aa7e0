//! Ids name one variant, and files of goldens belong to one file of cases.

use super::corpus_errors;

/// A file of one case of that title.
fn case(title: &str) -> String {
    format!(
        "- case: {title}\n  inputs: {{a: u32}}\n  outputs: {{d: u32}}\n  body: mov.u32 %d, %a;\n  rows: [{{a: 1, d: 1}}]\n"
    )
}

#[test]
fn two_files_of_one_name_with_other_endings() {
    let (first, second) = (case("one"), case("two"));
    assert_eq!(
        corpus_errors(&[("a/x.yaml", &first), ("a/x.yml", &second)]),
        "\
error: `cases/a/x.yaml` and `cases/a/x.yml`: without their extensions they have the same name, so their ids would be the same
 --> cases/a/x.yml:1:1
  |
1 | - case: two
  | ^ rename one of the two files"
    );
}

#[test]
fn two_files_that_differ_in_case_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "").unwrap();
    if folder.path().join("A").exists() {
        // This file system has one file of the two.
        return;
    }
    let (first, second) = (case("one"), case("two"));
    let why =
        "their names differ in upper and lower case only, so some file systems would mix up their goldens";
    assert_eq!(
        corpus_errors(&[("A/x.yaml", &first), ("a/x.yaml", &second)]),
        format!(
            "\
error: `cases/A/x.yaml` and `cases/a/x.yaml`: {why}
 --> cases/a/x.yaml:1:1
  |
1 | - case: two
  | ^ rename one of the two files"
        )
    );
}

#[test]
fn two_cases_of_one_id_in_files_of_different_names() {
    let (first, second) = (case("one"), case("x/one"));
    assert_eq!(
        corpus_errors(&[("a/x.yaml", &first), ("a.yaml", &second)]),
        "\
error: two cases have a variant with the id `a/x/one`
 --> cases/a.yaml:1:3
  |
1 | - case: x/one
  |   ^^^^^^^^^^^
  |
  = note: the other one is at cases/a/x.yaml:1:3"
    );
}

#[test]
fn two_cases_of_one_id_in_one_file() {
    let matrix = case("one")
        .replace("  inputs", "  matrix: {n: [1, 2]}\n  inputs")
        .replace("mov.u32 %d, %a;", "add.u32 %d, %a, ${n};");
    let text = case("one[n=2]") + &matrix;
    assert_eq!(
        corpus_errors(&[("a.yaml", &text)]),
        "\
error: two cases have a variant with the id `a/one[n=2]`
 --> cases/a.yaml:6:3
  |
6 | - case: one
  |   ^^^^^^^^^
  |
  = note: the other one is at cases/a.yaml:1:3"
    );
}

#[test]
fn a_matrix_with_a_value_twice() {
    let text = case("one")
        .replace("  inputs", "  matrix: {n: [1, 2, 1]}\n  inputs")
        .replace("mov.u32 %d, %a;", "add.u32 %d, %a, ${n};");
    assert_eq!(
        corpus_errors(&[("a.yaml", &text)]),
        "\
error: two variants of this case have the id `a/one[n=1]`
 --> cases/a.yaml:1:3
  |
1 | - case: one
  |   ^^^^^^^^^"
    );
}

#[test]
fn files_of_other_names_are_told_apart() {
    let (first, second) = (case("one"), case("one"));
    assert_eq!(
        corpus_errors(&[("a.yaml", &first), ("a/a.yml", &second), ("b.yaml", &first), ("a.b.yaml", &second)]),
        "no error: 4 variants"
    );
}

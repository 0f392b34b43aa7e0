//! What is wrong with the titles, versions, texts and files of a corpus is said once, at its place; and the texts of the
//! corpus in `cases/` say what they have to: how each table follows from the specification, and the names of files that are there.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{corpus_errors, errors};

/// The first lines of each error: its message and its place.
fn places(text: &str) -> Vec<String> {
    let shown = errors(text);
    let lines: Vec<&str> = shown.lines().collect();
    let is_message = |line: &&str| line.starts_with("error: ") || line.starts_with("no error");
    let at = |i: usize| lines.get(i + 1).map_or("", |line| line.trim_start_matches([' ', '-', '>']));
    (0..lines.len())
        .filter(|i| is_message(&lines[*i]))
        .map(|i| format!("{} @ {}", lines[i].trim_start_matches("error: "), at(i)))
        .collect()
}

/// A table case with one row and these lines in front of it.
fn one_row(lines: &str) -> String {
    format!("- case: a\n{lines}\n  outputs: {{d: b32}}\n  rows: [{{d: 1}}]\n")
}

#[test]
fn titles_are_one_line_of_text() {
    let rest = "\n  body: ret;\n  accept: [spec]\n";
    let found = |title: &str| places(&format!("- case: {title}{rest}"));
    assert_eq!(found("\"a\\nb\""), ["a title with the control character `\\n` @ cases/test.yaml:1:9"]);
    assert_eq!(found("\"a\\eb\""), ["a title with the control character `\\u{1b}` @ cases/test.yaml:1:9"]);
    // RIGHT-TO-LEFT OVERRIDE: the rest of the line would be read backwards.
    let turned = found("\"a\\u202eb\"");
    assert_eq!(turned, ["a title with the control character `\\u{202e}` @ cases/test.yaml:1:9"]);
    assert_eq!(found("\"\""), ["a case without a title @ cases/test.yaml:1:9"]);
    assert_eq!(found("\" a\""), ["a title begins or ends with white space @ cases/test.yaml:1:9"]);
    assert_eq!(found("a b"), ["no error: 1 variants @ "]);
}

#[test]
fn a_version_and_a_target_that_are_none() {
    let body = "  body: mov.b32 %d, 1;";
    assert_eq!(
        places(&one_row(&format!("  isa: 99.9\n{body}"))),
        ["no PTX version 99.9 @ cases/test.yaml:2:8"]
    );
    assert_eq!(
        places(&one_row(&format!("  target: sm_999\n{body}"))),
        ["unknown target `sm_999` @ cases/test.yaml:2:11"]
    );
}

#[test]
fn braces_and_comments_end_in_the_text() {
    assert_eq!(
        places(&one_row("  body: |\n    mov.b32 %d, 1;\n    }")),
        ["unbalanced `}` @ cases/test.yaml:4:5"]
    );
    assert_eq!(
        places(&one_row("  body: |\n    {\n    mov.b32 %d, 1;")),
        ["`{` without its `}` @ cases/test.yaml:3:5"]
    );
    assert_eq!(
        places(&one_row("  body: |\n    mov.b32 %d, 1; /* one")),
        ["a comment without its `*/` @ cases/test.yaml:3:20"]
    );
}

#[test]
fn a_name_of_the_matrix_that_is_never_used() {
    assert_eq!(
        places(&one_row("  matrix: {n: [1, 2]}\n  body: mov.b32 %d, 1;")),
        ["`n` of `matrix` is never used @ cases/test.yaml:2:12"]
    );
}

#[test]
fn a_file_without_cases() {
    assert_eq!(places("# nothing\n"), ["this file holds no case @ cases/test.yaml:1:1"]);
    assert_eq!(places("[]\n"), ["this file holds no case @ cases/test.yaml:1:1"]);
    let none = corpus_errors(&[("readme.md", "nothing")]);
    assert!(none.contains("no case file (`*.yaml`) in this folder or below it"), "{none}");
}

/// Opening a pipe waits for a writer: a corpus with one must be refused, not waited for.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_case_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.yaml")).status();
    assert!(made.expect("mkfifo runs").success());
    let error = warpdiff_corpus::load(folder.path()).expect_err("a pipe").render(false);
    assert!(error.contains("not a regular file"), "{error}");
}

#[test]
fn bytes_that_are_no_text() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.yaml"), b"- case: a\n  why: \xff\n").expect("written");
    let errors = warpdiff_corpus::load(folder.path()).expect_err("no text");
    assert_eq!(errors.0[0].message, "not UTF-8: the byte 0xff");
    let error = errors.render(false);
    assert!(
        error.contains("/a.yaml:2:8\n") && error.contains("  why: �\n") && error.contains("^ expected UTF-8"),
        "{error}"
    );
}

/// The corpus of this repository.
fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

/// The text of every file of this ending in a folder and below it, with its path.
fn texts(folder: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(texts(&path, ending));
        } else if path.extension().is_some_and(|has| has == ending) {
            let text = std::fs::read_to_string(&path).expect("a text");
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// What a case says of itself, and whether it is a table.
#[derive(Deserialize)]
struct Said {
    case: String,
    why: Option<String>,
    rows: Option<IgnoredAny>,
    sweep: Option<IgnoredAny>,
}

/// The titles of the tables in a file whose expectations come from nowhere.
fn underived(text: &str) -> Vec<String> {
    let cases: Vec<Said> = serde_yaml::from_str(text).expect("a list of cases");
    let silent = |case: &Said| case.why.as_ref().is_none_or(|why| why.trim().is_empty());
    let is_table = |case: &Said| case.rows.is_some() || case.sweep.is_some();
    cases.into_iter().filter(|case| is_table(case) && silent(case)).map(|case| case.case).collect()
}

/// An expectation that nobody derived may be one that was copied from a run.
#[test]
fn every_case_with_rows_says_why() {
    let mut silent = Vec::new();
    for (path, text) in texts(&cases(), "yaml") {
        if path.file_name().is_some_and(|name| name == "requirements.yaml") {
            continue;
        }
        silent.extend(underived(&text).into_iter().map(|title| format!("{}: {title}", path.display())));
    }
    assert!(silent.is_empty(), "without a `why`:\n{}", silent.join("\n"));
}

#[test]
fn a_case_with_rows_that_does_not_say_why_is_found() {
    let rows = "  body: ret;\n  rows: [{}]\n";
    assert_eq!(underived(&format!("- case: a\n{rows}")), ["a"]);
    assert_eq!(underived(&format!("- case: a\n  why: \"  \"\n{rows}")), ["a"]);
    assert_eq!(underived("- case: a\n  body: ret;\n  sweep: {x: [1]}\n"), ["a"]);
    assert!(underived(&format!("- case: a\n  why: 1 + 1 = 2.\n{rows}")).is_empty());
    assert!(underived("- case: a\n  body: ret;\n  accept: [spec]\n").is_empty());
}

/// The case files that a text names: `bounds-1d.yaml` in a comment, say.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let of_a_name = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let words = text.split(move |c: char| !of_a_name(c)).map(|word| word.trim_end_matches('.'));
    words.filter(|word| word.len() > ".yaml".len() && word.ends_with(".yaml"))
}

/// A reader looks for such a file beside the one that names it, or below `cases/`.
#[test]
fn case_files_that_texts_name_are_there() {
    let cases = cases();
    let mut missing = Vec::new();
    for (path, text) in texts(&cases, "yaml").into_iter().chain(texts(&cases, "md")) {
        let beside = path.parent().expect("a folder");
        let is_there = |name: &str| beside.join(name).is_file() || cases.join(name).is_file();
        missing.extend(
            named(&text).filter(|name| !is_there(name)).map(|name| format!("{}: {name}", path.display())),
        );
    }
    assert!(missing.is_empty(), "files that are not there:\n{}", missing.join("\n"));
    assert_eq!(
        named("# (bounds-1d.yaml holds it). Every *.yaml, and a/b.yaml.").collect::<Vec<_>>(),
        ["bounds-1d.yaml", "a/b.yaml"]
    );
}

/// The commands that CONTRIBUTING tells people to type select something.
#[test]
fn filters_of_the_contributing_page_match() {
    let page = std::fs::read_to_string(cases().join("../CONTRIBUTING.md")).expect("the page is there");
    let corpus = crate::cases::corpus();
    let ids: Vec<&str> = corpus.variants.iter().map(|variant| variant.id.as_str()).collect();
    let mut seen = 0;
    for command in ["`cargo run -- run ", "`cargo run -- selfcheck "] {
        for after in page.split(command).skip(1) {
            let filter = after.split('`').next().unwrap_or_default().trim_matches('\'').to_owned();
            if !filter.starts_with("--") {
                let unmatched =
                    warpdiff_corpus::filter::Filter::new(std::slice::from_ref(&filter)).unmatched(&ids).len();
                assert_eq!(unmatched, 0, "{command}{filter}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 2, "no command was checked");
}

/// What a text became is said with the variant, where it is not in every variant.
#[test]
fn errors_in_substituted_text_name_the_variant_and_the_value() {
    let text = "
- case: adds
  matrix: {n: [1, 0x, 0y], k: [{name: small, value: 2}, {name: large, value: 99999999999}]}
  why: w
  inputs: {a: b32}
  outputs: {d: b32}
  body: add.u32 %d, %a, ${n};
  rows:
    - {a: \"${k.value}\", d: 3}
";
    let error = super::errors(text);
    for words in [
        "malformed integer literal",
        "in 4 of 6 variants, the first is `[n=0x,k=small]`: `${n}` is `0x`",
        "in 3 of 6 variants, the first is `[n=1,k=large]`: `${k.value}` is `99999999999`",
    ] {
        assert!(error.contains(words), "{words}:\n{error}");
    }
    // What every variant has is no matter of its values.
    let error = super::errors(&text.replace("add.u32", "addd.u32"));
    assert!(error.contains("unknown opcode `addd`"), "{error}");
    let about = error.split("\n\n").find(|one| one.contains("addd")).unwrap();
    assert!(!about.contains("of 6 variants"), "{about}");
}

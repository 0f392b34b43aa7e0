//! A corpus of a few cases, of which each requirement lacks something else.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

use super::{article, files};

const REQUIREMENTS: &str = r#"
- chapter: Complete and not
- {id: t.stated, kind: must, section: "9.7.1", text: "Addition adds."}
- {id: suld.clamp.nearest, kind: must, section: "9.7.11.1", text: "Clamp is near."}
- {id: t.swept, kind: must, section: "9.7.1", text: "Nobody says what comes of it."}
- {id: surface.misaligned, kind: may, section: "9.7.11", text: "Masked, or a fault."}
- {id: t.anything, kind: undefined, section: "9.7.1", text: "It may be anything."}
- {id: t.witnessed, kind: must, section: "9.7.1", text: "A table says so too.", witness: "the `table` of somebody"}
- chapter: "What <needs> no case"
- {id: t.told, kind: informative, section: "1", text: "It is told."}
- {id: t.unseen, kind: unobservable, section: "1", text: "It happens.", why: "nobody sees it"}
- id: t.contradicted
  kind: legality
  section: "9.7.1"
  text: "A program is legal."
  errata:
    - {between: text, readings: ["It is `legal`.", "It is not."], taken: first, why: "Because.", witness: "none"}
    - {between: example, readings: ["The rule.", "The example."], taken: both, why: "Both.", witness: "nobody"}
"#;

const CASES: &str = r#"
- case: sums
  covers: [t.stated, t.witnessed]
  why: 1 + 2 is 3, by hand.
  matrix: {t: [u32, s32]}
  inputs: {a: u32, b: u32}
  outputs: {d: u32}
  body: add.${t} %d, %a, %b;
  rows:
    - {a: 1, b: 2, d: 3}   # a remark
    - {a: 5, b: 5}
- case: "a title with </h2><img src=x onerror=alert(1)> & more"
  covers: [t.swept]
  why: The reference decides.
  inputs: {a: u32}
  outputs: {d: u32}
  body: add.u32 %d, %a, 1;
  sweep: {a: {from: 1, to: 60}}
- case: beyond the end
  covers: [suld.clamp.nearest]
  why: -4 is one texel before the line, whose first texel is 0.
  surfaces:
    line: {geometry: 1d, extent: [4], format: u32, texels: sequence}
  inputs: {x: s32}
  outputs: {d: b32}
  body: suld.b.1d.b32.clamp %d, [line, {%x}];
  rows:
    - {x: -4, d: 0}
- case: between texels
  covers: [surface.misaligned]
  why: 2 is no multiple of 4, so that the access is masked to 0 or faults.
  surfaces:
    line: {geometry: 1d, extent: [4], format: u32, texels: sequence}
  inputs: {x: s32}
  outputs: {d: b32}
  body: suld.b.1d.b32.trap %d, [line, {%x}];
  rows:
    - {x: 2, may-fault: misaligned}
- case: a store
  covers: [t.stated]
  why: x counts bytes, so that byte 4 is the first of texel 1.
  surfaces:
    line: {geometry: 1d, extent: [4], format: u32, texels: sequence}
  inputs: {v: u32}
  outputs: {}
  body: sust.b.1d.b32.trap [line, {4}], %v;
  rows:
    - {v: 0x11223344, image: {line: {1: 0x11223344}}}
- case: three votes
  covers: [t.stated]
  why: two threads add 1 to the second bin, and one to the first.
  buffers: {bins: {type: u32, count: 3}}
  inputs: {vote: u32}
  outputs: {mine: u32}
  registers: .reg .u64 %at;
  body: |
    mad.wide.u32 %at, %vote, 4, %bins;
    red.global.add.u32 [%at], 1;
    mov.u32 %mine, %vote;
  launch: together
  rows: [{vote: 1, mine: 1}, {vote: 0}, {vote: 1}]
  expect: {memory: {bins: [1, 2, 0]}}
- case: half of three
  covers: [t.stated]
  why: 3 * 0.5 is 1.5.
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k(.param .u64 p) {
      .reg .u64 %a;
      .reg .f32 %f;
      ld.param.u64 %a, [p];
      mov.f32 %f, 0f40400000;
      mul.f32 %f, %f, 0f3f000000;
      st.global.f32 [%a + 4], %f;
      ret;
    }
  launch: {entry: k, arguments: [{buffer: out}]}
  buffers: {out: {type: f32, count: 2}}
  expect: {memory: {out: {1: 1.5}}}
- case: nothing wrote it
  covers: [t.anything]
  why: "%d was never written."
  inputs: {a: u32}
  outputs: {d: u32}
  body: mov.u32 %d, %d;
  rows:
    - {a: 1, d: undefined}
- case: a program
  covers: [t.contradicted]
  body: ret;
  accept: [spec]
"#;

/// A folder with the corpus.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("cases/basic")).unwrap();
        std::fs::write(folder.path().join("cases/requirements.yaml"), REQUIREMENTS).unwrap();
        std::fs::write(folder.path().join("cases/basic/all of it.yaml"), CASES).unwrap();
        Self(folder)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
        command.current_dir(self.0.path()).env_remove("CI").args(arguments).output().unwrap()
    }

    #[track_caller]
    fn book(&self, arguments: &[&str]) -> BTreeMap<String, String> {
        let ended = self.run(&[&["book", "book"], arguments].concat());
        assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
        files(&self.0.path().join("book"))
    }
}

/// The book of the reference alone.
pub(super) fn book() -> &'static BTreeMap<String, String> {
    static BOOK: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    BOOK.get_or_init(|| Place::new().book(&["--reference-only"]))
}

/// The marks of a requirement in its article.
fn marks(page: &str, id: &str) -> Vec<String> {
    let marks = article(page, id).split("<span class=\"lack\">").skip(1);
    marks.map(|rest| rest.split('<').next().unwrap().to_owned()).collect()
}

const FIRST: &str = "chapter-complete-and-not.html";
const SECOND: &str = "chapter-what-needs-no-case.html";

#[test]
fn marks_say_what_a_requirement_lacks() {
    let book = book();
    let first = &book[FIRST];
    assert_eq!(marks(first, "t.stated"), ["no deviation", "no second witness"]);
    assert_eq!(marks(first, "suld.clamp.nearest"), ["no second witness"]);
    assert_eq!(marks(first, "t.swept"), ["no hand row", "no deviation", "no second witness"]);
    // A choice measures what is open, and nothing breaks what is undefined.
    assert_eq!(marks(first, "surface.misaligned"), ["no second witness"]);
    assert_eq!(marks(first, "t.anything"), ["no second witness"]);
    assert_eq!(marks(first, "t.witnessed"), ["no deviation"]);
    let second = &book[SECOND];
    assert_eq!((marks(second, "t.told").len(), marks(second, "t.unseen").len()), (0, 0));
    assert!(article(second, "t.unseen").contains("It cannot be observed: nobody sees it."));
    assert_eq!(marks(second, "t.contradicted"), ["no deviation", "no second witness"]);
    // The counts of the first page: three of the four `must` have no deviation.
    let index = &book["index.html"];
    let must = index.split("<th scope=\"row\">must</th>").nth(1).unwrap().split("</tr>").next().unwrap();
    assert_eq!(must, "<td>4</td><td>·</td><td>1</td><td>3</td><td>3</td><td>·</td>");
}

#[test]
fn another_implementation_is_a_witness_and_our_own_emulator_is_none() {
    let place = Place::new();
    let worker = format!("process:{} worker", env!("CARGO_BIN_EXE_warpdiff"));
    let book = place.book(&["--against", "emulator", "--against", &worker]);
    let stated = article(&book[FIRST], "t.stated");
    assert_eq!(marks(&book[FIRST], "t.stated"), ["no deviation"]);
    assert!(stated.contains("worker, in 5 variants") && !stated.contains("emulator, in"), "{stated}");
    let alone = place.book(&["--against", "emulator"]);
    assert_eq!(marks(&alone[FIRST], "t.stated"), ["no deviation", "no second witness"]);
}

#[test]
fn a_target_that_is_wrong_is_shown_with_its_cause() {
    let book = Place::new().book(&["--against", "emulator+suld.clamp-as-zero"]);
    // Zero is there anyway, so that the first texel of another line would be needed to see it: the case conforms.
    assert!(article(&book[FIRST], "suld.clamp.nearest").contains("conform"));
    let book = Place::new().book(&["--against", "emulator+surface.x-as-texel,suld.clamp-as-zero"]);
    let done = article(&book[FIRST], "surface.misaligned");
    assert!(done.contains("violate") && done.contains("surface.x-as-texel"), "{done}");
}

#[test]
fn a_case_has_its_derivation_its_source_and_its_rows() {
    let page = &book()["cases-basic-all-of-it.html"];
    let sums = article(page, "sums");
    assert!(sums.contains("1 + 2 is 3, by hand.") && sums.contains("# a remark"), "{sums}");
    let rows: Vec<&str> = sums.split("<tr>").skip(2).map(|row| row.split("</tr>").next().unwrap()).collect();
    assert_eq!(
        rows,
        [
            "<th scope=\"row\">0</th><td><code>a = 1</code><br><code>b = 2</code></td><td><code>d = 3</code></td><td><code>d = 3</code></td>",
            "<th scope=\"row\">1</th><td><code>a = 5</code><br><code>b = 5</code></td><td></td><td><code>d = 10</code></td>",
        ]
    );
    for variant in ["[t=u32]", "[t=s32]"] {
        assert!(sums.contains(&format!("<bdi>{variant}</bdi>")), "{variant}");
    }
    // What the author wrote stands out of the kernel around it.
    assert!(sums.contains("<span class=\"own\">    add.u32 %d, %a, %b;\n</span>"), "{sums}");
    let store = article(page, "a-store");
    assert_eq!(
        store.matches("surface line, element 1 at x = 1: 287454020").count(),
        2,
        "stated and allowed: {store}"
    );
    assert!(store.contains("surface line, nothing else changes"), "{store}");
    // What rows do together is said once, beside none of them.
    let votes = article(page, "three-votes");
    let rows: Vec<&str> = votes.split("<tr>").skip(2).map(|row| row.split("</tr>").next().unwrap()).collect();
    assert_eq!(rows.len(), 4, "{votes}");
    assert_eq!(
        rows[0],
        "<th scope=\"row\">0</th><td><code>vote = 1</code></td><td><code>mine = 1</code></td><td><code>mine = 1</code></td>"
    );
    assert_eq!(
        rows[3],
        "<th scope=\"row\">all</th><td></td><td><code>buffer bins, element 0: 1</code><br><code>buffer bins, element 1: 2</code><br><code>buffer bins, element 2: 0</code></td><td><code>buffer bins, element 0: 1</code><br><code>buffer bins, element 1: 2</code></td>"
    );
    // A whole program has no rows. 1.5 is 0x3fc00000.
    let half = article(page, "half-of-three");
    assert!(half.contains("<h3>Its launch</h3>") && !half.contains("<th scope=\"col\">row</th>"), "{half}");
    assert_eq!(
        half.matches("buffer out, element 1: 1.5 (0x3fc00000)").count(),
        2,
        "stated and allowed: {half}"
    );
    let masked = article(page, "between-texels");
    assert!(masked.contains("may fault: misaligned") && masked.contains("d = 0x00000000"), "{masked}");
    assert!(article(page, "nothing-wrote-it").contains("<code>d = undefined</code>"));
    assert!(page.contains("12 more rows"), "a sweep of 60 rows is cut after 48");
}

#[test]
fn text_of_the_corpus_stays_text() {
    for (name, page) in book() {
        assert!(!page.contains("<img") && !page.contains("<needs>"), "{name}");
    }
    let page = &book()["cases-basic-all-of-it.html"];
    assert!(page.contains("a title with &lt;/h2&gt;&lt;img src=x onerror=alert(1)&gt; &amp; more"));
}

#[test]
fn errata_have_both_readings_and_the_one_that_is_taken() {
    let page = &book()["errata.html"];
    let first = article(page, "t.contradicted-1");
    let readings: Vec<&str> =
        first.split("<li").skip(1).map(|it| it.split("</li>").next().unwrap()).collect();
    assert!(readings[0].starts_with(" class=\"taken\">It is <code>legal</code>."), "{readings:?}");
    assert!(
        readings[0].contains("the reference takes this") && !readings[1].contains("badge"),
        "{readings:?}"
    );
    let second = article(page, "t.contradicted-2");
    assert_eq!(second.matches("the reference allows this").count(), 2, "{second}");
    let links = article(&book()[SECOND], "t.contradicted");
    assert!(links.contains("href=\"errata.html#t.contradicted-1\"") && links.contains("#t.contradicted-2"));
}

#[test]
fn the_same_corpus_gives_the_same_bytes() {
    let once = book();
    let again = Place::new().book(&["--reference-only"]);
    let same = once == &again;
    assert!(same, "the two books differ");
}

#[test]
fn a_folder_that_is_no_book_is_refused_before_anything_is_run() {
    let place = Place::new();
    let ended = place.run(&["book", "cases", "--reference-only"]);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("cases holds something that is not a book"), "{said}");
    assert!(Path::new(&place.0.path().join("cases/requirements.yaml")).is_file());
    // An earlier book is replaced.
    place.book(&["--reference-only"]);
    std::fs::write(place.0.path().join("book/old.html"), "old").unwrap();
    assert!(!place.book(&["--reference-only"]).contains_key("old.html"));
}

#[test]
fn a_wrong_erratum_or_heading_is_an_error_with_its_place() {
    let place = Place::new();
    let wrong = "
- chapter: \"\"
- {chapter: One, id: t.a}
- {id: t.b, kind: informative, section: \"1\", text: B, errata: [{between: text, readings: [one], taken: first, why: w, witness: w}]}
- {id: t.c, kind: informative, section: \"1\", text: C, errata: [{between: law, readings: [a, b], taken: first, why: w, witness: w}]}
- {id: t.d, kind: informative, section: \"1\", text: D, errata: [{between: text, readings: [a, b], taken: first, why: w}]}
- {id: t.e, kind: informative, section: \"1\", text: E, witness: \"\"}
";
    std::fs::write(place.0.path().join("cases/requirements.yaml"), wrong).unwrap();
    let ended = place.run(&["book", "book", "--reference-only"]);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    for message in [
        "`chapter` is empty",
        "unknown key `id` of a heading",
        "an erratum has two readings, not 1",
        "unknown kind of erratum `law`",
        "`witness`",
        "`witness` is empty",
    ] {
        assert!(said.contains(message), "{message}: {said}");
    }
    assert!(!place.0.path().join("book").exists());
}

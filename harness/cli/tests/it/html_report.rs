//! The report as a page: every mismatch is in it, as a picture where memory differs; hostile text stays text; the same run
//! gives the same page.

mod accessibility;

use crate::results;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const REQUIREMENTS: &str = "\
- id: t.anything
  section: 9.7.11.1
  kind: must
  text: Something to cover.
";

/// A folder with a corpus of one file.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(cases: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("cases/basic")).unwrap();
        std::fs::write(folder.path().join("cases/requirements.yaml"), REQUIREMENTS).unwrap();
        std::fs::write(folder.path().join("cases/basic/one.yaml"), cases).unwrap();
        Self { folder }
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
        command.current_dir(self.folder.path()).args(arguments).env_remove("CI");
        command.env("CUDA_VISIBLE_DEVICES", "").output().unwrap()
    }

    /// The page of a run against a target that is expected to violate.
    #[track_caller]
    fn page(&self, target: &str) -> String {
        let ended = self.run(&["run", "--against", target, "--html", "report.html"]);
        let said =
            String::from_utf8_lossy(&ended.stderr).into_owned() + &String::from_utf8_lossy(&ended.stdout);
        assert_eq!(ended.status.code(), Some(1), "{said}");
        read(&self.path("report.html"))
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// A store that goes elsewhere.
const STORE: &str = "\
- case: a store
  covers: [t.anything]
  why: By 9.7.11.2 `.clamp` stores at the nearest location, (3, 2); (16, 2) is one texel past it.
  surfaces:
    image: {geometry: 2d, extent: [4, 3], format: u32, texels: sequence}
  inputs: {x: s32, y: s32, v: u32}
  outputs: {}
  body: sust.b.2d.b32.clamp [image, {%x, %y}], %v;
  rows:
    - {x: 16, y: 2, v: 4711}
";

/// The cells of the panel of that title, as the text of each.
#[track_caller]
fn cells(page: &str, title: &str) -> Vec<String> {
    let figure = page.split("<figure").find(|f| f.contains(&format!("<figcaption>{title}</figcaption>")));
    let body = figure.unwrap().split("</figure>").next().unwrap().split("<tbody>").nth(1).unwrap();
    let cells = body.split("<td").skip(1).map(|cell| cell.split("</td>").next().unwrap());
    cells.map(|cell| text_of(cell.split_once('>').unwrap().1)).collect()
}

fn text_of(markup: &str) -> String {
    let parts = markup.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_store_that_went_elsewhere_is_drawn_as_expected_observed_and_difference() {
    let page = Place::new(STORE).page("emulator+sust.clamp-as-zero");
    // Texel (x, y) holds 4y + x before; each row has one more cell for what lies beyond x = 3.
    let before = ["0", "1", "2", "3", "", "4", "5", "6", "7", "", "8", "9", "10", "11", "r0"];
    let mut expected = before;
    expected[13] = "4711";
    assert_eq!(cells(&page, "expected"), expected);
    assert_eq!(cells(&page, "observed"), before);
    let difference = cells(&page, "difference");
    assert_eq!(difference[13], "4711 11");
    assert_eq!(difference.iter().filter(|cell| *cell == "=").count(), 11);
    assert!(page.contains("sust.b.2d.b32.clamp [image, {%x, %y}], %v;"), "{page}");
    assert!(page.contains("Reproduced exactly by <code>sust.clamp-as-zero</code>"), "{page}");
    assert!(page.contains("clamp behaviour"), "{page}");
    // What is said of the whole run.
    assert!(page.contains("<h2 id=\"diagnoses\">"), "{page}");
    assert!(page.contains("surface.mode-ignored fits as well, and claims more"), "{page}");
}

#[test]
fn a_fault_that_is_missing_shows_what_was_done_instead() {
    let trap =
        STORE.replace(".clamp [image", ".trap [image").replace("v: 4711}", "v: 4711, fault: surface-trap}");
    let page = Place::new(&trap).page("emulator+surface.clamp-trap-swapped");
    assert!(page.contains("must fault with surface-trap, but completed"), "{page}");
    assert_eq!(cells(&page, "before the launch")[13], "11");
    assert_eq!(cells(&page, "observed")[13], "4711");
}

#[test]
fn a_fault_that_should_not_be_shows_what_should_have_become() {
    let page = Place::new(STORE).page("emulator+surface.clamp-trap-swapped");
    assert!(page.contains("must complete, but faulted"), "{page}");
    assert_eq!(cells(&page, "expected")[13], "4711");
    assert!(!page.contains("<figcaption>observed</figcaption>"));
}

/// Two cases of which the first loads beyond a row, and a title that tries to be markup.
const HOSTILE: &str = "\
- case: </script></style><script>alert(1)</script> & \"quotes\" 'too' <b>
  covers: [t.anything]
  why: By 9.7.11.1 `.clamp` loads the nearest texel.
  surfaces:
    image: {geometry: 2d, extent: [4, 3], format: u32, texels: sequence}
  inputs: {x: s32}
  outputs: {d: b32}
  body: |
    // </pre><img src=x onerror=alert(1)>
    suld.b.2d.b32.clamp %d, [image, {%x, 0}];
  rows:
    - {x: 16, d: 3}
- case: another
  covers: [t.anything]
  why: As above.
  surfaces:
    image: {geometry: 1d, extent: [4], format: u8x4, texels: sequence}
  inputs: {x: s32}
  outputs: {d: b32}
  body: suld.b.1d.b32.clamp %d, [image, {%x}];
  rows:
    - {x: -4, d: 0x03020100}
    - {x: 0, d: 0x03020100}
";

#[test]
fn mismatches_of_one_cause_have_one_example_and_hostile_text_stays_text() {
    let place = Place::new(HOSTILE);
    let page = place.page("emulator+suld.clamp-as-zero");
    assert!(page.contains("2 violate.") && page.contains("with 2 mismatches in full"), "{page}");
    assert!(
        page.contains("&lt;/script&gt;&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp;"),
        "{page}"
    );
    for wrong in ["<script>alert", "<img", "<b>", "</pre><img"] {
        assert!(!page.contains(wrong), "{wrong}");
    }
    assert_eq!(page.matches("<script>").count(), 1);
    assert_eq!(page.matches("</script>").count(), 1);
    assert_eq!(page.matches("</style>").count(), 1);
    // The first is the example; the second is packed.
    assert!(page.contains("x = 16") && !page.contains("x = -4"), "{page}");
}

#[test]
fn the_page_needs_nothing_else_and_is_the_same_each_time() {
    let place = Place::new(HOSTILE);
    let page = place.page("emulator+suld.clamp-as-zero");
    assert_eq!(page, place.page("emulator+suld.clamp-as-zero"));
    assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"), "{page}");
    for fetched in ["src=\"", "<link", "@import", "url(", "http://", "https://"] {
        assert!(!page.contains(fetched), "{fetched}");
    }
    // No element is styled, and nothing is listened to, but by the style and script whose digests the policy names.
    for inline in [" style=\"", " onclick=", " onload="] {
        assert!(!page.contains(inline), "{inline}");
    }
}

#[test]
fn elements_are_closed_in_the_order_in_which_they_were_opened() {
    let page = Place::new(HOSTILE).page("emulator+suld.clamp-as-zero");
    let (head, rest) = page.split_once("<style>").unwrap();
    let rest = rest.split_once("</style>").unwrap().1;
    let (body, tail) = rest.split_once("<script>").unwrap();
    let markup = format!("{head}{body}{}", tail.split_once("</script>").unwrap().1);
    let empty = ["!DOCTYPE", "meta", "input", "br"];
    let mut open: Vec<&str> = Vec::new();
    for tag in markup.split('<').skip(1) {
        let name = tag.split([' ', '>']).next().unwrap();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed)),
            None if !empty.contains(&name) => open.push(name),
            None => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_run_without_mismatches_has_a_page_too_and_json_stays_json() {
    let place = Place::new(STORE);
    let ended = place.run(&["run", "--html", "deep/report.html", "--json"]);
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(results::read(&String::from_utf8_lossy(&ended.stdout))["summary"]["exit_code"], 0);
    let page = read(&place.path("deep/report.html"));
    assert!(page.contains("all conform") && page.contains("No target was judged."), "{page}");
}

#[test]
fn a_page_that_cannot_be_written_is_an_error_that_names_it() {
    let place = Place::new(STORE);
    std::fs::create_dir(place.path("folder")).unwrap();
    let ended = place.run(&["run", "--html", "folder"]);
    assert_eq!(ended.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("folder: "));
}

/// A table of which each matrix element is a mismatch: more than a browser could show at once.
fn many(count: usize) -> String {
    let values: Vec<String> = (0..count).map(|n| n.to_string()).collect();
    let matrix = format!("  matrix: {{n: [{}]}}\n", values.join(", "));
    STORE
        .replace("- case: a store\n", &format!("- case: a store\n{matrix}"))
        .replace("  body: ", "  body: |\n    // ${n}\n    ")
}

#[test]
fn thousands_of_mismatches_are_packed_and_the_page_stays_small() {
    let page = Place::new(&many(3000)).page("emulator+sust.clamp-as-zero");
    assert!(page.contains("<template id=\"chunk-1\">") && page.contains("with 3000 mismatches in full"));
    // Unpacked they have 60 MB.
    assert!(page.len() < 6 << 20, "{}", page.len());
    // What a browser has to lay out: one mismatch, and no more for 3000 than for 30.
    let elements = |page: &str| page.matches("</").count() - page.matches("</template>").count();
    let few = Place::new(&many(30)).page("emulator+sust.clamp-as-zero");
    assert!(elements(&page) < elements(&few) + 10, "{} and {}", elements(&page), elements(&few));
}

/// A target that takes x for texels, loads zero out of bounds, and counts the bits of the lower word alone. By the first alone, x = 4 is texel 4
/// of 4, whose nearest is texel 3; by the second alone, it is texel 1, and loads 1. The target loads 0, and counts no bit in that row: so no
/// two of the three will do, and the second fits the other row.
const NEITHER: &str = "\
- case: a load
  covers: [t.anything]
  why: By 9.7.11.1 x counts bytes, and `.clamp` loads the nearest location.
  surfaces:
    image: {geometry: 1d, extent: [4, 1], format: u32, texels: sequence}
  inputs: {x: s32, w: b64}
  outputs: {d: b32, c: u32}
  body: |
    suld.b.1d.b32.clamp %d, [image, {%x}];
    popc.b64 %c, %w;
  rows:
    - {x: 0, w: 1, d: 0, c: 1}
    - {x: 4, w: 0x100000000, d: 1, c: 1}
    - {x: 16, w: 1, d: 3, c: 1}
";

#[test]
fn where_no_deviation_fits_the_nearest_is_shown_with_a_row_that_refutes_it() {
    let place = Place::new(NEITHER);
    let target = "emulator+suld.clamp-as-zero,surface.x-as-texel,popc.low-word";
    let page = place.page(target);
    let words =
        "o known deviation explains all of this; the nearest is suld.clamp-as-zero, which one row refutes";
    assert!(page.contains(words) && page.contains("<caption>What refutes it</caption>"), "{page}");
    assert!(page.contains("<th scope=\"col\">predicted</th>"), "{page}");
    assert!(!page.contains("Reproduced exactly by"), "{page}");

    let shown = String::from_utf8(place.run(&["run", "--against", target]).stdout).unwrap();
    let refuting = "  row 1: x = 4, w = 0x100000000  (cases/basic/one.yaml:13:7)
    at x = 4 of `image` (16 bytes)
    output `d`, buffer `out`, byte 8..12
      suld.clamp-as-zero predicts 01 00 00 00  = 0x00000001
      observed                    00 00 00 00  = 0x00000000
";
    assert!(shown.contains(&format!("  n{words}:\n{refuting}")), "{shown}");
    assert!(shown.contains("reproduced by no known deviation"), "{shown}");

    let report = place.run(&["run", "--against", target, "--json"]).stdout;
    let report = results::read(&String::from_utf8_lossy(&report));
    let finding = &report["variants"][0]["targets"][0]["findings"][0];
    assert_eq!(finding["reproduced_by"], serde_json::json!([]));
    let nearest = &finding["nearest_deviation"];
    assert_eq!(nearest["name"], "suld.clamp-as-zero", "{finding}");
    assert_eq!(nearest["refuting_rows"], 1, "{finding}");
    assert_eq!(nearest["refuted_by"]["expected"], "01000000", "{finding}");
    assert_eq!(nearest["refuted_by"]["observed"], "00000000", "{finding}");
}

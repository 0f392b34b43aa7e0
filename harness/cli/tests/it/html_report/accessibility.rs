//! The page of a report for those who read it with a keyboard, a screen reader, poor sight, or on paper: what of it can be held to a
//! rule without a browser.

use std::collections::{BTreeMap, BTreeSet};

use super::{Place, STORE};

/// A store of one component of two, which leaves the other unpredictable.
const PARTIAL_STORE: &str = "\
- case: a store of one component of two
  covers: [t.anything]
  why: By 9.7.11.2 components without a source element are unpredictable.
  surfaces:
    image: {geometry: 1d, extent: [4], format: u32x2, texels: sequence}
  inputs: {x: s32, v: u32}
  outputs: {}
  body: sust.p.1d.b32.clamp [image, {%x}], %v;
  rows:
    - {x: 9, v: 4711}
";

fn page() -> String {
    Place::new(&format!("{STORE}{PARTIAL_STORE}")).page("emulator+sust.clamp-as-zero")
}

/// An element's opening tag.
struct Tag {
    name: String,
    attributes: BTreeMap<String, String>,
}

/// Every opening tag, style and script left out. The page is written by templates: attributes stand in double quotes or alone.
fn tags(page: &str) -> Vec<Tag> {
    let (head, rest) = page.split_once("<style>").unwrap();
    let (body, tail) = rest.split_once("</style>").unwrap().1.split_once("<script>").unwrap();
    let markup = [head, body, tail.split_once("</script>").unwrap().1].concat();
    let opened = markup.split('<').skip(1).filter(|tag| !tag.starts_with(['/', '!']));
    opened.map(|tag| tag_of(tag.split_once('>').unwrap().0)).collect()
}

fn tag_of(text: &str) -> Tag {
    let (name, mut rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut attributes = BTreeMap::new();
    while let Some(at) = rest.find("=\"") {
        let (before, value) = (&rest[..at], &rest[at + 2..]);
        let (value, after) = value.split_once('"').unwrap();
        let mut words: Vec<&str> = before.split_whitespace().collect();
        attributes.insert(words.pop().unwrap().to_owned(), value.to_owned());
        attributes.extend(words.into_iter().map(|alone| (alone.to_owned(), String::new())));
        rest = after;
    }
    attributes.extend(rest.split_whitespace().map(|alone| (alone.to_owned(), String::new())));
    Tag { name: name.to_owned(), attributes }
}

impl Tag {
    fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).map(String::as_str)
    }
}

#[test]
fn the_page_names_its_language_its_title_and_its_parts() {
    let page = page();
    let tags = tags(&page);
    let named = |name: &str| tags.iter().filter(|t| t.name == name).collect::<Vec<_>>();
    assert_eq!(named("html")[0].get("lang"), Some("en"));
    assert!(page.contains("<title>warpdiff: 2 violate"), "{page}");
    for once in ["title", "h1", "main", "header", "footer"] {
        assert_eq!(named(once).len(), 1, "{once}");
    }
    let viewport = named("meta").into_iter().find(|meta| meta.get("name") == Some("viewport")).unwrap();
    // Whoever needs larger letters may have them.
    let content = viewport.get("content").unwrap();
    assert!(!content.contains("user-scalable") && !content.contains("maximum-scale"), "{content}");
}

#[test]
fn what_refers_to_an_element_finds_it() {
    let tags = tags(&page());
    let ids: Vec<&str> = tags.iter().filter_map(|tag| tag.get("id")).collect();
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len(), "{ids:?}");
    let mut referred = 0;
    for tag in &tags {
        let local = tag.get("href").map(|href| href.strip_prefix('#').unwrap_or_else(|| panic!("{href}")));
        for id in
            ["aria-labelledby", "aria-describedby", "for"].iter().filter_map(|a| tag.get(a)).chain(local)
        {
            assert!(distinct.contains(id), "<{}> refers to `{id}`", tag.name);
            referred += 1;
        }
    }
    assert!(referred >= 6, "{referred}");
}

#[test]
fn headings_go_down_by_one_level_at_a_time() {
    let mut last = 0;
    for tag in tags(&page()) {
        let Some(level) = tag.name.strip_prefix('h').and_then(|digits| digits.parse::<u32>().ok()) else {
            continue;
        };
        assert!(level <= last + 1, "<h{level}> below <h{last}>");
        last = level;
    }
    assert!(last > 0);
}

#[test]
fn tables_have_names_and_their_headers_a_direction() {
    let page = page();
    let tags = tags(&page);
    for header in tags.iter().filter(|tag| tag.name == "th") {
        assert!(matches!(header.get("scope"), Some("row" | "col" | "colgroup")));
    }
    let tables: Vec<usize> = (0..tags.len()).filter(|index| tags[*index].name == "table").collect();
    assert!(tables.len() >= 4, "{}", tables.len());
    for index in tables {
        let labelled = tags[index].get("aria-label").is_some_and(|label| !label.is_empty());
        assert!(labelled || tags[index + 1].name == "caption", "a table without a name");
    }
}

/// Nothing reacts to a mouse only: what can be clicked is a link, a button, a field or a summary, none of them out of the tab order.
#[test]
fn everything_that_reacts_is_reached_with_the_keyboard() {
    let page = page();
    for tag in tags(&page) {
        let reacts = matches!(tag.name.as_str(), "a" | "button" | "input" | "select" | "summary");
        assert!(!reacts || tag.get("tabindex").is_none(), "<{}>", tag.name);
        assert!(tag.name != "a" || tag.get("href").is_some());
        assert!(tag.name != "button" || tag.get("type") == Some("button"));
        assert!(
            !matches!(tag.name.as_str(), "input" | "select")
                || tag.get("id").is_some_and(|id| page.contains(&format!("for=\"{id}\"")))
        );
        assert!(tag.get("tabindex").is_none_or(|index| index == "-1"), "<{}> changes the order", tag.name);
    }
    assert!(page.contains(":focus-visible { outline: 3px solid"), "focus is not to be seen");
    assert!(!page.contains("outline: none") && !page.contains("outline: 0"));
}

type Palette = BTreeMap<String, [f64; 3]>;

/// The colours that a rule of the style sheet defines.
fn palette(rule: &str) -> Palette {
    let defined = rule.split(';').filter_map(|line| line.rsplit_once("--")?.1.split_once(": #"));
    let channel = |hex: &str| f64::from(u8::from_str_radix(hex, 16).unwrap());
    let colour = |digits: &str| match digits.len() {
        3 => [0, 1, 2].map(|i| channel(&digits[i..=i].repeat(2))),
        _ => [0, 2, 4].map(|i| channel(&digits[i..i + 2])),
    };
    defined.map(|(name, digits)| (name.to_owned(), colour(digits.trim()))).collect()
}

/// Relative luminance (WCAG 2.2).
fn luminance(colour: [f64; 3]) -> f64 {
    let [r, g, b] = colour.map(|channel| match channel / 255.0 {
        c if c <= 0.04045 => c / 12.92,
        c => ((c + 0.055) / 1.055).powf(2.4),
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn contrast_is_that_of_wcag() {
    // From the definition: black on white is 21, and #777777 on white just misses 4.5 (4.48).
    assert!((contrast([0.0; 3], [255.0; 3]) - 21.0).abs() < 1e-9);
    assert!((contrast([119.0; 3], [255.0; 3]) - 4.478).abs() < 1e-3);
}

/// WCAG 2.2, 1.4.3 (AA): text has a contrast of 4.5 at least; 1.4.11: what shows the focus, 3.
#[test]
fn text_stands_out_from_what_is_behind_it() {
    // Which text stands on which ground, by the names in the style sheet.
    let pairs = [
        ("paper", &["ink", "quiet", "bad", "good", "warn", "link"][..]),
        ("raised", &["ink", "quiet", "bad", "good", "warn"]),
        ("bad-wash", &["ink", "bad", "good"]),
        ("good-wash", &["ink", "good"]),
        ("warn-wash", &["ink", "warn"]),
        ("known-wash", &["ink"]),
        ("open", &["ink"]),
        ("mark", &["mark-ink"]),
    ];
    let page = page();
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    let rules: Vec<Palette> =
        style.split(":root {").skip(1).map(|r| palette(r.split('}').next().unwrap())).collect();
    let [light, dark, print] = rules.as_slice() else { panic!("{} palettes", rules.len()) };
    for (theme, changed) in [("light", light), ("dark", dark), ("print", print)] {
        // What a theme does not change is as in the light one.
        let colour = |name: &str| *changed.get(name).or(light.get(name)).unwrap_or_else(|| panic!("{name}"));
        for (ground, texts) in pairs {
            for text in texts {
                let ratio = contrast(colour(text), colour(ground));
                assert!(ratio >= 4.5, "{theme}: {text} on {ground} has {ratio:.2}");
            }
        }
        assert!(contrast(colour("link"), colour("paper")) >= 3.0);
    }
    // What is fainter than its colour says is not covered by the above.
    assert!(!style.contains("opacity"), "an opacity");
}

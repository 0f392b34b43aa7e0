//! Reads a file of expectations, and says what is wrong with it, with file, line and caret.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use warpdiff_corpus::CorpusError;
use warpdiff_corpus::filter::Pattern;
use warpdiff_corpus::plan::{Location, SourceFile};
use warpdiff_corpus::reader::{ErrorNoted, Fields, Read, Reader};
use warpdiff_corpus::yaml::{self, Kind, Node};
use warpdiff_judge::mismatch_class::{CLASSES, class_name, class_named};
use warpdiff_model::{Deviation, MismatchClass};
use warpdiff_terminal::suggest::closest;

use crate::cause::{Cause, NONE};
use crate::conditions::{Conditions, DEVICE, RANGES};
use crate::entry::{Entry, Expected, Layout, RAREST, Selection};
use crate::releases::Releases;

/// Keys of a file.
pub const FILE_KEYS: [&str; 8] = ["target", DEVICE, "sm", "cuda", "driver", "fails", "flakes", "skips"];
/// Keys of every entry.
pub const ENTRY_KEYS: [&str; 10] =
    ["variants", "requirements", "instructions", "reason", "link", "expires", DEVICE, "sm", "cuda", "driver"];
/// Keys of an entry of `fails` or `flakes` with its failure.
pub const CAUSE: &str = "cause";
/// Key of an entry of `flakes` with its pass rate.
pub const PASSES: &str = "passes";
/// Keys of a cause.
pub const CAUSE_KEYS: [&str; 2] = ["class", "deviation"];

/// The lists of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Known failures.
    Fails,
    /// Failures at times.
    Flakes,
    /// What is not run.
    Skips,
}

impl List {
    /// Every list with its key.
    pub const ALL: [(List, &'static str); 3] =
        [(List::Fails, "fails"), (List::Flakes, "flakes"), (List::Skips, "skips")];

    /// Its key.
    pub fn key(self) -> &'static str {
        Self::ALL.iter().find(|(list, _)| *list == self).map_or("?", |(_, key)| key)
    }

    /// The keys of its entries.
    pub fn entry_keys(self) -> Vec<&'static str> {
        let own: &[&str] = match self {
            Self::Fails => &[CAUSE],
            Self::Flakes => &[CAUSE, PASSES],
            Self::Skips => &[],
        };
        ENTRY_KEYS.iter().chain(own).copied().collect()
    }

    /// The keys that its entries must have, beside `variants`, `requirements` or `instructions`.
    pub fn required_keys(self) -> Vec<&'static str> {
        match self {
            Self::Fails => vec![CAUSE, "reason"],
            // No single run shows that these entries are needless, so a day must end them.
            Self::Flakes => vec![CAUSE, PASSES, "reason", "expires"],
            Self::Skips => vec!["reason", "expires"],
        }
    }
}

/// A file of expectations.
#[derive(Clone, Debug)]
pub struct ExpectationFile {
    /// The file.
    pub source: Arc<SourceFile>,
    /// Patterns over names of targets, as `--against` writes them.
    pub targets: Vec<Pattern>,
    /// The conditions of all its entries.
    pub conditions: Conditions,
    /// The entries, in the order of the file.
    pub entries: Vec<Entry>,
    /// The lists that it has, each with the place of its key and its value.
    pub lists: Vec<(List, Range<usize>, Range<usize>)>,
}

impl ExpectationFile {
    /// Reads a file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(path: &Path) -> Result<Self, Vec<CorpusError>> {
        Self::parse(source(path)?)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(source: Arc<SourceFile>) -> Result<Self, Vec<CorpusError>> {
        let root = yaml::parse(&source).map_err(|error| vec![error])?;
        let reader = Reader::of_file(&source);
        let read = contents(&reader, &root);
        let errors = reader.into_errors();
        match read {
            Ok((targets, conditions, entries, lists)) if errors.is_empty() => {
                Ok(Self { source, targets, conditions, entries, lists })
            }
            _ => Err(errors),
        }
    }

    /// Whether it is for a target of this name.
    pub fn is_for(&self, target: &str) -> bool {
        self.targets.iter().any(|pattern| pattern.matches_whole(target))
    }
}

/// The text of a file.
///
/// # Errors
/// It cannot be read, or is too large.
pub(crate) fn source(path: &Path) -> Result<Arc<SourceFile>, Vec<CorpusError>> {
    let file = |text| Arc::new(SourceFile::new(path, text));
    let unreadable = |why: String| {
        let location = Location { file: file(String::new()), range: 0..0 };
        vec![CorpusError::new(location, format!("cannot read {}: {why}", path.display()))]
    };
    match std::fs::metadata(path) {
        Ok(facts) if facts.len() > yaml::MAX_FILE_SIZE => {
            return Err(unreadable(format!("it is larger than {} MiB", yaml::MAX_FILE_SIZE >> 20)));
        }
        Ok(_) => {}
        Err(error) => return Err(unreadable(error.to_string())),
    }
    std::fs::read_to_string(path).map(file).map_err(|error| unreadable(error.to_string()))
}

type Contents = (Vec<Pattern>, Conditions, Vec<Entry>, Vec<(List, Range<usize>, Range<usize>)>);

fn contents(reader: &Reader<'_>, root: &Node) -> Read<Contents> {
    const WHAT: &str = "a file of expectations";
    if matches!(&root.kind, Kind::List(list) if list.is_empty()) {
        return reader.fail(&root.range(), "this file of expectations is empty");
    }
    let fields = reader.fields(root, WHAT, &FILE_KEYS)?;
    let targets = fields.required(reader, "target", "this file of expectations");
    let targets = targets.and_then(|node| patterns(reader, node, "`target`"));
    let conditions = conditions(reader, &fields);
    let (mut entries, mut lists) = (Vec::new(), Vec::new());
    for (list, key) in List::ALL {
        let (Some(node), Some(at)) = (fields.get(key), fields.key_range(key)) else { continue };
        lists.push((list, at.clone(), node.range()));
        // A list whose last entry was removed.
        if node.is_null() {
            continue;
        }
        let Ok(nodes) = reader.list(node, &format!("`{key}`")) else { continue };
        entries.extend(nodes.iter().filter_map(|node| entry(reader, node, list).ok()));
    }
    Ok((targets?, conditions?, entries, lists))
}

fn entry(reader: &Reader<'_>, node: &Node, list: List) -> Read<Entry> {
    let what = format!("an entry of `{}`", list.key());
    let fields = reader.fields(node, &what, &list.entry_keys())?;
    let missing = |key: &str| {
        let error = reader.error(&node.range(), format!("this entry of `{}` lacks `{key}`", list.key()));
        reader.note(match key {
            "expires" => error
                .note("no run shows that such an entry is no longer needed: say when to look at it again"),
            _ => error,
        })
    };
    let required = list.required_keys().into_iter().filter(|key| !fields.has(key)).map(missing).last();
    let several = |key: &str| match fields.get(key) {
        Some(node) => patterns(reader, node, &format!("`{key}`")),
        None => Ok(Vec::new()),
    };
    let selection = Selection {
        variants: several("variants")?,
        requirements: several("requirements")?,
        instructions: several("instructions")?,
    };
    if selection == Selection::default() {
        let error = reader.error(&node.range(), "this entry does not say what it is about");
        return Err(reader.note(error.label("expected `variants`, `requirements` or `instructions`")));
    }
    let words = |key: &str| fields.get(key).map(|node| text(reader, node, key)).transpose();
    let (reason, link) = (words("reason"), words("link"));
    let link = link.and_then(|link| address(reader, &fields, link));
    let cause = fields.get(CAUSE).map(|node| cause(reader, node)).transpose();
    let passes = fields.get(PASSES).map(|node| pass_rate(reader, node)).transpose();
    let expires = fields.get("expires").map(|node| parsed(reader, node, "`expires`", "a date: 2026-11-22"));
    let (expires, conditions) = (expires.transpose(), conditions(reader, &fields));
    if let Some(noted) = required {
        return Err(noted);
    }
    let expected = match (list, cause?, passes?) {
        (List::Fails, Some(cause), _) => Expected::Fails(cause),
        (List::Flakes, Some(cause), Some(passes)) => Expected::Flakes { cause, passes },
        (List::Fails | List::Flakes, ..) => return Err(ErrorNoted),
        (List::Skips, ..) => Expected::Skips,
    };
    Ok(Entry {
        selection,
        expected,
        reason: reason?.unwrap_or_default(),
        link: link?,
        conditions: conditions?,
        expires: expires?,
        location: reader.location(&node.range()),
        layout: layout(reader, node, &fields),
    })
}

/// Where the parts of an entry stand.
fn layout(reader: &Reader<'_>, node: &Node, fields: &Fields<'_>) -> Layout {
    let text = &reader.location(&node.range()).file.text;
    let variants = fields.get("variants");
    let items = match variants.map(|node| &node.kind) {
        Some(Kind::List(list)) => list.iter().map(|node| node.range()).collect(),
        _ => Vec::new(),
    };
    let variants = variants.map(|node| node.range().start..end(text, node));
    Layout { end: end(text, node), variants, items }
}

/// The end of a node without the blanks, comments and lines that the parser adds to collections that end with an indentation.
fn end(text: &str, node: &Node) -> usize {
    let children = match &node.kind {
        Kind::Scalar(_) => None,
        _ if text[node.range().start..].starts_with(['{', '[']) => None,
        Kind::List(list) => list.last(),
        Kind::Map(entries) => entries.last().map(|(_, node)| node),
    };
    match children {
        Some(last) => end(text, last).max(node.range().start),
        // A block scalar has the end of its last line.
        None => node.range().start + text[node.range()].trim_end().len(),
    }
}

/// One pattern, or a list of them.
pub(crate) fn patterns(reader: &Reader<'_>, node: &Node, what: &str) -> Read<Vec<Pattern>> {
    let texts = match &node.kind {
        Kind::List(list) if list.is_empty() => {
            return reader.fail(&node.range(), format!("{what} is an empty list"));
        }
        Kind::List(list) => list.iter().map(|node| text(reader, node, what)).collect::<Read<Vec<_>>>()?,
        _ => vec![text(reader, node, what)?],
    };
    Ok(texts.into_iter().map(Pattern::new).collect())
}

/// A text that is not blank.
pub(crate) fn text(reader: &Reader<'_>, node: &Node, what: &str) -> Read<String> {
    let text = reader.verbatim(node, what)?;
    match text.trim() {
        "" => reader.fail(&node.range(), format!("{what} says nothing")),
        trimmed => Ok(trimmed.to_owned()),
    }
}

/// A link that can be followed.
fn address(reader: &Reader<'_>, fields: &Fields<'_>, link: Option<String>) -> Read<Option<String>> {
    match (link, fields.get("link")) {
        (Some(link), Some(node)) if !link.starts_with("https://") && !link.starts_with("http://") => {
            let error = reader.error(&node.range(), format!("`{link}` is no link"));
            Err(reader.note(error.label("expected an address that begins with `https://`")))
        }
        (link, _) => Ok(link),
    }
}

/// A value in a notation of its own.
pub(crate) fn parsed<T: std::str::FromStr<Err = String>>(
    reader: &Reader<'_>,
    node: &Node,
    what: &str,
    wanted: &str,
) -> Read<T> {
    let text = text(reader, node, what)?;
    text.parse().map_err(|why: String| {
        reader.note(reader.error(&node.range(), format!("{what}: {why}")).label(format!("expected {wanted}")))
    })
}

fn pass_rate(reader: &Reader<'_>, node: &Node) -> Read<f64> {
    let text = text(reader, node, "`passes`")?;
    match text.parse::<f64>() {
        Ok(rate) if (RAREST..1.0).contains(&rate) => Ok(rate),
        _ => {
            let error = reader.error(&node.range(), format!("`passes` is {text}"));
            let label = format!("expected the least share of runs that pass, from {RAREST} to below 1");
            Err(reader.note(error.label(label)))
        }
    }
}

fn conditions(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Conditions> {
    let device = fields.get(DEVICE).map(|node| patterns(reader, node, "`device`")).transpose();
    let range = |(fact, _): &(&'static str, _)| {
        let node = fields.get(fact)?;
        let wanted = "a release or a range of releases: 570, 535..570, 570.124.., ..575";
        let range: Read<Releases> = parsed(reader, node, &format!("`{fact}`"), wanted);
        Some(range.map(|range| (*fact, range)))
    };
    let ranges: Vec<Read<_>> = RANGES.iter().filter_map(range).collect();
    Ok(Conditions {
        device: device?.unwrap_or_default(),
        ranges: ranges.into_iter().collect::<Read<Vec<_>>>()?,
    })
}

fn cause(reader: &Reader<'_>, node: &Node) -> Read<Cause> {
    let fields = reader.fields(node, "a cause", &CAUSE_KEYS)?;
    let class_node = fields.required(reader, "class", "this cause");
    let class = class_node.and_then(|node| class(reader, node));
    let named = fields.required(reader, "deviation", "this cause");
    let named = named.and_then(|node| Ok((node, deviations(reader, node)?)));
    let (class, (node, deviations)) = (class?, named?);
    // Deviations that only explain together may have several classes; the entry names one of them.
    if let Some(first) = deviations.first()
        && deviations.iter().all(|deviation| deviation.class() != class)
    {
        let message =
            format!("`{}` is of another class than this cause: {}", first.name(), class_name(first.class()));
        let label = "a failure that it reproduces never has the class of this cause";
        return Err(reader.note(reader.error(&node.range(), message).label(label)));
    }
    Ok(Cause { class, deviations })
}

fn class(reader: &Reader<'_>, node: &Node) -> Read<MismatchClass> {
    let name = text(reader, node, "`class`")?;
    class_named(&name).ok_or_else(|| {
        let names = CLASSES.map(class_name);
        reader.unknown(&node.range(), &format!("unknown class `{name}`"), &name, &names)
    })
}

/// The deviations that a cause names; none for `none`.
fn deviations(reader: &Reader<'_>, node: &Node) -> Read<Vec<Deviation>> {
    let nodes: Vec<&Node> = match &node.kind {
        Kind::List(list) if !list.is_empty() => list.iter().map(|node| &**node).collect(),
        _ => vec![node],
    };
    let named = |node: &&Node| -> Read<Option<Deviation>> {
        let name = text(reader, node, "`deviation`")?;
        if name == NONE {
            return match nodes.len() {
                1 => Ok(None),
                _ => reader.fail(&node.range(), "`none` among deviations: it stands for none of them"),
            };
        }
        Deviation::from_name(&name).map(Some).ok_or_else(|| {
            let error = reader.error(&node.range(), format!("unknown deviation `{name}`"));
            let error = error.label(format!("expected the name of a deviation, or `{NONE}`"));
            reader.note(match closest(&name, Deviation::all().map(Deviation::name).chain([NONE])) {
                Some(near) => error.note(format!("did you mean `{near}`?")),
                None => error.note("`warpdiff deviations` lists them"),
            })
        })
    };
    let read: Read<Vec<Option<Deviation>>> = nodes.iter().map(named).collect();
    Ok(read?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conditions::Holds;

    fn parse(text: &str) -> Result<ExpectationFile, Vec<CorpusError>> {
        ExpectationFile::parse(Arc::new(SourceFile::new("h200.yaml", text)))
    }

    fn errors(text: &str) -> String {
        parse(text).unwrap_err().iter().map(|error| error.render(false)).collect::<Vec<_>>().join("\n")
    }

    const WHOLE: &str = "\
# The nightly machine.
target: [cuda*, 'recording:*']
device: NVIDIA H200*
sm: 90
driver: 570..575
fails:
  - variants: [suld/bounds-2d/*, suld/x]   # two
    requirements: suld.clamp.nearest
    instructions: suld.b
    cause: {class: clamp behaviour, deviation: suld.clamp-as-zero}
    reason: the driver loads zero
    link: https://example.com/1
    driver: 570.124
    expires: 2026-12-31
flakes:
  - variants: atomics/*
    cause: {class: atomicity, deviation: none}
    passes: 0.95
    reason: once in a hundred nights
    expires: 2026-12-31
skips:
  - instructions: tex
    reason: hangs the machine
    expires: 2027-01-31
";

    #[test]
    fn a_file_is_read_with_all_that_it_may_say() {
        let file = parse(WHOLE).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert!(file.is_for("cuda:1+O0") && file.is_for("recording:x") && !file.is_for("emulator"));
        let [fails, flakes, skips] = file.entries.as_slice() else { panic!("{:?}", file.entries) };
        let Expected::Fails(cause) = &fails.expected else { panic!() };
        assert_eq!(cause.to_string(), "clamp behaviour, reproduced by suld.clamp-as-zero");
        assert_eq!(fails.link.as_deref(), Some("https://example.com/1"));
        assert_eq!(fails.selection.variants.len(), 2);
        assert_eq!(fails.place(), "h200.yaml:7:5");
        assert!(fails.is_expired("2027-01-01".parse().unwrap()));
        assert!(!fails.is_expired("2026-12-31".parse().unwrap()), "its last day is not over");
        let facts = |driver: &str| [("driver".to_owned(), driver.to_owned())].into_iter().collect();
        assert_eq!(fails.conditions.hold(&facts("570.124.06")), Holds::Yes);
        assert_eq!(fails.conditions.hold(&facts("570.86")), Holds::No);
        assert!(matches!(&flakes.expected, Expected::Flakes { passes, .. } if *passes == 0.95));
        assert_eq!((&skips.expected, skips.reason.as_str()), (&Expected::Skips, "hangs the machine"));
    }

    #[test]
    fn the_example_of_the_documentation_is_a_file() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/expectations.md");
        let page = std::fs::read_to_string(page).unwrap();
        let example = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let file = parse(example).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(file.entries.len(), 3);
        // Every key of a file and of an entry is explained.
        for key in FILE_KEYS.iter().chain(&ENTRY_KEYS).chain(&[CAUSE, PASSES]).chain(&CAUSE_KEYS) {
            assert!(page.contains(&format!("`{key}`")) || page.contains(&format!("{key}: ")), "{key}");
        }
    }

    #[test]
    fn a_list_without_entries_is_one() {
        assert_eq!(parse("target: cuda\nfails:\n").unwrap().entries.len(), 0);
        assert_eq!(parse("target: cuda\nfails: []\n").unwrap().entries.len(), 0);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let with = |from: &str, to: &str| {
            assert!(WHOLE.contains(from), "{from}");
            WHOLE.replacen(from, to, 1)
        };
        let cases = [
            (with("reason: the", "why: the"), "h200.yaml:11:5", "unknown key `why` of an entry of `fails`"),
            (with("    reason: the driver loads zero\n", ""), "h200.yaml:7:5", "lacks `reason`"),
            (with("reason: the driver loads zero", "reason: ''"), "h200.yaml:11:13", "says nothing"),
            (
                with("suld.clamp-as-zero}", "suld.clamp-as-zer}"),
                "h200.yaml:10:48",
                "did you mean `suld.clamp-as-zero`?",
            ),
            (
                with("class: clamp behaviour", "class: clamp behavior"),
                "h200.yaml:10:20",
                "did you mean `clamp behaviour`?",
            ),
            (
                with("class: clamp behaviour", "class: value"),
                "h200.yaml:10:",
                "is of another class than this cause: clamp behaviour",
            ),
            (with("driver: 570..575", "driver: 575..570"), "h200.yaml:5:9", "impossible range"),
            (with("driver: 570.124", "driver: r570"), "h200.yaml:13:13", "`r570` is no release"),
            (
                with("expires: 2026-12-31", "expires: 2026-02-30"),
                "h200.yaml:14:14",
                "there is no day `2026-02-30`",
            ),
            (with("expires: 2026-12-31", "expires: soon"), "h200.yaml:14:14", "`soon` is no date"),
            (with("link: https:", "link: see:"), "h200.yaml:12:11", "is no link"),
            (with("passes: 0.95", "passes: 1"), "h200.yaml:18:13", "from 0.01 to below 1"),
            (with("passes: 0.95", "passes: often"), "h200.yaml:18:13", "`passes` is often"),
            (with("    passes: 0.95\n", ""), "h200.yaml:16:5", "lacks `passes`"),
            (with("    expires: 2027-01-31\n", ""), "h200.yaml:22:5", "say when to look at it again"),
            (with("instructions: tex", "link: https://a"), "h200.yaml:22:5", "does not say what it is about"),
            (with("target: [cuda*, 'recording:*']\n", ""), "h200.yaml:2:1", "lacks `target`"),
            (with("sm: 90", "capability: 90"), "h200.yaml:4:1", "unknown key `capability`"),
            (
                with("deviation: none", "deviation: [none, suld.clamp-as-zero]"),
                "h200.yaml:17:",
                "`none` among deviations",
            ),
            (with("variants: atomics/*", "variants: []"), "h200.yaml:16:15", "is an empty list"),
            (with("skips:\n", "skipped:\n"), "h200.yaml:21:1", "unknown key `skipped`"),
        ];
        for (text, place, words) in &cases {
            let said = errors(text);
            assert!(said.contains(place) && said.contains(words), "{place}, {words}:\n{said}");
            assert!(said.contains('^'), "no caret: {said}");
        }
        assert!(errors("").contains("is empty"));
        assert!(errors("- a\n").contains("a file of expectations is a list"));
        assert!(errors("target: [cuda\n").contains("not valid YAML"));
        // Every error is reported, not the first alone.
        let two = with("expires: 2026-12-31", "expires: soon").replacen("passes: 0.95", "passes: 2", 1);
        assert_eq!(parse(&two).unwrap_err().len(), 2);
    }
}

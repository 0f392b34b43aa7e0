//! Profiles: the choices that a target makes and the deviations that it is known to have, each with its evidence and its date.

use std::path::Path;
use std::sync::Arc;

use warpdiff_corpus::CorpusError;
use warpdiff_corpus::filter::Pattern;
use warpdiff_corpus::plan::{Location, SourceFile};
use warpdiff_corpus::reader::{Fields, Read, Reader};
use warpdiff_corpus::yaml::{self, Kind, Node};
use warpdiff_model::choice::ChoiceInfo;
use warpdiff_model::{Choice, Deviation};
use warpdiff_ptx::source::line_column;
use warpdiff_terminal::suggest::closest;

use crate::day::Day;
use crate::file::{parsed, patterns, source, text};

/// Keys of a profile.
pub const PROFILE_KEYS: [&str; 4] = ["describes", TARGET, "choices", "deviations"];
/// Keys of an entry of `choices`.
pub const CHOICE_KEYS: [&str; 5] = ["choice", "takes", "target", "evidence", "date"];
/// Keys of an entry of `deviations`.
pub const DEVIATION_KEYS: [&str; 4] = ["deviation", "target", "evidence", "date"];
/// The key that an entry need not have: it is for all targets of the profile then.
pub const TARGET: &str = "target";
/// Kinds of evidence, and what each is. An entry has one at least.
pub const EVIDENCE: [(&str, &str); 4] = [
    ("recording", "a recording of the target that shows it"),
    ("thread", "where its authors or users speak of it"),
    ("page", "the document that says so"),
    ("command", "what shows it when it is run"),
];

/// What a target is known to do.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The file.
    pub source: Arc<SourceFile>,
    /// What it describes, in a sentence.
    pub describes: String,
    /// Patterns over names of targets, as `--against` writes them. Without any it is for every target.
    pub targets: Vec<Pattern>,
    /// The choices that the target makes.
    pub choices: Vec<KnownChoice>,
    /// The deviations that the target has.
    pub deviations: Vec<KnownDeviation>,
}

/// A choice, and the alternatives that a target takes of it.
#[derive(Clone, Debug)]
pub struct KnownChoice {
    /// The choice.
    pub info: &'static ChoiceInfo,
    /// The indices of the alternatives: one, or several where the target is inconsistent.
    pub takes: Vec<u8>,
    /// How this is known.
    pub known: Known,
}

/// A deviation that a target has.
#[derive(Clone, Debug)]
pub struct KnownDeviation {
    /// The deviation.
    pub deviation: Deviation,
    /// How this is known.
    pub known: Known,
}

/// How an entry of a profile is known.
#[derive(Clone, Debug)]
pub struct Known {
    /// The evidence, each with its kind of [`EVIDENCE`].
    pub evidence: Vec<(&'static str, String)>,
    /// The day on which it was found or last confirmed.
    pub date: Day,
    /// Patterns over names of targets, to which alone the entry applies. Without any it applies to all of the profile.
    pub targets: Vec<Pattern>,
    /// The place of the entry.
    pub location: Location,
}

impl Profile {
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
        let read = profile(&reader, &root, &source);
        let errors = reader.into_errors();
        read.ok().filter(|_| errors.is_empty()).ok_or(errors)
    }

    /// Whether it is for a target of this name.
    pub fn is_for(&self, target: &str) -> bool {
        is_among(&self.targets, target)
    }

    /// The profile with the entries alone that apply to a target of this name; `None` if it is for others.
    pub fn of(&self, target: &str) -> Option<Self> {
        let mut of = self.clone();
        of.choices.retain(|entry| is_among(&entry.known.targets, target));
        of.deviations.retain(|entry| is_among(&entry.known.targets, target));
        self.is_for(target).then_some(of)
    }

    /// Its entry for a choice.
    pub fn choice(&self, choice: Choice) -> Option<&KnownChoice> {
        self.choices.iter().find(|known| known.info.choice == choice)
    }

    /// Its entry for a deviation.
    pub fn deviation(&self, deviation: Deviation) -> Option<&KnownDeviation> {
        self.deviations.iter().find(|known| known.deviation == deviation)
    }
}

impl KnownChoice {
    /// The place of the entry and what it says: `ci/profiles/x.yaml:4:5: surface.misaligned: masked`.
    pub fn words(&self) -> String {
        format!("{}: {}: {}", self.known.place(), self.info.name, named(self.info, &self.takes))
    }
}

impl KnownDeviation {
    /// The place of the entry and what it says: `ci/profiles/x.yaml:9:5: known: suld.clamp-as-zero`.
    pub fn words(&self) -> String {
        format!("{}: known: {}", self.known.place(), self.deviation.name())
    }
}

impl Known {
    /// The place of the entry: `ci/profiles/x.yaml:9:5`.
    pub fn place(&self) -> String {
        let Location { file, range } = &self.location;
        let at = line_column(&file.text, u32::try_from(range.start).unwrap_or(u32::MAX));
        format!("{}:{}:{}", file.path.display(), at.line, at.column)
    }
}

fn is_among(targets: &[Pattern], target: &str) -> bool {
    targets.is_empty() || targets.iter().any(|pattern| pattern.matches_whole(target))
}

/// Alternatives of a choice by their names: `masked and fault`.
pub fn named(info: &ChoiceInfo, alternatives: &[u8]) -> String {
    let name = |index: &u8| info.alternatives.get(usize::from(*index)).copied().unwrap_or("?");
    alternatives.iter().map(name).collect::<Vec<_>>().join(" and ")
}

fn profile(reader: &Reader<'_>, root: &Node, source: &Arc<SourceFile>) -> Read<Profile> {
    const WHAT: &str = "a profile";
    if matches!(&root.kind, Kind::List(list) if list.is_empty()) {
        return reader.fail(&root.range(), "this profile is empty");
    }
    let fields = reader.fields(root, WHAT, &PROFILE_KEYS)?;
    let describes = fields.required(reader, "describes", "this profile");
    let describes = describes.and_then(|node| text(reader, node, "`describes`"));
    let targets = targets(reader, &fields);
    let choices = entries(reader, &fields, "choices", choice);
    let deviations = entries(reader, &fields, "deviations", deviation);
    let (choices, deviations) = (choices?, deviations?);
    twice(reader, choices.iter().map(|known| (known.info.name, &known.known)));
    twice(reader, deviations.iter().map(|known| (known.deviation.name(), &known.known)));
    Ok(Profile { source: Arc::clone(source), describes: describes?, targets: targets?, choices, deviations })
}

fn targets(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Vec<Pattern>> {
    fields.get(TARGET).map_or_else(|| Ok(Vec::new()), |node| patterns(reader, node, "`target`"))
}

/// The entries of a list that need not be there.
fn entries<T>(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    key: &str,
    one: impl Fn(&Reader<'_>, &Node) -> Read<T>,
) -> Read<Vec<T>> {
    match fields.get(key) {
        // A list whose last entry was removed.
        Some(node) if !node.is_null() => {
            let nodes = reader.list(node, &format!("`{key}`"))?;
            Ok(nodes.iter().filter_map(|node| one(reader, node).ok()).collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// Notes entries about what an earlier entry is about.
fn twice<'k>(reader: &Reader<'_>, entries: impl Iterator<Item = (&'static str, &'k Known)>) {
    let mut seen: Vec<&str> = Vec::new();
    for (name, known) in entries {
        if seen.contains(&name) {
            let error = reader.error(&known.location.range, format!("a second entry for `{name}`"));
            reader.note(error.label("expected one entry for each"));
        }
        seen.push(name);
    }
}

fn choice(reader: &Reader<'_>, node: &Node) -> Read<KnownChoice> {
    let fields = reader.fields(node, "an entry of `choices`", &CHOICE_KEYS)?;
    let info = fields.required(reader, "choice", "this entry").and_then(|node| choice_named(reader, node));
    let takes = fields.required(reader, "takes", "this entry");
    let known = known(reader, node, &fields);
    let (info, takes) = (info?, takes?);
    Ok(KnownChoice { info, takes: alternatives(reader, takes, info)?, known: known? })
}

fn choice_named(reader: &Reader<'_>, node: &Node) -> Read<&'static ChoiceInfo> {
    let name = text(reader, node, "`choice`")?;
    Choice::ALL.iter().find(|info| info.name == name).ok_or_else(|| {
        let error = reader.error(&node.range(), format!("unknown choice `{name}`"));
        let error = error.label("expected the name of a choice");
        reader.note(match closest(&name, Choice::ALL.iter().map(|info| info.name)) {
            Some(near) => error.note(format!("did you mean `{near}`?")),
            None => error.note("`warpdiff characterize` lists them"),
        })
    })
}

/// One alternative, or a list of them.
fn alternatives(reader: &Reader<'_>, node: &Node, info: &ChoiceInfo) -> Read<Vec<u8>> {
    let nodes: Vec<&Node> = match &node.kind {
        Kind::List(list) if list.is_empty() => return reader.fail(&node.range(), "`takes` is an empty list"),
        Kind::List(list) => list.iter().map(|node| &**node).collect(),
        _ => vec![node],
    };
    let one = |node: &&Node| -> Read<u8> {
        let name = text(reader, node, "`takes`")?;
        let at = (0_u8..).zip(info.alternatives).find(|(_, alternative)| **alternative == name);
        at.map(|(index, _)| index).ok_or_else(|| {
            let message = format!("`{}` has no alternative `{name}`", info.name);
            reader.unknown(&node.range(), &message, &name, info.alternatives)
        })
    };
    nodes.iter().map(one).collect()
}

fn deviation(reader: &Reader<'_>, node: &Node) -> Read<KnownDeviation> {
    let fields = reader.fields(node, "an entry of `deviations`", &DEVIATION_KEYS)?;
    let named = fields.required(reader, "deviation", "this entry");
    let deviation = named.and_then(|node| deviation_named(reader, node));
    let known = known(reader, node, &fields);
    Ok(KnownDeviation { deviation: deviation?, known: known? })
}

fn deviation_named(reader: &Reader<'_>, node: &Node) -> Read<Deviation> {
    let name = text(reader, node, "`deviation`")?;
    Deviation::from_name(&name).ok_or_else(|| {
        let error = reader.error(&node.range(), format!("unknown deviation `{name}`"));
        let error = error.label("expected the name of a deviation");
        reader.note(match closest(&name, Deviation::all().map(Deviation::name)) {
            Some(near) => error.note(format!("did you mean `{near}`?")),
            None => error.note("`warpdiff deviations` lists them"),
        })
    })
}

fn known(reader: &Reader<'_>, node: &Node, fields: &Fields<'_>) -> Read<Known> {
    let evidence = fields.required(reader, "evidence", "this entry").and_then(|node| evidence(reader, node));
    let date = fields.required(reader, "date", "this entry");
    let date = date.and_then(|node| parsed(reader, node, "`date`", "a date: 2026-11-22"));
    let targets = targets(reader, fields);
    let location = reader.location(&node.range());
    Ok(Known { evidence: evidence?, date: date?, targets: targets?, location })
}

fn evidence(reader: &Reader<'_>, node: &Node) -> Read<Vec<(&'static str, String)>> {
    let kinds = EVIDENCE.map(|(kind, _)| kind);
    let fields = reader.fields(node, "`evidence`", &kinds)?;
    let given = kinds.iter().filter_map(|kind| Some((*kind, fields.get(kind)?)));
    let read: Vec<Read<_>> = given.map(|(kind, node)| Ok((kind, text(reader, node, kind)?))).collect();
    let read: Vec<_> = read.into_iter().collect::<Read<_>>()?;
    if read.is_empty() {
        let error = reader.error(&node.range(), "this entry has no evidence");
        return Err(reader.note(error.label(format!("expected one of `{}`", kinds.join("`, `")))));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Profile, Vec<CorpusError>> {
        Profile::parse(Arc::new(SourceFile::new("chip.yaml", text)))
    }

    fn errors(text: &str) -> String {
        parse(text).unwrap_err().iter().map(|error| error.render(false)).collect::<Vec<_>>().join("\n")
    }

    const WHOLE: &str = "\
describes: a chip
target: [cuda*, recording:x]
choices:
  - choice: surface.misaligned
    takes: fault
    target: cuda*
    evidence: {command: warpdiff characterize}
    date: 2026-11-22
  - {choice: surface.layer, takes: [last-layer, out-of-bounds], evidence: {recording: golden/x}, date: 2026-11-22}
deviations:
  - deviation: suld.clamp-as-zero
    evidence: {thread: 'https://example.com/1', page: the manual}
    date: 2026-11-22
";

    #[test]
    fn a_profile_is_read_with_all_that_it_may_say() {
        let profile = parse(WHOLE).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(profile.describes, "a chip");
        assert!(profile.is_for("cuda:0") && profile.is_for("recording:x") && !profile.is_for("emulator"));
        let [misaligned, layer] = profile.choices.as_slice() else { panic!("{:?}", profile.choices) };
        assert_eq!(misaligned.words(), "chip.yaml:4:5: surface.misaligned: fault");
        assert_eq!(layer.words(), "chip.yaml:9:5: surface.layer: last-layer and out-of-bounds");
        let [clamp] = profile.deviations.as_slice() else { panic!("{:?}", profile.deviations) };
        assert_eq!(clamp.words(), "chip.yaml:11:5: known: suld.clamp-as-zero");
        let evidence = [("thread", "https://example.com/1".to_owned()), ("page", "the manual".to_owned())];
        assert_eq!(
            (clamp.known.evidence.as_slice(), clamp.known.date),
            (&evidence[..], "2026-11-22".parse().unwrap())
        );
        let of_recording = profile.of("recording:x").unwrap();
        assert!(of_recording.choices.len() == 1 && of_recording.deviations.len() == 1, "{of_recording:?}");
        assert!(profile.of("emulator").is_none());
        let for_all = parse("describes: any").unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert!(for_all.is_for("emulator") && for_all.choices.is_empty() && for_all.deviations.is_empty());
    }

    /// Each with a part of the file, what it is replaced by, and what the error says: message, place, caret.
    #[test]
    fn what_is_wrong_is_shown_at_its_place() {
        for (part, instead, said) in [
            (
                "suld.clamp-as-zero",
                "suld.clamp-as-zera",
                &[
                    "unknown deviation `suld.clamp-as-zera`",
                    "chip.yaml:11:16",
                    "^^^^",
                    "did you mean `suld.clamp-as-zero`?",
                ][..],
            ),
            (
                "surface.misaligned",
                "surface.misalined",
                &[
                    "unknown choice `surface.misalined`",
                    "chip.yaml:4:13",
                    "^^^^",
                    "did you mean `surface.misaligned`?",
                ],
            ),
            (
                "takes: fault",
                "takes: faults",
                &[
                    "`surface.misaligned` has no alternative `faults`",
                    "chip.yaml:5:12",
                    "^^^^",
                    "expected one of `masked`, `fault`",
                ],
            ),
            ("takes: fault", "takes: []", &["`takes` is an empty list", "chip.yaml:5:12"]),
            ("page:", "pages:", &["unknown key `pages`", "chip.yaml:12:49", "did you mean `page`?"]),
            ("{command: warpdiff characterize}", "{}", &["this entry has no evidence", "chip.yaml:7:15"]),
            ("warpdiff characterize}\n    date: 2026-11-22", "x}", &["`date`", "chip.yaml:4"]),
            ("date: 2026-11-22}", "date: 2026-11-31}", &["there is no day `2026-11-31`", "chip.yaml:9"]),
            ("describes: a chip\n", "", &["`describes`", "chip.yaml:1:1"]),
            (
                "choice: surface.layer, takes: [last-layer, out-of-bounds]",
                "choice: surface.misaligned, takes: masked",
                &["a second entry for `surface.misaligned`", "chip.yaml:9"],
            ),
        ] {
            let text = WHOLE.replacen(part, instead, 1);
            assert_ne!(text, WHOLE, "{part}");
            let found = errors(&text);
            assert!(said.iter().all(|words| found.contains(words)), "{instead}: {said:?}\n{found}");
        }
        assert!(errors("").contains("empty"));
        assert!(errors("- 1").contains("a map"));
    }
}

//! `requirements.yaml`: the normative statements that cases cover, in chapters.

use std::collections::HashMap;

use super::erratum::{self, Erratum, sentence};
use super::reader::{Read, Reader};
use super::yaml::{Kind, Node};
use crate::plan::Location;

/// One normative statement of the specification.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// Id: `suld.clamp.nearest`.
    pub id: String,
    /// Its kind.
    pub kind: RequirementKind,
    /// Section of the specification, as people find it.
    pub section: String,
    /// The statement in one sentence.
    pub text: String,
    /// Why it cannot be observed, for unobservable ones.
    pub why: Option<String>,
    /// Title of the chapter that it stands in; empty before the first.
    pub chapter: String,
    /// An implementation or a model that is not ours, against which the reference is held here otherwise than by running cases.
    pub witness: Option<String>,
    /// Where the specification contradicts this sentence.
    pub errata: Vec<Erratum>,
    /// Where it stands.
    pub location: Location,
}

/// The kind of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequirementKind {
    /// A conforming target does this.
    Must,
    /// A conforming target may do this.
    May,
    /// The result is undefined.
    Undefined,
    /// A program is legal or not.
    Legality,
    /// It demands nothing.
    Informative,
    /// No program can show it.
    Unobservable,
}

impl RequirementKind {
    /// Every kind with its name in `requirements.yaml`.
    pub const ALL: [(&'static str, RequirementKind); 6] = [
        ("must", RequirementKind::Must),
        ("may", RequirementKind::May),
        ("undefined", RequirementKind::Undefined),
        ("legality", RequirementKind::Legality),
        ("informative", RequirementKind::Informative),
        ("unobservable", RequirementKind::Unobservable),
    ];

    /// Its name in `requirements.yaml`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("?", |(name, _)| name)
    }

    /// Whether a case must cover it.
    pub fn needs_case(self) -> bool {
        !matches!(self, Self::Informative | Self::Unobservable)
    }
}

/// The list of requirements of a corpus.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requirements {
    /// Each of them, in the order of the file.
    pub(crate) all: Vec<Requirement>,
    /// Whether the corpus claims to have a case for each that needs one.
    pub(crate) complete: bool,
}

/// Keys of the file, if it is a map.
pub(crate) const FILE_KEYS: [&str; 2] = ["complete", "requirements"];
/// Keys of a requirement.
pub(crate) const KEYS: [&str; 7] = ["id", "kind", "section", "text", "why", "witness", "errata"];
/// The only key of a heading, which begins a chapter.
pub(crate) const CHAPTER: &str = "chapter";

/// Reads the file: a list of requirements, or a map with the list and with what the corpus claims. Wrong requirements are noted and
/// left out.
pub(crate) fn read(reader: &Reader<'_>, root: &Node) -> Requirements {
    if matches!(root.kind, Kind::List(_)) {
        return Requirements { all: read_list(reader, root), complete: false };
    }
    let mut found = Requirements::default();
    let what = "`requirements.yaml`";
    if !matches!(root.kind, Kind::Map(_)) {
        let _: Read<()> = reader.expected(root, what, "a list, or a map with `requirements` and `complete`");
        return found;
    }
    let Ok(fields) = reader.fields(root, what, &FILE_KEYS) else { return found };
    if let Ok(list) = fields.required(reader, "requirements", what) {
        found.all = read_list(reader, list);
    }
    if let Some(node) = fields.get("complete") {
        found.complete = reader.boolean(node, "`complete`").unwrap_or(false);
    }
    found
}

fn read_list(reader: &Reader<'_>, root: &Node) -> Vec<Requirement> {
    let mut found: Vec<Requirement> = Vec::new();
    let mut ids: HashMap<String, usize> = HashMap::new();
    let Ok(list) = reader.list(root, "the list of requirements") else { return found };
    let mut chapter = String::new();
    for node in list {
        if is_heading(node) {
            let Ok(title) = heading(reader, node) else { continue };
            if title == chapter || found.iter().any(|known| known.chapter == title) {
                reader.note(reader.error(&node.range(), format!("chapter `{title}` begins twice")));
            }
            chapter = title;
            continue;
        }
        let Ok(requirement) = one(reader, node, &chapter) else { continue };
        if ids.insert(requirement.id.clone(), found.len()).is_some() {
            let error = reader.error(
                &requirement.location.range,
                format!("requirement `{}` appears twice", requirement.id),
            );
            reader.note(error);
            continue;
        }
        found.push(requirement);
    }
    found
}

/// Whether an entry is the heading of a chapter.
fn is_heading(node: &Node) -> bool {
    matches!(&node.kind, Kind::Map(entries) if entries.iter().any(|(key, _)| key.text == CHAPTER))
}

fn heading(reader: &Reader<'_>, node: &Node) -> Read<String> {
    let fields = reader.fields(node, "a heading", &[CHAPTER])?;
    sentence(reader, fields.required(reader, CHAPTER, "this heading")?, "`chapter`")
}

fn one(reader: &Reader<'_>, node: &Node, chapter: &str) -> Read<Requirement> {
    let fields = reader.fields(node, "a requirement", &KEYS)?;
    let text = |key: &str| -> Read<String> {
        reader.verbatim(fields.required(reader, key, "this requirement")?, &format!("`{key}`"))
    };
    let id_node = fields.required(reader, "id", "this requirement")?;
    let id = text("id")?;
    if id.is_empty() || !id.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b'_')) {
        let error = reader.error(&id_node.range(), format!("`{id}` cannot be an id"));
        return Err(reader.note(error.label("expected letters, digits, `.`, `-` or `_`")));
    }
    let kind_node = fields.required(reader, "kind", "this requirement")?;
    let kind = reader.one_of(kind_node, "kind of requirement", &RequirementKind::ALL)?;
    let why = if fields.has("why") { Some(text("why")?) } else { None };
    if kind == RequirementKind::Unobservable && why.is_none() {
        return reader.fail(&kind_node.range(), format!("`{id}` is unobservable: say `why`"));
    }
    let witness = fields.get("witness").map(|node| sentence(reader, node, "`witness`")).transpose()?;
    let errata = fields.get("errata").map(|node| erratum::read(reader, node)).transpose()?;
    Ok(Requirement {
        section: text("section")?,
        text: text("text")?,
        why,
        chapter: chapter.to_owned(),
        witness,
        errata: errata.unwrap_or_default(),
        location: reader.location(&id_node.range()),
        id,
        kind,
    })
}

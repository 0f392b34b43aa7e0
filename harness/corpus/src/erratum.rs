//! `errata` of a requirement: where the specification contradicts itself, its examples, or NVIDIA's assembler, with both readings.

use super::reader::{Read, Reader};
use super::yaml::{Kind, Node};
use crate::plan::Location;

/// A place where the specification contradicts itself, one of its examples, or NVIDIA's assembler.
#[derive(Clone, Debug)]
pub struct Erratum {
    /// What contradicts what.
    pub between: Between,
    /// Both readings.
    pub readings: [String; 2],
    /// The reading that the reference takes.
    pub taken: Taken,
    /// Why it takes that one.
    pub why: String,
    /// What shows the contradiction: an implementation, a table, a sentence of another text.
    pub witness: String,
    /// Where it stands.
    pub location: Location,
}

/// What contradicts what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Between {
    /// Two passages of the text, or of two editions of it.
    Text,
    /// The text and one of its printed examples.
    Example,
    /// The text and NVIDIA's assembler.
    Assembler,
}

/// The reading that the reference takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Taken {
    /// The first.
    First,
    /// The second.
    Second,
    /// It allows both.
    Both,
}

impl Between {
    /// Every value with its name in `requirements.yaml`.
    pub const ALL: [(&'static str, Self); 3] =
        [("text", Self::Text), ("example", Self::Example), ("assembler", Self::Assembler)];

    /// In words, as a title.
    pub fn words(self) -> &'static str {
        match self {
            Self::Text => "The text and itself",
            Self::Example => "The text and its examples",
            Self::Assembler => "The text and NVIDIA's assembler",
        }
    }
}

impl Taken {
    /// Every value with its name in `requirements.yaml`.
    pub const ALL: [(&'static str, Self); 3] =
        [("first", Self::First), ("second", Self::Second), ("both", Self::Both)];

    /// Whether the reading at that place, 0 or 1, is taken.
    pub fn has(self, place: usize) -> bool {
        match self {
            Self::First => place == 0,
            Self::Second => place == 1,
            Self::Both => true,
        }
    }
}

/// Keys of an erratum; all of them are needed.
pub(crate) const KEYS: [&str; 5] = ["between", "readings", "taken", "why", "witness"];

/// Reads the list of a requirement.
pub(crate) fn read(reader: &Reader<'_>, node: &Node) -> Read<Vec<Erratum>> {
    reader.list(node, "`errata`")?.iter().map(|node| one(reader, node)).collect()
}

fn one(reader: &Reader<'_>, node: &Node) -> Read<Erratum> {
    let fields = reader.fields(node, "an erratum", &KEYS)?;
    let needed = |key: &str| fields.required(reader, key, "this erratum");
    let between = reader.one_of(needed("between")?, "kind of erratum", &Between::ALL)?;
    let taken = reader.one_of(needed("taken")?, "reading", &Taken::ALL)?;
    let readings = needed("readings")?;
    let Kind::List(both) = &readings.kind else {
        return reader.expected(readings, "`readings`", "a list of two");
    };
    let [first, second] = both.as_slice() else {
        return reader.fail(&readings.range(), format!("an erratum has two readings, not {}", both.len()));
    };
    let readings = [sentence(reader, first, "a reading")?, sentence(reader, second, "a reading")?];
    Ok(Erratum {
        between,
        readings,
        taken,
        why: sentence(reader, needed("why")?, "`why`")?,
        witness: sentence(reader, needed("witness")?, "`witness`")?,
        location: reader.location(&node.range()),
    })
}

/// A text that says something.
pub(crate) fn sentence(reader: &Reader<'_>, node: &Node, what: &str) -> Read<String> {
    let text = reader.verbatim(node, what)?;
    match text.trim().is_empty() {
        true => reader.fail(&node.range(), format!("{what} is empty")),
        false => Ok(text),
    }
}

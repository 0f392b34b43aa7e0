//! YAML text → tree of nodes, each with its byte range; limits of size, depth and keys. The only module that knows the YAML
//! library.
//!
//! The library's event parser is used directly: every scalar keeps its own spelling (`0x10` and `16` are told apart), every
//! node its exact range, and aliases are expanded under a budget counted in nodes, so that no small file becomes a large
//! tree.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde_yaml::granit_parser::{Event, Parser, ScalarStyle, Span};

use super::error::CorpusError;
use crate::location::{Location, SourceFile};
use crate::row::SmallRange;
use ecow::EcoString;

/// Largest corpus file, in bytes.
pub const MAX_FILE_SIZE: u64 = 8 << 20;
/// Most nodes of a file after its aliases are expanded.
const MAX_NODES: usize = 2_000_000;
/// Most keys of one map.
const MAX_KEYS: usize = 1024;
/// Deepest nesting.
const MAX_DEPTH: usize = 32;

/// A value with its place.
#[derive(Clone, Debug)]
pub struct Node {
    place: SmallRange,
    /// Its kind and contents.
    pub kind: Kind,
    /// Nodes in it, itself included.
    size: u32,
}

/// The kind and contents of a node.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A scalar; its reader decides whether it is a number or a text.
    Scalar(Scalar),
    /// `[…]` or lines with `-`.
    List(Vec<Arc<Node>>),
    /// `{…}` or lines with `key:`, in order, keys distinct.
    Map(Vec<(Key, Arc<Node>)>),
}

/// A scalar.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// Its value after YAML's own unescaping and folding.
    pub text: EcoString,
    /// Whether it was written without quotes on one or more lines (so that an empty one means "nothing").
    pub plain: bool,
    /// The range of its spelling; differs from the node's range for an alias.
    source: SmallRange,
}

/// A key of a map.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its text.
    pub text: EcoString,
    place: SmallRange,
}

impl Key {
    /// Its place.
    pub fn range(&self) -> Range<usize> {
        self.place.bytes()
    }

    /// The key as a scalar.
    pub(crate) fn scalar(&self) -> Scalar {
        Scalar { text: self.text.clone(), plain: false, source: self.place }
    }
}

impl Scalar {
    /// The range of its spelling; differs from the node's range for an alias.
    pub fn source(&self) -> Range<usize> {
        self.source.bytes()
    }
}

impl Node {
    /// Byte range in the file. An alias has the range of its `*name`.
    pub fn range(&self) -> Range<usize> {
        self.place.bytes()
    }

    /// Whether it is YAML's null: `~`, `null` or nothing.
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(s) if s.plain && matches!(&*s.text, "" | "~" | "null"))
    }

    /// Its kind, for messages.
    pub fn noun(&self) -> &'static str {
        match &self.kind {
            _ if self.is_null() => "nothing",
            Kind::Scalar(_) => "a single value",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
        }
    }
}

/// Reads a file that holds one YAML document. An empty file is an empty list.
///
/// # Errors
/// The first thing that is not valid, with its place.
pub fn parse(file: &Arc<SourceFile>) -> Result<Arc<Node>, CorpusError> {
    let error = |range: Range<usize>, message: String| {
        CorpusError::new(Location { file: Arc::clone(file), range }, message)
    };
    let mut tree = Tree { stack: Vec::new(), anchors: HashMap::new(), nodes: 0, root: None };
    let options = serde_yaml::granit_parser::options! { emit_comments: false };
    for next in Parser::new_from_str_with_options(&file.text, options) {
        let (event, span) = next.map_err(|e| {
            let at = e.marker().byte_offset().unwrap_or(0).min(file.text.len());
            // At a tab the parser names the value that it was reading.
            let tab = e.info().contains("tab").then(|| file.text.get(at..)?.find('\t')).flatten();
            let at = at + tab.unwrap_or(0);
            error(at..at + 1, format!("not valid YAML: {}", e.info()))
        })?;
        let range = byte_range(&span, &file.text);
        tree.event(event, range.clone()).map_err(|message| error(range, message))?;
    }
    Ok(tree.root.unwrap_or_else(|| {
        Arc::new(Node { place: SmallRange::of(&(0..0)), kind: Kind::List(Vec::new()), size: 1 })
    }))
}

fn byte_range(span: &Span, text: &str) -> Range<usize> {
    let range = span.byte_range().unwrap_or(0..0);
    range.start.min(text.len())..range.end.min(text.len()).max(range.start.min(text.len()))
}

/// A collection that is still open.
struct Open {
    range: Range<usize>,
    anchor: usize,
    kind: Kind,
    key: Option<Key>,
    size: u32,
}

struct Tree {
    stack: Vec<Open>,
    anchors: HashMap<usize, Arc<Node>>,
    nodes: usize,
    root: Option<Arc<Node>>,
}

impl Tree {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                no_tag(tag.is_some())?;
                let plain = style == ScalarStyle::Plain;
                self.count(1)?;
                let place = SmallRange::of(&range);
                let scalar = Scalar { text: (*text).into(), plain, source: place };
                self.add(Node { place, kind: Kind::Scalar(scalar), size: 1 }, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                no_tag(tag.is_some())?;
                self.open(range, anchor, Kind::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                no_tag(tag.is_some())?;
                self.open(range, anchor, Kind::Map(Vec::new()))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.count(1)?;
                let open = self.stack.pop().ok_or("unbalanced collection")?;
                let place = SmallRange::of(&(open.range.start..range.end.max(open.range.start)));
                let mut kind = open.kind;
                // Rows of a table are many, and have few keys.
                if let Kind::Map(entries) = &mut kind {
                    entries.shrink_to_fit();
                }
                self.add(Node { place, kind, size: open.size + 1 }, open.anchor)
            }
            Event::Alias(id) => {
                let node = self.anchors.get(&id).ok_or("an alias inside the node it stands for")?;
                let node = Node { place: SmallRange::of(&range), kind: node.kind.clone(), size: node.size };
                self.count(node.size as usize)?;
                self.add(node, 0)
            }
            Event::DocumentStart(..) if self.root.is_some() => {
                Err("a second YAML document: a corpus file holds one".into())
            }
            _ => Ok(()),
        }
    }

    /// Counts nodes against the budget; an alias counts as all nodes that it expands to.
    fn count(&mut self, nodes: usize) -> Result<(), String> {
        self.nodes += nodes;
        if self.nodes <= MAX_NODES {
            return Ok(());
        }
        Err(format!("more than {MAX_NODES} values in one file (aliases count for all they stand for)"))
    }

    fn open(&mut self, range: Range<usize>, anchor: usize, kind: Kind) -> Result<(), String> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(format!("nested more than {MAX_DEPTH} levels deep"));
        }
        self.stack.push(Open { range, anchor, kind, key: None, size: 0 });
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), String> {
        let node = Arc::new(node);
        if anchor != 0 {
            self.anchors.insert(anchor, Arc::clone(&node));
        }
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.size += node.size;
        match &mut open.kind {
            Kind::Scalar(_) => {}
            Kind::List(list) => list.push(node),
            Kind::Map(entries) => match open.key.take() {
                None => open.key = Some(key(&node, entries)?),
                Some(key) => entries.push((key, node)),
            },
        }
        Ok(())
    }
}

/// A node as the next key of a map.
fn key(node: &Node, entries: &[(Key, Arc<Node>)]) -> Result<Key, String> {
    let Kind::Scalar(scalar) = &node.kind else { return Err(format!("{} as a key", node.noun())) };
    if scalar.plain && scalar.text == "<<" {
        return Err("unsupported: merge keys (`<<`)".into());
    }
    // A scan, not a set: maps of the format have few keys, and the limit keeps a hostile one from taking quadratic time.
    if entries.len() >= MAX_KEYS {
        return Err(format!("more than {MAX_KEYS} keys in one map"));
    }
    if entries.iter().any(|(known, _)| known.text == scalar.text) {
        return Err(format!("key `{}` appears twice", scalar.text));
    }
    Ok(Key { text: scalar.text.clone(), place: node.place })
}

fn no_tag(tagged: bool) -> Result<(), String> {
    if tagged { Err("unsupported: YAML tags (`!…`)".into()) } else { Ok(()) }
}

/// A file as an editor's schema checker sees it: plain scalars become numbers and booleans where YAML takes them for such.
#[cfg(test)]
pub(crate) fn as_json(file: &Arc<SourceFile>) -> Result<serde_json::Value, CorpusError> {
    fn of(node: &Node) -> serde_json::Value {
        match &node.kind {
            _ if node.is_null() => serde_json::Value::Null,
            Kind::Scalar(scalar) if scalar.plain => of_plain(&scalar.text),
            Kind::Scalar(scalar) => scalar.text.to_string().into(),
            Kind::List(list) => list.iter().map(|node| of(node)).collect(),
            Kind::Map(entries) => {
                entries.iter().map(|(key, node)| (key.text.to_string(), of(node))).collect()
            }
        }
    }
    fn of_plain(text: &str) -> serde_json::Value {
        if let Ok(truth) = text.parse::<bool>() {
            return truth.into();
        }
        match super::value::integer(text) {
            Some(value) if value < 0 => i64::try_from(value).map_or(text.into(), Into::into),
            Some(value) => u64::try_from(value).map_or(text.into(), Into::into),
            None if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                text.parse::<f64>().map_or(text.into(), Into::into)
            }
            None => text.into(),
        }
    }
    parse(file).map(|node| of(&node))
}

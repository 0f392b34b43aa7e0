//! The keys of expectations: values, memory, faults, alternatives, undefined bits.

use std::collections::HashSet;
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::{FaultClass, RegionKind};

use super::byte_strings::EcoBytes;
use super::numbers::{self, FileValues, Special};
use super::reader::{Fields, Read, Reader, near};
use super::value::{Element, integer};
use super::yaml::{Key, Kind, Node};
use crate::plan::{Expectation, Expected, StatedSubject, noun};
pub(crate) use crate::stated::Stated;

impl Stated {
    /// What a word of a file of values states, if it is not a single value: `undefined`, for floating-point numbers `any-nan`, or
    /// `{any: [a, b]}` as in YAML.
    ///
    /// # Errors
    /// The expected value, as the label of a caret.
    pub(crate) fn of_word(word: &str, element: Element) -> Option<Result<Self, String>> {
        match word {
            "undefined" => Some(Ok(Self::Undefined)),
            "any-nan" if element.is_float() => Some(Ok(Self::Nan)),
            _ => Some(alternatives(word.strip_prefix('{')?, element)),
        }
    }

    /// The same as what is expected of the `size` bytes at `offset` of a region.
    pub(crate) fn expected(
        self,
        region: RegionKind,
        name: &Arc<str>,
        offset: usize,
        size: usize,
    ) -> Expected {
        let name = Arc::clone(name);
        match self {
            Self::Bytes { alternatives, mask, or_undefined } => {
                Expected::Bytes { region, name, offset, alternatives, mask, or_undefined }
            }
            Self::Undefined => Expected::Undefined { region, name, range: offset..offset + size },
            Self::Nan => Expected::Nan { region, name, range: offset..offset + size },
            Self::Between(ends) => Expected::Between { region, name, offset, ends },
        }
    }

    /// One of these values; `or_undefined` if undefined bits are an alternative.
    fn one_of(values: Vec<(Vec<u8>, Vec<u8>)>, or_undefined: bool) -> Self {
        if values.is_empty() {
            return Self::Undefined;
        }
        let (alternatives, masks): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        let mask = masks
            .into_iter()
            .reduce(|a, b| a.iter().zip(b).map(|(a, b)| a & b).collect())
            .unwrap_or_default();
        Self::Bytes { alternatives: alternatives.into(), mask: mask.into(), or_undefined }
    }
}

/// Reads the rest of `{any: [a, b]}` after its first brace.
fn alternatives(rest: &str, element: Element) -> Result<Stated, String> {
    let list = || {
        let rest = rest.strip_suffix('}')?.trim().strip_prefix("any")?.trim_start().strip_prefix(':')?;
        rest.trim().strip_prefix('[')?.strip_suffix(']')
    };
    let list = list().ok_or("expected `{any: [a, b]}` on one line")?.trim();
    if list.is_empty() {
        return Err("`any` needs an alternative: expected `{any: [a, b]}`".into());
    }
    // As in YAML, a comma may stand behind the last value.
    let list = list.strip_suffix(',').unwrap_or(list);
    let (mut values, mut or_undefined) = (Vec::new(), false);
    for word in list.split(',').map(str::trim) {
        match word {
            "" => return Err("expected a value before each comma".into()),
            "undefined" => or_undefined = true,
            _ => values.push((element.encode(word)?, element.mask(word))),
        }
    }
    Ok(Stated::one_of(values, or_undefined))
}

/// Reads a value, `undefined`, for floating-point numbers `any-nan` or `{between: [a, b]}`, or `{any: [a, b]}`, whose alternatives may
/// include `undefined`.
pub(crate) fn stated(
    reader: &Reader<'_>,
    node: &Node,
    element: Element,
    what: &(impl Display + ?Sized),
) -> Read<Stated> {
    if let Kind::Map(entries) = &node.kind {
        let what = &what.to_string();
        if entries.iter().any(|(key, _)| key.text == "between") {
            return between(reader, node, element, what);
        }
        let fields = reader.fields(node, what, &["any", "between"])?;
        let list = reader.list(fields.required(reader, "any", what)?, "`any`")?;
        if list.is_empty() {
            return reader.fail(&node.range(), "`any` needs an alternative");
        }
        let mut values = Vec::new();
        let mut or_undefined = false;
        for node in list {
            if reader.word(node, what)? == "undefined" {
                or_undefined = true;
            } else {
                values.push(value(reader, node, element, what)?);
            }
        }
        return Ok(Stated::one_of(values, or_undefined));
    }
    let word = reader.word_of(node, what)?;
    if *word == *"undefined" {
        return Ok(Stated::Undefined);
    }
    if element.is_float() && *word == *"any-nan" {
        return Ok(Stated::Nan);
    }
    let bytes = element.encode(&word).map_err(|label| {
        let error = reader.error(&node.range(), format!("{what} cannot be `{word}`")).label(label);
        reader.note(match near(&word, ["undefined"]) {
            Some(near) => error.note(format!("did you mean `{near}`?")),
            None => error,
        })
    })?;
    let mask = element.mask(&word);
    Ok(Stated::Bytes { alternatives: vec![bytes].into(), mask: mask.into(), or_undefined: false })
}

/// Reads `{between: [a, b]}`.
fn between(reader: &Reader<'_>, node: &Node, element: Element, what: &str) -> Read<Stated> {
    let fields = reader.fields(node, what, &["between"])?;
    let ends = fields.required(reader, "between", what)?;
    if !element.is_float() {
        let error = reader.error(&node.range(), format!("{what} cannot have a range of values"));
        return Err(reader.note(error.label("only a floating-point number is specified within a bound")));
    }
    let [low, high] = reader.list(ends, "`between`")? else {
        return reader.fail(&ends.range(), "`between` needs two numbers, the least and the greatest");
    };
    let number = |node: &Node| -> Read<(f64, EcoBytes)> {
        let (bytes, _) = value(reader, node, element, what)?;
        let number = element.number(&bytes);
        if number.is_nan() {
            return reader.fail(&node.range(), "`between` needs two numbers, the least and the greatest");
        }
        Ok((number, bytes.into()))
    };
    let ((least, first), (greatest, second)) = (number(low)?, number(high)?);
    if least > greatest {
        return reader.fail(&ends.range(), "the least number of `between` comes first");
    }
    Ok(Stated::Between([first, second]))
}

/// Reads a value: its bytes and the mask of stated bits.
pub(crate) fn value(
    reader: &Reader<'_>,
    node: &Node,
    element: Element,
    what: &(impl Display + ?Sized),
) -> Read<(Vec<u8>, Vec<u8>)> {
    let word = reader.word_of(node, what)?;
    encoded(reader, node, &word, element, what)
}

/// The bytes and the mask of a value's text.
pub(crate) fn encoded(
    reader: &Reader<'_>,
    node: &Node,
    word: &str,
    element: Element,
    what: &(impl Display + ?Sized),
) -> Read<(Vec<u8>, Vec<u8>)> {
    match element.encode(word) {
        Ok(bytes) => Ok((bytes, element.mask(word))),
        Err(label) => {
            Err(reader.note(reader.error(&node.range(), format!("{what} cannot be `{word}`")).label(label)))
        }
    }
}

/// The class of a fault.
pub(crate) fn fault_class(reader: &Reader<'_>, node: &Node) -> Read<FaultClass> {
    let known: Vec<(&str, FaultClass)> =
        FaultClass::ALL.iter().map(|(class, name)| (*name, *class)).collect();
    reader.one_of(node, "fault class", &known)
}

/// The keys `fault` and `may-fault`.
pub(crate) fn faults(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Vec<Expectation>> {
    let mut found = Vec::new();
    if let Some(node) = fields.get("fault") {
        let what = Expected::Fault(fault_class(reader, node)?);
        found.push(expectation(reader, what, &node.range(), StatedSubject::Other("the fault".into())));
    }
    if let Some(node) = fields.get("may-fault") {
        let what = Expected::MayFault(fault_class(reader, node)?);
        found.push(expectation(
            reader,
            what,
            &node.range(),
            StatedSubject::Other("the permitted fault".into()),
        ));
    }
    Ok(found)
}

/// An expectation at a range of the reader's file.
pub(crate) fn expectation(
    reader: &Reader<'_>,
    what: Expected,
    range: &Range<usize>,
    subject: StatedSubject,
) -> Expectation {
    Expectation { what, location: reader.location(range), subject, row: None, file: None }
}

/// A region with stated elements.
pub(crate) struct StatedMemory<'a> {
    /// Kind of region.
    pub(crate) kind: RegionKind,
    /// Name of the region.
    pub(crate) name: Arc<str>,
    /// Type of its elements.
    pub(crate) element: Element,
    /// Its bytes before the launch.
    pub(crate) before: &'a [u8],
    /// Mask of the bits that are defined before the launch; empty when all are.
    pub(crate) defined: &'a [u8],
}

impl StatedMemory<'_> {
    fn noun(&self) -> String {
        format!("{} `{}`", noun(self.kind), self.name)
    }

    fn size(&self) -> usize {
        self.element.size() as usize
    }

    fn count(&self) -> usize {
        self.before.len() / self.size()
    }

    /// Reads the expectations of the region: a list of all its elements, a map of some with the rest unchanged, or a file of
    /// numbers.
    pub(crate) fn expectations(&self, reader: &Reader<'_>, node: &Node) -> Read<Vec<Expectation>> {
        match &node.kind {
            Kind::Map(entries) if entries.iter().any(|(key, _)| key.text == "numbers") => {
                self.file(reader, node)
            }
            Kind::Map(_) => self.some(reader, node),
            Kind::List(list) => {
                if list.len() != self.count() {
                    return self.wrong_count(reader, &node.range(), list.len());
                }
                let stated = list.iter().enumerate().filter(|(_, node)| !node.is_null());
                stated.map(|(index, node)| self.element(reader, index, node)).collect()
            }
            Kind::Scalar(_) => reader.expected(node, &self.noun(), "a list of all elements or a map of some"),
        }
    }

    fn wrong_count<T>(&self, reader: &Reader<'_>, range: &Range<usize>, found: usize) -> Read<T> {
        let error = reader.error(range, format!("{found} values for {}", self.noun()));
        Err(reader.note(error.label(format!("it has {} elements", self.count()))))
    }

    fn element(&self, reader: &Reader<'_>, index: usize, node: &Node) -> Read<Expectation> {
        let subject = self.subject(index);
        let stated = stated(reader, node, self.element, &subject)?;
        let what = self.expected(stated, index);
        Ok(expectation(reader, what, &node.range(), subject))
    }

    fn expected(&self, stated: Stated, index: usize) -> Expected {
        stated.expected(self.kind, &self.name, index * self.size(), self.size())
    }

    fn some(&self, reader: &Reader<'_>, node: &Node) -> Read<Vec<Expectation>> {
        let mut found = Vec::new();
        let mut indices = HashSet::new();
        let mut rest =
            if self.defined.is_empty() { vec![0xff; self.before.len()] } else { self.defined.to_vec() };
        let noun = self.noun();
        for (key, value) in reader.entries(node, &noun)?.entries {
            let index = element_index(reader, key, self.count(), &noun, &mut indices)?;
            found.push(self.element(reader, index, value)?);
            rest[index * self.size()..(index + 1) * self.size()].fill(0);
        }
        if rest.iter().any(|mask| *mask != 0) {
            reader.spend(&node.range(), 2 * rest.len())?;
            let (region, name) = (self.kind, Arc::clone(&self.name));
            let what = Expected::Bytes {
                region,
                name,
                offset: 0,
                alternatives: reader.shared_bytes(self.before).into(),
                mask: reader.shared_bytes(&rest),
                or_undefined: false,
            };
            found.push(expectation(
                reader,
                what,
                &node.range(),
                StatedSubject::Other(format!("the rest of {noun} (unchanged)").into()),
            ));
        }
        Ok(found)
    }

    /// Reads `{numbers: path}`, and elements beside it, which count in place of those of the file: `{numbers: path, 5: undefined}`.
    fn file(&self, reader: &Reader<'_>, node: &Node) -> Read<Vec<Expectation>> {
        let noun = self.noun();
        let fields = reader.entries(node, &noun)?;
        let path = fields.required(reader, "numbers", &noun)?;
        let FileValues { file, bytes, mut mask, special } = numbers::read(reader, path, self.element, &noun)?;
        if bytes.len() != self.before.len() {
            return self.wrong_count(reader, &node.range(), bytes.len() / self.size());
        }
        let mut instead = HashSet::new();
        let mut found = Vec::new();
        for (key, value) in fields.entries.iter().filter(|(key, _)| key.text != "numbers") {
            let index = element_index(reader, key, self.count(), &noun, &mut instead)?;
            mask[index * self.size()..(index + 1) * self.size()].fill(0);
            if !value.is_null() {
                found.push(self.element(reader, index, value)?);
            }
        }
        for Special { index, stated, location } in special {
            let Some(stated) = stated.filter(|_| !instead.contains(&index)) else { continue };
            let (what, subject) = (self.expected(stated, index), self.subject(index));
            found.push(Expectation { what, location, subject, row: None, file: None });
        }
        if mask.iter().any(|mask| *mask != 0) {
            reader.spend(&node.range(), mask.len())?;
            let (region, name) = (self.kind, Arc::clone(&self.name));
            let what = Expected::Bytes {
                region,
                name,
                offset: 0,
                alternatives: vec![bytes].into(),
                mask: mask.into(),
                or_undefined: false,
            };
            let whole = expectation(reader, what, &node.range(), StatedSubject::Other(self.noun().into()));
            found.insert(0, Expectation { file: Some(Box::new(file)), ..whole });
        }
        Ok(found)
    }

    fn subject(&self, index: usize) -> StatedSubject {
        StatedSubject::Element { index, kind: self.kind, name: Arc::clone(&self.name) }
    }

    /// Reads the indices of elements that must be undefined.
    pub(crate) fn undefined(&self, reader: &Reader<'_>, node: &Node) -> Read<Vec<Expectation>> {
        let last = self.count() as i128 - 1;
        let mut found = Vec::new();
        for entry in reader.list(node, &format!("the undefined elements of {}", self.noun()))? {
            let index = reader.integer(entry, &format!("an index of {}", self.noun()), 0..=last)? as usize;
            let what = self.expected(Stated::Undefined, index);
            found.push(expectation(reader, what, &entry.range(), self.subject(index)));
        }
        Ok(found)
    }
}

/// The index that the key of an element is. It must be below `count` and is added to those `seen`.
pub(crate) fn element_index(
    reader: &Reader<'_>,
    key: &Key,
    count: usize,
    what: &str,
    seen: &mut HashSet<usize>,
) -> Read<usize> {
    let text = reader.key(key)?;
    let index = integer(&text).and_then(|index| usize::try_from(index).ok());
    let Some(index) = index.filter(|index| *index < count) else {
        let error = reader.error(&key.range(), format!("`{text}` is not an element of {what}"));
        return Err(reader.note(error.label(format!("expected an index below {count} or `numbers`"))));
    };
    if !seen.insert(index) {
        return reader.fail(&key.range(), format!("element {index} of {what} appears twice"));
    }
    Ok(index)
}

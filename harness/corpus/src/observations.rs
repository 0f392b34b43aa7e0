//! The key `observations`: what a target may have done, and what it may not, written by hand.
//!
//! `expect` states what the reference computes. This states how it judges: which values of a target it has to admit although its own are
//! others, because another order of the threads gives them, and which it has to refuse.

use warpdiff_model::RegionKind;

use super::byte_strings::EcoBytes;
use super::columns::ColumnRecord;
use super::error::CorpusError;
use super::expectations;
use super::reader::{Fields, Read, Reader};
use super::resources::Resources;
use super::yaml::Node;
use crate::location::Location;
use crate::plan::{Expectation, Expected, PlannedLaunch};

/// The keys, with whether the observations below are admitted.
pub(crate) const KEYS: [(&str, bool); 2] = [("admitted", true), ("refused", false)];
/// The keys of an observation.
pub(crate) const ENTRY_KEYS: [&str; 3] = ["outputs", "memory", "image"];

/// An observation that a case states, and its verdict.
#[derive(Clone, Debug)]
pub struct StatedObservation {
    /// Whether the reference has to admit it; else it has to refuse it.
    pub is_admitted: bool,
    /// What the target left behind; all other bytes are those of the reference.
    pub bytes: Vec<StatedBytes>,
    /// Where it stands.
    pub location: Location,
}

/// Bytes that a target left behind.
#[derive(Clone, Debug)]
pub struct StatedBytes {
    /// Kind of region.
    pub region: RegionKind,
    /// Name of the region.
    pub name: String,
    /// Offset in bytes.
    pub offset: usize,
    /// The bytes.
    pub bytes: EcoBytes,
    /// The bits of them that are stated.
    pub mask: EcoBytes,
}

/// Reads the key `observations`. `columns` are the outputs of a table, with the number of its rows.
pub(crate) fn read(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    resources: &Resources,
    columns: Option<(&ColumnRecord, usize)>,
) -> Read<Vec<StatedObservation>> {
    let Some(node) = fields.get("observations") else { return Ok(Vec::new()) };
    let fields = reader.fields(node, "`observations`", &KEYS.map(|(key, _)| key))?;
    let mut found = Vec::new();
    for (key, is_admitted) in KEYS {
        let Some(node) = fields.get(key) else { continue };
        for node in reader.list(node, &format!("`{key}`"))? {
            let bytes = observed(reader, node, resources, columns)?;
            found.push(StatedObservation { is_admitted, bytes, location: reader.location(&node.range()) });
        }
    }
    if found.is_empty() {
        return reader.fail(&node.range(), "`observations` states none: it needs `admitted` or `refused`");
    }
    Ok(found)
}

/// Reads what one target left behind.
fn observed(
    reader: &Reader<'_>,
    node: &Node,
    resources: &Resources,
    columns: Option<(&ColumnRecord, usize)>,
) -> Read<Vec<StatedBytes>> {
    let fields = reader.fields(node, "an observation", &ENTRY_KEYS)?;
    let mut bytes = match fields.get("outputs") {
        Some(node) => outputs(reader, node, columns)?,
        None => Vec::new(),
    };
    for expectation in resources.after(reader, &fields)? {
        bytes.push(definite(reader, expectation)?);
    }
    if bytes.is_empty() {
        return reader.expected(node, "an observation", "`{outputs: …}`, `{memory: …}` or `{image: …}`");
    }
    Ok(bytes)
}

/// The bytes of an expectation that states one value.
fn definite(reader: &Reader<'_>, expectation: Expectation) -> Read<StatedBytes> {
    let Expectation { what, location, .. } = expectation;
    if let Expected::Bytes { region, name, offset, alternatives, mask, or_undefined: false } = what
        && let [bytes] = &alternatives[..]
    {
        return Ok(StatedBytes { region, name: name.to_string(), offset, bytes: bytes.clone(), mask });
    }
    let error = CorpusError::new(location, "a target has one value there");
    Err(reader.note(error.label("expected a value: what targets may do is stated by several observations")))
}

/// Reads `outputs`: for each column a list of its values, one for each row; `~` leaves the reference's.
fn outputs(
    reader: &Reader<'_>,
    node: &Node,
    columns: Option<(&ColumnRecord, usize)>,
) -> Read<Vec<StatedBytes>> {
    let Some((record, rows)) = columns else {
        return reader.fail(&node.range(), "a whole program has no outputs, but `memory`");
    };
    let mut found = Vec::new();
    for (key, node) in reader.entries(node, "`outputs`")?.entries {
        let Some(position) = record.position(&key.text) else {
            let known: Vec<&str> = record.names().collect();
            let message = format!("no output is called `{}`", key.text);
            return Err(reader.unknown(&key.range(), &message, &key.text, &known));
        };
        let values = reader.list(node, "the values of an output")?;
        if values.len() != rows {
            let error = reader.error(&node.range(), format!("a list of {} for {rows} rows", values.len()));
            return Err(reader.note(error.label("expected a value for each row")));
        }
        let place = &record.columns[position].0;
        for (row, node) in values.iter().enumerate().filter(|(_, node)| !node.is_null()) {
            let what = format!("output `{}` of row {row}", key.text);
            let (bytes, mask) = expectations::value(reader, node, record.elements[position], &what)?;
            found.push(StatedBytes {
                region: RegionKind::Buffer,
                name: PlannedLaunch::OUTPUTS.to_owned(),
                offset: row * record.stride as usize + place.offset as usize,
                bytes: bytes.into(),
                mask: mask.into(),
            });
        }
    }
    Ok(found)
}

/// Notes that a table of isolated rows has `observations`.
pub(crate) fn not_of_isolated_rows(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<()> {
    let Some(range) = fields.key_range("observations") else { return Ok(()) };
    let error = reader.error(&range, "`observations` is for rows launched together");
    let note = "an observation is of a launch: `launch: together` makes all rows the threads of one block";
    Err(reader.note(error.label("these rows are isolated from each other").note(note)))
}

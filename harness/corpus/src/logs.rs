//! The key `logs`: buffers in which threads log their attempts of compare-and-swap.

use std::ops::Range;

use warpdiff_model::history::{Attempted, Field};
use warpdiff_model::serial::Place;
use warpdiff_model::{Launch, Log};

use super::reader::{Fields, Read, Reader};
use super::resources::Resources;
use super::yaml::Node;

/// The keys of a log.
pub(crate) const KEYS: [&str; 4] = ["attempted", "each", "initial", "last"];

/// Reads the key `logs`.
pub(crate) fn logs(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    resources: &Resources,
    launch: &Launch,
) -> Read<Vec<Log>> {
    let Some(node) = fields.get("logs") else { return Ok(Vec::new()) };
    let threads: u32 = launch.grid.iter().chain(&launch.block).product();
    let entries = reader.entries(node, "`logs`")?.entries;
    entries
        .iter()
        .map(|(key, node)| log(reader, resources, (&key.text, &key.range()), node, threads))
        .collect()
}

/// The buffer of that name: its index, and the size of its elements in bytes.
fn buffer(
    reader: &Reader<'_>,
    resources: &Resources,
    (name, range): (&str, &Range<usize>),
) -> Read<(usize, u8)> {
    match resources.buffers.iter().position(|(buffer, _)| buffer.name == *name) {
        Some(index) => Ok((index, resources.buffers[index].1.size() as u8)),
        None => {
            let known = resources.names(warpdiff_model::RegionKind::Buffer);
            Err(reader.unknown(range, &format!("no buffer is called `{name}`"), name, &known))
        }
    }
}

fn log(
    reader: &Reader<'_>,
    resources: &Resources,
    (name, range): (&str, &Range<usize>),
    node: &Node,
    threads: u32,
) -> Read<Log> {
    let (region, width) = buffer(reader, resources, (name, range))?;
    if !matches!(width, 4 | 8) {
        return reader.fail(range, "a log needs elements of 4 or 8 bytes, as wide as the location");
    }
    let fields = reader.fields(node, "a log", &KEYS)?;
    let words = Attempted::ALL.map(|(attempted, name)| (name, attempted));
    let attempted = reader.one_of(fields.required(reader, "attempted", "a log")?, "operation", &words)?;
    let each = each(reader, fields.required(reader, "each", "a log")?, attempted)?;
    let most = i128::from(u64::MAX >> (64 - 8 * u32::from(width)));
    let initial = reader.integer(fields.required(reader, "initial", "a log")?, "`initial`", 0..=most)? as u64;
    let last = match fields.get("last") {
        Some(node) => Some(last(reader, resources, node, width)?),
        None => None,
    };
    let log = Log { name: name.to_owned(), region, threads, width, attempted, fields: each, initial, last };
    let bytes = &resources.buffers[region].0.bytes;
    if bytes.iter().any(|byte| *byte != 0) {
        return reader.fail(range, "a log must begin as zeros: zeros follow the last attempt");
    }
    if log.room(bytes.len()).is_none_or(|room| room == 0) {
        let message = format!(
            "{} elements do not divide into {threads} records, each a count and attempts of {} elements",
            bytes.len() / usize::from(width),
            log.fields.len()
        );
        return reader.fail(range, message);
    }
    Ok(log)
}

/// Reads `each`: the fields of an attempt.
fn each(reader: &Reader<'_>, node: &Node, attempted: Attempted) -> Read<Vec<Field>> {
    let words = Field::ALL.map(|(field, name)| (name, field));
    let mut each: Vec<Field> = Vec::new();
    for node in reader.list(node, "`each`")? {
        let field = reader.one_of(node, "field of an attempt", &words)?;
        if each.contains(&field) {
            return reader.fail(&node.range(), "this field appears twice");
        }
        each.push(field);
    }
    let needed = |field: Field| field != Field::Lanes || attempted == Attempted::CastSpin;
    match Field::ALL.into_iter().find(|(field, _)| needed(*field) && !each.contains(field)) {
        Some((_, name)) => reader.fail(&node.range(), format!("an attempt must log `{name}`")),
        None => Ok(each),
    }
}

/// Reads `last`: `{BUFFER: element}`.
fn last(reader: &Reader<'_>, resources: &Resources, node: &Node, width: u8) -> Read<Place> {
    let fields = reader.entries(node, "`last`")?;
    let [(key, element)] = fields.entries else {
        return reader.expected(node, "`last`", "`{BUFFER: element}`");
    };
    let (region, size) = buffer(reader, resources, (&key.text, &key.range()))?;
    if size != width {
        return reader
            .fail(&key.range(), format!("its elements have {size} bytes, the location has {width}"));
    }
    let count = resources.buffers[region].0.bytes.len() / usize::from(width);
    let index = reader.integer(element, "an element", 0..=count as i128 - 1)? as usize;
    Ok(Place { region, offset: index * usize::from(width) })
}

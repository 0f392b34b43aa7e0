//! The key `returns` of `expect`: buffers and outputs in which every thread has another of the numbers from 0 on, in any order.

use warpdiff_model::{Permutation, RegionKind};

use super::columns::ColumnRecord;
use super::expectations::expectation;
use super::reader::{Read, Reader};
use super::resources::Resources;
use super::value::Element;
use super::yaml::Node;
use crate::plan::{Expectation, Expected, PlannedLaunch, StatedSubject};

/// The words for what values are together.
const WORDS: [(&str, ()); 1] = [("permutation", ())];

/// Reads `returns` of `expect`: the words by the names of buffers, and of outputs (`columns`, with the number of rows).
pub(crate) fn read(
    reader: &Reader<'_>,
    expect: &Node,
    resources: &Resources,
    columns: Option<(&ColumnRecord, usize)>,
) -> Read<Vec<Expectation>> {
    let Some(node) = reader.entries(expect, "`expect`")?.get("returns") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (key, word) in reader.entries(node, "`returns`")?.entries {
        reader.one_of(word, "set of values", &WORDS)?;
        let column = columns.and_then(|(record, rows)| Some((record, record.position(&key.text)?, rows)));
        let buffer = resources.buffers.iter().find(|(buffer, _)| buffer.name == key.text);
        let (one, element) = match (column, buffer) {
            (Some((record, position, rows)), _) => {
                let place = &record.columns[position].0;
                let one = Permutation {
                    subject: format!("output `{}`", key.text),
                    buffer: PlannedLaunch::OUTPUTS.to_owned(),
                    offset: place.offset as usize,
                    step: record.stride as usize,
                    size: place.size as usize,
                    count: rows,
                    of_threads: true,
                };
                (one, record.elements[position])
            }
            (None, Some((buffer, element))) => {
                let size = element.size() as usize;
                let one = Permutation {
                    subject: format!("buffer `{}`", key.text),
                    buffer: buffer.name.clone(),
                    offset: 0,
                    step: size,
                    size,
                    count: buffer.bytes.len() / size,
                    of_threads: false,
                };
                (one, *element)
            }
            (None, None) => {
                let outputs = columns.into_iter().flat_map(|(record, _)| record.names());
                let known: Vec<&str> = outputs.chain(resources.names(RegionKind::Buffer)).collect();
                let message = format!("no output or buffer is called `{}`", key.text);
                return Err(reader.unknown(&key.range(), &message, &key.text, &known));
            }
        };
        if !matches!(element, Element::Bits(_) | Element::Unsigned(_) | Element::Signed(_)) {
            let message = format!("{} does not hold integers, so its values are no permutation", one.subject);
            return reader.fail(&key.range(), message);
        }
        let sign = usize::from(matches!(element, Element::Signed(_)));
        let most = u64::MAX >> (64 - 8 * one.size + sign);
        if one.count as u64 - u64::from(one.count > 0) > most {
            let message =
                format!("{} has {} values, but its type only {} from 0 on", one.subject, one.count, most + 1);
            return reader.fail(&key.range(), message);
        }
        let subject = StatedSubject::Other(one.subject.as_str().into());
        found.push(expectation(reader, Expected::Permutation(one), &word.range(), subject));
    }
    Ok(found)
}

//! The legality and declare forms: whether programs are legal, and the initial bytes of their variables.

use std::collections::BTreeMap;
use std::ops::Range;

use super::kernel::Source;
use super::program::Program;
use super::reader::{Fields, Read, Reader};
use super::yaml::{Kind, Node};
use super::{spa, whole};
use crate::plan::Legality;

/// Keys of the legality form besides those that every case has.
pub(crate) const KEYS: [&str; 9] =
    ["program", "file", "sass", "declarations", "registers", "body", "accept", "reject", "at"];
/// Keys of the declare form besides those that every case has.
pub(crate) const DECLARE_KEYS: [&str; 5] = ["declare", "bytes", "accept", "reject", "at"];

/// The name of the specification as a dialect.
const TEXT: &str = "spec";
/// The dialect of the encoding of SPA 5.0.
const ENCODER: &str = "encoder";
/// The assembler by whose rules programs run; it must accept declarations unless a case says otherwise.
const ASSEMBLER: &str = "ptxas-12.9";

/// Reads a case in legality form.
pub(crate) fn legality(reader: &Reader<'_>, fields: &Fields<'_>, source: &Source) -> Read<Legality> {
    if fields.has("sass") {
        return spa_legality(reader, fields, source);
    }
    let whole = fields.key_range("program").or(fields.key_range("file"));
    let wrapped = ["declarations", "registers", "body"].into_iter().find_map(|key| fields.key_range(key));
    let program = match (whole, wrapped) {
        (Some(_), None) => whole::program(reader, fields)?,
        (None, Some(_)) => source.plain_kernel(reader, &fields.range)?,
        (Some(_), Some(range)) => {
            return reader.fail(&range, "a case has a whole program or parts of one, not both");
        }
        (None, None) => return reader.fail(&fields.range, "this case lacks a `body` or a `program`"),
    };
    judged(reader, fields, program, BTreeMap::new())
}

/// Reads a legality case with a body of SPA 5.0.
fn spa_legality(reader: &Reader<'_>, fields: &Fields<'_>, source: &Source) -> Read<Legality> {
    let of_ptx = ["program", "file", "declarations", "registers", "isa", "target"];
    if let Some((key, range)) = of_ptx.into_iter().find_map(|key| Some((key, fields.key_range(key)?))) {
        return reader.fail(&range, format!("`{key}` is for PTX programs"));
    }
    let Some(body) = &source.body else { return reader.fail(&fields.range, "this case lacks `body`") };
    let header = spa::header(reader, fields)?;
    let program = spa::plain(reader, &header, body, &fields.range)?;
    judged(reader, fields, program, BTreeMap::new())
}

/// Reads a case in declare form. `source` holds the declarations.
pub(crate) fn declare(reader: &Reader<'_>, fields: &Fields<'_>, source: &Source) -> Read<Legality> {
    let mut bytes = BTreeMap::new();
    let mut places = BTreeMap::new();
    if let Some(node) = fields.get("bytes") {
        for (key, node) in reader.entries(node, "`bytes`")?.entries {
            bytes.insert(key.text.to_string(), pattern(reader, node)?);
            places.insert(key.text.to_string(), reader.location(&key.range()));
        }
    }
    if bytes.is_empty() && !fields.has("accept") && !fields.has("reject") {
        return reader.fail(&fields.range, "nothing is stated: give `bytes`, `accept` or `reject`");
    }
    let judged = judged(reader, fields, source.module(reader, &fields.range)?, bytes)?;
    Ok(Legality { byte_places: places, ..judged })
}

fn judged(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    program: Program,
    bytes: BTreeMap<String, Vec<Option<u8>>>,
) -> Read<Legality> {
    let mut accept: Vec<String> = Vec::new();
    if let Some(node) = fields.get("accept") {
        for node in reader.list(node, "`accept`")? {
            accept.push(judge(reader, &reader.word(node, "who accepts")?, &node.range())?);
        }
    }
    let reject = match fields.get("reject") {
        Some(node) => rejections(reader, node)?,
        None => Vec::new(),
    };
    if let Some((who, _)) = reject.iter().find(|(who, _)| accept.contains(who)) {
        return reader.fail(&fields.range, format!("`{who}` cannot both accept and reject"));
    }
    let stated = ["accept", "reject", "bytes"].into_iter().find_map(|key| fields.key_range(key));
    let range = stated.unwrap_or_else(|| fields.range.clone());
    let is_spa = warpdiff_sass::is_spa(&program.text);
    if accept.is_empty() && reject.is_empty() {
        accept.push(if is_spa { TEXT } else { ASSEMBLER }.to_owned());
    }
    let is_of_other = |who: &String| who != TEXT && is_spa != (who == ENCODER);
    if accept.iter().chain(reject.iter().map(|(who, _)| who)).any(is_of_other) {
        let message = if is_spa {
            "no assembler takes programs of SPA 5.0: only `spec` and `encoder` accept or reject them"
        } else {
            "`encoder` is for SPA 5.0: only `spec` and assemblers such as `ptxas-12.9` accept or reject programs of PTX"
        };
        return reader.fail(&range, message);
    }
    let at = match fields.get("at") {
        Some(node) if reject.is_empty() => {
            return reader
                .fail(&node.range(), "`at` needs `reject`: it says where the caret of the rejection stands");
        }
        Some(node) => Some(reader.word(node, "`at`")?),
        None => None,
    };
    if let Some((node, at)) = fields.get("at").zip(at.as_ref())
        && !program.text.contains(at.as_str())
    {
        return reader.fail(&node.range(), format!("the program does not contain `{at}`"));
    }
    let location = reader.location(&range);
    Ok(Legality {
        program: program.text,
        map: program.map,
        accept,
        reject,
        at,
        bytes,
        byte_places: BTreeMap::new(),
        location,
    })
}

/// Reads `reject`: a list of dialects, or a map from dialects to fragments of messages.
fn rejections(reader: &Reader<'_>, node: &Node) -> Read<Vec<(String, String)>> {
    match &node.kind {
        Kind::List(list) => list
            .iter()
            .map(|node| {
                Ok((judge(reader, &reader.word(node, "who rejects")?, &node.range())?, String::new()))
            })
            .collect(),
        _ => reader
            .entries(node, "`reject`")?
            .entries
            .iter()
            .map(|(key, node)| {
                Ok((judge(reader, &key.text, &key.range())?, reader.word(node, "a fragment of the message")?))
            })
            .collect(),
    }
}

/// Reads a dialect: the specification, an assembler by name and version, or the encoder of SPA 5.0.
fn judge(reader: &Reader<'_>, word: &str, range: &Range<usize>) -> Read<String> {
    let is_assembler =
        word.strip_prefix("ptxas-").and_then(|version| version.split_once('.')).is_some_and(|(a, b)| {
            let is_number =
                |text: &str| !text.is_empty() && text.len() < 4 && text.bytes().all(|c| c.is_ascii_digit());
            is_number(a) && is_number(b)
        });
    if word == TEXT || word == ENCODER || is_assembler {
        return Ok(word.to_owned());
    }
    Err(reader.unknown(range, &format!("unknown dialect `{word}`"), word, &[TEXT, ASSEMBLER, ENCODER]))
}

/// Reads the initial bytes of a variable: `01 00 ?? ??`.
fn pattern(reader: &Reader<'_>, node: &Node) -> Read<Vec<Option<u8>>> {
    let word = reader.word(node, "the bytes of a variable")?;
    let byte = |text: &str| match text {
        "??" => Some(None),
        _ if text.len() == 2 => u8::from_str_radix(text, 16).ok().map(Some),
        _ => None,
    };
    let bytes: Option<Vec<_>> = word.split_ascii_whitespace().map(byte).collect();
    bytes.ok_or_else(|| {
        let error = reader.error(&node.range(), "not the bytes of a variable");
        reader.note(error.label("expected pairs of hexadecimal digits, or `??` for a part of an address"))
    })
}

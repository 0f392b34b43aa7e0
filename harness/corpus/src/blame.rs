//! Says which variants of a case an error concerns, and what the names of the matrix stand for where it is.
//!
//! The caret shows the text as it stands in the file, `${n}`; what is wrong may be one of the values that it is replaced with.

use std::collections::HashMap;
use std::ops::Range;

use super::error::CorpusError;
use super::matrix::Bindings;

/// Most characters of a value that are shown.
const SHOWN: usize = 60;

/// The errors of one variant of a case.
pub(crate) struct OfVariant<'b> {
    /// What the names of the matrix stand for.
    pub(crate) bindings: &'b Bindings,
    /// The variant as ids show it: `[n=0x]`.
    pub(crate) suffix: String,
    /// The errors.
    pub(crate) errors: Vec<CorpusError>,
}

/// Adds a note to each error that depends on the variant: one that not all of these variants have, or at text with names of the matrix.
pub(crate) fn name_variants(variants: &mut [OfVariant<'_>]) {
    let key = |error: &CorpusError| (error.location.range.clone(), error.message.clone());
    // By error the number of variants that have it, and the note.
    let mut found: HashMap<(Range<usize>, String), (usize, String)> = HashMap::new();
    for variant in variants.iter() {
        let mut counted = std::collections::HashSet::new();
        for error in &variant.errors {
            if counted.insert(key(error)) {
                let first = || (0, values_at(error, variant.bindings));
                found.entry(key(error)).or_insert_with(first).0 += 1;
            }
        }
    }
    let all = variants.len();
    let mut firsts: HashMap<(Range<usize>, String), String> = HashMap::new();
    for variant in variants {
        for error in &mut variant.errors {
            let key = key(error);
            let first = firsts.entry(key.clone()).or_insert_with(|| variant.suffix.clone());
            let Some((count, values)) = found.get(&key) else { continue };
            let whose = match count {
                1 if all == 1 => format!("in the variant `{first}`"),
                1 => format!("only in the variant `{first}`"),
                // The same in every variant, and not at a name: it is no matter of their values.
                _ if *count == all && names_at(error).is_empty() => continue,
                _ => format!("in {count} of {all} variants, the first is `{first}`"),
            };
            let values = if values.is_empty() { String::new() } else { format!(": {values}") };
            error.notes.push(whose + &values);
        }
    }
}

/// What the names of the matrix stand for at an error, or else in its line: "`${n}` is `0x`".
fn values_at(error: &CorpusError, bindings: &Bindings) -> String {
    let at = names_at(error);
    let at =
        if at.is_empty() { names(line(&error.location.file.text, error.location.range.start)) } else { at };
    let mut words = Vec::new();
    for name in at {
        let Some((_, value)) = bindings.iter().find(|(bound, _)| bound == name) else { continue };
        let word = format!("`${{{name}}}` is `{}`", short(value));
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

/// The names of the matrix at the caret of an error.
fn names_at(error: &CorpusError) -> Vec<&str> {
    error.location.file.text.get(error.location.range.clone()).map_or_else(Vec::new, names)
}

/// The names in `${…}` of a text.
fn names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else { break };
        found.push(name);
        rest = after;
    }
    found
}

/// The line that a byte is in.
fn line(text: &str, at: usize) -> &str {
    let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else { return "" };
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let end = after.find('\n').map_or(text.len(), |length| at + length);
    &text[start..end]
}

/// A value on one line, cut if it is long.
fn short(value: &str) -> String {
    let cut: String = value.chars().take(SHOWN).collect();
    let mark = if cut.len() < value.len() { "…" } else { "" };
    format!("{}{mark}", cut.escape_debug())
}

//! Substitutes matrix names in the texts of a corpus file, and maps each part back to its bytes in the file.

use std::ops::Range;

use super::yaml::Scalar;

/// A text and its map to the file.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The text.
    pub(crate) string: String,
    /// Ranges of `string`, ascending, with the ranges of the file they were copied from: of the same length where the text
    /// was copied letter by letter.
    pub(crate) pieces: Vec<(Range<usize>, Range<usize>)>,
    /// Where it stands.
    pub(crate) range: Range<usize>,
}

impl Text {
    /// The place in the file of a range of the text.
    pub(crate) fn locate(&self, range: &Range<usize>) -> Range<usize> {
        let at = self.pieces.partition_point(|(piece, _)| piece.end <= range.start);
        match self.pieces.get(at) {
            Some((piece, source)) => locate_in(piece, source, range),
            None => self.range.clone(),
        }
    }
}

/// Maps `range`, which begins in `piece` or before it, into `source`.
pub(crate) fn locate_in(piece: &Range<usize>, source: &Range<usize>, range: &Range<usize>) -> Range<usize> {
    if piece.len() != source.len() {
        return source.clone();
    }
    let start = range.start.clamp(piece.start, piece.end) - piece.start;
    let end = range.end.clamp(piece.start, piece.end) - piece.start;
    source.start + start..source.start + end.max(start)
}

/// The error of a `${name}`.
pub(crate) enum Unbound<'a> {
    /// No `}` follows.
    Open,
    /// The matrix has no such name.
    Name(&'a str),
    /// The text has grown too long.
    TooLong,
}

/// Longest text after substitution, in bytes: a long value named often grows without limit.
pub(crate) const MAX_TEXT: usize = 8 << 20;

/// The text of a scalar with every `${name}` replaced. Errors go to `unbound`, and then there is no text.
pub(crate) fn substitute(
    file: &str,
    scalar: &Scalar,
    range: &Range<usize>,
    bindings: &[(String, String)],
    mut unbound: impl FnMut(Unbound<'_>, &Range<usize>),
) -> Option<Text> {
    let original = Text {
        string: scalar.text.to_string(),
        pieces: align(&scalar.text, &file[scalar.source()], scalar.source().start)
            .unwrap_or_else(|| vec![(0..scalar.text.len(), scalar.source())]),
        range: range.clone(),
    };
    if !original.string.contains("${") {
        return Some(original);
    }
    let mut result = Text { string: String::new(), pieces: Vec::new(), range: range.clone() };
    let mut complete = true;
    let mut at = 0;
    while let Some(found) = original.string[at..].find("${") {
        let open = at + found;
        result.copy(&original, at..open);
        let Some(length) = original.string[open..].find('}') else {
            unbound(Unbound::Open, &original.locate(&(open..open + 2)));
            return None;
        };
        let close = open + length + 1;
        let name = &original.string[open + 2..close - 1];
        let source = original.locate(&(open..close));
        match bindings.iter().find(|(bound, _)| bound == name) {
            Some((_, value)) if result.string.len() + value.len() > MAX_TEXT => {
                unbound(Unbound::TooLong, &source);
                return None;
            }
            Some((_, value)) => result.insert(value, source),
            None => {
                unbound(Unbound::Name(name), &source);
                complete = false;
            }
        }
        at = close;
    }
    result.copy(&original, at..original.string.len());
    complete.then_some(result)
}

impl Text {
    /// Appends a part of another text with its pieces.
    fn copy(&mut self, from: &Text, part: Range<usize>) {
        let base = self.string.len();
        self.string.push_str(&from.string[part.clone()]);
        for (piece, source) in &from.pieces {
            let shared = piece.start.max(part.start)..piece.end.min(part.end);
            if shared.start < shared.end {
                let to = base + shared.start - part.start..base + shared.end - part.start;
                self.pieces.push((to, locate_in(piece, source, &shared)));
            }
        }
    }

    /// Appends the value of a name whose `${name}` stands at `source`.
    fn insert(&mut self, value: &str, source: Range<usize>) {
        let start = self.string.len();
        self.string.push_str(value);
        if !value.is_empty() {
            self.pieces.push((start..self.string.len(), source));
        }
    }
}

/// Finds a scalar's value in its spelling: both are walked together, white space of the value standing for any white space
/// of the spelling (indentation, folded lines). `None` when they differ otherwise, as in a quoted text with escapes.
fn align(value: &str, spelling: &str, base: usize) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let mut pieces: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut at = opening(spelling);
    for (offset, wanted) in value.char_indices() {
        if let Some(length) = escape(spelling, at, wanted) {
            at += length;
            continue;
        }
        if wanted.is_whitespace() {
            // White space that the spelling lacks (the end of the last line) has no place.
            let Some(found) = spelling[at..].chars().next().filter(|c| c.is_whitespace()) else { continue };
            if found == wanted {
                extend(&mut pieces, offset, base + at, found.len_utf8());
            }
            at += found.len_utf8();
            continue;
        }
        at += spelling[at..].find(|c: char| !c.is_whitespace())?;
        if !spelling[at..].starts_with(wanted) {
            return None;
        }
        extend(&mut pieces, offset, base + at, wanted.len_utf8());
        at += wanted.len_utf8();
        if wanted == '\'' && spelling.starts_with('\'') {
            at += 1; // `''` within single quotes
        }
    }
    Some(pieces)
}

/// Adds `length` bytes copied from `from` to the last piece, or as a new one where they do not continue it.
fn extend(pieces: &mut Vec<(Range<usize>, Range<usize>)>, offset: usize, from: usize, length: usize) {
    match pieces.last_mut() {
        Some((to, source)) if to.end == offset && source.end == from => {
            to.end += length;
            source.end += length;
        }
        _ => pieces.push((offset..offset + length, from..from + length)),
    }
}

/// Bytes of the escape within double quotes that stands at `at` for this character, if one does.
fn escape(spelling: &str, at: usize, wanted: char) -> Option<usize> {
    let escaped = spelling[at..].strip_prefix('\\').filter(|_| spelling.starts_with('"'))?.chars().next()?;
    let means = match escaped {
        'n' => '\n',
        't' => '\t',
        other => other,
    };
    (means == wanted).then(|| 1 + escaped.len_utf8())
}

/// Bytes before the content: a quote, the header line of a block scalar (`|`, `>-`, `|2 # why`), or nothing.
fn opening(spelling: &str) -> usize {
    match spelling.chars().next() {
        Some('"' | '\'') => 1,
        Some('|' | '>') => spelling.find('\n').map_or(spelling.len(), |end| end + 1),
        _ => 0,
    }
}

//! Changes of a program's text at places of its syntax tree.

use std::ops::Range;

/// A piece of text in place of a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextEdit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

impl TextEdit {
    pub(crate) fn deletion(range: Range<usize>) -> Self {
        Self { range, text: String::new() }
    }
}

/// The text with the edits. Of two that overlap the one that begins first counts, and of those that begin together the longer one.
pub(crate) fn edited<'e>(text: &str, edits: impl Iterator<Item = &'e TextEdit>) -> String {
    let mut edits: Vec<&TextEdit> = edits.collect();
    edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        if edit.range.start < at {
            continue;
        }
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_inside_another_does_not_count() {
        let edits = [
            TextEdit { range: 6..8, text: "H".into() },
            TextEdit::deletion(1..4),
            TextEdit { range: 2..3, text: "X".into() },
        ];
        assert_eq!(edited("abcdefghi", edits.iter()), "aefHi");
    }
}

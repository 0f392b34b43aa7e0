//! Positions in the source text.

/// A range of bytes of the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The range of bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Line and column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// The line and column of a byte offset of `text`.
pub fn line_column(text: &str, offset: u32) -> LineColumn {
    let before = &text.as_bytes()[..(offset as usize).min(text.len())];
    let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let line = line_ends(before) + 1;
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count() as u32 + 1;
    LineColumn { line, column }
}

/// How many of the bytes end a line. Reports and traces ask for the lines of long programs thousands of times: sums of bytes are made many at a time, and
/// within so few bytes none is more than a byte.
fn line_ends(bytes: &[u8]) -> u32 {
    let ends = |run: &[u8]| run.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>();
    bytes.chunks(240).map(|run| u32::from(ends(run))).sum()
}

/// An error, warning or unsupported construct in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Source span.
    pub span: Span,
    /// The message: a lowercase fragment, "unknown modifier `.clmp` of `suld`".
    pub message: String,
    /// The constructs expected there, if any in particular: "`.trap`, `.clamp` or `.zero`".
    pub expected: Option<String>,
    /// Further explanation, in a sentence: why specification and assembler differ here.
    pub note: Option<String>,
    /// Whether nothing is known to be wrong with the program, but this project does not run it yet ("unsupported: …").
    pub unsupported: bool,
    /// Whether nothing of an unsupported construct is checked, so that the program is not even known to be legal.
    pub unchecked: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let at = |offset| line_column("ab\n\u{e4}c\n", offset);
        let place = |line, column| LineColumn { line, column };
        assert_eq!([at(0), at(2), at(3)], [place(1, 1), place(1, 3), place(2, 1)]);
        // Two bytes, one character.
        assert_eq!([at(5), at(7), at(99)], [place(2, 2), place(3, 1), place(3, 1)]);
    }

    #[test]
    fn more_lines_than_a_byte_can_count_are_counted() {
        let text = "\n".repeat(1000);
        for offset in [0, 239, 240, 241, 255, 256, 1000] {
            assert_eq!(line_column(&text, offset).line, offset + 1);
        }
    }
}

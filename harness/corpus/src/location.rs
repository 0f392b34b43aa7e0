//! A place in a file of the corpus, as messages name it.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use warpdiff_ptx::source::{LineColumn, line_column};

/// A file of the corpus, kept for error messages.
#[derive(Debug)]
pub struct SourceFile {
    /// Path as shown to the user, relative to the corpus root's parent: `cases/suld/clamp.yaml`.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Where its lines begin, once that was asked: a large file has a place for each of its variants.
    lines: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// A file with this path, as shown to the user, and this text.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), lines: OnceLock::new() }
    }

    /// The line and column of a byte.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let lines = self.lines.get_or_init(|| {
            let breaks = self.text.bytes().zip(1u32..).filter(|(byte, _)| *byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(_, next)| next)).collect()
        });
        let before = lines.partition_point(|start| *start as usize <= offset.min(self.text.len()));
        let start = lines[before - 1] as usize;
        let rest = self.text.get(start..).unwrap_or_default();
        let within = line_column(rest, u32::try_from(offset.saturating_sub(start)).unwrap_or(u32::MAX));
        LineColumn { line: before as u32, column: within.column }
    }
}

/// A place in a corpus file.
#[derive(Clone, Debug)]
pub struct Location {
    /// The file.
    pub file: Arc<SourceFile>,
    /// Byte range.
    pub range: Range<usize>,
}

/// `cases/suld/clamp.yaml:17:7`
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.file.line_column(self.range.start);
        write!(f, "{}:{}:{}", self.file.path.display(), at.line, at.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_byte_is_the_same_as_counted() {
        for text in ["", "\n", "a", "a\n\nbä\r\nc", "ä\n"] {
            let file = SourceFile::new("a.yaml", text);
            for offset in 0..text.len() + 3 {
                assert_eq!(
                    file.line_column(offset),
                    line_column(text, offset as u32),
                    "{text:?} at {offset}"
                );
            }
        }
    }
}

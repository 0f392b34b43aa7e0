//! Files of values that cases name with `numbers`: text with a value for each element, or raw bytes; and the place of an element in one.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::location::{Location, SourceFile};

/// A file with a value for each element of a region.
#[derive(Clone, Debug)]
pub enum ValueFile {
    /// Values separated by white space.
    Text(Arc<SourceFile>),
    /// The bytes of the region, in its order: little endian.
    Binary(PathBuf),
}

impl ValueFile {
    /// The place of element `index`, if elements have `size` bytes: `cases/a.txt:12:3`, or `cases/a.bin, byte 48`. It reads a text up to
    /// there, so that no table of places has to be kept.
    pub fn place(&self, index: usize, size: usize) -> String {
        match self {
            Self::Text(file) => match tokens(&file.text).nth(index) {
                Some(range) => Location { file: Arc::clone(file), range }.to_string(),
                None => file.path.display().to_string(),
            },
            Self::Binary(path) => format!("{}, byte {}", path.display(), index * size),
        }
    }
}

/// The words of a text: what white space separates, and what stands in braces on a line, as in `{any: [1, 2]}`. `#` begins a comment.
pub(crate) fn tokens(text: &str) -> Tokens<'_> {
    // Some editors put a byte order mark first; it is no part of the text.
    let mark = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    Tokens { text, at: mark }
}

/// See [`tokens`].
pub(crate) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let to_end = |from: usize, is_end: fn(u8) -> bool| {
            bytes[from..].iter().position(|byte| is_end(*byte)).map_or(bytes.len(), |length| from + length)
        };
        loop {
            let start = to_end(self.at, |byte| !byte.is_ascii_whitespace());
            let end = match bytes.get(start)? {
                b'#' => {
                    self.at = to_end(start, |byte| byte == b'\n');
                    continue;
                }
                b'{' => match to_end(start, |byte| matches!(byte, b'}' | b'\n' | b'#')) {
                    end if bytes.get(end) == Some(&b'}') => end + 1,
                    // It lacks its brace, which its reader says.
                    end => end,
                },
                _ => to_end(start, |byte| byte.is_ascii_whitespace() || byte == b'#'),
            };
            self.at = end;
            return Some(start..end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn words_are_separated_by_white_space_and_braces_hold_together() {
        assert_eq!(words("1 2\r\n\t-3# four\n~ # 5 6\n7"), ["1", "2", "-3", "~", "7"]);
        assert_eq!(words("{any: [1, 2]} undefined"), ["{any: [1, 2]}", "undefined"]);
        assert_eq!(words("{any: [1,\n2]}"), ["{any: [1,", "2]}"]);
        assert_eq!(words(" # nothing"), Vec::<&str>::new());
        assert_eq!(words("é ü"), ["é", "ü"]);
        // A byte order mark is no text, at the beginning.
        assert_eq!(words("\u{FEFF}1 2"), ["1", "2"]);
    }

    #[test]
    fn the_place_of_an_element_is_that_of_its_word() {
        let text = "1 2 # first line\n\n  {any: [1, 2]} 4\n".to_owned();
        let file = ValueFile::Text(Arc::new(SourceFile::new("cases/a.txt", text)));
        assert_eq!(file.place(1, 4), "cases/a.txt:1:3");
        assert_eq!(file.place(2, 4), "cases/a.txt:3:3");
        assert_eq!(file.place(3, 4), "cases/a.txt:3:17");
        assert_eq!(ValueFile::Binary("cases/a.bin".into()).place(12, 4), "cases/a.bin, byte 48");
    }
}

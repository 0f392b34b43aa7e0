//! The format of a golden file.
//!
//! ```text
//! # warpdiff golden: what the reference allows. `warpdiff run --bless` writes this file; edits are detected.
//! # format 1
//! # sha256 <of everything after this line>
//! variant suld/clamp/clamps to the nearest texel[cop=.ca]
//!   rows 0 to 3
//!     completes
//!       buffer out: 16 bytes
//!             0 00 00 00 00
//! ```
//!
//! A long entry (a sweep) is its first lines and a digest of all of it ([`kept`](warpdiff_judge::golden_text::kept)): any change of it is a
//! difference, even of undefined bits only.

use std::collections::BTreeMap;
use std::fmt::Write;

use warpdiff_files::digest;

/// Version of the format; a reader refuses others.
pub const FORMAT: u32 = 1;

const TITLE: &str = "# warpdiff golden: what the reference allows. `warpdiff run --bless` writes this file; edits are detected.";
const ENTRY: &str = "variant ";

/// The entries of a golden file: indented lines for each variant id.
pub type Entries = BTreeMap<String, String>;

/// Why a golden file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoldenError {
    /// The first lines are not those of a golden.
    #[error("not a golden file")]
    NotAGolden,
    /// Written by another version.
    #[error("format {0}, but this warpdiff reads format {FORMAT}")]
    Format(String),
    /// The contents do not match their hash.
    #[error("the content hash does not match: the file was edited or damaged")]
    Hash,
    /// A line before the first variant, or a variant that appears twice.
    #[error("line {0} belongs to no variant, or its variant appears twice")]
    Line(usize),
}

/// The text of a golden file.
pub fn write(entries: &Entries) -> String {
    let mut body = String::new();
    for (id, recording) in entries {
        let _ = write!(body, "{ENTRY}{id}\n{recording}");
    }
    let hash = digest::of(body.as_bytes());
    format!("{TITLE}\n# format {FORMAT}\n# sha256 {hash}\n{body}")
}

/// Reads a golden file.
///
/// # Errors
/// [`GoldenError`], for anything that [`write()`] does not write.
pub fn read(text: &str) -> Result<Entries, GoldenError> {
    // Git may have converted line ends; the contents are the same.
    let converted = text.split_inclusive('\n').next().is_some_and(|title| title.ends_with("\r\n"));
    if converted { read_lines(&text.replace("\r\n", "\n")) } else { read_lines(text) }
}

fn read_lines(text: &str) -> Result<Entries, GoldenError> {
    let mut parts = text.splitn(4, '\n');
    let mut next = || parts.next().unwrap_or_default();
    if next() != TITLE {
        return Err(GoldenError::NotAGolden);
    }
    let format = next().strip_prefix("# format ").ok_or(GoldenError::NotAGolden)?;
    if format != FORMAT.to_string() {
        return Err(GoldenError::Format(format.into()));
    }
    let stated = next().strip_prefix("# sha256 ").ok_or(GoldenError::NotAGolden)?;
    let body = next();
    if stated != digest::of(body.as_bytes()) {
        return Err(GoldenError::Hash);
    }
    entries(body)
}

fn entries(body: &str) -> Result<Entries, GoldenError> {
    let mut entries = Entries::new();
    let mut current: Option<&mut String> = None;
    for (index, line) in body.split_inclusive('\n').enumerate() {
        let misplaced = GoldenError::Line(index + 4);
        if let Some(id) = line.strip_prefix(ENTRY) {
            let id = id.trim_end_matches('\n').to_string();
            if entries.contains_key(&id) {
                return Err(misplaced);
            }
            current = Some(entries.entry(id).or_default());
        } else {
            current.as_mut().ok_or(misplaced)?.push_str(line);
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Entries {
        let entry = |id: &str, text: &str| (id.to_string(), text.to_string());
        Entries::from([entry("a/b/c[x=1]", "  row 0\n    completes\n"), entry("a/b/d", "  spec accepts\n")])
    }

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(read(&write(&sample())), Ok(sample()));
        assert_eq!(read(&write(&Entries::new())), Ok(Entries::new()));
    }

    #[test]
    fn converted_ends_of_lines_are_no_edit() {
        assert_eq!(read(&write(&sample()).replace('\n', "\r\n")), Ok(sample()));
        assert_eq!(read("x\r"), Err(GoldenError::NotAGolden));
    }

    #[test]
    fn an_edit_is_detected() {
        let text = write(&sample()).replace("completes", "faults");
        assert_eq!(read(&text), Err(GoldenError::Hash));
    }

    #[test]
    fn other_files_and_other_versions_are_refused() {
        assert_eq!(read("hello\n"), Err(GoldenError::NotAGolden));
        assert_eq!(read(""), Err(GoldenError::NotAGolden));
        let text = write(&sample()).replace("# format 1", "# format 2");
        assert_eq!(read(&text), Err(GoldenError::Format("2".into())));
    }
}

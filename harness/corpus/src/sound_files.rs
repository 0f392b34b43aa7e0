//! Case files that are known to be sound: the same program read them before, whole, and found no error. The names of their variants are kept, so
//! that a loading need not read a file of which it plans no variant. It is kept, too, whether the rows of a table can see each other, so that
//! planning a table need not compile its program.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use warpdiff_files::digest;

use super::known_file::KnownFile;

/// Case files that are known to be sound, by the digest of what they hold and where they are. It must be kept for one program only: another
/// may find an error.
#[derive(Debug, Default)]
pub struct SoundFiles {
    /// The line of each, which is checked when the file is asked for: most commands need few of those that are kept.
    known: HashMap<String, String>,
    found: Mutex<Vec<Found>>,
}

/// A file that was read whole and is sound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// What is to be kept of it, one line: it makes the file known to [`SoundFiles::of_lines`].
    pub line: String,
    /// Bytes of its text and of the programs of its variants.
    pub bytes: usize,
}

impl SoundFiles {
    /// Files that the same program found sound before, by their lines. A damaged line is that of no file.
    pub fn of_lines<'l>(lines: impl IntoIterator<Item = &'l str>) -> Self {
        let of = |line: &'l str| Some((line.split_once(' ')?.0.to_owned(), line.to_owned()));
        Self { known: lines.into_iter().filter_map(of).collect(), found: Mutex::default() }
    }

    /// What is known of a file. Its path counts because ids and the places of other files begin with it.
    pub(crate) fn digest(inside: &Path, text: &str) -> String {
        digest::of_parts(&[inside.to_string_lossy().as_bytes(), text.as_bytes()])
    }

    /// What is known of the file of that digest, if it is sound.
    pub(crate) fn known(&self, digest: &str) -> Option<KnownFile> {
        serde_json::from_str(json(self.known.get(digest)?)?).ok()
    }

    /// Notes that the file of that digest was read whole, and is sound.
    pub(crate) fn add(&self, digest: &str, file: &KnownFile, bytes: usize) {
        // It has nothing that JSON has not.
        let Ok(json) = serde_json::to_string(file) else { return };
        let found = Found { line: line(digest, &json), bytes };
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push(found);
    }

    /// Bytes of the files that were not known to be sound, and are.
    pub fn bytes_found(&self) -> usize {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.iter().map(|found| found.bytes).sum()
    }

    /// The lines of those known before, and the files that were not known to be sound, and are.
    pub fn into_parts(self) -> (Vec<String>, Vec<Found>) {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        (self.known.into_values().filter(|line| json(line).is_some()).collect(), found)
    }
}

/// The line of a file: its digest, a check of the whole, and what is known of it as JSON.
fn line(digest: &str, json: &str) -> String {
    format!("{digest} {} {json}", check(digest, json))
}

/// What a line says of its file, unless it is damaged.
fn json(line: &str) -> Option<&str> {
    let (digest, rest) = line.split_once(' ')?;
    let (stated, json) = rest.split_once(' ')?;
    (stated == check(digest, json)).then_some(json)
}

fn check(digest: &str, json: &str) -> String {
    digest::of_parts(&[digest.as_bytes(), json.as_bytes()]).chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(letters: &str) -> KnownFile {
        KnownFile { privacy: letters.to_owned().into(), ..KnownFile::default() }
    }

    #[test]
    fn a_line_says_all_that_is_known_of_a_file() {
        let sound = SoundFiles::default();
        sound.add("d1", &file("psp"), 1);
        sound.add("d2", &file(""), 2);
        let lines: Vec<String> = sound.into_parts().1.into_iter().map(|found| found.line).collect();
        let again = SoundFiles::of_lines(lines.iter().map(String::as_str));
        assert_eq!(again.known("d1"), Some(file("psp")));
        assert_eq!(again.known("d2"), Some(file("")));
        assert_eq!(again.known("d3"), None);
    }

    #[test]
    fn a_damaged_line_is_that_of_no_file() {
        let sound = SoundFiles::default();
        sound.add("d1", &file("psp"), 1);
        let whole = sound.into_parts().1.remove(0).line;
        for damaged in
            [whole.replace("psp", "ppp"), whole.replace("d1", "d2"), whole[..whole.len() - 1].into()]
        {
            assert_eq!(SoundFiles::of_lines([damaged.as_str()]).into_parts().0, [""; 0], "{damaged}");
        }
        assert_eq!(SoundFiles::of_lines(["", "d1", "d1 psp"]).into_parts().0, [""; 0]);
    }
}

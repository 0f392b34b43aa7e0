//! Case files that are known to be sound: the same program read them before, whole, and found no error. Of those a loading reads the names of
//! all variants, and no more than the names of what it does not plan. What it plans it need not compile to know which rows share a launch.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use warpdiff_files::digest;

/// Case files that are known to be sound, by the digest of what they hold and where they are. It must be kept for one program only: another
/// may find an error.
#[derive(Debug, Default)]
pub struct SoundFiles {
    known: HashMap<String, Privacy>,
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

/// Of each variant of a file, in their order, whether it is a table whose rows share a launch because none can see another. Only its compiled
/// program says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Privacy(Vec<bool>);

impl Privacy {
    /// Begins the next variant, whose rows are taken to see each other unless it is said that they do not.
    pub(crate) fn begin(&mut self) {
        self.0.push(false);
    }

    /// Says it of the variant that was begun last.
    pub(crate) fn set(&mut self, private: bool) {
        if let Some(last) = self.0.last_mut() {
            *last = private;
        }
    }

    /// How many variants were begun.
    pub(crate) fn variants(&self) -> usize {
        self.0.len()
    }

    /// That of a variant; `None` if there is no such one.
    pub(crate) fn of(&self, variant: usize) -> Option<bool> {
        self.0.get(variant).copied()
    }

    /// A letter for each variant.
    fn letters(&self) -> String {
        self.0.iter().map(|private| if *private { 'p' } else { 's' }).collect()
    }

    fn of_letters(letters: &str) -> Self {
        Self(letters.bytes().map(|letter| letter == b'p').collect())
    }
}

impl SoundFiles {
    /// Files that the same program found sound before, by their lines. A damaged line is that of no file.
    pub fn of_lines<'l>(lines: impl IntoIterator<Item = &'l str>) -> Self {
        Self { known: lines.into_iter().filter_map(read).collect(), found: Mutex::default() }
    }

    /// What is known of a file. Its path counts because ids and the places of other files begin with it.
    pub(crate) fn digest(inside: &Path, text: &str) -> String {
        digest::of_parts(&[inside.to_string_lossy().as_bytes(), text.as_bytes()])
    }

    /// What is known of the variants of a file, if it is sound.
    pub(crate) fn privacy(&self, digest: &str) -> Option<&Privacy> {
        self.known.get(digest)
    }

    /// Notes that the file of that digest was read whole, and is sound.
    pub(crate) fn add(&self, digest: &str, privacy: &Privacy, bytes: usize) {
        let found = Found { line: line(digest, privacy), bytes };
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push(found);
    }

    /// The lines of those known before, and the files that were not known to be sound, and are.
    pub fn into_parts(self) -> (Vec<String>, Vec<Found>) {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        (self.known.iter().map(|(digest, privacy)| line(digest, privacy)).collect(), found)
    }
}

/// The line of a file: its digest, a letter for each variant, and a check of both.
fn line(digest: &str, privacy: &Privacy) -> String {
    let letters = privacy.letters();
    format!("{digest} {letters} {}", check(digest, &letters))
}

fn read(line: &str) -> Option<(String, Privacy)> {
    let (digest, rest) = line.split_once(' ')?;
    let (letters, stated) = rest.split_once(' ')?;
    (stated == check(digest, letters)).then(|| (digest.to_owned(), Privacy::of_letters(letters)))
}

fn check(digest: &str, letters: &str) -> String {
    digest::of_parts(&[digest.as_bytes(), letters.as_bytes()]).chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn privacy(letters: &str) -> Privacy {
        Privacy::of_letters(letters)
    }

    #[test]
    fn a_line_says_all_that_is_known_of_a_file() {
        let sound = SoundFiles::default();
        sound.add("d1", &privacy("psp"), 1);
        sound.add("d2", &privacy(""), 2);
        let lines: Vec<String> = sound.into_parts().1.into_iter().map(|found| found.line).collect();
        let again = SoundFiles::of_lines(lines.iter().map(String::as_str));
        assert_eq!(again.privacy("d1"), Some(&privacy("psp")));
        assert_eq!(
            (again.privacy("d1").unwrap().of(1), again.privacy("d1").unwrap().of(3)),
            (Some(false), None)
        );
        assert_eq!(again.privacy("d2"), Some(&privacy("")));
        assert_eq!(again.privacy("d3"), None);
    }

    #[test]
    fn a_damaged_line_is_that_of_no_file() {
        let whole = line("d1", &privacy("psp"));
        for damaged in
            [whole.replace("psp", "ppp"), whole.replace("d1", "d2"), whole[..whole.len() - 1].into()]
        {
            assert_eq!(SoundFiles::of_lines([damaged.as_str()]).into_parts().0, [""; 0], "{damaged}");
        }
        assert_eq!(SoundFiles::of_lines(["", "d1", "d1 psp"]).into_parts().0, [""; 0]);
    }

    #[test]
    fn what_is_said_is_of_the_variant_that_was_begun_last() {
        let mut noted = Privacy::default();
        noted.set(true);
        noted.begin();
        noted.begin();
        noted.set(true);
        noted.begin();
        assert_eq!((noted.letters().as_str(), noted.variants()), ("sps", 3));
    }
}

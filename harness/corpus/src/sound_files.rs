//! Case files that are known to be sound: the same program read them before, whole, and found no error. Of those a loading reads the names of
//! all variants, and no more than the names of what it does not plan.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use warpdiff_files::digest;

/// Case files that are known to be sound, by the digest of what they hold and where they are. It must be kept for one program only: another
/// may find an error.
#[derive(Debug, Default)]
pub struct SoundFiles {
    known: HashSet<String>,
    found: Mutex<Vec<Found>>,
}

/// A file that was read whole and is sound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Its digest.
    pub digest: String,
    /// Bytes of its text.
    pub bytes: usize,
}

impl SoundFiles {
    /// Files that the same program found sound before.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        Self { known: known.into_iter().collect(), found: Mutex::default() }
    }

    /// What is known of a file. Its path counts because ids and the places of other files begin with it.
    pub(crate) fn digest(inside: &Path, text: &str) -> String {
        digest::of_parts(&[inside.to_string_lossy().as_bytes(), text.as_bytes()])
    }

    /// Whether the file of that digest is sound.
    pub(crate) fn has(&self, digest: &str) -> bool {
        self.known.contains(digest)
    }

    /// Notes that the file of that digest was read whole, and is sound.
    pub(crate) fn add(&self, digest: String, bytes: usize) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push(Found { digest, bytes });
    }

    /// The digests of those known before, and the files that were not known to be sound, and are.
    pub fn into_parts(self) -> (Vec<String>, Vec<Found>) {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        (self.known.into_iter().collect(), found)
    }
}

//! What ptxas made of programs, kept on disk by content: below `$XDG_CACHE_HOME/warpdiff/ptxas`, `~/.cache/warpdiff/ptxas`, or
//! `$WARPDIFF_CACHE`, which keeps nothing if it is empty.
//!
//! A file is named after the digest of everything that the answer depends on, and begins with the digest of the rest. A file that is
//! not as it was written is removed, and the program compiled again. Only cubins and rejections are kept; a crash says nothing of the
//! next time.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use warpdiff_files::digest::of_parts;

/// Bytes of files after which the oldest are removed.
const BOUND: u64 = 256 << 20;
/// Bytes that a file takes at least, on usual file systems.
const BLOCK: u64 = 4096;
/// Bytes written between two looks at the size of the folder.
const STEP: u64 = BOUND / 8;
/// Part of every key: a change of what is kept changes it.
const FORMAT: &str = "warpdiff ptxas cache 1";
/// Length of a digest in bytes.
const DIGEST: usize = 32;
/// Limit of what a file may hold.
const LARGEST: u64 = 1 << 30;

/// A cubin, or the message of a rejection.
pub(super) type Kept = Result<Vec<u8>, String>;

/// A folder of answers.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    bound: u64,
    /// Bytes written since the folder was last measured.
    written: AtomicU64,
}

impl Cache {
    /// The cache of this user; `None` if there is to be none, or no home for it.
    pub(super) fn of_user() -> Option<Self> {
        Some(Self::new(warpdiff_files::cache::folder("ptxas")?, BOUND))
    }

    fn new(folder: PathBuf, bound: u64) -> Self {
        // The first answer that is written measures the folder.
        Self { folder, bound, written: AtomicU64::new(STEP) }
    }

    /// The name of the answer to a program, given everything else that it depends on.
    pub(super) fn key(circumstances: &[&str], program: &str) -> String {
        let parts = [FORMAT].iter().chain(circumstances).chain([&program]).map(|part| part.as_bytes());
        of_parts(&parts.collect::<Vec<_>>())
    }

    fn path(&self, key: &str) -> PathBuf {
        let (folder, name) = key.split_at(key.len().min(2));
        self.folder.join(folder).join(name)
    }

    /// The answer of that name, if it is kept and undamaged.
    pub(super) fn get(&self, key: &str) -> Option<Kept> {
        let path = self.path(key);
        let file = fs::read(&path).ok()?;
        let kept = unpacked(&file);
        if kept.is_none() {
            let _ = fs::remove_file(&path);
        }
        kept
    }

    /// Keeps an answer. What cannot be written is not kept: the cache only saves time.
    pub(super) fn put(&self, key: &str, kept: &Kept) {
        let Some(written) = self.write(key, kept) else { return };
        if self.written.fetch_add(written, Ordering::Relaxed) + written > STEP {
            self.written.store(0, Ordering::Relaxed);
            self.shrink();
        }
    }

    fn write(&self, key: &str, kept: &Kept) -> Option<u64> {
        let path = self.path(key);
        let folder = path.parent()?;
        fs::create_dir_all(folder).ok()?;
        let bytes = packed(kept)?;
        // Whole or not at all: another process may be reading.
        let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
        file.write_all(&bytes).ok()?;
        file.persist(&path).ok()?;
        Some((bytes.len() as u64).max(BLOCK))
    }

    /// Removes the oldest files until the rest take three quarters of the bound.
    fn shrink(&self) {
        let mut files = Vec::new();
        for folder in entries(&self.folder) {
            files.extend(entries(&folder).filter_map(|path| {
                let facts = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
                Some((facts.modified().unwrap_or(SystemTime::UNIX_EPOCH), facts.len().max(BLOCK), path))
            }));
        }
        let mut size: u64 = files.iter().map(|(_, size, _)| size).sum();
        if size <= self.bound {
            return;
        }
        files.sort();
        for (_, bytes, path) in files {
            if size <= self.bound / 4 * 3 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                size -= bytes;
            }
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The bytes of a file: the digest of the rest, then compressed a `+` and the cubin, or a `-` and the message.
fn packed(kept: &Kept) -> Option<Vec<u8>> {
    let (mark, bytes) = match kept {
        Ok(cubin) => (b"+", cubin.as_slice()),
        Err(message) => (b"-", message.as_bytes()),
    };
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::fast());
    deflated.write_all(mark).ok()?;
    deflated.write_all(bytes).ok()?;
    let deflated = deflated.finish().ok()?;
    Some([Sha256::digest(&deflated).as_slice(), &deflated].concat())
}

fn unpacked(file: &[u8]) -> Option<Kept> {
    let (digest, deflated) = file.split_at_checked(DIGEST)?;
    if Sha256::digest(deflated).as_slice() != digest {
        return None;
    }
    let mut bytes = Vec::new();
    DeflateDecoder::new(deflated).take(LARGEST).read_to_end(&mut bytes).ok()?;
    let (mark, rest) = bytes.split_first()?;
    match mark {
        b'+' => Some(Ok(rest.to_vec())),
        b'-' => Some(Err(String::from_utf8(rest.to_vec()).ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(bound: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("cache"), bound);
        (folder, cache)
    }

    #[test]
    fn what_was_kept_is_found_again_and_nothing_else() {
        let (_folder, cache) = cache(BOUND);
        let [taken, refused, absent] = ["a", "b", "c"].map(|text| Cache::key(&["V12.9.86", "-O3"], text));
        cache.put(&taken, &Ok(vec![0, 1, 2]));
        cache.put(&refused, &Err("no such thing".into()));
        assert_eq!(cache.get(&taken), Some(Ok(vec![0, 1, 2])));
        assert_eq!(cache.get(&refused), Some(Err("no such thing".into())));
        assert_eq!(cache.get(&absent), None);
    }

    #[test]
    fn a_key_has_everything_in_it() {
        let keys = [
            Cache::key(&["V12", "-O3"], "text"),
            Cache::key(&["V12", "-O0"], "text"),
            Cache::key(&["V11", "-O3"], "text"),
            Cache::key(&["V12", "-O3"], "other"),
            Cache::key(&["V12"], "-O3text"),
        ];
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
    }

    #[test]
    fn a_damaged_file_is_removed() {
        let (_folder, cache) = cache(BOUND);
        let key = Cache::key(&[], "a");
        for damage in [|file: &mut Vec<u8>| file.truncate(7), |file: &mut Vec<u8>| file[40] ^= 1] {
            cache.put(&key, &Ok(b"a cubin of some length, a cubin of some length".to_vec()));
            let mut file = fs::read(cache.path(&key)).unwrap();
            damage(&mut file);
            fs::write(cache.path(&key), file).unwrap();
            assert_eq!(cache.get(&key), None);
            assert!(!cache.path(&key).exists());
        }
    }

    #[test]
    fn the_oldest_are_removed_when_there_are_too_many() {
        let (_folder, cache) = cache(8 * BLOCK);
        let keys: Vec<_> = (0..9).map(|number| Cache::key(&[], &number.to_string())).collect();
        for (age, key) in (0..9).rev().zip(&keys) {
            cache.put(key, &Ok(Vec::new()));
            if let Ok(file) = fs::File::options().write(true).open(cache.path(key)) {
                file.set_modified(SystemTime::now() - std::time::Duration::from_secs(60 * age)).unwrap();
            }
        }
        cache.shrink();
        // Nine blocks are more than eight; six are left, three quarters of the bound.
        let found: Vec<bool> = keys.iter().map(|key| cache.get(key).is_some()).collect();
        assert_eq!(found, [false, false, false, true, true, true, true, true, true]);
    }
}

//! The folder of `fuzz --corpus`: a file for each program, with its bytes, under the hash of them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use warpdiff_generator::seed::SPECIMEN_BYTES;

use super::options::FuzzError;

/// Bytes that a file may have. libFuzzer takes no longer ones by itself, either.
const LONGEST: u64 = 16 * SPECIMEN_BYTES as u64;

/// A program of the folder.
pub(super) struct CorpusFile {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

/// Reads the programs of a folder, in the order of their names, and creates the folder if there is none. Folders in it and files whose names begin with a
/// dot are left alone.
///
/// # Errors
/// If the folder cannot be created or read, or a file in it is too long or cannot be read.
pub(super) fn read(folder: &Path) -> Result<Vec<CorpusFile>, FuzzError> {
    let failed = |path: &Path, source| FuzzError::Corpus { path: path.to_owned(), source };
    if !folder.is_dir() {
        fs::create_dir(folder).map_err(|source| failed(folder, source))?;
    }
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|source| failed(folder, source))? {
        let path = entry.map_err(|source| failed(folder, source))?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !is_hidden && !path.is_dir() {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path: PathBuf| match bytes(&path) {
        Ok(bytes) => Ok(CorpusFile { path, bytes }),
        Err(source) => Err(failed(&path, source)),
    };
    paths.into_iter().map(read).collect()
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let length = fs::metadata(path)?.len();
    if length > LONGEST {
        let why = format!("it has {length} bytes, and the bytes of a program are {LONGEST} at most");
        return Err(io::Error::other(why));
    }
    fs::read(path)
}

/// Writes a program, unless its file is there already; answers the file. Nobody sees a part of it.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(folder: &Path, bytes: &[u8]) -> Result<PathBuf, FuzzError> {
    let path = folder.join(name(bytes));
    let save = || {
        if path.exists() {
            return Ok(());
        }
        let mut file = tempfile::Builder::new().prefix(".warpdiff-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.persist(&path).map(|_| ()).map_err(|error| error.error)
    };
    match save() {
        Ok(()) => Ok(path),
        Err(source) => Err(FuzzError::Write { path, source }),
    }
}

/// Removes a program's file.
///
/// # Errors
/// If it is there and cannot be removed.
pub(super) fn remove(path: &Path) -> Result<(), FuzzError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(FuzzError::Write { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

/// The name of a program's file: FNV-1a of its bytes, in 128 bits.
fn name(bytes: &[u8]) -> String {
    let step =
        |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
    format!("{:032x}", bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_published_hash() {
        // FNV-1a 128 of "" and "a" (Fowler, Noll, Vo: test vectors).
        assert_eq!(name(b""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(name(b"a"), "d228cb696f1a8caf78912b704e4a8964");
    }

    #[test]
    fn a_file_is_there_as_a_whole_and_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), b"abc").unwrap();
        assert_eq!(write(folder.path(), b"abc").unwrap(), path);
        fs::write(folder.path().join(".half"), b"x").unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        let found = read(folder.path()).unwrap();
        assert_eq!(found.iter().map(|file| &file.bytes[..]).collect::<Vec<_>>(), [b"abc"]);
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert!(read(folder.path()).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_folder_of_programs_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let said = |path: &Path| read(path).err().map(|error| error.to_string()).unwrap_or_default();
        let missing = folder.path().join("a/b");
        assert!(said(&missing).starts_with("--corpus: cannot use"), "{}", said(&missing));
        let long = folder.path().join("long");
        fs::write(&long, vec![0; LONGEST as usize + 1]).unwrap();
        assert!(said(folder.path()).contains("it has 65537 bytes"), "{}", said(folder.path()));
        assert!(!said(&long).is_empty());
    }
}

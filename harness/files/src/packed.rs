//! A folder as one compressed text: its files by their paths, with a digest of all of them.
//!
//! The text is `warpdiff folder 1 `, the SHA-256 of the rest before compression in hexadecimal, a line feed, and a gzip file. That holds for each
//! file, ordered by path, a line `BYTES PATH` and that many bytes. Paths are relative, with `/` between their parts.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};

use crate::digest;

/// The beginning of a packed folder; the number is the version of the format.
const MAGIC: &[u8] = b"warpdiff folder 1 ";
/// Hexadecimal digits of the digest.
const DIGITS: usize = 64;

/// The files of a folder by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed(BTreeMap<String, Vec<u8>>);

impl Packed {
    /// Reads all files of a folder on the disk and of the folders in it. Hidden files, whose names begin with a dot, are left out:
    /// they belong to editors and unfinished writes.
    ///
    /// # Errors
    /// Errors of the file system with the path, a path that is not UTF-8, and links and other things that are no plain files.
    pub fn of_folder(root: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        collect(root, "", &mut files)?;
        Ok(Self(files))
    }

    /// The folder as one text. The same files give the same bytes.
    ///
    /// # Errors
    /// If compression fails.
    pub fn pack(&self) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        for (path, contents) in &self.0 {
            plain.extend_from_slice(format!("{} {path}\n", contents.len()).as_bytes());
            plain.extend_from_slice(contents);
        }
        let mut text = MAGIC.to_vec();
        text.extend_from_slice(digest::of(&plain).as_bytes());
        text.push(b'\n');
        // Without a time and a name in the gzip header, equal folders are equal texts.
        let mut encoder = GzBuilder::new().write(text, Compression::default());
        encoder.write_all(&plain)?;
        encoder.finish()
    }

    /// Reads a packed folder.
    ///
    /// # Errors
    /// As a lowercase fragment: it is damaged, or no packed folder of this version.
    pub fn unpack(text: &[u8]) -> Result<Self, String> {
        let rest = text.strip_prefix(MAGIC).ok_or("not a packed folder of this version of warpdiff")?;
        let (stated, rest) = rest.split_at_checked(DIGITS).ok_or("truncated")?;
        let rest = rest.strip_prefix(b"\n").ok_or("its digest is malformed")?;
        let mut plain = Vec::new();
        GzDecoder::new(rest).read_to_end(&mut plain).map_err(|error| format!("damaged: {error}"))?;
        if digest::of(&plain).as_bytes() != stated {
            return Err("damaged: its contents do not have the digest it states".into());
        }
        let mut files = BTreeMap::new();
        let mut rest = plain.as_slice();
        while !rest.is_empty() {
            let (path, contents, left) = file(rest).ok_or("malformed")?;
            files.insert(path.to_owned(), contents.to_vec());
            rest = left;
        }
        Ok(Self(files))
    }

    /// The files with their paths, ordered by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(path, contents)| (path.as_str(), contents.as_slice()))
    }

    /// The contents of a file.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }
}

/// Path and contents of the first file, and the bytes after it.
fn file(bytes: &[u8]) -> Option<(&str, &[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (size, path) = std::str::from_utf8(&bytes[..end]).ok()?.split_once(' ')?;
    let (contents, rest) = bytes[end + 1..].split_at_checked(size.parse().ok()?)?;
    Some((path, contents, rest))
}

fn collect(folder: &Path, inside: &str, files: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    let at = |path: &Path, why: String| io::Error::other(format!("{}: {why}", path.display()));
    for entry in std::fs::read_dir(folder).map_err(|error| at(folder, error.to_string()))? {
        let entry = entry.map_err(|error| at(folder, error.to_string()))?;
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| at(&path, "its name is not UTF-8".into()))?;
        if name.starts_with('.') {
            continue;
        }
        if name.contains('\n') {
            return Err(at(&path, "its name has a line feed".into()));
        }
        let kind = entry.file_type().map_err(|error| at(&path, error.to_string()))?;
        let inside = if inside.is_empty() { name.to_owned() } else { format!("{inside}/{name}") };
        if kind.is_dir() {
            collect(&path, &inside, files)?;
        } else if kind.is_file() {
            let contents = std::fs::read(&path).map_err(|error| at(&path, error.to_string()))?;
            files.insert(inside, contents);
        } else {
            return Err(at(&path, "neither a file nor a folder".into()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Packed {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        for (path, contents) in
            [("a/b/c.yaml", "12 x\n"), ("a/empty", ""), ("z", "no line feed"), (".#z", "")]
        {
            std::fs::write(folder.path().join(path), contents).unwrap();
        }
        Packed::of_folder(folder.path()).unwrap()
    }

    #[test]
    fn a_folder_comes_back_without_hidden_files() {
        let packed = Packed::unpack(&example().pack().unwrap()).unwrap();
        let files: Vec<_> = packed.files().collect();
        let expected: [(&str, &[u8]); 3] =
            [("a/b/c.yaml", b"12 x\n"), ("a/empty", b""), ("z", b"no line feed")];
        assert_eq!(files, expected);
        assert_eq!((packed.get("z"), packed.get("a")), (Some(b"no line feed".as_slice()), None));
        assert_eq!(packed.pack().unwrap(), example().pack().unwrap(), "the same files, the same bytes");
    }

    /// Each bit and each length: there is no damage that gives other files.
    #[test]
    fn no_damage_goes_unnoticed() {
        let (whole, text) = (example(), example().pack().unwrap());
        let same = |damaged: &[u8]| Packed::unpack(damaged).is_ok_and(|read| read == whole);
        let harmless = |damaged: &[u8]| Packed::unpack(damaged).is_err() || same(damaged);
        let mut refused = 0;
        for bit in 0..8 * text.len() {
            let mut damaged = text.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(harmless(&damaged), "bit {bit}");
            refused += usize::from(Packed::unpack(&damaged).is_err());
        }
        // The gzip header has bits that mean nothing for the contents: time, system, level.
        assert!(refused > 8 * text.len() - 8 * 10, "{refused} of {} bits", 8 * text.len());
        for length in 0..text.len() {
            assert!(Packed::unpack(&text[..length]).is_err(), "{length} bytes");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_packed_silently() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc/hosts", folder.path().join("link")).unwrap();
        let error = Packed::of_folder(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("link: neither a file nor a folder"), "{error}");
    }
}

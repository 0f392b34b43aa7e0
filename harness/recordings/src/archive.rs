//! Compressed contents by digest: the programs of a recording, and memory too large for its YAML files.
//!
//! An uncompressed archive is a sequence of entries: a line `// SHA-256 BYTES`, that many bytes, a line feed. It is split into
//! consecutive gzip files of bounded size; `zcat` prints the programs of a recording.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use warpdiff_files::digest;

/// Size of a compressed part, in bytes, after which the next part begins.
const PART: usize = 12 << 20;
/// Bytes compressed at a time: a part exceeds [`PART`] by at most this.
const STEP: usize = 1 << 20;
/// Limit of an uncompressed archive in bytes; a larger one is refused, as it might fill the memory.
const LARGEST: u64 = 4 << 30;
/// Start of the line before an entry.
const MARK: &str = "// ";

/// Contents by their digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive(BTreeMap<String, Vec<u8>>);

impl Archive {
    /// Adds contents, unless they are there already; returns their digest.
    pub fn add(&mut self, contents: &[u8]) -> String {
        let digest = digest::of(contents);
        self.0.entry(digest.clone()).or_insert_with(|| contents.to_vec());
        digest
    }

    /// The contents with this digest.
    pub fn get(&self, digest: &str) -> Option<&[u8]> {
        self.0.get(digest).map(Vec::as_slice)
    }

    /// Adds all contents of another archive.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Keeps only contents whose digest is wanted.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.0.retain(|digest, _| wanted(digest));
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The archive as gzip files. The same contents give the same bytes.
    ///
    /// # Errors
    /// If compression fails.
    pub fn parts(&self) -> std::io::Result<Vec<Vec<u8>>> {
        let mut parts = Parts { done: Vec::new(), current: encoder() };
        for (digest, contents) in &self.0 {
            parts.write(format!("{MARK}{digest} {}\n", contents.len()).as_bytes())?;
            parts.write(contents)?;
            parts.write(b"\n")?;
        }
        parts.end()
    }

    /// Reads an archive from its parts, in their order.
    ///
    /// # Errors
    /// As a lowercase fragment: a part that is not gzip, a truncated entry, or a digest that does not match.
    pub fn read(parts: &[Vec<u8>]) -> Result<Self, String> {
        let mut all = Vec::new();
        for part in parts {
            let room = LARGEST.saturating_sub(all.len() as u64);
            let mut decoder = GzDecoder::new(part.as_slice()).take(room + 1);
            decoder.read_to_end(&mut all).map_err(|error| format!("not a gzip file: {error}"))?;
            if all.len() as u64 > LARGEST {
                return Err(format!("longer than {LARGEST} bytes uncompressed"));
            }
        }
        let mut archive = Self::default();
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            let (stated, contents, left) = entry(rest).ok_or("truncated, or not an archive")?;
            if digest::of(contents) != stated {
                return Err(format!("the contents of {stated} were changed"));
            }
            archive.0.insert(stated.to_owned(), contents.to_vec());
            rest = left;
        }
        Ok(archive)
    }
}

/// Digest and contents of the first entry, and the bytes after it.
fn entry(bytes: &[u8]) -> Option<(&str, &[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?.strip_prefix(MARK)?;
    let (digest, size) = line.split_once(' ')?;
    let size: usize = size.parse().ok()?;
    let (contents, rest) = bytes[end + 1..].split_at_checked(size)?;
    Some((digest, contents, rest.strip_prefix(b"\n")?))
}

/// Writes a gzip file without time and name, so that equal contents give equal files.
fn encoder() -> GzEncoder<Vec<u8>> {
    GzBuilder::new().write(Vec::new(), Compression::default())
}

struct Parts {
    done: Vec<Vec<u8>>,
    current: GzEncoder<Vec<u8>>,
}

impl Parts {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        for step in bytes.chunks(STEP) {
            if self.current.get_ref().len() >= PART {
                let full = std::mem::replace(&mut self.current, encoder());
                self.done.push(full.finish()?);
            }
            self.current.write_all(step)?;
        }
        Ok(())
    }

    fn end(mut self) -> std::io::Result<Vec<Vec<u8>>> {
        self.done.push(self.current.finish()?);
        Ok(self.done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that do not compress: a linear congruential generator's high bytes.
    fn noise(size: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..size).map(|_| next()).collect()
    }

    #[test]
    fn contents_come_back_by_their_digest() {
        let mut archive = Archive::default();
        let program = archive.add(b".version 8.0\n// not an entry\n");
        // As sha256sum prints it for an empty file.
        assert_eq!(archive.add(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(archive.add(b".version 8.0\n// not an entry\n"), program);
        let parts = archive.parts().unwrap();
        assert_eq!(parts, archive.parts().unwrap());
        let read = Archive::read(&parts).unwrap();
        assert_eq!(read.get(&program), Some(b".version 8.0\n// not an entry\n".as_slice()));
        assert_eq!(read, archive);
        assert!(Archive::read(&Archive::default().parts().unwrap()).unwrap().is_empty());
    }

    #[test]
    fn large_contents_are_cut_into_parts_of_bounded_size() {
        let mut archive = Archive::default();
        archive.add(&noise(30 << 20));
        let parts = archive.parts().unwrap();
        assert_eq!(parts.len(), 3);
        assert!(parts.iter().all(|part| part.len() < 14 << 20));
        assert_eq!(Archive::read(&parts).unwrap(), archive);
        assert!(Archive::read(&parts[..2]).unwrap_err().contains("truncated"));
    }

    #[test]
    fn a_digest_that_does_not_fit_is_refused() {
        let mut archive = Archive::default();
        archive.add(b"abc");
        let stated = archive.0.keys().next().unwrap().clone();
        archive.0.insert(stated, b"abd".to_vec());
        let error = Archive::read(&archive.parts().unwrap()).unwrap_err();
        assert!(error.contains("were changed"), "{error}");
        assert!(Archive::read(&[b"no gzip".to_vec()]).is_err());
    }
}

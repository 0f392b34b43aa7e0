//! Data that the page unpacks only when it is asked for: JSON, compressed (raw DEFLATE, RFC 1951) and in base64. Browsers unpack it with
//! `DecompressionStream`, without any library.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

use super::base64::base64;

/// Bytes of contents in one chunk, before it is compressed. Opening a mismatch unpacks one chunk; a larger one would be smaller in all,
/// and slower to open.
const CHUNK: usize = 256 << 10;
/// Most bytes of all chunks together. A page of that size still opens in a second.
const ROOM: usize = 48 << 20;

/// A value as packed text.
pub(super) fn packed(value: &impl Serialize) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let written = serde_json::to_writer(&mut encoder, value).is_ok() && encoder.flush().is_ok();
    let bytes = encoder.finish().unwrap_or_default();
    // Values of this page always serialise, and memory takes whatever is written.
    debug_assert!(written, "a value that does not serialise");
    base64(&bytes)
}

/// Contents, packed in chunks.
#[derive(Default)]
pub(super) struct Chunks {
    /// The finished ones.
    finished: Vec<String>,
    /// Contents of the one that is being filled, and their bytes.
    filling: (Vec<String>, usize),
    /// Bytes of the finished ones.
    size: usize,
}

impl Chunks {
    /// Whether there is room for more.
    pub(super) fn have_room(&self) -> bool {
        self.size < ROOM
    }

    /// Adds contents: the number of their chunk, and their place in it.
    pub(super) fn push(&mut self, contents: String) -> (usize, usize) {
        let place = (self.finished.len(), self.filling.0.len());
        self.filling.1 += contents.len();
        self.filling.0.push(contents);
        if self.filling.1 >= CHUNK {
            self.close();
        }
        place
    }

    fn close(&mut self) {
        let (contents, _) = std::mem::take(&mut self.filling);
        let chunk = packed(&contents);
        self.size += chunk.len();
        self.finished.push(chunk);
    }

    /// The chunks, each a packed list of contents.
    pub(super) fn finish(mut self) -> Vec<String> {
        if !self.filling.0.is_empty() {
            self.close();
        }
        self.finished
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// Base64 and DEFLATE undone, by other code than the above.
    fn unpacked(text: &str) -> Vec<String> {
        let digit = |d: u8| match d {
            b'A'..=b'Z' => d - b'A',
            b'a'..=b'z' => d - b'a' + 26,
            b'0'..=b'9' => d - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let bits: Vec<bool> = text
            .bytes()
            .filter(|d| *d != b'=')
            .flat_map(|d| (0..6).rev().map(move |bit| digit(d) >> bit & 1 == 1))
            .collect();
        let bytes: Vec<u8> = bits
            .as_chunks::<8>()
            .0
            .iter()
            .map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit)))
            .collect();
        let mut json = String::new();
        flate2::read::DeflateDecoder::new(bytes.as_slice()).read_to_string(&mut json).unwrap();
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn contents_are_found_where_they_were_put() {
        let mut chunks = Chunks::default();
        let contents: Vec<String> = (0..20).map(|n| format!("{n}<b>é</b>").repeat(10_000)).collect();
        let places: Vec<_> = contents.iter().map(|contents| chunks.push(contents.clone())).collect();
        let chunks: Vec<Vec<String>> = chunks.finish().iter().map(|chunk| unpacked(chunk)).collect();
        assert!(chunks.len() > 3, "{}", chunks.len());
        for ((chunk, place), contents) in places.into_iter().zip(contents) {
            assert_eq!(chunks[chunk][place], contents);
        }
    }
}

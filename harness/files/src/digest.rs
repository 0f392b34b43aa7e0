//! Digests of texts.

use sha2::{Digest, Sha256};

use crate::hexadecimal;

/// The SHA-256 of some parts, as hexadecimal digits. Each part counts with its length, so that no two lists of parts are the same bytes.
pub fn of_parts(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hexadecimal::of(&hash.finalize())
}

/// The SHA-256 of bytes, as hexadecimal digits.
pub fn of(bytes: &[u8]) -> String {
    hexadecimal::of(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest of nothing is that of FIPS 180-4.
    #[test]
    fn parts_count_with_their_bounds() {
        assert_eq!(of(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(of_parts(&[b"a", b"b"]), of_parts(&[b"a", b"b"]));
        assert_ne!(of_parts(&[b"a", b"b"]), of_parts(&[b"ab", b""]));
    }
}

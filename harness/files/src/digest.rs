//! Digests of texts, and bytes as hexadecimal digits.

use sha2::{Digest, Sha256};

/// The SHA-256 of some parts, as hexadecimal digits. Each part counts with its length, so that no two lists of parts are the same bytes.
pub fn of_parts(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hexadecimal(&hash.finalize())
}

/// The SHA-256 of bytes, as hexadecimal digits.
pub(crate) fn of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Two digits for each byte, in the order of the bytes.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    push_hexadecimal(&mut digits, bytes);
    digits
}

/// Appends what [`hexadecimal`] gives.
pub fn push_hexadecimal(text: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_two_digits() {
        assert_eq!(hexadecimal(&[0x00, 0x09, 0x5a, 0xA0, 0xFF]), "00095aa0ff");
    }

    /// The digest of nothing is that of FIPS 180-4.
    #[test]
    fn parts_count_with_their_bounds() {
        assert_eq!(of(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(of_parts(&[b"a", b"b"]), of_parts(&[b"a", b"b"]));
        assert_ne!(of_parts(&[b"a", b"b"]), of_parts(&[b"ab", b""]));
    }
}

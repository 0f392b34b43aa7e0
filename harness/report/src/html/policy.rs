//! The content security policy of the page: only its own style and script, each by its digest. Text of a hostile corpus or target
//! would not run even unescaped, and the page fetches nothing.

use sha2::{Digest, Sha256};

/// The style of the page.
pub(super) const STYLE: &str = include_str!("style.css");
/// The script of the page: the filter. Without it everything is shown.
pub(super) const SCRIPT: &str = include_str!("script.js");

/// The content security policy of the page.
pub(super) fn policy() -> String {
    let (style, script) = (digest(STYLE), digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    )
}

fn digest(text: &str) -> String {
    base64(&Sha256::digest(text.as_bytes()))
}

/// Base64 with padding (RFC 4648, section 4), the form in which policies name digests.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for position in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * position) & 63) as usize];
            text.push(if position <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        // The test vectors of its section 10.
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in vectors {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }

    #[test]
    fn style_and_script_close_no_element_and_fetch_nothing() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("url(") && !text.contains("://"));
        }
    }
}

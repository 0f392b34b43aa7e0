//! The content security policy of the page: only its own style and script, each by its digest. Text of a hostile corpus or target
//! would not run even unescaped, and the page fetches nothing.

use sha2::{Digest, Sha256};

use super::base64::base64;

/// The style of the page.
pub const STYLE: &str = include_str!("style.css");
/// The script of the page: the list of variants, which unpacks each mismatch when it is opened.
pub(super) const SCRIPT: &str = include_str!("script.js");

/// The content security policy of a page with this style and this script.
pub fn policy(style: &str, script: &str) -> String {
    let (style, script) = (digest(style), digest(script));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    )
}

fn digest(text: &str) -> String {
    base64(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_and_script_close_no_element_and_fetch_nothing() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("url(") && !text.contains("://"));
        }
    }
}

//! The tokens of assembler text.

use warpdiff_ptx::source::{Diagnostic, Span};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// Letters, digits, `_`, `$` and dots: `LDS.U.32`, `R4`, `.L_1`.
    Word(&'t str),
    /// A number, decimal or hexadecimal; `u64::MAX` stands for all that are larger.
    Number(u64),
    /// A number with a fraction or an exponent: `1.5`, `2.5e-07`.
    Float(&'t str),
    /// One of ``@![]+-,;:{}&=?()|~` ``.
    Mark(char),
}

/// The characters that are tokens by themselves.
const MARKS: &[u8] = b"@![]+-,;:{}&=?()`|~";

/// An error about a place in the text.
pub(crate) fn error(span: Span, message: impl Into<String>, expected: Option<&str>) -> Diagnostic {
    Diagnostic {
        span,
        message: message.into(),
        expected: expected.map(str::to_owned),
        note: None,
        unsupported: false,
        unchecked: false,
    }
}

/// An error about something that exists and that this crate does not know yet, nor what is legal of it.
pub(crate) fn unsupported(span: Span, what: String) -> Diagnostic {
    Diagnostic { unsupported: true, unchecked: true, ..error(span, format!("unsupported: {what}"), None) }
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

/// The tokens of a text with their places; what is no token is reported and left out.
pub(crate) fn tokens<'t>(text: &'t str, diagnostics: &mut Vec<Diagnostic>) -> Vec<(Token<'t>, Span)> {
    // Few tokens are shorter than three characters with what is between them.
    let mut out = Vec::with_capacity(text.len() / 3);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length =
            |belongs: fn(u8) -> bool| rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        let end = if c.is_ascii_whitespace() {
            at + length(|byte| byte.is_ascii_whitespace())
        } else if c.is_whitespace() {
            at + c.len_utf8()
        } else if c == '#' || rest.starts_with("//") {
            at + rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(inner) => at + 2 + inner + 2,
                None => {
                    diagnostics.push(error(span(at, at + 2), "this comment does not end", Some("`*/`")));
                    text.len()
                }
            }
        } else if c.is_ascii_digit() {
            let end = at + length(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            // The dimensions of a texture.
            if matches!(&text[at..end], "1D" | "2D" | "3D") {
                out.push((Token::Word(&text[at..end]), span(at, end)));
                at = end;
                continue;
            }
            if let Some(length) = float_length(rest) {
                out.push((Token::Float(&rest[..length]), span(at, at + length)));
                at += length;
                continue;
            }
            let value = number(&text[at..end]).unwrap_or_else(|(what, expected)| {
                let message = format!("`{}` is {what}", &text[at..end]);
                diagnostics.push(error(span(at, end), message, Some(expected)));
                0
            });
            out.push((Token::Number(value), span(at, end)));
            end
        } else if c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '.') {
            let end = at + length(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.'));
            out.push((Token::Word(&text[at..end]), span(at, end)));
            end
        } else if c.is_ascii() && MARKS.contains(&(c as u8)) {
            out.push((Token::Mark(c), span(at, at + 1)));
            at + 1
        } else {
            let end = at + c.len_utf8();
            diagnostics.push(error(
                span(at, end),
                format!("unexpected character `{}`", c.escape_debug()),
                None,
            ));
            end
        };
        at = end;
    }
    out
}

/// How long the number with a fraction or an exponent is that a text begins with; `None` where it begins with another.
fn float_length(text: &str) -> Option<usize> {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let byte = |at: usize| text.as_bytes().get(at).copied();
    let mut end = digits(0);
    let whole = end;
    if byte(end) == Some(b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(byte(end), Some(b'e' | b'E')) {
        let signed = end + 1 + usize::from(matches!(byte(end + 1), Some(b'+' | b'-')));
        if digits(signed) > 0 {
            end = signed + digits(signed);
        }
    }
    let ends = !byte(end).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
    (whole > 0 && end > whole && ends).then_some(end)
}

/// The value of a literal, at most `i64::MAX`, which is larger than any field; or what it is instead, and what was expected.
fn number(text: &str) -> Result<u64, (&'static str, &'static str)> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    if !valid {
        return Err(("no number", "a decimal or hexadecimal number"));
    }
    let value = i64::from_str_radix(digits, radix).map(i64::unsigned_abs);
    value.map_err(|_| ("too large a number", "at most 0x7fffffffffffffff"))
}

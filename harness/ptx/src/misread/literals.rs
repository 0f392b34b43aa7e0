//! Numbers in initial values as an implementation misreads their spelling.

use warpdiff_model::{Deviation, Semantics};

use crate::lexer::{Kind, Lexer};
use crate::source::Span;

/// Whether these semantics misread numbers.
pub(super) fn are_misread(semantics: &Semantics) -> bool {
    semantics.has(Deviation::InitHexCut) || semantics.has(Deviation::InitOctalDecimal)
}

/// The text with the numbers behind the `=` of a declaration spelled as these semantics read them. All else stays in its place.
pub(super) fn respelled(text: &str, declaration: Span, semantics: &Semantics) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut lexer = Lexer::of_span(text, declaration);
    let mut is_value = false;
    loop {
        let token = lexer.next();
        match token.kind {
            Kind::End | Kind::Bad => break,
            Kind::Equals => is_value = true,
            Kind::Integer if is_value => respell(&mut bytes[token.span.range()], semantics),
            _ => {}
        }
    }
    // Only ASCII was written, over ASCII.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Spells a number in its own room as these semantics read it.
fn respell(number: &mut [u8], semantics: &Semantics) {
    match number {
        [b'0', b'x' | b'X', digits @ ..] if semantics.has(Deviation::InitHexCut) => {
            if let Some(cut) = digits.iter().position(u8::is_ascii_alphabetic) {
                digits[cut..].fill(b' ');
                if cut == 0 {
                    digits[0] = b'0';
                }
            }
        }
        [b'0', b'0'..=b'9', ..] if semantics.has(Deviation::InitOctalDecimal) => {
            let zeros = number.iter().take_while(|digit| **digit == b'0').count();
            let last = number.len() - 1;
            number[..zeros.min(last)].fill(b' ');
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(deviation: Deviation, text: &str) -> String {
        let all = Span { start: 0, end: text.len() as u32 };
        respelled(text, all, &Semantics::default().with(deviation))
    }

    #[test]
    fn numbers_are_spelled_as_they_are_read_and_keep_their_places() {
        let octal = |text| read(Deviation::InitOctalDecimal, text);
        assert_eq!(octal("v[010] = {017, 0, 10, 00, 0x1f, 0b11}"), "v[010] = { 17, 0, 10,  0, 0x1f, 0b11}");
        let hex = |text| read(Deviation::InitHexCut, text);
        assert_eq!(hex("v[0xa] = {0x1f, 0xff, 0x12, 17}"), "v[0xa] = {0x1 , 0x0 , 0x12, 17}");
    }
}

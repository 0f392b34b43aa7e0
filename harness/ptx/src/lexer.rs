//! The tokens of PTX, and the spelling of its literals: source text → tokens. Hand-written, one pass, no allocation: a token is a
//! kind and a range of bytes.

use crate::source::Span;

/// The kinds of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// End of the source text.
    End,
    /// An identifier: `add`, `%r1`, `$L__BB0_1`, `_`.
    Identifier,
    /// A dot and a word: `.s32`, `.shared::cta`, `.2d`.
    Word,
    /// An integer literal of any base, `U` suffix included. Its form is checked together with its value.
    Integer,
    /// A decimal floating-point literal: `1.5`, `.05`, `1e9`.
    Decimal,
    /// `0f` and hexadecimal digits.
    Hex32,
    /// `0d` and hexadecimal digits.
    Hex64,
    /// `"…"`
    Text,
    /// `(`
    ParenOpen,
    /// `)`
    ParenClose,
    /// `[`
    BracketOpen,
    /// `]`
    BracketClose,
    /// `{`
    BraceOpen,
    /// `}`
    BraceClose,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `@`
    At,
    /// `=`
    Equals,
    /// `?`
    Question,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%` that does not start an identifier
    Percent,
    /// `~`
    Tilde,
    /// `!`
    Bang,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `==`
    EqualEqual,
    /// `!=`
    BangEqual,
    /// `&`
    Ampersand,
    /// `|`
    Bar,
    /// `^`
    Caret,
    /// `&&`
    AndAnd,
    /// `||`
    OrOr,
    /// An invalid character, or an unterminated comment or string.
    Bad,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Kind of token.
    pub kind: Kind,
    /// Source span.
    pub span: Span,
}

/// May continue an identifier: `[A-Za-z0-9_$]` (PTX ISA 4.4, `followsym`).
const FOLLOW: u8 = 1;
/// A decimal digit.
const DIGIT: u8 = 2;
/// White space.
const SPACE: u8 = 4;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' {
            table[i] |= FOLLOW;
        }
        if byte.is_ascii_digit() {
            table[i] |= DIGIT;
        }
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c) {
            table[i] |= SPACE;
        }
        i += 1;
    }
    table
}

/// Of eight bytes of text, those that may continue an identifier: the highest bit of each is set in the result, and no other bit.
#[inline]
const fn followers(bytes: u64) -> u64 {
    /// The same byte eight times.
    const fn each(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    const HIGH: u64 = each(0x80);
    // Without their highest bits the sums below stay inside their bytes. Only ASCII counts at the end.
    let ascii = bytes & !HIGH;
    let lower = ascii | each(0x20);
    // A byte reaches 0x80 by adding 0x80 - n if it is n or more.
    let letter = (lower + each(0x80 - b'a')) & !(lower + each(0x80 - (b'z' + 1)));
    let digit = (ascii + each(0x80 - b'0')) & !(ascii + each(0x80 - (b'9' + 1)));
    // 0x80 minus a difference keeps its highest bit only if the difference is none.
    let other = (HIGH - (ascii ^ each(b'_'))) | (HIGH - (ascii ^ each(b'$')));
    (letter | digit | other) & !bytes & HIGH
}

/// Reads tokens one after another.
#[derive(Clone, Debug)]
pub struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Lexer<'t> {
    /// A lexer at the start of `text`, which must be shorter than 4 GiB.
    pub fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }

    /// A lexer for a part of `text`; spans stay relative to the whole. It stops at the end of the part.
    pub fn of_span(text: &'t str, span: Span) -> Self {
        let end = (span.end as usize).min(text.len());
        Self { bytes: &text.as_bytes()[..end], at: (span.start as usize).min(end) }
    }

    fn byte(&self, offset: usize) -> u8 {
        self.bytes.get(self.at + offset).copied().unwrap_or(0)
    }

    fn is(&self, offset: usize, class: u8) -> bool {
        CLASS[self.byte(offset) as usize] & class != 0
    }

    fn skip_while(&mut self, class: u8) {
        while self.at < self.bytes.len() && CLASS[self.bytes[self.at] as usize] & class != 0 {
            self.at += 1;
        }
    }

    /// Skips what continues an identifier, eight bytes at a time: identifiers are of so many lengths that a processor does not foresee
    /// the end of a loop over their bytes.
    #[inline]
    fn skip_followers(&mut self) {
        while let Some(bytes) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            let followers = followers(u64::from_le_bytes(*bytes));
            let length = (!followers & (0x80 * 0x0101_0101_0101_0101)).trailing_zeros() as usize / 8;
            self.at += length;
            if length < bytes.len() {
                return;
            }
        }
        self.skip_while(FOLLOW);
    }

    /// Skips white space and comments; false if a comment does not end.
    #[inline]
    fn skip_blank(&mut self) -> bool {
        loop {
            self.skip_while(SPACE);
            if self.byte(0) != b'/' {
                return true;
            }
            match self.byte(1) {
                b'/' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                }
                b'*' => {
                    let body = &self.bytes[self.at + 2..];
                    match body.windows(2).position(|pair| pair == b"*/") {
                        Some(length) => self.at += length + 4,
                        None => return false,
                    }
                }
                _ => return true,
            }
        }
    }

    /// The next token; at the end it returns [`Kind::End`] every time.
    #[expect(clippy::should_implement_trait, reason = "it never ends: after the last token it answers End")]
    #[inline]
    pub fn next(&mut self) -> Token {
        let (kind, start) = self.advance();
        Token { kind, span: Span { start, end: self.position() } }
    }

    /// Takes the next token; returns its kind and where it starts. It ends at [`Self::position`].
    pub(crate) fn advance(&mut self) -> (Kind, u32) {
        let closed = self.skip_blank();
        let start = self.at;
        let kind = if !closed {
            self.at = self.bytes.len();
            Kind::Bad
        } else if start >= self.bytes.len() {
            Kind::End
        } else {
            self.token()
        };
        (kind, start as u32)
    }

    /// Where the last token ends.
    #[inline]
    pub(crate) fn position(&self) -> u32 {
        self.at as u32
    }

    #[inline]
    fn token(&mut self) -> Kind {
        match self.byte(0) {
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => {
                self.skip_followers();
                Kind::Identifier
            }
            b'%' if self.is(1, FOLLOW) => {
                self.at += 1;
                self.skip_followers();
                Kind::Identifier
            }
            b'.' => self.after_dot(),
            b'"' => self.string(),
            _ => self.punctuation(),
        }
    }

    fn after_dot(&mut self) -> Kind {
        if self.is(1, DIGIT) {
            let dot = self.at;
            self.at += 1;
            self.skip_while(DIGIT);
            if self.exponent() || !self.is(0, FOLLOW) {
                return Kind::Decimal;
            }
            self.at = dot;
        } else if !self.is(1, FOLLOW) {
            self.at += 1;
            return Kind::Bad;
        }
        self.at += 1;
        self.skip_followers();
        while self.byte(0) == b':' && self.byte(1) == b':' && self.is(2, FOLLOW) {
            self.at += 2;
            self.skip_followers();
        }
        Kind::Word
    }

    /// Takes an exponent such as `e+5`; returns whether there was one.
    fn exponent(&mut self) -> bool {
        if !matches!(self.byte(0), b'e' | b'E') {
            return false;
        }
        let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
        if !self.is(1 + sign, DIGIT) {
            return false;
        }
        self.at += 1 + sign;
        self.skip_while(DIGIT);
        true
    }

    fn number(&mut self) -> Kind {
        if self.byte(0) == b'0' && matches!(self.byte(1), b'f' | b'F' | b'd' | b'D') {
            let kind = if matches!(self.byte(1), b'f' | b'F') { Kind::Hex32 } else { Kind::Hex64 };
            self.skip_while(FOLLOW);
            return kind;
        }
        if self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X' | b'b' | b'B') {
            self.skip_while(FOLLOW);
            return Kind::Integer;
        }
        self.skip_while(DIGIT);
        let fraction = self.byte(0) == b'.'
            && (self.is(1, DIGIT)
                || !self.is(1, FOLLOW)
                || matches!(self.byte(1), b'e' | b'E') && self.is(2, DIGIT));
        if fraction {
            self.at += 1;
            self.skip_while(DIGIT);
        }
        if self.exponent() || fraction {
            self.skip_while(FOLLOW);
            return Kind::Decimal;
        }
        self.skip_while(FOLLOW);
        Kind::Integer
    }

    fn string(&mut self) -> Kind {
        let body = &self.bytes[self.at + 1..];
        match body.iter().position(|b| matches!(b, b'"' | b'\n')) {
            Some(length) if body[length] == b'"' => {
                self.at += length + 2;
                Kind::Text
            }
            Some(length) => {
                self.at += length + 1;
                Kind::Bad
            }
            None => {
                self.at = self.bytes.len();
                Kind::Bad
            }
        }
    }

    fn punctuation(&mut self) -> Kind {
        let first = self.byte(0);
        let single = SINGLE[first as usize];
        if single != Kind::Bad {
            self.at += 1;
            return single;
        }
        let (kind, length) = match (first, self.byte(1)) {
            (b'=', b'=') => (Kind::EqualEqual, 2),
            (b'=', _) => (Kind::Equals, 1),
            (b'!', b'=') => (Kind::BangEqual, 2),
            (b'!', _) => (Kind::Bang, 1),
            (b'<', b'<') => (Kind::ShiftLeft, 2),
            (b'<', b'=') => (Kind::LessEqual, 2),
            (b'<', _) => (Kind::Less, 1),
            (b'>', b'>') => (Kind::ShiftRight, 2),
            (b'>', b'=') => (Kind::GreaterEqual, 2),
            (b'>', _) => (Kind::Greater, 1),
            (b'&', b'&') => (Kind::AndAnd, 2),
            (b'&', _) => (Kind::Ampersand, 1),
            (b'|', b'|') => (Kind::OrOr, 2),
            (b'|', _) => (Kind::Bar, 1),
            // A character of several bytes is one bad token, so that spans stay on character boundaries.
            _ => (Kind::Bad, if first < 0xC0 { 1 } else { first.leading_ones() as usize }),
        };
        self.at = (self.at + length).min(self.bytes.len());
        kind
    }
}

/// Characters that form a token by themselves, whatever follows them.
static SINGLE: [Kind; 256] = {
    let mut table = [Kind::Bad; 256];
    let pairs = [
        (b'(', Kind::ParenOpen),
        (b')', Kind::ParenClose),
        (b'[', Kind::BracketOpen),
        (b']', Kind::BracketClose),
        (b'{', Kind::BraceOpen),
        (b'}', Kind::BraceClose),
        (b',', Kind::Comma),
        (b';', Kind::Semicolon),
        (b':', Kind::Colon),
        (b'@', Kind::At),
        (b'?', Kind::Question),
        (b'+', Kind::Plus),
        (b'-', Kind::Minus),
        (b'*', Kind::Star),
        (b'/', Kind::Slash),
        (b'%', Kind::Percent),
        (b'~', Kind::Tilde),
        (b'^', Kind::Caret),
    ];
    let mut i = 0;
    while i < pairs.len() {
        table[pairs[i].0 as usize] = pairs[i].1;
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| Some(lexer.next()).filter(|t| t.kind != Kind::End))
            .map(|t| (t.kind, &text[t.span.range()]))
            .collect()
    }

    #[test]
    fn instruction() {
        let expected = [
            (Kind::Identifier, "suld"),
            (Kind::Word, ".b"),
            (Kind::Word, ".2d"),
            (Kind::Word, ".v4"),
            (Kind::Identifier, "%r1"),
            (Kind::BracketOpen, "["),
            (Kind::Identifier, "%rd1"),
            (Kind::Plus, "+"),
            (Kind::Minus, "-"),
            (Kind::Integer, "4"),
            (Kind::BracketClose, "]"),
            (Kind::Semicolon, ";"),
        ];
        assert_eq!(tokens("suld.b.2d.v4 %r1[%rd1+-4]; // ends"), expected);
    }

    #[test]
    fn numbers() {
        for (text, kind) in [
            ("0x1fU", Kind::Integer),
            ("0b101", Kind::Integer),
            ("017", Kind::Integer),
            ("1.5", Kind::Decimal),
            ("1.", Kind::Decimal),
            (".05", Kind::Decimal),
            ("1e9", Kind::Decimal),
            ("2.5E-3", Kind::Decimal),
            ("0f3F800000", Kind::Hex32),
            ("0d3FF0000000000000", Kind::Hex64),
            (".3d", Kind::Word),
            (".L2::128B", Kind::Word),
            (".2dms", Kind::Word),
        ] {
            assert_eq!(tokens(text), [(kind, text)]);
        }
    }

    /// `%3` is an identifier, `% 3` an operator and a number (PTX ISA 4.4: `%` may start an identifier).
    #[test]
    fn percent() {
        assert_eq!(tokens("7%3"), [(Kind::Integer, "7"), (Kind::Identifier, "%3")]);
        assert_eq!(tokens("7 % 3").len(), 3);
    }

    #[test]
    fn what_does_not_end() {
        assert_eq!(tokens("/* x"), [(Kind::Bad, "/* x")]);
        assert_eq!(tokens("\"x\ny"), [(Kind::Bad, "\"x"), (Kind::Identifier, "y")]);
        assert_eq!(tokens("é"), [(Kind::Bad, "é")]);
    }

    /// Eight bytes at a time are classed as each by itself.
    #[test]
    fn followers_of_identifiers() {
        for byte in 0..=u8::MAX {
            for neighbour in [0x00, 0x7F, 0x80, 0xFF, b'a', b'_', b' '] {
                for place in 0..8 {
                    let mut bytes = [neighbour; 8];
                    bytes[place] = byte;
                    let class = |byte: u8| if CLASS[byte as usize] & FOLLOW != 0 { 0x80 } else { 0 };
                    assert_eq!(
                        followers(u64::from_le_bytes(bytes)).to_le_bytes(),
                        bytes.map(class),
                        "{bytes:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn identifiers_of_every_length() {
        for length in 1..40 {
            let name = "_".repeat(length);
            for rest in ["", ",", ", aaaaaaaaaaaa", "é", "\u{b}x"] {
                let text = format!("{name}{rest}");
                assert_eq!(tokens(&text)[0], (Kind::Identifier, name.as_str()));
                let word = format!(".{text}");
                assert_eq!(tokens(&word)[0].1.len(), length + 1);
            }
        }
    }
}

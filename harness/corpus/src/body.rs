//! Checks the author's text before a kernel is written around it: unclosed braces and comments.

use warpdiff_ptx::lexer::{Kind, Lexer};

use super::reader::{Read, Reader};
use super::text::Text;

/// Notes an unbalanced brace and a comment without an end.
pub(crate) fn check(reader: &Reader<'_>, text: &Text) -> Read<()> {
    // The parser refuses longer texts.
    let Ok(_) = u32::try_from(text.string.len()) else { return Ok(()) };
    let mut lexer = Lexer::new(&text.string);
    let mut open = Vec::new();
    loop {
        let token = lexer.next();
        let start = token.span.start as usize;
        match token.kind {
            Kind::End => break,
            Kind::BraceOpen => open.push(start),
            Kind::BraceClose if open.pop().is_none() => {
                return wrong(reader, text, start, 1, "unbalanced `}`");
            }
            Kind::Bad if text.string[start..].starts_with("/*") => {
                return wrong(reader, text, start, 2, "a comment without its `*/`");
            }
            _ => {}
        }
    }
    match open.pop() {
        Some(start) => wrong(reader, text, start, 1, "`{` without its `}`"),
        None => Ok(()),
    }
}

fn wrong(reader: &Reader<'_>, text: &Text, start: usize, length: usize, message: &str) -> Read<()> {
    reader.fail(&text.locate(&(start..start + length)), message)
}

//! The directives at the head of a program.

use crate::header::{Header, ShaderType};
use crate::lexer::{Token, error};
use crate::parser::{Parsed, Parser};

/// Their names.
pub(crate) const DIRECTIVES: [&str; 5] = [".spa", ".shader", ".registers", ".shared", ".local"];

/// Reads the directives into a header.
pub(crate) fn directives(parser: &mut Parser<'_, '_>, header: &mut Header) -> Parsed<()> {
    let mut seen: Vec<&str> = Vec::new();
    while let Some(Token::Word(name)) = parser.peek() {
        let Some(name) = DIRECTIVES.into_iter().find(|directive| *directive == name) else { break };
        if seen.contains(&name) {
            return Err(error(parser.here(), format!("a second `{name}`"), None));
        }
        parser.advance();
        match name {
            ".spa" if !seen.is_empty() => {
                return Err(error(parser.here(), "`.spa` is not the first directive", None));
            }
            ".spa" => version(parser)?,
            ".shader" => header.shader = shader(parser)?,
            ".registers" => header.registers = u16::try_from(count(parser, 255)?).unwrap_or(u16::MAX),
            ".shared" => header.shared = count(parser, 1 << 24)?,
            _ => header.local = count(parser, 1 << 24)?,
        }
        seen.push(name);
    }
    Ok(())
}

/// `5.0`
fn version(parser: &mut Parser<'_, '_>) -> Parsed<()> {
    let span = parser.here();
    match parser.peek() {
        Some(Token::Float("5.0")) => {
            parser.advance();
            Ok(())
        }
        Some(Token::Float(_) | Token::Number(_)) => {
            Err(error(span, "unsupported: a version of SPA other than 5.0", Some("`5.0`")))
        }
        _ => Err(parser.unexpected("`5.0`")),
    }
}

fn shader(parser: &mut Parser<'_, '_>) -> Parsed<ShaderType> {
    let (word, span) = parser.word("`compute` or `graphics`")?;
    match word {
        "compute" => Ok(ShaderType::Compute),
        "graphics" => Ok(ShaderType::Graphics),
        _ => Err(error(span, format!("unknown type of shader `{word}`"), Some("`compute` or `graphics`"))),
    }
}

/// A number of registers or bytes.
fn count(parser: &mut Parser<'_, '_>, most: u32) -> Parsed<u32> {
    let (value, span) = parser.number("a number")?;
    let expected = format!("0 to {most}");
    let count = u32::try_from(value).ok().filter(|count| *count <= most);
    count.ok_or_else(|| error(span, format!("{value} is too many"), Some(&expected)))
}

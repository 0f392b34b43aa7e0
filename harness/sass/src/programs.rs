//! Several programs in one text: the sections of a listing of nvdisasm or cuobjdump, one for each kernel, and programs that stand behind
//! one another, as `warpdiff disassemble` prints them.

use std::ops::Range;

use warpdiff_ptx::source::Diagnostic;

use crate::check::{Authority, check, check_targets};
use crate::header::Header;
use crate::listing_text::{is_comment, is_listing};
use crate::parser::parse_under;
use crate::program::Program;

/// A program among others in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name of its section, or the one in the comment before its first line; empty without.
    pub name: String,
    /// The program.
    pub program: Program,
}

/// Parses and checks each program of a text; of machine code that a tool took apart, a listing or a text with a schedule, only that
/// control goes to instructions. Addresses of symbols are taken: see [`Program::symbols`].
///
/// # Errors
///
/// All errors of all programs.
pub fn programs(text: &str) -> Result<Vec<Named>, Vec<Diagnostic>> {
    let mut all = Vec::new();
    let mut diagnostics = Vec::new();
    for (name, range) in parts(text) {
        let parsed = parse_under(&text[range.clone()], &Header::default());
        let wrong = match parsed {
            Ok(program) => {
                // Words that a tool took apart are what they are: ptxas 12.9 makes some that break the rules of the encoder (a `vset` of a
                // number becomes a store from registers that are not aligned).
                let is_taken_apart = is_listing(&text[range.clone()]) || !program.is_unscheduled();
                let wrong = match is_taken_apart {
                    true => check_targets(&program),
                    false => check(&program, &program.header, Authority::Encoder),
                };
                all.push(Named { name, program });
                wrong
            }
            Err(wrong) => wrong,
        };
        diagnostics.extend(wrong.into_iter().map(|mut diagnostic| {
            diagnostic.span.start += range.start as u32;
            diagnostic.span.end += range.start as u32;
            diagnostic
        }));
    }
    if diagnostics.is_empty() { Ok(all) } else { Err(diagnostics) }
}

/// The names and places of the programs. A text without sections and with one `.spa` at most is one program.
fn parts(text: &str) -> Vec<(String, Range<usize>)> {
    let mut starts: Vec<(String, usize, bool)> = Vec::new();
    let mut at = 0;
    let mut comment = None;
    for line in text.split_inclusive('\n') {
        match line.split_whitespace().next() {
            Some(".section") => {
                let named = line.trim_start().trim_start_matches(".section").trim_start();
                let section = named.split([',', ' ', '\t', '\n']).next().unwrap_or_default();
                let name = section.strip_prefix(".text.");
                starts.push((name.unwrap_or_default().to_owned(), at, name.is_some()));
            }
            // Of cuobjdump.
            Some("Function") if line.trim_start().starts_with("Function :") => {
                let name = line.split_once(':').map_or("", |(_, name)| name.trim());
                starts.push((name.to_owned(), at, true));
            }
            Some(dots) if dots.len() > 3 && dots.bytes().all(|byte| byte == b'.') => {
                starts.push((String::new(), at, false));
            }
            Some(".spa") => {
                let (name, start) = comment.take().unwrap_or((String::new(), at));
                starts.push((name, start, true));
            }
            _ => {}
        }
        comment = line.strip_prefix("# ").map(|name| (name.trim().to_owned(), at));
        at += line.len();
    }
    let first = starts.first().map_or(text.len(), |start| start.1);
    let is_blank = text[..first].lines().all(|line| is_comment(line) || !line.contains(';'));
    if starts.is_empty() || !is_blank {
        starts.insert(0, (String::new(), 0, true));
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|start| start.1).chain([text.len()]).collect();
    let parts = starts.into_iter().zip(ends).filter(|(start, _)| start.2);
    parts.map(|((name, start, _), end)| (name, start..end)).collect()
}

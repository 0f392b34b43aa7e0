//! Texts as tools print them: listings of nvdisasm and cuobjdump with their directives and control words, a section for each kernel,
//! and programs that stand behind one another, as `warpdiff disassemble` prints them.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use warpdiff_ptx::source::Diagnostic;

use crate::check::{Authority, check, check_targets};
use crate::control::{Control, ControlWord};
use crate::header::Header;
use crate::parser::parse_under;
use crate::program::Program;

/// The directives of a listing that say nothing of the words.
const DIRECTIVES: [&str; 11] = [
    ".headerflags",
    ".elftype",
    ".section",
    ".sectionflags",
    ".sectioninfo",
    ".align",
    ".global",
    ".weak",
    ".type",
    ".size",
    ".other",
];
/// What stands before the number of registers of a kernel.
const REGISTERS: &str = "SHI_REGISTERS=";

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

/// Whether a text is a section of a listing.
fn is_listing(text: &str) -> bool {
    text.lines().next().is_some_and(is_directive)
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with("//") || line.starts_with('#')
}

fn is_directive(line: &str) -> bool {
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some("Function"), Some(":")) => true,
        (Some(word), Some(value)) => DIRECTIVES.contains(&word) && value != ":",
        _ => false,
    }
}

/// The word of a line that has nothing but a word in a comment, `/* 0x001fc000fe8007f6 */`.
fn lone_word(line: &str) -> Option<u64> {
    let digits = line.trim().strip_prefix("/* 0x")?.strip_suffix(" */")?;
    u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16)
}

/// The control words of a listing with encodings, and where they stand. Behind the second of two instructions in braces nvdisasm puts
/// the encoding of that instruction in a line of its own.
fn control_words(text: &str) -> Vec<(u32, VecDeque<Control>)> {
    let mut words = Vec::new();
    let mut at = 0;
    let mut after_pair = false;
    for line in text.split_inclusive('\n') {
        let word = lone_word(line);
        if let Some(word) = word.filter(|_| !after_pair) {
            words.push((at as u32, ControlWord::decode(word).slots.into()));
        }
        // Labels and directives may stand in between.
        let is_instruction = line.contains("/*");
        after_pair = word.is_none() && (line.trim_end().ends_with('}') || after_pair && !is_instruction);
        at += line.len();
    }
    words
}

/// Gives each statement of a program the control field that a listing has above it. Annotations count for more.
pub(crate) fn schedule(text: &str, program: &mut Program) {
    let mut words = control_words(text);
    if words.is_empty() || !program.is_unscheduled() {
        return;
    }
    let mut next = 0;
    for statement in &mut program.statements {
        while words.get(next).is_some_and(|(at, _)| *at < statement.span.start) {
            next += 1;
        }
        // The last word above it, and the next of its fields.
        let Some((_, word)) = next.checked_sub(1).map(|last| &mut words[last]) else { continue };
        let Some(control) = word.pop_front() else { continue };
        statement.reuse |= control.reuse;
        statement.control = Some(Control { reuse: statement.reuse, ..control });
    }
}

/// A text with spaces in the place of the directives of a listing, and the number of registers that they state.
pub(crate) fn without_directives(text: &str) -> (Cow<'_, str>, Option<u16>) {
    if !text.lines().any(is_directive) {
        return (Cow::Borrowed(text), None);
    }
    let mut registers = None;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if !is_directive(line) {
            out.push_str(line);
            continue;
        }
        if let Some(at) = line.find(REGISTERS) {
            let digits = line[at + REGISTERS.len()..].split(|c: char| !c.is_ascii_digit()).next();
            registers = digits.and_then(|digits| digits.parse().ok());
        }
        // As many bytes, so that places stay.
        out.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    (Cow::Owned(out), registers)
}

//! What listings of nvdisasm and cuobjdump have besides instructions: directives and control words.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::control::{Control, ControlWord};
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

/// Whether a text is a section of a listing.
pub(crate) fn is_listing(text: &str) -> bool {
    text.lines().next().is_some_and(is_directive)
}

pub(crate) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with("//") || line.starts_with('#')
}

fn is_directive(line: &str) -> bool {
    // Most lines are instructions.
    if !line.trim_start().starts_with(['.', 'F']) {
        return false;
    }
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
    if !text.contains("/*") {
        return words;
    }
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

//! The allowed outcomes as text, for goldens and for `show`.
//!
//! Each outcome is listed with its choices, with faults by class and thread, and every region that the launch changed, with
//! undefined bits marked `?` and bits that depend on the order of atomics listed. A region of more than [`LONGEST`] bytes is a
//! digest and its beginning. A golden keeps a long text as its first lines and a digest.
//!
//! Nothing here depends on how the kernel around a body is written: no lines, no registers, no addresses.

use std::fmt::Write;
use std::ops::Range;

use sha2::{Digest, Sha256};
use warpdiff_corpus::bytes::{kind_name, masked_hex};
use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_files::hexadecimal;
use warpdiff_model::allowed::{MaskedRegion, MaskedState, are_all};
use warpdiff_model::choice::Assignment;
use warpdiff_model::{Choice, Fault, FaultKind, Launch, Outcome, Permitted, RegionKind};

use crate::numbers_beside;
use crate::reference::Unit;

/// A region of more bytes than this is recorded as a digest and its first [`HEAD`] bytes.
pub const LONGEST: usize = 1024;
/// Bytes shown of a region that is too long.
pub const HEAD: usize = 64;
/// A golden keeps a text of more bytes than this as its first lines, of at most [`BEGINNING`] bytes, and a digest.
pub const LONGEST_ENTRY: usize = 512;
/// Most bytes kept of the lines of a text that is too long.
pub const BEGINNING: usize = 96;
/// Bytes in a line of a region without rows.
const LINE: usize = 32;

/// Whom the text is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    /// A golden, which has bytes alone.
    Golden,
    /// A person: floating-point values have their numbers beside the bytes.
    Person,
}

/// All launches of a variant, as goldens have them.
pub fn launches(units: &[Unit<'_>]) -> String {
    launches_for(units, For::Golden)
}

/// All launches of a variant for people: as goldens have them, with the numbers of floating-point values beside the bytes.
pub fn launches_with_numbers(units: &[Unit<'_>]) -> String {
    launches_for(units, For::Person)
}

fn launches_for(units: &[Unit<'_>], whom: For) -> String {
    let mut text = String::new();
    for (index, unit) in units.iter().enumerate() {
        let _ = writeln!(text, "  {}", heading(&unit.planned, index));
        allowed(&mut text, unit, whom);
    }
    text
}

/// The text as a golden keeps it.
pub fn kept(text: String) -> String {
    if text.len() <= LONGEST_ENTRY {
        return text;
    }
    let mut beginning = 0;
    for line in text.split_inclusive('\n') {
        if beginning + line.len() > BEGINNING {
            break;
        }
        beginning += line.len();
    }
    let lines = text.lines().count();
    let digest = warpdiff_files::digest::of(text.as_bytes());
    format!("{}  {lines} lines in all, sha256 {digest}\n", &text[..beginning])
}

/// The heading of a launch: its rows, or its number.
fn heading(planned: &PlannedLaunch, index: usize) -> String {
    match planned.rows.as_slice() {
        [] => format!("launch {index}"),
        [row] => format!("row {}", row.index),
        [first, .., last] => format!("rows {} to {}", first.index, last.index),
    }
}

/// The allowed outcomes of one launch, indented by four blanks.
fn allowed(text: &mut String, unit: &Unit<'_>, whom: For) {
    for outcome in &unit.allowed.outcomes {
        let _ = writeln!(text, "    {}{}", verb(outcome), under(&outcome.assignment));
        match &outcome.permitted {
            Permitted::Completed { state } => completed(text, state, &unit.planned, whom),
            Permitted::Faulted { faults: listed } => faults(text, listed),
            Permitted::TimedOut | Permitted::Indeterminate { .. } => {}
        }
        faults(text, &outcome.may);
    }
}

fn verb(outcome: &Outcome) -> &'static str {
    match outcome.permitted {
        Permitted::Completed { .. } => "completes",
        Permitted::Faulted { .. } => "faults",
        Permitted::TimedOut => "times out",
        Permitted::Indeterminate { .. } => "indeterminate",
    }
}

/// The choices that differ from the default.
fn under(assignment: &Assignment) -> String {
    let decided = Choice::ALL.iter().filter(|info| assignment.get(info.choice) != 0);
    let words: Vec<_> = decided
        .map(|info| {
            let taken = usize::from(assignment.get(info.choice));
            format!("{}={}", info.name, info.alternatives.get(taken).unwrap_or(&"?"))
        })
        .collect();
    if words.is_empty() { String::new() } else { format!(", if {}", words.join(", ")) }
}

fn faults(text: &mut String, faults: &[Fault]) {
    for fault in faults {
        let kind = match fault.kind {
            FaultKind::Must => "must",
            FaultKind::May => "may",
        };
        let thread = fault
            .thread
            .map(|t| format!(" in block {}, thread {}", triple(&t[..3]), triple(&t[3..])))
            .unwrap_or_default();
        let _ = writeln!(text, "      {kind} fault: {}{thread}", fault.class);
    }
}

/// `[0, 1, 2]`
fn triple(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    format!("[{}]", words.join(", "))
}

fn completed(text: &mut String, state: &MaskedState, planned: &PlannedLaunch, whom: For) {
    for region in &state.regions {
        if !is_unchanged(region, &planned.launch) {
            written(text, region, Some(planned).filter(|_| whom == For::Person));
        }
    }
    let operations: usize = state.serial.iter().map(|location| location.operations.len()).sum();
    if operations != 0 {
        let _ = writeln!(text, "      {operations} atomics serialise at {} locations", state.serial.len());
    }
}

/// Whether the defined bits of a region are those before the launch.
fn is_unchanged(region: &MaskedRegion, launch: &Launch) -> bool {
    let name = &region.region.name;
    match region.region.kind {
        RegionKind::Guard => {
            are_all(&region.region.bytes, warpdiff_model::Buffer::GUARD_BYTE)
                && are_all(&region.defined, 0xFF)
        }
        RegionKind::Surface => launch
            .surfaces
            .iter()
            .any(|s| s.name == *name && s.bytes == region.region.bytes && are_all(&region.defined, 0xFF)),
        RegionKind::Buffer => launch.buffers.iter().filter(|b| b.name == *name).any(|b| {
            if b.defined.is_empty() {
                let before = b.bytes.get(..region.region.bytes.len());
                return before == Some(&region.region.bytes) && are_all(&region.defined, 0xFF);
            }
            let defined = |i: usize| b.defined.get(i).copied().unwrap_or(0);
            let same = |(i, (after, mask)): (usize, (&u8, &u8))| {
                *mask == defined(i) && b.bytes.get(i).is_some_and(|before| (before ^ after) & mask == 0)
            };
            region.region.bytes.iter().zip(&*region.defined).enumerate().all(same)
        }),
        RegionKind::Variable => false,
    }
}

/// What is allowed of a region, for people if the launch is given that its numbers are decoded by.
fn written(text: &mut String, region: &MaskedRegion, decoded_by: Option<&PlannedLaunch>) {
    let bytes = &region.region.bytes;
    let title = format!("{} {}", kind_name(region.region.kind), region.region.name);
    let numbers = |range: Range<usize>| match decoded_by {
        Some(planned) => numbers_beside::of_bytes(planned, region, range),
        None => String::new(),
    };
    if bytes.len() > LONGEST {
        let _ = writeln!(text, "      {title}: {} bytes, sha256 {}", bytes.len(), digest(region));
        let begins = masked_hex(&bytes[..HEAD], &region.defined[..HEAD]);
        let _ = writeln!(text, "        begins {begins}{}", numbers(0..HEAD));
        return;
    }
    let _ = writeln!(text, "      {title}: {} bytes", bytes.len());
    let line = match region.stride {
        0 => decoded_by.and_then(|planned| numbers_beside::line(planned, region)).unwrap_or(LINE),
        stride => stride as usize,
    };
    let chunks = bytes.chunks(line).zip(region.defined.chunks(line)).zip(region.unordered.chunks(line));
    for (index, ((bytes, defined), unordered)) in chunks.enumerate() {
        let open = if unordered.iter().any(|u| *u != 0) { "  (depends on the order)" } else { "" };
        let compared: Vec<u8> = defined.iter().zip(unordered).map(|(d, u)| d & !u).collect();
        let start = index * line;
        let _ = write!(text, "        {start:5} ");
        text.push_str(&masked_hex(bytes, &compared));
        text.push_str(&numbers(start..start + bytes.len()));
        text.push_str(open);
        text.push('\n');
    }
    for value in &region.values {
        let of_value = decoded_by.map(|planned| numbers_beside::of_value(planned, region, value));
        let _ =
            writeln!(text, "        {:5} is {}{}", value.offset, value.words(), of_value.unwrap_or_default());
    }
}

/// A digest of a region's defined bits and of its mask.
fn digest(region: &MaskedRegion) -> String {
    let mut hasher = Sha256::new();
    let masks = region.defined.iter().zip(&*region.unordered).map(|(d, u)| d & !u);
    let pairs = region.region.bytes.iter().zip(masks).flat_map(|(byte, mask)| [byte & mask, mask]);
    hasher.update(pairs.collect::<Vec<u8>>());
    for value in &region.values {
        hasher.update(format!("{} {}\n", value.offset, value.words()));
    }
    hexadecimal::of(&hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_kept_as_its_beginning_and_a_digest() {
        let short = "  row 0\n".repeat(LONGEST_ENTRY / 8);
        assert_eq!(kept(short.clone()), short);
        let long = short.clone() + "  row 1\n";
        let shown = kept(long.clone());
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), BEGINNING / 8 + 1);
        // The digest is that of the text, as sha256sum prints it.
        let digest = warpdiff_files::digest::of(long.as_bytes());
        assert_eq!(
            lines[BEGINNING / 8],
            format!("  {} lines in all, sha256 {digest}", LONGEST_ENTRY / 8 + 1)
        );
        assert_ne!(kept(short + "  row 2\n"), shown, "what is beyond the beginning counts");
        // A first line that is too long is left out whole.
        assert_eq!(kept("x".repeat(2 * LONGEST_ENTRY)).lines().count(), 1);
    }
}

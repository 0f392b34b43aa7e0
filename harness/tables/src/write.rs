//! Writes a table of verdicts in its compact shape.

use std::collections::HashMap;
use std::fmt::Write;

use super::read::NOT_ASKED;
use super::verdicts::{Program, Verdicts};

/// Least number of programs that share a frame.
const WORTHWHILE: usize = 4;

/// The table as text.
pub fn write(table: &Verdicts) -> String {
    let mut out = String::new();
    for line in &table.origin {
        let _ = writeln!(out, "# {line}");
    }
    for circumstance in &table.circumstances {
        let _ = writeln!(out, "circumstance\t{circumstance}");
    }
    let parts = split(table.programs.iter().map(|program| program.source.as_str()));
    let mut places: HashMap<&Frame, usize> = HashMap::new();
    for (frame, _) in &parts {
        if *frame != Frame::default() && !places.contains_key(frame) {
            places.insert(frame, places.len());
            let _ = writeln!(out, "frame\t{}\t{}", frame.before, frame.after);
        }
    }
    out.push_str("id\tframe\tsource\tanswers\n");
    for (program, (frame, rest)) in table.programs.iter().zip(&parts) {
        let frame = places.get(frame).map_or_else(|| "-".into(), usize::to_string);
        let letters = letters(program, table.circumstances.len());
        let _ = writeln!(out, "{}\t{frame}\t{rest}\t{letters}", program.id);
    }
    out
}

fn letters(program: &Program, circumstances: usize) -> String {
    let mut letters = vec![NOT_ASKED; circumstances];
    for (index, answer) in &program.answers {
        letters[*index] = answer.letter();
    }
    letters.into_iter().collect()
}

pub(super) fn escape(source: &str) -> String {
    source.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
}

/// Text that programs share, escaped; empty for a program without a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Frame {
    before: String,
    after: String,
}

/// For each source, the frame that it shares with most others, and the line in that frame.
fn split<'s>(sources: impl Iterator<Item = &'s str> + Clone) -> Vec<(Frame, String)> {
    let mut shared: HashMap<Frame, usize> = HashMap::new();
    for (frame, _) in sources.clone().flat_map(framed) {
        *shared.entry(frame).or_default() += 1;
    }
    let best = |source: &'s str| {
        let candidates = framed(source).filter(|(frame, _)| shared[frame] >= WORTHWHILE);
        // The first of equally common frames, so that the result is deterministic.
        let best =
            candidates.reduce(|best, next| if shared[&next.0] > shared[&best.0] { next } else { best });
        best.unwrap_or_else(|| (Frame::default(), escape(source)))
    };
    sources.map(best).collect()
}

/// Every way to take one line out of a source.
fn framed(source: &str) -> impl Iterator<Item = (Frame, String)> {
    let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1));
    starts.map(move |start| {
        let end = source[start..].find('\n').map_or(source.len(), |length| start + length);
        let frame = Frame { before: escape(&source[..start]), after: escape(&source[end..]) };
        (frame, escape(&source[start..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    #[test]
    fn what_is_written_is_read_again() {
        let mut text = String::from("id\tsource\t12.9:8.8:sm_50\t11.8:7.8:sm_50\n");
        for number in 0..9 {
            let _ = writeln!(
                text,
                "p{number}\thead\\nline {number} \\\\ a\\n}}\\n\tA\t{}",
                ["R", "-"][number % 2]
            );
        }
        text.push_str("other\tnothing\\nlike\\nit\tR\tR\n");
        let mut table = read(&text).unwrap();
        table.origin = vec!["by hand".into()];
        let compact = write(&table);
        assert!(compact.contains("frame\thead\\n\t\\n}\\n\n"), "{compact}");
        assert!(compact.contains("p3\t0\tline 3 \\\\ a\tA-\n"), "{compact}");
        assert!(compact.contains("other\t-\tnothing\\nlike\\nit\tRR\n"), "{compact}");
        let mut again = read(&compact).unwrap();
        for (ours, theirs) in again.programs.iter_mut().zip(&table.programs) {
            ours.line = theirs.line;
        }
        assert_eq!(again, table);
    }
}

//! The summary by cause: a line for each cause of mismatches of a target.

use std::fmt::Write;

use warpdiff_terminal::style::Style;

use crate::results::summary::{CauseLine, TargetSummary};

/// A title and a line for each cause, the most frequent first. Empty without one.
pub fn lines(target: &TargetSummary, style: Style) -> String {
    if target.causes.is_empty() {
        return String::new();
    }
    let mut text = format!("{}\n", style.strong().paint(format!("what differs in {}", target.target)));
    for cause in &target.causes {
        let paint = if cause.expected == cause.variants.len() { style.faint() } else { style.plain() };
        let _ = writeln!(text, "{}", paint.paint(line(cause)));
    }
    text.push('\n');
    text
}

/// The number of variants, the cause, and how many of them are known.
pub fn line(cause: &CauseLine) -> String {
    let CauseLine { words, variants, expected, .. } = cause;
    let known = match *expected {
        0 => String::new(),
        all if all == variants.len() => " (known)".into(),
        some => format!(" ({some} known)"),
    };
    format!("  {:>5}  {words}{known}", variants.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_variants_and_known_ones() {
        let cause = |variants, known| {
            line(&CauseLine {
                words: "hang in BAR.SYNC, reproduced by no known deviation".into(),
                class: "hang".into(),
                deviations: Vec::new(),
                variants: vec!["a".into(); variants],
                expected: known,
            })
        };
        assert_eq!(cause(3, 0), "      3  hang in BAR.SYNC, reproduced by no known deviation");
        assert_eq!(cause(3, 2), "      3  hang in BAR.SYNC, reproduced by no known deviation (2 known)");
        assert!(cause(3, 3).ends_with(" (known)"));
    }
}

//! The comparison with the goldens: the first differences, and a line of counts.

use std::fmt::Write;

use warpdiff_terminal::style::Style;

use crate::golden::compare::EntryChange;
use crate::golden::diff::inline;
use crate::golden::store::{ChangedEntry, Review};

/// The first differences. Empty if nothing is recorded.
pub fn changes(review: &Review, show: usize, style: Style) -> String {
    let mut text = String::new();
    if !review.recorded {
        return text;
    }
    let differs = |c: &&ChangedEntry| c.comparison == EntryChange::Differs;
    for change in review.changes.iter().filter(differs).take(show) {
        let _ = writeln!(text, "{} {}", style.warn().paint("golden differs:"), change.id);
        text.push_str(&inline(&change.then, &change.now, style));
        text.push('\n');
    }
    let hidden = review.changes.iter().filter(differs).count().saturating_sub(show);
    if hidden > 0 {
        let _ = writeln!(text, "… and {hidden} more goldens that differ\n");
    }
    for orphan in review.orphans.iter().take(show) {
        let _ = writeln!(text, "{} {orphan}", style.warn().paint("golden without a case:"));
    }
    for misplaced in review.misplaced.iter().take(show) {
        let _ = writeln!(text, "{} {misplaced}", style.warn().paint("golden in the wrong file:"));
    }
    for removal in &review.removed {
        let _ = writeln!(text, "{} {removal}", style.warn().paint("golden removed:"));
    }
    for (path, error) in &review.damaged {
        let _ = writeln!(text, "{} {}: {error}", style.bad().paint("golden unusable:"), path.display());
    }
    text
}

/// The counts in a line. `written`: the goldens were written by this run.
pub fn counts(review: &Review, written: bool, style: Style) -> String {
    let paint = if review.fails() { style.warn() } else { style.plain() };
    if !review.recorded {
        return format!("{}\n", paint.paint("goldens: none recorded (--bless records them)"));
    }
    let count = |wanted: EntryChange| review.changes.iter().filter(|c| c.comparison == wanted).count();
    let mut parts = vec![format!("{} as recorded", review.same)];
    let counted = [
        (count(EntryChange::Differs), "differ"),
        (count(EntryChange::Missing), "not recorded"),
        (count(EntryChange::Drifted), "with other undefined bits"),
        (review.orphans.len(), "without a case"),
        (review.misplaced.len(), "in the wrong file"),
        (review.damaged.len(), "unusable files"),
    ];
    parts.extend(counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    let verb = if written { "goldens (blessed)" } else { "goldens" };
    format!("{}\n", paint.paint(format!("{verb}: {}", parts.join(", "))))
}

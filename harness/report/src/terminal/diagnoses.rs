//! What a target does instead: a few lines for each cause.

use std::fmt::Write;

use warpdiff_terminal::style::Style;

use crate::results::summary::TargetSummary;

/// A title and the diagnoses, those of the most wrong variants first, at most as many as asked for. Empty if nothing is known.
pub fn lines(target: &TargetSummary, most: usize, style: Style) -> String {
    let told: Vec<&str> =
        target.diagnoses.iter().filter(|one| one.tells()).map(|one| one.words.as_str()).collect();
    if told.is_empty() {
        return String::new();
    }
    let title = format!("what {} does instead", target.target);
    let mut text = format!("{}\n", style.strong().paint(title));
    for words in told.iter().take(most) {
        for line in words.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    if told.len() > most {
        let _ = writeln!(text, "  … and {} more", told.len() - most);
    }
    text.push('\n');
    text
}

//! The history for a person at a terminal: for each target the events, and a line for each group of variants with the same history.

use std::collections::BTreeSet;
use std::fmt::Write;

use warpdiff_terminal::foreign;
use warpdiff_terminal::style::Style;

use super::changes::{self, Cell, Change, Kind};
use super::nights::{History, Night, TargetHistory};
use crate::standing::Standing;

/// The history; of each group at most `show` variants.
pub fn render(history: &History, show: usize, style: Style) -> String {
    let mut text = String::new();
    for why in &history.unbegun {
        let _ = writeln!(text, "{} {}\n", style.warn().paint("did not begin:"), foreign::line(why));
    }
    if history.targets.is_empty() {
        text.push_str("no runs of such a target in this period\n");
    }
    for (index, target) in history.targets.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        of_target(&mut text, history, target, show, style);
    }
    text
}

fn of_target(text: &mut String, history: &History, target: &TargetHistory, show: usize, style: Style) {
    let (Some(first), Some(last)) = (target.nights.first(), target.nights.last()) else { return };
    let title = foreign::line(&target.title()).to_string();
    let runs = match target.nights.len() {
        1 => format!("one run, {}", first.label),
        n => format!("{n} runs, {} to {}", first.label, last.label),
    };
    let _ = writeln!(text, "{}: {runs}", style.strong().paint(&title));
    for (number, night) in target.nights.iter().enumerate() {
        for event in target.events(number) {
            let _ = writeln!(text, "  {}  {}", style.warn().paint(&night.label), foreign::line(&event));
        }
    }
    let _ = writeln!(text, "  {}: {}, exit code {}", last.label, last.counts.long(), last.exit_code);
    let changes = changes::of(target, &history.ids);
    if changes.is_empty() {
        text.push_str("no variant changed its status\n");
        return;
    }
    header(text, &target.nights, style);
    for change in &changes {
        of_change(text, history, target, change, show, style);
    }
    legend(text, &changes);
}

/// Months and days over the cells.
fn header(text: &mut String, nights: &[Night], style: Style) {
    let parts = |night: &Night| {
        let (_, day) = night.date.split_once('-').unwrap_or_default();
        let (month, day) = day.split_once('-').unwrap_or_default();
        (month.to_owned(), day.to_owned())
    };
    let (mut months, mut days, mut last) = (String::new(), String::new(), String::new());
    for night in nights {
        let (month, day) = parts(night);
        let _ = write!(months, " {:>2}", if month == last { "" } else { &month });
        let _ = write!(days, " {day:>2}");
        last = month;
    }
    let _ = writeln!(text, "{}", style.faint().paint(format!("{:>8} {}", "month", months.trim_end())));
    let _ = writeln!(text, "{}", style.strong().paint(format!("variants {days}")));
}

fn of_change(
    text: &mut String,
    history: &History,
    target: &TargetHistory,
    change: &Change,
    show: usize,
    style: Style,
) {
    let cells: String = change.cells.iter().map(|cell| format!("  {}", mark(*cell))).collect();
    let paint = match change.kind {
        Kind::Broke | Kind::NewAndWrong | Kind::OtherCause => style.bad(),
        Kind::Unsettled | Kind::ComesAndGoes | Kind::NotJudged | Kind::Expected => style.warn(),
        Kind::Repaired | Kind::Judged => style.good(),
    };
    let cause = change.cause().map(|cause| format!(": {}", history.causes[cause])).unwrap_or_default();
    let words = paint.paint(change.words(target));
    let _ = writeln!(text, "{:>8} {cells}  {words}{cause}", change.variants.len());
    for variant in change.variants.iter().take(show) {
        let _ = writeln!(text, "{:>10}{}", "", history.ids[*variant]);
    }
    if change.variants.len() > show {
        let _ =
            writeln!(text, "{:>10}… and {} more (--show N prints more)", "", change.variants.len() - show);
    }
}

/// The mark of a cell.
pub fn mark(cell: Cell) -> &'static str {
    match cell {
        Cell::Seen(seen) => Standing::of(seen.settled).mark(),
        Cell::Unknown => "?",
        Cell::Absent => "·",
    }
}

/// A cell in words.
pub fn words(cell: Cell) -> &'static str {
    match cell {
        Cell::Seen(seen) => crate::standing::word(seen.settled),
        Cell::Unknown => "not known: the run lacks it",
        Cell::Absent => "not in this run",
    }
}

fn legend(text: &mut String, changes: &[Change]) {
    let all = changes.iter().flat_map(|change| &change.cells);
    let used: BTreeSet<(&str, &str)> = all.map(|cell| (mark(*cell), words(*cell))).collect();
    let used: Vec<String> = used.into_iter().map(|(mark, words)| format!("{mark} {words}")).collect();
    let _ = writeln!(text, "{}", used.join(", "));
}

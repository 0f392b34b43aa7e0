//! What a campaign prints while it runs: programs, rate, and how many differ by which cause; a bar on a terminal, else a line each minute.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use warpdiff_terminal::stderr;

use super::campaign::{Cause, Group};
use super::guide::Covered;
use super::options::Options;

/// How long to wait before a progress bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long to wait for the next line where there is no bar, and before the first.
const BETWEEN_LINES: Duration = Duration::from_secs(60);
/// Causes that are named.
const NAMED: usize = 3;

/// The causes so far, for each target.
type Causes = Vec<BTreeMap<Cause, Group>>;

/// Progress through the programs of a campaign.
pub(super) struct Progress {
    begun: Instant,
    /// When the last line was printed.
    printed: Instant,
    first: u64,
    /// The number of programs; `None` where the time ends the campaign.
    count: Option<u64>,
    /// On a terminal a bar, from the time on that it takes longer than a second.
    bar: Option<ProgressBar>,
    is_terminal: bool,
}

impl Progress {
    /// No program tried yet.
    pub(super) fn new(options: &Options, begun: Instant) -> Self {
        let count = options.time.is_none().then_some(options.count);
        let is_terminal = std::io::stderr().is_terminal();
        Self { begun, printed: begun, first: options.first, count, bar: None, is_terminal }
    }

    /// Says that all programs before this one were tried, what a corpus reaches, and which causes were found. Before its end a campaign has not checked its
    /// explanations, so that a cause may get another name there.
    pub(super) fn advance(&mut self, before: u64, covered: Option<Covered>, causes: impl FnOnce() -> Causes) {
        let done = before - self.first;
        if self.is_terminal {
            if self.bar.is_none() && self.begun.elapsed() >= PATIENCE {
                self.bar = Some(bar(self.count));
            }
            if let Some(bar) = &self.bar {
                bar.set_position(done);
                bar.set_message(format!("{}{}", reached(covered), differences(&causes())));
            }
        } else if self.printed.elapsed() >= BETWEEN_LINES {
            self.printed = Instant::now();
            stderr::line(format_args!("{}", line(done, self.begun.elapsed(), covered, &causes())));
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(count: Option<u64>) -> ProgressBar {
    let bar = count.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let template = match count {
        Some(_) => "{wide_bar} {pos}/{len} programs, {per_sec}, {eta} to go, {msg}",
        None => "{pos} programs, {per_sec}, {elapsed}, {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// `4096 programs, 512/s, 3 differ: 2 suld.b: clamp behaviour, 1 ld: value`
fn line(done: u64, elapsed: Duration, covered: Option<Covered>, causes: &Causes) -> String {
    let rate = done as f64 / elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
    format!("{done} programs, {rate:.0}/s, {}{}", reached(covered), differences(causes))
}

/// `1024 forms and 5120 combinations reached, `
fn reached(covered: Option<Covered>) -> String {
    covered.map_or_else(String::new, |Covered { forms, combinations, .. }| {
        format!("{forms} forms and {combinations} combinations reached, ")
    })
}

/// How many programs differ on a target, by cause, the most frequent first.
fn differences(causes: &Causes) -> String {
    let mut all: Vec<(u64, String)> = Vec::new();
    for (cause, group) in causes.iter().flatten() {
        all.push((group.programs, cause.to_string()));
    }
    if all.is_empty() {
        return "none differs".to_owned();
    }
    // Of equals the order of causes stays.
    all.sort_by_key(|(programs, _)| std::cmp::Reverse(*programs));
    let total: u64 = all.iter().map(|(programs, _)| programs).sum();
    let named: Vec<String> =
        all.iter().take(NAMED).map(|(programs, cause)| format!("{programs} {cause}")).collect();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more causes"),
    };
    format!("{total} differ: {}{more}", named.join("; "))
}

#[cfg(test)]
mod tests {
    use warpdiff_model::MismatchClass;

    use super::*;

    #[test]
    fn a_line_has_the_rate_and_the_most_frequent_causes() {
        let cause = |instruction: &str| Cause {
            instruction: instruction.into(),
            class: MismatchClass::Value,
            deviation: None,
            others: Vec::new(),
            undefined: false,
        };
        let of = |causes: &[(&str, u64)]| {
            let group = |programs| Group { programs, first: vec![0] };
            vec![causes.iter().map(|(name, programs)| (cause(name), group(*programs))).collect()]
        };
        let seconds = Duration::from_secs(2);
        assert_eq!(line(1024, seconds, None, &of(&[])), "1024 programs, 512/s, none differs");
        let covered = Covered { forms: 7, combinations: 12, ..Covered::default() };
        assert_eq!(
            line(1024, seconds, Some(covered), &of(&[])),
            "1024 programs, 512/s, 7 forms and 12 combinations reached, none differs"
        );
        let found = of(&[("add", 1), ("ld", 7), ("mul", 2), ("sub", 1)]);
        let expected =
            "2048 programs, 1024/s, 11 differ: 7 ld: value; 2 mul: value; 1 add: value; and 1 more causes";
        assert_eq!(line(2048, seconds, None, &found), expected);
    }
}

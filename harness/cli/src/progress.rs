//! A progress bar on the standard error: only on a terminal that is not one of a CI service, and only when it takes longer than a second.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use warpdiff_terminal::foreign;

use crate::goldens::is_ci;

/// How long to wait before a bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Characters of the words behind the numbers.
const WORDS: usize = 48;

/// Progress through a known number of things.
pub(crate) struct Progress {
    begun: Instant,
    total: u64,
    /// What they are: `variants`.
    unit: &'static str,
    /// What it works on, at first.
    words: String,
    done: AtomicU64,
    shown: bool,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Nothing done yet of `total` variants or other things. `words` say what it works on: the names of the targets.
    pub(crate) fn new(total: usize, unit: &'static str, words: &str) -> Self {
        Self {
            begun: Instant::now(),
            total: total as u64,
            unit,
            words: shortened(words),
            done: AtomicU64::new(0),
            // Some CI services give jobs a terminal, and keep every redrawing of a bar in the log.
            shown: std::io::stderr().is_terminal() && !std::env::var("CI").is_ok_and(|value| is_ci(&value)),
            bar: OnceLock::new(),
        }
    }

    /// Counts one more.
    pub(crate) fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(bar) = self.bar() {
            bar.set_position(done);
        }
    }

    /// Says what is done now, besides counting.
    pub(crate) fn say(&self, words: &str) {
        if let Some(bar) = self.bar() {
            bar.set_message(shortened(words));
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    /// The bar, if it is time to show one.
    fn bar(&self) -> Option<&ProgressBar> {
        let due = self.shown && self.begun.elapsed() >= PATIENCE;
        due.then(|| {
            self.bar.get_or_init(|| {
                let bar = ProgressBar::new(self.total).with_elapsed(self.begun.elapsed());
                bar.set_style(style(self.unit));
                bar.set_position(self.done.load(Ordering::Relaxed));
                bar.set_message(self.words.clone());
                // The time goes on while a launch hangs.
                bar.enable_steady_tick(PATIENCE);
                bar
            })
        })
    }
}

/// `████░░ 1200/9000 variants, 310/s, 25s to go, cuda`; without pace once all are done.
fn style(unit: &str) -> ProgressStyle {
    let template = format!("{{wide_bar}} {{pos}}/{{len}} {unit}{{pace}}, {{msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("pace", |state: &ProgressState, to: &mut dyn Write| {
        if state.len().is_some_and(|all| state.pos() >= all) {
            return;
        }
        let rate = state.per_sec();
        let rate = if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") };
        let _ = write!(to, ", {rate}/s, {:#} to go", HumanDuration(state.eta()));
    })
}

/// The first characters of words that a target may have written.
fn shortened(words: &str) -> String {
    let safe = foreign::line(words).to_string();
    match safe.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", &safe[..end]),
        None => safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_control_characters_are_shown() {
        assert_eq!(shortened("cuda"), "cuda");
        assert_eq!(shortened(&"x".repeat(60)), "x".repeat(48) + "…");
        assert!(!shortened("a\u{1b}[2Jb").contains('\u{1b}'));
    }
}

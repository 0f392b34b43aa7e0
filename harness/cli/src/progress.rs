//! A progress bar on the standard error: only on a terminal, and only when it takes longer than a second.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How long to wait before a bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// Progress through a known number of variants.
pub(crate) struct Progress {
    begun: Instant,
    total: u64,
    done: AtomicU64,
    terminal: bool,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Nothing done yet of `total`.
    pub(crate) fn new(total: usize) -> Self {
        Self {
            begun: Instant::now(),
            total: total as u64,
            done: AtomicU64::new(0),
            terminal: std::io::stderr().is_terminal(),
            bar: OnceLock::new(),
        }
    }

    /// One more is done.
    pub(crate) fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.terminal && self.begun.elapsed() >= PATIENCE {
            self.bar.get_or_init(|| bar(self.total)).set_position(done);
        }
    }

    /// Everything is done: the bar goes.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} variants, {eta} to go") {
        bar.set_style(style);
    }
    bar
}

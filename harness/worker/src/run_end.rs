//! Whether the run is to end early: a signal came, or its time is up. Signals concern the whole process, and so does this.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

/// Why launches have no answer when the run has ended before they did.
pub const CUT_SHORT: &str = "the run was ended before this launch had an answer";

/// Why a run ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// A person or a CI service interrupted it.
    Interrupted,
    /// Its time is up.
    TimeUp,
}

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static DEADLINE: OnceLock<Instant> = OnceLock::new();

/// The flag that ends the run when it is set; for signal handlers.
pub fn interruption() -> Arc<AtomicBool> {
    Arc::clone(&INTERRUPTED)
}

/// Ends the run at that time. Only the first call has an effect.
pub fn end_at(deadline: Instant) {
    DEADLINE.get_or_init(|| deadline);
}

/// Why the run is over, if it is.
pub fn reached() -> Option<RunEnd> {
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Some(RunEnd::Interrupted);
    }
    DEADLINE.get().filter(|deadline| Instant::now() >= **deadline).map(|_| RunEnd::TimeUp)
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupted => "interrupted",
            Self::TimeUp => "the time limit of the run was reached",
        })
    }
}

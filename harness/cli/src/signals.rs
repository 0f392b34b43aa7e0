//! What SIGINT and SIGTERM do: the first ends the run, whose report is still written; the second ends the process at once.

use std::sync::Arc;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use warpdiff_worker::run_end;

use crate::failure::Failure;

/// From now on the first of these signals ends the run early, and the second the process, with 128 and the signal's number.
pub(crate) fn end_the_run() -> Result<(), Failure> {
    let interruption = run_end::interruption();
    for signal in [SIGINT, SIGTERM] {
        // In this order: the handler that ends the process finds the flag set from the second signal on.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&interruption))
            .and_then(|_| flag::register(signal, Arc::clone(&interruption)))
            .map_err(|e| Failure::broken(format!("cannot handle signal {signal}: {e}")))?;
    }
    Ok(())
}

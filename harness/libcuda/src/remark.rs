//! Remarks of this library on the standard error.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::result::{self, CallResult};

static REPORTED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Prints a message on stderr; ignores errors, since a client may have closed it.
pub(crate) fn say(message: &dyn Display) {
    let _ = writeln!(std::io::stderr(), "libwarpdiff_cuda: {message}");
}

/// Prints a message on stderr, each message once.
pub(crate) fn report(message: &str) {
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if reported.get_or_insert_default().insert(message.to_owned()) {
        say(&message);
    }
}

/// Returns `CUDA_ERROR_NOT_SUPPORTED` and prints that, once.
pub(crate) fn unsupported<T>(what: &str) -> CallResult<T> {
    report(&format!("{what} is not supported"));
    Err(result::ERROR_NOT_SUPPORTED)
}

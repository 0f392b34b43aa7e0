//! What the library says on stderr, beside the codes that it answers.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::result::{self, Answer};

static REPORTED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Says something on stderr. Where the host has closed it, the message is lost, and the host comes to no harm.
pub(crate) fn say(message: &dyn Display) {
    let _ = writeln!(std::io::stderr(), "libwarpdiff_cuda: {message}");
}

/// Says something on stderr, once.
pub(crate) fn report(message: &str) {
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if reported.get_or_insert_default().insert(message.to_owned()) {
        say(&message);
    }
}

/// Answers "not supported", and says so once.
pub(crate) fn unsupported<T>(what: &str) -> Answer<T> {
    report(&format!("{what} is not supported"));
    Err(result::ERROR_NOT_SUPPORTED)
}

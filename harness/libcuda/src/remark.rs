//! Remarks of this library on the standard error.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::result::{self, Answer};

static REPORTED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Says something on stderr. Of a host that closed it nobody is there to listen, and it must not come to harm by that.
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

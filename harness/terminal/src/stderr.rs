//! Remarks on the standard error, which may be closed, or a pipe that somebody closed: then there is nobody to tell, and that
//! is no reason to fail.

use std::fmt::Display;
use std::io::Write;

use crate::foreign;

/// Writes a line to the standard error, if anybody is there. Words of targets may be part of it, and do no harm.
pub fn line(text: impl Display) {
    let text = text.to_string();
    let text = foreign::lines(&text, 2);
    // In one piece: several processes may write to the same place.
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

//! Remarks and notes on the standard error. A closed standard error is not a failure: the remark is dropped.

use std::fmt::Display;
use std::io::Write;

use crate::foreign;

/// Writes a line to the standard error, escaped as [`foreign::lines`] does; a write error is ignored.
pub fn line(text: impl Display) {
    let text = text.to_string();
    let text = foreign::lines(&text, 2);
    // In one piece: several processes may write to the same place.
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

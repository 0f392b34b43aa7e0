//! Writes to the standard output, which may be a pipe that somebody closed.

use std::io::{ErrorKind, Write};

use crate::failure::Failure;

/// Writes the text. A reader that has seen enough is no error.
pub(crate) fn emit(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::broken(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

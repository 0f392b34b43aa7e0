//! Writes to the standard output, which may be a closed pipe.

use std::io::{ErrorKind, Result, Stdout, Write, stdout};

use crate::failure::Failure;

/// The standard output. That it is a closed pipe is no error: whoever read it has read enough.
pub(crate) struct StandardOutput(Stdout);

impl StandardOutput {
    pub(crate) fn new() -> Self {
        Self(stdout())
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.write(bytes).or_else(|error| unless_closed(error, bytes.len()))
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush().or_else(|error| unless_closed(error, ()))
    }
}

fn unless_closed<T>(error: std::io::Error, done: T) -> Result<T> {
    if error.kind() == ErrorKind::BrokenPipe { Ok(done) } else { Err(error) }
}

/// Writes the text.
pub(crate) fn emit(text: &str) -> std::result::Result<(), Failure> {
    let mut out = StandardOutput::new();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::broken(format!("cannot write the output: {error}")))
}

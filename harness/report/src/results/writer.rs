//! Writes results line by line, each at once, so that whoever reads them sees a run go on, and keeps them if it is killed.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use warpdiff_terminal::foreign;

use super::line::Line;

/// A place for lines of results. A line that cannot be written is counted, and so are all after it.
pub struct ResultWriter<W> {
    state: Mutex<WriterState<W>>,
}

struct WriterState<W> {
    into: W,
    /// The first error, and how many lines were lost.
    failed: Option<(io::Error, usize)>,
}

/// Lines that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{lost} lines of the results could not be written: {why}")]
pub struct LostLines {
    /// Their number.
    pub lost: usize,
    /// The first error.
    pub why: io::Error,
}

impl<W: Write> ResultWriter<W> {
    /// Writes there, from now on.
    pub fn new(into: W) -> Self {
        Self { state: Mutex::new(WriterState { into, failed: None }) }
    }

    /// Writes a line. Errors are kept for [`Self::finish`].
    pub fn write(&self, line: &Line) {
        let text = match serde_json::to_string(line) {
            Ok(text) => foreign::in_json(&(text + "\n")),
            Err(error) => return self.lock().lose(io::Error::other(error)),
        };
        let mut state = self.lock();
        if state.failed.is_some() {
            return state.lose(io::ErrorKind::Other.into());
        }
        if let Err(error) = state.into.write_all(text.as_bytes()).and_then(|()| state.into.flush()) {
            state.lose(error);
        }
    }

    /// Whether every line was written.
    ///
    /// # Errors
    /// The first error, and how many lines were lost.
    pub fn finish(self) -> Result<(), LostLines> {
        match self.state.into_inner().unwrap_or_else(PoisonError::into_inner).failed {
            Some((why, lost)) => Err(LostLines { lost, why }),
            None => Ok(()),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, WriterState<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> WriterState<W> {
    /// Counts a line that was lost. Only the first error is kept.
    fn lose(&mut self, error: io::Error) {
        match &mut self.failed {
            Some((_, lost)) => *lost += 1,
            None => self.failed = Some((error, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_judge::exit_code::Exit;

    use super::super::line::ErrorLine;
    use super::*;

    /// A disk with room for some bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if bytes.len() > self.0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0 -= bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_said_once_with_the_number_of_lines_lost() {
        let line = Line::Error(ErrorLine::new("none", Vec::new(), Exit::Broken));
        let size = serde_json::to_string(&line).unwrap().len() + 1;
        let writer = ResultWriter::new(Disk(2 * size));
        (0..5).for_each(|_| writer.write(&line));
        let lost = writer.finish().unwrap_err();
        assert_eq!((lost.lost, lost.why.kind()), (3, io::ErrorKind::StorageFull));
    }
}

//! The journal: finished answers on disk, one per line, so that a killed run can go on (`--resume`).
//!
//! The first line identifies the file. Each further line is an observation, with the target and a hash of the whole launch: a
//! changed launch is run again. An incomplete last line comes from a run killed while writing, and is dropped; any other malformed
//! line is an error.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use warpdiff_model::{Launch, Observation};
use warpdiff_worker::outcome;
use warpdiff_worker::protocol::{self, Outcome};

use super::encoding::{self, Encoder};

/// Version of the file. Another encoding of launches is another version.
const FORMAT: u32 = 2;
/// Version of the encoding of launches for their hashes.
const ENCODING: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    journal: u32,
}

#[derive(Serialize, Deserialize)]
struct Line {
    target: String,
    /// SHA-256 of the launch, in hexadecimal.
    launch: String,
    observation: Kept,
}

/// A stored observation.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kept {
    Outcome(Outcome),
    Crashed { signal: i32 },
}

/// A journal: the observations of earlier runs, and the file to which this run adds its own.
pub struct Journal {
    file: Mutex<Open>,
    known: HashMap<(String, String), Kept>,
    /// How many observations of earlier runs were used.
    used: AtomicUsize,
}

/// The file, and what it did not take.
struct Open {
    file: File,
    /// The first error, and the number of observations that were lost. Nothing is written after an error: the line may be torn.
    failed: Option<(std::io::Error, usize)>,
}

/// Observations that a journal could not keep.
#[derive(Debug, thiserror::Error)]
#[error("{lost} observations could not be kept: {why}; a later run with this file runs their launches again")]
pub struct LostObservations {
    /// Their number.
    pub lost: usize,
    /// The first error.
    pub why: std::io::Error,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// Another process writes to it.
    #[error("another run is writing to it; wait for its end, or name another file")]
    Busy,
    /// A line cannot be read.
    #[error(
        "line {line} is damaged: {why}; remove the line to run its launch again, or the file to start over"
    )]
    Damaged {
        /// The line, from 1.
        line: usize,
        /// The reason.
        why: String,
    },
    /// The first line is not that of a journal of this version.
    #[error("not a journal of observations, or one of another version; name a new file to start a journal")]
    Foreign,
}

impl Journal {
    /// Opens a journal, or creates one.
    ///
    /// # Errors
    /// If the file cannot be used or is not a journal; it is then left unchanged.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        // A device may be read without end.
        if std::fs::metadata(path).is_ok_and(|what| !what.is_file()) {
            return Err(JournalError::Foreign);
        }
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        // The lock goes with the process, however it ends.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::Busy),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 && !text.is_empty() && !head()?.starts_with(&text) {
            return Err(JournalError::Foreign);
        }
        let known = read(&text[..whole])?;
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::Start(whole as u64))?;
        if whole == 0 {
            file.write_all(&head()?)?;
        }
        Ok(Self { file: Mutex::new(Open { file, failed: None }), known, used: AtomicUsize::new(0) })
    }

    /// Number of observations of earlier runs.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether it has no observations of earlier runs.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The observation of an earlier run for this target and launch.
    pub fn known(&self, target: &str, launch: &Launch) -> Option<Observation> {
        let known = match self.known.get(&(target.to_owned(), digest(launch)))?.clone() {
            Kept::Outcome(outcome) => outcome::observation(outcome, launch).ok(),
            Kept::Crashed { signal } => Some(Observation::Crashed { signal }),
        };
        self.used.fetch_add(usize::from(known.is_some()), Ordering::Relaxed);
        known
    }

    /// How many observations of earlier runs were used: the target was not asked for them now.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Stores an observation; a launch that was not run is not stored. What cannot be stored is counted, see [`Self::lost`].
    pub fn keep(&self, target: &str, launch: &Launch, observation: &Observation) {
        let kept = match (outcome::outcome(observation), observation) {
            (Some(outcome), _) => Kept::Outcome(outcome),
            (None, Observation::Crashed { signal }) => Kept::Crashed { signal: *signal },
            (None, _) => return,
        };
        let line = Line { target: target.into(), launch: digest(launch), observation: kept };
        let line = protocol::line(&line);
        let mut open = self.lock();
        let Open { file, failed } = &mut *open;
        if let Some((_, lost)) = failed {
            *lost += 1;
            return;
        }
        // One write per line: a killed run leaves only its last line incomplete.
        if let Err(why) = line.map_err(std::io::Error::from).and_then(|line| file.write_all(&line)) {
            *failed = Some((why, 1));
        }
    }

    /// The observations that could not be stored since the last call, if there are any.
    pub fn lost(&self) -> Option<LostObservations> {
        self.lock().failed.take().map(|(why, lost)| LostObservations { lost, why })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Open> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn head() -> std::io::Result<Vec<u8>> {
    Ok(protocol::line(&Head { journal: FORMAT })?)
}

fn read(text: &[u8]) -> Result<HashMap<(String, String), Kept>, JournalError> {
    let mut known = HashMap::new();
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').enumerate();
    if let Some((_, first)) = lines.next() {
        match serde_json::from_slice::<Head>(first) {
            Ok(head) if head.journal == FORMAT => {}
            _ => return Err(JournalError::Foreign),
        }
    }
    for (index, line) in lines {
        let damaged = |e: serde_json::Error| JournalError::Damaged { line: index + 1, why: e.to_string() };
        let Line { target, launch, observation } = serde_json::from_slice(line).map_err(damaged)?;
        known.insert((target, launch), observation);
    }
    Ok(known)
}

/// A hash of the whole launch.
fn digest(launch: &Launch) -> String {
    let mut to = Encoder::new("launch", ENCODING);
    encoding::launch(&mut to, launch);
    to.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(entry: &str) -> Launch {
        Launch::new("".into(), entry)
    }

    #[test]
    fn what_was_kept_is_known_to_the_next_run_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let first = Journal::open(&path).unwrap();
        first.keep("t", &launch("a"), &Observation::timed_out());
        first.keep("t", &launch("b"), &Observation::Crashed { signal: 11 });
        first.keep("t", &launch("c"), &Observation::NotRun { why: String::new() });
        assert!(first.is_empty() && first.known("t", &launch("a")).is_none());
        assert!(matches!(Journal::open(&path), Err(JournalError::Busy)));
        let first_used = first.used();
        drop(first);
        let second = Journal::open(&path).unwrap();
        assert_eq!(second.len(), 2);
        assert_eq!(second.known("t", &launch("a")), Some(Observation::timed_out()));
        assert_eq!(second.known("t", &launch("b")), Some(Observation::Crashed { signal: 11 }));
        assert_eq!(second.known("t", &launch("c")), None);
        assert_eq!(second.known("u", &launch("a")), None);
        assert_eq!((first_used, second.used()), (0, 2));
    }

    /// The key is that of `tests/it/keys.rs`, pinned there: what is kept under it is found by every later build.
    #[test]
    fn launches_are_kept_under_a_key_that_no_name_in_this_program_changes() {
        let pinned = "461e234d9bd1268642082d77e35da53e83a47c39ccf42f6aa5f05b3f6e4eba6b";
        assert_eq!(digest(&Launch::new("P".into(), "k")), pinned);
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        Journal::open(&path).unwrap().keep("t", &launch("a"), &Observation::timed_out());
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let journal = Journal::open(&path).unwrap();
            assert_eq!(journal.len(), 0, "cut at {cut}");
            journal.keep("t", &launch("a"), &Observation::timed_out());
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_damaged_line_and_a_foreign_file_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        for (text, message) in [
            ("{\"journal\":2}\n{\"target\":\n", "line 2 is damaged"),
            ("{\"journal\":1}\n", "not a journal"),
            ("{\"journal\":3}\n", "not a journal"),
            ("my only copy\n", "not a journal"),
            ("my only copy", "not a journal"),
        ] {
            std::fs::write(&path, text).unwrap();
            let Err(error) = Journal::open(&path) else { panic!("{text} was taken") };
            assert!(error.to_string().starts_with(message), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}

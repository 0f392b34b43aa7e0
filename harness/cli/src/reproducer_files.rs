//! Writes a reproducer: a PTX file with drivers in C and in Python that need no warpdiff.

use std::fs;
use std::path::{Path, PathBuf};

use warpdiff_model::{Launch, Mismatch};
use warpdiff_reducer::reproducer::{Reproducer, Unwritable};
use warpdiff_terminal::foreign;

use crate::reduced_case::mismatch_lines;

/// Why there are no files.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoReproducer {
    /// No driver can show it.
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
    /// A file or folder cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Writes the files to a folder. `head` is what they say first: what is wrong, and where it comes from.
///
/// # Errors
/// Why there is no reproducer, or what cannot be written.
pub(crate) fn write(
    folder: &Path,
    head: &[String],
    launch: &Launch,
    mismatches: &[Mismatch],
) -> Result<(), NoReproducer> {
    let mut lines: Vec<String> = head.iter().map(|line| foreign::line(line).to_string()).collect();
    lines.extend(mismatch_lines(mismatches));
    let reproducer = Reproducer { launch, mismatches, head: lines };
    let files = reproducer.files()?;
    let cannot = |path: &Path, source| NoReproducer::Write { path: path.to_owned(), source };
    fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| cannot(&path, error))?;
    }
    Ok(())
}

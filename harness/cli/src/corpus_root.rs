//! Finds the folder of the corpus.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The file that marks a folder as a corpus.
const MARK: &str = "requirements.yaml";

/// The folder named, or `cases` here or in a folder above, or, if cargo runs this program, that of its source tree.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        return match named.is_dir() {
            true => Ok(named.to_path_buf()),
            false => Err(Failure::usage(format!("folder {} does not exist", named.display()))),
        };
    }
    let here = std::env::current_dir()
        .map_err(|e| Failure::broken(format!("cannot find the working directory: {e}")))?;
    let above = here.ancestors().map(|folder| folder.join("cases"));
    // An installed program must not depend on its build folder; cargo names the sources when it runs the program.
    let sources = std::env::var_os("CARGO_MANIFEST_DIR").map(|folder| Path::new(&folder).join("../../cases"));
    let found = above
        .chain(sources.and_then(|cases| cases.canonicalize().ok()))
        .find(|folder| folder.join(MARK).is_file());
    // A path below the working directory is shown relative to it.
    let short = found.map(|path| path.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(path));
    short.ok_or_else(|| {
        Failure::usage(format!(
            "no corpus: no folder `cases` with a {MARK} here or above; name one with --corpus"
        ))
    })
}

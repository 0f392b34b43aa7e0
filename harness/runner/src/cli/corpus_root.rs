//! Finds the corpus.

use std::path::{Path, PathBuf};

use super::Failure;

/// What makes a folder a corpus.
const MARK: &str = "requirements.yaml";

/// The folder named, or `cases` here or in a folder above, or that of the source tree this program was built from.
pub(super) fn find(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        return match named.is_dir() {
            true => Ok(named.to_path_buf()),
            false => Err(Failure::usage(format!("no folder {}", named.display()))),
        };
    }
    let here =
        std::env::current_dir().map_err(|e| Failure::broken(format!("cannot tell where this is: {e}")))?;
    let above = here.ancestors().map(|folder| folder.join("cases"));
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let found = above.chain(built.canonicalize()).find(|folder| folder.join(MARK).is_file());
    // A path below the working directory is shown as people would write it.
    let short = found.map(|path| path.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(path));
    short.ok_or_else(|| {
        Failure::usage(format!(
            "no corpus: no folder `cases` with a {MARK} here or above; name one with --corpus"
        ))
    })
}

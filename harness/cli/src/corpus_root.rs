//! Finds the corpus.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// What makes a folder a corpus.
const MARK: &str = "requirements.yaml";

/// The folder named, or `cases` here or in a folder above, or, if cargo runs this program, that of its source tree.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        return match named.is_dir() {
            true => Ok(named.to_path_buf()),
            false => Err(Failure::usage(format!("no folder {}", named.display()))),
        };
    }
    let here =
        std::env::current_dir().map_err(|e| Failure::broken(format!("cannot tell where this is: {e}")))?;
    let above = here.ancestors().map(|folder| folder.join("cases"));
    // An installed program must not depend on where it was built; cargo says where the sources are that it runs.
    let sources = std::env::var_os("CARGO_MANIFEST_DIR").map(|folder| Path::new(&folder).join("../../cases"));
    let found = above
        .chain(sources.and_then(|cases| cases.canonicalize().ok()))
        .find(|folder| folder.join(MARK).is_file());
    // A path below the working directory is shown as people would write it.
    let short = found.map(|path| path.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(path));
    short.ok_or_else(|| {
        Failure::usage(format!(
            "no corpus: no folder `cases` with a {MARK} here or above; name one with --corpus"
        ))
    })
}

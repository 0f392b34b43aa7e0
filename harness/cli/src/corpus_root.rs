//! Finds the corpus: the folder named, that of a checkout, or the one built into this program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use warpdiff_files::built_in::Folder;
use warpdiff_files::packed::Packed;
use warpdiff_files::tree::FileTree;

use crate::failure::Failure;

/// The file that marks a folder as a corpus.
const MARK: &str = "requirements.yaml";

/// Where the corpus is.
#[derive(Clone, Debug)]
pub(crate) enum CorpusRoot {
    /// In this folder.
    OnDisk(PathBuf),
    /// In this program.
    BuiltIn(Arc<Packed>),
}

impl CorpusRoot {
    /// Its files.
    pub(crate) fn tree(&self) -> FileTree {
        match self {
            Self::OnDisk(folder) => {
                FileTree::on_disk(folder.canonicalize().unwrap_or_else(|_| folder.clone()))
            }
            Self::BuiltIn(files) => FileTree::packed(Folder::Cases.path(), Arc::clone(files)),
        }
    }

    /// A folder beside it; `None` if it is not on the disk.
    pub(crate) fn beside(&self, folder: &str) -> Option<PathBuf> {
        let Self::OnDisk(root) = self else { return None };
        let root = root.canonicalize().unwrap_or_else(|_| root.clone());
        Some(root.parent().unwrap_or(&root).join(folder))
    }

    /// Its folder; `None` if it is not on the disk.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::OnDisk(folder) => Some(folder),
            Self::BuiltIn(_) => None,
        }
    }

    /// It in words.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::OnDisk(folder) => folder.display().to_string(),
            Self::BuiltIn(_) => "built in".into(),
        }
    }
}

/// The folder named, or `cases` here or in a folder above, or, if cargo runs this program, that of its source tree; or else the
/// corpus that this program was built with.
pub(crate) fn find(named: Option<&Path>) -> Result<CorpusRoot, Failure> {
    if let Some(named) = named {
        return match named.is_dir() {
            true => Ok(CorpusRoot::OnDisk(named.to_path_buf())),
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
    if let Some(folder) = short {
        return Ok(CorpusRoot::OnDisk(folder));
    }
    let files = Folder::Cases.unpacked().map_err(Failure::broken)?;
    files.map(CorpusRoot::BuiltIn).ok_or_else(|| {
        Failure::usage(format!(
            "no corpus: no folder `cases` with a {MARK} here or above; name one with --corpus"
        ))
    })
}

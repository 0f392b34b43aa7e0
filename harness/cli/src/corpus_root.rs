//! Finds the corpora: the folders named, that of a checkout, or the one built into this program.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use warpdiff_files::built_in::Folder;
use warpdiff_files::packed::Packed;
use warpdiff_files::tree::FileTree;

use crate::failure::Failure;

/// The file that marks a folder as a corpus.
const MARK: &str = "requirements.yaml";

/// The word that names the corpus in this program.
const BUILT_IN: &str = "builtin";

/// Where a corpus is.
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
                let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
                FileTree::on_disk(whole).labelled(from_here(folder))
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

    /// Whether it is the same corpus.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::OnDisk(a), Self::OnDisk(b)) => {
                let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
                whole(a) == whole(b)
            }
            (Self::BuiltIn(_), Self::BuiltIn(_)) => true,
            _ => false,
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

/// The corpora of a command, in the order in which they were named; at least one.
#[derive(Clone, Debug)]
pub(crate) struct CorpusRoots(Vec<CorpusRoot>);

impl CorpusRoots {
    /// Each of them.
    pub(crate) fn each(&self) -> &[CorpusRoot] {
        &self.0
    }

    /// The only one, if there are not several.
    pub(crate) fn only(&self) -> Option<&CorpusRoot> {
        match self.0.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Their files. Beside others the built-in corpus is shown as `builtin`, so that messages tell its files from those of a folder
    /// `cases`.
    pub(crate) fn trees(&self) -> Vec<FileTree> {
        let tree = |root: &CorpusRoot| match root {
            CorpusRoot::BuiltIn(files) if self.0.len() > 1 => FileTree::packed(BUILT_IN, Arc::clone(files)),
            _ => root.tree(),
        };
        self.0.iter().map(tree).collect()
    }

    /// Their folders; `None` for one that is not on the disk.
    pub(crate) fn folders(&self) -> Vec<Option<PathBuf>> {
        self.0.iter().map(|root| root.folder().map(Path::to_path_buf)).collect()
    }

    /// A folder beside each that is on the disk.
    pub(crate) fn beside(&self, folder: &str) -> Vec<PathBuf> {
        self.0.iter().filter_map(|root| root.beside(folder)).collect()
    }

    /// Whether the one inside the program is among them.
    pub(crate) fn include_built_in(&self) -> bool {
        self.0.iter().any(|root| matches!(root, CorpusRoot::BuiltIn(_)))
    }

    /// They in words.
    pub(crate) fn words(&self) -> String {
        self.0.iter().map(CorpusRoot::words).collect::<Vec<_>>().join(", ")
    }
}

/// The path of a folder from the working directory, if it is below it; otherwise as it was named.
fn from_here(folder: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    let below = here.as_deref().and_then(|here| folder.strip_prefix(here).ok());
    below.unwrap_or(folder).components().filter(|part| *part != Component::CurDir).collect()
}

/// The corpora named, or the usual one.
pub(crate) fn find(named: &[PathBuf]) -> Result<CorpusRoots, Failure> {
    if named.is_empty() {
        return usual().map(|root| CorpusRoots(vec![root]));
    }
    let mut roots: Vec<CorpusRoot> = Vec::new();
    for name in named {
        let root = match name.as_os_str() == BUILT_IN {
            true => built_in()?.ok_or_else(|| {
                Failure::usage("--corpus builtin: this warpdiff has no corpus inside; name its folder")
            })?,
            false if name.is_dir() => CorpusRoot::OnDisk(name.clone()),
            false if name.is_file() => {
                let message =
                    format!("--corpus {}: this is a file, not the folder of a corpus", name.display());
                return Err(Failure::usage(message));
            }
            false => return Err(Failure::usage(format!("folder {} does not exist", name.display()))),
        };
        if roots.iter().any(|other| other.is(&root)) {
            return Err(Failure::usage(format!("--corpus names {} twice", root.words())));
        }
        roots.push(root);
    }
    Ok(CorpusRoots(roots))
}

/// The corpus of a command that names none: `cases` here or in a folder above, or, if cargo runs this program, that of its source
/// tree; or else the corpus that this program was built with.
fn usual() -> Result<CorpusRoot, Failure> {
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
    built_in()?.ok_or_else(|| {
        Failure::usage(format!(
            "no corpus: no folder `cases` with a {MARK} here or above; name one with --corpus"
        ))
    })
}

/// The corpus in this program, if it has one.
fn built_in() -> Result<Option<CorpusRoot>, Failure> {
    let files = Folder::Cases.unpacked().map_err(Failure::broken)?;
    Ok(files.map(CorpusRoot::BuiltIn))
}

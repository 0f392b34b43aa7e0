//! `warpdiff export DIR`: writes the corpus and the goldens that are built into this program to a folder.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};
use warpdiff_files::built_in::Folder;
use warpdiff_judge::exit_code::Exit;

use crate::failure::Failure;
use crate::standard_output::emit;

/// Prefix of the folder in which the files are written before they get their names.
const UNFINISHED: &str = ".unfinished-";

/// Options of `export`.
#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// Folder to write to, which is new or empty. It gets the folders `cases` and `golden`, and commands that are run there use them
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Export {
    pub(crate) fn execute(&self) -> Result<Exit, Failure> {
        let root = self.folder.as_path();
        let at = |error: io::Error| Failure::broken(format!("{}: {error}", root.display()));
        let exists = match std::fs::read_dir(root) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return Err(Failure::usage(format!(
                        "{} is not empty; `export` writes to a new folder or an empty one",
                        root.display()
                    )));
                }
                true
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(at(error)),
        };
        // Beside a new folder, so that one rename makes all of it appear; inside one that is there, which may be the working
        // directory of somebody.
        let place = match exists {
            true => root,
            false => root.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        };
        std::fs::create_dir_all(place).map_err(at)?;
        let unfinished = unfinished_in(place).map_err(at)?;
        let written = write(unfinished.path()).map_err(|why| match why {
            Unwritten::Damaged(why) => Failure::broken(why),
            Unwritten::Disk(error) => at(error),
        })?;
        match exists {
            true => fill(unfinished.path(), root).map_err(at)?,
            false => {
                std::fs::rename(unfinished.path(), root).map_err(at)?;
                // There is nothing left under its name to remove.
                let _ = unfinished.keep();
            }
        }
        emit(&format!("{written} files of cases and goldens in {}\n", root.display()))?;
        Ok(Exit::Conforms)
    }
}

/// Why the files were not written.
enum Unwritten {
    /// The program file is damaged.
    Damaged(String),
    /// The file system refused.
    Disk(io::Error),
}

fn unfinished_in(place: &Path) -> io::Result<TempDir> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
    // Permissions of an ordinary folder, less the umask; a temporary one would be its owner's only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    builder.tempdir_in(place)
}

/// Writes every folder below `root`; returns the number of files.
fn write(root: &Path) -> Result<usize, Unwritten> {
    let mut count = 0;
    for folder in Folder::ALL {
        let files = folder.unpacked().map_err(Unwritten::Damaged)?;
        let files = files.ok_or_else(|| Unwritten::Damaged("this program has no built-in corpus".into()))?;
        for (path, contents) in files.files() {
            let path = root.join(folder.path()).join(path);
            let parent = path.parent().unwrap_or(root);
            std::fs::create_dir_all(parent).map_err(Unwritten::Disk)?;
            std::fs::write(&path, contents).map_err(Unwritten::Disk)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Moves what is in one folder to another, and back if that fails. `cases` comes last: only with it is the folder a corpus.
fn fill(from: &Path, to: &Path) -> io::Result<()> {
    let mut names: Vec<_> =
        std::fs::read_dir(from)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    names.sort_by_key(|name| name == Folder::Cases.path());
    for (index, name) in names.iter().enumerate() {
        if let Err(error) = std::fs::rename(from.join(name), to.join(name)) {
            for name in &names[..index] {
                // The first error is the one to report; the unfinished folder takes with it what comes back.
                let _ = std::fs::rename(to.join(name), from.join(name));
            }
            return Err(error);
        }
    }
    Ok(())
}

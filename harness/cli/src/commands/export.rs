//! `warpdiff export DIR`: writes what is built into this program to a folder: the corpus with its goldens, or the manual.

use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap_complete::{Generator, Shell};
use clap_mangen::Man;
use tempfile::{Builder, TempDir};
use warpdiff_files::built_in::Folder;
use warpdiff_judge::exit_code::Exit;

use crate::command_line::command;
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
    /// Write the manual pages and the completion scripts in place of the corpus: the folders `man/man1` and `completions`
    #[arg(long)]
    manual: bool,
}

/// Files by their paths below the folder.
type Files = Vec<(PathBuf, Vec<u8>)>;

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
        let files = match self.manual {
            true => manual().map_err(|error| Failure::broken(format!("cannot write the manual: {error}")))?,
            false => corpus()?,
        };
        // Beside a new folder, so that one rename makes all of it appear; inside one that is there, which may be the working
        // directory of somebody.
        let place = match exists {
            true => root,
            false => root.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        };
        std::fs::create_dir_all(place).map_err(at)?;
        let unfinished = unfinished_in(place).map_err(at)?;
        for (path, contents) in &files {
            let path = unfinished.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(root)).map_err(at)?;
            std::fs::write(&path, contents).map_err(at)?;
        }
        match exists {
            true => fill(unfinished.path(), root).map_err(at)?,
            false => {
                std::fs::rename(unfinished.path(), root).map_err(at)?;
                // There is nothing left under its name to remove.
                let _ = unfinished.keep();
            }
        }
        let what =
            if self.manual { "manual pages and completion scripts" } else { "files of cases and goldens" };
        emit(&format!("{} {what} in {}\n", files.len(), root.display()))?;
        Ok(Exit::Conforms)
    }
}

fn unfinished_in(place: &Path) -> io::Result<TempDir> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
    // Permissions of an ordinary folder, less the umask; a temporary one would be its owner's only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    builder.tempdir_in(place)
}

/// The folders of the corpus and its goldens.
fn corpus() -> Result<Files, Failure> {
    let mut found = Files::new();
    for folder in Folder::ALL {
        let files = folder.unpacked().map_err(Failure::broken)?;
        let files = files.ok_or_else(|| Failure::broken("this program has no built-in corpus"))?;
        let root = Path::new(folder.path());
        found.extend(files.files().map(|(path, contents)| (root.join(path), contents.to_vec())));
    }
    Ok(found)
}

/// A manual page for the program and for each command, and a completion script for each shell.
fn manual() -> io::Result<Files> {
    let mut program = command();
    program.build();
    let mut found = Files::new();
    page(&program, &mut found)?;
    for shell in Shell::value_variants() {
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut program, "warpdiff", &mut script);
        found.push((Path::new("completions").join(shell.file_name("warpdiff")), script));
    }
    Ok(found)
}

/// The page of a command, and those of the commands below it.
fn page(command: &clap::Command, found: &mut Files) -> io::Result<()> {
    let manual = Man::new(command.clone());
    let mut text = Vec::new();
    manual.render(&mut text)?;
    found.push((Path::new("man/man1").join(manual.get_filename()), text));
    // `help` has nothing to say of itself.
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    for below in below {
        page(below, found)?;
    }
    Ok(())
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

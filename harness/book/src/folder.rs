//! Writes the book to a folder: all of its pages or none, and never over what is not a book.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

/// Prefix of the folder in which pages are written before they get their name.
const UNFINISHED: &str = ".unfinished-";
/// The file by which a folder is known to be a book.
const MARK: &str = ".warpdiff-book";
/// What it says.
const MARK_TEXT: &str = "This folder was written by `warpdiff book`, which replaces it as a whole.\n";

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why a book was not written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Something else is there.
    #[error("{} holds something that is not a book; `book` writes to a new folder, an empty one, or that of an earlier book", .0.display())]
    Foreign(PathBuf),
    /// It is a file.
    #[error("{} is not a folder", .0.display())]
    NoFolder(PathBuf),
    /// The file system refused.
    #[error("{}: {error}", path.display())]
    Failed {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Refuses a folder that is neither new nor empty nor an earlier book.
///
/// # Errors
/// That, and errors of the file system.
pub fn check(root: &Path) -> Result<(), FolderError> {
    let failed = |error| FolderError::Failed { path: root.to_owned(), error };
    match std::fs::metadata(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
        Ok(what) if !what.is_dir() => return Err(FolderError::NoFolder(root.to_owned())),
        Ok(_) => {}
    }
    let empty = std::fs::read_dir(root).map_err(failed)?.next().is_none();
    match empty || root.join(MARK).is_file() {
        true => Ok(()),
        false => Err(FolderError::Foreign(root.to_owned())),
    }
}

/// Writes the pages to a folder beside `root`, and then puts that folder in its place.
///
/// # Errors
/// As [`check`], and errors of the file system; `root` is then as it was.
pub fn write(root: &Path, pages: &[Page]) -> Result<(), FolderError> {
    check(root)?;
    replace(root, pages).map_err(|error| FolderError::Failed { path: root.to_owned(), error })
}

fn replace(root: &Path, pages: &[Page]) -> io::Result<()> {
    // A link stays one: what it leads to is replaced. `book/` and `.` have names, too.
    let root = match root.canonicalize() {
        Ok(known) => known,
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::path::absolute(root)?,
        Err(error) => return Err(error),
    };
    let beside = root.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(beside)?;
    let new = unfinished_in(beside)?;
    write_file(&new.path().join(MARK), MARK_TEXT)?;
    for page in pages {
        write_file(&new.path().join(&page.name), &page.text)?;
    }
    if !root.exists() {
        std::fs::rename(new.path(), &root)?;
        // There is nothing left under its name to remove.
        let _ = new.keep();
        return Ok(());
    }
    // Two renames: between them the folder is not there, but no reader finds half a book, and the old one comes back if the second fails.
    let old = unfinished_in(beside)?;
    let kept = old.path().join("old");
    std::fs::rename(&root, &kept)?;
    if let Err(error) = std::fs::rename(new.path(), &root) {
        std::fs::rename(&kept, &root)?;
        return Err(error);
    }
    let _ = new.keep();
    Ok(())
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    File::create(path)?.write_all(text.as_bytes())
}

fn unfinished_in(place: &Path) -> io::Result<TempDir> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
    // Permissions of an ordinary folder, less the umask; a temporary one would be its owner's only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    builder.tempdir_in(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str, text: &str) -> Page {
        Page { name: name.into(), text: text.into() }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_book_replaces_a_book_as_a_whole() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("deep/book");
        write(&root, &[page("index.html", "1"), page("gone.html", "1")]).unwrap();
        write(&root, &[page("index.html", "2")]).unwrap();
        assert_eq!(names(&root), [MARK, "index.html"]);
        assert_eq!(std::fs::read_to_string(root.join("index.html")).unwrap(), "2");
        assert_eq!(names(root.parent().unwrap()), ["book"], "nothing unfinished is left");
    }

    #[test]
    fn what_is_no_book_stays() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("thesis.tex"), "years of work").unwrap();
        let refused = write(place.path(), &[page("index.html", "1")]);
        assert!(matches!(refused, Err(FolderError::Foreign(_))), "{refused:?}");
        assert_eq!(names(place.path()), ["thesis.tex"]);
        let file = place.path().join("thesis.tex");
        assert!(matches!(write(&file, &[]), Err(FolderError::NoFolder(_))));
    }

    #[test]
    fn an_empty_folder_becomes_a_book() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("book");
        std::fs::create_dir(&root).unwrap();
        write(&root, &[page("index.html", "1")]).unwrap();
        assert_eq!(names(&root), [MARK, "index.html"]);
    }

    #[test]
    fn a_page_that_cannot_be_written_leaves_the_old_book() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("book");
        write(&root, &[page("index.html", "1")]).unwrap();
        let failed = write(&root, &[page("index.html", "2"), page("no/such/folder.html", "2")]);
        assert!(matches!(failed, Err(FolderError::Failed { .. })), "{failed:?}");
        assert_eq!(std::fs::read_to_string(root.join("index.html")).unwrap(), "1");
        assert_eq!(names(place.path()), ["book"]);
    }
}

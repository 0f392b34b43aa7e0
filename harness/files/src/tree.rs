//! A folder to read files from, on the disk or packed.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::packed::Packed;

/// A folder, with the folders in it. Paths are relative to it.
#[derive(Clone, Debug)]
pub struct FileTree {
    root: PathBuf,
    /// What stands before the path of a file in it where people read it.
    label: PathBuf,
    /// The files, if they are not on the disk.
    packed: Option<Arc<Packed>>,
}

impl FileTree {
    /// A folder on the disk.
    pub fn on_disk(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let label = root.file_name().map(PathBuf::from).unwrap_or_default();
        Self { root, label, packed: None }
    }

    /// A packed folder, which is called `name`.
    pub fn packed(name: &str, files: Arc<Packed>) -> Self {
        Self { root: name.into(), label: name.into(), packed: Some(files) }
    }

    /// The same folder, with this before the paths of its files where people read them: its path as seen from the working directory, so
    /// that a click opens the file. Without it that is the last part of its path.
    #[must_use]
    pub fn labelled(self, label: PathBuf) -> Self {
        Self { label, ..self }
    }

    /// What stands before the path of a file in it where people read it.
    pub fn label(&self) -> &Path {
        &self.label
    }

    /// The last part of its path.
    pub fn name(&self) -> Option<&OsStr> {
        self.root.file_name()
    }

    /// The path of a file as people see it: the path of this folder, or its name if it is packed, and the path in it.
    pub fn shown(&self, inside: &Path) -> PathBuf {
        self.root.join(inside)
    }

    /// Whether a file is there.
    pub fn has(&self, inside: &Path) -> bool {
        match &self.packed {
            None => self.root.join(inside).exists(),
            Some(packed) => key(inside).is_some_and(|key| packed.get(&key).is_some()),
        }
    }

    /// Every file and every link that is not followed, each list ordered by path. Names that begin with a dot are left out: editors
    /// put their locks and copies there (`.#a.yaml`, `._a.yaml`), and version control its own files.
    ///
    /// On the disk a link to a folder is followed if that lies in this folder. One that leads out of it, or to a folder in which it
    /// lies itself, is refused. Links to files are files; [`FileTree::read`] refuses those that lead out.
    ///
    /// # Errors
    /// The path that cannot be read, and why.
    pub fn files(&self) -> Result<Listing, (PathBuf, io::Error)> {
        let mut found = match &self.packed {
            Some(packed) => {
                let paths = packed.files().map(|(path, _)| PathBuf::from(path));
                Listing { files: paths.filter(|path| !is_hidden(path)).collect(), refused: Vec::new() }
            }
            None => self.files_on_disk()?,
        };
        found.files.sort();
        found.refused.sort();
        Ok(found)
    }

    fn files_on_disk(&self) -> Result<Listing, (PathBuf, io::Error)> {
        let whole = self.root.canonicalize().map_err(|error| (self.root.clone(), error))?;
        let mut found = Listing::default();
        let first = Open { inside: PathBuf::new(), real: whole.clone(), through: Vec::new() };
        let mut folders = vec![first];
        let mut opened = 0;
        while let Some(open) = folders.pop() {
            opened += 1;
            if opened > MOST_FOLDERS {
                let why = format!("more than {MOST_FOLDERS} folders, counted once for each way there");
                return Err((self.root.clone(), io::Error::other(why)));
            }
            let folder = self.root.join(&open.inside);
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                // The other folders can be read all the same.
                Err(error) if open.inside != Path::new("") => {
                    found.refused.push((open.inside, error.to_string()));
                    continue;
                }
                Err(error) => return Err((folder, error)),
            };
            for entry in entries {
                let entry = entry.map_err(|error| (folder.clone(), error))?;
                let name = entry.file_name();
                if is_hidden(Path::new(&name)) {
                    continue;
                }
                let kind = entry.file_type().map_err(|error| (entry.path(), error))?;
                let inside = open.inside.join(&name);
                let is_link_to_folder =
                    kind.is_symlink() && fs::metadata(entry.path()).is_ok_and(|target| target.is_dir());
                if is_link_to_folder {
                    match open.followed(&whole, &entry.path()) {
                        Ok((real, through)) => folders.push(Open { inside, real, through }),
                        Err(why) => found.refused.push((inside, why)),
                    }
                } else if kind.is_dir() {
                    let (real, through) = (open.real.join(&name), open.through.clone());
                    folders.push(Open { inside, real, through });
                } else {
                    found.files.push(inside);
                }
            }
        }
        Ok(found)
    }

    /// The contents of a file of at most this many bytes.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::PermissionDenied`] for a link that leads out of this folder,
    /// [`io::ErrorKind::InvalidInput`] for what is no regular file, and [`io::ErrorKind::FileTooLarge`] with the size for a larger
    /// file.
    pub fn read(&self, inside: &Path, most: u64) -> io::Result<Vec<u8>> {
        let sized = |size: u64| match size > most {
            true => {
                Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{size} bytes, more than {most}")))
            }
            false => Ok(()),
        };
        if let Some(packed) = &self.packed {
            let contents = key(inside).and_then(|key| packed.get(&key)).ok_or(io::ErrorKind::NotFound)?;
            sized(contents.len() as u64)?;
            return Ok(contents.to_vec());
        }
        // Who gives this folder away must not be able to read files of whoever takes it.
        let path = self.root.join(inside).canonicalize()?;
        let whole = self.root.canonicalize()?;
        if !path.starts_with(&whole) {
            let why = leads_out(&path, &whole);
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let metadata = fs::metadata(&path)?;
        // Opening a pipe would wait for a writer that may never come.
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        sized(metadata.len())?;
        fs::read(path)
    }
}

/// Most folders of a listing: a few folders full of links to each other can be reached in any number of ways.
const MOST_FOLDERS: usize = 10_000;

/// What is in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files.
    pub files: Vec<PathBuf>,
    /// The links to folders that are not followed, and why.
    pub refused: Vec<(PathBuf, String)>,
}

/// Whether a part of a path begins with a dot.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// A folder whose files are to be listed.
struct Open {
    /// Its path by the way it was reached.
    inside: PathBuf,
    /// Its path without links.
    real: PathBuf,
    /// The folders, without links, in which the links lie that were followed on the way.
    through: Vec<PathBuf>,
}

impl Open {
    /// The folder behind a link in this folder, and the links followed on the way to it; or why it is no part of `whole`, which has
    /// no links.
    fn followed(&self, whole: &Path, link: &Path) -> Result<(PathBuf, Vec<PathBuf>), String> {
        let target = link.canonicalize().map_err(|error| error.to_string())?;
        if !target.starts_with(whole) {
            return Err(leads_out(&target, whole));
        }
        let through = [self.through.as_slice(), std::slice::from_ref(&self.real)].concat();
        // Followed, it would lead through itself without end.
        match through.iter().any(|folder| folder.starts_with(&target)) {
            true => Err("a link to a folder in which it lies".into()),
            false => Ok((target, through)),
        }
    }
}

fn leads_out(target: &Path, whole: &Path) -> String {
    format!("a link to {}, which is outside of {}", target.display(), whole.display())
}

/// A path as packed folders have it; `None` if it leaves the folder or is not UTF-8.
fn key(path: &Path) -> Option<String> {
    let parts = path.components().map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    Some(parts.collect::<Option<Vec<_>>>()?.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a folder is, it answers the same.
    #[test]
    fn packed_or_not_a_folder_reads_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("cases");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/x.yaml"), "hello").unwrap();
        fs::write(root.join("a-b.yaml"), "").unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".git/config.yaml"), "").unwrap();
        fs::write(root.join("a/.#x.yaml"), "").unwrap();
        let packed = Packed::unpack(&Packed::of_folder(&root).unwrap().pack().unwrap()).unwrap();
        for tree in [FileTree::on_disk(&root), FileTree::packed("cases", Arc::new(packed))] {
            let x = Path::new("a/b/x.yaml");
            let listing = tree.files().unwrap();
            assert_eq!(listing.files, [Path::new("a/b/x.yaml"), Path::new("a-b.yaml")]);
            assert_eq!(listing.refused, []);
            assert_eq!(tree.name(), Some(OsStr::new("cases")));
            assert!(tree.has(x) && !tree.has(Path::new("a/b/y.yaml")) && !tree.has(Path::new("../cases/x")));
            assert_eq!(tree.read(x, 5).unwrap(), b"hello");
            let error = tree.read(x, 4).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
            assert_eq!(error.to_string(), "5 bytes, more than 4");
            assert_eq!(tree.read(Path::new("a/y"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
            assert!(tree.read(Path::new("a"), 5).is_err(), "a folder is no file");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_and_refused_outside() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let root = place.join("cases");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(place.join("other")).unwrap();
        fs::write(root.join("a/b/x.yaml"), "x").unwrap();
        fs::write(place.join("other/secret.yaml"), "secret").unwrap();
        // A link beside others in a folder that is reached by two ways, and links that lead round.
        symlink("a", root.join("again")).unwrap();
        symlink("../other", root.join("out")).unwrap();
        symlink("../..", root.join("a/b/round")).unwrap();
        symlink("../b", root.join("a/b/self")).unwrap();
        symlink("../other/secret.yaml", root.join("secret.yaml")).unwrap();
        symlink("a/b/x.yaml", root.join("x.yaml")).unwrap();
        symlink("nowhere", root.join("dangling.yaml")).unwrap();
        // Two folders that lead to each other.
        for (from, to) in [("p", "q"), ("q", "p")] {
            fs::create_dir(root.join(from)).unwrap();
            symlink(format!("../{to}"), root.join(from).join(to)).unwrap();
        }
        let tree = FileTree::on_disk(&root);
        let listing = tree.files().unwrap();
        let files = ["a/b/x.yaml", "again/b/x.yaml", "dangling.yaml", "secret.yaml", "x.yaml"];
        assert_eq!(listing.files, files.map(PathBuf::from));
        let refused: Vec<_> = listing.refused.iter().map(|(path, _)| path.to_str().unwrap()).collect();
        assert_eq!(
            refused,
            ["a/b/round", "a/b/self", "again/b/round", "again/b/self", "out", "p/q/p", "q/p/q"]
        );
        let why = &listing.refused[4].1;
        assert_eq!(*why, format!("a link to {0}/other, which is outside of {0}/cases", place.display()));
        assert_eq!(tree.read(Path::new("x.yaml"), 9).unwrap(), b"x");
        for path in ["secret.yaml", "out/secret.yaml"] {
            let error = tree.read(Path::new(path), 9).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{path}: {error}");
        }
        // A folder that is itself reached by a link is a folder like any other.
        symlink(&root, place.join("link")).unwrap();
        let tree = FileTree::on_disk(place.join("link"));
        assert_eq!(tree.files().unwrap(), listing);
        assert_eq!(tree.read(Path::new("a/b/x.yaml"), 9).unwrap(), b"x");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_multiply_are_not_followed_without_end() {
        let folder = tempfile::tempdir().unwrap();
        for level in 0..20 {
            let at = folder.path().join(format!("{level}"));
            fs::create_dir(&at).unwrap();
            for name in ["x", "y"] {
                std::os::unix::fs::symlink(format!("../{}", level + 1), at.join(name)).unwrap();
            }
        }
        fs::create_dir(folder.path().join("20")).unwrap();
        let (_, error) = FileTree::on_disk(folder.path()).files().unwrap_err();
        assert_eq!(error.to_string(), "more than 10000 folders, counted once for each way there");
    }
}

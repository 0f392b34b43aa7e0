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
    /// The files, if they are not on the disk.
    packed: Option<Arc<Packed>>,
}

impl FileTree {
    /// A folder on the disk.
    pub fn on_disk(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), packed: None }
    }

    /// A packed folder, which is called `name`.
    pub fn packed(name: &str, files: Arc<Packed>) -> Self {
        Self { root: name.into(), packed: Some(files) }
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

    /// Every file, ordered by path. On the disk links to folders are not followed, and links to files are files.
    ///
    /// # Errors
    /// The path that cannot be read, and why.
    pub fn files(&self) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
        let mut found = match &self.packed {
            Some(packed) => packed.files().map(|(path, _)| PathBuf::from(path)).collect(),
            None => self.files_on_disk()?,
        };
        found.sort();
        Ok(found)
    }

    fn files_on_disk(&self) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
        let mut found = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(inside) = folders.pop() {
            let folder = self.root.join(&inside);
            for entry in fs::read_dir(&folder).map_err(|error| (folder.clone(), error))? {
                let entry = entry.map_err(|error| (folder.clone(), error))?;
                let kind = entry.file_type().map_err(|error| (entry.path(), error))?;
                let path = inside.join(entry.file_name());
                if kind.is_dir() { folders.push(path) } else { found.push(path) }
            }
        }
        Ok(found)
    }

    /// The contents of a file of at most this many bytes.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::InvalidInput`] for what is no regular file, and
    /// [`io::ErrorKind::FileTooLarge`] with the size for a larger file.
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
        let path = self.root.join(inside);
        let metadata = fs::metadata(&path)?;
        // Opening a pipe would wait for a writer that may never come.
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        sized(metadata.len())?;
        fs::read(path)
    }
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
        let packed = Packed::unpack(&Packed::of_folder(&root).unwrap().pack().unwrap()).unwrap();
        for tree in [FileTree::on_disk(&root), FileTree::packed("cases", Arc::new(packed))] {
            let x = Path::new("a/b/x.yaml");
            assert_eq!(tree.files().unwrap(), [Path::new("a/b/x.yaml"), Path::new("a-b.yaml")]);
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
}

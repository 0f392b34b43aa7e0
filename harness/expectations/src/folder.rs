//! Finds the files of expectations that a command names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use warpdiff_corpus::CorpusError;
use warpdiff_corpus::plan::{Location, SourceFile};

use crate::file::ExpectationFile;

/// Reads files, and every `*.yaml` directly in the folders among the paths.
///
/// # Errors
/// Everything that is wrong with any of the files; a folder without such a file.
pub fn read(paths: &[PathBuf]) -> Result<Vec<ExpectationFile>, Vec<CorpusError>> {
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        let found = if path.is_dir() { files_in(path) } else { Ok(vec![path.clone()]) };
        for path in found.unwrap_or_else(|error| {
            errors.push(error);
            Vec::new()
        }) {
            match ExpectationFile::read(&path) {
                Ok(file) => files.push(file),
                Err(found) => errors.extend(found),
            }
        }
    }
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}

/// The files of a folder, in order.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let error = |message: String| {
        let file = Arc::new(SourceFile::new(folder, String::new()));
        CorpusError::new(Location { file, range: 0..0 }, message)
    };
    let entries = std::fs::read_dir(folder);
    let entries = entries.map_err(|why| error(format!("cannot read {}: {why}", folder.display())))?;
    let is_one =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_one).collect();
    found.sort();
    match found.is_empty() {
        true => {
            Err(error(format!("{}: no file of expectations (`*.yaml`) in this folder", folder.display())))
        }
        false => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_its_files_and_every_error_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert!(read(&[folder.path().into()]).unwrap_err()[0].message.contains("no file of expectations"));
        std::fs::write(path("b.yaml"), "target: cuda\n").unwrap();
        std::fs::write(path("a.yml"), "target: emulator\n").unwrap();
        std::fs::write(path("notes.txt"), "none").unwrap();
        let files = read(&[folder.path().into()]).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(
            files.iter().map(|file| file.targets[0].as_str()).collect::<Vec<_>>(),
            ["emulator", "cuda"]
        );
        assert_eq!(read(&[path("a.yml")]).map(|files| files.len()).ok(), Some(1));
        std::fs::write(path("c.yaml"), "aim: cuda\n").unwrap();
        let errors = read(&[folder.path().into(), path("nowhere.yaml")]).unwrap_err();
        assert_eq!(errors.len(), 3, "an unknown key, no target, no file");
    }
}

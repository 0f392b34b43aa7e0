//! A recording on disk: `recording.yaml`, which says what was recorded and has the hash of every other file, and a YAML file
//! for each file of the corpus. Each begins with two lines, the second one a hash over everything after it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::observed::Observed;
use crate::golden::atomic;
use crate::recording::hex_digest;

const TITLE: &str = "# warpdiff recording, format 1. Edits are detected.";
const HASH: &str = "# sha256 ";
/// The file that lists the others.
const MANIFEST: &str = "recording.yaml";

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The target, as `--against` names it.
    pub target: String,
    /// What it says of itself: device, driver, release.
    #[serde(default)]
    pub device: BTreeMap<String, String>,
    /// When, UTC: `2026-11-21`.
    pub date: String,
    /// Version of warpdiff.
    pub warpdiff: String,
    /// SHA-256 of every other file.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// The observations of one file of the corpus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chapter {
    /// The texts of the programs that ran, by hash.
    #[serde(default)]
    pub programs: BTreeMap<String, String>,
    /// What was observed, in order of the corpus.
    #[serde(default)]
    pub observations: Vec<Entry>,
}

/// What was observed of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Id of the variant.
    pub variant: String,
    /// Its rows, or `whole`.
    pub part: String,
    /// What the launch means (see [`super::meaning`]).
    pub meaning: String,
    /// The program that ran.
    pub program: String,
    /// What was observed.
    pub observed: Observed,
}

/// A recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What was recorded.
    pub manifest: Manifest,
    /// The observations, by file of the corpus.
    pub chapters: BTreeMap<String, Chapter>,
}

/// Why a recording cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The file system.
    #[error("{}: {error}", path.display())]
    File {
        /// Of which file.
        path: PathBuf,
        /// What it says.
        error: std::io::Error,
    },
    /// A file that is none of a recording, or was changed.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

impl Recording {
    /// Writes the recording to a folder that does not exist yet, or is empty. The manifest is written last: a folder without it
    /// is no recording.
    ///
    /// # Errors
    /// If the folder holds something, or cannot be written.
    pub fn write(&mut self, root: &Path) -> Result<(), FolderError> {
        if std::fs::read_dir(root).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(damaged(root, "the folder is not empty: recordings are not overwritten"));
        }
        self.manifest.files.clear();
        for (name, chapter) in &self.chapters {
            let text = text(chapter).map_err(|why| damaged(root, why))?;
            let path = root.join(name);
            atomic::replace(&path, &text).map_err(|error| FolderError::File { path, error })?;
            self.manifest.files.insert(name.clone(), hash(text.as_bytes()));
        }
        let text = text(&self.manifest).map_err(|why| damaged(root, why))?;
        let path = root.join(MANIFEST);
        atomic::replace(&path, &text).map_err(|error| FolderError::File { path, error })
    }

    /// Reads a recording.
    ///
    /// # Errors
    /// If any byte of it is not as it was written.
    pub fn read(root: &Path) -> Result<Self, FolderError> {
        let manifest = Self::manifest(root)?;
        let mut chapters = BTreeMap::new();
        for (name, stated) in &manifest.files {
            let path = root.join(name);
            let text = read(&path)?;
            if hash(text.as_bytes()) != *stated {
                return Err(damaged(&path, "not the file that was recorded: its hash differs"));
            }
            chapters.insert(name.clone(), parse(&path, &text)?);
        }
        Ok(Self { manifest, chapters })
    }

    /// Reads only what was recorded, none of the observations.
    ///
    /// # Errors
    /// If the file that says it is not as it was written.
    pub fn manifest(root: &Path) -> Result<Manifest, FolderError> {
        let path = root.join(MANIFEST);
        parse(&path, &read(&path)?)
    }

    /// Whether there is a recording in a folder.
    pub fn is_in(root: &Path) -> bool {
        root.join(MANIFEST).is_file()
    }

    /// Every observation.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.chapters.values().flat_map(|chapter| &chapter.observations)
    }
}

fn damaged(path: &Path, why: impl Into<String>) -> FolderError {
    FolderError::Damaged { path: path.into(), why: why.into() }
}

fn read(path: &Path) -> Result<String, FolderError> {
    std::fs::read_to_string(path).map_err(|error| FolderError::File { path: path.into(), error })
}

fn hash(bytes: &[u8]) -> String {
    hex_digest(Sha256::new_with_prefix(bytes))
}

fn text<T: Serialize>(value: &T) -> Result<String, String> {
    let body = serde_yaml::to_string(value).map_err(|e| e.to_string())?;
    Ok(format!("{TITLE}\n{HASH}{}\n{body}", hash(body.as_bytes())))
}

fn parse<T: for<'a> Deserialize<'a>>(path: &Path, text: &str) -> Result<T, FolderError> {
    let rest = text.strip_prefix(TITLE).and_then(|rest| rest.strip_prefix('\n'));
    let rest = rest.and_then(|rest| rest.strip_prefix(HASH));
    let Some((stated, body)) = rest.and_then(|rest| rest.split_once('\n')) else {
        return Err(damaged(path, "not a file of a recording, or one of another format"));
    };
    if stated != hash(body.as_bytes()) {
        return Err(damaged(path, "the hash does not match: the file was edited or damaged"));
    }
    // Our own hash stands for the contents: the bounds against hostile YAML would only refuse large recordings.
    let mut options = serde_yaml::Options::default();
    options.budget = None;
    serde_yaml::from_str_with_options(body, options).map_err(|e| damaged(path, e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Recording {
        let entry = |part: &str, outcome: &str| Entry {
            variant: "a/b/c [x=.ca,v=\"2\"]: # no comment".into(),
            part: part.into(),
            meaning: "00".into(),
            program: "0e1".into(),
            observed: Observed {
                outcome: outcome.into(),
                words: Some("two\nlines ".into()),
                ..Observed::default()
            },
        };
        let program = ".version 8.0\n.entry k()\n{\n\tret;  // tab, blank at the end: \n}\n";
        let chapter = Chapter {
            programs: BTreeMap::from([("0e1".into(), program.into())]),
            observations: vec![entry("row 0", "rejected"), entry("row 1", "unsupported")],
        };
        let manifest = Manifest {
            target: "emulator".into(),
            device: BTreeMap::from([("name".into(), "a: b".into())]),
            date: "2026-11-21".into(),
            warpdiff: "0.1.0".into(),
            files: BTreeMap::new(),
        };
        Recording { manifest, chapters: BTreeMap::from([("a/b.yaml".into(), chapter)]) }
    }

    #[test]
    fn what_is_written_is_read_back_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("r");
        let mut recording = sample();
        recording.write(&root).unwrap();
        assert_eq!(Recording::read(&root).unwrap(), recording);
        let error = recording.write(&root).unwrap_err().to_string();
        assert!(error.contains("not empty"), "{error}");
    }

    #[test]
    fn any_altered_byte_and_any_missing_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        sample().write(folder.path()).unwrap();
        for name in [MANIFEST, "a/b.yaml"] {
            let path = folder.path().join(name);
            let whole = std::fs::read(&path).unwrap();
            for at in 0..whole.len() {
                let mut altered = whole.clone();
                altered[at] ^= 1;
                std::fs::write(&path, &altered).unwrap();
                assert!(Recording::read(folder.path()).is_err(), "{name}, byte {at}");
            }
            std::fs::remove_file(&path).unwrap();
            assert!(Recording::read(folder.path()).is_err());
            std::fs::write(&path, &whole).unwrap();
        }
        assert!(Recording::read(folder.path()).is_ok());
    }
}

//! A folder of goldens: read, compared with a run, and blessed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::atomic::{self, UNFINISHED};
use super::compare::{Comparison, compare};
use super::file::{self, Entries, GoldenError};

/// Ending of golden files.
const ENDING: &str = "golden";

/// A folder of goldens as it is on the disk.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    files: Files,
    /// What killed writers left behind: removed by the next bless.
    unfinished: Vec<PathBuf>,
    exists: bool,
}

/// Golden files by their path in the folder.
type Files = BTreeMap<PathBuf, Result<Entries, GoldenError>>;

/// What a run recorded for one variant.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// The golden file, relative to the folder: see [`golden_path`].
    pub file: &'a Path,
    /// Id of the variant.
    pub id: &'a str,
    /// What is allowed.
    pub recording: &'a str,
}

/// A variant whose recording is not what the golden says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Id of the variant.
    pub id: String,
    /// The golden file, relative to the folder.
    pub file: PathBuf,
    /// How it changed; never [`Comparison::Same`].
    pub comparison: Comparison,
    /// What the golden says.
    pub then: String,
    /// What is allowed now.
    pub now: String,
}

/// A run held against a folder of goldens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// Variants whose recording is as it was.
    pub same: usize,
    /// Variants whose recording is not.
    pub changes: Vec<Change>,
    /// Entries, and whole files, that belong to no variant.
    pub orphans: Vec<String>,
    /// Files that cannot be used, and why.
    pub damaged: Vec<(PathBuf, GoldenError)>,
    /// Whether there are goldens at all.
    pub recorded: bool,
}

impl Review {
    /// Whether something differs that must not.
    pub fn fails(&self) -> bool {
        let serious = |c: &Change| c.comparison != Comparison::Drifted;
        self.recorded
            && (self.changes.iter().any(serious) || !self.orphans.is_empty() || !self.damaged.is_empty())
    }
}

/// The golden file of a corpus file: `cases/suld/clamp.yaml` has `suld/clamp.golden`.
pub fn golden_path(corpus_file: &Path) -> PathBuf {
    let inside: PathBuf = corpus_file.components().skip(1).collect();
    inside.with_extension(ENDING)
}

impl Store {
    /// Reads every golden under `root`. A folder that is not there is an empty store.
    ///
    /// # Errors
    /// What the file system answers.
    pub fn read(root: &Path) -> io::Result<Self> {
        let exists = root.is_dir();
        let mut store =
            Self { root: root.to_path_buf(), files: Files::new(), unfinished: Vec::new(), exists };
        if exists {
            store.collect(root)?;
        }
        Ok(store)
    }

    /// Reads the goldens of a folder and those below it.
    fn collect(&mut self, folder: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                self.collect(&path)?;
            } else if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED)) {
                self.unfinished.push(path);
            } else if path.extension().is_some_and(|e| e == ENDING) {
                let name = path.strip_prefix(&self.root).unwrap_or(&path).to_path_buf();
                self.files.insert(name, read_entries(&path)?);
            }
        }
        Ok(())
    }

    /// Holds what a run recorded against the goldens. Entries of variants that are not in `every` are orphans.
    pub fn review<'a>(&self, recorded: &[Recorded<'a>], every: &BTreeSet<&'a str>) -> Review {
        let mut review = Review { recorded: self.exists, ..Review::default() };
        for (path, entries) in &self.files {
            match entries {
                Ok(entries) => {
                    let lost = entries.keys().filter(|id| !every.contains(id.as_str()));
                    review.orphans.extend(lost.map(|id| format!("{}: {id}", path.display())));
                }
                Err(error) => review.damaged.push((path.clone(), error.clone())),
            }
        }
        recorded.iter().for_each(|r| self.review_one(r, &mut review));
        review
    }

    fn review_one(&self, recorded: &Recorded<'_>, review: &mut Review) {
        let entries = match self.files.get(recorded.file) {
            Some(Ok(entries)) => Some(entries),
            // Said once for the file.
            Some(Err(_)) => return,
            None => None,
        };
        let then = entries.and_then(|entries| entries.get(recorded.id)).map(String::as_str);
        match compare(then, recorded.recording) {
            Comparison::Same => review.same += 1,
            comparison => review.changes.push(Change {
                id: recorded.id.into(),
                file: recorded.file.into(),
                comparison,
                then: then.unwrap_or_default().into(),
                now: recorded.recording.into(),
            }),
        }
    }

    /// Writes what a run recorded. Entries of variants that did not run stay; those of variants that are not in `every`, and
    /// files without entries, go. Files that would not change are not touched. Answers how many were.
    ///
    /// # Errors
    /// What the file system answers; files already replaced stay so.
    pub fn bless<'a>(&self, recorded: &[Recorded<'a>], every: &BTreeSet<&'a str>) -> io::Result<usize> {
        for path in &self.unfinished {
            std::fs::remove_file(path)?;
        }
        let run: BTreeSet<&str> = recorded.iter().map(|r| r.id).collect();
        let mut wanted: BTreeMap<PathBuf, Entries> = BTreeMap::new();
        for (path, entries) in &self.files {
            // What ran is recorded anew below, in its file of today.
            let stays = |id: &str| every.contains(id) && !run.contains(id);
            let kept = entries.iter().flatten().filter(|(id, _)| stays(id));
            wanted.insert(path.clone(), kept.map(|(id, text)| (id.clone(), text.clone())).collect());
        }
        for r in recorded {
            wanted.entry(r.file.into()).or_default().insert(r.id.into(), r.recording.into());
        }
        let mut written = 0;
        for (path, entries) in &wanted {
            written += usize::from(self.settle(path, entries)?);
        }
        Ok(written)
    }

    /// Makes one file hold these entries; answers whether it had to be touched.
    fn settle(&self, path: &Path, entries: &Entries) -> io::Result<bool> {
        let full = self.root.join(path);
        if entries.is_empty() {
            std::fs::remove_file(full)?;
            return Ok(true);
        }
        if self.files.get(path).is_some_and(|old| old.as_ref() == Ok(entries)) {
            return Ok(false);
        }
        atomic::replace(&full, &file::write(entries))?;
        Ok(true)
    }
}

/// A file that is no golden is an error of the golden; one that cannot be read is an error of the machine.
fn read_entries(path: &Path) -> io::Result<Result<Entries, GoldenError>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(file::read(&text)),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Err(GoldenError::NotAGolden)),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded<'a>(id: &'a str, recording: &'a str) -> Recorded<'a> {
        Recorded { file: Path::new("suld/x.golden"), id, recording }
    }

    fn set<'a>(ids: &[&'a str]) -> BTreeSet<&'a str> {
        ids.iter().copied().collect()
    }

    #[test]
    fn a_blessed_run_is_the_same_and_another_differs() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("emulator");
        let every = set(&["a", "b"]);
        let run = [recorded("a", "  1\n"), recorded("b", "  2\n")];
        let store = Store::read(&root).unwrap();
        assert!(!store.review(&run, &every).fails(), "nothing recorded, nothing to fail");
        assert_eq!(store.bless(&run, &every).unwrap(), 1);

        let store = Store::read(&root).unwrap();
        assert_eq!(store.review(&run, &every).same, 2);
        assert_eq!(store.bless(&run, &every).unwrap(), 0, "nothing to touch");
        let other = [recorded("a", "  1\n"), recorded("b", "  3\n")];
        let review = store.review(&other, &every);
        assert!(review.fails());
        assert_eq!(review.changes[0].comparison, Comparison::Differs);
        assert_eq!((review.changes[0].then.as_str(), review.changes[0].now.as_str()), ("  2\n", "  3\n"));
    }

    #[test]
    fn an_entry_without_a_case_is_an_orphan_until_blessed() {
        let folder = tempfile::tempdir().unwrap();
        let run = [recorded("a", "  1\n"), recorded("b", "  2\n")];
        Store::read(folder.path()).unwrap().bless(&run, &set(&["a", "b"])).unwrap();
        let store = Store::read(folder.path()).unwrap();
        let review = store.review(&run[..1], &set(&["a"]));
        assert_eq!(review.orphans, ["suld/x.golden: b"]);
        assert!(review.fails());
        store.bless(&run[..1], &set(&["a"])).unwrap();
        assert!(!Store::read(folder.path()).unwrap().review(&run[..1], &set(&["a"])).fails());
    }

    #[test]
    fn blessing_a_selection_keeps_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let every = set(&["a", "b"]);
        let run = [recorded("a", "  1\n"), recorded("b", "  2\n")];
        Store::read(folder.path()).unwrap().bless(&run, &every).unwrap();
        Store::read(folder.path()).unwrap().bless(&[recorded("a", "  9\n")], &every).unwrap();
        let review = Store::read(folder.path()).unwrap().review(&run, &every);
        assert_eq!((review.same, review.changes.len()), (1, 1));
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("suld")).unwrap();
        std::fs::write(folder.path().join("suld/x.golden"), "no golden").unwrap();
        let review = Store::read(folder.path()).unwrap().review(&[recorded("a", "  1\n")], &set(&["a"]));
        assert_eq!(review.damaged, [(PathBuf::from("suld/x.golden"), GoldenError::NotAGolden)]);
        assert!(review.fails());
    }

    #[test]
    fn the_golden_of_a_corpus_file_has_its_name() {
        assert_eq!(golden_path(Path::new("cases/suld/clamp.yaml")), Path::new("suld/clamp.golden"));
    }
}

//! A folder of goldens: read, compared with a run, blessed; which files a bless removes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use warpdiff_corpus::ListedVariant;
use warpdiff_files::packed::Packed;

use super::compare::{EntryChange, compare};
use super::file::{self, Entries, GoldenError};
use crate::replace_file::{UNFINISHED, replace};

/// Ending of golden files.
const ENDING: &str = "golden";

/// A folder of goldens as it is on the disk.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    files: Files,
    /// Unfinished files of killed writers; the next bless removes them.
    unfinished: Vec<PathBuf>,
    exists: bool,
}

/// Golden files by their path in the folder.
type Files = BTreeMap<PathBuf, Result<Entries, GoldenError>>;

/// The golden entry of one variant by this run.
#[derive(Clone, Copy, Debug)]
pub struct RunEntry<'a> {
    /// The golden file, relative to the folder: see [`golden_path`].
    pub file: &'a Path,
    /// Id of the variant.
    pub id: &'a str,
    /// The allowed outcomes as a golden keeps them.
    pub recording: &'a str,
}

/// A variant whose entry differs from its golden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedEntry {
    /// Id of the variant.
    pub id: String,
    /// The golden file, relative to the folder.
    pub file: PathBuf,
    /// How it changed; never [`EntryChange::Same`].
    pub comparison: EntryChange,
    /// The golden's entry.
    pub then: String,
    /// The present entry.
    pub now: String,
}

/// The comparison of a run with a folder of goldens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// Variants with an unchanged entry.
    pub same: usize,
    /// Variants with a changed entry.
    pub changes: Vec<ChangedEntry>,
    /// Entries that belong to no variant.
    pub orphans: Vec<String>,
    /// Entries of variants that belong to another file.
    pub misplaced: Vec<String>,
    /// Contents that a bless removed, each with the reason.
    pub removed: Vec<Removal>,
    /// Files that cannot be used, and why.
    pub damaged: Vec<(PathBuf, GoldenError)>,
    /// Whether there are goldens at all.
    pub recorded: bool,
    /// Whether goldens are required, because the folder was named.
    pub expected: bool,
}

/// Contents that a bless removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The golden file, relative to the folder.
    pub file: PathBuf,
    /// The removed contents, and why.
    pub what: String,
}

impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.what)
    }
}

/// The result of a bless.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blessed {
    /// Files that were written.
    pub written: usize,
    /// Removed contents.
    pub removed: Vec<Removal>,
}

/// The golden file of every variant of the corpus, by the id of the variant.
pub type Owners<'a> = BTreeMap<&'a str, PathBuf>;

/// The golden file of every variant of a corpus, whose files are shown with this label before their paths.
pub fn owners<'v>(variants: &'v [ListedVariant], label: &Path) -> Owners<'v> {
    variants.iter().map(|v| (v.id.as_str(), golden_path(&v.location.file.path, label))).collect()
}

impl Review {
    /// Adds the comparison of another corpus with its goldens. One that has none is not compared.
    pub fn add(&mut self, other: Review) {
        if !other.recorded {
            return;
        }
        self.recorded = true;
        self.same += other.same;
        self.changes.extend(other.changes);
        self.orphans.extend(other.orphans);
        self.misplaced.extend(other.misplaced);
        self.removed.extend(other.removed);
        self.damaged.extend(other.damaged);
    }

    /// Whether the goldens make the run fail.
    pub fn fails(&self) -> bool {
        if !self.recorded {
            return self.expected;
        }
        let serious = |c: &ChangedEntry| c.comparison != EntryChange::Drifted;
        let unclaimed = !self.orphans.is_empty() || !self.misplaced.is_empty();
        self.changes.iter().any(serious) || unclaimed || !self.damaged.is_empty()
    }
}

/// The golden file of a corpus file, which is shown with this label before its path in the corpus: of `cases`, `cases/suld/clamp.yaml`
/// has `suld/clamp.golden`.
pub fn golden_path(corpus_file: &Path, label: &Path) -> PathBuf {
    corpus_file.strip_prefix(label).unwrap_or(corpus_file).with_extension(ENDING)
}

impl Store {
    /// Reads every golden under `root`. A folder that is not there is an empty store.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn read(root: &Path) -> io::Result<Self> {
        let exists = root.is_dir();
        let mut store =
            Self { root: root.to_path_buf(), files: Files::new(), unfinished: Vec::new(), exists };
        if exists {
            store.collect(root)?;
        }
        Ok(store)
    }

    /// The goldens that are built into the program. They can be compared, not blessed.
    pub fn built_in(packed: &Packed) -> Self {
        let golden = |path: &Path| path.extension().is_some_and(|e| e == ENDING);
        let files = packed.files().map(|(path, contents)| (PathBuf::from(path), contents));
        let files = files.filter(|(path, _)| golden(path)).map(|(path, contents)| {
            let entries = std::str::from_utf8(contents).map_err(|_| GoldenError::NotAGolden);
            (path, entries.and_then(file::read))
        });
        Self { root: PathBuf::new(), files: files.collect(), unfinished: Vec::new(), exists: true }
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

    /// Compares the entries of a run with the goldens. Entries of variants that are not in `every` are orphans; those in a wrong
    /// file are misplaced.
    pub fn review(&self, recorded: &[RunEntry<'_>], every: &Owners<'_>) -> Review {
        let mut review = Review { recorded: self.exists, ..Review::default() };
        for (path, entries) in &self.files {
            match entries {
                Ok(entries) => {
                    for id in entries.keys() {
                        let words = || format!("{}: {id}", path.display());
                        match every.get(id.as_str()) {
                            None => review.orphans.push(words()),
                            Some(owner) if owner != path => review.misplaced.push(words()),
                            Some(_) => {}
                        }
                    }
                }
                Err(error) => review.damaged.push((path.clone(), error.clone())),
            }
        }
        recorded.iter().for_each(|r| self.review_one(r, &mut review));
        review
    }

    fn review_one(&self, recorded: &RunEntry<'_>, review: &mut Review) {
        // An unusable file is reported once, not for each of its entries.
        if matches!(self.files.get(recorded.file), Some(Err(_))) {
            return;
        }
        match self.change(recorded) {
            None => review.same += 1,
            Some(change) => review.changes.push(change),
        }
    }

    /// The change of one variant's entry, if it changed. All entries of an unusable file are missing.
    pub fn change(&self, recorded: &RunEntry<'_>) -> Option<ChangedEntry> {
        let entries = self.files.get(recorded.file).and_then(|entries| entries.as_ref().ok());
        let then = entries.and_then(|entries| entries.get(recorded.id)).map(String::as_str);
        let now = recorded.recording;
        let comparison = compare(then, now);
        (comparison != EntryChange::Same).then(|| ChangedEntry {
            id: recorded.id.into(),
            file: recorded.file.into(),
            comparison,
            then: then.unwrap_or_default().into(),
            now: now.into(),
        })
    }

    /// Writes the entries of a run. Entries of variants that did not run stay. With `prune`, for a run of the whole corpus,
    /// orphaned and misplaced entries are removed. Unchanged files are not written. An unusable file is replaced only if all its
    /// variants ran, and never if a newer warpdiff wrote it.
    ///
    /// # Errors
    /// Errors of the file system; files already replaced stay so.
    pub fn bless(&self, recorded: &[RunEntry<'_>], every: &Owners<'_>, prune: bool) -> io::Result<Blessed> {
        for path in &self.unfinished {
            std::fs::remove_file(path)?;
        }
        let run: BTreeSet<&str> = recorded.iter().map(|r| r.id).collect();
        let mut blessed = Blessed::default();
        let mut wanted: BTreeMap<PathBuf, Entries> = BTreeMap::new();
        let mut untouchable: BTreeSet<&Path> = BTreeSet::new();
        for (path, entries) in &self.files {
            match entries {
                Ok(entries) => {
                    let mut kept = entries.clone();
                    if prune {
                        blessed.removed.extend(unclaimed(path, entries, every));
                        kept.retain(|id, _| every.get(id.as_str()) == Some(path));
                    }
                    wanted.insert(path.clone(), kept);
                }
                Err(error) if replaceable(error, path, &run, every) => {
                    let what = format!("unusable contents ({error})");
                    blessed.removed.push(Removal { file: path.clone(), what });
                }
                Err(_) => {
                    untouchable.insert(path);
                }
            }
        }
        for r in recorded.iter().filter(|r| !untouchable.contains(r.file)) {
            wanted.entry(r.file.into()).or_default().insert(r.id.into(), r.recording.into());
        }
        for (path, entries) in &wanted {
            blessed.written += usize::from(self.settle(path, entries)?);
        }
        Ok(blessed)
    }

    /// Writes these entries to one file; returns whether the file changed.
    fn settle(&self, path: &Path, entries: &Entries) -> io::Result<bool> {
        let full = self.root.join(path);
        if self.files.get(path).is_some_and(|old| old.as_ref() == Ok(entries)) {
            return Ok(false);
        }
        if entries.is_empty() {
            std::fs::remove_file(full)?;
            return Ok(true);
        }
        replace(&full, &file::write(entries))?;
        Ok(true)
    }
}

/// The entries of a file that belong to no variant, or to another file.
fn unclaimed<'a>(
    path: &'a Path,
    entries: &'a Entries,
    every: &'a Owners<'_>,
) -> impl Iterator<Item = Removal> + 'a {
    entries.keys().filter_map(move |id| {
        let what = match every.get(id.as_str()) {
            None => format!("{id}, which no case has"),
            Some(owner) if owner != path => format!("{id}, which belongs to {}", owner.display()),
            Some(_) => return None,
        };
        Some(Removal { file: path.into(), what })
    })
}

/// Whether an unusable file may be replaced: all of its entries are known, and no other version of warpdiff wrote it.
fn replaceable(error: &GoldenError, path: &Path, run: &BTreeSet<&str>, every: &Owners<'_>) -> bool {
    let mut members = every.iter().filter(|(_, owner)| *owner == path).map(|(id, _)| id).peekable();
    !matches!(error, GoldenError::Format(_)) && members.peek().is_some() && members.all(|id| run.contains(id))
}

/// A file that is not a golden is a golden error; an unreadable file is an error of the machine.
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

    fn recorded<'a>(id: &'a str, recording: &'a str) -> RunEntry<'a> {
        RunEntry { file: Path::new("suld/x.golden"), id, recording }
    }

    fn set<'a>(ids: &[&'a str]) -> Owners<'a> {
        ids.iter().map(|id| (*id, PathBuf::from("suld/x.golden"))).collect()
    }

    #[test]
    fn a_blessed_run_is_the_same_and_another_differs() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("emulator");
        let every = set(&["a", "b"]);
        let run = [recorded("a", "  1\n"), recorded("b", "  2\n")];
        let store = Store::read(&root).unwrap();
        assert!(!store.review(&run, &every).fails(), "nothing recorded, nothing to fail");
        assert_eq!(store.bless(&run, &every, true).unwrap().written, 1);

        let store = Store::read(&root).unwrap();
        assert_eq!(store.review(&run, &every).same, 2);
        assert_eq!(store.bless(&run, &every, true).unwrap().written, 0, "nothing to touch");
        let other = [recorded("a", "  1\n"), recorded("b", "  3\n")];
        let review = store.review(&other, &every);
        assert!(review.fails());
        assert_eq!(review.changes[0].comparison, EntryChange::Differs);
        assert_eq!((review.changes[0].then.as_str(), review.changes[0].now.as_str()), ("  2\n", "  3\n"));
    }

    #[test]
    fn an_entry_without_a_case_is_an_orphan_until_blessed() {
        let folder = tempfile::tempdir().unwrap();
        let run = [recorded("a", "  1\n"), recorded("b", "  2\n")];
        Store::read(folder.path()).unwrap().bless(&run, &set(&["a", "b"]), true).unwrap();
        let store = Store::read(folder.path()).unwrap();
        let review = store.review(&run[..1], &set(&["a"]));
        assert_eq!(review.orphans, ["suld/x.golden: b"]);
        assert!(review.fails());
        // Without the whole corpus at hand, nothing goes.
        assert_eq!(store.bless(&run[..1], &set(&["a"]), false).unwrap(), Blessed::default());
        assert_eq!(Store::read(folder.path()).unwrap().review(&run[..1], &set(&["a"])).orphans.len(), 1);
        let blessed = store.bless(&run[..1], &set(&["a"]), true).unwrap();
        let removed: Vec<_> = blessed.removed.iter().map(ToString::to_string).collect();
        assert_eq!(removed, ["suld/x.golden: b, which no case has"]);
        assert!(!Store::read(folder.path()).unwrap().review(&run[..1], &set(&["a"])).fails());
    }

    #[test]
    fn blessing_a_selection_keeps_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let every = set(&["a", "b"]);
        let run = [recorded("a", "  1\n"), recorded("b", "  2\n")];
        Store::read(folder.path()).unwrap().bless(&run, &every, true).unwrap();
        Store::read(folder.path()).unwrap().bless(&[recorded("a", "  9\n")], &every, false).unwrap();
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
    fn an_unusable_file_is_replaced_only_when_all_its_variants_ran() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suld/x.golden");
        std::fs::create_dir(folder.path().join("suld")).unwrap();
        let every = set(&["a", "b"]);
        let run = [recorded("a", "  1\n"), recorded("b", "  2\n")];
        let newer = file::write(&Entries::new()).replace("# format 1", "# format 2");
        for (text, ran, replaced) in
            [("conflict", 1, false), ("conflict", 2, true), (&newer, 1, false), (&newer, 2, false)]
        {
            std::fs::write(&path, text).unwrap();
            let store = Store::read(folder.path()).unwrap();
            let blessed = store.bless(&run[..ran], &every, true).unwrap();
            assert_eq!((blessed.written, blessed.removed.len()), (replaced.into(), replaced.into()));
            assert_eq!(std::fs::read_to_string(&path).unwrap() != text, replaced);
        }
    }

    #[test]
    fn an_entry_that_belongs_to_another_file_is_misplaced() {
        let folder = tempfile::tempdir().unwrap();
        let every = set(&["a"]);
        let run = [recorded("a", "  1\n")];
        Store::read(folder.path()).unwrap().bless(&run, &every, true).unwrap();
        std::fs::copy(folder.path().join("suld/x.golden"), folder.path().join("copy.golden")).unwrap();
        let store = Store::read(folder.path()).unwrap();
        let review = store.review(&run, &every);
        assert_eq!((review.misplaced.as_slice(), review.same), (&["copy.golden: a".to_string()][..], 1));
        assert!(review.fails());
        assert_eq!(store.bless(&run, &every, true).unwrap().removed.len(), 1);
        assert!(!folder.path().join("copy.golden").exists());
    }

    #[test]
    fn a_folder_that_was_named_has_to_be_there() {
        let nothing = Review::default();
        assert!(!nothing.fails());
        assert!(Review { expected: true, ..nothing }.fails());
    }

    #[test]
    fn the_golden_of_a_corpus_file_has_its_name() {
        let of = |file, label| golden_path(Path::new(file), Path::new(label));
        assert_eq!(of("cases/suld/clamp.yaml", "cases"), Path::new("suld/clamp.golden"));
        assert_eq!(of("tests/gpu/mine/suld/clamp.yaml", "tests/gpu/mine"), Path::new("suld/clamp.golden"));
        assert_eq!(of("suld/clamp.yaml", ""), Path::new("suld/clamp.golden"));
    }
}

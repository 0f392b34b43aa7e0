//! What is kept of a sound case file: enough to list its variants without reading it as YAML, and to plan its tables without compiling their
//! programs to know which rows share a launch.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use warpdiff_files::digest;
use warpdiff_files::tree::FileTree;

use super::listed::{ListedVariant, SharedTexts};
use super::resources::MAX_BYTES;
use crate::location::{Location, SourceFile};

/// What is kept of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownFile {
    /// Of its variants, read back launches aside.
    pub(crate) privacy: Privacy,
    /// The files that its cases name.
    pub(crate) named: Vec<NamedFile>,
    /// Its cases that have variants.
    pub(crate) cases: Vec<KnownCase>,
}

/// Of each variant of a file, in their order, whether it is a table whose rows share a launch because none can see another. Only its compiled
/// program says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(crate) struct Privacy(Vec<bool>);

/// A file that a case names, as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamedFile {
    /// Its path below the root of the corpus.
    path: PathBuf,
    /// The digest of its bytes; `None` if there was none. A case finds a file below the root if there is none beside it.
    digest: Option<String>,
}

/// A case by its names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownCase {
    /// Its bytes in the file.
    range: Range<usize>,
    /// The entries of its `covers`.
    entries: Vec<Range<usize>>,
    /// The titles of its variants, each once.
    titles: Vec<String>,
    /// What its variants cover, each list once.
    covers: Vec<Vec<String>>,
    /// The id of each variant, and which of the titles and lists it has.
    variants: Vec<(String, usize, usize)>,
}

impl KnownFile {
    /// Whether the files that its cases name are as they were.
    pub(crate) fn names_the_same(&self, root: &FileTree) -> bool {
        self.named.iter().all(|named| NamedFile::of(root, &named.path) == *named)
    }

    /// The ids of its variants.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().flat_map(|case| &case.variants).map(|(id, ..)| id.as_str())
    }
}

impl KnownCase {
    /// What is kept of a case with these variants; `None` if it has none.
    pub(crate) fn of(listed: &[ListedVariant], entries: Vec<Range<usize>>) -> Option<Self> {
        let range = listed.first()?.location.range.clone();
        let mut known = Self { range, entries, ..Self::default() };
        for variant in listed {
            let title = index_of(&mut known.titles, &*variant.title, str::to_owned);
            let covers = index_of(&mut known.covers, &*variant.covers, <[String]>::to_vec);
            known.variants.push((variant.id.clone(), title, covers));
        }
        Some(known)
    }

    /// The entries of its `covers`.
    pub(crate) fn entries(&self) -> &[Range<usize>] {
        &self.entries
    }

    /// Its variants by their names.
    pub(crate) fn listed(&self, file: &Arc<SourceFile>, subject: &str) -> Vec<ListedVariant> {
        let mut texts = SharedTexts::default();
        let (titles, covers) = (&self.titles, &self.covers);
        let one = |(id, title, covered): &(String, usize, usize)| {
            Some(ListedVariant {
                id: id.clone(),
                title: texts.text(titles.get(*title)?),
                covers: texts.covers(covers.get(*covered)?),
                subject: texts.text(subject),
                location: Location { file: Arc::clone(file), range: self.range.clone() },
                rows: None,
                // A sound file has no variant that nothing judges.
                unjudged: None,
            })
        };
        self.variants.iter().filter_map(one).collect()
    }
}

/// The index of a value in a short list, to which it is added if it is not there.
fn index_of<T: std::borrow::Borrow<B>, B: PartialEq + ?Sized>(
    list: &mut Vec<T>,
    value: &B,
    own: fn(&B) -> T,
) -> usize {
    list.iter().position(|known| known.borrow() == value).unwrap_or_else(|| {
        list.push(own(value));
        list.len() - 1
    })
}

impl NamedFile {
    /// The file at a path below the root as it is.
    fn of(root: &FileTree, path: &Path) -> Self {
        let bytes = root.read(path, MAX_BYTES).ok();
        Self { path: path.to_owned(), digest: bytes.map(|bytes| digest::of_parts(&[&bytes])) }
    }

    /// Those at several paths.
    pub(crate) fn all(root: &FileTree, paths: &BTreeSet<PathBuf>) -> Vec<Self> {
        paths.iter().map(|path| Self::of(root, path)).collect()
    }
}

impl Privacy {
    /// Begins the next variant, whose rows are taken to see each other unless it is said that they do not.
    pub(crate) fn begin(&mut self) {
        self.0.push(false);
    }

    /// Says it of the variant that was begun last.
    pub(crate) fn set(&mut self, private: bool) {
        if let Some(last) = self.0.last_mut() {
            *last = private;
        }
    }

    /// How many variants were begun.
    pub(crate) fn variants(&self) -> usize {
        self.0.len()
    }

    /// That of a variant; `None` if there is no such one.
    pub(crate) fn of(&self, variant: usize) -> Option<bool> {
        self.0.get(variant).copied()
    }
}

/// A letter for each variant.
impl From<Privacy> for String {
    fn from(privacy: Privacy) -> Self {
        privacy.0.iter().map(|private| if *private { 'p' } else { 's' }).collect()
    }
}

impl From<String> for Privacy {
    fn from(letters: String) -> Self {
        Self(letters.bytes().map(|letter| letter == b'p').collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_of_the_variant_that_was_begun_last() {
        let mut noted = Privacy::default();
        noted.set(true);
        noted.begin();
        noted.begin();
        noted.set(true);
        noted.begin();
        assert_eq!(
            (noted.variants(), noted.of(1), noted.of(2), noted.of(3)),
            (3, Some(true), Some(false), None)
        );
        assert_eq!(String::from(noted.clone()), "sps");
        assert_eq!(Privacy::from("sps".to_owned()), noted);
    }

    #[test]
    fn a_named_file_is_the_same_while_its_bytes_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = FileTree::on_disk(folder.path());
        let paths = BTreeSet::from([PathBuf::from("a/m.txt"), PathBuf::from("m.txt")]);
        std::fs::write(folder.path().join("m.txt"), "1 2").unwrap();
        let known = KnownFile { named: NamedFile::all(&root, &paths), ..KnownFile::default() };
        assert!(known.names_the_same(&root));
        std::fs::write(folder.path().join("m.txt"), "1 3").unwrap();
        assert!(!known.names_the_same(&root));
        std::fs::write(folder.path().join("m.txt"), "1 2").unwrap();
        assert!(known.names_the_same(&root));
        // A file beside the case comes first.
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/m.txt"), "1 2").unwrap();
        assert!(!known.names_the_same(&root));
    }
}

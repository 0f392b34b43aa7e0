//! What is kept of a sound case file: enough to list its variants without reading it as YAML, and to plan its tables without compiling their
//! programs.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use warpdiff_files::digest;
use warpdiff_files::tree::FileTree;

use super::listed::{ListedVariant, SharedTexts};
use super::privacy::Privacy;
use super::resources::MAX_BYTES;
use crate::location::{Location, SourceFile};

/// What is kept of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownFile {
    /// For each variant, whether no row can see another. The launch that reads declarations back is not counted.
    pub(crate) privacy: Privacy,
    /// The files that its cases name.
    pub(crate) named: Vec<NamedFile>,
    /// Its cases that have variants.
    pub(crate) cases: Vec<KnownCase>,
}

/// A file that a case names, as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamedFile {
    /// Its path below the root of the corpus.
    path: PathBuf,
    /// The digest of its bytes. `None` if there is no such file; an empty text if there is one that cannot be read.
    digest: Option<String>,
}

/// A case by its names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownCase {
    /// Its bytes in the file.
    range: Range<usize>,
    /// The entries of its `covers`.
    entries: Vec<Range<usize>>,
    /// The titles of its variants.
    titles: Vec<String>,
    /// What its variants cover.
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

    /// Its variants by their names; `None` if what is kept is damaged.
    pub(crate) fn listed(&self, file: &Arc<SourceFile>, subject: &str) -> Option<Vec<ListedVariant>> {
        let mut texts = SharedTexts::default();
        let (titles, covers) = (&self.titles, &self.covers);
        let one = |(id, title, covered): &(String, usize, usize)| {
            let (title, covers) = (texts.text(titles.get(*title)?), texts.covers(covers.get(*covered)?));
            let location = Location { file: Arc::clone(file), range: self.range.clone() };
            Some(ListedVariant::by_name(id.clone(), title, covers, texts.text(subject), location))
        };
        self.variants.iter().map(one).collect()
    }
}

/// How many of the last titles, or lists of covered requirements, are compared with the next one. Neighbouring variants have the same, and to search
/// all of them would take too long in a case of ten thousand variants.
const RECENT: usize = 4;

/// The index of a value among the last of a list, to which it is added if it is not among them.
fn index_of<T: Borrow<B>, B: PartialEq + ?Sized>(list: &mut Vec<T>, value: &B, own: fn(&B) -> T) -> usize {
    let recent = list.len().saturating_sub(RECENT);
    let known = list[recent..].iter().position(|known| known.borrow() == value);
    known.map_or_else(
        || {
            list.push(own(value));
            list.len() - 1
        },
        |known| recent + known,
    )
}

impl NamedFile {
    /// The file at a path below the root as it is.
    fn of(root: &FileTree, path: &Path) -> Self {
        let digest = root.has(path).then(|| match root.read(path, MAX_BYTES) {
            Ok(bytes) => digest::of_parts(&[&bytes]),
            Err(_) => String::new(),
        });
        Self { path: path.to_owned(), digest }
    }

    /// Those at several paths.
    pub(crate) fn all(root: &FileTree, paths: &BTreeSet<PathBuf>) -> Vec<Self> {
        paths.iter().map(|path| Self::of(root, path)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_listed_as_it_was() {
        let file = Arc::new(SourceFile::new("a.yaml", "text"));
        let variant = |number: usize| {
            let (title, covers): (&str, Vec<String>) = match number {
                1 => ("case, read back", vec![]),
                _ => ("case", vec![format!("r{}", number / 3)]),
            };
            let location = Location { file: Arc::clone(&file), range: 1..3 };
            ListedVariant::by_name(format!("a/{number}"), title.into(), covers.into(), "a".into(), location)
        };
        let listed: Vec<ListedVariant> = (0..30).map(variant).collect();
        let known = KnownCase::of(&listed, vec![2..3, 4..5]).unwrap();
        assert_eq!((known.titles.len(), known.covers.len()), (2, 11), "each once");
        let again = known.listed(&file, "a").unwrap();
        let names = |it: &ListedVariant| {
            (it.id.clone(), it.title.clone(), it.covers.clone(), it.location.range.clone())
        };
        assert_eq!(listed.iter().map(names).collect::<Vec<_>>(), again.iter().map(names).collect::<Vec<_>>());
        let damaged = KnownCase { titles: Vec::new(), ..known };
        assert!(damaged.listed(&file, "a").is_none());
        assert!(KnownCase::of(&[], vec![]).is_none());
    }

    #[test]
    fn a_named_file_is_the_same_while_its_bytes_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = FileTree::on_disk(folder.path());
        let paths = BTreeSet::from([PathBuf::from("a/m.txt"), PathBuf::from("m.txt")]);
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("m.txt", "1 2");
        let known = KnownFile { named: NamedFile::all(&root, &paths), ..KnownFile::default() };
        assert!(known.names_the_same(&root));
        write("m.txt", "1 3");
        assert!(!known.names_the_same(&root));
        write("m.txt", "1 2");
        assert!(known.names_the_same(&root));
        // A file beside the case comes first, also one that cannot be read.
        std::fs::create_dir_all(folder.path().join("a/m.txt")).unwrap();
        assert!(!known.names_the_same(&root));
        std::fs::remove_dir(folder.path().join("a/m.txt")).unwrap();
        assert!(known.names_the_same(&root));
        write("a/m.txt", "1 2");
        assert!(!known.names_the_same(&root));
    }
}

//! `--golden`, `--bless`: which folder of goldens is whose, when it is compared, when blessing is refused.

use std::path::{Path, PathBuf};

use warpdiff_corpus::Corpus;
use warpdiff_files::built_in::Folder;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_report::golden::store::{Owners, Review, RunEntry, Store, owners};
use warpdiff_session::session::Session;

use crate::corpus_root::CorpusRoot;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;

/// The corpus that owns `golden/emulator` beside it.
const OWNER: &str = "cases";
/// Between the name of that folder and the name of any other corpus, in the name of the folder that the other one owns.
const OF: &str = "-of-";

/// The options about goldens.
pub(crate) struct GoldenOptions<'a> {
    /// The folder that was named, if one was.
    pub(crate) folder: Option<&'a Path>,
    /// Whether to bless.
    pub(crate) bless: bool,
    /// Whether every variant of the corpus ran.
    pub(crate) whole: bool,
}

/// Refuses to bless under CI.
pub(crate) fn refuse_under_ci(what: &str) -> Result<(), Failure> {
    match std::env::var("CI") {
        Ok(value) if is_ci(&value) => {
            Err(Failure::usage(format!("CI={value}: {what} are blessed by people, never by CI")))
        }
        _ => Ok(()),
    }
}

/// Whether a value of the variable `CI` means CI: any but an empty or negative one.
pub(crate) fn is_ci(value: &str) -> bool {
    !matches!(value.to_ascii_lowercase().as_str(), "" | "0" | "false" | "no" | "off")
}

/// Compares a session with the goldens; blesses it first, if wanted.
pub(crate) fn review(
    wanted: &GoldenOptions<'_>,
    shared: &SharedOptions,
    corpus: &Corpus,
    session: &Session<'_>,
) -> Result<Review, Failure> {
    let roots = shared.roots()?;
    let trees = roots.trees();
    let labelled = trees.iter().zip(&corpus.parts);
    let mut every = labelled.map(|(tree, part)| owners(&corpus.listed[part.clone()], tree.label()));
    if let Some(corpus_root) = roots.only() {
        return review_of(wanted, corpus_root, &every.next().unwrap_or_default(), session);
    }
    if wanted.bless {
        return Err(Failure::usage("--bless: each corpus has goldens of its own; bless them one by one"));
    }
    if let (Some(_), [first, ..]) = (wanted.folder, roots.each()) {
        return review_of(wanted, first, &every.flatten().collect(), session);
    }
    let mut review = Review::default();
    for (corpus_root, every) in roots.each().iter().zip(every) {
        review.add(review_of(wanted, corpus_root, &every, session)?);
    }
    Ok(review)
}

/// Compares the variants of one corpus with its goldens; blesses them first, if wanted.
fn review_of(
    wanted: &GoldenOptions<'_>,
    corpus_root: &CorpusRoot,
    every: &Owners<'_>,
    session: &Session<'_>,
) -> Result<Review, Failure> {
    let usual = own_folder(corpus_root);
    let root = wanted.folder.or(usual.as_deref());
    let sound = session.verdicts.iter().filter(|v| is_recordable(v.reference.raw));
    let sound: Vec<_> = sound.filter_map(|v| Some((v, every.get(v.variant.id.as_str())?))).collect();
    let recorded: Vec<_> = sound
        .iter()
        .map(|(v, file)| RunEntry { file, id: &v.variant.id, recording: &v.reference.recording })
        .collect();
    let mut store = read(root)?;
    let mut removed = Vec::new();
    if wanted.bless {
        let Some(root) = root else {
            return Err(Failure::usage(
                "the built-in goldens cannot be replaced; `warpdiff export DIR` writes the corpus and its goldens to a folder",
            ));
        };
        // A folder that was named may have goldens of others, too: nothing is removed from it.
        let own = usual.as_deref().is_some_and(|usual| same_folder(usual, root));
        let prune = wanted.whole && own;
        removed = store.bless(&recorded, every, prune).map_err(|error| unreadable(root, &error))?.removed;
        store = read(Some(root))?;
    }
    let expected = wanted.folder.is_some();
    Ok(Review { removed, expected, ..store.review(&recorded, every) })
}

/// The folder of the goldens of this corpus and of no other; `None` if it is not on the disk. Beside a corpus `cases` it is
/// `golden/emulator`. Corpora of other names may lie beside it and beside one another, with files of the same names: each has a folder
/// with its name, `golden/emulator-of-NAME`.
fn own_folder(corpus_root: &CorpusRoot) -> Option<PathBuf> {
    let usual = Folder::Goldens.path();
    match corpus_root.tree().name().filter(|name| *name != OWNER) {
        Some(name) => corpus_root.beside(&format!("{usual}{OF}{}", name.to_string_lossy())),
        None => corpus_root.beside(usual),
    }
}

/// The goldens in a folder, or those built in.
fn read(root: Option<&Path>) -> Result<Store, Failure> {
    match root {
        Some(root) => Store::read(root).map_err(|error| unreadable(root, &error)),
        None => {
            let files = Folder::Goldens.unpacked().map_err(Failure::broken)?;
            Ok(Store::built_in(&files.unwrap_or_default()))
        }
    }
}

fn unreadable(root: &Path, error: &std::io::Error) -> Failure {
    Failure::broken(format!("{}: {error}", root.display()))
}

fn same_folder(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    whole(a) == whole(b)
}

/// Contradicted and broken variants are not recorded.
fn is_recordable(raw: Raw) -> bool {
    !matches!(raw, Raw::Contradicted | Raw::Broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_ci_counts_but_those_that_deny_it() {
        for value in ["true", "1", "yes", "github", "TRUE"] {
            assert!(is_ci(value), "{value}");
        }
        for value in ["", "0", "false", "False", "no"] {
            assert!(!is_ci(value), "{value}");
        }
    }
}

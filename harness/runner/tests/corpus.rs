//! The corpus as tests: one for each variant, or one for each file where every test is a process of its own (nextest); and
//! one for the goldens that belong to no case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use warpdiff::corpus::{self, Corpus};
use warpdiff::golden::compare::Comparison;
use warpdiff::golden::diff::inline;
use warpdiff::golden::store::{Recorded, Review, Store, golden_path, owners};
use warpdiff::report::style::Style;
use warpdiff::status::Raw;
use warpdiff::verdict::verdict;

fn main() {
    let arguments = Arguments::from_args();
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let trials = match corpus::load(&top.join("cases")) {
        Ok(corpus) => trials(Arc::new(corpus), &top.join("golden/emulator")),
        Err(errors) => vec![Trial::test("the corpus loads", move || Err(Failed::from(errors.render(false))))],
    };
    libtest_mimic::run(&arguments, trials).exit();
}

fn trials(corpus: Arc<Corpus>, golden: &Path) -> Vec<Trial> {
    let store = match Store::read(golden) {
        Ok(store) => Arc::new(store),
        Err(error) => {
            let words = format!("{}: {error}", golden.display());
            return vec![Trial::test("the goldens can be read", move || Err(Failed::from(words)))];
        }
    };
    let mut trials = variants(&corpus, &store);
    trials.push(Trial::test("the goldens belong to cases", move || orphans(&corpus, &store)));
    trials
}

/// A trial for each group of variants.
fn variants(corpus: &Arc<Corpus>, store: &Arc<Store>) -> Vec<Trial> {
    let by_file = std::env::var_os("NEXTEST").is_some();
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, variant) in corpus.variants.iter().enumerate() {
        let file = || variant.location.file.path.display().to_string();
        groups.entry(if by_file { file() } else { variant.id.clone() }).or_default().push(index);
    }
    let trial = |(name, members): (String, Vec<usize>)| {
        let (corpus, store) = (Arc::clone(corpus), Arc::clone(store));
        Trial::test(name, move || {
            let failures: Vec<_> = members.iter().filter_map(|i| failure(&corpus, *i, &store)).collect();
            if failures.is_empty() { Ok(()) } else { Err(Failed::from(failures.join("\n"))) }
        })
    };
    groups.into_iter().map(trial).collect()
}

/// What is wrong with a variant, if anything: the reference contradicts it or cannot decide it, or its golden differs.
fn failure(corpus: &Corpus, index: usize, store: &Store) -> Option<String> {
    let variant = &corpus.variants[index];
    let verdict = verdict(variant, &[]);
    if verdict.reference.raw != Raw::Conforms {
        let problems: Vec<_> = verdict.reference.problems.iter().map(|p| p.render(false)).collect();
        return Some(format!("{}: {}\n{}", variant.id, verdict.reference.raw, problems.join("\n")));
    }
    let file: PathBuf = golden_path(&variant.location.file.path);
    let recorded = Recorded { file: &file, id: &variant.id, recording: &verdict.reference.recording };
    let change = store.change(&recorded)?;
    match change.comparison {
        Comparison::Same | Comparison::Drifted => None,
        Comparison::Missing => {
            Some(format!("{}: not recorded; `warpdiff run --bless` records it", variant.id))
        }
        Comparison::Differs => Some(format!(
            "{}: golden differs\n{}",
            variant.id,
            inline(&change.then, &change.now, Style::new(false))
        )),
    }
}

fn orphans(corpus: &Corpus, store: &Store) -> Result<(), Failed> {
    let Review { recorded, orphans, misplaced, damaged, .. } = store.review(&[], &owners(&corpus.variants));
    let damaged = damaged.iter().map(|(path, error)| format!("{}: {error}", path.display()));
    let words: Vec<String> = orphans.into_iter().chain(misplaced).chain(damaged).collect();
    match (recorded, words.is_empty()) {
        (false, _) => Err(Failed::from("nothing is recorded; `warpdiff run --bless` records it")),
        (true, true) => Ok(()),
        (true, false) => Err(Failed::from(words.join("\n"))),
    }
}

//! Joins corpora and checks what they are together: unique ids, known requirements, cases for every requirement where a corpus
//! claims that.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use warpdiff_files::tree::FileTree;

use super::error::{BrokenCase, CorpusError, CorpusErrors};
use super::listed::ListedVariant;
use super::load::{Covered, Loading, Part, check_ids, no_corpus, read_corpus, tidied};
use super::reader::near;
use super::requirements::Requirement;
use crate::plan::{SourceFile, Variant};

/// A corpus, or several as one.
#[derive(Debug, Default)]
pub struct Corpus {
    /// Every variant, in the order of corpora, files and cases.
    pub listed: Vec<ListedVariant>,
    /// Those of them that are planned, in the same order.
    pub variants: Vec<Variant>,
    /// Every requirement, in the order of `requirements.yaml`; one that several corpora list stands here once.
    pub requirements: Vec<Requirement>,
    /// Every file read as YAML, ordered by path within each corpus.
    pub files: Vec<Arc<SourceFile>>,
    /// What of it cannot be read. Empty after a loading that refuses errors.
    pub broken: Vec<BrokenCase>,
    /// For each corpus, in the order they were given, its part of `listed`.
    pub parts: Vec<Range<usize>>,
}

/// Loads the corpus under `root`: every `.yaml` file below it is a list of cases, but `requirements.yaml`.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn load(root: &Path) -> Result<Corpus, CorpusErrors> {
    let root = root.canonicalize().map_err(|e| no_corpus(root, &e.to_string()))?;
    load_trees(&[FileTree::on_disk(root)])
}

/// Loads corpora from folders that may be built in.
///
/// # Errors
/// As [`load`].
pub fn load_trees(roots: &[FileTree]) -> Result<Corpus, CorpusErrors> {
    let corpus = load_what_is_right(roots, Loading::WHOLE)?;
    match corpus.broken.is_empty() {
        true => Ok(corpus),
        false => Err(corpus.errors()),
    }
}

/// Loads what is right of several corpora, and keeps the errors of the rest beside it. All of it is checked and listed; only what is to
/// be planned stays in memory. Files that are known to be sound need no further check.
///
/// # Errors
/// If one of them is no corpus.
pub fn load_what_is_right(roots: &[FileTree], loading: Loading<'_>) -> Result<Corpus, CorpusErrors> {
    let read = |root| read_corpus(root, loading);
    let mut parts = roots.iter().map(read).collect::<Result<Vec<Part>, _>>()?;
    let mut errors = Vec::new();
    let known = joined_requirements(&parts, &mut errors);
    // In a corpus that lists no requirements `covers` may name any, alone and beside others.
    for part in parts.iter_mut().filter(|part| part.requirements.is_some()) {
        part.broken.extend(wrong_covers(&known, &part.covers));
    }
    let named = parts.iter().filter(|part| part.has_own_ids);
    check_ids(named.flat_map(|part| &part.listed), &mut errors);
    let is_right = errors.is_empty() && parts.iter().all(|part| part.broken.is_empty());
    // A case that failed to load covers nothing, so uncovered requirements are not reported after errors.
    if is_right {
        parts.iter().for_each(|part| check_completeness(part, &mut errors));
    }
    let mut corpus = Corpus { requirements: known, ..Corpus::default() };
    for part in &mut parts {
        let start = corpus.listed.len();
        corpus.listed.append(&mut part.listed);
        corpus.parts.push(start..corpus.listed.len());
        corpus.variants.append(&mut part.variants);
        corpus.files.append(&mut part.files);
        corpus.broken.append(&mut part.broken);
    }
    if !errors.is_empty() {
        corpus.broken.push(BrokenCase { id: String::new(), errors });
    }
    Ok(corpus)
}

impl Corpus {
    /// All errors, in the order of files and lines.
    pub fn errors(&self) -> CorpusErrors {
        tidied(self.broken.iter().flat_map(|broken| broken.errors.iter().cloned()).collect())
    }
}

/// The requirements of all corpora, each once. An id that means one thing here and another there is an error.
fn joined_requirements(parts: &[Part], errors: &mut Vec<CorpusError>) -> Vec<Requirement> {
    let mut joined: Vec<Requirement> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for one in parts.iter().filter_map(|part| part.requirements.as_ref()).flat_map(|list| &list.all) {
        let Some(other) = places.get(one.id.as_str()).map(|place| &joined[*place]) else {
            places.insert(&one.id, joined.len());
            joined.push(one.clone());
            continue;
        };
        if (other.kind, &other.section, &other.text) != (one.kind, &one.section, &one.text) {
            let message = format!("two corpora mean different things by requirement `{}`", one.id);
            let note = format!("the other one is at {}", other.location);
            errors.push(CorpusError::new(one.location.clone(), message).note(note));
        }
    }
    joined
}

/// The variants that cover a requirement that nobody knows.
fn wrong_covers(known: &[Requirement], covers: &[Covered]) -> Vec<BrokenCase> {
    let ids: HashSet<&str> = known.iter().map(|r| r.id.as_str()).collect();
    let unknown = covers.iter().filter(|covered| !ids.contains(covered.requirement.as_str()));
    unknown
        .flat_map(|covered| {
            let id = &covered.requirement;
            let error = CorpusError::new(covered.location.clone(), format!("unknown requirement `{id}`"));
            let error = error.label("not in `requirements.yaml`");
            let error = match near(id, ids.iter().copied()) {
                Some(near) => error.note(format!("did you mean `{near}`?")),
                None => error,
            };
            covered.variants.iter().map(move |id| BrokenCase { id: id.clone(), errors: vec![error.clone()] })
        })
        .collect()
}

/// Notes every requirement without a case, if the corpus claims to have one for each. A case that nothing judges is none.
fn check_completeness(part: &Part, errors: &mut Vec<CorpusError>) {
    let Some(list) = part.requirements.as_ref().filter(|list| list.complete) else { return };
    let mut covered: HashSet<&str> = HashSet::new();
    let mut named: HashMap<&str, (&ListedVariant, &str)> = HashMap::new();
    for variant in &part.listed {
        for id in variant.covers.iter() {
            match &variant.unjudged {
                None => _ = covered.insert(id),
                Some(why) => _ = named.entry(id).or_insert((variant, why)),
            }
        }
    }
    let uncovered = |one: &&Requirement| one.kind.needs_case() && !covered.contains(one.id.as_str());
    errors.extend(list.all.iter().filter(uncovered).map(|one| {
        let message = format!("no case covers requirement `{}`", one.id);
        let error = CorpusError::new(one.location.clone(), message)
            .note("this corpus claims to cover all of them: `complete: true`");
        let Some((variant, why)) = named.get(one.id.as_str()) else { return error };
        let (id, place) = (&variant.id, &variant.location);
        error
            .note(format!("`{id}` ({place}) does not count: nothing judges it"))
            .note(format!("the reference says: {why}"))
            .note("it states no value, fault or ending that a target could contradict")
    }));
}

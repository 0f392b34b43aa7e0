//! Finds and loads the files of one corpus: its cases, their titles, its list of requirements.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use warpdiff_files::tree::{FileTree, Listing};
use warpdiff_terminal::foreign;

use super::case::{self, CaseRead};
use super::error::{BrokenCase, CorpusError, CorpusErrors};
use super::known_file::{KnownCase, KnownFile, NamedFile};
use super::listed::{ListedVariant, Planned};
use super::numbers::{load as load_text, shown, unreadable};
use super::reader::{FileContext, FileNotes, Reader};
use super::requirements::{self, Requirements};
use super::sound_files::SoundFiles;
use super::yaml::{self, Kind, Node};
use crate::plan::{Location, SourceFile, Variant};

/// How a corpus is loaded.
#[derive(Clone, Copy, Debug)]
pub struct Loading<'l> {
    /// Which variants are planned.
    pub planned: Planned<'l>,
    /// Files of whose other variants the names are enough; `None` if every variant is to be read whole.
    pub sound: Option<&'l SoundFiles>,
}

impl Loading<'_> {
    /// Everything is read and planned.
    pub const WHOLE: Self = Self { planned: Planned::All, sound: None };
}

/// Name of the file of requirements.
const REQUIREMENTS: &str = "requirements.yaml";
/// What it is not called, although the files of cases may end so.
const MISNAMED: &str = "requirements.yml";

/// What the files of one corpus hold.
#[derive(Default)]
pub(crate) struct Part {
    /// Every variant, in the order of files and cases.
    pub(crate) listed: Vec<ListedVariant>,
    /// Those of them that are planned.
    pub(crate) variants: Vec<Variant>,
    /// Its list of requirements; `None` if it has none, or one that cannot be read.
    pub(crate) requirements: Option<Requirements>,
    /// Every file read as YAML, ordered by path.
    pub(crate) files: Vec<Arc<SourceFile>>,
    /// Requirement ids that its cases cover, with their places.
    pub(crate) covers: Vec<Covered>,
    /// What of it cannot be read.
    pub(crate) broken: Vec<BrokenCase>,
    /// Whether its ids may be compared: files with the same name share ids, and the error about their names is clearer.
    pub(crate) has_own_ids: bool,
}

/// Reads the files of a corpus: every `.yaml` file is a list of cases, but `requirements.yaml`.
///
/// # Errors
/// If there is no corpus.
pub(crate) fn read_corpus(root: &FileTree, loading: Loading<'_>) -> Result<Part, CorpusErrors> {
    let Listing { files: mut paths, refused } =
        root.files().map_err(|(path, error)| no_corpus(&path, &error.to_string()))?;
    paths.retain(|path| {
        path.extension().is_some_and(|e| e == "yaml" || e == "yml") && path != Path::new(REQUIREMENTS)
    });
    if paths.is_empty() && refused.is_empty() && !root.has(Path::new(REQUIREMENTS)) {
        let whole = root.shown(Path::new(""));
        return Err(no_corpus(&whole, "no case file (`*.yaml`) in this folder or below it"));
    }
    let mut errors = Vec::new();
    if let Some(index) = paths.iter().position(|path| path == Path::new(MISNAMED)) {
        let why = format!("the list of requirements is called `{REQUIREMENTS}`");
        errors.push(unreadable(&shown(root, &paths.remove(index)), &why));
    }
    // One at a time: files are of very different lengths.
    let each = paths.par_iter().with_max_len(1);
    let mut read: Vec<FileRead> = each.map(|path| read_file(root, path, loading)).collect();
    let mut part = Part::default();
    for (path, why) in refused {
        let errors = vec![unreadable(&shown(root, &path), &why)];
        part.broken.push(BrokenCase { id: stem(&path), errors });
    }
    part.broken.extend(read.iter_mut().flat_map(|file| std::mem::take(&mut file.broken)));
    part.requirements = read_requirements(root, &mut errors);
    let names: Vec<(&Path, Option<&Arc<SourceFile>>)> =
        paths.iter().zip(&read).map(|(path, file)| (path.as_path(), file.source.as_ref())).collect();
    let namesakes = namesakes(root, &names);
    part.has_own_ids = namesakes.is_empty();
    errors.extend(namesakes);
    for file in read {
        part.files.extend(file.source);
        part.listed.extend(file.listed);
        part.variants.extend(file.variants);
        part.covers.extend(file.covers);
    }
    if !errors.is_empty() {
        part.broken.push(BrokenCase { id: String::new(), errors });
    }
    Ok(part)
}

/// Loads one case file, with `root` as the place of the files it names. Requirements are not checked.
///
/// # Errors
/// All errors.
pub fn load_file(path: &Path, root: &Path) -> Result<Vec<Variant>, CorpusErrors> {
    let root = root.canonicalize().map_err(|e| no_corpus(root, &e.to_string()))?;
    let path = path.canonicalize().map_err(|e| no_corpus(path, &e.to_string()))?;
    let inside = path.strip_prefix(&root).unwrap_or(&path);
    read_file(&FileTree::on_disk(&root), inside, Loading::WHOLE).finish()
}

/// Reads cases from a text, with `name` as the file name in errors. Paths in cases are relative to `root`.
///
/// # Errors
/// All errors.
pub fn load_text_as(name: &Path, text: String, root: &Path) -> Result<Vec<Variant>, CorpusErrors> {
    let source = Arc::new(SourceFile::new(name.to_owned(), text));
    read_source(&FileTree::on_disk(root), name, source, Loading::WHOLE).finish()
}

pub(crate) fn tidied(errors: Vec<CorpusError>) -> CorpusErrors {
    let mut errors = CorpusErrors(errors);
    errors.tidy();
    errors
}

pub(crate) fn no_corpus(path: &Path, why: &str) -> CorpusErrors {
    CorpusErrors(vec![unreadable(path, why)])
}

/// The contents of a file.
#[derive(Default)]
struct FileRead {
    source: Option<Arc<SourceFile>>,
    listed: Vec<ListedVariant>,
    /// Those of its variants that are planned.
    variants: Vec<Variant>,
    /// Requirement ids that its cases cover, with their places.
    covers: Vec<Covered>,
    broken: Vec<BrokenCase>,
}

impl FileRead {
    /// Notes errors that belong to no single case.
    fn note(&mut self, file: &str, errors: Vec<CorpusError>) {
        if !errors.is_empty() {
            self.broken.push(BrokenCase { id: file.to_owned(), errors });
        }
    }

    /// The variants of a sound file of which none is planned; `None` if what is kept of it is damaged.
    fn listed(source: &Arc<SourceFile>, known: &KnownFile, subject: &str) -> Option<Self> {
        let mut read = Self { source: Some(Arc::clone(source)), ..Self::default() };
        for case in &known.cases {
            let listed = case.listed(source, subject)?;
            read.covers.extend(covered(source, case.entries(), &listed));
            read.listed.extend(listed);
        }
        Some(read)
    }

    /// The variants of a file that is read by itself.
    fn finish(self) -> Result<Vec<Variant>, CorpusErrors> {
        let mut errors = self.broken.into_iter().flat_map(|broken| broken.errors).collect();
        check_ids(&self.listed, &mut errors);
        match errors.is_empty() {
            true => Ok(self.variants),
            false => Err(tidied(errors)),
        }
    }
}

fn read_file(root: &FileTree, relative: &Path, loading: Loading<'_>) -> FileRead {
    match load_text(root, relative) {
        Ok(source) => read_source(root, relative, Arc::new(source), loading),
        Err(error) => {
            let mut read = FileRead::default();
            read.note(&stem(relative), vec![error.into_error(root, relative)]);
            read
        }
    }
}

fn read_source(root: &FileTree, relative: &Path, source: Arc<SourceFile>, loading: Loading<'_>) -> FileRead {
    let mut read = FileRead { source: Some(Arc::clone(&source)), ..FileRead::default() };
    let stem = stem(relative);
    let subject = stem.split('/').next().unwrap_or_default();
    let digest = loading.sound.map(|_| SoundFiles::digest(relative, &source.text));
    let known = loading.sound.zip(digest.as_ref()).and_then(|(sound, digest)| sound.known(digest));
    let known = known.filter(|known| known.names_the_same(root));
    if let Some(known) = known.as_ref().filter(|known| !known.ids().any(|id| loading.planned.has(id)))
        && let Some(listed) = FileRead::listed(&source, known, subject)
    {
        return listed;
    }
    let node = match yaml::parse(&source) {
        Ok(node) => node,
        Err(error) => {
            read.note(&stem, vec![error]);
            return read;
        }
    };
    let notes = FileNotes::default();
    let sound = known.as_ref().map(|known| &known.privacy);
    let home = FileContext { file: &source, root, stem: &stem, subject, notes: &notes, sound };
    let reader = Reader::new(home, &[]);
    let Ok(cases) = reader.list(&node, "a corpus file") else {
        read.note(&stem, reader.errors.take());
        return read;
    };
    if cases.is_empty() {
        let start = 0..source.text.lines().next().map_or(0, str::len);
        reader.note(reader.error(&start, "this file holds no case").label("expected a list of cases"));
    }
    check_titles(&reader, cases);
    read.note(&stem, reader.errors.take());
    let mut kept = Vec::new();
    for node in cases {
        let CaseRead { listed, variants, broken } = case::read(home, node, loading.planned);
        let entries = entries_of_covers(node);
        read.covers.extend(covered(&source, &entries, &listed));
        kept.extend(KnownCase::of(&listed, entries));
        read.listed.extend(listed);
        read.variants.extend(variants);
        read.broken.extend(broken);
    }
    // A file with a variant that nothing judges is read whole each time: what is kept of it would not say why.
    if let (Some(files), Some(digest)) = (loading.sound, digest)
        && sound.is_none()
        && read.broken.is_empty()
        && read.listed.iter().all(|variant| variant.unjudged.is_none())
    {
        let bytes = source.text.len() + notes.program_bytes();
        let (privacy, named) = notes.into_parts();
        let file = KnownFile { privacy, named: NamedFile::all(root, &named), cases: kept };
        files.add(&digest, &file, bytes);
    }
    read
}

/// Errors for files with the same name for ids and goldens, which have no extension. Names that differ in case only are the same
/// golden on some file systems.
fn namesakes(root: &FileTree, files: &[(&Path, Option<&Arc<SourceFile>>)]) -> Vec<CorpusError> {
    let mut first: HashMap<String, &Path> = HashMap::new();
    let mut errors = Vec::new();
    for (path, source) in files {
        let stem = stem(path);
        let Some(other) = first.get(&stem.to_lowercase()).copied() else {
            first.insert(stem.to_lowercase(), path);
            continue;
        };
        let Some(source) = source else { continue };
        let why = match self::stem(other) == stem {
            true => "without their extensions they have the same name, so their ids would be the same",
            false => {
                "their names differ in upper and lower case only, so some file systems would mix up their goldens"
            }
        };
        let message = format!("`{}` and `{}`: {why}", shown(root, other).display(), source.path.display());
        let location = Location { file: Arc::clone(source), range: 0..0 };
        errors.push(CorpusError::new(location, message).label("rename one of the two files"));
    }
    errors
}

/// A path without its extension, as in ids.
fn stem(relative: &Path) -> String {
    case::in_id(&relative.with_extension("").to_string_lossy().replace('\\', "/")).into_owned()
}

/// Ids must be unique, even if titles contain the separators of ids.
pub(crate) fn check_ids<'v>(
    variants: impl IntoIterator<Item = &'v ListedVariant>,
    errors: &mut Vec<CorpusError>,
) {
    let mut first: HashMap<&str, &ListedVariant> = HashMap::new();
    // One error for two cases, however many variants they share.
    let mut told: HashSet<(&Path, usize, &Path, usize)> = HashSet::new();
    for variant in variants {
        let Some(other) = first.insert(&variant.id, variant) else { continue };
        let (a, b) = (&other.location, &variant.location);
        let same_file = Arc::ptr_eq(&a.file, &b.file);
        let same_case = same_file && a.range == b.range;
        // Equal titles are reported at the titles.
        if same_file && !same_case && other.title == variant.title {
            continue;
        }
        if told.insert((&a.file.path, a.range.start, &b.file.path, b.range.start)) {
            let error = match same_case {
                true => CorpusError::new(
                    b.clone(),
                    format!("two variants of this case have the id `{}`", variant.id),
                ),
                false => CorpusError::new(
                    b.clone(),
                    format!("two cases have a variant with the id `{}`", variant.id),
                )
                .note(format!("the other one is at {a}")),
            };
            errors.push(error);
        }
    }
}

/// Titles are unique in their file.
fn check_titles(reader: &Reader<'_>, cases: &[Arc<Node>]) {
    let mut titles: HashSet<&str> = HashSet::new();
    for node in cases {
        let Kind::Map(entries) = &node.kind else { continue };
        let Some((_, title)) = entries.iter().find(|(key, _)| key.text == "case") else { continue };
        let Kind::Scalar(scalar) = &title.kind else { continue };
        if let Some(wrong) = wrong_title(&scalar.text) {
            reader.note(reader.error(&title.range(), wrong).label("expected one line of text"));
        } else if !titles.insert(&scalar.text) {
            reader.note(
                reader.error(&title.range(), format!("two cases of this file are called `{}`", scalar.text)),
            );
        }
    }
}

/// Why a text cannot be a title: ids contain titles, are printed on one line, and are arguments of commands.
fn wrong_title(title: &str) -> Option<String> {
    if title.trim().is_empty() {
        return Some("a case without a title".into());
    }
    if title.trim() != title {
        return Some("a title begins or ends with white space".into());
    }
    let control = title.chars().find(|c| foreign::is_hostile(*c))?;
    Some(format!("a title with the control character `{}`", control.escape_default()))
}

/// A requirement that a case covers.
pub(crate) struct Covered {
    pub(crate) requirement: String,
    /// The entry of `covers` that names it first.
    pub(crate) location: Location,
    /// The ids of the variants that cover it.
    pub(crate) variants: Vec<String>,
}

/// The places of the entries of `covers` of a case.
fn entries_of_covers(case: &Node) -> Vec<Range<usize>> {
    let Kind::Map(entries) = &case.kind else { return Vec::new() };
    let Some((_, node)) = entries.iter().find(|(key, _)| key.text == "covers") else { return Vec::new() };
    let Kind::List(list) = &node.kind else { return Vec::new() };
    list.iter().map(|node| node.range()).collect()
}

/// What a case covers, by the places of the entries of its `covers`.
fn covered(file: &Arc<SourceFile>, entries: &[Range<usize>], variants: &[ListedVariant]) -> Vec<Covered> {
    let place = |range: &Range<usize>| Location { file: Arc::clone(file), range: range.clone() };
    let mut found: HashMap<&str, Covered> = HashMap::new();
    for variant in variants {
        for (id, range) in variant.covers.iter().zip(entries) {
            let location = || place(range);
            let first = || Covered { requirement: id.clone(), location: location(), variants: Vec::new() };
            found.entry(id).or_insert_with(first).variants.push(variant.id.clone());
        }
    }
    found.into_values().collect()
}

/// Reads `requirements.yaml`; it is optional.
fn read_requirements(root: &FileTree, errors: &mut Vec<CorpusError>) -> Option<Requirements> {
    let path = Path::new(REQUIREMENTS);
    if !root.has(path) {
        return None;
    }
    let source = match load_text(root, path) {
        Ok(source) => Arc::new(source),
        Err(error) => {
            errors.push(error.into_error(root, path));
            return None;
        }
    };
    let notes = FileNotes::default();
    let home = FileContext {
        file: &source,
        root,
        stem: "requirements",
        subject: "requirements",
        notes: &notes,
        sound: None,
    };
    let reader = Reader::new(home, &[]);
    match yaml::parse(&source) {
        Ok(node) => {
            let found = requirements::read(&reader, &node);
            errors.append(&mut reader.errors.borrow_mut());
            Some(found)
        }
        Err(error) => {
            errors.push(error);
            None
        }
    }
}

//! Typed reading of YAML nodes: required, unknown and misspelt keys; names, words, texts and numbers.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use ecow::EcoBytes;
use foldhash::fast::RandomState;
use warpdiff_files::tree::FileTree;
use warpdiff_ptx::checked::Module;
use warpdiff_terminal::suggest::closest;

use super::error::CorpusError;
use super::privacy::Privacy;
use super::text::{self, MAX_TEXT, Text, Unbound};
use super::yaml::{Key, Kind, Node, Scalar};
use crate::location::{Location, SourceFile};

/// The error of a reading function, which has noted the details.
#[derive(Clone, Copy, Debug)]
pub struct ErrorNoted;

/// The result of a reading function.
pub type Read<T> = Result<T, ErrorNoted>;

/// The context of the cases of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileContext<'a> {
    /// The file.
    pub(crate) file: &'a Arc<SourceFile>,
    /// The corpus root.
    pub(crate) root: &'a FileTree,
    /// Beginning of the ids of its variants: `suld/clamp`.
    pub(crate) stem: &'a str,
    /// First folder under the root, or the file's stem.
    pub(crate) subject: &'a str,
    /// What is noted of the file.
    pub(crate) notes: &'a FileNotes,
    /// What is known of its variants, if it is known to be sound.
    pub(crate) sound: Option<&'a Privacy>,
}

/// Reads nodes of one file under one binding of the matrix.
pub struct Reader<'a> {
    /// The file.
    pub(crate) file: &'a Arc<SourceFile>,
    /// The corpus root, for files that cases name.
    pub(crate) root: &'a FileTree,
    /// The folder of the file below the root.
    pub(crate) folder: &'a Path,
    /// Names of the matrix and their values.
    pub(crate) bindings: &'a [(String, String)],
    /// The errors found.
    pub(crate) errors: RefCell<Vec<CorpusError>>,
    /// `None` for a file that has no launches.
    notes: Option<&'a FileNotes>,
    /// What is known of the file's variants, if it is known to be sound.
    sound: Option<&'a Privacy>,
}

/// Most bytes that the launches of one file may hold in buffers, surfaces and rows.
const MAX_FILE_BYTES: usize = 512 << 20;

/// Most programs of a file that are remembered: most equal ones stand in one case.
const MOST_PROGRAMS: usize = 128;

/// What is noted of a file while its cases are read.
#[derive(Debug, Default)]
pub(crate) struct FileNotes {
    /// The memory that its cases use, in bytes: a few lines of matrix, sweep and `count` can need any amount.
    spent: Cell<usize>,
    /// The paths below the root at which cases look for other files: not all of what the cases are stands in this one.
    named: RefCell<BTreeSet<PathBuf>>,
    /// The variants that were begun.
    privacy: RefCell<Privacy>,
    /// Bytes of the programs that were made for them.
    program_bytes: Cell<usize>,
    /// Its programs by their texts; with the module of one that was compiled. Variants of a case often have the same.
    programs: RefCell<HashMap<Arc<str>, Option<Arc<Module>>, RandomState>>,
    /// The byte strings that were shared last. Rows of a case state much the same of memory.
    bytes: RefCell<[EcoBytes; RECENT_BYTES]>,
}

/// Byte strings that are known again: what a memory held before, and the masks of what a few rows leave of it.
const RECENT_BYTES: usize = 8;

impl FileNotes {
    /// Begins the next variant of the file.
    pub(crate) fn begin_variant(&self) {
        self.privacy.borrow_mut().begin();
    }

    /// Whether the rows of its variants can see each other, and the paths at which its cases look for other files.
    pub(crate) fn into_parts(self) -> (Privacy, BTreeSet<PathBuf>) {
        (self.privacy.into_inner(), self.named.into_inner())
    }

    /// Bytes of the programs that were made for the variants.
    pub(crate) fn program_bytes(&self) -> usize {
        self.program_bytes.get()
    }
}

impl<'a> Reader<'a> {
    /// A reader without errors.
    pub(crate) fn new(home: FileContext<'a>, bindings: &'a [(String, String)]) -> Self {
        let folder = Path::new(home.stem).parent().unwrap_or(Path::new(""));
        Self {
            file: home.file,
            root: home.root,
            folder,
            bindings,
            errors: RefCell::default(),
            notes: Some(home.notes),
            sound: home.sound,
        }
    }

    /// A reader of a file that is no part of a corpus.
    pub fn of_file(file: &'a Arc<SourceFile>) -> Self {
        static NO_FILES: LazyLock<FileTree> = LazyLock::new(|| FileTree::on_disk(PathBuf::new()));
        let (root, folder) = (&*NO_FILES, Path::new(""));
        Self { file, root, folder, bindings: &[], errors: RefCell::default(), notes: None, sound: None }
    }

    /// The errors noted.
    pub fn into_errors(self) -> Vec<CorpusError> {
        self.errors.into_inner()
    }

    /// Notes that a case looks for another file at this path below the root, so that not all of what it is stands in its own.
    pub(crate) fn names_a_file(&self, path: &Path) {
        if let Some(notes) = self.notes {
            notes.named.borrow_mut().insert(path.to_owned());
        }
    }

    /// The bytes, shared with equal ones that the file had just before.
    pub(crate) fn shared_bytes(&self, bytes: &[u8]) -> EcoBytes {
        let Some(notes) = self.notes else { return bytes.into() };
        let mut recent = notes.bytes.borrow_mut();
        if let Some(known) = recent.iter().find(|known| ***known == *bytes) {
            return known.clone();
        }
        let new = EcoBytes::from(bytes);
        recent.rotate_right(1);
        recent[0] = new.clone();
        new
    }

    /// The text of a program, shared with equal ones of the file.
    pub(crate) fn shared_text(&self, text: String) -> Arc<str> {
        let Some(notes) = self.notes else { return text.into() };
        notes.program_bytes.set(notes.program_bytes.get() + text.len());
        let mut programs = notes.programs.borrow_mut();
        if let Some((known, _)) = programs.get_key_value(text.as_str()) {
            return Arc::clone(known);
        }
        if programs.len() >= MOST_PROGRAMS {
            programs.clear();
        }
        let text: Arc<str> = text.into();
        programs.insert(Arc::clone(&text), None);
        text
    }

    /// The module of a program that was compiled before in this file, by the rules for running.
    pub(crate) fn compiled(&self, text: &str) -> Option<Arc<Module>> {
        self.notes?.programs.borrow().get(text)?.clone()
    }

    /// Remembers what a program was compiled to.
    pub(crate) fn remember(&self, text: &Arc<str>, module: &Arc<Module>) {
        if let Some(notes) = self.notes {
            notes.programs.borrow_mut().insert(Arc::clone(text), Some(Arc::clone(module)));
        }
    }

    /// Whether no row of the variant can see another: what is known of it if its file is known to be sound, or else what its program says, which is noted
    /// for a later loading. `None` if the program does not say.
    pub(crate) fn privacy(&self, of_program: impl FnOnce() -> Read<Option<bool>>) -> Read<Option<bool>> {
        let Some(notes) = self.notes else { return of_program() };
        let variant = notes.privacy.borrow().variants().checked_sub(1);
        if let Some(known) = self.sound.zip(variant).and_then(|(sound, variant)| sound.of(variant)) {
            return Ok(Some(known));
        }
        let private = of_program()?;
        if let Some(private) = private {
            notes.privacy.borrow_mut().set(private);
        }
        Ok(private)
    }

    /// Charges bytes of memory to the file.
    pub(crate) fn spend(&self, range: &Range<usize>, bytes: usize) -> Read<()> {
        let Some(notes) = self.notes else { return Ok(()) };
        let spent = notes.spent.get().saturating_add(bytes);
        if spent > MAX_FILE_BYTES {
            let most = MAX_FILE_BYTES >> 20;
            return self.fail(range, format!("the cases of this file need more than {most} MiB of memory"));
        }
        notes.spent.set(spent);
        Ok(())
    }

    /// A range of this file.
    pub fn location(&self, range: &Range<usize>) -> Location {
        Location { file: Arc::clone(self.file), range: range.clone() }
    }

    /// An error at a range of this file, to complete and pass to [`Reader::note`].
    pub fn error(&self, range: &Range<usize>, message: impl Into<String>) -> CorpusError {
        CorpusError::new(self.location(range), message)
    }

    /// Notes an error.
    pub fn note(&self, error: CorpusError) -> ErrorNoted {
        self.errors.borrow_mut().push(error);
        ErrorNoted
    }

    /// Notes an error with a message only.
    pub fn fail<T>(&self, range: &Range<usize>, message: impl Into<String>) -> Read<T> {
        Err(self.note(self.error(range, message)))
    }

    /// A map with these keys. Unknown keys are noted; the known ones are returned all the same.
    pub fn fields<'n>(&self, node: &'n Node, what: &str, known: &[&str]) -> Read<Fields<'n>> {
        self.fields_or(node, what, known, |_| None)
    }

    /// As [`Reader::fields`]; `instead` says of a word that is none of the keys what to write in its place.
    pub(crate) fn fields_or<'n>(
        &self,
        node: &'n Node,
        what: &str,
        known: &[&str],
        instead: impl Fn(&str) -> Option<String>,
    ) -> Read<Fields<'n>> {
        let fields = self.entries(node, what)?;
        for (key, _) in fields.entries {
            if known.contains(&key.text.as_str()) {
                continue;
            }
            let message = format!("unknown key `{}` of {what}", key.text);
            let error = self.error(&key.range(), message);
            self.note(match instead(&key.text) {
                Some(instead) => error.label(expected_one_of(known)).note(instead),
                None => of_unknown(error, &key.text, known),
            });
        }
        Ok(fields)
    }

    /// A map whose keys are names chosen by the author.
    pub fn entries<'n>(&self, node: &'n Node, what: &str) -> Read<Fields<'n>> {
        match &node.kind {
            Kind::Map(entries) => Ok(Fields { range: node.range(), entries }),
            _ => self.expected(node, what, "a map"),
        }
    }

    /// A list.
    pub fn list<'n>(&self, node: &'n Node, what: &str) -> Read<&'n [Arc<Node>]> {
        match &node.kind {
            Kind::List(list) => Ok(list),
            _ => self.expected(node, what, "a list"),
        }
    }

    /// Notes that another kind of node was expected here.
    pub fn expected<T>(&self, node: &Node, what: &str, wanted: &str) -> Read<T> {
        let error = self.error(&node.range(), format!("{what} is {}", node.noun()));
        Err(self.note(error.label(format!("expected {wanted}"))))
    }

    /// Notes an unknown word.
    pub fn unknown(&self, range: &Range<usize>, message: &str, word: &str, known: &[&str]) -> ErrorNoted {
        self.note(of_unknown(self.error(range, message), word, known))
    }

    fn scalar<'n>(&self, node: &'n Node, what: &str) -> Read<&'n Scalar> {
        match &node.kind {
            Kind::Scalar(scalar) if !node.is_null() => Ok(scalar),
            _ => self.expected(node, what, "a single value"),
        }
    }

    /// A key with matrix names substituted.
    pub(crate) fn key(&self, key: &Key) -> Read<String> {
        if !key.text.contains("${") {
            return Ok(key.text.to_string());
        }
        Ok(self.substituted(&key.scalar(), &key.range())?.string)
    }

    /// A scalar as text with the map of its parts to the file.
    pub(crate) fn text(&self, node: &Node, what: &str) -> Read<Text> {
        self.substituted(self.scalar(node, what)?, &node.range())
    }

    fn substituted(&self, scalar: &Scalar, range: &Range<usize>) -> Read<Text> {
        let unbound = |wrong: Unbound<'_>, range: &Range<usize>| {
            self.note(match wrong {
                Unbound::Open => self.error(range, "`${` without a `}`"),
                Unbound::Name(name) => self.unbound(name, range),
                Unbound::TooLong => self.error(
                    range,
                    format!("with its names replaced this text is longer than {} MiB", MAX_TEXT >> 20),
                ),
            });
        };
        text::substitute(&self.file.text, scalar, range, self.bindings, unbound).ok_or(ErrorNoted)
    }

    fn unbound(&self, name: &str, range: &Range<usize>) -> CorpusError {
        let error = self.error(range, format!("no `matrix` binds `${{{name}}}`"));
        match near(name, self.bindings.iter().map(|(known, _)| known.as_str())) {
            Some(near) => error.note(format!("did you mean `${{{near}}}`?")),
            None => error,
        }
    }

    /// A scalar as a short text.
    pub(crate) fn word(&self, node: &Node, what: &str) -> Read<String> {
        let scalar = self.scalar(node, what)?;
        if scalar.text.contains("${") {
            Ok(self.text(node, what)?.string)
        } else {
            Ok(scalar.text.to_string())
        }
    }

    /// As [`Reader::word`], of something whose name is only made for an error.
    pub(crate) fn word_of<'n>(&self, node: &'n Node, what: &(impl Display + ?Sized)) -> Read<Cow<'n, str>> {
        match &node.kind {
            Kind::Scalar(scalar) if !node.is_null() && !scalar.text.contains("${") => {
                Ok(Cow::Borrowed(&*scalar.text))
            }
            _ => self.word(node, &what.to_string()).map(Cow::Owned),
        }
    }

    /// A scalar as it stands, matrix names left alone.
    pub fn verbatim(&self, node: &Node, what: &str) -> Read<String> {
        Ok(self.scalar(node, what)?.text.to_string())
    }

    /// One of a few words.
    pub(crate) fn one_of<T: Copy>(&self, node: &Node, what: &str, known: &[(&str, T)]) -> Read<T> {
        let word = self.word(node, what)?;
        if let Some((_, value)) = known.iter().find(|(name, _)| *name == word) {
            return Ok(*value);
        }
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Err(self.unknown(&node.range(), &format!("unknown {what} `{word}`"), &word, &names))
    }

    /// An integer from `min` to `max`.
    pub(crate) fn integer(
        &self,
        node: &Node,
        what: &str,
        limits: std::ops::RangeInclusive<i128>,
    ) -> Read<i128> {
        let word = self.word(node, what)?;
        let Some(value) = super::value::integer(&word) else {
            let error = self.error(&node.range(), format!("{what} is `{word}`")).label("expected an integer");
            return Err(self.note(error));
        };
        if limits.contains(&value) {
            return Ok(value);
        }
        let error = self.error(&node.range(), format!("{what} is {value}"));
        Err(self.note(error.label(format!("expected {} to {}", limits.start(), limits.end()))))
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, node: &Node, what: &str) -> Read<bool> {
        self.one_of(node, what, &[("true", true), ("false", false)])
    }

    /// A name that can stand in PTX: a letter, then letters, digits and underscores.
    pub(crate) fn name<'n>(&self, key: &'n Key, what: &str) -> Read<&'n str> {
        let text = key.text.as_str();
        let wrong = if !is_name(text) {
            "expected a letter, then letters, digits or `_`"
        } else if warpdiff_ptx::vocabulary::SpecialRegister::from_text(text).is_some() {
            "this is a special register of PTX"
        } else {
            return Ok(text);
        };
        Err(self.note(self.error(&key.range(), format!("`{text}` cannot name {what}")).label(wrong)))
    }
}

/// An error about an unknown word, with the known ones.
fn of_unknown(error: CorpusError, word: &str, known: &[&str]) -> CorpusError {
    let error = error.label(expected_one_of(known));
    match near(word, known.iter().copied()) {
        Some(name) => error.note(format!("did you mean `{name}`?")),
        None => error,
    }
}

/// The known words, as the label of a caret.
fn expected_one_of(known: &[&str]) -> String {
    let quoted: Vec<String> = known.iter().map(|k| format!("`{k}`")).collect();
    match quoted.as_slice() {
        [] => "none is defined here".into(),
        [one] => format!("expected {one}"),
        many => format!("expected one of {}", many.join(", ")),
    }
}

/// The likely meaning of a misspelt name. Short names are near to everything, and long texts are not names.
pub(crate) fn near<'n>(word: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if word.len() > 100 {
        return None;
    }
    closest(word, known).filter(|name| name.len() > 2)
}

/// Whether a text can be a name: a letter, then letters, digits and underscores.
pub(crate) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The entries of a map.
#[derive(Clone, Debug)]
pub struct Fields<'n> {
    /// Where the map stands.
    pub range: Range<usize>,
    /// Keys and values in the order written.
    pub entries: &'n [(Key, Arc<Node>)],
}

impl<'n> Fields<'n> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(k, _)| k.text == key).map(|(_, node)| &**node)
    }

    /// The place of a key.
    pub fn key_range(&self, key: &str) -> Option<Range<usize>> {
        self.entries.iter().find(|(k, _)| k.text == key).map(|(k, _)| k.range())
    }

    /// Whether there is such a key.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The value of a key that must be there.
    pub fn required(&self, reader: &Reader<'_>, key: &str, what: &str) -> Read<&'n Node> {
        self.get(key).ok_or_else(|| reader.note(reader.error(&self.range, format!("{what} lacks `{key}`"))))
    }
}

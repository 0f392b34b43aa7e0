//! Files of numbers that cases refer to: data computed by an independent model.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use warpdiff_files::tree::FileTree;

use super::error::CorpusError;
use super::reader::{Read, Reader};
use super::resources::MAX_BYTES;
use super::value::Element;
use super::value_file::{ValueFile, tokens};
use super::yaml::{MAX_FILE_SIZE, Node};
use crate::expectations::Stated;
use crate::location::{Location, SourceFile};

/// Largest file of values as text.
const MAX_TEXT: u64 = 64 << 20;
/// Approximate memory of an element that has no single value.
const SPECIAL_COST: usize = 192;

/// The values of a file, one for each element of a region.
pub(crate) struct FileValues {
    /// The file.
    pub(crate) file: ValueFile,
    /// The bytes of all elements; zeros for those without a single value.
    pub(crate) bytes: Vec<u8>,
    /// The mask of stated bits; zeros for those without a single value.
    pub(crate) mask: Vec<u8>,
    /// The elements without a single value, in their order.
    pub(crate) special: Vec<Special>,
}

/// An element of a file of values that is no single value.
pub(crate) struct Special {
    /// Index of the element.
    pub(crate) index: usize,
    /// What it is; `None` for `~`, which leaves it out.
    pub(crate) stated: Option<Stated>,
    /// Where it stands.
    pub(crate) location: Location,
}

/// Reads the file of `{numbers: path}`: text with values, `undefined`, `~`, `any-nan` and `{any: [a, b]}`; or the bytes of a file that is
/// called `.bin`.
pub(crate) fn read(reader: &Reader<'_>, node: &Node, element: Element, what: &str) -> Read<FileValues> {
    let (name, path) = named(reader, node)?;
    if path.extension().is_some_and(|extension| extension == "bin") {
        return binary(reader, node, &name, &path, element, what);
    }
    let file = text_of(reader, node, &name, load_of_size(reader.root, &path, MAX_TEXT))?;
    reader.spend(&node.range(), file.text.len())?;
    let size = element.size() as usize;
    let (mut bytes, mut mask, mut special) = (Vec::new(), Vec::new(), Vec::new());
    for range in tokens(&file.text) {
        let word = &file.text[range.clone()];
        let begin = bytes.len();
        let stated = match word {
            "~" => None,
            _ => match Stated::of_word(word, element) {
                Some(Ok(stated)) => Some(stated),
                Some(Err(label)) => return wrong(reader, &file, range, what, &label),
                None => match element.append(word, &mut bytes, &mut mask) {
                    Ok(()) => continue,
                    Err(label) => return wrong(reader, &file, range, what, &label),
                },
            },
        };
        reader.spend(&node.range(), SPECIAL_COST)?;
        bytes.resize(begin + size, 0);
        mask.resize(begin + size, 0);
        let location = Location { file: Arc::clone(&file), range };
        special.push(Special { index: begin / size, stated, location });
    }
    Ok(FileValues { file: ValueFile::Text(file), bytes, mask, special })
}

fn wrong<T>(
    reader: &Reader<'_>,
    file: &Arc<SourceFile>,
    range: Range<usize>,
    what: &str,
    label: &str,
) -> Read<T> {
    let message = format!("{what} cannot hold `{}`", &file.text[range.clone()]);
    let location = Location { file: Arc::clone(file), range };
    Err(reader.note(CorpusError::new(location, message).label(label)))
}

/// The bytes of a file, little endian as the region holds them.
fn binary(
    reader: &Reader<'_>,
    node: &Node,
    name: &str,
    path: &Path,
    element: Element,
    what: &str,
) -> Read<FileValues> {
    let bytes = match reader.root.read(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(why) => return reader.fail(&node.range(), format!("cannot read `{name}`: {why}")),
    };
    reader.spend(&node.range(), bytes.len())?;
    let size = element.size() as usize;
    if !bytes.len().is_multiple_of(size) {
        let error = reader.error(&node.range(), format!("`{name}` has {} bytes", bytes.len()));
        return Err(reader.note(error.label(format!("an element of {what} has {size}"))));
    }
    let mask = vec![0xFF; bytes.len()];
    let file = ValueFile::Binary(shown(reader.root, path));
    Ok(FileValues { file, bytes, mask, special: Vec::new() })
}

/// A file that a case names by its path beside the case file, or else below the corpus root.
pub(crate) fn named_file(reader: &Reader<'_>, node: &Node) -> Read<Arc<SourceFile>> {
    let (name, path) = named(reader, node)?;
    text_of(reader, node, &name, load(reader.root, &path))
}

/// A file that the case names at this node, or the error.
fn text_of(
    reader: &Reader<'_>,
    node: &Node,
    name: &str,
    loaded: Result<SourceFile, NotLoaded>,
) -> Read<Arc<SourceFile>> {
    match loaded {
        Ok(file) => Ok(Arc::new(file)),
        Err(NotLoaded::Unreadable(why)) => reader.fail(&node.range(), format!("cannot read `{name}`: {why}")),
        Err(NotLoaded::NotText(error)) => {
            Err(reader.note(error.note(format!("it is named at {}", reader.location(&node.range())))))
        }
    }
}

/// The name of a file as a case has it, and its path below the corpus root.
fn named(reader: &Reader<'_>, node: &Node) -> Read<(String, PathBuf)> {
    let name = reader.word(node, "the name of a file")?;
    let relative = Path::new(&name);
    // A corpus may come from anyone, so it can only name files of its own folder.
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return reader.fail(&node.range(), format!("`{name}` is not a plain path below the corpus"));
    }
    let beside = reader.folder.join(relative);
    reader.names_a_file(&beside);
    reader.names_a_file(relative);
    let path = if reader.root.has(&beside) { beside } else { relative.to_owned() };
    Ok((name, path))
}

/// The path of a file below the corpus root as people see it: with the label of the root in front.
pub(crate) fn shown(root: &FileTree, relative: &Path) -> PathBuf {
    root.label().join(relative)
}

/// Why a file cannot be loaded.
pub(crate) enum NotLoaded {
    /// It cannot be read.
    Unreadable(String),
    /// It is not UTF-8; the error has the place.
    NotText(CorpusError),
}

impl NotLoaded {
    /// The error, if nothing in the corpus names the file.
    pub(crate) fn into_error(self, root: &FileTree, relative: &Path) -> CorpusError {
        match self {
            Self::NotText(error) => error,
            Self::Unreadable(why) => unreadable(&shown(root, relative), &why),
        }
    }
}

/// The error of a file or folder that cannot be read.
pub(crate) fn unreadable(path: &Path, why: &str) -> CorpusError {
    let file = Arc::new(SourceFile::new(path.to_owned(), String::new()));
    CorpusError::new(Location { file, range: 0..0 }, format!("cannot read `{}`: {why}", path.display()))
}

/// Reads a file of UTF-8 text of limited size below the corpus root.
pub(crate) fn load(root: &FileTree, relative: &Path) -> Result<SourceFile, NotLoaded> {
    load_of_size(root, relative, MAX_FILE_SIZE)
}

fn load_of_size(root: &FileTree, relative: &Path, most: u64) -> Result<SourceFile, NotLoaded> {
    let bytes = root.read(relative, most).map_err(|error| NotLoaded::Unreadable(error.to_string()))?;
    let path = shown(root, relative);
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile::new(path, text)),
        Err(error) => Err(NotLoaded::NotText(not_text(path, &error))),
    }
}

/// Most bytes that are shown of a line from the place on at which it is not UTF-8.
const SHOWN: usize = 80;

/// The error of a file that is not UTF-8, at the first place where it is not. The text that it is shown with ends with that line; bytes
/// that are not UTF-8 are replaced.
fn not_text(path: PathBuf, error: &std::string::FromUtf8Error) -> CorpusError {
    let at = error.utf8_error().valid_up_to();
    let (before, after) = error.as_bytes().split_at(at);
    let wrong = error.utf8_error().error_len().unwrap_or(after.len());
    let message = format!("not UTF-8: {}", in_words(&after[..wrong]));
    let line = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
    let text = String::from_utf8_lossy(before).into_owned() + &line;
    let range = at..at + line.chars().next().map_or(0, char::len_utf8);
    CorpusError::new(Location { file: Arc::new(SourceFile::new(path, text)), range }, message)
        .label("expected UTF-8")
        .note("text in another encoding, or no text at all? `iconv -f LATIN1 -t UTF-8` converts Latin-1")
}

/// The bytes that begin a wrong sequence, in hexadecimal.
fn in_words(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02x}")).collect();
    format!("{} {}", if hex.len() == 1 { "the byte" } else { "the bytes" }, hex.join(" "))
}

//! Files of numbers that cases refer to: data computed by an independent model.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use warpdiff_files::tree::FileTree;

use super::error::CorpusError;
use super::reader::{Read, Reader};
use super::value::Element;
use super::yaml::{MAX_FILE_SIZE, Node};
use crate::plan::{Location, SourceFile};

/// Reads `{numbers: path}`: values separated by white space, `#` comments to the end of a line. Returns bytes and the mask of
/// stated bits.
pub(crate) fn read(
    reader: &Reader<'_>,
    node: &Node,
    element: Element,
    what: &str,
) -> Read<(Vec<u8>, Vec<u8>)> {
    let fields = reader.fields(node, what, &["numbers"])?;
    let file = named_file(reader, fields.required(reader, "numbers", what)?)?;
    reader.spend(&node.range, file.text.len())?;
    let (mut bytes, mut mask) = (Vec::new(), Vec::new());
    for line in file.text.split_inclusive('\n') {
        let values = line.split('#').next().unwrap_or_default();
        for word in values.split_ascii_whitespace() {
            match element.encode(word) {
                Ok(encoded) => bytes.extend(encoded),
                Err(label) => {
                    let start = word.as_ptr() as usize - file.text.as_ptr() as usize;
                    let location = Location { file: Arc::clone(&file), range: start..start + word.len() };
                    let message = format!("{what} cannot hold `{word}`");
                    return Err(reader.note(CorpusError::new(location, message).label(label)));
                }
            }
            mask.extend(element.mask(word));
        }
    }
    Ok((bytes, mask))
}

/// A file that a case names by its path beside the case file, or else below the corpus root.
pub(crate) fn named_file(reader: &Reader<'_>, node: &Node) -> Read<Arc<SourceFile>> {
    let name = reader.word(node, "the name of a file")?;
    let relative = Path::new(&name);
    // A corpus may come from anyone, so it can only name files of its own folder.
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return reader.fail(&node.range, format!("`{name}` is not a plain path below the corpus"));
    }
    let beside = reader.folder.join(relative);
    let path = if reader.root.has(&beside) { beside } else { relative.to_owned() };
    match load(reader.root, &path) {
        Ok(file) => Ok(Arc::new(file)),
        Err(NotLoaded::Unreadable(why)) => reader.fail(&node.range, format!("cannot read `{name}`: {why}")),
        Err(NotLoaded::NotText(error)) => {
            Err(reader.note(error.note(format!("it is named at {}", reader.location(&node.range)))))
        }
    }
}

/// The path of a file below the corpus root as people see it: with the name of the root in front.
pub(crate) fn shown(root: &FileTree, relative: &Path) -> PathBuf {
    root.name().map_or_else(|| relative.to_owned(), |name| Path::new(name).join(relative))
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
    let file = Arc::new(SourceFile { path: path.to_owned(), text: String::new() });
    CorpusError::new(Location { file, range: 0..0 }, format!("cannot read `{}`: {why}", path.display()))
}

/// Reads a file of UTF-8 text of limited size below the corpus root.
pub(crate) fn load(root: &FileTree, relative: &Path) -> Result<SourceFile, NotLoaded> {
    let bytes =
        root.read(relative, MAX_FILE_SIZE).map_err(|error| NotLoaded::Unreadable(error.to_string()))?;
    let path = shown(root, relative);
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile { path, text }),
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
    CorpusError::new(Location { file: Arc::new(SourceFile { path, text }), range }, message)
        .label("expected UTF-8")
        .note("text in another encoding, or no text at all? `iconv -f LATIN1 -t UTF-8` converts Latin-1")
}

/// The bytes that begin a wrong sequence, in hexadecimal.
fn in_words(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02x}")).collect();
    format!("{} {}", if hex.len() == 1 { "the byte" } else { "the bytes" }, hex.join(" "))
}

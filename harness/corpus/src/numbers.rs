//! Files of numbers that cases refer to: data computed by an independent model.

use std::path::{Component, Path};
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
        Err(why) => reader.fail(&node.range, format!("cannot read `{name}`: {why}")),
    }
}

/// The path of a file below the corpus root as people see it: with the name of the root in front.
pub(crate) fn shown(root: &FileTree, relative: &Path) -> std::path::PathBuf {
    root.name().map_or_else(|| relative.to_owned(), |name| Path::new(name).join(relative))
}

/// Reads a file of UTF-8 text of limited size below the corpus root.
pub(crate) fn load(root: &FileTree, relative: &Path) -> Result<SourceFile, String> {
    let bytes = root.read(relative, MAX_FILE_SIZE).map_err(|e| e.to_string())?;
    let text = String::from_utf8(bytes).map_err(|e| not_text(&e))?;
    Ok(SourceFile { path: shown(root, relative), text })
}

/// The place at which a file is not UTF-8. Such a file cannot be shown with a caret.
fn not_text(error: &std::string::FromUtf8Error) -> String {
    let at = error.utf8_error().valid_up_to();
    let before = String::from_utf8_lossy(&error.as_bytes()[..at]);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("not UTF-8 at line {line}, column {column} (byte {at})")
}

//! Errors of a corpus: how they are shown, with file, line and caret.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::location::Location;

/// One error in a corpus file.
#[derive(Clone, Debug)]
pub struct CorpusError {
    /// The place.
    pub location: Location,
    /// The message: a lowercase fragment.
    pub message: String,
    /// The label of the caret, "expected …"; may be empty.
    pub label: String,
    /// Notes below the snippet.
    pub notes: Vec<String>,
    /// Whether nothing is wrong with the text, but the reference cannot run it.
    pub unsupported: bool,
}

/// A case, or a variant of one, that cannot be read; or a part of the corpus that cannot.
#[derive(Clone, Debug)]
pub struct BrokenCase {
    /// Its id, as far as it is known: without bindings if the matrix is wrong, the name of its file if that cannot be read, empty for an
    /// error that belongs to no case.
    pub id: String,
    /// Why.
    pub errors: Vec<CorpusError>,
}

impl CorpusError {
    /// An error with nothing but its message.
    pub fn new(location: Location, message: impl Into<String>) -> Self {
        let (label, notes, unsupported) = (String::new(), Vec::new(), false);
        Self { location, message: message.into(), label, notes, unsupported }
    }

    /// This error with words at the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// This error with one more note below the snippet.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The error as text: message, `file:line:column`, the line and a caret. No final newline.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let file = &self.location.file;
        let span = caret(&file.text, &self.location.range);
        let annotation = AnnotationKind::Primary.span(span);
        let annotation = if self.label.is_empty() { annotation } else { annotation.label(&self.label) };
        let path = file.path.display().to_string();
        let snippet = Snippet::source(&file.text).path(&path).annotation(annotation);
        let mut group = Level::ERROR.primary_title(&self.message).element(snippet);
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note));
        }
        renderer.render(&[group])
    }
}

/// The part of `range` to underline: at most its first line, at least one character wide where there is one.
fn caret(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = floor_boundary(text, range.start);
    let end = floor_boundary(text, range.end).max(start);
    let line = text[start..end].split(['\n', '\r']).next().unwrap_or_default().trim_end();
    if !line.is_empty() {
        return start..start + line.len();
    }
    let next = text[start..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    start..start + next
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

impl fmt::Display for CorpusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for CorpusError {}

/// The errors of a corpus, in the order of files and lines.
#[derive(Clone, Debug, Default)]
pub struct CorpusErrors(pub Vec<CorpusError>);

impl CorpusErrors {
    /// All errors as text, an empty line between them.
    pub fn render(&self, color: bool) -> String {
        self.0.iter().map(|error| error.render(color)).collect::<Vec<_>>().join("\n\n")
    }

    /// Sorts the errors by file and position and removes duplicates (every variant of a case reports the errors that all share).
    pub(crate) fn tidy(&mut self) {
        self.0.sort_by(|a, b| {
            let key = |e: &CorpusError| (e.location.file.path.clone(), e.location.range.start);
            key(a).cmp(&key(b))
        });
        self.0.dedup_by(|b, a| {
            a.message == b.message
                && a.location.range == b.location.range
                && a.location.file.path == b.location.file.path
                && a.location.file.text == b.location.file.text
        });
    }
}

impl fmt::Display for CorpusErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for CorpusErrors {}

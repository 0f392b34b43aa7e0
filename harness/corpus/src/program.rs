//! Program texts with a map from their parts to corpus files, for carets.

use std::ops::Range;
use std::sync::Arc;

use warpdiff_ptx::Rules;
use warpdiff_ptx::checked::Module;
use warpdiff_ptx::source::{Diagnostic, line_column};

use super::error::CorpusError;
use super::reader::{ErrorNoted, Read, Reader};
use super::text::Text;
use crate::plan::{Location, ProgramMap, SourceFile};

/// A program text under construction.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    pieces: Vec<(Range<usize>, Location)>,
    authored: Vec<Range<usize>>,
}

/// A program with the map of its parts to corpus files.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The text.
    pub(crate) text: Arc<str>,
    /// The map of its parts to the corpus.
    pub(crate) map: Arc<ProgramMap>,
    /// Ranges of the text that the author of the case wrote.
    authored: Vec<Range<usize>>,
    /// Whether it is a file of its own, so that its line numbers are those of the file.
    is_file: bool,
}

impl Writer {
    /// Appends text of the harness's own.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends text of the author, each line after `indent`, with a line end.
    pub(crate) fn copy(&mut self, reader: &Reader<'_>, text: &Text, indent: &str) {
        let begin = self.text.len();
        let mut at = 0;
        for line in text.string.trim_end().split_inclusive('\n') {
            self.text.push_str(indent);
            let base = self.text.len();
            self.text.push_str(line);
            self.map(reader, text, at..at + line.len(), base);
            at += line.len();
        }
        self.text.push('\n');
        self.authored.push(begin..self.text.len());
    }

    /// Maps the bytes from `base` on to where `part` of `text` comes from.
    fn map(&mut self, reader: &Reader<'_>, text: &Text, part: Range<usize>, base: usize) {
        let first = text.pieces.partition_point(|(piece, _)| piece.end <= part.start);
        for (piece, source) in text.pieces[first..].iter().take_while(|(piece, _)| piece.start < part.end) {
            let shared = piece.start.max(part.start)..piece.end.min(part.end);
            let to = base + shared.start - part.start..base + shared.end - part.start;
            let source = super::text::locate_in(piece, source, &shared);
            self.pieces.push((to, reader.location(&source)));
        }
    }

    /// The finished program; its size counts against the file's budget.
    pub(crate) fn finish(self, reader: &Reader<'_>, case: &Range<usize>) -> Read<Program> {
        reader.spend(case, self.text.len() + self.pieces.len() * size_of::<(Range<usize>, Location)>())?;
        let map = Arc::new(self.pieces.into_iter().collect());
        Ok(Program { text: reader.shared_text(self.text), map, authored: self.authored, is_file: false })
    }
}

impl Program {
    /// A program that the case has as a whole.
    pub(crate) fn of_text(reader: &Reader<'_>, text: &Text) -> Read<Self> {
        let mut writer = Writer::default();
        writer.text.push_str(&text.string);
        writer.map(reader, text, 0..text.string.len(), 0);
        writer.authored.push(0..text.string.len());
        writer.finish(reader, &text.range)
    }

    /// A program that is a file of its own.
    pub(crate) fn of_file(file: &Arc<SourceFile>) -> Self {
        let whole = 0..file.text.len();
        let place = Location { file: Arc::clone(file), range: whole.clone() };
        let map = Arc::new(std::iter::once((whole.clone(), place)).collect());
        Self { text: file.text.as_str().into(), map, authored: vec![whole], is_file: true }
    }

    /// The program with text of the harness's own in front of it.
    pub(crate) fn behind(&self, head: &str) -> Self {
        let moved = |range: &Range<usize>| range.start + head.len()..range.end + head.len();
        Self {
            text: format!("{head}{}", self.text).into(),
            map: Arc::new(self.map.moved(head.len())),
            authored: self.authored.iter().map(moved).collect(),
            is_file: false,
        }
    }

    /// Whether the author of the case wrote the byte at `offset`.
    pub(crate) fn is_authored(&self, offset: usize) -> bool {
        self.authored.iter().any(|range| range.contains(&offset))
    }

    /// Compiles the program by the rules for running: the assembler's. Every diagnostic becomes an error at its place in the
    /// corpus, or at `case` if it lies between the author's parts.
    pub(crate) fn compile(&self, reader: &Reader<'_>, case: &Range<usize>) -> Read<Arc<Module>> {
        if let Some(module) = reader.compiled(&self.text) {
            return Ok(module);
        }
        match warpdiff_ptx::compile(&self.text, &Rules::TO_RUN) {
            Ok(module) => {
                let module = Arc::new(module);
                reader.remember(&self.text, &module);
                Ok(module)
            }
            Err(diagnostics) => {
                for diagnostic in &diagnostics {
                    reader.note(self.corpus_error(reader, diagnostic, case));
                }
                Err(ErrorNoted)
            }
        }
    }

    /// The same; `None`, with the errors noted, if nothing is wrong but what the reference cannot run.
    pub(crate) fn compile_if_supported(
        &self,
        reader: &Reader<'_>,
        case: &Range<usize>,
    ) -> Read<Option<Arc<Module>>> {
        let before = reader.errors.borrow().len();
        if_supported(reader, before, self.compile(reader, case))
    }

    /// As [`Program::compile_if_supported`], for SPA 5.0.
    pub(crate) fn compile_spa_if_supported(
        &self,
        reader: &Reader<'_>,
        case: &Range<usize>,
    ) -> Read<Option<warpdiff_sass::Program>> {
        let before = reader.errors.borrow().len();
        if_supported(reader, before, self.compile_spa(reader, case))
    }

    /// Compiles and checks it as a program of SPA 5.0. Errors are noted as by [`Program::compile`].
    pub(crate) fn compile_spa(
        &self,
        reader: &Reader<'_>,
        case: &Range<usize>,
    ) -> Read<warpdiff_sass::Program> {
        warpdiff_sass::compile(&self.text, &warpdiff_sass::Header::default()).map_err(|diagnostics| {
            for diagnostic in &diagnostics {
                reader.note(self.corpus_error(reader, diagnostic, case));
            }
            ErrorNoted
        })
    }

    fn corpus_error(&self, reader: &Reader<'_>, diagnostic: &Diagnostic, case: &Range<usize>) -> CorpusError {
        CorpusError { unsupported: diagnostic.unsupported, ..self.error(reader, diagnostic, case) }
    }

    fn error(&self, reader: &Reader<'_>, diagnostic: &Diagnostic, case: &Range<usize>) -> CorpusError {
        let unsupported = diagnostic.unsupported && !diagnostic.message.starts_with("unsupported");
        let message = format!("{}{}", if unsupported { "unsupported: " } else { "" }, diagnostic.message);
        let label = diagnostic.expected.as_ref().map_or(String::new(), |words| format!("expected {words}"));
        if let Some(location) = self.map.locate(&diagnostic.span.range()) {
            let error = CorpusError::new(location, message).label(label);
            return self.lines_of(&diagnostic.message).into_iter().fold(error, CorpusError::note);
        }
        if let Some(location) = self.end_of_author_before(diagnostic.span.start as usize) {
            let message = if message.starts_with("unexpected") {
                "unexpected end of this text".into()
            } else {
                message
            };
            return CorpusError::new(location, message).label(label);
        }
        let line = line_column(&self.text, diagnostic.span.start).line;
        let text = self.text.lines().nth(line as usize - 1).unwrap_or_default().trim();
        reader
            .error(case, message)
            .label(label)
            .note(format!("at line {line} of the program made for this case: {text}"))
    }

    /// The lines of the program that a message refers to by number, because a reader sees the case only.
    fn lines_of(&self, message: &str) -> Vec<String> {
        if self.is_file {
            return Vec::new();
        }
        let numbers = message.split("line ").skip(1).filter_map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..end].parse::<usize>().ok()
        });
        let line =
            |number: usize| self.text.lines().nth(number.checked_sub(1)?).map(|line| (number, line.trim()));
        numbers
            .filter_map(line)
            .map(|(number, line)| format!("line {number} of the program: {line}"))
            .collect()
    }

    /// The last byte of the author's text when nothing but white space and the harness's comments lie between it and
    /// `offset`: a missing semicolon is noticed at the harness's next instruction.
    fn end_of_author_before(&self, offset: usize) -> Option<Location> {
        let mut before = self.text.get(..offset)?.trim_end();
        while !before.is_empty() && !self.is_authored(before.len() - 1) {
            let line = before.rfind('\n').map_or(0, |end| end + 1);
            if !before[line..].trim_start().starts_with("//") {
                return None;
            }
            before = before[..line].trim_end();
        }
        let last = before.chars().next_back()?;
        self.map.locate(&(before.len() - last.len_utf8()..before.len()))
    }
}

/// What was compiled; `None` if all errors since there were `before` say that the reference cannot run the program.
fn if_supported<T>(reader: &Reader<'_>, before: usize, compiled: Read<T>) -> Read<Option<T>> {
    match compiled {
        Ok(compiled) => Ok(Some(compiled)),
        Err(_) if reader.errors.borrow()[before..].iter().all(|error| error.unsupported) => Ok(None),
        Err(noted) => Err(noted),
    }
}

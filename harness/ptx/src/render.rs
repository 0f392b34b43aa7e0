//! Diagnostics for people: file, line, column, the source line with a caret, and the expected construct.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::source::Diagnostic;

/// All diagnostics, as `rustc` would show them. `origin` names the file.
pub fn render(diagnostics: &[Diagnostic], origin: &str, text: &str, color: bool) -> String {
    render_as(&Level::ERROR, diagnostics, origin, text, color)
}

/// As [`render`], for warnings about a legal program.
pub fn render_warnings(diagnostics: &[Diagnostic], origin: &str, text: &str, color: bool) -> String {
    render_as(&Level::WARNING, diagnostics, origin, text, color)
}

fn render_as(level: &Level<'_>, diagnostics: &[Diagnostic], origin: &str, text: &str, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics {
        let title = if diagnostic.unsupported && !diagnostic.message.starts_with("unsupported") {
            format!("unsupported: {}", diagnostic.message)
        } else {
            diagnostic.message.clone()
        };
        let label = diagnostic.expected.as_ref().map(|expected| format!("expected {expected}"));
        let mut annotation = AnnotationKind::Primary.span(visible_range(diagnostic, text));
        if let Some(label) = &label {
            annotation = annotation.label(label.as_str());
        }
        let snippet = Snippet::source(text).path(origin).annotation(annotation);
        let mut group = level.clone().primary_title(title.as_str()).element(snippet);
        if let Some(note) = &diagnostic.note {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        out.push_str(&renderer.render(&[group]));
        out.push('\n');
    }
    out
}

/// The span as a range of `text`: within it, on character boundaries, on one line.
fn visible_range(diagnostic: &Diagnostic, text: &str) -> std::ops::Range<usize> {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(diagnostic.span.start as usize);
    let end = floor(diagnostic.span.end as usize).max(start);
    let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    start..end.min(line_end).max(start)
}

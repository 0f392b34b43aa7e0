//! Sources, set plainly: comments are quiet, keys and the author's own instructions stand out.

use maud::{Markup, html};
use warpdiff_corpus::plan::{Location, ProgramMap};
use warpdiff_terminal::foreign;

/// The text of a case in its file, from the beginning of its first line.
pub(crate) fn case_source(location: &Location) -> &str {
    let text = &location.file.text;
    let start = text[..location.range.start].rfind('\n').map_or(0, |at| at + 1);
    text[start..location.range.end].trim_end()
}

/// A source in YAML.
pub(crate) fn yaml(text: &str) -> Markup {
    html! {
        pre.source { code { @for line in text.lines() { (yaml_line(line)) "\n" } } }
    }
}

fn yaml_line(line: &str) -> Markup {
    let at = comment(line).unwrap_or(line.len());
    let (said, comment) = line.split_at(at);
    let key = key(said);
    html! {
        @if let Some(end) = key { span.yaml-key { (shown(&said[..end])) } (shown(&said[end..])) } @else { (shown(said)) }
        @if !comment.is_empty() { span.remark { (shown(comment)) } }
    }
}

/// The end of the key that a line begins with.
fn key(line: &str) -> Option<usize> {
    let word = line.trim_start_matches([' ', '-']);
    let length = word.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'))?;
    let is_key = length > 0
        && word[length..].starts_with(':')
        && matches!(word[length + 1..].chars().next(), None | Some(' '));
    is_key.then(|| line.len() - word.len() + length)
}

/// Where the comment of a line begins: at a `#` outside of quotes, at the beginning or behind a blank.
fn comment(line: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') && matches!(before, ' ' | '[' | '{' | ',' | ':') => {
                quote = Some(c)
            }
            None if c == '#' && before == ' ' => return Some(at),
            None => {}
        }
        before = c;
    }
    None
}

/// A program with numbered lines. Those that the author of the case wrote stand out from those that the harness wrote around them.
pub(crate) fn program(text: &str, map: &ProgramMap) -> Markup {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let range = start..start + line.len();
        start += line.len();
        let own = map.ranges().any(|piece| piece.start < range.end && range.start < piece.end);
        (line.trim_end_matches('\n'), own)
    });
    let all_own = map.ranges().any(|piece| piece.len() >= text.trim_end().len());
    html! {
        pre.source.numbered { code {
            @for (line, own) in lines {
                @if own && !all_own { span.own { (program_line(line)) "\n" } } @else { span { (program_line(line)) "\n" } }
            }
        } }
    }
}

fn program_line(line: &str) -> Markup {
    let (said, remark) = line.split_at(line.find("//").unwrap_or(line.len()));
    html! { (shown(said)) @if !remark.is_empty() { span.remark { (shown(remark)) } } }
}

/// Text of the corpus, with characters that would change how the text around them reads made visible.
pub(crate) fn shown(text: &str) -> String {
    let written = |c: char| match foreign::is_hostile(c) && !matches!(c, '\t' | '\n') {
        true => c.escape_unicode().to_string(),
        false => c.to_string(),
    };
    text.chars().map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_begin_outside_of_quotes_and_keys_end_at_their_colon() {
        assert_eq!(comment("  - {x: 1}   # derived"), Some(13));
        assert_eq!(comment("  why: \"a # in it\""), None);
        assert_eq!(comment("  why: it's here # and here"), Some(17));
        assert_eq!(comment("x#y"), None);
        assert_eq!(key("- case: a title"), Some(6));
        assert_eq!(key("  rows:"), Some(6));
        assert_eq!(key("    suld.b.1d.b32.clamp %d, [s, {%x}];"), None);
        assert_eq!(key("  - {x: 1}"), None);
    }

    #[test]
    fn markup_in_a_source_stays_text() {
        let text = yaml("body: </code><img src=x>  # <b>").into_string();
        assert!(text.contains("&lt;/code&gt;&lt;img src=x&gt;") && text.contains("# &lt;b&gt;"), "{text}");
    }
}

//! What stands around each page: head, navigation, and short parts that several pages have.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use warpdiff_model::{Deviation, Entry};
use warpdiff_report::html::policy;
use warpdiff_report::standing::{Standing, Statuses};

use super::file_names;
use crate::contents::Contents;
use crate::mark::Mark;

/// The style of the book, behind that of reports.
const STYLE: &str = include_str!("book.css");
/// The script of the book: it narrows lists to words.
const SCRIPT: &str = include_str!("book.js");

/// A page: its title, its name, what it says.
pub(super) fn page(title: &str, name: &str, body: &Markup) -> String {
    let style = [policy::STYLE, STYLE].concat();
    let sections = [
        (file_names::CONTENTS, "Contents"),
        (file_names::CHOICES, "Choices"),
        (file_names::DEVIATIONS, "Deviations"),
        (file_names::ERRATA, "Errata"),
        (file_names::CASES, "Cases"),
    ];
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy::policy(&style, SCRIPT));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "warpdiff " (env!("CARGO_PKG_VERSION")) };
                title { (title) " – warpdiff book" }
                style { (PreEscaped(style)) }
            }
            body.book {
                a.skip href="#main" { "Skip to the text" }
                header {
                    p.product { "The book of warpdiff " (env!("CARGO_PKG_VERSION")) }
                    nav aria-label="The book" {
                        ul { @for (page, words) in sections {
                            li { a href=(page) aria-current=[(page == name).then_some("page")] { (words) } }
                        } }
                    }
                }
                main #main tabindex="-1" { h1 { (title) } (body) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// A box that narrows the lists of the page to words. The script shows it.
pub(super) fn filter(what: &str) -> Markup {
    html! {
        div.filter hidden {
            label for="filter" { "Find " (what) }
            input #filter type="search" autocomplete="off" spellcheck="false" aria-describedby="found";
            span #found role="status" {}
        }
    }
}

/// Text of the corpus or the catalogue in which code stands between backquotes.
pub(super) fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // Without its partner a backquote is itself.
    if parts.len().is_multiple_of(2) {
        return html! { (crate::highlight::shown(text)) };
    }
    html! {
        @for (number, part) in parts.into_iter().enumerate() {
            @if number % 2 == 1 { code { (crate::highlight::shown(part)) } } @else { (crate::highlight::shown(part)) }
        }
    }
}

/// A link to a requirement, or its id alone.
pub(super) fn requirement(book: &Contents<'_>, id: &str) -> Markup {
    html! { @match book.link_of(id) { Some(link) => { a href=(link) { code { (id) } } } None => { code { (id) } } } }
}

/// A link to a deviation.
pub(super) fn deviation(entry: &Entry) -> Markup {
    html! { a href={ (file_names::DEVIATIONS) "#" (entry.name) } { code { (entry.name) } } }
}

/// A cause in words, with links to the deviations that it names.
pub(super) fn cause(words: &str) -> Markup {
    let named = |word: &str| {
        let name = word.trim_end_matches([',', ';', ')']);
        let entry = Deviation::catalogue().iter().find(|entry| entry.name == name)?;
        Some((entry, word[name.len()..].to_owned()))
    };
    html! {
        @for (number, word) in words.split(' ').enumerate() {
            @if number > 0 { " " }
            @if let Some((entry, rest)) = named(word) { (deviation(entry)) (rest) } @else { (prose(word)) }
        }
    }
}

/// The marks of a requirement.
pub(super) fn marks(marks: &[Mark]) -> Markup {
    html! { @for mark in marks { span.lack { (mark.words()) } " " } }
}

/// Variants by their status, with the mark first.
pub(super) fn statuses(statuses: &Statuses) -> Markup {
    let class = statuses.worst().unwrap_or(Standing::Open).class();
    html! { span.badge.(class) { (statuses.short()) } " " (statuses.long()) }
}

/// `1 case`, `2 cases`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_prose_stands_out_and_a_lone_backquote_stays() {
        assert_eq!(prose("`.clamp` of <b>").into_string(), "<code>.clamp</code> of &lt;b&gt;");
        assert_eq!(prose("a ` alone").into_string(), "a ` alone");
    }

    #[test]
    fn style_and_script_close_no_element_and_fetch_nothing() {
        for text in [STYLE, SCRIPT] {
            assert!(
                !text.contains("</")
                    && !text.contains("url(")
                    && !text.contains("://")
                    && !text.contains("fetch")
            );
        }
    }
}

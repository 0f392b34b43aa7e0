//! The list of all files of cases, with their cases.

use maud::html;

use super::{file_names, frame};
use crate::contents::Contents;
use crate::highlight::shown;

pub(super) fn page(book: &Contents<'_>) -> String {
    let body = html! {
        (frame::filter("cases"))
        @for file in &book.files {
            section.listed-chapter aria-labelledby=(anchor(&file.page)) {
                h2 id=(anchor(&file.page)) { a href=(file.page) { (file.path) } }
                ul.entries { @for case in &file.cases {
                    li data-find={ (file.path.to_lowercase()) " " (case.title.to_lowercase()) " " (case.covers.join(" ")) } {
                        a href={ (file.page) "#" (case.name) } { (shown(case.title)) } " "
                        span.quiet { (frame::count(case.variants.len(), "variant", "variants")) }
                    }
                } }
            }
        }
    };
    frame::page("Cases", file_names::CASES, &body)
}

fn anchor(page: &str) -> &str {
    page.trim_end_matches(".html")
}

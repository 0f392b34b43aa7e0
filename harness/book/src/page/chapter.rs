//! A chapter: each requirement with its cases, witnesses, choices, deviations and errata, and what targets did.

use maud::{Markup, html};

use super::{file_names, frame};
use crate::contents::{Chapter, Contents, RequirementEntry};

/// More cases than this are folded up.
const UNFOLDED: usize = 12;

pub(super) fn page(book: &Contents<'_>, chapter: &Chapter<'_>) -> String {
    let body = html! {
        (frame::filter("requirements of this chapter"))
        @for entry in &chapter.requirements { (requirement(book, entry)) }
    };
    frame::page(chapter.title, &chapter.page, &body)
}

fn requirement(book: &Contents<'_>, entry: &RequirementEntry<'_>) -> Markup {
    let it = entry.requirement;
    let words = format!("{} {} {} {}", it.id, it.kind.name(), it.section, it.text).to_lowercase();
    html! {
        article.requirement id=(it.id) aria-labelledby={ "title-" (it.id) } data-find=(words) {
            h2 id={ "title-" (it.id) } { a.anchor href={ "#" (it.id) } { (it.id) } }
            p.where { span.kind { (it.kind.name()) } " · " (it.section) @if !entry.marks.is_empty() { " · " (frame::marks(&entry.marks)) } }
            p.sentence { (frame::prose(&it.text)) }
            @if let Some(why) = &it.why { p { "It cannot be observed: " (frame::prose(why)) "." } }
            dl.hangs {
                @if !entry.witnesses.is_empty() {
                    dt { "Witnesses" }
                    @for witness in &entry.witnesses { dd {
                        (frame::prose(&witness.words))
                        @if let Some(shares) = witness.shares { span.quiet { " – " (shares) } }
                    } }
                }
                @if !entry.choices.is_empty() {
                    dt { "Choices" }
                    @for choice in &entry.choices { dd {
                        a href={ (file_names::CHOICES) "#" (choice.name) } { code { (choice.name) } } ": " (frame::prose(choice.question))
                    } }
                }
                @if !entry.deviations.is_empty() {
                    dt { "Deviations" }
                    @for deviation in &entry.deviations { dd {
                        (frame::deviation(deviation)) ": " (frame::prose(deviation.sentence))
                        @if deviation.permitted_by == Some(it.id.as_str()) { span.quiet { " (permitted)" } }
                    } }
                }
                @if !it.errata.is_empty() {
                    dt { "Errata" }
                    @for (number, erratum) in it.errata.iter().enumerate() { dd {
                        a href={ (file_names::ERRATA) "#" (file_names::erratum(&it.id, number)) } { (erratum.between.words()) }
                    } }
                }
            }
            (done(book, entry))
            (cases(book, entry))
        }
    }
}

/// What each target did in the variants that cover a requirement.
fn done(book: &Contents<'_>, entry: &RequirementEntry<'_>) -> Markup {
    html! {
        @if entry.variants != 0 && !book.judged.is_empty() {
            dl.hangs { @for (of, done) in book.judged.iter().zip(&entry.done) {
                dt { (of.title) }
                dd {
                    (frame::statuses(&done.statuses))
                    @for (cause, variants) in &done.causes { br; span.quiet { (variants) " × " (frame::cause(cause)) } }
                }
            } }
        }
    }
}

fn cases(book: &Contents<'_>, entry: &RequirementEntry<'_>) -> Markup {
    let list = html! {
        ul.cases { @for numbers in &entry.cases {
            @let (file, case) = book.case(*numbers);
            li {
                a href={ (file.page) "#" (case.name) } { (crate::highlight::shown(case.title)) } " "
                span.quiet { (file.path) @if case.variants.len() > 1 { ", " (case.variants.len()) " variants" } }
            }
        } }
    };
    let title = format!(
        "{} in {}",
        frame::count(entry.cases.len(), "case", "cases"),
        frame::count(entry.variants, "variant", "variants")
    );
    html! {
        @if entry.cases.is_empty() { p.quiet { "No case covers it." } }
        @else if entry.cases.len() > UNFOLDED { details { summary { (title) } (list) } }
        @else { p.count { (title) ":" } (list) }
    }
}

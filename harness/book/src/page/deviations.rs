//! The deviations: plausible mistakes with names, where they come from, and what they break.

use maud::{Markup, html};
use warpdiff_judge::mismatch_class::class_name;
use warpdiff_model::{Deviation, Entry};

use super::{file_names, frame};
use crate::contents::Contents;

pub(super) fn page(book: &Contents<'_>) -> String {
    let catalogue = Deviation::catalogue();
    let mut families: Vec<&str> = catalogue.iter().map(|entry| entry.family).collect();
    families.dedup();
    let body = html! {
        p.facts {
            "Departures from the specification that have a name. They measure the corpus, explain mismatches and describe targets: "
            code { "warpdiff run --against emulator+NAME" } " tries one."
        }
        (frame::filter("deviations"))
        @for family in families {
            section.listed-chapter aria-labelledby={ "family-" (family.replace(' ', "-")) } {
                h2 id={ "family-" (family.replace(' ', "-")) } { (family) }
                @for entry in catalogue.iter().filter(|entry| entry.family == family) { (one(book, entry)) }
            }
        }
    };
    frame::page("Deviations", file_names::DEVIATIONS, &body)
}

fn one(book: &Contents<'_>, entry: &Entry) -> Markup {
    let origins: Vec<String> = entry.origins.iter().map(ToString::to_string).collect();
    let words = format!("{} {} {}", entry.name, entry.sentence, origins.join(" ")).to_lowercase();
    html! {
        article.requirement id=(entry.name) aria-labelledby={ "title-" (entry.name) } data-find=(words) {
            h3 id={ "title-" (entry.name) } { a.anchor href={ "#" (entry.name) } { (entry.name) } }
            p.sentence { (frame::prose(entry.sentence)) }
            dl.hangs {
                dt { "Class" } dd { (class_name(entry.class)) }
                dt { "Origin" } dd { (frame::prose(&origins.join("; "))) }
                @if !entry.breaks.is_empty() { dt { "Breaks" } @for id in entry.breaks { dd { (frame::requirement(book, id)) } } }
                @if let Some(id) = entry.permitted_by { dt { "Permitted by" } dd { (frame::requirement(book, id)) } }
                dt { "Shown by" } dd { @for (number, pattern) in entry.shown_by.iter().enumerate() { @if number > 0 { "; " } code { (pattern) } } }
                @if let Some(contrast) = entry.contrast {
                    dt { "Specification" } dd { (frame::prose(contrast.specification)) }
                    dt { "NVIDIA's assembler" } dd { (frame::prose(contrast.assembler)) }
                    dt { "Example" } dd { code { (contrast.example) } }
                }
                @if !entry.runs { dt { "Noted by" } dd { code { "check" } " and " code { "layout" } "; the emulator cannot be given it" } }
            }
        }
    }
}

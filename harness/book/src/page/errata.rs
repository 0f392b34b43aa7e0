//! The errata: where the specification contradicts itself, its examples or NVIDIA's assembler, with both readings.

use maud::{Markup, html};
use warpdiff_corpus::{Between, Erratum, Taken};
use warpdiff_model::Entry;

use super::{file_names, frame};
use crate::contents::{Contents, RequirementEntry};

pub(super) fn page(book: &Contents<'_>) -> String {
    let body = html! {
        p.facts {
            "Every place that is known where the specification contradicts itself, its printed examples, or what NVIDIA's assembler does: "
            (frame::count(book.errata_count(), "erratum", "errata")) ", each with both readings, the one that the reference takes, and why."
        }
        (frame::filter("errata"))
        @for (_, between) in Between::ALL {
            @let all: Vec<_> = book.errata().filter(|(.., erratum)| erratum.between == between).collect();
            @if !all.is_empty() {
                section.listed-chapter aria-labelledby={ "between-" (between_name(between)) } {
                    h2 id={ "between-" (between_name(between)) } { (between.words()) " " span.shape { "(" (all.len()) ")" } }
                    @for (entry, number, erratum) in all { (one(book, entry, number, erratum)) }
                }
            }
        }
        section.listed-chapter aria-labelledby="between-compiler" {
            h2 id="between-compiler" { "The text and what NVIDIA's assembler makes of a program" }
            p.note {
                "The deviations of the catalogue whose origin is ptxas. The text decides what a program means, and the assembler is one \
                 implementation of it, so that the reference takes the text's reading of each; "
                code { "--against emulator+NAME" } " takes the other."
            }
            @for entry in Contents::of_assembler() { (of_catalogue(book, entry)) }
        }
    };
    frame::page("Errata", file_names::ERRATA, &body)
}

/// A deviation of the assembler as an erratum.
fn of_catalogue(book: &Contents<'_>, entry: &Entry) -> Markup {
    let text = |id: &str| {
        book.requirements().find(|known| known.requirement.id == id).map(|it| &it.requirement.text)
    };
    let name = entry.name;
    let words = format!("{name} {} {}", entry.sentence, entry.breaks.join(" ")).to_lowercase();
    html! {
        article.requirement.erratum id=(name) aria-labelledby={ "title-" (name) } data-find=(words) {
            h3 id={ "title-" (name) } { a.anchor href={ "#" (name) } { (name) } }
            ol.readings {
                li.taken {
                    @match entry.contrast {
                        Some(contrast) => { (frame::prose(contrast.specification)) }
                        None => { @for sentence in entry.breaks.iter().filter_map(|id| text(id)) { (frame::prose(sentence)) " " } }
                    }
                    " " span.badge.right { (taken(Taken::First)) }
                }
                li { @match entry.contrast {
                    Some(contrast) => { "NVIDIA's assembler " (frame::prose(contrast.assembler)) ": " code { (contrast.example) } }
                    None => { (frame::prose(entry.sentence)) }
                } }
            }
            dl.hangs {
                dt { "Requirements" }
                dd { @for (number, id) in entry.breaks.iter().enumerate() { @if number > 0 { ", " } (frame::requirement(book, id)) } }
                dt { "Witness" }
                dd { "ptxas 12.9: the cases that show " (frame::deviation(entry)) }
            }
        }
    }
}

fn between_name(between: Between) -> &'static str {
    Between::ALL.iter().find(|(_, known)| *known == between).map_or("", |(name, _)| name)
}

fn one(book: &Contents<'_>, entry: &RequirementEntry<'_>, number: usize, erratum: &Erratum) -> Markup {
    let requirement = entry.requirement;
    let name = file_names::erratum(&requirement.id, number);
    let words =
        [requirement.id.as_str(), &erratum.readings[0], &erratum.readings[1], &erratum.why, &erratum.witness];
    html! {
        article.requirement.erratum id=(name) aria-labelledby={ "title-" (name) } data-find=(words.join(" ").to_lowercase()) {
            h3 id={ "title-" (name) } { a.anchor href={ "#" (name) } { (requirement.id) } }
            p.where { (frame::requirement(book, &requirement.id)) " · " (requirement.section) }
            ol.readings { @for (place, reading) in erratum.readings.iter().enumerate() {
                li.taken[erratum.taken.has(place)] {
                    (frame::prose(reading))
                    @if erratum.taken.has(place) { " " span.badge.right { (taken(erratum.taken)) } }
                }
            } }
            dl.hangs {
                dt { "Why" } dd { (frame::prose(&erratum.why)) }
                dt { "Witness" } dd { (frame::prose(&erratum.witness)) }
                @if !entry.choices.is_empty() {
                    dt { "Choices" }
                    @for choice in &entry.choices { dd { a href={ (file_names::CHOICES) "#" (choice.name) } { code { (choice.name) } } } }
                }
                @if !entry.deviations.is_empty() {
                    dt { "Deviations" }
                    dd { @for (number, deviation) in entry.deviations.iter().enumerate() { @if number > 0 { ", " } (frame::deviation(deviation)) } }
                }
            }
        }
    }
}

fn taken(taken: Taken) -> &'static str {
    match taken {
        Taken::First | Taken::Second => "the reference takes this",
        Taken::Both => "the reference allows this",
    }
}

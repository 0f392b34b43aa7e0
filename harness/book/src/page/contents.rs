//! The first page: the chapters, a line for each requirement, the counts, and what the marks mean.

use std::collections::BTreeMap;

use maud::{Markup, html};
use warpdiff_corpus::RequirementKind;

use super::{file_names, frame};
use crate::contents::{Chapter, Contents, RequirementEntry};
use crate::mark::Mark;

pub(super) fn page(book: &Contents<'_>) -> String {
    let cases: usize = book.files.iter().map(|file| file.cases.len()).sum();
    let variants: usize =
        book.files.iter().flat_map(|file| &file.cases).map(|case| case.variants.len()).sum();
    let body = html! {
        p.facts {
            "Every normative sentence of the specification that the corpus knows, in its words: "
            (frame::count(book.requirements().count(), "requirement", "requirements")) ", "
            (frame::count(cases, "case", "cases")) " in " (frame::count(variants, "variant", "variants")) ". "
            "A requirement that lacks something is marked."
        }
        h2 #counts { "What is there" }
        (counts(book))
        (judged(book))
        h2 #chapters { "Chapters" }
        ol.chapters {
            @for chapter in &book.chapters { li {
                a href={ "#" (anchor(chapter)) } { (chapter.title) } " "
                span.quiet { (frame::count(chapter.requirements.len(), "requirement", "requirements")) }
            } }
            li { a href=(file_names::CHOICES) { "Choices" } " " span.quiet { "what the specification leaves open" } }
            li { a href=(file_names::DEVIATIONS) { "Deviations" } " " span.quiet { "plausible mistakes with names" } }
            li { a href=(file_names::CASES) { "Cases" } " " span.quiet { "file by file" } }
            li { a href=(file_names::ERRATA) { "Errata" } " " span.quiet { "where the specification contradicts itself, its examples or NVIDIA's assembler" } }
        }
        h2 #requirements { "Requirements" }
        (frame::filter("requirements"))
        @for chapter in &book.chapters { (lines(chapter)) }
    };
    frame::page("Contents", file_names::CONTENTS, &body)
}

/// The place of a chapter in this page.
fn anchor<'c>(chapter: &'c Chapter<'_>) -> &'c str {
    chapter.page.trim_end_matches(".html")
}

fn lines(chapter: &Chapter<'_>) -> Markup {
    html! {
        section.listed-chapter aria-labelledby=(anchor(chapter)) {
            h3 id=(anchor(chapter)) { a href=(chapter.page) { (chapter.title) } }
            ul.entries { @for entry in &chapter.requirements {
                li data-find=(found_by(entry)) {
                    a href={ (chapter.page) "#" (entry.requirement.id) } { code { (entry.requirement.id) } } " "
                    span.kind { (entry.requirement.kind.name()) } " "
                    (frame::prose(&entry.requirement.text)) " "
                    span.quiet { (frame::count(entry.cases.len(), "case", "cases")) } " "
                    (frame::marks(&entry.marks))
                    @if !entry.requirement.errata.is_empty() { span.lack.erratum { "erratum" } }
                }
            } }
        }
    }
}

/// The words by which a requirement is found.
fn found_by(entry: &RequirementEntry<'_>) -> String {
    let requirement = entry.requirement;
    let marks: Vec<&str> = entry.marks.iter().map(|mark| mark.words()).collect();
    let erratum = if requirement.errata.is_empty() { "" } else { " erratum" };
    let words =
        [&requirement.id, requirement.kind.name(), &requirement.section, &requirement.text, &marks.join(" ")];
    (words.join(" ") + erratum).to_lowercase()
}

fn counts(book: &Contents<'_>) -> Markup {
    let mut by_kind: BTreeMap<RequirementKind, Vec<&RequirementEntry<'_>>> = BTreeMap::new();
    for entry in book.requirements() {
        by_kind.entry(entry.requirement.kind).or_default().push(entry);
    }
    let lacking = |entries: &[&RequirementEntry<'_>], mark: Mark| {
        entries.iter().filter(|entry| entry.marks.contains(&mark)).count()
    };
    let all: Vec<&RequirementEntry<'_>> = book.requirements().collect();
    html! {
        // Not a caption, which a phone would scroll away with the columns.
        p { strong #kinds { "Requirements by kind, and how many of them lack something" } }
        div.scroll { table.counts aria-labelledby="kinds" {
            thead { tr {
                th scope="col" { "kind" } th scope="col" { "requirements" }
                @for mark in Mark::ALL { th scope="col" { (mark.words()) } }
            } }
            tbody { @for (kind, entries) in &by_kind { tr {
                th scope="row" { (kind.name()) } td { (entries.len()) }
                @for mark in Mark::ALL { td { (number(lacking(entries, mark))) } }
            } } }
            tfoot { tr {
                th scope="row" { "all" } td { (all.len()) }
                @for mark in Mark::ALL { td { (number(lacking(&all, mark))) } }
            } }
        } }
        dl.legend { @for mark in Mark::ALL { dt { span.lack { (mark.words()) } } dd { (mark.meaning()) } } }
        p.note { "Informative and unobservable requirements need no case, and have no marks: the reason stands beside each that no program can show." }
    }
}

fn number(count: usize) -> String {
    if count == 0 { "·".into() } else { count.to_string() }
}

fn judged(book: &Contents<'_>) -> Markup {
    html! {
        h2 #targets { "Who was asked" }
        @if book.judged.is_empty() {
            p { "No target: the book shows the reference alone." }
        } @else {
            ul { @for of in book.judged { li { (of.title) @if !of.facts.is_empty() { " (" (of.facts) ")" } } } }
        }
    }
}

//! The page of a case file: the text of each case, its program, its rows with the stated and the allowed values, and its variants.

use maud::{Markup, html};
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_report::results::summary;
use warpdiff_report::results::variant::TargetLine;
use warpdiff_report::standing::{self, Standing};

use super::frame;
use crate::contents::{Case, CaseFile, Contents, VariantEntry, bindings};
use crate::highlight::{self, shown};
use crate::rows::{self, Rows};

/// Most characters of a program, or of a case as written, that are shown.
const LONGEST: usize = 24_000;

pub(super) fn page(book: &Contents<'_>, file: &CaseFile<'_>) -> String {
    let body = html! {
        p.facts { (frame::count(file.cases.len(), "case", "cases")) }
        @if file.cases.len() > 1 {
            nav aria-label="Cases of this file" { ul.cases {
                @for case in &file.cases { li { a href={ "#" (case.name) } { (shown(case.title)) } } }
            } }
        }
        @for case in &file.cases { (one(book, case)) }
    };
    frame::page(&file.path, &file.page, &body)
}

fn one(book: &Contents<'_>, case: &Case<'_>) -> Markup {
    let first = case.variants.first();
    let why = first.and_then(|variant| variant.verdict.variant.why.as_deref());
    let question = first.and_then(|variant| variant.verdict.variant.question.as_deref());
    html! {
        article.case id=(case.name) aria-labelledby={ "title-" (case.name) } {
            h2 id={ "title-" (case.name) } { a.anchor href={ "#" (case.name) } { (shown(case.title)) } }
            p.where {
                (case.location) " · covers "
                @for (number, id) in case.covers.iter().enumerate() {
                    @if number > 0 { ", " }
                    (frame::requirement(book, id))
                }
            }
            @if let Some(question) = question { p { strong { "Asks hardware: " } (frame::prose(question)) } }
            @if let Some(why) = why { h3 { "Derivation" } p.derivation { (frame::prose(why.trim())) } }
            h3 { "As written" }
            (source(highlight::case_source(case.location)))
            @if let Some(first) = first { (of_first(case, first)) }
            (variants(book, case))
        }
    }
}

fn source(text: &str) -> Markup {
    let (text, cut) = beginning(text);
    html! { div.scroll { (highlight::yaml(text)) } (cut) }
}

/// The beginning of a text, and what to say of the rest.
fn beginning(text: &str) -> (&str, Markup) {
    if text.len() <= LONGEST {
        return (text, html! {});
    }
    // A line break is a character of its own, so that no other is cut.
    let end = text.bytes().take(LONGEST).rposition(|byte| byte == b'\n').unwrap_or(0);
    let left = text[end..].lines().count();
    (&text[..end], html! { p.note { (left) " more lines: `warpdiff show` prints all of it." } })
}

/// The rows and the program of the first variant.
fn of_first(case: &Case<'_>, first: &VariantEntry<'_>) -> Markup {
    let variant = first.verdict.variant;
    let rows = rows::of(variant);
    let bound = bindings(&variant.id, case.title);
    html! {
        @if !rows.shown.is_empty() {
            h3 { (heading(&rows)) @if !bound.is_empty() { " " span.shape { "of " (shown(bound)) } } }
            (table(&rows))
        }
        @if let Work::Legality(legality) = &variant.work {
            h3 { "Who accepts it" @if !bound.is_empty() { " " span.shape { "as " (shown(bound)) } } }
            ul.stated {
                @for who in &legality.accept { li { code { (who) } " accepts" } }
                @for (who, fragment) in &legality.reject {
                    li { code { (who) } " rejects" @if !fragment.is_empty() { ", saying " q { (shown(fragment)) } } }
                }
                @for name in legality.bytes.keys() { li { "the initial bytes of " code { (name) } " are stated" } }
            }
        }
        @if let Some((text, map)) = program(variant) {
            @let (text, cut) = beginning(text);
            details { summary { "The whole program" @if !bound.is_empty() { " of " (shown(bound)) } }
                div.scroll { (highlight::program(text, map)) } (cut)
            }
        }
        @if let Work::Unsupported(problem) = &variant.work {
            p { "The reference cannot run it: " (shown(&problem.problem.message)) }
        }
    }
}

fn program(variant: &Variant) -> Option<(&str, &warpdiff_corpus::plan::ProgramMap)> {
    match &variant.work {
        Work::Launches(launches) => launches.first().map(|planned| (&*planned.launch.program, &*planned.map)),
        Work::Legality(legality) => Some((&*legality.program, &*legality.map)),
        Work::Unsupported(it) => it.launches.first().map(|planned| (&*planned.launch.program, &*planned.map)),
    }
}

fn heading(rows: &Rows) -> &'static str {
    if rows.shown.iter().any(|row| row.index.is_some()) { "Rows" } else { "Its launch" }
}

fn table(rows: &Rows) -> Markup {
    let lines = |all: &[String]| {
        html! { @for (number, one) in all.iter().enumerate() { @if number > 0 { br; } code { (shown(one)) } } }
    };
    let stated = rows.shown.iter().any(|row| !row.stated.is_empty());
    let table = rows.shown.iter().any(|row| row.index.is_some());
    html! {
        div.scroll { table.rows {
            thead { tr {
                @if table { th scope="col" { "row" } th scope="col" { "inputs" } }
                @if stated { th scope="col" { "stated by hand" } }
                th scope="col" { "allowed" }
            } }
            tbody { @for row in &rows.shown { tr {
                @if table {
                    th scope="row" { @match row.index { Some(index) => { (index) } None => { "all" } } }
                    td { (lines(&row.inputs)) }
                }
                @if stated { td { (lines(&row.stated)) } }
                td { (lines(&row.allowed)) }
            } } }
        } }
        @if rows.more > 0 { p.note { (frame::count(rows.more, "more row", "more rows")) ": `warpdiff show` prints all." } }
    }
}

fn variants(book: &Contents<'_>, case: &Case<'_>) -> Markup {
    html! {
        h3 { (frame::count(case.variants.len(), "variant", "variants")) }
        ul.variants { @for variant in &case.variants { (line(book, case, variant)) } }
    }
}

fn line(book: &Contents<'_>, case: &Case<'_>, variant: &VariantEntry<'_>) -> Markup {
    let bound = bindings(&variant.verdict.variant.id, case.title);
    let reference = variant.line.reference.settled;
    let allowed = &variant.verdict.reference.recording;
    html! {
        li id=(variant.name) {
            details {
                summary {
                    bdi { @if bound.is_empty() { "the case itself" } @else { (shown(bound)) } } " "
                    @if Standing::of(reference) != Standing::Right {
                        span.badge.(Standing::of(reference).class()) { "reference: " (standing::word(reference)) } " "
                    }
                    @for (of, target) in book.judged.iter().zip(&variant.line.targets) { (badge(&of.title, target)) " " }
                }
                @for (of, target) in book.judged.iter().zip(&variant.line.targets) { (remark(&of.title, target)) }
                p.note { "Allowed (" code { "?" } " is undefined; memory that is not listed is unchanged):" }
                div.scroll { pre { (shown_lines(allowed)) } }
            }
        }
    }
}

fn badge(title: &str, target: &TargetLine) -> Markup {
    let standing = Standing::of(target.settled);
    html! { span.badge.(standing.class()) { (standing.mark()) " " (title) } }
}

/// What a target did where it is not simply what is allowed.
fn remark(title: &str, target: &TargetLine) -> Markup {
    let cause = summary::cause(&target.findings).map(summary::words);
    html! {
        @if let Some(cause) = cause {
            p.note { (title) " " (standing::word(target.settled)) ": " (frame::cause(&cause)) }
        } @else if let Some(why) = &target.why {
            p.note { (title) ": " (standing::word(target.settled)) ": " (frame::prose(why)) }
        } @else {
            p.note { (title) ": " (standing::word(target.settled)) }
        }
    }
}

fn shown_lines(text: &str) -> String {
    text.lines().map(|line| shown(line) + "\n").collect()
}

//! The history of nights as a page: for each target a chart, its runs, and what changed when.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use warpdiff_terminal::foreign;

use super::page::head;
use super::policy::SCRIPT;
use crate::history::changes::{self, Cell, Change, Kind};
use crate::history::nights::{History, Night, TargetHistory};
use crate::history::text::{mark, words};
use crate::standing::Standing;

/// Most variants of a change that are listed.
const LISTED: usize = 1_000;
/// Width of a run, and height of the bars, in the units of the chart.
const STEP: usize = 26;
const HEIGHT: usize = 120;
/// Room for numbers at the left, for marks of events above the bars, and for days below them.
const LEFT: usize = 44;
const ABOVE: usize = 18;
const BELOW: usize = 34;

/// What the chart counts, from the bottom to the top of a bar.
const COUNTED: [Standing; 3] = [Standing::Wrong, Standing::Unsettled, Standing::Known];

/// The page of a history.
pub fn page(history: &History) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head("warpdiff: history"))
            body {
                header { p.product { "warpdiff " (env!("CARGO_PKG_VERSION")) } h1 { "What changed when" } }
                main {
                    @for why in &history.unbegun { p.words { "A run did not begin: " (foreign::line(why).to_string()) } }
                    @if history.targets.is_empty() { p { "There are no runs of such a target in this period." } }
                    @for (number, target) in history.targets.iter().enumerate() { (of_target(history, target, number)) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn of_target(history: &History, target: &TargetHistory, number: usize) -> Markup {
    let changes = changes::of(target, &history.ids);
    let title = foreign::line(&target.title()).to_string();
    html! {
        section aria-labelledby={ "target-" (number) } {
            h2 id={ "target-" (number) } { bdi { (title) } }
            h3 { "Variants that do not conform" }
            (chart(target, &title))
            h3 { "What changed" }
            @if changes.is_empty() { p { "No variant changed its status." } } @else {
                p.note {
                    @for standing in Standing::ALL {
                        span.key { span class={ "cell " (standing.class()) } { (standing.mark()) } " " (meaning(standing)) } " "
                    }
                    span.key { span.cell { "?" } " not known: the run lacks it" } " "
                    span.key { span.cell { "·" } " not in the run" }
                }
                div.scroll.latest { table.matrix {
                    caption { "Variants with the same history, regressions first" }
                    thead { tr {
                        th scope="col" { "variants" }
                        @for (number, night) in target.nights.iter().enumerate() {
                            th scope="col" title=(night.label) {
                                @if number == 0 || month(&target.nights[number - 1]) != month(night) { span.day.month { (month(night)) } }
                                span.day { (day(night)) }
                            }
                        }
                    } }
                    tbody { @for (place, change) in changes.iter().enumerate() { (line(history, target, change, number, place)) } }
                } }
                @for (place, change) in changes.iter().enumerate() { (listed(history, target, change, number, place)) }
            }
            h3 { "Runs" }
            (runs(target))
        }
    }
}

fn meaning(standing: Standing) -> &'static str {
    match standing {
        Standing::Wrong => "violates, or is in error",
        Standing::Unsettled => "flaky, unexpected pass or undecided",
        Standing::Known => "fails as expected",
        Standing::Right => "conforms",
        Standing::Open => "not judged",
    }
}

/// The day of the month.
fn day(night: &Night) -> &str {
    night.date.rsplit('-').next().unwrap_or_default()
}

fn line(history: &History, target: &TargetHistory, change: &Change, number: usize, place: usize) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href={ "#change-" (number) "-" (place) } aria-label={ (change.variants.len()) " variants: " (change.words(target)) } {
                    (change.variants.len())
                }
            }
            @for (cell, night) in change.cells.iter().zip(&target.nights) {
                td.cell .(class(*cell)) title={ (night.label) ": " (told(history, *cell)) } { span.day { (mark(*cell)) } }
            }
        }
    }
}

fn class(cell: Cell) -> &'static str {
    match cell {
        Cell::Seen(seen) => Standing::of(seen.settled).class(),
        Cell::Unknown | Cell::Absent => "open",
    }
}

/// A cell in words, with the cause of a failure.
fn told(history: &History, cell: Cell) -> String {
    match cell {
        Cell::Seen(seen) => match seen.cause {
            Some(cause) => format!("{}, {}", words(cell), history.causes[cause]),
            None => words(cell).to_owned(),
        },
        _ => words(cell).to_owned(),
    }
}

/// The variants of a change.
fn listed(history: &History, target: &TargetHistory, change: &Change, number: usize, place: usize) -> Markup {
    let standing = match change.kind {
        Kind::Broke | Kind::NewAndWrong | Kind::OtherCause => Standing::Wrong,
        Kind::Unsettled | Kind::ComesAndGoes => Standing::Unsettled,
        Kind::NotJudged => Standing::Open,
        Kind::Expected => Standing::Known,
        Kind::Repaired | Kind::Judged => Standing::Right,
    };
    html! {
        details.cause id={ "change-" (number) "-" (place) } {
            summary {
                span.badge .(standing.class()) { (standing.mark()) " " (change.variants.len()) }
                " " strong { (change.words(target)) }
                @if let Some(cause) = change.cause() { " " span.by { (history.causes[cause]) } }
            }
            ul.listed { @for variant in change.variants.iter().take(LISTED) { li { bdi.id { (history.ids[*variant]) } } } }
            @if change.variants.len() > LISTED { p.note { (change.variants.len() - LISTED) " more; " code { "warpdiff history --json" } " lists them." } }
        }
    }
}

/// Bars of what does not conform, run by run. The table of runs has the same numbers.
fn chart(target: &TargetHistory, title: &str) -> Markup {
    let count = |night: &Night| COUNTED.iter().map(|standing| night.counts.of(*standing)).sum::<usize>();
    let most = target.nights.iter().map(count).max().unwrap_or(0).max(1);
    let (width, height) = (LEFT + STEP * target.nights.len().max(1) + 8, ABOVE + HEIGHT + BELOW);
    let base = ABOVE + HEIGHT;
    // The days stand apart, however many there are.
    let every = target.nights.len().div_ceil(62).max(1);
    html! {
        p.note {
            span.key { svg.swatch width="14" height="14" aria-hidden="true" { rect.wrong width="14" height="14" {} } " violate, or are in error" } " "
            span.key { svg.swatch width="14" height="14" aria-hidden="true" { rect.unsettled width="14" height="14" {} } " flaky, unexpected pass, undecided" } " "
            span.key { svg.swatch width="14" height="14" aria-hidden="true" { rect.known x="1" y="1" width="12" height="12" {} } " fail as expected" } " "
            span.key { "▼ driver, device or version changed" } " " span.key { "? incomplete run" }
        }
        div.scroll.latest {
            svg.chart role="img" aria-label={ "Variants that do not conform, run by run, of " (title) "; the table of runs has the numbers" }
                width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } {
                line.axis x1=(LEFT) y1=(base) x2=(width) y2=(base) {}
                line.axis x1=(LEFT) y1=(ABOVE) x2=(width) y2=(ABOVE) {}
                text x=(LEFT - 6) y=(ABOVE + 4) text-anchor="end" { (most) }
                text x=(LEFT - 6) y=(base + 4) text-anchor="end" { "0" }
                @for (number, night) in target.nights.iter().enumerate() {
                    @let x = LEFT + STEP * number + 4;
                    @let events = target.events(number);
                    g {
                        title { (night.label) ": " (night.counts.long()) @for event in &events { "; " (foreign::line(event).to_string()) } }
                        rect.hit x=(x - 2) y="0" width=(STEP - 2) height=(height) {}
                        @for (class, y, tall) in stack(night, most) { rect.(class) x=(x) y=(y) width=(STEP - 8) height=(tall) {} }
                        @if events.len() > night.gaps.len() {
                            line.event x1=(x + 9) y1=(ABOVE) x2=(x + 9) y2=(base) {}
                            text x=(x + 9) y=(ABOVE - 5) text-anchor="middle" { "▼" }
                        } @else if !night.gaps.is_empty() {
                            text x=(x + 9) y=(ABOVE - 5) text-anchor="middle" { "?" }
                        }
                        @if number % every == 0 {
                            text.day x=(x + 9) y=(base + 14) text-anchor="middle" { (day(night)) }
                            @if number == 0 || month(&target.nights[number - 1]) != month(night) {
                                text.day x=(x) y=(base + 29) { (month(night)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn month(night: &Night) -> &str {
    night.date.get(..7).unwrap_or(&night.date)
}

/// The parts of a bar: class, top and height. What is there at all is seen.
fn stack(night: &Night, most: usize) -> Vec<(&'static str, usize, usize)> {
    let mut top = ABOVE + HEIGHT;
    let mut parts = Vec::new();
    for standing in COUNTED {
        let count = night.counts.of(standing);
        if count > 0 {
            let tall = (count * HEIGHT / most).max(3).min(top);
            top -= tall;
            parts.push((standing.class(), top, tall));
        }
    }
    parts
}

fn runs(target: &TargetHistory) -> Markup {
    html! {
        div.scroll { table.counts {
            caption { "Variants by status, run by run" }
            thead { tr {
                th scope="col" { "run" }
                @for words in ["violate", "flaky, undecided", "known", "conform", "not judged", "exit code"] { th scope="col" { (words) } }
                th.text scope="col" { "what else changed, or is missing" }
            } }
            tbody { @for (number, night) in target.nights.iter().enumerate().rev() { tr {
                th scope="row" { (night.label) }
                @for standing in Standing::ALL {
                    @let count = night.counts.of(standing);
                    td.zero[count == 0].bad[count > 0 && standing == Standing::Wrong] { (count) }
                }
                td { (night.exit_code) }
                td.text { @for event in target.events(number) { span.event-words { (foreign::line(&event).to_string()) } } }
            } } }
        } }
    }
}

//! The page as a whole: its sections, filter and legend.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::verdict_table::Settled;
use warpdiff_session::causes;
use warpdiff_session::session::{Session, Settling};
use warpdiff_terminal::foreign;

use super::mismatch;
use super::policy::{SCRIPT, STYLE, policy};
use super::shown_in_full::{self, Wrong};
use crate::closing::{self, AsRecorded};
use crate::golden::compare::EntryChange;
use crate::golden::store::Review;
use crate::reasons;
use crate::summary::{Counts, summaries};

/// Most bytes of mismatches in full; the others are listed, a line each. A page of twice that size has 200,000 elements and opens
/// slowly.
const FULL: usize = 3 << 20;
/// Most mismatches that are listed.
const LISTED: usize = 10_000;
/// Mismatches that are open at first.
const OPEN: usize = 1;
/// Most corpus errors, and goldens, that are listed.
const OTHERS: usize = 100;

/// The report of a session as a page. The same session gives the same page, whatever time it took.
pub fn page(session: &Session<'_>, goldens: Option<&Review>, settling: &Settling, exit: Exit) -> String {
    let wrong = shown_in_full::all(session, settling);
    let drifted = goldens.is_some_and(Review::fails);
    let title = format!("warpdiff: {}", closing::words_of(session, settling, AsRecorded::unless(drifted)));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "warpdiff " (env!("CARGO_PKG_VERSION")) };
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#mismatches" { "Skip to the mismatches" }
                header {
                    p.product { "warpdiff " (env!("CARGO_PKG_VERSION")) }
                    h1 class=(verdict_class(exit)) { (closing::words_of(session, settling, AsRecorded::unless(drifted))) }
                    p.facts { (facts(session, exit)) }
                    @if let Some(end) = session.ended {
                        p.facts {
                            strong { "Partial: " (end.to_string()) }
                            "; " (session.left_out.len()) " variants were left out."
                        }
                    }
                }
                main {
                    section aria-labelledby="counts" { h2 id="counts" { "Counts" } (counts(session, settling)) }
                    (problems(session, settling))
                    @if !session.targets.is_empty() { (what_differs(session)) }
                    (mismatches(session, &wrong))
                    (not_judged(session, settling))
                    @if let Some(review) = goldens { (of_goldens(review)) }
                }
                footer { p { (legend()) } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn verdict_class(exit: Exit) -> &'static str {
    match exit {
        Exit::Conforms => "good",
        Exit::Undecided => "warn",
        _ => "bad",
    }
}

fn facts(session: &Session<'_>, exit: Exit) -> Markup {
    let rows: usize = session.verdicts.iter().map(|v| v.rows).sum();
    html! {
        (session.verdicts.len()) " variants, " (rows) " rows; exit code " (exit.code()) ". "
        @if session.targets.is_empty() { "The reference was checked against the hand-written expectations." }
        @else { "Judged: " @for target in &session.targets { code { (target) } " " } }
    }
}

fn counts(session: &Session<'_>, settling: &Settling) -> Markup {
    let line = |name: &str, counts: &Counts, columns: &[(Settled, &str)]| {
        html! {
            th scope="row" { (name) }
            td { (counts.variants) } td { (counts.rows) }
            @for (settled, _) in columns {
                @let count = counts.of(*settled);
                td class=(count_class(*settled, count)) { (count) }
            }
        }
    };
    html! {
        @for (name, summary) in summaries(session, settling) {
            @let columns = summary.columns();
            div.scroll { table.counts {
                caption { bdi { (name) } }
                thead { tr {
                    th scope="col" { "subject" } th scope="col" { "variants" } th scope="col" { "rows" }
                    @for (_, title) in &columns { th scope="col" { (title) } }
                } }
                tbody { @for (subject, counts) in summary.subjects() { tr { (line(subject, counts, &columns)) } } }
                tfoot { tr { (line("total", &summary.total(), &columns)) } }
            } }
        }
    }
}

fn count_class(settled: Settled, count: usize) -> &'static str {
    match (count, settled) {
        (0, _) => "zero",
        (_, Settled::Pass | Settled::KnownFailure | Settled::KnownFlake) => "good",
        (_, Settled::Skip | Settled::LeftOut | Settled::Characterised) => "",
        (_, Settled::Undecided | Settled::UnexpectedPass) => "warn",
        _ => "bad",
    }
}

/// Errors of the corpus and undecided launches, with carets; each place once.
fn problems(session: &Session<'_>, settling: &Settling) -> Markup {
    let wrong = session.verdicts.iter().filter(|v| {
        matches!(settling.reference(v), Settled::CorpusError | Settled::Undecided | Settled::Error)
    });
    let mut seen: Vec<(String, &str)> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for (verdict, problem) in wrong.flat_map(|v| v.reference.problems.iter().map(move |p| (v, p))) {
        let rendered = problem.render(false);
        if known.insert(rendered.clone()) {
            seen.push((rendered, &verdict.variant.id));
        }
    }
    html! {
        @if !seen.is_empty() {
            section aria-labelledby="errors" {
                h2 id="errors" { "Errors in the corpus" }
                @for (text, id) in seen.iter().take(OTHERS) {
                    div.problem { p { bdi.id { (id) } } div.scroll { pre { (text) } } }
                }
                @if seen.len() > OTHERS { p.note { (seen.len() - OTHERS) " more errors are not shown." } }
            }
        }
    }
}

fn what_differs(session: &Session<'_>) -> Markup {
    let of_targets: Vec<_> =
        session.targets.iter().enumerate().map(|(index, name)| (name, causes::of(session, index))).collect();
    html! {
        @if of_targets.iter().any(|(_, causes)| !causes.is_empty()) {
            section aria-labelledby="causes" {
                h2 id="causes" { "What differs" }
                div.scroll { table.causes {
                    caption { "Variants by cause" }
                    thead { tr { th scope="col" { "variants" } th scope="col" { "target" } th scope="col" { "cause" } } }
                    tbody { @for (target, causes) in &of_targets { @for (cause, count) in causes { tr {
                        td { (count) }
                        td { bdi { (target) } }
                        td { button.cause type="button" data-cause=(cause) data-target=(target) { (cause) } }
                    } } } }
                } }
            }
        }
    }
}

fn mismatches(session: &Session<'_>, wrong: &[Wrong<'_>]) -> Markup {
    let full = in_full(wrong);
    let listed: Vec<usize> = (0..wrong.len()).filter(|index| !full.contains_key(index)).collect();
    html! {
        section aria-labelledby="mismatches" {
            h2 id="mismatches" tabindex="-1" { "Mismatches" }
            @if wrong.is_empty() {
                p { @if session.targets.is_empty() { "No target was judged." } @else { "None." } }
            } @else {
                (filter())
                @for markup in full.values() { (markup) }
            }
            @if !listed.is_empty() {
                h3 { "Not shown in full" }
                p.note {
                    "A page that shows all " (wrong.len()) " mismatches in full would be too large. It shows some of each cause; "
                    "run with a filter to see others."
                }
                ul.listed { @for index in listed.iter().take(LISTED) { (mismatch::line(&wrong[*index], index + 1)) } }
                @if listed.len() > LISTED { p.note { (listed.len() - LISTED) " more are not listed." } }
            }
        }
    }
}

/// The mismatches that are shown in full, by their number in the report.
fn in_full(wrong: &[Wrong<'_>]) -> BTreeMap<usize, Markup> {
    let mut full = BTreeMap::new();
    let mut room = FULL;
    for (turn, index) in shown_in_full::by_turns(wrong).into_iter().enumerate() {
        let markup = mismatch::full(&wrong[index], index + 1, turn < OPEN);
        let Some(left) = room.checked_sub(markup.0.len()) else { break };
        room = left;
        full.insert(index, markup);
    }
    full
}

/// The filter. It is hidden without the script.
fn filter() -> Markup {
    html! {
        search.filter hidden {
            label for="filter" { "Filter" }
            input id="filter" type="search" placeholder="id, class, deviation, instruction" autocomplete="off" aria-describedby="shown";
            button id="clear" type="button" { "Clear" }
            button id="expand" type="button" { "Open all" }
            button id="collapse" type="button" { "Close all" }
            span id="shown" role="status" {}
        }
    }
}

/// Reasons of variants without a verdict, each once.
fn not_judged(session: &Session<'_>, settling: &Settling) -> Markup {
    let reasons = reasons::of(session, settling);
    html! {
        @if !reasons.is_empty() {
            section aria-labelledby="skipped" {
                h2 id="skipped" { "Without a verdict" }
                @for reason in reasons.iter().take(OTHERS) {
                    details {
                        summary {
                            (reason.variants.len()) " by " bdi { (reason.of) } ": " (foreign::line(&reason.words()).to_string())
                        }
                        ul { @for id in reason.variants.iter().take(OTHERS) { li { bdi.id { (id) } } } }
                        @if reason.variants.len() > OTHERS { p.note { (reason.variants.len() - OTHERS) " more." } }
                    }
                }
                @if reasons.len() > OTHERS { p.note { (reasons.len() - OTHERS) " more reasons." } }
            }
        }
    }
}

fn of_goldens(review: &Review) -> Markup {
    let of = |wanted: EntryChange| -> Vec<&str> {
        review.changes.iter().filter(|c| c.comparison == wanted).map(|c| c.id.as_str()).collect()
    };
    let damaged: Vec<String> =
        review.damaged.iter().map(|(path, e)| format!("{}: {e}", path.display())).collect();
    let lists = [
        ("differ", of(EntryChange::Differs)),
        ("are not recorded", of(EntryChange::Missing)),
        ("have other undefined bits", of(EntryChange::Drifted)),
        ("belong to no case", review.orphans.iter().map(String::as_str).collect()),
        ("belong to another file", review.misplaced.iter().map(String::as_str).collect()),
        ("are in files that cannot be used", damaged.iter().map(String::as_str).collect()),
    ];
    html! {
        section aria-labelledby="goldens" {
            h2 id="goldens" { "Goldens" }
            @if !review.recorded { p { "None are recorded." } } @else {
                p { (review.same) " are as recorded." }
                @for (what, ids) in lists.iter().filter(|(_, ids)| !ids.is_empty()) {
                    details {
                        summary { (ids.len()) " " (what) }
                        ul { @for id in ids.iter().take(OTHERS) { li { bdi.id { (id) } } } }
                        @if ids.len() > OTHERS { p.note { (ids.len() - OTHERS) " more." } }
                    }
                }
            }
        }
    }
}

fn legend() -> Markup {
    html! {
        "In pictures: "
        span.sample.differs { "1" } " differs; "
        span.sample.open { "?" } " is undefined or depends on the order of atomics, and is not compared; "
        span.sample.partial { "1?" } " is so in some bits; "
        span.sample.asked { span.mark { "r3" } } " was addressed by row 3; "
        span.sample.outside { " " } " lies outside of the surface. Bytes are in hexadecimal, as they lie in memory."
    }
}

//! The smaller sections of the page: counts by subject, diagnoses, errors, expectations, repetitions, reasons, goldens, and the legend.

use maud::{Markup, html};
use warpdiff_judge::verdict_table::Settled;
use warpdiff_terminal::foreign;

use super::mismatch::prose;
use crate::reasons::Reason;
use crate::results::diagnosis::DiagnosisLine;
use crate::results::summary::{GoldensLine, NoticeLine, TargetSummary};
use crate::standing::Standing;
use crate::summary::{Counts, Summary};

/// Most entries of a section that are shown.
const SHOWN: usize = 100;

/// The table of subjects of each of those that are judged.
pub(super) fn counts<'s>(summaries: impl Iterator<Item = (&'s str, &'s Summary)>) -> Markup {
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
        section aria-labelledby="counts" {
            h2 id="counts" { "Summary" }
            @for (name, summary) in summaries {
                @let columns = summary.columns();
                div.scroll { table.counts {
                    caption { "Variants by subject, " bdi { (name) } }
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
}

/// What the targets do instead. Empty if nothing is known.
pub(super) fn diagnoses(targets: &[TargetSummary]) -> Markup {
    let told = |target: &&TargetSummary| target.diagnoses.iter().any(DiagnosisLine::tells);
    let targets: Vec<&TargetSummary> = targets.iter().filter(told).collect();
    html! {
        @if !targets.is_empty() {
            section aria-labelledby="diagnoses" {
                h2 id="diagnoses" { "What it does instead" }
                @for target in &targets {
                    @if targets.len() > 1 { h3 { bdi { (target.target) } } }
                    ul {
                        @for one in target.diagnoses.iter().filter(|one| one.tells()).take(SHOWN) {
                            li { @for (place, line) in one.words.lines().enumerate() {
                                @if place > 0 { br; }
                                (prose(line.trim_start()))
                            } }
                        }
                    }
                }
            }
        }
    }
}

fn count_class(settled: Settled, count: usize) -> &'static str {
    match (count, Standing::of(settled)) {
        (0, _) => "zero",
        (_, Standing::Right | Standing::Known) => "good",
        (_, Standing::Open) => "",
        (_, Standing::Unsettled) => "warn",
        (_, Standing::Wrong) => "bad",
    }
}

/// Most variants of an error that are named.
const NAMED: usize = 5;

/// An error of the corpus, or an undecided launch, with the variants that have it.
pub(super) struct Problem {
    text: String,
    /// The ids of the first variants.
    named: Vec<String>,
    /// The id of the last one.
    last: String,
    /// Their number.
    variants: usize,
}

impl Problem {
    /// An error that no variant has yet.
    pub(super) fn new(text: String) -> Self {
        Self { text, named: Vec::new(), last: String::new(), variants: 0 }
    }

    /// Adds a variant, once, however often it has the error.
    pub(super) fn add(&mut self, id: &str) {
        if self.last == id {
            return;
        }
        self.last = id.to_owned();
        self.variants += 1;
        if self.named.len() < NAMED {
            self.named.push(id.to_owned());
        }
    }

    /// How many variants are not named, in words.
    fn unnamed(&self) -> Option<String> {
        match self.variants - self.named.len() {
            0 => None,
            1 => Some("and 1 more variant".into()),
            many => Some(format!("and {many} more variants")),
        }
    }
}

/// Errors of the corpus and undecided launches.
pub(super) fn problems(problems: &[Problem]) -> Markup {
    html! {
        @if !problems.is_empty() {
            section aria-labelledby="errors" {
                h2 id="errors" { "Errors in the corpus" }
                @for problem in problems.iter().take(SHOWN) {
                    div.problem {
                        @for id in &problem.named { p { bdi.id { (id) } } }
                        @if let Some(more) = problem.unnamed() { p { (more) } }
                        div.scroll { pre { (problem.text) } }
                    }
                }
                @if problems.len() > SHOWN { p.note { (problems.len() - SHOWN) " more errors are not shown." } }
            }
        }
    }
}

/// What is out of date in the expectations and profiles.
pub(super) fn expectations(notices: &[NoticeLine]) -> Markup {
    html! {
        @if !notices.is_empty() {
            section aria-labelledby="expectations" {
                h2 id="expectations" { "Expectations and profiles that are out of date" }
                ul.listed {
                    @for notice in notices.iter().take(SHOWN) {
                        li { span.badge.unsettled { (Standing::Unsettled.mark()) " " (notice.kind) } " " (notice.words) }
                    }
                }
                @if notices.len() > SHOWN { p.note { (notices.len() - SHOWN) " more are not shown." } }
            }
        }
    }
}

/// A variant that was run again.
pub(super) struct RunAgain {
    /// Its id.
    pub(super) id: String,
    /// The target.
    pub(super) target: String,
    /// Whether it passed at times.
    pub(super) flaky: bool,
    /// What came of it.
    pub(super) words: String,
}

/// Variants that were run again.
pub(super) fn run_again(all: &[RunAgain]) -> Markup {
    html! {
        @if !all.is_empty() {
            section aria-labelledby="repeated" {
                h2 id="repeated" { "Run again" }
                p.note { "One variant of each cause is repeated until it passes, or has failed so often that a rare pass would have shown." }
                ul.listed { @for again in all.iter().take(SHOWN) {
                    li {
                        @if again.flaky { span.badge.unsettled { (Standing::Unsettled.mark()) " flaky" } }
                        @else { span.badge.wrong { (Standing::Wrong.mark()) " always fails" } }
                        " " bdi.id { (again.id) } " " span.target { "against " bdi { (again.target) } }
                        br; (foreign::line(&again.words).to_string())
                    }
                } }
                @if all.len() > SHOWN { p.note { (all.len() - SHOWN) " more are not shown." } }
            }
        }
    }
}

/// Reasons of variants without a verdict, each once, with the number of its variants.
pub(super) fn not_judged(reasons: &[(Reason<'_>, usize)]) -> Markup {
    html! {
        @if !reasons.is_empty() {
            section aria-labelledby="skipped" {
                h2 id="skipped" { "Without a verdict" }
                @for (reason, count) in reasons.iter().take(SHOWN) {
                    details {
                        summary { (count) " by " bdi { (reason.of) } ": " (foreign::line(&reason.words()).to_string()) }
                        (ids(&reason.variants, *count))
                    }
                }
                @if reasons.len() > SHOWN { p.note { (reasons.len() - SHOWN) " more reasons." } }
            }
        }
    }
}

fn ids(ids: &[&str], count: usize) -> Markup {
    html! {
        ul { @for id in ids.iter().take(SHOWN) { li { bdi.id { (id) } } } }
        @if count > ids.len().min(SHOWN) { p.note { (count - ids.len().min(SHOWN)) " more." } }
    }
}

/// The comparison with the goldens.
pub(super) fn goldens(goldens: &GoldensLine) -> Markup {
    let lists = [
        ("differ", &goldens.differing),
        ("are not recorded", &goldens.missing),
        ("have other undefined bits", &goldens.drifted),
        ("belong to no case", &goldens.orphans),
        ("belong to another file", &goldens.misplaced),
        ("were removed", &goldens.removed),
        ("are in files that cannot be used", &goldens.damaged),
    ];
    html! {
        section aria-labelledby="goldens" {
            h2 id="goldens" { "Goldens" }
            @if !goldens.recorded { p { "None are recorded." } } @else {
                p { (goldens.same) " are as recorded." }
                @for (what, all) in lists.iter().filter(|(_, all)| !all.is_empty()) {
                    @let all: Vec<&str> = all.iter().map(String::as_str).collect();
                    details { summary { (all.len()) " " (what) } (ids(&all, all.len())) }
                }
            }
        }
    }
}

/// What the pictures show.
pub(super) fn legend() -> Markup {
    html! {
        "In pictures: "
        span.sample.differs { "1" } " differs; "
        span.sample.open { "?" } " is undefined or depends on the order of atomics, and is not compared; "
        span.sample.partial { "1?" } " is so in some bits; "
        span.sample.asked { span.mark { "r3" } } " was addressed by row 3; "
        span.sample.outside { " " } " lies outside of the surface. Bytes are in hexadecimal, as they lie in memory."
    }
}

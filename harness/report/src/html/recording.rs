//! The comparison of a target with its recording, on the page: how many variants did the same, and what drifted.

use std::collections::BTreeMap;

use maud::{Markup, html};
use warpdiff_judge::verdict_table::{Recorded, Settled};
use warpdiff_session::verdict::RecordedLaunches;
use warpdiff_terminal::foreign;

use crate::results::line::TargetFacts;
use crate::results::variant::{TargetLine, VariantLine};
use crate::standing;

/// Most drifted launches that are shown.
const SHOWN: usize = 200;

/// The comparison of one target.
#[derive(Default)]
pub(super) struct Comparison {
    /// The number of variants, by both axes.
    variants: BTreeMap<(Settled, Recorded), usize>,
    launches: RecordedLaunches,
    /// Id, part and difference of the first launches that drifted.
    drifted: Vec<(String, String, String)>,
    /// How many drifted in all.
    count: usize,
}

impl Comparison {
    /// Counts a variant.
    pub(super) fn add(&mut self, line: &VariantLine, target: &TargetLine) {
        self.launches = self.launches.and(target.compared);
        let Some(recorded) = target.recording else { return };
        *self.variants.entry((target.settled, recorded)).or_default() += 1;
        for drift in target.drifts.iter().filter(|drift| drift.recording == Recorded::Drifted) {
            self.count += 1;
            if self.drifted.len() < SHOWN {
                self.drifted.push((line.id.clone(), drift.part.clone(), drift.words.clone()));
            }
        }
    }

    fn markup(&self, facts: &TargetFacts, folder: &str) -> Markup {
        let statuses: std::collections::BTreeSet<Settled> =
            self.variants.keys().map(|(settled, _)| *settled).collect();
        let of = |settled: Settled, recorded: Recorded| {
            self.variants.get(&(settled, recorded)).copied().unwrap_or(0)
        };
        let columns: Vec<(Recorded, &str)> = Recorded::ALL
            .into_iter()
            .filter(|(recorded, _)| self.variants.keys().any(|(_, seen)| seen == recorded))
            .collect();
        let RecordedLaunches { found, absent } = self.launches;
        html! {
            h3 { bdi { (facts.name) } }
            p { "Recorded in " code { (folder) } ", which has " (found) " of the " (found + absent) " launches and programs of this run." }
            @if columns.is_empty() { p.note { "No variant was compared." } } @else {
                div.scroll { table.counts {
                    caption { "Variants by their status now, and compared with the recording" }
                    thead { tr { th scope="col" { "now" } @for (_, words) in &columns { th scope="col" { (words) } } } }
                    tbody { @for settled in &statuses { tr {
                        th scope="row" { (standing::word(*settled)) }
                        @for (recorded, _) in &columns {
                            @let count = of(*settled, *recorded);
                            td.bad[recorded.counts_beside(*settled) && count > 0].zero[count == 0] { (count) }
                        }
                    } } }
                } }
            }
            @if !self.drifted.is_empty() {
                details open[self.drifted.len() <= 3] {
                    summary { (self.count) " launches drifted" }
                    @for (id, part, words) in &self.drifted {
                        div.problem { p { bdi.id { (id) } ", " (part) } div.scroll { pre { (foreign::lines(words, 0).to_string()) } } }
                    }
                    @if self.count > self.drifted.len() { p.note { (self.count - self.drifted.len()) " more are not shown." } }
                }
            }
        }
    }
}

/// The section of the page; nothing if no target is compared.
pub(super) fn section(targets: &[TargetFacts], comparisons: &[Comparison]) -> Markup {
    let compared: Vec<_> = targets
        .iter()
        .zip(comparisons)
        .filter_map(|(facts, comparison)| Some((facts, comparison, facts.recording.as_deref()?)))
        .collect();
    html! {
        @if !compared.is_empty() {
            section aria-labelledby="recordings" {
                h2 id="recordings" { "Compared with the last recording" }
                @for (facts, comparison, folder) in compared { (comparison.markup(facts, folder)) }
            }
        }
    }
}

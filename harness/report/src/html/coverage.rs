//! The requirements of the specification: which are covered by variants of the run, and what came of these.

use std::collections::BTreeMap;

use maud::{Markup, html};
use warpdiff_corpus::Requirement;
use warpdiff_judge::verdict_table::Settled;

use crate::standing::{Standing, Statuses};

/// Requirements with the variants that cover them.
pub(super) struct Coverage<'c> {
    /// All of them, in the order of the corpus.
    requirements: &'c [Requirement],
    /// Numbers by id. Those that the corpus does not list, in the results of other versions, come after those that it does.
    numbers: BTreeMap<String, usize>,
    /// Of each requirement the variants by their status, for each of those that are judged.
    counts: BTreeMap<usize, Vec<Statuses>>,
}

impl<'c> Coverage<'c> {
    /// Nothing yet.
    pub(super) fn new(requirements: &'c [Requirement]) -> Self {
        let numbers = requirements.iter().enumerate().map(|(number, one)| (one.id.clone(), number)).collect();
        Self { requirements, numbers, counts: BTreeMap::new() }
    }

    /// The numbers of the requirements that a variant covers.
    pub(super) fn numbers(&mut self, covers: &[String]) -> Vec<usize> {
        let number = |id: &String| {
            let next = self.numbers.len();
            *self.numbers.entry(id.clone()).or_insert(next)
        };
        covers.iter().map(number).collect()
    }

    /// Counts a variant that covers these.
    pub(super) fn count(&mut self, numbers: &[usize], judged: usize, of: usize, settled: Settled) {
        for number in numbers {
            let counts = self.counts.entry(*number).or_insert_with(|| vec![Statuses::default(); of]);
            counts[judged].add(settled);
        }
    }

    /// The ids by number.
    pub(super) fn ids(&self) -> Vec<&str> {
        let mut ids = vec![""; self.numbers.len()];
        self.numbers.iter().for_each(|(id, number)| ids[*number] = id);
        ids
    }

    /// The section of the page: those with something wrong first, the others folded up.
    pub(super) fn markup(&self, judged: &[String]) -> Markup {
        let ids = self.ids();
        let worst = |number: &usize| {
            self.counts.get(number).and_then(|counts| counts.iter().filter_map(Statuses::worst).min())
        };
        let (covered, uncovered): (Vec<usize>, Vec<usize>) =
            (0..ids.len()).partition(|number| self.counts.contains_key(number));
        let (mut bad, good): (Vec<usize>, Vec<usize>) =
            covered.iter().partition(|number| worst(number).is_some_and(|worst| worst <= Standing::Known));
        bad.sort_by_key(worst);
        let of = |standing: Standing| covered.iter().filter(|number| worst(number) == Some(standing)).count();
        let needed = |number: &usize| self.requirements.get(*number).is_none_or(|one| one.kind.needs_case());
        let (needed, unobservable): (Vec<usize>, Vec<usize>) = uncovered.into_iter().partition(needed);
        html! {
            @if !covered.is_empty() {
                section aria-labelledby="requirements" {
                    h2 id="requirements" { "Requirements" }
                    p {
                        "Variants of this run cover " (covered.len()) " of " (ids.len()) " requirements of the specification: "
                        @for (place, standing) in Standing::ALL.into_iter().filter(|standing| of(*standing) > 0).enumerate() {
                            @if place > 0 { ", " }
                            (of(standing)) " " (of_requirements(standing))
                        }
                        "."
                    }
                    @if !bad.is_empty() { (self.table(&bad, &ids, judged, "Requirements with variants that do not conform")) }
                    @if !good.is_empty() {
                        details {
                            summary { (good.len()) " other requirements that are covered" }
                            (self.table(&good, &ids, judged, "Other requirements that are covered"))
                        }
                    }
                    @if !needed.is_empty() {
                        details {
                            summary { (needed.len()) " that no variant of this run covers" }
                            (self.table(&needed, &ids, &[], "Requirements without a variant in this run"))
                        }
                    }
                    @if !unobservable.is_empty() {
                        details {
                            summary { (unobservable.len()) " that inform, or that no program can observe" }
                            (self.table(&unobservable, &ids, &[], "Requirements that no variant can cover"))
                        }
                    }
                }
            }
        }
    }

    fn table(&self, numbers: &[usize], ids: &[&str], judged: &[String], caption: &str) -> Markup {
        html! {
            div.scroll { table.requirements {
                caption { (caption) }
                thead { tr {
                    th scope="col" { "requirement" }
                    @for name in judged { th scope="col" { @if judged.len() > 1 { bdi { (name) } } @else { "variants" } } }
                    th scope="col" { "kind" } th scope="col" { "section" } th scope="col" { "it says" }
                } }
                tbody { @for number in numbers {
                    @let known = self.requirements.get(*number);
                    tr {
                        th scope="row" id={ "requirement-" (number) } {
                            @if judged.is_empty() { code { (ids[*number]) } }
                            @else { a href={ "#requirement-" (number) } { code { (ids[*number]) } } }
                        }
                        @for place in 0..judged.len() {
                            @let statuses = self.counts.get(number).map(|counts| &counts[place]);
                            @if let Some(statuses) = statuses {
                                td.cell .(statuses.worst().map_or("none", Standing::class)) title=(statuses.long()) { (statuses.short()) }
                            }
                        }
                        td { (known.map_or("", |one| one.kind.name())) }
                        td { (known.map_or("", |one| one.section.as_str())) }
                        td.text { (known.map_or("", |one| one.text.as_str())) }
                    }
                } }
            } }
        }
    }
}

fn of_requirements(standing: Standing) -> &'static str {
    match standing {
        Standing::Wrong => "with variants that violate or are in error",
        Standing::Unsettled => "with variants that are flaky, pass unexpectedly or are undecided",
        Standing::Known => "with failures that are expected",
        Standing::Right => "with nothing wrong",
        Standing::Open => "of which nothing was judged",
    }
}

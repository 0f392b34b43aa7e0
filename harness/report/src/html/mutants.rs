//! The fates of deviations as a page: a table for each family, what the corpus lacks first.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use warpdiff_session::mutants::{Fate, Mutant};
use warpdiff_terminal::foreign;

use super::page::head;
use super::policy::SCRIPT;
use crate::mutants::data::FATES;

/// The page of mutants that were looked for among so many variants.
pub fn page(mutants: &[Mutant], variants: usize) -> String {
    let failures: Vec<&Mutant> = mutants.iter().filter(|mutant| mutant.fate().is_failure()).collect();
    let mut families: Vec<&str> = mutants.iter().map(|mutant| mutant.entry.family).collect();
    families.dedup();
    let class = if failures.is_empty() { "good" } else { "bad" };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head("warpdiff: mutants"))
            body {
                header {
                    p.product { "warpdiff " (env!("CARGO_PKG_VERSION")) }
                    h1 .(class) {
                        @if failures.is_empty() { "The cases state what every deviation gets wrong" }
                        @else { (failures.len()) " of " (mutants.len()) " deviations that no case states anything against" }
                    }
                    p.facts { (mutants.len()) " deviations against " (variants) " variants" }
                }
                main {
                    section aria-labelledby="counts" {
                        h2 #counts { "Fates" }
                        div.scroll { table.counts {
                            thead { tr { th scope="col" { "fate" } th scope="col" { "deviations" } th.text scope="col" { "meaning" } } }
                            tbody { @for (fate, meaning) in FATES {
                                @let count = mutants.iter().filter(|mutant| mutant.fate() == fate).count();
                                @if count > 0 { tr { th scope="row" { (badge(fate)) } td { (count) } td.text { (meaning) } } }
                            } }
                        } }
                    }
                    @if !failures.is_empty() { (table("lacking", "What the corpus lacks", &failures)) }
                    @for family in families {
                        @let of_family: Vec<&Mutant> = mutants.iter().filter(|mutant| mutant.entry.family == family).collect();
                        (table(&format!("family-{family}"), family, &of_family))
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn table(id: &str, title: &str, mutants: &[&Mutant]) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (title) }
            div.scroll { table.requirements {
                thead { tr {
                    th scope="col" { "deviation" }
                    th scope="col" { "fate" }
                    th scope="col" { "what it does" }
                    th scope="col" { "first case" }
                } }
                tbody { @for mutant in mutants { (line(mutant)) } }
            } }
        }
    }
}

fn line(mutant: &Mutant) -> Markup {
    html! {
        tr {
            th scope="row" { code { (mutant.entry.name) } }
            td { (badge(mutant.fate())) }
            td.text {
                @for (index, part) in mutant.entry.sentence.split('`').enumerate() {
                    @if index % 2 == 1 { code { (part) } } @else { (part) }
                }
            }
            td.text {
                @if let Some(kill) = mutant.kill() {
                    (foreign::line(&kill.location).to_string())
                    @if let Some(row) = kill.row { ", row " (row) }
                    br;
                    span.note { (foreign::line(&kill.what).to_string()) }
                } @else if mutant.fate() == Fate::Survived {
                    (mutant.asked) " variants could show it"
                }
                @for (reason, passed) in &mutant.passed_over {
                    br;
                    span.note {
                        (passed.variants) " passed over: " (reason.meaning()) " ("
                        (foreign::line(&passed.first).to_string()) ": " (foreign::line(&passed.what).to_string()) ")"
                    }
                }
            }
        }
    }
}

fn badge(fate: Fate) -> Markup {
    let class = match fate {
        _ if fate.is_failure() => "wrong",
        Fate::Stated => "right",
        _ => "open",
    };
    html! { span.badge .(class) { (fate.name()) } }
}

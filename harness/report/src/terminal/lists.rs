//! Lists of variants: those that the reference decides alone, those on which targets disagree, and those that were left out.

use std::collections::BTreeMap;
use std::fmt::Write;

use warpdiff_judge::verdict_table::{Raw, Settled};
use warpdiff_session::agreement::agreement;
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::Verdict;
use warpdiff_terminal::style::Style;

/// The variants without expectations, which the reference alone decided: they judge targets by the reference, but not the reference.
pub fn decided_alone(session: &Session<'_>, show: usize, style: Style) -> String {
    let judged = |v: &&Verdict<'_>| v.reference.raw == Raw::Conforms && v.variant.states_nothing();
    let alone: Vec<&str> =
        session.verdicts.iter().filter(judged).map(|verdict| verdict.variant.id.as_str()).collect();
    if alone.is_empty() {
        return String::new();
    }
    let count = alone.len();
    let words = format!("{count} variants state no `expect`: the reference alone decides what is allowed");
    format!("{}\n", style.warn().paint(words)) + &first(&alone, show)
}

/// With several targets: how they disagree, and on which variants.
pub fn agreements(session: &Session<'_>, settling: &Settling, show: usize, style: Style) -> String {
    let sound = session.verdicts.iter().filter(|v| settling.reference(v) == Settled::Pass);
    let said = sound.filter_map(|v| {
        Some((agreement(v, &session.targets).words(&session.targets)?, v.variant.id.as_str()))
    });
    let mut by_words: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    said.for_each(|(words, id)| by_words.entry(words).or_default().push(id));
    let mut text = String::new();
    for (words, ids) in by_words {
        let _ = writeln!(text, "{} on {} variants", style.strong().paint(words), ids.len());
        text.push_str(&first(&ids, show));
    }
    text
}

/// Why the run was ended early, and the variants that were left out. Empty if it was not.
pub fn left_out(session: &Session<'_>, show: usize, style: Style) -> String {
    let Some(end) = session.partial() else { return String::new() };
    let ids: Vec<&str> = session.left_out.iter().map(|variant| variant.id.as_str()).collect();
    let (left, judged) = (ids.len(), session.verdicts.len());
    let words = format!("partial: {end}; {judged} variants were judged, {left} were left out");
    format!("{}\n", style.warn().paint(words)) + &first(&ids, show)
}

/// The first ids, each on a line, and how many more there are.
fn first(ids: &[&str], show: usize) -> String {
    let mut text: String = ids.iter().take(show).map(|id| format!("    {id}\n")).collect();
    if ids.len() > show {
        let _ = writeln!(text, "    … and {} more", ids.len() - show);
    }
    text
}

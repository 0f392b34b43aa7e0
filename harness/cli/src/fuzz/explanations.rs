//! The few deviations that explain many programs.

use warpdiff_judge::narrower::is_narrower;
use warpdiff_model::Deviation;

/// Deviations in the order in which they explain programs, of which each has those that explain it: first the one that explains the most, then the one
/// that explains the most of the rest, and so on. A single program often has several explanations; few explain all programs.
pub(super) fn explanations<'e>(programs: impl IntoIterator<Item = &'e Vec<Deviation>>) -> Vec<Deviation> {
    let mut order = Vec::new();
    let mut left: Vec<&Vec<Deviation>> = programs.into_iter().collect();
    loop {
        let explains = |deviation: &Deviation| left.iter().filter(|of| of.contains(deviation)).count();
        let most = Deviation::all().map(|deviation| explains(&deviation)).max().unwrap_or(0);
        if most == 0 {
            return order;
        }
        // Of several with the same count, a narrow one; of those the first of the catalogue.
        let best: Vec<Deviation> = Deviation::all().filter(|deviation| explains(deviation) == most).collect();
        let is_narrow = |deviation: &&Deviation| !best.iter().any(|other| is_narrower(*other, **deviation));
        let Some(chosen) = best.iter().find(is_narrow).copied() else { return order };
        order.push(chosen);
        left.retain(|of| !of.contains(&chosen));
    }
}

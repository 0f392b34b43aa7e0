//! The few deviations that explain many programs.

use warpdiff_judge::narrower::is_narrower;
use warpdiff_model::Deviation;

/// Sorts deviations by how many programs they explain. Each program comes with the deviations that explain it. The one that explains the most
/// programs is first, then the one that explains the most of the rest, and so on. Few deviations explain all programs, though a single
/// program often has several explanations.
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

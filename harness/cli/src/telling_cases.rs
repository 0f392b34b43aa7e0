//! Finds cases that would tell several explanations of a run apart, among those that the target did not answer.

use std::collections::BTreeSet;

use warpdiff_corpus::Corpus;
use warpdiff_corpus::filter::Filter;
use warpdiff_corpus::plan::Variant;
use warpdiff_model::Deviation;
use warpdiff_session::diagnosis::{Told, ToldApart};
use warpdiff_session::session::Session;
use warpdiff_session::telling_apart;

use crate::shared_options::SharedOptions;

/// Most variants that are planned to find one: those of the first cases of the requirements that decide.
const PLANNED: usize = 60;
/// Most explanations of a cause that are told from the first.
const OTHERS: usize = 3;

/// Adds to each diagnosis with several explanations the cases that would tell the first from the others.
pub(crate) fn add(session: &mut Session<'_>, corpus: &Corpus, shared: &SharedOptions) {
    let mut diagnoses = std::mem::take(&mut session.diagnoses);
    for (place, of_target) in diagnoses.iter_mut().enumerate() {
        let answered: BTreeSet<&str> = session
            .verdicts
            .iter()
            .filter(|verdict| {
                verdict.targets[place].raw.is_right() || !verdict.targets[place].findings.is_empty()
            })
            .map(|verdict| verdict.variant.id.as_str())
            .collect();
        for diagnosis in of_target {
            let Told::Reproduced(told) = &mut diagnosis.told else { continue };
            // What a compiler does in some programs is not refuted by others.
            let Some((first, others)) = told.by.split_first().filter(|_| told.applied.is_none()) else {
                continue;
            };
            let tell = |other: &[Deviation]| -> Option<ToldApart> {
                let variant = variant(&first.deviations, other, &answered, corpus, shared)?;
                Some(ToldApart { other: other.to_vec(), variant })
            };
            told.told_apart =
                others.iter().take(OTHERS).filter_map(|other| tell(&other.deviations)).collect();
        }
    }
    session.diagnoses = diagnoses;
}

/// The id of a variant that tells two sets of deviations apart and was not answered.
fn variant(
    one: &[Deviation],
    other: &[Deviation],
    answered: &BTreeSet<&str>,
    corpus: &Corpus,
    shared: &SharedOptions,
) -> Option<String> {
    let requirements = telling_apart::requirements(one, other);
    let covers = |covers: &[String]| covers.iter().any(|id| requirements.contains(&id.as_str()));
    let open = |variant: &&Variant| covers(&variant.covers) && !answered.contains(variant.id.as_str());
    if let Some(found) = telling_apart::variant(one, other, corpus.variants.iter().filter(open)) {
        return Some(found.id.clone());
    }
    let planned: BTreeSet<&str> = corpus.variants.iter().map(|variant| variant.id.as_str()).collect();
    let listed = corpus.listed.iter().filter(|listed| covers(&listed.covers) && listed.unjudged.is_none());
    let ids: Vec<String> = listed
        .map(|listed| listed.id.clone())
        // A `*` would make a pattern of the id.
        .filter(|id| !planned.contains(id.as_str()) && !id.contains('*'))
        .collect();
    let few: Vec<String> = ids.iter().step_by(ids.len().div_ceil(PLANNED).max(1)).cloned().collect();
    if few.is_empty() {
        return None;
    }
    // What the run did not need may be wrong in itself: then nothing is said.
    let further = shared.load_for(&Filter::new(&few)).ok()?;
    telling_apart::variant(one, other, &further.variants).map(|found| found.id.clone())
}

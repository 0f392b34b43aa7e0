//! Which variants cover which requirement.

use std::collections::HashMap;

use crate::{Corpus, Requirement};

/// A requirement with the variants that cover it.
#[derive(Clone, Debug)]
pub struct Covered<'a> {
    /// The requirement.
    pub requirement: &'a Requirement,
    /// Ids of the variants, in the order of the corpus.
    pub variants: Vec<&'a str>,
}

/// Every requirement, in the order of `requirements.yaml`, with the variants that cover it. One that nothing judges covers none.
pub fn table(corpus: &Corpus) -> Vec<Covered<'_>> {
    let mut by_id: HashMap<&str, Vec<&str>> = HashMap::new();
    for variant in corpus.listed.iter().filter(|variant| variant.unjudged.is_none()) {
        for id in &*variant.covers {
            by_id.entry(id).or_default().push(&variant.id);
        }
    }
    let covered = |requirement| Covered { requirement, variants: Vec::new() };
    let mut rows: Vec<Covered<'_>> = corpus.requirements.iter().map(covered).collect();
    for row in &mut rows {
        row.variants = by_id.remove(row.requirement.id.as_str()).unwrap_or_default();
    }
    rows
}

/// The requirements that need a case and have none.
pub fn orphans(corpus: &Corpus) -> Vec<&Requirement> {
    let rows = table(corpus).into_iter();
    rows.filter(|row| row.variants.is_empty() && row.requirement.kind.needs_case())
        .map(|row| row.requirement)
        .collect()
}

//! What releases hold, and which of them stand at a place in memory.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::clocks::Scope;
use super::knowledge::Knowledge;
use super::numbers::NumberHasher;

/// The number of a shadow and a byte in it.
pub(crate) type Place = (u32, usize);

/// The content of a release.
#[derive(Clone, Debug)]
pub(crate) struct Released {
    /// Scope of the release.
    pub(crate) scope: Scope,
    /// CTA of the releasing thread.
    pub(crate) cta: u32,
    /// Everything that happened before it.
    pub(crate) knowledge: Knowledge,
}

impl Released {
    /// Whether a thread of `cta` that acquires with `scope` synchronises with it: each scope must include the other
    /// thread (PTX ISA 8.7, morally strong).
    pub(crate) fn reaches(&self, cta: u32, scope: Scope) -> bool {
        self.cta == cta || (self.scope == Scope::Grid && scope == Scope::Grid)
    }
}

/// Adds a release to a list that holds one per scope and CTA.
pub(crate) fn note(list: &mut Vec<Arc<Released>>, released: &Arc<Released>) {
    match list.iter_mut().find(|r| r.scope == released.scope && r.cta == released.cta) {
        Some(standing) if Arc::ptr_eq(standing, released) => {}
        Some(standing) => Arc::make_mut(standing).knowledge.join(&released.knowledge),
        None => list.push(Arc::clone(released)),
    }
}

/// The releases that stand at each place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Releases(HashMap<Place, Vec<Arc<Released>>, BuildHasherDefault<NumberHasher>>);

impl Releases {
    /// Those at a place.
    pub(crate) fn at(&self, place: Place) -> &[Arc<Released>] {
        self.0.get(&place).map_or(&[][..], Vec::as_slice)
    }

    /// Adds releases, one per scope and CTA, to those at a place.
    pub(crate) fn add(&mut self, place: Place, releases: &[Arc<Released>]) {
        if !releases.is_empty() {
            let standing = self.0.entry(place).or_default();
            releases.iter().for_each(|released| note(standing, released));
        }
    }

    /// Puts releases, one per scope and CTA, in the place of those that stand there.
    pub(crate) fn replace(&mut self, place: Place, releases: &[Arc<Released>]) {
        match self.0.get_mut(&place) {
            None => self.add(place, releases),
            // A thread that stores again and again.
            Some(standing) if standing.len() == releases.len() && all_same(standing, releases) => {}
            Some(standing) => {
                standing.clear();
                standing.extend_from_slice(releases);
            }
        }
    }
}

fn all_same(some: &[Arc<Released>], others: &[Arc<Released>]) -> bool {
    some.iter().zip(others).all(|(one, other)| Arc::ptr_eq(one, other))
}

//! What releases hold, and which of them stand at a place in memory.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::Arc;

use super::clocks::Scope;
use super::knowledge::Knowledge;
use super::numbers::NumberHasher;

/// A memory location, as accesses that overlap completely have it in common: the number of a shadow, the first byte, and how many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    /// Number of the shadow.
    pub(crate) shadow: u32,
    /// First byte.
    pub(crate) offset: usize,
    /// Number of bytes.
    pub(crate) len: u32,
}

/// Whom an operation reaches: the threads of its scope, seen from its own CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Its scope.
    pub(crate) scope: Scope,
    /// CTA of its thread.
    pub(crate) cta: u32,
}

impl Reach {
    /// Whether each of two operations reaches the thread of the other (PTX ISA 8.7, morally strong).
    pub(crate) fn is_mutual(self, other: Reach) -> bool {
        self.cta == other.cta || (self.scope == Scope::Grid && other.scope == Scope::Grid)
    }
}

/// The content of a release.
#[derive(Clone, Debug)]
pub(crate) struct Released {
    /// Whom the first operation of the release pattern reaches: the release, or the fence.
    pub(crate) by: Reach,
    /// Everything that happened before it.
    pub(crate) knowledge: Knowledge,
}

/// Adds a release to a list that holds one per scope and CTA.
pub(crate) fn note(list: &mut Vec<Arc<Released>>, released: &Arc<Released>) {
    match list.iter_mut().find(|r| r.by == released.by) {
        Some(standing) if Arc::ptr_eq(standing, released) => {}
        Some(standing) => Arc::make_mut(standing).knowledge.join(&released.knowledge),
        None => list.push(Arc::clone(released)),
    }
}

/// What stands released at a place.
#[derive(Clone, Debug)]
struct Standing {
    /// Whom the last write there reaches. Only reads that are morally strong to it observe anything.
    last: Reach,
    /// The bytes that it wrote.
    len: u32,
    /// One per scope and CTA.
    releases: Vec<Arc<Released>>,
}

/// The releases that stand at each place, by the number of a shadow and a first byte.
#[derive(Clone, Debug, Default)]
pub(crate) struct Releases(HashMap<(u32, usize), Standing, BuildHasherDefault<NumberHasher>>);

/// Bytes of the longest access.
const LONGEST: usize = 32;

impl Releases {
    /// Those that a strong read of a place observes. The last write there precedes it in observation order only if the two are morally
    /// strong; so do the writes before that one, if atomic updates lead from each to the next (PTX ISA 8.9).
    pub(crate) fn observed(&self, at: Place, by: Reach) -> &[Arc<Released>] {
        let standing = self.0.get(&(at.shadow, at.offset));
        standing
            .filter(|standing| standing.len == at.len && standing.last.is_mutual(by))
            .map_or(&[][..], |it| &it.releases)
    }

    /// A strong write to a place that releases these. If it `goes_on`, being an atomic update, what it observed stands there still.
    pub(crate) fn write<'r>(
        &mut self,
        at: Place,
        by: Reach,
        goes_on: bool,
        releases: impl Iterator<Item = &'r Arc<Released>> + Clone,
    ) {
        let key = (at.shadow, at.offset);
        match self.0.get_mut(&key) {
            None if releases.clone().next().is_none() => {}
            None => {
                let mut list = Vec::new();
                releases.for_each(|released| note(&mut list, released));
                self.0.insert(key, Standing { last: by, len: at.len, releases: list });
            }
            Some(standing) => {
                if !goes_on || standing.len != at.len || !standing.last.is_mutual(by) {
                    standing.releases.clear();
                }
                (standing.last, standing.len) = (by, at.len);
                releases.for_each(|released| note(&mut standing.releases, released));
            }
        }
    }

    /// Ends what stands at every place that overlaps these bytes, except at `but`.
    pub(crate) fn end(&mut self, shadow: u32, bytes: Range<usize>, but: Option<Place>) {
        for offset in bytes.start.saturating_sub(LONGEST - 1)..bytes.end {
            let key = (shadow, offset);
            let is_over = self.0.get(&key).is_some_and(|standing| {
                let other = Place { shadow, offset, len: standing.len };
                offset + standing.len as usize > bytes.start && but != Some(other)
            });
            if is_over {
                self.0.remove(&key);
            }
        }
    }
}

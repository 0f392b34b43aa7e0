//! The fault budget: which of the launches that may fault are run on hardware. The choice is the same every time.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use warpdiff_corpus::plan::{PlannedLaunch, Variant, Work};
use warpdiff_judge::reference::{Programs, units};
use warpdiff_judge::stated_alone;
use warpdiff_recordings::meaning::{meaning, part};
use warpdiff_worker::run_end;

/// Default fault budget of a run on hardware.
pub const USUAL: usize = 300;

/// Identifies a launch in a corpus: variant, part and meaning, as in recordings.
pub type Key = (String, String, String);

/// A launch that the specification permits to fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its key.
    pub key: Key,
    /// The case of its variant: every case is tried once before any is tried twice.
    pub family: String,
}

/// The launches of these variants that may fault according to the reference, or, where it cannot run them, according to their case.
pub fn candidates(variants: &[&Variant]) -> Vec<Candidate> {
    variants.par_iter().flat_map_iter(|variant| of(variant)).collect()
}

fn of(variant: &Variant) -> Vec<Candidate> {
    // After a signal nothing is run any more.
    if run_end::reached().is_some() {
        return Vec::new();
    }
    let family = format!("{}: {}", variant.location.file.path.display(), variant.title);
    let candidate = |planned: &PlannedLaunch| {
        let key = (variant.id.clone(), part(planned), meaning(planned));
        Candidate { key, family: family.clone() }
    };
    let by_case = |planned: &PlannedLaunch| stated_alone::may_stop(planned).then(|| candidate(planned));
    let launches = match &variant.work {
        Work::Launches(launches) => launches,
        Work::Unsupported(unsupported) => return unsupported.launches.iter().filter_map(by_case).collect(),
        Work::Legality(_) => return Vec::new(),
    };
    let mut programs = Programs::default();
    let mut found = Vec::new();
    for launch in launches {
        match units(launch, &mut programs) {
            Ok(units) => {
                found
                    .extend(units.iter().filter(|unit| unit.may_stop()).map(|unit| candidate(&unit.planned)));
            }
            Err(_) => found.extend(launch.launches().iter().filter_map(|launch| by_case(launch))),
        }
    }
    found
}

/// Chooses at most `budget` of the candidates that are not recorded yet.
///
/// Within a family the candidates are ordered by a hash of their keys. The first candidate of every family comes first, then the
/// second of each, and so on. That order does not depend on the recording, so that a later run continues where the last one
/// stopped.
pub fn select<'c>(candidates: &'c [Candidate], recorded: &BTreeSet<Key>, budget: usize) -> BTreeSet<&'c Key> {
    let mut families: BTreeMap<&str, Vec<(u64, &Key)>> = BTreeMap::new();
    for candidate in candidates {
        let (variant, part, meaning) = &candidate.key;
        let place = hash(&[variant, part, meaning]);
        families.entry(&candidate.family).or_default().push((place, &candidate.key));
    }
    let mut ordered: Vec<(usize, u64, &Key)> = Vec::new();
    for (family, mut members) in families {
        members.sort_unstable();
        let turns = members.into_iter().enumerate();
        ordered.extend(turns.map(|(turn, (_, key))| (turn, hash(&[family]), key)));
    }
    ordered.sort_unstable();
    let open = ordered.into_iter().map(|(.., key)| key).filter(|key| !recorded.contains(*key));
    open.take(budget).collect()
}

/// A hash that is the same on every machine and in every release.
fn hash(parts: &[&str]) -> u64 {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let digest = hasher.finalize();
    digest.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(variant: &str) -> Key {
        (variant.into(), "whole".into(), String::new())
    }

    /// `sizes[i]` candidates in family `i`.
    fn families(sizes: &[usize]) -> Vec<Candidate> {
        let one = |family: usize, n: usize| Candidate {
            key: key(&format!("{family}/{n}")),
            family: format!("f{family}"),
        };
        sizes.iter().enumerate().flat_map(|(family, size)| (0..*size).map(move |n| one(family, n))).collect()
    }

    fn hit(chosen: &BTreeSet<&Key>, family: usize) -> usize {
        chosen.iter().filter(|(variant, ..)| variant.starts_with(&format!("{family}/"))).count()
    }

    #[test]
    fn every_family_is_hit_before_any_is_hit_twice() {
        let candidates = families(&[1000, 3, 1, 50]);
        let chosen = select(&candidates, &BTreeSet::new(), 4);
        assert_eq!([0, 1, 2, 3].map(|family| hit(&chosen, family)), [1, 1, 1, 1]);
        // Seven: two more rounds of those that have a second member.
        let chosen = select(&candidates, &BTreeSet::new(), 7);
        assert_eq!([0, 1, 2, 3].map(|family| hit(&chosen, family)), [2, 2, 1, 2]);
        assert_eq!(select(&candidates, &BTreeSet::new(), 2).len(), 2);
        assert_eq!(select(&candidates, &BTreeSet::new(), usize::MAX).len(), candidates.len());
        assert!(select(&candidates, &BTreeSet::new(), 0).is_empty());
    }

    #[test]
    fn recordings_go_on_where_the_one_before_stopped_until_all_is_recorded() {
        let candidates = families(&[17, 3, 1, 5]);
        let all = select(&candidates, &BTreeSet::new(), 12);
        let mut recorded: BTreeSet<Key> = BTreeSet::new();
        let mut pieces = Vec::new();
        for _ in 0..7 {
            let chosen = select(&candidates, &recorded, 4);
            assert!(chosen.iter().all(|key| !recorded.contains(*key)));
            pieces.push(chosen.len());
            recorded.extend(chosen.into_iter().cloned());
            if recorded.len() == 12 {
                // Three recordings of four have what one of twelve has.
                assert_eq!(recorded.iter().collect::<BTreeSet<_>>(), all);
            }
        }
        assert_eq!(pieces, [4, 4, 4, 4, 4, 4, 2]);
    }

    #[test]
    fn the_choice_does_not_depend_on_the_order_of_the_corpus() {
        let mut candidates = families(&[9, 9, 9]);
        let chosen: Vec<Key> = select(&candidates, &BTreeSet::new(), 10).into_iter().cloned().collect();
        candidates.reverse();
        assert_eq!(
            select(&candidates, &BTreeSet::new(), 10).into_iter().cloned().collect::<Vec<_>>(),
            chosen
        );
    }

    #[test]
    fn the_hash_is_that_of_the_standard() {
        // SHA-256 of nothing begins e3b0c442 98fc1c14 (FIPS 180-4).
        assert_eq!(hash(&[]), 0xe3b0_c442_98fc_1c14);
    }
}

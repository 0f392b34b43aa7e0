//! Which features to add next, so that the most variants are unlocked.
//!
//! A variant is unlocked when nothing that it needs is missing. The feature that most variants need may unlock none of them: each may
//! need others, too. So a step takes all that one variant misses, and of all variants that whose step unlocks the most variants for
//! each feature that it takes. A step therefore always unlocks something. The order need not be the best there is: to find that one,
//! every set of features would have to be tried.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Features that are added together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Their numbers, ascending.
    pub features: Vec<usize>,
    /// The numbers of the variants that they unlock, ascending.
    pub unlocks: Vec<usize>,
}

/// A set of features: a bit for each number.
type Bits = Vec<u64>;

/// The steps to unlock every variant. `missing` has the numbers of the features that each variant misses; variants that miss none are
/// in no step. Where several steps unlock equally many variants for each feature, the one with fewer features comes first, and then the
/// one with the lower numbers.
pub fn steps(missing: &[Vec<usize>]) -> Vec<Step> {
    let words = missing.iter().flatten().max().map_or(0, |highest| highest / 64 + 1);
    let mut locked: BTreeMap<Bits, Vec<usize>> = BTreeMap::new();
    for (variant, features) in missing.iter().enumerate().filter(|(_, features)| !features.is_empty()) {
        let mut bits = vec![0; words];
        features.iter().for_each(|feature| bits[feature / 64] |= 1 << (feature % 64));
        locked.entry(bits).or_default().push(variant);
    }
    let mut steps = Vec::new();
    while let Some(best) = best(&locked) {
        let mut unlocks = Vec::new();
        let mut rest: BTreeMap<Bits, Vec<usize>> = BTreeMap::new();
        for (mut bits, mut variants) in locked {
            bits.iter_mut().zip(&best).for_each(|(word, there)| *word &= !there);
            match bits.iter().all(|word| *word == 0) {
                true => unlocks.append(&mut variants),
                false => rest.entry(bits).or_default().append(&mut variants),
            }
        }
        unlocks.sort_unstable();
        steps.push(Step { features: numbers(&best), unlocks });
        locked = rest;
    }
    steps
}

/// A set of missing features, by what it unlocks.
struct Candidate<'a> {
    bits: &'a Bits,
    /// Its features.
    size: u64,
    /// The variants that it unlocks.
    unlocks: u64,
}

impl Candidate<'_> {
    /// Greater is better.
    fn compare(&self, other: &Self) -> Ordering {
        let by_rate = (self.unlocks * other.size).cmp(&(other.unlocks * self.size));
        by_rate
            .then_with(|| other.size.cmp(&self.size))
            .then_with(|| numbers(other.bits).cmp(&numbers(self.bits)))
    }
}

/// What to add next; `None` if nothing is locked.
fn best(locked: &BTreeMap<Bits, Vec<usize>>) -> Option<Bits> {
    let mut by_size: Vec<(u64, &Bits, u64)> =
        locked.iter().map(|(bits, variants)| (size(bits), bits, variants.len() as u64)).collect();
    by_size.sort_by_key(|(size, ..)| *size);
    let candidate = |&(size, bits, _): &(u64, &'_ Bits, u64)| {
        // Only smaller sets, and the set itself, can be part of it.
        let smaller = by_size.iter().take_while(|(other, ..)| *other <= size);
        let unlocks =
            smaller.filter(|(_, part, _)| is_part(part, bits)).map(|(_, _, variants)| variants).sum();
        (size, unlocks)
    };
    let candidates = by_size.iter().map(|entry| {
        let (size, unlocks) = candidate(entry);
        Candidate { bits: entry.1, size, unlocks }
    });
    candidates.max_by(Candidate::compare).map(|best| best.bits.clone())
}

fn is_part(part: &Bits, of: &Bits) -> bool {
    part.iter().zip(of).all(|(part, of)| part & !of == 0)
}

fn size(bits: &Bits) -> u64 {
    bits.iter().map(|word| u64::from(word.count_ones())).sum()
}

fn numbers(bits: &Bits) -> Vec<usize> {
    let of_word = |(index, word): (usize, &u64)| {
        let word = *word;
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index * 64 + bit)
    };
    bits.iter().enumerate().flat_map(of_word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(features: &[usize], unlocks: &[usize]) -> Step {
        Step { features: features.to_vec(), unlocks: unlocks.to_vec() }
    }

    fn of(missing: &[&[usize]]) -> Vec<Step> {
        steps(&missing.iter().map(|features| features.to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn what_unlocks_the_most_for_each_feature_comes_first() {
        // Feature 0 is in every variant and unlocks none alone. At first {0,1} unlocks two variants, 1 for each feature; {0,2}, {0,4}
        // and {0,5} one, ½; {0,1,2,3} unlocks variants 0 to 4, 5/4; {0,1,4} unlocks 0, 1, 5 and 6, 4/3: it is taken. Then {2} unlocks
        // variant 2, 1 for each; {2,3} unlocks 2 to 4, 3/2; {5} unlocks 7, 1.
        let order =
            of(&[&[0, 1], &[0, 1], &[0, 2], &[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 4], &[0, 1, 4], &[0, 5]]);
        assert_eq!(order, [step(&[0, 1, 4], &[0, 1, 5, 6]), step(&[2, 3], &[2, 3, 4]), step(&[5], &[7])]);
    }

    #[test]
    fn no_step_waits_for_a_feature_that_unlocks_nothing_alone() {
        // Feature 9 is the most frequent, in three variants, and each of these needs another one. {1} unlocks one variant for one
        // feature, and is the best. Then {2,9}, {3,9} and {4,9} have ½ each: the lowest numbers come first. After that {3} and {4} have
        // 1 each.
        let order = of(&[&[2, 9], &[3, 9], &[4, 9], &[1]]);
        assert_eq!(order, [step(&[1], &[3]), step(&[2, 9], &[0]), step(&[3], &[1]), step(&[4], &[2])]);
    }

    #[test]
    fn of_equal_steps_the_smaller_comes_first_and_then_the_lower_numbers() {
        // All have one variant for each feature: {5} of one, {0,1} of two.
        assert_eq!(of(&[&[0, 1], &[0, 1], &[5]]), [step(&[5], &[2]), step(&[0, 1], &[0, 1])]);
        assert_eq!(of(&[&[7], &[6]]), [step(&[6], &[1]), step(&[7], &[0])]);
        // Numbers beyond a word of bits.
        assert_eq!(of(&[&[130], &[64]]), [step(&[64], &[1]), step(&[130], &[0])]);
    }

    #[test]
    fn what_misses_nothing_is_in_no_step() {
        assert_eq!(of(&[&[], &[3], &[]]), [step(&[3], &[1])]);
        assert_eq!(of(&[&[], &[]]), []);
        assert_eq!(of(&[]), []);
    }

    #[test]
    fn every_variant_is_unlocked_once_and_not_before_its_features_are_there() {
        // 200 sets of up to six features out of 40, by a fixed sequence.
        let mut seed = 1_u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let missing: Vec<Vec<usize>> =
            (0..200).map(|_| (0..1 + next(6)).map(|_| next(40) as usize).collect()).collect();
        let (mut there, mut unlocked) = (Vec::new(), Vec::new());
        for step in steps(&missing) {
            there.extend(&step.features);
            for variant in &step.unlocks {
                assert!(missing[*variant].iter().all(|feature| there.contains(feature)));
                // Not one step before.
                assert!(missing[*variant].iter().any(|feature| step.features.contains(feature)));
            }
            unlocked.extend(step.unlocks);
        }
        unlocked.sort_unstable();
        assert_eq!(unlocked, (0..200).collect::<Vec<_>>());
        there.sort_unstable();
        assert!(there.is_sorted_by(|a, b| a < b), "a feature is in two steps");
    }
}

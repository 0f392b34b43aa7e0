//! Which variants a shard of a run has: balanced by recorded durations, and stable when variants are added.
//!
//! A variant with a recorded duration goes, longest first, to the shard with the least to do, so the shards take about equally long.
//! Any other variant goes where its id says ([rendezvous hashing]), so a new variant moves no other.
//!
//! [rendezvous hashing]: https://en.wikipedia.org/wiki/Rendezvous_hashing

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// One of several parts of a run: `3/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// Why a text is no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// It is not two numbers.
    #[error("expected `NUMBER/OF`, such as `3/8`")]
    Form,
    /// There is no shard of that number.
    #[error("of {of} shards the numbers are 1 to {of}, not {number}")]
    Number {
        /// The number given.
        number: usize,
        /// How many there are.
        of: usize,
    },
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, of) = text.split_once('/').ok_or(ShardError::Form)?;
        let parse = |text: &str| text.parse::<usize>().map_err(|_| ShardError::Form);
        let (number, of) = (parse(number)?, parse(of)?);
        if of == 0 {
            return Err(ShardError::Form);
        }
        if number == 0 || number > of {
            return Err(ShardError::Number { number, of });
        }
        Ok(Self { number, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// Recorded durations of variants in seconds, by id.
pub type Durations = BTreeMap<String, f64>;

impl Shard {
    /// For each id whether it belongs to this shard. Every id belongs to exactly one shard, whatever the others are asked about, if
    /// they have the same durations.
    pub fn selects(&self, ids: &[&str], durations: &Durations) -> Vec<bool> {
        let balanced = balanced(durations, self.of);
        let place = |id: &&str| balanced.get(*id).copied().unwrap_or_else(|| hashed(id, self.of));
        ids.iter().map(|id| place(id) + 1 == self.number).collect()
    }
}

/// The shard of each id with a duration, from 0. It depends on the durations alone, not on the variants that there are now.
fn balanced(durations: &Durations, shards: usize) -> BTreeMap<&str, usize> {
    let seconds = |seconds: f64| if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
    let mut longest: Vec<(&str, f64)> = durations.iter().map(|(id, s)| (id.as_str(), seconds(*s))).collect();
    longest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let mut load = vec![0.0; shards];
    let mut places = BTreeMap::new();
    for (id, seconds) in longest {
        let least = (0..shards).min_by(|a, b| f64::total_cmp(&load[*a], &load[*b])).unwrap_or_default();
        load[least] += seconds;
        places.insert(id, least);
    }
    places
}

/// The shard of an id without a duration, from 0.
fn hashed(id: &str, shards: usize) -> usize {
    (0..shards).max_by_key(|shard| weight(id, *shard)).unwrap_or_default()
}

/// The weight of an id in a shard.
fn weight(id: &str, shard: usize) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update((shard as u64).to_le_bytes());
    hash.update(id.as_bytes());
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|n| format!("suld/bounds/case {n}[t=u32]")).collect()
    }

    fn places(ids: &[String], durations: &Durations, of: usize) -> Vec<usize> {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut place = vec![None; ids.len()];
        for number in 1..=of {
            let selected = Shard { number, of }.selects(&ids, durations);
            for (index, selected) in selected.into_iter().enumerate() {
                if selected {
                    assert!(place[index].replace(number).is_none(), "{} is in two shards", ids[index]);
                }
            }
        }
        place.into_iter().map(|place| place.expect("it is in a shard")).collect()
    }

    #[test]
    fn every_variant_is_in_one_shard_and_a_new_one_moves_no_other() {
        let all = ids(2000);
        let durations: Durations =
            all.iter().take(1000).enumerate().map(|(n, id)| (id.clone(), (n % 17) as f64)).collect();
        for of in [1, 2, 7] {
            let few = places(&all[..1500], &durations, of);
            let more = places(&all, &durations, of);
            assert_eq!(few, more[..1500]);
        }
    }

    #[test]
    fn recorded_durations_are_balanced() {
        let all = ids(1000);
        // A few long ones, as cases that hang or fault are.
        let seconds = |n: usize| if n.is_multiple_of(97) { 20.0 } else { 0.01 * (n % 10) as f64 };
        let durations: Durations = all.iter().enumerate().map(|(n, id)| (id.clone(), seconds(n))).collect();
        let mut load = [0.0; 4];
        for (place, id) in places(&all, &durations, 4).into_iter().zip(&all) {
            load[place - 1] += durations[id];
        }
        // 11 long ones in 4 shards: two or three each, and the short ones fill up.
        let (least, most) = load.iter().fold((f64::MAX, 0.0_f64), |(l, m), s| (l.min(*s), m.max(*s)));
        assert!(most - least <= 20.0, "{load:?}");
    }

    #[test]
    fn without_durations_no_shard_is_starved() {
        let mut count = [0usize; 8];
        places(&ids(4000), &Durations::new(), 8).into_iter().for_each(|place| count[place - 1] += 1);
        // 500 each on average; the standard deviation is 21.
        assert!(count.iter().all(|n| (400..600).contains(n)), "{count:?}");
    }

    #[test]
    fn wrong_shards_are_refused() {
        assert_eq!("3/8".parse(), Ok(Shard { number: 3, of: 8 }));
        for text in ["3", "a/8", "3/", "3/0", "-1/8"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError::Form), "{text}");
        }
        assert_eq!("9/8".parse::<Shard>(), Err(ShardError::Number { number: 9, of: 8 }));
        assert_eq!("0/8".parse::<Shard>(), Err(ShardError::Number { number: 0, of: 8 }));
    }
}

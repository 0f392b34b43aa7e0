//! Bytes of specimens made of those of others: what a corpus that grows is made of.

use crate::seed::{SPECIMEN_BYTES, SplitMix64, fill};

/// Most small changes to the bytes of a specimen.
const CHANGES: u64 = 4;
/// Most bytes that are inserted or removed at a time.
const BLOCK: u64 = 8;
/// Bytes at the ends of ranges.
const BOUNDARIES: [u8; 8] = [0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff, 0x55];
/// Specimens of which the one that brought most is taken.
const CANDIDATES: usize = 8;

/// A specimen of the corpus.
pub trait Parent {
    /// Its bytes.
    fn bytes(&self) -> &[u8];

    /// How much that was new it brought.
    fn gain(&self) -> usize;
}

/// A way to make bytes of those of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All are random: those of [`fill`].
    Fresh,
    /// A few bits, bytes or blocks are others, or the end is that of another specimen.
    Few,
    /// A quarter of the bytes are others.
    Many,
    /// It goes on at random from some place on.
    Tail,
    /// All but the first few are random, which say how many threads and how many steps there are.
    Head,
}

impl Way {
    /// Every way; the position is its number.
    pub const ALL: [Way; 5] = [Way::Fresh, Way::Few, Way::Many, Way::Tail, Way::Head];
}

/// The bytes of the program of that index under that seed, and how they were made of those of a corpus. Of every fourth program, and without a
/// corpus of all, they are fresh; of the others a way is taken as often as its weight says. What a shortened specimen lacks is random.
pub fn mutated(
    seed: u64,
    index: u64,
    corpus: &[impl Parent],
    weights: [u64; Way::ALL.len()],
) -> (Vec<u8>, Way) {
    let mut bytes = vec![0; SPECIMEN_BYTES];
    fill(&mut bytes, seed, index);
    // The last of the random bytes are those that are the least likely to be read.
    let state = bytes.last_chunk::<8>().map_or(index, |last| u64::from_le_bytes(*last));
    let mut random = Random(SplitMix64::new(state));
    let way = match corpus.is_empty() || index.is_multiple_of(4) {
        true => Way::Fresh,
        false => random.way(weights),
    };
    if way == Way::Fresh {
        return (bytes, way);
    }
    let candidates: Vec<usize> = (0..CANDIDATES).map(|_| random.below(corpus.len())).collect();
    let best = candidates.into_iter().max_by_key(|number| corpus[*number].gain()).unwrap_or_default();
    let mut made = corpus[best].bytes().to_vec();
    match way {
        Way::Fresh => {}
        Way::Few => {
            for _ in 0..=random.below(CHANGES as usize) {
                few(&mut made, &mut random, corpus);
            }
        }
        Way::Many => {
            for _ in 0..=made.len() / 4 {
                let (at, byte) = (random.below(made.len()), random.below(256) as u8);
                change(&mut made, at, |_| byte);
            }
        }
        Way::Tail => made.truncate(random.below(made.len())),
        Way::Head => made.truncate(3 + random.below(6)),
    }
    made.truncate(SPECIMEN_BYTES);
    bytes[..made.len()].copy_from_slice(&made);
    (bytes, way)
}

/// The bytes of a specimen with a few small changes, which `state` decides; at most `most` bytes.
pub fn changed(bytes: &[u8], state: u64, most: usize) -> Vec<u8> {
    let mut random = Random(SplitMix64::new(state));
    let mut made = bytes.to_vec();
    for _ in 0..=random.below(CHANGES as usize) {
        few(&mut made, &mut random, &[] as &[Alone]);
    }
    made.truncate(most);
    made
}

/// The beginning of one specimen and the end of another, which `state` decides; at most `most` bytes.
pub fn crossed(first: &[u8], second: &[u8], state: u64, most: usize) -> Vec<u8> {
    let mut random = Random(SplitMix64::new(state));
    let mut made = first[..random.below(first.len() + 1)].to_vec();
    made.extend_from_slice(&second[random.below(second.len() + 1)..]);
    made.truncate(most);
    made
}

/// No specimen of a corpus: bytes that change have no other beside them.
enum Alone {}

impl Parent for Alone {
    fn bytes(&self) -> &[u8] {
        match *self {}
    }

    fn gain(&self) -> usize {
        match *self {}
    }
}

/// One small change.
fn few(made: &mut Vec<u8>, random: &mut Random, corpus: &[impl Parent]) {
    let at = random.below(made.len());
    let byte = random.below(256) as u8;
    // Only a corpus has another end.
    match random.below(if corpus.is_empty() { 6 } else { 7 }) {
        0 => change(made, at, |old| old ^ 1 << (byte & 7)),
        1 => change(made, at, |_| BOUNDARIES[usize::from(byte) % BOUNDARIES.len()]),
        2 | 3 => change(made, at, |_| byte),
        4 => {
            let block: Vec<u8> =
                (0..=random.below(BLOCK as usize)).map(|_| random.below(256) as u8).collect();
            made.splice(at..at, block);
        }
        5 => {
            let end = made.len().min(at + 1 + random.below(BLOCK as usize));
            made.drain(at..end);
        }
        // The beginning of one and the end of another.
        _ => {
            let other = corpus[random.below(corpus.len())].bytes();
            made.truncate(at);
            made.extend_from_slice(&other[random.below(other.len()).min(other.len())..]);
        }
    }
}

fn change(bytes: &mut [u8], at: usize, of: impl FnOnce(u8) -> u8) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte = of(*byte);
    }
}

/// Random numbers.
struct Random(SplitMix64);

impl Random {
    /// One below `count`; 0 below nothing.
    fn below(&mut self, count: usize) -> usize {
        (self.0.next_u64() % count.max(1) as u64) as usize
    }

    fn way(&mut self, weights: [u64; Way::ALL.len()]) -> Way {
        let mut left = self.0.next_u64() % weights.iter().sum::<u64>().max(1);
        for (way, weight) in Way::ALL.into_iter().zip(weights) {
            if left < weight {
                return way;
            }
            left -= weight;
        }
        Way::Fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Parent for Vec<u8> {
        fn bytes(&self) -> &[u8] {
            self
        }

        fn gain(&self) -> usize {
            self.len()
        }
    }

    fn plain(index: u64) -> (Vec<u8>, Way) {
        let mut bytes = vec![0; SPECIMEN_BYTES];
        fill(&mut bytes, 7, index);
        (bytes, Way::Fresh)
    }

    #[test]
    fn without_a_corpus_bytes_are_those_of_the_seed() {
        for index in 0..8 {
            assert_eq!(mutated(7, index, &[] as &[Vec<u8>], [1; 5]), plain(index));
        }
        assert_eq!(mutated(7, 4, &[vec![1, 2, 3]], [1; 5]), plain(4));
        assert_eq!(mutated(7, 5, &[vec![1, 2, 3]], [0; 5]), plain(5));
    }

    #[test]
    fn the_same_seed_index_and_corpus_give_the_same_bytes() {
        let corpus = [vec![1; 300], vec![2; 200], vec![]];
        let mut ways = Vec::new();
        for index in 0..400 {
            let (made, way) = mutated(7, index, &corpus, [1; 5]);
            assert_eq!(made.len(), SPECIMEN_BYTES);
            assert_eq!((made, way), mutated(7, index, &corpus, [1; 5]));
            ways.push(way);
        }
        assert!(Way::ALL.iter().all(|way| ways.contains(way)), "{ways:?}");
        assert_ne!(mutated(7, 1, &corpus, [1; 5]), mutated(8, 1, &corpus, [1; 5]));
        // Empty specimens can be changed as well.
        (0..400).for_each(|index| drop(mutated(7, index, &[Vec::new()], [1; 5])));
    }

    #[test]
    fn changed_bytes_are_mostly_the_old_ones_and_crossed_ones_of_both() {
        let (old, other) = ([7; 200], [9; 100]);
        for state in 0..400 {
            let made = changed(&old, state, 210);
            assert!((160..=210).contains(&made.len()), "{}", made.len());
            assert!(made.iter().filter(|byte| **byte == 7).count() >= 150);
            assert_eq!(made, changed(&old, state, 210));
            let child = crossed(&old, &other, state, 250);
            let first = child.iter().take_while(|byte| **byte == 7).count();
            assert!(child.len() <= 250 && child[first..].iter().all(|byte| *byte == 9));
            changed(&[], state, 0);
            assert_eq!(crossed(&[], &[], state, 10), []);
        }
        let lengths = |of: fn(&&u8) -> bool| {
            (0..400).any(|state| crossed(&old, &other, state, 300).iter().filter(of).count() > 50)
        };
        assert!(lengths(|byte| **byte == 7) && lengths(|byte| **byte == 9));
        assert!((0..400).any(|state| changed(&old, state, 210) != old));
    }

    #[test]
    fn a_way_keeps_what_it_says() {
        let corpus = [(0..=255).collect::<Vec<u8>>()];
        let corpus = &corpus;
        let made = |way: usize| {
            let mut weights = [0; 5];
            weights[way] = 1;
            (0..400).filter(|index| index % 4 != 0).map(move |index| mutated(7, index, corpus, weights).0)
        };
        let alike = |bytes: &[u8]| bytes.iter().zip(0..=255u8).filter(|(byte, old)| *byte == old).count();
        // Three bytes at least, and seldom more than the eight that are kept and the one of 256 that is alike by chance.
        assert!(made(4).all(|bytes| bytes[..3] == [0, 1, 2] && alike(&bytes[..256]) < 32));
        assert!(made(2).all(|bytes| (150..256).contains(&alike(&bytes[..256]))));
        let few = made(1).filter(|bytes| alike(&bytes[..16]) == 16).count();
        assert!((150..300).contains(&few), "{few}");
    }
}

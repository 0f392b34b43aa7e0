//! Bytes of specimens made of those of others: what a corpus that grows is made of.

use crate::seed::{SPECIMEN_BYTES, SplitMix64, fill};

/// Most changes to the bytes of a specimen.
const CHANGES: u64 = 4;
/// Most bytes that are inserted or removed at a time.
const BLOCK: u64 = 8;
/// Bytes at the ends of ranges.
const BOUNDARIES: [u8; 8] = [0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff, 0x55];

/// The bytes of the program of that index under that seed, made of those of a corpus: of every fourth, and without a corpus of all, they are those
/// of [`fill`]; the others are one of the corpus with a few changes, and go on with random bytes.
pub fn mutated(seed: u64, index: u64, corpus: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut bytes = vec![0; SPECIMEN_BYTES];
    fill(&mut bytes, seed, index);
    if corpus.is_empty() || index.is_multiple_of(4) {
        return bytes;
    }
    // The last of the random bytes are those that are the least likely to be read.
    let state = bytes.last_chunk::<8>().map_or(index, |last| u64::from_le_bytes(*last));
    let mut random = SplitMix64::new(state);
    let mut pick = |count: usize| (random.next_u64() % count.max(1) as u64) as usize;
    let mut made = corpus[pick(corpus.len())].as_ref().to_vec();
    for _ in 0..=pick(CHANGES as usize) {
        let at = pick(made.len());
        match pick(7) {
            0 => change(&mut made, at, |byte| byte ^ 1 << pick(8)),
            1 => change(&mut made, at, |_| BOUNDARIES[pick(BOUNDARIES.len())]),
            2 | 3 => change(&mut made, at, |_| pick(256) as u8),
            4 => {
                let block: Vec<u8> = (0..=pick(BLOCK as usize)).map(|_| pick(256) as u8).collect();
                made.splice(at..at, block);
            }
            5 => {
                let end = made.len().min(at + 1 + pick(BLOCK as usize));
                made.drain(at..end);
            }
            // The beginning of one and the end of another.
            _ => {
                let other = corpus[pick(corpus.len())].as_ref();
                let from = pick(other.len());
                made.truncate(at);
                made.extend_from_slice(&other[from.min(other.len())..]);
            }
        }
    }
    made.truncate(SPECIMEN_BYTES);
    bytes[..made.len()].copy_from_slice(&made);
    bytes
}

fn change(bytes: &mut [u8], at: usize, mut of: impl FnMut(u8) -> u8) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte = of(*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(index: u64) -> Vec<u8> {
        let mut bytes = vec![0; SPECIMEN_BYTES];
        fill(&mut bytes, 7, index);
        bytes
    }

    #[test]
    fn without_a_corpus_bytes_are_those_of_the_seed() {
        for index in 0..8 {
            assert_eq!(mutated(7, index, &[] as &[Vec<u8>]), plain(index));
        }
        assert_eq!(mutated(7, 4, &[vec![1, 2, 3]]), plain(4));
    }

    #[test]
    fn the_same_seed_index_and_corpus_give_the_same_bytes() {
        let corpus = [vec![1; 300], vec![2; 200], vec![]];
        for index in 0..200 {
            let made = mutated(7, index, &corpus);
            assert_eq!(made.len(), SPECIMEN_BYTES);
            assert_eq!(made, mutated(7, index, &corpus));
        }
        assert_ne!(mutated(7, 1, &corpus), mutated(8, 1, &corpus));
    }

    #[test]
    fn most_of_a_program_of_the_corpus_stays() {
        let corpus = [(0..=255).collect::<Vec<u8>>()];
        let begins = |made: &Vec<u8>| made[..16] == corpus[0][..16];
        let kept = (0..400).filter(|index| index % 4 != 0).map(|index| mutated(7, index, &corpus));
        let count = kept.filter(begins).count();
        // Of 300, a change falls into the first sixteenth of few.
        assert!((200..300).contains(&count), "{count}");
    }
}

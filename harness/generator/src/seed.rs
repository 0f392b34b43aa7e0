//! Bytes from a seed: the same on every machine, whatever the number of threads.

/// Bytes a specimen is read from; enough that none runs out.
pub const SPECIMEN_BYTES: usize = 4096;

/// SplitMix64 (Steele, Lea and Flood 2014): every seed is as good as any other, which makes it fit for one stream per program.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator with that state.
    pub fn new(state: u64) -> Self {
        Self(state)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Fills `bytes` for the program of that index under that seed.
pub fn fill(bytes: &mut [u8], seed: u64, index: u64) {
    let mut mixed = SplitMix64::new(seed);
    let mut stream =
        SplitMix64::new(mixed.next_u64().wrapping_add(index.wrapping_mul(0xd134_2543_de82_ef95)));
    let (words, rest) = bytes.as_chunks_mut::<8>();
    for word in words {
        *word = stream.next_u64().to_le_bytes();
    }
    if !rest.is_empty() {
        rest.copy_from_slice(&stream.next_u64().to_le_bytes()[..rest.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_sequence() {
        // First outputs for state 1234567, as in the reference implementation (Vigna, prng.di.unimi.it/splitmix64.c).
        let mut stream = SplitMix64::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
        ];
        assert_eq!(expected.map(|_| stream.next_u64()), expected);
    }

    #[test]
    fn a_length_that_is_no_multiple_of_a_word_ends_within_the_last_word() {
        let bytes = |len: usize| {
            let mut bytes = vec![0; len];
            fill(&mut bytes, 3, 7);
            bytes
        };
        let whole = bytes(24);
        for len in 0..24 {
            assert_eq!(bytes(len), whole[..len], "{len} bytes");
        }
    }

    #[test]
    fn programs_of_one_seed_and_of_two_seeds_differ() {
        let bytes = |seed, index| {
            let mut bytes = [0; 32];
            fill(&mut bytes, seed, index);
            bytes
        };
        assert_eq!(bytes(1, 0), bytes(1, 0));
        assert_ne!(bytes(1, 0), bytes(1, 1));
        assert_ne!(bytes(1, 0), bytes(2, 0));
    }
}

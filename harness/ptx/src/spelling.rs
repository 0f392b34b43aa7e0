//! Which word of a list a text spells: a table built at compile time, in which a word is found by a few numbers made of its bytes.

/// Slots of a table: open addressing, most of them empty.
const SLOTS: usize = 1024;
/// Most words of a table.
const WORDS: usize = 255;

/// A spelling as numbers: its length, its first eight bytes and its last eight. Up to sixteen bytes no other spelling has the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    head: u64,
    tail: u64,
    length: usize,
}

/// Length up to which a key stands for one spelling alone.
const EXACT: usize = 16;

impl Key {
    #[inline]
    pub(crate) const fn of(text: &[u8]) -> Self {
        let (head, tail) = match text {
            [a, b, c, d, e, f, g, h, ..] => {
                let head = u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]);
                match text {
                    [.., a, b, c, d, e, f, g, h] => {
                        (head, u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]))
                    }
                    _ => (head, 0),
                }
            }
            [a, b, c, d, ..] => {
                let head = u32::from_le_bytes([*a, *b, *c, *d]);
                match text {
                    [.., a, b, c, d] => (head as u64, u32::from_le_bytes([*a, *b, *c, *d]) as u64),
                    _ => (head as u64, 0),
                }
            }
            [first, .., last] => (*first as u64, (text[1] as u64) << 8 | *last as u64),
            [only] => (*only as u64, 0),
            [] => (0, 0),
        };
        Self { head, tail, length: text.len() }
    }

    /// Whether the keys are the same, as those of one spelling are.
    #[inline]
    pub(crate) const fn is(self, other: Self) -> bool {
        self.head == other.head && self.tail == other.tail && self.length == other.length
    }

    /// Whether no other spelling has this key.
    #[inline]
    pub(crate) const fn is_exact(self) -> bool {
        self.length <= EXACT
    }

    /// The first slot of the search.
    const fn slot(self) -> usize {
        let mixed =
            (self.head ^ self.tail.rotate_left(29) ^ self.length as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (u64::BITS - SLOTS.trailing_zeros())) as usize
    }
}

/// A list of words that can be searched by spelling. Of words that are spelt alike it finds the first.
pub(crate) struct Spellings<const N: usize> {
    words: [&'static str; N],
    keys: [Key; N],
    /// The position of a word plus one, or zero for an empty slot.
    slots: [u8; SLOTS],
}

impl<const N: usize> Spellings<N> {
    pub(crate) const fn new(words: [&'static str; N]) -> Self {
        assert!(N <= WORDS, "the position of a word is one byte");
        let mut keys = [Key { head: 0, tail: 0, length: 0 }; N];
        let mut slots = [0; SLOTS];
        let mut i = 0;
        while i < N {
            keys[i] = Key::of(words[i].as_bytes());
            let mut slot = keys[i].slot();
            while slots[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = i as u8 + 1;
            i += 1;
        }
        Self { words, keys, slots }
    }

    /// The position of the word with that spelling.
    #[inline]
    pub(crate) fn find(&self, text: &str) -> Option<usize> {
        let key = Key::of(text.as_bytes());
        let mut slot = key.slot();
        loop {
            let index = usize::from(self.slots[slot]).checked_sub(1)?;
            if self.keys[index].is(key) && (key.is_exact() || self.words[index] == text) {
                return Some(index);
            }
            slot = (slot + 1) % SLOTS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_length_are_told_apart() {
        const LIST: Spellings<9> = Spellings::new([
            "",
            "a",
            "ab",
            "aba",
            "abab",
            "ababa",
            "abcdefgh",
            "abcdefghi",
            "abcdefghijklmnopqrs",
        ]);
        for (index, word) in LIST.words.iter().enumerate() {
            assert_eq!(LIST.find(word), Some(index), "{word}");
        }
        for text in [
            "b",
            "aa",
            "abb",
            "aaba",
            "abaab",
            "ababab",
            "abcdefghh",
            "abcdefghiiklmnopqrs",
            "abcdefghijllmnopqrs",
        ] {
            assert_eq!(LIST.find(text), None, "{text}");
        }
    }

    #[test]
    fn the_first_of_equal_words_is_found() {
        const TWICE: Spellings<3> = Spellings::new(["x", "shared", "shared"]);
        assert_eq!(TWICE.find("shared"), Some(1));
    }
}

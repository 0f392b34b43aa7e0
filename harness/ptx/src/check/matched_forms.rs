//! Which forms the instructions of a module matched so far, by opcode and words.

use super::forms::Form;
use super::words::Words;
use crate::ast::Word;
use crate::vocabulary::Opcode;

/// Forms that are kept: more than most modules have.
const PLACES: usize = 64;

/// Opcode and words of an instruction as one number; `None` for more words than fit.
type Key = Option<u64>;

/// The forms matched so far. A form gives way to the next with the same place: then it is searched again.
pub(super) struct MatchedForms {
    places: [Option<(u64, &'static Form, Words)>; PLACES],
}

impl MatchedForms {
    pub(super) const fn new() -> Self {
        Self { places: [None; PLACES] }
    }

    #[inline]
    pub(super) fn key(opcode: Opcode, words: &[Word]) -> Key {
        if words.len() >= size_of::<u64>() {
            return None;
        }
        let place = |key: u64, word: &Word| (key << 8) | (word.kind.number() as u64 + 1);
        Some(words.iter().fold(opcode as u64 + 1, place))
    }

    fn place(key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - PLACES.trailing_zeros())) as usize
    }

    /// The form, and the words sorted.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<(&'static Form, Words)> {
        let key = key?;
        match self.places[Self::place(key)] {
            Some((other, form, words)) if other == key => Some((form, words)),
            _ => None,
        }
    }

    pub(super) fn put(&mut self, key: Key, form: &'static Form, words: Words) {
        if let Some(key) = key {
            self.places[Self::place(key)] = Some((key, form, words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::WordKind;
    use crate::source::Span;
    use crate::vocabulary::Type;

    /// Instructions with different opcodes, words or orders of words have different keys.
    #[test]
    fn keys_tell_instructions_apart() {
        let kinds = [WordKind::Type(Type::B8), WordKind::Type(Type::B16), WordKind::Other];
        let words = |kinds: &[WordKind]| -> Vec<Word> {
            kinds.iter().map(|kind| Word { kind: *kind, span: Span::default() }).collect()
        };
        let mut lists = vec![vec![]];
        for length in 0..4 {
            let longer: Vec<Vec<WordKind>> = lists
                .iter()
                .filter(|list| list.len() == length)
                .flat_map(|list| kinds.iter().map(|kind| [&list[..], &[*kind]].concat()))
                .collect();
            lists.extend(longer);
        }
        let opcodes = Opcode::ALL.iter().map(|(opcode, _)| *opcode);
        let keys: Vec<Key> = opcodes
            .flat_map(|opcode| lists.iter().map(move |list| MatchedForms::key(opcode, &words(list))))
            .collect();
        let different: std::collections::HashSet<&Key> = keys.iter().collect();
        assert!(different.len() == keys.len() && !different.contains(&None));
        assert_eq!(MatchedForms::key(Opcode::Add, &words(&[kinds[0]; 8])), None);
    }
}

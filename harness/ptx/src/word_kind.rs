//! The words behind an opcode, whatever list of the vocabulary they are from: types, state spaces, modifiers; and sets of them.

use crate::spelling::Spellings;
use crate::vocabulary::{Modifier, Space, Type};

/// The kinds of word of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordKind {
    /// `.s32`
    Type(Type),
    /// `.global`
    Space(Space),
    /// `.sat`
    Modifier(Modifier),
    /// A word outside the vocabulary.
    Other,
}

/// Number of the first space and of the first modifier, where types are counted from zero, then spaces, then modifiers.
const FIRST_SPACE: usize = Type::ALL.len();
const FIRST_MODIFIER: usize = FIRST_SPACE + Space::ALL.len();
/// Number of words of the vocabulary.
const KINDS: usize = FIRST_MODIFIER + Modifier::ALL.len();

const _: () = assert!(KINDS < 255, "the number of a word is one byte, and none of them is 255");

const ALL: [(WordKind, &str); KINDS] = {
    let mut all = [(WordKind::Other, ""); KINDS];
    let mut i = 0;
    while i < KINDS {
        all[i] = if i < FIRST_SPACE {
            (WordKind::Type(Type::ALL[i].0), Type::ALL[i].1)
        } else if i < FIRST_MODIFIER {
            (WordKind::Space(Space::ALL[i - FIRST_SPACE].0), Space::ALL[i - FIRST_SPACE].1)
        } else {
            (WordKind::Modifier(Modifier::ALL[i - FIRST_MODIFIER].0), Modifier::ALL[i - FIRST_MODIFIER].1)
        };
        i += 1;
    }
    all
};

impl WordKind {
    /// The word with that spelling, without the dot.
    #[inline]
    pub fn from_text(text: &str) -> Self {
        static SPELLINGS: Spellings<KINDS> = Spellings::new({
            let mut spellings = [""; KINDS];
            let mut i = 0;
            while i < KINDS {
                spellings[i] = ALL[i].1;
                i += 1;
            }
            spellings
        });
        static KINDS_IN_ORDER: [WordKind; KINDS] = {
            let mut kinds = [WordKind::Other; KINDS];
            let mut i = 0;
            while i < KINDS {
                kinds[i] = ALL[i].0;
                i += 1;
            }
            kinds
        };
        SPELLINGS.find(text).map_or(Self::Other, |index| KINDS_IN_ORDER[index])
    }

    /// The spelling, without the dot.
    pub fn text(self) -> &'static str {
        match self {
            Self::Type(ty) => ty.text(),
            Self::Space(space) => space.text(),
            Self::Modifier(modifier) => modifier.text(),
            Self::Other => "",
        }
    }

    /// Its number among all words; all words outside the vocabulary share one.
    pub(crate) fn number(self) -> usize {
        match self {
            Self::Type(ty) => ty as usize,
            Self::Space(space) => FIRST_SPACE + space as usize,
            Self::Modifier(modifier) => FIRST_MODIFIER + modifier as usize,
            Self::Other => KINDS,
        }
    }
}

/// A set of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WordSet([u64; WordSet::PARTS]);

impl WordSet {
    const PARTS: usize = KINDS / 64 + 1;

    #[inline]
    pub(crate) fn add(&mut self, word: WordKind) {
        let number = word.number();
        self.0[number / 64] |= 1 << (number % 64);
    }

    #[inline]
    pub(crate) fn contains(&self, word: WordKind) -> bool {
        let number = word.number();
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// Whether every word of this set is in the other.
    #[inline]
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(ours, theirs)| ours & !theirs == 0)
    }

    /// Whether a word is in both.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(ours, theirs)| ours & theirs != 0)
    }
}

impl FromIterator<WordKind> for WordSet {
    fn from_iter<I: IntoIterator<Item = WordKind>>(words: I) -> Self {
        let mut set = Self::default();
        words.into_iter().for_each(|word| set.add(word));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word means a type before a space, and a space before a modifier.
    #[test]
    fn every_word_is_found_by_its_spelling() {
        for (ty, text) in Type::ALL {
            assert_eq!(WordKind::from_text(text), WordKind::Type(*ty));
        }
        for (space, text) in Space::ALL {
            let expected = Type::from_text(text).map_or(WordKind::Space(*space), WordKind::Type);
            assert_eq!(WordKind::from_text(text), expected);
        }
        for (modifier, text) in Modifier::ALL {
            let earlier =
                Type::from_text(text).map(WordKind::Type).or(Space::from_text(text).map(WordKind::Space));
            assert_eq!(WordKind::from_text(text), earlier.unwrap_or(WordKind::Modifier(*modifier)));
        }
        assert_eq!(WordKind::from_text("clmp"), WordKind::Other);
    }

    #[test]
    fn a_set_holds_what_was_added_alone() {
        let all = || ALL.iter().map(|(word, _)| *word).chain([WordKind::Other]);
        for word in all() {
            let set = WordSet::from_iter([word]);
            assert!(all().all(|other| set.contains(other) == (other == word)), "{word:?}");
            assert!(set.is_within(&all().collect()) && set.meets(&set));
            let others: WordSet = all().filter(|other| *other != word).collect();
            assert!(!set.is_within(&others) && !set.meets(&others));
        }
    }
}

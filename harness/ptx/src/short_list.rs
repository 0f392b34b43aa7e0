//! A list of a few words, kept in place: an instruction has three of them, and none takes an allocation.

use std::fmt;
use std::ops::Deref;

use crate::vocabulary::Word;

/// A list of at most `N` words. It is read as a slice.
#[derive(Clone, Copy)]
pub struct ShortList<T, const N: usize> {
    words: [T; N],
    length: u8,
}

impl<T: Word, const N: usize> ShortList<T, N> {
    /// Number of words that it has places for.
    pub const PLACES: usize = N;

    /// A list without words.
    pub const fn new() -> Self {
        Self { words: [T::FIRST; N], length: 0 }
    }

    /// Adds a word at the end.
    ///
    /// # Panics
    /// Panics if the list has `N` words already.
    #[inline]
    pub fn push(&mut self, word: T) {
        self.words[usize::from(self.length)] = word;
        self.length += 1;
    }
}

impl<T: Word, const N: usize> Default for ShortList<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Deref for ShortList<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.words.get(..usize::from(self.length)).unwrap_or(&[])
    }
}

impl<T: PartialEq, const N: usize> PartialEq for ShortList<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for ShortList<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Type;

    #[test]
    fn a_list_is_what_was_added_to_it() {
        let mut list = ShortList::<Type, 2>::new();
        assert!(list.is_empty());
        list.push(Type::F64);
        assert_eq!(list[..], [Type::F64]);
        let mut other = list;
        list.push(Type::B8);
        assert_eq!(list[..], [Type::F64, Type::B8]);
        // `.b8` fills the unused place as well; it is no word of the list.
        assert_ne!(list, other);
        other.push(Type::B8);
        assert_eq!(list, other);
        assert_eq!(format!("{list:?}"), "[F64, B8]");
    }
}

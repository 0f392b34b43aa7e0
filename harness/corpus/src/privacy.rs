//! Which tables have rows that cannot see each other, of the variants of a file.

use serde::{Deserialize, Serialize};

/// For each variant of a file, in their order, whether no row of its table can see another, which the compiled program says. It is not known of
/// what is no table, and of a table with a program that the reference cannot run: such a program is compiled each time, to say so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(crate) struct Privacy(Vec<Option<bool>>);

impl Privacy {
    /// Begins the next variant, of which nothing is known yet.
    pub(crate) fn begin(&mut self) {
        self.0.push(None);
    }

    /// Says it of the variant that was begun last.
    pub(crate) fn set(&mut self, private: bool) {
        if let Some(last) = self.0.last_mut() {
            *last = Some(private);
        }
    }

    /// How many variants were begun.
    pub(crate) fn variants(&self) -> usize {
        self.0.len()
    }

    /// That of a variant, if it is known.
    pub(crate) fn of(&self, variant: usize) -> Option<bool> {
        self.0.get(variant).copied().flatten()
    }
}

/// A letter for each variant.
impl From<Privacy> for String {
    fn from(privacy: Privacy) -> Self {
        let letter = |private: &Option<bool>| match private {
            Some(true) => 'p',
            Some(false) => 's',
            None => '-',
        };
        privacy.0.iter().map(letter).collect()
    }
}

impl From<String> for Privacy {
    fn from(letters: String) -> Self {
        let private = |letter| match letter {
            b'p' => Some(true),
            b's' => Some(false),
            _ => None,
        };
        Self(letters.bytes().map(private).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_of_the_variant_that_was_begun_last() {
        let mut noted = Privacy::default();
        noted.set(true);
        noted.begin();
        noted.begin();
        noted.set(true);
        noted.begin();
        noted.set(false);
        assert_eq!(noted.variants(), 3);
        assert_eq!([0, 1, 2, 3].map(|variant| noted.of(variant)), [None, Some(true), Some(false), None]);
        assert_eq!(String::from(noted.clone()), "-ps");
        assert_eq!(Privacy::from("-ps".to_owned()), noted);
    }
}

//! The byte strings that an expectation permits: mostly one, which then has no list of its own; a table has hundreds of thousands.

use std::fmt;
use std::ops::Deref;

pub use ecow::EcoBytes;
use ecow::EcoVec;

/// Byte strings, of which there is mostly one.
#[derive(Clone, PartialEq)]
pub struct ByteStrings(Kept);

#[derive(Clone, PartialEq)]
enum Kept {
    One(EcoBytes),
    Several(EcoVec<EcoBytes>),
}

impl From<Vec<Vec<u8>>> for ByteStrings {
    fn from(strings: Vec<Vec<u8>>) -> Self {
        Self(match strings.as_slice() {
            [only] => Kept::One(only.as_slice().into()),
            _ => Kept::Several(strings.iter().map(|string| EcoBytes::from(string.as_slice())).collect()),
        })
    }
}

impl From<&[u8]> for ByteStrings {
    fn from(only: &[u8]) -> Self {
        Self(Kept::One(only.into()))
    }
}

impl From<EcoBytes> for ByteStrings {
    fn from(only: EcoBytes) -> Self {
        Self(Kept::One(only))
    }
}

impl Deref for ByteStrings {
    type Target = [EcoBytes];

    fn deref(&self) -> &[EcoBytes] {
        match &self.0 {
            Kept::One(only) => std::slice::from_ref(only),
            Kept::Several(strings) => strings,
        }
    }
}

impl fmt::Debug for ByteStrings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_strings_comes_back() {
        for count in 0..4_u8 {
            let strings: Vec<Vec<u8>> = (0..count).map(|byte| vec![byte; 9]).collect();
            let kept = ByteStrings::from(strings.clone());
            assert_eq!(kept.iter().map(|bytes| bytes.to_vec()).collect::<Vec<_>>(), strings);
        }
    }
}

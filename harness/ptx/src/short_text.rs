//! A text that is kept in place if it is short: most names of registers are, and a program has thousands of them.

use std::fmt;
use std::ops::Deref;

/// Most bytes of a text in place: as many as let it be no larger than a `String`.
const IN_PLACE: usize = 22;

/// A text. It is read as a `str`.
#[derive(Clone)]
pub struct ShortText(Kept);

#[derive(Clone)]
enum Kept {
    InPlace { length: u8, bytes: [u8; IN_PLACE] },
    Apart(Box<str>),
}

impl From<&str> for ShortText {
    #[inline]
    fn from(text: &str) -> Self {
        let mut bytes = [0; IN_PLACE];
        Self(match bytes.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text.as_bytes());
                Kept::InPlace { length: text.len() as u8, bytes }
            }
            None => Kept::Apart(text.into()),
        })
    }
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            // The bytes are those of a whole text.
            Kept::InPlace { length, bytes } => str::from_utf8(&bytes[..usize::from(*length)]).unwrap_or(""),
            Kept::Apart(text) => text,
        }
    }
}

impl PartialEq for ShortText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<str> for ShortText {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for ShortText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_come_back() {
        let long = "%é".repeat(20);
        for length in (0..long.len()).filter(|length| long.is_char_boundary(*length)) {
            let text = ShortText::from(&long[..length]);
            assert_eq!(*text, long[..length]);
            assert_eq!(text.clone(), text);
            assert_eq!(format!("{text:?}"), format!("{:?}", &long[..length]));
        }
        assert_eq!(size_of::<ShortText>(), size_of::<String>());
    }
}

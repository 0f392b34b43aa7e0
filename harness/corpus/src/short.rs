//! Short texts and byte strings that need no memory of their own: most values, names and masks of a corpus have a few bytes, and a
//! table has hundreds of thousands of them.

use std::fmt;
use std::ops::Deref;

/// Bytes that fit into a value itself.
const INLINE: usize = 14;

/// A byte string. One of at most 14 bytes has no memory of its own.
#[derive(Clone)]
pub struct ShortBytes(Bytes);

#[derive(Clone)]
enum Bytes {
    Inline {
        length: u8,
        bytes: [u8; INLINE],
    },
    // Boxed, so that a value is two words.
    #[expect(clippy::box_collection, reason = "a boxed slice is as large as the value itself may be")]
    Boxed(Box<Vec<u8>>),
}

impl From<Vec<u8>> for ShortBytes {
    fn from(bytes: Vec<u8>) -> Self {
        match inline(&bytes) {
            Some(inline) => Self(inline),
            None => Self(Bytes::Boxed(Box::new(bytes))),
        }
    }
}

impl From<&[u8]> for ShortBytes {
    fn from(bytes: &[u8]) -> Self {
        match inline(bytes) {
            Some(inline) => Self(inline),
            None => Self(Bytes::Boxed(Box::new(bytes.to_vec()))),
        }
    }
}

fn inline(from: &[u8]) -> Option<Bytes> {
    let mut bytes = [0; INLINE];
    bytes.get_mut(..from.len())?.copy_from_slice(from);
    Some(Bytes::Inline { length: from.len() as u8, bytes })
}

impl Deref for ShortBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Inline { length, bytes } => &bytes[..usize::from(*length)],
            Bytes::Boxed(bytes) => bytes,
        }
    }
}

impl PartialEq for ShortBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for ShortBytes {}

impl<const N: usize> PartialEq<[u8; N]> for ShortBytes {
    fn eq(&self, other: &[u8; N]) -> bool {
        **self == *other
    }
}

impl fmt::Debug for ShortBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Byte strings, of which there is mostly one.
#[derive(Clone)]
pub struct ShortList(Strings);

#[derive(Clone)]
enum Strings {
    One(ShortBytes),
    #[expect(clippy::box_collection, reason = "a boxed slice is as large as the value itself may be")]
    Several(Box<Vec<ShortBytes>>),
}

impl From<Vec<Vec<u8>>> for ShortList {
    fn from(strings: Vec<Vec<u8>>) -> Self {
        let mut strings: Vec<ShortBytes> = strings.into_iter().map(ShortBytes::from).collect();
        match strings.pop() {
            Some(only) if strings.is_empty() => Self(Strings::One(only)),
            last => {
                strings.extend(last);
                Self(Strings::Several(Box::new(strings)))
            }
        }
    }
}

impl Deref for ShortList {
    type Target = [ShortBytes];

    fn deref(&self) -> &[ShortBytes] {
        match &self.0 {
            Strings::One(only) => std::slice::from_ref(only),
            Strings::Several(strings) => strings,
        }
    }
}

impl PartialEq for ShortList {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for ShortList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A text. One of at most 14 bytes has no memory of its own.
#[derive(Clone, PartialEq, Eq)]
pub struct ShortText(ShortBytes);

impl ShortText {
    /// The text.
    pub fn as_str(&self) -> &str {
        self
    }
}

impl From<&str> for ShortText {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

impl From<String> for ShortText {
    fn from(text: String) -> Self {
        Self(text.into_bytes().into())
    }
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        // It was made from a text.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl PartialEq<str> for ShortText {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other.as_bytes()
    }
}

impl PartialEq<&str> for ShortText {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == *other.as_bytes()
    }
}

impl PartialEq<ShortText> for String {
    fn eq(&self, other: &ShortText) -> bool {
        *other == **self
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_comes_back() {
        let text = "größer als vierzehn Bytes";
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let part = &text[..end];
            assert_eq!(*ShortText::from(part), *part);
            let owned = part.to_owned();
            assert_eq!(*ShortText::from(owned), *part);
            let short = ShortText::from(part);
            assert!(short == *part && short != *"other");
            assert_eq!(*ShortBytes::from(part.as_bytes()), *part.as_bytes());
        }
        for count in 0..4_u8 {
            let strings: Vec<Vec<u8>> = (0..count).map(|byte| vec![byte; 9]).collect();
            let list = ShortList::from(strings.clone());
            assert_eq!(list.iter().map(|bytes| bytes.to_vec()).collect::<Vec<_>>(), strings);
        }
    }

    /// The point of these types.
    #[test]
    fn each_is_two_words() {
        assert_eq!([size_of::<ShortBytes>(), size_of::<ShortList>(), size_of::<ShortText>()], [16; 3]);
    }
}

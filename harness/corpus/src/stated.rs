//! What a case states of one element.

use crate::byte_strings::{ByteStrings, EcoBytes};

/// The stated values of one element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stated {
    /// One of these, in the bits of the mask.
    Bytes {
        /// Alternatives.
        alternatives: ByteStrings,
        /// Compared bits.
        mask: EcoBytes,
        /// Whether bits that are undefined are an alternative too.
        or_undefined: bool,
    },
    /// Some of its bits are undefined.
    Undefined,
    /// It is a NaN, quiet or signalling.
    Nan,
    /// A floating-point number from the first of these to the second, and no narrower range.
    Between([EcoBytes; 2]),
}

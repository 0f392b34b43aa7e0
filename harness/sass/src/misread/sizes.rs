//! Sizes of local and shared memory as an implementation misreads them.

use warpdiff_model::{Deviation, Semantics};

use crate::header::Header;

/// Bytes of a window: nothing larger is allocated.
const WINDOW: u32 = 16 << 20;
/// The unit of [`Deviation::SpaSizeRounded`].
const UNIT: u32 = 256;

/// Sizes memory as these semantics have it.
pub(super) fn misread(header: &mut Header, semantics: &Semantics) {
    for size in [&mut header.shared, &mut header.local] {
        if semantics.has(Deviation::SpaSizeInWords) {
            *size = size.saturating_mul(4).min(WINDOW);
        }
        if semantics.has(Deviation::SpaSizeRounded) {
            *size = size.next_multiple_of(UNIT);
        }
    }
}

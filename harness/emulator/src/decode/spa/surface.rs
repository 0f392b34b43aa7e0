//! Accesses to surfaces.

use super::super::Decode;
use super::Spa;

impl Spa<'_> {
    /// Accesses to surfaces.
    pub(super) fn surface(&mut self) -> Decode {
        Err(self.unsupported())
    }
}

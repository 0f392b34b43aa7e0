//! Lookups in textures, and questions about textures and surfaces.

use super::super::Decode;
use super::Spa;

impl Spa<'_> {
    /// Lookups in textures, and questions about textures and surfaces.
    pub(super) fn texture(&mut self) -> Decode {
        Err(self.unsupported())
    }
}

//! Handles: the 64-bit values that name surfaces and textures.
//!
//! A handle, bindless or the address of a `.surfref` variable, is no number that means anything: targets hand out different
//! ones, so in a tracked run its bits are *unordered* and are not compared where a program stores them. "Performing pointer
//! arithmetic will result in undefined results" (PTX ISA 5.3): handles are scattered, so that what arithmetic makes of one
//! names no surface.

use crate::machine::warp::Warp;
use crate::machine::{BoundTexture, Machine};
use crate::operation::SurfaceObject;

/// The upper half of a surface handle. Only the lower half is looked at, as devices do.
const TAG: u64 = 0x8000_0000 << 32;
/// What the number of a handle, from 1, is multiplied with: odd, and neighbours come to lie far apart.
const SCATTER: u32 = 0x9E37_79B1;
/// The inverse of [`SCATTER`] modulo 2^32.
const GATHER: u32 = inverse(SCATTER);

/// The inverse of an odd number modulo 2^32.
const fn inverse(odd: u32) -> u32 {
    // Newton's iteration doubles the bits that are right; an odd number is its own inverse modulo 8.
    let mut guess = odd;
    let mut right = 3;
    while right < 32 {
        guess = guess.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(guess)));
        right *= 2;
    }
    guess
}

/// The handle of that number.
pub(crate) fn handle(number: usize) -> u64 {
    TAG | u64::from((number as u32).wrapping_add(1).wrapping_mul(SCATTER))
}

/// The number in a handle; that of a value that is none is larger than any.
pub(crate) fn number(handle: u64) -> usize {
    (handle as u32).wrapping_mul(GATHER).wrapping_sub(1) as usize
}

impl Machine<'_> {
    /// The surface that a lane names.
    pub(super) fn surface_of(&self, w: &Warp, object: SurfaceObject, lane: usize) -> Option<usize> {
        match object {
            SurfaceObject::Register(index) => {
                let value = w.registers.wide[w.rows.w(index)][lane];
                self.handles.get(number(value)).copied().flatten()
            }
            SurfaceObject::Variable(number) => self.bindings.get(number as usize).copied().flatten(),
            SurfaceObject::Parameter(position) => {
                self.opaque_parameters.get(position as usize).copied().flatten()
            }
            SurfaceObject::TextureVariable(_) => None,
        }
    }

    /// The texture that a lane names.
    pub(super) fn texture_of(&self, w: &Warp, object: SurfaceObject, lane: usize) -> Option<BoundTexture> {
        match object {
            SurfaceObject::Register(index) => {
                let value = w.registers.wide[w.rows.w(index)][lane];
                self.textures.get(number(value)).copied().flatten()
            }
            SurfaceObject::TextureVariable(number) => {
                self.texture_bindings.get(number as usize).copied().flatten()
            }
            // No texture can be bound to a kernel parameter: see `bind_arguments`.
            SurfaceObject::Variable(_) | SurfaceObject::Parameter(_) => None,
        }
    }

    /// The surface operand of operation `pc` names no surface in a lane. What happens then no text says, so a launch whose
    /// definedness is tracked is indeterminate, though every bit of the operand may be defined.
    #[cold]
    pub(super) fn names_nothing(&mut self, w: &Warp, object: SurfaceObject, lane: usize, pc: u32) {
        let why = match object {
            SurfaceObject::Register(index) => {
                format!("names no surface ({:#x})", w.registers.wide[w.rows.w(index)][lane])
            }
            SurfaceObject::Variable(_) => "names no surface (no surface is bound to the variable)".into(),
            SurfaceObject::TextureVariable(_) => {
                "names no texture (no texture is bound to the variable)".into()
            }
            SurfaceObject::Parameter(_) => "names no surface (no surface was passed)".into(),
        };
        self.unspecified(pc, "the surface operand", why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_found_again_and_neighbours_of_handles_are_none() {
        for index in [0, 1, 2, 1000, 0x00FF_FFFF] {
            assert_eq!(number(handle(index)), index);
        }
        for index in 0..1000 {
            for change in -64i64..=64 {
                let altered = number(handle(index).wrapping_add_signed(change));
                assert!(change == 0 || altered > 4096, "{index} {change:+} is {altered}");
            }
        }
        assert!(number(0) > 1 << 30);
    }

    #[test]
    fn only_the_lower_half_names() {
        assert_eq!(number(handle(7) & 0xFFFF_FFFF), 7);
    }
}

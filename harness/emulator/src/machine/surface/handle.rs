//! Handles: the 64-bit values that name surfaces and textures.
//!
//! A handle, bindless or the address of a `.surfref` variable, is no number that means anything: targets hand out different
//! ones, so in a tracked run its bits are *unordered* and are not compared where a program stores them. "Accessing the pointer with
//! ld and st instructions, or performing pointer arithmetic will result in undefined results" (PTX ISA 5.3): what is computed of a
//! handle is undefined, what is loaded from it, too, and to store there leaves the launch indeterminate. Handles are scattered, so
//! that what the untracked engine makes of one names no surface.

use crate::machine::warp::Warp;
use crate::machine::{BoundTexture, Machine, OpaqueArgument};
use crate::operation::{Class, Slot, SurfaceObject};
use crate::registers::{Shade, UNORDERED, lanes};
use warpdiff_semantics::texture::sampling::Members;

/// The upper half of a surface handle. Only the lower half is looked at, as devices do.
const TAG: u64 = 0x8000_0000 << 32;
/// The bits of [`TAG`] in a handle.
const TAG_MASK: u64 = 0xFFFF_FFFF << 32;
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

/// What a handle names: an object that the host made, or a variable or kernel parameter of opaque type, to which it is a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A surface or texture object.
    Object(usize),
    /// A `.surfref` variable, by its number.
    Surface(usize),
    /// A `.texref` variable, by its number.
    Texture(usize),
    /// A `.samplerref` variable, by its number.
    Sampler(usize),
    /// A kernel parameter, by its position.
    Parameter(usize),
}

/// The logarithm of how many of each kind have handles.
const EACH: u32 = 24;

impl Named {
    /// What the value names, were it given out as a handle; none if it can be no handle.
    pub(crate) fn by(value: u64) -> Option<Self> {
        let number = number(value);
        let index = number & ((1 << EACH) - 1);
        Some(match number >> EACH {
            0 => Self::Object(index),
            1 => Self::Texture(index),
            2 => Self::Sampler(index),
            3 => Self::Surface(index),
            4 => Self::Parameter(index),
            _ => return None,
        })
    }

    /// Its handle.
    pub(crate) fn handle(self) -> u64 {
        let (kind, index) = match self {
            Self::Object(index) => (0, index),
            Self::Texture(index) => (1, index),
            Self::Sampler(index) => (2, index),
            Self::Surface(index) => (3, index),
            Self::Parameter(index) => (4, index),
        };
        handle(kind << EACH | index)
    }

    /// Its number among those of its kind.
    fn index(self) -> usize {
        match self {
            Self::Object(index)
            | Self::Surface(index)
            | Self::Texture(index)
            | Self::Sampler(index)
            | Self::Parameter(index) => index,
        }
    }
}

/// The handle of that number; numbers below 2^24 are those of objects.
pub(crate) fn handle(number: usize) -> u64 {
    TAG | u64::from((number as u32).wrapping_add(1).wrapping_mul(SCATTER))
}

/// The number in a handle; that of a value that is none is larger than any.
pub(crate) fn number(handle: u64) -> usize {
    (handle as u32).wrapping_mul(GATHER).wrapping_sub(1) as usize
}

/// Handles that are looked for among the values of registers: more than a launch has.
const LIMIT: usize = 1 << 16;

/// Whether a register of a tracked run holds a handle as it was given out: a handle is unordered in all of its bits, and an unordered
/// number that some atomic returned is none by chance.
pub(in crate::machine) fn is_handle(value: u64, shade: &Shade) -> bool {
    let is_known = Named::by(value).is_some_and(|named| named.index() < LIMIT);
    shade.unordered == u64::MAX && value & TAG_MASK == TAG && is_known
}

impl Machine<'_> {
    /// Whether the address of an access in a lane is a handle.
    pub(in crate::machine) fn is_handle_address(w: &Warp, base: Option<Slot>, lane: usize) -> bool {
        base.is_some_and(|slot| {
            let row = w.rows.row(slot);
            let is_shaded = w.registers.dirt(slot.class, row) & UNORDERED != 0;
            is_shaded
                && slot.class == Class::Wide
                && is_handle(
                    w.registers.get(slot.class, row, lane),
                    &w.registers.shade(slot.class, row, lane),
                )
        })
    }

    /// What is stored, or changed, at a handle may be anything: the launch is indeterminate. Answers whether it is.
    pub(in crate::machine) fn stores_at_handle(
        &mut self,
        w: &Warp,
        base: Option<Slot>,
        mask: u32,
        pc: u32,
    ) -> bool {
        let found = lanes(mask).any(|lane| Self::is_handle_address(w, base, lane));
        if found {
            self.unspecified(pc, "the address", "is a pointer to an opaque variable".into());
        }
        found
    }

    /// The surface that a lane names.
    pub(super) fn surface_of(&self, w: &Warp, object: SurfaceObject, lane: usize) -> Option<usize> {
        match object {
            SurfaceObject::Register(index) => match Named::by(w.registers.wide[w.rows.w(index)][lane])? {
                Named::Object(number) => self.handles.get(number).copied().flatten(),
                Named::Surface(number) => self.bindings.get(number).copied().flatten(),
                Named::Parameter(position) => self.surface_parameter(position),
                Named::Texture(_) | Named::Sampler(_) => None,
            },
            SurfaceObject::Variable(number) => self.bindings.get(number as usize).copied().flatten(),
            SurfaceObject::Parameter(position) => self.surface_parameter(position as usize),
            SurfaceObject::TextureVariable(_) | SurfaceObject::SamplerVariable(_) => None,
        }
    }

    /// The texture that a lane names; if it does so by a variable whose initialiser says something of its sampler, also that.
    pub(super) fn texture_of(
        &self,
        w: &Warp,
        object: SurfaceObject,
        lane: usize,
    ) -> Option<(BoundTexture, Option<Members>)> {
        let variable = match object {
            SurfaceObject::Register(index) => match Named::by(w.registers.wide[w.rows.w(index)][lane])? {
                Named::Object(number) => {
                    return Some((self.textures.get(number).copied().flatten()?, None));
                }
                Named::Parameter(position) => return Some((self.texture_parameter(position)?, None)),
                Named::Texture(variable) => variable,
                Named::Surface(_) | Named::Sampler(_) => return None,
            },
            SurfaceObject::TextureVariable(number) => number as usize,
            SurfaceObject::Parameter(position) => {
                return Some((self.texture_parameter(position as usize)?, None));
            }
            SurfaceObject::Variable(_) | SurfaceObject::SamplerVariable(_) => return None,
        };
        let members = self.code.texture_members.get(variable).filter(|members| !members.is_empty());
        Some((self.texture_bindings.get(variable).copied().flatten()?, members.copied()))
    }

    /// The sampler that a lane names.
    pub(super) fn sampler_of(&self, w: &Warp, object: SurfaceObject, lane: usize) -> Option<Members> {
        let variable = match object {
            SurfaceObject::Register(index) => match Named::by(w.registers.wide[w.rows.w(index)][lane])? {
                Named::Sampler(variable) => variable,
                Named::Parameter(position) => return self.sampler_parameter(position),
                Named::Object(_) | Named::Surface(_) | Named::Texture(_) => return None,
            },
            SurfaceObject::SamplerVariable(number) => number as usize,
            SurfaceObject::Parameter(position) => return self.sampler_parameter(position as usize),
            SurfaceObject::Variable(_) | SurfaceObject::TextureVariable(_) => return None,
        };
        self.code.samplers.get(variable).copied()
    }

    pub(super) fn opaque_parameter(&self, position: usize) -> Option<OpaqueArgument> {
        self.opaque_parameters.get(position).copied().flatten()
    }

    fn surface_parameter(&self, position: usize) -> Option<usize> {
        match self.opaque_parameter(position)? {
            OpaqueArgument::Surface(surface) => Some(surface),
            OpaqueArgument::Texture(_) | OpaqueArgument::Sampler(_) => None,
        }
    }

    fn texture_parameter(&self, position: usize) -> Option<BoundTexture> {
        match self.opaque_parameter(position)? {
            OpaqueArgument::Texture(texture) => Some(texture),
            OpaqueArgument::Surface(_) | OpaqueArgument::Sampler(_) => None,
        }
    }

    fn sampler_parameter(&self, position: usize) -> Option<Members> {
        match self.opaque_parameter(position)? {
            OpaqueArgument::Sampler(sampler) => Some(sampler),
            OpaqueArgument::Surface(_) | OpaqueArgument::Texture(_) => None,
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
            SurfaceObject::TextureVariable(_) | SurfaceObject::SamplerVariable(_) => {
                "names no texture (no texture is bound to the variable)".into()
            }
            SurfaceObject::Parameter(_) => "names no surface or texture (none was passed)".into(),
        };
        self.unspecified(pc, "the surface operand", why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(index: usize) -> [Named; 5] {
        use Named::{Object, Parameter, Sampler, Surface, Texture};
        [Object(index), Surface(index), Texture(index), Sampler(index), Parameter(index)]
    }

    #[test]
    fn handles_are_found_again_and_neighbours_of_handles_are_none() {
        for index in [0, 1, 2, 1000, 0x00FF_FFFF] {
            for named in kinds(index) {
                assert_eq!(Named::by(named.handle()), Some(named));
            }
            assert_eq!(handle(index), Named::Object(index).handle());
        }
        for index in 0..1000 {
            for change in (-64i64..=64).filter(|change| *change != 0) {
                let altered = Named::by(handle(index).wrapping_add_signed(change));
                assert!(altered.is_none_or(|other| other.index() > 4096), "{index} {change:+}: {altered:?}");
            }
        }
        assert_eq!(Named::by(0), None);
    }

    #[test]
    fn a_handle_is_told_from_other_unordered_numbers() {
        let unordered = Shade { unordered: u64::MAX, ..Shade::CLEAN };
        for named in kinds(3) {
            assert!(is_handle(named.handle(), &unordered));
        }
        assert!(!is_handle(handle(3), &Shade::CLEAN), "a number that a program made itself");
        assert!(!is_handle(handle(3), &Shade { unordered: 0xFFFF_FFFF, ..Shade::CLEAN }), "half a handle");
        for other in [0, 1, u64::MAX, handle(3) + 1, handle(3) & 0xFFFF_FFFF, TAG] {
            assert!(!is_handle(other, &unordered), "{other:#x}");
        }
    }

    #[test]
    fn only_the_lower_half_names() {
        assert_eq!(number(handle(7) & 0xFFFF_FFFF), 7);
    }
}

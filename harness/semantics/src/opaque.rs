//! Opaque objects: the names of surfaces, textures and samplers for hosts and programs.
//!
//! A handle, bindless or the address of a `.surfref` variable, is no number that means anything: targets hand out different
//! ones, so in a tracked run its bits are *unordered* and are not compared where a program stores them. "Accessing the pointer with
//! ld and st instructions, or performing pointer arithmetic will result in undefined results" (PTX ISA 5.3): what is computed of a
//! handle is undefined, what is loaded from it, too, and to store there leaves the launch indeterminate. Handles are scattered, so
//! that what the untracked engine makes of one names no surface.

use warpdiff_model::Sampler;

use crate::texture::sampling::Members;

/// An image as a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundTexture {
    /// The image: index into the surfaces of the launch, which on a device are its arrays.
    pub array: usize,
    /// The properties of the lookup.
    pub sampler: Sampler,
}

/// The binding of a kernel parameter of opaque type.
#[derive(Clone, Copy, Debug)]
pub enum OpaqueArgument {
    /// For a `.param .surfref`: index into the surfaces of the launch.
    Surface(usize),
    /// For a `.param .texref`.
    Texture(BoundTexture),
    /// For a `.param .samplerref`.
    Sampler(Members),
}

/// The headers by which machine code names opaque objects: small numbers from 1. A handle has the header of a texture or surface in
/// its bits 0 to 19, and that of a sampler in bits 20 to 31, where 0 stands for the sampler that belongs to the texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// The number of objects made by the host, of surface, texture and sampler variables, and of parameters.
    counts: [u32; 5],
}

impl Headers {
    /// Bits of a handle that hold the header of a texture or surface.
    const BITS: u32 = 20;

    /// Headers for so many objects made by the host, surface, texture and sampler variables, and parameters.
    pub fn new(counts: [usize; 5]) -> Self {
        Self { counts: counts.map(|count| count as u32) }
    }

    /// The largest header.
    pub fn count(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The header of an object.
    fn header(&self, named: Named) -> u32 {
        let kind = match named {
            Named::Object(_) => 0,
            Named::Surface(_) => 1,
            Named::Texture(_) => 2,
            Named::Sampler(_) => 3,
            Named::Parameter(_) => 4,
        };
        1 + self.counts[..kind].iter().sum::<u32>() + named.index() as u32
    }

    /// The object with a header.
    #[inline]
    pub fn named(&self, header: u32) -> Option<Named> {
        let kinds = [Named::Object, Named::Surface, Named::Texture, Named::Sampler, Named::Parameter];
        let mut index = header.checked_sub(1)?;
        for (count, kind) in self.counts.iter().zip(kinds) {
            match index.checked_sub(*count) {
                None => return Some(kind(index as usize)),
                Some(rest) => index = rest,
            }
        }
        None
    }

    /// The handle of a texture or surface.
    pub fn handle(&self, named: Named) -> u32 {
        self.header(named)
    }

    /// The handle of a sampler, which is combined with that of a texture by `or`.
    pub fn sampler_handle(&self, named: Named) -> u32 {
        self.header(named) << Self::BITS
    }

    /// The texture or surface that a handle names.
    #[inline]
    pub fn image(&self, handle: u32) -> Option<Named> {
        self.named(handle & ((1 << Self::BITS) - 1))
    }

    /// The sampler that a handle names, if it is another than that of the texture.
    #[inline]
    pub fn sampler(&self, handle: u32) -> Option<Named> {
        self.named(handle >> Self::BITS)
    }
}

/// The bindings of opaque objects. A surface is an index into the surfaces of the launch.
#[derive(Default)]
pub struct OpaqueBindings {
    /// The surface of each handle; each surface has its own handle unless a device assigns the handles.
    pub handles: Vec<Option<usize>>,
    /// The texture of each handle: no handle has both a texture and a surface.
    pub textures: Vec<Option<BoundTexture>>,
    /// The surface bound to each surface variable.
    pub bindings: Vec<Option<usize>>,
    /// The texture bound to each texture variable.
    pub texture_bindings: Vec<Option<BoundTexture>>,
    /// The object bound to each parameter of opaque type, by position.
    pub parameters: Vec<Option<OpaqueArgument>>,
    /// The headers of machine code.
    pub headers: Headers,
}

impl OpaqueBindings {
    /// The surface that is named, as an index into the surfaces of the launch.
    #[inline]
    pub fn surface(&self, named: Named) -> Option<usize> {
        match named {
            Named::Object(number) => self.handles.get(number).copied().flatten(),
            Named::Surface(number) => self.bindings.get(number).copied().flatten(),
            Named::Parameter(position) => match self.parameters.get(position).copied().flatten()? {
                OpaqueArgument::Surface(surface) => Some(surface),
                OpaqueArgument::Texture(_) | OpaqueArgument::Sampler(_) => None,
            },
            Named::Texture(_) | Named::Sampler(_) => None,
        }
    }

    /// The texture that is named.
    #[inline]
    pub fn texture(&self, named: Named) -> Option<BoundTexture> {
        match named {
            Named::Object(number) => self.textures.get(number).copied().flatten(),
            Named::Texture(number) => self.texture_bindings.get(number).copied().flatten(),
            Named::Parameter(position) => match self.parameters.get(position).copied().flatten()? {
                OpaqueArgument::Texture(texture) => Some(texture),
                OpaqueArgument::Surface(_) | OpaqueArgument::Sampler(_) => None,
            },
            Named::Surface(_) | Named::Sampler(_) => None,
        }
    }
}

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

/// The object that a handle names: one made by the host, or a variable or kernel parameter of opaque type that the handle points
/// to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
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
    /// The object that the value would name as a handle; `None` if it cannot be a handle.
    #[inline]
    pub fn by(value: u64) -> Option<Self> {
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
    pub fn handle(self) -> u64 {
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
#[inline]
pub fn handle(number: usize) -> u64 {
    TAG | u64::from((number as u32).wrapping_add(1).wrapping_mul(SCATTER))
}

/// The number in a handle; for other values a number larger than any handle's.
#[inline]
pub fn number(handle: u64) -> usize {
    (handle as u32).wrapping_mul(GATHER).wrapping_sub(1) as usize
}

/// Handles that are looked for among the values of registers: more than a launch has.
const LIMIT: usize = 1 << 16;

/// Whether a value of a tracked run, with its `unordered` bits, is an unmodified handle: all bits of a handle are unordered, and an unordered
/// result of an atomic is assumed not to equal a handle by chance.
#[inline]
pub fn is_handle(value: u64, unordered: u64) -> bool {
    let is_known = || Named::by(value).is_some_and(|named| named.index() < LIMIT);
    unordered == u64::MAX && value & TAG_MASK == TAG && is_known()
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
        let unordered = u64::MAX;
        for named in kinds(3) {
            assert!(is_handle(named.handle(), unordered));
        }
        assert!(!is_handle(handle(3), 0), "a number that a program made itself");
        assert!(!is_handle(handle(3), 0xFFFF_FFFF), "half a handle");
        for other in [0, 1, u64::MAX, handle(3) + 1, handle(3) & 0xFFFF_FFFF, TAG] {
            assert!(!is_handle(other, unordered), "{other:#x}");
        }
    }

    #[test]
    fn only_the_lower_half_names() {
        assert_eq!(number(handle(7) & 0xFFFF_FFFF), 7);
    }
}

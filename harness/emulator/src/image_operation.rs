//! Operations on images: surface accesses, queries and texture lookups, and the operand that names the object.

use crate::operation::{Class, Slot};

/// A surface access.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceAccess {
    /// The action.
    pub(crate) action: SurfaceAction,
    /// The surface.
    pub(crate) object: SurfaceObject,
    /// Shape.
    pub(crate) geometry: warpdiff_model::Geometry,
    /// x, y, z registers (s32); those that the geometry does not have are 0.
    pub(crate) coordinates: [Option<Slot>; 3],
    /// The layer of an array geometry.
    pub(crate) layer: Option<Slot>,
    /// Bytes of an element: 1, 2, 4, 8.
    pub(crate) size: u32,
    /// Elements transferred: 1, 2, 4.
    pub(crate) elements: u32,
    /// One register per element; a load of one element may have any number of registers, which all receive it.
    pub(crate) registers: Vec<Option<Slot>>,
    /// Out-of-bounds behaviour.
    pub(crate) clamp: warpdiff_semantics::surface::OutOfBoundsMode,
    /// The unit of x.
    pub(crate) unit: warpdiff_semantics::surface::Unit,
}

/// The action of a surface access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SurfaceAction {
    /// `suld.b`
    Load,
    /// `SULD.P`: one register per component, R, G, B, A.
    LoadTexel,
    /// `sust.b`
    Store,
    /// `sust.p`
    StoreTexel,
    /// `sured`, and `SUATOM`, which returns what it found: index into [`crate::decoded::Decoded::atomics`] of the operation on the
    /// location.
    Reduce(u32),
    /// `sured.p`: the same for unsigned and for signed data; the format of the surface tells which.
    ReduceByFormat {
        /// On UINT formats.
        unsigned: u32,
        /// On SINT formats.
        signed: u32,
    },
}

impl SurfaceAction {
    /// Whether it changes no texel.
    pub(crate) fn is_load(self) -> bool {
        matches!(self, Self::Load | Self::LoadTexel)
    }

    /// The atomic that a reduction does; of two that the format chooses from the first: their registers are the same.
    pub(crate) fn atomic(self) -> Option<u32> {
        match self {
            Self::Reduce(atomic) | Self::ReduceByFormat { unsigned: atomic, .. } => Some(atomic),
            Self::Load | Self::LoadTexel | Self::Store | Self::StoreTexel => None,
        }
    }
}

/// `suq` or `txq`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceQuery {
    /// The queried property.
    pub(crate) query: warpdiff_semantics::surface::query::Query,
    /// The kind of object.
    pub(crate) of: QueryObject,
    /// The object.
    pub(crate) object: SurfaceObject,
    /// A narrow register.
    pub(crate) destination: Slot,
}

/// The kind of object queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum QueryObject {
    /// A surface.
    Surface,
    /// A texture, with its sampler in unified texture mode.
    Texture,
    /// A sampler of independent texture mode.
    Sampler,
}

/// A lookup in a texture: `tex`, `tld4`, and those of machine code.
#[derive(Clone, Debug)]
pub(crate) struct TextureLookup {
    /// The texture.
    pub(crate) object: SurfaceObject,
    /// The sampler beside it, in independent texture mode.
    pub(crate) sampler: Option<SurfaceObject>,
    /// Shape.
    pub(crate) geometry: warpdiff_model::Geometry,
    /// x, y, z registers; those that the geometry does not have are none.
    pub(crate) coordinates: [Option<Slot>; 3],
    /// Whether coordinates are `.s32`, not `.f32`.
    pub(crate) integers: bool,
    /// Whether its integer coordinates name a texel under the alternative `by-instruction`.
    pub(crate) names_texel: bool,
    /// The index into an array.
    pub(crate) layer: Option<Slot>,
    /// `.dtype`; `None`: that of the texture.
    pub(crate) wanted: Option<warpdiff_semantics::texture::Kind>,
    /// One per component.
    pub(crate) registers: Vec<Option<Slot>>,
    /// Whether a texture of one dimension may be looked up in two: see [`crate::machine`]'s rule.
    pub(crate) is_flattened: bool,
    /// What it has beside the place.
    pub(crate) beside: Beside,
}

/// What a lookup has beside the place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    /// Texels added to the coordinates.
    pub(crate) offsets: Option<Offsets>,
    /// The component of four texels that a gather gives.
    pub(crate) gathered: Option<u8>,
    /// Levels, what is added to them, and derivatives. Each is a float; a NaN chooses no level, so that nothing is known of the result.
    pub(crate) levels: Vec<Slot>,
    /// The number of a level.
    pub(crate) level: Option<Slot>,
    /// Whether it is PTX, which leaves open what a level gives that the texture does not have, and which row of four texels is the lower
    /// one.
    pub(crate) is_ptx: bool,
}

/// Offsets in texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offsets {
    /// A register for each coordinate, of PTX: "offset value is in the range of -8 to +7".
    Words([Option<Slot>; 3]),
    /// One offset: signed fields of `width` bits, one for each coordinate, `stride` bits apart from bit `low` on.
    One {
        /// The register.
        word: Slot,
        /// The lowest bit of that of x.
        low: u32,
        /// Bits from one to the next.
        stride: u32,
        /// Bits of each.
        width: u32,
    },
    /// Those of four texels, x and y of each: signed fields of six bits, eight bits apart, four in each register.
    Four([Slot; 2]),
}

impl Offsets {
    /// The registers.
    pub(crate) fn slots(self) -> [Option<Slot>; 3] {
        match self {
            Self::Words(words) => words,
            Self::One { word, .. } => [Some(word), None, None],
            Self::Four([first, second]) => [Some(first), Some(second), None],
        }
    }
}

impl TextureLookup {
    /// Its registers besides those of the texture, the sampler and the place.
    pub(crate) fn further(&self) -> impl Iterator<Item = Slot> {
        let offsets = self.beside.offsets.map_or([None; 3], Offsets::slots);
        offsets.into_iter().flatten().chain(self.beside.levels.iter().copied()).chain(self.beside.level)
    }
}

/// The operand that names the surface, texture or sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SurfaceObject {
    /// A handle or pointer in a wide register.
    Register(u32),
    /// In machine code: the lower half of one in a narrow register.
    Word(u32),
    /// The handle of a surface variable, by its number.
    Variable(u32),
    /// The handle of a texture variable, by its number.
    TextureVariable(u32),
    /// A variable, by its number among the samplers.
    SamplerVariable(u32),
    /// The kernel parameter of opaque type at this position.
    Parameter(u32),
}

impl SurfaceObject {
    /// The register that holds it, if one does.
    pub(crate) fn slot(self) -> Option<Slot> {
        match self {
            Self::Register(index) => Some(Slot { class: Class::Wide, index }),
            Self::Word(index) => Some(Slot { class: Class::Narrow, index }),
            _ => None,
        }
    }
}

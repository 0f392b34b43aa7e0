//! Textures and samplers: address, filter and read modes, and which formats suit them.

use crate::{ChannelType, Surface};

/// The meaning, in one dimension, of coordinates outside an image. The names are those of the CUDA driver API
/// (`CU_TR_ADDRESS_MODE_…`); PTX calls `Clamp` `clamp_to_edge` and `Border` `clamp_to_border`, and its `clamp_ogl` is
/// `ClampOgl`, which has no counterpart in the driver API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The image repeats. A device does so under normalised coordinates alone, and clamps under others.
    Wrap,
    /// The texel at the edge.
    #[default]
    Clamp,
    /// The image repeats, every other time reversed. A device does so under normalised coordinates alone.
    Mirror,
    /// [`Sampler::border`].
    Border,
    /// `GL_CLAMP` of OpenGL 1.0: the coordinates are clamped to the image, ends included, so that linear filtering mixes the
    /// texel at the edge with [`Sampler::border`].
    ClampOgl,
}

impl AddressMode {
    /// Every mode, with its name in case files and messages. The position is its number in the driver API, which has the
    /// first [`Self::IN_DRIVER_API`] of them.
    pub const ALL: [(Self, &str); 5] = [
        (Self::Wrap, "wrap"),
        (Self::Clamp, "clamp"),
        (Self::Mirror, "mirror"),
        (Self::Border, "border"),
        (Self::ClampOgl, "clamp-ogl"),
    ];
    /// The number of modes in the driver API.
    pub const IN_DRIVER_API: usize = 4;
}

/// The way in which texels around the coordinates are combined (`CU_TR_FILTER_MODE_…`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FilterMode {
    /// The texel that the coordinates lie in.
    #[default]
    Nearest,
    /// The weighted mean of the texels around them.
    Linear,
}

impl FilterMode {
    /// Every mode, with its name; the position is its number in the driver API.
    pub const ALL: [(Self, &str); 2] = [(Self::Nearest, "nearest"), (Self::Linear, "linear")];
}

/// The type that a channel is read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadMode {
    /// The type that it is stored as (`CU_TRSF_READ_AS_INTEGER`).
    #[default]
    Element,
    /// A float from 0 to 1, or from -1 to 1, onto which the range of an integer of 8 or 16 bits is mapped.
    NormalizedFloat,
}

impl ReadMode {
    /// Every mode, with its name.
    pub const ALL: [(Self, &str); 2] =
        [(Self::Element, "element"), (Self::NormalizedFloat, "normalized-float")];

    /// Whether channels of this type can be read so: only integers of 8 and 16 bits are read as normalised floats.
    pub fn suits(self, channel: ChannelType) -> bool {
        use ChannelType::{S8, S16, U8, U16};
        self == Self::Element || matches!(channel, U8 | U16 | S8 | S16)
    }
}

/// The settings for reading a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// The address modes of x, y and z.
    pub address: [AddressMode; 3],
    /// Filter.
    pub filter: FilterMode,
    /// Whether coordinates go from 0 to 1 over the image (`CU_TRSF_NORMALIZED_COORDINATES`), not from 0 to its extent in texels.
    pub normalized_coordinates: bool,
    /// The type that channels are read as.
    pub read: ReadMode,
    /// The colour outside under [`AddressMode::Border`]: per channel the bits of a 32-bit float.
    pub border: [u32; 4],
}

/// A texture and its contents.
///
/// No instruction writes a texture, so it is not part of the state that a launch leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Name, shape, format and texels; [`Surface::bound_to`] is the module-scope `.texref` that the texture is bound to, if any.
    pub image: Surface,
    /// The settings for reading it.
    pub sampler: Sampler,
}

//! Images and textures of a specimen, and how its program reaches them.

use warpdiff_model::{AddressMode, ChannelType, FilterMode, Format, Geometry, ReadMode, Sampler};

use crate::specimen::Side;

/// An opaque object of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// An image.
    Image(Side),
    /// The texture.
    Picture,
    /// The sampler beside the texture, in independent texture mode.
    Sampler,
}

impl Object {
    /// Every object.
    pub(crate) const ALL: [Self; 4] =
        [Self::Image(Side::Source), Self::Image(Side::Sink), Self::Picture, Self::Sampler];
}

/// How a program reaches an opaque object (5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// By the name of a module-scope `.surfref`, `.texref` or `.samplerref`.
    Variable,
    /// By a pointer to such a variable, which `mov` makes.
    Pointer,
    /// By the name of a kernel parameter of opaque type.
    Parameter,
    /// By a handle that the kernel is passed.
    Handle,
}

impl Reach {
    /// Half of the objects are handles; of 32 others eight are reached by a pointer, and one is a parameter: drivers bind none of these, so that
    /// devices cannot run its program.
    pub(crate) fn drawn(roll: u8) -> Self {
        match (roll & 1, roll >> 1 & 15, roll >> 7) {
            (1, ..) => Self::Handle,
            (_, 0..=3, _) => Self::Pointer,
            (_, 4, 1) => Self::Parameter,
            _ => Self::Variable,
        }
    }

    /// The same of the texture in independent mode and of the sampler beside it: of eight one is a parameter. Pointers are for samplers: "indirect
    /// access to textures is supported only in unified texture mode" (5.3).
    pub(crate) fn drawn_in_independent_mode(roll: u8, has_pointers: bool) -> Self {
        match roll % 8 {
            0 => Self::Parameter,
            1..=3 if has_pointers => Self::Pointer,
            _ => Self::Variable,
        }
    }

    /// Whether there is a module-scope variable.
    pub fn is_variable(self) -> bool {
        matches!(self, Self::Variable | Self::Pointer)
    }

    /// Whether a register stands for the object where it is accessed.
    pub fn is_by_register(self) -> bool {
        matches!(self, Self::Pointer | Self::Handle)
    }

    /// Whether the kernel has a parameter for it.
    pub fn is_parameter(self) -> bool {
        matches!(self, Self::Parameter | Self::Handle)
    }
}

/// A surface of a specimen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Shape.
    pub geometry: Geometry,
    /// Width in texels.
    pub width: u32,
    /// Height in texels; 1 where the geometry has none.
    pub height: u32,
    /// Depth in texels; 1 where the geometry has none.
    pub depth: u32,
    /// Layers of an array; 1 where the geometry is none.
    pub layers: u32,
    /// Texel format.
    pub format: Format,
    /// Texels, packed.
    pub bytes: Vec<u8>,
    /// How the program reaches it.
    pub reach: Reach,
    /// Whether its variable has an initialiser, with members that say what the host sets up.
    pub has_members: bool,
}

impl Image {
    /// Coordinates an access takes, in their order.
    pub fn coordinates(&self) -> &'static [Coordinate] {
        use Coordinate::{Ignored, Layer, X, Y, Z};
        match self.geometry {
            Geometry::D1 => &[X],
            Geometry::D2 => &[X, Y],
            Geometry::D3 => &[X, Y, Z, Ignored],
            Geometry::A1d => &[Layer, X],
            Geometry::A2d => &[Layer, X, Y, Ignored],
            // A direction.
            Geometry::Cube => &[X, Y, Z, Ignored],
            Geometry::Acube => &[Layer, X, Y, Z],
        }
    }

    /// Elements of the derivatives and the offsets of a lookup.
    pub fn dimensions(&self) -> usize {
        match self.geometry {
            Geometry::D1 | Geometry::A1d => 1,
            Geometry::D2 | Geometry::A2d => 2,
            Geometry::D3 | Geometry::Cube | Geometry::Acube => 4,
        }
    }

    /// Whether a channel is an integer as it is, no fraction and no float.
    pub(crate) fn has_integers(&self) -> bool {
        use ChannelType::{S8, S16, S32, U8, U16, U32};
        matches!(self.format.channel, U8 | U16 | U32 | S8 | S16 | S32)
    }

    /// Bytes of one row.
    pub fn row(&self) -> u32 {
        self.width * self.format.texel_size()
    }

    /// The number of texels, or layers, along a coordinate.
    pub fn extent_along(&self, coordinate: Coordinate) -> u32 {
        match coordinate {
            Coordinate::X => self.width,
            Coordinate::Y => self.height,
            Coordinate::Z => self.depth,
            Coordinate::Layer => self.layers,
            Coordinate::Ignored => 1,
        }
    }

    /// As many zeros as its texels have bytes.
    pub(crate) fn bytes_in_all(&self) -> Vec<u8> {
        vec![0; (self.row() * self.height * self.depth * self.layers) as usize]
    }
}

/// A texture of a specimen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Shape and texels.
    pub image: Image,
    /// The sampler that the host sets.
    pub sampler: Sampler,
    /// The sampler that counts instead, in independent texture mode.
    pub beside: Option<Beside>,
}

impl Picture {
    /// The settings of a lookup: whether coordinates are normalised, the filter, and the modes of x, y and z.
    pub fn sampling(&self) -> (bool, FilterMode, [AddressMode; 3]) {
        let normalized = self.sampler.normalized_coordinates;
        match &self.beside {
            Some(beside) => (normalized && !beside.force_unnormalized, beside.filter, beside.address),
            None => (normalized, self.sampler.filter, self.sampler.address),
        }
    }
}

/// A sampler: a `.samplerref` variable, by the members of its initialiser (5.3.2), or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beside {
    /// `addr_mode_0` to `addr_mode_2`
    pub address: [AddressMode; 3],
    /// `filter_mode`
    pub filter: FilterMode,
    /// `force_unnormalized_coords`
    pub force_unnormalized: bool,
    /// How the program reaches it; never by a handle.
    pub reach: Reach,
}

impl Beside {
    /// The sampler that the host passes for one that is a parameter: "the OpenCL sampler-based normalized_coords flag maps (negated) to the
    /// PTX-level force_unnormalized_coords flag" (5.3.2).
    pub(crate) fn of_host(&self) -> Sampler {
        Sampler {
            address: self.address,
            filter: self.filter,
            normalized_coordinates: !self.force_unnormalized,
            read: ReadMode::Element,
            border: [0; 4],
        }
    }
}

/// The meaning of an element of a coordinate tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// The lowest dimension, in bytes or samples.
    X,
    /// The row.
    Y,
    /// The slice.
    Z,
    /// The layer, unsigned.
    Layer,
    /// The fourth element, which fills the vector up.
    Ignored,
}

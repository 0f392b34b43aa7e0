//! Surfaces: geometry, extents and row sizes of images that a launch reads and writes.

use serde::{Deserialize, Serialize};

use crate::Format;

/// The shape of a surface, as PTX's `.geom` modifiers name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Geometry {
    /// `.1d`
    #[serde(rename = "1d")]
    D1,
    /// `.2d`
    #[serde(rename = "2d")]
    D2,
    /// `.3d`
    #[serde(rename = "3d")]
    D3,
    /// `.a1d`: layers of 1d surfaces.
    A1d,
    /// `.a2d`: layers of 2d surfaces.
    A2d,
    /// `.cube`, of textures alone: six layers of squares, the faces of a cube.
    Cube,
    /// `.acube`, of textures alone: layers of squares, six for each cube.
    Acube,
}

impl Geometry {
    /// Faces of a cube, each of which is a layer.
    pub const FACES: u32 = 6;

    /// The geometry in which surface instructions access it: "a cubemap surface is accessed … as a two-dimensional layered surface" (CUDA C++
    /// Programming Guide, "Cubemap Surfaces").
    pub fn of_surfaces(self) -> Self {
        if self.is_cube() { Self::A2d } else { self }
    }

    /// Whether it is one or several cubes.
    pub fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::Acube)
    }
}

/// A surface and its initial contents.
///
/// `bytes` holds the texels tightly packed: x fastest, then y, then z (3d) or layer (a1d, a2d, cube, acube), no row padding. A real
/// target may pad rows; what is compared is this packed form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Name, unique within the launch.
    pub name: String,
    /// Shape.
    pub geometry: Geometry,
    /// Width, height, depth in texels. Unused dimensions are 1.
    pub extent: [u32; 3],
    /// Number of layers of an array geometry; of cubes their faces; 1 otherwise.
    pub layers: u32,
    /// Texel format.
    pub format: Format,
    /// Initial texels, [`Surface::size`] bytes.
    pub bytes: Vec<u8>,
    /// The module-scope `.surfref` variable this surface is bound to, if any; its handle is available to arguments
    /// either way.
    pub bound_to: Option<String>,
}

impl Surface {
    /// Bytes of one row: width × texel size.
    pub fn row_size(&self) -> u64 {
        u64::from(self.extent[0]) * u64::from(self.format.texel_size())
    }

    /// Bytes of one slice (a z plane or a layer).
    pub fn slice_size(&self) -> u64 {
        self.row_size() * u64::from(self.extent[1])
    }

    /// Bytes of all texels.
    pub fn size(&self) -> u64 {
        self.slice_size() * u64::from(self.extent[2]) * u64::from(self.layers)
    }
}

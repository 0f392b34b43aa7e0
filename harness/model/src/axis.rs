//! The directions in which surfaces are addressed, and a surface's shape and a place in it in words.

use crate::Geometry;

/// A direction in which a surface is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along a row.
    X,
    /// From row to row.
    Y,
    /// From slice to slice of a 3d surface.
    Z,
    /// From layer to layer of an array.
    Layer,
}

impl Axis {
    /// The axes of a geometry in the order of the operand. Further elements of the operand are ignored.
    pub fn of(geometry: Geometry) -> &'static [Axis] {
        match geometry {
            Geometry::D1 => &[Self::X],
            Geometry::D2 => &[Self::X, Self::Y],
            Geometry::D3 => &[Self::X, Self::Y, Self::Z],
            Geometry::A1d => &[Self::Layer, Self::X],
            Geometry::A2d => &[Self::Layer, Self::X, Self::Y],
            // No surface instruction has a cube.
            Geometry::Cube | Geometry::Acube => &[],
        }
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
            Self::Layer => "layer",
        }
    }
}

/// "x = 16, y = 2": coordinates in words.
pub fn place_in_words(coordinates: impl IntoIterator<Item = (Axis, i64)>) -> String {
    let words: Vec<_> =
        coordinates.into_iter().map(|(axis, value)| format!("{} = {value}", axis.name())).collect();
    words.join(", ")
}

impl Geometry {
    /// "rows of 16 bytes, 3 rows": the size of a surface with rows of `width` bytes in words, without what the geometry does not have.
    pub fn size_in_words(self, width: u64, [height, depth]: [u32; 2], layers: u32) -> String {
        match self {
            Self::D1 => format!("{width} bytes"),
            Self::D2 => format!("rows of {width} bytes, {height} rows"),
            Self::D3 => format!("rows of {width} bytes, {height} rows, {depth} slices"),
            Self::A1d => format!("rows of {width} bytes, {layers} layers"),
            Self::A2d | Self::Cube | Self::Acube => {
                format!("rows of {width} bytes, {height} rows, {layers} layers")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_no_more_than_its_geometry() {
        let words = |geometry: Geometry| geometry.size_in_words(16, [3, 2], 5);
        assert_eq!(words(Geometry::D1), "16 bytes");
        assert_eq!(words(Geometry::D2), "rows of 16 bytes, 3 rows");
        assert_eq!(words(Geometry::D3), "rows of 16 bytes, 3 rows, 2 slices");
        assert_eq!(words(Geometry::A1d), "rows of 16 bytes, 5 layers");
        assert_eq!(words(Geometry::A2d), "rows of 16 bytes, 3 rows, 5 layers");
        assert_eq!(place_in_words([(Axis::Layer, 1), (Axis::X, -4)]), "layer = 1, x = -4");
    }
}

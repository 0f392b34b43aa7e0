//! The surface and the coordinates that an access names.

use warpdiff_corpus::plan::Row;
use warpdiff_model::{Axis, Geometry};

/// The operand `[surface, {x, y}]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceOperand {
    /// Name of the surface or register.
    pub surface: String,
    /// Coordinates, each a column, another register, or a number.
    pub coordinates: Vec<Coordinate>,
}

impl SurfaceOperand {
    /// The known values of the coordinates in a row, for a surface of this geometry, in the order of the operand. A layer is
    /// unsigned ("unsigned integer index", PTX ISA 9.7.10), every other coordinate signed.
    pub fn values(&self, geometry: Geometry, row: Option<&Row>) -> Vec<(Axis, i64)> {
        let named = Axis::of(geometry).iter().zip(&self.coordinates);
        let read = |axis, value: i32| match axis {
            Axis::Layer => i64::from(value.cast_unsigned()),
            Axis::X | Axis::Y | Axis::Z => i64::from(value),
        };
        named.filter_map(|(axis, coordinate)| Some((*axis, read(*axis, coordinate.value(row)?)))).collect()
    }
}

/// A coordinate as the program writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// A register, without its `%`.
    Register(String),
    /// A constant.
    Constant(i64),
    /// Anything else.
    Other,
}

impl Coordinate {
    /// Its value in a row, as a 32-bit signed number, if it is a constant or an input column.
    pub fn value(&self, row: Option<&Row>) -> Option<i32> {
        match self {
            Self::Constant(value) => i32::try_from(*value).ok(),
            Self::Register(name) => {
                let (_, text) = row?.inputs.iter().find(|(column, _)| *column == name)?;
                parse_integer(text)
            }
            Self::Other => None,
        }
    }
}

/// Reads `-4`, `16` or `0xfffffffc` as 32 bits.
fn parse_integer(text: &str) -> Option<i32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok().map(u32::cast_signed),
        None => text
            .parse::<i64>()
            .ok()
            .and_then(|v| i32::try_from(v).or_else(|_| u32::try_from(v).map(u32::cast_signed)).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layer_comes_first_and_elements_beyond_the_geometry_are_ignored() {
        let constant = |value| Coordinate::Constant(value);
        let operand = SurfaceOperand {
            surface: "image".into(),
            coordinates: vec![constant(1), constant(-4), constant(2), constant(9)],
        };
        let values = |geometry| operand.values(geometry, None);
        assert_eq!(values(Geometry::D1), [(Axis::X, 1)]);
        assert_eq!(values(Geometry::A1d), [(Axis::Layer, 1), (Axis::X, -4)]);
        assert_eq!(values(Geometry::A2d), [(Axis::Layer, 1), (Axis::X, -4), (Axis::Y, 2)]);
        assert_eq!(values(Geometry::D3), [(Axis::X, 1), (Axis::Y, -4), (Axis::Z, 2)]);
        // The layer is an unsigned index: all ones are the greatest, not -1.
        let far = SurfaceOperand { surface: "image".into(), coordinates: vec![constant(-1), constant(-1)] };
        assert_eq!(far.values(Geometry::A1d, None), [(Axis::Layer, 4_294_967_295), (Axis::X, -1)]);
    }

    #[test]
    fn coordinates_are_read_as_32_bits() {
        assert_eq!(parse_integer("-4"), Some(-4));
        assert_eq!(parse_integer("0xfffffffc"), Some(-4));
        assert_eq!(parse_integer("4294967292"), Some(-4));
        assert_eq!(parse_integer("1.5"), None);
    }
}

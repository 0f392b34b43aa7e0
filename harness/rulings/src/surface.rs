//! Surfaces (PTX ISA 9.7.11): where coordinates lie, and what `sust.p` makes of a component.

use warpdiff_model::{ChannelType, Format, Geometry};
use warpdiff_semantics::numeric::rounding::{Layout, Rounding};
use warpdiff_semantics::surface::{Access, Descriptor, OutOfBoundsMode, Unit};

use crate::ruling::{Ruling, Rulings};

/// What decides where an access goes.
pub(crate) fn of_access(shape: &Descriptor, access: &Access) -> Rulings {
    let mut found = Rulings::default();
    if shape.geometry != access.geometry {
        found.insert(Ruling::SurfaceGeometry);
        return found;
    }
    let (texel, size) = (i64::from(shape.texel_size), i64::from(access.size));
    let row = i64::from(shape.extent[0]) * texel;
    let x = i64::from(access.x)
        * match access.unit {
            Unit::Byte => 1,
            Unit::Texel | Unit::Sample => texel,
            Unit::Element => i64::from(access.element),
        };
    found.when(x < 0, Ruling::SurfaceXLow);
    found.when(x >= row, Ruling::SurfaceXHigh);
    found.when((0..row).contains(&x) && x + size > row, Ruling::SurfaceStraddles);
    found.when(access.unit == Unit::Byte && x % size != 0, Ruling::SurfaceMisaligned);
    let has_y = matches!(access.geometry, Geometry::D2 | Geometry::D3 | Geometry::A2d);
    let has_layer = matches!(access.geometry, Geometry::A1d | Geometry::A2d);
    let is_beyond = |coordinate: i32, extent: u32| i64::from(coordinate) >= i64::from(extent);
    found.when(has_y && access.y < 0, Ruling::SurfaceYLow);
    found.when(has_y && is_beyond(access.y, shape.extent[1]), Ruling::SurfaceYHigh);
    let has_z = access.geometry == Geometry::D3;
    found.when(has_z && access.z < 0, Ruling::SurfaceZLow);
    found.when(has_z && is_beyond(access.z, shape.extent[2]), Ruling::SurfaceZHigh);
    found.when(has_layer && access.layer >= shape.layers, Ruling::SurfaceLayerOut);
    let misaligned = found.contains(Ruling::SurfaceMisaligned);
    let outside = found.iter().count() > usize::from(misaligned);
    found.insert(match (outside, access.mode) {
        (false, _) => Ruling::SurfaceInside,
        (true, OutOfBoundsMode::Clamp) => Ruling::SurfaceClamped,
        (true, OutOfBoundsMode::Zero) => Ruling::SurfaceZeroed,
        (true, OutOfBoundsMode::Trap) => Ruling::SurfaceTrapped,
    });
    found
}

/// What decides how `sust.p` converts these elements to the components of a format.
pub(crate) fn of_texel(format: Format, elements: &[u32]) -> Rulings {
    let mut found = Rulings::default();
    for bits in elements.iter().take(usize::from(format.channels)) {
        found.extend(of_component(format.channel, *bits));
    }
    found
}

/// One component: "if the surface format contains UNORM, SNORM, or FLOAT data, then .f32 is assumed; if [it] contains UINT data, then
/// .u32 is assumed; if [it] contains SINT data, then .s32 is assumed".
fn of_component(channel: ChannelType, bits: u32) -> Rulings {
    let width = 8 * channel.size();
    let steps = |width: u32| 2f64.powi(width.cast_signed()) - 1.0;
    match channel {
        ChannelType::U8 | ChannelType::U16 | ChannelType::U32 => {
            let greatest = (1i64 << width) - 1;
            of_integer(i64::from(bits), 0, greatest)
        }
        ChannelType::S8 | ChannelType::S16 | ChannelType::S32 => {
            let greatest = (1i64 << (width - 1)) - 1;
            of_integer(i64::from(bits.cast_signed()), -greatest - 1, greatest)
        }
        ChannelType::F16 => of_half(bits),
        ChannelType::F32 => of_single(bits),
        ChannelType::Unorm8 | ChannelType::Unorm16 => of_normalised(bits, 0.0, steps(width)),
        ChannelType::Snorm8 | ChannelType::Snorm16 => of_normalised(bits, -1.0, steps(width - 1)),
    }
}

fn of_integer(value: i64, least: i64, greatest: i64) -> Rulings {
    let mut found = Rulings::default();
    found.when(value < least, Ruling::TexelLow);
    found.when(value > greatest, Ruling::TexelHigh);
    found
}

fn of_normalised(bits: u32, least: f64, steps: f64) -> Rulings {
    let mut found = Rulings::default();
    let value = f64::from(f32::from_bits(bits));
    found.when(value.is_nan(), Ruling::TexelNan);
    found.when(value < least, Ruling::TexelLow);
    found.when(value > 1.0, Ruling::TexelHigh);
    let inside = (least..=1.0).contains(&value);
    found.when(inside && (value * steps).fract() != 0.0, Ruling::TexelRounded);
    found
}

fn of_single(bits: u32) -> Rulings {
    let mut found = Rulings::default();
    let value = f32::from_bits(bits);
    found.when(value.is_nan(), Ruling::TexelNan);
    found.when(value.is_subnormal(), Ruling::TexelSubnormal);
    found
}

fn of_half(bits: u32) -> Rulings {
    let mut found = Rulings::default();
    let value = f32::from_bits(bits);
    if value.is_nan() {
        found.insert(Ruling::TexelNan);
        return found;
    }
    // 65520 is the middle between the greatest binary16 and the next number, were there one: from there on it is infinite.
    found.when(value.is_finite() && value >= 65520.0, Ruling::TexelHigh);
    found.when(value.is_finite() && value <= -65520.0, Ruling::TexelLow);
    let least_normal = 2f32.powi(-14);
    found.when(value != 0.0 && value.abs() < least_normal, Ruling::TexelSubnormal);
    let one = u64::from(1f32.to_bits());
    let [below, above] =
        [Rounding::Rm, Rounding::Rp].map(|way| Layout::F16.mul_of(Layout::F32, u64::from(bits), one, way));
    found.when(value.is_finite() && value.abs() < 65520.0 && below != above, Ruling::TexelRounded);
    found
}

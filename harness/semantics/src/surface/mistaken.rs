//! Surface accesses as deviations take them: other coordinates, other extents, another mode, and places beyond the row.

use warpdiff_model::{Deviation, Geometry, Semantics};

use super::address::{Access, Beyond, Descriptor, Kind, OutOfBoundsMode, Resolution, Unit};

/// The mode that each deviation takes for another, for the kinds of accesses that it concerns. The first that fits counts.
const MODES: &[(Deviation, &[Kind], OutOfBoundsMode, OutOfBoundsMode)] = {
    use Kind::{Load, Reduce, ReduceBits, Store};
    use OutOfBoundsMode::{Clamp, Trap, Zero};
    const ALL: &[Kind] = &[Load, Store, Reduce, ReduceBits];
    const REDUCTIONS: &[Kind] = &[Reduce, ReduceBits];
    &[
        (Deviation::SurfaceModeIgnored, ALL, Clamp, Zero),
        (Deviation::SurfaceModeIgnored, ALL, Trap, Zero),
        (Deviation::SurfaceTrapAsZero, ALL, Trap, Zero),
        (Deviation::SurfaceTrapAsClamp, ALL, Trap, Clamp),
        (Deviation::SurfaceClampTrapSwapped, ALL, Clamp, Trap),
        (Deviation::SurfaceClampTrapSwapped, ALL, Trap, Clamp),
        (Deviation::SuldClampAsZero, &[Load], Clamp, Zero),
        (Deviation::SuldZeroAsClamp, &[Load], Zero, Clamp),
        (Deviation::SustClampAsZero, &[Store], Clamp, Zero),
        (Deviation::SustZeroAsClamp, &[Store], Zero, Clamp),
        (Deviation::SuredZeroWrites, REDUCTIONS, Zero, Clamp),
        (Deviation::SuredClampAsZero, REDUCTIONS, Clamp, Zero),
    ]
};

/// The mode that is taken for the one that is written.
pub(super) fn mode(written: OutOfBoundsMode, kind: Kind, semantics: &Semantics) -> OutOfBoundsMode {
    let fits = |(deviation, kinds, from, _): &&(Deviation, &[Kind], OutOfBoundsMode, OutOfBoundsMode)| {
        *from == written && kinds.contains(&kind) && semantics.has(*deviation)
    };
    // Two deviations that take one mode for another in turn are not looked for.
    MODES.iter().find(fits).map_or(written, |(.., to)| *to)
}

/// Far beyond every surface, and a multiple of every size.
const FAR: i32 = 1 << 30;

/// The surface and the access as they are read.
pub(super) fn as_read(surface: &Descriptor, access: &Access, semantics: &Semantics) -> (Descriptor, Access) {
    let (mut surface, mut access) = (*surface, *access);
    let last = surface.extent.map(|extent| i64::from(extent) - 1);
    let is_inside = |coordinate: i32, last: i64| (0..=last).contains(&i64::from(coordinate));
    let has_y = matches!(access.geometry, Geometry::D2 | Geometry::D3 | Geometry::A2d);
    let has_layer = matches!(access.geometry, Geometry::A1d | Geometry::A2d);
    let is_solid = access.geometry == Geometry::D3;
    if semantics.has(Deviation::SurfaceXYSwapped) && access.geometry == Geometry::D2 {
        std::mem::swap(&mut access.x, &mut access.y);
    }
    if semantics.has(Deviation::SurfaceA1dLayersOfHeight) && access.geometry == Geometry::A1d {
        surface.layers = surface.layers.min(surface.extent[1]);
    }
    if semantics.has(Deviation::SurfaceLayersFold) && has_layer && access.layer < surface.layers {
        access.layer = 0;
    }
    if semantics.has(Deviation::SurfaceSlicesFold) && is_solid && is_inside(access.z, last[2]) {
        access.z = 0;
    }
    if semantics.has(Deviation::SurfaceYZSwapped) && is_solid {
        std::mem::swap(&mut access.y, &mut access.z);
    }
    if semantics.has(Deviation::SurfaceLayerLowHalf) {
        access.layer &= 0xFFFF;
    }
    if access.unit == Unit::Byte {
        access.x = byte_as_read(&surface, &access, semantics);
    }
    if semantics.has(Deviation::SurfaceLastOutside) {
        if has_y && i64::from(access.y) == last[1] {
            access.y = FAR;
        }
        if is_solid && i64::from(access.z) == last[2] {
            access.z = FAR;
        }
    }
    if access.mode == OutOfBoundsMode::Clamp && semantics.has(Deviation::SurfaceClampXAlone) {
        let is_outside = has_y && !is_inside(access.y, last[1])
            || is_solid && !is_inside(access.z, last[2])
            || has_layer && access.layer >= surface.layers;
        if is_outside {
            access.mode = OutOfBoundsMode::Zero;
        }
    }
    (surface, access)
}

/// The x coordinate of an access that counts bytes.
fn byte_as_read(surface: &Descriptor, access: &Access, semantics: &Semantics) -> i32 {
    let x = i64::from(access.x);
    let (width, texel) = (i64::from(surface.extent[0]), i64::from(surface.texel_size));
    if semantics.has(Deviation::SurfaceNarrowOffset) && access.size < surface.texel_size {
        return i32::try_from(x - x.rem_euclid(texel)).unwrap_or(i32::MIN);
    }
    let is_outside = semantics.has(Deviation::SurfaceBoundInTexels) && x >= width
        || semantics.has(Deviation::SurfaceBoundByAccess) && x >= width * i64::from(access.size);
    if is_outside { FAR } else { access.x }
}

/// What an access transfers of the bytes that it names.
pub(super) fn transferred(
    resolution: Resolution,
    surface: &Descriptor,
    access: &Access,
    semantics: &Semantics,
) -> Resolution {
    let is_wide = access.unit == Unit::Byte && access.size > surface.texel_size;
    match resolution {
        Resolution::Bytes { offset } if is_wide && semantics.has(Deviation::SurfaceWideCut) => {
            Resolution::Partial { offset, len: surface.texel_size, beyond: Beyond::Zero }
        }
        other => other,
    }
}

/// Where an access lies that is aligned at byte `x` of its row, and that is out of bounds of the row, if a deviation does not hold it
/// against that bound.
pub(super) fn beyond_row(
    surface: &Descriptor,
    access: &Access,
    kind: Kind,
    (row, x): (u64, i64),
    semantics: &Semantics,
) -> Option<Resolution> {
    let row_size = i64::from(surface.extent[0]) * i64::from(surface.texel_size);
    let size = i64::from(access.size);
    let is_within = 0 <= x && x + size <= row_size;
    if semantics.has(Deviation::SurfaceFarOffset) && access.mode == OutOfBoundsMode::Zero && !is_within {
        let pushed = (x + (1 << 31)) & i64::from(u32::MAX);
        let offset = row * row_size as u64 + pushed as u64;
        return (pushed + size <= row_size).then_some(Resolution::Bytes { offset });
    }
    let is_free = kind == Kind::ReduceBits && semantics.has(Deviation::SuredBitsUnchecked);
    let is_as_wide = access.unit == Unit::Byte && x + size <= i64::from(surface.extent[0]) * size;
    let is_linear = is_free
        || semantics.has(Deviation::SurfaceBoundLinear)
        || kind == Kind::Store && semantics.has(Deviation::SustUnguarded)
        || x == row_size && semantics.has(Deviation::SurfaceBoundInclusive)
        || is_as_wide && semantics.has(Deviation::SurfaceBoundByAccess);
    let is_unchecked =
        if x < 0 { is_free || semantics.has(Deviation::SurfaceNegativeInBounds) } else { is_linear };
    if is_within || !is_unchecked || access.mode == OutOfBoundsMode::Clamp {
        return None;
    }
    let rows = surface.extent[1..].iter().map(|extent| i64::from(*extent)).product::<i64>();
    let all = rows * i64::from(surface.layers) * row_size;
    let offset = row as i64 * row_size + x;
    (0 <= offset && offset + i64::from(access.size) <= all)
        .then_some(Resolution::Bytes { offset: offset as u64 })
}

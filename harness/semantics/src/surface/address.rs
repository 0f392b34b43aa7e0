//! The addressing of `suld`, `sust` and `sured`: clamp, zero, trap, misaligned coordinates (PTX ISA 9.7.11).

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{Choice, Deviation, Geometry, Semantics, Surface};

use super::mistaken;

/// The shape of a surface, as far as addressing needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Its geometry.
    pub geometry: Geometry,
    /// Width, height, depth in texels; unused dimensions are 1.
    pub extent: [u32; 3],
    /// Layers of an array geometry; 1 otherwise.
    pub layers: u32,
    /// Bytes of a texel.
    pub texel_size: u32,
}

impl Descriptor {
    /// The shape of `surface`.
    #[inline]
    pub fn of(surface: &Surface) -> Self {
        Self {
            geometry: surface.geometry,
            extent: surface.extent,
            layers: surface.layers,
            texel_size: surface.format.texel_size(),
        }
    }

    /// Bytes of one row. At most 2^32 · 16, so every sum below fits an `i64`.
    #[inline]
    fn row_size(&self) -> i64 {
        i64::from(self.extent[0]) * i64::from(self.texel_size)
    }
}

/// The kind of access; deviations depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `suld`
    Load,
    /// `sust`
    Store,
    /// `sured` with an arithmetic operation: `add`, `min`, `max`.
    Reduce,
    /// `sured` with `and` or `or`.
    ReduceBits,
}

/// The `.clamp` field of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfBoundsMode {
    /// `.trap`
    Trap,
    /// `.clamp`
    Clamp,
    /// `.zero`
    Zero,
}

/// The unit of the lowest coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A byte: `suld.b`, `sust.b`, `sured.b` ("a byte offset into the surface and is not scaled").
    Byte,
    /// A texel: `sust.p` ("a sample offset rather than a byte offset").
    Texel,
    /// A texel, of which the access takes its own size: `SULD.D`, `SUST.D` and `SURED.D` of SPA 5.0 without `.BA`.
    Sample,
    /// The size of the operand: `sured.p` ("scaled by the data-size given by .ctype").
    Element,
}

/// One access of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The instruction's `.geom`.
    pub geometry: Geometry,
    /// Lowest coordinate, in `unit`.
    pub x: i32,
    /// Second coordinate of 2d, 3d and a2d; otherwise ignored.
    pub y: i32,
    /// Third coordinate of 3d; otherwise ignored.
    pub z: i32,
    /// Layer index of a1d and a2d, unsigned; otherwise ignored.
    pub layer: u32,
    /// Bytes transferred in all, a power of two from 1 to 16 (for `sust.p` the texel size).
    pub size: u32,
    /// Bytes of one element of the vector.
    pub element: u32,
    /// Out-of-bounds behaviour.
    pub mode: OutOfBoundsMode,
    /// The unit of `x`.
    pub unit: Unit,
}

/// Treatment of the bytes of a [`Resolution::Partial`] beyond its valid prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Loads find zero, stores are dropped.
    Zero,
    /// Loads return the padding of the row, which is arbitrary, and stores change no texel (a deviation).
    Padding,
    /// Under `.clamp` the specification does not define clamping of a part of an access: loads return arbitrary values, and each
    /// part of a store may go to its nearest place.
    Nearest {
        /// Maximum distance in bytes from the start of such a place to the end of the row.
        reach: u32,
        /// Whether all of the access was beyond the row, so that each part of it may be at the nearest place for that part.
        moved: bool,
    },
}

/// Why an access faults other than by `.trap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceFault {
    /// The address is not a multiple of the access size, and the assignment makes that a fault.
    Misaligned,
    /// The instruction's geometry is not the surface's. The behaviour is unspecified.
    Geometry,
}

/// The target of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// To `size` bytes at this offset of the packed texels.
    Bytes {
        /// Byte offset into [`Surface::bytes`].
        offset: u64,
    },
    /// To the first `len` of `size` bytes only.
    Partial {
        /// Byte offset into [`Surface::bytes`].
        offset: u64,
        /// Valid bytes, less than `size`.
        len: u32,
        /// Treatment of the remaining bytes.
        beyond: Beyond,
    },
    /// Nowhere: a load gives zero, a store is dropped.
    OutOfBounds,
    /// Nowhere in particular: a load gives anything, a store may change every texel of the surface.
    Anywhere,
    /// To an execution trap.
    Trap,
    /// To another fault.
    Fault(SurfaceFault),
}

/// Resolves `access` to `surface` under `semantics`; records the choices that decided the result in `consulted`.
///
/// The order is: geometry, then alignment, then bounds. Alignment comes first because the specification makes a
/// misaligned address undefined whether or not it is in bounds.
#[inline]
pub fn resolve(
    surface: &Descriptor,
    access: &Access,
    kind: Kind,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Resolution {
    if !semantics.is_specification() {
        return resolve_mistaken(surface, access, kind, semantics, consulted);
    }
    resolve_as_read(surface, access, kind, semantics, consulted)
}

/// The same with deviations. It stands apart, so that accesses without one do not pay for it.
#[cold]
#[inline(never)]
fn resolve_mistaken(
    surface: &Descriptor,
    access: &Access,
    kind: Kind,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Resolution {
    let (surface, mut access) = mistaken::as_read(surface, access, semantics);
    access.mode = mistaken::mode(access.mode, kind, semantics);
    let resolution = resolve_as_read(&surface, &access, kind, semantics, consulted);
    mistaken::transferred(resolution, &surface, &access, semantics)
}

#[inline]
fn resolve_as_read(
    surface: &Descriptor,
    access: &Access,
    kind: Kind,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Resolution {
    if access.geometry != surface.geometry.of_surfaces() {
        consulted.insert(Choice::SurfaceGeometry);
        return match semantics.assignment.get(Choice::SurfaceGeometry) {
            FAULTS => Resolution::Fault(SurfaceFault::Geometry),
            _ => Resolution::Anywhere,
        };
    }
    let mut x = scaled_x(surface, access, semantics, consulted);
    let size = i64::from(access.size);
    let mode = access.mode;
    if x & (size - 1) != 0 {
        if semantics.has(Deviation::KeplerMisalignedOutOfBounds) && is_above_last_aligned(surface, x, size) {
            match mode {
                OutOfBoundsMode::Trap => return Resolution::Trap,
                OutOfBoundsMode::Zero => return Resolution::OutOfBounds,
                // The last aligned place is where masking leads to as well.
                OutOfBoundsMode::Clamp => {}
            }
        }
        consulted.insert(Choice::SurfaceMisaligned);
        if semantics.assignment.get(Choice::SurfaceMisaligned) != MASKED {
            return Resolution::Fault(SurfaceFault::Misaligned);
        }
        x += if semantics.has(Deviation::SurfaceMisalignedRounded) { size / 2 } else { 0 };
        x &= -size;
    }
    let Some(row) = row_index(surface, access, mode, semantics, consulted) else {
        return if mode == OutOfBoundsMode::Trap { Resolution::Trap } else { Resolution::OutOfBounds };
    };
    if !semantics.is_specification()
        && let Some(place) = mistaken::beyond_row(surface, access, kind, (row, x), semantics)
    {
        return place;
    }
    let column = column(surface, x, access, mode, semantics, consulted);
    place(surface, access, row, column)
}

/// Index of `fault` in the alternatives of [`Choice::SurfaceGeometry`].
const FAULTS: u8 = 0;
/// Index of `ctype` in the alternatives of [`Choice::SuredSampleUnit`].
const CTYPE: u8 = 0;
/// Index of `masked` in the alternatives of [`Choice::SurfaceMisaligned`].
const MASKED: u8 = 0;
/// Index of `whole` in the alternatives of [`Choice::SurfaceStraddle`].
const WHOLE: u8 = 0;
/// Index of `out-of-bounds` in the alternatives of [`Choice::SurfaceLayer`].
const LAYER_OUT_OF_BOUNDS: u8 = 0;
/// Index of `last-fitting` in the alternatives of [`Choice::SurfaceClampPlace`].
const LAST_FITTING: u8 = 0;
/// Index of `last-texel` in the same.
const LAST_TEXEL: u8 = 1;

/// Whether x lies above the last aligned place that begins in the row; beyond the row, too, from where masking may lead back to that place.
#[inline]
fn is_above_last_aligned(surface: &Descriptor, x: i64, size: i64) -> bool {
    x > (surface.row_size() - 1) & -size
}

/// Whether the coordinates of this access are unsigned (a deviation).
#[inline]
fn is_unsigned(access: &Access, semantics: &Semantics) -> bool {
    access.geometry == Geometry::A2d && semantics.has(Deviation::KeplerA2dUnsigned)
}

/// The lowest coordinate in bytes.
#[inline]
fn scaled_x(surface: &Descriptor, access: &Access, semantics: &Semantics, consulted: &mut ChoiceSet) -> i64 {
    let x = if semantics.has(Deviation::SurfaceNegativeXUnsigned) || is_unsigned(access, semantics) {
        i64::from(access.x as u32)
    } else {
        i64::from(access.x)
    };
    let (texel, element) = (i64::from(surface.texel_size), i64::from(access.element));
    match access.unit {
        Unit::Byte if semantics.has(Deviation::SurfaceXAsTexel) => x * texel,
        Unit::Byte => x,
        Unit::Texel | Unit::Element if semantics.has(Deviation::SurfaceSampleXAsByte) => x,
        Unit::Texel | Unit::Sample => x * texel,
        Unit::Element if texel == element || x == 0 => x * element,
        Unit::Element => {
            consulted.insert(Choice::SuredSampleUnit);
            x * if semantics.assignment.get(Choice::SuredSampleUnit) == CTYPE { element } else { texel }
        }
    }
}

/// Index of the row in the packed texels; `None` when a coordinate other than x is out of bounds and the mode does not
/// move it.
#[inline]
fn row_index(
    surface: &Descriptor,
    access: &Access,
    mode: OutOfBoundsMode,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Option<u64> {
    let signed = |coordinate: i32, extent: u32| {
        let last = i64::from(extent) - 1;
        match i64::from(coordinate) {
            c if (0..=last).contains(&c) => Some(c as u64),
            c if mode == OutOfBoundsMode::Clamp && last >= 0 => Some(c.clamp(0, last) as u64),
            _ => None,
        }
    };
    let bound = |dimension: usize, confused: Deviation| match access.geometry == Geometry::D3 {
        true if semantics.has(confused) => surface.extent[3 - dimension],
        _ => surface.extent[dimension],
    };
    let y = || match access.y {
        y if semantics.has(Deviation::SurfaceYWraps) && surface.extent[1] > 0 => {
            Some(i64::from(y).rem_euclid(i64::from(surface.extent[1])) as u64)
        }
        y if y < 0 && is_unsigned(access, semantics) => signed(i32::MAX, surface.extent[1]),
        y => signed(y, bound(1, Deviation::SurfaceYBoundFromDepth)),
    };
    let mut layer = || layer_index(surface, access.layer, mode, semantics, consulted);
    let height = u64::from(surface.extent[1]);
    match access.geometry {
        Geometry::D1 => Some(0),
        Geometry::D2 => y(),
        Geometry::D3 => {
            let z = signed(access.z, bound(2, Deviation::SurfaceZBoundFromHeight))?;
            Some(z * height + y()?)
        }
        Geometry::A1d => layer(),
        // No surface instruction has a cube.
        Geometry::A2d | Geometry::Cube | Geometry::Acube => {
            let y = y()?;
            Some(layer()? * height + y)
        }
    }
}

/// The layer that an index selects; `None` where that is an address out of bounds, which the mode does not move.
#[inline]
fn layer_index(
    surface: &Descriptor,
    index: u32,
    mode: OutOfBoundsMode,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Option<u64> {
    // "interpreted as an unsigned integer index (.u32) into the surface array"
    let index = match semantics.has(Deviation::SurfaceLayerSigned) {
        true => i64::from(index as i32),
        false => i64::from(index),
    };
    let last = i64::from(surface.layers) - 1;
    if last < 0 || (0..=last).contains(&index) {
        return (last >= 0).then_some(index as u64);
    }
    if mode != OutOfBoundsMode::Clamp {
        consulted.insert(Choice::SurfaceLayer);
        if semantics.assignment.get(Choice::SurfaceLayer) == LAYER_OUT_OF_BOUNDS {
            return None;
        }
    }
    Some(index.clamp(0, last) as u64)
}

/// Position of an access within its row.
#[derive(Clone, Copy)]
enum Column {
    /// Inside.
    Inside(i64),
    /// From here to the end of the row only.
    UpToRowEnd(i64, Beyond),
    /// It begins inside and goes on, whatever lies there (a deviation).
    Onward(i64),
    /// Outside.
    OutOfBounds,
    /// Outside, under `.trap`.
    Trap,
}

/// Applies the bounds of the row to an aligned byte offset.
#[inline]
fn column(
    surface: &Descriptor,
    x: i64,
    access: &Access,
    mode: OutOfBoundsMode,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Column {
    let (row, size) = (surface.row_size(), i64::from(access.size));
    if 0 <= x && x <= row - size {
        return Column::Inside(x);
    }
    let begins_inside = 0 <= x && x < row;
    if begins_inside && semantics.has(Deviation::SurfaceBoundFirstByte) {
        return Column::Onward(x);
    }
    if semantics.has(Deviation::KeplerStraddleInBounds) && row > 0 {
        let last = (row - 1) & -size;
        if begins_inside {
            return Column::UpToRowEnd(x, Beyond::Padding);
        }
        if mode == OutOfBoundsMode::Clamp && x > 0 && last > row - size {
            return Column::UpToRowEnd(last, Beyond::Padding);
        }
    }
    let texel = i64::from(surface.texel_size);
    let keeps_offset = mode == OutOfBoundsMode::Clamp && semantics.has(Deviation::SurfaceClampKeepsOffset);
    if keeps_offset && size < texel && row > 0 {
        let nearest = if x < 0 { 0 } else { row - texel };
        return Column::Inside(nearest + x.rem_euclid(texel));
    }
    match mode {
        // A byte of the access is out of bounds under either reading of a straddle, so it traps under either.
        OutOfBoundsMode::Trap => Column::Trap,
        OutOfBoundsMode::Zero if begins_inside && straddles_by_bytes(semantics, consulted) => {
            Column::UpToRowEnd(x, Beyond::Zero)
        }
        OutOfBoundsMode::Zero => Column::OutOfBounds,
        OutOfBoundsMode::Clamp if row == 0 => Column::OutOfBounds,
        OutOfBoundsMode::Clamp if begins_inside && straddles_by_bytes(semantics, consulted) => {
            fit(x, surface, access, false)
        }
        OutOfBoundsMode::Clamp if x < 0 => fit(0, surface, access, false),
        OutOfBoundsMode::Clamp if semantics.has(Deviation::SurfaceClampToFirst) => {
            fit(0, surface, access, false)
        }
        OutOfBoundsMode::Clamp => {
            fit(clamped_to_end(surface, row, size, semantics, consulted), surface, access, !begins_inside)
        }
    }
}

/// Whether an access that begins inside the row and ends beyond it is out of bounds in the bytes beyond only.
#[inline]
fn straddles_by_bytes(semantics: &Semantics, consulted: &mut ChoiceSet) -> bool {
    consulted.insert(Choice::SurfaceStraddle);
    semantics.assignment.get(Choice::SurfaceStraddle) != WHOLE
}

/// "the nearest surface location (sized appropriately)" to an address beyond the end of the row. A location may be a place for the whole
/// access, a texel, or any aligned place: what it is sized appropriately to, the text does not say. NVIDIA's code for Kepler takes the
/// last aligned place for `suld.b`, `sust.b` and `sured.b`, and the last texel for `sust.p` and `sured.p`.
#[inline]
fn clamped_to_end(
    surface: &Descriptor,
    row: i64,
    size: i64,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> i64 {
    // Where the row is narrower than the access there is no place that fits, and the first location is the nearest.
    let fitting = ((row - size) & -size).max(0);
    let texel = row - i64::from(surface.texel_size);
    let aligned = (row - 1) & -size;
    if fitting == texel && fitting == aligned {
        return fitting;
    }
    consulted.insert(Choice::SurfaceClampPlace);
    match semantics.assignment.get(Choice::SurfaceClampPlace) {
        LAST_FITTING => fitting,
        LAST_TEXEL => texel,
        _ => aligned,
    }
}

/// An access at `x`: inside the row, or as far as the row goes. `moved`: it is there because all of it was beyond the row.
#[inline]
fn fit(x: i64, surface: &Descriptor, access: &Access, moved: bool) -> Column {
    let (row, size) = (surface.row_size(), i64::from(access.size));
    if x <= row - size {
        return Column::Inside(x);
    }
    // The nearest place for a part as large as a texel, or smaller, is in the last texel; that of one element of a vector the last where
    // it fits.
    let (texel, element) = (i64::from(surface.texel_size), i64::from(access.element));
    let fitting = if element < size { ((row - element) & -element).max(0) } else { row };
    let reach = row - fitting.min(row - texel);
    Column::UpToRowEnd(x, Beyond::Nearest { reach: reach as u32, moved })
}

/// Turns a place in a row into bytes of the packed texels.
#[inline]
fn place(surface: &Descriptor, access: &Access, row: u64, column: Column) -> Resolution {
    let row_size = surface.row_size() as u64;
    let offset = |x: i64| row * row_size + x as u64;
    match column {
        Column::Inside(x) => Resolution::Bytes { offset: offset(x) },
        Column::UpToRowEnd(x, beyond) => {
            Resolution::Partial { offset: offset(x), len: (row_size - x as u64) as u32, beyond }
        }
        Column::Onward(x) => {
            let rows = surface.extent[1..].iter().map(|n| u64::from(*n)).product::<u64>()
                * u64::from(surface.layers);
            let left = (rows * row_size).saturating_sub(offset(x));
            if left >= u64::from(access.size) {
                Resolution::Bytes { offset: offset(x) }
            } else {
                Resolution::Partial { offset: offset(x), len: left as u32, beyond: Beyond::Zero }
            }
        }
        Column::OutOfBounds => Resolution::OutOfBounds,
        Column::Trap => Resolution::Trap,
    }
}

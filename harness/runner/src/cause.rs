//! The class of a mismatch, from what the model knows of it (a hang, a crash, a guard band) and what the program shows: the
//! instruction, its coordinates and the surface they point into.

use warpdiff_model::{Deviation, Mismatch, MismatchClass, RegionKind, Surface};
use warpdiff_ptx::vocabulary::Opcode;

use crate::plan::{PlannedLaunch, Row};
use crate::site::{Axis, Site};

/// What a class is called in reports.
pub fn class_name(class: MismatchClass) -> &'static str {
    match class {
        MismatchClass::Clamp => "clamp behaviour",
        MismatchClass::UnpredictableComponent => "unpredictable component",
        MismatchClass::OutOfBounds => "out-of-bounds error",
        MismatchClass::Alignment => "alignment",
        MismatchClass::Conversion => "conversion",
        MismatchClass::Atomicity => "atomicity",
        MismatchClass::Layout => "layout",
        MismatchClass::Legality => "legality",
        MismatchClass::Hang => "hang",
        MismatchClass::Crash => "crash",
        MismatchClass::Value => "value",
    }
}

/// The class of a mismatch: the model's, made more precise where the program, or the deviation that explains it, shows more.
pub fn classify(
    mismatch: &Mismatch,
    planned: &PlannedLaunch,
    site: Option<&Site>,
    explained: Option<Deviation>,
) -> MismatchClass {
    if matches!(mismatch.class, MismatchClass::Hang | MismatchClass::Crash | MismatchClass::Legality) {
        return mismatch.class;
    }
    let row = row_of(planned, mismatch);
    if let Some(class) = site.and_then(|site| surface_class(site, planned, row)) {
        return class;
    }
    if let Some(class) = explained.and_then(class_of) {
        return class;
    }
    if mismatch.class != MismatchClass::Value {
        return mismatch.class;
    }
    match (&mismatch.region, site) {
        (_, Some(site)) if matches!(site.opcode, Opcode::Atom | Opcode::Red) => MismatchClass::Atomicity,
        (Some((RegionKind::Variable, _)), _) => MismatchClass::Layout,
        (_, Some(site)) if site.converts => MismatchClass::Conversion,
        _ => MismatchClass::Value,
    }
}

/// The class of what a deviation does, where it is always the same.
fn class_of(deviation: Deviation) -> Option<MismatchClass> {
    match deviation {
        Deviation::SuldClampAsZero
        | Deviation::SustClampAsZero
        | Deviation::SurfaceClampTrapSwapped
        | Deviation::SurfaceNegativeXUnsigned
        | Deviation::SurfaceBoundFirstByte
        | Deviation::SurfaceYWraps
        | Deviation::SurfaceLayerSigned
        | Deviation::SuredZeroWrites => Some(MismatchClass::Clamp),
        Deviation::SuldB8SignExtended
        | Deviation::LdSignedZeroExtended
        | Deviation::CvtRniHalfAway
        | Deviation::FmaUnfused
        | Deviation::BfeSignedZeroExtended
        | Deviation::SustPTruncates => Some(MismatchClass::Conversion),
        Deviation::AtomIncOffByOne
        | Deviation::AtomDecIgnoresGreater
        | Deviation::AtomCasReturnsNew
        | Deviation::AtomMinMaxUnsigned
        | Deviation::SuredWideAsHalves => Some(MismatchClass::Atomicity),
        Deviation::SurfaceMisalignedRounded => Some(MismatchClass::Alignment),
        _ => None,
    }
}

/// The row of the case a mismatch is in. A launch of one row has no other.
pub fn row_of<'a>(planned: &'a PlannedLaunch, mismatch: &Mismatch) -> Option<&'a Row> {
    match (planned.rows.as_slice(), mismatch.row) {
        ([only], _) => Some(only),
        (rows, Some(index)) => rows.get(index),
        _ => None,
    }
}

/// A surface access at the edge or beyond is a question of clamping, a misaligned one of alignment.
fn surface_class(site: &Site, planned: &PlannedLaunch, row: Option<&Row>) -> Option<MismatchClass> {
    site.surface_mode?;
    let target = site.target.as_ref()?;
    let surface = surface_named(planned, &target.surface)?;
    let values = target.values(surface.geometry, row);
    let along = |axis: Axis| values.iter().find(|(a, _)| *a == axis).map(|(_, value)| *value);
    // `sust.p` counts and moves texels, `sured.p` data of its type.
    let sample = if site.opcode == Opcode::Sured { site.access } else { surface.format.texel_size() };
    let x = along(Axis::X)? * if site.x_in_bytes { 1 } else { i64::from(sample) };
    if site.x_in_bytes && site.access > 1 && x % i64::from(site.access) != 0 {
        return Some(MismatchClass::Alignment);
    }
    let end = x + i64::from(if site.x_in_bytes { site.access } else { sample });
    let outside_row = x < 0 || end > i64::try_from(surface.row_size()).unwrap_or(i64::MAX);
    let limits = [(Axis::Y, surface.extent[1]), (Axis::Z, surface.extent[2]), (Axis::Layer, surface.layers)];
    // A negative coordinate is beyond any limit when it is read as unsigned, as a layer is.
    let beyond =
        |(axis, limit): &(Axis, u32)| along(*axis).is_some_and(|v| v.cast_unsigned() >= u64::from(*limit));
    let outside = outside_row || limits.iter().any(beyond);
    outside.then_some(MismatchClass::Clamp)
}

/// The surface a program's operand means: by its name, or the only one.
pub fn surface_named<'a>(planned: &'a PlannedLaunch, operand: &str) -> Option<&'a Surface> {
    let surfaces = &planned.launch.surfaces;
    let by_name = surfaces.iter().find(|s| s.name == operand || s.bound_to.as_deref() == Some(operand));
    by_name.or(match surfaces.as_slice() {
        [only] => Some(only),
        _ => None,
    })
}

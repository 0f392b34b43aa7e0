//! The class of a mismatch that no deviation explains, from what the model knows of it (a hang, a crash, a guard band) and what
//! the program shows: the instruction, its coordinates and the surface they point into.

use warpdiff_model::{Mismatch, MismatchClass, RegionKind, Surface};
use warpdiff_ptx::vocabulary::Opcode;

use crate::plan::{PlannedLaunch, Row};
use crate::site::{Axis, Site};

/// What a class is called in reports.
pub fn class_name(class: MismatchClass) -> &'static str {
    match class {
        MismatchClass::Clamp => "clamp behaviour",
        MismatchClass::UnpredictableComponent => "unpredictable component",
        MismatchClass::OutOfBounds => "out-of-bounds error",
        MismatchClass::Addressing => "addressing",
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

/// What the mismatches of a launch look like where no deviation explains them: the class of the first, made more precise where
/// the program shows more.
pub fn symptom(mismatches: &[Mismatch], planned: &PlannedLaunch, site: Option<&Site>) -> MismatchClass {
    let Some(first) = mismatches.first() else { return MismatchClass::Value };
    if matches!(first.class, MismatchClass::Hang | MismatchClass::Crash | MismatchClass::Legality) {
        return first.class;
    }
    let row = row_of(planned, first);
    if let Some(class) = site.and_then(|site| surface_class(site, planned, row)) {
        return class;
    }
    if first.class != MismatchClass::Value {
        return first.class;
    }
    match (&first.region, site) {
        (_, Some(site)) if matches!(site.opcode, Some(Opcode::Atom | Opcode::Red)) => {
            MismatchClass::Atomicity
        }
        (Some((RegionKind::Variable, _)), _) => MismatchClass::Layout,
        (_, Some(site)) if is_store(site) && went_elsewhere(mismatches, planned) => MismatchClass::Addressing,
        (_, Some(site)) if site.converts => MismatchClass::Conversion,
        _ => MismatchClass::Value,
    }
}

fn is_store(site: &Site) -> bool {
    matches!(site.opcode, Some(Opcode::Sust | Opcode::Sured))
}

/// Whether a surface has bytes that should have changed and did not, and others that changed and should not have: what was stored
/// did not go where it should.
fn went_elsewhere(mismatches: &[Mismatch], planned: &PlannedLaunch) -> bool {
    let before = |mismatch: &Mismatch| {
        let (RegionKind::Surface, name) = mismatch.region.as_ref()? else { return None };
        let surface = planned.launch.surfaces.iter().find(|s| s.name == *name)?;
        surface.bytes.get(mismatch.offset..mismatch.offset + mismatch.expected.len())
    };
    let stayed = |m: &&Mismatch| before(m).is_some_and(|before| before == m.observed && before != m.expected);
    let intruded =
        |m: &&Mismatch| before(m).is_some_and(|before| before == m.expected && before != m.observed);
    mismatches.iter().any(|m| stayed(&m)) && mismatches.iter().any(|m| intruded(&m))
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
    let sample = if site.opcode == Some(Opcode::Sured) { site.access } else { surface.format.texel_size() };
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

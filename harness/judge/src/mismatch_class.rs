//! The class of a mismatch by its kind (a hang, a crash, a guard band) and by the instruction, its coordinates and its surface.

use warpdiff_corpus::plan::{PlannedLaunch, Row};
use warpdiff_model::{Mismatch, MismatchClass, RegionKind, Surface};
use warpdiff_ptx::vocabulary::Opcode;

use crate::site::{self, Site};
use crate::surface_placement::{self, EndedLaunch};

/// The name of a class in reports.
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

/// Every class.
pub const CLASSES: [MismatchClass; 12] = [
    MismatchClass::Clamp,
    MismatchClass::UnpredictableComponent,
    MismatchClass::OutOfBounds,
    MismatchClass::Addressing,
    MismatchClass::Alignment,
    MismatchClass::Conversion,
    MismatchClass::Atomicity,
    MismatchClass::Layout,
    MismatchClass::Legality,
    MismatchClass::Hang,
    MismatchClass::Crash,
    MismatchClass::Value,
];

/// The class of that name.
pub fn class_named(name: &str) -> Option<MismatchClass> {
    CLASSES.into_iter().find(|class| class_name(*class) == name)
}

/// The symptom of the mismatches of a launch: what the bytes of a surface access show, or the class of the first mismatch, refined
/// by the program.
pub(crate) fn symptom(
    ended: &EndedLaunch<'_>,
    mismatches: &[Mismatch],
    site: Option<&Site>,
) -> MismatchClass {
    let Some(first) = mismatches.first() else { return MismatchClass::Value };
    if matches!(first.class, MismatchClass::Hang | MismatchClass::Crash | MismatchClass::Legality) {
        return first.class;
    }
    if let Some(class) = site.and_then(|site| surface_placement::class(ended, site, mismatches)) {
        return class;
    }
    if first.class != MismatchClass::Value {
        return first.class;
    }
    let planned = ended.planned;
    match (&first.region, site) {
        (_, Some(site)) if matches!(site.opcode, Some(Opcode::Atom | Opcode::Red)) => {
            MismatchClass::Atomicity
        }
        (Some((RegionKind::Variable, _)), _) => MismatchClass::Layout,
        (_, Some(site)) if is_store(site) && went_elsewhere(mismatches, planned) => MismatchClass::Addressing,
        (_, Some(site)) if site.converts || is_extension(ended, site, first) => MismatchClass::Conversion,
        _ => MismatchClass::Value,
    }
}

/// Whether the first wrong byte extends a loaded value into a wider register.
fn is_extension(ended: &EndedLaunch<'_>, site: &Site, mismatch: &Mismatch) -> bool {
    let outputs = (RegionKind::Buffer, PlannedLaunch::OUTPUTS);
    if mismatch.region.as_ref().is_none_or(|(kind, name)| (*kind, name.as_str()) != outputs) {
        return false;
    }
    let sources = site::elements(ended.compiled, ended.planned, site);
    let source = mismatch.offset.checked_rem(ended.planned.record()).and_then(|at| sources.get(at));
    source.copied().flatten().is_some_and(|(_, byte)| site.element > 0 && byte >= site.element as usize)
}

fn is_store(site: &Site) -> bool {
    matches!(site.opcode, Some(Opcode::Sust | Opcode::Sured))
}

/// Whether a store went to a wrong place: some bytes of a surface should have changed and did not, and others changed and should
/// not have.
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

/// The row of a mismatch. In a launch of one row it is that row.
pub fn row_of<'a>(planned: &'a PlannedLaunch, mismatch: &Mismatch) -> Option<&'a Row> {
    match (planned.rows.as_slice(), mismatch.row) {
        ([only], _) => Some(only),
        (rows, Some(index)) => rows.get(index),
        _ => None,
    }
}

/// The surface of an operand: by its name, or the only one.
pub fn surface_named<'a>(planned: &'a PlannedLaunch, operand: &str) -> Option<&'a Surface> {
    let surfaces = &planned.launch.surfaces;
    let by_name = surfaces.iter().find(|s| s.name == operand || s.bound_to.as_deref() == Some(operand));
    by_name.or(match surfaces.as_slice() {
        [only] => Some(only),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_can_be_named() {
        for class in CLASSES {
            assert_eq!(class_named(class_name(class)), Some(class));
            // Without a number here, a class that is new does not compile.
            let place = match class {
                MismatchClass::Clamp => 0,
                MismatchClass::UnpredictableComponent => 1,
                MismatchClass::OutOfBounds => 2,
                MismatchClass::Addressing => 3,
                MismatchClass::Alignment => 4,
                MismatchClass::Conversion => 5,
                MismatchClass::Atomicity => 6,
                MismatchClass::Layout => 7,
                MismatchClass::Legality => 8,
                MismatchClass::Hang => 9,
                MismatchClass::Crash => 10,
                MismatchClass::Value => 11,
            };
            assert_eq!(CLASSES[place], class);
        }
        assert_eq!(class_named("clamp"), None);
    }
}

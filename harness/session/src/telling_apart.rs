//! The case of the corpus that tells two explanations apart: a target that does the one would be seen not to do the other.

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_emulator::observe;
use warpdiff_judge::diagnose::{is_comparable, refutation};
use warpdiff_judge::reference::{Programs, units};
use warpdiff_judge::shown_by::may_show;
use warpdiff_model::{Deviation, Semantics};

/// Most variants that are asked.
const ASKED: usize = 200;
/// Most rows of one of them.
const ROWS: usize = 512;

/// The requirements of which cases are likely to tell two sets of deviations apart: those that one breaks and the other does not, or else
/// all that either breaks.
pub fn requirements(one: &[Deviation], other: &[Deviation]) -> Vec<&'static str> {
    let broken = |set: &[Deviation]| -> Vec<&'static str> {
        set.iter().flat_map(|deviation| deviation.entry().breaks).copied().collect()
    };
    let (one, other) = (broken(one), broken(other));
    let mut all: Vec<&'static str> = one.iter().filter(|id| !other.contains(id)).copied().collect();
    all.extend(other.iter().filter(|id| !one.contains(id)));
    if all.is_empty() { one } else { all }
}

/// The first of these variants in which a target with the one set of deviations does what one with the other would not.
pub fn variant<'v>(
    one: &[Deviation],
    other: &[Deviation],
    variants: impl IntoIterator<Item = &'v Variant>,
) -> Option<&'v Variant> {
    let rows = |variant: &Variant| match &variant.work {
        Work::Launches(launches) => launches.iter().map(|launch| launch.rows.len().max(1)).sum(),
        Work::Legality(_) | Work::Unsupported(_) => usize::MAX,
    };
    let small = variants.into_iter().filter(|variant| rows(variant) <= ROWS);
    small.take(ASKED).find(|variant| tells_apart(variant, one, other))
}

/// Whether what some launch does with the one set of deviations refutes the other.
fn tells_apart(variant: &Variant, one: &[Deviation], other: &[Deviation]) -> bool {
    let Work::Launches(launches) = &variant.work else { return false };
    let with = |set: &[Deviation]| set.iter().fold(Semantics::default(), |all, one| all.with(*one));
    let (first, second) = (with(one), with(other));
    let mut programs = Programs::default();
    launches.iter().any(|planned| {
        let Ok(compiled) = programs.get(&planned.launch.program) else { return false };
        let shows = one.iter().chain(other).any(|deviation| may_show(*deviation, &compiled.checked));
        if !shows {
            return false;
        }
        let Ok(units) = units(planned, &mut programs) else { return false };
        units.iter().any(|unit| {
            let observed = observe(&unit.compiled.program, &unit.planned.launch, &first);
            let refutes =
                |observed| is_comparable(unit, &observed) && refutation(unit, &observed, &second).is_some();
            observed.is_ok_and(refutes)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_that_traps_tells_ignored_clamp_from_an_ignored_mode() {
        let text = "\
- case: clamps
  covers: []
  surfaces: {img: {geometry: 1d, extent: [4], format: u32, texels: sequence}}
  inputs: {x: s32}
  outputs: {d: b32}
  body: suld.b.1d.b32.clamp %d, [img, {%x}];
  rows: [{x: 16, d: 3}]
- case: traps
  covers: []
  surfaces: {img: {geometry: 1d, extent: [4], format: u32, texels: sequence}}
  inputs: {x: s32}
  outputs: {d: b32}
  body: suld.b.1d.b32.trap %d, [img, {%x}];
  rows: [{x: 4, d: 1}, {x: 16, fault: surface-trap}]
";
        let path = std::path::Path::new("cases/a/b.yaml");
        let folder = tempfile::tempdir().unwrap();
        let variants = warpdiff_corpus::load_text_as(path, text.into(), folder.path())
            .unwrap_or_else(|errors| panic!("{errors:?}"));
        let (load, mode) = ([Deviation::SuldClampAsZero], [Deviation::SurfaceModeIgnored]);
        // Both load zero at x = 16 under `.clamp`; only the mode that is ignored does not trap.
        let found = |one: &[Deviation], other: &[Deviation]| {
            variant(one, other, &variants).map(|it| it.title.clone())
        };
        assert_eq!(found(&load, &mode).as_deref(), Some("traps"));
        assert_eq!(found(&mode, &load).as_deref(), Some("traps"));
        assert_eq!(found(&load, &load), None);
        assert!(requirements(&load, &mode).contains(&"suld.trap.traps"));
    }
}

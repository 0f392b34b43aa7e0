//! A witness of surface addressing: Kepler, for which NVIDIA's assembler wrote `suld`, `sust` and `sured` out as instructions that clamp each
//! coordinate, against what the reference allows.
//!
//! `table` reads what was seen of that code, `model` does what it does, `draw` makes surfaces and accesses, `kernel` launches them, `judge`
//! asks the reference, and `deviation` tells which accesses show one of the deviations that the catalogue says Kepler has.

mod deviation;
mod draw;
mod judge;
mod kernel;
mod model;
mod table;

use std::collections::BTreeSet;
use std::thread;

use warpdiff_model::{Assignment, Choice, Deviation, Geometry, Semantics};

use crate::deviation::of_kepler;
use crate::draw::Random;
use crate::judge::{Tally, Witness};
use crate::table::{Form, Instruction, Outside, forms};

/// Accesses of a form that are judged.
const ACCESSES: usize = 2_000;

/// Other accesses for each number: `WARPDIFF_NIGHT_SEED`, which a night sets, or always the same ones.
fn night() -> u64 {
    std::env::var("WARPDIFF_NIGHT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

/// Asks for each form, several at once: the same answers in the same order, however many.
fn of_each<T: Send>(forms: &[Form], ask: impl Fn(u64, &Form) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(8);
    let numbered: Vec<(u64, &Form)> = (0..).zip(forms).collect();
    let part = forms.len().div_ceil(workers);
    thread::scope(|scope| {
        let ask = &ask;
        let asked: Vec<_> = numbered
            .chunks(part)
            .map(|part| scope.spawn(move || part.iter().map(|(n, form)| ask(*n, form)).collect::<Vec<T>>()))
            .collect();
        asked
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|why| std::panic::resume_unwind(why)))
            .collect()
    })
}

/// Every form that PTX has for sm_35, each once.
#[test]
fn the_table_has_every_form() {
    let mut expected = BTreeSet::new();
    for geometry in ["1d", "2d", "3d", "a1d", "a2d"] {
        for clamp in ["trap", "clamp", "zero"] {
            for vector in ["", "v2.", "v4."] {
                for bits in [8, 16, 32, 64] {
                    // 32 bytes do not fit in an access.
                    if (vector, bits) != ("v4.", 64) {
                        expected.insert(format!("suld.b.{geometry}.{vector}b{bits}.{clamp}"));
                        expected.insert(format!("sust.b.{geometry}.{vector}b{bits}.{clamp}"));
                    }
                }
                expected.insert(format!("sust.p.{geometry}.{vector}b32.{clamp}"));
            }
            if geometry.starts_with('a') {
                continue;
            }
            // ".u64/.s64/.b64 types with .min/.max operations requires sm_50 or higher."
            for operation in ["add.u32", "add.s32", "add.u64", "min.u32", "min.s32", "max.u32", "max.s32"] {
                let (operation, ty) = operation.split_once('.').expect("two parts");
                expected.insert(format!("sured.b.{operation}.{geometry}.{ty}.{clamp}"));
            }
            for operation in ["and", "or"] {
                expected.insert(format!("sured.b.{operation}.{geometry}.b32.{clamp}"));
            }
            for operation in ["add", "min", "max", "and", "or"] {
                expected.insert(format!("sured.p.{operation}.{geometry}.b32.{clamp}"));
            }
        }
    }
    let forms = forms();
    assert_eq!(forms.len(), 501);
    assert_eq!(forms.iter().map(|form| form.text.clone()).collect::<BTreeSet<_>>(), expected);
    for form in forms {
        let mode = match form.outside {
            Outside::Clamped => ".clamp",
            Outside::Dropped => ".zero",
            Outside::Trapped => ".trap",
        };
        assert!(form.text.ends_with(mode), "{form:?}");
        let (y, z, layer) = (form.y.is_some(), form.z.is_some(), form.layer.is_some());
        let expected = match form.geometry {
            Geometry::D1 => (false, false, false),
            Geometry::D2 => (true, false, false),
            Geometry::D3 => (true, true, false),
            Geometry::A1d => (false, false, true),
            Geometry::A2d => (true, false, true),
            cube => unreachable!("no surface is a {cube:?}"),
        };
        assert_eq!((y, z, layer), expected, "{}", form.text);
    }
}

#[test]
fn the_reference_allows_what_kepler_does() {
    let mut all = Tally::default();
    for tally in of_each(&forms(), |number, form| {
        let tally = Witness::new(form).judge(&mut Random(number ^ night() << 32), ACCESSES);
        assert!(tally.outside > ACCESSES / 4, "{}: {} out of bounds", form.text, tally.outside);
        tally
    }) {
        all.add(tally);
    }
    println!(
        "{} accesses, {} of them out of bounds; {} of which Kepler's code says nothing",
        all.judged, all.outside, all.unsaid
    );
    assert!(all.judged >= 1_000_000);
    assert!(all.refused.is_empty(), "{} are not allowed:\n{}", all.refused.len(), first(&all.refused));
    for deviation in of_kepler() {
        let alone = all.deviating.iter().filter(|(shown, _)| shown[..] == [deviation]);
        let refused = alone.clone().filter(|(_, refused)| *refused).count();
        println!("{deviation}: {} accesses, {refused} not allowed", alone.count());
        assert!(refused > 0, "Kepler does not have {deviation}");
    }
    let deviating = all.unexplained.len();
    assert!(
        all.unexplained.is_empty(),
        "{deviating} deviating accesses are not explained:\n{}",
        first(&all.unexplained)
    );
}

/// What the text fixes is fixed: of what Kepler does no bit may be another.
#[test]
fn the_reference_allows_nothing_else() {
    let found = of_each(&forms(), |number, form| Witness::new(form).also_allowed(&mut Random(number), 40));
    let found: Vec<String> = found.into_iter().flatten().collect();
    assert!(found.is_empty(), "{} are allowed:\n{}", found.len(), first(&found));
}

/// A reference with a deviation is refuted, by exactly the forms that show it.
#[test]
fn a_deviating_reference_is_refuted() {
    use Deviation as D;
    type Concerns = fn(&Form) -> bool;
    let deviations: [(Deviation, Concerns); 13] = [
        (D::SuldClampAsZero, |form| !form.stores() && form.outside == Outside::Clamped),
        (D::SustClampAsZero, |form| form.text.starts_with("sust") && form.outside == Outside::Clamped),
        (D::SurfaceClampTrapSwapped, |form| form.outside != Outside::Dropped),
        (D::SurfaceXAsTexel, |form| !form.in_texels),
        (D::SurfaceSampleXAsByte, |form| form.in_texels),
        // Out of bounds either way; and Kepler has it for a2d.
        (D::SurfaceNegativeXUnsigned, |form| {
            form.outside == Outside::Clamped && form.geometry != Geometry::A2d
        }),
        (D::SurfaceYWraps, |form| form.y.is_some()),
        (D::SurfaceLayerSigned, |form| form.outside == Outside::Clamped && form.layer.is_some()),
        (D::SurfaceFourthCoordinate, |form| matches!(form.geometry, Geometry::D3 | Geometry::A2d)),
        (D::SurfaceVectorReversed, |form| {
            !form.in_texels && form.parts().any(|part| part == "v2" || part == "v4")
        }),
        (D::SustPReversed, |form| matches!(form.instruction, Instruction::StoreTexel(2..))),
        (D::SuredZeroWrites, |form| form.text.starts_with("sured") && form.outside == Outside::Dropped),
        (D::SuredWideAsHalves, |form| matches!(form.instruction, Instruction::Reduce { size: 8, .. })),
    ];
    let wrong = of_each(&forms(), |number, form| {
        let mut witness = Witness::new(form);
        let mut wrong = Vec::new();
        for (deviation, concerns) in deviations {
            let concerned = concerns(form);
            // Where nothing is to be found fewer accesses have to do.
            let accesses = if concerned { 4_000 } else { 60 };
            if witness.refuses(deviation, &mut Random(number), accesses) != concerned {
                wrong.push(format!("{} under {}", form.text, deviation.name()));
            }
        }
        wrong
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(
        wrong.is_empty(),
        "{} are refuted and should not be, or the reverse:\n{}",
        wrong.len(),
        first(&wrong)
    );
}

/// Kepler as a profile: the alternatives it takes and the deviations it has, which together do what it does in every access, the deviating
/// ones included.
fn profile(form: &Form) -> Semantics {
    // Of a surface of texels wider than the 32 bits of `sured.p`, `.clamp` takes the last texel; otherwise the last aligned place.
    let place = if form.in_texels { "last-texel" } else { "last-aligned" };
    let chosen = [
        (Choice::SurfaceClampPlace, place),
        (Choice::SurfaceLayer, "out-of-bounds"),
        (Choice::SuredSampleUnit, "texel"),
    ];
    let mut assignment = Assignment::default();
    for (choice, name) in chosen {
        let alternative = choice.info().alternatives.iter().position(|known| *known == name);
        assignment = assignment.with(choice, alternative.expect("an alternative") as u8);
    }
    let semantics = Semantics::default().under(assignment);
    of_kepler().fold(semantics, Semantics::with)
}

#[test]
fn the_profile_of_kepler_does_what_kepler_does() {
    let refused = of_each(&forms(), |number, form| {
        Witness::new(form).judge_by(profile(form), &mut Random(number), 300).refused
    });
    let refused: Vec<String> = refused.into_iter().flatten().collect();
    assert!(refused.is_empty(), "{} are not what it does:\n{}", refused.len(), first(&refused));
}

/// The first of many, a line each.
fn first(all: &[String]) -> String {
    all.iter().take(12).map(|line| format!("{line}\n")).collect()
}

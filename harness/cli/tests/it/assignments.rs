//! A launch does not run under an assignment of choices that would change nothing. Its allowed outcomes are still those of a run under every
//! assignment.

use rayon::prelude::*;
use warpdiff_corpus::plan::Work;
use warpdiff_emulator::{Program, allowed, by_assignment, compile};
use warpdiff_generator::Mix;
use warpdiff_generator::seed::{SPECIMEN_BYTES, fill};
use warpdiff_model::{Choice, Deviation, Launch, Outcome, Semantics};

use crate::cases::corpus;

/// Assignments beyond which outcomes are made one.
const MOST: usize = 64;

/// Whether the same outcomes are allowed as come out under some assignment; `None` if there are too many of those. Alternatives that permit
/// nothing of their own are left out.
fn is_complete(program: &Program, launch: &Launch, semantics: &Semantics) -> Option<bool> {
    let each = by_assignment(program, launch, semantics, u64::MAX).expect("it is launched");
    if each.len() >= MOST {
        return None;
    }
    let allowed = allowed(program, launch, semantics).expect("it is launched").outcomes;
    let is_first = |outcome: &Outcome, choice: Choice| outcome.assignment.get(choice) == 0;
    let contained =
        Choice::ALL.iter().map(|info| info.choice).filter(|choice| choice.is_contained_in_first());
    let is_own = |outcome: &&Outcome| contained.clone().all(|choice| is_first(outcome, choice));
    let each: Vec<&Outcome> = each.iter().filter(is_own).collect();
    let all_allowed = each.iter().all(|one| allowed.iter().any(|other| one.permits_the_same(other)));
    Some(all_allowed && allowed.iter().all(|one| each.iter().any(|other| one.permits_the_same(other))))
}

#[test]
fn no_outcome_of_a_launch_of_the_corpus_is_missed() {
    let of_variant = |variant: &warpdiff_corpus::plan::Variant| {
        let Work::Launches(launches) = &variant.work else { return (0, Vec::new()) };
        // Contended atomics and long loops consult nothing, and take long.
        let small = launches
            .iter()
            .flat_map(|planned| planned.launches())
            .filter(|planned| planned.rows.len() <= 512);
        let (mut judged, mut wrong) = (0, Vec::new());
        for planned in small.step_by(3) {
            let Ok(compiled) = compile(&planned.launch.program) else { continue };
            let complete = is_complete(&compiled.program, &planned.launch, &Semantics::default());
            judged += u32::from(complete.is_some());
            if complete == Some(false) {
                wrong.push(variant.id.to_string());
            }
        }
        (judged, wrong)
    };
    let is_of_images =
        |id: &str| ["su", "tex/", "txq/", "experiments/"].iter().any(|folder| id.starts_with(folder));
    let variants = corpus().variants.par_iter().filter(|variant| is_of_images(&variant.id));
    let (judged, wrong) = variants.map(of_variant).reduce(Default::default, |mut one, other| {
        one.1.extend(other.1);
        (one.0 + other.0, one.1)
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(judged > 2000, "{judged}");
}

#[test]
fn no_outcome_of_a_generated_program_is_missed() {
    let of_program = |(mix, index): (Mix, u64)| {
        let mut bytes = [0; SPECIMEN_BYTES];
        fill(&mut bytes, 5, index);
        let (specimen, _) = warpdiff_generator::specimen_of_bytes(&bytes, 90, mix).expect("a specimen");
        let launch = specimen.write().launch;
        let program = compile(&launch.program).expect("it is legal").program;
        let deviations =
            [Deviation::SurfaceClampKeepsOffset, Deviation::SurfaceLayerSigned, Deviation::SurfaceYWraps];
        let each = std::iter::once(Semantics::default())
            .chain(deviations.map(|deviation| Semantics::default().with(deviation)));
        for semantics in each {
            let complete = is_complete(&program, &launch, &semantics);
            assert_ne!(complete, Some(false), "{mix:?} {index}: {semantics:?}\n{}", launch.program);
        }
    };
    let programs = (0..400).flat_map(|index| [(Mix::All, index), (Mix::Surfaces, index)]);
    programs.collect::<Vec<_>>().into_par_iter().for_each(of_program);
}

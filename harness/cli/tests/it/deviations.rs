//! The catalogue of deviations against the corpus: what an entry says that it breaks is a requirement, cases of which catch it; what it says
//! can show it is all that does.

use crate::cases::corpus;

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_corpus::{Corpus, RequirementKind};
use warpdiff_judge::narrower::is_narrower;
use warpdiff_judge::reference::Programs;
use warpdiff_judge::shown_by::may_show;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Choice, Deviation, Entry, Semantics};
use warpdiff_session::watch::VerdictsAlone;
use warpdiff_session::{causes, mutants, session};
use warpdiff_targets::{EmulatorTarget, Target};

fn kind_of(corpus: &Corpus, id: &str) -> Option<RequirementKind> {
    corpus.requirements.iter().find(|requirement| requirement.id == id).map(|requirement| requirement.kind)
}

/// Variants that a deviation is looked for in: those whose launches are small, for the time it takes.
fn is_small(variant: &Variant) -> bool {
    match &variant.work {
        Work::Launches(launches) => launches.iter().all(|l| !l.rows.is_empty()),
        Work::Legality(_) | Work::Unsupported(_) => false,
    }
}

/// Whether an instruction of the variant can show a deviation.
fn shows(variant: &Variant, deviation: Deviation, programs: &mut Programs<'_>) -> bool {
    match &variant.work {
        Work::Launches(launches) => launches.iter().any(|planned| {
            let compiled = programs.get(&planned.launch.program);
            compiled.is_ok_and(|compiled| may_show(deviation, &compiled.checked))
        }),
        Work::Legality(_) | Work::Unsupported(_) => false,
    }
}

/// The causes of what the variants get wrong under a deviation, with how many variants are wrong.
fn caught(variants: &[&Variant], deviation: Deviation) -> (usize, Vec<String>) {
    let target: Box<dyn Target> = Box::new(EmulatorTarget::new(Semantics::default().with(deviation)));
    let session = session::run(variants, &[target], &VerdictsAlone);
    let wrong = session.verdicts.iter().filter(|verdict| verdict.targets[0].raw.is_failure()).count();
    (wrong, causes::of(&session, 0).into_iter().map(|(words, _)| words).collect())
}

#[test]
fn requirements_that_are_broken_or_permit_are_requirements_of_that_kind() {
    let corpus = corpus();
    for Entry { name, breaks, permitted_by, .. } in Deviation::catalogue() {
        for id in *breaks {
            let kind = kind_of(corpus, id);
            assert!(kind.is_some_and(RequirementKind::needs_case), "{name} breaks `{id}`, which is {kind:?}");
        }
        if let Some(id) = permitted_by {
            let kind = kind_of(corpus, id);
            let is_open = matches!(kind, Some(RequirementKind::May | RequirementKind::Undefined));
            assert!(is_open, "{name} is permitted by `{id}`, which is {kind:?}");
        }
    }
}

/// Whether the run of these variants with an entry's deviation names the entry as a cause, or a narrower one that fits all of it as well.
fn is_named(entry: &Entry, variants: &[&Variant]) -> bool {
    let (_, causes) = caught(variants, entry.deviation);
    causes
        .iter()
        .filter_map(|cause| cause.split_once(", reproduced by ").map(|(_, by)| by))
        .flat_map(|by| by.split(" or "))
        .filter_map(Deviation::from_name)
        .any(|one| one == entry.deviation || is_narrower(one, entry.deviation))
}

/// Each entry breaks a requirement. Each requirement that it says it breaks has a case that states what it gets wrong, and one case at least
/// names it as the cause. The witness of what the emulator cannot be given is its example, which a test of the front end compiles.
#[test]
fn every_deviation_is_caught_by_cases_of_what_it_breaks_and_named() {
    let corpus = corpus();
    let mut programs = Programs::default();
    let mut lacking = Vec::new();
    for entry in Deviation::catalogue().iter().filter(|entry| entry.permitted_by.is_none()) {
        let name = entry.name;
        if entry.breaks.is_empty() {
            lacking.push(format!("{name} breaks no requirement"));
        }
        let mut named = !entry.runs;
        for id in entry.breaks.iter().filter(|_| entry.runs) {
            let covers = |v: &&Variant| v.covers.iter().any(|covered| covered == id);
            let mut covering: Vec<_> = corpus.variants.iter().filter(covers).collect();
            // Those that cannot show it catch nothing, as a test below shows.
            covering.sort_by_key(|variant| !is_small(variant));
            let variants = covering.len();
            covering.retain(|variant| shows(variant, entry.deviation, &mut programs));
            let mutants = mutants::run(&covering, &[entry], &|| ());
            let Some(kill) = mutants.first().and_then(|mutant| mutant.stated.as_ref()) else {
                lacking.push(format!(
                    "{name} breaks `{id}`, but none of its {variants} variants states what it gets wrong"
                ));
                continue;
            };
            if !named {
                // Most often the variant that catches it is enough.
                let first: Vec<_> =
                    covering.iter().copied().filter(|variant| variant.id == kill.variant).collect();
                named = is_named(entry, &first) || covering.chunks(2).any(|some| is_named(entry, some));
            }
        }
        if !named && !entry.breaks.is_empty() {
            lacking.push(format!("{name} is caught, but not named"));
        }
    }
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
}

/// What the specification leaves open is nowhere reported.
#[test]
fn what_is_permitted_is_caught_nowhere() {
    let corpus = corpus();
    let mut programs = Programs::default();
    for deviation in Deviation::all().filter(|deviation| deviation.is_permitted()) {
        let small = corpus.variants.iter().filter(|variant| is_small(variant));
        let variants: Vec<_> = small.filter(|variant| shows(variant, deviation, &mut programs)).collect();
        assert!(variants.len() > 20, "{deviation}: {} variants", variants.len());
        assert_eq!(caught(&variants, deviation), (0, Vec::new()), "{deviation} is permitted, but reported");
    }
}

/// Asks one of so many variants, with every deviation that none of its instructions can show: nothing else may be allowed for that.
fn programs_are_the_same_under_what_they_cannot_show(step: usize) {
    let corpus = corpus();
    let (mut shown, mut not_shown) = (0, 0);
    let mut programs = Programs::default();
    for variant in corpus.variants.iter().filter(|v| is_small(v)).step_by(step) {
        let Work::Launches(launches) = &variant.work else { continue };
        let Some(planned) = launches.first().and_then(|planned| planned.launches().into_iter().next()) else {
            continue;
        };
        let Ok(compiled) = programs.get(&planned.launch.program) else { continue };
        let allowed = |semantics| warpdiff_emulator::allowed(&compiled.program, &planned.launch, &semantics);
        let Ok(by_specification) = allowed(Semantics::default()) else { continue };
        for deviation in Deviation::all() {
            if may_show(deviation, &compiled.checked) {
                shown += 1;
                continue;
            }
            not_shown += 1;
            let deviant = allowed(Semantics::default().with(deviation)).unwrap();
            assert_eq!(deviant, by_specification, "{}: {deviation}", variant.id);
        }
    }
    assert!(shown > 100 && not_shown > 100, "{shown} {not_shown}");
}

/// What a diagnosis leaves out because no instruction of a program can show it would not have explained anything.
#[test]
fn a_deviation_changes_nothing_of_programs_that_cannot_show_it() {
    programs_are_the_same_under_what_they_cannot_show(151);
}

#[test]
#[ignore = "the whole corpus takes minutes: ci/deviations.sh runs it"]
fn a_deviation_changes_nothing_of_any_program_that_cannot_show_it() {
    programs_are_the_same_under_what_they_cannot_show(1);
}

#[test]
fn every_choice_is_opened_by_a_requirement() {
    let corpus = corpus();
    for info in Choice::ALL {
        let kind = kind_of(corpus, info.requirement);
        let is_open = matches!(kind, Some(RequirementKind::May | RequirementKind::Undefined));
        assert!(is_open, "{}: requirement `{}` is {kind:?}", info.name, info.requirement);
    }
}

#[test]
fn the_specification_itself_conforms_everywhere() {
    let corpus = corpus();
    let variants: Vec<_> = corpus.variants.iter().collect();
    let target: Box<dyn Target> = Box::new(EmulatorTarget::new(Semantics::default()));
    let session = session::run(&variants, &[target], &VerdictsAlone);
    for verdict in &session.verdicts {
        let raw = verdict.targets[0].raw;
        assert!(matches!(raw, Raw::Conforms | Raw::NotRun), "{}: {raw}", verdict.variant.id);
    }
}

//! The corpus is measured by what it catches: every deviation of the catalogue violates it somewhere, and is found to be what
//! explains that.

use std::path::Path;

use warpdiff_corpus::RequirementKind;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::concern::may_show;
use warpdiff_judge::reference::Programs;
use warpdiff_judge::status::Raw;
use warpdiff_model::{Choice, Deviation, Semantics};
use warpdiff_session::causes;
use warpdiff_session::session;
use warpdiff_targets::{EmulatorTarget, Target};

/// What the mistakes that surface instructions invite are a matter of. `sust.p-missing-zeroed` is not among them: what `sust.p` leaves
/// in components without a source element is unpredictable, zero like anything else, and nothing to report.
const CLASSES: [(&str, &str); 22] = [
    ("suld.clamp-as-zero", "clamp behaviour"),
    ("sust.clamp-as-zero", "clamp behaviour"),
    ("sured.zero-writes", "clamp behaviour"),
    ("surface.clamp-trap-swapped", "clamp behaviour"),
    ("surface.x-as-texel", "addressing"),
    ("surface.sample-x-as-byte", "addressing"),
    ("surface.negative-x-unsigned", "addressing"),
    ("surface.layer-signed", "addressing"),
    ("surface.fourth-coordinate", "addressing"),
    ("surface.bound-first-byte", "out-of-bounds error"),
    ("surface.y-wraps", "out-of-bounds error"),
    ("surface.misaligned-rounded", "alignment"),
    ("surface.vector-reversed", "layout"),
    ("sust.p-reversed", "layout"),
    ("suld.b8-sign-extended", "conversion"),
    ("sust.p-truncates", "conversion"),
    ("sured.p-sign-from-opcode", "conversion"),
    ("sured.wide-as-halves", "atomicity"),
    ("atom.min-max-unsigned", "atomicity"),
    ("kepler.a2d-unsigned", "addressing"),
    ("kepler.straddle-in-bounds", "out-of-bounds error"),
    ("kepler.misaligned-out-of-bounds", "alignment"),
];

/// Variants that a deviation is looked for in: those whose launches are small, for the time it takes.
fn is_small(variant: &Variant) -> bool {
    match &variant.work {
        Work::Launches(launches) => launches.iter().all(|l| !l.rows.is_empty()),
        Work::Legality(_) => false,
    }
}

/// Whether a program of the variant has that word.
fn mentions(variant: &Variant, word: &str) -> bool {
    match &variant.work {
        Work::Launches(launches) => launches.iter().any(|l| l.launch.program.contains(word)),
        Work::Legality(_) => false,
    }
}

#[test]
fn every_deviation_is_caught_and_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let corpus = warpdiff_corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let variants: Vec<_> = corpus.variants.iter().filter(|v| is_small(v)).collect();
    for (name, _) in CLASSES {
        assert!(Deviation::from_name(name).is_some_and(|deviation| !deviation.is_permitted()), "{name}");
    }
    for (deviation, name, _) in Deviation::ALL {
        let (mut caught, mut named) = (0, 0);
        let mut causes = Vec::new();
        // What is permitted is to be caught nowhere, which takes all that have such instructions. Of others the first that catch it
        // are enough: the corpus is large, and so is the catalogue.
        let word = format!("{}.", name.split('.').next().unwrap_or_default());
        let concerned = variants.iter().copied().filter(|v| !deviation.is_permitted() || mentions(v, &word));
        for some in concerned.collect::<Vec<_>>().chunks(128) {
            let target: Box<dyn Target> =
                Box::new(EmulatorTarget::new(Semantics::default().with(*deviation)));
            let session = session::run(some, &[target], &|| ());
            let findings = session.verdicts.iter().flat_map(|v| &v.targets[0].findings);
            caught += findings.clone().count();
            named += findings.filter(|f| f.explained.contains(deviation)).count();
            if named > 0 {
                causes = causes::of(&session, 0);
                break;
            }
        }
        if deviation.is_permitted() {
            assert_eq!(caught, 0, "{name} is permitted, but reported");
            continue;
        }
        assert!(caught > 0, "the corpus does not catch {name}");
        assert!(named > 0, "{name} is caught, but not named");
        if let Some((_, class)) = CLASSES.iter().find(|(known, _)| known == name) {
            let cause = format!("{class}, reproduced by {name}");
            assert!(causes.iter().any(|(words, _)| *words == cause), "no `{cause}` in {causes:?}");
        }
    }
}

/// What a diagnosis leaves out because it is about none of a program's instructions would not have explained anything.
#[test]
fn a_deviation_changes_nothing_of_programs_that_it_is_not_about() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let corpus = warpdiff_corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let (mut compared, mut left_out) = (0, 0);
    for variant in corpus.variants.iter().filter(|v| is_small(v)).step_by(61) {
        let Work::Launches(launches) = &variant.work else { continue };
        let (Some(planned), mut programs) = (launches.first(), Programs::default()) else { continue };
        let Ok(compiled) = programs.get(&planned.launch.program) else { continue };
        let allowed = |semantics| warpdiff_emulator::allowed(&compiled.program, &planned.launch, &semantics);
        let Ok(by_text) = allowed(Semantics::default()) else { continue };
        for (deviation, name, _) in Deviation::ALL {
            if may_show(*deviation, &compiled.checked) {
                compared += 1;
                continue;
            }
            left_out += 1;
            let deviant = allowed(Semantics::default().with(*deviation)).unwrap();
            assert_eq!(deviant, by_text, "{}: {name}", variant.id);
        }
    }
    assert!(compared > 100 && left_out > 100, "{compared} {left_out}");
}

#[test]
fn every_choice_is_opened_by_a_requirement() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let corpus = warpdiff_corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    for info in Choice::ALL {
        let opened = corpus.requirements.iter().find(|r| r.id == info.requirement);
        let kind = opened.map(|r| r.kind);
        let is_open = matches!(kind, Some(RequirementKind::May | RequirementKind::Undefined));
        assert!(is_open, "{}: requirement `{}` is {kind:?}", info.name, info.requirement);
    }
}

#[test]
fn the_specification_itself_conforms_everywhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let corpus = warpdiff_corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let variants: Vec<_> = corpus.variants.iter().collect();
    let target: Box<dyn Target> = Box::new(EmulatorTarget::new(Semantics::default()));
    let session = session::run(&variants, &[target], &|| ());
    for verdict in &session.verdicts {
        let raw = verdict.targets[0].raw;
        assert!(matches!(raw, Raw::Conforms | Raw::NotRun), "{}: {raw}", verdict.variant.id);
    }
}

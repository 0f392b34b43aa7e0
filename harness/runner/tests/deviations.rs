//! The corpus is measured by what it catches: every deviation of the catalogue violates it somewhere, and is found to be what
//! explains that.

use std::path::Path;

use warpdiff::corpus;
use warpdiff::plan::{Variant, Work};
use warpdiff::session;
use warpdiff::status::Raw;
use warpdiff::target::{EmulatorTarget, Target};
use warpdiff_model::{Deviation, Semantics};

/// Variants that a deviation is looked for in: those whose launches are small, for the time it takes.
fn is_small(variant: &Variant) -> bool {
    match &variant.work {
        Work::Launches(launches) => launches.iter().all(|l| !l.rows.is_empty()),
        Work::Legality(_) => false,
    }
}

#[test]
fn every_deviation_is_caught_and_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let corpus = corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let variants: Vec<_> = corpus.variants.iter().filter(|v| is_small(v)).collect();
    for (deviation, name, _) in Deviation::ALL {
        let (mut caught, mut named) = (0, 0);
        // The first that catch it are enough: the corpus is large, and so is the catalogue.
        for some in variants.chunks(128) {
            let target: Box<dyn Target> =
                Box::new(EmulatorTarget::new(Semantics::default().with(*deviation)));
            let session = session::run(some, &[target], &|| ());
            let findings = session.verdicts.iter().flat_map(|v| &v.targets[0].findings);
            caught += findings.clone().count();
            named += findings.filter(|f| f.explained.contains(deviation)).count();
            if named > 0 {
                break;
            }
        }
        if deviation.is_permitted() {
            assert_eq!(caught, 0, "{name} is permitted, but reported");
            continue;
        }
        assert!(caught > 0, "the corpus does not catch {name}");
        assert!(named > 0, "{name} is caught, but not named");
    }
}

#[test]
fn the_specification_itself_conforms_everywhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let corpus = corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let variants: Vec<_> = corpus.variants.iter().collect();
    let target: Box<dyn Target> = Box::new(EmulatorTarget::new(Semantics::default()));
    let session = session::run(&variants, &[target], &|| ());
    for verdict in &session.verdicts {
        let raw = verdict.targets[0].raw;
        assert!(matches!(raw, Raw::Conforms | Raw::NotRun), "{}: {raw}", verdict.variant.id);
    }
}

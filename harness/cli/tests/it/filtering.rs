//! What linear filtering leaves imprecise is compared within the bound that the case states, and no further.

use crate::cases::corpus;

use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Observation, RegionKind, Semantics};
use warpdiff_session::session;
use warpdiff_targets::{EmulatorTarget, Question, Target};

/// The reference, with so much added to every result that is no whole number.
struct Beside {
    reference: EmulatorTarget,
    by: f32,
}

impl Target for Beside {
    fn name(&self) -> &str {
        "beside"
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let mut seen = self.reference.observe(question);
        let Observation::Completed { state } = &mut seen else { return seen };
        let results = state.regions.iter_mut().filter(|r| r.kind == RegionKind::Buffer && r.name == "out");
        for word in results.flat_map(|region| region.bytes.as_chunks_mut().0) {
            let value = f32::from_le_bytes(*word);
            if value.fract() != 0.0 {
                *word = (value + self.by).to_le_bytes();
            }
        }
        seen
    }
}

/// What each of the variants whose id contains `title` earns under such a target.
fn judged(title: &str, by: f32) -> Vec<Raw> {
    let corpus = corpus();
    let variants: Vec<_> = corpus.variants.iter().filter(|v| v.id.contains(title)).collect();
    let target = Beside { reference: EmulatorTarget::new(Semantics::default()), by };
    let session = session::run(&variants, &[Box::new(target) as Box<dyn Target>], &|| ());
    session.verdicts.iter().map(|verdict| verdict.targets[0].raw).collect()
}

#[test]
fn a_result_at_the_bound_conforms_and_one_beyond_it_does_not() {
    // Weights have steps of 1/256; texels are 0 and 1, or 1 and -1.
    for (title, bound) in [
        ("tex/linear/integers read as floats are filtered", 1.0 / 256.0),
        ("tex/linear/signed integers read as floats are filtered", 1.0 / 128.0),
    ] {
        let beyond = bound + 1.0 / 65536.0;
        for (by, expected) in [
            (0.0, Raw::Conforms),
            (bound, Raw::Conforms),
            (-bound, Raw::Conforms),
            (beyond, Raw::Violates),
            (-beyond, Raw::Violates),
        ] {
            let raw = judged(title, by);
            assert_eq!(raw.len(), 4, "{title}");
            assert!(raw.iter().all(|raw| *raw == expected), "{title}, {by} beside: {raw:?}");
        }
    }
}

//! What a compiler makes of programs: explains, variant by variant, what a target gets wrong whose programs went through ptxas.
//!
//! A compiler applies a deviation in some programs and leaves others alone, and two of them may meet in one program. So a variant is
//! explained if the deviations reproduce everything observed of it; only those that a compiler always applies must also fit the right
//! variants of the instruction.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use warpdiff_judge::diagnose::{is_comparable, refutation};
use warpdiff_judge::finding::{Applied, Explanation};
use warpdiff_judge::reference::Unit;
use warpdiff_judge::shown_by::may_show;
use warpdiff_model::{Deviation, Semantics};
use warpdiff_targets::Answer;

use crate::judged_run::JudgedRun;
use crate::judged_variant::{JudgedVariant, Standing};

/// The deviations that explain a variant.
struct Explained {
    /// Its index among all variants.
    index: usize,
    /// The family of the instruction it is wrong because of.
    family: Option<String>,
    /// Each of them alone, or two together.
    deviations: Vec<Deviation>,
    together: bool,
}

impl JudgedRun<'_, '_> {
    /// The variants that deviations of a compiler explain, by their indices.
    pub(crate) fn explain_by_compiler(&self, room: &mut usize) -> BTreeMap<usize, Explanation> {
        let wrong: Vec<(usize, Option<String>)> = self.wrong_variants();
        let explained = |(index, family): &(usize, Option<String>)| {
            let (deviations, together) = deviations_of(&self.judged[*index])?;
            Some(Explained { index: *index, family: family.clone(), deviations, together })
        };
        let mut found: Vec<Explained> = wrong.par_iter().filter_map(explained).collect();
        let refuted = self.refuted(&found, room);
        found.retain_mut(|found| {
            let stands = |deviation: &Deviation| !refuted.contains(&(found.family.clone(), *deviation));
            if found.together {
                return found.deviations.iter().all(stands);
            }
            found.deviations.retain(|deviation| !refuted.contains(&(found.family.clone(), *deviation)));
            !found.deviations.is_empty()
        });
        let explanation = |of: &Explained| {
            let Explained { deviations, together, .. } = of;
            let applied = self.applied(of, &found);
            let (deviations, together) = (deviations.clone(), *together);
            (of.index, Explanation { deviations, together, applied, ..Explanation::default() })
        };
        found.iter().map(explanation).collect()
    }

    /// The deviations that a compiler always applies and that a right variant of the instruction refutes.
    fn refuted(&self, found: &[Explained], room: &mut usize) -> BTreeSet<(Option<String>, Deviation)> {
        let of_each = found.iter().flat_map(|found| {
            let constant = found.deviations.iter().filter(|deviation| !deviation.entry().optional);
            constant.map(|deviation| (found.family.clone(), *deviation))
        });
        let mut asked: BTreeSet<(Option<String>, Deviation)> = of_each.collect();
        asked.retain(|(family, deviation)| {
            let right = self.right(family.as_deref());
            let standing = self.standing(family.as_deref(), &[vec![*deviation]], &right, room);
            matches!(standing[..], [Standing::RefutedDeviation(_) | Standing::Silent(_)])
        });
        asked
    }

    /// In how many variants with the instruction the compiler did so, if it does not always do it.
    fn applied(&self, one: &Explained, found: &[Explained]) -> Option<Applied> {
        let instruction = one.family.clone()?;
        if one.together || !one.deviations.iter().all(|deviation| deviation.entry().optional) {
            return None;
        }
        let alike = |other: &&Explained| {
            other.family == one.family && !other.together && other.deviations == one.deviations
        };
        let variants = found.iter().filter(alike).count();
        let of = self.judged.iter().filter(|judged| judged.answered_with(&instruction)).count();
        Some(Applied { variants, of, instruction })
    }
}

/// The deviations of a compiler that reproduce everything observed of a variant: each alone, or two together.
fn deviations_of(judged: &JudgedVariant<'_, '_>) -> Option<(Vec<Deviation>, bool)> {
    let of_compiler = |deviation: &Deviation| deviation.entry().is_of_a_compiler();
    let alone: Vec<Deviation> = judged.explained.iter().copied().filter(of_compiler).collect();
    if !alone.is_empty() {
        return Some((alone, false));
    }
    let launches = judged.launches()?;
    let shows =
        |deviation: &Deviation| launches.iter().any(|(unit, _)| may_show(*deviation, &unit.compiled.checked));
    let candidates: Vec<Deviation> = Deviation::all().filter(of_compiler).filter(shows).collect();
    for (place, first) in candidates.iter().enumerate() {
        for second in &candidates[place + 1..] {
            let both = Semantics::default().with(*first).with(*second);
            let fits = |(unit, answer): &(Unit<'_>, Answer)| {
                !is_comparable(unit, &answer.observation)
                    || refutation(unit, &answer.observation, &both).is_none()
            };
            if launches.iter().all(fits) {
                return Some((vec![*first, *second], true));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use warpdiff_corpus::Corpus;
    use warpdiff_corpus::plan::Variant;
    use warpdiff_model::Observation;
    use warpdiff_targets::{Question, Target};

    use crate::causes::cause;
    use crate::session;

    use super::*;

    const VECTOR: &str = "declare/alignment/the access size of a vector is that of all its elements";
    const SHORT: &str = "declare/departures/a short inner list leaves the rest of its row at zero";
    const EMPTY: &str = "declare/departures/an empty inner list is a row of zeros";
    const WORDS: &str = "memory/faults/misaligned words, doublewords and vectors";

    static CORPUS: LazyLock<Corpus> = LazyLock::new(|| {
        let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
        warpdiff_corpus::load(&cases).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
    });

    /// Narrows loads in one variant alone, and packs lists in all or in one.
    struct Optimiser {
        is_compiled: bool,
        packs_all: bool,
    }

    impl Target for Optimiser {
        fn name(&self) -> &str {
            "optimiser"
        }

        fn is_compiled(&self) -> bool {
            self.is_compiled
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            let deviation = match question.variant {
                VECTOR => Some(Deviation::PtxasNarrowedLoads),
                SHORT => Some(Deviation::PtxasPackedLists),
                EMPTY if self.packs_all => Some(Deviation::PtxasPackedLists),
                _ => None,
            };
            let semantics = deviation.into_iter().fold(Semantics::default(), Semantics::with);
            warpdiff_emulator::observe(question.program.unwrap(), &question.planned.launch, &semantics)
                .unwrap()
        }
    }

    /// The causes of the variants that the target gets wrong, in the order of the corpus, and what is said of the first finding of each.
    fn causes(target: Optimiser) -> Vec<(String, String)> {
        let asked = |variant: &&Variant| [VECTOR, SHORT, EMPTY, WORDS].contains(&variant.id.as_str());
        let variants: Vec<&Variant> = CORPUS.variants.iter().filter(asked).collect();
        assert_eq!(variants.len(), 4);
        let targets: [Box<dyn Target>; 1] = [Box::new(target)];
        let run = session::run(&variants, &targets, &|| {});
        let of_target = |verdict: &crate::verdict::Verdict<'_>| {
            let earned = &verdict.targets[0];
            Some((cause(earned)?, earned.findings[0].explanation()))
        };
        run.verdicts.iter().filter_map(of_target).collect()
    }

    #[test]
    fn a_program_that_an_optimiser_left_alone_refutes_nothing() {
        let found = causes(Optimiser { is_compiled: true, packs_all: true });
        let said: Vec<&str> = found.iter().map(|(_, said)| said.as_str()).collect();
        let narrowed =
            ", reproduced exactly by ptxas.narrowed-loads, as the compiler did in 1 of 4 variants with ld";
        let packed = ", reproduced exactly by ptxas.packed-lists";
        assert_eq!(said, [narrowed, packed, packed]);
    }

    #[test]
    fn what_a_compiler_always_does_a_right_program_refutes() {
        let found = causes(Optimiser { is_compiled: true, packs_all: false });
        let said: Vec<&str> = found.iter().map(|(_, said)| said.as_str()).collect();
        let narrowed =
            ", reproduced exactly by ptxas.narrowed-loads, as the compiler did in 1 of 4 variants with ld";
        assert_eq!(said, [narrowed, ""]);
    }

    #[test]
    fn of_a_target_without_a_compiler_all_must_be_explained() {
        let found = causes(Optimiser { is_compiled: false, packs_all: true });
        assert!(
            found.iter().all(|(cause, _)| cause.ends_with("reproduced by no known deviation")),
            "{found:?}"
        );
    }

    /// Leaves out loads that nothing reads in the programs of some variants.
    struct Remover;

    impl Target for Remover {
        fn name(&self) -> &str {
            "remover"
        }

        fn is_compiled(&self) -> bool {
            true
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            let removes = question.variant.contains("[t=v4.b32,");
            let deviation = removes.then_some(Deviation::PtxasDeadLoads);
            let semantics = deviation.into_iter().fold(Semantics::default(), Semantics::with);
            warpdiff_emulator::observe(question.program.unwrap(), &question.planned.launch, &semantics)
                .unwrap()
        }
    }

    /// Deviations of surfaces fit these variants as well, and fit all of them: that must not keep the compiler's from being tried on each.
    #[test]
    fn what_a_compiler_did_is_said_alone_where_other_deviations_fit_too() {
        let asked = |variant: &&Variant| variant.id.starts_with("suld/straddle/");
        let variants: Vec<&Variant> = CORPUS.variants.iter().filter(asked).collect();
        let run = session::run(&variants, &[Box::new(Remover)], &|| {});
        let found = run.verdicts.iter().filter_map(|verdict| verdict.targets[0].findings.first());
        let found: Vec<(&[Deviation], bool)> =
            found.map(|finding| (finding.explained.as_slice(), finding.together)).collect();
        // Five geometries, each with a surface by name and by register.
        assert_eq!(found, [(&[Deviation::PtxasDeadLoads][..], false); 10]);
    }
}

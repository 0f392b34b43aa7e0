//! The verdict on a target by its answers to launches that the reference cannot run: by what the case states alone.

use warpdiff_corpus::plan::{PlannedLaunch, Variant};
use warpdiff_judge::finding;
use warpdiff_judge::judgement;
use warpdiff_judge::stated_alone;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Admission, Observation};
use warpdiff_targets::Target;

use crate::launch_answers::LaunchAnswers;
use crate::verdict::TargetVerdict;

/// The verdict on the answers of a target. They are compared with a recording, if there is one.
pub(crate) fn unsupported_verdict(
    variant: &Variant,
    launches: &[PlannedLaunch],
    seen: &[LaunchAnswers],
    target: &dyn Target,
) -> TargetVerdict {
    if launches.len() != seen.len() {
        let why = format!("warpdiff failed: {} answers to {} launches", seen.len(), launches.len());
        return TargetVerdict { why: Some(why), ..TargetVerdict::new(Raw::Broken) };
    }
    let is_spa = launches.first().is_some_and(PlannedLaunch::is_spa);
    let unclaimed = is_spa && !target.claims_spa();
    let mut verdict = TargetVerdict { unclaimed, ..TargetVerdict::new(Raw::Conforms) };
    let has_hung = |seen: &LaunchAnswers| matches!(seen.whole.observation, Observation::TimedOut { .. });
    verdict.only_hung = !seen.is_empty() && seen.iter().all(has_hung);
    let mut judged = 0;
    for (planned, seen) in launches.iter().zip(seen) {
        let observation = &seen.whole.observation;
        let admission = |observation: &Observation| stated_alone::admission(planned, observation);
        let compared = target
            .recording()
            .and_then(|index| index.compare(&variant.id, planned, None, admission, observation));
        verdict.add_comparison(compared);
        if target.replays() {
            verdict.replayed.count(!matches!(observation, Observation::NotRun { .. }));
        }
        let admission = admission(observation);
        let earned = judgement::raw(observation, &admission);
        let raw = if unclaimed { earned.unclaimed() } else { earned };
        verdict.raw = verdict.raw.max(raw);
        match admission {
            Admission::Violates { mismatches } => {
                judged += 1;
                verdict.findings.push(finding::of_stated_alone(planned, observation, raw, &mismatches));
            }
            Admission::Conforms { .. } => judged += 1,
            Admission::Indeterminate { why } | Admission::NotJudged { why } => {
                verdict.why = verdict.why.take().or(Some(why));
            }
        }
    }
    // Whoever reads that it conforms must know by what.
    if judged > 0 && verdict.why.is_none() {
        verdict.why =
            Some("judged by the values that the case states alone: the reference cannot run it".into());
    }
    verdict
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use warpdiff_corpus::plan::Work;
    use warpdiff_model::{FaultClass, Region, RegionKind, State};
    use warpdiff_targets::Question;

    use super::*;
    use crate::prepared_variant::verdict;

    /// A target that knows an instruction which the reference does not: it answers with these bytes of every output.
    struct Knows(fn() -> Observation);

    impl Target for Knows {
        fn name(&self) -> &str {
            "knows"
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            assert!(question.program.is_none(), "the emulator does not decode it");
            (self.0)()
        }
    }

    fn outputs(bytes: &[u8]) -> Observation {
        let region = Region { kind: RegionKind::Buffer, name: "out".into(), bytes: bytes.to_vec() };
        Observation::Completed { state: State { regions: vec![region] } }
    }

    /// The verdict on a row `{a: 1, …}` of `vadd4`, which the reference does not run.
    fn judged(row: &str, target: fn() -> Observation) -> TargetVerdict {
        let case = format!(
            "- case: c\n  inputs: {{a: b32}}\n  outputs: {{d: b32}}\n  body: vadd4.u32.u32.u32 %d, %a, %a, %a;\n  rows: [{{a: 1{row}}}]\n"
        );
        let folder = tempfile::tempdir().unwrap();
        let variants = warpdiff_corpus::load_text_as(Path::new("a.yaml"), case, folder.path()).unwrap();
        assert!(matches!(&variants[0].work, Work::Unsupported(of) if of.launches.len() == 1));
        let targets: [Box<dyn Target>; 1] = [Box::new(Knows(target))];
        let verdict = verdict(&variants[0], &targets);
        assert_eq!(verdict.reference.raw, Raw::Unsupported);
        verdict.targets.into_iter().next().unwrap()
    }

    /// 1 + 1 + 1 = 3 in the lowest byte.
    #[test]
    fn a_target_that_knows_the_instruction_is_judged_by_what_the_case_states() {
        let right = judged(", d: 3", || outputs(&[3, 0, 0, 0]));
        assert_eq!(right.raw, Raw::Conforms);
        assert!(right.why.unwrap().contains("that the case states alone"));
        let wrong = judged(", d: 3", || outputs(&[2, 0, 0, 0]));
        assert_eq!((wrong.raw, wrong.findings.len()), (Raw::Violates, 1));
        let difference = &wrong.findings[0].differences[0];
        assert_eq!(difference.column.as_ref().map(|column| column.name.as_str()), Some("d"));
        assert_eq!(
            (difference.expected.as_slice(), difference.observed.as_slice()),
            (&[3, 0, 0, 0][..], &[2, 0, 0, 0][..])
        );
        assert_eq!(judged(", d: {any: [2, 3]}", || outputs(&[3, 0, 0, 0])).raw, Raw::Conforms);
        assert_eq!(judged(", d: {any: [2, 4]}", || outputs(&[3, 0, 0, 0])).raw, Raw::Violates);
    }

    #[test]
    fn what_the_case_does_not_state_nobody_judges() {
        for row in ["", ", d: undefined", ", d: {any: [3, undefined]}"] {
            let open = judged(row, || outputs(&[9, 9, 9, 9]));
            assert_eq!(open.raw, Raw::Indeterminate, "{row}");
            assert!(open.why.unwrap().starts_with("nothing judged it: "), "{row}");
        }
        let faulted = || Observation::faulted(FaultClass::Trap);
        assert_eq!(judged("", faulted).raw, Raw::Indeterminate);
        assert_eq!(judged(", d: 3", faulted).raw, Raw::Violates);
        assert_eq!(judged(", fault: trap", faulted).raw, Raw::Conforms);
        assert_eq!(judged(", may-fault: trap, d: 3", faulted).raw, Raw::Conforms);
        assert_eq!(judged(", fault: trap", || outputs(&[3, 0, 0, 0])).raw, Raw::Violates);
        assert_eq!(judged(", d: 3", Observation::timed_out).raw, Raw::Hung);
    }

    /// Nobody here checked that the program is legal for the target.
    #[test]
    fn a_rejection_is_neither_right_nor_wrong() {
        let rejected = judged(", d: 3", || Observation::rejected("load", "no vadd4 here"));
        assert_eq!(rejected.raw, Raw::Indeterminate);
        assert!(rejected.why.unwrap().contains("no vadd4 here"));
        let unknown = || Observation::Unsupported { what: "vadd4".into() };
        assert_eq!(judged(", d: 3", unknown).raw, Raw::Unsupported);
        assert_eq!(judged(", d: 3", || Observation::Crashed { signal: 11 }).raw, Raw::Crashed);
    }
}

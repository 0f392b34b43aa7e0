//! Several targets at once: which one differs from the others, and when the reference is suspect.

use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::RegionKind;
use warpdiff_targets::same_implementation;

use crate::verdict::{TargetVerdict, Verdict};

/// The agreement of the targets of a run on a variant, with each other and with the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Fewer than two targets were judged: there is nothing to compare.
    Alone,
    /// Every target that was judged does what is allowed.
    All,
    /// One target does something that is not allowed; the others do not.
    OddOneOut(usize),
    /// All targets do the same, it is not allowed, and they are more than one implementation: the reference is suspect.
    ReferenceSuspected,
    /// Several targets do something that is not allowed, and it is not the same, or other targets do what is allowed, or all are one
    /// implementation. Targets that do the same form a group.
    Split(Vec<Vec<usize>>),
}

/// The agreement on a variant, by the verdicts of the targets with these names. Targets that were neither judged nor characterised are
/// left out.
pub fn agreement(verdict: &Verdict<'_>, names: &[String]) -> Agreement {
    among(&verdict.targets, |a, b| same_implementation(&names[a], &names[b]))
}

fn among(targets: &[TargetVerdict], one_implementation: impl Fn(usize, usize) -> bool) -> Agreement {
    let judged: Vec<usize> = (0..targets.len()).filter(|index| answered(&targets[*index])).collect();
    let failing: Vec<usize> = judged.iter().copied().filter(|index| differs(&targets[*index])).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for index in &failing {
        match groups.iter_mut().find(|group| same(&targets[group[0]], &targets[*index])) {
            Some(group) => group.push(*index),
            None => groups.push(vec![*index]),
        }
    }
    match (judged.len(), failing.as_slice()) {
        (0 | 1, _) => Agreement::Alone,
        (_, []) => Agreement::All,
        (_, [one]) => Agreement::OddOneOut(*one),
        (all, failing)
            if failing.len() == all && groups.len() == 1 && several(failing, one_implementation) =>
        {
            Agreement::ReferenceSuspected
        }
        _ => Agreement::Split(groups),
    }
}

/// Whether targets are more than one implementation.
fn several(targets: &[usize], one_implementation: impl Fn(usize, usize) -> bool) -> bool {
    targets.iter().any(|other| !one_implementation(targets[0], *other))
}

/// Whether a target was judged or characterised.
fn answered(target: &TargetVerdict) -> bool {
    let characterised = target.unclaimed && target.raw == Raw::Characterised;
    matches!(target.raw, Raw::Conforms | Raw::Inconsistent) || target.raw.is_failure() || characterised
}

/// Whether it does something that is not allowed.
fn differs(target: &TargetVerdict) -> bool {
    target.raw.is_failure() || target.unclaimed && !target.findings.is_empty()
}

/// A difference as far as targets are compared by it: region, offset and bytes, or words without these.
type Shape<'a> = (Option<&'a (RegionKind, String)>, usize, &'a [u8], &'a str);

/// Whether two targets differ from the reference in the same way.
fn same(a: &TargetVerdict, b: &TargetVerdict) -> bool {
    // A target that does not claim the dialect has another status for the same behaviour.
    let named = a.unclaimed == b.unclaimed;
    (!named || a.raw == b.raw) && shapes(a, named) == shapes(b, named)
}

/// The launches that differ, under their names if these are to be compared.
fn shapes(target: &TargetVerdict, named: bool) -> Vec<(Option<Raw>, Vec<Shape<'_>>)> {
    target
        .findings
        .iter()
        .map(|finding| {
            let differences = finding.differences.iter().map(|d| {
                // Rejections and crashes have different words on each target.
                let own_words = finding.raw != Raw::Violates;
                let words = if own_words || !d.observed.is_empty() { "" } else { d.detail.as_str() };
                (d.region.as_ref(), d.offset, d.observed.as_slice(), words)
            });
            (named.then_some(finding.raw), differences.collect())
        })
        .collect()
}

impl Agreement {
    /// In words; `None` if all agree.
    pub fn words(&self, targets: &[String]) -> Option<String> {
        let name = |index: &usize| targets.get(*index).map_or("?", String::as_str);
        Some(match self {
            Self::Alone | Self::All => return None,
            Self::OddOneOut(index) => format!("the odd one out is {}", name(index)),
            Self::ReferenceSuspected => {
                "all targets agree, and the reference does not allow it: the reference is suspect".into()
            }
            Self::Split(groups) if groups.len() == 1 => {
                let names: Vec<&str> = groups[0].iter().map(name).collect();
                format!("several targets differ in the same way, {},", names.join(" and "))
            }
            Self::Split(groups) => {
                let groups =
                    groups.iter().map(|group| group.iter().map(name).collect::<Vec<_>>().join(" = "));
                format!("several targets differ: {}", groups.collect::<Vec<_>>().join("; "))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_judge::difference::Difference;
    use warpdiff_judge::evidence::Evidence;
    use warpdiff_judge::finding::Finding;
    use warpdiff_model::MismatchClass;

    use super::*;

    /// Of targets that are all different implementations.
    fn among(targets: &[TargetVerdict]) -> Agreement {
        super::among(targets, |_, _| false)
    }

    fn conforms() -> TargetVerdict {
        TargetVerdict::new(Raw::Conforms)
    }

    fn failing(raw: Raw, observed: &[u8], detail: &str) -> TargetVerdict {
        let difference = Difference {
            row: None,
            column: None,
            element: None,
            region: Some((RegionKind::Buffer, "out".into())),
            offset: 4,
            expected: vec![0],
            defined: vec![0xFF],
            observed: observed.to_vec(),
            detail: detail.into(),
            coordinates: None,
        };
        let symptom = MismatchClass::Value;
        let finding = Finding {
            raw,
            symptom,
            site: None,
            explained: Vec::new(),
            together: false,
            unchecked: None,
            applied: None,
            refuted: None,
            differences: vec![difference],
            nearest: None,
            program: "".into(),
            machine_code: None,
            evidence: Evidence::default(),
        };
        TargetVerdict { findings: vec![finding], ..TargetVerdict::new(raw) }
    }

    fn wrong(observed: u8) -> TargetVerdict {
        failing(Raw::Violates, &[observed], "")
    }

    fn silent() -> TargetVerdict {
        TargetVerdict::new(Raw::NotRun)
    }

    #[test]
    fn one_that_differs_among_others_is_the_odd_one_out() {
        assert_eq!(among(&[conforms(), wrong(1), conforms()]), Agreement::OddOneOut(1));
        assert_eq!(among(&[wrong(1), conforms()]), Agreement::OddOneOut(0));
        assert_eq!(among(&[conforms(), conforms()]), Agreement::All);
    }

    #[test]
    fn the_reference_is_suspected_only_where_all_do_the_same_wrong_thing() {
        assert_eq!(among(&[wrong(1), wrong(1)]), Agreement::ReferenceSuspected);
        assert_eq!(among(&[wrong(1), wrong(1), silent()]), Agreement::ReferenceSuspected);
        assert_eq!(among(&[wrong(1), wrong(2)]), Agreement::Split(vec![vec![0], vec![1]]));
        assert_eq!(among(&[wrong(1), wrong(1), conforms()]), Agreement::Split(vec![vec![0, 1]]));
    }

    #[test]
    fn one_implementation_at_several_levels_does_not_make_the_reference_suspect() {
        let of_one = |targets: &[TargetVerdict]| super::among(targets, |a, b| a.max(b) < 2);
        assert_eq!(of_one(&[wrong(1), wrong(1)]), Agreement::Split(vec![vec![0, 1]]));
        assert_eq!(of_one(&[wrong(1), wrong(1), wrong(1)]), Agreement::ReferenceSuspected);
        assert_eq!(of_one(&[wrong(1), conforms()]), Agreement::OddOneOut(0));
    }

    #[test]
    fn words_of_a_rejection_are_each_targets_own() {
        let reject = |words| failing(Raw::Rejected, &[], words);
        assert_eq!(among(&[reject("no"), reject("non")]), Agreement::ReferenceSuspected);
        let fault = |words| failing(Raw::Violates, &[], words);
        assert_eq!(among(&[fault("trap"), fault("misaligned")]), Agreement::Split(vec![vec![0], vec![1]]));
    }

    #[test]
    fn what_is_characterised_is_compared_with_what_is_judged() {
        let unclaimed = |mut verdict: TargetVerdict| {
            verdict.findings.iter_mut().for_each(|finding| finding.raw = finding.raw.unclaimed());
            TargetVerdict { unclaimed: true, raw: verdict.raw.unclaimed(), ..verdict }
        };
        assert_eq!(among(&[conforms(), unclaimed(wrong(1))]), Agreement::OddOneOut(1));
        assert_eq!(among(&[unclaimed(conforms()), unclaimed(conforms())]), Agreement::All);
        assert_eq!(among(&[unclaimed(wrong(1)), unclaimed(wrong(1))]), Agreement::ReferenceSuspected);
        assert_eq!(among(&[wrong(1), unclaimed(wrong(1))]), Agreement::ReferenceSuspected);
        // An assembler that the case says nothing of was not held against anything.
        assert_eq!(among(&[conforms(), TargetVerdict::new(Raw::Characterised)]), Agreement::Alone);
    }

    #[test]
    fn who_is_not_judged_takes_no_part() {
        assert_eq!(among(&[wrong(1), silent()]), Agreement::Alone);
        assert_eq!(among(&[]), Agreement::Alone);
        assert_eq!(among(&[conforms(), silent(), wrong(1)]), Agreement::OddOneOut(2));
    }
}

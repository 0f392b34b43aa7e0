//! What expectations are about in files of results: which variants passed, which failed, and of what cause.

use std::collections::BTreeMap;

use warpdiff_expectations::cause::Failure;
use warpdiff_expectations::results::{TargetResults, VariantResult};
use warpdiff_judge::mismatch_class::class_named;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::Deviation;

use super::finding::FindingLine;
use super::reader::Results;
use super::variant::TargetLine;

/// Facts that tell kinds of devices apart.
const OF_A_DEVICE: [&str; 3] = ["device", "sm", "level"];

/// What each target did, by its name, in all these runs: what it did in one adds to what it did in another. Variants that are wrong on the
/// reference say nothing about a target.
///
/// # Errors
/// Runs of one target on different devices: what fails on one and passes on another is not flaky. A class or a deviation that this version does not know, with its file and variant.
pub fn by_target(runs: &[Results]) -> Result<BTreeMap<String, TargetResults>, String> {
    let mut all = BTreeMap::<String, TargetResults>::new();
    for Results { path, run, variants, .. } in runs {
        for target in &run.targets {
            let facts = &mut all.entry(target.name.clone()).or_default().facts;
            for fact in OF_A_DEVICE {
                if let (Some(other), Some(this)) = (facts.get(fact), target.device.get(fact))
                    && other != this
                {
                    return Err(format!(
                        "{}: the {fact} of {} is {this}, and {other} in other results: take those of one device at a time",
                        path.display(),
                        target.name
                    ));
                }
            }
            facts.extend(target.device.clone());
        }
        for variant in variants.iter().filter(|variant| variant.reference.status == Raw::Conforms) {
            for target in &variant.targets {
                let of = all.entry(target.target.clone()).or_default();
                let result = of.variants.entry(variant.id.clone()).or_default();
                result.covers.clone_from(&variant.covers);
                result.instructions.extend(variant.instructions.iter().cloned());
                add(result, target).map_err(|why| format!("{}: {}: {why}", path.display(), variant.id))?;
            }
        }
    }
    Ok(all)
}

fn add(result: &mut VariantResult, target: &TargetLine) -> Result<(), String> {
    result.passed |= matches!(target.status, Raw::Conforms | Raw::Inconsistent | Raw::Flaky);
    if !target.status.is_failure() {
        return Ok(());
    }
    result.failed = true;
    for finding in &target.findings {
        result.failures.insert(failure(finding)?);
    }
    if let Some(repeated) = &target.repeated {
        let (low, _) = repeated.interval;
        result.least_rate = Some(result.least_rate.map_or(low, |known| known.min(low)));
    }
    Ok(())
}

fn failure(finding: &FindingLine) -> Result<Failure, String> {
    let class = class_named(&finding.class).ok_or_else(|| format!("unknown class `{}`", finding.class))?;
    let named =
        |name: &String| Deviation::from_name(name).ok_or_else(|| format!("unknown deviation `{name}`"));
    let deviations = finding.reproduced_by.iter().map(named).collect::<Result<_, _>>()?;
    Ok(Failure { class, deviations, together: finding.together })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of one variant with this verdict on the target `cuda`.
    fn run(reference: &str, target: &str) -> Results {
        let run = r#"{"format": 2, "warpdiff": "0.1.0", "date": "2026-11-22", "targets": [{"name": "cuda", "device": {"device": "H200"}}],
            "selection": {"variants": 1, "digest": "00"}}"#;
        let variant = format!(
            r#"{{"id": "a/b", "subject": "a", "location": {{"file": "a.yaml", "line": 1, "column": 1}}, "covers": ["r"],
                "instructions": ["add"], "rows": 1, "seconds": 0.0, "reference": {{"status": "{reference}", "settled": "pass"}},
                "targets": [{{"target": "cuda", "settled": "fail", "specification": "violates", {target}}}]}}"#
        );
        Results {
            path: "night.jsonl".into(),
            run: serde_json::from_str(run).unwrap(),
            variants: vec![serde_json::from_str(&variant).unwrap()],
            summary: None,
        }
    }

    fn violating(class: &str, deviation: &str) -> String {
        let finding = format!(
            r#"{{"status": "violates", "class": "{class}", "reproduced_by": ["{deviation}"], "differences": []}}"#
        );
        format!(r#""status": "violates", "findings": [{finding}]"#)
    }

    const CLAMP: (&str, &str) = ("clamp behaviour", "suld.clamp-as-zero");

    #[test]
    fn what_a_target_did_in_several_nights_adds_up() {
        let wrong = run("conforms", &violating(CLAMP.0, CLAMP.1));
        let of = |runs: &[Results]| by_target(runs).unwrap()["cuda"].clone();
        let one = of(std::slice::from_ref(&wrong));
        assert!(one.variants["a/b"].failed && !one.variants["a/b"].is_flaky());
        assert!(one.variants["a/b"].instructions.contains("add"));
        assert_eq!(one.facts["device"], "H200");
        let two = of(&[wrong, run("conforms", r#""status": "conforms""#)]);
        assert!(two.variants["a/b"].is_flaky());
        assert_eq!(two.variants["a/b"].failures.len(), 1);
    }

    #[test]
    fn runs_on_different_devices_are_not_taken_together() {
        let one = run("conforms", &violating(CLAMP.0, CLAMP.1));
        let mut other = run("conforms", r#""status": "conforms""#);
        other.run.targets[0].device.insert("device".into(), "H100".into());
        let said = by_target(&[one, other]).unwrap_err();
        assert!(
            said.starts_with("night.jsonl: the device of cuda is H100, and H200 in other results"),
            "{said}"
        );
    }

    #[test]
    fn what_is_wrong_on_the_reference_says_nothing_about_a_target() {
        let all = by_target(&[run("contradicted", &violating(CLAMP.0, CLAMP.1))]).unwrap();
        assert!(all["cuda"].variants.is_empty());
    }

    #[test]
    fn unknown_words_are_refused_with_their_place() {
        let said =
            |class, deviation| by_target(&[run("conforms", &violating(class, deviation))]).unwrap_err();
        assert_eq!(said("colour", CLAMP.1), "night.jsonl: a/b: unknown class `colour`");
        assert_eq!(
            said(CLAMP.0, "suld.upside-down"),
            "night.jsonl: a/b: unknown deviation `suld.upside-down`"
        );
    }
}

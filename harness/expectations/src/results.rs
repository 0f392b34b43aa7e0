//! Reads the results of runs (`run --json`): what each target did on each variant, as far as expectations are about it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use warpdiff_judge::mismatch_class::class_named;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::Deviation;

use crate::cause::Failure;
use crate::entry::Selected;

/// What one target did, in one run or several.
#[derive(Clone, Debug, Default)]
pub struct TargetResults {
    /// What it reports of itself.
    pub facts: BTreeMap<String, String>,
    /// The variants that ran, by id.
    pub variants: BTreeMap<String, VariantResult>,
}

/// What a target did on a variant.
#[derive(Clone, Debug, Default)]
pub struct VariantResult {
    /// Ids of the requirements that it covers.
    pub covers: Vec<String>,
    /// Families of the instructions in its programs.
    pub instructions: BTreeSet<String>,
    /// Whether it conformed in a run.
    pub passed: bool,
    /// Whether it failed in a run.
    pub failed: bool,
    /// The failures, of all runs.
    pub failures: BTreeSet<Failure>,
    /// The lower end of the interval of its pass rate, where it was run again.
    pub least_rate: Option<f64>,
}

impl VariantResult {
    /// Whether it passes at times and fails at times.
    pub fn is_flaky(&self) -> bool {
        self.passed && self.failed
    }

    /// Whether there is a verdict.
    pub fn is_judged(&self) -> bool {
        self.passed || self.failed
    }

    /// The facts by which entries select it.
    pub fn selected<'v>(&'v self, id: &'v str) -> Selected<'v> {
        Selected { id, covers: &self.covers, instructions: Some(&self.instructions) }
    }
}

/// What each target did, by its name.
pub type Results = BTreeMap<String, TargetResults>;

/// Reads the results of several runs. What a target did in one adds to what it did in another.
///
/// # Errors
/// Which file is no result of a run, and why.
pub fn read(paths: &[impl AsRef<Path>]) -> Result<Results, String> {
    let mut results = Results::new();
    for path in paths.iter().map(AsRef::as_ref) {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        add(&mut results, &text).map_err(|why| format!("{}: {why}", path.display()))?;
    }
    Ok(results)
}

/// The parts of a report that expectations are about.
#[derive(Default, Deserialize)]
struct Document {
    #[serde(rename = "format")]
    _format: u32,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    targets: Vec<String>,
    #[serde(default)]
    devices: Vec<BTreeMap<String, String>>,
    #[serde(default)]
    variants: Vec<Variant>,
}

#[derive(Deserialize)]
struct Variant {
    id: String,
    #[serde(default)]
    covers: Vec<String>,
    #[serde(default)]
    instructions: BTreeSet<String>,
    reference: Reference,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Reference {
    status: String,
}

#[derive(Deserialize)]
struct Target {
    target: String,
    status: String,
    #[serde(default)]
    findings: Vec<Finding>,
    #[serde(default)]
    repeated: Option<Repeated>,
}

#[derive(Deserialize)]
struct Finding {
    class: String,
    reproduced_by: Vec<String>,
    #[serde(default)]
    together: bool,
}

#[derive(Deserialize)]
struct Repeated {
    interval: (f64, f64),
}

/// A line of results that are JSON Lines.
#[derive(Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
enum Line {
    Run {
        targets: Vec<TargetFacts>,
    },
    Variant(Box<Variant>),
    Error {
        error: String,
    },
    /// A kind of line that expectations are not about.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct TargetFacts {
    name: String,
    #[serde(default)]
    device: BTreeMap<String, String>,
}

/// Adds one file: a document, or JSON Lines.
fn add(results: &mut Results, text: &str) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Tagged {
        #[serde(rename = "line")]
        _line: String,
    }
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let document = match serde_json::from_str::<Tagged>(first) {
        Ok(_) => of_lines(text)?,
        Err(_) => {
            serde_json::from_str(text).map_err(|error| format!("no result of `run --json`: {error}"))?
        }
    };
    add_document(results, document)
}

/// The lines together as one document.
fn of_lines(text: &str) -> Result<Document, String> {
    let mut document = Document::default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line = serde_json::from_str(line)
            .map_err(|error| format!("line {}: no result of `run --json`: {error}", index + 1))?;
        match line {
            Line::Run { targets } => {
                for TargetFacts { name, device } in targets {
                    document.targets.push(name);
                    document.devices.push(device);
                }
            }
            Line::Variant(variant) => document.variants.push(*variant),
            Line::Error { error } => document.error = Some(error),
            Line::Other => {}
        }
    }
    Ok(document)
}

fn add_document(results: &mut Results, document: Document) -> Result<(), String> {
    if let Some(error) = document.error {
        return Err(format!("the run failed: {error}"));
    }
    for (index, name) in document.targets.iter().enumerate() {
        let facts = document.devices.get(index).cloned().unwrap_or_default();
        results.entry(name.clone()).or_default().facts.extend(facts);
    }
    for variant in &document.variants {
        if Raw::from_name(&variant.reference.status) != Some(Raw::Conforms) {
            continue;
        }
        for target in &variant.targets {
            let of = results.entry(target.target.clone()).or_default();
            let result = of.variants.entry(variant.id.clone()).or_default();
            result.covers.clone_from(&variant.covers);
            result.instructions.extend(variant.instructions.iter().cloned());
            add_target(result, target).map_err(|why| format!("{}: {why}", variant.id))?;
        }
    }
    Ok(())
}

fn add_target(result: &mut VariantResult, target: &Target) -> Result<(), String> {
    let status =
        Raw::from_name(&target.status).ok_or_else(|| format!("unknown status `{}`", target.status))?;
    result.passed |= matches!(status, Raw::Conforms | Raw::Inconsistent | Raw::Flaky);
    result.failed |= status.is_failure();
    if !status.is_failure() {
        return Ok(());
    }
    for finding in &target.findings {
        let class =
            class_named(&finding.class).ok_or_else(|| format!("unknown class `{}`", finding.class))?;
        let named =
            |name: &String| Deviation::from_name(name).ok_or_else(|| format!("unknown deviation `{name}`"));
        let deviations = finding.reproduced_by.iter().map(named).collect::<Result<_, _>>()?;
        result.failures.insert(Failure { class, deviations, together: finding.together });
    }
    if let Some(Repeated { interval: (low, _) }) = target.repeated {
        result.least_rate = Some(result.least_rate.map_or(low, |known| known.min(low)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(status: &str, findings: &str) -> String {
        format!(
            r#"{{"format": 1, "targets": ["cuda"], "devices": [{{"device": "H200"}}], "variants": [{{
                "id": "a/b", "covers": ["r"], "instructions": ["add"], "reference": {{"status": "conforms"}},
                "targets": [{{"target": "cuda", "status": "{status}", "findings": [{findings}]}}]}}]}}"#
        )
    }

    #[test]
    fn results_of_several_nights_add_up() {
        let mut results = Results::new();
        let finding =
            r#"{"class": "clamp behaviour", "reproduced_by": ["suld.clamp-as-zero"], "status": "violates"}"#;
        add(&mut results, &document("violates", finding)).unwrap();
        let of = |results: &Results| results["cuda"].variants["a/b"].clone();
        assert!(of(&results).failed && !of(&results).is_flaky());
        add(&mut results, &document("conforms", "")).unwrap();
        assert!(of(&results).is_flaky());
        assert_eq!(of(&results).failures.len(), 1);
        assert_eq!(results["cuda"].facts["device"], "H200");
    }

    #[test]
    fn json_lines_say_the_same_as_a_document() {
        let run =
            r#"{"line": "run", "format": 2, "targets": [{"name": "cuda", "device": {"device": "H200"}}]}"#;
        let variant = r#"{"line": "variant", "id": "a/b", "covers": ["r"], "instructions": ["add"], "reference": {"status": "conforms"}, "targets": [{"target": "cuda", "status": "hung", "findings": [{"class": "hang", "reproduced_by": []}]}]}"#;
        let summary = r#"{"line": "summary", "exit_code": 1}"#;
        let mut results = Results::new();
        add(&mut results, &format!("{run}\n{variant}\n{summary}\n")).unwrap();
        let of = &results["cuda"].variants["a/b"];
        assert!(of.failed && of.failures.len() == 1 && of.instructions.contains("add"));
        assert_eq!(results["cuda"].facts["device"], "H200");
        let broken = add(&mut results, &format!("{run}\n{{\"line\": \"variant\"\n")).unwrap_err();
        assert!(broken.starts_with("line 2: no result"), "{broken}");
        let error = add(&mut results, r#"{"line": "error", "error": "no corpus"}"#).unwrap_err();
        assert_eq!(error, "the run failed: no corpus");
    }

    #[test]
    fn what_is_no_result_is_refused() {
        let said = |text: &str| add(&mut Results::new(), text).unwrap_err();
        assert!(said("[]").contains("no result of `run --json`"));
        assert_eq!(
            said(r#"{"format": 1, "error": "the corpus has 1 error"}"#),
            "the run failed: the corpus has 1 error"
        );
        assert_eq!(said(&document("passes", "")), "a/b: unknown status `passes`");
        let finding = r#"{"class": "colour", "reproduced_by": []}"#;
        assert_eq!(said(&document("violates", finding)), "a/b: unknown class `colour`");
    }
}

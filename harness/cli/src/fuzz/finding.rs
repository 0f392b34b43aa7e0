//! Reduces the programs of a campaign that show a difference, and writes each as a case of the corpus.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use warpdiff_corpus::bytes;
use warpdiff_generator::{Specimen, case, reduce};
use warpdiff_targets::Target;
use warpdiff_terminal::foreign;

use super::campaign::Campaign;
use super::culprit::{Cause, Symptom};
use super::options::{FuzzError, Options};
use super::trial::Trial;

/// The files written, by cause.
pub(super) type CaseFiles = BTreeMap<Cause, Vec<PathBuf>>;

/// Writes a case for the first programs of each cause.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn write_all(
    options: &Options,
    target: &dyn Target,
    campaign: &Campaign,
) -> Result<CaseFiles, FuzzError> {
    let mut files = CaseFiles::new();
    if options.per_cause == 0 {
        return Ok(files);
    }
    for (cause, group) in &campaign.groups {
        for index in group.first.iter().take(options.per_cause) {
            if let Some(text) = case_text(options, target, cause, *index) {
                let path = options.out.join(file_name(options.seed, *index, cause));
                let failed = |source| FuzzError::Write { path: path.clone(), source };
                fs::create_dir_all(&options.out).map_err(failed)?;
                fs::write(&path, text).map_err(failed)?;
                files.entry(cause.clone()).or_default().push(path);
            }
        }
    }
    Ok(files)
}

/// `suld.b.clamp-suld.clamp-as-zero-1-42.yaml`
fn file_name(seed: u64, index: u64, cause: &Cause) -> String {
    let instruction = if cause.instruction.is_empty() { "several" } else { &cause.instruction };
    let deviations = [cause.deviation, cause.second].into_iter().flatten();
    let deviation: String = deviations.map(|deviation| format!("-{}", deviation.name())).collect();
    format!("{}{deviation}-{seed}-{index}.yaml", instruction.replace(' ', "-"))
}

/// The case; `None` if the difference does not occur again, as on a target that is not deterministic.
fn case_text(options: &Options, target: &dyn Target, cause: &Cause, index: u64) -> Option<String> {
    let specimen = options.specimen(index).ok()?;
    let reduced = reduced(specimen, target, cause);
    let trial = Trial::new(reduced, target).ok()?;
    if !trial.raw.is_failure() {
        return None;
    }
    // The reduced program shows the instruction and the class more exactly.
    let alone = cause.deviation.filter(|_| cause.second.is_none());
    let cause = &Symptom::of(&trial, target).cause(alone);
    let title = format!("{cause}, program {index} of seed {}{}", options.seed, options.remark());
    let why = "Found by `warpdiff fuzz` and reduced. The reference decides what is allowed.";
    Some(case::text(&title, &comment(&trial, target, cause), why, trial.launch()))
}

/// The smallest specimen that differs for the same cause.
fn reduced(specimen: Specimen, target: &dyn Target, cause: &Cause) -> Specimen {
    // Of a difference that nothing explains, a smaller program that something explains is another one.
    let whole = Trial::new(specimen.clone(), target);
    let unexplained = (cause.deviation.is_none() || cause.second.is_some())
        && whole.is_ok_and(|trial| trial.explained().is_empty());
    let mut persists = |candidate: &Specimen| {
        let trial = Trial::new(candidate.clone(), target);
        trial.is_ok_and(|trial| {
            same_cause(&trial, target, cause) && (!unexplained || trial.explained().is_empty())
        })
    };
    let mut observed =
        |specimen: &Specimen, register| Trial::new(specimen.clone(), target).ok()?.reference_values(register);
    reduce::reduce(specimen, &mut persists, &mut observed)
}

fn same_cause(trial: &Trial, target: &dyn Target, cause: &Cause) -> bool {
    if !trial.raw.is_failure() {
        return false;
    }
    match (cause.deviation, cause.second) {
        // Cheaper than a full diagnosis.
        (Some(deviation), None) => trial.explained_by(deviation),
        _ => Symptom::of(trial, target).cause(None) == *cause,
    }
}

/// The observed difference, for the head of the file.
fn comment(trial: &Trial, target: &dyn Target, cause: &Cause) -> Vec<String> {
    let mut lines = vec![format!("{} differs from the reference.", target.name()), format!("cause: {cause}")];
    if let [only] = trial.places.steps.as_slice() {
        lines.push(format!("instruction: {}", &trial.launch().program[only.clone()]));
    }
    for mismatch in trial.mismatches.iter().take(4) {
        let place = mismatch
            .region
            .as_ref()
            .map(|(kind, name)| format!("{} `{name}`, byte {}: ", bytes::kind_name(*kind), mismatch.offset));
        let mut line = format!("{}{}", place.unwrap_or_default(), mismatch.detail);
        if !mismatch.observed.is_empty() {
            let expected = bytes::masked_hex(&mismatch.expected, &mismatch.defined);
            line.push_str(&format!(" (expected {expected}, observed {})", bytes::hex(&mismatch.observed)));
        }
        // Text of the target may be part of it, and must not end the comment.
        lines.push(foreign::line(&line).to_string());
    }
    lines
}

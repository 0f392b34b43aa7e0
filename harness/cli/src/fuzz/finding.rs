//! Reduces the programs of a campaign that show a difference, and writes each as a case of the corpus.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use warpdiff_generator::{Specimen, reduce};
use warpdiff_model::{Deviation, Launch, Mismatch};
use warpdiff_reducer::held::{Held, Unreducible};
use warpdiff_reducer::signature::Signature;
use warpdiff_reducer::{Size, as_long_form};
use warpdiff_targets::Target;
use warpdiff_terminal::stderr;
use warpdiff_worker::run_end::{self, RunEnd};

use super::campaign::Campaign;
use super::culprit::{Cause, Symptom, explained_by_compiler};
use super::options::FuzzError;
use super::programs::Programs;
use super::trial::Trial;
use crate::kept_findings::{FileName, Kept, keep};
use crate::reduced_case::ReducedCase;
use crate::reproducer_files::{self, NoReproducer};

/// The files written, by cause.
pub(super) type CaseFiles = BTreeMap<Cause, Vec<CaseFile>>;

/// The file of a finding, and how large its program was and is.
pub(super) struct CaseFile {
    pub(super) path: PathBuf,
    /// As it was generated; `None` if its text cannot be read.
    before: Option<Size>,
    /// Reduced.
    after: Option<Size>,
}

impl fmt::Display for CaseFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match (self.before, self.after) {
            (Some(before), Some(after)) => write!(
                f,
                ": {} of {} instructions are left, {} beside loads of inputs and stores of outputs",
                after.instructions, before.instructions, after.beside_data
            ),
            _ => Ok(()),
        }
    }
}

/// Writes a case for the first programs of each cause, unless the folder has one with its signature already.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn write_all(
    programs: Programs<'_>,
    target: &dyn Target,
    campaign: &Campaign,
) -> Result<CaseFiles, FuzzError> {
    let options = programs.options;
    let mut files = CaseFiles::new();
    // A target that is interrupted answers nothing more.
    if options.per_cause == 0 || run_end::reached() == Some(RunEnd::Interrupted) {
        return Ok(files);
    }
    for (cause, group) in &campaign.groups {
        for index in group.first.iter().take(options.per_cause) {
            let Some(found) = Found::new(programs, target, cause, *index) else { continue };
            let name = file_name(options.seed, *index, cause);
            let path = found.keep(&options.out, &name)?;
            if let Some(folder) = &options.reproducer {
                found.write_reproducer(&folder.join(&name))?;
            }
            let (before, after) = (found.before, found.after());
            files.entry(cause.clone()).or_default().push(CaseFile { path, before, after });
        }
    }
    Ok(files)
}

/// `suld.b.clamp-suld.clamp-as-zero-1-42`
fn file_name(seed: u64, index: u64, cause: &Cause) -> String {
    let instruction = if cause.instruction.is_empty() { "several" } else { &cause.instruction };
    let deviations = cause.deviation.iter().chain(&cause.others);
    let deviation: String = deviations.map(|deviation| format!("-{}", deviation.name())).collect();
    format!("{}{deviation}-{seed}-{index}", instruction.replace(' ', "-"))
}

/// A reduced program that differs.
struct Found {
    title: String,
    provenance: Vec<String>,
    signature: String,
    /// The instruction of the signature.
    instruction: Option<String>,
    /// The size of the generated program.
    before: Option<Size>,
    launch: Launch,
    mismatches: Vec<Mismatch>,
}

impl Found {
    /// `None` if the difference does not occur again, as on a target that is not deterministic, or in no launch that a case can state, such as one that faults for one reason or another.
    fn new(programs: Programs<'_>, target: &dyn Target, cause: &Cause, index: u64) -> Option<Self> {
        let options = programs.options;
        let specimen = programs.specimen(index).ok()?;
        let whole = Trial::new(specimen.clone(), target).ok()?;
        let trial = Trial::new(reduced(specimen, target, cause), target).ok()?;
        if !trial.raw.is_failure() {
            return None;
        }
        // The reduced program shows the instruction and the class more exactly.
        let alone = cause.deviation.filter(|_| cause.others.is_empty());
        let is_of_several = !cause.others.is_empty();
        let cause = Symptom::of(&trial, target).cause(alone);
        let version = env!("CARGO_PKG_VERSION");
        let program = format!("program {index} of seed {}{}", options.seed, options.remark());
        let provenance = vec![
            format!("Found by `warpdiff fuzz` {version}: {program}."),
            format!("{} differs from the reference.", target.name()),
            format!("cause: {cause}"),
        ];
        let title = format!("{cause}, {program}");
        // What is left may differ only with the guard bands of generated programs, of which a case says nothing; then the whole may not.
        // Nor is a program held to several deviations together while it shrinks.
        let shrunk =
            [&trial, &whole].into_iter().filter(|_| !is_of_several).find_map(|of| shrunk(of, target, alone));
        let (signature, launch, mismatches) = match shrunk {
            Some((mut signature, launch, mismatches)) => {
                // What a compiler made of an instruction is seen where its result is stored, which tells no cause from another.
                if target.is_compiled() && !cause.instruction.is_empty() {
                    signature.instruction = Some(cause.instruction.clone());
                }
                (Some(signature), launch, mismatches)
            }
            None if conforms(&trial, target) => return None,
            None => (None, as_long_form(trial.launch()), trial.mismatches.clone()),
        };
        if !warpdiff_reducer::has_one_end(&launch) {
            stderr::line(format_args!(
                "no case is written of {program}: it may fault for different reasons, and a case states one"
            ));
            return None;
        }
        let before = Size::of(whole.launch(), None);
        let instruction = signature.as_ref().and_then(|signature| signature.instruction.clone());
        let signature = signature.map_or_else(|| cause.to_string(), |signature| signature.to_string());
        Some(Self { title, provenance, signature, instruction, before, launch, mismatches })
    }

    /// The size of the program.
    fn after(&self) -> Option<Size> {
        Size::of(&self.launch, self.instruction.as_deref())
    }

    /// Writes it to the folder; answers the file that has its signature.
    fn keep(&self, folder: &Path, name: &str) -> Result<PathBuf, FuzzError> {
        let Self { title, provenance, signature, launch, mismatches, .. } = self;
        let (title, provenance, signature) = (title.clone(), provenance.clone(), signature.clone());
        let text = ReducedCase { title, provenance, signature, launch, mismatches }.text();
        let text = text.map_err(FuzzError::Case)?;
        match keep(folder, FileName::Own(name), &self.signature, &text) {
            Ok(Kept::New(path) | Kept::Known(path)) => Ok(path),
            Err((path, source)) => Err(FuzzError::Write { path, source }),
        }
    }

    fn write_reproducer(&self, folder: &Path) -> Result<(), FuzzError> {
        let head: Vec<String> = std::iter::once(&self.signature).chain(&self.provenance).cloned().collect();
        match reproducer_files::write(folder, &head, &self.launch, &self.mismatches) {
            Ok(()) => Ok(()),
            // The case is there, and so are the drivers of other findings.
            Err(NoReproducer::Unwritable(why)) => {
                stderr::line(format_args!("{}: {why}", folder.display()));
                Ok(())
            }
            Err(why) => Err(FuzzError::Reproducer(why.to_string())),
        }
    }
}

/// The program without what the generator put around its steps; `None` if the difference is another one then.
fn shrunk(
    trial: &Trial,
    target: &dyn Target,
    cause: Option<Deviation>,
) -> Option<(Signature, Launch, Vec<Mismatch>)> {
    let (mut held, launch) = Held::to(target, as_long_form(trial.launch())).ok()?;
    if let Some(cause) = cause {
        held.blame(cause, &launch);
    }
    let launch = warpdiff_reducer::reduce(launch, &mut held);
    let (launch, mismatches) = held.finished(launch)?;
    Some((held.signature().clone(), launch, mismatches))
}

/// Whether the target does what the specification allows, with the guard bands of a case.
fn conforms(trial: &Trial, target: &dyn Target) -> bool {
    matches!(Held::to(target, as_long_form(trial.launch())), Err(Unreducible::Conforms))
}

/// The smallest specimen that differs for the same cause.
fn reduced(specimen: Specimen, target: &dyn Target, cause: &Cause) -> Specimen {
    // Of a difference that nothing explains alone, a smaller program that something explains is another one.
    let explains_alone = cause.deviation.is_some() && cause.others.is_empty();
    let symptom =
        |specimen: &Specimen| Some(Symptom::of(&Trial::new(specimen.clone(), target).ok()?, target));
    let unexplained = !explains_alone && symptom(&specimen).is_some_and(|whole| whole.explained.is_empty());
    let mut persists = |candidate: &Specimen| {
        let trial = Trial::new(candidate.clone(), target);
        trial.is_ok_and(|trial| has_cause(&trial, target, cause, unexplained))
    };
    let mut observed =
        |specimen: &Specimen, register| Trial::new(specimen.clone(), target).ok()?.reference_values(register);
    reduce::reduce(specimen, &mut persists, &mut observed)
}

/// Whether the program differs for that cause, and nothing explains it alone if it is to be unexplained.
fn has_cause(trial: &Trial, target: &dyn Target, cause: &Cause, unexplained: bool) -> bool {
    if !trial.raw.is_failure() {
        return false;
    }
    if let (Some(deviation), []) = (cause.deviation, &cause.others[..]) {
        // Cheaper than a full diagnosis.
        return trial.explained_by(deviation) || explained_by_compiler(trial, target).contains(&deviation);
    }
    if unexplained && !trial.explained().is_empty() {
        return false;
    }
    let symptom = Symptom::of(trial, target);
    symptom.cause(None) == *cause && (!unexplained || symptom.explained.is_empty())
}

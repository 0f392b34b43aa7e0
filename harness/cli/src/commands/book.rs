//! `warpdiff book DIR`: writes the book: every requirement with its cases, as static pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use warpdiff_book::contents::{Contents, Judged};
use warpdiff_book::witness::WitnessKind;
use warpdiff_book::{folder, pages};
use warpdiff_corpus::plan::Variant;
use warpdiff_judge::exit_code::Exit;
use warpdiff_recordings::folder::Recording;
use warpdiff_session::session;
use warpdiff_targets::{Target, TargetName};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::recording_to_compare;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;
use crate::target_options::{self, TargetOptions};

/// The machine code that is kept beside the corpus, and the target that runs it.
const KEPT_CODE: (&str, &str) = ("golden/compiled", "compiled");
/// The answers of NVIDIA's assembler that are kept beside the corpus.
const KEPT_ANSWERS: &str = "golden/ptxas/answers";
/// Recordings of devices beside the corpus.
const KEPT_DEVICES: &str = "golden/devices";

/// Options of `book`.
#[derive(Debug, clap::Args)]
pub(crate) struct Book {
    /// Folder to write to: new, empty, or an earlier book, which is replaced
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// A target whose answers stand in the book, as for `run`; may be given several times [default: what is kept beside the corpus:
    /// recordings in `golden/devices` and `golden/ptxas/answers`, and the machine code in `golden/compiled`]
    #[arg(long, value_name = "TARGET")]
    against: Vec<TargetName>,
    /// Ask no target: the book shows the reference alone
    #[arg(long, conflicts_with = "against")]
    reference_only: bool,
    #[command(flatten)]
    target_options: TargetOptions,
}

impl Book {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        // Before minutes are spent.
        folder::check(&self.folder).map_err(|error| Failure::usage(error.to_string()))?;
        let names = self.names(shared)?;
        let journal = self.target_options.journal()?;
        let corpus = shared.load()?;
        let variants: Vec<&Variant> = corpus.variants.iter().collect();
        let mut targets: Vec<Box<dyn Target>> = Vec::new();
        let mut judged = Vec::new();
        for name in &names {
            let target = self.target_options.open(name, shared)?;
            judged.push(judged_as(name, target.as_ref())?);
            targets.push(self.target_options.before(target, &variants, &BTreeSet::new(), journal.as_ref()));
        }
        let titles: Vec<&str> = judged.iter().map(|of: &Judged| of.title.as_str()).collect();
        let progress = Progress::new(variants.len(), "variants", &titles.join(", "));
        let session = session::run(&variants, &targets, &|| progress.advance());
        progress.finish();
        let kept = self.target_options.kept(journal.as_ref());
        let contents = Contents::new(&corpus, &session, &judged);
        let pages = pages(&contents);
        folder::write(&self.folder, &pages).map_err(|error| Failure::broken(error.to_string()))?;
        let requirements = contents.requirements().count();
        let marked = contents.requirements().filter(|entry| !entry.marks.is_empty()).count();
        emit(&format!(
            "{} pages in {}: {requirements} requirements, {marked} of them marked, {} errata; targets: {}\n",
            pages.len(),
            self.folder.display(),
            contents.errata_count(),
            if titles.is_empty() { "none".to_owned() } else { titles.join(", ") }
        ))?;
        kept?;
        let broken = targets.iter().map(|target| target_options::breakdown(target.as_ref()));
        Ok(broken.fold(Exit::Conforms, Exit::and))
    }

    /// The targets: those named, or what is kept beside the corpus.
    fn names(&self, shared: &SharedOptions) -> Result<Vec<TargetName>, Failure> {
        if self.reference_only || !self.against.is_empty() {
            return Ok(self.against.clone());
        }
        let roots = shared.roots()?;
        let devices = roots.beside(KEPT_DEVICES);
        let devices = devices.iter().flat_map(|folder| recording_to_compare::folders(folder));
        let answers = roots.beside(KEPT_ANSWERS).into_iter().filter(|folder| Recording::is_in(folder));
        let recordings = devices.chain(answers).map(TargetName::Recording);
        // The corpus inside the program has its machine code beside it, inside as well.
        let is_kept =
            roots.beside(KEPT_CODE.0).iter().any(|folder| folder.is_dir()) || roots.include_built_in();
        let code = is_kept.then(|| {
            KEPT_CODE.1.parse::<TargetName>().map_err(|e| Failure::broken(format!("{}: {e}", KEPT_CODE.1)))
        });
        Ok(recordings.chain(code.transpose()?).collect())
    }
}

/// How the book names a target, and which kind of witness it is. Paths are left out: the same recording gives the same book.
fn judged_as(name: &TargetName, target: &dyn Target) -> Result<Judged, Failure> {
    let TargetName::Recording(root) = name else {
        let title = target.name().to_owned();
        let kind = kind(&title);
        return Ok(Judged { title, facts: facts(&target.device()), kind });
    };
    let manifest = Recording::manifest(root).map_err(|error| Failure::broken(error.to_string()))?;
    let recorded = format!("recorded on {}", manifest.date);
    let facts = [recorded, facts(&manifest.device)].into_iter().filter(|fact| !fact.is_empty());
    let title = match root.ends_with(Path::new(KEPT_ANSWERS)) {
        true => manifest.target.clone(),
        false => {
            let folder = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy();
            format!("{}, {folder}", manifest.target)
        }
    };
    Ok(Judged { title, facts: facts.collect::<Vec<_>>().join(", "), kind: kind(&manifest.target) })
}

/// The kind of witness that a target of this name is.
fn kind(target: &str) -> WitnessKind {
    let word = target.split([':', '+', '@']).next().unwrap_or_default();
    match word {
        "emulator" => WitnessKind::Ours,
        "ptxas" => WitnessKind::Assembler,
        "compiled" => WitnessKind::MachineCode,
        "cuda" if !target.contains('@') => WitnessKind::Device,
        _ => WitnessKind::Implementation,
    }
}

fn facts(device: &BTreeMap<String, String>) -> String {
    device.iter().map(|(name, fact)| format!("{name} {fact}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_emulator_is_no_witness() {
        assert_eq!(kind("emulator+suld.clamp-as-zero"), WitnessKind::Ours);
        assert_eq!(kind("emulator:ptx"), WitnessKind::Ours);
        assert_eq!(kind("compiled+O3"), WitnessKind::MachineCode);
        assert_eq!(kind("ptxas:/opt/ptxas"), WitnessKind::Assembler);
        assert_eq!(kind("cuda:1+O0"), WitnessKind::Device);
        assert_eq!(kind("cuda@libother.so"), WitnessKind::Implementation);
        assert_eq!(kind("process:./worker"), WitnessKind::Implementation);
    }
}

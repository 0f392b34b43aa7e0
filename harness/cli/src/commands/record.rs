//! `warpdiff record`: writes what a target does to a folder. `run --against recording:DIR` judges it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use warpdiff_corpus::Corpus;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_expectations::day::Day;
use warpdiff_judge::exit_code::Exit;
use warpdiff_recordings::archive::Archive;
use warpdiff_recordings::folder::{Manifest, Recording, Section, occupied};
use warpdiff_recordings::index::Index;
use warpdiff_session::session;
use warpdiff_targets::{Captured, CapturedLaunch, Layered, NothingRuns, Recorder, Target, TargetName};

use super::run::select;
use crate::failure::{Failure, Unwritten};
use crate::progress::Progress;
use crate::shard_options::ShardOptions;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;
use crate::target_options::{self, TargetOptions};

/// Options of `record`.
#[derive(Debug, clap::Args)]
pub(crate) struct Record {
    /// Variants to record, as for `run`
    filter: Vec<String>,
    /// The target: as for `run`
    #[arg(long, value_name = "TARGET")]
    against: TargetName,
    /// Folder of the recording
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Add to an existing recording what it lacks, and do not run again what it has
    #[arg(long)]
    r#continue: bool,
    /// Record only the first variant of every case
    #[arg(long)]
    sample: bool,
    /// Record the launches whose answers FILE of `--resume` has, and run none: after `run --resume FILE`, which decided what is run
    #[arg(long, requires = "resume")]
    only_kept: bool,
    /// Stop after this many seconds and record what was observed until then
    #[arg(long, value_name = "SECONDS")]
    within: Option<u64>,
    #[command(flatten)]
    target_options: TargetOptions,
    #[command(flatten)]
    shard: ShardOptions,
}

/// Variants that are begun together under a time limit. After the limit no more are begun, not even on the reference.
const PIECE: usize = 128;

impl Record {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let begun = Instant::now();
        let mut earlier = self.earlier()?;
        let journal = self.target_options.journal()?;
        let target = self.target_options.open(&self.against, shared)?;
        let manifest = Manifest {
            target: target.name().to_owned(),
            device: target.device(),
            date: Day::today().to_string(),
            warpdiff: env!("CARGO_PKG_VERSION").into(),
            ..Manifest::default()
        };
        if let Some(earlier) = &earlier {
            self.is_continued(&earlier.manifest, &manifest)?;
        }
        let corpus = shared.load()?;
        let mut variants = self.shard.of(select(&corpus, &self.filter)?)?;
        if self.sample {
            let mut before = None;
            variants.retain(|variant| {
                let case = Some((&variant.location.file.path, &variant.title));
                std::mem::replace(&mut before, case) != case
            });
        }
        // The fault budget goes to launches that are not recorded yet, so that each run fills more gaps.
        let known = earlier.iter().flat_map(Recording::keys).collect();
        let target = match self.only_kept {
            true => Box::new(Layered::new(target, NothingRuns)),
            false => target,
        };
        let target = self.target_options.before(target, &variants, &known, journal.as_ref());
        let known = earlier.clone().map(|earlier| Index::new(earlier, &self.output));
        let end = self.within.map(|seconds| begun + Duration::from_secs(seconds));
        let (recorder, captured) = Recorder::new(known, end);
        let targets: Vec<Box<dyn Target>> = vec![Box::new(Layered::new(target, recorder))];
        let progress = Progress::new(variants.len(), "variants", targets[0].name());
        let pieces = variants.chunks(if end.is_some() { PIECE } else { variants.len().max(1) });
        let mut reached = 0;
        for piece in pieces.take_while(|_| end.is_none_or(|end| Instant::now() < end)) {
            session::run(piece, &targets, &|| progress.advance());
            reached += piece.len();
        }
        // Earlier recordings of the other variants stay.
        let unreached = variants.split_off(reached).len();
        progress.finish();
        targets.iter().for_each(|target| target_options::effort(target.as_ref()));
        if !self.only_kept {
            self.target_options.resumed(journal.as_ref());
        }
        let exit = targets
            .iter()
            .map(|target| target_options::breakdown(target.as_ref()))
            .fold(Exit::Conforms, Exit::and);
        let mut captured = std::mem::take(&mut *captured.lock().unwrap_or_else(PoisonError::into_inner));
        let unbegun = reached == 0 && earlier.is_some();
        if captured.launches.is_empty() && captured.answers.is_empty() && !unbegun {
            return Err(Failure::broken(format!(
                "{}: nothing was observed, so nothing is recorded",
                self.against
            )));
        }
        let mut recording = earlier.take().unwrap_or_default();
        recording.manifest = manifest;
        let missing = add(&mut recording, &corpus, &variants, &mut captured);
        let mut unwritten = Unwritten::default();
        unwritten.note(self.keep(&mut recording));
        unwritten.note(self.target_options.kept(journal.as_ref()));
        unwritten.end()?;
        emit(&said(&recording, &captured, missing, unreached, &self.output))?;
        Ok(exit)
    }

    /// The recording to continue, with `--continue`.
    fn earlier(&self) -> Result<Option<Recording>, Failure> {
        let folder = self.output.display();
        if occupied(&self.output) {
            return Err(Failure::usage(format!("{folder}: exists and is not a recording")));
        }
        match (Recording::is_in(&self.output), self.r#continue) {
            (false, _) => Ok(None),
            (true, true) => {
                Recording::read(&self.output).map(Some).map_err(|e| Failure::broken(e.to_string()))
            }
            (true, false) => Err(Failure::usage(format!(
                "{folder}: holds a recording already; --continue adds what it lacks"
            ))),
        }
    }

    /// Refuses to continue a recording of another target or device.
    fn is_continued(&self, then: &Manifest, now: &Manifest) -> Result<(), Failure> {
        if (&then.target, &then.device) == (&now.target, &now.device) {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "{}: was recorded on another target: {} {:?} instead of {} {:?}",
            self.output.display(),
            then.target,
            then.device,
            now.target,
            now.device
        )))
    }

    /// Writes the recording, and reads it back.
    fn keep(&self, recording: &mut Recording) -> Result<(), Failure> {
        recording.write(&self.output).map_err(|e| Failure::broken(e.to_string()))?;
        let back = Recording::read(&self.output).map_err(|e| Failure::broken(e.to_string()))?;
        if back != *recording {
            return Err(Failure::broken(format!(
                "{}: reads back differently from what was recorded",
                self.output.display()
            )));
        }
        Ok(())
    }
}

/// Adds the captured answers to a recording, in the order of the corpus. They replace the variants of this run; the others stay.
/// Returns the number of variants with launches but without observations.
fn add(recording: &mut Recording, corpus: &Corpus, variants: &[&Variant], captured: &mut Captured) -> usize {
    let mut old: BTreeMap<String, Vec<Section>> = BTreeMap::new();
    for section in std::mem::take(&mut recording.sections) {
        old.entry(section.variant.clone()).or_default().push(section);
    }
    let asked: BTreeSet<&str> = variants.iter().map(|variant| variant.id.as_str()).collect();
    let mut missing = 0;
    for variant in &corpus.variants {
        let earlier = old.remove(&variant.id).unwrap_or_default();
        if !asked.contains(variant.id.as_str()) {
            recording.sections.extend(earlier);
            continue;
        }
        let fresh = sections(variant, captured, &mut recording.programs);
        missing += usize::from(fresh.is_empty() && variant.has_launches());
        // Assemblers answer anew each time; without an assembler the earlier answer stays.
        let answered = earlier.into_iter().filter(|section| section.answer.is_some());
        recording.sections.extend(if fresh.is_empty() { answered.collect() } else { fresh });
    }
    // Recordings of cases that the corpus no longer has are kept.
    recording.sections.extend(old.into_values().flatten());
    recording.memory = merged(recording, captured);
    let used: BTreeSet<&str> = recording.sections.iter().map(|s| s.program.as_str()).collect();
    recording.programs.retain(|digest| used.contains(digest));
    missing
}

/// The memory that the sections of a recording name: its own, and the captured one.
fn merged(recording: &mut Recording, captured: &mut Captured) -> Archive {
    let mut all = std::mem::take(&mut recording.memory);
    all.append(std::mem::take(&mut captured.memory));
    let named: BTreeSet<&str> = recording.sections.iter().flat_map(Section::archived).collect();
    all.retain(|digest| named.contains(digest));
    all
}

/// The captured sections of a variant.
fn sections(variant: &Variant, captured: &mut Captured, programs: &mut Archive) -> Vec<Section> {
    let of = |program: &str, programs: &mut Archive| Section {
        variant: variant.id.clone(),
        program: programs.add(program.as_bytes()),
        ..Section::default()
    };
    if let Work::Legality(legality) = &variant.work {
        let answer = captured.answers.get(&*legality.program).cloned();
        return answer
            .map(|answer| Section { answer: Some(answer), ..of(&legality.program, programs) })
            .into_iter()
            .collect();
    }
    let mut taken: Vec<CapturedLaunch> =
        captured.launches.remove(&variant.id).unwrap_or_default().into_values().collect();
    taken.sort_by_key(|taken| place(&taken.entry.part));
    let mut sections: Vec<Section> = Vec::new();
    for CapturedLaunch { program, entry } in taken {
        let section = of(&program, programs);
        match sections.iter_mut().find(|known| known.program == section.program) {
            Some(known) => known.launches.push(entry),
            None => sections.push(Section { launches: vec![entry], ..section }),
        }
    }
    sections
}

/// Orders parts by their first row: `row 2` before `row 10`.
fn place(part: &str) -> (usize, String) {
    let number = part.split(' ').nth(1).and_then(|word| word.parse().ok());
    (number.unwrap_or(0), part.to_owned())
}

/// A summary of the recording, in words.
fn said(
    recording: &Recording,
    captured: &Captured,
    missing: usize,
    unreached: usize,
    folder: &Path,
) -> String {
    let Manifest { launches, variants, .. } = &recording.manifest;
    let mut text = format!("recorded {launches} launches of {variants} variants in {}", folder.display());
    if captured.known > 0 {
        let _ =
            write!(text, "; {} launches are new, {} were recorded before", captured.asked, captured.known);
    }
    if !captured.answers.is_empty() {
        let _ = write!(text, "; the assembler was asked about {} programs", captured.answers.len());
    }
    if captured.late > 0 {
        let _ = write!(text, "; {} launches were left out: the time limit was reached", captured.late);
    }
    if unreached > 0 {
        let _ = write!(text, "; {unreached} variants were not reached");
    }
    if missing > 0 {
        let _ = write!(text, "; nothing was observed of {missing} variants");
    }
    text + "\n"
}

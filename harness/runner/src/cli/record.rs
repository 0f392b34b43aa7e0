//! `warpdiff record`: what a target does, kept in a folder. Whether that is right is for `run --against recording:DIR` to say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::faults::Faults;
use super::output::emit;
use super::progress::Progress;
use super::run::select;
use super::{Failure, Shared};
use crate::plan::Variant;
use crate::recording::hex_digest;
use crate::replay::folder::{Chapter, Entry, Manifest, Recording};
use crate::session;
use crate::status::Exit;
use crate::target::{Recorder, Tape, Target, TargetName};
use crate::worker::limits::Limits;

/// Options of `record`.
#[derive(Debug, clap::Args)]
pub(super) struct Record {
    /// Variants to record, as for `run`
    filter: Vec<String>,
    /// The target: as for `run`
    #[arg(long, value_name = "TARGET")]
    against: String,
    /// Folder of the recording; it must not exist yet, or be empty
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    faults: Faults,
    /// Seconds that a launch may take in a process
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    time_limit: u64,
}

impl Record {
    pub(super) fn execute(&self, shared: &Shared) -> Result<Exit, Failure> {
        if std::fs::read_dir(&self.output).is_ok_and(|mut entries| entries.next().is_some()) {
            let folder = self.output.display();
            return Err(Failure::usage(format!("{folder}: not empty; recordings are not overwritten")));
        }
        let name: TargetName = self.against.parse().map_err(|e| Failure::usage(format!("--against: {e}")))?;
        let limits = Limits { launch: Duration::from_secs(self.time_limit), ..Limits::default() };
        let target = name.open_within(limits);
        target.prepare().map_err(|why| Failure::broken(format!("{}: {why}", target.name())))?;
        let corpus = shared.load()?;
        let variants = select(&corpus, &self.filter)?;
        let target = self.faults.limit(target, &variants, &BTreeSet::new());
        let (recorder, tape) = Recorder::new(target);
        let manifest = Manifest {
            target: recorder.name().to_owned(),
            device: recorder.device(),
            date: date(SystemTime::now()),
            warpdiff: env!("CARGO_PKG_VERSION").into(),
            files: BTreeMap::new(),
        };
        let targets: Vec<Box<dyn Target>> = vec![Box::new(recorder)];
        let progress = Progress::new(variants.len());
        session::run(&variants, &targets, &|| progress.advance());
        progress.finish();
        let tape = tape.lock().unwrap_or_else(PoisonError::into_inner);
        if tape.is_empty() {
            return Err(Failure::broken(format!(
                "{}: nothing was observed, so there is nothing to record",
                self.against
            )));
        }
        let mut recording = Recording { manifest, chapters: chapters(&variants, &tape) };
        recording.write(&self.output).map_err(|e| Failure::broken(e.to_string()))?;
        let back = Recording::read(&self.output).map_err(|e| Failure::broken(e.to_string()))?;
        if back != recording {
            return Err(Failure::broken(format!(
                "{}: does not read back as it was recorded",
                self.output.display()
            )));
        }
        let mut text = String::new();
        let _ = writeln!(
            text,
            "recorded {} launches of {} variants in {}",
            tape.len(),
            variants.len(),
            self.output.display()
        );
        emit(&text)?;
        Ok(Exit::Conforms)
    }
}

/// The observations, by file of the corpus and in its order.
fn chapters(variants: &[&Variant], tape: &Tape) -> BTreeMap<String, Chapter> {
    let mut chapters: BTreeMap<String, Chapter> = BTreeMap::new();
    let mut by_variant: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for ((variant, part, meaning), taken) in tape {
        by_variant.entry(variant).or_default().push((part, meaning, taken));
    }
    for variant in variants {
        let file = variant.location.file.path.components().skip(1).collect::<PathBuf>();
        for (part, meaning, taken) in by_variant.remove(variant.id.as_str()).unwrap_or_default() {
            let chapter = chapters.entry(file.to_string_lossy().into_owned()).or_default();
            let program = hex_digest(Sha256::new_with_prefix(taken.program.as_bytes()));
            chapter.programs.entry(program.clone()).or_insert_with(|| taken.program.to_string());
            chapter.observations.push(Entry {
                variant: variant.id.clone(),
                part: part.clone(),
                meaning: meaning.clone(),
                program,
                observed: taken.observed.clone(),
            });
        }
    }
    chapters
}

/// The day of a point in time, UTC: `2026-11-21`. Counted in eras of 400 years that begin on the first of March.
fn date(time: SystemTime) -> String {
    let days = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400) + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // Seconds since 1970 as `date -u -d DAY +%s` gives them.
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_704_067_199, "2023-12-31"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), day);
        }
    }
}

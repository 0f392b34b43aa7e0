//! Writes the results of a run while it goes on: which lines are written at once, and which wait for the diagnosis of the run.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use warpdiff_corpus::plan::{SourceFile, Variant};
use warpdiff_expectations::day::Day;
use warpdiff_expectations::entry::Selected;
use warpdiff_expectations::file::ExpectationFile;
use warpdiff_expectations::in_force::InForce;
use warpdiff_expectations::profile::Profile;
use warpdiff_judge::exit_code::Exit;
use warpdiff_report::results::line::{FORMAT, Line, RunLine, Selection, ShardOf, TargetFacts, digest};
use warpdiff_report::results::summary::{Ending, SummaryLine, Tally};
use warpdiff_report::results::variant::VariantLine;
use warpdiff_report::results::writer::ResultWriter;
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::Verdict;
use warpdiff_session::watch::Watch;
use warpdiff_targets::Target;
use warpdiff_worker::run_end::{self, RunEnd};

use crate::failure::{Failure, Unwritten};
use crate::progress::Progress;
use crate::standard_output::StandardOutput;

/// A place for results.
type Place = ResultWriter<Box<dyn Write + Send>>;

/// The results of a run that goes on.
pub(crate) struct LiveResults<'r> {
    progress: Progress,
    targets: Vec<String>,
    expected: &'r [InForce<'r>],
    places: Vec<Place>,
    tally: Mutex<Tally>,
    reads_recordings: bool,
}

/// The line of a run that is about these variants, those of its other shards included.
pub(crate) fn run_line(
    targets: &[Box<dyn Target>],
    variants: &[&Variant],
    expectations: &[ExpectationFile],
    profiles: &[Profile],
    shard: Option<ShardOf>,
    date: Day,
) -> RunLine {
    let mut files: Vec<&Arc<SourceFile>> = variants.iter().map(|variant| &variant.location.file).collect();
    files.dedup_by(|a, b| Arc::ptr_eq(a, b));
    // In an order that does not depend on where the corpus is.
    files.sort_unstable_by(|a, b| a.text.cmp(&b.text));
    files.dedup_by(|a, b| a.text == b.text);
    let files_of_profiles = profiles.iter().map(|profile| &profile.source);
    let expectations = expectations.iter().map(|file| &file.source).chain(files_of_profiles);
    let mut expectations: Vec<&str> = expectations.map(|source| source.text.as_str()).collect();
    expectations.sort_unstable();
    let facts = |target: &dyn Target| TargetFacts {
        name: target.name().into(),
        device: target.device(),
        recording: target.recording().map(|recording| recording.root.display().to_string()),
        recorded: target.recording().map(|recording| recording.manifest.device.clone()).unwrap_or_default(),
    };
    RunLine {
        format: FORMAT,
        warpdiff: env!("CARGO_PKG_VERSION").into(),
        date: date.to_string(),
        targets: targets.iter().map(|target| facts(target.as_ref())).collect(),
        selection: Selection::of(variants.iter().map(|variant| variant.id.as_str())),
        cases: digest(files.into_iter().map(|file| file.text.as_str())),
        expectations: digest(expectations),
        shard,
    }
}

impl<'r> LiveResults<'r> {
    /// The results of a run of so many variants, with its first line. They go to the standard output, to a file, to both or to
    /// neither.
    pub(crate) fn begin(
        run: &RunLine,
        variants: usize,
        expected: &'r [InForce<'r>],
        reads_recordings: bool,
        to_stdout: bool,
        to_file: Option<&Path>,
    ) -> Result<Self, Failure> {
        let mut places: Vec<Place> = Vec::new();
        if to_stdout {
            places.push(ResultWriter::new(Box::new(StandardOutput::new())));
        }
        if let Some(path) = to_file {
            let file = File::create(path).map_err(|e| Failure::broken(format!("{}: {e}", path.display())))?;
            places.push(ResultWriter::new(Box::new(BufWriter::new(file))));
        }
        let targets: Vec<String> = run.targets.iter().map(|target| target.name.clone()).collect();
        let tally = Mutex::new(Tally::new(targets.iter().map(String::as_str)));
        let names = if targets.is_empty() { "reference".to_owned() } else { targets.join(", ") };
        let progress = Progress::new(variants, "variants", &names);
        let results = Self { progress, targets, expected, places, tally, reads_recordings };
        results.write(&Line::Run(run.clone()));
        Ok(results)
    }

    /// Whether nothing that is still to come changes the line of this variant.
    fn is_final(&self, verdict: &Verdict<'_>) -> bool {
        let selected = Selected {
            id: &verdict.variant.id,
            covers: &verdict.variant.covers,
            instructions: Some(&verdict.instructions),
        };
        let is_expected = |entries: &InForce<'_>| {
            entries.skips(&selected).is_some() || !entries.about(&selected).is_empty()
        };
        let fails = verdict.targets.iter().any(|target| !target.findings.is_empty());
        // A profile is held against what the whole run shows.
        let is_profiled = self.expected.iter().any(|entries| entries.profile.is_some());
        !fails && !is_profiled && !self.expected.iter().any(is_expected)
    }

    fn write(&self, line: &Line) {
        self.places.iter().for_each(|place| place.write(line));
    }

    fn add(&self, verdict: &Verdict<'_>, settling: &Settling) {
        let line = VariantLine::new(verdict, &self.targets, settling);
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).add(&line);
        self.write(&Line::Variant(Box::new(line)));
    }

    /// Ends the display of progress: every variant has its answers.
    pub(crate) fn all_answered(&self) {
        self.progress.finish();
    }

    /// Writes the lines that waited for the diagnosis.
    pub(crate) fn diagnosed(&self, session: &Session<'_>, settling: &Settling) {
        let waiting = session.verdicts.iter().filter(|verdict| !self.is_final(verdict));
        waiting.for_each(|verdict| self.add(verdict, settling));
    }

    /// The summary of what was judged.
    pub(crate) fn summary(&self, ending: Ending, exit: Exit) -> SummaryLine {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).clone().summary(ending, exit)
    }

    /// Writes the last line, and notes lost lines.
    pub(crate) fn end(self, summary: &SummaryLine, unwritten: &mut Unwritten) {
        let last = Line::Summary(Box::new(summary.clone()));
        self.places.iter().for_each(|place| place.write(&last));
        for place in self.places {
            unwritten.note(place.finish().map_err(|lost| Failure::broken(lost.to_string())));
        }
    }
}

impl Watch for LiveResults<'_> {
    fn answered(&self) {
        self.progress.advance();
    }

    fn judged(&self, verdict: &Verdict<'_>) {
        if self.is_final(verdict) {
            self.add(verdict, &Settling::default());
        }
    }

    fn turns_to(&self, what: &str) {
        self.progress.say(what);
    }

    fn reads_recordings(&self) -> bool {
        self.reads_recordings
    }

    fn over(&self) -> Option<RunEnd> {
        run_end::reached()
    }
}

//! `warpdiff run`: its options, its output, and which recordings, goldens and expectations it uses.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use warpdiff_corpus::Corpus;
use warpdiff_corpus::filter::Filter;
use warpdiff_corpus::plan::Variant;
use warpdiff_expectations::entry::Selected;
use warpdiff_expectations::file::ExpectationFile;
use warpdiff_expectations::in_force::InForce;
use warpdiff_judge::exit_code::Exit;
use warpdiff_recordings::journal::Journal;
use warpdiff_report::closing::AsRecorded;
use warpdiff_report::golden::store::Review;
use warpdiff_report::html;
use warpdiff_report::replace_file::replace;
use warpdiff_report::results::diagnosis::DiagnosisLine;
use warpdiff_report::results::line::{ErrorLine, Line};
use warpdiff_report::results::summary::{Ending, GoldensLine, NoticeLine};
use warpdiff_report::results::variant::VariantLine;
use warpdiff_report::terminal::whole::{self, Ended, Shown};
use warpdiff_session::expected::WholeCorpus;
use warpdiff_session::missing_recordings::lacks;
use warpdiff_session::repetition::Repetitions;
use warpdiff_session::session::{self, Session, Settling};
use warpdiff_targets::{CudaName, Layered, RecordedComparison, Target, TargetName, presence};
use warpdiff_terminal::foreign;
use warpdiff_terminal::stderr;
use warpdiff_terminal::style::ColorChoice;
use warpdiff_worker::run_end::{self, RunEnd};

use crate::ci_reports::{CiOptions, CiReports};
use crate::corpus_root::CorpusRoot;
use crate::expectation_options::{self, ExpectationOptions};
use crate::failure::{Failure, Unwritten};
use crate::goldens::{self, GoldenOptions};
use crate::live_results::{self, LiveResults};
use crate::recording_to_compare;
use crate::shard_options::ShardOptions;
use crate::shared_options::SharedOptions;
use crate::signals;
use crate::standard_output::emit;
use crate::target_options::{self, TargetOptions};
use crate::telling_cases;

/// Options of `run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// Variants to run: text found anywhere in the id, or a pattern with `*` over the whole id
    filter: Vec<String>,
    /// What to judge: `emulator`, `emulator+DEVIATION,…`, `cuda[:ORDINAL][+O0][@LIBRARY]`, `process:COMMAND`,
    /// `compiled[:PTXAS][+O0…+O3]`, `recording:DIR`, `ptxas[:PATH]`; may be given several times [default: the CUDA device, where there is one]
    #[arg(long, value_name = "TARGET")]
    against: Vec<TargetName>,
    #[command(flatten)]
    expectations: ExpectationOptions,
    /// Also compare the targets with the recording in DIR [default: the newest of the same device under `golden/devices` beside
    /// the corpus]
    #[arg(long, value_name = "DIR")]
    recorded: Option<PathBuf>,
    /// Fail if a recording lacks any launch of this run, whether it is compared with a target or is a target
    #[arg(long)]
    complete: bool,
    #[command(flatten)]
    target_options: TargetOptions,
    /// Run a failing variant of each cause again, at most N times, until it passes: what passes then is flaky. Targets that always
    /// answer the same are not asked again
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::new(Repetitions::USUAL).unwrap_or(NonZeroUsize::MIN))]
    repeat: NonZeroUsize,
    /// Run nothing again
    #[arg(long, conflicts_with = "repeat")]
    no_repeat: bool,
    #[command(flatten)]
    shard: ShardOptions,
    #[command(flatten)]
    ci: CiOptions,
    /// Print the results as JSON Lines, each as it comes, in place of the report: see `warpdiff schema results`
    #[arg(long)]
    json: bool,
    /// Also write the results as JSON Lines to FILE, each as it comes
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// End the run after this many seconds; the report says which variants were left out
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    max_time: Option<u64>,
    /// Also write an HTML page to FILE, with pictures of the surfaces and buffers that differ
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write what the reference allows as the new goldens; refused under CI=true
    #[arg(long)]
    bless: bool,
    /// Folder of the goldens [default: beside a corpus `cases` `golden/emulator`, beside another `golden/emulator-of-NAME`]
    #[arg(long, value_name = "DIR")]
    golden: Option<PathBuf>,
    /// Do not compare with the goldens
    #[arg(long, conflicts_with = "bless")]
    no_golden: bool,
    /// Print the times of loading, judging and comparing with the goldens, and the rows per second, on the standard error
    #[arg(long)]
    timings: bool,
    /// Print N examples of each cause in full, and N lines of each list [default: 1 and 10]
    #[arg(long, value_name = "N")]
    show: Option<usize>,
}

impl Run {
    /// With `--json` a failure is JSON, too.
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        if !self.json {
            return self.report(shared);
        }
        let plain = SharedOptions { color: ColorChoice::Never, ..shared.clone() };
        self.report(&plain).inspect_err(|failure| {
            // The failure itself is printed on the standard error.
            let line = Line::Error(ErrorLine::new(&failure.message, failure.problems.clone(), failure.exit));
            let _ = emit(&foreign::in_json(&(serde_json::to_string(&line).unwrap_or_default() + "\n")));
        })
    }

    fn report(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        if self.bless {
            goldens::refuse_under_ci("goldens")?;
        }
        let began = Instant::now();
        // From here on: reading the corpus and opening a device take seconds, and a signal then asks for the report as well.
        signals::end_the_run()?;
        let names = self.names()?;
        let files = self.expectations.read(shared)?;
        let profiles = self.expectations.profiles(shared)?;
        let corpus = shared.load_for(&Filter::new(&self.filter))?;
        #[cfg(all(target_os = "linux", feature = "mimalloc"))]
        warpdiff_allocator::give_back();
        let loaded = began.elapsed();
        let selected = select(&corpus, &self.filter)?;
        let variants = self.shard.of(selected.clone())?;
        let journal = self.target_options.journal()?;
        let targets = self.targets(&names, shared, &variants, &files, journal.as_ref())?;
        let expected = expectation_options::in_force(&files, &profiles, &targets)?;
        self.can_be_complete(&targets)?;
        if let Some(seconds) = self.max_time {
            run_end::end_at(began + Duration::from_secs(seconds));
        }
        let today = self.expectations.today();
        let run = live_results::run_line(&targets, &selected, &files, &profiles, self.shard.line(), today);
        let to_file = self.results.as_deref();
        let live = LiveResults::begin(&run, variants.len(), &expected, !self.no_golden, self.json, to_file)?;
        let repetitions = (!self.no_repeat).then(|| Repetitions { times: self.repeat.get() });
        let mut session = session::run_expecting(&variants, &targets, &expected, repetitions, &live);
        live.all_answered();
        let requirements: Vec<&str> = corpus.requirements.iter().map(|one| one.id.as_str()).collect();
        let whole = WholeCorpus { variants: &corpus.listed, requirements: &requirements };
        let settling = Settling::new(&expected, &mut session, whole, today);
        telling_cases::add(&mut session, &corpus, shared);
        live.diagnosed(&session, &settling);
        targets.iter().for_each(|target| target_options::effort(target.as_ref()));
        let resumed = self.target_options.resumed(journal.as_ref());
        let judged = Instant::now();
        let goldens = self.goldens(shared, &corpus, &session)?;
        if self.timings {
            timings(&session, loaded, judged.elapsed());
        }
        let drift = if goldens.as_ref().is_some_and(Review::fails) { Exit::Outdated } else { Exit::Conforms };
        let broken = session.targets.iter().zip(&session.broken);
        let exit = broken.map(|(name, why)| target_options::broke_down(name, why.as_deref()));
        let exit = exit.fold(settling.exit(&session).and(drift), Exit::and);
        let lacks = lacks(&session, self.complete);
        lacks.iter().for_each(|words| stderr::line(format_args!("{words}")));
        let exit = if lacks.is_empty() { exit } else { exit.and(Exit::Outdated) };
        let exit = match session.ended {
            Some(RunEnd::Interrupted) => exit.and(Exit::Interrupted),
            Some(RunEnd::TimeUp) => exit.and(Exit::Undecided),
            None => exit,
        };
        let mut unwritten = Unwritten::default();
        unwritten.note(self.target_options.kept(journal.as_ref()));
        let ending = Ending {
            partial: session.partial(),
            left_out: session.left_out.iter().map(|variant| variant.id.clone()).collect(),
            broken: session
                .targets
                .iter()
                .zip(&session.broken)
                .filter_map(|(name, why)| Some(format!("{name}: {}", why.as_ref()?)))
                .chain(lacks.iter().cloned())
                .collect(),
            expectations: settling.notices.iter().map(NoticeLine::new).collect(),
            goldens: goldens.as_ref().map(GoldensLine::new),
            resumed,
            diagnoses: session
                .diagnoses
                .iter()
                .map(|of_target| of_target.iter().map(DiagnosisLine::new).collect())
                .collect(),
            seconds: session.elapsed.as_secs_f64(),
        };
        let summary = live.summary(ending, exit);
        let recorded = match goldens.as_ref().is_some_and(Review::fails) {
            true => AsRecorded::Differs,
            false if lacks.is_empty() => AsRecorded::unless(session.drifted(&settling)),
            false => AsRecorded::Lacking,
        };
        let mut reports = CiReports::new(&self.ci, &run, !self.json);
        if reports.are_wanted() {
            let lines = session.verdicts.iter().map(|v| VariantLine::new(v, &session.targets, &settling));
            lines.for_each(|line| reports.add(&line));
        }
        live.end(&summary, &mut unwritten);
        if !self.json {
            let ended = Ended {
                session: &session,
                settling: &settling,
                summary: &summary,
                goldens: goldens.as_ref().map(|review| (review, self.bless)),
                recorded,
            };
            unwritten.note(emit(&whole::report(ended, Shown::new(self.show), shared.style())));
            // Name a corpus that lies outside of the working directory.
            let roots = shared.roots()?;
            let is_elsewhere = |root: &CorpusRoot| root.folder().is_none_or(Path::is_absolute);
            if shared.corpus.is_empty() && roots.each().iter().any(is_elsewhere) {
                unwritten.note(emit(&format!("corpus: {}\n", roots.words())));
            }
        }
        reports.write(&summary, &mut unwritten);
        // Last: thousands of pictures take longer than all else, and a CI service that stopped the run does not wait long.
        if let Some(path) = &self.html {
            let page =
                html::page::of_session(&run, &corpus.requirements, &session, &settling, &summary, recorded);
            let written = replace(path, &page);
            unwritten.note(written.map_err(|e| Failure::broken(format!("{}: {e}", path.display()))));
        }
        unwritten.end()?;
        Ok(exit)
    }

    /// The targets to judge: those named, or the CUDA device, if there is one.
    fn names(&self) -> Result<Vec<TargetName>, Failure> {
        if !self.against.is_empty() {
            return Ok(self.against.clone());
        }
        let device = CudaName::default();
        if self.bless || presence(&device).is_err() {
            return match self.recorded {
                Some(_) => Err(Failure::usage(
                    "--recorded needs a target to compare with the recording; --against names one",
                )),
                None => Ok(Vec::new()),
            };
        }
        stderr::line(format_args!(
            "judging the CUDA device of this machine; `--against emulator` leaves it alone"
        ));
        Ok(vec![TargetName::Cuda(device)])
    }

    fn targets(
        &self,
        names: &[TargetName],
        shared: &SharedOptions,
        variants: &[&Variant],
        files: &[ExpectationFile],
        journal: Option<&Arc<Journal>>,
    ) -> Result<Vec<Box<dyn Target>>, Failure> {
        let recorded = self.recorded.as_deref().map(recording_to_compare::named).transpose()?;
        let open = |name: &TargetName| {
            let target = self.target_options.open(name, shared)?;
            let recording = match &recorded {
                Some(recording) => Some(Arc::clone(recording)),
                None => recording_to_compare::of_device(target.as_ref(), shared)?,
            };
            // What is not run takes nothing from the fault budget.
            let expected = InForce::of(files, target.name(), &target.device());
            let run: Vec<&Variant> =
                variants.iter().copied().filter(|variant| !is_left_out(&expected, variant)).collect();
            // Recorded launches run again, to be compared.
            let target = self.target_options.before(target, &run, &BTreeSet::new(), journal);
            Ok(match recording {
                Some(recording) => {
                    Box::new(Layered::new(target, RecordedComparison(recording))) as Box<dyn Target>
                }
                None => target,
            })
        };
        names.iter().map(open).collect()
    }

    /// Refuses `--complete` without a recording.
    fn can_be_complete(&self, targets: &[Box<dyn Target>]) -> Result<(), Failure> {
        let any = targets.iter().any(|target| target.replays() || target.recording().is_some());
        if any || !self.complete {
            return Ok(());
        }
        Err(Failure::usage(
            "--complete needs a recording; --recorded names one, and so does --against recording:DIR",
        ))
    }

    /// Compares the session with the goldens, or blesses it.
    fn goldens(
        &self,
        shared: &SharedOptions,
        corpus: &Corpus,
        session: &Session<'_>,
    ) -> Result<Option<Review>, Failure> {
        if self.no_golden {
            return Ok(None);
        }
        let whole = session.verdicts.len() == corpus.listed.len();
        let wanted = GoldenOptions { folder: self.golden.as_deref(), bless: self.bless, whole };
        goldens::review(&wanted, shared, corpus, session).map(Some)
    }
}

/// Whether an entry of `skips` surely leaves a variant out. Those that depend on its instructions are not counted: its program is not
/// read yet.
fn is_left_out(expected: &InForce<'_>, variant: &Variant) -> bool {
    let Variant { id, covers, .. } = variant;
    expected.skips(&Selected { id, covers, instructions: None }).is_some()
}

/// Prints the times. A row counts once, however many targets run it.
fn timings(session: &Session<'_>, loaded: Duration, compared: Duration) {
    let rows: usize = session.verdicts.iter().map(|verdict| verdict.rows).sum();
    let judged = session.elapsed;
    // The time may be zero if there is nothing to judge.
    let rate = rows as f64 / judged.as_secs_f64().max(1e-9);
    stderr::line(format_args!(
        "loaded in {:.2} s, judged {rows} rows in {:.2} s ({rate:.0} rows/s), compared with the goldens in {:.2} s",
        loaded.as_secs_f64(),
        judged.as_secs_f64(),
        compared.as_secs_f64()
    ));
}

/// The variants that the filters select.
pub(crate) fn select<'a>(corpus: &'a Corpus, patterns: &[String]) -> Result<Vec<&'a Variant>, Failure> {
    let filter = Filter::new(patterns);
    each_matches(corpus, &filter)?;
    Ok(corpus.variants.iter().filter(|v| filter.selects(&v.id)).collect())
}

/// Refuses a pattern that matches no variant of the corpus.
pub(crate) fn each_matches(corpus: &Corpus, filter: &Filter) -> Result<(), Failure> {
    let ids: Vec<&str> = corpus.listed.iter().map(|v| v.id.as_str()).collect();
    match filter.unmatched(&ids).first() {
        Some(pattern) => {
            Err(Failure::usage(format!("no variant matches `{pattern}`; `warpdiff list` prints all")))
        }
        None => Ok(()),
    }
}

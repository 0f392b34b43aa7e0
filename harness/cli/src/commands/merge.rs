//! `warpdiff merge`: joins the results and recordings of all shards of a run, and proves that every variant ran exactly once; or findings.

use std::fmt::Write;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use warpdiff_judge::exit_code::Exit;
use warpdiff_recordings::folder::{Recording, occupied};
use warpdiff_report::html;
use warpdiff_report::replace_file::replace;
use warpdiff_report::results::join::{Joined, join};
use warpdiff_report::results::line::Line;
use warpdiff_report::results::reader::Results;
use warpdiff_report::results::summary::SummaryLine;
use warpdiff_report::results::writer::ResultWriter;
use warpdiff_report::terminal::{causes, diagnoses};
use warpdiff_terminal::style::Style;

use super::merge_findings;
use crate::ci_reports::{CiOptions, CiReports};
use crate::failure::{Failure, Unwritten};
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `merge`.
#[derive(Debug, clap::Args)]
pub(crate) struct Merge {
    /// Results of the shards, as `run --results` writes them; their recordings, with `--recording`; or folders of findings, with
    /// `--findings`
    #[arg(required = true, value_name = "FILE|DIR")]
    shards: Vec<PathBuf>,
    /// Write the joined results to FILE
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Also write an HTML page of the joined results to FILE; it has no pictures of memory, which results do not have
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Join recordings, and write them to DIR
    #[arg(long, value_name = "DIR", conflicts_with_all = ["results", "junit", "html"])]
    recording: Option<PathBuf>,
    /// Join findings of `fuzz` and `reduce --keep`, and write one case for each signature to DIR; exit code 1 if there are any
    #[arg(long, value_name = "DIR", conflicts_with_all = ["results", "junit", "html", "recording"])]
    findings: Option<PathBuf>,
    #[command(flatten)]
    ci: CiOptions,
    /// How many variants of a cause are listed
    #[arg(long, value_name = "N", default_value_t = 5)]
    show: usize,
}

impl Merge {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        match (&self.recording, &self.findings) {
            (Some(into), _) => self.recordings(into),
            (None, Some(into)) => merge_findings::join(&self.shards, into),
            (None, None) => self.of_results(shared),
        }
    }

    fn of_results(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let read = |path: &PathBuf| Results::read(path).map_err(|e| Failure::broken(e.to_string()));
        let all: Vec<Results> = self.shards.iter().map(read).collect::<Result<_, _>>()?;
        let joined = join(all).map_err(|e| Failure::usage(e.to_string()))?;
        let mut unwritten = Unwritten::default();
        if let Some(path) = &self.results {
            unwritten.note(write(&joined, path));
        }
        let mut reports = CiReports::new(&self.ci, &joined.run, true);
        if reports.are_wanted() {
            joined.variants.iter().for_each(|line| reports.add(line));
        }
        if let Some(path) = &self.html {
            // The texts of the requirements; their ids are in the results.
            let requirements = shared.load_list()?.requirements;
            let page = html::page::of_results(&joined.run, &requirements, &joined.variants, &joined.summary);
            let written = replace(path, &page);
            unwritten.note(written.map_err(|e| Failure::broken(format!("{}: {e}", path.display()))));
        }
        unwritten.note(emit(&self.text(&joined, shared.style())));
        reports.write(&joined.summary, &mut unwritten);
        unwritten.end()?;
        Ok(joined.summary.exit)
    }

    fn text(&self, joined: &Joined, style: Style) -> String {
        let mut text = String::new();
        let SummaryLine { variants, rows, targets, expectations, exit_code, .. } = &joined.summary;
        for target in targets {
            let _ = writeln!(text, "{}", style.strong().paint(&target.target));
            for (settled, count) in &target.counts {
                let word = serde_json::to_value(settled).ok();
                let word = word.as_ref().and_then(|word| word.as_str()).unwrap_or_default();
                let _ = writeln!(text, "  {count:>5}  {word}");
            }
            for cause in &target.causes {
                let _ = writeln!(text, "{}", causes::line(cause));
                cause
                    .variants
                    .iter()
                    .take(self.show)
                    .for_each(|id| text.push_str(&format!("           {id}\n")));
                let more = cause.variants.len().saturating_sub(self.show);
                if more > 0 {
                    let _ = writeln!(text, "           … and {more} more");
                }
            }
            text.push_str(&diagnoses::lines(target, self.show, style));
        }
        for notice in expectations {
            let _ = writeln!(text, "{} {}", style.warn().paint(format!("{}:", notice.kind)), notice.words);
        }
        for gap in &joined.gaps {
            let _ = writeln!(text, "{} {gap}", style.bad().paint("gap:"));
        }
        let words = match joined.gaps.is_empty() {
            true => format!("every one of {variants} variants ({rows} rows) ran exactly once"),
            false => format!("{variants} variants ({rows} rows) ran"),
        };
        let _ = writeln!(text, "{words}; exit code {exit_code}");
        text
    }

    /// Joins recordings of one target.
    fn recordings(&self, into: &Path) -> Result<Exit, Failure> {
        if occupied(into) || Recording::is_in(into) {
            return Err(Failure::usage(format!(
                "{}: exists; the joined recording needs a new folder",
                into.display()
            )));
        }
        let mut joined: Option<(Recording, &PathBuf)> = None;
        for path in &self.shards {
            let next = Recording::read(path).map_err(|e| Failure::broken(e.to_string()))?;
            let Some((all, first)) = &mut joined else {
                joined = Some((next, path));
                continue;
            };
            all.join(next).map_err(|why| {
                Failure::usage(format!("{} and {}: {why}", first.display(), path.display()))
            })?;
        }
        let Some((mut all, _)) = joined else { return Err(Failure::usage("no recordings to join")) };
        all.write(into).map_err(|e| Failure::broken(e.to_string()))?;
        let (launches, variants) = (all.manifest.launches, all.manifest.variants);
        emit(&format!("{launches} launches of {variants} variants in {}\n", into.display()))?;
        Ok(Exit::Conforms)
    }
}

fn write(joined: &Joined, path: &Path) -> Result<(), Failure> {
    let file = File::create(path).map_err(|e| Failure::broken(format!("{}: {e}", path.display())))?;
    let writer = ResultWriter::new(BufWriter::new(file));
    writer.write(&Line::Run(joined.run.clone()));
    joined.variants.iter().for_each(|line| writer.write(&Line::Variant(Box::new(line.clone()))));
    writer.write(&Line::Summary(Box::new(joined.summary.clone())));
    writer.finish().map_err(|lost| Failure::broken(format!("{}: {lost}", path.display())))
}

//! `warpdiff history DIR`: reads the results of many nights, and shows what changed when.

use std::path::PathBuf;

use warpdiff_expectations::day::Day;
use warpdiff_judge::exit_code::Exit;
use warpdiff_report::history::data::HistoryDocument;
use warpdiff_report::history::nights::{History, Wanted};
use warpdiff_report::history::text;
use warpdiff_report::html;
use warpdiff_report::replace_file::replace;
use warpdiff_report::results::line::{ErrorLine, Line};
use warpdiff_terminal::foreign;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `history`.
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryOfRuns {
    /// Folder with results of many runs: every file below it that is named `*.jsonl`, as `run --results` writes it, with the shards of a
    /// run beside each other or not; or such files
    #[arg(required = true, value_name = "DIR|FILE")]
    places: Vec<PathBuf>,
    /// Only variants with this text in the id, or of which the whole id matches a pattern with `*`; may be given several times
    #[arg(long, value_name = "PATTERN")]
    variants: Vec<String>,
    /// Only targets with this text in the name, or of which the whole name matches a pattern with `*`; may be given several times
    #[arg(long, value_name = "PATTERN")]
    target: Vec<String>,
    /// Only runs of this day (UTC) and later ones, such as 2026-11-22
    #[arg(long, value_name = "DATE")]
    since: Option<Day>,
    /// Print the history as JSON: see `warpdiff schema history`
    #[arg(long)]
    json: bool,
    /// Also write an HTML page to FILE, with a chart
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// How many variants of a change are listed
    #[arg(long, value_name = "N", default_value_t = 3)]
    show: usize,
}

impl HistoryOfRuns {
    /// With `--json` a failure is JSON, too.
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        self.report(shared).inspect_err(|failure| {
            if self.json {
                // The failure itself is printed on the standard error.
                let line =
                    Line::Error(ErrorLine::new(&failure.message, failure.problems.clone(), failure.exit));
                let _ = emit(&foreign::in_json(&(serde_json::to_string(&line).unwrap_or_default() + "\n")));
            }
        })
    }

    fn report(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let wanted = Wanted {
            targets: self.target.clone(),
            variants: self.variants.clone(),
            since: self.since.map(|day| day.to_string()),
        };
        let history =
            History::read(&self.places, &wanted).map_err(|error| Failure::usage(error.to_string()))?;
        if let Some(path) = &self.html {
            replace(path, &html::history::page(&history))
                .map_err(|e| Failure::broken(format!("{}: {e}", path.display())))?;
        }
        if self.json {
            let text = serde_json::to_string_pretty(&HistoryDocument::new(&history));
            let text = text.map_err(|e| Failure::broken(format!("cannot write the history: {e}")))?;
            emit(&foreign::in_json(&(text + "\n")))?;
        } else {
            emit(&text::render(&history, self.show, shared.style()))?;
        }
        Ok(Exit::Conforms)
    }
}

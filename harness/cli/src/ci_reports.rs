//! The reports of a run for CI services: JUnit to a file, annotations and a summary for GitHub Actions.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use warpdiff_report::github::GitHub;
use warpdiff_report::junit::Junit;
use warpdiff_report::replace_file::replace;
use warpdiff_report::results::line::RunLine;
use warpdiff_report::results::summary::SummaryLine;
use warpdiff_report::results::variant::VariantLine;

use crate::failure::{Failure, Unwritten};
use crate::repository::Repository;
use crate::standard_output::emit;

/// Set by GitHub Actions in every step.
const ACTIONS: &str = "GITHUB_ACTIONS";
/// The file that takes a step's summary.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Options of commands that report to CI services.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct CiOptions {
    /// Also write the results as JUnit XML to FILE
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// The reports that a command writes at its end.
pub(crate) struct CiReports<'r> {
    run: &'r RunLine,
    junit: Option<(Junit, PathBuf)>,
    /// Why the JUnit report cannot be written, once that is known.
    failed: Option<String>,
    github: Option<GitHub>,
    /// Whether the standard output takes annotations.
    annotates: bool,
}

impl<'r> CiReports<'r> {
    /// The reports that the options and the environment ask for. `annotates`: the standard output is for people.
    pub(crate) fn new(options: &CiOptions, run: &'r RunLine, annotates: bool) -> Self {
        let actions = std::env::var_os(ACTIONS).is_some_and(|value| value == "true");
        let annotates = annotates && actions;
        let wanted = annotates || step_summary().is_some();
        Self {
            run,
            junit: options.junit.clone().map(|path| (Junit::new(run), path)),
            failed: None,
            github: wanted.then(GitHub::default),
            annotates,
        }
    }

    /// Whether there is anything to report to.
    pub(crate) fn are_wanted(&self) -> bool {
        self.junit.is_some() || self.github.is_some()
    }

    /// Adds a variant.
    pub(crate) fn add(&mut self, line: &VariantLine) {
        if let Some((junit, _)) = &mut self.junit
            && let Err(error) = junit.add(line)
        {
            self.failed.get_or_insert_with(|| error.to_string());
        }
        self.github.iter_mut().for_each(|github| github.add(line));
    }

    /// Writes them all. One that cannot be written keeps none of the others back.
    pub(crate) fn write(self, summary: &SummaryLine, unwritten: &mut Unwritten) {
        if let Some((junit, path)) = self.junit {
            let failed = |why: String| Failure::broken(format!("{}: {why}", path.display()));
            let text = match self.failed {
                Some(why) => Err(failed(why)),
                None => junit.text(summary).map_err(|e| failed(e.to_string())),
            };
            unwritten.note(text.and_then(|text| replace(&path, &text).map_err(|e| failed(e.to_string()))));
        }
        let Some(github) = self.github else { return };
        if self.annotates {
            let repository = Repository::of_this_step();
            unwritten.note(emit(&github.annotations(self.run, summary, |file| repository.path_of(file))));
        }
        if let Some(path) = step_summary() {
            let added = append(&path, &github.summary(self.run, summary));
            unwritten
                .note(added.map_err(|e| Failure::broken(format!("{STEP_SUMMARY}: {}: {e}", path.display()))));
        }
    }
}

fn step_summary() -> Option<PathBuf> {
    std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Several commands of a step add to one file.
fn append(path: &Path, text: &str) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).open(path)?.write_all(text.as_bytes())
}

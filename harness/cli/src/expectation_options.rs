//! The options about expectations: `--expectations`, `--today`; which of the entries hold for the targets of a run.

use std::path::PathBuf;

use warpdiff_corpus::CorpusError;
use warpdiff_expectations::day::Day;
use warpdiff_expectations::file::ExpectationFile;
use warpdiff_expectations::folder;
use warpdiff_expectations::in_force::InForce;
use warpdiff_targets::Target;
use warpdiff_terminal::stderr;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;

/// Options about expectations.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ExpectationOptions {
    /// What is expected of targets: known failures, flaky ones, what is not run; a file, or a folder of `*.yaml`
    /// (docs/expectations.md). May be given several times
    #[arg(long, value_name = "FILE|DIR")]
    expectations: Vec<PathBuf>,
    /// The day on which expectations expire or not, instead of today (UTC)
    #[arg(long, value_name = "DATE")]
    today: Option<Day>,
}

impl ExpectationOptions {
    /// The files that are named.
    pub(crate) fn read(&self, shared: &SharedOptions) -> Result<Vec<ExpectationFile>, Failure> {
        folder::read(&self.expectations).map_err(|errors| wrong(&errors, shared))
    }

    /// The day that counts as today.
    pub(crate) fn today(&self) -> Day {
        self.today.unwrap_or_else(Day::today)
    }
}

/// The errors of files of expectations.
pub(crate) fn wrong(errors: &[CorpusError], shared: &SharedOptions) -> Failure {
    let noun = if errors.len() == 1 { "an error" } else { "errors" };
    let all = |color| {
        let each = errors.iter().map(|error| error.render(color)).collect::<Vec<_>>().join("\n\n");
        format!("the expectations have {noun}\n\n{each}")
    };
    Failure::in_files(all(false), all(shared.color.on_stderr()), errors)
}

/// The entries that hold for each target. What is not applied for lack of a fact is said.
pub(crate) fn in_force<'e>(files: &'e [ExpectationFile], targets: &[Box<dyn Target>]) -> Vec<InForce<'e>> {
    for file in files.iter().filter(|file| !targets.iter().any(|target| file.is_for(target.name()))) {
        let path = file.source.path.display();
        stderr::line(format_args!("{path}: not applied: it is for other targets than those of this run"));
    }
    let of = |target: &dyn Target| {
        let found = InForce::of(files, target.name(), &target.device());
        found.unknown.iter().for_each(|words| stderr::line(format_args!("{words}")));
        found
    };
    targets.iter().map(AsRef::as_ref).map(of).collect()
}

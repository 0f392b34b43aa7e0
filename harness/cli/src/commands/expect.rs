//! `warpdiff expect`: proposes the expectations that results of runs need, or edits a file so that it fits them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use warpdiff_expectations::conditions::Holds;
use warpdiff_expectations::day::Day;
use warpdiff_expectations::edit;
use warpdiff_expectations::entry::Selected;
use warpdiff_expectations::file::ExpectationFile;
use warpdiff_expectations::proposal::{self, Words};
use warpdiff_expectations::results::TargetResults;
use warpdiff_judge::exit_code::Exit;
use warpdiff_report::replace_file::replace;
use warpdiff_report::results::for_expectations::by_target;
use warpdiff_report::results::reader::{Results, ResultsError};
use warpdiff_terminal::stderr;

use crate::expectation_options::wrong;
use crate::failure::Failure;
use crate::goldens;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `expect`.
#[derive(Debug, clap::Args)]
pub(crate) struct Expect {
    /// Results of runs (`run --results`); what fails in one and passes in another is flaky
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    from: Vec<PathBuf>,
    /// The target whose expectations they are [default: the only one of the results, or the only one that the file is for]
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// Edit FILE in place: remove stale entries, add new ones, narrow those that match passing variants; comments stay. Refused
    /// under CI=true
    #[arg(long, value_name = "FILE")]
    bless: Option<PathBuf>,
    /// The reason of new entries
    #[arg(long, value_name = "TEXT", default_value = "not yet looked at")]
    reason: String,
    /// The link of new entries
    #[arg(long, value_name = "URL")]
    link: Option<String>,
    /// The last day of new entries [default: none for `fails`, in 30 days for `flakes`]
    #[arg(long, value_name = "DATE")]
    expires: Option<Day>,
    /// The day that counts as today (UTC)
    #[arg(long, value_name = "DATE")]
    today: Option<Day>,
}

impl Expect {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        if self.bless.is_some() {
            goldens::refuse_under_ci("expectations")?;
        }
        let words = self.words()?;
        let file = self.bless.as_deref().map(ExpectationFile::read).transpose();
        let file = file.map_err(|errors| wrong(&errors, shared))?;
        let results = self.results()?;
        let (target, results) = self.target(&results, file.as_ref())?;
        let corpus = shared.load_list()?;
        let all: Vec<Selected<'_>> = corpus
            .listed
            .iter()
            .map(|variant| Selected { id: &variant.id, covers: &variant.covers, instructions: None })
            .collect();
        match file {
            Some(file) => bless(&file, target, results, &all, &words, shared),
            None => {
                let entries = proposal::new_entries(results, &[], &all);
                if entries.is_empty() {
                    stderr::line(format_args!("{target}: nothing fails, so nothing is to be expected"));
                    return Ok(Exit::Conforms);
                }
                emit(&proposal::file(target, results, &entries, &words)).map(|()| Exit::Conforms)
            }
        }
    }

    /// What each target did in the runs of `--from`.
    fn results(&self) -> Result<BTreeMap<String, TargetResults>, Failure> {
        let runs: Result<Vec<Results>, ResultsError> =
            self.from.iter().map(|path| Results::read(path)).collect();
        let runs = runs.map_err(|error| Failure::usage(error.to_string()))?;
        by_target(&runs).map_err(Failure::usage)
    }

    fn words(&self) -> Result<Words, Failure> {
        if self.reason.trim().is_empty() {
            return Err(Failure::usage("--reason says nothing"));
        }
        let is_link = |link: &String| link.starts_with("https://") || link.starts_with("http://");
        if let Some(link) = self.link.as_ref().filter(|link| !is_link(link)) {
            return Err(Failure::usage(format!("--link: `{link}` does not begin with `https://`")));
        }
        Ok(Words {
            reason: self.reason.trim().to_owned(),
            link: self.link.clone(),
            expires: self.expires,
            today: self.today.unwrap_or_else(Day::today),
        })
    }

    /// The target that is meant, with its results.
    fn target<'r>(
        &self,
        results: &'r BTreeMap<String, TargetResults>,
        file: Option<&ExpectationFile>,
    ) -> Result<(&'r str, &'r TargetResults), Failure> {
        let is_meant = |name: &str| match (&self.target, file) {
            (Some(wanted), _) => wanted == name,
            (None, Some(file)) => file.is_for(name),
            (None, None) => true,
        };
        let names = |names: Vec<&String>| match names.is_empty() {
            true => "none".to_owned(),
            false => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        };
        let meant: Vec<(&String, &TargetResults)> =
            results.iter().filter(|(name, _)| is_meant(name)).collect();
        match meant.as_slice() {
            [(name, results)] => Ok((name, results)),
            [] => Err(Failure::usage(format!(
                "the results have no such target; they have {}",
                names(results.keys().collect())
            ))),
            several => Err(Failure::usage(format!(
                "the results have several targets: {}; --target names one",
                names(several.iter().map(|(name, _)| *name).collect())
            ))),
        }
    }
}

/// Writes the edited file, and says what was changed.
fn bless(
    file: &ExpectationFile,
    target: &str,
    results: &TargetResults,
    corpus: &[Selected<'_>],
    words: &Words,
    shared: &SharedOptions,
) -> Result<Exit, Failure> {
    let path = &file.source.path;
    if !file.is_for(target) {
        return Err(Failure::usage(format!("{} is not for `{target}`", path.display())));
    }
    // An entry for a failure of another device would hide the same failure of the device that the file is for.
    let is_for = match file.conditions.hold(&results.facts) {
        Holds::Yes => Ok(()),
        Holds::No => Err(file.conditions.unmet(&results.facts).unwrap_or_default()),
        Holds::Unknown(fact) => Err(format!("`{target}` does not report its `{fact}`")),
    };
    is_for.map_err(|why| {
        Failure::usage(format!("{} does not hold for these results: {why}", path.display()))
    })?;
    let edited = edit::fit(file, target, results, corpus, words).map_err(|error| wrong(&[error], shared))?;
    if edited.changes.is_empty() {
        return emit(&format!("{} fits the results\n", path.display())).map(|()| Exit::Conforms);
    }
    replace(path, &edited.text).map_err(|error| Failure::broken(format!("{}: {error}", path.display())))?;
    emit(&(edited.changes.join("\n") + "\n")).map(|()| Exit::Conforms)
}

//! The options about what is known of targets: `--expectations`, `--profile`, `--today`; which of the entries hold for the targets of a run.

use std::path::PathBuf;

use warpdiff_corpus::CorpusError;
use warpdiff_expectations::day::Day;
use warpdiff_expectations::file::ExpectationFile;
use warpdiff_expectations::folder;
use warpdiff_expectations::in_force::InForce;
use warpdiff_expectations::profile::Profile;
use warpdiff_targets::Target;
use warpdiff_terminal::stderr;

use crate::failure::Failure;
use crate::profiles;
use crate::shared_options::SharedOptions;

/// Options about expectations.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ExpectationOptions {
    /// What is expected of targets: known failures, flaky ones, what is not run; a file, or a folder of `*.yaml`
    /// (docs/expectations.md). May be given several times
    #[arg(long, value_name = "FILE|DIR")]
    expectations: Vec<PathBuf>,
    /// What a target is known to do, wherever it shows: its choices and deviations. A profile that comes with warpdiff, or a
    /// file (docs/profiles.md). May be given several times: the first that is for a target counts
    #[arg(long, value_name = "NAME|FILE")]
    profile: Vec<String>,
    /// The day on which expectations expire or not, instead of today (UTC)
    #[arg(long, value_name = "DATE")]
    today: Option<Day>,
}

impl ExpectationOptions {
    /// The files that are named.
    pub(crate) fn read(&self, shared: &SharedOptions) -> Result<Vec<ExpectationFile>, Failure> {
        folder::read(&self.expectations).map_err(|errors| wrong(&errors, shared))
    }

    /// The profiles that are named.
    pub(crate) fn profiles(&self, shared: &SharedOptions) -> Result<Vec<Profile>, Failure> {
        self.profile.iter().map(|name| profiles::read(name, shared)).collect()
    }

    /// The day that counts as today.
    pub(crate) fn today(&self) -> Day {
        self.today.unwrap_or_else(Day::today)
    }
}

/// The errors of files of expectations.
pub(crate) fn wrong(errors: &[CorpusError], shared: &SharedOptions) -> Failure {
    wrong_files("the expectations have", errors, shared)
}

/// The errors of files; `these` begins the message: `the expectations have`.
pub(crate) fn wrong_files(these: &str, errors: &[CorpusError], shared: &SharedOptions) -> Failure {
    let noun = if errors.len() == 1 { "an error" } else { "errors" };
    let all = |color| {
        let each = errors.iter().map(|error| error.render(color)).collect::<Vec<_>>().join("\n\n");
        format!("{these} {noun}\n\n{each}")
    };
    Failure::in_files(all(false), all(shared.color.on_stderr()), errors)
}

/// The entries that hold for each target, and its profile. What is not applied for lack of a fact is said.
///
/// # Errors
/// A profile that is for no target of the run: it was named to judge one by.
pub(crate) fn in_force<'e>(
    files: &'e [ExpectationFile],
    profiles: &[Profile],
    targets: &[Box<dyn Target>],
) -> Result<Vec<InForce<'e>>, Failure> {
    let is_idle = |one: &&Profile| !targets.iter().any(|target| one.is_for(target.name()));
    if let Some(profile) = profiles.iter().find(is_idle) {
        let path = profile.source.path.display();
        let patterns: Vec<String> = profile.targets.iter().map(|p| format!("`{}`", p.as_str())).collect();
        let whose = match patterns.as_slice() {
            [] => "a target, and this run has none: `--against` names one".to_owned(),
            all => format!("other targets than those of this run: {}", all.join(", ")),
        };
        return Err(Failure::usage(format!("{path}: this profile is for {whose}")));
    }
    for file in files.iter().filter(|file| !targets.iter().any(|target| file.is_for(target.name()))) {
        let path = file.source.path.display();
        stderr::line(format_args!("{path}: not applied: it is for other targets than those of this run"));
    }
    let of = |target: &dyn Target| {
        let found = InForce::of(files, target.name(), &target.device());
        found.unknown.iter().for_each(|words| stderr::line(format_args!("{words}")));
        found.with_profile(profiles, target.name())
    };
    Ok(targets.iter().map(AsRef::as_ref).map(of).collect())
}

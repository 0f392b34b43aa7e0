//! `warpdiff reduce CASE`: the smallest program that a target gets wrong in the same way as it gets a case wrong.

use std::path::{Path, PathBuf};

use warpdiff_corpus::filter::Filter;
use warpdiff_corpus::plan::{PlannedLaunch, Variant, Work};
use warpdiff_expectations::day::Day;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::reference::{Programs, units};
use warpdiff_model::Launch;
use warpdiff_reducer::held::{Held, Unreducible};
use warpdiff_reducer::{as_long_form, instructions, reduce};
use warpdiff_targets::{Target, TargetName};
use warpdiff_terminal::stderr;

use super::run::each_matches;
use crate::failure::Failure;
use crate::kept_findings::{FileName, Kept, keep};
use crate::reduced_case::ReducedCase;
use crate::reproducer_files;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;
use crate::target_options::TargetOptions;

/// Options of `reduce`.
#[derive(Debug, clap::Args)]
pub(crate) struct Reduce {
    /// Id of a variant, text found in it, a pattern with `*` over the whole id, or a case file; of several variants the first one that the
    /// target gets wrong is reduced
    case: String,
    /// The target that gets it wrong: `emulator+suld.clamp-as-zero`, `compiled+O3`, `process:COMMAND`
    #[arg(long, value_name = "TARGET")]
    against: TargetName,
    /// Write the reduced case to FILE [default: the standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the reduced case to a file of its own in DIR, unless a case there has its signature already
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    keep: Option<PathBuf>,
    /// Write a program that needs no warpdiff to DIR, for a bug report: a PTX file with drivers in C and in Python, which say what is
    /// wrong
    #[arg(long, value_name = "DIR")]
    reproducer: Option<PathBuf>,
    /// The day for the provenance of the case, as 2026-01-31 [default: none, so that the case depends on nothing but its input]
    #[arg(long, value_name = "DAY")]
    date: Option<Day>,
    #[command(flatten)]
    targets: TargetOptions,
}

/// A launch that the target gets wrong.
struct Wrong<'t> {
    case: String,
    held: Held<'t>,
    launch: Launch,
}

/// The reasons for which launches cannot be reduced.
#[derive(Default)]
struct Reasons {
    conforming: usize,
    others: Vec<String>,
}

impl Reduce {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let variants = self.variants(shared)?;
        let target = self.targets.open(&self.against, shared)?;
        let mut reasons = Reasons::default();
        let wrong = variants.iter().find_map(|variant| reasons.first_wrong(variant, target.as_ref()));
        if let Some(why) = target.broken() {
            return Err(Failure::broken(format!("{}: {why}", target.name())));
        }
        let Some(wrong) = wrong else { return reasons.nothing_to_reduce(&self.case, &self.against) };
        let before = instructions(&wrong.launch);
        let Wrong { case, mut held, launch } = wrong;
        let finished = {
            let launch = reduce(launch, &mut held);
            held.finished(launch)
        };
        if let Some(why) = target.broken() {
            return Err(Failure::broken(format!("{}: {why}", target.name())));
        }
        let (launch, mismatches) = finished.ok_or_else(|| {
            Failure::broken(format!("{} does not answer the reduced case as it did before", target.name()))
        })?;
        let provenance = self.provenance(&case, before, instructions(&launch));
        let signature = held.signature().to_string();
        let head: Vec<String> = std::iter::once(signature.clone()).chain(provenance.clone()).collect();
        let title = signature.clone();
        let (launch, mismatches) = (&launch, mismatches.as_slice());
        let reduced = ReducedCase { title, provenance, signature, launch, mismatches }.text();
        let reduced =
            reduced.map_err(|why| Failure::broken(format!("the reduced case cannot be written: {why}")))?;
        self.write(&held, &reduced)?;
        if let Some(folder) = &self.reproducer {
            reproducer_files::write(folder, &head, launch, mismatches)
                .map_err(|why| Failure::broken(why.to_string()))?;
        }
        let left = match (instructions(launch), before) {
            (Some(after), Some(before)) => format!("{after} of {before} instructions are left"),
            _ => "the program stays, and what it works on is less".to_owned(),
        };
        let (signature, tried) = (held.signature(), held.tried());
        stderr::line(format_args!("{signature}: {left} after {tried} candidates"));
        Ok(Exit::Violates)
    }

    /// The variants that the argument names: those of a file, or of the corpus.
    fn variants(&self, shared: &SharedOptions) -> Result<Vec<Variant>, Failure> {
        let path = Path::new(&self.case);
        let is_file = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        if is_file {
            if !path.is_file() {
                return Err(Failure::usage(format!("{}: there is no such file", self.case)));
            }
            let root = self.root_of(path, shared);
            return warpdiff_corpus::load_file(path, &root).map_err(|errors| shared.failure(&errors));
        }
        let filter = Filter::new(std::slice::from_ref(&self.case));
        let corpus = shared.load_for(&filter)?;
        each_matches(&corpus, &filter)?;
        let mut variants = corpus.variants;
        variants.retain(|variant| filter.selects(&variant.id));
        if let Some(exact) = variants.iter().position(|variant| variant.id == self.case) {
            variants = vec![variants.swap_remove(exact)];
        }
        Ok(variants)
    }

    /// The folder to which the paths in a case file are relative: its corpus, or else the folder that it is in.
    fn root_of(&self, path: &Path, shared: &SharedOptions) -> PathBuf {
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let roots = shared.roots().map(|roots| roots.folders()).unwrap_or_default();
        let corpora = roots.into_iter().flatten().filter_map(|folder| folder.canonicalize().ok());
        let around = corpora.into_iter().find(|folder| whole.starts_with(folder));
        around.or_else(|| whole.parent().map(Path::to_owned)).unwrap_or_default()
    }

    /// Where the reduced case comes from.
    fn provenance(&self, case: &str, before: Option<usize>, after: Option<usize>) -> Vec<String> {
        let version = env!("CARGO_PKG_VERSION");
        let day = self.date.map(|day| format!(", {day}")).unwrap_or_default();
        let mut provenance = vec![
            format!("Reduced by `warpdiff reduce` {version} from `{case}`{day}."),
            format!("{} differs from the reference.", self.against),
        ];
        if let (Some(before), Some(after)) = (before, after) {
            provenance.push(format!("{before} instructions became {after}."));
        }
        provenance
    }

    fn write(&self, held: &Held<'_>, text: &str) -> Result<(), Failure> {
        let cannot = |path: &Path, error: std::io::Error| {
            Failure::broken(format!("cannot write {}: {error}", path.display()))
        };
        if let Some(folder) = &self.keep {
            let signature = held.signature();
            let name = signature.file_name();
            let kept = keep(folder, FileName::Shared(&name), &signature.to_string(), text);
            return match kept.map_err(|(path, error)| cannot(&path, error))? {
                Kept::New(path) => emit(&format!("{}\n", path.display())),
                Kept::Known(path) => emit(&format!("{} has this signature already\n", path.display())),
            };
        }
        match &self.output {
            Some(path) => std::fs::write(path, text).map_err(|error| cannot(path, error)),
            None => emit(text),
        }
    }
}

impl Reasons {
    /// The first launch of the variant that the target gets wrong; of a table the first row that shows it alone.
    fn first_wrong<'t>(&mut self, variant: &Variant, target: &'t dyn Target) -> Option<Wrong<'t>> {
        let Work::Launches(launches) = &variant.work else {
            self.others.push(match &variant.work {
                Work::Unsupported(unsupported) => {
                    format!("`{}`: the reference cannot run it: {}", variant.id, unsupported.problem.message)
                }
                _ => format!("`{}` asks whether a program is legal, and launches nothing", variant.id),
            });
            return None;
        };
        let mut programs = Programs::default();
        for planned in launches {
            let units = match units(planned, &mut programs) {
                Ok(units) => units,
                Err(error) => {
                    self.others.push(format!("`{}`: the reference cannot run it: {error}", variant.id));
                    continue;
                }
            };
            for unit in units {
                match Held::to(target, unit.planned.launch.clone()) {
                    Ok((held, launch)) => {
                        let (held, launch) = one_row(&unit.planned, &held, target).unwrap_or((held, launch));
                        return plain(variant, held, launch, target);
                    }
                    Err(Unreducible::Conforms) => self.conforming += 1,
                    Err(why) => self.others.push(format!("`{}`: {why}", variant.id)),
                }
                if target.broken().is_some() {
                    return None;
                }
            }
        }
        None
    }

    /// Why there is nothing to reduce, and the exit code: 0 if the target conforms, 5 if some launch has no verdict.
    fn nothing_to_reduce(self, case: &str, target: &TargetName) -> Result<Exit, Failure> {
        match self.others.split_first() {
            None => {
                stderr::line(format_args!(
                    "nothing to reduce: {target} conforms in all launches of `{case}`"
                ));
                Ok(Exit::Conforms)
            }
            Some((first, more)) => {
                stderr::line(format_args!("nothing to reduce: {first}"));
                if !more.is_empty() {
                    stderr::line(format_args!("{} more launches have no verdict", more.len()));
                }
                if self.conforming > 0 {
                    stderr::line(format_args!("{target} conforms in {} other launches", self.conforming));
                }
                Ok(Exit::Undecided)
            }
        }
    }
}

/// The first row of a table that the target gets wrong alone.
fn one_row<'t>(
    planned: &PlannedLaunch,
    whole: &Held<'t>,
    target: &'t dyn Target,
) -> Option<(Held<'t>, Launch)> {
    if !planned.splittable || planned.rows.len() < 2 {
        return None;
    }
    let rows = planned.split();
    let wrong = whole.wrong_rows();
    let first = wrong.iter().filter_map(|row| rows.get(*row)).chain(&rows);
    let cause = &whole.signature().cause;
    let held = first.filter_map(|row| Held::to(target, row.launch.clone()).ok());
    held.into_iter().find(|(held, _)| {
        cause.is_empty() || held.signature().cause.iter().any(|deviation| cause.contains(deviation))
    })
}

/// The launch as the long form of a case states it: not divided into rows, and with the usual guards and limits.
fn plain<'t>(variant: &Variant, held: Held<'t>, launch: Launch, target: &'t dyn Target) -> Option<Wrong<'t>> {
    let case = variant.id.clone();
    let same = as_long_form(&launch);
    match Held::to(target, same) {
        Ok((held, launch)) => Some(Wrong { case, held, launch }),
        Err(_) => Some(Wrong { case, held, launch }),
    }
}

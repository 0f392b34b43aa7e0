//! The runs of many nights: which files are of one run, and what each target did in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use warpdiff_corpus::filter::{Filter, Pattern};
use warpdiff_judge::verdict_table::Settled;
use warpdiff_recordings::join::of_any_card;
use warpdiff_session::causes;

use crate::reasons::REFERENCE;
use crate::results::finding::FindingLine;
use crate::results::join::join;
use crate::results::line::RunLine;
use crate::results::reader::{Results, ResultsError};
use crate::results::summary::cause;
use crate::results::variant::VariantLine;
use crate::standing::Statuses;

/// How files of results are named, for those that are looked for in a folder.
pub const EXTENSION: &str = "jsonl";
/// What a target says is its device; the other facts may change from night to night.
const DEVICE: &str = "device";

/// What is wanted of the nights.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Targets by name; all without patterns.
    pub targets: Vec<String>,
    /// Variants by id; all without patterns.
    pub variants: Vec<String>,
    /// The first day, such as `2026-11-22`.
    pub since: Option<String>,
}

/// The history of every target.
#[derive(Debug, Default)]
pub struct History {
    /// The targets, by name and device.
    pub targets: Vec<TargetHistory>,
    /// Ids of the variants, by number.
    pub ids: Vec<String>,
    /// Causes of failures in words, by number.
    pub causes: Vec<String>,
    /// Runs that could not begin, each with its file: their day is not known.
    pub unbegun: Vec<String>,
}

/// The history of one target on one device.
#[derive(Debug)]
pub struct TargetHistory {
    /// Its name, as `--against` writes it; `reference` for runs without a target.
    pub name: String,
    /// The name of its device, if it says one.
    pub device: Option<String>,
    /// Its runs, the first one first.
    pub nights: Vec<Night>,
}

/// What a target did in one run.
#[derive(Debug)]
pub struct Night {
    /// The day, and of several runs on one day the number: `2026-11-22`, `2026-11-22 (2)`.
    pub label: String,
    /// The day.
    pub date: String,
    /// The files with its results.
    pub files: Vec<PathBuf>,
    /// The version of warpdiff.
    pub warpdiff: String,
    /// What the target said of itself.
    pub facts: BTreeMap<String, String>,
    /// The number of variants that the run was about.
    pub variants: usize,
    /// The set of variants that the run was about.
    pub selection: String,
    /// Why the run does not show every variant: shards that are missing, a run that was killed or ended early. Empty if it does.
    pub gaps: Vec<String>,
    /// The exit code of the whole, by its results.
    pub exit_code: u8,
    /// The variants by their status.
    pub counts: Statuses,
    /// What it did on each variant, by number.
    pub seen: BTreeMap<usize, Seen>,
}

/// What a target did on a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seen {
    /// Its settled status.
    pub settled: Settled,
    /// The number of the cause of its failure, if it failed.
    pub cause: Option<usize>,
}

/// Why there is no history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// A folder cannot be read.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Files are not of results, or damaged.
    #[error("{}", all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Files {
        /// What is wrong with each.
        all: Vec<ResultsError>,
    },
    /// There are no files.
    #[error("{}: no results of nights: no file is named *.{EXTENSION}", path.display())]
    Nothing {
        /// Where they were looked for.
        path: PathBuf,
    },
}

/// Files of one run, with what it was about.
struct Run {
    line: RunLine,
    files: Vec<PathBuf>,
    shards: BTreeSet<usize>,
}

impl History {
    /// Reads files of results, and all below folders that are named `*.jsonl`. Runs are in the order of their days, those of one day in the
    /// order of their files.
    ///
    /// # Errors
    /// If a folder cannot be read, or has no such file; if files are not of results, each with what is wrong with it.
    pub fn read(places: &[PathBuf], wanted: &Wanted) -> Result<Self, HistoryError> {
        let mut files = Vec::new();
        for place in places {
            let before = files.len();
            find(place, &mut files)?;
            if files.len() == before {
                return Err(HistoryError::Nothing { path: place.clone() });
            }
        }
        let mut history = Self::default();
        let mut wrong = Vec::new();
        let mut runs: Vec<Run> = Vec::new();
        for file in files {
            match Results::run_of(&file) {
                Ok(line) => add(&mut runs, line, file),
                Err(failed @ ResultsError::Failed { .. }) => history.unbegun.push(failed.to_string()),
                Err(error) => wrong.push(error),
            }
        }
        let late_enough = |run: &Run| wanted.since.as_ref().is_none_or(|since| run.line.date >= *since);
        runs.retain(late_enough);
        runs.sort_by(|a, b| a.line.date.cmp(&b.line.date));
        let mut numbers = Numbers::default();
        for run in runs {
            if let Err(errors) = history.add(run, wanted, &mut numbers) {
                wrong.extend(errors);
            }
        }
        if !wrong.is_empty() {
            return Err(HistoryError::Files { all: wrong });
        }
        (history.ids, history.causes) = (numbers.ids.texts, numbers.causes.texts);
        history.targets.sort_by(|a, b| (&a.name, &a.device).cmp(&(&b.name, &b.device)));
        Ok(history)
    }

    /// Adds a run to the history of each of its targets.
    fn add(&mut self, run: Run, wanted: &Wanted, numbers: &mut Numbers) -> Result<(), Vec<ResultsError>> {
        let Run { line, files, .. } = run;
        let (mut all, mut gaps, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for file in &files {
            match Results::read(file) {
                Ok(results) => all.push(results),
                Err(failed @ ResultsError::Failed { .. }) => gaps.push(failed.to_string()),
                Err(error) => wrong.push(error),
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        // Files were put together because all that `join` compares is equal.
        let joined = join(all).ok();
        gaps.extend(joined.iter().flat_map(|joined| joined.gaps.iter().cloned()));
        let exit_code = joined.as_ref().map_or(4, |joined| joined.summary.exit_code);
        let variants = joined.map(|joined| joined.variants).unwrap_or_default();
        let filter = Filter::new(&wanted.variants);
        let mut judged: Vec<(&str, &BTreeMap<String, String>)> =
            line.targets.iter().map(|target| (target.name.as_str(), &target.device)).collect();
        let none = BTreeMap::new();
        if judged.is_empty() {
            judged.push((REFERENCE, &none));
        }
        let is_wanted = |name: &str| {
            wanted.targets.is_empty() || wanted.targets.iter().any(|text| Pattern::new(text).matches(name))
        };
        for (place, (name, facts)) in judged.into_iter().enumerate().filter(|(_, (name, _))| is_wanted(name))
        {
            let mut counts = Statuses::default();
            let mut seen = BTreeMap::new();
            for variant in variants.iter().filter(|variant| filter.selects(&variant.id)) {
                let did = numbers.seen(variant, place);
                counts.add(did.settled);
                seen.insert(numbers.ids.of(&variant.id), did);
            }
            let device = facts.get(DEVICE).cloned();
            let known = self.targets.iter().position(|of| of.name == name && of.device == device);
            let known = known.unwrap_or_else(|| {
                self.targets.push(TargetHistory { name: name.into(), device, nights: Vec::new() });
                self.targets.len() - 1
            });
            let nights = &mut self.targets[known].nights;
            let earlier = nights.iter().filter(|night| night.date == line.date).count();
            nights.push(Night {
                label: match earlier {
                    0 => line.date.clone(),
                    more => format!("{} ({})", line.date, more + 1),
                },
                date: line.date.clone(),
                files: files.clone(),
                warpdiff: line.warpdiff.clone(),
                facts: facts.clone(),
                variants: line.selection.variants,
                selection: line.selection.digest.clone(),
                gaps: gaps.clone(),
                exit_code,
                counts,
                seen,
            });
        }
        Ok(())
    }
}

/// The files of results at a place: it, or those below it, in the order of their paths.
fn find(place: &Path, files: &mut Vec<PathBuf>) -> Result<(), HistoryError> {
    if !place.is_dir() {
        files.push(place.to_owned());
        return Ok(());
    }
    let wrong = |source| HistoryError::Folder { path: place.to_owned(), source };
    let entries = std::fs::read_dir(place).map_err(wrong)?;
    let mut inside: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(wrong)?;
    inside.sort();
    for path in inside {
        // A link to a folder is not followed: it may lead back.
        if path.is_dir() && !path.is_symlink() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == EXTENSION) {
            files.push(path);
        }
    }
    Ok(())
}

/// Puts a file to the run that it is of. A shard that its run has already is of another run with the same targets.
fn add(runs: &mut Vec<Run>, line: RunLine, file: PathBuf) {
    let number = line.shard.map_or(1, |shard| shard.number);
    let of = |line: &RunLine| line.shard.map_or(1, |shard| shard.of);
    let same = |run: &&mut Run| {
        let (a, b) = (&run.line, &line);
        let whole = |line: &RunLine| {
            let mut whole = RunLine { shard: None, ..line.clone() };
            for target in &mut whole.targets {
                target.device = of_any_card(&target.device);
                target.recorded = of_any_card(&target.recorded);
                target.recording = target.recording.take().map(|_| String::new());
            }
            whole
        };
        whole(a) == whole(b) && of(a) == of(b) && !run.shards.contains(&number)
    };
    match runs.iter_mut().find(same) {
        Some(run) => {
            run.files.push(file);
            run.shards.insert(number);
        }
        None => runs.push(Run { line, files: vec![file], shards: BTreeSet::from([number]) }),
    }
}

/// Texts, each kept once.
#[derive(Default)]
struct Texts {
    numbers: HashMap<String, usize>,
    texts: Vec<String>,
}

impl Texts {
    fn of(&mut self, text: &str) -> usize {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), self.texts.len() - 1);
        self.texts.len() - 1
    }
}

#[derive(Default)]
struct Numbers {
    ids: Texts,
    causes: Texts,
}

impl Numbers {
    /// What the target at that place did on a variant.
    fn seen(&mut self, variant: &VariantLine, place: usize) -> Seen {
        let Some(target) = variant.targets.get(place) else {
            return Seen { settled: variant.reference.settled, cause: None };
        };
        let cause = cause(&target.findings).map(|finding| self.causes.of(&words(finding)));
        Seen { settled: target.settled, cause }
    }
}

/// The cause of a finding, without how far it was checked: a run of a part of the corpus checks less, and the cause is the same.
fn words(finding: &FindingLine) -> String {
    let names: Vec<&str> = finding.reproduced_by.iter().map(String::as_str).collect();
    let family = finding.instruction.as_ref().map(|instruction| instruction.family.as_str());
    causes::words(&finding.class, family.filter(|family| !family.is_empty()), &names, finding.together, false)
}

impl TargetHistory {
    /// Name and device.
    pub fn title(&self) -> String {
        match &self.device {
            Some(device) => format!("{} on {device}", self.name),
            None => self.name.clone(),
        }
    }

    /// What was not the same as in the run before, besides verdicts: the target's facts, warpdiff, the variants, gaps.
    pub fn events(&self, night: usize) -> Vec<String> {
        let now = &self.nights[night];
        let mut events: Vec<String> = Vec::new();
        if let Some(before) = night.checked_sub(1).map(|before| &self.nights[before]) {
            let mut changed = |what: &str, then: Option<&str>, now: Option<&str>| {
                if then != now {
                    let (then, now) = (then.unwrap_or("not stated"), now.unwrap_or("not stated"));
                    events.push(format!("{what} {then} → {now}"));
                }
            };
            let facts: BTreeSet<&String> = before.facts.keys().chain(now.facts.keys()).collect();
            for fact in facts {
                changed(
                    fact,
                    before.facts.get(fact).map(String::as_str),
                    now.facts.get(fact).map(String::as_str),
                );
            }
            changed("warpdiff", Some(&before.warpdiff), Some(&now.warpdiff));
            if before.selection != now.selection {
                events.push(format!("other variants: {} → {}", before.variants, now.variants));
            }
        }
        events.extend(now.gaps.iter().cloned());
        events
    }
}

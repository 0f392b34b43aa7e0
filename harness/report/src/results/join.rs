//! Joins the results of all shards of a run, and proves that every variant ran exactly once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use warpdiff_expectations::day::Day;
use warpdiff_judge::exit_code::Exit;
use warpdiff_recordings::join::of_any_card;

use super::line::{RunLine, Selection};
use super::reader::Results;
use super::summary::{Ending, SummaryLine, Tally};
use super::variant::VariantLine;

/// The results of all shards together.
#[derive(Clone, Debug)]
pub struct Joined {
    /// What was run.
    pub run: RunLine,
    /// The variants, in ascending order of their ids.
    pub variants: Vec<VariantLine>,
    /// The summary, with the exit code of the whole.
    pub summary: SummaryLine,
    /// Why the results do not prove that every variant ran exactly once; empty if they do.
    pub gaps: Vec<String>,
}

/// Why results cannot be joined at all: they are not of the same run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// There is nothing to join.
    #[error("no results to join")]
    None,
    /// Two files differ in something that all shards of a run share.
    #[error("{first} and {second} are not of the same run: they differ in {what}")]
    Other {
        /// The first file.
        first: String,
        /// A file that differs from it.
        second: String,
        /// In what.
        what: &'static str,
    },
}

/// Joins results. Those of a shard that was killed or ended early count as far as they go.
///
/// # Errors
/// If they are not of the same run.
pub fn join(all: Vec<Results>) -> Result<Joined, JoinError> {
    let first = all.first().ok_or(JoinError::None)?;
    same_run(first, &all)?;
    let mut run = RunLine { shard: None, ..first.run.clone() };
    // What is joined is of no one card, unless all of it is.
    for (place, target) in run.targets.iter_mut().enumerate() {
        let has = |results: &Results, fact: &str, value: &str| {
            results.run.targets[place].device.get(fact).is_some_and(|its| its == value)
        };
        target.device.retain(|fact, value| all.iter().all(|results| has(results, fact, value)));
    }
    let mut gaps = missing_shards(&all);
    let mut exit = Exit::Conforms;
    let mut ending = Ending::default();
    let mut by_id: BTreeMap<String, (VariantLine, String)> = BTreeMap::new();
    // By the two files that have them.
    let mut twice: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for results in all {
        let name = name(&results.path);
        match &results.summary {
            Some(summary) => {
                ending.seconds += summary.seconds;
                ending.resumed += summary.resumed;
                ending.add_diagnoses(&summary.targets);
                ending.left_out.extend(summary.left_out.iter().cloned());
                ending.broken.extend(summary.broken.iter().map(|why| format!("{name}: {why}")));
                for notice in &summary.expectations {
                    if !ending.expectations.contains(notice) {
                        ending.expectations.push(notice.clone());
                    }
                }
                if let Some(why) = &summary.partial {
                    gaps.push(format!(
                        "{name} is partial: {why}; it left out {} variants",
                        summary.left_out.len()
                    ));
                }
                exit = exit.and(beyond_lines(summary, &results));
            }
            None => gaps.push(format!("{name} has no summary: the run was killed")),
        }
        for line in results.variants {
            match by_id.get(&line.id) {
                Some((_, other)) => twice.entry((other.clone(), name.clone())).or_default().push(line.id),
                None => drop(by_id.insert(line.id.clone(), (line, name.clone()))),
            }
        }
    }
    gaps.extend(twice.into_iter().map(|((first, second), ids)| {
        let more = match ids.len() {
            1 => String::new(),
            several => format!(" and {} more variants", several - 1),
        };
        format!("`{}`{more} ran twice: in {first} and in {second}", ids[0])
    }));
    let variants: Vec<VariantLine> = by_id.into_values().map(|(line, _)| line).collect();
    let ran = Selection::of(variants.iter().map(|line| line.id.as_str()));
    if ran != run.selection {
        let words = match ran.variants.cmp(&run.selection.variants) {
            std::cmp::Ordering::Less => {
                format!(
                    "{} of {} variants did not run",
                    run.selection.variants - ran.variants,
                    run.selection.variants
                )
            }
            _ => "the variants that ran are not those of the run".to_owned(),
        };
        gaps.push(words);
    }
    let mut tally = Tally::new(run.targets.iter().map(|target| target.name.as_str()));
    variants.iter().for_each(|line| tally.add(line));
    let exit = exit.and(tally.exit());
    let exit = if gaps.is_empty() { exit } else { exit.and(Exit::Broken) };
    ending.partial = (!gaps.is_empty()).then(|| gaps.join("; "));
    let summary = tally.summary(ending, exit);
    Ok(Joined { run, variants, summary, gaps })
}

/// The exit code of a shard, if it says more than its lines: goldens, lists, recordings, a signal.
fn beyond_lines(summary: &SummaryLine, results: &Results) -> Exit {
    let mut tally = Tally::new(results.run.targets.iter().map(|target| target.name.as_str()));
    results.variants.iter().for_each(|line| tally.add(line));
    // A shard without a judged launch is undecided by itself, but not as a part of the whole.
    match summary.exit == tally.exit() {
        true => Exit::Conforms,
        false => summary.exit,
    }
}

fn same_run(first: &Results, all: &[Results]) -> Result<(), JoinError> {
    let targets = |results: &Results| -> Vec<String> {
        results.run.targets.iter().map(|target| target.name.clone()).collect()
    };
    let devices = |results: &Results| -> Vec<_> {
        results.run.targets.iter().map(|target| of_any_card(&target.device)).collect()
    };
    let recorded = |results: &Results| -> Vec<_> {
        let targets = results.run.targets.iter();
        targets.map(|target| (target.recording.is_some(), of_any_card(&target.recorded))).collect()
    };
    // A night may pass midnight.
    let near =
        |one: &Results, other: &Results| match (one.run.date.parse::<Day>(), other.run.date.parse::<Day>()) {
            (Ok(one), Ok(other)) => one.max(other) <= one.min(other).after(1),
            _ => one.run.date == other.run.date,
        };
    let shards = |results: &Results| results.run.shard.map_or(1, |shard| shard.of);
    for other in all {
        let what = [
            (first.run.warpdiff != other.run.warpdiff, "the version of warpdiff"),
            (targets(first) != targets(other), "the targets"),
            (devices(first) != devices(other), "the device or the driver of a target"),
            (first.run.selection != other.run.selection, "the variants that the run is about"),
            (shards(first) != shards(other), "the number of shards"),
            (first.run.cases != other.run.cases, "the files of their cases"),
            (first.run.expectations != other.run.expectations, "the expectations"),
            (recorded(first) != recorded(other), "the recording that a target is compared with"),
            (!near(first, other), "the day, by more than one"),
        ];
        if let Some((_, what)) = what.into_iter().find(|(differs, _)| *differs) {
            return Err(JoinError::Other { first: name(&first.path), second: name(&other.path), what });
        }
    }
    Ok(())
}

/// The shards that no file or several files are of.
fn missing_shards(all: &[Results]) -> Vec<String> {
    let of = all.first().and_then(|first| first.run.shard).map_or(1, |shard| shard.of);
    let mut seen: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for results in all {
        let number = results.run.shard.map_or(1, |shard| shard.number);
        seen.entry(number).or_default().push(name(&results.path));
    }
    let absent: BTreeSet<usize> = (1..=of).filter(|number| !seen.contains_key(number)).collect();
    let absent = absent.into_iter().map(|number| format!("shard {number} of {of} is missing"));
    let twice = seen.iter().filter(|(_, files)| files.len() > 1);
    let twice =
        twice.map(|(number, files)| format!("shard {number} of {of} is there twice: {}", files.join(", ")));
    absent.chain(twice).collect()
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

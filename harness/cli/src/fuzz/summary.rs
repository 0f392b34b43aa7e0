//! The text of a campaign's summary.

use std::fmt::Write;
use std::path::Path;

use warpdiff_judge::verdict_table::Raw;
use warpdiff_targets::TargetName;
use warpdiff_terminal::foreign;
use warpdiff_worker::run_end::RunEnd;

use super::campaign::{Campaign, Ended};
use super::finding::CaseFiles;
use super::guide::Covered;
use super::options::Options;

/// Most reasons of programs without a verdict that are printed.
const REASONS: usize = 5;

/// The summary of one target.
pub(super) fn text(
    options: &Options,
    against: &TargetName,
    campaign: &Campaign,
    files: &CaseFiles,
) -> String {
    let mut text = String::new();
    let seconds = campaign.elapsed.as_secs_f64();
    let rate = if seconds > 0.0 { campaign.programs as f64 / seconds } else { 0.0 };
    put(
        &mut text,
        format_args!(
            "{} programs of seed {}{} against {}\n",
            campaign.programs,
            options.seed,
            options.remark(),
            against
        ),
    );
    let counts = campaign.statuses.iter().map(|(raw, count)| format!("{count} {}", words(*raw)));
    put(&mut text, format_args!("  {}\n", counts.collect::<Vec<_>>().join(", ")));
    put(&mut text, format_args!("  {seconds:.1} s, {rate:.0} programs/s\n"));
    let mut without: Vec<_> = campaign.without.iter().collect();
    without.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for ((raw, why), count) in without.iter().take(REASONS) {
        put(&mut text, format_args!("{count:>10}  {}: {}\n", words(*raw), foreign::line(why)));
    }
    if without.len() > REASONS {
        put(&mut text, format_args!("{:>10}  and for {} more reasons\n", "", without.len() - REASONS));
    }
    if let Some((index, why)) = &campaign.broken {
        put(&mut text, format_args!("\nprogram {index} has no answer:\n{}\n", foreign::lines(why, 0)));
    }
    if campaign.groups.is_empty() {
        return text;
    }
    put(&mut text, format_args!("\n{:>10}  {:>8}  cause\n", "programs", "first"));
    // The most frequent first; among equals, in the order of causes.
    let mut groups: Vec<_> = campaign.groups.iter().collect();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.programs));
    for (cause, group) in groups {
        let first = group.first.first().copied().unwrap_or_default();
        put(&mut text, format_args!("{:>10}  {first:>8}  {cause}\n", group.programs));
        for file in files.get(cause).into_iter().flatten() {
            put(&mut text, format_args!("{:>22}{file}\n", ""));
        }
    }
    text
}

/// What the corpus of `--corpus` reaches.
pub(super) fn of_corpus(folder: &Path, covered: Covered) -> String {
    let Covered { forms, combinations, new, programs } = covered;
    format!(
        "\n{}: {programs} programs reach {forms} forms and {combinations} combinations, {new} of them new\n",
        folder.display()
    )
}

/// What concerns all targets: where the campaign ended, if that was early, and how many programs differ on every one of several targets.
pub(super) fn of_all(campaigns: &[Campaign]) -> String {
    let mut text = String::new();
    if let [first, second, others @ ..] = campaigns {
        let on = |campaign: &Campaign, index: &u64| campaign.different.binary_search(index).is_ok();
        let everywhere =
            |index: &&u64| on(second, index) && others.iter().all(|campaign| on(campaign, index));
        let programs = first.different.iter().filter(everywhere).count();
        if programs > 0 {
            let who = "either the targets are wrong alike, or the reference is";
            put(&mut text, format_args!("\n{programs} programs differ on every target: {who}\n"));
        }
    }
    if let Some(Ended { by, before }) = campaigns.first().and_then(|campaign| campaign.ended) {
        let why = match by {
            RunEnd::Interrupted => "a signal ended it, and nothing was reduced",
            RunEnd::TimeUp => "its time is up",
        };
        put(&mut text, format_args!("\n{why}: with the same seed `--first {before}` goes on\n"));
    }
    text
}

fn words(raw: Raw) -> &'static str {
    match raw {
        Raw::Conforms => "conform",
        Raw::Inconsistent => "conform, though inconsistently",
        Raw::Characterised => "are characterised",
        Raw::NotRun => "were not run",
        Raw::Unsupported => "are unsupported by the target",
        Raw::Indeterminate => "are not decided by the specification",
        Raw::Violates => "violate the specification",
        Raw::Rejected => "were rejected by the target",
        Raw::Hung => "timed out",
        Raw::Crashed => "crashed the target",
        Raw::Broken => "have no answer",
        Raw::Flaky => "are flaky",
        Raw::Contradicted => "contradict an expectation",
    }
}

fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string cannot fail");
}

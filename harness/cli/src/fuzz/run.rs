//! A campaign from its options to the summary on the standard output.

use std::io::{ErrorKind, Write};

use warpdiff_generator::Mix;
use warpdiff_judge::exit_code::Exit;
use warpdiff_targets::Target;
use warpdiff_terminal::stderr;

use super::campaign::Campaign;
use super::guide::Guide;
use super::options::{FuzzError, Inputs, Language, Options};
use super::programs::Programs;
use super::statistics::Statistics;
use super::{finding, summary};

/// Runs the campaign, writes its findings and prints the summary to the standard output.
///
/// # Errors
/// [`FuzzError`]. Failures of single programs are part of the summary.
pub fn run(options: &Options) -> Result<Exit, FuzzError> {
    let options = options.clone().with_programs_that_are_there();
    let (first, count) = (options.first, options.count);
    if first.checked_add(count - count.min(1)).is_none() {
        return Err(FuzzError::Range { first, count });
    }
    if options.language == Language::Spa && options.inputs != Inputs::Loaded {
        return Err(FuzzError::Inputs);
    }
    if options.language == Language::Spa && options.arch.is_some() {
        return Err(FuzzError::Architecture);
    }
    if options.language == Language::Spa && options.mix == Mix::Contended {
        return Err(FuzzError::Mix);
    }
    if options.statistics {
        return statistics(&options);
    }
    options.target()?;
    let opened: Vec<Box<dyn Target>> =
        options.against.iter().map(|name| name.open_within(options.workers.limits())).collect();
    let targets: Vec<&dyn Target> = opened.iter().map(AsRef::as_ref).collect();
    for target in &targets {
        target.prepare().map_err(|why| FuzzError::Target(format!("{}: {why}", target.name())))?;
    }
    let oldest = targets.iter().filter_map(|target| target.newest_architecture()).min();
    let options = Options { arch: options.arch.or(oldest), ..options };
    let guide = Guide::of(&options)?;
    let programs = Programs { options: &options, guide: guide.as_ref() };
    let campaigns = Campaign::run_programs(programs, &targets);
    let mut exit = Exit::Conforms;
    for (number, (campaign, target)) in campaigns.iter().zip(&targets).enumerate() {
        if let Some(effort) = target.effort().filter(|effort| effort.launches > 0) {
            // It differs from machine to machine, so it is not part of the summary.
            stderr::line(format_args!("{}: {effort}", target.name()));
        }
        let files = finding::write_all(programs, *target, campaign)?;
        let apart = if number == 0 { "" } else { "\n" };
        print(&format!("{apart}{}", summary::text(&options, &options.against[number], campaign, &files)))?;
        exit = exit.and(campaign.exit());
    }
    if let Some(guide) = &guide {
        guide.finish()?;
        print(&summary::of_corpus(guide.folder(), guide.covered()))?;
    }
    print(&summary::of_all(&campaigns))?;
    Ok(exit)
}

fn statistics(options: &Options) -> Result<Exit, FuzzError> {
    let statistics = Statistics::of(options).map_err(FuzzError::Program)?;
    print(&statistics.text(options.seed))?;
    Ok(if statistics.is_sound() { Exit::Conforms } else { Exit::Broken })
}

/// Prints to the standard output. A closed pipe is no error.
fn print(text: &str) -> Result<(), FuzzError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(FuzzError::Output(error)),
        _ => Ok(()),
    }
}

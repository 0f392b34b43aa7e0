//! The command line: its commands, the exit codes below the help, and `main`.

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use warpdiff_judge::exit_code::Exit;
use warpdiff_terminal::style::Style;

use crate::commands::{
    assemble, book, characterize, check, compare, compile, completions, conform_protocol, coverage,
    deviations, disassemble, doctor, expect, export, history, layout, list, merge, mutate, probe, record,
    reduce, roadmap, run, schema, selfcheck, show, trace, worker,
};
use crate::failure::Failure;
use crate::fuzz::FuzzError;
use crate::shared_options::SharedOptions;
use crate::signals;

/// Checks implementations of NVIDIA's PTX semantics against a reference emulator.
#[derive(Debug, Parser)]
#[command(name = "warpdiff", version, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    shared: SharedOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run cases, on the reference alone or against targets
    Run(run::Run),
    /// Record what a target does, to be judged again as `recording:DIR`
    Record(record::Record),
    /// Propose expectations for what fails in results, or edit a file of them so that it fits
    Expect(expect::Expect),
    /// Compare two recordings: what changed, by requirement and by instruction
    Compare(compare::Compare),
    /// Join the results or the recordings of all shards of a run
    Merge(merge::Merge),
    /// Show what changed when in the results of many runs
    History(history::HistoryOfRuns),
    /// Find out what a target does where the specification leaves a choice
    Characterize(characterize::Characterize),
    /// Probe a CUDA device for what cases cannot show: array limits, calls after a fault, compile times
    Probe(probe::ProbeDevice),
    /// List the variants of the corpus
    List(list::List),
    /// Show a case: program, inputs, allowed outcomes, requirements
    Show(show::Show),
    /// Print what one thread of a case does, instruction by instruction, and where another run of it parts
    Trace(trace::Trace),
    /// Check whether a program of PTX or SPA 5.0 is legal, and say why not
    Check(check::Check),
    /// Print the machine words of a program of SPA 5.0
    Assemble(assemble::Assemble),
    /// Print machine words of sm_50 as text
    Disassemble(disassemble::Disassemble),
    /// Compile the programs of the corpus with ptxas, and compare the machine code with what is kept
    Compile(compile::Compile),
    /// Print the layout and the initial bytes of the variables of a PTX file
    Layout(layout::Layout),
    /// Run generated programs against a target
    Fuzz(crate::fuzz::Options),
    /// Shrink a case that a target gets wrong while it gets it wrong in the same way
    Reduce(reduce::Reduce),
    /// Check the judge: damage allowed states and see that each verdict becomes a violation
    Selfcheck(selfcheck::Selfcheck),
    /// List the deviations: what each does, who does it, what it breaks and what can show it
    Deviations(deviations::Deviations),
    /// Run the corpus against every deviation: which case notices it first, and whether by what it states. Exit code 1 if one gets away
    Mutate(mutate::Mutate),
    /// Show which variants cover which requirements
    Coverage(coverage::Coverage),
    /// Write the book: every requirement with its cases, witnesses and errata, as static pages
    Book(book::Book),
    /// List what an emulator must support to run the corpus, in the order that unlocks the most variants first
    Roadmap(roadmap::RoadmapOptions),
    /// Print a JSON Schema: of case files, requirements, expectations, results or the worker protocol
    Schema(schema::Schema),
    /// Check whether a program speaks the worker protocol
    ConformProtocol(conform_protocol::ConformProtocol),
    /// Serve the emulator over the worker protocol, as a target for `process:`
    Worker(worker::Worker),
    /// Write the corpus and the goldens that are built into warpdiff to a folder, or its manual
    Export(export::Export),
    /// Show what warpdiff finds on this machine, and what it uses it for
    Doctor,
    /// Print a completion script for a shell
    Completions(completions::Completions),
}

impl Cli {
    /// The command `deviations`, which is what `--against emulator+?` asks for in place of a target.
    fn catalogue() -> Self {
        let json = std::env::args_os().any(|argument| argument == "--json");
        let filter = Vec::new();
        Self {
            shared: SharedOptions::default(),
            command: Command::Deviations(deviations::Deviations { filter, json }),
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match command().try_get_matches() {
        Ok(matches) => Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()),
        Err(error) if deviations::are_asked_for(&error) => Cli::catalogue(),
        Err(error) => error.exit(),
    };
    let color = cli.shared.color.on_stderr();
    match dispatch(&cli) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            let style = Style::new(color);
            let exit = failure.exit;
            // The standard error may be closed; the exit code still says it.
            let _ = writeln!(std::io::stderr(), "{} {}", style.bad_strong().paint("error:"), failure.shown());
            exit.into()
        }
    }
}

/// The command line as clap knows it, with the table of exit codes below the help.
pub(crate) fn command() -> clap::Command {
    let mut codes = String::from("Exit codes:\n");
    for (_, code, meaning) in Exit::TABLE {
        codes.push_str(&format!("  {code}  {meaning}\n"));
    }
    codes.push_str(&format!("If several apply, the first in this order decides: {}.", Exit::ORDER));
    Cli::command().after_help(codes)
}

fn dispatch(cli: &Cli) -> Result<Exit, Failure> {
    let shared = &cli.shared;
    match &cli.command {
        Command::Run(run) => run.execute(shared),
        Command::Record(record) => record.execute(shared),
        Command::Expect(expect) => expect.execute(shared),
        Command::Compare(compare) => compare.execute(shared),
        Command::Merge(merge) => merge.execute(shared),
        Command::History(history) => history.execute(shared),
        Command::Compile(compile) => compile.execute(shared),
        Command::Characterize(characterize) => characterize.execute(shared),
        Command::Probe(probe) => probe.execute(shared),
        Command::List(list) => list.execute(shared),
        Command::Show(show) => show.execute(shared),
        Command::Trace(trace) => trace.execute(shared),
        Command::Check(check) => check.execute(shared),
        Command::Assemble(assemble) => assemble.execute(shared),
        Command::Disassemble(disassemble) => disassemble.execute(),
        Command::Fuzz(options) => {
            signals::end_the_run()?;
            crate::fuzz::run(options).map_err(|error| match error {
                FuzzError::Range { .. } | FuzzError::Mix => Failure::usage(error.to_string()),
                _ => Failure::broken(error.to_string()),
            })
        }
        Command::Reduce(reduce) => reduce.execute(shared),
        Command::Layout(layout) => layout.execute(shared),
        Command::Selfcheck(selfcheck) => selfcheck.execute(shared),
        Command::Deviations(deviations) => deviations.execute(shared),
        Command::Mutate(mutate) => mutate.execute(shared),
        Command::Coverage(coverage) => coverage.execute(shared),
        Command::Book(book) => book.execute(shared),
        Command::Roadmap(roadmap) => roadmap.execute(shared),
        Command::Schema(schema) => schema.execute(),
        Command::ConformProtocol(conform) => conform.execute(shared),
        Command::Worker(worker) => worker.execute(),
        Command::Export(export) => export.execute(),
        Command::Doctor => doctor::execute(shared),
        Command::Completions(completions) => completions.execute(),
    }
}

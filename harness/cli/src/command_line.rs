//! The command line: its parser, the table of exit codes below the help, and `main`.

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use warpdiff_judge::exit_code::Exit;
use warpdiff_terminal::style::Style;

use crate::commands::{
    assemble, characterize, check, compare, completions, conform_protocol, coverage, deviations, disassemble,
    doctor, layout, list, probe, record, run, schema, selfcheck, show, worker,
};
use crate::failure::Failure;
use crate::fuzz::FuzzError;
use crate::shared_options::SharedOptions;

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
    /// Say what differs between two recordings, by requirement and by instruction
    Compare(compare::Compare),
    /// Say what a target does where the specification leaves the choice
    Characterize(characterize::Characterize),
    /// Ask a CUDA device what no case can: limits of arrays, what works after a fault, times
    Probe(probe::ProbeDevice),
    /// List the variants of the corpus
    List(list::List),
    /// Show a case: program, inputs, what is allowed, what it covers
    Show(show::Show),
    /// Say who accepts a PTX file or a program of SPA 5.0, and why not
    Check(check::Check),
    /// Print the machine words of a program of SPA 5.0
    Assemble(assemble::Assemble),
    /// Print machine words of sm_50 as text
    Disassemble(disassemble::Disassemble),
    /// Print where the variables of a PTX file lie and what they hold at first
    Layout(layout::Layout),
    /// Run generated programs against a target
    Fuzz(crate::fuzz::Options),
    /// Damage states that are allowed and check that the verdict turns
    Selfcheck(selfcheck::Selfcheck),
    /// List the deviations: what each does, who does it, what it breaks and what can show it
    Deviations(deviations::Deviations),
    /// Show which requirement is covered by which variants
    Coverage(coverage::Coverage),
    /// Print the JSON Schema of case files, for editors, or of the report
    Schema(schema::Schema),
    /// Say whether a program speaks the worker protocol
    ConformProtocol(conform_protocol::ConformProtocol),
    /// Serve the emulator over the worker protocol, as a target for `process:`
    Worker(worker::Worker),
    /// Say what is on this machine and what it is good for
    Doctor,
    /// Print a completion script for a shell
    Completions(completions::Completions),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = if deviations::are_asked_for(std::env::args_os()) {
        Cli {
            shared: SharedOptions::default(),
            command: Command::Deviations(deviations::Deviations::default()),
        }
    } else {
        let matches = command().get_matches();
        Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
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
    codes.push_str(&format!("Of several, the most urgent decides: {}.", Exit::ORDER));
    Cli::command().after_help(codes)
}

fn dispatch(cli: &Cli) -> Result<Exit, Failure> {
    let shared = &cli.shared;
    match &cli.command {
        Command::Run(run) => run.execute(shared),
        Command::Record(record) => record.execute(shared),
        Command::Compare(compare) => compare.execute(shared),
        Command::Characterize(characterize) => characterize.execute(shared),
        Command::Probe(probe) => probe.execute(shared),
        Command::List(list) => list.execute(shared),
        Command::Show(show) => show.execute(shared),
        Command::Check(check) => check.execute(shared),
        Command::Assemble(assemble) => assemble.execute(shared),
        Command::Disassemble(disassemble) => disassemble.execute(),
        Command::Fuzz(options) => crate::fuzz::run(options).map_err(|error| match error {
            FuzzError::Range { .. } => Failure::usage(error.to_string()),
            _ => Failure::broken(error.to_string()),
        }),
        Command::Layout(layout) => layout.execute(shared),
        Command::Selfcheck(selfcheck) => selfcheck.execute(shared),
        Command::Deviations(deviations) => deviations.execute(shared),
        Command::Coverage(coverage) => coverage.execute(shared),
        Command::Schema(schema) => schema.execute(),
        Command::ConformProtocol(conform) => conform.execute(shared),
        Command::Worker(worker) => worker.execute(),
        Command::Doctor => doctor::execute(shared),
        Command::Completions(completions) => completions.execute(),
    }
}

//! The command line: one file per command, and here what they share.

mod assemble;
mod characterize;
mod check;
mod compare;
mod completions;
mod conform_protocol;
mod corpus_root;
mod coverage;
mod disassemble;
mod doctor;
mod elf;
mod goldens;
mod initial_tables;
mod layout;
mod list;
mod output;
mod probe;
mod progress;
mod random_layouts;
mod record;
mod recordings;
mod run;
mod schema;
mod selfcheck;
mod show;
mod tables;
mod target_options;
mod worker;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use warpdiff_corpus::{Corpus, CorpusErrors};
use warpdiff_judge::status::Exit;
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::{ColorChoice, Style};

use crate::fuzz::FuzzError;

/// Checks implementations of NVIDIA's PTX semantics against a reference emulator.
#[derive(Debug, Parser)]
#[command(name = "warpdiff", version, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    shared: Shared,
    #[command(subcommand)]
    command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, clap::Args)]
struct Shared {
    /// Folder of the corpus [default: `cases`, here or in a folder above]
    #[arg(long, global = true, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// When to use colours; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
    /// Print every error of a corpus that has many
    #[arg(long, global = true)]
    all_errors: bool,
}

/// Errors of a corpus that are printed, unless all of them are wanted.
const ERRORS: usize = 50;

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

/// Why a command could not do its work.
#[derive(Debug)]
struct Failure {
    exit: Exit,
    /// In words; those of a target may be among them.
    message: String,
    /// The same with carets and colours, where we made it up ourselves.
    rendered: Option<String>,
}

impl Failure {
    /// Wrong usage or an error in the corpus.
    fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), rendered: None }
    }

    /// The machine's fault, or warpdiff's.
    fn broken(message: impl Into<String>) -> Self {
        Self { exit: Exit::Broken, message: message.into(), rendered: None }
    }

    /// An error in a file, `message` without colours and `rendered` with them.
    fn in_file(message: String, rendered: String) -> Self {
        Self { exit: Exit::Usage, message, rendered: Some(rendered) }
    }

    /// The failure as it is printed: whatever is not of our own making is harmless.
    fn shown(self) -> String {
        // Our own words about usage are laid out already; what else comes on several lines belongs together.
        let indent = if self.exit == Exit::Usage { 0 } else { 2 };
        self.rendered.unwrap_or_else(|| foreign::lines(&self.message, indent).to_string())
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let matches = command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
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
fn command() -> clap::Command {
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
        Command::Coverage(coverage) => coverage.execute(shared),
        Command::Schema(schema) => schema.execute(),
        Command::ConformProtocol(conform) => conform.execute(shared),
        Command::Worker(worker) => worker.execute(),
        Command::Doctor => doctor::execute(shared),
        Command::Completions(completions) => completions.execute(),
    }
}

/// The first errors of a corpus with carets, and how many more there are.
fn first(errors: &CorpusErrors, most: usize, color: bool) -> String {
    let (shown, hidden) = errors.0.split_at(errors.0.len().min(most));
    let mut shown: Vec<String> = shown.iter().map(|error| error.render(color)).collect();
    if !hidden.is_empty() {
        shown.push(format!("… and {} more (--all-errors prints them)", hidden.len()));
    }
    shown.join("\n\n")
}

impl Shared {
    /// The folder of the corpus.
    fn root(&self) -> Result<PathBuf, Failure> {
        corpus_root::find(self.corpus.as_deref())
    }

    /// The corpus, or its errors with carets.
    fn load(&self) -> Result<Corpus, Failure> {
        let root = self.root()?;
        let corpus = warpdiff_corpus::load(&root).map_err(|errors| {
            let count = errors.0.len();
            let noun = if count == 1 { "error" } else { "errors" };
            let most = if self.all_errors { usize::MAX } else { ERRORS };
            let all = |color| format!("the corpus has {count} {noun}\n\n{}", first(&errors, most, color));
            Failure::in_file(all(false), all(self.color.on_stderr()))
        })?;
        match corpus.variants.is_empty() {
            true => Err(Failure::usage(format!("no cases found in {}", root.display()))),
            false => Ok(corpus),
        }
    }

    /// The style of what goes to the standard output.
    fn style(&self) -> Style {
        Style::new(self.color.on_stdout())
    }
}

//! `warpdiff conform-protocol`: checks whether a program speaks the worker protocol.

use std::fmt::Write;

use warpdiff_judge::exit_code::Exit;
use warpdiff_terminal::foreign;
use warpdiff_worker::ability::Ability;
use warpdiff_worker::command::CommandLine;
use warpdiff_worker::conformance::{self, Check, CheckResult};
use warpdiff_worker::options::WorkerOptions;
use warpdiff_worker::process::Process;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `conform-protocol`.
#[derive(Debug, clap::Args)]
pub(crate) struct ConformProtocol {
    /// The program: `process:COMMAND`
    #[arg(long, value_name = "TARGET")]
    against: String,
    /// What the program has to be able to do, separated by commas: without it an answer `unsupported` is no failure
    #[arg(long, value_name = "CAPABILITY", value_enum, value_delimiter = ',')]
    require: Vec<Ability>,
    #[command(flatten)]
    workers: WorkerOptions,
}

impl ConformProtocol {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let command = self.against.strip_prefix("process:").ok_or_else(|| {
            Failure::usage(format!("--against: expected `process:COMMAND`, not `{}`", self.against))
        })?;
        let limits = self.workers.limits();
        let command: CommandLine =
            command.parse().map_err(|why| Failure::usage(format!("--against: {why}")))?;
        // A program that cannot be started cannot be checked.
        drop(Process::start(&command, &limits).map_err(Failure::broken)?);
        let mut required = self.require.clone();
        // A name given twice is one requirement.
        required.sort_unstable();
        required.dedup();
        let checks = conformance::check(&command, &limits, &required);
        let style = shared.style();
        let mut text = String::new();
        for Check { title, result } in &checks {
            // Titles and reasons may contain text of the program.
            let title = foreign::line(title);
            let _ = match result {
                CheckResult::Passed => writeln!(text, "{}      {title}", style.good().paint("ok")),
                CheckResult::Failed(why) => {
                    let why = foreign::lines(why, 10);
                    writeln!(text, "{}  {title}: {why}", style.bad_strong().paint("FAILED"))
                }
                CheckResult::NotOffered(why) | CheckResult::Unsupported(why) => {
                    writeln!(text, "{}       {title}: {}", style.warn().paint("-"), foreign::lines(why, 10))
                }
            };
        }
        let failed = checks.iter().filter(|c| matches!(c.result, CheckResult::Failed(_))).count();
        let passed = checks.iter().filter(|c| c.result == CheckResult::Passed).count();
        let skipped = checks.len() - failed - passed;
        let _ = writeln!(text, "{passed} passed, {failed} failed, {skipped} skipped");
        emit(&text)?;
        Ok(if failed == 0 { Exit::Conforms } else { Exit::Violates })
    }
}

//! `warpdiff conform-protocol`: does a program speak the worker protocol?

use std::fmt::Write;
use std::time::Duration;

use warpdiff_judge::exit_code::Exit;
use warpdiff_terminal::foreign;
use warpdiff_worker::command::CommandLine;
use warpdiff_worker::conformance::{self, Check, CheckResult};
use warpdiff_worker::limits::Limits;
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
    /// Seconds that an answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    time_limit: u64,
}

impl ConformProtocol {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let command = self.against.strip_prefix("process:").ok_or_else(|| {
            Failure::usage(format!("--against: `{}` is no `process:COMMAND`", self.against))
        })?;
        let limits = Limits { launch: Duration::from_secs(self.time_limit), ..Limits::default() };
        let command: CommandLine =
            command.parse().map_err(|why| Failure::usage(format!("--against: {why}")))?;
        // A program that cannot be started at all says nothing about how it speaks.
        drop(Process::start(&command, &limits).map_err(Failure::broken)?);
        let checks = conformance::check(&command, &limits);
        let style = shared.style();
        let mut text = String::new();
        for Check { title, result } in &checks {
            // The program's name for itself is part of a title, its words are part of a reason.
            let title = foreign::line(title);
            let _ = match result {
                CheckResult::Passed => writeln!(text, "{}      {title}", style.good().paint("ok")),
                CheckResult::Failed(why) => {
                    let why = foreign::lines(why, 10);
                    writeln!(text, "{}  {title}: {why}", style.bad_strong().paint("FAILED"))
                }
                CheckResult::Skipped(why) => {
                    writeln!(text, "{}       {title}: {}", style.warn().paint("-"), foreign::lines(why, 10))
                }
            };
        }
        let failed = checks.iter().filter(|c| matches!(c.result, CheckResult::Failed(_))).count();
        let passed = checks.iter().filter(|c| c.result == CheckResult::Passed).count();
        let skipped = checks.len() - failed - passed;
        let _ = writeln!(text, "{passed} passed, {failed} failed, {skipped} not seen");
        emit(&text)?;
        Ok(if failed == 0 { Exit::Conforms } else { Exit::Violates })
    }
}

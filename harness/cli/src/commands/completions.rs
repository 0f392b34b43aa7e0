//! `warpdiff completions SHELL`.

use clap_complete::Shell;
use warpdiff_judge::exit_code::Exit;

use crate::command_line::command;
use crate::failure::Failure;
use crate::standard_output::emit;

/// Options of `completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn execute(&self) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command(), "warpdiff", &mut script);
        emit(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Conforms)
    }
}

//! `warpdiff completions SHELL`.

use clap_complete::Shell;
use warpdiff_judge::status::Exit;

use super::output::emit;
use super::{Failure, command};

/// Options of `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn execute(&self) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command(), "warpdiff", &mut script);
        emit(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Conforms)
    }
}

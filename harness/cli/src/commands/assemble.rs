//! `warpdiff assemble FILE.sass`: the machine words of a program of SPA 5.0.

use std::fmt::Write;
use std::path::PathBuf;

use warpdiff_judge::exit_code::Exit;
use warpdiff_sass::Header;

use super::check::read;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `assemble`.
#[derive(Debug, clap::Args)]
pub(crate) struct Assemble {
    /// The program; `-` reads the standard input
    file: PathBuf,
}

impl Assemble {
    /// One bundle on each line: the word with three control fields, then three instructions.
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let (text, origin) = read(&self.file)?;
        let program = match warpdiff_sass::compile(&text, &Header::default()) {
            Ok(program) => program,
            Err(diagnostics) => {
                emit(&warpdiff_ptx::render(&diagnostics, &origin, &text, shared.style().color()))?;
                return Ok(Exit::Violates);
            }
        };
        let mut out = String::new();
        for bundle in program.words().chunks(4) {
            let words: Vec<String> = bundle.iter().map(|word| format!("{word:#018x}")).collect();
            let _ = writeln!(out, "{}", words.join(" "));
        }
        emit(&out)?;
        Ok(Exit::Conforms)
    }
}

//! `warpdiff assemble FILE.sass`: the machine words of a program of SPA 5.0, or a cubin with them.

use std::fmt::Write;
use std::path::PathBuf;

use warpdiff_judge::exit_code::Exit;
use warpdiff_sass::cubin::{Cubin, Kernel};
use warpdiff_sass::{Named, bundle};

use super::check::read;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `assemble`.
#[derive(Debug, clap::Args)]
pub(crate) struct Assemble {
    /// The program; `-` reads the standard input
    file: PathBuf,
    /// Writes a cubin for sm_50 with the program as its only kernel, instead of printing words
    #[arg(long, requires = "output")]
    cubin: bool,
    /// The cubin's file
    #[arg(long, short, value_name = "FILE", requires = "cubin")]
    output: Option<PathBuf>,
    /// The kernel's name
    #[arg(long, value_name = "NAME", default_value = "main", requires = "cubin")]
    entry: String,
    /// The sizes of the kernel's parameters in bytes, in order
    #[arg(long, value_name = "SIZES", value_delimiter = ',', requires = "cubin", value_parser = clap::value_parser!(u32).range(1..4096))]
    parameters: Vec<u32>,
}

impl Assemble {
    /// One bundle on each line: the word with three control fields, then three instructions. Of several programs each has its name
    /// above.
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let (text, origin) = read(&self.file)?;
        let programs = match warpdiff_sass::programs(&text) {
            Ok(programs) => programs,
            Err(diagnostics) => {
                emit(&warpdiff_ptx::render(&diagnostics, &origin, &text, shared.style().color()))?;
                return Ok(Exit::Violates);
            }
        };
        if let Some(path) = &self.output {
            let [Named { program, .. }] = &programs[..] else {
                let message = format!("{origin} has {} programs; a cubin is written of one", programs.len());
                return Err(Failure::usage(message));
            };
            if let Some(symbol) = program.symbols.first() {
                let message = format!(
                    "{origin} names the address of `{}`; a cubin is written of programs without symbols",
                    symbol.address.name
                );
                return Err(Failure::usage(message));
            }
            let kernel = Kernel::of_program(program, &self.entry, &self.parameters);
            let file = Cubin::of_kernels(vec![kernel]).write().map_err(Failure::usage)?;
            let unwritable = |e| Failure::broken(format!("cannot write {}: {e}", path.display()));
            std::fs::write(path, file).map_err(unwritable)?;
            return Ok(Exit::Conforms);
        }
        let mut out = String::new();
        for (number, Named { name, program }) in (1..).zip(&programs) {
            let _ = match (programs.len(), name.as_str()) {
                (1, _) => Ok(()),
                (_, "") => writeln!(out, "# program {number}"),
                (_, name) => writeln!(out, "# {name}"),
            };
            for bundle in program.words().chunks(4) {
                let words: Vec<String> = bundle.iter().map(|word| format!("{word:#018x}")).collect();
                let _ = writeln!(out, "{}", words.join(" "));
            }
            for symbol in &program.symbols {
                let at = bundle::address(symbol.statement);
                let _ = writeln!(out, "# at {at:#06x}: zero for {}", symbol.address);
            }
        }
        emit(&out)?;
        Ok(Exit::Conforms)
    }
}

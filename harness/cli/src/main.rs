//! The program `warpdiff`.

use std::process::ExitCode;

fn main() -> ExitCode {
    warpdiff::command_line::main()
}

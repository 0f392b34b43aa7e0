//! The program `warpdiff`, with the corpus and its goldens inside.

use std::process::ExitCode;

use warpdiff_files::built_in::BuiltIn;

/// What the program uses where there is no checkout.
const BUILT_IN: BuiltIn = BuiltIn {
    cases: warpdiff_pack::folder!("../../cases"),
    goldens: warpdiff_pack::folder!("../../golden/emulator"),
    compiled: warpdiff_pack::folder!("../../golden/compiled"),
};

fn main() -> ExitCode {
    BUILT_IN.provide();
    warpdiff::command_line::main()
}

//! `warpdiff-misbehaving`: the command `warpdiff` with targets and workers that misbehave on demand, for the tests of what has to notice.
//! Cargo builds it for tests only, which have the feature `misbehaving`; the `warpdiff` that people run knows nothing of it.
//!
//! * `--against mock` – [`mock`]: a target that behaves as the names of the variants tell it to.
//! * `worker --inject FAULT=PATTERN …` – [`worker`]: a worker that has a fault in the cases that fit; [`fault`] has the names of the
//!   faults, [`misconduct`] what they are.

mod fault;
mod misconduct;
mod mock;
mod worker;

use std::process::ExitCode;

use warpdiff_targets::Registered;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    if std::env::args_os().any(|word| word == "--inject") && words.next().is_some_and(|word| word == "worker")
    {
        return match worker::main(words) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::from(2)
            }
        };
    }
    warpdiff_targets::register(Registered { name: "mock", open: || Box::new(mock::Mock::new()) });
    warpdiff::command_line::main()
}

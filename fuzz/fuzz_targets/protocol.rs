//! See `warpdiff_fuzz::protocol`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| warpdiff_fuzz::protocol(bytes));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    warpdiff_fuzz::main(warpdiff_fuzz::protocol)
}

//! See `warpdiff_fuzz::cubin`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| warpdiff_fuzz::cubin(bytes));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    warpdiff_fuzz::main(warpdiff_fuzz::cubin)
}

//! See `warpdiff_fuzz::specimen`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| warpdiff_fuzz::specimen(bytes));

// What `warpdiff fuzz --corpus` does to the programs of its corpus; half of the time what libFuzzer does to bytes.
#[cfg(fuzzing)]
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 2 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let made = warpdiff_generator::mutate::changed(&data[..size], seed.into(), max_size);
    data[..made.len()].copy_from_slice(&made);
    made.len()
});

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_crossover!(|first: &[u8], second: &[u8], child: &mut [u8], seed: u32| {
    let made = warpdiff_generator::mutate::crossed(first, second, seed.into(), child.len());
    child[..made.len()].copy_from_slice(&made);
    made.len()
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    warpdiff_fuzz::main(warpdiff_fuzz::specimen)
}

//! The memory of a run grows with its variants as it should; `ci/load.py` measures a run of 100,000.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use crate::many_variants::corpus;

/// The most bytes that a variant may take on two targets, with results and JUnit: its program, its launch, and three verdicts. It is
/// 10 KiB; all texts of a run kept in memory would be several times that.
const PER_VARIANT: u64 = 20 << 10;

/// The peak of resident memory in bytes of a run of so many variants, each with a program of its own.
fn peak(variants: usize) -> u64 {
    let folder = corpus(variants);
    #[expect(clippy::zombie_processes, reason = "wait4 waits for it, and knows its memory")]
    let child = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .current_dir(folder.path())
        .args(["run", "--no-golden", "--against", "emulator", "--against", "emulator+suld.clamp-as-zero"])
        .args(["--results", "results.jsonl", "--junit", "junit.xml"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut status = 0;
    // SAFETY: a structure of numbers, of which zeros are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child is ours and has not been waited for; both pointers are to values that live.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut usage) };
    assert_eq!((waited, status), (child.id() as i32, 0));
    usage.ru_maxrss as u64 * 1024
}

#[test]
fn each_variant_takes_a_bounded_amount_of_memory() {
    let (few, many) = (300, 2300);
    let (small, large) = (peak(few), peak(many));
    let each = large.saturating_sub(small) / (many - few) as u64;
    assert!(each <= PER_VARIANT, "{each} bytes for each variant: {small} for {few}, {large} for {many}");
}

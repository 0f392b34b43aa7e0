//! The system calls that a worker of the emulator needs: computing, memory, threads, and its three streams.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter_all_threads,
};

/// Calls of the standard library and the allocator that only touch this process and files that are open.
const PERMITTED: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_ppoll,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_get_robust_list,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_tgkill,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_getrandom,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Confines this process for good: other system calls fail with EPERM, and it starts threads but no processes.
///
/// # Errors
/// Why it cannot be confined.
pub fn confine_emulator() -> Result<(), String> {
    for filter in filters()? {
        apply_filter_all_threads(&filter).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Whether the emulator's workers are confined here.
pub(super) fn filter_here() -> Result<String, String> {
    filters()?;
    // SAFETY: a system call without pointers. It fails only where the kernel has no filters.
    match unsafe { libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0) } {
        -1 => Err("the kernel has no filters of system calls".into()),
        _ => Ok(format!("workers of our own emulator are held to {}", PERMITTED.len() + THREADS)),
    }
}

/// The calls that start threads: `clone`, and `clone3`, which is answered with ENOSYS.
const THREADS: usize = 1;

fn filters() -> Result<[BpfProgram; 2], String> {
    let architecture: TargetArch = std::env::consts::ARCH.try_into().map_err(|_| {
        format!("no filters of system calls for processors like this one ({})", std::env::consts::ARCH)
    })?;
    let made = |rules: BTreeMap<i64, Vec<SeccompRule>>, else_: SeccompAction, then: SeccompAction| {
        let filter =
            SeccompFilter::new(rules, else_, then, architecture).map_err(|error| error.to_string())?;
        BpfProgram::try_from(filter).map_err(|error| error.to_string())
    };
    // A call with no rule of its own matches whatever its arguments are.
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        PERMITTED.iter().map(|call| (*call, Vec::new())).collect();
    let thread = libc::CLONE_THREAD as u64;
    let condition = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), thread)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(|error| error.to_string())?;
    rules.insert(libc::SYS_clone, vec![condition]);
    // The other filter answers it.
    rules.insert(libc::SYS_clone3, Vec::new());
    let errno = |number: libc::c_int| SeccompAction::Errno(number as u32);
    // `clone3` has its flags in memory, where a filter cannot see them. Who gets ENOSYS uses `clone`.
    let newer = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Ok([
        made(newer, SeccompAction::Allow, errno(libc::ENOSYS))?,
        made(rules, errno(libc::EPERM), SeccompAction::Allow)?,
    ])
}

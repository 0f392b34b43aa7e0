//! What Linux and macOS have in common: resource limits, process groups, and how a process ended.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

use super::Bounds;

#[cfg(all(target_os = "linux", not(target_env = "musl")))]
pub(super) type Resource = libc::__rlimit_resource_t;
#[cfg(not(all(target_os = "linux", not(target_env = "musl"))))]
pub(super) type Resource = libc::c_int;

/// The bounded resources with their limits. Nobody reads core dumps of workers.
pub(super) fn limits(bounds: &Bounds) -> [Option<(Resource, u64)>; 4] {
    [
        Some((libc::RLIMIT_CORE, 0)),
        bounds.address_space.map(|bytes| (libc::RLIMIT_AS, bytes)),
        bounds.processor.map(|seconds| (libc::RLIMIT_CPU, seconds)),
        bounds.file_size.map(|bytes| (libc::RLIMIT_FSIZE, bytes)),
    ]
}

/// Limits a resource of this process. Between fork and exec it may be called: it makes plain system calls and allocates nothing.
pub(super) fn bound(resource: Resource, value: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a local that lives through the call.
    if unsafe { libc::getrlimit(resource, &mut limit) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // A lower hard limit stands; it cannot be raised, and need not be.
    let value = value.min(limit.rlim_max);
    let limit = libc::rlimit { rlim_cur: value, rlim_max: limit.rlim_max };
    // SAFETY: as above.
    if unsafe { libc::setrlimit(resource, &limit) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Kills a process group. The leader must not have been waited for yet, so that its process id is still its own.
pub(super) fn kill_group(leader: u32) {
    let Ok(group) = libc::pid_t::try_from(leader) else { return };
    if group > 1 {
        // SAFETY: a system call without pointers. A group that has ended is not an error.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// Whether a child has ended. Does not wait for it: its process id stays taken and its status available.
pub fn has_ended(child: &mut Child) -> bool {
    // SAFETY: siginfo_t is plain data for which all zeros are valid, and waitid writes to nothing else.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // With WNOHANG and nothing to report the call succeeds and leaves the number zero.
        libc::waitid(libc::P_PID, child.id(), &mut info, flags) == 0 && info.si_pid() != 0
    }
}

/// The signal that ended a process.
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Whether a signal says that the processor time is used up.
pub fn is_out_of_time(signal: i32) -> bool {
    signal == libc::SIGXCPU
}

/// Whether a signal comes from a person, the system or its out-of-memory killer, rather than from an error of the process.
pub fn is_from_outside(signal: i32) -> bool {
    matches!(signal, libc::SIGKILL | libc::SIGTERM | libc::SIGINT | libc::SIGHUP | libc::SIGQUIT)
}

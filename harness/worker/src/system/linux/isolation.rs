//! What a worker may not: gain privileges, use the network, hold capabilities of the system. Applied between fork and exec.

use std::io;
use std::path::Path;

use super::super::unix::bound;
use super::cgroup;

/// Most processes and threads of a worker in a user namespace of its own.
const PROCESSES: u64 = 1024;

/// Capabilities that a worker of root keeps (`linux/capability.h`): those that decide which files it can read and write, so that a
/// checkout that belongs to somebody else can be read, and IPC_LOCK and SYS_NICE, which drivers use for their memory and threads.
/// With the others it could enter the network namespace that it came from, trace other processes or load kernel modules.
const KEPT: [u32; 7] = [0, 1, 2, 3, 4, 14, 23];
/// The largest number of a capability that any kernel may have.
const CAPABILITIES: u32 = 64;

/// How a worker is isolated. All text is made before the fork.
#[derive(Debug)]
pub(super) struct Isolation {
    network: bool,
    users: String,
    groups: String,
}

/// How a network namespace was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separated {
    /// By the right to administer the system.
    AsRoot,
    /// In a user namespace.
    AsUser,
    /// Not at all.
    No,
}

impl Isolation {
    /// With or without the network.
    pub(super) fn new(network: bool) -> Self {
        // SAFETY: both are system calls without arguments.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        Self { network, users: format!("{user} {user} 1"), groups: format!("{group} {group} 1") }
    }

    /// Isolates this process. Between fork and exec it may be called: it makes plain system calls and allocates nothing.
    ///
    /// # Errors
    /// If the kernel refuses `no_new_privs`. What it does not permit beside that is left out.
    pub(super) fn isolate(&self) -> io::Result<()> {
        if !self.network {
            match self.separate() {
                Separated::AsRoot => drop_capabilities(),
                // The user in the new namespace is counted anew, so the limit is this worker's alone. It may be lower already.
                Separated::AsUser => drop(bound(libc::RLIMIT_NPROC, PROCESSES)),
                Separated::No => {}
            }
        }
        // SAFETY: a system call without pointers.
        let set = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1 as libc::c_ulong, 0, 0, 0) };
        if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Gives this process a network namespace without any interface that is up.
    fn separate(&self) -> Separated {
        // Root keeps its user namespace: in another one it could not read files of other users, such as a checkout.
        // SAFETY: system calls without pointers.
        if unsafe { libc::unshare(libc::CLONE_NEWNET) } == 0 {
            return Separated::AsRoot;
        }
        // SAFETY: as above.
        if unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) } != 0 {
            return Separated::No;
        }
        // So that it is still who it was (user_namespaces(7)). Without these it would be `nobody` by name, with the same rights.
        write(c"/proc/self/setgroups", b"deny");
        write(c"/proc/self/uid_map", self.users.as_bytes());
        write(c"/proc/self/gid_map", self.groups.as_bytes());
        Separated::AsUser
    }
}

/// Writes to a file that is there. Errors have no effect.
fn write(path: &std::ffi::CStr, bytes: &[u8]) {
    // SAFETY: the path ends with a zero, the bytes live through the call, and the descriptor is closed by who opened it.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file >= 0 {
            libc::write(file, bytes.as_ptr().cast(), bytes.len());
            libc::close(file);
        }
    }
}

/// The header of capset(2), version 3: a version and a process, 0 for this one.
#[repr(C)]
struct CapabilityHeader {
    version: u32,
    process: libc::c_int,
}

/// Half of the sets of capset(2): capabilities 0 to 31, then 32 to 63.
#[repr(C)]
struct CapabilityHalf {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// `_LINUX_CAPABILITY_VERSION_3`.
const VERSION: u32 = 0x2008_0522;

/// Drops all capabilities but [`KEPT`]: for programs that are executed later, and for this one.
fn drop_capabilities() {
    for capability in (0..CAPABILITIES).filter(|capability| !KEPT.contains(capability)) {
        // SAFETY: a system call without pointers; a number that the kernel does not know is an error without effect.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability as libc::c_ulong, 0, 0, 0) };
    }
    let header = CapabilityHeader { version: VERSION, process: 0 };
    let mut halves = [const { CapabilityHalf { effective: 0, permitted: 0, inheritable: 0 } }; 2];
    // SAFETY: header and data have the layout that the version in the header states, and live through the calls.
    unsafe {
        if libc::syscall(libc::SYS_capget, &header, halves.as_mut_ptr()) != 0 {
            return;
        }
        let kept = KEPT.iter().fold(0, |bits, capability| bits | 1 << capability);
        for (half, kept) in halves.iter_mut().zip([kept, 0]) {
            half.effective &= kept;
            half.permitted &= kept;
            half.inheritable &= kept;
        }
        libc::syscall(libc::SYS_capset, &header, halves.as_ptr());
    }
}

/// Runs something in a child that does nothing else, and returns the number it ends with.
fn tried(what: impl FnOnce() -> u8) -> Option<u8> {
    // SAFETY: between fork and _exit the child calls only what is async-signal-safe, as the callers below do.
    unsafe {
        match libc::fork() {
            -1 => None,
            0 => libc::_exit(i32::from(what())),
            child => {
                let mut status = 0;
                while libc::waitpid(child, &mut status, 0) < 0 {
                    if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                        return None;
                    }
                }
                libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status) as u8)
            }
        }
    }
}

/// How workers are kept from the network here, found out in a process that ends at once.
fn separation() -> Separated {
    let isolation = Isolation::new(false);
    match tried(|| isolation.separate() as u8) {
        Some(found) if found == Separated::AsRoot as u8 => Separated::AsRoot,
        Some(found) if found == Separated::AsUser as u8 => Separated::AsUser,
        _ => Separated::No,
    }
}

/// Whether workers are kept from the network here.
pub(super) fn network() -> Result<String, String> {
    match separation() {
        Separated::AsRoot => Ok("none for workers, in a network namespace of their own".into()),
        Separated::AsUser => Ok("none for workers, in user and network namespaces of their own".into()),
        Separated::No => Err("workers can use it: the kernel permits no network namespace here".into()),
    }
}

/// Whether the processes of a worker are limited here.
pub(super) fn processes(cgroup: Result<&Path, &String>) -> Result<String, String> {
    // SAFETY: a system call without arguments.
    let root = unsafe { libc::geteuid() } == 0;
    match cgroup {
        Ok(_) => Ok(format!("at most {} for a worker, by cgroup", cgroup::PROCESSES)),
        Err(_) if separation() == Separated::AsUser && !root => {
            Ok(format!("at most {PROCESSES} for a worker, threads included, by user namespace"))
        }
        Err(why) => Err(format!("a worker may start any number: {why}")),
    }
}

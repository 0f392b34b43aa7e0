//! Workers on macOS, and on other systems of its kind: bounded by resource limits, each with a process group of its own.
//!
//! The system has nothing that ends a process with the one that started it, and no namespaces: a worker sees its input end.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use super::unix::{bound, kill_group, limits};
use super::{Bounds, Held};

/// Names of the environment that programs need here.
pub const VARIABLES: &[&str] = &["DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"];

/// The process group of a worker.
#[derive(Debug)]
pub struct Group {
    leader: u32,
}

impl Group {
    /// Kills the worker and those of its descendants that are still in its process group. It must not have been waited for yet.
    pub fn kill(&self) {
        kill_group(self.leader);
    }

    /// Kills the descendants that left the process group; nothing here can find them.
    pub fn kill_escaped(&self) {}
}

/// Starts a worker within bounds.
///
/// # Errors
/// If the program cannot be started.
pub fn start(mut command: Command, bounds: Bounds, own: bool) -> io::Result<(Child, Group)> {
    command.process_group(0);
    if own {
        crate::spawner::tell(&mut command, &bounds);
    }
    let limits = limits(&bounds);
    // SAFETY: between fork and exec only async-signal-safe functions may be called. The closure makes plain system calls and
    // allocates nothing: its data was moved in before the fork, and `io::Error::last_os_error` holds a number.
    unsafe {
        command.pre_exec(move || {
            limits.iter().flatten().try_for_each(|(resource, value)| bound(*resource, *value))
        });
    }
    let child = command.spawn()?;
    let group = Group { leader: child.id() };
    Ok((child, group))
}

/// Bounds this process, a worker that `parent` started.
///
/// # Errors
/// If `parent` is not its parent, or the system refuses.
pub fn begin_worker_of(parent: u32, bounds: &Bounds) -> io::Result<()> {
    if std::os::unix::process::parent_id() != parent {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    limits(bounds).iter().flatten().try_for_each(|(resource, value)| bound(*resource, *value))
}

/// Confines this process to what the emulator needs.
///
/// # Errors
/// Always: there are no filters of system calls here.
pub fn confine_emulator() -> Result<(), String> {
    Err("needs Linux: filters of system calls".into())
}

/// What of the sandbox holds on this machine.
pub fn holds() -> Vec<Held> {
    let needs_linux = |what: &str| Err(format!("needs Linux: {what}"));
    vec![
        Held::new("resources", Ok("limits of address space, processor time and file sizes")),
        Held::new("group", Ok("a worker's process group is killed as a whole; who leaves it is not found")),
        Held::new(
            "end",
            needs_linux("a worker sees its input end when warpdiff is killed, and must then end"),
        ),
        Held::new("privileges", needs_linux("no_new_privs")),
        Held::new("network", needs_linux("network namespaces")),
        Held::new("processes", needs_linux("a limit on processes by cgroup")),
        Held::new("system calls", needs_linux("filters of system calls")),
    ]
}

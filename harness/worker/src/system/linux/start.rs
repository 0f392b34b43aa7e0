//! Starts a worker on Linux within its bounds, and ends it with all that it started.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::unix::{bound, kill_group, limits};
use super::super::{Bounds, Held};
use super::cgroup::{self, Cgroup};
use super::descendants::{self, MARK, Registration};
use super::isolation::{self, Isolation};
use super::system_calls;
use crate::spawner;

/// Names of the environment that programs need here, beside those they need everywhere.
pub const VARIABLES: &[&str] = &[];

/// A worker with its descendants.
#[derive(Debug)]
pub struct Group {
    leader: u32,
    mark: String,
    cgroup: Option<Cgroup>,
    _registration: Registration,
}

impl Group {
    /// Kills the worker and those of its descendants that are still in its process group, or all if it has a cgroup. It must not
    /// have been waited for yet.
    pub fn kill(&self) {
        kill_group(self.leader);
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
    }

    /// Kills the descendants that left the process group. The worker must have been waited for: its children are ours then.
    pub fn kill_escaped(&self) {
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        descendants::kill(&self.mark);
    }
}

/// Starts a worker within bounds. `own` is a worker that is this program; it isolates itself if it has no limits.
///
/// # Errors
/// If the program cannot be started.
pub fn start(mut command: Command, bounds: Bounds, own: bool) -> io::Result<(Child, Group)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let parent = std::process::id();
    let mark = format!("{parent}.{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    command.process_group(0).env(MARK, &mark);
    descendants::become_their_parent();
    let cgroup = Cgroup::new(&mark);
    let itself = own && bounds.address_space.is_none() && bounds.processor.is_none();
    if itself {
        // With nothing to do between fork and exec the standard library uses posix_spawn, which copies no page tables:
        // with a corpus in memory they take tens of milliseconds, far more than all the rest of a start.
        spawner::tell(&mut command, &bounds);
    } else {
        let limits = limits(&bounds);
        let isolation = Isolation::new(bounds.network);
        let door = cgroup.as_ref().map(Cgroup::door);
        // SAFETY: between fork and exec only async-signal-safe functions may be called. The closure calls prctl, getppid,
        // setrlimit, unshare, open, write and close, which are plain system calls, and allocates nothing: its data was moved in
        // before the fork, and `io::Error::last_os_error` holds a number.
        unsafe {
            command.pre_exec(move || {
                die_with(parent)?;
                // A cgroup that cannot be joined limits nothing; `doctor` says whether it can.
                if let Some(door) = door {
                    cgroup::join(door);
                }
                limits.iter().flatten().try_for_each(|(resource, value)| bound(*resource, *value))?;
                isolation.isolate()
            });
        }
    }
    let (child, registration) = Registration::of(|| command.spawn())?;
    if let Some(cgroup) = cgroup.as_ref().filter(|_| itself) {
        cgroup.add(child.id());
    }
    let group = Group { leader: child.id(), mark, cgroup, _registration: registration };
    Ok((child, group))
}

/// Bounds and isolates this process, a worker that is this program. It ends when the thread of `parent` that started it ends.
///
/// # Errors
/// If `parent` is gone already, or the system refuses.
pub fn begin_worker_of(parent: u32, bounds: &Bounds) -> io::Result<()> {
    die_with(parent)?;
    limits(bounds).iter().flatten().try_for_each(|(resource, value)| bound(*resource, *value))?;
    Isolation::new(bounds.network).isolate()
}

/// Has the kernel kill this process when the thread that forked it ends.
fn die_with(parent: u32) -> io::Result<()> {
    // SAFETY: both are system calls without pointers.
    let (set, now) = unsafe {
        (libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong), libc::getppid() as u32)
    };
    if set != 0 {
        return Err(io::Error::last_os_error());
    }
    // The parent may have died before the call above, which then has no effect.
    if now == parent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}

/// What of the sandbox holds on this machine.
pub fn holds() -> Vec<Held> {
    let cgroup = cgroup::place();
    let group = match cgroup {
        Ok(_) => "a worker is killed with all its descendants, by cgroup",
        Err(_) => "a worker is killed with its process group, and with descendants that left it",
    };
    vec![
        Held::new("resources", Ok("limits of address space, processor time and file sizes")),
        Held::new("group", Ok(group)),
        Held::new("end", Ok("workers end with warpdiff")),
        Held::new("privileges", Ok("no_new_privs: no program gives a worker more rights")),
        Held { bound: "network", how: isolation::network() },
        Held { bound: "processes", how: isolation::processes(cgroup) },
        Held { bound: "system calls", how: system_calls::filter_here() },
    ]
}

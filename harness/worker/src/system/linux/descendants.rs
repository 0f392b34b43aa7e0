//! Finds descendants of workers that left their process group, so that they can be killed.
//!
//! This process is the "child subreaper" (prctl(2)) of all of them: a process whose parent ended becomes its child. So its children
//! are its workers, what it started itself, which has its process group, and descendants of ended processes.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

/// The variable by which processes are known as descendants of a worker. It has the process id of warpdiff and a number.
pub(super) const MARK: &str = "WARPDIFF_WORKER";

/// The workers that run. While it is locked none is started.
static WORKERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
/// Times that descendants are looked for, and pauses between: those of a killed one become ours later.
const ROUNDS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(2);

fn workers() -> MutexGuard<'static, BTreeSet<u32>> {
    WORKERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A worker among those that run.
#[derive(Debug)]
pub(super) struct Registration(u32);

impl Registration {
    /// Starts a worker and registers it.
    pub(super) fn of(start: impl FnOnce() -> io::Result<Child>) -> io::Result<(Child, Self)> {
        let mut workers = workers();
        let child = start()?;
        workers.insert(child.id());
        let registration = Self(child.id());
        Ok((child, registration))
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        workers().remove(&self.0);
    }
}

/// Makes this process the parent of descendants whose parents end.
pub(super) fn become_their_parent() {
    static ONCE: Once = Once::new();
    // SAFETY: a system call without pointers. Linux has it since 3.4.
    ONCE.call_once(|| unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1 as libc::c_ulong, 0, 0, 0);
    });
}

/// Kills the descendants of the worker with this mark, which has ended, and those that hide whose they are.
pub(super) fn kill(mark: &str) {
    let workers = workers();
    // SAFETY: a system call without arguments.
    let group = unsafe { libc::getpgrp() };
    for _ in 0..ROUNDS {
        let all = processes();
        let children = all.iter().filter(|process| {
            process.parent == std::process::id() && process.group != group && !workers.contains(&process.id)
        });
        let mut any = false;
        for child in children {
            let id = child.id as libc::pid_t;
            // SAFETY: system calls without pointers, or with a null pointer where one is permitted. The child has not been waited
            // for, so the number is its own.
            unsafe {
                if !child.ended && is_of(child.id, mark) {
                    libc::kill(id, libc::SIGKILL);
                    any = true;
                }
                // It would stay in the table of processes.
                any |= libc::waitpid(id, std::ptr::null_mut(), libc::WNOHANG) == id;
            }
        }
        if !any {
            return;
        }
        thread::sleep(PAUSE);
    }
}

/// Whether a process is a descendant of the worker with this mark, or of one that cannot be told.
fn is_of(process: u32, mark: &str) -> bool {
    let variables = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let start = format!("{MARK}=");
    let said =
        variables.split(|byte| *byte == 0).find_map(|variable| variable.strip_prefix(start.as_bytes()));
    said.is_none_or(|said| said == mark.as_bytes())
}

/// A process as `/proc/ID/stat` shows it.
struct Seen {
    id: u32,
    parent: u32,
    group: libc::pid_t,
    ended: bool,
}

/// All processes. None without `/proc`.
fn processes() -> Vec<Seen> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(|id: u32| seen(id, &fs::read_to_string(format!("/proc/{id}/stat")).ok()?)).collect()
}

/// `ID (NAME) STATE PARENT GROUP …`, proc(5). The name may have blanks and parentheses.
fn seen(id: u32, stat: &str) -> Option<Seen> {
    let mut rest = stat.rsplit_once(") ")?.1.split(' ');
    let state = rest.next()?;
    Some(Seen {
        id,
        parent: rest.next()?.parse().ok()?,
        group: rest.next()?.parse().ok()?,
        ended: state == "Z",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest() {
        let seen = seen(7, "7 (a) Z 1 (b) S 12 34 56 0 -1\n").unwrap();
        assert_eq!((seen.id, seen.parent, seen.group, seen.ended), (7, 12, 34, false));
        assert!(super::seen(7, "").is_none());
        let this = processes().into_iter().find(|process| process.id == std::process::id()).unwrap();
        assert_eq!(this.parent, std::os::unix::process::parent_id());
    }
}

//! Workers on Windows: each in a job object, which bounds it and ends with it all that it started.
//!
//! <https://learn.microsoft.com/windows/win32/procthread/job-objects>: processes in the job stay in it with their descendants unless
//! the job permits breaking away, and a job with `KILL_ON_JOB_CLOSE` ends all of them with its last handle, so with warpdiff.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::{Child, Command, ExitStatus};
use std::ptr;

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOB_OBJECT_LIMIT_PROCESS_TIME, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectExtendedLimitInformation, SetInformationJobObject, TerminateJobObject,
};

use super::{Bounds, Held};

/// Names of the environment that programs need here: without the first most do not start.
pub const VARIABLES: &[&str] = &[
    "SystemRoot",
    "SystemDrive",
    "ComSpec",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "LOCALAPPDATA",
    "APPDATA",
];

/// Most processes of a worker at a time, itself included.
const PROCESSES: u32 = 512;
/// Units of processor time in a second: 100 ns.
const TICKS: u64 = 10_000_000;

/// The job of a worker. Dropping it ends the worker and all that it started.
#[derive(Debug)]
pub struct Group {
    job: OwnedHandle,
}

impl Group {
    /// Ends the worker and all that it started.
    pub fn kill(&self) {
        // SAFETY: the handle is of a job and open. If it cannot be ended now, it ends when the handle is closed.
        unsafe { TerminateJobObject(self.job.as_raw_handle(), 1) };
    }

    /// Ends descendants that left the job; none can.
    pub fn kill_escaped(&self) {}
}

/// Starts a worker within bounds.
///
/// # Errors
/// If the program or its job cannot be made.
pub fn start(mut command: Command, bounds: Bounds, own: bool) -> io::Result<(Child, Group)> {
    if own {
        crate::spawner::tell(&mut command, &bounds);
    }
    let job = job(&bounds)?;
    let mut child = command.spawn()?;
    // What it starts before this line is outside of the job; only a process started suspended could be put there earlier, and the
    // standard library cannot resume one.
    // SAFETY: both handles are open, of a job and of a process.
    if unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) } == 0 {
        let error = io::Error::last_os_error();
        // A process that has ended already cannot be assigned, and need not be.
        if child.try_wait()?.is_none() {
            child.kill()?;
            return Err(error);
        }
    }
    Ok((child, Group { job }))
}

fn job(bounds: &Bounds) -> io::Result<OwnedHandle> {
    // SAFETY: both pointers may be null: default security, no name.
    let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle was just made and is owned by nobody else.
    let job = unsafe { OwnedHandle::from_raw_handle(handle) };
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    let basic = &mut limits.BasicLimitInformation;
    basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
        | JOB_OBJECT_LIMIT_ACTIVE_PROCESS
        // A crash ends the process; it shows no dialog that waits for a person.
        | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    basic.ActiveProcessLimit = PROCESSES;
    if let Some(seconds) = bounds.processor {
        basic.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_TIME;
        basic.PerProcessUserTimeLimit = i64::try_from(seconds.saturating_mul(TICKS)).unwrap_or(i64::MAX);
    }
    if let Some(bytes) = bounds.address_space {
        basic.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
        limits.ProcessMemoryLimit = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    let size = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
    // SAFETY: the pointer is to a local of the size that is stated, of the type that the class of information has.
    let set = unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            ptr::from_ref(&limits).cast(),
            size,
        )
    };
    if set == 0 { Err(io::Error::last_os_error()) } else { Ok(job) }
}

/// Bounds this process, a worker that `parent` started: its job does.
///
/// # Errors
/// None here.
pub fn begin_worker_of(_parent: u32, _bounds: &Bounds) -> io::Result<()> {
    Ok(())
}

/// Confines this process to what the emulator needs.
///
/// # Errors
/// Always: there are no filters of system calls here.
pub fn confine_emulator() -> Result<(), String> {
    Err("needs Linux: filters of system calls".into())
}

/// Whether a child has ended.
pub fn has_ended(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)))
}

/// The signal that ended a process: Windows has none.
pub fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// Whether a signal says that the processor time is used up.
pub fn is_out_of_time(_signal: i32) -> bool {
    false
}

/// Whether a signal comes from outside of the process.
pub fn is_from_outside(_signal: i32) -> bool {
    false
}

/// What of the sandbox holds on this machine.
pub fn holds() -> Vec<Held> {
    let needs_linux = |what: &str| Err(format!("needs Linux: {what}"));
    vec![
        Held::new("resources", Ok("limits of memory and processor time, by job object")),
        Held::new("group", Ok("a worker and all that it started end together, by job object")),
        Held::new("end", Ok("workers end with warpdiff, by job object")),
        Held::new("processes", Ok("at most 512 for a worker, by job object")),
        Held::new("files", needs_linux("a limit of file sizes")),
        Held::new("privileges", needs_linux("no_new_privs")),
        Held::new("network", needs_linux("network namespaces")),
        Held::new("system calls", needs_linux("filters of system calls")),
    ]
}

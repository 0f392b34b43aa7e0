//! Starts workers: resource limits, and their death with warpdiff. They must not outlive warpdiff. The kernel ties that to the
//! *thread* that forked them (`PR_SET_PDEATHSIG`, prctl(2)), so one thread, which lives as long as the process, forks all of them.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::command::CommandLine;
use super::limits::Limits;

/// A command to start, and the channel for the result.
struct Order {
    command: Command,
    reply: SyncSender<io::Result<Child>>,
}

/// Starts a worker: in a process group of its own, without core dumps, bounded, with all three streams piped.
///
/// # Errors
/// If the program cannot be started.
pub fn spawn(command: &CommandLine, limits: &Limits) -> io::Result<Child> {
    static SPAWNER: OnceLock<Sender<Order>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (orders, taken) = channel::<Order>();
        thread::spawn(move || {
            for mut order in taken {
                // If the receiver is gone, the child is dropped, finds its input closed and ends.
                let _ = order.reply.send(order.command.spawn());
            }
        });
        orders
    });
    let (reply, answer) = sync_channel(1);
    let gone = || io::Error::other("the thread that starts workers has ended");
    spawner.send(Order { command: prepared(command, limits)?, reply }).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

fn prepared(line: &CommandLine, limits: &Limits) -> io::Result<Command> {
    let (program, arguments) = line.words().split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    command.envs(line.environment().iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let parent = std::process::id();
    if line.is_warpdiff() && limits.address_space.is_none() && limits.processor.is_none() {
        // With nothing to do between fork and exec the standard library uses posix_spawn, which copies no page tables:
        // with a corpus in memory they take tens of milliseconds, far more than all the rest of a start.
        command.args(["--parent", &parent.to_string()]);
        return Ok(command);
    }
    let bounds = bounds(limits);
    // SAFETY: between fork and exec only async-signal-safe functions may be called. The closure calls prctl, getppid and
    // setrlimit, which are plain system calls, and allocates nothing: its data was moved in before the fork, and
    // `io::Error::last_os_error` holds a number.
    unsafe {
        command.pre_exec(move || {
            die_with(parent)?;
            bounds.iter().flatten().try_for_each(|(resource, value)| bound(*resource, *value))
        });
    }
    Ok(command)
}

#[cfg(target_env = "musl")]
type Resource = libc::c_int;
#[cfg(not(target_env = "musl"))]
type Resource = libc::__rlimit_resource_t;

/// Sets up this process as [`spawn`] sets up other programs: no core dumps, and it ends when the thread of `parent` that started
/// it ends.
///
/// # Errors
/// If `parent` is gone already, or the system refuses.
pub fn begin_worker_of(parent: u32) -> io::Result<()> {
    die_with(parent)?;
    bound(libc::RLIMIT_CORE, 0)
}

/// The bounded resources with their limits.
fn bounds(limits: &Limits) -> [Option<(Resource, u64)>; 3] {
    [
        Some((libc::RLIMIT_CORE, 0)),
        limits.address_space.map(|bytes| (libc::RLIMIT_AS, bytes)),
        limits.processor.map(|seconds| (libc::RLIMIT_CPU, seconds)),
    ]
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

fn bound(resource: Resource, value: u64) -> io::Result<()> {
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

/// Kills a process group: a worker and its children. The leader must not have been waited for yet, so that its process id is
/// still its own.
pub fn kill_group(leader: u32) {
    let Ok(group) = libc::pid_t::try_from(leader) else { return };
    if group > 1 {
        // SAFETY: a system call without pointers. A group that has ended is not an error.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// Whether a child has ended. Does not wait for it: its process id stays taken and its status available.
pub fn has_ended(child: u32) -> bool {
    // SAFETY: siginfo_t is plain data for which all zeros are valid, and waitid writes to nothing else.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // With WNOHANG and nothing to report the call succeeds and leaves the number zero.
        libc::waitid(libc::P_PID, child, &mut info, flags) == 0 && info.si_pid() != 0
    }
}

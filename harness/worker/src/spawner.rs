//! Starts workers: with an environment of known names, bounded, in the sandbox of the system. They must not outlive warpdiff. Linux
//! ties that to the *thread* that forked them (`PR_SET_PDEATHSIG`, prctl(2)), so one thread, which lives as long as the process,
//! forks all of them.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::command::CommandLine;
use super::limits::Limits;
use crate::system::{self, Bounds, Group};

/// Names of the environment that a worker gets, beside those that its system needs. `*` is any ending.
const VARIABLES: [&str; 8] =
    ["PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "CUDA_*", "NVIDIA_*", "WARPDIFF_*"];

/// The options of `warpdiff worker` by which it is told its bounds.
const PARENT: &str = "--parent";
const LARGEST_FILE: &str = "--largest-file";
const NETWORK: &str = "--network";

/// A command to start, and the channel for the result.
struct Order {
    command: Command,
    bounds: Bounds,
    own: bool,
    reply: SyncSender<io::Result<(Child, Group)>>,
}

/// Starts a worker: in a process group of its own, bounded, with all three streams piped.
///
/// # Errors
/// If the program cannot be started.
pub fn spawn(command: &CommandLine, limits: &Limits) -> io::Result<(Child, Group)> {
    static SPAWNER: OnceLock<Sender<Order>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (orders, taken) = channel::<Order>();
        thread::spawn(move || {
            for order in taken {
                // If the receiver is gone, the child is dropped, finds its input closed and ends.
                let _ = order.reply.send(system::start(order.command, order.bounds, order.own));
            }
        });
        orders
    });
    let (reply, answer) = sync_channel(1);
    let gone = || io::Error::other("the thread that starts workers has ended");
    let own = command.is_warpdiff();
    let order = Order { command: prepared(command, limits)?, bounds: bounds(limits), own, reply };
    spawner.send(order).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

fn prepared(line: &CommandLine, limits: &Limits) -> io::Result<Command> {
    let (program, arguments) = line.words().split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(environment(std::env::vars_os(), limits.passed));
    command.envs(line.environment().iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

fn bounds(limits: &Limits) -> Bounds {
    let Limits { address_space, processor, file_size, network, .. } = *limits;
    Bounds { address_space, processor, file_size, network }
}

/// The variables that a worker gets, of all.
fn environment(
    all: impl Iterator<Item = (OsString, OsString)>,
    passed: &[String],
) -> impl Iterator<Item = (OsString, OsString)> {
    all.filter(|(name, _)| {
        let usual = VARIABLES.iter().chain(system::VARIABLES).any(|pattern| fits(pattern, name));
        usual || passed.iter().any(|pattern| fits(pattern, name))
    })
}

/// Whether a name is the one of a pattern, or has its beginning if it ends with `*`. Windows does not tell upper from lower case.
fn fits(pattern: &str, name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let same = |a: &str, b: &str| if cfg!(windows) { a.eq_ignore_ascii_case(b) } else { a == b };
    match pattern.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|beginning| same(beginning, start)),
        None => same(pattern, name),
    }
}

/// Has a worker that is this program bound itself.
pub(crate) fn tell(command: &mut Command, bounds: &Bounds) {
    command.args([PARENT, &std::process::id().to_string()]);
    if let Some(bytes) = bounds.file_size {
        command.args([LARGEST_FILE, &bytes.to_string()]);
    }
    if bounds.network {
        command.arg(NETWORK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(all: &[&str], passed: &[&str]) -> Vec<String> {
        let passed: Vec<String> = passed.iter().map(|name| (*name).to_owned()).collect();
        let all = all.iter().map(|name| (OsString::from(name), OsString::from("value")));
        environment(all, &passed).map(|(name, _)| name.into_string().unwrap()).collect()
    }

    #[test]
    fn a_worker_gets_variables_of_known_names_only() {
        let all = [
            "PATH",
            "HOME",
            "CUDA_VISIBLE_DEVICES",
            "NVIDIA_TF32_OVERRIDE",
            "WARPDIFF_PTXAS",
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "LD_PRELOAD",
            "PATHS",
            "MY_CUDA_TOKEN",
            "TMPDIR",
            "LANG",
            "LD_LIBRARY_PATH",
        ];
        let usual = [
            "PATH",
            "HOME",
            "CUDA_VISIBLE_DEVICES",
            "NVIDIA_TF32_OVERRIDE",
            "WARPDIFF_PTXAS",
            "TMPDIR",
            "LANG",
            "LD_LIBRARY_PATH",
        ];
        assert_eq!(kept(&all, &[]), usual);
        assert_eq!(kept(&["GITHUB_TOKEN", "GITLAB_TOKEN", "X"], &["GITHUB_TOKEN"]), ["GITHUB_TOKEN"]);
        assert_eq!(kept(&["ROC_A", "ROC_B", "RO"], &["ROC_*"]), ["ROC_A", "ROC_B"]);
    }
}

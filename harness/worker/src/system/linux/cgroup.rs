//! A cgroup for each worker, where this process may make some: it limits the number of processes, and finds all of them.
//!
//! `cgroups(7)`; version 2: <https://docs.kernel.org/admin-guide/cgroup-v2.html>, version 1: <https://docs.kernel.org/admin-guide/cgroup-v1/pids.html>.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Most processes and threads of a worker at a time.
pub(super) const PROCESSES: u32 = 1024;
/// Start of the names of our cgroups; the process id of warpdiff follows.
const PREFIX: &str = "warpdiff-";
/// The controller that limits numbers of processes.
const CONTROLLER: &str = "pids";
/// The file of the processes of a cgroup.
const MEMBERS: &str = "cgroup.procs";
/// Times that processes are killed, and pauses between: a killed process may have forked before.
const ROUNDS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(2);

/// The cgroup of a worker. Dropping it removes it.
#[derive(Debug)]
pub(super) struct Cgroup {
    folder: PathBuf,
    members: File,
}

impl Cgroup {
    /// A new one; `None` where none can be made.
    pub(super) fn new(mark: &str) -> Option<Self> {
        let folder = place().ok()?.join(format!("{PREFIX}{mark}"));
        fs::create_dir(&folder).ok()?;
        let limited = fs::write(folder.join("pids.max"), PROCESSES.to_string());
        let members = limited.and_then(|()| File::options().write(true).open(folder.join(MEMBERS)));
        match members {
            Ok(members) => Some(Self { folder, members }),
            Err(_) => {
                // It is empty. One that stays is removed by a later warpdiff.
                let _ = fs::remove_dir(&folder);
                None
            }
        }
    }

    /// The descriptor for [`join`].
    pub(super) fn door(&self) -> RawFd {
        self.members.as_raw_fd()
    }

    /// Puts a process into it.
    pub(super) fn add(&self, process: u32) {
        // As for `join`.
        let _ = write!(&self.members, "{process}");
    }

    /// Kills all processes in it.
    pub(super) fn kill(&self) {
        for _ in 0..ROUNDS {
            let members = fs::read_to_string(self.folder.join(MEMBERS)).unwrap_or_default();
            let mut any = false;
            for process in members.lines().filter_map(|line| line.parse::<libc::pid_t>().ok()) {
                // Processes outside of our pid namespace have the number 0.
                if process > 1 {
                    // SAFETY: a system call without pointers.
                    any |= unsafe { libc::kill(process, libc::SIGKILL) } == 0;
                }
            }
            if !any {
                return;
            }
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for _ in 0..ROUNDS {
            match fs::remove_dir(&self.folder) {
                // The last processes are still ending.
                Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => thread::sleep(PAUSE),
                _ => return,
            }
        }
    }
}

/// Puts this process into the cgroup behind a door. Between fork and exec it may be called. Errors have no effect.
pub(super) fn join(door: RawFd) {
    // SAFETY: the byte lives through the call; `0` is who writes it.
    unsafe { libc::write(door, b"0".as_ptr().cast(), 1) };
}

/// The folder in which this process may make cgroups that limit processes, or why there is none. Looked for once.
pub(super) fn place() -> Result<&'static Path, &'static String> {
    static PLACE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let found = PLACE.get_or_init(|| {
        let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
        let own = own_folder(&read("/proc/self/cgroup")?, &read("/proc/self/mountinfo")?)
            .ok_or("no cgroup that can limit processes is mounted")?;
        sweep(&own.folder);
        if own.version == 2 {
            permit(&own.folder)?;
        }
        // Who may make one may use it.
        let trial = own.folder.join(format!("{PREFIX}{}.trial", std::process::id()));
        fs::create_dir(&trial)
            .and_then(|()| fs::write(trial.join("pids.max"), PROCESSES.to_string()))
            .and_then(|()| fs::remove_dir(&trial))
            .map_err(|error| {
                let _ = fs::remove_dir(&trial);
                format!("cgroup {} is not delegated: {error}", own.folder.display())
            })?;
        Ok(own.folder)
    });
    found.as_deref()
}

/// The folder of a cgroup, and the version of its hierarchy.
#[derive(Debug, PartialEq, Eq)]
struct Own {
    folder: PathBuf,
    version: u8,
}

/// The cgroup of this process that limits processes, by the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`.
fn own_folder(groups: &str, mounts: &str) -> Option<Own> {
    let named = |line: &str| line.split(',').any(|name| name == CONTROLLER);
    let mut version_2 = None;
    let mut version_1 = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        if controllers.is_empty() {
            version_2 = Some(path);
        } else if named(controllers) {
            version_1 = Some(path);
        }
    }
    // Where version 1 has the controller, version 2 lacks it.
    let (version, path) = version_1.map(|path| (1, path)).or(version_2.map(|path| (2, path)))?;
    mounts.lines().find_map(|line| {
        // ID PARENT DEVICE ROOT PLACE OPTIONS … - TYPE SOURCE OPTIONS
        let (place, kind) = line.split_once(" - ")?;
        let (mut place, mut kind) = (place.split(' ').skip(3), kind.split(' '));
        let (root, place) = (place.next()?, place.next()?);
        let fits = match (version, kind.next()?) {
            (1, "cgroup") => named(kind.nth(1)?),
            (2, "cgroup2") => true,
            _ => false,
        };
        let inside = Path::new(path).strip_prefix(root).ok()?;
        fits.then(|| Own { folder: Path::new(place).join(inside), version })
    })
}

/// Has a cgroup of version 2 limit the processes of those in it. That can only a cgroup without processes of its own, so this process,
/// if it is the only one, moves to one below.
fn permit(own: &Path) -> Result<(), String> {
    let at = |name: &str| own.join(name);
    let read =
        |name: &str| fs::read_to_string(at(name)).map_err(|error| format!("{}: {error}", at(name).display()));
    let has = |list: &str| list.split_whitespace().any(|name| name == CONTROLLER);
    if has(&read("cgroup.subtree_control")?) {
        return Ok(());
    }
    if !has(&read("cgroup.controllers")?) {
        return Err(format!("cgroup {} has no controller `{CONTROLLER}`", own.display()));
    }
    let this = std::process::id().to_string();
    if read(MEMBERS)?.lines().ne([this.as_str()]) {
        return Err(format!(
            "cgroup {} has other processes, too; `systemd-run --user --scope -p Delegate=yes warpdiff …` gives it its own",
            own.display()
        ));
    }
    let home = at(&format!("{PREFIX}{this}.home"));
    fs::create_dir(&home)
        .and_then(|()| fs::write(home.join(MEMBERS), &this))
        .and_then(|()| fs::write(at("cgroup.subtree_control"), format!("+{CONTROLLER}")))
        .map_err(|error| format!("cgroup {} is not delegated: {error}", own.display()))
}

/// Removes the empty cgroups that a killed warpdiff left.
fn sweep(own: &Path) {
    for entry in fs::read_dir(own).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let of =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('.').next()?.parse::<u32>().ok());
        if of.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            // One with processes stays.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "25 24 0:22 / /sys/fs/cgroup ro - tmpfs tmpfs ro\n\
        27 25 0:24 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
        28 25 0:25 / /sys/fs/cgroup/pids rw shared:9 master:1 - cgroup cgroup rw,pids\n\
        29 25 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn the_own_cgroup_is_found_in_both_versions() {
        let own = own_folder("4:cpu,cpuacct:/a\n3:pids:/user.slice/b\n0::/c\n", HYBRID);
        let place = PathBuf::from("/sys/fs/cgroup/pids/user.slice/b");
        assert_eq!(own, Some(Own { folder: place, version: 1 }));
        let unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
        let own = own_folder("0::/user.slice/x.scope\n", unified);
        let place = PathBuf::from("/sys/fs/cgroup/user.slice/x.scope");
        assert_eq!(own, Some(Own { folder: place, version: 2 }));
        // In a container the root of the mount is a cgroup of the host.
        let mounted = "30 23 0:26 /docker/0a /sys/fs/cgroup ro - cgroup2 cgroup ro\n";
        let own = own_folder("0::/docker/0a\n", mounted);
        assert_eq!(own, Some(Own { folder: "/sys/fs/cgroup".into(), version: 2 }));
        assert_eq!(own_folder("0::/elsewhere\n", mounted), None);
        assert_eq!(own_folder("", HYBRID), None);
    }

    /// A folder with files of the same names: what is written where, and what is refused.
    #[test]
    fn a_cgroup_of_version_2_gets_the_controller_only_if_it_is_ours_alone() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let this = std::process::id();
        put("cgroup.subtree_control", "cpu\n");
        put("cgroup.controllers", "cpu memory\n");
        put(MEMBERS, &format!("{this}\n"));
        assert!(permit(folder.path()).unwrap_err().ends_with("has no controller `pids`"));
        put("cgroup.controllers", "cpu pids\n");
        put(MEMBERS, &format!("1\n{this}\n"));
        assert!(permit(folder.path()).unwrap_err().contains("has other processes, too"));
        put(MEMBERS, &format!("{this}\n"));
        assert_eq!(permit(folder.path()), Ok(()));
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("cgroup.subtree_control"), "+pids");
        assert_eq!(read(&format!("{PREFIX}{this}.home/{MEMBERS}")), this.to_string());
        put("cgroup.subtree_control", "pids\n");
        assert_eq!(permit(folder.path()), Ok(()), "another warpdiff did it");
    }

    #[test]
    fn only_the_cgroups_of_ended_processes_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let ours = format!("{PREFIX}{}.3", std::process::id());
        for name in ["warpdiff-4194305.0", &ours, "warpdiff-x", "other"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        sweep(folder.path());
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["other", &ours, "warpdiff-x"]);
    }
}

//! When launches that may fault must not run on a device: display, other processes, the multi-process service.
//!
//! The checks need no management library: the multi-process service is found by its control socket and its processes, a watchdog by
//! the device's attributes, other users of the device by `nvidia-smi`, or else by open device files. Processes of other containers
//! or users may be invisible.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::serve::{BUS, EMULATED, EXCLUSIVE, WATCHDOG};

/// Time for `nvidia-smi` to answer; on a failing device it may never.
const ANSWER: Duration = Duration::from_secs(10);
/// Default folder of the multi-process service's control socket; `CUDA_MPS_PIPE_DIRECTORY` names another.
const PIPES: &str = "/tmp/nvidia-mps";
/// Name of its processes: the first 15 characters of `nvidia-cuda-mps-control` and `-server`, as the system keeps them.
const SERVICE: &str = "nvidia-cuda-mps";
/// Services that have a device open without computing on it: persistence, fabric and monitoring.
const SERVICES: [&str; 6] =
    ["nvidia-persiste", "nv-fabricmanage", "nv-hostengine", "dcgm-exporter", "dcgm", "nvidia-smi"];

/// The machine, as this process sees it.
struct Surroundings {
    /// `/proc`
    processes: PathBuf,
    /// `CUDA_MPS_PIPE_DIRECTORY`
    pipes: Option<OsString>,
    /// Output of `nvidia-smi` about computing processes, each line a bus id and a process id. `None` where it is missing or fails.
    computing: Option<String>,
    /// Folder with a folder per device, named by its bus id, whose file `information` has the number of its device file.
    devices: PathBuf,
    /// This process; its descendants are not other users.
    own: u32,
}

/// Why launches that may fault should not be run on the device with these facts; `None` if nothing speaks against it, as on an
/// emulated device.
pub(super) fn refusal(facts: &BTreeMap<String, String>) -> Option<String> {
    if facts.contains_key(EMULATED) {
        return None;
    }
    let surroundings = Surroundings {
        processes: "/proc".into(),
        pipes: std::env::var_os("CUDA_MPS_PIPE_DIRECTORY"),
        computing: computing(),
        devices: "/proc/driver/nvidia/gpus".into(),
        own: std::process::id(),
    };
    surroundings.refusal(facts)
}

/// Whether the device with these facts is hardware, on which each fault costs a process and a context.
pub(super) fn is_hardware(facts: &BTreeMap<String, String>) -> bool {
    !facts.contains_key(EMULATED)
}

/// Output of `nvidia-smi` about computing processes.
fn computing() -> Option<String> {
    let mut asked = Command::new("nvidia-smi")
        .args(["--query-compute-apps=gpu_bus_id,pid", "--format=csv,noheader"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    if !ends(&mut asked, ANSWER) {
        let _ = asked.kill();
        let _ = asked.wait();
        return None;
    }
    let asked = asked.wait_with_output().ok()?;
    asked.status.success().then(|| String::from_utf8_lossy(&asked.stdout).into_owned())
}

/// Waits for a process to end, at most that long. Its output must fit into a pipe.
fn ends(process: &mut Child, within: Duration) -> bool {
    let until = Instant::now() + within;
    while Instant::now() < until {
        match process.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Ok(Some(_)) => return true,
            Err(_) => return false,
        }
    }
    false
}

impl Surroundings {
    fn refusal(&self, facts: &BTreeMap<String, String>) -> Option<String> {
        if let Some(how) = self.service() {
            return Some(format!(
                "the multi-process service (MPS) is running ({how}), and one fault ends all of its clients"
            ));
        }
        if facts.contains_key(WATCHDOG) {
            return Some("the device drives a display, and its watchdog stops kernels".into());
        }
        // A device that only one process may use is not shared.
        if facts.contains_key(EXCLUSIVE) {
            return None;
        }
        let (process, how) = self.stranger(facts.get(BUS).map_or("", String::as_str))?;
        let name = self.name(process).map(|name| format!(" ({name})")).unwrap_or_default();
        Some(format!("the device is shared: process {process}{name} {how}"))
    }

    /// The sign of the multi-process service, if there is one.
    fn service(&self) -> Option<String> {
        let folder = self.pipes.as_ref().map_or(PathBuf::from(PIPES), PathBuf::from);
        let control = folder.join("control");
        if control.exists() {
            return Some(format!("{} exists", control.display()));
        }
        let process =
            self.processes().into_iter().find(|process| self.name(*process).as_deref() == Some(SERVICE))?;
        Some(format!("process {process}"))
    }

    /// Another process that uses the device with this bus id, and the evidence. Without a bus id every device counts.
    fn stranger(&self, bus: &str) -> Option<(u32, &'static str)> {
        if let Some(listed) = &self.computing {
            let entries = listed.lines().filter_map(|line| line.split_once(','));
            let here = entries.filter(|(other, _)| bus.is_empty() || same_bus(bus, other.trim()));
            let mut processes = here.filter_map(|(_, process)| process.trim().parse().ok());
            return processes
                .find(|process| !self.is_own(*process))
                .map(|process| (process, "computes on it"));
        }
        let number = self.number(bus);
        let stranger = |process: &u32| {
            let serves = self.name(*process).is_some_and(|name| SERVICES.contains(&name.as_str()));
            !serves && !self.is_own(*process) && self.has_device_open(*process, number)
        };
        self.processes().into_iter().find(stranger).map(|process| (process, "has it open"))
    }

    /// The visible processes, in ascending order.
    fn processes(&self) -> Vec<u32> {
        let entries = std::fs::read_dir(&self.processes).into_iter().flatten().flatten();
        let mut found: Vec<u32> =
            entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        found.sort_unstable();
        found
    }

    /// The beginning of a process's name.
    fn name(&self, process: u32) -> Option<String> {
        let text = std::fs::read_to_string(self.file(process, "comm")).ok()?;
        Some(text.trim_end().to_owned())
    }

    /// Whether a process is this one or a descendant.
    fn is_own(&self, process: u32) -> bool {
        let mut ancestors = std::iter::successors(Some(process), |process| self.parent(*process));
        // The chain is short; the bound is for one that changes while it is followed.
        ancestors.by_ref().take(64).any(|ancestor| ancestor == self.own)
    }

    fn parent(&self, process: u32) -> Option<u32> {
        let text = std::fs::read_to_string(self.file(process, "status")).ok()?;
        let parent = text.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()?;
        (parent != 0).then_some(parent)
    }

    /// Whether a process has `/dev/nvidia0`, `/dev/nvidia1`, … open, or the one with this number if it is known.
    /// `/dev/nvidiactl` alone does not count.
    fn has_device_open(&self, process: u32, number: Option<u32>) -> bool {
        let entries = std::fs::read_dir(self.file(process, "fd")).into_iter().flatten().flatten();
        let open = entries.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        let mut open = open.filter_map(|target| device_number(&target));
        open.any(|found| number.is_none_or(|number| number == found))
    }

    /// The number of the device file of the device with this bus id: "Device Minor: 3".
    fn number(&self, bus: &str) -> Option<u32> {
        let entries = std::fs::read_dir(&self.devices).into_iter().flatten().flatten();
        let mut here =
            entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| same_bus(bus, name)));
        let text = std::fs::read_to_string(here.next()?.path().join("information")).ok()?;
        text.lines().find_map(|line| line.strip_prefix("Device Minor:"))?.trim().parse().ok()
    }

    fn file(&self, process: u32, name: &str) -> PathBuf {
        self.processes.join(process.to_string()).join(name)
    }
}

/// The number in `/dev/nvidia3`.
fn device_number(path: &Path) -> Option<u32> {
    path.to_str()?.strip_prefix("/dev/nvidia")?.parse().ok()
}

/// Whether two bus ids are the same: the domain has four digits or eight.
fn same_bus(a: &str, b: &str) -> bool {
    let parts = |name: &str| {
        let (domain, rest) = name.split_once(':')?;
        Some((u32::from_str_radix(domain, 16).ok()?, rest.to_ascii_lowercase()))
    };
    parts(a).is_some_and(|a| Some(a) == parts(b))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    /// A machine with these processes: number, parent, name, files open.
    fn machine(processes: &[(u32, u32, &str, &[&str])]) -> (TempDir, Surroundings) {
        let folder = tempfile::tempdir().unwrap();
        for (process, parent, name, open) in processes {
            let at = folder.path().join(process.to_string());
            std::fs::create_dir_all(at.join("fd")).unwrap();
            std::fs::write(at.join("comm"), format!("{name}\n")).unwrap();
            std::fs::write(at.join("status"), format!("Name:\t{name}\nPPid:\t{parent}\n")).unwrap();
            for (index, path) in open.iter().enumerate() {
                symlink(path, at.join("fd").join(index.to_string())).unwrap();
            }
        }
        let nowhere = folder.path().join("nowhere").into_os_string();
        let (processes, devices) = (folder.path().to_owned(), folder.path().join("gpus"));
        (folder, Surroundings { processes, pipes: Some(nowhere), computing: None, devices, own: 100 })
    }

    fn refused(surroundings: &Surroundings, facts: &[&str]) -> Option<String> {
        surroundings.refusal(&facts.iter().map(|name| (name.to_string(), "yes".to_string())).collect())
    }

    const OWN: (u32, u32, &str, &[&str]) = (100, 1, "warpdiff", &["/dev/pts/0"]);
    const WORKER: (u32, u32, &str, &[&str]) = (101, 100, "warpdiff", &["/dev/nvidiactl", "/dev/nvidia0"]);

    #[test]
    fn a_device_of_our_own_is_exposed_to_nothing() {
        let persistence = (50, 1, "nvidia-persiste", &["/dev/nvidia0"][..]);
        let controller = (51, 1, "Xwayland", &["/dev/nvidiactl"][..]);
        let (_folder, machine) = machine(&[OWN, WORKER, persistence, controller]);
        assert_eq!(refused(&machine, &[]), None);
    }

    #[test]
    fn another_process_on_the_device_is_named() {
        let (_folder, mut machine) = machine(&[OWN, WORKER, (7, 1, "python3", &["/dev/nvidia3"])]);
        let shared = "the device is shared: process 7 (python3) has it open";
        assert_eq!(refused(&machine, &[]).as_deref(), Some(shared));
        // Nobody else can compute where only one process may.
        assert_eq!(refused(&machine, &[EXCLUSIVE]), None);
        // Who computes, `nvidia-smi` knows better than open files do.
        machine.computing = Some("00000000:65:00.0, 101\n".into());
        assert_eq!(refused(&machine, &[]), None);
        machine.computing = Some("00000000:65:00.0, 101\n00000000:65:00.0, 4000\n".into());
        assert_eq!(
            refused(&machine, &[]).as_deref(),
            Some("the device is shared: process 4000 computes on it")
        );
    }

    #[test]
    fn who_uses_another_device_is_no_stranger_to_this_one() {
        let (folder, mut machine) = machine(&[OWN, WORKER, (7, 1, "python3", &["/dev/nvidia3"])]);
        let here = |machine: &Surroundings, bus: &str| {
            machine.refusal(&BTreeMap::from([(BUS.to_string(), bus.to_string())])).is_some()
        };
        for (bus, number) in [("0000:65:00.0", 0), ("0000:B1:00.0", 3)] {
            let at = folder.path().join("gpus").join(bus.to_lowercase());
            std::fs::create_dir_all(&at).unwrap();
            // As the kernel driver writes it.
            let text = format!("Model: \t\t NVIDIA H200\nIRQ:   \t\t 33\nDevice Minor: \t {number}\n");
            std::fs::write(at.join("information"), text).unwrap();
        }
        assert!(!here(&machine, "0000:65:00.0") && here(&machine, "0000:B1:00.0"));
        machine.computing = Some("00000000:B1:00.0, 4000\n".into());
        assert!(!here(&machine, "0000:65:00.0") && here(&machine, "0000:b1:00.0"));
        // Nothing is known of where it is: then every device counts.
        assert!(here(&machine, ""));
    }

    #[test]
    fn the_multi_process_service_shows_by_its_socket_or_its_process() {
        let (folder, mut machine) = machine(&[OWN, WORKER]);
        machine.pipes = Some(folder.path().into());
        assert_eq!(refused(&machine, &[]), None);
        std::fs::write(folder.path().join("control"), "").unwrap();
        let words = refused(&machine, &[EXCLUSIVE]).unwrap();
        assert!(
            words.starts_with("the multi-process service (MPS) is running (")
                && words.contains("control exists"),
            "{words}"
        );
        let (_folder, machine) = self::machine(&[OWN, (9, 1, SERVICE, &[])]);
        assert!(refused(&machine, &[]).unwrap().contains("(process 9)"));
    }

    #[test]
    fn a_watchdog_stops_kernels_whoever_uses_the_device() {
        let (_folder, machine) = machine(&[OWN, WORKER]);
        assert!(refused(&machine, &[WATCHDOG, EXCLUSIVE]).unwrap().contains("watchdog"));
        let facts = BTreeMap::from([
            (EMULATED.to_string(), "yes".to_string()),
            (WATCHDOG.to_string(), "yes".to_string()),
        ]);
        assert_eq!(refusal(&facts), None);
        assert!(!is_hardware(&facts) && is_hardware(&BTreeMap::new()));
    }
}

//! `warpdiff doctor`: the components that warpdiff finds on this machine, and their uses.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use warpdiff_judge::exit_code::Exit;
use warpdiff_targets::ptxas::assembler::Assembler;
use warpdiff_targets::{CudaName, CudaTarget, Exposure, NO_CUDA_WORKERS, Target, presence};
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::Style;
use warpdiff_worker::limits::Limits;
use warpdiff_worker::system::{self, Held};

use crate::elf_machine;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Names of the driver library.
const LIBCUDA: [&str; 2] = ["libcuda.so.1", "libcuda.so"];
/// Folders it is installed in.
const FOLDERS: [&str; 8] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
    "/usr/local/cuda/compat",
    "/usr/local/cuda/lib64",
];

/// Tells the version of the kernel driver, where one is loaded.
const KERNEL_DRIVER: &str = "/proc/driver/nvidia/version";
/// The use of a device.
const CUDA: &str = "a target: `--against cuda`; `run` judges it by default";
/// Indentation of a component's purpose, in columns.
const INDENT: usize = 19;
/// Most devices that are tried.
const DEVICES: u32 = 16;

/// A component that may be on the machine.
struct Component {
    what: &'static str,
    /// What was found, or why it was not.
    found: Result<String, String>,
    /// Its use.
    purpose: &'static str,
}

pub(crate) fn execute(shared: &SharedOptions) -> Result<Exit, Failure> {
    let mut findings = vec![
        Component {
            what: "emulator",
            found: Ok(format!("built in, warpdiff {}", env!("CARGO_PKG_VERSION"))),
            purpose: "runs the corpus, decides what is allowed, and is a target with deviations",
        },
        Component { what: "corpus", found: corpus(shared), purpose: "what `run` runs" },
        Component { what: "processor", found: processor(), purpose: "cases run in parallel, one to a core" },
        Component { what: "driver", found: driver(), purpose: "recordings of a device name its version" },
        Component { what: "devices", found: devices(), purpose: "real hardware to judge" },
        Component {
            what: "libcuda",
            found: libcuda(),
            purpose: "the driver API of a device or of a drop-in library",
        },
        Component { what: "cuda", found: cuda(), purpose: CUDA },
        Component { what: "SPA 5.0", found: spa(), purpose: "how programs of SPA 5.0 reach the device" },
        Component { what: "faults", found: faults(), purpose: "launches that may fault, on the device" },
        Component { what: "ptxas", found: ptxas(), purpose: "a second opinion on what is legal PTX" },
    ];
    if let Some(found) = device_files(Path::new(KERNEL_DRIVER), Path::new("/dev")) {
        let purpose = "by these a process reaches the driver";
        findings.insert(5, Component { what: "files", found, purpose });
    }
    let mut text = render(&findings, shared.style());
    text.push_str(&sandbox(&system::holds(), shared.style()));
    emit(&text)?;
    Ok(Exit::Conforms)
}

fn render(findings: &[Component], style: Style) -> String {
    let mut text = String::new();
    for finding in findings {
        let (mark, words) = match &finding.found {
            Ok(words) => (style.good().paint("found  "), words),
            Err(words) => (style.warn().paint("missing"), words),
        };
        let words = foreign::lines(words, INDENT);
        let _ = writeln!(text, "{mark} {:10} {words}", finding.what);
        let _ = writeln!(text, "{:INDENT$}{}", "", style.faint().paint(finding.purpose));
    }
    let device = |f: &Component| f.what == "cuda" && f.found.is_err();
    if findings.iter().any(device) {
        text.push_str("\nWithout a device everything runs against the emulator: try\n");
        text.push_str("  warpdiff run --against emulator+suld.clamp-as-zero\n");
    }
    text
}

/// What holds worker processes on this machine.
fn sandbox(bounds: &[Held], style: Style) -> String {
    let mut text = String::from(
        "\nWorker processes, in which targets run (docs/protocol.md, \"What a worker may do\"):\n",
    );
    for Held { bound, how } in bounds {
        let (mark, words) = match how {
            Ok(words) => (style.good().paint("holds  "), words),
            Err(words) => (style.warn().paint("not"), words),
        };
        let mark = if how.is_ok() { mark.to_string() } else { format!("{mark}    ") };
        let _ = writeln!(text, "{mark} {bound:12} {words}");
    }
    text
}

fn corpus(shared: &SharedOptions) -> Result<String, String> {
    let roots = shared.roots().map_err(|failure| failure.message)?;
    let words = roots.words();
    match warpdiff_corpus::load_trees(&roots.trees()) {
        Ok(corpus) => Ok(format!("{words}, {} variants", corpus.variants.len())),
        Err(errors) => Err(format!("{words} has {} errors; `warpdiff run` shows them", errors.0.len())),
    }
}

fn processor() -> Result<String, String> {
    let cores = std::thread::available_parallelism().map_err(|e| e.to_string())?;
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|rest| rest.trim_start_matches([' ', '\t', ':']));
    Ok(format!("{cores} cores, {}", name.unwrap_or("unknown model")))
}

fn driver() -> Result<String, String> {
    let text = std::fs::read_to_string(KERNEL_DRIVER)
        .map_err(|_| format!("no kernel driver ({KERNEL_DRIVER} does not exist)"))?;
    Ok(text.lines().next().unwrap_or_default().trim().to_string())
}

/// The device files of a driver that is loaded; `None` without one. The driver library has `nvidia-modprobe`, a setuid program, make those
/// that are missing. Workers gain no rights, so there it cannot.
fn device_files(driver: &Path, dev: &Path) -> Option<Result<String, String>> {
    if !driver.exists() {
        return None;
    }
    let names = std::fs::read_dir(dev).into_iter().flatten().flatten();
    let names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let is_device = |name: &&String| {
        name.strip_prefix("nvidia")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let mut devices: Vec<&str> = names.iter().filter(is_device).map(String::as_str).collect();
    devices.sort_unstable();
    let mut missing: Vec<String> = ["nvidiactl", "nvidia-uvm"]
        .iter()
        .filter(|wanted| !names.iter().any(|name| name == *wanted))
        .map(|name| dev.join(name).display().to_string())
        .collect();
    if devices.is_empty() {
        missing.insert(0, dev.join("nvidia0").display().to_string());
    }
    Some(if missing.is_empty() {
        let all = ["nvidiactl", "nvidia-uvm"].into_iter().chain(devices);
        Ok(all.map(|name| dev.join(name).display().to_string()).collect::<Vec<_>>().join(", "))
    } else {
        Err(format!(
            "no {}: the driver is loaded, but workers cannot make its device files (they gain no rights, and nvidia-modprobe is setuid). \
             Run `nvidia-modprobe -c0 -u` as root first; in a container give it the device",
            missing.join(", ")
        ))
    })
}

fn devices() -> Result<String, String> {
    let folder = "/proc/driver/nvidia/gpus";
    let entries = std::fs::read_dir(folder).map_err(|_| "no NVIDIA device".to_string())?;
    let model = |path: PathBuf| {
        let text = std::fs::read_to_string(path.join("information")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Model:"))?;
        Some(line.trim().to_string())
    };
    let models: Vec<_> = entries.flatten().filter_map(|entry| model(entry.path())).collect();
    if models.is_empty() { Err(format!("nothing under {folder}")) } else { Ok(models.join(", ")) }
}

fn libcuda() -> Result<String, String> {
    let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = std::env::split_paths(&named).chain(FOLDERS.iter().map(PathBuf::from));
    let candidates = folders.flat_map(|folder| LIBCUDA.map(|name| folder.join(name)));
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in candidates.filter(|path| path.is_file()) {
        let real = path.canonicalize().unwrap_or(path);
        if !seen.contains(&real) {
            seen.push(real);
        }
    }
    if seen.is_empty() {
        return Err(format!("no {} in LD_LIBRARY_PATH or the usual folders", LIBCUDA[0]));
    }
    let all = seen.iter().map(|path| (path.display(), elf_machine::suits(path)));
    let words = all.map(|(path, suits)| match suits {
        Ok(()) => (true, path.to_string()),
        Err(why) => (false, format!("{path} ({why})")),
    });
    let (suit, words): (Vec<bool>, Vec<String>) = words.unzip();
    let words = words.join(", ");
    match NO_CUDA_WORKERS {
        Some(why) => Err(format!("{words}: {why}")),
        None if suit.contains(&true) => Ok(words),
        None => Err(words),
    }
}

/// The devices on which the driver API makes contexts, each tried in a process of its own.
fn cuda() -> Result<String, String> {
    let at = |ordinal| presence(&CudaName { ordinal, ..CudaName::default() });
    let first = at(0)?;
    let others = (1..DEVICES).map_while(|ordinal| at(ordinal).ok());
    Ok(std::iter::once(first).chain(others).collect::<Vec<_>>().join("; "))
}

/// Whether the device is given machine words.
fn spa() -> Result<String, String> {
    let target = CudaTarget::new(&CudaName::default(), Limits::default());
    match target.presence() {
        Err(_) => Err("no device to run them on".into()),
        Ok(_) if target.takes_spa() => Ok("as machine words in a cubin for sm_50, and judged".into()),
        Ok(_) => {
            Ok("translated to PTX, and characterised: the device is none of compute capability 5.x".into())
        }
    }
}

/// Whether launches that may fault are run on the device, or why not.
fn faults() -> Result<String, String> {
    let target = CudaTarget::new(&CudaName::default(), Limits::default());
    if target.presence().is_err() {
        return Err("no device to run them on".into());
    }
    match target.exposure() {
        Exposure { refusal: Some(why), .. } => Err(format!("not run: {why}; --allow-faults runs them")),
        Exposure { budget: Some(budget), .. } => {
            Ok(format!("up to {budget} in a run, each in its own process (--fault-budget N)"))
        }
        Exposure { budget: None, .. } => Ok("all, because no hardware is involved".into()),
    }
}

/// The assembler that `--against ptxas` would run.
fn ptxas() -> Result<String, String> {
    Assembler::find(None).map(|found| format!("{}, {}", found.dialect(), found.build))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_files_that_no_worker_can_make_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let (driver, dev) = (folder.path().join("version"), folder.path().join("dev"));
        std::fs::create_dir(&dev).unwrap();
        assert_eq!(device_files(&driver, &dev), None, "no driver, no word");
        std::fs::write(&driver, "").unwrap();
        let missing = || device_files(&driver, &dev).unwrap().unwrap_err();
        for name in ["nvidia0", "nvidiactl", "nvidia-uvm"] {
            assert!(missing().contains(&format!("/{name}")), "{}", missing());
            assert!(missing().contains("nvidia-modprobe -c0 -u"));
            std::fs::write(dev.join(name), "").unwrap();
        }
        // A container may have another device than the first.
        std::fs::rename(dev.join("nvidia0"), dev.join("nvidia3")).unwrap();
        assert!(device_files(&driver, &dev).unwrap().unwrap().ends_with("/dev/nvidia3"));
        // Others of the driver's files are no devices.
        std::fs::rename(dev.join("nvidia3"), dev.join("nvidia-modeset")).unwrap();
        assert!(missing().contains("/nvidia0"));
    }
}

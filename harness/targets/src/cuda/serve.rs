//! A CUDA device as a worker: `warpdiff worker cuda…`.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

use warpdiff_model::Launch;
use warpdiff_worker::protocol::{self, Capability, Introduction, Reply};
use warpdiff_worker::serve::{Done, Executor, Server};

use super::CudaName;
use super::driver::Driver;
use super::driver::output::{NO_WORKERS, claim_output};
use super::launch::{Launcher, Ran};
use super::machine_words::runs_spa;

/// Names of the facts about a device that other code uses.
pub(super) const DEVICE: &str = "device";
pub(super) const BUS: &str = "bus";
pub(super) const WATCHDOG: &str = "watchdog";
pub(super) const EXCLUSIVE: &str = "exclusive";
pub(super) const EMULATED: &str = "emulated";
/// The release of the kernel driver.
const DRIVER: &str = "driver";
/// Environment variable with that release, for a driver of which the kernel knows nothing, such as one in a virtual machine or a
/// drop-in library.
const STATED_RELEASE: &str = "WARPDIFF_CUDA_DRIVER";
/// How programs of SPA 5.0 reach the device, if not by translation to PTX.
pub(super) const SPA: &str = "spa";
/// `CU_COMPUTEMODE_EXCLUSIVE_PROCESS`
const EXCLUSIVE_PROCESS: u32 = 3;

/// A device as an executor.
struct Cuda<'a> {
    name: &'a CudaName,
    launcher: Launcher,
}

/// Answers requests until the input ends or a launch leaves the context unusable. Without a device it answers the first request
/// with `refused` and the reason.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn serve(name: &CudaName, mut input: impl BufRead) -> io::Result<()> {
    let mut output = claim_output()?;
    let opened = match NO_WORKERS {
        Some(why) => Err(why.to_owned()),
        None => Driver::open(name.library.as_deref(), name.ordinal),
    };
    match opened {
        Ok(driver) => {
            let launcher = Launcher::new(driver, name.level);
            Server::new(Cuda { name, launcher }).serve(input, output)
        }
        Err(message) => {
            input.skip_until(b'\n')?;
            output.write_all(&protocol::line(&Reply::Refused { message })?)
        }
    }
}

impl Executor for Cuda<'_> {
    fn introduction(&self) -> Introduction {
        introduction(self.name, self.launcher.driver())
    }

    fn load(&mut self, program: &Arc<str>) -> Result<(), String> {
        self.launcher.share(program)
    }

    fn run(&mut self, launch: &Launch, may_fault: bool) -> Done {
        let Ran { observation, spent } = self.launcher.run(launch, may_fault);
        Done { observation, leaving: spent }
    }
}

fn introduction(name: &CudaName, driver: &Driver) -> Introduction {
    let device = driver.device();
    let (major, minor) = (driver.version() / 1000, driver.version() % 1000 / 10);
    let level = name.level.map(|level| format!(", compiled at O{level}")).unwrap_or_default();
    let watchdog = if device.watchdog { ", a watchdog stops long kernels" } else { "" };
    let number = name.ordinal;
    let spa = runs_spa(device.capability);
    let dialects = [protocol::PTX].into_iter().chain(spa.then_some(protocol::SPA));
    let words = if spa { ", SPA 5.0 as machine words" } else { "" };
    Introduction {
        protocol: protocol::VERSION,
        name: format!(
            "{}, device {number}, sm_{}, CUDA {major}.{minor}{level}{watchdog}{words}",
            device.name, device.capability
        ),
        dialects: dialects.map(str::to_owned).collect(),
        capabilities: vec![
            Capability::Surfaces,
            Capability::SurfaceReferences,
            Capability::Textures,
            Capability::Variables,
            Capability::Managed,
            Capability::Modules,
        ],
        longest_line: None,
        device: facts(name, driver),
    }
}

/// Facts about the device for recordings. Facts that hold for most devices are left out.
fn facts(name: &CudaName, driver: &Driver) -> BTreeMap<String, String> {
    let device = driver.device();
    let version = driver.version();
    let level = name.level.map_or("default".into(), |level| format!("O{level}"));
    let mut facts = BTreeMap::from([
        (DEVICE.into(), device.name.clone()),
        ("sm".into(), device.capability.to_string()),
        ("cuda".into(), format!("{}.{}", version / 1000, version % 1000 / 10)),
        ("level".into(), level),
    ]);
    if runs_spa(device.capability) {
        facts.insert(SPA.into(), "machine words".into());
    }
    if device.watchdog {
        facts.insert(WATCHDOG.into(), "yes".into());
    }
    if device.compute_mode == EXCLUSIVE_PROCESS {
        facts.insert(EXCLUSIVE.into(), "yes".into());
    }
    let stated = stated_release();
    if device.is_emulated() {
        facts.insert(EMULATED.into(), "yes".into());
        facts.extend(stated.map(|release| (DRIVER.into(), release)));
        return facts;
    }
    if !device.bus.is_empty() {
        facts.insert(BUS.into(), device.bus.clone());
    }
    facts.extend(stated.or_else(driver_release).map(|release| (DRIVER.into(), release)));
    facts
}

/// The release that the environment states, for drivers of which the kernel knows nothing.
fn stated_release() -> Option<String> {
    std::env::var(STATED_RELEASE).ok().filter(|release| !release.is_empty())
}

/// The release of the kernel driver, such as `570.124.06`.
fn driver_release() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    release_in(&text)
}

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed …": the first word that is a release.
fn release_in(text: &str) -> Option<String> {
    let is_release = |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.lines().next()?.split_whitespace().find(is_release).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_of_the_driver_is_found_in_both_forms_of_its_line() {
        let closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\nGCC version:  gcc 12.2.0\n";
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build  (root@host)\n";
        assert_eq!(release_in(closed).as_deref(), Some("535.183.01"));
        assert_eq!(release_in(open).as_deref(), Some("570.124.06"));
        assert_eq!(release_in("NVRM version: none"), None);
    }
}

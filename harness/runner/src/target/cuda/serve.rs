//! A device on the other side of the worker protocol: what `warpdiff worker cuda…` runs.

use std::io::{self, BufRead, Write};

use warpdiff_model::Launch;

use super::CudaName;
use super::driver::{Driver, claim_output};
use super::launch::{Launcher, Ran};
use crate::worker::inject::Faults;
use crate::worker::protocol::{self, Capability, Introduction, Reply};
use crate::worker::serve::{Done, Executor, Server};

/// A device as an executor.
struct Cuda<'a> {
    name: &'a CudaName,
    launcher: Launcher,
}

/// Answers requests until the input ends, or until a launch leaves the context unusable. Where there is no device, the
/// first of them is answered with `refused` and the reason.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn serve(name: &CudaName, faults: Faults, mut input: impl BufRead) -> io::Result<()> {
    let mut output = claim_output()?;
    match Driver::open(name.library.as_deref(), name.ordinal) {
        Ok(driver) => {
            let launcher = Launcher::new(driver, name.level);
            Server::new(Cuda { name, launcher }, faults).serve(input, output)
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

    fn run(&mut self, launch: &Launch, may_fault: bool) -> Done {
        let Ran { observation, spent } = self.launcher.run(launch, may_fault);
        Done { observation, leaving: spent }
    }
}

fn introduction(name: &CudaName, driver: &Driver) -> Introduction {
    let device = driver.device();
    let (major, minor) = (driver.version() / 1000, driver.version() % 1000 / 10);
    let level = name.level.map(|level| format!(", compiled at O{level}")).unwrap_or_default();
    let watchdog = if device.watchdog { ", kernels that run long are stopped" } else { "" };
    let number = name.ordinal;
    Introduction {
        protocol: protocol::VERSION,
        name: format!(
            "{}, device {number}, sm_{}, CUDA {major}.{minor}{level}{watchdog}",
            device.name, device.capability
        ),
        dialects: vec![protocol::PTX.into()],
        capabilities: vec![Capability::Surfaces, Capability::SurfaceReferences, Capability::Variables],
        longest_line: None,
    }
}

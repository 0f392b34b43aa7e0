//! `warpdiff worker`: the reference emulator, or a device, on the other side of the worker protocol.

use std::io::{BufReader, ErrorKind};

use warpdiff_judge::exit_code::Exit;
use warpdiff_targets::{TargetName, serve_cuda};
use warpdiff_worker::emulator::Emulator;
use warpdiff_worker::serve::Server;
use warpdiff_worker::spawner::begin_worker_of;

use crate::failure::Failure;

/// Options of `worker`.
#[derive(Debug, clap::Args)]
pub(crate) struct Worker {
    /// What to serve: `emulator`, `emulator+DEVIATION,…`, `emulator:ptx` likewise, `cuda[:ORDINAL][+O0][@LIBRARY]`
    #[arg(default_value = "emulator", value_name = "TARGET")]
    serve: TargetName,
    /// End when the process with this number ends, which must be the parent
    #[arg(long, value_name = "PID", hide = true)]
    parent: Option<u32>,
}

impl Worker {
    pub(crate) fn execute(&self) -> Result<Exit, Failure> {
        if let Some(parent) = self.parent {
            begin_worker_of(parent)
                .map_err(|error| Failure::broken(format!("cannot serve process {parent}: {error}")))?;
        }
        let input = BufReader::new(std::io::stdin().lock());
        let served = match &self.serve {
            TargetName::Emulator(semantics) => {
                Server::new(Emulator::new(*semantics)).serve(input, std::io::stdout().lock())
            }
            TargetName::EmulatorOfPtx(semantics) => {
                Server::new(Emulator::of_ptx(*semantics)).serve(input, std::io::stdout().lock())
            }
            TargetName::Cuda(name) => serve_cuda(name, input),
            other => return Err(Failure::usage(format!("`{other}` is neither an emulator nor a device"))),
        };
        match served {
            // Whoever asked is gone.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::broken(format!("cannot go on: {error}")))
            }
            _ => Ok(Exit::Conforms),
        }
    }
}

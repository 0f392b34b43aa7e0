//! `warpdiff worker`: serves the reference emulator, or a device, over the worker protocol.

use std::io::{BufReader, ErrorKind};

use warpdiff_judge::exit_code::Exit;
use warpdiff_targets::{TargetName, serve_cuda};
use warpdiff_worker::emulator::Emulator;
use warpdiff_worker::serve::Server;
use warpdiff_worker::system::{Bounds, begin_worker_of, confine_emulator};

use crate::failure::Failure;

/// Options of `worker`.
#[derive(Debug, clap::Args)]
pub(crate) struct Worker {
    /// What to serve: `emulator`, `emulator+DEVIATION,…`, `emulator:ptx` likewise, `cuda[:ORDINAL][+O0][@LIBRARY]`
    #[arg(default_value = "emulator", value_name = "TARGET")]
    serve: TargetName,
    /// End when the parent process, which has this id, ends
    #[arg(long, value_name = "PID", hide = true)]
    parent: Option<u32>,
    /// With `--parent`: the size of a file that it may write, in bytes
    #[arg(long, value_name = "BYTES", hide = true)]
    largest_file: Option<u64>,
    /// With `--parent`: keep the network
    #[arg(long, hide = true)]
    network: bool,
}

impl Worker {
    pub(crate) fn execute(&self) -> Result<Exit, Failure> {
        if let Some(parent) = self.parent {
            let bounds = Bounds { file_size: self.largest_file, network: self.network, ..Bounds::default() };
            begin_worker_of(parent, &bounds)
                .map_err(|error| Failure::broken(format!("cannot serve process {parent}: {error}")))?;
        }
        if matches!(self.serve, TargetName::Emulator(_) | TargetName::EmulatorOfPtx(_)) {
            // A confined worker is one more line of defence. Where there is none `doctor` says so.
            let _ = confine_emulator();
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
            other => {
                return Err(Failure::usage(format!(
                    "cannot serve `{other}`: expected an emulator or a CUDA device"
                )));
            }
        };
        match served {
            // The supervisor has gone.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::broken(format!("cannot continue: {error}")))
            }
            _ => Ok(Exit::Conforms),
        }
    }
}

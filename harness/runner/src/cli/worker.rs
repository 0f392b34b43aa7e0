//! `warpdiff worker`: the reference emulator on the other side of the worker protocol.

use std::io::{BufReader, ErrorKind};

use super::Failure;
use crate::status::Exit;
use crate::target::TargetName;
use crate::worker::emulator::Emulator;
use crate::worker::inject::{Faults, Injection};
use crate::worker::serve::Server;

/// Options of `worker`.
#[derive(Debug, clap::Args)]
pub(super) struct Worker {
    /// What to serve: `emulator`, `emulator+DEVIATION,…`
    #[arg(default_value = "emulator", value_name = "EMULATOR")]
    serve: TargetName,
    /// Misbehave on purpose, in cases that fit a pattern: `crash=suld/*`; to test what watches workers
    #[arg(long, value_name = "FAULT=PATTERN")]
    inject: Vec<Injection>,
}

impl Worker {
    pub(super) fn execute(&self) -> Result<Exit, Failure> {
        let TargetName::Emulator(semantics) = &self.serve else {
            return Err(Failure::usage(format!("`{}` is no emulator", self.serve)));
        };
        let mut server = Server::new(Emulator::new(*semantics), Faults(self.inject.clone()));
        match server.serve(BufReader::new(std::io::stdin().lock()), std::io::stdout().lock()) {
            // Whoever asked is gone.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::broken(format!("cannot go on: {error}")))
            }
            _ => Ok(Exit::Conforms),
        }
    }
}

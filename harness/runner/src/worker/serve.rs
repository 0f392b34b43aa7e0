//! The reference emulator as a worker: what `warpdiff worker` runs. A real target for `process:`, and the one on which the
//! supervision of workers is tested.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

use warpdiff_model::{Observation, Semantics};

use super::answer;
use super::inject::{Fault, Faults};
use super::protocol::{
    self, Capability, Introduction, LaunchRequest, Observed, Outcome, Reply, Request, SurfaceMessage,
};
use crate::reference::{Compiled, ReferenceError, compile};

/// Programs that are kept compiled: the launches of a variant come one after the other.
const KEPT: usize = 32;
/// Bytes of a surface, at most.
const SURFACE: u128 = 1 << 32;

/// The emulator as a worker.
pub struct Server {
    semantics: Semantics,
    faults: Faults,
    programs: HashMap<Arc<str>, Result<Arc<Compiled>, ReferenceError>>,
}

impl Server {
    /// A worker that runs launches under these semantics and has these faults.
    pub fn new(semantics: Semantics, faults: Faults) -> Self {
        Self { semantics, faults, programs: HashMap::new() }
    }

    /// Answers requests until the input ends.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn serve(&mut self, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line)? > 0 {
            match serde_json::from_slice(&line) {
                Ok(Request::Hello(_)) => say(&mut output, &Reply::Hello(introduction()))?,
                Ok(Request::Launch(request)) => self.launch(*request, &mut output)?,
                Err(error) => say(&mut output, &Reply::Refused { message: format!("no request: {error}") })?,
            }
            line.clear();
        }
        Ok(())
    }

    fn launch(&mut self, request: LaunchRequest, output: &mut impl Write) -> io::Result<()> {
        let id = request.id;
        let fault = self.faults.of(&request.case);
        if let Some(fault) = fault {
            fault.before(output)?;
        }
        say(output, &Reply::Started { id })?;
        if let Some(fault) = fault {
            fault.during(output)?;
        }
        let mut observed = Observed { id, outcome: self.outcome(request), leaving: false };
        if let Some(fault) = fault {
            fault.alter(&mut observed);
        }
        say(output, &Reply::Observed(Box::new(observed)))?;
        fault.map_or(Ok(()), Fault::after)
    }

    fn outcome(&mut self, request: LaunchRequest) -> Outcome {
        if let Some(surface) = request.surfaces.iter().find(|s| size(s) > SURFACE) {
            let message = format!("surface `{}` is too large", surface.name);
            return Outcome::Rejected { stage: "launch".into(), message };
        }
        let launch = request.into_launch();
        let compiled = match self.program(&launch.program) {
            Ok(compiled) => compiled,
            Err(error) => return refusal(error),
        };
        let observation = warpdiff_emulator::observe(&compiled.program, &launch, &self.semantics);
        let observation = observation.unwrap_or_else(|error| Observation::Rejected {
            stage: "launch".into(),
            message: error.to_string(),
        });
        answer::outcome(&observation)
            .unwrap_or_else(|| Outcome::Unsupported { what: format!("{observation:?}") })
    }

    fn program(&mut self, text: &Arc<str>) -> Result<Arc<Compiled>, ReferenceError> {
        if self.programs.len() >= KEPT && !self.programs.contains_key(text) {
            self.programs.clear();
        }
        let entry = self.programs.entry(Arc::clone(text));
        entry.or_insert_with(|| compile(text).map(Arc::new)).clone()
    }
}

fn introduction() -> Introduction {
    Introduction {
        protocol: protocol::VERSION,
        name: format!("warpdiff emulator {}", env!("CARGO_PKG_VERSION")),
        dialects: vec![protocol::PTX.into()],
        capabilities: vec![Capability::Surfaces, Capability::SurfaceReferences, Capability::Variables],
        longest_line: None,
    }
}

fn say(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    output.write_all(&protocol::line(reply)?)?;
    output.flush()
}

/// Bytes of a surface by its shape, which may be anything.
fn size(surface: &SurfaceMessage) -> u128 {
    let counts = surface.extent.iter().chain([&surface.layers]);
    counts.fold(u128::from(surface.format.texel_size()), |size, n| size.saturating_mul(u128::from(*n)))
}

fn refusal(error: ReferenceError) -> Outcome {
    match error {
        ReferenceError::Rejected(diagnostics) => {
            let words: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            Outcome::Rejected { stage: "load".into(), message: words.join("; ") }
        }
        ReferenceError::Unsupported(what) => Outcome::Unsupported { what },
        ReferenceError::Launch(message) => Outcome::Rejected { stage: "launch".into(), message },
    }
}

//! The worker's side of the protocol, as `warpdiff worker` speaks it on its standard streams. An [`Executor`] runs the launches;
//! the emulator and CUDA devices are executors.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use warpdiff_model::{Launch, Observation};

use super::outcome;
use super::protocol::{
    self, CallsMessage, Introduction, LaunchRequest, ModuleRequest, Observed, Outcome, Reply, Request,
    SurfaceMessage,
};

/// Limit of a surface in bytes.
const SURFACE: u128 = 1 << 32;

/// Runs launches in the worker's process, one at a time.
pub trait Executor {
    /// Its reply to `hello`.
    fn introduction(&self) -> Introduction;

    /// Compiles and loads a module for the launches that follow, in place of the module before.
    ///
    /// # Errors
    /// Why the module cannot be loaded, in the target's words.
    fn load(&mut self, _program: &Arc<str>) -> Result<(), String> {
        Err("this worker takes no modules".into())
    }

    /// Runs a launch to its end and removes every trace of it. With `may_fault` the memory stored before a fault is wanted.
    fn run(&mut self, launch: &Launch, may_fault: bool) -> Done;
}

/// Result of a launch.
#[derive(Clone, Debug)]
pub struct Done {
    /// The observation.
    pub observation: Observation,
    /// This process cannot run another launch, as after a fault that leaves its context unusable.
    pub leaving: bool,
}

/// A worker.
pub struct Server<E> {
    executor: E,
    /// The module that was loaded last, by its number.
    module: Option<(u64, Arc<str>)>,
}

impl<E: Executor> Server<E> {
    /// A worker.
    pub fn new(executor: E) -> Self {
        Self { executor, module: None }
    }

    /// Answers requests until the input ends or the process cannot run another launch.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn serve(&mut self, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line)? > 0 {
            match serde_json::from_slice(&line) {
                Ok(Request::Hello(_)) => say(&mut output, &Reply::Hello(self.executor.introduction()))?,
                Ok(Request::Launch(request)) => {
                    if self.launch(*request, &mut output)? {
                        return Ok(());
                    }
                }
                Ok(Request::Module(request)) => self.load(*request, &mut output)?,
                Err(error) => {
                    say(&mut output, &Reply::Refused { message: format!("not a request: {error}") })?
                }
            }
            line.clear();
        }
        Ok(())
    }

    /// Loads a module and answers.
    fn load(&mut self, request: ModuleRequest, output: &mut impl Write) -> io::Result<()> {
        let ModuleRequest { id, program, .. } = request;
        say(output, &Reply::Started { id })?;
        let program: Arc<str> = program.into();
        let refused = self.executor.load(&program).err();
        self.module = refused.is_none().then_some((id, program));
        say(output, &Reply::Loaded { id, refused })
    }

    /// Runs a launch and answers; returns whether the worker now ends.
    fn launch(&mut self, request: LaunchRequest, output: &mut impl Write) -> io::Result<bool> {
        let id = request.id;
        say(output, &Reply::Started { id })?;
        let (outcome, leaving) = self.outcome(request);
        say(output, &Reply::Observed(Box::new(Observed { id, outcome, leaving })))?;
        Ok(leaving)
    }

    fn outcome(&mut self, mut request: LaunchRequest) -> (Outcome, bool) {
        if let (true, Some(shader)) = (request.program.is_empty(), &request.shader) {
            match shader.text() {
                Ok(text) => request.program = text,
                Err(message) => {
                    let calls = CallsMessage::default();
                    return (Outcome::Rejected { stage: "parse".into(), message, calls }, false);
                }
            }
        }
        let surfaces = request.surfaces.iter().map(|surface| ("surface", surface));
        let textures = request.textures.iter().map(|texture| ("texture", &texture.image));
        if let Some((noun, image)) = surfaces.chain(textures).find(|(_, image)| size(image) > SURFACE) {
            let message = format!("{noun} `{}` is too large", image.name);
            return (
                Outcome::Rejected { stage: "launch".into(), message, calls: CallsMessage::default() },
                false,
            );
        }
        let (may_fault, wanted) = (request.may_fault, request.module);
        let mut launch = request.into_launch();
        if let Some(wanted) = wanted {
            let Some((_, program)) = self.module.as_ref().filter(|(id, _)| *id == wanted) else {
                let message = format!("module {wanted} is not loaded");
                return (
                    Outcome::Rejected { stage: "launch".into(), message, calls: CallsMessage::default() },
                    false,
                );
            };
            launch.program = Arc::clone(program);
        }
        let Done { observation, leaving } = self.executor.run(&launch, may_fault);
        let unknown = || Outcome::Unsupported { what: format!("reporting {observation:?}") };
        (outcome::outcome(&observation).unwrap_or_else(unknown), leaving)
    }
}

fn say(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    output.write_all(&protocol::line(reply)?)?;
    output.flush()
}

/// Size of a surface in bytes by its shape, which is not checked yet.
fn size(surface: &SurfaceMessage) -> u128 {
    let counts = surface.extent.iter().chain([&surface.layers]);
    counts.fold(u128::from(surface.format.texel_size()), |size, n| size.saturating_mul(u128::from(*n)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::Emulator;
    use crate::known_launch;

    /// What the emulator answers to these lines.
    fn conversation(lines: &[u8]) -> Vec<Reply> {
        let mut output = Vec::new();
        Server::new(Emulator::new(Default::default())).serve(lines, &mut output).unwrap();
        output
            .split(|b| *b == b'\n')
            .filter(|l| !l.is_empty())
            .map(|l| serde_json::from_slice(l).unwrap())
            .collect()
    }

    #[test]
    fn a_surface_without_bounds_is_rejected_and_nobody_is_hurt() {
        let known = known_launch::all();
        let surface = known.iter().find(|p| !p.launch.surfaces.is_empty()).unwrap();
        let mut message = LaunchRequest::new(3, "", &surface.launch, 0);
        message.surfaces[0].extent = [u32::MAX; 3];
        message.surfaces[0].layers = u32::MAX;
        let replies = conversation(&protocol::line(&Request::Launch(Box::new(message))).unwrap());
        let [Reply::Started { id: 3 }, Reply::Observed(observed)] = replies.as_slice() else {
            panic!("{replies:?}")
        };
        let Outcome::Rejected { message, .. } = &observed.outcome else { panic!("{observed:?}") };
        assert_eq!(message, "surface `image` is too large");
    }

    #[test]
    fn every_line_has_its_answer() {
        let replies = conversation(b"\xFF\n\n[]\n{\"type\":\"launch\"}\nno end");
        assert_eq!(replies.len(), 5);
        assert!(replies.iter().all(|reply| matches!(reply, Reply::Refused { .. })), "{replies:?}");
    }

    #[test]
    fn indices_that_lead_nowhere_are_rejected() {
        let mut message = LaunchRequest::new(1, "", &known_launch::store(16, 0, 1), 0);
        message.buffers.clear();
        let replies = conversation(&protocol::line(&Request::Launch(Box::new(message))).unwrap());
        let Some(Reply::Observed(observed)) = replies.last() else { panic!("{replies:?}") };
        assert!(
            matches!(&observed.outcome, Outcome::Rejected { stage, .. } if stage == "launch"),
            "{observed:?}"
        );
    }
}

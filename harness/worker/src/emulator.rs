//! The reference emulator as a worker.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::sync::Arc;

use warpdiff_emulator::{CompileError, Compiled, Printed, compile};
use warpdiff_model::{Launch, Observation, Semantics};

use super::protocol::{self, Capability, Introduction};
use super::serve::{Done, Executor};

/// Limit of compiled programs that are kept; the launches of a variant follow each other.
const KEPT: usize = 32;

/// The emulator, with the last programs compiled.
pub struct Emulator {
    semantics: Semantics,
    takes_spa: bool,
    programs: HashMap<Arc<str>, Result<Arc<Compiled>, CompileError>>,
}

impl Emulator {
    /// The emulator under these semantics.
    pub fn new(semantics: Semantics) -> Self {
        Self { semantics, takes_spa: true, programs: HashMap::new() }
    }

    /// The emulator under these semantics, for PTX alone.
    pub fn of_ptx(semantics: Semantics) -> Self {
        Self { takes_spa: false, ..Self::new(semantics) }
    }

    fn program(&mut self, text: &Arc<str>) -> Result<Arc<Compiled>, CompileError> {
        if self.programs.len() >= KEPT && !self.programs.contains_key(text) {
            self.programs.clear();
        }
        let entry = self.programs.entry(Arc::clone(text));
        entry.or_insert_with(|| compile(text).map(Arc::new)).clone()
    }
}

impl Executor for Emulator {
    fn introduction(&self) -> Introduction {
        Introduction {
            protocol: protocol::VERSION,
            name: format!("warpdiff emulator {}", env!("CARGO_PKG_VERSION")),
            dialects: match self.takes_spa {
                true => vec![protocol::PTX.into(), protocol::SPA.into()],
                false => vec![protocol::PTX.into()],
            },
            capabilities: vec![
                Capability::Surfaces,
                Capability::SurfaceReferences,
                Capability::Textures,
                Capability::Variables,
                Capability::Managed,
            ],
            longest_line: None,
            device: BTreeMap::new(),
        }
    }

    fn run(&mut self, launch: &Launch, _may_fault: bool) -> Done {
        let observation = match self.program(&launch.program) {
            Ok(compiled) => {
                match warpdiff_emulator::observe_printing(&compiled.program, launch, &self.semantics) {
                    Ok((observation, printed)) => {
                        print(&printed);
                        observation
                    }
                    Err(error) => rejected("launch", error.to_string()),
                }
            }
            Err(error) => refusal(error),
        };
        Done { observation, leaving: false }
    }
}

/// Prints what a kernel has printed to the standard error: the standard output is the protocol.
fn print(printed: &Printed) {
    let mut out = std::io::stderr().lock();
    // Nobody may be there to read it.
    let _ = out.write_all(&printed.text).and_then(|()| out.write_all(&printed.assertions));
}

fn rejected(stage: &str, message: String) -> Observation {
    Observation::rejected(stage, message)
}

fn refusal(error: CompileError) -> Observation {
    match error {
        CompileError::Rejected(diagnostics) => {
            let words: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            rejected("load", words.join("; "))
        }
        CompileError::Unsupported(what) => Observation::Unsupported { what },
    }
}

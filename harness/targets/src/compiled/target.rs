//! The target `compiled`.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;
use warpdiff_emulator::Program;
use warpdiff_judge::assembled::Assembled;
use warpdiff_model::{Observation, Semantics};
use warpdiff_ptx::checked::Module;
use warpdiff_ptx::vocabulary::{Modifier, Opcode};
use warpdiff_sass::cubin::Cubin;

use super::name::{CompiledName, Level};
use super::words::{Kept, MachineWords};
use crate::fit::{Taker, fit};
use crate::ptxas::assembler::Assembler;
use crate::{Answer, Question, Target};

/// The compiler whose machine code is kept.
const USUAL: (u32, u32) = (12, 9);
/// The architecture that it compiles for: the instructions of sm_50 are SPA 5.0.
const ARCHITECTURE: u32 = 50;

/// Where machine code comes from.
enum Origin {
    /// From a folder; from the compiler, if there is one, what the folder does not have.
    Kept(Box<MachineWords>, Option<Assembler>),
    /// From a compiler.
    Compiler(Assembler),
    /// From nowhere: there is neither.
    None(String),
    /// From nowhere: a folder of machine code cannot be read.
    Damaged(String),
}

/// What became of a program: its kernels by entry, or the observation that takes the place of every launch.
type Made = Result<Arc<Cubin>, Observation>;
/// A kernel, ready to run.
type Ready = Result<Arc<Program>, Observation>;

/// ptxas, and the emulator for the machine code that it makes.
pub struct CompiledTarget {
    name: String,
    /// Whether a path was named, which must be a ptxas.
    named: bool,
    level: Level,
    origin: OnceLock<Origin>,
    wanted: CompiledName,
    /// Where to put the machine code of every program in place of running it.
    keeping: Option<Arc<Mutex<MachineWords>>>,
    /// By program text and kernel.
    ready: Mutex<HashMap<(String, String), Ready>>,
}

impl CompiledTarget {
    /// The target of that name. What it needs is looked for when it is used first.
    pub fn new(wanted: &CompiledName) -> Self {
        Self {
            name: wanted.to_string(),
            named: wanted.path.is_some(),
            level: wanted.level.unwrap_or_default(),
            origin: OnceLock::new(),
            wanted: wanted.clone(),
            keeping: None,
            ready: Mutex::default(),
        }
    }

    /// The target of that name with this machine code, and no compiler.
    pub fn of_kept(words: MachineWords, wanted: &CompiledName) -> Self {
        Self { origin: OnceLock::from(Origin::Kept(Box::new(words), None)), ..Self::new(wanted) }
    }

    /// A compiler that runs nothing, and puts the machine code of every program it is given into `made`.
    pub fn keeping(assembler: Assembler, level: Level, made: Arc<Mutex<MachineWords>>) -> Self {
        let target = Self::new(&CompiledName { path: None, level: Some(level) });
        Self { origin: OnceLock::from(Origin::Compiler(assembler)), keeping: Some(made), ..target }
    }

    fn origin(&self) -> &Origin {
        self.origin.get_or_init(|| {
            let assembler = Assembler::find(self.wanted.path.as_deref());
            if self.named {
                return assembler.map_or_else(Origin::None, Origin::Compiler);
            }
            match (MachineWords::folder().map(|folder| MachineWords::read(&folder)), assembler) {
                (Some(Ok(words)), assembler) => Origin::Kept(Box::new(words), assembler.ok()),
                (Some(Err(why)), _) => Origin::Damaged(why),
                (None, Ok(assembler)) => Origin::Compiler(assembler),
                (None, Err(why)) => Origin::None(format!("no machine code is kept here, and {why}")),
            }
        })
    }

    /// The release whose limits programs are held to.
    fn release(&self) -> (u32, u32) {
        match self.origin() {
            Origin::Compiler(assembler) => assembler.release,
            Origin::Kept(..) | Origin::None(_) | Origin::Damaged(_) => USUAL,
        }
    }

    /// The machine code of a program.
    fn make(&self, program: &str) -> Made {
        if warpdiff_sass::is_spa(program) {
            return Err(Observation::Unsupported { what: "ptxas takes no SPA 5.0 programs".into() });
        }
        let (major, minor) = self.release();
        let taker = Taker::new(ARCHITECTURE, 1000 * major + 10 * minor);
        let fitted = fit(program, taker).map_err(|what| Observation::Unsupported { what })?;
        if fitted.lowered_from.is_some_and(|named| named >= INDEPENDENT)
            && speaks_of_absent_threads(&fitted.module)
        {
            let what =
                "`.sync` of sm_70, whose threads need not be together, as machine code for sm_50".into();
            return Err(Observation::Unsupported { what });
        }
        let made = match self.origin() {
            Origin::Kept(words, assembler) => match (words.get(&fitted.text, self.level), assembler) {
                (Some(kept), _) => kept,
                (None, Some(assembler)) => return self.compile(assembler, &fitted.text),
                (None, None) => {
                    let why = "its machine code is not kept, and there is no ptxas on this machine".into();
                    return Err(Observation::NotRun { why });
                }
            },
            Origin::Compiler(assembler) => return self.compile(assembler, &fitted.text),
            Origin::None(why) | Origin::Damaged(why) => {
                return Err(Observation::NotRun { why: why.clone() });
            }
        };
        match made {
            Kept::Cubin(file) => read(file),
            Kept::Rejected(message) => Err(Observation::rejected("load", message)),
        }
    }

    fn compile(&self, assembler: &Assembler, program: &str) -> Made {
        let file = compile(assembler, program, self.level);
        if let Some(made) = &self.keeping {
            let kept = match &file {
                Ok(file) => Kept::Cubin(file.as_slice()),
                Err(Observation::Rejected { message, .. }) => Kept::Rejected(message.clone()),
                // A crash says nothing of the next time.
                Err(other) => return Err(other.clone()),
            };
            made.lock().unwrap_or_else(PoisonError::into_inner).add(program, self.level, kept);
            return Err(Observation::NotRun { why: "it is compiled alone".into() });
        }
        read(&file?)
    }

    /// The machine code of a kernel, ready to run.
    ///
    /// # Errors
    /// The observation that takes the place of every launch of the kernel.
    pub fn kernel(&self, program: &str, entry: &str) -> Result<Arc<Program>, Observation> {
        self.ready(program, entry)
    }

    /// The kernel of a launch, ready to run.
    fn ready(&self, program: &str, entry: &str) -> Ready {
        let known = || self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (program.to_owned(), entry.to_owned());
        if let Some(ready) = known().get(&key) {
            return ready.clone();
        }
        let ready = self.make(program).and_then(|cubin| {
            let program = Program::of_cubin(&cubin, entry);
            program.map(Arc::new).map_err(|error| Observation::Unsupported {
                what: format!("in the machine code: {}", error.what),
            })
        });
        known().insert(key, ready.clone());
        ready
    }
}

/// The first target whose threads are scheduled independently. "For .target sm_6x or below, all threads in membermask must execute the
/// same shfl.sync instruction in convergence", and so for the others with `.sync`.
const INDEPENDENT: u32 = 70;

/// Whether a program has instructions of a warp's threads that may stand at different places.
fn speaks_of_absent_threads(module: &Module) -> bool {
    let mut instructions = module.functions.iter().flat_map(|function| &function.body);
    instructions.any(|instruction| {
        matches!(instruction.opcode, Opcode::Shfl | Opcode::Vote | Opcode::Match)
            && instruction.has(Modifier::Sync)
    })
}

/// The cubin that ptxas makes of a program for sm_50.
///
/// # Errors
/// The observation that takes its place: a rejection, or a crash.
pub(super) fn compile(assembler: &Assembler, program: &str, level: Level) -> Result<Vec<u8>, Observation> {
    let option = level.option();
    let options = [option.as_str(), "-lineinfo"];
    match assembler.cubin(program, &format!("sm_{ARCHITECTURE}"), &options) {
        Ok(Ok(file)) => Ok(file),
        Ok(Err(Assembled::Rejected { message })) => Err(Observation::rejected("load", message)),
        Ok(Err(Assembled::Crashed { why } | Assembled::NoVerdict { why })) | Err(why) => {
            Err(Observation::NotRun { why })
        }
        Ok(Err(Assembled::Accepted { .. })) => Err(Observation::NotRun { why: "ptxas made no cubin".into() }),
    }
}

fn read(file: &[u8]) -> Made {
    Cubin::read(file).map(Arc::new).map_err(|what| Observation::Unsupported { what })
}

impl Target for CompiledTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&self) -> Result<(), String> {
        match self.origin() {
            Origin::Damaged(why) => Err(why.clone()),
            Origin::None(why) if self.named => Err(why.clone()),
            _ => Ok(()),
        }
    }

    fn remark(&self) -> Option<String> {
        let level = self.level;
        Some(match self.origin() {
            Origin::Kept(words, _) => format!("machine code of {} at -{level}, as kept", words.compiler),
            Origin::Compiler(assembler) => format!("ptxas {} at -{level}", assembler.build),
            Origin::None(why) | Origin::Damaged(why) => format!("skipped: {why}"),
        })
    }

    fn device(&self) -> BTreeMap<String, String> {
        let compiler = match self.origin() {
            Origin::Kept(words, _) => words.compiler.clone(),
            Origin::Compiler(assembler) => format!("ptxas {}", assembler.build),
            Origin::None(_) | Origin::Damaged(_) => return BTreeMap::new(),
        };
        [("compiler", compiler), ("level", self.level.to_string())]
            .map(|(name, fact)| (name.to_owned(), fact))
            .into()
    }

    /// Its answers do not depend on anything but the launch.
    fn is_deterministic(&self) -> bool {
        true
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let launch = &question.planned.launch;
        let program = match self.ready(&launch.program, &launch.entry) {
            Ok(program) => program,
            Err(observation) => return observation,
        };
        match warpdiff_emulator::observe_exposed(&program, launch, &Semantics::default()) {
            Ok(observation) => observation,
            Err(error) => {
                Observation::Unsupported { what: format!("the launch of the machine code: {error}") }
            }
        }
    }

    fn batches(&self) -> bool {
        true
    }

    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        questions
            .par_iter()
            .enumerate()
            .for_each(|(index, question)| answered(index, self.observe(*question).into()));
    }
}

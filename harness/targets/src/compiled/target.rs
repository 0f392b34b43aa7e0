//! The target `compiled`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::prelude::*;
use warpdiff_emulator::Program;
use warpdiff_judge::machine_code::MachineCode;
use warpdiff_model::{Observation, Semantics};
use warpdiff_ptx::checked::Module;
use warpdiff_ptx::vocabulary::{Modifier, Opcode};
use warpdiff_sass::cubin::Cubin;

use super::compile::{ARCHITECTURE, Wanted, compile, compile_all, read};
use super::contents;
use super::name::{CompiledName, Level};
use super::words::{Kept, MachineWords, NoFolder};
use crate::fit::{Fitted, Taker, fit};
use crate::ptxas::assembler::Assembler;
use crate::{Answer, Question, Target};

/// The compiler whose machine code is kept.
const USUAL: (u32, u32) = (12, 9);
/// Programs whose machine code is remembered, at most: generated ones come once.
const REMEMBERED: usize = 4096;

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
    /// The folders of the corpora in use, beside which machine code is kept; `None` for the one built in.
    corpora: Vec<Option<PathBuf>>,
    /// Where to put the machine code of every program in place of running it.
    keeping: Option<Arc<Mutex<MachineWords>>>,
    /// What was compiled together with other programs, by program text.
    made: Mutex<HashMap<String, Made>>,
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
            corpora: vec![None],
            keeping: None,
            made: Mutex::default(),
            ready: Mutex::default(),
        }
    }

    /// The same with the machine code that is kept beside the first of these folders of corpora that has any; `None` is the corpus
    /// built in.
    #[must_use]
    pub fn beside(self, corpora: Vec<Option<PathBuf>>) -> Self {
        Self { corpora, ..self }
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
            let kept = MachineWords::folder(&self.corpora);
            match (kept.map(|folder| MachineWords::read_tree(&folder)), assembler) {
                (Ok(Ok(words)), assembler) => Origin::Kept(Box::new(words), assembler.ok()),
                (Ok(Err(why)) | Err(NoFolder::Damaged(why)), _) => Origin::Damaged(why),
                (Err(NoFolder::Absent(_)), Ok(assembler)) => Origin::Compiler(assembler),
                (Err(NoFolder::Absent(absent)), Err(why)) => Origin::None(format!("{absent}, and {why}")),
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

    /// The compiler, if there is one on this machine.
    fn assembler(&self) -> Option<&Assembler> {
        match self.origin() {
            Origin::Kept(_, assembler) => assembler.as_ref(),
            Origin::Compiler(assembler) => Some(assembler),
            Origin::None(_) | Origin::Damaged(_) => None,
        }
    }

    /// The compiler with its level, as reports name it.
    fn compiler(&self) -> Option<String> {
        let compiler = match self.origin() {
            Origin::Kept(words, _) => words.compiler.clone(),
            Origin::Compiler(assembler) => format!("ptxas {}", assembler.build),
            Origin::None(_) | Origin::Damaged(_) => return None,
        };
        Some(format!("{compiler} at -{}", self.level))
    }

    /// The program as ptxas takes it.
    fn fitted<'p>(&self, program: &'p str) -> Result<Fitted<'p>, Observation> {
        if warpdiff_sass::is_spa(program) {
            return Err(Observation::Unsupported { what: "ptxas takes no SPA 5.0 programs".into() });
        }
        let (major, minor) = self.release();
        let taker = Taker::new(ARCHITECTURE, 1000 * major + 10 * minor);
        let fitted = fit(program, taker).map_err(|what| Observation::Unsupported { what })?;
        if fitted.lowered_from.is_some_and(|named| named >= INDEPENDENT)
            && fitted.module.as_ref().is_some_and(speaks_of_absent_threads)
        {
            let what =
                "`.sync` of sm_70, whose threads need not be together, as machine code for sm_50".into();
            return Err(Observation::Unsupported { what });
        }
        Ok(fitted)
    }

    /// What there is without compiling: machine code that is kept, or the observation that takes its place.
    ///
    /// # Errors
    /// The compiler that is to make it.
    fn kept(&self, fitted: &Fitted<'_>) -> Result<Made, &Assembler> {
        match self.origin() {
            Origin::Kept(words, assembler) => match (words.get(&fitted.text, self.level), assembler) {
                (Some(Kept::Cubin(file)), _) => Ok(read(file).map(Arc::new)),
                (Some(Kept::Rejected(message)), _) => Ok(Err(Observation::rejected("load", message))),
                (None, Some(assembler)) => Err(assembler),
                (None, None) => {
                    let why = "its machine code is not kept, and there is no ptxas on this machine".into();
                    Ok(Err(Observation::NotRun { why }))
                }
            },
            Origin::Compiler(assembler) => Err(assembler),
            Origin::None(why) | Origin::Damaged(why) => Ok(Err(Observation::NotRun { why: why.clone() })),
        }
    }

    /// The machine code of a program.
    fn make(&self, program: &str) -> Made {
        if let Some(made) = lock(&self.made).get(program) {
            return made.clone();
        }
        let fitted = self.fitted(program)?;
        self.kept(&fitted).unwrap_or_else(|assembler| self.compile(assembler, &fitted.text))
    }

    /// Compiles the programs of many launches, many at a time, where none is known.
    fn make_all(&self, questions: &[Question<'_>]) {
        if self.keeping.is_some() {
            return;
        }
        if lock(&self.ready).len() > REMEMBERED {
            lock(&self.ready).clear();
            lock(&self.made).clear();
        }
        let known: HashSet<String> = lock(&self.ready).keys().map(|(program, _)| program.clone()).collect();
        let programs: BTreeSet<&str> = questions.iter().map(|q| &*q.planned.launch.program).collect();
        let unknown: Vec<&str> = programs.into_iter().filter(|program| !known.contains(*program)).collect();
        let wanted = |program| {
            let fitted = self.fitted(program).ok()?;
            let assembler = self.kept(&fitted).err()?;
            Some((program, assembler, Wanted::new(fitted.text.into_owned(), fitted.module.as_ref())))
        };
        let wanted: Vec<_> = unknown.into_par_iter().filter_map(wanted).collect();
        let Some((_, assembler, _)) = wanted.first() else { return };
        let assembler = *assembler;
        let (names, wanted): (Vec<&str>, Vec<Wanted>) =
            wanted.into_iter().map(|(program, _, wanted)| (program, wanted)).unzip();
        let made = compile_all(assembler, &wanted, self.level);
        lock(&self.made).extend(
            names
                .iter()
                .map(|program| (*program).to_owned())
                .zip(made.into_iter().map(|made| made.map(Arc::new))),
        );
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
            lock(made).add(program, self.level, kept);
            return Err(Observation::NotRun { why: "it is compiled alone".into() });
        }
        read(&file?).map(Arc::new)
    }

    /// The machine code of a program.
    ///
    /// # Errors
    /// The observation that takes the place of every launch of the program.
    pub fn cubin(&self, program: &str) -> Result<Arc<Cubin>, Observation> {
        self.make(program)
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
        let key = (program.to_owned(), entry.to_owned());
        if let Some(ready) = lock(&self.ready).get(&key) {
            return ready.clone();
        }
        let ready = self.make(program).and_then(|cubin| {
            let program = Program::of_cubin(&cubin, entry);
            program.map(Arc::new).map_err(|error| Observation::Unsupported {
                what: format!("in the machine code: {}", error.what),
            })
        });
        lock(&self.ready).insert(key, ready.clone());
        ready
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

impl Target for CompiledTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn newest_architecture(&self) -> Option<u32> {
        Some(ARCHITECTURE)
    }

    fn is_compiled(&self) -> bool {
        true
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
        let exposed = match warpdiff_emulator::observe_exposed(&program, launch, &Semantics::default()) {
            Ok(observation) => observation,
            Err(error) => {
                return Observation::Unsupported { what: format!("the launch of the machine code: {error}") };
            }
        };
        let depends = question.allowed.filter(|allowed| contents::violates(allowed, &exposed));
        depends.and_then(|allowed| contents::observe(&program, launch, allowed)).unwrap_or(exposed)
    }

    fn observe_as_held(&self, question: Question<'_>) -> Option<Observation> {
        let launch = &question.planned.launch;
        let program = self.ready(&launch.program, &launch.entry).ok()?;
        warpdiff_emulator::observe(&program, launch, &Semantics::default()).ok()
    }

    fn machine_code(&self, program: &str, entry: &str, line: u32) -> Option<MachineCode> {
        let made = self.make(program).ok()?;
        let has_lines = made.kernel(entry).is_some_and(|kernel| !kernel.lines.is_empty());
        let cubin = match self.assembler().filter(|_| !has_lines) {
            // Programs that were compiled together have no lines of their own.
            Some(assembler) => {
                Arc::new(read(&compile(assembler, &self.fitted(program).ok()?.text, self.level).ok()?).ok()?)
            }
            None => made,
        };
        MachineCode::of_line(cubin.kernel(entry)?, line, self.compiler()?)
    }

    fn batches(&self) -> bool {
        true
    }

    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        self.make_all(questions);
        questions
            .par_iter()
            .enumerate()
            .for_each(|(index, question)| answered(index, self.observe(*question).into()));
    }
}

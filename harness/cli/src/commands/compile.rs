//! `warpdiff compile`: compiles the programs of the corpus with ptxas, and compares the machine code with what is kept for
//! `--against compiled`.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use warpdiff_judge::exit_code::Exit;
use warpdiff_session::session;
use warpdiff_targets::ptxas::assembler::Assembler;
use warpdiff_targets::{CompiledTarget, Drift, Layered, Level, MachineWords, Target, ThroughPtx};

use super::run::select;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `compile`.
#[derive(Debug, clap::Args)]
pub(crate) struct Compile {
    /// Variants whose programs to compile, as for `run`
    filter: Vec<String>,
    /// Path of ptxas [default: the installed one]
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
    /// Optimisation levels, separated by commas
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', default_value = "O0,O1,O2,O3", value_parser = level)]
    levels: Vec<Level>,
    /// Folder of the machine code [default: `golden/compiled` beside the corpus]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Keep the machine code
    #[arg(long)]
    bless: bool,
}

fn level(text: &str) -> Result<Level, String> {
    Level::from_name(text).ok_or_else(|| "expected O0, O1, O2 or O3".into())
}

impl Compile {
    /// The folder beside the corpus.
    fn usual(&self, shared: &SharedOptions) -> Result<PathBuf, Failure> {
        let roots = shared.roots()?;
        let Some(root) = roots.only() else {
            return Err(Failure::usage(
                "each of several corpora has machine code beside it; --output names one folder for all, or name one corpus",
            ));
        };
        root.beside(MachineWords::FOLDER).ok_or_else(|| {
            Failure::usage(
                "the corpus is built in, and its machine code with it; `warpdiff export DIR` writes both out, --output names a folder",
            )
        })
    }

    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let assembler = Assembler::find(self.ptxas.as_deref()).map_err(Failure::usage)?;
        let folder = match &self.output {
            Some(folder) => folder.clone(),
            None => self.usual(shared)?,
        };
        let kept = match MachineWords::is_in(&folder) {
            true => MachineWords::read(&folder).map_err(Failure::broken)?,
            false => MachineWords::default(),
        };
        let corpus = shared.load()?;
        let variants = select(&corpus, &self.filter)?;
        let made = Arc::new(Mutex::new(MachineWords::of(format!("ptxas {}", assembler.build))));
        let progress = Progress::new(variants.len(), "variants", "ptxas");
        let targets: Vec<Box<dyn Target>> = self
            .levels
            .iter()
            .map(|level| {
                let target = CompiledTarget::keeping(assembler.clone(), *level, Arc::clone(&made));
                Box::new(Layered::new(Box::new(target), ThroughPtx::default())) as Box<dyn Target>
            })
            .collect();
        session::run(&variants, &targets, &|| progress.advance());
        drop(targets);
        let mut made = std::mem::take(&mut *made.lock().unwrap_or_else(PoisonError::into_inner));
        let whole = self.filter.is_empty() && self.levels.len() == Level::ALL.len();
        let drift = kept.drift(&made, whole);
        if self.bless {
            if !whole {
                made = kept.with(made);
            }
            made.write(&folder).map_err(|error| Failure::broken(format!("{}: {error}", folder.display())))?;
        }
        self.report(&drift, &folder.display())?;
        let drifted = drift.changed + drift.absent + drift.superfluous != 0;
        Ok(if drifted && !self.bless { Exit::Drifted } else { Exit::Conforms })
    }

    fn report(&self, drift: &Drift, folder: &dyn std::fmt::Display) -> Result<(), Failure> {
        let Drift { same, changed, absent, superfluous } = drift;
        let mut text =
            format!("{} programs at {} levels: {same} as kept", drift.programs(), self.levels.len());
        for (count, what) in
            [(changed, "changed"), (absent, "not kept"), (superfluous, "kept without a program")]
        {
            if *count != 0 {
                let _ = write!(text, ", {count} {what}");
            }
        }
        let _ = match self.bless {
            true => writeln!(text, "; written to {folder}"),
            false => writeln!(text, " in {folder}"),
        };
        emit(&text)
    }
}

//! Programs that no text is written of: the reference and a target that reads no text take them as the checker would make them of their text.
//! Every so-many-th is written, parsed and checked all the same, and so is each that differs; either has to come out as it was made.

use std::sync::{PoisonError, RwLock};

use warpdiff_emulator::Checked;
use warpdiff_generator::{Opcodes, Specimen};
use warpdiff_targets::Target;

use super::campaign::{TrialResult, result_of};
use super::options::Options;
use super::trial::{PreparedTrial, Trial};

/// Makes programs and tries them.
pub(super) struct WithoutText<'a> {
    options: &'a Options,
    target: &'a dyn Target,
    /// What the programs that were checked so far taught.
    opcodes: RwLock<Opcodes>,
}

impl<'a> WithoutText<'a> {
    /// `None` if the target takes text, or many programs at a time.
    pub(super) fn on(options: &'a Options, target: &'a dyn Target) -> Option<Self> {
        let takes = !target.reads_text() && !target.batches();
        takes.then(|| Self { options, target, opcodes: RwLock::default() })
    }

    /// The result of the program with that index.
    ///
    /// # Errors
    /// As [`PreparedTrial::new`]; if the module that was made is another one than that of the text.
    pub(super) fn result(&self, index: u64) -> Result<TrialResult, String> {
        let specimen = self.options.specimen(index)?;
        let is_parsed = index.is_multiple_of(self.options.parse_every);
        let made = if is_parsed { None } else { self.made(&specimen) };
        let Some((module, written)) = made else {
            return result_of(self.parsed(specimen)?, self.target);
        };
        let trial = self.tried(PreparedTrial::without_text(specimen, module, written)?);
        if !trial.is_right() {
            // Who reads of it is to read the program, too.
            return result_of(self.parsed(trial.specimen)?, self.target);
        }
        result_of(trial, self.target)
    }

    fn made(
        &self,
        specimen: &Specimen,
    ) -> Option<(warpdiff_ptx::checked::Module, warpdiff_generator::Written)> {
        specimen.module(&self.opcodes.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The trial of a program by its text, which teaches its opcodes.
    fn parsed(&self, specimen: Specimen) -> Result<Trial, String> {
        let prepared = PreparedTrial::new(specimen)?;
        if let Checked::Ptx(module) = prepared.checked() {
            let mut opcodes = self.opcodes.write().unwrap_or_else(PoisonError::into_inner);
            let learned = opcodes.learn(prepared.specimen(), module);
            learned.map_err(|_| "the program is another one when it is written and parsed")?;
        }
        Ok(self.tried(prepared))
    }

    fn tried(&self, prepared: PreparedTrial) -> Trial {
        let observation = self.target.observe(prepared.question());
        prepared.judged(observation)
    }
}

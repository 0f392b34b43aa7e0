//! Programs that no text is written of: the reference and a target that reads no text take them as the checker would make them of their text.
//! Where the target does what the reference allows under its own choices, the program is not run under others. Every so-many-th is written,
//! parsed, checked and judged by all that it is allowed to do all the same, and so is each that differs; either has to come out as it was made.

use std::sync::{PoisonError, RwLock};

use warpdiff_emulator::Checked;
use warpdiff_generator::{Opcodes, Specimen, Written};
use warpdiff_judge::verdict_table::Raw;
use warpdiff_ptx::checked::Module;
use warpdiff_targets::Target;

use super::campaign::{TrialResult, result_of};
use super::programs::Programs;
use super::trial::CompiledTrial;

/// Makes programs and tries them.
pub(super) struct WithoutText<'a> {
    programs: Programs<'a>,
    target: &'a dyn Target,
    /// What the programs that were checked so far taught.
    opcodes: RwLock<Opcodes>,
}

impl<'a> WithoutText<'a> {
    /// `None` if the target takes text, or many programs at a time.
    pub(super) fn on(programs: Programs<'a>, target: &'a dyn Target) -> Option<Self> {
        let takes = !target.reads_text() && !target.batches();
        takes.then(|| Self { programs, target, opcodes: RwLock::default() })
    }

    /// The result of the program with that index.
    ///
    /// # Errors
    /// As [`PreparedTrial::new`](super::trial::PreparedTrial::new); or if the module that was made is another one than that of the text.
    pub(super) fn result(&self, index: u64) -> Result<TrialResult, String> {
        let specimen = self.programs.specimen(index)?;
        if index.is_multiple_of(self.programs.options.parse_every) {
            return self.in_full(index, self.of_text(specimen)?);
        }
        let made = match self.made(&specimen) {
            Some((module, written)) => CompiledTrial::of_module(specimen, module, written),
            None => Ok(self.of_text(specimen)?),
        };
        match made.and_then(|program| self.at_once(index, &program)) {
            Ok(Some(status)) => Ok(TrialResult::Status(status)),
            // Who reads of it is to read the program, too.
            _ => self.in_full(index, self.of_text(self.programs.specimen(index)?)?),
        }
    }

    fn made(&self, specimen: &Specimen) -> Option<(Module, Written)> {
        specimen.module(&self.opcodes.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A program by its text, which teaches its opcodes.
    fn of_text(&self, specimen: Specimen) -> Result<CompiledTrial, String> {
        let program = CompiledTrial::of_text(specimen)?;
        if let Checked::Ptx(module) = program.checked() {
            let mut opcodes = self.opcodes.write().unwrap_or_else(PoisonError::into_inner);
            let learned = opcodes.learn(program.specimen(), module);
            learned.map_err(|_| "the program is another one when it is written and parsed")?;
        }
        Ok(program)
    }

    /// The status of the target if it does what the reference allows under its own choices.
    fn at_once(&self, index: u64, program: &CompiledTrial) -> Result<Option<Raw>, String> {
        self.programs.reached(index, program)?;
        Ok(program.status_at_once(self.target))
    }

    /// The result of a program that is judged by everything that it is allowed to do.
    fn in_full(&self, index: u64, program: CompiledTrial) -> Result<TrialResult, String> {
        self.programs.reached(index, &program)?;
        let prepared = program.prepared()?;
        let observation = self.target.observe(prepared.question());
        result_of(prepared.judged(observation), self.target)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use warpdiff_model::{Launch, Observation, Semantics};
    use warpdiff_ptx::Rules;
    use warpdiff_ptx::vocabulary::Opcode;
    use warpdiff_targets::{EmulatorTarget, Question};

    use super::super::campaign::{Campaign, Cause, Group};
    use super::super::options::{Inputs, Language, Options};
    use super::*;

    fn options(against: &str, inputs: Inputs, parse_every: u64) -> Options {
        Options { inputs, parse_every, per_cause: 2, ..Options::of(against.parse().unwrap(), 1, 1200) }
    }

    fn spa(against: &str, parse_every: u64) -> Options {
        Options { language: Language::Spa, count: 300, ..options(against, Inputs::Loaded, parse_every) }
    }

    type Told = (BTreeMap<Raw, u64>, BTreeMap<Cause, Group>, Option<(u64, String)>);

    fn told(options: &Options) -> Told {
        let target = options.target().unwrap().open();
        let Campaign { statuses, groups, broken, .. } = Campaign::run(options, target.as_ref());
        (statuses, groups, broken)
    }

    #[test]
    fn what_is_found_does_not_depend_on_how_many_programs_are_parsed_and_judged_in_full() {
        for (against, inputs, is_found) in [
            ("emulator", Inputs::Mixed, false),
            ("emulator+suld.clamp-as-zero", Inputs::Loaded, true),
            // Its decoder tells stores apart by where they stand.
            ("emulator+ptxas.float-stored", Inputs::Loaded, true),
            ("emulator+tex.force-ignored", Inputs::Loaded, true),
        ] {
            let all = told(&options(against, inputs, 1));
            assert_eq!(all.2, None);
            assert_eq!(!all.1.is_empty(), is_found, "{against}");
            assert_eq!(all, told(&options(against, inputs, u64::MAX)), "{against}");
        }
        for (against, is_found) in [("emulator", false), ("emulator+spa.offset-zero-extended", true)] {
            let all = told(&spa(against, 1));
            assert_eq!(!all.1.is_empty(), is_found, "{against}");
            assert_eq!(all, told(&spa(against, u64::MAX)), "{against}");
        }
    }

    /// The emulator, which panics at a launch with that many bytes in its buffers.
    struct Fragile {
        emulator: EmulatorTarget,
        bytes: usize,
    }

    fn bytes_of(launch: &Launch) -> usize {
        launch.buffers.iter().map(|buffer| buffer.bytes.len()).sum()
    }

    impl Target for Fragile {
        fn name(&self) -> &str {
            "fragile"
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            assert_ne!(bytes_of(&question.planned.launch), self.bytes, "it is fragile");
            self.emulator.observe(question)
        }

        fn reads_text(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_program_at_which_the_target_panics_takes_no_other_with_it() {
        let options = Options { count: 40, ..options("emulator", Inputs::Loaded, 8) };
        let sizes: Vec<usize> =
            (0..40).map(|index| bytes_of(&options.specimen(index).unwrap().write().launch)).collect();
        // That of a program which is not one of those that are judged in full.
        let bytes = sizes[5];
        let broken = sizes.iter().filter(|size| **size == bytes).count() as u64;
        assert!(broken < 20, "most programs have other sizes");
        let target = Fragile { emulator: EmulatorTarget::new(Semantics::default()), bytes };
        assert!(WithoutText::on(Programs::of_seed(&options), &target).is_some());
        let Campaign { statuses, broken: first, .. } = Campaign::run(&options, &target);
        assert_eq!(statuses, BTreeMap::from([(Raw::Broken, broken), (Raw::Conforms, 40 - broken)]));
        let (index, why) = first.expect("one is broken");
        assert_eq!(Some(index as usize), sizes.iter().position(|size| *size == bytes));
        assert!(why.contains("it is fragile"), "{why}");
    }

    #[test]
    fn a_program_that_is_made_otherwise_than_its_text_says_is_no_verdict() {
        let options = options("emulator", Inputs::Loaded, 8);
        let target = options.target().unwrap().open();
        let without_text = WithoutText::on(Programs::of_seed(&options), target.as_ref())
            .expect("the emulator reads no text");
        let specimen = options.specimen(0).unwrap();
        let text = specimen.write().launch.program;
        let mut module = warpdiff_ptx::compile(&text, &Rules::TO_RUN).unwrap();
        // The wrong lesson: stores have the subject of `ret`, which is last.
        let body = &mut module.functions[0].body;
        let subject = body.last().unwrap().subject;
        let mut taught = 0;
        for store in body.iter_mut().filter(|instruction| instruction.opcode == Opcode::St) {
            store.subject = subject;
            taught += 1;
        }
        assert!(taught > 0);
        let lesson = without_text.opcodes.write().unwrap().learn(&specimen, &module);
        lesson.expect("the lesson is consistent");
        let said = without_text.result(0).err();
        assert_eq!(said.as_deref(), Some("the program is another one when it is written and parsed"));
    }
}

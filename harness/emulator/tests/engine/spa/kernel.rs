//! A program around a body, and what it leaves in its output buffer.

use std::sync::Arc;

use warpdiff_emulator::{Options, Program, Run, observe, run};
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{
    Allowed, Argument, Assignment, Buffer, Choice, Deviation, Fault, Launch, Observation, Permitted,
    Semantics,
};
use warpdiff_sass::{Header, compile};

use crate::kernel::words;

/// A body that finds in `R250:R251` the address of the output buffer, in `R252:R253` that of this thread's first word in it, and
/// in `R249` the number of the thread.
pub(crate) struct Spa {
    body: String,
    /// Instead of a body.
    whole: Option<String>,
    pub(crate) header: Header,
    pub(crate) launch: Launch,
    pub(crate) semantics: Semantics,
}

impl Spa {
    /// One thread with `words` words of output, 64 bytes of shared and 64 bytes of local memory.
    pub(crate) fn new(body: &str, words: usize) -> Spa {
        Self::threads(body, 1, words)
    }

    /// The same with several threads, each with `words` words of output.
    pub(crate) fn threads(body: &str, threads: u32, words: usize) -> Spa {
        let mut launch = Launch::new(Arc::from(""), "main");
        launch.block = [threads, 1, 1];
        launch.buffers.push(Buffer::new("out", vec![0; 4 * words * threads as usize]));
        launch.arguments.push(Argument::Buffer { index: 0, offset: 0 });
        let header = Header { shared: 64, local: 64, ..Header::default() };
        Spa { body: body.to_owned(), whole: None, header, launch, semantics: Semantics::default() }
    }

    pub(crate) fn deviation(mut self, deviation: Deviation) -> Spa {
        self.semantics = self.semantics.with(deviation);
        self
    }

    pub(crate) fn choosing(mut self, choice: Choice, alternative: u8) -> Spa {
        self.semantics = self.semantics.under(Assignment::default().with(choice, alternative));
        self
    }

    pub(crate) fn shared(mut self, bytes: u32) -> Spa {
        self.header.shared = bytes;
        self
    }

    pub(crate) fn local(mut self, bytes: u32) -> Spa {
        self.header.local = bytes;
        self
    }

    /// A program that finds nothing in its registers.
    pub(crate) fn with_whole_text(mut self, text: &str) -> Spa {
        self.whole = Some(text.to_owned());
        self
    }

    fn text(&self) -> String {
        if let Some(whole) = &self.whole {
            return whole.clone();
        }
        let words = self.launch.buffers[0].bytes.len() / 4 / self.launch.block[0] as usize;
        let shift = words.next_power_of_two().trailing_zeros() + 2;
        assert!(words.is_power_of_two(), "rows of words are a power of two");
        format!(
            "MOV R250, c[0x0][0x140];\nMOV R251, c[0x0][0x144];\nS2R R249, SR_TID.X;\nSHL R248, R249, {shift:#x};\n\
             IADD R252, R250, R248;\nMOV R253, R251;\n{}\nEXIT;\n",
            self.body
        )
    }

    pub(crate) fn program(&self) -> Program {
        let text = self.text();
        let program = compile(&text, &self.header)
            .unwrap_or_else(|errors| panic!("{}", warpdiff_ptx::render(&errors, "program", &text, false)));
        Program::spa(&program, &text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Why the emulator does not run it.
    pub(crate) fn unsupported(&self) -> String {
        let text = self.text();
        let program = compile(&text, &self.header)
            .unwrap_or_else(|errors| panic!("{}", warpdiff_ptx::render(&errors, "program", &text, false)));
        Program::spa(&program, &text).err().map(|error| error.to_string()).unwrap_or_default()
    }

    pub(crate) fn run(&self) -> Run {
        run(&self.program(), &self.launch, &self.semantics, &Options::default())
            .unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn allowed(&self) -> Allowed {
        warpdiff_emulator::allowed(&self.program(), &self.launch, &self.semantics)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn observed(&self) -> Observation {
        observe(&self.program(), &self.launch, &self.semantics).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The state it completes with.
    pub(crate) fn state(&self) -> MaskedState {
        match self.run().outcome.permitted {
            Permitted::Completed { state } => state,
            other => panic!("{other:?}"),
        }
    }

    /// The words of the output, all of whose bits must be defined and ordered.
    pub(crate) fn words(&self) -> Vec<u32> {
        let state = self.state();
        let out = &state.regions[0];
        assert!(out.defined.iter().all(|mask| *mask == 0xFF), "undefined output: {:?}", out.defined);
        assert!(out.unordered.iter().all(|mask| *mask == 0), "unordered output: {:?}", out.unordered);
        words(&out.region.bytes)
    }

    /// The defined bits of the words of the output.
    pub(crate) fn defined(&self) -> Vec<u32> {
        words(&self.state().regions[0].defined)
    }

    /// The words of the output, whatever became of the launch.
    pub(crate) fn words_left(&self) -> Vec<u32> {
        words(&self.run().memory.regions[0].region.bytes)
    }

    /// The faults it must report.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        match self.run().outcome.permitted {
            Permitted::Faulted { faults } => faults,
            other => panic!("{other:?}"),
        }
    }
}

/// A body that stores these registers to the thread's output, one after the other.
pub(crate) fn storing(registers: &[&str]) -> String {
    let stores =
        registers.iter().enumerate().map(|(n, register)| format!("STG.E [R252+{:#x}], {register};\n", 4 * n));
    stores.collect()
}

/// `R0 = value`, in any register.
pub(crate) fn set(register: &str, value: u32) -> String {
    format!("MOV32I {register}, {value:#x};\n")
}

//! A kernel around a body, and what it leaves in its output buffer.

use std::sync::Arc;

use warpdiff_emulator::{Options, Program, Run, Schedule, run};
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Allowed, Argument, Buffer, Fault, Launch, Permitted, Semantics, Surface, Texture};
use warpdiff_ptx::{Dialect, Rules};

/// A program and a launch of it. The body finds in `%out` the address of the output buffer, in `%mine` that of this
/// thread's word in it, in `%t` the thread's number in its block.
pub(crate) struct Kernel {
    body: String,
    outside: String,
    pub(crate) launch: Launch,
    pub(crate) semantics: Semantics,
    pub(crate) options: Options,
    target: u32,
}

impl Kernel {
    /// A kernel with this body, launched with `threads` threads and an output of `words` words.
    pub(crate) fn new(body: &str, threads: u32, words: usize) -> Self {
        let mut launch = Launch::new(Arc::from(""), "k");
        launch.block = [threads, 1, 1];
        launch.buffers.push(Buffer::new("out", vec![0; 4 * words]));
        launch.arguments.push(Argument::Buffer { index: 0, offset: 0 });
        Self {
            body: body.to_owned(),
            outside: String::new(),
            launch,
            semantics: Semantics::default(),
            options: Options::default(),
            target: 90,
        }
    }

    /// Adds declarations at module scope, before the kernel.
    pub(crate) fn outside(mut self, text: &str) -> Self {
        self.outside.push_str(text);
        self
    }

    /// Another `.target` than sm_90.
    pub(crate) fn target(mut self, target: u32) -> Self {
        self.target = target;
        self
    }

    pub(crate) fn blocks(mut self, blocks: u32) -> Self {
        self.launch.grid = [blocks, 1, 1];
        self
    }

    pub(crate) fn semantics(mut self, semantics: Semantics) -> Self {
        self.semantics = semantics;
        self
    }

    pub(crate) fn schedule(mut self, schedule: Schedule) -> Self {
        self.options.schedule = schedule;
        self
    }

    pub(crate) fn untracked(mut self) -> Self {
        self.options.tracked = false;
        self
    }

    pub(crate) fn budget(mut self, steps: u64) -> Self {
        self.launch.step_budget = steps;
        self
    }

    /// Adds a surface whose handle is the next parameter, `%surface` in the body.
    pub(crate) fn surface(mut self, surface: Surface) -> Self {
        self.launch.surfaces.push(surface);
        self.launch.arguments.push(Argument::Surface { index: self.launch.surfaces.len() - 1 });
        self
    }

    /// Adds a texture whose handle is the next parameter, `%texture` in the body.
    pub(crate) fn texture(mut self, texture: Texture) -> Self {
        self.launch.textures.push(texture);
        self.launch.arguments.push(Argument::Texture { index: self.launch.textures.len() - 1 });
        self
    }

    /// Makes the parameter `handle` a surface reference bound to the first surface.
    pub(crate) fn reference_parameter(&mut self) {
        self.launch.arguments[1] = Argument::SurfaceReference { index: 0 };
    }

    pub(crate) fn text(&self) -> String {
        let reference = matches!(self.launch.arguments.get(1), Some(Argument::SurfaceReference { .. }));
        let (parameter, load) = match self.launch.surfaces.len() {
            0 => ("", ""),
            _ if reference => (", .param .surfref handle", ""),
            _ => (", .param .u64 handle", "ld.param.u64 %surface, [handle];"),
        };
        let (texture, load_texture) = match self.launch.textures.len() {
            0 => ("", ""),
            _ => (", .param .u64 texture", "ld.param.u64 %texture, [texture];"),
        };
        format!(
            ".version 8.1\n.target sm_{}\n.address_size 64\n{}\n.visible .entry k(.param .u64 out{parameter}{texture})\n{{\n\
             .reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .b32 %t;\n.reg .f32 %f<8>;\n.reg .b64 %d<16>;\n\
             .reg .b64 %out, %mine, %surface, %texture;\n.reg .f64 %fd<8>;\n\
             ld.param.u64 %out, [out];\ncvta.to.global.u64 %out, %out;\n{load}\n{load_texture}\nmov.u32 %t, %tid.x;\n\
             mul.wide.u32 %mine, %t, 4;\nadd.s64 %mine, %mine, %out;\n{}\nret;\n}}\n",
            self.target, self.outside, self.body
        )
    }

    pub(crate) fn program(&self) -> Program {
        let text = self.text();
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), linked: true, ..Rules::default() };
        let module = warpdiff_ptx::compile(&text, &rules)
            .unwrap_or_else(|errors| panic!("{}", warpdiff_ptx::render(&errors, "kernel", &text, false)));
        Program::new(&module, &text).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn run(&self) -> Run {
        run(&self.program(), &self.launch, &self.semantics, &self.options)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn allowed(&self) -> Allowed {
        warpdiff_emulator::allowed(&self.program(), &self.launch, &self.semantics)
            .unwrap_or_else(|error| panic!("{error}"))
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

    /// The unordered bits of the words of the output.
    pub(crate) fn unordered(&self) -> Vec<u32> {
        words(&self.state().regions[0].unordered)
    }

    /// The faults it reports.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        match self.run().outcome.permitted {
            Permitted::Faulted { faults } => faults,
            other => panic!("{other:?}"),
        }
    }

    /// Place and origin of what makes it indeterminate.
    pub(crate) fn indeterminate(&self) -> (String, String) {
        match self.run().outcome.permitted {
            Permitted::Indeterminate { place, origin } => (place, origin),
            other => panic!("{other:?}"),
        }
    }
}

/// Little-endian words.
pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The word that one thread stores from `%r1` after `body`.
pub(crate) fn result(body: &str) -> u32 {
    Kernel::new(&format!("{body}\nst.global.u32 [%mine], %r1;"), 1, 1).words()[0]
}

/// The two words that one thread stores from `%d1` after `body`.
pub(crate) fn wide_result(body: &str) -> u64 {
    let words = Kernel::new(&format!("{body}\nst.global.u64 [%out], %d1;"), 1, 2).words();
    u64::from(words[0]) | u64::from(words[1]) << 32
}

//! A program, decoded once under each semantics that a launch asks for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use warpdiff_model::{Assignment, Choice, Semantics};
use warpdiff_ptx::checked::{Function, Module};
use warpdiff_ptx::source::{Span, line_column};

use warpdiff_sass::cubin::Cubin;

use crate::decode;
use crate::decoded::{Decoded, Site, Unsupported};
use warpdiff_linker::{Banks, MachineCode, NotLinked, link};

/// A program, decoded once; reusable for any number of launches and from several threads.
pub struct Program {
    /// For a SPA 5.0 program: one kernel without instructions, and the variables of its cubin.
    module: Arc<Module>,
    /// The SPA 5.0 program, if it is one.
    spa: Option<MachineCode>,
    text: String,
    /// Slot of the first variable.
    first_slot: u32,
    specification: Arc<Decoded>,
    /// Decodings under other semantics, made on demand.
    others: Mutex<HashMap<Semantics, Arc<Decoded>>>,
}

impl Program {
    /// Decodes a module. `text` is its source; lines in faults refer to it.
    ///
    /// # Errors
    /// The first instruction or declaration that the emulator does not support.
    pub fn new(module: &Module, text: &str) -> Result<Program, Unsupported> {
        Self::at(module, text, 0)
    }

    /// The same of a module that others keep as well.
    pub(crate) fn shared(module: Arc<Module>, text: &str) -> Result<Program, Unsupported> {
        Self::of_module(module, text, 0)
    }

    /// Decodes a module whose variables begin at a given slot, so that several modules share a device.
    pub(crate) fn at(module: &Module, text: &str, first_slot: u32) -> Result<Program, Unsupported> {
        Self::of_module(Arc::new(module.clone()), text, first_slot)
    }

    fn of_module(module: Arc<Module>, text: &str, first_slot: u32) -> Result<Program, Unsupported> {
        let specification = Arc::new(decode::decode(&module, text, &Semantics::default(), first_slot)?);
        let text = text.to_owned();
        Ok(Program { module, spa: None, text, first_slot, specification, others: Mutex::default() })
    }

    /// Decodes a checked program of SPA 5.0 for a shader with its header. It has one kernel, which matches every name. The launch's
    /// arguments are its parameters: from constant bank 0, byte 0x140 on, each at the next multiple of its size. `text` is the
    /// source of the program.
    ///
    /// # Errors
    /// The first instruction that the emulator does not support.
    pub fn spa(program: &warpdiff_sass::Program, text: &str) -> Result<Program, Unsupported> {
        let code = MachineCode { program: program.clone(), banks: Banks::default() };
        Self::of_machine_code(kernel_alone(), code, text.to_owned(), 0)
    }

    /// Links and decodes the kernel of that name of a cubin. Its constant banks, variables and opaque objects are those of the
    /// cubin; its text is a listing.
    ///
    /// # Errors
    /// If the cubin has no such kernel; the first instruction, relocation or declaration that the emulator does not support.
    pub fn of_cubin(cubin: &Cubin, kernel: &str) -> Result<Program, Unsupported> {
        Self::of_cubin_at(cubin, kernel, 0)
    }

    /// The same with the variables of the cubin in the slots from a given one on.
    pub(crate) fn of_cubin_at(cubin: &Cubin, kernel: &str, first_slot: u32) -> Result<Program, Unsupported> {
        let Some(kernel) = cubin.kernel(kernel) else {
            return Err(Unsupported {
                span: Span::default(),
                what: format!("no kernel `{kernel}` in the cubin"),
            });
        };
        let linked = link(cubin, kernel);
        let (module, code, text) =
            linked.map_err(|NotLinked(what)| Unsupported { span: Span::default(), what })?;
        Self::of_machine_code(module, code, text, first_slot)
    }

    fn of_machine_code(
        module: Module,
        code: MachineCode,
        text: String,
        first_slot: u32,
    ) -> Result<Program, Unsupported> {
        let semantics = Semantics::default();
        let specification = Arc::new(decode::spa::decode(&code, &module, &text, &semantics, first_slot)?);
        let module = Arc::new(module);
        Ok(Program { module, spa: Some(code), text, first_slot, specification, others: Mutex::default() })
    }

    /// The text that places in faults refer to: the source, or the listing of machine code.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The constant banks of a program of SPA 5.0.
    pub(crate) fn banks(&self) -> Option<&Banks> {
        self.spa.as_ref().map(|code| &code.banks)
    }

    /// Whether it is a kernel of a cubin, which declares its parameters.
    pub(crate) fn is_of_cubin(&self) -> bool {
        self.banks().is_some_and(|banks| banks.range(0).is_some())
    }

    /// Whether it is a program of SPA 5.0.
    pub fn is_spa(&self) -> bool {
        self.spa.is_some()
    }

    /// The decoding under `semantics`.
    pub(crate) fn decoded(&self, semantics: &Semantics) -> Arc<Decoded> {
        // Of the choices only these are wired when decoding.
        let wired = [Choice::ConvertNanWide, Choice::DivideNegative, Choice::AlignBelowNatural].into_iter();
        let assignment = wired.fold(Assignment::default(), |assignment, choice| {
            assignment.with(choice, semantics.assignment.get(choice))
        });
        let semantics = &semantics.under(assignment);
        if *semantics == Semantics::default() {
            return Arc::clone(&self.specification);
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || {
            // Choices change what operations do, never whether a program can be decoded; a deviation may take an instruction for one that
            // does not exist.
            let decoded = match &self.spa {
                None => decode::decode(&self.module, &self.text, semantics, self.first_slot),
                Some(code) => decode::spa::decode(code, &self.module, &self.text, semantics, self.first_slot),
            };
            decoded.map_or_else(|_| Arc::clone(&self.specification), Arc::new)
        };
        Arc::clone(others.entry(*semantics).or_insert_with(fresh))
    }

    /// Whether these semantics decode the program in a way of their own. Without one it runs as the specification has it.
    pub fn has_decoding(&self, semantics: &Semantics) -> bool {
        *semantics == Semantics::default() || !Arc::ptr_eq(&self.decoded(semantics), &self.specification)
    }

    /// Whether every path through a scheduled program of SPA 5.0 is known to wait for everything that it needs, so that a tracked run checks no waits.
    /// True of a program without a schedule, and of PTX.
    pub fn waits_for_everything(&self, semantics: &Semantics) -> bool {
        self.decoded(semantics).schedules.is_empty()
    }

    /// The checked module.
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// The statement of a program of SPA 5.0.
    pub(crate) fn statement(&self, site: Site) -> Option<&warpdiff_sass::Statement> {
        self.spa.as_ref()?.program.statements.get(site.instruction as usize)
    }

    /// Position of an instruction in the text; `None` for the end of a function.
    pub(crate) fn span(&self, site: Site) -> Option<Span> {
        let instruction = site.instruction as usize;
        match &self.spa {
            Some(code) => code.program.statements.get(instruction).map(|statement| statement.span),
            None => {
                let body = &self.module.functions[site.function as usize].body;
                body.get(instruction).map(|instruction| instruction.span)
            }
        }
    }

    /// The line of a position.
    pub(crate) fn line(&self, span: Span) -> u32 {
        line_column(&self.text, span.start).line
    }

    /// The text of an instruction on one line.
    pub(crate) fn excerpt(&self, span: Span) -> String {
        let text = self.text.get(span.range()).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The module that stands for a program of SPA 5.0: no variables, and a kernel.
fn kernel_alone() -> Module {
    let kernel = Function::bare(String::new(), true, false, Span::default());
    Module {
        version: (0, 0),
        target: 50,
        texmode_independent: false,
        address_size: 64,
        variables: Vec::new(),
        functions: vec![kernel],
        deviations: Vec::new(),
    }
}

//! A decoded program, and where its variables live.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;
use warpdiff_model::{Assignment, Choice, Semantics};
use warpdiff_ptx::checked::{Function, FunctionId, Module, VariableId};
use warpdiff_ptx::source::{Span, line_column};
use warpdiff_ptx::vocabulary::{Space, SpecialRegister};

use crate::decode;
use crate::operation::{
    Access, Atomic, BarrierOp, Call, Collective, LaneOp, Op, Schedule, Slot, SurfaceAccess, SurfaceAction,
    SurfaceQuery, TextureLookup,
};
use crate::registers::FileSizes;
use crate::texture::sampling::Members;

/// Legal PTX that the emulator does not run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unsupported: {what}")]
pub struct Unsupported {
    /// The instruction or declaration concerned.
    pub span: Span,
    /// What it is.
    pub what: String,
}

/// A program, decoded once; reusable for any number of launches and from several threads.
pub struct Program {
    /// Of a SPA 5.0 program: one kernel, without instructions.
    module: Module,
    /// The program, if it is one of SPA 5.0.
    spa: Option<warpdiff_sass::Program>,
    text: String,
    /// Slot of the first variable.
    first_slot: u32,
    specification: Arc<Decoded>,
    /// Decodings under other semantics, made on demand.
    others: Mutex<HashMap<Semantics, Arc<Decoded>>>,
}

impl Program {
    /// Decodes a module. `text` is what it was parsed from; lines in faults refer to it.
    ///
    /// # Errors
    /// The first instruction or declaration that the emulator does not run.
    pub fn new(module: &Module, text: &str) -> Result<Program, Unsupported> {
        Self::at(module, text, 0)
    }

    /// Decodes a module whose variables begin at a slot of their own, so that several modules share a device.
    pub(crate) fn at(module: &Module, text: &str, first_slot: u32) -> Result<Program, Unsupported> {
        let specification = Arc::new(decode::decode(module, text, &Semantics::default(), first_slot)?);
        let (module, text) = (module.clone(), text.to_owned());
        Ok(Program { module, spa: None, text, first_slot, specification, others: Mutex::default() })
    }

    /// Decodes a checked program of SPA 5.0, for a shader as its header has it. It is one kernel, which answers to every name, and whose
    /// parameters are the arguments of whoever launches it: from constant bank 0, byte 0x140 on, each at the next multiple of its
    /// size. `text` is what it was parsed from.
    ///
    /// # Errors
    /// The first instruction that the emulator does not run.
    pub fn spa(program: &warpdiff_sass::Program, text: &str) -> Result<Program, Unsupported> {
        let module = kernel_alone();
        let specification = decode::spa::decode(program, &module, text, &Semantics::default())?;
        let spa = Some(program.clone());
        let specification = Arc::new(specification);
        Ok(Program {
            module,
            spa,
            text: text.to_owned(),
            first_slot: 0,
            specification,
            others: Mutex::default(),
        })
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
            // Semantics change what operations do, never whether a program can be decoded.
            let decoded = match &self.spa {
                None => decode::decode(&self.module, &self.text, semantics, self.first_slot),
                Some(program) => decode::spa::decode(program, &self.module, &self.text, semantics),
            };
            decoded.map_or_else(|_| Arc::clone(&self.specification), Arc::new)
        };
        Arc::clone(others.entry(*semantics).or_insert_with(fresh))
    }

    /// The checked module.
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// Where an instruction stands in the text; `None` for the end of a function.
    pub(crate) fn span(&self, site: Site) -> Option<Span> {
        let instruction = site.instruction as usize;
        match &self.spa {
            Some(program) => program.statements.get(instruction).map(|statement| statement.span),
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
        departures: Vec::new(),
    }
}

/// Where an instruction stands in the checked module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// Index into [`Module::functions`].
    pub(crate) function: u32,
    /// Index into its body.
    pub(crate) instruction: u32,
}

/// A narrow constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NarrowConstant {
    /// The same in every lane.
    Value(u32),
    /// A special register and its component.
    Special(SpecialRegister, u32),
}

/// A wide constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WideConstant {
    /// The same in every lane.
    Value(u64),
    /// An address, or a number that takes part in one: below the alignment, of so many bits, it is what it is here; above,
    /// implementations differ.
    Address {
        /// Its value here.
        value: u64,
        /// The logarithm of the alignment.
        aligned: u32,
    },
    /// A pointer to a surface variable, by its number in [`Decoded::surface_variables`].
    SurfaceVariable(u32),
    /// A pointer to a texture variable, by its number in [`Decoded::texture_variables`].
    TextureVariable(u32),
    /// A pointer to a sampler variable, by its number in [`Decoded::samplers`].
    SamplerVariable(u32),
    /// A pointer to a kernel parameter of opaque type, by its position.
    OpaqueParameter(u32),
}

/// The constants that precede the frames in the register files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    pub(crate) narrow: Vec<NarrowConstant>,
    pub(crate) wide: Vec<WideConstant>,
    pub(crate) predicates: Vec<bool>,
}

impl Constants {
    /// How many of each class.
    pub(crate) fn sizes(&self) -> FileSizes {
        FileSizes {
            narrow: self.narrow.len() as u32,
            wide: self.wide.len() as u32,
            predicates: self.predicates.len() as u32,
        }
    }
}

/// Where a parameter of a function is, on the callee's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterPlace {
    /// Bytes of its frame.
    Frame {
        /// Offset.
        offset: u32,
        /// Size.
        size: u32,
    },
    /// A register.
    Register(Slot),
}

/// What is known of a function after decoding.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionInfo {
    /// First operation; `None` for a function that is only declared.
    pub(crate) start: Option<u32>,
    /// Registers of its frame.
    pub(crate) registers: FileSizes,
    /// Bytes of its frame in local memory.
    pub(crate) frame_size: u32,
    /// Parameters.
    pub(crate) parameters: Vec<ParameterPlace>,
    /// Return values.
    pub(crate) returns: Vec<ParameterPlace>,
    /// Names of the registers of its frame.
    pub(crate) names: RegisterNames,
}

/// Names of registers by index.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegisterNames {
    pub(crate) narrow: Vec<String>,
    pub(crate) wide: Vec<String>,
    pub(crate) predicates: Vec<String>,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariablePlace {
    /// An allocation of its own in `.global`.
    Global {
        /// Address of its first byte, the same generically.
        address: u64,
    },
    /// An allocation of its own in the bank of the module's constants.
    Const {
        /// Offset in the bank: its address in `.const`.
        offset: u32,
        /// Generic address.
        address: u64,
    },
    /// Bytes of the shared memory of each block.
    Shared {
        /// Offset.
        offset: u32,
    },
    /// Bytes of a function's frame.
    Frame {
        /// Offset.
        offset: u32,
    },
    /// Bytes of the kernel's parameter block.
    Parameter {
        /// Offset.
        offset: u32,
    },
    /// A surface variable, by number.
    Surface(u32),
    /// A texture variable, by number.
    Texture(u32),
    /// A sampler variable, by number.
    Sampler(u32),
    /// A kernel parameter of opaque type, by position.
    OpaqueParameter(u32),
    /// No place: an unused declaration of a kind that is not run.
    None,
}

/// The address windows and allocation slots of the generic address space: the upper half of a 64-bit address is the slot.
pub(crate) mod slots {
    /// Shared memory of the block.
    pub(crate) const SHARED: u64 = 1 << 32;
    /// Local memory of the thread.
    pub(crate) const LOCAL: u64 = 2 << 32;
    /// The kernel's parameters.
    pub(crate) const PARAM: u64 = 3 << 32;
    /// First slot of allocations.
    pub(crate) const FIRST: u64 = 4;
    /// Where the data of an allocation begins in its slot.
    pub(crate) const DATA: u64 = 16 << 20;
    /// Where functions are: function `i` has the address `FUNCTIONS + 16 * i`. No allocation reaches it.
    pub(crate) const FUNCTIONS: u64 = 0xFFFF << 32;
    /// Slots an address of 48 bits has, functions excluded.
    pub(crate) const LIMIT: u64 = 0xFFFF;

    /// The address of the data of the allocation of that index.
    pub(crate) fn address(index: usize) -> u64 {
        (FIRST + index as u64) << 32 | DATA
    }
}

/// The `.const` variables of a module: one behind the other in a window of the generic address space, which is the slot of the
/// first of them. An address in `.const` is an offset from the beginning of the window ("Within each window, a generic address
/// maps to an address in the underlying state space by subtracting the window base from the generic address").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bank {
    /// Generic address of offset 0; 0 in a module without such variables.
    pub(crate) window: u64,
    /// Slot of the first variable, from [`slots::FIRST`].
    pub(crate) first: u32,
    /// Variables.
    pub(crate) count: u32,
}

impl Bank {
    /// "The size is limited, currently to 64 KB which can be used to hold statically-sized constant variables."
    pub(crate) const SIZE: u64 = 64 << 10;

    /// Whether a generic address is in the window.
    pub(crate) fn holds(self, address: u64) -> bool {
        self.count > 0 && address.wrapping_sub(self.window) < Self::SIZE
    }
}

/// A decoded program.
#[derive(Default)]
pub(crate) struct Decoded {
    pub(crate) ops: Vec<Op>,
    /// Where each operation comes from.
    pub(crate) sites: Vec<Site>,
    pub(crate) constants: Constants,
    pub(crate) functions: Vec<FunctionInfo>,
    pub(crate) lanes: Vec<LaneOp>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) atomics: Vec<Atomic>,
    pub(crate) barriers: Vec<BarrierOp>,
    pub(crate) collectives: Vec<Collective>,
    pub(crate) calls: Vec<Call>,
    pub(crate) tables: Vec<Vec<u32>>,
    pub(crate) surfaces: Vec<SurfaceAccess>,
    pub(crate) queries: Vec<SurfaceQuery>,
    /// What the instructions of a scheduled program wait for.
    pub(crate) schedules: Vec<Schedule>,
    pub(crate) lookups: Vec<TextureLookup>,
    /// Where each variable of the module lives.
    pub(crate) variables: Vec<VariablePlace>,
    /// The variables that have an allocation, in slot order: those of the bank, then those in `.global`.
    pub(crate) globals: Vec<VariableId>,
    /// Its `.const` variables.
    pub(crate) bank: Bank,
    /// The slot of the first of them, from [`slots::FIRST`]; 0 unless several modules share a device.
    pub(crate) first_slot: u32,
    /// Names of the module-scope surface variables.
    pub(crate) surface_variables: Vec<String>,
    /// Names of the module-scope texture variables.
    pub(crate) texture_variables: Vec<String>,
    /// What the initialiser of each of them says.
    pub(crate) texture_members: Vec<Members>,
    /// What the initialiser of each module-scope sampler variable says.
    pub(crate) samplers: Vec<Members>,
    /// Bytes of statically declared shared memory.
    pub(crate) static_shared: u32,
    /// Whether a variable has an `.align` below its natural alignment.
    pub(crate) open_alignment: bool,
    /// Whether such variables lie at no more than that.
    pub(crate) literal_alignment: bool,
}

impl Decoded {
    /// Bytes of shared memory of a block with so much dynamic shared memory, which is aligned for any type.
    pub(crate) fn shared_size(&self, dynamic: u32) -> u64 {
        match dynamic {
            0 => u64::from(self.static_shared),
            _ => u64::from(self.static_shared).next_multiple_of(16) + u64::from(dynamic),
        }
    }

    /// Whether it has surface loads beside stores or reductions, so that it may load what it stored.
    pub(crate) fn reads_back_surfaces(&self) -> bool {
        let is_load = |access: &SurfaceAccess| access.action == SurfaceAction::Load;
        self.surfaces.iter().any(is_load) && !self.surfaces.iter().all(is_load)
    }

    /// The address of a function as a value.
    pub(crate) fn function_address(id: FunctionId) -> u64 {
        slots::FUNCTIONS + 16 * u64::from(id.0)
    }

    /// The function at an address.
    pub(crate) fn function_at(&self, address: u64) -> Option<u32> {
        let offset = address.checked_sub(slots::FUNCTIONS)?;
        let index = offset / 16;
        let known = offset % 16 == 0 && index < self.functions.len() as u64;
        (known && self.functions[index as usize].start.is_some()).then_some(index as u32)
    }
}

/// Whether variables of this space have an allocation of their own.
pub(crate) fn has_allocation(space: Space) -> bool {
    matches!(space, Space::Global | Space::Const)
}

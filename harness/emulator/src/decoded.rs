//! The result of decoding a program: flat operations, and the tables they refer to.

use thiserror::Error;
use warpdiff_ptx::checked::{EcoString, FunctionId, VariableId};
use warpdiff_ptx::source::Span;
use warpdiff_ptx::vocabulary::SpecialRegister;
use warpdiff_semantics::texture::sampling::Members;

use crate::address_space::{Bank, slots};
use crate::image_operation::{SurfaceAccess, SurfaceAction, SurfaceQuery, TextureLookup};
use crate::memory_operation::{Access, Atomic, Destination};
use crate::operation::{BarrierOp, Call, Code, Collective, LaneOp, Op, Slot};
use crate::registers::FileSizes;
use crate::schedule::Schedule;
use warpdiff_semantics::opaque::Named;

/// Legal PTX that the emulator does not run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unsupported: {what}")]
pub struct Unsupported {
    /// The instruction or declaration concerned.
    pub span: Span,
    /// What it is.
    pub what: String,
}

/// Position of an instruction in the checked module.
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
    /// A word of the constant memory of the launch, at this byte.
    Bank(u32),
}

/// A wide constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WideConstant {
    /// The same in every lane.
    Value(u64),
    /// An address, or a number used to compute one: the bits below the alignment are as computed here; the higher bits are
    /// implementation-dependent.
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
    /// Number of registers of each class.
    pub(crate) fn sizes(&self) -> FileSizes {
        FileSizes {
            narrow: self.narrow.len() as u32,
            wide: self.wide.len() as u32,
            predicates: self.predicates.len() as u32,
        }
    }
}

/// Place of a function parameter in the callee.
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

/// Properties of a function after decoding.
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
    pub(crate) narrow: Vec<EcoString>,
    pub(crate) wide: Vec<EcoString>,
    pub(crate) predicates: Vec<EcoString>,
}

/// Place of a variable.
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
    /// No place: an unused declaration of a kind that the emulator does not run.
    None,
}

/// A decoded program.
#[derive(Default)]
pub(crate) struct Decoded {
    pub(crate) ops: Vec<Op>,
    /// The source position of each operation.
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
    /// Of machine code: the first operation of each statement.
    pub(crate) statements: Vec<u32>,
    pub(crate) surfaces: Vec<SurfaceAccess>,
    pub(crate) queries: Vec<SurfaceQuery>,
    /// The waits of the instructions of a scheduled program.
    pub(crate) schedules: Vec<Schedule>,
    pub(crate) lookups: Vec<TextureLookup>,
    /// The place of each variable of the module.
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
    /// Those of the surface, texture and sampler variables that are arrays.
    pub(crate) reference_arrays: Vec<Named>,
    /// The members in the initialiser of each module-scope texture variable.
    pub(crate) texture_members: Vec<Members>,
    /// The members in the initialiser of each module-scope sampler variable.
    pub(crate) samplers: Vec<Members>,
    /// Bytes of statically declared shared memory.
    pub(crate) static_shared: u32,
    /// Whether a variable has an `.align` below its natural alignment.
    pub(crate) open_alignment: bool,
    /// Whether such variables get only the alignment of their `.align`.
    pub(crate) literal_alignment: bool,
}

impl Decoded {
    /// Bytes of shared memory of a block with `dynamic` bytes of dynamic shared memory, which is aligned for any type.
    pub(crate) fn shared_size(&self, dynamic: u32) -> u64 {
        match dynamic {
            0 => u64::from(self.static_shared),
            _ => u64::from(self.static_shared).next_multiple_of(16) + u64::from(dynamic),
        }
    }

    /// Whether it has surface loads and also surface stores or reductions, so that it may load its own stores.
    pub(crate) fn reads_back_surfaces(&self) -> bool {
        let is_load = |access: &SurfaceAccess| access.action.is_load();
        self.surfaces.iter().any(is_load) && !self.surfaces.iter().all(is_load)
    }

    /// Whether a function stores: its operations are those up to the next function.
    pub(crate) fn stores(&self, function: usize) -> bool {
        let Some(start) = self.functions[function].start else { return false };
        let later = self.functions.iter().filter_map(|other| other.start).filter(|other| *other > start);
        let end = later.min().unwrap_or(self.ops.len() as u32);
        self.ops[start as usize..end as usize].iter().any(|op| op.code == Code::Store)
    }

    /// Whether the program may change a texel.
    pub(crate) fn changes_surfaces(&self) -> bool {
        self.surfaces.iter().any(|access| !access.action.is_load())
    }

    /// The registers in which an action on a surface returns the old value of a location.
    pub(crate) fn returned(&self, action: SurfaceAction) -> [Option<Slot>; 2] {
        let destination = action.atomic().and_then(|atomic| self.atomics[atomic as usize].destination);
        destination.map_or([None; 2], Destination::slots)
    }

    /// The operation that an address of machine code leads to, in bytes from its first control word.
    pub(crate) fn operation_at(&self, address: u32) -> Option<u32> {
        let statement = warpdiff_sass::bundle::statement_at(address.into())?;
        self.statements.get(statement).copied()
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

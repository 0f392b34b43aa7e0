//! The structured form of a generated program.

use std::borrow::Cow;

use warpdiff_model::{Format, Geometry};

/// Bytes of memory each thread owns in each state space.
pub const WINDOW: usize = 64;

/// A class of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `.pred`
    Pred,
    /// `.b16`
    B16,
    /// `.b32`
    B32,
    /// `.b64`
    B64,
}

impl Class {
    /// Size of a value in bytes; a predicate is observed through a 32-bit word.
    pub fn size(self) -> usize {
        match self {
            Self::B16 => 2,
            Self::Pred | Self::B32 => 4,
            Self::B64 => 8,
        }
    }

    /// The letter registers of this class begin with.
    pub fn letter(self) -> char {
        match self {
            Self::Pred => 'p',
            Self::B16 => 'h',
            Self::B32 => 'r',
            Self::B64 => 'd',
        }
    }
}

/// A register: its number is unique over all classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// Class.
    pub class: Class,
    /// Number.
    pub number: u32,
}

/// A register that is loaded from the buffer `in` before the first step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The register. A predicate is loaded as a 32-bit word and is true when that is not zero.
    pub register: Register,
    /// The value for each thread.
    pub values: Vec<u64>,
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// An integer literal.
    Immediate(i64),
}

impl Operand {
    /// The register, if it is one.
    pub fn register(self) -> Option<Register> {
        match self {
            Self::Register(register) => Some(register),
            Self::Immediate(_) => None,
        }
    }
}

/// A state space in which each thread has a window of [`WINDOW`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.local`
    Local,
}

impl Space {
    /// Every space, in the order of the windows in the buffer `memory`.
    pub const ALL: [Space; 3] = [Space::Global, Space::Shared, Space::Local];

    /// The name in PTX.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Local => "local",
        }
    }
}

/// One of the two images. No program loads from the image it stores to: within one kernel that is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Loaded from only.
    Source,
    /// Stored to only.
    Sink,
}

/// What the operands of a step look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Results, then sources: `add.s32 %r3, %r1, %r2`.
    Plain,
    /// `ld`: results, address.
    Load {
        /// The window.
        space: Space,
        /// Byte offset in the window.
        offset: u32,
    },
    /// `st` or `red`: address, sources.
    Store {
        /// The window.
        space: Space,
        /// Byte offset in the window.
        offset: u32,
    },
    /// `atom`: result, address, sources.
    Atomic {
        /// The window.
        space: Space,
        /// Byte offset in the window.
        offset: u32,
    },
    /// `suld`: results, then the image and as many coordinates as it has dimensions, which are the sources.
    ImageLoad,
    /// `sust`, `sured`: the image and coordinates (the first sources), then the data.
    ImageStore,
    /// An access of SPA 5.0 to local, shared or global memory: results, address and data in the order of the action.
    Window {
        /// What it does.
        action: Action,
        /// The window.
        space: Space,
        /// The immediate offset: unsigned where the address is absolute.
        offset: i32,
        /// Whether the first source is the register of the address, relative to the thread's window; otherwise the address is
        /// absolute (of [`Space::Global`], where there are none, relative to the thread's window).
        based: bool,
    },
}

/// What an instruction of SPA 5.0 does at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `LDL`, `LDS`, `LDG`.
    Load,
    /// `STL`, `STS`, `STG`.
    Store,
    /// `ATOMS`.
    Atomic,
}

/// The language that a specimen is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// PTX.
    Ptx,
    /// SPA 5.0.
    Spa {
        /// Whether the program states its own schedule; without one it is given a sound one.
        scheduled: bool,
    },
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// `@%p` (true) or `@!%p` (false).
    pub guard: Option<(Register, bool)>,
    /// Opcode with all modifiers.
    pub opcode: Cow<'static, str>,
    /// Registers it writes, each observed through a slot of the buffer `out`.
    pub results: Vec<Register>,
    /// How it is written.
    pub shape: Shape,
    /// Registers and literals it reads.
    pub sources: Vec<Operand>,
}

impl Step {
    /// Registers it reads, the guard included.
    pub fn reads(&self) -> impl Iterator<Item = Register> {
        let guard = self.guard.map(|(register, _)| register);
        guard.into_iter().chain(self.sources.iter().filter_map(|s| s.register()))
    }

    /// The state space it accesses.
    pub fn space(&self) -> Option<Space> {
        match self.shape {
            Shape::Load { space, .. }
            | Shape::Store { space, .. }
            | Shape::Atomic { space, .. }
            | Shape::Window { space, .. } => Some(space),
            Shape::Plain | Shape::ImageLoad | Shape::ImageStore => None,
        }
    }

    /// The image it accesses.
    pub fn side(&self) -> Option<Side> {
        match self.shape {
            Shape::ImageLoad => Some(Side::Source),
            Shape::ImageStore => Some(Side::Sink),
            _ => None,
        }
    }
}

/// A surface of a specimen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Shape.
    pub geometry: Geometry,
    /// Width in texels.
    pub width: u32,
    /// Height in texels; 1 where the geometry has none.
    pub height: u32,
    /// Depth in texels; 1 where the geometry has none.
    pub depth: u32,
    /// Layers of an array; 1 where the geometry is none.
    pub layers: u32,
    /// Texel format.
    pub format: Format,
    /// Texels, packed.
    pub bytes: Vec<u8>,
    /// Whether the program reaches it through a module-scope `.surfref`, and not through a handle it is passed.
    pub reference: bool,
}

impl Image {
    /// Coordinates an access takes, in their order.
    pub fn coordinates(&self) -> &'static [Coordinate] {
        use Coordinate::{Ignored, Layer, X, Y, Z};
        match self.geometry {
            Geometry::D1 => &[X],
            Geometry::D2 => &[X, Y],
            Geometry::D3 => &[X, Y, Z, Ignored],
            Geometry::A1d => &[Layer, X],
            Geometry::A2d => &[Layer, X, Y, Ignored],
        }
    }

    /// Bytes of one row.
    pub fn row(&self) -> u32 {
        self.width * self.format.texel_size()
    }
}

/// What an element of a coordinate tuple stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// The lowest dimension, in bytes or samples.
    X,
    /// The row.
    Y,
    /// The slice.
    Z,
    /// The layer, unsigned.
    Layer,
    /// The fourth element, which fills the vector up.
    Ignored,
}

/// A generated program with its inputs.
///
/// Invariants, which `Specimen::arbitrary` establishes and [`crate::reduce`] keeps: a register is written once, before it is
/// read; every column has a value for each thread; an image exists if a step accesses it; and there is one thread if a
/// step stores to an image (two threads that store to one texel race). Steps with [`Shape::Window`] are those of SPA 5.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specimen {
    /// What it is written in.
    pub dialect: Dialect,
    /// Number of threads, all in one block: 1 to [`Specimen::MAX_THREADS`].
    pub threads: u32,
    /// Registers loaded before the first step.
    pub inputs: Vec<Input>,
    /// Instructions.
    pub steps: Vec<Step>,
    /// Initial memory: for each thread a window per space, in the order of [`Space::ALL`]; empty when no step accesses
    /// memory.
    pub memory: Vec<u8>,
    /// The image that is loaded from.
    pub source: Option<Image>,
    /// The image that is stored to.
    pub sink: Option<Image>,
}

impl Specimen {
    /// Most threads of a specimen.
    pub const MAX_THREADS: u32 = 8;

    /// Bytes of memory one thread owns, over all spaces.
    pub const MEMORY_STRIDE: usize = WINDOW * Space::ALL.len();

    /// The image on that side.
    pub fn image(&self, side: Side) -> Option<&Image> {
        match side {
            Side::Source => self.source.as_ref(),
            Side::Sink => self.sink.as_ref(),
        }
    }

    /// Whether a step accesses that space.
    pub fn uses(&self, space: Space) -> bool {
        self.steps.iter().any(|step| step.space() == Some(space))
    }

    /// Removes what no step needs: inputs, memory and images.
    pub fn prune(&mut self) {
        let steps = &self.steps;
        self.inputs.retain(|input| steps.iter().any(|step| step.reads().any(|r| r == input.register)));
        if steps.iter().all(|step| step.space().is_none()) {
            self.memory.clear();
        }
        if steps.iter().all(|step| step.side() != Some(Side::Source)) {
            self.source = None;
        }
        if steps.iter().all(|step| step.side() != Some(Side::Sink)) {
            self.sink = None;
        }
    }
}

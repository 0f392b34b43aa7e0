//! The structured form of a generated program: steps, inputs, images.

use std::borrow::Cow;

use warpdiff_ptx::vocabulary::SpecialRegister;

use crate::flow::{Block, Within};
pub use crate::image::{Beside, Coordinate, Image, Object, Picture, Reach};
pub use crate::video::{Operands, Portion, Taken};

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

    /// The value of a register that no step has written yet, where lanes or runs of a loop come to it before: one, where it is a number of floating point.
    pub fn initial(self) -> u64 {
        match self {
            Self::Pred => 0,
            Self::B16 => 0x3C00,
            Self::B32 => 0x3F80_0000,
            Self::B64 => 0x3FF0_0000_0000_0000,
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

/// A register that has a value before the first step: loaded from the buffer `in`, or a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The register. A predicate is loaded as a 32-bit word and is true when that is not zero.
    pub register: Register,
    /// The value for each thread.
    pub values: Vec<u64>,
}

/// How the inputs of a program of PTX reach their registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Entrance {
    /// From the buffer `in`.
    #[default]
    Loaded,
    /// As constants, so that a compiler computes at compile time what follows from them.
    Immediate,
    /// Every second as a constant: operations with a constant operand remain.
    Mixed,
}

impl Entrance {
    /// Whether that input is a constant. The number of its register decides, which stays the same when a specimen is reduced.
    pub fn is_immediate(self, input: &Input) -> bool {
        match self {
            Self::Loaded => false,
            Self::Immediate => true,
            Self::Mixed => input.register.number.is_multiple_of(2),
        }
    }
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

/// The form of the operands of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Results, then sources: `add.s32 %r3, %r1, %r2`.
    Plain,
    /// The same of a video instruction some of whose operands are parts of registers, or have a minus sign: `vadd.u32.u32.s32 %r3.b1, %r1, %r2.h0, %r4`.
    Video(Operands),
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
    /// `tex` and `tld4`: results, then the texture, the sampler beside it if there is one, and the coordinates, which are the first sources.
    TextureLoad {
        /// Whether a level is the next source.
        level: bool,
        /// Whether two vectors of derivatives are the next sources.
        derivatives: bool,
        /// Whether a vector of offsets in texels is last.
        offset: bool,
    },
    /// `ld` of an element of a variable: result, address.
    TableLoad {
        /// Index of the variable.
        table: u32,
        /// Byte offset in it.
        offset: u32,
    },
    /// `vote`, `shfl`, `match`, `redux`, `activemask`: results, sources, and the lanes that take part.
    Lanes {
        /// Whether the first source, a predicate, is negated.
        negated: bool,
        /// Whether the lanes that take part are an operand.
        masked: bool,
    },
    /// `bar` and `barrier`.
    Barrier(Barrier),
    /// A [`Shape::Plain`] instruction in a function that is called with its sources.
    Call(Passing),
    /// `suq`, `txq`: result, object.
    Query {
        /// What is asked for: the image that is loaded from, the texture or the sampler.
        object: Object,
    },
    /// `istypep`: result, the pointer.
    PointsTo {
        /// What it points to.
        pointee: Pointee,
    },
    /// `mov` of a special register.
    Special {
        /// The register.
        register: SpecialRegister,
        /// 0 to 2: `x` to `z`.
        component: u8,
    },
    /// `mov` of a vector of sources into a register, of a register into a vector of results, or of one vector into another.
    Pack,
    /// `atom` or `red` on a place that all threads share: the result if there is one, address, sources.
    Contended {
        /// Byte offset in the buffer `common`.
        offset: u32,
    },
    /// An access of SPA 5.0 to local, shared or global memory: results, address and data in the order of the action.
    Window {
        /// Its effect.
        action: Action,
        /// The window.
        space: Space,
        /// The immediate offset: unsigned where the address is absolute.
        offset: i32,
        /// Whether the first source is the register of the address, relative to the thread's window; otherwise the address is
        /// absolute (of [`Space::Global`], where there are none, relative to the thread's window).
        based: bool,
    },
    /// Any other instruction of SPA 5.0 by its word, in which register 0 and predicate 0 stand for those that the program gives. Sources and
    /// results are in the order of its operands; behind them stand what its result held before, predicates and condition codes.
    Encoded {
        /// The word of the instruction that must stand directly before it, with operands of its own; or 0.
        before: u64,
        /// Its word.
        word: u64,
        /// The image or the texture that it accesses.
        object: Option<Object>,
    },
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pointee {
    /// The image that is loaded from, the texture or the sampler.
    Object(Object),
    /// The first element of an array of opaque variables: the index of the [`Table`].
    Array(u32),
}

/// What a barrier is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// Its number. One of the lanes of a warp has none.
    pub number: u8,
    /// Whether the number of its threads, which is that of the block, is an operand.
    pub counted: bool,
    /// Its use.
    pub meeting: Meeting,
}

/// How threads meet at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Each stores its source to shared memory, and behind the barrier loads what another has stored: the thread that is so many
    /// further on.
    Exchange {
        /// How many.
        by: u8,
    },
    /// The first warp stores and arrives; the second waits, and each of its threads loads what one of the first has stored.
    HandOver {
        /// How much further on in the warp that is.
        by: u8,
    },
    /// `.red`: the source is a predicate.
    Reduce {
        /// Whether it is negated.
        negated: bool,
    },
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passing {
    /// Whether arguments are the members of one array of bytes, in place of a parameter each.
    pub together: bool,
    /// Whether the call is by an address.
    pub indirect: bool,
}

/// The effect of an instruction of SPA 5.0 at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `LDL`, `LDS`, `LDG`, `LD`.
    Load,
    /// `STL`, `STS`, `STG`, `ST`.
    Store,
    /// `ATOMS`, `ATOM`.
    Atomic,
    /// `RED`.
    Reduction,
}

/// The language that a specimen is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// PTX.
    Ptx,
    /// SPA 5.0.
    Spa {
        /// Whether the program states its own schedule; without one it is given a sound one.
        scheduled: bool,
        /// Whether it has instructions alone that have PTX, so that targets can run it that take nothing else.
        has_ptx: bool,
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
    /// The form of its operands.
    pub shape: Shape,
    /// Registers and literals it reads.
    pub sources: Vec<Operand>,
    /// The block of instructions that it stands in.
    pub within: Option<Within>,
}

impl Step {
    /// Registers it reads, the guard included.
    pub fn reads(&self) -> impl Iterator<Item = Register> {
        let guard = self.guard.map(|(register, _)| register);
        guard.into_iter().chain(self.sources.iter().filter_map(|s| s.register()))
    }

    /// The registers that it reads and writes.
    pub(crate) fn registers_mut(&mut self) -> impl Iterator<Item = &mut Register> {
        let guard = self.guard.as_mut().map(|(register, _)| register);
        let sources = self.sources.iter_mut().filter_map(|source| match source {
            Operand::Register(register) => Some(register),
            Operand::Immediate(_) => None,
        });
        guard.into_iter().chain(sources).chain(&mut self.results)
    }

    /// Whether it writes the carry.
    pub fn writes_carry(&self) -> bool {
        self.opcode.split('.').any(|word| word == "cc")
    }

    /// Whether it reads the carry.
    pub fn reads_carry(&self) -> bool {
        matches!(self.opcode.split('.').next(), Some("addc" | "subc" | "madc"))
    }

    /// The state space it accesses.
    pub fn space(&self) -> Option<Space> {
        match self.shape {
            Shape::Load { space, .. }
            | Shape::Store { space, .. }
            | Shape::Atomic { space, .. }
            | Shape::Window { space, .. } => Some(space),
            Shape::Plain
            | Shape::Video(_)
            | Shape::ImageLoad
            | Shape::ImageStore
            | Shape::TextureLoad { .. }
            | Shape::TableLoad { .. }
            | Shape::Lanes { .. }
            | Shape::Barrier(_)
            | Shape::Call(_)
            | Shape::Query { .. }
            | Shape::PointsTo { .. }
            | Shape::Special { .. }
            | Shape::Pack
            | Shape::Encoded { .. }
            | Shape::Contended { .. } => None,
        }
    }

    /// The opaque object that it accesses or asks for.
    pub fn object(&self) -> Option<Object> {
        match self.shape {
            Shape::ImageLoad => Some(Object::Image(Side::Source)),
            Shape::ImageStore => Some(Object::Image(Side::Sink)),
            Shape::TextureLoad { .. } => Some(Object::Picture),
            Shape::Query { object } | Shape::PointsTo { pointee: Pointee::Object(object) } => Some(object),
            Shape::Encoded { object, .. } => object,
            _ => None,
        }
    }

    /// Whether it needs the texture, or the sampler beside it.
    pub fn is_of_picture(&self) -> bool {
        matches!(self.object(), Some(Object::Picture | Object::Sampler))
    }

    /// The image it accesses.
    pub fn side(&self) -> Option<Side> {
        match self.object() {
            Some(Object::Image(side)) => Some(side),
            _ => None,
        }
    }

    /// Has an operand of a video instruction be the register as it is; the result is the first.
    pub(crate) fn take_whole(&mut self, place: usize) {
        let Shape::Video(operands) = &mut self.shape else { return };
        if place == 0 && operands[0] != Taken::default() {
            // The source of the bits beside the part.
            self.sources.pop();
        }
        operands[place] = Taken::default();
        if *operands == Operands::default() {
            self.shape = Shape::Plain;
        }
    }

    /// The index of the variable that it needs.
    fn table_mut(&mut self) -> Option<&mut u32> {
        match &mut self.shape {
            Shape::TableLoad { table, .. } | Shape::PointsTo { pointee: Pointee::Array(table) } => {
                Some(table)
            }
            _ => None,
        }
    }
}

/// A module-scope variable that is loaded from, or an array of opaque variables that is pointed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its state space: `global` or `const`; or `param`, of a parameter of the kernel.
    pub space: &'static str,
    /// `.align 8 ` or nothing, and `.attribute(.managed) ` before it.
    pub alignment: &'static str,
    /// `.v2 `, `.v4 ` or nothing.
    pub vector: &'static str,
    /// Its base type: `u8`, `texref`.
    pub ty: &'static str,
    /// The text behind its name: dimensions and initialiser.
    pub declarator: String,
    /// The number of its elements of the base type.
    pub elements: u32,
    /// The argument, of a parameter; else empty.
    pub bytes: Vec<u8>,
}

impl Table {
    /// Whether it is an array of opaque variables.
    pub fn is_opaque(&self) -> bool {
        matches!(self.ty, "texref" | "surfref" | "samplerref")
    }
}

/// A generated program with its inputs.
///
/// Invariants, which `Specimen::arbitrary` establishes and [`crate::reduce`] keeps: a register is written once, before it is
/// read; every column has a value for each thread; an image, a texture and the variables exist if a step accesses them; and there
/// is one thread if a step stores to an image (two threads that store to one texel race). Steps with [`Shape::Window`] are those of
/// SPA 5.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specimen {
    /// The language that it is written in.
    pub language: Language,
    /// The target that its text states; of PTX.
    pub target: u32,
    /// Number of threads: 1 to [`Specimen::MAX_THREADS`].
    pub threads: u32,
    /// Number of CTAs, which have as many threads each.
    pub ctas: u32,
    /// Registers that have a value before the first step.
    pub inputs: Vec<Input>,
    /// How they get it. Constants are the same for all threads: there is one thread where some input is a constant.
    pub entrance: Entrance,
    /// Instructions.
    pub steps: Vec<Step>,
    /// Blocks of instructions, by their index.
    pub blocks: Vec<Block>,
    /// Initial memory: for each thread a window per space, in the order of [`Space::ALL`]; empty when no step accesses
    /// memory.
    pub memory: Vec<u8>,
    /// The image that is loaded from.
    pub source: Option<Image>,
    /// The image that is stored to.
    pub sink: Option<Image>,
    /// The texture that is sampled.
    pub picture: Option<Picture>,
    /// Variables that are loaded from or pointed to, by their index.
    pub tables: Vec<Table>,
    /// The bytes that all threads share; empty when no step accesses them.
    pub common: Vec<u8>,
}

impl Specimen {
    /// Most threads of a specimen.
    pub const MAX_THREADS: u32 = 64;

    /// Most threads of a specimen whose threads do not meet.
    pub const FEW_THREADS: u32 = 8;

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

    /// Removes the inputs, memory, images and variables that no step needs.
    pub fn prune(&mut self) {
        let mut read: Vec<Register> = self.steps.iter().flat_map(Step::reads).collect();
        read.extend(self.flow_reads());
        self.inputs.retain(|input| read.contains(&input.register));
        let steps = &self.steps;
        if steps.iter().all(|step| !matches!(step.shape, Shape::Contended { .. })) {
            self.common.clear();
        }
        if steps.iter().all(|step| step.space().is_none()) {
            self.memory.clear();
        }
        if steps.iter().all(|step| step.side() != Some(Side::Source)) {
            self.source = None;
        }
        if steps.iter().all(|step| step.side() != Some(Side::Sink)) {
            self.sink = None;
        }
        if steps.iter().all(|step| !step.is_of_picture()) {
            self.picture = None;
        }
        self.prune_tables();
    }

    /// Removes the variables that no step needs, and numbers the others anew.
    fn prune_tables(&mut self) {
        let mut kept = Vec::new();
        for step in &mut self.steps {
            let Some(table) = step.table_mut() else { continue };
            let place = kept.iter().position(|old| old == table).unwrap_or_else(|| {
                kept.push(*table);
                kept.len() - 1
            });
            *table = place as u32;
        }
        self.tables = kept.iter().filter_map(|old| self.tables.get(*old as usize).cloned()).collect();
    }
}

impl Specimen {
    /// The same program with its inputs given in another way; where some are constants, of its first thread.
    #[must_use]
    pub fn entering(mut self, entrance: Entrance) -> Self {
        if entrance != Entrance::Loaded {
            self.keep_thread(0);
        }
        self.entrance = entrance;
        self
    }

    /// The inputs that are loaded from the buffer `in`, in the order of their slots.
    pub(crate) fn loaded_inputs(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(|input| !self.entrance.is_immediate(input))
    }

    /// Keeps one thread, with its values.
    pub fn keep_thread(&mut self, thread: u32) {
        if self.threads == 1 {
            return;
        }
        let thread = thread as usize;
        for input in &mut self.inputs {
            input.values = vec![input.values[thread]];
        }
        if !self.memory.is_empty() {
            self.memory = self.memory[thread * Self::MEMORY_STRIDE..][..Self::MEMORY_STRIDE].to_vec();
        }
        (self.threads, self.ctas) = (1, 1);
    }

    /// The constants that instructions of SPA 5.0 read: each is a parameter of eight bytes.
    pub(crate) fn machine_constants(&self) -> impl Iterator<Item = i64> {
        let encoded = self.steps.iter().filter(|step| matches!(step.shape, Shape::Encoded { .. }));
        encoded.flat_map(|step| &step.sources).filter_map(|source| match source {
            Operand::Immediate(value) => Some(*value),
            Operand::Register(_) => None,
        })
    }

    /// The number of threads of a CTA.
    pub fn block(&self) -> u32 {
        self.threads / self.ctas
    }
}

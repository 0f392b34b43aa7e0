//! The instructions of a program of PTX before they are text or checked: an opcode, and operands by what they are.

use std::ops::Range;

use warpdiff_ptx::vocabulary::{SpecialRegister, Type};

use crate::image::Object;
use crate::specimen::{Class, Operand, Register, Side, Step, Taken};

/// A register beside those of the specimen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Helper {
    /// The number of the thread.
    Thread,
    /// A predicate on its way from or to memory.
    Word,
    /// This thread's record of the buffer `in`.
    In,
    /// This thread's record of the buffer `out`.
    Out,
    /// This thread's windows in the buffer `memory`.
    Memory,
    /// This thread's window of shared memory.
    Shared,
    /// Its window of local memory.
    Local,
    /// The generic address of [`Helper::Memory`].
    GenericMemory,
    /// The generic address of [`Helper::Shared`].
    GenericShared,
    /// The generic address of [`Helper::Local`].
    GenericLocal,
    /// The handle of the image that is loaded from, or the pointer to it.
    Source,
    /// The same of the image that is stored to.
    Sink,
    /// The same of the texture.
    Picture,
    /// The same of the sampler beside it.
    Sampler,
    /// The pointer to an array of opaque variables.
    Array,
    /// Bytes of a window on their way.
    Copy,
    /// The bytes behind them.
    Copy2,
    /// The bytes that all threads share.
    Common,
    /// The place of a thread in the array `exchange`.
    Exchange,
    /// The runs that remain of a loop.
    Count0,
    /// The runs that remain of a loop within a loop.
    Count1,
    /// The lanes of the warp that take part where not all do.
    Members,
    /// The number of the thread in its CTA.
    InBlock,
    /// Whether a branch that belongs to no step is taken.
    Flag,
}

impl Helper {
    /// Every helper with its name and its type, in the order of their declarations.
    pub(crate) const ALL: [(Self, &'static str, Type); 24] = [
        (Self::Thread, "%thread", Type::B32),
        (Self::Word, "%word", Type::B32),
        (Self::In, "%in", Type::B64),
        (Self::Out, "%out", Type::B64),
        (Self::Memory, "%memory", Type::B64),
        (Self::Shared, "%shared", Type::B64),
        (Self::Local, "%local", Type::B64),
        (Self::GenericMemory, "%generic_memory", Type::B64),
        (Self::GenericShared, "%generic_shared", Type::B64),
        (Self::GenericLocal, "%generic_local", Type::B64),
        (Self::Source, "%source", Type::B64),
        (Self::Sink, "%sink", Type::B64),
        (Self::Picture, "%picture", Type::B64),
        (Self::Sampler, "%sampler", Type::B64),
        (Self::Array, "%array", Type::B64),
        (Self::Copy, "%copy", Type::B64),
        (Self::Copy2, "%copy2", Type::B64),
        (Self::Common, "%common", Type::B64),
        (Self::Exchange, "%exchange", Type::B64),
        (Self::Count0, "%count0", Type::B32),
        (Self::Count1, "%count1", Type::B32),
        (Self::Members, "%members", Type::B32),
        (Self::InBlock, "%in_block", Type::B32),
        (Self::Flag, "%flag", Type::Pred),
    ];

    /// Its name, with the percent sign.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// The address of the buffer `in`.
    In,
    /// The address of the buffer `out`.
    Out,
    /// The address of the buffer `memory`.
    Memory,
    /// The handle of the image that is loaded from.
    Source,
    /// The handle of the image that is stored to.
    Sink,
    /// The handle of the texture.
    Picture,
    /// The address of the buffer `common`.
    Common,
    /// The sampler beside the texture.
    Sampler,
}

impl Parameter {
    /// Every parameter with its name, in their order.
    pub(crate) const ALL: [(Self, &'static str); 8] = [
        (Self::In, "in_address"),
        (Self::Out, "out_address"),
        (Self::Memory, "memory_address"),
        (Self::Source, "source_handle"),
        (Self::Sink, "sink_handle"),
        (Self::Picture, "picture_handle"),
        (Self::Common, "common_address"),
        (Self::Sampler, "sampler"),
    ];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

impl Object {
    /// The type of its variable.
    pub(crate) fn ty(self) -> Type {
        match self {
            Self::Image(_) => Type::Surfref,
            Self::Picture => Type::Texref,
            Self::Sampler => Type::Samplerref,
        }
    }

    /// The name of its variable or parameter, which is also that of the surface or texture in the launch.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Image(Side::Source) => "source",
            Self::Image(Side::Sink) => "sink",
            Self::Picture => "picture",
            Self::Sampler => "sampler",
        }
    }

    /// The register with its handle, or with a pointer to it.
    pub(crate) fn handle(self) -> Helper {
        match self {
            Self::Image(Side::Source) => Helper::Source,
            Self::Image(Side::Sink) => Helper::Sink,
            Self::Picture => Helper::Picture,
            Self::Sampler => Helper::Sampler,
        }
    }
}

/// An array that the kernel declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Windows {
    /// The windows of all threads in shared memory.
    Shared,
    /// The window in local memory.
    Local,
    /// A word of each thread in shared memory, by which threads that meet tell each other what they have.
    Exchange,
}

impl Windows {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared_windows",
            Self::Local => "local_window",
            Self::Exchange => "exchange",
        }
    }
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'p> {
    /// A register of the specimen.
    Own(Register),
    /// Another register.
    Helper(Helper),
    /// A decimal literal.
    Integer(i64),
    /// A hexadecimal literal.
    Bits(u64),
    /// `!%p1`
    Not(Register),
    /// `-%r1.h0`
    Piece(Register, Taken),
    /// `%tid.x`
    Special(SpecialRegister, u8),
    /// The place before an instruction.
    Label(Label),
    /// The list of places that an index chooses from.
    Targets(u8),
    /// `[source]`, `[%source]`
    Object {
        /// The object.
        object: Object,
        /// Whether a register stands for it.
        by_register: bool,
    },
    /// `[%in+8]`
    Address(Helper, usize),
    /// `[in_address]`
    Parameter(Parameter),
    /// `[table0+4]`: the number of the variable, and the byte.
    Table(u32, u32),
    /// The address of a variable, by its number.
    AddressOf(u32),
    /// The address of an array.
    Windows(Windows),
    /// The pointer to the variable or parameter that an object is.
    Pointer(Object),
    /// `{%copy, %copy2}`
    Copies,
    /// `{a, b, …}`
    Tuple(&'p [Operand]),
    /// `{a, b, …}`
    Results(&'p [Register]),
    /// `p|q`
    Pair(Register, Register),
    /// `[source, {x, y}]`, `[picture, sampler, {x, y}]`
    Texel {
        /// The object.
        object: Object,
        /// Whether a register stands for it.
        by_register: bool,
        /// Of the sampler beside it, if there is one, whether a register stands for it.
        sampler: Option<bool>,
        /// Coordinates.
        coordinates: &'p [Operand],
    },
}

impl<'p> Part<'p> {
    /// A register or literal of the specimen.
    pub(crate) fn of(operand: Operand) -> Self {
        match operand {
            Operand::Register(register) => Self::Own(register),
            Operand::Immediate(value) => Self::Integer(value),
        }
    }

    /// `!a`, if it is a predicate that is to be negated.
    pub(crate) fn negated(self, negated: bool) -> Self {
        match self {
            Self::Own(register) if negated && register.class == Class::Pred => Self::Not(register),
            other => other,
        }
    }

    /// What is taken of it, if it is a register.
    pub(crate) fn taken(self, taken: Taken) -> Self {
        match self {
            Self::Own(register) if taken != Taken::default() => Self::Piece(register, taken),
            other => other,
        }
    }

    /// `a` or `{a, b}`
    pub(crate) fn data(operands: &'p [Operand]) -> Self {
        match operands {
            [single] => Self::of(*single),
            _ => Self::Tuple(operands),
        }
    }

    /// `a` or `a|b`
    pub(crate) fn pair(registers: &'p [Register]) -> Self {
        match registers {
            [one, other] => Self::Pair(*one, *other),
            _ => Self::results(registers),
        }
    }

    /// The same of registers.
    pub(crate) fn results(registers: &'p [Register]) -> Self {
        match registers {
            [single] => Self::Own(*single),
            _ => Self::Results(registers),
        }
    }
}

/// A place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// The start of an arm of a block.
    Arm(u8, u8),
    /// Where a loop begins again.
    Again(u8),
    /// Behind a block.
    End(u8),
    /// Where those that wait in a step go, and where they meet the others.
    Waits(usize),
    /// Behind such a step.
    Met(usize),
}

impl Label {
    /// Its name.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Arm(block, arm) => format!("ARM{block}_{arm}"),
            Self::Again(block) => format!("AGAIN{block}"),
            Self::End(block) => format!("END{block}"),
            Self::Waits(step) => format!("WAITS{step}"),
            Self::Met(step) => format!("MET{step}"),
        }
    }
}

/// The predicate that guards an instruction, and the value it is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// One of the specimen.
    Own(Register, bool),
    /// [`Helper::Flag`]
    Flag(bool),
}

impl Guard {
    /// That of a step.
    pub(crate) fn of(step: &Step) -> Option<Self> {
        step.guard.map(|(register, sense)| Self::Own(register, sense))
    }
}

/// What takes the instructions of a program, in their order.
pub(crate) trait Instructions {
    /// Takes one, with what guards it, and answers where it stands in the text, if there is one.
    fn put(&mut self, guard: Option<Guard>, opcode: &str, operands: &[Part<'_>]) -> Range<usize>;

    /// The next instruction stands at that label.
    fn label(&mut self, label: Label);

    /// Declares the places that an index chooses from in the block of that number.
    fn targets(&mut self, block: u8, labels: &[Label]);

    /// Takes the call of the function that has the instruction of that step, and answers where the instruction stands.
    fn call(&mut self, step: &Step, index: usize) -> Range<usize>;
}

/// Takes instructions, and hands on the opcode of each with what guards it.
pub(crate) struct EachOpcode<F>(pub(crate) F);

impl<F: FnMut(Option<Guard>, &str)> Instructions for EachOpcode<F> {
    fn put(&mut self, guard: Option<Guard>, opcode: &str, _: &[Part<'_>]) -> Range<usize> {
        (self.0)(guard, opcode);
        0..0
    }

    fn label(&mut self, _: Label) {}

    fn targets(&mut self, _: u8, _: &[Label]) {}

    fn call(&mut self, _: &Step, _: usize) -> Range<usize> {
        0..0
    }
}

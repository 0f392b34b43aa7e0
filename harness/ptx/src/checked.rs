//! A checked module: names resolved, forms legal, variables laid out. The emulator decodes it.
//!
//! Indices ([`RegisterId`], [`VariableId`], [`FunctionId`]) point into the vectors of [`Module`] and [`Function`].

use std::ops::Range;

pub use ecow::EcoString;
use warpdiff_model::Deviation;

use crate::ast::Linkage;
pub use crate::short_list::ShortList;
use crate::source::Span;
use crate::vocabulary::{Modifier, Opcode, Space, SpecialRegister, Type};

/// Index into [`Function::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterId(pub u32);
/// Index into [`Module::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);
/// Index into [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A module that passed every check.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// `.version` major and minor.
    pub version: (u32, u32),
    /// The first `.target`, as a number: 50, 90.
    pub target: u32,
    /// `.target … texmode_independent`.
    pub texmode_independent: bool,
    /// `.address_size` in bits: 32 or 64.
    pub address_size: u32,
    /// Every variable with an address, of module and function scope (function-scope `.param` variables too).
    pub variables: Vec<Variable>,
    /// Every function, declared or defined, in order of first appearance.
    pub functions: Vec<Function>,
    /// Where the assembler gives variables other contents than the specification, in source order. The program is
    /// legal, but its author should know.
    pub deviations: Vec<(Deviation, Span)>,
}

/// A variable with an address (not a register).
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name as written; names of different scopes may coincide.
    pub name: String,
    /// State space: `Const`, `Global`, `Local`, `Shared` or `Param`.
    pub space: Space,
    /// Element type.
    pub ty: Type,
    /// Elements of a vector type: 1, 2 or 4.
    pub vector: u32,
    /// Array dimensions, outermost first; empty for a scalar or vector. An `.extern` array `[]` has a first dimension of 0.
    pub dimensions: Vec<u64>,
    /// Alignment in bytes: the natural one of its type, or that of `.align` if it is larger.
    pub align: u64,
    /// The alignment in bytes that `.align` states, if it is less than the natural one; otherwise `align`. "The
    /// variable will be aligned to an address which is an integer multiple of byte-count" (PTX ISA 5.4.5) promises no
    /// more.
    pub least_align: u64,
    /// Size in bytes.
    pub size: u64,
    /// `.extern`.
    pub external: bool,
    /// Its linkage directive, `.extern` included.
    pub linkage: Option<Linkage>,
    /// `.attribute(.managed)`.
    pub managed: bool,
    /// `.attribute(.unified(…))`.
    pub unified: bool,
    /// Initial contents by the specification, `size` bytes (zero where not initialised), of an initialised `.global` or
    /// `.const` variable; empty otherwise.
    pub initial: Vec<u8>,
    /// Whether there is an explicit initial value, even zero; an empty list is none.
    pub valued: bool,
    /// Addresses to be added into `initial`.
    pub relocations: Vec<Relocation>,
    /// Ranges of bytes of `initial` that the specification leaves undefined.
    pub undefined: Vec<Range<u64>>,
    /// The contents that the assembler emits, where they deviate from the specification.
    pub emitted: Option<Box<Image>>,
    /// Initial values of the members of an opaque variable, the last one for each member; empty for other variables.
    pub members: Vec<Member>,
    /// Deviations of the assembler that this variable shows.
    pub deviations: Vec<Deviation>,
    /// The function whose body declares it; `None` at module scope.
    pub scope: Option<FunctionId>,
    /// Its position in the order in which the assembler creates variables. As observed (ptxas 11.8 to 13.5), it creates
    /// a member of `v<N>` at its first use, as it does with registers, and never creates an unused one; it creates
    /// other variables after reading their statement.
    pub made: Option<u32>,
    /// Its declaration.
    pub span: Span,
}

impl Variable {
    /// A variable of module scope without linkage, attributes and initial value: a scalar of that size, with that alignment.
    pub fn plain(name: &str, space: Space, ty: Type, size: u64, align: u64) -> Self {
        Self {
            name: name.to_owned(),
            space,
            ty,
            vector: 1,
            dimensions: Vec::new(),
            align,
            least_align: align,
            size,
            external: false,
            linkage: None,
            managed: false,
            unified: false,
            initial: Vec::new(),
            valued: false,
            relocations: Vec::new(),
            undefined: Vec::new(),
            emitted: None,
            members: Vec::new(),
            deviations: Vec::new(),
            scope: None,
            made: None,
            span: Span::default(),
        }
    }

    /// Whether it is an opaque object: a texture, sampler or surface. (An array of opaque type is plain memory.)
    pub fn is_opaque(&self) -> bool {
        self.ty.is_opaque() && self.dimensions.is_empty()
    }
}

/// Initial contents of a variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// Contents; zero where an address is added.
    pub bytes: Vec<u8>,
    /// Addresses to be added.
    pub relocations: Vec<Relocation>,
    /// Ranges of bytes that differ between runs of the assembler, or that the specification leaves undefined.
    pub undefined: Vec<Range<u64>>,
    /// Whether there is any value.
    pub any: bool,
}

/// A member of an opaque variable with its initial value (PTX ISA 5.3).
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// `filter_mode`
    pub name: &'static str,
    /// Its value.
    pub value: MemberValue,
}

/// The value of a member of an opaque variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MemberValue {
    /// `linear`
    Enumerator(&'static str),
    /// An integer.
    Integer(u64),
    /// A floating-point literal, which the specification allows for no member: the bits of a binary64, or of a `0f`
    /// literal.
    Float(u64),
}

/// An address inside the initial contents of a variable: `width` bytes of `((symbol + addend) >> shift)` at `offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Relocation {
    /// Byte offset in the initial contents.
    pub offset: u64,
    /// Bytes written: 1 (with `mask()`), 4 or 8.
    pub width: u32,
    /// Right shift in bits: 0, or 0…56 with `mask()`.
    pub shift: u32,
    /// The symbol whose address is written.
    pub symbol: RelocationSymbol,
    /// Whether the address is generic (`generic(x)`, or implicitly before PTX 3.1) rather than an offset in its space.
    pub generic: bool,
    /// Whether it is generic without `generic()`, as before PTX 3.1.
    pub implicit: bool,
    /// Added to the address.
    pub addend: i64,
    /// Whether `width` bytes can hold every such address. If not, the specification leaves them undefined
    /// ([`Variable::undefined`]).
    pub fits: bool,
}

/// The symbol of an address in an initialiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationSymbol {
    /// A `.global` or `.const` variable.
    Variable(VariableId),
    /// A function or kernel.
    Function(FunctionId),
}

/// A function or kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// `.entry` (a kernel) as opposed to `.func`.
    pub entry: bool,
    /// Return parameters of a `.func` (in space `Param`, or `Reg` for the old register form).
    pub returns: Vec<Parameter>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Whether it is only declared, not defined.
    pub external: bool,
    /// `.noreturn`.
    pub noreturn: bool,
    /// `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// `.maxntid`.
    pub max_threads: Option<[u32; 3]>,
    /// Registers of all scopes.
    pub registers: Vec<Register>,
    /// Instructions in order.
    pub body: Vec<Instruction>,
    /// Branch targets of `brx.idx` (`.branchtargets`): each list holds indices into `body`.
    pub branch_targets: Vec<Vec<u32>>,
    /// `.callprototype` lists of indirect calls.
    pub prototypes: Vec<Prototype>,
    /// Its declaration.
    pub span: Span,
}

impl Function {
    /// A function without parameters, directives, registers or instructions.
    pub const fn bare(name: String, entry: bool, external: bool, span: Span) -> Self {
        Self {
            name,
            entry,
            returns: Vec::new(),
            parameters: Vec::new(),
            external,
            noreturn: false,
            required_threads: None,
            max_threads: None,
            registers: Vec::new(),
            body: Vec::new(),
            branch_targets: Vec::new(),
            prototypes: Vec::new(),
            span,
        }
    }
}

/// A signature named by `.callprototype`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// Return parameters.
    pub returns: Vec<Parameter>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name; empty for `_`.
    pub name: String,
    /// The variable of the parameter inside the function; `None` for a register parameter, a prototype, or a
    /// declaration without body.
    pub variable: Option<VariableId>,
    /// The register of the parameter, in the old register form.
    pub register: Option<RegisterId>,
    /// Element type; may be opaque (`.param .surfref`).
    pub ty: Type,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Byte offset in the parameter block of a kernel.
    pub offset: u64,
}

/// A register.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// Name with its prefix: `%r3`, `p`.
    pub name: EcoString,
    /// Type.
    pub ty: Type,
    /// Elements of a vector register: 1, 2 or 4.
    pub vector: u32,
}

/// The subject of an instruction: it selects the table of forms and the part of the emulator that decodes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Integer arithmetic.
    Integer,
    /// Video instructions: arithmetic on parts of registers.
    Video,
    /// Bit fields, logic, shifts and permutations.
    Logic,
    /// Comparison and selection.
    Comparison,
    /// Floating-point arithmetic.
    Float,
    /// Moves and conversions.
    Conversion,
    /// Loads, stores, atomics, fences and address instructions.
    Memory,
    /// Branches, calls and exits.
    Control,
    /// Barriers, votes and shuffles.
    Warp,
    /// Surfaces, and queries of surfaces and textures.
    Surface,
    /// Texture lookups.
    Texture,
}

/// The modifiers of an instruction. No form has more than six.
pub type Modifiers = ShortList<Modifier, 7>;
/// The state spaces of an instruction. No form has more than one.
pub type Spaces = ShortList<Space, 3>;
/// The types of an instruction. No form has more than three.
pub type Types = ShortList<Type, 3>;

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Its subject. One opcode may have several: `add` of integers, and of floating-point numbers.
    pub subject: Subject,
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// Opcode.
    pub opcode: Opcode,
    /// Modifiers in the order written.
    pub modifiers: Modifiers,
    /// State spaces among the modifiers, in the order written (`cvta.to.global`, `ld.shared`; `shared::cta` counts as
    /// `Shared` here and is in `modifiers` too).
    pub spaces: Spaces,
    /// Types among the modifiers, in the order written: `cvt.u32.f32` has `[U32, F32]`.
    pub types: Types,
    /// Operands in the order written. `p|q` is two operands in one [`Operand::Pair`].
    pub operands: Vec<Operand>,
    /// From the guard or opcode to the semicolon.
    pub span: Span,
}

impl Instruction {
    /// Whether the instruction has this modifier.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.contains(&modifier)
    }
}

/// The predicate of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub register: RegisterId,
    /// `@!p`.
    pub negated: bool,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, or `!p` for a negated predicate source.
    Register {
        /// The register.
        id: RegisterId,
        /// `!p`.
        negated: bool,
    },
    /// A register of a video instruction, or the byte or half of it that is named, with a sign: `%r.b3`, `-%r.h1`, `-%r`.
    Part {
        /// The register.
        id: RegisterId,
        /// Position of the lowest bit.
        low: u32,
        /// Number of bits: 8, 16 or 32.
        width: u32,
        /// `-` before it.
        negated: bool,
    },
    /// A component of a vector register: `%v.x`.
    Component {
        /// The vector register.
        id: RegisterId,
        /// 0 to 3.
        component: u32,
    },
    /// `_`
    Sink,
    /// A constant.
    Immediate(Immediate),
    /// A special register, with its component (0 when it has none).
    Special {
        /// The register.
        register: SpecialRegister,
        /// 0 to 3 for x, y, z, w.
        component: u32,
    },
    /// `{a, b, …}`
    Vector(Vec<Operand>),
    /// `p|q`
    Pair(Box<Operand>, Box<Operand>),
    /// `[…]`: a memory address.
    Address {
        /// Base.
        base: AddressBase,
        /// Bytes added.
        offset: i64,
        /// `[a].unified`: a load of a variable with that attribute.
        unified: bool,
    },
    /// `[surface, coordinates]`; for `tex` with a separate sampler also `[texture, sampler, coordinates]`.
    Opaque {
        /// Surface or texture.
        object: OpaqueBase,
        /// Sampler of independent mode.
        sampler: Option<OpaqueBase>,
        /// Coordinates; a bare operand is one element. Empty for `suq` and `txq`.
        coordinates: Vec<Operand>,
        /// Whether the coordinates were written without braces.
        bare: bool,
    },
    /// The address of a variable in `mov`, plus bytes: `mov.u64 %rd, var+4`.
    VariableAddress {
        /// The variable.
        variable: VariableId,
        /// Bytes added.
        offset: i64,
    },
    /// A register and bytes added, in `mov` as ptxas reads it: `mov.u64 %rd, %rs+8`.
    RegisterSum {
        /// The register.
        id: RegisterId,
        /// Added.
        offset: i64,
    },
    /// The address of a function in `mov`.
    FunctionAddress(FunctionId),
    /// A branch target: index into [`Function::body`] (may equal its length, the end of the body).
    Label(u32),
    /// Index into [`Function::branch_targets`].
    BranchTargets(u32),
    /// A call: `call (returns), callee, (arguments), prototype`.
    Call(Box<CallOperands>),
}

/// Operands of `call`.
#[derive(Clone, Debug, PartialEq)]
pub struct CallOperands {
    /// Destinations of the return values: `.param` variables or registers.
    pub returns: Vec<CallArgument>,
    /// The callee.
    pub callee: Callee,
    /// Arguments.
    pub arguments: Vec<CallArgument>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallArgument {
    /// A `.param` variable of the caller.
    Variable(VariableId),
    /// A register, by value.
    Register(RegisterId),
    /// A constant, by value.
    Immediate(Immediate),
}

/// The callee of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A function.
    Function(FunctionId),
    /// The function whose address is in the register; `prototype` is an index into [`Function::prototypes`].
    Indirect {
        /// Register.
        register: RegisterId,
        /// Prototype.
        prototype: u32,
    },
}

/// Base of a memory address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    /// A register, 32 or 64 bits.
    Register(RegisterId),
    /// A variable.
    Variable(VariableId),
    /// `[imm]`: the offset alone.
    Absolute,
}

/// A surface, texture or sampler operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpaqueBase {
    /// A 64-bit register: a bindless handle or a pointer to an opaque variable.
    Register(RegisterId),
    /// An opaque variable at module scope, or an opaque kernel parameter.
    Variable(VariableId),
}

/// A constant operand, as its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Immediate {
    /// An integer constant expression: 64 bits, signed or unsigned by the rules of PTX.
    Integer {
        /// The bits.
        bits: u64,
        /// Set by a `U` suffix, and for a literal too large for a signed 64-bit integer.
        unsigned: bool,
    },
    /// `0f…`: the bits of a binary32.
    Float32(u32),
    /// `0d…` or a decimal literal: the bits of a binary64.
    Float64(u64),
}

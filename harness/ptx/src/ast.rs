//! The syntax tree as the parser builds it: every node has its source span, and no name is resolved yet.
//!
//! The tree loses only white space and comments: [`crate::print`] gives back the same tokens. Lists of words, operands and
//! expressions lie in pools of the [`Module`], so an instruction needs no allocation of its own. A function body is a flat
//! list in which `{` and `}` are statements, so nested blocks need no recursion.

use crate::lexer::{Kind, Lexer};
use crate::source::Span;
use crate::vocabulary::{Opcode, Space, Type};
pub use crate::word_kind::WordKind;

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The source text; names are spans of it.
    pub text: Box<str>,
    /// Items in order.
    pub items: Vec<Item>,
    /// Pool of instruction words.
    pub words: Vec<Word>,
    /// Pool of operands.
    pub operands: Vec<Operand>,
    /// Pool of constant expressions: the operands of an expression come before it.
    pub expressions: Vec<Expression>,
    /// Integer literals of more than 64 bits; their value is the low 64. The checker refuses them by the specification.
    pub long_literals: Vec<Span>,
    /// Decimal literals with a subnormal binary64 value; the checker refuses them as the assembler does.
    pub subnormal_literals: Vec<Span>,
    /// Semicolons that end no statement; the checker refuses them as the assembler does.
    pub empty_statements: Vec<Span>,
}

impl Module {
    /// The source text of a span.
    pub fn text_of(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The operands of a list.
    pub fn operands_of(&self, list: List) -> &[Operand] {
        self.operands.get(list.range()).unwrap_or(&[])
    }

    /// The words of a list.
    pub fn words_of(&self, list: List) -> &[Word] {
        self.words.get(list.range()).unwrap_or(&[])
    }

    /// Whether both modules have the same tokens, apart from white space, comments and semicolons. Equal tokens give
    /// equal trees, because the parser depends on the tokens alone; semicolons only end statements, and an empty
    /// statement means nothing.
    pub fn same_as(&self, other: &Self) -> bool {
        let next = |lexer: &mut Lexer<'_>| loop {
            let token = lexer.next();
            if token.kind != Kind::Semicolon {
                return token;
            }
        };
        let (mut ours, mut theirs) = (Lexer::new(&self.text), Lexer::new(&other.text));
        loop {
            let (a, b) = (next(&mut ours), next(&mut theirs));
            if a.kind != b.kind || self.text_of(a.span) != other.text_of(b.span) {
                return false;
            }
            if a.kind == Kind::End {
                return true;
            }
        }
    }
}

impl PartialEq for Module {
    fn eq(&self, other: &Self) -> bool {
        self.same_as(other)
    }
}

/// A range of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// First index.
    pub start: u32,
    /// One past the last index.
    pub end: u32,
}

impl List {
    /// The range of indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Number of indices.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the range is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A directive or definition at module scope.
#[derive(Clone, Debug)]
pub enum Item {
    /// `.version 8.8`
    Version {
        /// Major version, before the dot.
        major: u32,
        /// Minor version, after the dot.
        minor: u32,
        /// Whole directive.
        span: Span,
    },
    /// `.target sm_90, texmode_independent`
    Target {
        /// Words of the directive.
        words: Vec<Span>,
        /// Whole directive.
        span: Span,
    },
    /// `.address_size 64`
    AddressSize {
        /// 32 or 64; the checker refuses any other value.
        bits: u64,
        /// Whole directive.
        span: Span,
    },
    /// A variable declaration.
    Declaration(Declaration),
    /// A function or kernel.
    Function(Box<Function>),
    /// `.alias new, old;`
    Alias {
        /// New name.
        name: Span,
        /// The function it is an alias of.
        target: Span,
        /// Whole directive.
        span: Span,
    },
    /// `.file`, `.pragma`: kept as written.
    Raw(Span),
    /// `.section name { … }`: kept as written.
    Section(Span),
}

/// `.extern`, `.visible`, `.weak`, `.common`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the directive it is named after")]
pub enum Linkage {
    Extern,
    Visible,
    Weak,
    Common,
}

/// A declaration: `.global .align 4 .v2 .f32 a[2], b = 1;`. Also a parameter, with one declarator.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Linkage directives as written; the checker refuses more than one.
    pub linkage: Vec<(Linkage, Span)>,
    /// State space.
    pub space: Space,
    /// `.shared::cta` and the like, as written.
    pub space_span: Span,
    /// `[2]` of `.const[2]`.
    pub bank: Option<Span>,
    /// `.align` values as written.
    pub aligns: Vec<(Constant, Span)>,
    /// `.attribute(…)` entries.
    pub attributes: Vec<Attribute>,
    /// Vector elements: 2 or 4 with `.v2` or `.v4`, otherwise 1.
    pub vector: u32,
    /// Element type.
    pub ty: Type,
    /// Source span of the type.
    pub ty_span: Span,
    /// `.ptr` of a kernel parameter.
    pub pointer: Option<Pointer>,
    /// The declared names; none in `.global .u32;`, which the checker refuses.
    pub declarators: Vec<Declarator>,
    /// From the first directive to the semicolon.
    pub span: Span,
}

/// `.ptr .global .align 16`
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    /// State space of the pointer's target.
    pub space: Option<Space>,
    /// `.texref` and the like in place of a space.
    pub opaque: Option<Span>,
    /// Alignment promised.
    pub align: Option<Constant>,
}

/// An entry of `.attribute(…)`.
#[derive(Clone, Copy, Debug)]
pub enum Attribute {
    /// `.managed`
    Managed(Span),
    /// `.unified(high, low)`
    Unified(Span),
}

impl Attribute {
    /// Source span.
    pub fn span(self) -> Span {
        match self {
            Self::Managed(span) | Self::Unified(span) => span,
        }
    }
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Name; `_` in prototypes.
    pub name: Span,
    /// `<N>`
    pub count: Option<Constant>,
    /// `[n]` or `[]` for each dimension, outermost first.
    pub dimensions: Vec<Dimension>,
    /// `= …`
    pub initializer: Option<Initializer>,
    /// From the name to the end of the initialiser.
    pub span: Span,
}

/// `[n]` or `[]`
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// The extent.
    pub extent: Option<Constant>,
    /// Source span, with brackets.
    pub span: Span,
}

/// An initialiser, without its `=`.
#[derive(Clone, Debug)]
pub struct Initializer {
    /// Its parts in order.
    pub parts: Vec<InitializerPart>,
    /// Source span.
    pub span: Span,
}

/// A part of an initialiser. The commas between list elements are not parts.
#[derive(Clone, Copy, Debug)]
pub enum InitializerPart {
    /// `{`
    Open(Span),
    /// `}`
    Close(Span),
    /// A value.
    Value(Constant),
    /// `member = value` of an opaque type.
    Member {
        /// Member.
        name: Span,
        /// Value; an enumerator is an expression that is a name.
        value: Constant,
    },
}

/// A function or kernel.
#[derive(Clone, Debug)]
pub struct Function {
    /// Linkage directives as written.
    pub linkage: Vec<(Linkage, Span)>,
    /// `.entry`
    pub entry: bool,
    /// `.attribute(…)` entries.
    pub attributes: Vec<Attribute>,
    /// Return parameters, `None` without parentheses.
    pub returns: Option<Vec<Declaration>>,
    /// Name.
    pub name: Span,
    /// Parameters, `None` without parentheses.
    pub parameters: Option<Vec<Declaration>>,
    /// `.maxntid` and friends, `.noreturn`, `.pragma`.
    pub directives: Vec<FunctionDirective>,
    /// `None` for a declaration without a body.
    pub body: Option<Vec<Statement>>,
    /// From the first directive to the end of the head.
    pub span: Span,
}

/// The kinds of function directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the directive it is named after")]
pub enum FunctionDirectiveKind {
    Maxntid,
    Reqntid,
    Minnctapersm,
    Maxnctapersm,
    Maxnreg,
    Noreturn,
    Pragma,
    Explicitcluster,
    Reqnctapercluster,
    Maxclusterrank,
    AbiPreserve,
    AbiPreserveControl,
}

impl FunctionDirectiveKind {
    /// Every directive with its spelling.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::Maxntid, "maxntid"),
        (Self::Reqntid, "reqntid"),
        (Self::Minnctapersm, "minnctapersm"),
        (Self::Maxnctapersm, "maxnctapersm"),
        (Self::Maxnreg, "maxnreg"),
        (Self::Noreturn, "noreturn"),
        (Self::Pragma, "pragma"),
        (Self::Explicitcluster, "explicitcluster"),
        (Self::Reqnctapercluster, "reqnctapercluster"),
        (Self::Maxclusterrank, "maxclusterrank"),
        (Self::AbiPreserve, "abi_preserve"),
        (Self::AbiPreserveControl, "abi_preserve_control"),
    ];

    /// The directive with that spelling, without the dot.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, spelling)| *spelling == text).map(|(kind, _)| *kind)
    }
}

/// `.maxntid 16, 4` and the like.
#[derive(Clone, Debug)]
pub struct FunctionDirective {
    /// Kind of directive.
    pub kind: FunctionDirectiveKind,
    /// Its numbers, in order.
    pub values: Vec<Constant>,
    /// Whole directive.
    pub span: Span,
}

/// A statement of a function body.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `{`
    Open(Span),
    /// `}`
    Close(Span),
    /// `name:`
    Label(Span),
    /// An instruction.
    Instruction(Instruction),
    /// A declaration.
    Declaration(Box<Declaration>),
    /// `.loc`, `.pragma`, `.file`: kept as written.
    Raw(Span),
    /// `name: .branchtargets a, b;`
    BranchTargets {
        /// Label of the list.
        label: Span,
        /// Labels in it.
        targets: List,
        /// Whole statement.
        span: Span,
    },
    /// `name: .calltargets f, g;`
    CallTargets {
        /// Label of the list.
        label: Span,
        /// Functions in it.
        targets: List,
        /// Whole statement.
        span: Span,
    },
    /// `name: .callprototype (…) _ (…);`
    CallPrototype(Box<CallPrototype>),
}

/// `name: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;`
#[derive(Clone, Debug)]
pub struct CallPrototype {
    /// Label.
    pub label: Span,
    /// Return parameters, `None` without parentheses.
    pub returns: Option<Vec<Declaration>>,
    /// The name in the middle, `_`.
    pub name: Span,
    /// Parameters, `None` without parentheses.
    pub parameters: Option<Vec<Declaration>>,
    /// `.noreturn`, `.abi_preserve`.
    pub directives: Vec<FunctionDirective>,
    /// Whole statement.
    pub span: Span,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// `@p`
    pub guard: Option<Guard>,
    /// Opcode.
    pub opcode: Opcode,
    /// Source span of the opcode.
    pub opcode_span: Span,
    /// Words after the opcode, in [`Module::words`].
    pub words: List,
    /// Operands, in [`Module::operands`].
    pub operands: List,
    /// From guard or opcode to the semicolon.
    pub span: Span,
}

/// `@p`, `@!p`
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// The register.
    pub name: Span,
    /// `!`
    pub negated: bool,
}

/// A word of an instruction; its span includes the dot.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Kind of word.
    pub kind: WordKind,
    /// Source span.
    pub span: Span,
}

/// An operand. Its children, if any, lie in [`Module::operands`].
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// A name.
    Name(Span),
    /// `_`
    Sink(Span),
    /// `%tid.x`, `%v.w`, `%v.r`
    Component {
        /// The name before the dot.
        name: Span,
        /// The word after it, with the dot.
        component: Span,
    },
    /// `!p`: the name.
    Negated(Span),
    /// `-%r`, `-%r.h1`: a register of a video instruction with a minus sign.
    Minus {
        /// The register.
        name: Span,
        /// The word after it, with the dot.
        component: Option<Span>,
    },
    /// `name+4`: the name and the constant after the plus sign.
    Offset {
        /// Name.
        name: Span,
        /// The added constant.
        offset: Constant,
    },
    /// A constant.
    Constant(Constant),
    /// `{a, b}`, `{a, b}|p`
    Vector {
        /// Elements.
        items: List,
        /// The predicate behind it, for whether the texels are resident.
        resident: Option<Span>,
        /// Source span, with braces.
        span: Span,
    },
    /// `p|q`: two operands.
    Pair {
        /// Both operands.
        items: List,
        /// Source span of both operands.
        span: Span,
    },
    /// `[a, …]`, `[a].unified`
    Bracket {
        /// Elements.
        items: List,
        /// `.unified` after the brackets.
        unified: Option<Span>,
        /// Source span, with brackets.
        span: Span,
    },
    /// `a[1]`, `a[%r+1]`: the name, and the one operand between the brackets.
    Element {
        /// Name of the array.
        name: Span,
        /// The index.
        index: List,
        /// Source span, with brackets.
        span: Span,
    },
    /// `(a, b)` of a call.
    Group {
        /// Elements.
        items: List,
        /// Source span, with parentheses.
        span: Span,
    },
}

impl Operand {
    /// Source span.
    pub fn span(&self) -> Span {
        match *self {
            Self::Name(span) | Self::Sink(span) => span,
            Self::Component { name, component } => name.to(component),
            Self::Negated(name) => Span { start: name.start.saturating_sub(1), end: name.end },
            Self::Minus { name, component } => {
                let end = component.map_or(name.end, |component| component.end);
                Span { start: name.start.saturating_sub(1), end }
            }
            Self::Offset { name, offset } => name.to(offset.span),
            Self::Constant(constant) => constant.span,
            Self::Vector { span, .. }
            | Self::Pair { span, .. }
            | Self::Bracket { span, .. }
            | Self::Element { span, .. }
            | Self::Group { span, .. } => span,
        }
    }
}

/// A constant expression.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its value, or the expression.
    pub value: ConstantValue,
    /// Source span.
    pub span: Span,
}

/// A literal, or an expression still to be evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstantValue {
    /// An integer literal, possibly with a minus sign.
    Integer {
        /// 64 bits, two's complement.
        bits: u64,
        /// Set by a `U` suffix, and for a decimal literal too large for a signed integer.
        unsigned: bool,
    },
    /// `0f…`
    Float32(u32),
    /// `0d…`, or a decimal literal, possibly with a minus sign: the bits of a binary64.
    Float64(u64),
    /// Index into [`Module::expressions`].
    Expression(u32),
}

/// A node of a constant expression.
#[derive(Clone, Copy, Debug)]
pub struct Expression {
    /// The operation.
    pub kind: ExpressionKind,
    /// Source span.
    pub span: Span,
}

/// The operation of a node of a constant expression. Operands are indices into [`Module::expressions`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A literal; never [`ConstantValue::Expression`].
    Literal(ConstantValue),
    /// A name.
    Name,
    /// `WARP_SZ`
    WarpSize,
    /// `-a`
    Unary(Unary, u32),
    /// `a + b`
    Binary(Binary, u32, u32),
    /// `a ? b : c`
    Conditional(u32, u32, u32),
    /// `(.s64) a`, `(.u64) a`
    Cast {
        /// Whether the target type is `.u64`.
        unsigned: bool,
        /// The expression to cast.
        operand: u32,
    },
    /// `generic(a)`
    Generic(u32),
    /// `0xFF00(a)`
    Mask(u64, u32),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the C operator")]
pub enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the C operator")]
pub enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}

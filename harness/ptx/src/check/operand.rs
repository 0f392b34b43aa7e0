//! Operands in general: which names they may use, and whether their kind and type suit the instruction.

use std::fmt::Display;

use super::agreement::Width;
use super::constant::Value;
use super::forms::{Pattern, Role, TypeOf, special};
use super::function::Label;
use super::scope::{Found, Symbol};
use super::words::Words;
use super::{Checked, Checker};
use crate::ast::{Constant, List, Operand as Written};
use crate::checked::{FunctionId, Immediate, Operand, RegisterId, VariableId};
use crate::source::Span;
use crate::vocabulary::{Opcode, Space, SpecialRegister, Type};

/// Special registers of the ISA that this project does not model.
const UNMODELLED_SPECIAL: &[&str] = &[
    "envreg",
    "pm",
    "reserved_smem_offset",
    "reserved_smem_offset_begin",
    "reserved_smem_offset_end",
    "reserved_smem_offset_cap",
    "clusterid",
    "nclusterid",
    "cluster_ctaid",
    "cluster_nctaid",
    "cluster_ctarank",
    "cluster_nctarank",
    "is_explicit_cluster",
    "aggr_smem_size",
    "current_graph_exec",
];

/// A resolved operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Resolved {
    Register { id: RegisterId, ty: Type, vector: u32, negated: bool },
    Component { id: RegisterId, component: u32, ty: Type },
    Special { register: SpecialRegister, component: u32 },
    Sink,
    Constant(Value),
    Variable { id: VariableId, offset: i64 },
    Function(FunctionId),
    Vector(List),
    Pair(List),
    Bracket(List),
    Group,
}

impl<'t> Checker<'t> {
    /// Resolves a name; creates the register if it is an unused member of a range.
    pub(super) fn name(&mut self, span: Span) -> Checked<Resolved> {
        let name = self.text_of(span);
        match self.named(name) {
            Some(Found::Symbol(Symbol::Register(id))) => {
                let (ty, vector) = self.register(id);
                Ok(Resolved::Register { id, ty, vector, negated: false })
            }
            Some(Found::Symbol(Symbol::Variable(id))) => Ok(Resolved::Variable { id, offset: 0 }),
            Some(Found::Symbol(Symbol::Function(id))) => Ok(Resolved::Function(id)),
            Some(Found::Fresh(fresh)) => {
                let range = fresh.range;
                let id = self.new_register(name, range.ty, range.vector);
                self.scopes.remember(fresh, id);
                Ok(Resolved::Register { id, ty: range.ty, vector: range.vector, negated: false })
            }
            None => self.special(span, None),
        }
    }

    /// `%tid.x`, `%laneid`.
    fn special(&mut self, span: Span, component: Option<u32>) -> Checked<Resolved> {
        let name = self.text_of(span);
        let Some(bare) = name.strip_prefix('%') else {
            return self.fail(span, format!("`{name}` is not declared"));
        };
        let Some(register) = SpecialRegister::from_text(bare) else {
            if is_unmodelled_special(bare) {
                if bare.starts_with("reserved_smem_offset") {
                    self.gate(span, format_args!("`{name}`"), 76, 80)?;
                }
                return self.unchecked(span, format!("special register `{name}`"));
            }
            return self.fail(span, format!("`{name}` is not declared"));
        };
        let (version, target) = special::introduced(register);
        self.gate(span, format_args!("`{name}`"), version, target)?;
        let three = matches!(
            register,
            SpecialRegister::Tid | SpecialRegister::Ntid | SpecialRegister::Ctaid | SpecialRegister::Nctaid
        );
        match (three, component) {
            (true, None) if !self.by_assembler() => {
                self.unsupported(span, format!("`{name}` as a whole vector"))
            }
            // The assembler takes it in `mov.v4` alone, see `mov_source`.
            (true, None) => self.fail_expected(
                span,
                format!("`{name}` as a whole vector"),
                format!("one of its components, as in `{name}.x`"),
            ),
            (false, Some(_)) => self.fail(span, format!("`{name}` has no components")),
            // The fourth component of `%tid` and friends reads as zero.
            _ => Ok(Resolved::Special { register, component: component.unwrap_or(0) }),
        }
    }

    fn component(&mut self, name: Span, component: Span) -> Checked<Resolved> {
        let index = match &self.text_of(component)[1..] {
            "x" | "r" => 0,
            "y" | "g" => 1,
            "z" | "b" => 2,
            "w" | "a" => 3,
            other => {
                return self.fail_expected(
                    component,
                    format!("unknown component `.{other}`"),
                    "`.x`, `.y`, `.z` or `.w`",
                );
            }
        };
        if self.scopes.look_up(self.text_of(name)).is_none() {
            return self.special(name, Some(index));
        }
        match self.name(name)? {
            Resolved::Register { vector: 1, .. } => self.fail_expected(
                component,
                format!("`{}` is no vector", self.text_of(name)),
                "a scalar's name alone",
            ),
            Resolved::Register { id, ty, vector, .. } if index < vector => {
                Ok(Resolved::Component { id, component: index, ty })
            }
            // As observed: the assembler does not count the elements of a vector of two.
            Resolved::Register { .. } if self.by_assembler() => self.unsupported(
                component,
                format!("element {} of `{}`, which has fewer", index + 1, self.text_of(name)),
            ),
            Resolved::Register { vector, .. } => {
                self.fail(component, format!("`{}` has {vector} elements", self.text_of(name)))
            }
            _ => self.fail_expected(
                name,
                format!("`{}` has no components", self.text_of(name)),
                "a vector register",
            ),
        }
    }

    /// The meaning of a name. Creates the variable if it is an unused member of `v<N>`.
    pub(super) fn named(&mut self, name: &'t str) -> Option<Found<'t>> {
        let found = self.scopes.look_up(name);
        if let Some(Found::Symbol(Symbol::Variable(id))) = found
            && self.out.variables[id.0 as usize].made.is_none()
        {
            self.out.variables[id.0 as usize].made = Some(self.made());
        }
        found
    }

    /// Resolves an operand, independently of its role.
    pub(super) fn resolve(&mut self, operand: &Written) -> Checked<Resolved> {
        match *operand {
            Written::Name(span) => self.name(span),
            Written::Sink(_) => Ok(Resolved::Sink),
            Written::Component { name, component } => self.component(name, component),
            Written::Negated(name) => match self.name(name)? {
                Resolved::Register { id, ty: Type::Pred, vector, .. } => {
                    Ok(Resolved::Register { id, ty: Type::Pred, vector, negated: true })
                }
                _ => self.fail_expected(
                    operand.span(),
                    "`!` before an operand that is not a predicate",
                    "a predicate register",
                ),
            },
            Written::Minus { .. } => self.fail_expected(
                operand.span(),
                "a minus sign before a register",
                "the register alone; `vmad` alone takes signs",
            ),
            Written::Offset { name, offset } => {
                let (bits, _) = self.evaluate_integer(offset)?;
                match self.name(name)? {
                    Resolved::Variable { id, .. } => Ok(Resolved::Variable { id, offset: bits as i64 }),
                    _ => self.fail_expected(
                        operand.span(),
                        "an offset from what has no address",
                        "a variable; registers take offsets only in `[…]`",
                    ),
                }
            }
            Written::Constant(constant) => Ok(Resolved::Constant(self.operand_constant(constant)?)),
            Written::Vector { items, .. } => Ok(Resolved::Vector(items)),
            Written::Pair { items, .. } => Ok(Resolved::Pair(items)),
            Written::Bracket { unified: Some(span), .. } => self.misplaced_qualifier(span),
            Written::Bracket { items, .. } => Ok(Resolved::Bracket(items)),
            Written::Group { .. } => Ok(Resolved::Group),
            Written::Element { name, span, .. } => self.array_element(name, span),
        }
    }

    /// An element of an array: legal, but not run.
    fn array_element(&mut self, name: Span, span: Span) -> Checked<Resolved> {
        let array = match self.name(name)? {
            Resolved::Variable { id, .. } => !self.out.variables[id.0 as usize].dimensions.is_empty(),
            _ => false,
        };
        if array {
            return self.unsupported(span, "an element of an array as operand");
        }
        self.fail_expected(span, format!("an element of `{}`", self.text_of(name)), "an array")
    }

    fn operand_constant(&mut self, constant: Constant) -> Checked<Value> {
        match self.evaluate(constant)? {
            Value::Address(_) => self.fail_expected(
                constant.span,
                "an address in a constant expression",
                "an integer or floating-point constant",
            ),
            value => Ok(value),
        }
    }

    /// A predicate register.
    pub(super) fn predicate(&mut self, span: Span) -> Checked<RegisterId> {
        match self.name(span)? {
            Resolved::Register { id, ty: Type::Pred, vector: 1, .. } => Ok(id),
            Resolved::Register { ty, .. } => self.fail_expected(
                span,
                format!("`{}` is of type `.{ty}`", self.text_of(span)),
                "a `.pred` register",
            ),
            _ => self.fail_expected(
                span,
                format!("`{}` is no register", self.text_of(span)),
                "a `.pred` register",
            ),
        }
    }

    /// Checks an operand in its role.
    pub(super) fn operand(
        &mut self,
        pattern: Pattern,
        words: &Words,
        operand: &'t Written,
    ) -> Checked<Operand> {
        let ty = operand_type(pattern.ty, words);
        let is_part = pattern.role == Role::PartDestination;
        if self.packed_registers
            && !is_part
            && matches!(pattern.ty, TypeOf::Fixed(ty) if !ty.is_float() && ty != Type::Pred)
        {
            self.not_packed(operand)?;
        }
        match pattern.role {
            Role::Destination => self.destination(words, operand, ty, Width::Exact),
            Role::DestinationRelaxed => self.destination(words, operand, ty, Width::AtLeast),
            Role::Source => self.source(operand, ty, Width::Exact),
            Role::SourceRelaxed => self.source(operand, ty, Width::AtLeast),
            Role::SourceSpecial => match self.resolve(operand)? {
                Resolved::Special { register, component } => Ok(Operand::Special { register, component }),
                _ => self.source(operand, ty, Width::AtLeast),
            },
            Role::DestinationVector | Role::SourceVector => {
                self.vector_data(words, operand, ty, pattern.role == Role::DestinationVector)
            }
            Role::Predicate => self.source(operand, Type::Pred, Width::Exact),
            Role::PredicatePair => self.predicate_pair(words, operand),
            Role::DestinationPredicate => self.destination_and_predicate(words, operand, ty),
            Role::DestinationAndPredicate => self.pair_with_predicate(words, operand, ty),
            Role::SourceFour => self.four_sources(words, operand, ty),
            Role::SourceBits => self.bits_register(operand),
            Role::Address => self.address(words, operand),
            Role::Surface => self.surface_address(words, operand),
            Role::Query => self.surface_query(words, operand),
            Role::Texture => self.texture_address(words, operand),
            Role::TextureDestination => self.texture_data(words, operand, ty),
            Role::TextureLevel => self.texture_level(words, operand),
            Role::TextureGradient => self.texture_gradient(words, operand),
            Role::TextureOffset => self.texture_offset(words, operand),
            Role::TextureDepth => self.texture_depth(words, operand),
            Role::SurfaceDestination => self.surface_data(words, operand, ty, true),
            Role::SurfaceSource => self.surface_data(words, operand, ty, false),
            Role::MovDestination => self.mov_destination(words, operand, ty),
            Role::MovSource => self.mov_source(words, operand, ty),
            Role::PartDestination => self.part_destination(words, operand, ty),
            Role::PartSource => self.part_source(operand, ty, false),
            Role::SignedPartSource => self.part_source(operand, ty, true),
            Role::SignedSource => self.signed_source(operand, ty),
            Role::SourceAddress => self.source_address(words, operand),
            Role::SourcePointer => self.source_pointer(operand),
            Role::BarrierNumber => {
                self.barrier_operand(operand, "barrier number", "a barrier number from 0 to 15", |number| {
                    number < 16
                })
            }
            Role::BarrierThreads => {
                self.barrier_operand(operand, "number of threads", "a multiple of the warp size", |threads| {
                    threads % 32 == 0
                })
            }
            // PTX ISA 9.7.8.6, lop3: "immLut … an integer constant in the range from 0 to 255". The assembler takes
            // larger ones as well.
            Role::Table => match self.resolve(operand)? {
                Resolved::Constant(Value::Integer { bits, unsigned })
                    if bits <= 255 || self.by_assembler() =>
                {
                    Ok(Operand::Immediate(Immediate::Integer { bits, unsigned }))
                }
                _ => self.fail_expected(
                    operand.span(),
                    format!("look-up table `{}`", self.text_of(operand.span())),
                    "an integer constant from 0 to 255",
                ),
            },
            Role::Exactly(value) => self.exactly(operand, value),
            Role::Immediate => match self.resolve(operand)? {
                Resolved::Constant(Value::Integer { bits, unsigned }) => {
                    Ok(Operand::Immediate(Immediate::Integer { bits, unsigned }))
                }
                _ => self.fail_expected(
                    operand.span(),
                    format!("`{}`", self.text_of(operand.span())),
                    "an integer constant",
                ),
            },
            Role::Label => match operand {
                Written::Name(name) => match self.label(*name)? {
                    Label::Code(index) => Ok(Operand::Label(index)),
                    _ => self.fail_expected(
                        operand.span(),
                        "not a branch target",
                        "the label of an instruction",
                    ),
                },
                _ => self.fail_expected(
                    operand.span(),
                    format!("`{}`", self.text_of(operand.span())),
                    "a label",
                ),
            },
            Role::Targets => match operand {
                Written::Name(name) => match self.label(*name)? {
                    Label::Targets(index) => Ok(Operand::BranchTargets(index)),
                    _ => self.fail_expected(
                        operand.span(),
                        "not a list of branch targets",
                        "the label of a `.branchtargets`",
                    ),
                },
                _ => self.fail_expected(
                    operand.span(),
                    format!("`{}`", self.text_of(operand.span())),
                    "the label of a `.branchtargets`",
                ),
            },
        }
    }

    /// Refuses an `.f16x2` register where an instruction requires an integer whatever its own type is, such as a shift
    /// amount.
    fn not_packed(&mut self, operand: &Written) -> Checked<()> {
        if !matches!(operand, Written::Name(_) | Written::Component { .. }) {
            return Ok(());
        }
        match self.resolve(operand)? {
            found @ (Resolved::Register { ty: Type::F16x2, .. }
            | Resolved::Component { ty: Type::F16x2, .. }) => {
                self.misfit(operand.span(), found, "an integer")
            }
            _ => Ok(()),
        }
    }

    /// Reports why an operand does not fit.
    pub(super) fn misfit<T>(&mut self, span: Span, found: Resolved, wanted: impl Display) -> Checked<T> {
        let text = self.text_of(span);
        let message = match found {
            Resolved::Register { ty, vector: 1, .. } | Resolved::Component { ty, .. } => {
                format!("`{text}` is of type `.{ty}`")
            }
            Resolved::Register { ty, vector, .. } => {
                format!("`{text}` is of type `.v{vector} .{ty}`")
            }
            Resolved::Special { .. } => format!("special register `{text}` here"),
            Resolved::Sink => "`_` here".to_string(),
            Resolved::Constant(Value::Integer { .. }) => format!("integer constant `{text}` here"),
            Resolved::Constant(_) => format!("floating-point constant `{text}` here"),
            Resolved::Variable { .. } => format!("variable `{text}` here"),
            Resolved::Function(_) => format!("function `{text}` here"),
            Resolved::Vector(_) => "a vector here".to_string(),
            Resolved::Pair(_) => "a pair here".to_string(),
            Resolved::Bracket(_) => "an address here".to_string(),
            Resolved::Group => "a list here".to_string(),
        };
        self.fail_expected(span, message, wanted.to_string())
    }

    pub(super) fn destination(
        &mut self,
        words: &Words,
        operand: &Written,
        ty: Type,
        width: Width,
    ) -> Checked<Operand> {
        let found = self.resolve(operand)?;
        match found {
            Resolved::Register { id, ty: register, vector: 1, negated: false }
                if self.fits(ty, register, width) =>
            {
                Ok(Operand::Register { id, negated: false })
            }
            Resolved::Component { id, component, ty: register } if self.fits(ty, register, width) => {
                Ok(Operand::Component { id, component })
            }
            // "The destination operand may be the bit bucket `_`" (PTX ISA 9.7.13, atom).
            Resolved::Sink if words.opcode == Opcode::Atom => Ok(Operand::Sink),
            _ => self.misfit(operand.span(), found, register_wanted(ty, width)),
        }
    }

    pub(super) fn source(&mut self, operand: &Written, ty: Type, width: Width) -> Checked<Operand> {
        let found = self.resolve(operand)?;
        match found {
            Resolved::Register { id, ty: register, vector: 1, negated } if self.fits(ty, register, width) => {
                Ok(Operand::Register { id, negated })
            }
            Resolved::Component { id, component, ty: register } if self.fits(ty, register, width) => {
                Ok(Operand::Component { id, component })
            }
            Resolved::Constant(value) => match self.immediate(value, ty) {
                Some(immediate) => Ok(Operand::Immediate(immediate)),
                None => self.misfit(operand.span(), found, source_wanted(ty, width)),
            },
            _ => self.misfit(operand.span(), found, source_wanted(ty, width)),
        }
    }

    /// The constant as an operand of type `ty`: integers for integer, bit-size and predicate types; floating-point literals
    /// for `.f32` and `.f64`, and for a bit-size type of their own size: `0f` has 4 bytes, `0d` and decimal ones 8.
    pub(super) fn immediate(&self, value: Value, ty: Type) -> Option<Immediate> {
        match value {
            Value::Integer { bits, unsigned }
                if !ty.is_float() && !ty.is_of_instructions_alone() && !ty.is_opaque() =>
            {
                Some(Immediate::Integer { bits, unsigned })
            }
            Value::Float32(bits) if matches!(ty, Type::F32 | Type::F64 | Type::B32) => {
                Some(Immediate::Float32(bits))
            }
            Value::Float64(number) if ty == Type::F32 => Some(Immediate::Float32((number as f32).to_bits())),
            Value::Float64(number) if matches!(ty, Type::F64 | Type::B64) => {
                Some(Immediate::Float64(number.to_bits()))
            }
            _ => None,
        }
    }

    fn predicate_pair(&mut self, words: &Words, operand: &Written) -> Checked<Operand> {
        match self.resolve(operand)? {
            Resolved::Pair(items) => {
                let ast = self.ast;
                let [first, second] = ast.operands_of(items) else {
                    return self.fail(operand.span(), "a pair of two");
                };
                let first = self.predicate_or_sink(words, first)?;
                let second = self.predicate_or_sink(words, second)?;
                Ok(Operand::Pair(Box::new(first), Box::new(second)))
            }
            _ => self.predicate_or_sink(words, operand),
        }
    }

    fn predicate_or_sink(&mut self, words: &Words, operand: &Written) -> Checked<Operand> {
        match operand {
            Written::Sink(_) => Ok(Operand::Sink),
            _ => self.destination(words, operand, Type::Pred, Width::Exact),
        }
    }

    fn destination_and_predicate(&mut self, words: &Words, operand: &Written, ty: Type) -> Checked<Operand> {
        match self.resolve(operand)? {
            Resolved::Pair(items) => {
                let ast = self.ast;
                let [first, second] = ast.operands_of(items) else {
                    return self.fail(operand.span(), "a pair of two");
                };
                let first = self.destination(words, first, ty, Width::Exact)?;
                let second = self.predicate_or_sink(words, second)?;
                Ok(Operand::Pair(Box::new(first), Box::new(second)))
            }
            _ => self.destination(words, operand, ty, Width::Exact),
        }
    }

    /// Data of `ld` and `st`: one register, or the number of registers that `.v2` or `.v4` requires.
    fn vector_data(
        &mut self,
        words: &Words,
        operand: &'t Written,
        ty: Type,
        destination: bool,
    ) -> Checked<Operand> {
        self.vector_width(words, ty)?;
        let found = self.resolve(operand)?;
        match found {
            Resolved::Vector(items)
                if items.len() == words.vector || words.vector == 1 && items.len() == 1 =>
            {
                self.tuple_data(words, items, ty, destination, operand.span())
            }
            Resolved::Register { id, ty: register, vector, negated: false }
                if vector as usize == words.vector
                    && vector > 1
                    && self.fits(ty, register, words.data_width()) =>
            {
                Ok(Operand::Register { id, negated: false })
            }
            Resolved::Sink if destination && words.opcode == Opcode::Atom => Ok(Operand::Sink),
            _ if words.vector > 1 => self.misfit(
                operand.span(),
                found,
                format_args!("a vector of {} elements of type `.{ty}`", words.vector),
            ),
            _ if destination => self.destination(words, operand, ty, words.data_width()),
            _ => self.source(operand, ty, words.data_width()),
        }
    }

    /// At most 128 bits; `.v8` of 32 bits and `.v4` of 64 bits in global memory from PTX 8.8 and sm_100 on. (ptxas takes them through generic
    /// addresses, too.)
    fn vector_width(&mut self, words: &Words, ty: Type) -> Checked<()> {
        let size = ty.size() as usize * words.vector;
        let eight = words.vector == 8;
        // "Support for vector types" of `atom` and `red` (9.7.13.5): 8 elements of 16 bits.
        if size <= 16 && (!eight || matches!(words.opcode, Opcode::Atom | Opcode::Red)) {
            return Ok(());
        }
        // As observed, at every version: `.v8` of bytes, and in stores of halves.
        let passes = match words.opcode {
            Opcode::Ld => ty.size() == 1,
            Opcode::St => ty.size() <= 2,
            _ => false,
        };
        if self.by_assembler() && eight && passes && !words.spaces.contains(&Space::Param) {
            return self.unsupported(words.span, format!("a vector of 8 elements of {} bits", 8 * ty.size()));
        }
        let is_global = match words.spaces.first() {
            Some(space) => *space == Space::Global,
            None => self.by_assembler(),
        };
        if size != 32 || eight && ty.size() != 4 || !is_global || words.opcode == Opcode::Ldu {
            let wanted = "at most 128 bits; in global memory also 8 elements of 32 bits or 4 of 64";
            return self.fail_expected(words.span, format!("an access of {} bits", 8 * size), wanted);
        }
        self.gate(words.span, "an access of 256 bits", 88, 100)
    }

    /// Elements of `{a, b}`: registers of one width, `_` in destinations, constants in sources.
    pub(super) fn elements(
        &mut self,
        words: &Words,
        items: List,
        ty: Type,
        destination: bool,
    ) -> Checked<Vec<Operand>> {
        let ast = self.ast;
        let mut out = Vec::with_capacity(items.len());
        let mut width = None;
        for item in ast.operands_of(items) {
            let element = match item {
                Written::Sink(_) if destination => Operand::Sink,
                _ if destination => self.destination(words, item, ty, words.data_width())?,
                _ => self.source(item, ty, words.data_width())?,
            };
            if let Some(size) = self.element_size(&element) {
                if width.is_some_and(|width| width != size) {
                    return self.fail_expected(
                        item.span(),
                        "vector elements of different widths",
                        "registers of one width",
                    );
                }
                width = Some(size);
            }
            out.push(element);
        }
        Ok(out)
    }

    /// Bytes of a register element.
    pub(super) fn element_size(&self, element: &Operand) -> Option<u32> {
        match element {
            Operand::Register { id, .. } | Operand::Component { id, .. } => Some(self.register(*id).0.size()),
            _ => None,
        }
    }

    /// A `.u32` operand; a constant must satisfy the condition.
    fn barrier_operand(
        &mut self,
        operand: &Written,
        what: &str,
        wanted: &str,
        fits: impl Fn(u64) -> bool,
    ) -> Checked<Operand> {
        let source = self.source(operand, Type::U32, Width::Exact)?;
        match source {
            Operand::Immediate(Immediate::Integer { bits, .. }) if !fits(bits) => {
                let span = operand.span();
                self.fail_expected(span, format!("{what} `{}`", self.text_of(span)), wanted)
            }
            _ => Ok(source),
        }
    }
}

/// Whether it is a special register of the ISA that this project does not model; `bare` is its name without the percent
/// sign.
pub(super) fn is_unmodelled_special(bare: &str) -> bool {
    // `%pm0_64` is the wide one of `%pm0`.
    let narrow = bare.strip_suffix("_64").filter(|name| name.starts_with("pm")).unwrap_or(bare);
    let stem = narrow.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    UNMODELLED_SPECIAL.contains(&bare) || UNMODELLED_SPECIAL.contains(&stem)
}

/// The type that the pattern gives an operand.
pub(super) fn operand_type(of: TypeOf, words: &Words) -> Type {
    let indexed = |index: usize| words.types.get(index).copied().unwrap_or(Type::B32);
    match of {
        TypeOf::Index(index) => indexed(index),
        TypeOf::Fixed(ty) => ty,
        TypeOf::Wide => match indexed(0) {
            Type::U16 => Type::U32,
            Type::S16 => Type::S32,
            Type::U32 => Type::U64,
            _ => Type::S64,
        },
    }
}

fn register_wanted(ty: Type, width: Width) -> String {
    match width {
        Width::Exact => format!("a register for `.{ty}`"),
        Width::AtLeast => format!("a register for `.{ty}`, or a wider one"),
    }
}

fn source_wanted(ty: Type, width: Width) -> String {
    let constant = match ty {
        Type::Pred => "a predicate register",
        _ if matches!(ty, Type::F32 | Type::F64) => "a floating-point constant",
        _ if ty.is_float() => return register_wanted(ty, width),
        _ => "an integer constant",
    };
    if ty == Type::Pred {
        constant.to_string()
    } else {
        format!("{} or {constant}", register_wanted(ty, width))
    }
}

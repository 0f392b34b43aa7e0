//! Initial bytes of variables (PTX ISA 5.4.4).

use super::constant::{Address, Value};
use super::scope::{Found, Symbol};
use super::{Checked, Checker, Dialect};
use crate::ast::{Constant, ConstantValue, ExpressionKind, Initializer, InitializerPart};
use crate::checked::{Relocation, RelocationSymbol, Variable, VariableId};
use crate::source::Span;
use crate::vocabulary::{Space, Type};

/// Initial contents that are materialised; larger ones would only exhaust the memory of the machine.
const INITIAL_LIMIT: u64 = 1 << 28;

/// Members of opaque types (PTX ISA 5.3, Tables 10 and 11).
const TEXREF: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "normalized_coords",
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
    "array_size",
    "num_mipmap_levels",
    "num_samples",
];
const SAMPLERREF: &[&str] =
    &["force_unnormalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"];
const SURFREF: &[&str] =
    &["width", "height", "depth", "channel_data_type", "channel_order", "array_size", "memory_layout"];

/// Enumerators that members take.
const ENUMERATORS: &[&str] =
    &["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border", "nearest", "linear"];

/// A walk through nested lists: which element comes next at every level that is open.
struct Walk {
    /// Extent of every level, the vector included; 0 for a first one left out.
    extents: Vec<u64>,
    /// Bytes from one element of a level to the next.
    strides: Vec<u64>,
    /// Whether the last level is a vector, whose elements must all be there.
    vector: bool,
    /// Index of the next element, outermost first.
    next: Vec<u64>,
    /// Elements so far, where they stand without gaps.
    packed: Option<u64>,
    /// Bytes of an element.
    size: u64,
}

impl Walk {
    fn of(variable: &Variable, packed: bool) -> Self {
        let mut extents = variable.dimensions.clone();
        if variable.vector > 1 {
            extents.push(u64::from(variable.vector));
        }
        let mut strides = vec![0; extents.len()];
        let mut stride = u64::from(variable.ty.size());
        for (level, extent) in extents.iter().enumerate().rev() {
            strides[level] = stride;
            stride = stride.saturating_mul((*extent).max(1));
        }
        Self {
            extents,
            strides,
            vector: variable.vector > 1,
            next: Vec::new(),
            packed: packed.then_some(0),
            size: u64::from(variable.ty.size()),
        }
    }

    /// Byte offset of the next element.
    fn offset(&self) -> u64 {
        if let Some(elements) = self.packed {
            return elements.saturating_mul(self.size);
        }
        self.next
            .iter()
            .zip(&self.strides)
            .fold(0, |sum, (index, stride)| sum.saturating_add(index.saturating_mul(*stride)))
    }

    /// Whether another element fits at the innermost open level.
    fn has_room(&self) -> bool {
        match (self.next.last(), self.extents.get(self.next.len().wrapping_sub(1))) {
            (Some(index), Some(extent)) => index < extent || *extent == 0 && self.next.len() == 1,
            _ => true,
        }
    }

    /// On to the next element, after a value.
    fn advance_value(&mut self) {
        if let Some(elements) = &mut self.packed {
            *elements += 1;
        }
        self.advance();
    }

    fn advance(&mut self) {
        if let Some(index) = self.next.last_mut() {
            *index += 1;
        }
    }
}

impl Checker<'_> {
    /// Fills in the initial bytes, the relocations and, where left out, the first dimension. Elements left out are zero,
    /// "as in C", at whatever level they are missing.
    pub(super) fn initialize(&mut self, variable: &mut Variable, initializer: &Initializer) -> Checked<()> {
        if variable.ty.is_opaque() {
            return self.opaque_initializer(variable, initializer);
        }
        if matches!(variable.ty, Type::F16 | Type::F16x2 | Type::Pred) {
            return self.fail(initializer.span, format!("an initial value of type `.{}`", variable.ty));
        }
        if variable.size > INITIAL_LIMIT {
            return self.unsupported(initializer.span, "initial contents of more than 256 MiB");
        }
        let mut walk = Walk::of(variable, self.rules.packed_lists);
        let mut elements = 0;
        for part in &initializer.parts {
            match *part {
                InitializerPart::Open(span) => self.open_list(&mut walk, span)?,
                InitializerPart::Close(span) => elements = self.close_list(&mut walk, span)?,
                InitializerPart::Value(value) => self.element(variable, &mut walk, value)?,
                // As observed: the assembler takes `b = 1` for a value and leaves the element as it is.
                InitializerPart::Member { value, .. } if self.by_assembler() && is_number(value) => {
                    self.enter_element(&walk, value)?;
                    walk.advance_value();
                }
                InitializerPart::Member { name, .. } => {
                    return self.fail_expected(
                        name,
                        "a named member",
                        "a value; only opaque types have members",
                    );
                }
            }
        }
        self.complete(variable, elements, initializer.span)
    }

    fn open_list(&mut self, walk: &mut Walk, span: Span) -> Checked<()> {
        if walk.next.len() == walk.extents.len() {
            return self.fail_expected(
                span,
                "a list where a value stands",
                "as many nested lists as dimensions",
            );
        }
        if !walk.has_room() {
            return self.fail(span, "more elements than the dimension has");
        }
        walk.next.push(0);
        Ok(())
    }

    /// The number of elements of the list that ends.
    fn close_list(&mut self, walk: &mut Walk, span: Span) -> Checked<u64> {
        let innermost = walk.next.len() == walk.extents.len();
        let elements = walk.next.pop().unwrap_or(0);
        if innermost && walk.vector && walk.extents.last() != Some(&elements) {
            return self.fail(span, "a vector takes a value for each of its elements");
        }
        walk.advance();
        Ok(elements)
    }

    /// Whether a value may stand here.
    fn enter_element(&mut self, walk: &Walk, constant: Constant) -> Checked<()> {
        if walk.next.len() != walk.extents.len() {
            return self.fail_expected(
                constant.span,
                "a value where a list stands",
                "as many nested lists as dimensions",
            );
        }
        if !walk.has_room() {
            return self.fail(constant.span, "more elements than the dimension has");
        }
        Ok(())
    }

    fn element(&mut self, variable: &mut Variable, walk: &mut Walk, constant: Constant) -> Checked<()> {
        self.enter_element(walk, constant)?;
        let offset = walk.offset();
        if offset > INITIAL_LIMIT {
            return self.unsupported(constant.span, "initial contents of more than 256 MiB");
        }
        let value = self.evaluate(constant)?;
        self.gate_mask(constant, value)?;
        let size = variable.ty.size() as usize;
        let bits = match value {
            Value::Address(address) => {
                let relocation = self.relocation(variable, address, offset, constant.span)?;
                variable.relocations.push(relocation);
                0
            }
            _ => self.scalar_bits(variable.ty, value, constant.span)?,
        };
        let start = offset as usize;
        if variable.initial.len() < start + size {
            variable.initial.resize(start + size, 0);
        }
        variable.initial[start..start + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        walk.advance_value();
        Ok(())
    }

    fn complete(&mut self, variable: &mut Variable, elements: u64, span: Span) -> Checked<()> {
        if variable.dimensions.first() == Some(&0) {
            if elements == 0 {
                return self.fail(span, "an array without extent and without elements");
            }
            variable.dimensions[0] = elements;
            let inner: u64 = variable.dimensions[1..].iter().product();
            let size = u64::from(variable.ty.size() * variable.vector)
                .checked_mul(inner)
                .and_then(|s| s.checked_mul(elements));
            match size.filter(|size| *size <= INITIAL_LIMIT) {
                Some(size) => variable.size = size,
                None => return self.unsupported(span, "initial contents of more than 256 MiB"),
            }
        }
        variable.initial.resize(variable.size as usize, 0);
        Ok(())
    }

    /// `mask()` came with PTX 7.1; of integers with 7.3 (text), the assembler takes it from 7.2 on.
    fn gate_mask(&mut self, constant: Constant, value: Value) -> Checked<()> {
        let ConstantValue::Expression(id) = constant.value else {
            return Ok(());
        };
        let kind = self.ast.expressions.get(id as usize).map(|node| node.kind);
        if !matches!(kind, Some(ExpressionKind::Mask(..))) {
            return Ok(());
        }
        let version = match value {
            Value::Address(_) => 71,
            _ if self.by_assembler() => 72,
            _ => 73,
        };
        self.gate(constant.span, "the mask operator here", version, 10)
    }

    /// The bits of a number as an element of type `ty`. Integers wrap; floating-point types take floating-point literals;
    /// bit-size types take both. `0f` in eight bytes stays as it is: the assembler does not convert it.
    fn scalar_bits(&mut self, ty: Type, value: Value, span: Span) -> Checked<u64> {
        match (ty, value) {
            (Type::B128, _) => self.unsupported(span, "an initial value of type `.b128`"),
            (_, Value::Integer { bits, .. }) if !ty.is_float() => Ok(bits),
            (Type::F32 | Type::B32, Value::Float64(number)) => Ok(u64::from((number as f32).to_bits())),
            (Type::F64 | Type::B64, Value::Float64(number)) => Ok(number.to_bits()),
            (Type::F32 | Type::B32 | Type::F64 | Type::B64, Value::Float32(bits)) => Ok(u64::from(bits)),
            (Type::B8 | Type::B16, _) => {
                self.unsupported(span, format!("a floating-point initial value of type `.{ty}`"))
            }
            _ if ty.is_float() => self.fail_expected(
                span,
                format!("an integer as initial value of type `.{ty}`"),
                "a floating-point literal such as `1.0`",
            ),
            _ => self.fail_expected(
                span,
                format!("a floating-point initial value of type `.{ty}`"),
                "an integer",
            ),
        }
    }

    fn relocation(
        &mut self,
        variable: &Variable,
        address: Address,
        offset: u64,
        span: Span,
    ) -> Checked<Relocation> {
        let ty = variable.ty;
        self.gate(span, "an address as initial value", 21, 10)?;
        if address.generic {
            self.gate(span, "`generic()`", 31, 10)?;
        }
        let wide_enough = matches!(ty, Type::U32 | Type::U64) || ty == Type::U8 && address.byte.is_some();
        if !wide_enough {
            return self.fail_expected(
                span,
                format!("an address as initial value of type `.{ty}`"),
                "type `.u32` or `.u64`, or `.u8` with the mask operator",
            );
        }
        let symbol = self.relocation_symbol(variable, address)?;
        let function = matches!(symbol, RelocationSymbol::Function(_));
        Ok(Relocation {
            offset,
            width: if address.byte.is_some() { 1 } else { ty.size() },
            shift: address.byte.unwrap_or(0),
            symbol,
            // "Legacy PTX code is treated as having an implicit generic() operator" (PTX ISA 5.4.4): before 3.1.
            generic: !function && (address.generic || self.version < 31),
            addend: address.addend,
        })
    }

    fn relocation_symbol(&mut self, variable: &Variable, address: Address) -> Checked<RelocationSymbol> {
        let name = self.text_of(address.name);
        let symbol = match self.scopes.look_up(name) {
            Some(Found::Symbol(symbol)) => symbol,
            // As observed: from release 13 on the assembler lets a variable hold its own address.
            _ if name == variable.name && matches!(self.rules.dialect, Dialect::Ptxas(13.., _)) => {
                return Ok(RelocationSymbol::Variable(VariableId(self.out.variables.len() as u32)));
            }
            _ => {
                return self.fail_expected(
                    address.name,
                    format!("`{name}` is not declared"),
                    "a variable or function declared before",
                );
            }
        };
        match symbol {
            Symbol::Variable(id) => {
                let variable = &self.out.variables[id.0 as usize];
                let (space, opaque) = (variable.space, variable.is_opaque());
                if !matches!(space, Space::Global | Space::Const) {
                    return self.fail_expected(
                        address.name,
                        format!("the address of a `.{space}` variable"),
                        "a `.global` or `.const` variable",
                    );
                }
                if opaque && !self.by_assembler() {
                    return self.fail(address.name, "an opaque variable in an initial value");
                }
                Ok(RelocationSymbol::Variable(id))
            }
            Symbol::Function(id) => {
                if address.generic || address.addend != 0 {
                    return self.fail(address.name, "`generic()` or an offset with the name of a function");
                }
                if self.out.functions[id.0 as usize].entry {
                    self.gate(
                        address.name,
                        "a kernel name as initial value",
                        31,
                        if self.by_assembler() { 35 } else { 10 },
                    )?;
                }
                Ok(RelocationSymbol::Function(id))
            }
            Symbol::Register(_) => self.fail(address.name, "a register in an initial value"),
        }
    }

    /// Members of an opaque variable: they say what the host sets up, and leave no bytes in the module. Of an array, which the
    /// assembler alone takes, each element has its list; that of the whole may also hold members itself.
    fn opaque_initializer(&mut self, variable: &mut Variable, initializer: &Initializer) -> Checked<()> {
        let shape = "an initial value of opaque type";
        let wanted = "`{ member = value, … }`";
        let mut elements = vec![0u64];
        for (index, part) in initializer.parts.iter().enumerate() {
            match *part {
                InitializerPart::Open(span) => {
                    // The list of the whole counts as no element.
                    if index > 0 && elements.len() > variable.dimensions.len() + 1 {
                        return self.fail_expected(span, shape, wanted);
                    }
                    let level = elements.len();
                    if let Some(count) = elements.last_mut() {
                        *count += 1;
                        let extent = level.checked_sub(2).and_then(|level| variable.dimensions.get(level));
                        if extent.is_some_and(|extent| *extent > 0 && *count > *extent) {
                            return self.fail(span, "more elements than the dimension has");
                        }
                    }
                    elements.push(0);
                }
                InitializerPart::Close(_) => {
                    let count = elements.pop().unwrap_or(0);
                    if elements.len() == 1 && variable.dimensions.first() == Some(&0) {
                        variable.dimensions[0] = count;
                        variable.size = variable.size.saturating_mul(count);
                    }
                }
                InitializerPart::Member { name, value } if elements.len() > 1 => {
                    self.opaque_member(variable.ty, name, value)?;
                }
                InitializerPart::Member { .. } | InitializerPart::Value(_) => {
                    return self.fail_expected(initializer.span, shape, wanted);
                }
            }
        }
        Ok(())
    }

    fn opaque_member(&mut self, ty: Type, name: Span, value: Constant) -> Checked<()> {
        let members = match ty {
            Type::Texref => TEXREF,
            Type::Samplerref => SAMPLERREF,
            _ => SURFREF,
        };
        if !members.contains(&self.text_of(name)) {
            return self.fail_expected(
                name,
                format!("`.{ty}` has no member `{}`", self.text_of(name)),
                members.join(", "),
            );
        }
        if let Value::Address(address) = self.evaluate(value)? {
            let enumerator = self.text_of(address.name);
            if address.addend != 0 || !ENUMERATORS.contains(&enumerator) {
                return self.fail_expected(
                    value.span,
                    format!("unknown value `{enumerator}`"),
                    ENUMERATORS.join(", "),
                );
            }
        }
        Ok(())
    }
}

/// Whether it is a number, as far as its form tells.
fn is_number(constant: Constant) -> bool {
    !matches!(constant.value, ConstantValue::Expression(_))
}

//! Declarations of variables and registers: types, state spaces, sizes, alignment, placement (PTX ISA 5.1 to 5.4).

use warpdiff_model::Deviation;

use super::scope::{RegisterRange, Symbol};
use super::{Checked, Checker, Dialect};
use crate::ast::{Attribute, Constant, ConstantValue, Declaration, Declarator, Linkage};
use crate::checked::{Register, RegisterId, Variable, VariableId};
use crate::source::Span;
use crate::vocabulary::{Space, SpecialRegister, Type};

/// Maximum number of variables in one `v<N>` range; registers have no limit, since they are created at their first use.
const RANGE_LIMIT: u64 = 4096;
/// ".const … limited to 64 KB" (PTX ISA 5.1.3).
const CONST_LIMIT: u64 = 0x10000;

/// Extent and size of a declared name.
pub(super) struct Layout {
    /// Array dimensions; 0 for an omitted first one.
    pub(super) dimensions: Vec<u64>,
    /// Size in bytes; without the first dimension if that is omitted.
    pub(super) size: u64,
    /// Alignment in bytes.
    pub(super) align: u64,
    /// Whether the first dimension is omitted.
    pub(super) incomplete: bool,
}

/// The `.attribute` entries of a variable.
#[derive(Clone, Copy, Default)]
pub(super) struct Attributes {
    managed: bool,
    unified: bool,
}

impl<'t> Checker<'t> {
    /// A declaration at module scope.
    pub(super) fn module_variables(&mut self, declaration: &'t Declaration) -> Checked<()> {
        match declaration.space {
            Space::Global | Space::Const | Space::Shared => self.variables(declaration),
            // "Use of `.tex` is deprecated" from PTX 1.5 on, which has `.texref` (PTX ISA 5.1.8).
            Space::Tex if self.version < 15 => {
                self.unsupported(declaration.space_span, "`.tex` at module scope")
            }
            // The text has them here in its examples.
            Space::Reg | Space::Local if !self.by_assembler() => {
                match declaration.space {
                    Space::Reg => self.registers(declaration)?,
                    _ => self.variables(declaration)?,
                }
                self.unsupported(declaration.space_span, format!("`.{}` at module scope", declaration.space))
            }
            space => self.fail_expected(
                declaration.space_span,
                format!("`.{space}` at module scope"),
                "`.global`, `.const` or `.shared`",
            ),
        }
    }

    /// A declaration inside a function.
    pub(super) fn local_variables(&mut self, declaration: &'t Declaration) -> Checked<()> {
        match declaration.space {
            Space::Reg => self.registers(declaration),
            Space::Local | Space::Shared | Space::Param | Space::Global | Space::Const => {
                self.variables(declaration)
            }
            space => self.fail_expected(
                declaration.space_span,
                format!("`.{space}` inside a function"),
                "`.reg`, `.local`, `.shared` or `.param`",
            ),
        }
    }

    /// `.global .u32;` declares no name; the assembler accepts it.
    fn names_something(&mut self, declaration: &Declaration) -> Checked<()> {
        if declaration.declarators.is_empty() && !self.by_assembler() {
            return self.fail_expected(declaration.span, "a declaration of nothing", "a name");
        }
        Ok(())
    }

    fn registers(&mut self, declaration: &'t Declaration) -> Checked<()> {
        self.names_something(declaration)?;
        if let Some((_, span)) = declaration.linkage.first() {
            return self.fail(*span, "a register has no linkage");
        }
        self.head_order(declaration)?;
        self.attributes(&declaration.attributes, Space::Reg)?;
        self.alignment(declaration)?;
        self.value_type(declaration)?;
        if declaration.ty.is_opaque() {
            return self
                .fail(declaration.ty_span, format!("a register of opaque type `.{}`", declaration.ty));
        }
        self.packed_registers |= declaration.ty == Type::F16x2;
        for declarator in &declaration.declarators {
            if let Some(dimension) = declarator.dimensions.first() {
                return self.fail(dimension.span, "an array of registers");
            }
            if let Some(initializer) = &declarator.initializer {
                return self.fail(initializer.span, "a register takes no initial value");
            }
            let name = self.text_of(declarator.name);
            self.declarable(declarator.name)?;
            let (ty, vector) = (declaration.ty, declaration.vector);
            match declarator.count {
                Some(count) => {
                    let count = self.range_size(declarator.span, self.literal(count))?;
                    let range = RegisterRange { stem: name, count, ty, vector };
                    let declared = self.scopes.declare_range(range, declarator.span);
                    self.not_declared_before(declarator.span, declared)?;
                }
                None => {
                    let id = self.new_register(name, ty, vector);
                    let declared = self.scopes.declare(name, Symbol::Register(id), declarator.name);
                    self.not_declared_before(declarator.name, declared)?;
                }
            }
        }
        Ok(())
    }

    /// As observed: the assembler keeps the size of a range in 32 bits.
    fn range_size(&mut self, span: Span, count: u64) -> Checked<u64> {
        if count > u64::from(u32::MAX) {
            return self.fail_expected(span, format!("{count} parameterised names"), "at most 4294967295");
        }
        Ok(count)
    }

    /// Creates a register of the current function, or of the module.
    pub(super) fn new_register(&mut self, name: &str, ty: Type, vector: u32) -> RegisterId {
        let registers = match &mut self.function {
            Some(current) => &mut current.registers,
            None => &mut self.module_registers,
        };
        registers.push(Register { name: name.into(), ty, vector });
        RegisterId((registers.len() - 1) as u32)
    }

    /// Refuses `_`, `%` and `$` alone as names.
    pub(super) fn declarable(&mut self, name: Span) -> Checked<()> {
        if matches!(self.text_of(name), "_" | "%" | "$" | "WARP_SZ") {
            return self.fail_expected(
                name,
                format!("`{}` cannot be declared", self.text_of(name)),
                "a name",
            );
        }
        Ok(())
    }

    fn variables(&mut self, declaration: &'t Declaration) -> Checked<()> {
        self.names_something(declaration)?;
        if let Some(span) = declaration.bank {
            self.gate(span, "a bank of `.const`", 15, 10)?;
            if self.version >= 22 {
                return self.fail_expected(span, "a bank of `.const` from PTX 2.2 on", "`.const` alone");
            }
        }
        self.linkage(declaration)?;
        self.head_order(declaration)?;
        self.value_type(declaration)?;
        if declaration.space == Space::Param {
            self.parameter_type(declaration)?;
        }
        let attributes = self.attributes(&declaration.attributes, declaration.space)?;
        let first = self.out.variables.len();
        for declarator in &declaration.declarators {
            let layout = self.layout(declaration, declarator)?;
            let deviations = self.out.deviations.len();
            self.initializable(declaration, declarator)?;
            if declaration.ty.is_opaque() {
                self.opaque_variable(declaration, declarator)?;
            }
            self.variable(declaration, declarator, layout, attributes, deviations)?;
        }
        // Behind those of `v<N>` that its initial values name.
        for index in first..self.out.variables.len() {
            if self.out.variables[index].made.is_some() {
                self.out.variables[index].made = Some(self.made());
            }
        }
        Ok(())
    }

    /// "Alignment is specified using an optional .align byte-count specifier immediately following the state-space
    /// specifier" (5.4.5), and attributes follow the space in every example of 5.4.8. The assembler also accepts both
    /// before the space, and any number of them.
    pub(super) fn head_order(&mut self, declaration: &Declaration) -> Checked<()> {
        if self.by_assembler() {
            return Ok(());
        }
        let aligns = declaration.aligns.iter().map(|(_, span)| ("`.align`", *span));
        let attributes = declaration.attributes.iter().map(|attribute| ("an attribute", attribute.span()));
        let early = aligns.chain(attributes).find(|(_, span)| span.start < declaration.space_span.start);
        if let Some((what, span)) = early {
            let failed = self.fail_expected(
                span,
                format!("{what} before the state space"),
                format!("`.{}` first", declaration.space),
            );
            self.explain("", "ptxas takes it there, too");
            return failed;
        }
        if let Some((_, second)) = declaration.aligns.get(1) {
            let failed = self.fail_expected(*second, "a second `.align`", "at most one");
            self.explain("", "ptxas takes any number, and the largest counts");
            return failed;
        }
        Ok(())
    }

    fn linkage(&mut self, declaration: &Declaration) -> Checked<()> {
        if let Some((_, second)) = declaration.linkage.get(1) {
            return self.fail_expected(*second, "a second linkage directive", "at most one");
        }
        let Some((linkage, span)) = declaration.linkage.first() else {
            return Ok(());
        };
        match linkage {
            _ if self.function.is_some() => self.fail(*span, "linkage of a variable inside a function"),
            Linkage::Weak => self.gate(*span, "`.weak`", 31, 10),
            // As observed: the assembler refuses a single object of opaque type.
            Linkage::Common
                if self.by_assembler()
                    && declaration.ty.is_opaque()
                    && declaration.declarators.iter().any(|declarator| declarator.dimensions.is_empty()) =>
            {
                self.fail(*span, format!("`.common` of type `.{}`", declaration.ty))
            }
            Linkage::Common if declaration.space != Space::Global => {
                self.fail_expected(*span, "`.common`", "a `.global` variable")
            }
            Linkage::Common => self.gate(*span, "`.common`", 50, 10),
            _ => Ok(()),
        }
    }

    /// Checks that a variable or register in this space may have the type.
    pub(super) fn value_type(&mut self, declaration: &Declaration) -> Checked<()> {
        let (ty, span) = (declaration.ty, declaration.ty_span);
        let array = declaration.declarators.iter().any(|declarator| !declarator.dimensions.is_empty());
        let scalar = declaration.vector == 1 && !(array && self.by_assembler());
        match ty {
            Type::Pred if declaration.space != Space::Reg => {
                return self.fail_expected(
                    span,
                    format!("a predicate in `.{}`", declaration.space),
                    "`.reg`",
                );
            }
            _ if ty.is_of_instructions_alone() => {
                return self.fail_expected(
                    span,
                    format!("`.{ty}` is a type of instructions only"),
                    "a bit-size type such as `.b16` or `.b32`",
                );
            }
            // As observed: the assembler asks for the version and target of scalars alone.
            Type::B128 if scalar => self.gate(span, "`.b128`", 83, 70)?,
            Type::F16x2 if scalar => self.gate(span, "`.f16x2`", 42, 53)?,
            Type::Texref | Type::Surfref | Type::Samplerref => self.gate(span, "an opaque type", 15, 10)?,
            _ => {}
        }
        if declaration.vector > 1 && (ty == Type::Pred || ty.is_opaque()) {
            return self.fail(span, format!("a vector of `.{ty}`"));
        }
        if ty.size() * declaration.vector > 16 {
            return self.fail_expected(
                span,
                format!("`.v{} .{ty}`", declaration.vector),
                "a vector of at most 128 bits",
            );
        }
        Ok(())
    }

    /// Checks that a parameter or argument may have the type: no vector. As observed: no `.f16x2` either, except in an
    /// array.
    pub(super) fn parameter_type(&mut self, declaration: &Declaration) -> Checked<()> {
        if declaration.vector > 1 {
            return self.fail(declaration.ty_span, "a parameter of vector type");
        }
        if declaration.ty != Type::F16x2 || !self.by_assembler() {
            return Ok(());
        }
        let array = declaration.declarators.iter().any(|declarator| !declarator.dimensions.is_empty());
        if !array {
            return self.fail_expected(declaration.ty_span, "a parameter of type `.f16x2`", "type `.b32`");
        }
        self.gate(declaration.ty_span, "`.f16x2`", 42, 53)
    }

    /// `.unified` was introduced in PTX 8.0 and sm_90. As observed, the assembler accepts it only in relocatable
    /// objects.
    pub(super) fn unified_gate(&mut self, span: Span) -> Checked<()> {
        self.gate(span, "`.unified`", 80, 90)?;
        if self.by_assembler() && !self.rules.relocatable {
            return self.fail_expected(span, "`.unified`", "a relocatable object (`ptxas --compile-only`)");
        }
        Ok(())
    }

    pub(super) fn attributes(&mut self, attributes: &[Attribute], space: Space) -> Checked<Attributes> {
        let mut found = Attributes::default();
        for attribute in attributes {
            match *attribute {
                Attribute::Managed(span) => {
                    if space != Space::Global {
                        return self.fail_expected(span, "`.managed`", "a `.global` variable");
                    }
                    self.gate(span, "`.managed`", 40, 30)?;
                    found.managed = true;
                }
                Attribute::Unified(span) => {
                    if space != Space::Global {
                        return self.fail_expected(span, "`.unified`", "a `.global` variable");
                    }
                    self.unified_gate(span)?;
                    // "the unique identifier associated with the function or the variable"
                    if found.unified && !self.by_assembler() {
                        return self.fail_expected(span, "a second `.unified`", "one identifier");
                    }
                    found.unified = true;
                }
            }
        }
        Ok(found)
    }

    fn initializable(&mut self, declaration: &Declaration, declarator: &Declarator) -> Checked<()> {
        let Some(initializer) = &declarator.initializer else {
            return Ok(());
        };
        if !matches!(declaration.space, Space::Global | Space::Const) {
            return self.fail_expected(
                initializer.span,
                format!("an initial value in `.{}`", declaration.space),
                "`.global` or `.const`",
            );
        }
        if declaration.linkage.iter().any(|(linkage, _)| *linkage == Linkage::Extern) {
            return self.fail(initializer.span, "an initial value of an `.extern` variable");
        }
        if declarator.count.is_some() {
            return self.fail(initializer.span, "an initial value of parameterised names");
        }
        Ok(())
    }

    /// The number of a constant; the parser guarantees a literal or `WARP_SZ`.
    pub(super) fn literal(&self, constant: Constant) -> u64 {
        match constant.value {
            ConstantValue::Integer { bits, .. } => bits,
            _ => 32,
        }
    }

    /// "The size of each dimension is a constant expression" (5.4.3); the assembler accepts only a literal or
    /// `WARP_SZ`.
    fn extent(&mut self, extent: Constant) -> Checked<u64> {
        let literal = match extent.value {
            ConstantValue::Integer { .. } => !self.text_of(extent.span).starts_with('-'),
            ConstantValue::Expression(_) => self.text_of(extent.span) == "WARP_SZ",
            _ => false,
        };
        if self.by_assembler() && !literal {
            return self.fail_expected(extent.span, "an expression as array extent", "an integer literal");
        }
        match self.evaluate_integer(extent)? {
            (bits, unsigned) if !unsigned && (bits as i64) < 0 => {
                self.fail_expected(extent.span, "a negative array extent", "a positive integer")
            }
            (bits, _) => Ok(bits),
        }
    }

    /// Alignment: natural for the type, the whole vector for vectors; `.align` raises it and never lowers it.
    pub(super) fn alignment(&mut self, declaration: &Declaration) -> Checked<u64> {
        // An array of opaque type, which the assembler alone takes, is one of words.
        let natural = if declaration.ty.is_opaque() { 4 } else { declaration.ty.size() * declaration.vector };
        let mut align = u64::from(natural).max(1);
        for (value, span) in &declaration.aligns {
            align = align.max(self.power_of_two(*value, *span)?);
        }
        Ok(align)
    }

    /// The alignment that `.align` states, if any.
    fn least_alignment(&self, declaration: &Declaration) -> Option<u64> {
        declaration.aligns.iter().map(|(value, _)| self.literal(*value)).max()
    }

    /// "The alignment value byte-count must be a power of two."
    pub(super) fn power_of_two(&mut self, value: Constant, span: Span) -> Checked<u64> {
        let wanted = self.literal(value);
        if !wanted.is_power_of_two() || wanted > 1 << 31 {
            return self.fail_expected(span, format!("alignment of {wanted} bytes"), "a power of two");
        }
        Ok(wanted)
    }

    /// Dimensions, size and alignment.
    pub(super) fn layout(&mut self, declaration: &Declaration, declarator: &Declarator) -> Checked<Layout> {
        let mut align = self.alignment(declaration)?;
        let mut size = u64::from(declaration.ty.size() * declaration.vector);
        if !declarator.dimensions.is_empty() {
            size = self.opaque_array_element(declaration.ty).unwrap_or(size);
        }
        let mut dimensions = Vec::with_capacity(declarator.dimensions.len());
        let mut incomplete = false;
        for (i, dimension) in declarator.dimensions.iter().enumerate() {
            // An extent of 0 counts as left out.
            let extent = match dimension.extent {
                Some(extent) => self.extent(extent)?,
                None => 0,
            };
            dimensions.push(extent);
            if extent == 0 {
                if i > 0 {
                    return self.fail_expected(
                        dimension.span,
                        "an incomplete dimension",
                        "an extent; only the first may be left out",
                    );
                }
                incomplete = true;
                continue;
            }
            match size.checked_mul(extent).filter(|size| *size < 1 << 62) {
                Some(product) => size = product,
                None => return self.fail(dimension.span, "an array of more than 2^62 bytes"),
            }
        }
        let external = declaration.linkage.iter().any(|(linkage, _)| *linkage == Linkage::Extern);
        // As observed: an array that stands for a whole bank is aligned for every type.
        if incomplete && external && declaration.bank.is_some() && self.by_assembler() {
            align = align.max(16);
        }
        if incomplete && !external && declarator.initializer.is_none() && declaration.space != Space::Param {
            return self.fail_expected(
                declarator.span,
                "an array without extent",
                "an extent, an initial value or `.extern`",
            );
        }
        // As observed: a module that is not to be linked has to say how large the arrays are that it takes from elsewhere. The
        // size of one in `.shared` comes with the launch.
        let elsewhere = declaration.space != Space::Shared && declaration.bank.is_none();
        let elsewhere = elsewhere && !self.defined_later(declarator.name);
        if incomplete && external && elsewhere && self.by_assembler() && !self.rules.relocatable {
            return self.fail_expected(
                declarator.span,
                "an `.extern` array without extent",
                "an extent, or a relocatable object (`ptxas --compile-only`)",
            );
        }
        Ok(Layout { dimensions, size, align, incomplete })
    }

    fn variable(
        &mut self,
        declaration: &'t Declaration,
        declarator: &'t Declarator,
        layout: Layout,
        attributes: Attributes,
        deviations: usize,
    ) -> Checked<()> {
        self.declarable(declarator.name)?;
        let name = self.text_of(declarator.name);
        let size = if layout.incomplete { 0 } else { layout.size };
        let mut variable = Variable {
            vector: declaration.vector,
            dimensions: layout.dimensions,
            least_align: self.least_alignment(declaration).unwrap_or(layout.align).min(layout.align),
            external: declaration.linkage.iter().any(|(linkage, _)| *linkage == Linkage::Extern),
            linkage: declaration.linkage.first().map(|(linkage, _)| *linkage),
            managed: attributes.managed,
            unified: attributes.unified,
            scope: self.function_id(),
            span: declarator.span.to(declaration.span),
            ..Variable::plain(name, declaration.space, declaration.ty, size, layout.align)
        };
        // Before the name is declared: a variable may not stand in its own initial value. The name is declared even if the
        // value is wrong, so that its uses are not reported too.
        let initialized = match &declarator.initializer {
            Some(initializer) => self.initialize(&mut variable, initializer),
            None => Ok(()),
        };
        if declarator.count.is_none() {
            variable.made = Some(self.made());
        }
        let noted = self.out.deviations.get(deviations..).unwrap_or(&[]);
        variable.deviations = noted.iter().map(|(deviation, _)| *deviation).collect();
        variable.deviations.dedup();
        if variable.space == Space::Const && variable.size > CONST_LIMIT {
            return self.fail_expected(
                declarator.span,
                format!("{} bytes of `.const`", variable.size),
                "at most 65536",
            );
        }
        let Some(count) = declarator.count else {
            self.not_reserved(declarator.name)?;
            self.not_only_declared(declaration, &variable, declarator.name)?;
            self.declare_variable(name, variable, declarator.name)?;
            return initialized;
        };
        let count = self.range_size(declarator.span, self.literal(count))?;
        if count > RANGE_LIMIT {
            return self
                .unsupported(declarator.span, format!("more than {RANGE_LIMIT} parameterised variables"));
        }
        self.variable_range(declarator, &variable, count)
    }

    /// As observed: the names of special registers are already declared at module scope.
    fn not_reserved(&mut self, name: Span) -> Checked<()> {
        let text = self.text_of(name);
        if self.by_assembler() && self.function.is_none() && is_special(text) {
            return self.fail_expected(name, format!("`{text}` is a special register"), "another name");
        }
        Ok(())
    }

    /// As observed: a variable without linkage, or with other extents, does not define an earlier `.extern`
    /// declaration.
    fn not_only_declared(&mut self, declaration: &Declaration, new: &Variable, name: Span) -> Checked<()> {
        let earlier = match self.scopes.declared_at_module(self.text_of(name)) {
            Some(Symbol::Variable(id)) if self.function.is_none() => &self.out.variables[id.0 as usize],
            _ => return Ok(()),
        };
        if !earlier.external || new.external || !self.by_assembler() {
            return Ok(());
        }
        let same = earlier.dimensions.len() == new.dimensions.len()
            && earlier.dimensions.iter().zip(&new.dimensions).all(|(a, b)| a == b || *a == 0);
        if !same {
            return self
                .fail(name, format!("`{}` differs from its `.extern` declaration", self.text_of(name)));
        }
        if declaration.linkage.is_empty() {
            return self.fail_expected(
                name,
                format!("`{}` was declared `.extern`", self.text_of(name)),
                "`.visible`, `.weak` or `.common` with its definition",
            );
        }
        Ok(())
    }

    fn variable_range(&mut self, declarator: &'t Declarator, variable: &Variable, count: u64) -> Checked<()> {
        // As observed: of a range of none the assembler keeps one, under a name that cannot be written.
        if count == 0 && self.by_assembler() {
            let name = format!("{}<", variable.name);
            let made = Some(self.made());
            self.push_variable(Variable { name, made, ..variable.clone() });
        }
        for number in 0..count {
            let name = format!("{}{number}", variable.name);
            let id = self.push_variable(Variable { name, ..variable.clone() });
            self.scopes.declare_numbered(self.text_of(declarator.name), number, id);
        }
        Ok(())
    }

    /// Records ranges whose variables the assembler does not all create.
    pub(super) fn unnamed_variables(&mut self) {
        let (variables, noted) = (&mut self.out.variables, &mut self.out.deviations);
        for variable in variables.iter_mut().filter(|variable| variable.made.is_none()) {
            variable.deviations.push(Deviation::PtxasUnnamedVariable);
            let note = (Deviation::PtxasUnnamedVariable, variable.span);
            if !noted.contains(&note) {
                noted.push(note);
            }
        }
    }

    /// The position of the next variable in the assembler's order of creation.
    pub(super) fn made(&mut self) -> u32 {
        self.variables_made += 1;
        self.variables_made
    }

    fn push_variable(&mut self, variable: Variable) -> VariableId {
        self.out.variables.push(variable);
        VariableId((self.out.variables.len() - 1) as u32)
    }

    /// Adds a variable under its name. A definition replaces an earlier `.extern` declaration.
    pub(super) fn declare_variable(
        &mut self,
        name: &'t str,
        variable: Variable,
        span: Span,
    ) -> Checked<VariableId> {
        if self.function.is_none()
            && let Some(Symbol::Variable(id)) = self.scopes.declared_at_module(name)
            && let Some(earlier) = self.out.variables.get_mut(id.0 as usize)
            && (earlier.external || variable.external)
            && (earlier.ty, earlier.vector) == (variable.ty, variable.vector)
            // As observed: the assembler does not compare the spaces.
            && (earlier.space == variable.space || matches!(self.rules.dialect, Dialect::Ptxas(..)))
        {
            if earlier.external {
                *earlier = Variable { made: earlier.made, ..variable };
            }
            return Ok(id);
        }
        // Kept even where the name is taken: the name may stand for it from now on, and the module is refused anyway.
        let id = self.push_variable(variable);
        let declared = self.scopes.declare(name, Symbol::Variable(id), span);
        self.not_declared_before(span, declared)?;
        Ok(id)
    }

    /// Turns an earlier declaration into an error.
    pub(super) fn not_declared_before(&mut self, span: Span, declared: Result<(), Span>) -> Checked<()> {
        if declared.is_ok() && self.is_label_here(span) {
            return self.fail(span, format!("`{}` is a label of this block already", self.text_of(span)));
        }
        let Err(earlier) = declared else {
            return Ok(());
        };
        let line = crate::source::line_column(self.text, earlier.start).line;
        self.fail(span, format!("`{}` is already declared in line {line}", self.text_of(span)))
    }
}

/// `%clock`, `%envreg3`
fn is_special(name: &str) -> bool {
    name.strip_prefix('%').is_some_and(|bare| {
        SpecialRegister::from_text(bare).is_some() || super::operand::is_unmodelled_special(bare)
    })
}

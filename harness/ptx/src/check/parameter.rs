//! Parameters of functions and kernels: types, layout, `.ptr` (PTX ISA 5.1.6).

use super::scope::Symbol;
use super::{Checked, Checker};
use crate::ast::{self, Declaration};
use crate::checked::{Parameter, Variable};
use crate::source::Span;
use crate::vocabulary::{Space, Type};

impl<'t> Checker<'t> {
    /// Types and layout of parameters; the variables and registers are created with the body.
    pub(super) fn signature(
        &mut self,
        parameters: &'t [Declaration],
        entry: bool,
    ) -> Checked<Vec<Parameter>> {
        let mut out = Vec::with_capacity(parameters.len());
        let mut offset = 0u64;
        for (index, declaration) in parameters.iter().enumerate() {
            let last = index + 1 == parameters.len();
            let parameter = self.parameter(declaration, entry, last, &mut offset)?;
            out.push(parameter);
        }
        Ok(out)
    }

    fn parameter(
        &mut self,
        declaration: &'t Declaration,
        entry: bool,
        last: bool,
        offset: &mut u64,
    ) -> Checked<Parameter> {
        match declaration.space {
            Space::Param => {}
            Space::Reg if !entry => {}
            space => {
                return self.fail_expected(
                    declaration.space_span,
                    format!("a parameter in `.{space}`"),
                    if entry { "`.param`" } else { "`.param` or `.reg`" },
                );
            }
        }
        let Some(declarator) = declaration.declarators.first() else {
            return self.fail(declaration.span, "a parameter without a name");
        };
        if declarator.name.range().is_empty() {
            return self.fail_expected(declaration.span, "a parameter without a name", "a name");
        }
        self.head_order(declaration)?;
        if !self.by_assembler() {
            self.attributes(&declaration.attributes, declaration.space)?;
            if let (Space::Reg, Some(dimension)) = (declaration.space, declarator.dimensions.first()) {
                return self.fail(dimension.span, "an array of registers");
            }
        }
        if let Some(initializer) = &declarator.initializer {
            return self.fail(initializer.span, "an initial value of a parameter");
        }
        if declarator.count.is_some() {
            return self.fail(declarator.span, "parameterised names of parameters");
        }
        if declaration.space == Space::Param {
            self.parameter_type(declaration)?;
        }
        self.pointer(declaration, entry)?;
        // As observed: the assembler refuses one object as a parameter of a function, and takes an array of them.
        if declaration.ty.is_opaque() && !entry && (declarator.dimensions.is_empty() || !self.by_assembler())
        {
            return self.fail_expected(
                declaration.ty_span,
                "a function parameter of opaque type",
                "a kernel parameter, or a `.u64` pointer",
            );
        }
        let array = !declarator.dimensions.is_empty();
        if declaration.ty == Type::Samplerref
            && !array
            && entry
            && self.by_assembler()
            && !self.out.texmode_independent
        {
            return self.fail_expected(
                declaration.ty_span,
                "`.samplerref` in unified texture mode",
                "`.target …, texmode_independent`",
            );
        }
        if declaration.ty == Type::Pred && declaration.space != Space::Reg {
            return self.fail(declaration.ty_span, "a parameter of type `.pred`");
        }
        if let Some(second) = declarator.dimensions.get(1) {
            return self.fail(second.span, "a parameter array of more than one dimension");
        }
        self.value_type(declaration)?;
        let layout = self.layout(declaration, declarator)?;
        if layout.incomplete && (entry || !last) {
            return self.fail_expected(
                declarator.span,
                "a parameter array without extent",
                "an extent; only the last parameter of a function may have none",
            );
        }
        if layout.incomplete {
            return self.unsupported(declarator.span, "a parameter array without extent (variadic function)");
        }
        let (size, align) = (layout.size, layout.align);
        let start = offset.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        // As observed: an object of opaque type is a parameter without bytes.
        let opaque = declaration.ty.is_opaque() && declarator.dimensions.is_empty();
        *offset = if opaque { *offset } else { start.saturating_add(size) };
        let name = self.text_of(declarator.name);
        Ok(Parameter {
            name: if name == "_" { String::new() } else { name.to_string() },
            variable: None,
            register: None,
            ty: declaration.ty,
            size,
            align,
            offset: start,
        })
    }

    /// `.ptr` (PTX ISA 5.1.6.2).
    fn pointer(&mut self, declaration: &Declaration, entry: bool) -> Checked<()> {
        let Some(pointer) = declaration.pointer else {
            return Ok(());
        };
        if !entry {
            return self.fail_expected(declaration.ty_span, "`.ptr` of a function", "a kernel parameter");
        }
        if let Some(align) = pointer.align {
            self.power_of_two(align, align.span)?;
        }
        match pointer.opaque {
            Some(span) if self.by_assembler() => self.gate(span, "a pointer to opaque objects", 43, 10),
            Some(span) => self.fail_expected(
                span,
                "a pointer to opaque objects",
                "`.const`, `.global`, `.local` or `.shared`",
            ),
            None => Ok(()),
        }
    }

    /// `_` may stand for a name only in prototypes; as observed, the assembler also accepts it for parameters of
    /// kernels.
    pub(super) fn parameter_names(&mut self, item: &ast::Function) -> Checked<()> {
        if item.entry && self.by_assembler() {
            return Ok(());
        }
        let lists = [&item.returns, &item.parameters].into_iter().flatten().flatten();
        let names = lists.filter_map(|declaration| Some(declaration.declarators.first()?.name));
        match names.into_iter().find(|name| self.text_of(*name) == "_") {
            Some(name) => {
                self.fail_expected(name, "`_` as a parameter", "a name; `_` is for `.callprototype`")
            }
            None => Ok(()),
        }
    }

    /// Only parameters of functions may omit their extent, which the caller then decides.
    pub(super) fn complete_returns(&mut self, item: &ast::Function) -> Checked<()> {
        let returns = item.returns.iter().flatten().filter_map(|declaration| declaration.declarators.first());
        let first = |declarator: &ast::Declarator| Some((*declarator.dimensions.first()?, declarator.span));
        match returns.filter_map(first).find(|(dimension, _)| dimension.extent.is_none()) {
            Some((_, span)) => self.fail_expected(span, "a result without extent", "an extent"),
            None => Ok(()),
        }
    }

    /// "For targets sm_20 or higher, PTX restricts functions to a single return value, and a .param byte array should be used to return objects
    /// that do not fit into a register" (7.1.1). As observed with ptxas 11.8, 12.4 and 12.9: the assembler refuses several in `.param` alone.
    pub(super) fn single_return(&mut self, item: &ast::Function) -> Checked<()> {
        let returns = item.returns.as_deref().unwrap_or(&[]);
        let Some(second) = returns.get(1).and_then(|declaration| declaration.declarators.first()) else {
            return Ok(());
        };
        if self.by_assembler() && returns.iter().all(|declaration| declaration.space != Space::Param) {
            return Ok(());
        }
        let wanted = if self.by_assembler() {
            "one return parameter, or several in `.reg`"
        } else {
            "one return parameter; a `.param` array of bytes holds what does not fit into it"
        };
        self.fail_expected(second.span, format!("{} return parameters", returns.len()), wanted)
    }

    /// Declares the parameters of a body as variables or registers.
    pub(super) fn bind_parameters(&mut self, declarations: &'t [Declaration], returns: bool) {
        for (index, declaration) in declarations.iter().enumerate() {
            let Some(declarator) = declaration.declarators.first() else {
                continue;
            };
            let name = self.text_of(declarator.name);
            if self.attributes(&declaration.attributes, declaration.space).is_err() {
                continue;
            }
            if let (Space::Reg, Some(dimension)) = (declaration.space, declarator.dimensions.first()) {
                let _: Checked<()> = self.fail(dimension.span, "an array of registers");
                continue;
            }
            if name.is_empty() || name == "_" || self.declarable(declarator.name).is_err() {
                continue;
            }
            let _ = self.bind_parameter(declaration, name, declarator.name, index, returns);
        }
    }

    fn bind_parameter(
        &mut self,
        declaration: &'t Declaration,
        name: &'t str,
        span: Span,
        index: usize,
        returns: bool,
    ) -> Checked<()> {
        let Some(id) = self.function_id() else {
            return Ok(());
        };
        let function = &self.out.functions[id.0 as usize];
        let list = if returns { &function.returns } else { &function.parameters };
        let Some((size, align)) = list.get(index).map(|parameter| (parameter.size, parameter.align)) else {
            return Ok(());
        };
        let mut register = None;
        let mut variable = None;
        if declaration.space == Space::Reg {
            self.packed_registers |= declaration.ty == Type::F16x2;
            let made = self.new_register(name, declaration.ty, declaration.vector);
            let declared = self.scopes.declare(name, Symbol::Register(made), span);
            self.not_declared_before(span, declared)?;
            register = Some(made);
        } else {
            let dimensions = self.layout(declaration, &declaration.declarators[0])?.dimensions;
            let made = Variable {
                dimensions,
                scope: Some(id),
                made: Some(self.made()),
                span: declaration.span,
                ..Variable::plain(name, Space::Param, declaration.ty, size, align)
            };
            variable = Some(self.declare_variable(name, made, span)?);
        }
        let function = &mut self.out.functions[id.0 as usize];
        let list = if returns { &mut function.returns } else { &mut function.parameters };
        list[index].register = register;
        list[index].variable = variable;
        Ok(())
    }
}

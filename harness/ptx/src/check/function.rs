//! Functions: heads, parameters, and the walk through a body.

use std::collections::HashMap;

use super::scope::Symbol;
use super::{Checked, Checker};
use crate::ast::{
    self, Attribute, CallPrototype, Declaration, FunctionDirective, FunctionDirectiveKind, Linkage, Statement,
};
use crate::checked::{
    Function, FunctionId, Instruction, Parameter, Prototype, Register, RegisterId, Variable,
};
use crate::source::Span;
use crate::vocabulary::{Space, Type};

/// The function whose body is being checked.
pub(super) struct Current<'t> {
    pub(super) id: FunctionId,
    pub(super) registers: Vec<Register>,
    pub(super) body: Vec<Instruction>,
    pub(super) branch_targets: Vec<Vec<u32>>,
    pub(super) prototypes: Vec<Prototype>,
    /// Labels by the number of their block and their name.
    labels: HashMap<(u32, &'t str), Label>,
    /// Numbers of the blocks that are open, innermost last.
    blocks: Vec<u32>,
    /// Blocks opened so far.
    block_count: u32,
}

/// What a label stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    /// An instruction, or the end of the body.
    Code(u32),
    /// `.branchtargets`
    Targets(u32),
    /// `.callprototype` or `.calltargets`
    Prototype(u32),
}

impl<'t> Checker<'t> {
    /// A function or kernel, declared or defined.
    pub(super) fn function_item(&mut self, item: &'t ast::Function) -> Checked<()> {
        if let Some((_, second)) = item.linkage.get(1) {
            return self.fail_expected(*second, "a second linkage directive", "at most one");
        }
        if let Some((Linkage::Common, span)) = item.linkage.first() {
            return self.fail_expected(*span, "`.common` of a function", "`.extern`, `.visible` or `.weak`");
        }
        self.declarable(item.name)?;
        self.function_attributes(&item.attributes)?;
        let id = self.function_head(item)?;
        let Some(body) = &item.body else {
            return Ok(());
        };
        self.scopes.enter();
        self.function = Some(Current {
            id,
            registers: Vec::new(),
            body: Vec::with_capacity(body.len()),
            branch_targets: Vec::new(),
            prototypes: Vec::new(),
            labels: HashMap::new(),
            blocks: vec![0],
            block_count: 1,
        });
        self.function_body(item, body);
        self.scopes.leave();
        let Some(current) = self.function.take() else {
            return Ok(());
        };
        let function = &mut self.out.functions[id.0 as usize];
        function.registers = current.registers;
        function.body = current.body;
        function.branch_targets = current.branch_targets;
        function.prototypes = current.prototypes;
        if item.entry { self.shared_memory(id, item.name) } else { Ok(()) }
    }

    /// Declares the function, or finds its earlier declaration, which must agree.
    fn function_head(&mut self, item: &'t ast::Function) -> Checked<FunctionId> {
        let name = self.text_of(item.name);
        let returns = self.signature(item.returns.as_deref().unwrap_or(&[]), item.entry)?;
        let parameters = self.signature(item.parameters.as_deref().unwrap_or(&[]), item.entry)?;
        let mut function = Function {
            name: name.to_string(),
            entry: item.entry,
            returns,
            parameters,
            external: item.body.is_none(),
            noreturn: false,
            required_threads: None,
            max_threads: None,
            registers: Vec::new(),
            body: Vec::new(),
            branch_targets: Vec::new(),
            prototypes: Vec::new(),
            span: item.span,
        };
        self.function_directives(&mut function, &item.directives)?;
        if let Some(Symbol::Function(id)) = self.scopes.declared_at_module(name) {
            let earlier = &mut self.out.functions[id.0 as usize];
            if !earlier.external && !function.external {
                return self.fail(item.name, format!("`{name}` is already defined"));
            }
            let same = |a: &[Parameter], b: &[Parameter]| {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.size == b.size && a.align == b.align)
            };
            if earlier.entry != function.entry
                || !same(&earlier.returns, &function.returns)
                || !same(&earlier.parameters, &function.parameters)
            {
                return self.fail(item.name, format!("`{name}` differs from its earlier declaration"));
            }
            if !function.external {
                *earlier = function;
            }
            return Ok(id);
        }
        let id = FunctionId(self.out.functions.len() as u32);
        let declared = self.scopes.declare(name, Symbol::Function(id), item.name);
        self.not_declared_before(item.name, declared)?;
        self.out.functions.push(function);
        Ok(id)
    }

    /// Types and layout of parameters; variables and registers come with the body.
    pub(super) fn signature(
        &mut self,
        parameters: &'t [Declaration],
        entry: bool,
    ) -> Checked<Vec<Parameter>> {
        let mut out = Vec::with_capacity(parameters.len());
        let mut offset = 0u64;
        for declaration in parameters {
            let parameter = self.parameter(declaration, entry, &mut offset)?;
            out.push(parameter);
        }
        Ok(out)
    }

    fn parameter(
        &mut self,
        declaration: &'t Declaration,
        entry: bool,
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
        if layout.incomplete {
            return self.unsupported(declarator.span, "a parameter array without extent (variadic function)");
        }
        let (size, align) = (layout.size, layout.align);
        let start = offset.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        *offset = start.saturating_add(size);
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

    /// `.attribute(.unified(1, 2))` of a function (PTX ISA 5.4.8).
    fn function_attributes(&mut self, attributes: &[Attribute]) -> Checked<()> {
        for attribute in attributes {
            match attribute {
                Attribute::Managed(span) => {
                    return self.fail_expected(*span, "`.managed` of a function", "`.unified(…)`");
                }
                Attribute::Unified { span, .. } => self.unified_gate(*span)?,
            }
        }
        Ok(())
    }

    fn function_directives(
        &mut self,
        function: &mut Function,
        directives: &[FunctionDirective],
    ) -> Checked<()> {
        use FunctionDirectiveKind as Kind;
        for directive in directives {
            let span = directive.span;
            let (least, most) = match directive.kind {
                Kind::Maxntid | Kind::Reqntid | Kind::Reqnctapercluster => (1, 3),
                Kind::Minnctapersm | Kind::Maxnctapersm | Kind::Maxnreg | Kind::Maxclusterrank => (1, 1),
                Kind::AbiPreserve | Kind::AbiPreserveControl => (1, 1),
                Kind::Noreturn | Kind::Pragma | Kind::Explicitcluster => (0, 0),
            };
            let kernel_only = !matches!(
                directive.kind,
                Kind::Noreturn | Kind::Pragma | Kind::AbiPreserve | Kind::AbiPreserveControl
            );
            if kernel_only && !function.entry {
                return self.fail_expected(span, "a directive of kernels", "an `.entry`");
            }
            let count = directive.values.len();
            if count < least || count > most {
                return self.fail_expected(span, format!("{count} numbers"), format!("{least} to {most}"));
            }
            let mut values = [1u32; 3];
            for (i, value) in directive.values.iter().enumerate() {
                match u32::try_from(self.literal(*value)) {
                    Ok(number) => values[i] = number,
                    Err(_) => return self.fail(value.span, "number of more than 32 bits"),
                }
            }
            match directive.kind {
                Kind::Maxntid => function.max_threads = Some(values),
                Kind::Reqntid => function.required_threads = Some(values),
                Kind::Noreturn => {
                    self.gate(span, "`.noreturn`", 64, 30)?;
                    function.noreturn = true;
                }
                Kind::Explicitcluster | Kind::Reqnctapercluster | Kind::Maxclusterrank => {
                    return self.unsupported(span, "thread block clusters");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Declares the parameters of a body as variables or registers.
    fn bind_parameters(&mut self, declarations: &'t [Declaration], returns: bool) {
        for (index, declaration) in declarations.iter().enumerate() {
            let Some(declarator) = declaration.declarators.first() else {
                continue;
            };
            let name = self.text_of(declarator.name);
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
            let made = self.new_register(name, declaration.ty, declaration.vector, span)?;
            let declared = self.scopes.declare(name, Symbol::Register(made), span);
            self.not_declared_before(span, declared)?;
            register = Some(made);
        } else {
            let dimensions = self.layout(declaration, &declaration.declarators[0])?.dimensions;
            let made = Variable {
                name: name.to_string(),
                space: Space::Param,
                ty: declaration.ty,
                vector: 1,
                dimensions,
                align,
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
                departures: Vec::new(),
                scope: Some(id),
                span: declaration.span,
            };
            variable = Some(self.declare_variable(name, made, span)?);
        }
        let function = &mut self.out.functions[id.0 as usize];
        let list = if returns { &mut function.returns } else { &mut function.parameters };
        list[index].register = register;
        list[index].variable = variable;
        Ok(())
    }

    fn function_body(&mut self, item: &'t ast::Function, body: &'t [Statement]) {
        self.collect_labels(body);
        if let Some(current) = &mut self.function {
            current.blocks = vec![0];
            current.block_count = 1;
        }
        self.bind_parameters(item.returns.as_deref().unwrap_or(&[]), true);
        self.bind_parameters(item.parameters.as_deref().unwrap_or(&[]), false);
        for statement in body {
            // Every failure has left its diagnostic; the next statement is checked all the same.
            let _ = self.statement(statement);
        }
    }

    /// Labels may be used before they stand; so they are gathered first.
    fn collect_labels(&mut self, body: &'t [Statement]) {
        let (mut instructions, mut targets, mut prototypes) = (0, 0, 0);
        for statement in body {
            match statement {
                Statement::Open(_) => self.enter_block(),
                Statement::Close(_) => self.leave_block(),
                Statement::Instruction(_) => instructions += 1,
                Statement::Label(name) => self.add_label(*name, Label::Code(instructions)),
                Statement::BranchTargets { label, .. } => {
                    self.add_label(*label, Label::Targets(targets));
                    targets += 1;
                }
                Statement::CallTargets { label, .. } => {
                    self.add_label(*label, Label::Prototype(prototypes));
                    prototypes += 1;
                }
                Statement::CallPrototype(prototype) => {
                    self.add_label(prototype.label, Label::Prototype(prototypes));
                    prototypes += 1;
                }
                Statement::Declaration(_) | Statement::Raw(_) => {}
            }
        }
    }

    fn enter_block(&mut self) {
        if let Some(current) = &mut self.function {
            current.blocks.push(current.block_count);
            current.block_count += 1;
        }
    }

    fn leave_block(&mut self) {
        if let Some(current) = &mut self.function {
            current.blocks.pop();
        }
    }

    fn add_label(&mut self, span: Span, label: Label) {
        let name = self.text_of(span);
        let Some(current) = &mut self.function else {
            return;
        };
        let block = current.blocks.last().copied().unwrap_or(0);
        if current.labels.insert((block, name), label).is_some() {
            self.report(span, format!("label `{name}` stands twice in one block"), None, false);
        }
    }

    /// Whether a label of that name stands in this very block: a block has one thing of a name.
    pub(super) fn is_label_here(&self, span: Span) -> bool {
        let name = self.text_of(span);
        self.function.as_ref().is_some_and(|current| {
            current.blocks.last().is_some_and(|block| current.labels.contains_key(&(*block, name)))
        })
    }

    /// The label of that name in this block or one around it.
    pub(super) fn label(&mut self, span: Span) -> Checked<Label> {
        let name = self.text_of(span);
        let found = self.function.as_ref().and_then(|current| {
            current.blocks.iter().rev().find_map(|block| current.labels.get(&(*block, name)).copied())
        });
        match found {
            Some(label) => Ok(label),
            None => self.fail_expected(span, format!("no label `{name}`"), "a label of this function"),
        }
    }

    fn statement(&mut self, statement: &'t Statement) -> Checked<()> {
        match statement {
            Statement::Open(_) => {
                self.scopes.enter();
                self.enter_block();
                Ok(())
            }
            Statement::Close(_) => {
                self.scopes.leave();
                self.leave_block();
                Ok(())
            }
            Statement::Label(_) | Statement::Raw(_) => Ok(()),
            Statement::Declaration(declaration) => self.local_variables(declaration),
            Statement::Instruction(instruction) => {
                let checked = self.instruction(instruction);
                // A place in the body even for what is wrong: labels count instructions.
                if let (Some(current), Ok(checked)) = (&mut self.function, checked) {
                    current.body.push(checked);
                }
                Ok(())
            }
            Statement::BranchTargets { targets, .. } => self.branch_targets(*targets),
            Statement::CallTargets { label, targets, .. } => self.call_targets(*label, *targets),
            Statement::CallPrototype(prototype) => self.call_prototype(prototype),
        }
    }

    fn branch_targets(&mut self, targets: ast::List) -> Checked<()> {
        let ast = self.ast;
        let mut list = Vec::with_capacity(targets.len());
        for operand in ast.operands_of(targets) {
            match self.label(operand.span())? {
                Label::Code(index) => list.push(index),
                _ => {
                    return self.fail_expected(
                        operand.span(),
                        "not a branch target",
                        "the label of an instruction",
                    );
                }
            }
        }
        if let Some(current) = &mut self.function {
            current.branch_targets.push(list);
        }
        Ok(())
    }

    /// `.calltargets`: the functions must have one signature, which serves as the prototype.
    fn call_targets(&mut self, label: Span, targets: ast::List) -> Checked<()> {
        let ast = self.ast;
        self.gate(label, "`.calltargets`", 21, 20)?;
        let Some(first) = ast.operands_of(targets).first() else {
            return Ok(());
        };
        let name = self.text_of(first.span());
        let Some(Symbol::Function(id)) = self.scopes.declared_at_module(name) else {
            return self.fail_expected(first.span(), format!("`{name}` is not declared"), "a function");
        };
        let function = &self.out.functions[id.0 as usize];
        let prototype =
            Prototype { returns: function.returns.clone(), parameters: function.parameters.clone() };
        self.add_prototype(prototype);
        Ok(())
    }

    fn call_prototype(&mut self, prototype: &'t CallPrototype) -> Checked<()> {
        self.gate(prototype.label, "`.callprototype`", 21, 20)?;
        let returns = self.signature(prototype.returns.as_deref().unwrap_or(&[]), false)?;
        let parameters = self.signature(prototype.parameters.as_deref().unwrap_or(&[]), false)?;
        self.add_prototype(Prototype { returns, parameters });
        Ok(())
    }

    fn add_prototype(&mut self, mut prototype: Prototype) {
        for parameter in prototype.returns.iter_mut().chain(&mut prototype.parameters) {
            parameter.variable = None;
            parameter.register = None;
        }
        if let Some(current) = &mut self.function {
            current.prototypes.push(prototype);
        }
    }

    /// Type and width of a register of the current function.
    pub(super) fn register(&self, id: RegisterId) -> (Type, u32) {
        let register = self.function.as_ref().and_then(|current| current.registers.get(id.0 as usize));
        register.map_or((Type::B32, 1), |register| (register.ty, register.vector))
    }
}

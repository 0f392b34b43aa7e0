//! Functions: their heads and directives, labels, register declarations, and the walk through a body.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::scope::Symbol;
use super::{Checked, Checker};
use crate::ast::{
    self, Attribute, CallPrototype, FunctionDirective, FunctionDirectiveKind, Item, Linkage, Statement,
};
use crate::checked::{Function, FunctionId, Instruction, Parameter, Prototype, Register, RegisterId};
use crate::source::Span;
use crate::vocabulary::Type;

/// The function whose body is being checked.
pub(super) struct Current<'t> {
    pub(super) id: FunctionId,
    pub(super) registers: Vec<Register>,
    pub(super) body: Vec<Instruction>,
    pub(super) branch_targets: Vec<Vec<u32>>,
    pub(super) prototypes: Vec<Prototype>,
    /// Labels by the number of their block and their name.
    labels: HashMap<(u32, &'t str), Label, RandomState>,
    /// Numbers of the open blocks, innermost last.
    blocks: Vec<u32>,
    /// Blocks opened so far.
    block_count: u32,
}

/// The statement after a label.
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
        if let (Some((Linkage::Extern, span)), Some(_)) = (item.linkage.first(), &item.body) {
            return self.fail_expected(*span, "an `.extern` function with a body", "its declaration alone");
        }
        self.declarable(item.name)?;
        self.function_attributes(&item.attributes)?;
        self.parameter_names(item)?;
        let id = self.function_head(item)?;
        let Some(body) = &item.body else {
            return self.declared_function(item);
        };
        self.scopes.enter();
        self.function = Some(Current {
            id,
            registers: self.module_registers.clone(),
            body: Vec::with_capacity(body.len()),
            branch_targets: Vec::new(),
            prototypes: Vec::new(),
            labels: HashMap::default(),
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

    /// As observed, the assembler requires a definition of every function declared without `.extern`, used or not. It
    /// requires one of kernels too, but this checker does not: programs are often quoted without their kernels.
    fn declared_function(&mut self, item: &ast::Function) -> Checked<()> {
        let external = matches!(item.linkage.first(), Some((Linkage::Extern, _)));
        let name = self.text_of(item.name);
        if item.entry || external || !self.by_assembler() || self.defines(name) {
            return Ok(());
        }
        self.fail_expected(
            item.name,
            format!("`{name}` is declared and not defined"),
            "`.extern`, or its definition",
        )
    }

    /// Declares the function, or finds its earlier declaration and checks that both agree.
    fn function_head(&mut self, item: &'t ast::Function) -> Checked<FunctionId> {
        let name = self.text_of(item.name);
        self.complete_returns(item)?;
        self.single_return(item)?;
        let returns = self.signature(item.returns.as_deref().unwrap_or(&[]), item.entry)?;
        let parameters = self.signature(item.parameters.as_deref().unwrap_or(&[]), item.entry)?;
        let declared = Function::bare(name.to_string(), item.entry, item.body.is_none(), item.span);
        let mut function = Function { returns, parameters, ..declared };
        self.function_directives(&mut function, &item.directives)?;
        if let Some(Symbol::Function(id)) = self.scopes.declared_at_module(name) {
            let by_assembler = self.by_assembler();
            let earlier = &mut self.out.functions[id.0 as usize];
            if !earlier.external && (!function.external || by_assembler) {
                return self.fail(item.name, format!("`{name}` is already defined"));
            }
            // As observed: the assembler compares the types of parameters, too.
            let same = |a: &[Parameter], b: &[Parameter]| {
                let agree = |(a, b): (&Parameter, &Parameter)| {
                    (a.size, a.align) == (b.size, b.align) && (a.ty == b.ty || !by_assembler)
                };
                a.len() == b.len() && a.iter().zip(b).all(agree)
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
            return self.linkage_of_definition(item).map(|()| id);
        }
        let id = FunctionId(self.out.functions.len() as u32);
        let declared = self.scopes.declare(name, Symbol::Function(id), item.name);
        self.not_declared_before(item.name, declared)?;
        self.out.functions.push(function);
        Ok(id)
    }

    /// As observed, a definition has the linkage of its declaration or none, and a function declared `.extern` is
    /// defined elsewhere.
    fn linkage_of_definition(&mut self, item: &ast::Function) -> Checked<()> {
        if !self.by_assembler() {
            return Ok(());
        }
        let name = self.text_of(item.name);
        let declared = self.ast.items.iter().find_map(|earlier| match earlier {
            Item::Function(earlier) if self.text_of(earlier.name) == name => Some(earlier),
            _ => None,
        });
        let linkage = |item: &ast::Function| item.linkage.first().map(|(linkage, _)| *linkage);
        let Some(earlier) = declared.map(|earlier| linkage(earlier)) else { return Ok(()) };
        let agrees = linkage(item) == earlier || linkage(item).is_none() && earlier != Some(Linkage::Extern);
        if agrees {
            return Ok(());
        }
        self.fail(item.name, format!("`{name}` differs in linkage from its earlier declaration"))
    }

    /// `.attribute(.unified(1, 2))` of a function (PTX ISA 5.4.8).
    fn function_attributes(&mut self, attributes: &[Attribute]) -> Checked<()> {
        for attribute in attributes {
            match attribute {
                Attribute::Managed(span) => {
                    return self.fail_expected(*span, "`.managed` of a function", "`.unified(…)`");
                }
                Attribute::Unified(span) => self.unified_gate(*span)?,
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
            // "This directive cannot be specified on an .entry function" (11.4.5), and ptxas cannot parse it there.
            if directive.kind == Kind::Noreturn && function.entry {
                return self.fail_expected(
                    span,
                    "`.noreturn` of a kernel",
                    "a `.func`, which alone may have it",
                );
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

    /// Collects the labels first, since an instruction may use a label before its definition.
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

    /// Whether this block itself has a label of that name: a name has one meaning per block.
    pub(super) fn is_label_here(&self, span: Span) -> bool {
        let name = self.text_of(span);
        self.function.as_ref().is_some_and(|current| {
            current.blocks.last().is_some_and(|block| current.labels.contains_key(&(*block, name)))
        })
    }

    /// The label of that name in this block or an enclosing one.
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
            Statement::Instruction(instruction) => self.instruction(instruction),
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

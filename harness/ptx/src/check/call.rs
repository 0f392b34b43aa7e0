//! `call`: whether arguments and results suit the callee or its prototype (PTX ISA 9.7.12).

use super::agreement::{Width, agrees};
use super::function::Label;
use super::operand::Resolved;
use super::{Checked, Checker};
use crate::ast::{self, Operand as Written, Word, WordKind};
use crate::checked::{CallArgument, CallOperands, Callee, Operand, Parameter};
use crate::source::Span;
use crate::vocabulary::{Modifier, Space, Type};

/// Parts of a call as written.
struct Parts<'t> {
    returns: &'t [Written],
    callee: &'t Written,
    arguments: &'t [Written],
    prototype: Option<&'t Written>,
}

impl<'t> Checker<'t> {
    /// `call{.uni} (returns), callee, (arguments), prototype;`
    pub(super) fn call(
        &mut self,
        instruction: &'t ast::Instruction,
        words: &[Word],
    ) -> Checked<Vec<Operand>> {
        for (i, word) in words.iter().enumerate() {
            if i > 0 || word.kind != WordKind::Modifier(Modifier::Uni) {
                return self.fail_expected(
                    word.span,
                    format!("`{}` does not fit here in `call`", self.text_of(word.span)),
                    "`.uni` or the operands",
                );
            }
        }
        let parts = self.call_parts(instruction)?;
        let (callee, returns, parameters) = self.callee(&parts, instruction.span)?;
        let returns = self.arguments(parts.returns, &returns, instruction.span, true)?;
        let arguments = self.arguments(parts.arguments, &parameters, instruction.span, false)?;
        Ok(vec![Operand::Call(Box::new(CallOperands { returns, callee, arguments }))])
    }

    fn call_parts(&mut self, instruction: &'t ast::Instruction) -> Checked<Parts<'t>> {
        let ast = self.ast;
        let mut rest = ast.operands_of(instruction.operands);
        let list = |rest: &mut &'t [Written]| -> &'t [Written] {
            match rest.split_first() {
                Some((Written::Group { items, .. }, tail)) => {
                    *rest = tail;
                    ast.operands_of(*items)
                }
                _ => &[],
            }
        };
        let returns = list(&mut rest);
        let Some((callee, tail)) = rest.split_first() else {
            return self.fail_expected(
                instruction.span,
                "a call of nothing",
                "`call (returns), function, (arguments)`",
            );
        };
        rest = tail;
        let arguments = list(&mut rest);
        let prototype = rest.first();
        if let Some(extra) = rest.get(1) {
            return self.fail_expected(
                extra.span(),
                "another operand of `call`",
                "`call (returns), function, (arguments), prototype`",
            );
        }
        Ok(Parts { returns, callee, arguments, prototype })
    }

    /// Resolves the callee and its signature.
    fn callee(&mut self, parts: &Parts<'t>, span: Span) -> Checked<(Callee, Vec<Parameter>, Vec<Parameter>)> {
        let found = self.resolve(parts.callee)?;
        match found {
            Resolved::Function(id) => {
                if let Some(prototype) = parts.prototype {
                    return self.fail_expected(
                        prototype.span(),
                        "a prototype with a direct call",
                        "no further operand",
                    );
                }
                let function = &self.out.functions[id.0 as usize];
                if function.entry {
                    return self.fail_expected(parts.callee.span(), "a call of a kernel", "a `.func`");
                }
                let (returns, parameters) = (function.returns.clone(), function.parameters.clone());
                let name = parts.callee.span();
                self.callee_is_defined(self.text_of(name), name)?;
                Ok((Callee::Function(id), returns, parameters))
            }
            Resolved::Register { id, ty, vector: 1, negated: false }
                if agrees(Type::B64, ty, Width::Exact) =>
            {
                let Some(Written::Name(name)) = parts.prototype else {
                    return self.fail_expected(
                        span,
                        "an indirect call without prototype",
                        "the label of a `.callprototype` or `.calltargets`",
                    );
                };
                let Label::Prototype(prototype) = self.label(*name)? else {
                    return self.fail_expected(
                        *name,
                        "not a prototype",
                        "the label of a `.callprototype` or `.calltargets`",
                    );
                };
                let known = self
                    .function
                    .as_ref()
                    .and_then(|current| current.prototypes.get(prototype as usize))
                    .cloned();
                let Some(signature) = known else {
                    return self.fail(*name, "a prototype that stands after its use");
                };
                Ok((Callee::Indirect { register: id, prototype }, signature.returns, signature.parameters))
            }
            _ => self.misfit(parts.callee.span(), found, "a function or a 64-bit register"),
        }
    }

    fn arguments(
        &mut self,
        given: &'t [Written],
        parameters: &[Parameter],
        span: Span,
        returns: bool,
    ) -> Checked<Vec<CallArgument>> {
        let what = if returns { "return values" } else { "arguments" };
        if given.len() != parameters.len() {
            return self.fail_expected(
                span,
                format!("a call with {} {what}", given.len()),
                format!("{} {what}", parameters.len()),
            );
        }
        let mut out = Vec::with_capacity(given.len());
        for (operand, parameter) in given.iter().zip(parameters) {
            out.push(self.argument(operand, parameter, returns)?);
        }
        Ok(out)
    }

    fn argument(
        &mut self,
        operand: &'t Written,
        parameter: &Parameter,
        returns: bool,
    ) -> Checked<CallArgument> {
        let found = self.resolve(operand)?;
        let span = operand.span();
        match found {
            Resolved::Variable { id, offset: 0 }
                if self.out.variables[id.0 as usize].space == Space::Param =>
            {
                let size = self.out.variables[id.0 as usize].size;
                if size != parameter.size {
                    return self.fail_expected(
                        span,
                        format!("`{}` has {size} bytes", self.text_of(span)),
                        format!("{} bytes", parameter.size),
                    );
                }
                Ok(CallArgument::Variable(id))
            }
            Resolved::Register { id, ty, vector: 1, negated: false }
                if agrees(parameter.ty, ty, Width::Exact) =>
            {
                Ok(CallArgument::Register(id))
            }
            Resolved::Constant(value) if !returns => match self.immediate(value, parameter.ty) {
                Some(immediate) => Ok(CallArgument::Immediate(immediate)),
                None => self.misfit(span, found, format!("a value of type `.{}`", parameter.ty)),
            },
            _ => self.misfit(
                span,
                found,
                format!("a `.param` variable or a register of type `.{}`", parameter.ty),
            ),
        }
    }
}

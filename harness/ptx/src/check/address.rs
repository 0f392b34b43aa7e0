//! Memory operands `[a+4]`: what may stand in the brackets, and which state spaces an instruction takes (PTX ISA 6.4 and 9.7.9).

use super::constant::Value;
use super::operand::Resolved;
use super::words::Words;
use super::{Checked, Checker, Dialect};
use crate::ast::Operand as Written;
use crate::checked::{AddressBase, Operand, VariableId};
use crate::source::Span;
use crate::vocabulary::{Modifier, Opcode, Space, Type};

impl<'t> Checker<'t> {
    /// `[a]`, `[a+4]`, `[4]`, `[a].unified`.
    pub(super) fn address(&mut self, words: &Words, operand: &Written) -> Checked<Operand> {
        let (items, qualifier) = match *operand {
            Written::Bracket { items, unified, .. } => (items, unified),
            _ => {
                let found = self.resolve(operand)?;
                return self.misfit(operand.span(), found, "an address in brackets");
            }
        };
        if let Some(span) = qualifier {
            self.unified_load(words, span)?;
        }
        let unified = qualifier.is_some();
        if words.spaces.is_empty() {
            self.gate(words.span, "generic addressing", 20, 20)?;
        }
        let ast = self.ast;
        let [inner] = ast.operands_of(items) else {
            return self.fail_expected(
                operand.span(),
                format!("an address of {} parts", items.len()),
                "one base and an optional offset",
            );
        };
        let (base, offset) = match *inner {
            Written::Offset { name, offset } => {
                let (bits, _) = self.evaluate_integer(offset)?;
                (self.name(name)?, bits as i64)
            }
            _ => (self.resolve(inner)?, 0),
        };
        let span = inner.span();
        if words.opcode == Opcode::Fence && self.by_assembler() {
            return self.fenced_address(span, base);
        }
        let of_tensors = words.modifiers.contains(&Modifier::Tensormap);
        match base {
            Resolved::Register { id, ty, vector: 1, negated: false } if is_address_type(ty) => {
                // As observed, asynchronous accesses take 32 bits in any state space, and so do prefetches of descriptions of tensors.
                let waits = !words.modifiers.iter().any(|m| matches!(m, Modifier::Async | Modifier::Bulk));
                if ty.size() == 4
                    && waits
                    && !of_tensors
                    && matches!(words.spaces.first(), None | Some(Space::Global))
                {
                    self.narrow_addresses(span)?;
                }
                Ok(Operand::Address { base: AddressBase::Register(id), offset, unified })
            }
            Resolved::Register { ty, vector: 1, negated: false, .. }
                if self.by_assembler()
                    && !of_tensors
                    && ty.size() < 4
                    && !ty.is_float()
                    && ty != Type::Pred =>
            {
                self.unsupported(span, format!("an address in a register of type `.{ty}`"))
            }
            // As observed: it makes an addition of the name that it then refuses.
            Resolved::Variable { .. }
                if self.by_assembler()
                    && words.modifiers.contains(&Modifier::Bulk)
                    && !words.spaces.is_empty() =>
            {
                self.fail_expected(span, "a variable as the address of `st.bulk`", "a register that holds it")
            }
            Resolved::Variable { id, offset: own } => {
                self.addressable(words, id, span)?;
                if let Some(qualifier) = qualifier
                    && !self.out.variables[id.0 as usize].unified
                {
                    let what =
                        format!("`.unified` with `{}`, which has no such attribute", self.text_of(span));
                    return self.fail_expected(qualifier, what, "a `.unified` variable");
                }
                let offset = offset.wrapping_add(own);
                Ok(Operand::Address { base: AddressBase::Variable(id), offset, unified })
            }
            Resolved::Constant(Value::Integer { bits, .. }) => {
                if self.by_assembler() && words.spaces.first() != Some(&Space::Local) {
                    return self.fail_expected(
                        span,
                        "an absolute address",
                        "a register or variable; constants only in `.local`",
                    );
                }
                Ok(Operand::Address { base: AddressBase::Absolute, offset: bits as i64, unified })
            }
            _ => self.misfit(span, base, "a 32-bit or 64-bit integer register, a variable or a constant"),
        }
    }

    /// The address of a `fence.proxy.tensormap::generic.acquire`: as observed, any register of at most 64 bits, any name and any constant.
    fn fenced_address(&mut self, span: Span, base: Resolved) -> Checked<Operand> {
        match base {
            Resolved::Register { ty: Type::B128, .. } => {}
            Resolved::Register { vector: 1, negated: false, .. }
            | Resolved::Variable { .. }
            | Resolved::Function(_)
            | Resolved::Constant(Value::Integer { .. }) => {
                return self.unsupported(span, "an address of a fence");
            }
            _ => {}
        }
        self.misfit(span, base, "a register, a variable or a constant")
    }

    /// "Variables with .unified attribute are read-only and must be loaded by specifying .unified qualifier on the
    /// address operand of ld instruction" (PTX ISA 5.4.8); they are in `.global`. As observed, the assembler accepts
    /// the qualifier with `ldu` and `atom` too, and requires no version or target where a register holds the address.
    fn unified_load(&mut self, words: &Words, span: Span) -> Checked<()> {
        let loads = match words.opcode {
            Opcode::Ld => true,
            Opcode::Ldu | Opcode::Atom => self.by_assembler(),
            _ => false,
        };
        if !loads || !matches!(words.spaces.first(), None | Some(Space::Global)) {
            let what = format!("`.unified` in `{}`", self.text_of(words.span));
            return self.fail_expected(span, what, "a load from `.global`, or of a generic address");
        }
        if self.by_assembler() { Ok(()) } else { self.gate(span, "`.unified`", 80, 90) }
    }

    /// `.unified` after brackets that hold no memory address.
    pub(super) fn misplaced_qualifier(&mut self, span: Span) -> Checked<Resolved> {
        self.fail_expected(span, "`.unified` here", "`.unified` with the address of a load")
    }

    /// Checks that the variable is in the instruction's state space and has ordinary memory.
    pub(super) fn addressable(&mut self, words: &Words, id: VariableId, span: Span) -> Checked<()> {
        let variable = &self.out.variables[id.0 as usize];
        let (space, ty) = (variable.space, variable.ty);
        let opaque = self.is_object(variable);
        if opaque && self.by_assembler() && self.overlooks_opaque(words.opcode, space) {
            let what = self.text_of(words.span);
            return self.unsupported(span, format!("`{what}` of an object of opaque type `.{ty}`"));
        }
        if opaque {
            return self.fail_expected(
                span,
                format!("`{}` is of opaque type `.{ty}`", self.text_of(span)),
                "a variable with ordinary memory",
            );
        }
        if words.opcode == Opcode::St && self.is_parameter(id) {
            return self.fail_expected(
                span,
                format!("`{}` is a parameter, which cannot be written", self.text_of(span)),
                "a return parameter or a local `.param` variable",
            );
        }
        if words.opcode != Opcode::St && self.is_returned(id) {
            return self.fail_expected(
                span,
                format!("`{}` is a return parameter, which cannot be read", self.text_of(span)),
                "a parameter or a local `.param` variable",
            );
        }
        match words.spaces.first() {
            Some(wanted) if *wanted != space => self.misplaced(span, space, Some(*wanted)),
            // A generic address of a constant or parameter has to be made with `cvta`.
            None if matches!(space, Space::Const | Space::Param) => self.misplaced(span, space, None),
            _ => Ok(()),
        }
    }

    pub(super) fn misplaced<T>(&mut self, span: Span, space: Space, wanted: Option<Space>) -> Checked<T> {
        let wanted = wanted.map_or_else(
            || "a `.global`, `.shared` or `.local` variable".to_string(),
            |wanted| format!("a `.{wanted}` variable"),
        );
        self.fail_expected(span, format!("`{}` is in `.{space}`", self.text_of(span)), wanted)
    }

    /// Whether the variable is a parameter of the current function.
    pub(super) fn is_parameter(&self, id: VariableId) -> bool {
        let function = self.function_id().and_then(|function| self.out.functions.get(function.0 as usize));
        function.is_some_and(|function| {
            function.parameters.iter().any(|parameter| parameter.variable == Some(id))
        })
    }

    /// Whether the variable is a return parameter of the current function.
    pub(super) fn is_returned(&self, id: VariableId) -> bool {
        let function = self.function_id().and_then(|function| self.out.functions.get(function.0 as usize));
        function.is_some_and(|function| function.returns.iter().any(|it| it.variable == Some(id)))
    }

    /// As observed: where these instructions name an object of opaque type, the assembler checks neither its type nor
    /// its state space. (It crashes on a `.texref`, and on `atom`.)
    fn overlooks_opaque(&self, opcode: Opcode, space: Space) -> bool {
        match opcode {
            Opcode::Red | Opcode::Prefetch => true,
            Opcode::Prefetchu => space == Space::Global,
            _ => false,
        }
    }

    /// Checks a program that uses 32-bit addresses. As observed, assemblers from release 12.0 on accept none, and older
    /// ones accept none for sm_90 and newer. Addresses in `.shared`, `.local`, `.const` and `.param` may have 32 bits
    /// in any program.
    pub(super) fn narrow_addresses(&mut self, span: Span) -> Checked<()> {
        let Dialect::Ptxas(major, _) = self.rules.dialect else {
            return Ok(());
        };
        if major < 12 && self.rules.max_target.unwrap_or(self.out.target) < 90 {
            return Ok(());
        }
        let what = self.text_of(span);
        self.fail_expected(span, format!("`{what}` is of 32-bit addresses"), "64-bit addresses")
    }

    /// `istypep`: "the source address operand must be of type .u64"; any register that fits `.u64` is accepted. The
    /// assembler also accepts a constant, and an offset from a register.
    pub(super) fn source_pointer(&mut self, operand: &Written) -> Checked<Operand> {
        if self.by_assembler()
            && let Written::Offset { name, .. } = operand
            && matches!(self.resolve(&Written::Name(*name))?, Resolved::Register { .. })
        {
            return self.unsupported(operand.span(), "an offset from a pointer");
        }
        let found = self.resolve(operand)?;
        match found {
            Resolved::Register { id, ty: Type::U64 | Type::S64 | Type::B64, vector: 1, negated: false } => {
                Ok(Operand::Register { id, negated: false })
            }
            Resolved::Constant(Value::Integer { .. }) if self.by_assembler() => {
                self.unsupported(operand.span(), "a constant as pointer")
            }
            _ => self.misfit(operand.span(), found, "a 64-bit integer register"),
        }
    }

    /// `isspacep` takes a register of address width; `cvta` takes such a register or a variable of its own state space.
    pub(super) fn source_address(&mut self, words: &Words, operand: &Written) -> Checked<Operand> {
        let found = self.resolve(operand)?;
        match found {
            Resolved::Register { id, ty, vector: 1, negated: false }
                if is_address_type(ty) && words.types.first().is_none_or(|of| of.size() == ty.size()) =>
            {
                Ok(Operand::Register { id, negated: false })
            }
            Resolved::Constant(Value::Integer { .. }) if self.by_assembler() => {
                self.unsupported(operand.span(), "a constant as address")
            }
            Resolved::Variable { id, offset } if words.opcode == Opcode::Cvta => {
                let variable = &self.out.variables[id.0 as usize];
                let (space, ty) = (variable.space, variable.ty);
                // "Creating pointers to opaque variables using mov" (5.3), and with nothing else; the assembler takes it.
                if ty.is_opaque() && !self.by_assembler() {
                    return self.fail_expected(
                        operand.span(),
                        format!("`{}` is of opaque type `.{ty}`", self.text_of(operand.span())),
                        "`mov.u64`, which makes a pointer to it",
                    );
                }
                if words.spaces.first() != Some(&space) {
                    return self.misplaced(operand.span(), space, words.spaces.first().copied());
                }
                Ok(Operand::VariableAddress { variable: id, offset })
            }
            _ => {
                let wanted = match words.types.first() {
                    Some(ty) => format!("a {}-bit integer register", 8 * ty.size()),
                    None => "a 32-bit or 64-bit integer register".to_string(),
                };
                self.misfit(operand.span(), found, &wanted)
            }
        }
    }
}

fn is_address_type(ty: Type) -> bool {
    matches!(ty.size(), 4 | 8) && !ty.is_float() && !ty.is_opaque()
}

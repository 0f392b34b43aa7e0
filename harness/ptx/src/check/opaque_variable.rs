//! Variables of opaque type: their placement, and arrays of them (PTX ISA 5.3).

use warpdiff_model::Deviation;

use super::{Checked, Checker, Dialect};
use crate::ast::{Declaration, Declarator};
use crate::checked::Variable;
use crate::vocabulary::{Space, Type};

impl Checker<'_> {
    /// Whether a variable is of opaque type and has no memory: by the specification all of them, for the assembler all
    /// but arrays.
    pub(super) fn is_object(&self, variable: &Variable) -> bool {
        variable.is_opaque() || variable.ty.is_opaque() && !self.by_assembler()
    }

    pub(super) fn opaque_variable(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
    ) -> Checked<()> {
        // As observed: an array of them is plain memory to the assembler, wherever memory of a module is.
        let memory = self.by_assembler()
            && !declarator.dimensions.is_empty()
            && matches!(declaration.space, Space::Const | Space::Shared);
        if !memory && declaration.space != Space::Global || self.function.is_some() {
            return self.fail_expected(
                declaration.ty_span,
                format!("a variable of type `.{}` here", declaration.ty),
                "`.global` at module scope, or a kernel parameter",
            );
        }
        // "This shorthand syntax may be used with any of the fundamental types" (5.4.6), and no others.
        if declarator.count.is_some() {
            if self.by_assembler() {
                self.note_deviation(Deviation::PtxasOpaqueNames, declarator.span);
            } else {
                // The names are declared all the same, so that their uses are not reported too.
                let message = format!("parameterised names of type `.{}`", declaration.ty);
                let expected = "a fundamental type, or names of their own";
                self.report(declarator.span, message, Some(expected.to_owned()), false);
            }
        }
        if !declarator.dimensions.is_empty() {
            // By the text an array of objects; the assembler makes it plain zero bytes that `ld` reads and `suld` refuses.
            self.note_deviation(Deviation::PtxasOpaqueArray, declarator.span);
            return Ok(());
        }
        // The text prints such a declaration without naming the mode; the assembler insists on it.
        if declaration.ty == Type::Samplerref && !self.out.texmode_independent && self.by_assembler() {
            return self.fail_expected(
                declaration.ty_span,
                "`.samplerref` in unified texture mode",
                "`.target …, texmode_independent`",
            );
        }
        Ok(())
    }

    /// Bytes per element that the assembler gives an array of opaque type, as observed with ptxas 11.8 and 12.9; 0 from
    /// release 13 on.
    pub(super) fn opaque_array_element(&self, ty: Type) -> Option<u64> {
        let size = match ty {
            Type::Texref => 52,
            Type::Surfref => 28,
            Type::Samplerref => 20,
            _ => return None,
        };
        Some(if matches!(self.rules.dialect, Dialect::Ptxas(13.., _)) { 0 } else { size })
    }
}

//! Addresses of variables and functions in initialisers, and their relocations (PTX ISA 5.4.4).

use warpdiff_model::Deviation;

use super::constant::Address;
use super::scope::{Found, Symbol};
use super::{Checked, Checker, Dialect};
use crate::checked::{Relocation, RelocationSymbol, Variable, VariableId};
use crate::source::Span;
use crate::vocabulary::{Space, Type};

impl Checker<'_> {
    /// The relocation of an address in a variable, at offset 0.
    pub(super) fn relocation(
        &mut self,
        variable: &Variable,
        address: Address,
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
        // "Legacy PTX code is treated as having an implicit generic() operator for each global variable used in an
        // initializer" (PTX ISA 5.4.4): before 3.1, and not for `.const` ones.
        let legacy = self.version < 31 && self.space_of(symbol) != Some(Space::Const);
        let generic = !function && (address.generic || legacy);
        let fits = address.byte.is_some()
            || ty.size() * 8 >= self.out.address_size
            // Offsets in `.const` are below 64 KiB.
            || !generic && self.space_of(symbol) == Some(Space::Const);
        if !fits {
            self.note_deviation(Deviation::PtxasWideAddress, span);
        }
        Ok(Relocation {
            offset: 0,
            width: if address.byte.is_some() { 1 } else { ty.size() },
            shift: address.byte.unwrap_or(0),
            symbol,
            generic,
            implicit: generic && !address.generic,
            addend: address.addend,
            fits,
        })
    }

    /// Whether the same statement declares the symbol and the variable. As observed, the assembler does not know the
    /// symbol there yet.
    fn is_beside(&self, symbol: Symbol, variable: &Variable) -> bool {
        let Symbol::Variable(id) = symbol else { return false };
        self.by_assembler() && self.out.variables[id.0 as usize].span == variable.span
    }

    /// The state space of a relocation symbol; functions have none.
    fn space_of(&self, symbol: RelocationSymbol) -> Option<Space> {
        match symbol {
            // That of the variable itself, which is not among the others yet, does not matter: no `.const` variable holds it.
            RelocationSymbol::Variable(id) => self.out.variables.get(id.0 as usize).map(|v| v.space),
            RelocationSymbol::Function(_) => None,
        }
    }

    /// Records the deviation for the address of an opaque variable or of an array of them; returns whether it is one.
    pub(super) fn deviations_of_address(&mut self, address: Address) -> bool {
        let found = self.scopes.look_up(self.text_of(address.name));
        let Some(Found::Symbol(Symbol::Variable(id))) = found else { return false };
        let opaque = self.is_object(&self.out.variables[id.0 as usize]);
        if opaque && self.by_assembler() {
            self.note_deviation(Deviation::PtxasOpaqueAddress, address.name);
        }
        opaque
    }

    fn relocation_symbol(&mut self, variable: &Variable, address: Address) -> Checked<RelocationSymbol> {
        let name = self.text_of(address.name);
        let symbol = match self.named(name) {
            Some(Found::Symbol(symbol)) if !self.is_beside(symbol, variable) => symbol,
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
                let (space, opaque) = (variable.space, self.is_object(variable));
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
                if address.generic || address.offset {
                    return self.fail(address.name, "`generic()` or an offset with the name of a function");
                }
                // As observed: the assembler emits the address of a function that is elsewhere only for a linker to find.
                self.has_an_address(name, address.name)?;
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
}

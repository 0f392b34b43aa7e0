//! Names: module scope, function scope, nested blocks.

use std::collections::HashMap;

use crate::checked::{FunctionId, RegisterId, VariableId};
use crate::source::Span;
use crate::vocabulary::Type;

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A register.
    Register(RegisterId),
    /// A variable.
    Variable(VariableId),
    /// A function.
    Function(FunctionId),
}

/// `.reg .b32 %r<45>;`: registers that come to be when they are first used, so that a large count costs nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterFamily<'t> {
    pub(super) stem: &'t str,
    pub(super) count: u64,
    pub(super) ty: Type,
    pub(super) vector: u32,
}

impl RegisterFamily<'_> {
    /// Whether `name` is one of its registers, and the number of it.
    fn holds(&self, name: &str) -> bool {
        let Some(digits) = name.strip_prefix(self.stem) else { return false };
        // A number too long to parse is beyond every count.
        !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
            && digits.parse::<u64>().is_ok_and(|number| number < self.count)
    }
}

#[derive(Debug, Default)]
struct Scope<'t> {
    names: HashMap<&'t str, (Symbol, Span)>,
    families: Vec<(RegisterFamily<'t>, Span)>,
    /// `v<N>` variables: stem and number.
    numbered: HashMap<(&'t str, u64), Symbol>,
}

/// The scopes that are open, innermost last.
#[derive(Debug)]
pub(super) struct Scopes<'t> {
    open: Vec<Scope<'t>>,
}

/// What a lookup found.
pub(super) enum Found<'t> {
    /// A name.
    Symbol(Symbol),
    /// A register of a family that has not been used before; `scope` is for [`Scopes::remember`].
    Fresh { family: RegisterFamily<'t>, scope: usize },
}

impl<'t> Scopes<'t> {
    pub(super) fn new() -> Self {
        Self { open: vec![Scope::default()] }
    }

    pub(super) fn enter(&mut self) {
        self.open.push(Scope::default());
    }

    pub(super) fn leave(&mut self) {
        // The module's own scope stays.
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    /// Declares a name in the innermost scope; the earlier declaration if there is one.
    pub(super) fn declare(&mut self, name: &'t str, symbol: Symbol, span: Span) -> Result<(), Span> {
        let Some(scope) = self.open.last_mut() else { return Ok(()) };
        if let Some((_, earlier)) = scope.families.iter().find(|(family, _)| family.holds(name)) {
            return Err(*earlier);
        }
        match scope.names.insert(name, (symbol, span)) {
            Some((_, earlier)) => Err(earlier),
            None => Ok(()),
        }
    }

    /// Declares a family in the innermost scope; the earlier declaration of one of its names if there is one.
    pub(super) fn declare_family(&mut self, family: RegisterFamily<'t>, span: Span) -> Result<(), Span> {
        let Some(scope) = self.open.last_mut() else { return Ok(()) };
        if let Some((_, (_, earlier))) = scope.names.iter().find(|(name, _)| family.holds(name)) {
            return Err(*earlier);
        }
        let same_stem = scope
            .families
            .iter()
            .find(|(other, _)| other.stem == family.stem && other.count > 0 && family.count > 0);
        if let Some((_, earlier)) = same_stem {
            return Err(*earlier);
        }
        scope.families.push((family, span));
        Ok(())
    }

    /// Declares `stem` and a number as a variable in the innermost scope.
    pub(super) fn declare_numbered(&mut self, stem: &'t str, number: u64, variable: VariableId) {
        if let Some(scope) = self.open.last_mut() {
            scope.numbered.insert((stem, number), Symbol::Variable(variable));
        }
    }

    /// What `name` means here.
    pub(super) fn look_up(&self, name: &str) -> Option<Found<'t>> {
        for (index, scope) in self.open.iter().enumerate().rev() {
            if let Some((symbol, _)) = scope.names.get(name) {
                return Some(Found::Symbol(*symbol));
            }
            if let Some((family, _)) = scope.families.iter().find(|(family, _)| family.holds(name)) {
                return Some(Found::Fresh { family: *family, scope: index });
            }
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
            if !scope.numbered.is_empty()
                && let Ok(number) = name[stem.len()..].parse()
                && let Some(symbol) = scope.numbered.get(&(stem, number))
            {
                return Some(Found::Symbol(*symbol));
            }
        }
        None
    }

    /// Notes the register that a name of a family has become.
    pub(super) fn remember(&mut self, scope: usize, name: &'t str, register: RegisterId, span: Span) {
        if let Some(scope) = self.open.get_mut(scope) {
            scope.names.insert(name, (Symbol::Register(register), span));
        }
    }

    /// What `name` means at module scope.
    pub(super) fn declared_at_module(&self, name: &str) -> Option<Symbol> {
        self.open.first().and_then(|scope| scope.names.get(name)).map(|(symbol, _)| *symbol)
    }
}

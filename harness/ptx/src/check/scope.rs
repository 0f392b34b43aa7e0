//! Where names are visible and may be declared again: module, function, nested block; register ranges `%r<4>`.

use std::collections::HashMap;

use crate::checked::{FunctionId, RegisterId, VariableId};
use crate::source::Span;
use crate::vocabulary::Type;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A register.
    Register(RegisterId),
    /// A variable.
    Variable(VariableId),
    /// A function.
    Function(FunctionId),
}

/// `.reg .b32 %r<45>;`: registers are created at their first use, so a large count costs nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterRange<'t> {
    pub(super) stem: &'t str,
    pub(super) count: u64,
    pub(super) ty: Type,
    pub(super) vector: u32,
}

/// `%r12` → `%r` and 12. All trailing digits count, so a range whose stem ends in a digit declares names that cannot be
/// written, as with the assembler. Leading zeros do not count: `%r03` is `%r3`.
fn split(name: &str) -> Option<(&str, u64)> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name[stem.len()..];
    // A number too long to parse is beyond every count.
    digits.parse().ok().map(|number| (stem, number))
}

#[derive(Debug, Default)]
struct Scope<'t> {
    names: HashMap<&'t str, (Symbol, Span)>,
    /// Register ranges by stem.
    ranges: HashMap<&'t str, (RegisterRange<'t>, Span)>,
    /// Created members of ranges: used registers, `v<N>` variables.
    members: HashMap<(&'t str, u64), Symbol>,
    /// The lowest number after each stem, among the individually declared names.
    lowest: HashMap<&'t str, (u64, Span)>,
}

/// The open scopes, innermost last.
#[derive(Debug)]
pub(super) struct Scopes<'t> {
    open: Vec<Scope<'t>>,
}

/// The result of a lookup.
pub(super) enum Found<'t> {
    /// A name.
    Symbol(Symbol),
    /// An unused register of a range.
    Fresh(Fresh<'t>),
}

/// An unused register of a range, for [`Scopes::remember`].
#[derive(Clone, Copy)]
pub(super) struct Fresh<'t> {
    pub(super) range: RegisterRange<'t>,
    scope: usize,
    number: u64,
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

    /// Declares a name in the innermost scope; the error is the earlier declaration.
    pub(super) fn declare(&mut self, name: &'t str, symbol: Symbol, span: Span) -> Result<(), Span> {
        let Some(scope) = self.open.last_mut() else { return Ok(()) };
        if let Some((stem, number)) = split(name) {
            if let Some((_, earlier)) = scope.ranges.get(stem).filter(|(range, _)| number < range.count) {
                return Err(*earlier);
            }
            if scope.members.contains_key(&(stem, number)) {
                return Err(span);
            }
            let lowest = scope.lowest.entry(stem).or_insert((number, span));
            if number < lowest.0 {
                *lowest = (number, span);
            }
        }
        match scope.names.insert(name, (symbol, span)) {
            Some((_, earlier)) => Err(earlier),
            None => Ok(()),
        }
    }

    /// Declares a range in the innermost scope; the error is the earlier declaration of one of its names.
    pub(super) fn declare_range(&mut self, range: RegisterRange<'t>, span: Span) -> Result<(), Span> {
        let Some(scope) = self.open.last_mut() else { return Ok(()) };
        if range.count == 0 {
            return Ok(());
        }
        if let Some((_, earlier)) = scope.lowest.get(range.stem).filter(|(number, _)| *number < range.count) {
            return Err(*earlier);
        }
        match scope.ranges.insert(range.stem, (range, span)) {
            Some((_, earlier)) => Err(earlier),
            None => Ok(()),
        }
    }

    /// Declares `stem` and a number as a variable in the innermost scope.
    pub(super) fn declare_numbered(&mut self, stem: &'t str, number: u64, variable: VariableId) {
        if let Some(scope) = self.open.last_mut() {
            scope.members.insert((stem, number), Symbol::Variable(variable));
        }
    }

    /// The meaning of `name` in the current scope.
    pub(super) fn look_up(&self, name: &'t str) -> Option<Found<'t>> {
        for (index, scope) in self.open.iter().enumerate().rev() {
            if let Some((symbol, _)) = scope.names.get(name) {
                return Some(Found::Symbol(*symbol));
            }
            if scope.ranges.is_empty() && scope.members.is_empty() {
                continue;
            }
            let Some((stem, number)) = split(name) else { continue };
            if let Some(symbol) = scope.members.get(&(stem, number)) {
                return Some(Found::Symbol(*symbol));
            }
            if let Some((range, _)) = scope.ranges.get(stem).filter(|(range, _)| number < range.count) {
                return Some(Found::Fresh(Fresh { range: *range, scope: index, number }));
            }
        }
        None
    }

    /// Records the register created for a member of a range. Each function has its own registers of a module-scope
    /// range.
    pub(super) fn remember(&mut self, fresh: Fresh<'t>, register: RegisterId) {
        if let Some(scope) = self.open.get_mut(fresh.scope).filter(|_| fresh.scope > 0) {
            scope.members.insert((fresh.range.stem, fresh.number), Symbol::Register(register));
        }
    }

    /// The meaning of `name` at module scope.
    pub(super) fn declared_at_module(&self, name: &str) -> Option<Symbol> {
        self.open.first().and_then(|scope| scope.names.get(name)).map(|(symbol, _)| *symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(stem: &str, count: u64) -> RegisterRange<'_> {
        RegisterRange { stem, count, ty: Type::B32, vector: 1 }
    }

    /// 5.4.6: `%r<100>` declares %r0 … %r99.
    #[test]
    fn members_of_a_range() {
        let mut scopes = Scopes::new();
        scopes.enter();
        assert!(scopes.declare_range(range("%r", 100), Span::default()).is_ok());
        for (name, expected) in
            [("%r0", true), ("%r99", true), ("%r100", false), ("%r", false), ("%r007", true)]
        {
            assert_eq!(scopes.look_up(name).is_some(), expected, "{name}");
        }
        let Some(Found::Fresh(fresh)) = scopes.look_up("%r7") else { panic!("a register not used before") };
        scopes.remember(fresh, RegisterId(5));
        assert!(matches!(scopes.look_up("%r007"), Some(Found::Symbol(Symbol::Register(RegisterId(5))))));
    }

    #[test]
    fn overlaps_are_found_both_ways() {
        let mut scopes = Scopes::new();
        let r3 = Symbol::Register(RegisterId(0));
        assert!(scopes.declare("%r3", r3, Span::default()).is_ok());
        assert!(scopes.declare_range(range("%r", 4), Span::default()).is_err());
        assert!(scopes.declare_range(range("%r", 3), Span::default()).is_ok());
        assert!(scopes.declare("%r2", r3, Span::default()).is_err());
        scopes.enter();
        assert!(scopes.declare("%r2", r3, Span::default()).is_ok(), "an inner scope hides the outer");
    }
}

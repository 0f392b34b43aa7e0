//! Where names are visible and may be declared again: module, function, nested block; register ranges `%r<4>`.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::checked::{FunctionId, RegisterId, VariableId};
use crate::source::Span;
use crate::spelling::Key;
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
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (stem, digits) = name.split_at(name.len() - digits);
    // A number too long to parse is beyond every count.
    digits.parse().ok().map(|number| (stem, number))
}

/// A range and its registers.
#[derive(Debug)]
struct Range<'t> {
    declared: RegisterRange<'t>,
    /// Of its stem.
    key: Key,
    /// Its declaration.
    span: Span,
    depth: usize,
    /// Whether a name of its stem and a number has a meaning of its own somewhere, too.
    mixed: bool,
    /// The registers made so far, by number, each one more than its identifier; zero where there is none.
    near: Vec<u32>,
    /// Those of numbers far beyond the others.
    far: HashMap<u64, RegisterId, RandomState>,
    made: usize,
}

impl<'t> Range<'t> {
    /// The member of that number; `index` is the place of the range among all.
    fn member(&self, index: usize, number: u64) -> Found<'t> {
        match self.register(number) {
            Some(id) => Found::Symbol(Symbol::Register(id)),
            None => Found::Fresh(Fresh { range: self.declared, index, number }),
        }
    }

    fn register(&self, number: u64) -> Option<RegisterId> {
        let near = usize::try_from(number).ok().and_then(|number| self.near.get(number));
        match near {
            Some(id) if *id > 0 => Some(RegisterId(id - 1)),
            _ if self.far.is_empty() => None,
            _ => self.far.get(&number).copied(),
        }
    }

    fn remember(&mut self, number: u64, register: RegisterId) {
        self.made += 1;
        // The list stays in proportion to the registers, whatever the numbers are.
        let limit = 256 + 4 * self.made;
        match usize::try_from(number) {
            Ok(number) if number < limit => {
                if self.near.len() <= number {
                    self.near.resize(number + 1, 0);
                }
                self.near[number] = register.0 + 1;
            }
            _ => {
                self.far.insert(number, register);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Scope {
    /// Tells it from every other scope of the module.
    serial: u32,
    /// Number of the ranges of the scopes outside.
    ranges: usize,
    /// Whether it has variables of `v<N>`.
    members: bool,
}

/// What a name means in one scope.
#[derive(Clone, Copy, Debug)]
struct Meaning {
    symbol: Symbol,
    /// Its declaration.
    span: Span,
    /// Index of the scope among the open ones, and its serial number: a meaning outlives its scope.
    depth: u32,
    serial: u32,
    /// Place in [`Scopes::hidden`] of the meaning that this one hides, plus one; zero for none.
    hides: u32,
}

/// Names that the table has places for at first: as many as small programs have.
const NAMES: usize = 28;
/// Most ranges that are searched one after another; beyond them a table is asked.
const FEW_RANGES: usize = 16;

/// The open scopes.
///
/// All names lie in one table, each with its innermost meaning: a name is found by one search, whatever the number of scopes. Most
/// names of a program are members of ranges; they are found by their stem and number and in no table.
#[derive(Debug)]
pub(super) struct Scopes<'t> {
    /// Innermost last.
    open: Vec<Scope>,
    /// Scopes opened so far.
    opened: u32,
    /// Names declared by themselves.
    names: HashMap<&'t str, Meaning, RandomState>,
    /// Meanings hidden by others.
    hidden: Vec<Meaning>,
    /// The ranges of the open scopes, innermost last.
    ranges: Vec<Range<'t>>,
    /// Index of a range by the serial number of its scope and its stem.
    by_stem: HashMap<(u32, &'t str), usize, RandomState>,
    /// Variables of `v<N>`, by the serial number of their scope.
    members: HashMap<(u32, &'t str, u64), VariableId, RandomState>,
    /// The lowest number after each stem, among the names declared by themselves, by the serial number of their scope.
    lowest: HashMap<(u32, &'t str), (u64, Span), RandomState>,
    /// Stems of names and variables that have numbers and meanings of their own.
    stems: HashSet<&'t str, RandomState>,
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
    /// Index of the range.
    index: usize,
    number: u64,
}

impl<'t> Scopes<'t> {
    pub(super) fn new() -> Self {
        Self {
            open: vec![Scope::default()],
            opened: 1,
            names: HashMap::with_capacity_and_hasher(NAMES, RandomState::default()),
            hidden: Vec::new(),
            ranges: Vec::new(),
            by_stem: HashMap::default(),
            members: HashMap::default(),
            lowest: HashMap::default(),
            stems: HashSet::default(),
        }
    }

    pub(super) fn enter(&mut self) {
        self.open.push(Scope { serial: self.opened, ranges: self.ranges.len(), members: false });
        self.opened += 1;
    }

    pub(super) fn leave(&mut self) {
        // The module's own scope stays.
        if self.open.len() > 1
            && let Some(left) = self.open.pop()
        {
            self.ranges.truncate(left.ranges);
        }
    }

    fn depth(&self) -> usize {
        self.open.len() - 1
    }

    fn is_open(&self, meaning: &Meaning) -> bool {
        self.open.get(meaning.depth as usize).is_some_and(|scope| scope.serial == meaning.serial)
    }

    fn hidden_by(&self, meaning: &Meaning) -> Option<&Meaning> {
        self.hidden.get((meaning.hides as usize).wrapping_sub(1))
    }

    /// The meanings of `name` itself in the open scopes, innermost first.
    fn meanings(&self, name: &str) -> impl Iterator<Item = &Meaning> {
        std::iter::successors(self.names.get(name), |meaning| self.hidden_by(meaning))
            .filter(|meaning| self.is_open(meaning))
    }

    /// Gives `name` a meaning in the innermost scope; returns the span of its earlier meaning there.
    fn bind(&mut self, name: &'t str, symbol: Symbol, span: Span) -> Option<Span> {
        let depth = self.depth();
        let serial = self.open[depth].serial;
        let mut new = Meaning { symbol, span, depth: depth as u32, serial, hides: 0 };
        let mut earlier = None;
        // The place of a meaning among the hidden ones, plus one; zero for the one in the table.
        let mut place = 0;
        let mut next = self.names.get(name);
        while let Some(old) = next {
            // What no scope has any more is let go, so that no list of it builds up.
            if !self.is_open(old) {
                place = old.hides;
                next = self.hidden_by(old);
                continue;
            }
            if old.serial == serial {
                (new.hides, earlier) = (old.hides, Some(old.span));
            } else if place > 0 {
                new.hides = place;
            } else {
                self.hidden.push(*old);
                new.hides = self.hidden.len() as u32;
            }
            break;
        }
        self.names.insert(name, new);
        earlier
    }

    /// Declares a name in the innermost scope; the error is the earlier declaration.
    pub(super) fn declare(&mut self, name: &'t str, symbol: Symbol, span: Span) -> Result<(), Span> {
        let scope = self.open[self.depth()];
        if let Some((stem, number)) = split(name) {
            if let Some(range) = self.range_of(scope, stem)
                && number < range.declared.count
            {
                return Err(range.span);
            }
            if scope.members && self.members.contains_key(&(scope.serial, stem, number)) {
                return Err(span);
            }
            self.mix(stem);
            let lowest = self.lowest.entry((scope.serial, stem)).or_insert((number, span));
            if number < lowest.0 {
                *lowest = (number, span);
            }
        }
        match self.bind(name, symbol, span) {
            Some(earlier) => Err(earlier),
            None => Ok(()),
        }
    }

    /// Notes that a name of this stem and a number has a meaning of its own.
    fn mix(&mut self, stem: &'t str) {
        if self.stems.insert(stem) {
            let ranges = self.ranges.iter_mut().filter(|range| range.declared.stem == stem);
            ranges.for_each(|range| range.mixed = true);
        }
    }

    /// The range of that stem in one scope.
    fn range_of(&self, scope: Scope, stem: &str) -> Option<&Range<'t>> {
        // Most scopes have none; then there is nothing to search.
        if self.ranges.len() == scope.ranges {
            return None;
        }
        self.ranges.get(*self.by_stem.get(&(scope.serial, stem))?)
    }

    /// Declares a range in the innermost scope; the error is the earlier declaration of one of its names.
    pub(super) fn declare_range(&mut self, declared: RegisterRange<'t>, span: Span) -> Result<(), Span> {
        let depth = self.depth();
        let serial = self.open[depth].serial;
        let stem = declared.stem;
        if declared.count == 0 {
            return Ok(());
        }
        let lowest = self.lowest.get(&(serial, stem));
        if let Some((_, earlier)) = lowest.filter(|(number, _)| *number < declared.count) {
            return Err(*earlier);
        }
        match self.by_stem.entry((serial, stem)) {
            Entry::Occupied(place) => {
                // Its registers stay; the later declaration counts, and the module is refused anyway.
                let range = &mut self.ranges[*place.get()];
                range.declared = declared;
                Err(std::mem::replace(&mut range.span, span))
            }
            Entry::Vacant(place) => {
                place.insert(self.ranges.len());
                let mixed = self.stems.contains(stem);
                let (near, far) = (Vec::new(), HashMap::default());
                let key = Key::of(stem.as_bytes());
                self.ranges.push(Range { declared, key, span, depth, mixed, near, far, made: 0 });
                Ok(())
            }
        }
    }

    /// Declares `stem` and a number as a variable in the innermost scope.
    pub(super) fn declare_numbered(&mut self, stem: &'t str, number: u64, variable: VariableId) {
        let depth = self.depth();
        self.mix(stem);
        self.open[depth].members = true;
        self.members.insert((self.open[depth].serial, stem, number), variable);
    }

    /// The meaning of `name` in the current scope.
    #[inline]
    pub(super) fn look_up(&self, name: &'t str) -> Option<Found<'t>> {
        match split(name) {
            Some((stem, number)) => self.look_up_numbered(name, stem, number),
            None => self.meanings(name).next().map(|meaning| Found::Symbol(meaning.symbol)),
        }
    }

    fn look_up_numbered(&self, name: &'t str, stem: &'t str, number: u64) -> Option<Found<'t>> {
        if self.ranges.len() <= FEW_RANGES {
            let key = Key::of(stem.as_bytes());
            let holds = |range: &Range<'t>| {
                number < range.declared.count
                    && range.key.is(key)
                    && (key.is_exact() || range.declared.stem == stem)
            };
            if let Some((index, range)) = self.ranges.iter().enumerate().rfind(|(_, range)| holds(range))
                && !range.mixed
            {
                return Some(range.member(index, number));
            }
        }
        let named = self.meanings(name).next();
        for (depth, scope) in self.open.iter().enumerate().rev() {
            if let Some(meaning) = named.filter(|meaning| meaning.depth as usize == depth) {
                return Some(Found::Symbol(meaning.symbol));
            }
            if scope.members
                && let Some(variable) = self.members.get(&(scope.serial, stem, number))
            {
                return Some(Found::Symbol(Symbol::Variable(*variable)));
            }
            if scope.ranges < self.ranges.len()
                && let Some(index) = self.by_stem.get(&(scope.serial, stem))
                && let Some(range) = self.ranges.get(*index)
                && number < range.declared.count
            {
                return Some(range.member(*index, number));
            }
        }
        None
    }

    /// Records the register created for a member of a range. Each function has its own registers of a module-scope
    /// range.
    pub(super) fn remember(&mut self, fresh: Fresh<'t>, register: RegisterId) {
        if let Some(range) = self.ranges.get_mut(fresh.index).filter(|range| range.depth > 0) {
            range.remember(fresh.number, register);
        }
    }

    /// The meaning of `name` at module scope.
    pub(super) fn declared_at_module(&self, name: &str) -> Option<Symbol> {
        self.meanings(name).find(|meaning| meaning.depth == 0).map(|meaning| meaning.symbol)
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

    fn register(number: u32) -> Symbol {
        Symbol::Register(RegisterId(number))
    }

    fn meaning(scopes: &Scopes<'static>, name: &'static str) -> Option<Symbol> {
        match scopes.look_up(name) {
            Some(Found::Symbol(symbol)) => Some(symbol),
            Some(Found::Fresh(fresh)) => panic!("{name}: unused, of a range of {}", fresh.range.count),
            None => None,
        }
    }

    /// What an inner scope declares hides what an outer one has, and only as long as the inner one is open.
    #[test]
    fn inner_meanings_end_with_their_scope() {
        let mut scopes = Scopes::new();
        assert!(scopes.declare("x", register(0), Span::default()).is_ok());
        for block in 1..4 {
            scopes.enter();
            assert_eq!(meaning(&scopes, "x"), Some(register(0)));
            assert!(scopes.declare("x", register(block), Span::default()).is_ok());
            assert!(scopes.declare("y", register(block), Span::default()).is_ok());
            scopes.enter();
            assert!(scopes.declare("x", register(10 + block), Span::default()).is_ok());
            assert_eq!(meaning(&scopes, "x"), Some(register(10 + block)));
            assert_eq!(meaning(&scopes, "y"), Some(register(block)));
            assert_eq!(scopes.declared_at_module("x"), Some(register(0)));
            scopes.leave();
            assert_eq!(meaning(&scopes, "x"), Some(register(block)));
            let twice = Span { start: 7, end: 8 };
            assert!(scopes.declare("x", register(20), twice).is_err());
            assert_eq!(meaning(&scopes, "x"), Some(register(20)), "the later of two declarations counts");
            scopes.leave();
            assert_eq!(meaning(&scopes, "x"), Some(register(0)));
            assert_eq!(meaning(&scopes, "y"), None);
            assert_eq!(scopes.declared_at_module("y"), None);
        }
    }

    /// A range of an inner scope hides the registers that an outer range already has.
    #[test]
    fn inner_ranges_hide_outer_registers() {
        let mut scopes = Scopes::new();
        let take = |scopes: &mut Scopes<'static>, name, id| {
            let Some(Found::Fresh(fresh)) = scopes.look_up(name) else { panic!("{name} is not used before") };
            scopes.remember(fresh, RegisterId(id));
            assert_eq!(meaning(scopes, name), Some(register(id)));
        };
        scopes.enter();
        assert!(scopes.declare_range(range("%r", 100), Span::default()).is_ok());
        take(&mut scopes, "%r1", 1);
        take(&mut scopes, "%r005", 5);
        scopes.enter();
        assert_eq!(meaning(&scopes, "%r5"), Some(register(5)));
        take(&mut scopes, "%r2", 2);
        assert!(scopes.declare_range(range("%r", 3), Span::default()).is_ok());
        take(&mut scopes, "%r1", 11);
        take(&mut scopes, "%r2", 12);
        assert_eq!(meaning(&scopes, "%r01"), Some(register(11)));
        assert_eq!(meaning(&scopes, "%r5"), Some(register(5)), "beyond the inner range");
        take(&mut scopes, "%r7", 7);
        scopes.leave();
        for (name, id) in [("%r1", 1), ("%r2", 2), ("%r02", 2), ("%r05", 5), ("%r5", 5), ("%r7", 7)] {
            assert_eq!(meaning(&scopes, name), Some(register(id)), "{name}");
        }
        scopes.enter();
        assert!(scopes.declare("%r7", register(17), Span::default()).is_ok());
        assert_eq!(meaning(&scopes, "%r7"), Some(register(17)));
        assert_eq!(meaning(&scopes, "%r07"), Some(register(7)), "another name than `%r7` of the inner scope");
    }

    /// Whether numbers lie close together or far apart, and whether ranges are few or many, a register is made once.
    #[test]
    fn every_member_is_made_once() {
        let stems: Vec<String> = (0..40).map(|stem| format!("%r{stem}_")).collect();
        let names: Vec<String> =
            (0..400u64).map(|i| format!("%r{}_{}", i % 40, i * i * i * 977 % 100_000)).collect();
        for ranges in [1, FEW_RANGES, FEW_RANGES + 1, 40] {
            let mut scopes = Scopes::new();
            for (stem, block) in stems[..ranges].iter().zip(0..) {
                if block % 3 == 0 {
                    scopes.enter();
                }
                assert!(scopes.declare_range(range(stem, 100_000), Span::default()).is_ok());
            }
            let mut made = HashMap::new();
            for name in names.iter().chain(&names) {
                let Some(found) = scopes.look_up(name) else {
                    assert!(stems[ranges..].iter().any(|stem| name.starts_with(stem)), "{name}");
                    continue;
                };
                match (found, made.get(name)) {
                    (Found::Fresh(fresh), None) => {
                        scopes.remember(fresh, RegisterId(made.len() as u32));
                        made.insert(name, register(made.len() as u32));
                    }
                    (Found::Symbol(symbol), Some(expected)) => assert_eq!(symbol, *expected),
                    _ => panic!("{name} is made twice, or not at all"),
                }
            }
        }
    }
}

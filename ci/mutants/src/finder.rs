//! Finds the places of a source file at which mutants stand.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Arm, Block, Expr, ExprIf, ExprMatch, ImplItem, Item, ReturnType, Stmt, Type};

use crate::alternatives::{self, further_end, is_negatable, text_of};
use crate::deviations::{Asks, asks, is_of_deviation, is_true};
use crate::mutation::{Kind, Mutant, Place};

/// The places of a file, its mutants, and how many there would be where none can stand.
pub(crate) struct Found {
    pub(crate) places: Vec<Place>,
    pub(crate) mutants: Vec<Mutant>,
    /// Those in constants, patterns and `const fn`, which are computed before any mutant can be chosen.
    pub(crate) constant: usize,
}

/// Finds the mutants of a file, numbered from `next`.
///
/// # Errors
/// The file is not Rust.
pub(crate) fn find(file: &str, source: &str, next: u32) -> Result<Found, syn::Error> {
    let syntax = syn::parse_file(source)?;
    let mut finder = Finder {
        file,
        source,
        next,
        functions: Vec::new(),
        alike: BTreeMap::new(),
        is_constant: false,
        deviant: BTreeSet::new(),
        found: Found { places: Vec::new(), mutants: Vec::new(), constant: 0 },
    };
    finder.visit_file(&syntax);
    Ok(finder.found)
}

struct Finder<'a> {
    file: &'a str,
    source: &'a str,
    next: u32,
    /// The type and the functions around.
    functions: Vec<String>,
    /// How many changes of a function read alike.
    alike: BTreeMap<(String, String), usize>,
    is_constant: bool,
    /// Variables of the function that hold only with a certain deviation.
    deviant: BTreeSet<String>,
    found: Found,
}

impl Finder<'_> {
    fn asks(&self, condition: &Expr) -> Asks {
        asks(condition, &self.deviant)
    }

    /// A mutant here; `None` in constants, where it is counted alone.
    fn mutant(&mut self, span: Span, change: String) -> Option<u32> {
        if self.is_constant || self.functions.is_empty() {
            self.found.constant += 1;
            return None;
        }
        let function = self.functions.join("::");
        let alike = self.alike.entry((function.clone(), change.clone())).or_default();
        *alike += 1;
        let change = if *alike == 1 { change } else { format!("{change} #{alike}") };
        let number = self.next;
        self.next += 1;
        let (file, line) = (self.file.to_owned(), span.start().line);
        self.found.mutants.push(Mutant { number, file, line, function, change });
        Some(number)
    }

    /// A mutant that has another expression.
    fn other(&mut self, span: Span, other: &str) -> Option<(u32, String)> {
        let change = format!("`{}` → `{}`", one_line(text_of(self.source, span)), one_line(other));
        self.mutant(span, change).map(|mutant| (mutant, other.to_owned()))
    }

    fn replace(&mut self, span: Span, others: &[String]) {
        let others: Vec<_> = others.iter().filter_map(|other| self.other(span, other)).collect();
        self.place(span, Kind::Expression { others, is_body: false });
    }

    fn place(&mut self, span: Span, kind: Kind) {
        if !kind.mutants().is_empty() {
            self.found.places.push(Place { range: span.byte_range(), kind });
        }
    }

    /// Negates a condition as a whole.
    fn negate(&mut self, condition: &Expr) {
        let other = format!("!({})", text_of(self.source, condition.span()));
        self.replace(condition.span(), &[other]);
    }

    fn in_constant(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_constant, true);
        visit(self);
        self.is_constant = before;
    }

    fn function(&mut self, signature: &syn::Signature, block: &Block) {
        let before = std::mem::replace(&mut self.is_constant, signature.constness.is_some());
        self.functions.push(signature.ident.to_string());
        self.deviant.clear();
        let values: &[&str] = match &signature.output {
            ReturnType::Default => &["()"],
            ReturnType::Type(_, of) => match &**of {
                Type::Path(path) if path.path.is_ident("bool") => &["false", "true"],
                Type::ImplTrait(_) | Type::Never(_) | Type::Reference(_) => &[],
                _ => &["Default::default()"],
            },
        };
        let span = block.brace_token.span.open();
        let returns = values
            .iter()
            .filter_map(|value| {
                let mutant = self.mutant(span, format!("returns `{value}` at once"))?;
                Some((mutant, (*value).to_owned()))
            })
            .collect::<Vec<_>>();
        if !returns.is_empty() {
            let end = span.byte_range().end;
            self.found.places.push(Place { range: end..end, kind: Kind::Beginning { returns } });
        }
        self.visit_block(block);
        self.functions.pop();
        self.is_constant = before;
    }

    /// Whether a statement returns where no deviation is on.
    fn leaves_the_specification_behind(&self, statement: &Stmt) -> bool {
        let Stmt::Expr(Expr::If(of), _) = statement else { return false };
        let last = of.then_branch.stmts.last();
        let returns = matches!(last, Some(Stmt::Expr(Expr::Return(_), _)));
        self.asks(&of.cond).holds_for_the_specification() && returns
    }

    /// Whether an arm is taken only with a deviation: by its pattern, by its guard, or because it is the `true` of a question for one.
    fn is_deviant(&self, of: &ExprMatch, arm: &Arm) -> bool {
        let by_guard = arm.guard.as_ref().is_some_and(|(_, guard)| self.asks(guard) == Asks::Deviation);
        let by_question = is_true(&arm.pat) && self.asks(&of.expr) == Asks::Deviation;
        is_of_deviation(&arm.pat) || by_guard || by_question
    }

    /// Whether an arm takes all that comes where no deviation is on: those behind it are for deviations alone.
    fn takes_the_specification(&self, arm: &Arm) -> bool {
        let holds = |guard: &Expr| self.asks(guard).holds_for_the_specification();
        matches_all(&arm.pat) && arm.guard.as_ref().is_none_or(|(_, guard)| holds(guard))
    }

    fn guard(&mut self, arm: &Arm, has_catch_all: bool) {
        let pattern = one_line(text_of(self.source, arm.pat.span()));
        match &arm.guard {
            Some((_, guard)) if self.asks(guard) == Asks::Specification => {}
            // A guard with `let` binds what the arm needs.
            Some((_, guard)) if !has_let(guard) => {
                let always = self.mutant(guard.span(), format!("`{pattern}`: guard always holds"));
                let never = self.mutant(guard.span(), format!("`{pattern}`: guard never holds"));
                if let Some(always) = always {
                    self.place(guard.span(), Kind::Guard { always, never });
                }
                self.visit_expr(guard);
            }
            Some((_, guard)) => self.visit_expr(guard),
            None if has_catch_all => {
                if let Some(never) = self.mutant(arm.pat.span(), format!("`{pattern}`: arm left out")) {
                    let end = arm.pat.span().byte_range().end;
                    self.found.places.push(Place { range: end..end, kind: Kind::PatternEnd { never } });
                }
            }
            None => {}
        }
    }

    /// Exchanges what neighbours do that bind nothing.
    fn exchange(&mut self, arms: &[Arm], is_deviant: &[bool]) -> Vec<Vec<(u32, String)>> {
        let mut others = vec![Vec::new(); arms.len()];
        for (index, pair) in arms.windows(2).enumerate() {
            let [first, second] = pair else { continue };
            let bodies = [&first.body, &second.body].map(|body| text_of(self.source, body.span()));
            let of_deviation = is_deviant[index] || is_deviant[index + 1];
            if of_deviation || binds(first) || binds(second) || bodies[0] == bodies[1] {
                continue;
            }
            let patterns = [&first.pat, &second.pat].map(|pat| one_line(text_of(self.source, pat.span())));
            let change = format!("`{}` and `{}` exchanged", patterns[0], patterns[1]);
            if let Some(mutant) = self.mutant(first.pat.span(), change) {
                others[index].push((mutant, bodies[1].to_owned()));
                others[index + 1].push((mutant, bodies[0].to_owned()));
            }
        }
        others
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(function) if !is_test(&function.attrs) => self.function(&function.sig, &function.block),
            Item::Impl(of) if !is_test(&of.attrs) && !is_for_people(of) => {
                self.functions.push(one_line(text_of(self.source, of.self_ty.span())));
                of.items.iter().for_each(|item| match item {
                    ImplItem::Fn(function) => self.function(&function.sig, &function.block),
                    ImplItem::Const(constant) => self.in_constant(|finder| finder.visit_expr(&constant.expr)),
                    _ => {}
                });
                self.functions.pop();
            }
            Item::Mod(module) if !is_test(&module.attrs) => visit::visit_item_mod(self, module),
            Item::Const(constant) => self.in_constant(|finder| finder.visit_expr(&constant.expr)),
            Item::Static(constant) => self.in_constant(|finder| finder.visit_expr(&constant.expr)),
            Item::Trait(of) => visit::visit_item_trait(self, of),
            _ => {}
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(&function.sig, block);
        }
    }

    /// Patterns are constants.
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}

    fn visit_type(&mut self, _: &'ast Type) {}

    fn visit_block(&mut self, block: &'ast Block) {
        for statement in &block.stmts {
            let is_effect = matches!(
                statement,
                Stmt::Expr(Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_), Some(_))
            );
            if is_effect {
                let text = one_line(text_of(self.source, statement.span()));
                if let Some(without) = self.mutant(statement.span(), format!("`{text}` left out")) {
                    self.place(statement.span(), Kind::Statement { without });
                }
            }
            self.visit_stmt(statement);
            // What stands behind is for deviations alone.
            if self.leaves_the_specification_behind(statement) {
                break;
            }
        }
    }

    fn visit_local(&mut self, of: &'ast syn::Local) {
        if let (syn::Pat::Ident(name), Some(init)) = (&of.pat, &of.init)
            && self.asks(&init.expr) == Asks::Deviation
        {
            self.deviant.insert(name.ident.to_string());
        }
        visit::visit_local(self, of);
    }

    fn visit_expr_if(&mut self, of: &'ast ExprIf) {
        match self.asks(&of.cond) {
            Asks::Deviation => self.negate(&of.cond),
            Asks::NotSpecification => {}
            holds @ (Asks::Specification | Asks::WithoutDeviation) => {
                if holds == Asks::WithoutDeviation {
                    self.negate(&of.cond);
                }
                self.visit_block(&of.then_branch);
                return;
            }
            Asks::Nothing => {
                if is_negatable(&of.cond) {
                    self.negate(&of.cond);
                }
                self.visit_expr(&of.cond);
                self.visit_block(&of.then_branch);
            }
        }
        if let Some((_, otherwise)) = &of.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_match(&mut self, of: &'ast ExprMatch) {
        self.visit_expr(&of.expr);
        let last = of.arms.iter().position(|arm| self.takes_the_specification(arm));
        let arms = last.map_or(&*of.arms, |last| &of.arms[..=last]);
        // Arms of deviations are exchanged with no other: what is asked for them says it already.
        let is_deviant: Vec<bool> = arms.iter().map(|arm| self.is_deviant(of, arm)).collect();
        let others = self.exchange(arms, &is_deviant);
        for (index, (arm, others)) in arms.iter().zip(others).enumerate() {
            if is_deviant[index] {
                if let Some((_, guard)) = &arm.guard {
                    self.negate(guard);
                }
                continue;
            }
            let has_catch_all = arms[index + 1..].iter().any(|arm| self.takes_the_specification(arm));
            self.guard(arm, has_catch_all);
            self.place(arm.body.span(), Kind::Expression { others, is_body: true });
            self.visit_expr(&arm.body);
        }
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Const(_) => return self.in_constant(|finder| visit::visit_expr(finder, expression)),
            Expr::Repeat(repeat) => {
                self.visit_expr(&repeat.expr);
                return self.in_constant(|finder| finder.visit_expr(&repeat.len));
            }
            // A place of its own would take `let` out of its condition.
            Expr::Binary(_) if has_let(expression) => return visit::visit_expr(self, expression),
            Expr::Binary(_) if self.asks(expression) == Asks::Deviation => return self.negate(expression),
            Expr::Binary(_) if self.asks(expression) != Asks::Nothing => return,
            _ => {}
        }
        if let Some((span, end)) = further_end(expression, self.source) {
            self.replace(span, &[end]);
        }
        self.replace(expression.span(), &alternatives::of(expression, self.source));
        // A negative number is one place.
        let is_number = matches!(expression, Expr::Unary(of) if matches!(&*of.expr, Expr::Lit(_)));
        if !is_number {
            visit::visit_expr(self, expression);
        }
    }
}

/// Whether a pattern takes whatever comes.
fn matches_all(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Wild(_) => true,
        syn::Pat::Tuple(parts) => parts.elems.iter().all(matches_all),
        syn::Pat::Ident(name) => {
            name.subpat.is_none() && name.ident.to_string().starts_with(char::is_lowercase)
        }
        _ => false,
    }
}

/// Whether the pattern of an arm names what it finds.
fn binds(arm: &Arm) -> bool {
    struct Names(bool);
    impl Visit<'_> for Names {
        fn visit_pat_ident(&mut self, name: &syn::PatIdent) {
            self.0 |= name.ident.to_string().starts_with(|first: char| first.is_lowercase() || first == '_');
        }
        fn visit_field_pat(&mut self, field: &syn::FieldPat) {
            self.visit_pat(&field.pat);
        }
    }
    let mut names = Names(false);
    names.visit_pat(&arm.pat);
    names.0
}

fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

/// Whether an implementation writes texts: no expectation is about those.
fn is_for_people(of: &syn::ItemImpl) -> bool {
    of.trait_.as_ref().is_some_and(|(_, path, _)| {
        path.segments.last().is_some_and(|last| ["Display", "Debug"].iter().any(|name| last.ident == name))
    })
}

/// A text in one line, without its middle if it is long.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let letters: Vec<char> = line.chars().collect();
    if letters.len() <= 100 {
        return line;
    }
    let part = |letters: &[char]| letters.iter().collect::<String>();
    format!("{} … {}", part(&letters[..60]), part(&letters[letters.len() - 36..]))
}

#[cfg(test)]
#[path = "finder_tests.rs"]
mod tests;

//! `.extern`, `.visible`, `.weak`: whether a variable or function is defined in the module or left to a linker.

use super::Checker;
use crate::ast::{Item, Linkage};
use crate::source::Span;

impl Checker<'_> {
    /// Whether the module declares a function of that name as `.extern`.
    pub(super) fn is_defined_elsewhere(&self, name: &str) -> bool {
        self.ast.items.iter().any(|item| match item {
            Item::Function(function) => {
                let external = matches!(function.linkage.first(), Some((Linkage::Extern, _)));
                external && self.text_of(function.name) == name
            }
            _ => false,
        })
    }

    /// Whether the module defines a function of that name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.ast.items.iter().any(|item| match item {
            Item::Function(function) => function.body.is_some() && self.text_of(function.name) == name,
            // It is not run, and must not make the program a wrong one besides.
            Item::Alias { name: alias, .. } => self.text_of(*alias) == name,
            _ => false,
        })
    }

    /// Whether the module itself defines a variable that it declares `.extern` here.
    pub(super) fn defined_later(&self, name: Span) -> bool {
        let text = self.text_of(name);
        self.ast.items.iter().any(|item| match item {
            Item::Declaration(declaration) => {
                let defines = declaration.linkage.iter().all(|(linkage, _)| *linkage != Linkage::Extern);
                defines && declaration.declarators.iter().any(|it| self.text_of(it.name) == text)
            }
            _ => false,
        })
    }
}

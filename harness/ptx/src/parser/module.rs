//! The syntax of module scope: directives, functions and their heads.

use super::declaration::linkage;
use super::{Parsed, Parser};
use crate::ast::{Declaration, Function, FunctionDirective, FunctionDirectiveKind, Item, Linkage};
use crate::lexer::Kind;
use crate::source::Span;

impl Parser<'_> {
    /// Parses all items up to the end.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at(Kind::End) {
            if let Some(empty) = self.eat(Kind::Semicolon) {
                self.empty_statements.push(empty.span);
                continue;
            }
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => self.recover_item(),
            }
        }
        items
    }

    /// After an error at module scope, skips to the next directive.
    fn recover_item(&mut self) {
        self.depth = 0;
        self.pending.clear();
        loop {
            match self.kind {
                Kind::End => return,
                Kind::Semicolon => {
                    self.bump();
                    return;
                }
                Kind::BraceOpen => {
                    self.skip_braces();
                    return;
                }
                Kind::Word if self.on_new_line() && self.starts_item() => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    fn starts_item(&self) -> bool {
        matches!(
            self.word(),
            Some(
                "version"
                    | "target"
                    | "address_size"
                    | "visible"
                    | "extern"
                    | "weak"
                    | "common"
                    | "entry"
                    | "func"
                    | "global"
                    | "const"
                    | "shared"
                    | "file"
                    | "section"
                    | "pragma"
                    | "alias"
            )
        )
    }

    fn item(&mut self) -> Parsed<Item> {
        let start = self.span().start;
        let Some(word) = self.word() else {
            return self.fail_here("a directive, a variable or a function");
        };
        match word {
            "version" => self.version(start),
            "target" => self.target(start),
            "address_size" => {
                self.bump();
                let bits = self.number()?;
                Ok(Item::AddressSize { bits: self.literal_number(bits), span: self.since(start) })
            }
            "file" => self.file().map(Item::Raw),
            "pragma" => self.pragma().map(Item::Raw),
            "section" => self.section(start),
            "alias" => {
                self.bump();
                let name = self.expect(Kind::Identifier, "a name")?.span;
                self.expect(Kind::Comma, "`,`")?;
                let target = self.expect(Kind::Identifier, "a function")?.span;
                self.expect(Kind::Semicolon, "`;`")?;
                Ok(Item::Alias { name, target, span: self.since(start) })
            }
            _ => self.definition(start),
        }
    }

    /// `.version 8.8`: the lexer sees one decimal literal.
    fn version(&mut self, start: u32) -> Parsed<Item> {
        self.bump();
        let span = self.expect(Kind::Decimal, "a version such as `8.8`")?.span;
        let parts = self.text_of(span).split_once('.');
        match parts.map(|(major, minor)| (major.parse(), minor.parse())) {
            Some((Ok(major), Ok(minor))) => Ok(Item::Version { major, minor, span: self.since(start) }),
            _ => self.fail(span, "malformed version", Some("a version such as `8.8`")),
        }
    }

    fn target(&mut self, start: u32) -> Parsed<Item> {
        self.bump();
        let mut words = Vec::new();
        loop {
            words.push(self.expect(Kind::Identifier, "a target such as `sm_90`")?.span);
            if self.eat(Kind::Comma).is_none() {
                return Ok(Item::Target { words, span: self.since(start) });
            }
        }
    }

    /// `.section .debug_info { … }`: DWARF is kept as written, without analysis.
    fn section(&mut self, start: u32) -> Parsed<Item> {
        self.bump();
        if !matches!(self.kind, Kind::Word | Kind::Identifier) {
            return self.fail_here("the name of a section");
        }
        self.bump();
        if !self.at(Kind::BraceOpen) {
            return self.fail_here("`{`");
        }
        let open = self.bump().span;
        let mut depth = 1u32;
        while depth > 0 {
            match self.kind {
                Kind::BraceOpen => depth += 1,
                Kind::BraceClose => depth -= 1,
                Kind::End => {
                    return self.fail(open, "section that does not end", Some("a `}` for this `{`"));
                }
                Kind::Bad => return self.fail_here("the lines of a section"),
                _ => {}
            }
            self.bump();
        }
        Ok(Item::Section(self.since(start)))
    }

    /// A variable or function with its linkage.
    fn definition(&mut self, start: u32) -> Parsed<Item> {
        let mut linkages = Vec::new();
        while let Some(linkage) = self.word().and_then(linkage) {
            linkages.push((linkage, self.bump().span));
        }
        match self.word() {
            Some("entry") => self.function(start, linkages, true),
            Some("func") => self.function(start, linkages, false),
            _ => Ok(Item::Declaration(self.declaration(start, linkages)?)),
        }
    }

    fn function(&mut self, start: u32, linkage: Vec<(Linkage, Span)>, entry: bool) -> Parsed<Item> {
        self.bump();
        let mut attributes = Vec::new();
        if !entry && self.word() == Some("attribute") {
            self.attributes(&mut attributes)?;
        }
        let returns = if entry { None } else { self.parameters()? };
        let name = self.expect(Kind::Identifier, "the name of the function")?.span;
        let parameters = self.parameters()?;
        let directives = self.function_directives()?;
        let span = self.since(start);
        let body = if self.eat(Kind::Semicolon).is_some() {
            None
        } else if self.at(Kind::BraceOpen) {
            Some(self.body()?)
        } else {
            return self.fail_here("`{`, `;` or a directive such as `.maxntid`");
        };
        Ok(Item::Function(Box::new(Function {
            linkage,
            entry,
            attributes,
            returns,
            name,
            parameters,
            directives,
            body,
            span,
        })))
    }

    /// `(…)`, or nothing.
    pub(super) fn parameters(&mut self) -> Parsed<Option<Vec<Declaration>>> {
        if self.eat(Kind::ParenOpen).is_none() {
            return Ok(None);
        }
        let mut parameters = Vec::new();
        if self.eat(Kind::ParenClose).is_some() {
            return Ok(Some(parameters));
        }
        loop {
            parameters.push(self.parameter()?);
            if self.eat(Kind::ParenClose).is_some() {
                return Ok(Some(parameters));
            }
            self.expect(Kind::Comma, "`,` or `)`")?;
        }
    }

    /// Directives between the head of a function and its body.
    pub(super) fn function_directives(&mut self) -> Parsed<Vec<FunctionDirective>> {
        let mut directives = Vec::new();
        while let Some(word) = self.word() {
            let span = self.span();
            let Some(kind) = FunctionDirectiveKind::from_text(word) else {
                return self.fail(
                    span,
                    format!("unknown directive `.{word}`"),
                    Some("a directive such as `.maxntid`"),
                );
            };
            let mut values = Vec::new();
            if kind == FunctionDirectiveKind::Pragma {
                self.pragma()?;
            } else {
                self.bump();
                while values.is_empty() && self.at(Kind::Integer)
                    || !values.is_empty() && self.eat(Kind::Comma).is_some()
                {
                    values.push(self.number()?);
                }
            }
            directives.push(FunctionDirective { kind, values, span: self.since(span.start) });
        }
        Ok(directives)
    }
}

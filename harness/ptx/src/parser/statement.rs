//! The syntax of function bodies: labels, guards, instructions, blocks.

use super::declaration::linkage;
use super::{Parsed, Parser};
use crate::ast::{CallPrototype, Guard, Instruction, List, Statement, Word, WordKind};
use crate::lexer::Kind;
use crate::source::Span;
use crate::vocabulary::Opcode;

impl Parser<'_> {
    /// A body from its `{` to its `}`. Nested blocks become [`Statement::Open`] and [`Statement::Close`].
    pub(super) fn body(&mut self) -> Parsed<Vec<Statement>> {
        let open = self.expect(Kind::BraceOpen, "`{`")?;
        self.statements.clear();
        let mut depth = 0u32;
        loop {
            match self.kind {
                Kind::BraceOpen => {
                    depth += 1;
                    let span = self.bump().span;
                    self.statements.push(Statement::Open(span));
                }
                Kind::BraceClose if depth == 0 => {
                    self.bump();
                    return Ok(self.statements.drain(..).collect());
                }
                Kind::BraceClose => {
                    depth -= 1;
                    let span = self.bump().span;
                    self.statements.push(Statement::Close(span));
                }
                Kind::End => {
                    return self.fail(open.span, "body that does not end", Some("a `}` for this `{`"));
                }
                _ => {
                    if self.statement().is_err() {
                        self.recover();
                    }
                }
            }
        }
    }

    /// Reads a statement that is not a brace to the end of the body's.
    fn statement(&mut self) -> Parsed<()> {
        let start = self.span().start;
        let statement = match self.kind {
            Kind::Identifier => {
                let name = self.bump().span;
                if self.eat(Kind::Colon).is_none() {
                    return self.instruction(start, None, name);
                }
                self.labelled(name)?
            }
            Kind::At => {
                self.bump();
                let negated = self.eat(Kind::Bang).is_some();
                let register = self.expect(Kind::Identifier, "a predicate register")?.span;
                let opcode = self.expect(Kind::Identifier, "an opcode")?.span;
                return self.instruction(start, Some(Guard { name: register, negated }), opcode);
            }
            Kind::Word => self.directive(start)?,
            Kind::Semicolon => {
                let empty = self.bump().span;
                self.empty_statements.push(empty);
                return Ok(());
            }
            _ => return self.fail_here("an instruction, a declaration or a label"),
        };
        self.statements.push(statement);
        Ok(())
    }

    fn instruction(&mut self, start: u32, guard: Option<Guard>, name: Span) -> Parsed<()> {
        let Some(opcode) = Opcode::from_text(self.text_of(name)) else {
            let message = format!("unknown opcode `{}`", self.text_of(name));
            self.unknown_opcodes += 1;
            return self.fail(name, message, Some("an opcode of the PTX ISA"));
        };
        let first = self.words.len() as u32;
        while self.at(Kind::Word) {
            let span = self.bump().span;
            let kind = WordKind::from_text(&self.text_of(span)[1..]);
            self.words.push(Word { kind, span });
        }
        let words = List { start: first, end: self.words.len() as u32 };
        let operands = self.operands(opcode == Opcode::Call)?;
        let span = self.since(start);
        self.statements.push(Statement::Instruction(Instruction {
            guard,
            opcode,
            opcode_span: name,
            words,
            operands,
            span,
        }));
        Ok(())
    }

    /// Parses the statement after `name:`.
    fn labelled(&mut self, label: Span) -> Parsed<Statement> {
        match self.word() {
            Some("branchtargets") => {
                self.bump();
                let targets = self.name_list("a label")?;
                Ok(Statement::BranchTargets { label, targets, span: self.since(label.start) })
            }
            Some("calltargets") => {
                self.bump();
                let targets = self.name_list("a function")?;
                Ok(Statement::CallTargets { label, targets, span: self.since(label.start) })
            }
            Some("callprototype") => self.call_prototype(label),
            _ => Ok(Statement::Label(label)),
        }
    }

    fn call_prototype(&mut self, label: Span) -> Parsed<Statement> {
        self.bump();
        let returns = self.parameters()?;
        let name = self.expect(Kind::Identifier, "`_`")?.span;
        let parameters = self.parameters()?;
        let directives = self.function_directives()?;
        self.expect(Kind::Semicolon, "`;`")?;
        let span = self.since(label.start);
        Ok(Statement::CallPrototype(Box::new(CallPrototype {
            label,
            returns,
            name,
            parameters,
            directives,
            span,
        })))
    }

    fn directive(&mut self, start: u32) -> Parsed<Statement> {
        match self.word() {
            Some("loc") => self.location().map(Statement::Raw),
            Some("pragma") => self.pragma().map(Statement::Raw),
            Some("file") => self.file().map(Statement::Raw),
            _ => {
                let mut linkages = Vec::new();
                while let Some(linkage) = self.word().and_then(linkage) {
                    linkages.push((linkage, self.bump().span));
                }
                Ok(Statement::Declaration(Box::new(self.declaration(start, linkages)?)))
            }
        }
    }

    /// `.loc file line column [, function_name label [+ n], inlined_at file line column]`
    fn location(&mut self) -> Parsed<Span> {
        let start = self.bump().span.start;
        for _ in 0..3 {
            self.expect(Kind::Integer, "a number")?;
        }
        while self.at(Kind::Comma) {
            self.bump();
            let word = self.expect(Kind::Identifier, "`function_name` or `inlined_at`")?.span;
            match self.text_of(word) {
                "function_name" => {
                    self.expect(Kind::Identifier, "a label")?;
                    if self.eat(Kind::Plus).is_some() {
                        self.expect(Kind::Integer, "a number")?;
                    }
                }
                "inlined_at" => {
                    for _ in 0..3 {
                        self.expect(Kind::Integer, "a number")?;
                    }
                }
                _ => {
                    return self.fail(
                        word,
                        "unknown attribute of `.loc`",
                        Some("`function_name` or `inlined_at`"),
                    );
                }
            }
        }
        Ok(self.since(start))
    }

    /// `.pragma "a", "b";`
    pub(super) fn pragma(&mut self) -> Parsed<Span> {
        let start = self.bump().span.start;
        loop {
            self.expect(Kind::Text, "a string")?;
            if self.eat(Kind::Comma).is_none() {
                break;
            }
        }
        self.expect(Kind::Semicolon, "`,` or `;`")?;
        Ok(self.since(start))
    }

    /// `.file 1 "a.cu" [, timestamp, size]`
    pub(super) fn file(&mut self) -> Parsed<Span> {
        let start = self.bump().span.start;
        self.expect(Kind::Integer, "a number")?;
        self.expect(Kind::Text, "a file name in quotes")?;
        while self.eat(Kind::Comma).is_some() {
            self.expect(Kind::Integer, "a number")?;
        }
        Ok(self.since(start))
    }
}

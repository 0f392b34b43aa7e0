//! The syntax of programs: directives, labels, pairs and statements. The grammar stands in the documentation of the crate.

use std::collections::HashMap;

use warpdiff_ptx::source::{Diagnostic, Span};

use super::operand::predicate;
use crate::assembler::{OperandKind, Written, assemble, operand_kind, takes_words};
use crate::bundle;
use crate::control::Control;
use crate::directive::{DIRECTIVES, directives};
use crate::form::OperandField;
use crate::header::Header;
use crate::instruction::{Guard, Operand};
use crate::lexer::{Token, error, tokens, unsupported};
use crate::listing_text::{schedule, without_directives};
use crate::mnemonic::Mnemonic;
use crate::program::{Label, Program, Statement};
use crate::symbol::SymbolUse;

/// Parses a program; [`Header::default`] supplies the directives that the text lacks.
///
/// # Errors
///
/// All errors of the text: each statement is parsed, even after an error in an earlier one.
pub fn parse(text: &str) -> Result<Program, Vec<Diagnostic>> {
    parse_under(text, &Header::default())
}

/// Parses a program; `header` supplies the directives that the text lacks.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_under(text: &str, header: &Header) -> Result<Program, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let (code, registers) = without_directives(text);
    let tokens = tokens(&code, &mut diagnostics);
    let end = Span { start: text.len() as u32, end: text.len() as u32 };
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        end,
        pair: None,
        labels: HashMap::new(),
        absolute: false,
        takes_words: false,
        references: Vec::new(),
        statement: 0,
        symbols: Vec::new(),
    };
    let registers = registers.unwrap_or(header.registers);
    let mut program = Program { header: Header { registers, ..*header }, ..Program::default() };
    if let Err(diagnostic) = directives(&mut parser, &mut program.header) {
        diagnostics.push(diagnostic);
    }
    while parser.at < tokens.len() {
        if let Err(diagnostic) = parser.statement(&mut program, &mut diagnostics) {
            diagnostics.push(diagnostic);
            parser.skip_statement();
        }
    }
    if let Some((_, span)) = parser.pair {
        diagnostics.push(error(span, "this pair does not end", Some("`}`")));
    }
    parser.resolve(&mut program, &mut diagnostics);
    if diagnostics.is_empty() {
        schedule(text, &mut program);
        return Ok(program);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    Err(diagnostics)
}

/// The statements of a text, one after the other.
pub(crate) struct Parser<'s, 't> {
    pub(super) tokens: &'s [(Token<'t>, Span)],
    pub(super) at: usize,
    pub(super) end: Span,
    /// The statement that a pair of braces begins with, and where the brace stands.
    pub(super) pair: Option<(usize, Span)>,
    /// The statement in front of which each label stands.
    pub(super) labels: HashMap<&'t str, usize>,
    /// Whether the statement at hand has an address without a register.
    pub(super) absolute: bool,
    /// Whether words stand for operands of the statement at hand.
    pub(super) takes_words: bool,
    /// Statements whose target is a label.
    pub(super) references: Vec<(usize, &'t str, Span)>,
    /// The index of the statement at hand.
    pub(super) statement: usize,
    /// Addresses of symbols.
    pub(super) symbols: Vec<SymbolUse>,
}

pub(crate) type Parsed<T> = Result<T, Diagnostic>;

impl<'t> Parser<'_, 't> {
    pub(crate) fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).map(|(token, _)| *token)
    }

    /// Where the next token stands; the end of the text when there is none.
    pub(crate) fn here(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |(_, span)| *span)
    }

    /// Past the next token, whatever it is.
    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    pub(super) fn eat(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    pub(crate) fn unexpected(&self, expected: &str) -> Diagnostic {
        let message = match self.peek() {
            None => "unexpected end of the text".to_owned(),
            Some(Token::Word(word)) => format!("unexpected `{word}`"),
            Some(Token::Number(_) | Token::Float(_)) => "unexpected number".to_owned(),
            Some(Token::Mark(mark)) => format!("unexpected `{mark}`"),
        };
        error(self.here(), message, Some(expected))
    }

    pub(super) fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    pub(crate) fn word(&mut self, expected: &str) -> Parsed<(&'t str, Span)> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let span = self.here();
                self.at += 1;
                Ok((word, span))
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    pub(crate) fn number(&mut self, expected: &str) -> Parsed<(u64, Span)> {
        match self.peek() {
            Some(Token::Number(value)) => {
                let span = self.here();
                self.at += 1;
                Ok((value, span))
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Past the next `;`.
    fn skip_statement(&mut self) {
        while self.at < self.tokens.len() && !self.eat(';') {
            self.at += 1;
        }
    }

    fn statement(&mut self, program: &mut Program, diagnostics: &mut Vec<Diagnostic>) -> Parsed<()> {
        let start = self.here();
        if self.eat(';') {
            return Ok(());
        }
        if self.eat('{') {
            return match self.pair.replace((program.statements.len(), start)) {
                Some(_) => Err(error(start, "a pair within a pair", Some("`}`"))),
                None => Ok(()),
            };
        }
        if self.eat('}') {
            return self.close_pair(start, program);
        }
        let guard = if self.eat('@') { self.guard()? } else { Guard::ALWAYS };
        let (opcode, span) = self.word("an instruction, a guard `@P0` or a label")?;
        if guard == Guard::ALWAYS && self.eat(':') {
            let label = Label { name: opcode.to_owned(), statement: program.statements.len() };
            if self.labels.insert(opcode, label.statement).is_some() {
                diagnostics.push(error(span, format!("label `{opcode}` is defined twice"), None));
            }
            program.labels.push(label);
            return Ok(());
        }
        if DIRECTIVES.contains(&opcode) {
            let message = format!("`{opcode}` stands behind the first statement");
            return Err(error(span, message, Some("directives at the head of the program")));
        }
        let mnemonic = opcode.split('.').next().and_then(Mnemonic::from_text);
        if mnemonic.is_some_and(|mnemonic| mnemonic.traits().is_none()) {
            return Err(unsupported(span, format!("opcode `{opcode}`")));
        }
        self.absolute = false;
        self.statement = program.statements.len();
        self.takes_words = mnemonic.is_some_and(takes_words);
        let operands = match operand_kind(opcode) {
            OperandKind::Target => self.tested(|parser| parser.target(program.statements.len()))?,
            OperandKind::Indirect => self.tested(Self::indirect)?,
            OperandKind::Usual => self.operands()?,
        };
        let (control, annotated) = self.annotations()?;
        let whole = start.to(self.here());
        if self.pair.is_none() || self.peek() != Some(Token::Mark('}')) {
            self.expect(';')?;
        }
        let written = Written { opcode, span, guard, operands };
        if let Some((instruction, kept)) = assemble(&written, diagnostics) {
            let reuse = kept | annotated;
            let control = control.map(|control| Control { reuse, ..control });
            let (absolute, span) = (self.absolute, whole);
            program.statements.push(Statement { instruction, control, reuse, absolute, paired: false, span });
        }
        Ok(())
    }

    /// `{ first; second; }`: issued together.
    fn close_pair(&mut self, brace: Span, program: &mut Program) -> Parsed<()> {
        let Some((first, opened)) = self.pair.take() else {
            return Err(error(brace, "unexpected `}`", Some("an instruction, a guard `@P0` or a label")));
        };
        let [statement, _] = &mut program.statements[first..] else {
            return Err(error(opened.to(brace), "a pair is two instructions", Some("two instructions")));
        };
        statement.paired = true;
        if let Some(control) = &mut statement.control {
            // Nothing written is one cycle.
            if control.stall > 1 || !control.stay {
                return Err(error(
                    statement.span,
                    "the first of a pair waits for no cycle",
                    Some("`?WAIT0`"),
                ));
            }
            control.stall = 0;
        }
        Ok(())
    }

    /// Puts the places of labels where they are named.
    fn resolve(&mut self, program: &mut Program, diagnostics: &mut Vec<Diagnostic>) {
        for (statement, label, span) in &self.references {
            let Some(to) = self.labels.get(label).copied() else {
                diagnostics.push(error(*span, format!("there is no label `{label}`"), None));
                continue;
            };
            // With errors elsewhere the statement may be missing; the program is then dropped.
            if let Some(statement_at) = program.statements.get_mut(*statement) {
                let offset = bundle::offset(*statement, to);
                if let Some(target) = statement_at.instruction.operands.last_mut() {
                    *target = Operand::Target(offset);
                }
            }
        }
        for symbol in std::mem::take(&mut self.symbols) {
            let Some(statement) = program.statements.get_mut(symbol.statement) else { continue };
            let form = statement.instruction.form;
            let to = self.labels.get(symbol.address.name.as_str()).copied();
            match (form.operands.last(), to) {
                (Some(OperandField::AbsoluteTarget), Some(to)) => {
                    if let Some(target) = statement.instruction.operands.last_mut() {
                        *target = Operand::Immediate(i64::from(bundle::address(to)));
                    }
                }
                _ => program.symbols.push(symbol),
            }
        }
    }

    fn guard(&mut self) -> Parsed<Guard> {
        let negated = self.eat('!');
        let (name, span) = self.word("a predicate")?;
        Ok(Guard { predicate: predicate(name, span)?, negated })
    }
}

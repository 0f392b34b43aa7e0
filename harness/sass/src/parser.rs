//! Assembler text to a program: statements, operands and annotations. The grammar stands in the documentation of the crate.

use warpdiff_ptx::source::{Diagnostic, Span};

use crate::assembler::{Written, WrittenOperand, assemble, has_no_row_yet};
use crate::control::Control;
use crate::instruction::{Guard, Register};
use crate::lexer::{Token, error, tokens, unsupported};
use crate::program::{Label, Program, Statement};
use crate::system_register;

/// The program of a text.
///
/// # Errors
///
/// All that is wrong with it: each statement is looked at, whatever is wrong with those before.
pub fn parse(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let tokens = tokens(text, &mut diagnostics);
    let end = Span { start: text.len() as u32, end: text.len() as u32 };
    let mut parser = Parser { tokens: &tokens, at: 0, end };
    let mut program = Program::default();
    while parser.at < tokens.len() {
        if let Err(diagnostic) = parser.statement(&mut program, &mut diagnostics) {
            diagnostics.push(diagnostic);
            parser.skip_statement();
        }
    }
    if diagnostics.is_empty() {
        return Ok(program);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    Err(diagnostics)
}

struct Parser<'s, 't> {
    tokens: &'s [(Token<'t>, Span)],
    at: usize,
    end: Span,
}

type Parsed<T> = Result<T, Diagnostic>;

impl<'t> Parser<'_, 't> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).map(|(token, _)| *token)
    }

    /// Where the next token stands; the end of the text when there is none.
    fn here(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |(_, span)| *span)
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let message = match self.peek() {
            None => "unexpected end of the text".to_owned(),
            Some(Token::Word(word)) => format!("unexpected `{word}`"),
            Some(Token::Number(_)) => "unexpected number".to_owned(),
            Some(Token::Mark(mark)) => format!("unexpected `{mark}`"),
        };
        error(self.here(), message, Some(expected))
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    fn word(&mut self, expected: &str) -> Parsed<(&'t str, Span)> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let span = self.here();
                self.at += 1;
                Ok((word, span))
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn number(&mut self, expected: &str) -> Parsed<(u64, Span)> {
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
        if self.eat(';') {
            return Ok(());
        }
        let start = self.here();
        let guard = if self.eat('@') { self.guard()? } else { Guard::ALWAYS };
        let (opcode, span) = self.word("an instruction, a guard `@P0` or a label")?;
        if guard == Guard::ALWAYS && self.eat(':') {
            let label = Label { name: opcode.to_owned(), statement: program.statements.len() };
            if program.labels.iter().any(|other| other.name == label.name) {
                diagnostics.push(error(span, format!("label `{opcode}` is defined twice"), None));
            }
            program.labels.push(label);
            return Ok(());
        }
        if has_no_row_yet(opcode) {
            return Err(unsupported(span, format!("opcode `{opcode}`")));
        }
        let operands = self.operands()?;
        let control = self.annotations()?;
        let whole = start.to(self.here());
        self.expect(';')?;
        let written = Written { opcode, span, guard, operands };
        if let Some(instruction) = assemble(&written, diagnostics) {
            program.statements.push(Statement { instruction, control, span: whole });
        }
        Ok(())
    }

    fn guard(&mut self) -> Parsed<Guard> {
        let negated = self.eat('!');
        let (name, span) = self.word("a predicate")?;
        Ok(Guard { predicate: predicate(name, span)?, negated })
    }

    fn operands(&mut self) -> Parsed<Vec<(WrittenOperand, Span)>> {
        let mut operands = Vec::new();
        if matches!(self.peek(), None | Some(Token::Mark(';' | '&' | '?'))) {
            return Ok(operands);
        }
        loop {
            let start = self.here();
            let operand = self.operand()?;
            let last = self.tokens[self.at - 1].1;
            operands.push((operand, start.to(last)));
            if !self.eat(',') {
                return Ok(operands);
            }
        }
    }

    fn operand(&mut self) -> Parsed<WrittenOperand> {
        if self.eat('[') {
            let address = self.address()?;
            self.expect(']')?;
            return Ok(address);
        }
        let negative = self.eat('-');
        if let Some(Token::Number(value)) = self.peek() {
            self.at += 1;
            return Ok(WrittenOperand::Immediate(if negative { -bounded(value) } else { bounded(value) }));
        }
        if !negative && self.eat('!') {
            let (name, span) = self.word("a predicate")?;
            return Ok(WrittenOperand::Predicate { predicate: predicate(name, span)?, negated: true });
        }
        let (name, span) = self.word("an operand")?;
        if negative {
            return register(name, span).map(WrittenOperand::Negated);
        }
        match name {
            "c" => self.constant(),
            _ if name.starts_with('P') => {
                Ok(WrittenOperand::Predicate { predicate: predicate(name, span)?, negated: false })
            }
            _ => match system_register::number(name) {
                Some(number) => Ok(WrittenOperand::System(number)),
                None => register(name, span).map(WrittenOperand::Register),
            },
        }
    }

    /// `[bank][offset]`.
    fn constant(&mut self) -> Parsed<WrittenOperand> {
        self.expect('[')?;
        let bank = bounded(self.number("a constant bank")?.0);
        self.expect(']')?;
        self.expect('[')?;
        let negative = self.eat('-');
        let offset = bounded(self.number("an offset in bytes")?.0);
        self.expect(']')?;
        Ok(WrittenOperand::Constant { bank, offset: if negative { -offset } else { offset } })
    }

    /// What stands between the brackets.
    fn address(&mut self) -> Parsed<WrittenOperand> {
        if let Some(Token::Number(offset)) = self.peek() {
            self.at += 1;
            return Ok(WrittenOperand::Address { base: Register::RZ, offset: bounded(offset) });
        }
        let (name, span) = self.word("a register or an absolute address")?;
        let base = register(name, span)?;
        let negative = match self.peek() {
            Some(Token::Mark('+')) => {
                self.at += 1;
                self.eat('-')
            }
            Some(Token::Mark('-')) => {
                self.at += 1;
                true
            }
            Some(Token::Mark(']')) => return Ok(WrittenOperand::Address { base, offset: 0 }),
            _ => return Err(self.unexpected("`+`, `-` or `]`")),
        };
        let magnitude = bounded(self.number("an offset in bytes")?.0);
        Ok(WrittenOperand::Address { base, offset: if negative { -magnitude } else { magnitude } })
    }

    /// `&req={0,1} &rd=0x2 &wr=0x0 ?WAIT4`, in any order, each at most once.
    fn annotations(&mut self) -> Parsed<Option<Control>> {
        let mut control = Control::default();
        let mut seen: Vec<&str> = Vec::new();
        while let Some(Token::Mark(mark @ ('&' | '?'))) = self.peek() {
            self.at += 1;
            let (name, span) =
                self.word(if mark == '&' { "`req`, `rd` or `wr`" } else { "`WAIT0` to `WAIT15`" })?;
            let kind = if mark == '?' { "?" } else { name };
            if seen.contains(&kind) {
                return Err(error(span, format!("`{mark}{name}`: a second annotation of its kind"), None));
            }
            seen.push(kind);
            match kind {
                "?" => (control.stall, control.stay) = schedule(name, span)?,
                "req" => control.wait = self.required_barriers()?,
                "rd" => control.read_barrier = self.one_barrier()?,
                "wr" => control.write_barrier = self.one_barrier()?,
                _ => {
                    return Err(error(
                        span,
                        format!("unknown annotation `&{name}`"),
                        Some("`&req`, `&rd` or `&wr`"),
                    ));
                }
            }
        }
        Ok((!seen.is_empty()).then_some(control))
    }

    fn one_barrier(&mut self) -> Parsed<u8> {
        self.expect('=')?;
        self.barrier()
    }

    fn barrier(&mut self) -> Parsed<u8> {
        let (value, span) = self.number("a barrier, 0 to 5")?;
        let barrier = u8::try_from(value).ok().filter(|barrier| *barrier < 6);
        barrier.ok_or_else(|| error(span, format!("there is no barrier {value}"), Some("a barrier, 0 to 5")))
    }

    fn required_barriers(&mut self) -> Parsed<u8> {
        self.expect('=')?;
        self.expect('{')?;
        let mut wait = 0;
        if self.eat('}') {
            return Ok(wait);
        }
        loop {
            wait |= 1 << self.barrier()?;
            if !self.eat(',') {
                self.expect('}')?;
                return Ok(wait);
            }
        }
    }
}

/// An offset as a signed number that no field holds when the literal is larger than all fields.
fn bounded(magnitude: u64) -> i64 {
    i64::try_from(magnitude).unwrap_or(i64::MAX)
}

fn predicate(name: &str, span: Span) -> Parsed<u8> {
    match name.strip_prefix('P').map(str::as_bytes) {
        Some([digit @ b'0'..=b'6']) => Ok(digit - b'0'),
        Some(b"T") => Ok(7),
        _ => Err(error(span, format!("`{name}` is no predicate"), Some("`P0` to `P6` or `PT`"))),
    }
}

fn register(name: &str, span: Span) -> Parsed<Register> {
    if name == "RZ" {
        return Ok(Register::RZ);
    }
    if name.ends_with(".reuse") {
        return Err(unsupported(span, format!("`{name}`: the reuse of operands")));
    }
    let digits = name.strip_prefix('R').filter(|d| *d == "0" || !d.starts_with(['0', '+']));
    let number = digits.and_then(|digits| digits.parse::<u8>().ok()).filter(|number| *number < 255);
    number
        .map(Register)
        .ok_or_else(|| error(span, format!("`{name}` is no register"), Some("`R0` to `R254` or `RZ`")))
}

/// `WAIT4`: the next instruction four cycles later; `WAIT4_YIELD`: and another warp may be preferred meanwhile.
fn schedule(name: &str, span: Span) -> Parsed<(u8, bool)> {
    let (wait, stay) = name.strip_suffix("_YIELD").map_or((name, true), |wait| (wait, false));
    let cycles = wait.strip_prefix("WAIT").filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    let stall = cycles.and_then(|digits| digits.parse::<u8>().ok()).filter(|stall| *stall < 16);
    let expected = "`WAIT0` to `WAIT15`, with `_YIELD` or without";
    stall
        .map(|stall| (stall, stay))
        .ok_or_else(|| error(span, format!("unknown schedule `?{name}`"), Some(expected)))
}

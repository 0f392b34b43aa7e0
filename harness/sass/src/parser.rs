//! The syntax of assembler text: statements, operands and annotations. The grammar stands in the documentation of the crate.

use std::collections::HashMap;

use warpdiff_ptx::source::{Diagnostic, Span};

use crate::assembler::{
    OperandKind, Written, WrittenOperand, WrittenValue, assemble, operand_kind, takes_words, word,
};
use crate::bundle;
use crate::condition_code;
use crate::control::Control;
use crate::directive::{DIRECTIVES, directives};
use crate::form::{Mark, Marks};
use crate::header::Header;
use crate::instruction::{Guard, Operand, Register, SWIZZLES};
use crate::lexer::{Token, error, tokens, unsupported};
use crate::mnemonic::Mnemonic;
use crate::program::{Label, Program, Statement};
use crate::reuse;
use crate::system_register;

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
    let tokens = tokens(text, &mut diagnostics);
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
    };
    let mut program = Program { header: *header, ..Program::default() };
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
        return Ok(program);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    Err(diagnostics)
}

/// The statements of a text, one after the other.
pub(crate) struct Parser<'s, 't> {
    tokens: &'s [(Token<'t>, Span)],
    at: usize,
    end: Span,
    /// The statement that a pair of braces begins with, and where the brace stands.
    pair: Option<(usize, Span)>,
    /// The statement in front of which each label stands.
    labels: HashMap<&'t str, usize>,
    /// Whether the statement at hand has an address without a register.
    absolute: bool,
    /// Whether words stand for operands of the statement at hand.
    takes_words: bool,
    /// Statements whose target is a label.
    references: Vec<(usize, &'t str, Span)>,
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

    fn eat(&mut self, mark: char) -> bool {
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

    fn expect(&mut self, mark: char) -> Parsed<()> {
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

    /// Where control goes, behind the test of the condition codes if there is one; or a constant that holds it.
    fn tested(
        &mut self,
        destination: impl FnOnce(&mut Self) -> Parsed<(WrittenOperand, Span)>,
    ) -> Parsed<Vec<(WrittenOperand, Span)>> {
        let mut operands = Vec::new();
        let start = self.here();
        if matches!(self.peek(), Some(Token::Word(word)) if word.starts_with("CC.")) {
            let test = self.value()?;
            operands.push((test, start));
            self.expect(',')?;
        }
        let start = self.here();
        let is_constant = self.peek() == Some(Token::Word("c"))
            && matches!(self.tokens.get(self.at + 1), Some((Token::Mark('['), _)));
        operands.push(if is_constant {
            let constant = self.value()?;
            (constant, start.to(self.tokens[self.at - 1].1))
        } else {
            destination(self)?
        });
        Ok(operands)
    }

    /// Where control goes: `` `(label) ``, `label`, an address from the beginning of the program, or `.+8` from the instruction.
    fn target(&mut self, statement: usize) -> Parsed<(WrittenOperand, Span)> {
        let start = self.here();
        let address = i64::from(bundle::address(statement));
        let quoted = self.eat('`');
        if quoted {
            self.expect('(')?;
        }
        let value = match self.peek() {
            Some(Token::Number(to)) if !quoted => {
                self.at += 1;
                WrittenValue::Target(bounded(to).saturating_sub(address + 8))
            }
            Some(Token::Word(".")) if !quoted => {
                self.at += 1;
                let negative = self.eat('-');
                if !negative {
                    self.expect('+')?;
                }
                let distance = bounded(self.number("a distance in bytes")?.0);
                WrittenValue::Target((if negative { -distance } else { distance }).saturating_sub(8))
            }
            _ => {
                let (label, span) = self.word("a label")?;
                self.references.push((statement, label, span));
                WrittenValue::Label
            }
        };
        if quoted {
            self.expect(')')?;
        }
        let span = start.to(self.tokens[self.at - 1].1);
        Ok((WrittenOperand { value, marks: Marks::NONE, reuse: false }, span))
    }

    /// `R2 -0x10`: a register that holds where control goes, and a distance.
    fn indirect(&mut self) -> Parsed<(WrittenOperand, Span)> {
        let start = self.here();
        let (name, span) = self.word("a register")?;
        let base = register(name, span)?;
        let negative = self.eat('-');
        let offset = match self.peek() {
            Some(Token::Number(offset)) => {
                self.at += 1;
                bounded(offset)
            }
            _ if negative => return Err(self.unexpected("a distance in bytes")),
            _ => 0,
        };
        let value = WrittenValue::Indirect { base, offset: if negative { -offset } else { offset } };
        let span = start.to(self.tokens[self.at - 1].1);
        Ok((WrittenOperand { value, marks: Marks::NONE, reuse: false }, span))
    }

    /// Puts the places of labels where they are named.
    fn resolve(&self, program: &mut Program, diagnostics: &mut Vec<Diagnostic>) {
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
    }

    fn guard(&mut self) -> Parsed<Guard> {
        let negated = self.eat('!');
        let (name, span) = self.word("a predicate")?;
        Ok(Guard { predicate: predicate(name, span)?, negated })
    }

    fn operands(&mut self) -> Parsed<Vec<(WrittenOperand, Span)>> {
        let mut operands = Vec::new();
        if matches!(self.peek(), None | Some(Token::Mark(';' | '&' | '?' | '}'))) {
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
        let negative = self.eat('-');
        let positive = !negative && self.eat('+');
        if let Some(number) = self.literal(negative, positive)? {
            return self.with_suffix(number);
        }
        let mut marks = Marks::NONE;
        for (written, mark) in [(negative, Mark::Negated), (self.eat('~'), Mark::Inverted)] {
            if written {
                marks = marks.with(mark);
            }
        }
        let bar = self.eat('|');
        let mut operand = self.value()?;
        if bar {
            self.expect('|')?;
            marks = marks.with(Mark::Absolute);
            if self.peek() == Some(Token::Word(".reuse")) {
                self.at += 1;
                operand.reuse = true;
            }
        }
        operand.marks = operand.marks.and(marks);
        Ok(operand)
    }

    /// A number with the sign that has been read: whole, with a fraction, or `INF` and `QNAN`, which have a sign always.
    fn literal(&mut self, negative: bool, positive: bool) -> Parsed<Option<WrittenValue>> {
        let signed = |value: f64| WrittenValue::Float(if negative { -value } else { value });
        let value = match self.peek() {
            Some(Token::Number(value)) => {
                WrittenValue::Immediate(if negative { -bounded(value) } else { bounded(value) })
            }
            Some(Token::Float(text)) => match text.parse() {
                Ok(value) => signed(value),
                Err(_) => return Err(self.unexpected("a number")),
            },
            Some(Token::Word(word)) if negative || positive => match word.split('.').next() {
                Some("INF") => signed(f64::INFINITY),
                Some("QNAN") => signed(f64::NAN.copysign(1.0)),
                _ if positive => return Err(self.unexpected("a number")),
                _ => return Ok(None),
            },
            _ if positive => return Err(self.unexpected("a number")),
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// A number, at which the parser still stands, with what stands behind it: `0x1.NEG`.
    fn with_suffix(&mut self, number: WrittenValue) -> Parsed<WrittenOperand> {
        let inner = match self.peek() {
            Some(Token::Word(word)) => word.find('.').map(|dot| &word[dot..]),
            _ => None,
        };
        self.at += 1;
        let suffix = match (inner, self.peek()) {
            (Some(inner), _) => inner,
            (None, Some(Token::Word(suffix))) if suffix.starts_with('.') => {
                self.at += 1;
                suffix
            }
            _ => "",
        };
        suffixed(number, suffix, self.tokens[self.at - 1].1)
    }

    /// An operand without what stands in front of it.
    fn value(&mut self) -> Parsed<WrittenOperand> {
        let plain = |value| WrittenOperand { value, marks: Marks::NONE, reuse: false };
        if self.eat('[') {
            self.absolute = matches!(self.peek(), Some(Token::Number(_)));
            let address = self.address()?;
            self.expect(']')?;
            return Ok(plain(address));
        }
        if self.eat('{') {
            return Ok(plain(WrittenValue::Scoreboards(self.barriers()?)));
        }
        if self.eat('!') {
            let (name, span) = self.word("a predicate")?;
            return Ok(plain(WrittenValue::Predicate { predicate: predicate(name, span)?, negated: true }));
        }
        let (name, span) = self.word("an operand")?;
        if name == "c" {
            let value = self.constant()?;
            let suffix = match self.peek() {
                Some(Token::Word(suffix)) if suffix.starts_with('.') => {
                    self.at += 1;
                    suffix
                }
                _ => "",
            };
            return suffixed(value, suffix, self.tokens[self.at - 1].1);
        }
        if let Some(test) = name.strip_prefix("CC.") {
            let Some(test) = condition_code::number(test) else {
                let message = format!("`{name}` is no test of the condition codes");
                return Err(error(span, message, Some("`CC.EQ`, `CC.LT`, …")));
            };
            return Ok(plain(WrittenValue::Condition(test)));
        }
        match name {
            "CC" => return Ok(plain(WrittenValue::ConditionCodes)),
            "PR" => return Ok(plain(WrittenValue::AllPredicates)),
            _ => {}
        }
        if let Some(signs) = swizzle(name) {
            return Ok(plain(WrittenValue::Swizzle(signs)));
        }
        if let Some(word) = word(name).filter(|_| self.takes_words) {
            return Ok(plain(WrittenValue::Word(word)));
        }
        if name.starts_with('P') {
            return Ok(plain(WrittenValue::Predicate { predicate: predicate(name, span)?, negated: false }));
        }
        if let Some(number) = system_register::number(name) {
            return Ok(plain(WrittenValue::System(number)));
        }
        if let Some(barrier @ b'0'..=b'5') =
            name.strip_prefix("SB").and_then(|digit| match digit.as_bytes() {
                [digit] => Some(*digit),
                _ => None,
            })
        {
            return Ok(plain(WrittenValue::Scoreboard(barrier - b'0')));
        }
        let (name, suffix) = name.split_at(name.find('.').unwrap_or(name.len()));
        suffixed(WrittenValue::Register(register(name, span)?), suffix, span)
    }

    /// `[bank][offset]`, `[bank][Ra + offset]`.
    fn constant(&mut self) -> Parsed<WrittenValue> {
        self.expect('[')?;
        let bank = bounded(self.number("a constant bank")?.0);
        self.expect(']')?;
        self.expect('[')?;
        let value = if let Some(Token::Word(_)) = self.peek() {
            match self.address()? {
                WrittenValue::Address { base, offset } => {
                    WrittenValue::IndexedConstant { bank, base, offset }
                }
                other => other,
            }
        } else {
            let negative = self.eat('-');
            let offset = bounded(self.number("an offset in bytes")?.0);
            WrittenValue::Constant { bank, offset: if negative { -offset } else { offset } }
        };
        self.expect(']')?;
        Ok(value)
    }

    /// What stands between the brackets.
    fn address(&mut self) -> Parsed<WrittenValue> {
        if let Some(Token::Number(offset)) = self.peek() {
            self.at += 1;
            return Ok(WrittenValue::Address { base: Register::RZ, offset: bounded(offset) });
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
            Some(Token::Mark(']')) => return Ok(WrittenValue::Address { base, offset: 0 }),
            _ => return Err(self.unexpected("`+`, `-` or `]`")),
        };
        let magnitude = bounded(self.number("an offset in bytes")?.0);
        Ok(WrittenValue::Address { base, offset: if negative { -magnitude } else { magnitude } })
    }

    /// `&req={0,1} &rd=0x2 &wr=0x0 &reuse=8 ?WAIT4`, in any order, each at most once: the schedule, and the registers that are kept,
    /// which alone are no schedule.
    fn annotations(&mut self) -> Parsed<(Option<Control>, u8)> {
        let mut control = Control::default();
        let mut reuse = 0;
        let mut seen: Vec<&str> = Vec::new();
        while let Some(Token::Mark(mark @ ('&' | '?'))) = self.peek() {
            self.at += 1;
            let (name, span) =
                self.word(if mark == '&' { "`req`, `rd`, `wr` or `reuse`" } else { "`WAIT0` to `WAIT15`" })?;
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
                "reuse" => reuse = self.kept_registers()?,
                _ => {
                    return Err(error(
                        span,
                        format!("unknown annotation `&{name}`"),
                        Some("`&req`, `&rd`, `&wr` or `&reuse`"),
                    ));
                }
            }
        }
        let is_schedule = seen.iter().any(|kind| *kind != "reuse");
        Ok((is_schedule.then_some(control), reuse))
    }

    /// The bits of the field, as a number.
    fn kept_registers(&mut self) -> Parsed<u8> {
        self.expect('=')?;
        let expected = "the four bits of the field, 0 to 15";
        let (value, span) = self.number(expected)?;
        let bits = u8::try_from(value).ok().filter(|bits| *bits <= reuse::ALL);
        bits.ok_or_else(|| error(span, format!("{value} is more than four bits"), Some(expected)))
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
        self.barriers()
    }

    /// `0,1}`: a bit each.
    fn barriers(&mut self) -> Parsed<u8> {
        let mut set = 0;
        if self.eat('}') {
            return Ok(set);
        }
        loop {
            set |= 1 << self.barrier()?;
            if !self.eat(',') {
                self.expect('}')?;
                return Ok(set);
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

/// The signs of `FSWZADD`: `NPPPNPZP`, the last lane's first.
fn swizzle(name: &str) -> Option<u8> {
    let lane = |letters: &[u8]| SWIZZLES.iter().position(|signs| signs.as_bytes() == letters);
    let lanes = name.as_bytes().chunks(2).map(lane).collect::<Option<Vec<_>>>()?;
    (lanes.len() == 4).then(|| lanes.iter().fold(0, |signs, lane| signs << 2 | *lane as u8))
}

fn register(name: &str, span: Span) -> Parsed<Register> {
    if name == "RZ" {
        return Ok(Register::RZ);
    }
    let digits = name.strip_prefix('R').filter(|d| *d == "0" || !d.starts_with(['0', '+']));
    let number = digits.and_then(|digits| digits.parse::<u8>().ok()).filter(|number| *number < 255);
    number
        .map(Register)
        .ok_or_else(|| error(span, format!("`{name}` is no register"), Some("`R0` to `R254` or `RZ`")))
}

/// An operand with what stands behind it: `.H1`, `.CC`, `.reuse`, and of a number `.NEG`, `.ABS`, `.INV`.
fn suffixed(value: WrittenValue, suffixes: &str, span: Span) -> Parsed<WrittenOperand> {
    let mut operand = WrittenOperand { value, marks: Marks::NONE, reuse: false };
    let is_number = matches!(value, WrittenValue::Immediate(_) | WrittenValue::Float(_));
    for suffix in suffixes.split('.').skip(1) {
        match suffix {
            "H0" => operand.marks = operand.marks.with(Mark::LowerHalf),
            "H1" => operand.marks = operand.marks.with(Mark::UpperHalf),
            "B1" => operand.marks = operand.marks.with(Mark::ByteOne),
            "B2" => operand.marks = operand.marks.with(Mark::ByteTwo),
            "B3" => operand.marks = operand.marks.with(Mark::ByteOne).with(Mark::ByteTwo),
            "NEG" if is_number => operand.marks = operand.marks.with(Mark::Negated),
            "ABS" if is_number => operand.marks = operand.marks.with(Mark::Absolute),
            "INV" if is_number => operand.marks = operand.marks.with(Mark::Inverted),
            "F32" => operand.marks = operand.marks.with(Mark::Single),
            "H0_H0" => operand.marks = operand.marks.with(Mark::LowerTwice),
            "H1_H1" => operand.marks = operand.marks.with(Mark::Single).with(Mark::LowerTwice),
            "CC" => operand.marks = operand.marks.with(Mark::ConditionCodes),
            "reuse" => operand.reuse = true,
            _ => {
                let message = format!("unknown `.{suffix}` of an operand");
                let expected = if is_number {
                    "`.NEG`, `.ABS` or `.INV`"
                } else {
                    "`.H0`, `.H1`, `.B1` to `.B3`, `.F32`, `.H0_H0`, `.H1_H1`, `.CC` or `.reuse`"
                };
                return Err(error(span, message, Some(expected)));
            }
        }
    }
    Ok(operand)
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

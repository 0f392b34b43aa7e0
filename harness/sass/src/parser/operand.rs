//! The syntax of operands.

use warpdiff_ptx::source::Span;

use super::statement::{Parsed, Parser};
use crate::assembler::{WrittenOperand, WrittenValue, word};
use crate::bundle;
use crate::condition_code;
use crate::float_text::SIGNALLING;
use crate::form::{Mark, Marks};
use crate::instruction::{Register, SWIZZLES};
use crate::lexer::{Token, error};
use crate::system_register;

impl Parser<'_, '_> {
    /// Where control goes, behind the test of the condition codes if there is one; or a constant that holds it.
    pub(super) fn tested(
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
    pub(super) fn target(&mut self, statement: usize) -> Parsed<(WrittenOperand, Span)> {
        let start = self.here();
        let address = i64::from(bundle::address(statement));
        let quoted = self.eat('`');
        if quoted {
            self.expect('(')?;
        }
        let value = match self.peek() {
            Some(Token::Number(_) | Token::Mark('-')) if !quoted => {
                // The disassembler prints negative ones as well, which no program has.
                let sign = if self.eat('-') { -1 } else { 1 };
                let to = sign * bounded(self.number("an address in bytes")?.0);
                WrittenValue::Target(to.saturating_sub(address + 8))
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
    pub(super) fn indirect(&mut self) -> Parsed<(WrittenOperand, Span)> {
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

    pub(super) fn operands(&mut self) -> Parsed<Vec<(WrittenOperand, Span)>> {
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
        if self.at_symbol() {
            self.symbol()?;
            return Ok(WrittenOperand { value: WrittenValue::Symbol, marks: Marks::NONE, reuse: false });
        }
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

    /// A number with the sign that has been read: whole, with a fraction, or `INF`, `QNAN` and `SNAN`, which have a sign always.
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
                Some("SNAN") if !word.contains(".0x") => {
                    WrittenValue::NaN(SIGNALLING | u64::from(negative) << 63)
                }
                Some("INF") => signed(f64::INFINITY),
                Some("QNAN" | "SNAN") => {
                    match word.split('.').nth(1).and_then(|bits| bits.strip_prefix("0x")) {
                        None => signed(f64::NAN.copysign(1.0)),
                        Some(bits) => match u64::from_str_radix(bits, 16) {
                            Ok(bits) => WrittenValue::NaN(bits),
                            Err(_) => return Err(self.unexpected("the bits of a NaN")),
                        },
                    }
                }
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
        // The bits of a NaN are part of the number.
        let inner = match (inner, number) {
            (Some(inner), WrittenValue::NaN(_)) if inner.starts_with(".0x") => {
                inner[1..].find('.').map(|dot| &inner[1 + dot..])
            }
            _ => inner,
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
        // Most operands are registers, and no other operand begins as one.
        if let Some(digits) = name.strip_prefix('R')
            && digits.starts_with(|c: char| c.is_ascii_digit() || c == 'Z')
        {
            return self.general_register(name, span);
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
        if name.starts_with('S')
            && let Some(number) = system_register::number(name)
        {
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
        self.general_register(name, span)
    }

    /// A register with what stands behind it: `R4.reuse`.
    fn general_register(&self, name: &str, span: Span) -> Parsed<WrittenOperand> {
        let (name, suffix) = name.split_at(name.find('.').unwrap_or(name.len()));
        suffixed(WrittenValue::Register(register(name, span)?), suffix, span)
    }

    /// `[bank][offset]`, `[bank][Ra + offset]`.
    fn constant(&mut self) -> Parsed<WrittenValue> {
        self.expect('[')?;
        if self.at_symbol() {
            self.symbol()?;
            self.expect(']')?;
            return Ok(WrittenValue::Constant { bank: 0, offset: 0 });
        }
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
        if self.at_symbol() {
            self.symbol()?;
            return Ok(WrittenValue::Address { base: Register::RZ, offset: 0 });
        }
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
        if !negative && self.at_symbol() {
            self.symbol()?;
            return Ok(WrittenValue::Address { base, offset: 0 });
        }
        let magnitude = bounded(self.number("an offset in bytes")?.0);
        Ok(WrittenValue::Address { base, offset: if negative { -magnitude } else { magnitude } })
    }
}

/// An offset as a signed number that no field holds when the literal is larger than all fields.
fn bounded(magnitude: u64) -> i64 {
    i64::try_from(magnitude).unwrap_or(i64::MAX)
}

pub(super) fn predicate(name: &str, span: Span) -> Parsed<u8> {
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
    let is_number =
        matches!(value, WrittenValue::Immediate(_) | WrittenValue::Float(_) | WrittenValue::NaN(_));
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

//! The syntax of operands.

use super::{Parsed, Parser};
use crate::ast::{Constant, ConstantValue, List, Operand};
use crate::lexer::Kind;
use crate::source::Span;

impl Parser<'_> {
    /// Operands up to and including the semicolon. `call` has parenthesised lists among them.
    pub(super) fn operands(&mut self, lists: bool) -> Parsed<List> {
        if self.eat(Kind::Semicolon).is_some() {
            return Ok(self.take_pending(self.pending.len()));
        }
        let mark = self.pending.len();
        loop {
            let operand = self.operand(lists)?;
            self.pending.push(operand);
            match self.token.kind {
                Kind::Comma => {
                    self.bump();
                }
                Kind::Semicolon => {
                    self.bump();
                    return Ok(self.take_pending(mark));
                }
                _ => return self.fail_here("`,` or `;`"),
            }
        }
    }

    /// Moves the pending operands from `mark` on to the pool, so that the children of one list are adjacent.
    fn take_pending(&mut self, mark: usize) -> List {
        let start = self.operands.len() as u32;
        self.operands.extend(self.pending.drain(mark..));
        List { start, end: self.operands.len() as u32 }
    }

    fn operand(&mut self, lists: bool) -> Parsed<Operand> {
        let start = self.token.span.start;
        match self.token.kind {
            Kind::Identifier => self.name_operand(),
            Kind::BraceOpen => {
                let items = self.operand_list(Kind::BraceClose, "`,` or `}`")?;
                if self.at(Kind::Bar) {
                    let what = "a predicate beside the result, for whether the texels are resident";
                    return self.unsupported(self.token.span, what);
                }
                Ok(Operand::Vector { items, span: self.since(start) })
            }
            Kind::BracketOpen => {
                let items = self.operand_list(Kind::BracketClose, "`,` or `]`")?;
                let unified = self.eat_word("unified").map(|token| token.span);
                Ok(Operand::Bracket { items, unified, span: self.since(start) })
            }
            Kind::ParenOpen if lists => {
                let items = self.operand_list(Kind::ParenClose, "`,` or `)`")?;
                Ok(Operand::Group { items, span: self.since(start) })
            }
            Kind::Bang if self.name_follows() => {
                self.bump();
                Ok(Operand::Negated(self.bump().span))
            }
            Kind::Minus if self.name_follows() => {
                self.bump();
                let name = self.bump().span;
                let component = self.eat(Kind::Word).map(|word| word.span);
                Ok(Operand::Minus { name, component })
            }
            Kind::Integer
            | Kind::Decimal
            | Kind::Hex32
            | Kind::Hex64
            | Kind::Minus
            | Kind::Plus
            | Kind::Tilde
            | Kind::Bang
            | Kind::ParenOpen => Ok(Operand::Constant(self.constant()?)),
            _ => self.fail_here("an operand"),
        }
    }

    /// Whether the token after the current one is a name that is not a constant.
    fn name_follows(&self) -> bool {
        let token = self.lexer.clone().next();
        token.kind == Kind::Identifier && self.text_of(token.span) != "WARP_SZ"
    }

    fn name_operand(&mut self) -> Parsed<Operand> {
        if self.text_of(self.token.span) == "WARP_SZ" {
            return Ok(Operand::Constant(self.constant()?));
        }
        let name = self.bump().span;
        match self.token.kind {
            Kind::Plus => {
                self.bump();
                let offset = self.constant()?;
                Ok(Operand::Offset { name, offset })
            }
            Kind::Minus => self.fail(
                self.token.span,
                "unexpected `-`",
                Some("`+` and a constant, which may be negative: `+-4`"),
            ),
            Kind::Word => {
                let component = self.bump().span;
                let operand = Operand::Component { name, component };
                if self.at(Kind::Bar) { self.pair(operand) } else { Ok(operand) }
            }
            Kind::Bar => self.pair(self.plain(name)),
            Kind::BracketOpen if self.depth == 0 => self.element(name),
            _ => Ok(self.plain(name)),
        }
    }

    /// `a[1]`: "Array elements can be accessed […] by indexing into the array using square-bracket notation" (PTX ISA 6.4.2).
    fn element(&mut self, name: Span) -> Parsed<Operand> {
        self.nested(|parser| {
            parser.bump();
            let mark = parser.pending.len();
            let index = parser.operand(false)?;
            parser.pending.push(index);
            parser.expect(Kind::BracketClose, "`]`")?;
            let index = parser.take_pending(mark);
            Ok(Operand::Element { name, index, span: parser.since(name.start) })
        })
    }

    fn plain(&self, name: Span) -> Operand {
        if self.text_of(name) == "_" { Operand::Sink(name) } else { Operand::Name(name) }
    }

    /// `p|q`; `p` is already read.
    fn pair(&mut self, first: Operand) -> Parsed<Operand> {
        self.bump();
        let name = self.expect(Kind::Identifier, "a register or `_`")?.span;
        let mark = self.pending.len();
        let second = self.plain(name);
        self.pending.extend([first, second]);
        let items = self.take_pending(mark);
        Ok(Operand::Pair { items, span: first.span().to(name) })
    }

    /// `{a, b}` and the like, delimiters included.
    fn operand_list(&mut self, close: Kind, expected: &str) -> Parsed<List> {
        self.nested(|parser| {
            parser.bump();
            let mark = parser.pending.len();
            if parser.eat(close).is_some() {
                return Ok(parser.take_pending(mark));
            }
            loop {
                let operand = parser.operand(false)?;
                parser.pending.push(operand);
                if parser.eat(close).is_some() {
                    return Ok(parser.take_pending(mark));
                }
                parser.expect(Kind::Comma, expected)?;
            }
        })
    }

    /// Names separated by commas, up to and including the semicolon, as a list.
    pub(super) fn name_list(&mut self, expected: &str) -> Parsed<List> {
        let mark = self.pending.len();
        loop {
            let name = self.expect(Kind::Identifier, expected)?.span;
            self.pending.push(Operand::Name(name));
            if self.eat(Kind::Semicolon).is_some() {
                return Ok(self.take_pending(mark));
            }
            self.expect(Kind::Comma, "`,` or `;`")?;
        }
    }

    /// The number of a constant that must be a literal or `WARP_SZ`.
    pub(super) fn literal_number(&self, constant: Constant) -> u64 {
        match constant.value {
            ConstantValue::Integer { bits, .. } => bits,
            // `number` lets only WARP_SZ through besides.
            _ => 32,
        }
    }
}

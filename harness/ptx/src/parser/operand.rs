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
            self.operand(lists)?;
            match self.kind {
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
        self.operands.extend_from_slice(&self.pending[mark..]);
        self.pending.truncate(mark);
        self.list_from(start)
    }

    /// The list of the last operands of the pool.
    fn list_from(&self, start: u32) -> List {
        List { start, end: self.operands.len() as u32 }
    }

    /// Reads an operand to the end of the pending ones. It is written there at once: to hand it on would copy it several times.
    fn operand(&mut self, lists: bool) -> Parsed<()> {
        let start = self.span().start;
        match self.kind {
            Kind::Identifier => return self.name_operand(),
            Kind::BraceOpen => {
                let items = self.operand_list(Kind::BraceClose, "`,` or `}`")?;
                let items = self.list_from(items);
                let resident = match self.depth == 0 && self.at(Kind::Bar) {
                    true => {
                        self.bump();
                        Some(self.expect(Kind::Identifier, "a register of type `.pred`")?.span)
                    }
                    false => None,
                };
                self.pending.push(Operand::Vector { items, resident, span: self.since(start) });
            }
            Kind::BracketOpen => {
                let items = self.operand_list(Kind::BracketClose, "`,` or `]`")?;
                let items = self.list_from(items);
                let unified = self.eat_word("unified").map(|token| token.span);
                self.pending.push(Operand::Bracket { items, unified, span: self.since(start) });
            }
            Kind::ParenOpen if lists => {
                let items = self.operand_list(Kind::ParenClose, "`,` or `)`")?;
                let items = self.list_from(items);
                self.pending.push(Operand::Group { items, span: self.since(start) });
            }
            Kind::Bang if self.name_follows() => {
                self.bump();
                let name = self.bump().span;
                self.pending.push(Operand::Negated(name));
            }
            Kind::Minus if self.name_follows() => {
                self.bump();
                let name = self.bump().span;
                let component = self.eat(Kind::Word).map(|word| word.span);
                self.pending.push(Operand::Minus { name, component });
            }
            Kind::Integer
            | Kind::Decimal
            | Kind::Hex32
            | Kind::Hex64
            | Kind::Minus
            | Kind::Plus
            | Kind::Tilde
            | Kind::Bang
            | Kind::ParenOpen => {
                let constant = self.constant()?;
                self.pending.push(Operand::Constant(constant));
            }
            _ => return self.fail_here("an operand"),
        }
        Ok(())
    }

    /// Whether the token after the current one is a name that is not a constant.
    fn name_follows(&self) -> bool {
        let token = self.lexer.clone().next();
        token.kind == Kind::Identifier && self.text_of(token.span) != "WARP_SZ"
    }

    fn name_operand(&mut self) -> Parsed<()> {
        if self.spells(self.span(), "WARP_SZ") {
            let constant = self.constant()?;
            self.pending.push(Operand::Constant(constant));
            return Ok(());
        }
        let name = self.bump().span;
        match self.kind {
            Kind::Plus => {
                self.bump();
                let offset = self.constant()?;
                self.pending.push(Operand::Offset { name, offset });
            }
            Kind::Minus => {
                return self.fail(
                    self.span(),
                    "unexpected `-`",
                    Some("`+` and a constant, which may be negative: `+-4`"),
                );
            }
            Kind::Word => {
                let component = self.bump().span;
                self.pending.push(Operand::Component { name, component });
                if self.at(Kind::Bar) {
                    return self.pair(name.to(component));
                }
            }
            Kind::BracketOpen if self.depth == 0 => return self.element(name),
            _ => {
                self.plain(name);
                if self.at(Kind::Bar) {
                    return self.pair(name);
                }
            }
        }
        Ok(())
    }

    /// `a[1]`: "Array elements can be accessed […] by indexing into the array using square-bracket notation" (PTX ISA 6.4.2).
    fn element(&mut self, name: Span) -> Parsed<()> {
        self.nested(|parser| {
            parser.bump();
            let mark = parser.pending.len();
            parser.operand(false)?;
            parser.expect(Kind::BracketClose, "`]`")?;
            let index = parser.take_pending(mark);
            let span = parser.since(name.start);
            parser.pending.push(Operand::Element { name, index, span });
            Ok(())
        })
    }

    /// Adds a name or `_` to the pending operands.
    fn plain(&mut self, name: Span) {
        let sink = self.spells(name, "_");
        self.pending.push(if sink { Operand::Sink(name) } else { Operand::Name(name) });
    }

    /// `p|q`; `p` is the last of the pending operands, and `first` its span.
    fn pair(&mut self, first: Span) -> Parsed<()> {
        self.bump();
        let name = self.expect(Kind::Identifier, "a register or `_`")?.span;
        let mark = self.pending.len() - 1;
        self.plain(name);
        let items = self.take_pending(mark);
        self.pending.push(Operand::Pair { items, span: first.to(name) });
        Ok(())
    }

    /// `{a, b}` and the like, delimiters included: the last operands of the pool then, from the one returned on.
    fn operand_list(&mut self, close: Kind, expected: &str) -> Parsed<u32> {
        self.nested(|parser| {
            parser.bump();
            let mark = parser.pending.len();
            if parser.eat(close).is_some() {
                return Ok(parser.take_pending(mark).start);
            }
            loop {
                parser.operand(false)?;
                if parser.eat(close).is_some() {
                    return Ok(parser.take_pending(mark).start);
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

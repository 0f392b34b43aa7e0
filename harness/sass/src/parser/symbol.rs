//! The syntax of addresses of symbols: `32@lo(table)`, `32@hi((table + 0x8))`, `` `(table) ``.

use super::statement::{Parsed, Parser};
use crate::lexer::{Token, error};
use crate::symbol::{AddressPart, SymbolAddress, SymbolUse};

impl Parser<'_, '_> {
    /// Whether the address of a symbol stands here.
    pub(super) fn at_symbol(&self) -> bool {
        let next = |at| self.tokens.get(self.at + at).map(|(token, _)| *token);
        match next(0) {
            Some(Token::Mark('`')) => true,
            Some(Token::Number(32)) => next(1) == Some(Token::Mark('@')),
            _ => false,
        }
    }

    /// Takes note of the address of a symbol that the statement at hand has.
    pub(super) fn symbol(&mut self) -> Parsed<()> {
        let start = self.here();
        let part = if self.eat('`') {
            AddressPart::Whole
        } else {
            self.advance();
            self.expect('@')?;
            match self.word("`lo` or `hi`")? {
                ("lo", _) => AddressPart::Lower,
                ("hi", _) => AddressPart::Upper,
                (other, span) => {
                    return Err(error(
                        span,
                        format!("an address has no part `{other}`"),
                        Some("`lo` or `hi`"),
                    ));
                }
            }
        };
        self.expect('(')?;
        let mut addend = 0;
        let name = if self.eat('(') {
            let name = self.word("a symbol")?.0;
            let negative = self.eat('-');
            if !negative {
                self.expect('+')?;
            }
            let (magnitude, span) = self.number("a number of bytes")?;
            let Ok(magnitude) = i64::try_from(magnitude) else {
                return Err(error(span, "too large a number", None));
            };
            addend = if negative { -magnitude } else { magnitude };
            self.expect(')')?;
            name
        } else {
            self.word("a symbol")?.0
        };
        self.expect(')')?;
        let address = SymbolAddress { part, name: name.to_owned(), addend };
        let span = start.to(self.tokens[self.at - 1].1);
        self.symbols.push(SymbolUse { statement: self.statement, address, span });
        Ok(())
    }
}

//! The syntax of constant expressions, with C's precedence (PTX ISA 4.5.3 to 4.5.6).

use super::{Parsed, Parser, literal};
use crate::ast::{Binary, Constant, ConstantValue, Expression, ExpressionKind, Unary};
use crate::lexer::Kind;
use crate::source::Span;

/// Precedence of a binary operator, higher binds tighter; all are left-associative.
fn binary(kind: Kind) -> Option<(Binary, u8)> {
    Some(match kind {
        Kind::Star => (Binary::Multiply, 10),
        Kind::Slash => (Binary::Divide, 10),
        Kind::Percent => (Binary::Remainder, 10),
        Kind::Plus => (Binary::Add, 9),
        Kind::Minus => (Binary::Subtract, 9),
        Kind::ShiftLeft => (Binary::ShiftLeft, 8),
        Kind::ShiftRight => (Binary::ShiftRight, 8),
        Kind::Less => (Binary::Less, 7),
        Kind::LessEqual => (Binary::LessEqual, 7),
        Kind::Greater => (Binary::Greater, 7),
        Kind::GreaterEqual => (Binary::GreaterEqual, 7),
        Kind::EqualEqual => (Binary::Equal, 6),
        Kind::BangEqual => (Binary::NotEqual, 6),
        Kind::Ampersand => (Binary::And, 5),
        Kind::Caret => (Binary::Xor, 4),
        Kind::Bar => (Binary::Or, 3),
        Kind::AndAnd => (Binary::LogicalAnd, 2),
        Kind::OrOr => (Binary::LogicalOr, 1),
        _ => return None,
    })
}

impl Parser<'_> {
    /// A constant expression. A lone literal, the most common case, makes no node.
    pub(super) fn constant(&mut self) -> Parsed<Constant> {
        let start = self.span().start;
        let minus = self.eat(Kind::Minus).is_some();
        if matches!(self.kind, Kind::Integer | Kind::Decimal | Kind::Hex32 | Kind::Hex64) {
            let hex32 = self.at(Kind::Hex32);
            let literal = self.literal()?;
            if self.constant_ends() && !(minus && hex32) {
                let value = if minus { negate(literal.value) } else { literal.value };
                return Ok(Constant { value, span: self.since(start) });
            }
            return self.expression_from(start, minus, Some(literal));
        }
        self.expression_from(start, minus, None)
    }

    /// A constant expression whose first literal, without sign, is already read.
    fn constant_from(&mut self, start: u32, literal: Constant) -> Parsed<Constant> {
        if self.constant_ends() { Ok(literal) } else { self.expression_from(start, false, Some(literal)) }
    }

    fn constant_ends(&self) -> bool {
        matches!(
            self.kind,
            Kind::Comma | Kind::Semicolon | Kind::BracketClose | Kind::BraceClose | Kind::ParenClose
        )
    }

    /// An expression whose optional minus and optional literal are already read.
    fn expression_from(&mut self, start: u32, minus: bool, literal: Option<Constant>) -> Parsed<Constant> {
        let mut left = match literal {
            Some(literal) => self.push(ExpressionKind::Literal(literal.value), literal.span),
            None => self.unary()?,
        };
        if minus {
            left = self.push(ExpressionKind::Unary(Unary::Minus, left), self.since(start));
        }
        let left = self.climb(left, start, 1)?;
        let id = self.conditional(left, start)?;
        Ok(Constant { value: ConstantValue::Expression(id), span: self.since(start) })
    }

    /// The value of an element of an initialiser: an expression, an address with an optional offset, or a byte of one.
    /// A name may only come first: "var+offset" (PTX ISA 5.4.4).
    pub(super) fn initial_value(&mut self) -> Parsed<Constant> {
        let start = self.span().start;
        let id = match self.kind {
            Kind::Identifier if self.text_of(self.span()) != "WARP_SZ" => self.address_value()?,
            Kind::Integer => {
                let literal = self.literal()?;
                if !self.at(Kind::ParenOpen) {
                    return self.constant_from(start, literal);
                }
                let ConstantValue::Integer { bits, .. } = literal.value else {
                    return self.fail_here("`,` or `;`");
                };
                self.bump();
                let operand = self.initial_operand()?;
                self.expect(Kind::ParenClose, "`)` of the mask operator")?;
                self.push(ExpressionKind::Mask(bits, operand), self.since(start))
            }
            _ => return self.constant(),
        };
        Ok(Constant { value: ConstantValue::Expression(id), span: self.since(start) })
    }

    /// The operand of the mask operator: an address, or an expression.
    fn initial_operand(&mut self) -> Parsed<u32> {
        match self.kind {
            Kind::Identifier if self.text_of(self.span()) != "WARP_SZ" => self.address_value(),
            _ => self.expression(),
        }
    }

    /// `name` or `generic(name)`, optionally followed by `+` and an expression.
    fn address_value(&mut self) -> Parsed<u32> {
        let start = self.span().start;
        let name = self.bump().span;
        let mut left = if self.text_of(name) == "generic" && self.eat(Kind::ParenOpen).is_some() {
            let name = self.expect(Kind::Identifier, "the name of a variable")?.span;
            let operand = self.push(ExpressionKind::Name, name);
            self.expect(Kind::ParenClose, "`)` of `generic`")?;
            self.push(ExpressionKind::Generic(operand), self.since(start))
        } else {
            self.push(ExpressionKind::Name, name)
        };
        if self.eat(Kind::Plus).is_some() {
            let offset = self.expression()?;
            left = self.push(ExpressionKind::Binary(Binary::Add, left, offset), self.since(start));
        }
        Ok(left)
    }

    /// A whole expression as a node.
    fn expression(&mut self) -> Parsed<u32> {
        self.nested(|parser| {
            let start = parser.span().start;
            let left = parser.unary()?;
            let left = parser.climb(left, start, 1)?;
            parser.conditional(left, start)
        })
    }

    fn conditional(&mut self, condition: u32, start: u32) -> Parsed<u32> {
        if self.eat(Kind::Question).is_none() {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(Kind::Colon, "`:` of the conditional expression")?;
        let no = self.expression()?;
        Ok(self.push(ExpressionKind::Conditional(condition, yes, no), self.since(start)))
    }

    /// Precedence climbing: binary operators that bind at least as tightly as `least`.
    fn climb(&mut self, mut left: u32, start: u32, least: u8) -> Parsed<u32> {
        while let Some((operator, precedence)) = binary(self.kind) {
            if precedence < least {
                break;
            }
            self.bump();
            let right_start = self.span().start;
            let right = self.unary()?;
            let right = self.nested(|parser| parser.climb(right, right_start, precedence + 1))?;
            left = self.push(ExpressionKind::Binary(operator, left, right), self.since(start));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<u32> {
        let start = self.span().start;
        let operator = match self.kind {
            Kind::Plus => Unary::Plus,
            Kind::Minus => Unary::Minus,
            Kind::Tilde => Unary::Complement,
            Kind::Bang => Unary::Not,
            _ => return self.primary(),
        };
        self.bump();
        let operand = self.nested(Self::unary)?;
        // `-0f…` is a parse error of the assembler as well: the minus belongs to decimal and `0d` literals.
        if let ExpressionKind::Literal(ConstantValue::Float32(_)) = self.expressions[operand as usize].kind {
            return self.fail(
                self.since(start),
                "a `0f` literal takes no operator",
                Some("the sign as part of the digits"),
            );
        }
        Ok(self.push(ExpressionKind::Unary(operator, operand), self.since(start)))
    }

    fn primary(&mut self) -> Parsed<u32> {
        let start = self.span().start;
        match self.kind {
            Kind::Integer | Kind::Decimal | Kind::Hex32 | Kind::Hex64 => {
                let literal = self.literal()?;
                Ok(self.push(ExpressionKind::Literal(literal.value), literal.span))
            }
            Kind::Identifier if self.text_of(self.span()) == "WARP_SZ" => {
                let span = self.bump().span;
                Ok(self.push(ExpressionKind::WarpSize, span))
            }
            Kind::ParenOpen => self.parenthesis_or_cast(start),
            _ => self.fail_here("a constant expression"),
        }
    }

    fn parenthesis_or_cast(&mut self, start: u32) -> Parsed<u32> {
        self.bump();
        if let Some(word) = self.word() {
            let unsigned = match word {
                "s64" => false,
                "u64" => true,
                _ => return self.fail_here("`.s64` or `.u64` of a cast"),
            };
            self.bump();
            self.expect(Kind::ParenClose, "`)` of the cast")?;
            let operand = self.nested(Self::unary)?;
            return Ok(self.push(ExpressionKind::Cast { unsigned, operand }, self.since(start)));
        }
        let inner = self.expression()?;
        self.expect(Kind::ParenClose, "`)`")?;
        Ok(inner)
    }

    /// A number.
    pub(super) fn literal(&mut self) -> Parsed<Constant> {
        let token = self.bump();
        let text = self.text_of(token.span);
        if token.kind == Kind::Integer
            && let Some(bits) = literal::plain(text)
        {
            return Ok(Constant {
                value: ConstantValue::Integer { bits, unsigned: false },
                span: token.span,
            });
        }
        if token.kind == Kind::Integer && literal::is_long(text) {
            self.long_literals.push(token.span);
        }
        if token.kind == Kind::Decimal && literal::is_subnormal(text) {
            self.subnormal_literals.push(token.span);
        }
        match literal::value(token, text) {
            Ok(value) => Ok(Constant { value, span: token.span }),
            Err(message) => self.fail(token.span, message, None),
        }
    }

    /// An unsigned integer literal or `WARP_SZ`: for numbers that may not be expressions.
    pub(super) fn number(&mut self) -> Parsed<Constant> {
        match self.kind {
            Kind::Integer => self.literal(),
            Kind::Identifier if self.text_of(self.span()) == "WARP_SZ" => {
                let span = self.bump().span;
                let id = self.push(ExpressionKind::WarpSize, span);
                Ok(Constant { value: ConstantValue::Expression(id), span })
            }
            _ => self.fail_here("an integer literal"),
        }
    }

    fn push(&mut self, kind: ExpressionKind, span: Span) -> u32 {
        self.expressions.push(Expression { kind, span });
        (self.expressions.len() - 1) as u32
    }
}

fn negate(value: ConstantValue) -> ConstantValue {
    match value {
        ConstantValue::Integer { bits, unsigned } => {
            // 2^63 fits no signed literal, but its negative does: `-9223372036854775808` keeps the literal's unsignedness.
            ConstantValue::Integer { bits: bits.wrapping_neg(), unsigned }
        }
        ConstantValue::Float64(bits) => ConstantValue::Float64(bits ^ (1 << 63)),
        other => other,
    }
}

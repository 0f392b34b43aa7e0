//! Evaluation of constant expressions (PTX ISA 4.5.3 to 4.5.6).
//!
//! Integers are 64 bits, signed or unsigned (4.5.5): unary plus and minus keep the sign of their operand; `~` makes it unsigned;
//! `!`, the comparisons and the logical operators are signed; a shift has the sign of its left operand; `%` takes its operands as
//! .u64 and gives .s64 (the table of 4.5.6). Every other operator, `?:` included, is unsigned as soon as one operand is. 4.5.5
//! says so of `&`, `|` and `^` too, but the table of 4.5.6, their "summary", gives .u64 for operands and result; this checker and
//! the assembler both follow the rule of 4.5.5. The assembler deviates for `%` and `?:` ([`Arithmetic`]).

use super::{Checked, Checker};
use crate::ast::{Binary, Constant, ConstantValue, Expression, ExpressionKind, Unary};
use crate::source::Span;

/// The rules that evaluate an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    /// The rules of the specification.
    Text,
    /// As observed with ptxas 11.8 to 13.5: `%` is unsigned; `?:` takes only integers, has the sign of the branch
    /// taken, and requires a value of the other branch too; a floating-point number cannot be divided by zero.
    Assembler,
}

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// 64 bits.
    Integer { bits: u64, unsigned: bool },
    /// A lone `0f` literal; operators do not accept it.
    Float32(u32),
    /// Binary64.
    Float64(f64),
    /// An address.
    Address(Address),
}

/// `generic(name)+addend`, or one byte of that address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Address {
    /// The variable or function.
    pub(super) name: Span,
    /// Bytes added to the address.
    pub(super) addend: i64,
    /// Whether an offset is written, even a zero one.
    pub(super) offset: bool,
    /// `generic(…)`
    pub(super) generic: bool,
    /// The byte selected by `mask()`, as a shift in bits.
    pub(super) byte: Option<u32>,
}

impl Address {
    /// Whether the address is a lone name.
    pub(super) fn is_plain(&self) -> bool {
        !self.generic && !self.offset && self.byte.is_none()
    }
}

impl From<ConstantValue> for Option<Value> {
    fn from(value: ConstantValue) -> Self {
        match value {
            ConstantValue::Integer { bits, unsigned } => Some(Value::Integer { bits, unsigned }),
            ConstantValue::Float32(bits) => Some(Value::Float32(bits)),
            ConstantValue::Float64(bits) => Some(Value::Float64(f64::from_bits(bits))),
            ConstantValue::Expression(_) => None,
        }
    }
}

type Evaluated = Result<Value, (Span, &'static str)>;

impl Checker<'_> {
    /// The value of a constant by the rules of the dialect.
    pub(super) fn evaluate(&mut self, constant: Constant) -> Checked<Value> {
        let arithmetic = if self.by_assembler() { Arithmetic::Assembler } else { Arithmetic::Text };
        match self.value_of(constant, arithmetic) {
            Ok(value) => Ok(value),
            Err((span, message)) => self.fail(span, message),
        }
    }

    /// The value of a constant by these rules, or what is wrong with it, and where.
    pub(super) fn value_of(&self, constant: Constant, arithmetic: Arithmetic) -> Evaluated {
        match constant.value {
            ConstantValue::Expression(root) => evaluate(&self.ast.expressions, root, arithmetic),
            literal => Ok(Option::from(literal).unwrap_or(Value::Integer { bits: 0, unsigned: false })),
        }
    }

    /// The value of a constant that must be an integer.
    pub(super) fn evaluate_integer(&mut self, constant: Constant) -> Checked<(u64, bool)> {
        match self.evaluate(constant)? {
            Value::Integer { bits, unsigned } => Ok((bits, unsigned)),
            _ => self.fail_expected(constant.span, "not an integer", "an integer constant"),
        }
    }
}

/// Evaluates a node without recursion: operands come before their operator in the pool.
fn evaluate(pool: &[Expression], root: u32, arithmetic: Arithmetic) -> Evaluated {
    let mut first = root as usize;
    while let Some(operand) = leftmost(pool, first) {
        first = operand as usize;
    }
    let mut values: Vec<Evaluated> = Vec::with_capacity(root as usize + 1 - first);
    for node in pool.get(first..=root as usize).unwrap_or(&[]) {
        let of = |id: u32| {
            values.get(id as usize - first).copied().unwrap_or(Err((node.span, "malformed expression")))
        };
        let value = apply(node, arithmetic, &of);
        values.push(value);
    }
    values.pop().unwrap_or(Err((Span::default(), "malformed expression")))
}

/// The first operand of a node.
fn leftmost(pool: &[Expression], id: usize) -> Option<u32> {
    match pool.get(id)?.kind {
        ExpressionKind::Literal(_) | ExpressionKind::Name | ExpressionKind::WarpSize => None,
        ExpressionKind::Unary(_, a)
        | ExpressionKind::Binary(_, a, _)
        | ExpressionKind::Conditional(a, _, _)
        | ExpressionKind::Cast { operand: a, .. }
        | ExpressionKind::Generic(a)
        | ExpressionKind::Mask(_, a) => Some(a),
    }
}

fn signed(value: bool) -> Value {
    Value::Integer { bits: u64::from(value), unsigned: false }
}

fn apply(node: &Expression, arithmetic: Arithmetic, of: &dyn Fn(u32) -> Evaluated) -> Evaluated {
    let error = |message| Err((node.span, message));
    match node.kind {
        ExpressionKind::Literal(literal) => {
            Ok(Option::from(literal).unwrap_or(Value::Integer { bits: 0, unsigned: false }))
        }
        ExpressionKind::WarpSize => Ok(Value::Integer { bits: 32, unsigned: false }),
        ExpressionKind::Name => {
            let plain = Address { name: node.span, addend: 0, offset: false, generic: false, byte: None };
            Ok(Value::Address(plain))
        }
        ExpressionKind::Unary(operator, a) => unary(node.span, operator, of(a)?),
        ExpressionKind::Binary(operator, a, b) => binary(node.span, operator, arithmetic, (of(a)?, of(b)?)),
        ExpressionKind::Conditional(condition, yes, no) => match of(condition)? {
            Value::Integer { bits, .. } => conditional(node.span, arithmetic, bits != 0, of(yes), of(no)),
            _ => error("the condition of `?:` is not an integer"),
        },
        ExpressionKind::Cast { unsigned, operand } => match of(operand)? {
            Value::Integer { bits, .. } => Ok(Value::Integer { bits, unsigned }),
            _ => error("only an integer can be cast"),
        },
        ExpressionKind::Generic(a) => match of(a)? {
            Value::Address(address @ Address { offset: false, generic: false, byte: None, .. }) => {
                Ok(Value::Address(Address { generic: true, ..address }))
            }
            _ => error("`generic()` takes the name of a variable"),
        },
        ExpressionKind::Mask(mask, a) => masked(node.span, mask, of(a)?),
    }
}

/// `?:` takes two integers or, by the specification, two floating-point numbers. "usual conversions": by the specification
/// the result is unsigned if either branch is, and only the branch taken must have a value.
fn conditional(span: Span, arithmetic: Arithmetic, first: bool, yes: Evaluated, no: Evaluated) -> Evaluated {
    if arithmetic == Arithmetic::Assembler {
        yes?;
        no?;
    }
    let (taken, other) = if first { (yes?, no) } else { (no?, yes) };
    match (taken, other) {
        (Value::Integer { bits, unsigned }, Ok(Value::Integer { unsigned: other, .. })) => {
            let converted = arithmetic == Arithmetic::Text && other;
            Ok(Value::Integer { bits, unsigned: unsigned || converted })
        }
        (Value::Integer { .. }, Ok(_))
        | (Value::Float64(_) | Value::Float32(_), Ok(Value::Integer { .. })) => {
            Err((span, "an integer and a floating-point number in one operation"))
        }
        (Value::Float32(_), _) | (_, Ok(Value::Float32(_))) => {
            Err((span, "a `0f` literal takes no operator"))
        }
        (Value::Address(_), _) | (_, Ok(Value::Address(_))) => {
            Err((span, "an address takes `+` and an integer on its right"))
        }
        (Value::Float64(_), _) if arithmetic == Arithmetic::Assembler => {
            Err((span, "`?:` of floating-point numbers"))
        }
        (taken, _) => Ok(taken),
    }
}

/// `mask()` selects one byte (PTX ISA 5.4.4): its value, or a relocation that writes only that byte.
fn masked(span: Span, mask: u64, operand: Value) -> Evaluated {
    let shift = mask.trailing_zeros();
    if mask == 0 || !shift.is_multiple_of(8) || mask >> shift != 0xFF {
        return Err((span, "the mask is not one of 0xFF, 0xFF00 … 0xFF00000000000000"));
    }
    match operand {
        Value::Integer { bits, .. } => Ok(Value::Integer { bits: bits >> shift & 0xFF, unsigned: true }),
        Value::Address(address) if address.byte.is_none() => {
            Ok(Value::Address(Address { byte: Some(shift), ..address }))
        }
        _ => Err((span, "the mask operator takes an integer or an address")),
    }
}

fn unary(span: Span, operator: Unary, operand: Value) -> Evaluated {
    match (operator, operand) {
        (Unary::Plus, Value::Integer { .. } | Value::Float64(_)) => Ok(operand),
        (Unary::Minus, Value::Integer { bits, unsigned }) => {
            Ok(Value::Integer { bits: bits.wrapping_neg(), unsigned })
        }
        (Unary::Minus, Value::Float64(number)) => Ok(Value::Float64(-number)),
        (Unary::Complement, Value::Integer { bits, .. }) => {
            Ok(Value::Integer { bits: !bits, unsigned: true })
        }
        (Unary::Not, Value::Integer { bits, .. }) => Ok(signed(bits == 0)),
        (_, Value::Float32(_)) => Err((span, "a `0f` literal takes no operator")),
        _ => Err((span, "the operator does not apply to this operand")),
    }
}

fn binary(span: Span, operator: Binary, arithmetic: Arithmetic, operands: (Value, Value)) -> Evaluated {
    let by_zero = (span, "division by zero in a constant expression");
    match operands {
        (Value::Integer { bits: a, unsigned: ua }, Value::Integer { bits: b, unsigned: ub }) => {
            match integer(operator, a, ua, b, ub).ok_or(by_zero)? {
                Value::Integer { bits, .. } if operator == Binary::Remainder => {
                    Ok(Value::Integer { bits, unsigned: arithmetic == Arithmetic::Assembler })
                }
                value => Ok(value),
            }
        }
        (Value::Float64(_), Value::Float64(0.0))
            if operator == Binary::Divide && arithmetic == Arithmetic::Assembler =>
        {
            Err(by_zero)
        }
        (Value::Float64(a), Value::Float64(b)) => {
            float(operator, a, b).ok_or((span, "the operator does not apply to floating-point numbers"))
        }
        // "var+offset" is the only arithmetic on addresses, and the offset stands on the right.
        (Value::Address(address), Value::Integer { bits, .. })
            if operator == Binary::Add && address.byte.is_none() =>
        {
            let addend = address.addend.wrapping_add(bits as i64);
            Ok(Value::Address(Address { addend, offset: true, ..address }))
        }
        (Value::Address(_), _) | (_, Value::Address(_)) => {
            Err((span, "an address takes `+` and an integer on its right"))
        }
        (Value::Float32(_), _) | (_, Value::Float32(_)) => Err((span, "a `0f` literal takes no operator")),
        _ => Err((span, "an integer and a floating-point number in one operation")),
    }
}

/// `None` for a division by zero.
fn integer(operator: Binary, a: u64, ua: bool, b: u64, ub: bool) -> Option<Value> {
    let unsigned = ua || ub;
    let (sa, sb) = (a as i64, b as i64);
    let arithmetic = |bits| Some(Value::Integer { bits, unsigned });
    let ordering = if unsigned { a.cmp(&b) } else { sa.cmp(&sb) };
    match operator {
        Binary::Multiply => arithmetic(a.wrapping_mul(b)),
        Binary::Divide | Binary::Remainder if b == 0 => None,
        Binary::Divide => arithmetic(if unsigned { a / b } else { sa.wrapping_div(sb) as u64 }),
        // "Remainder (%) interprets the operands as unsigned."
        Binary::Remainder => Some(Value::Integer { bits: a % b, unsigned: false }),
        Binary::Add => arithmetic(a.wrapping_add(b)),
        Binary::Subtract => arithmetic(a.wrapping_sub(b)),
        // Only the low six bits of the amount count, as on the machines the assembler runs on: 1 << 64 is 1.
        Binary::ShiftLeft => Some(Value::Integer { bits: a << (b & 63), unsigned: ua }),
        Binary::ShiftRight => Some(Value::Integer {
            bits: if ua { a >> (b & 63) } else { (sa >> (b & 63)) as u64 },
            unsigned: ua,
        }),
        Binary::Less => Some(signed(ordering.is_lt())),
        Binary::LessEqual => Some(signed(ordering.is_le())),
        Binary::Greater => Some(signed(ordering.is_gt())),
        Binary::GreaterEqual => Some(signed(ordering.is_ge())),
        Binary::Equal => Some(signed(a == b)),
        Binary::NotEqual => Some(signed(a != b)),
        Binary::And => arithmetic(a & b),
        Binary::Xor => arithmetic(a ^ b),
        Binary::Or => arithmetic(a | b),
        Binary::LogicalAnd => Some(signed(a != 0 && b != 0)),
        Binary::LogicalOr => Some(signed(a != 0 || b != 0)),
    }
}

/// `None` if the operator does not apply to floating-point numbers.
fn float(operator: Binary, a: f64, b: f64) -> Option<Value> {
    Some(match operator {
        Binary::Multiply => double(a, b, a * b),
        Binary::Divide => double(a, b, a / b),
        Binary::Add => double(a, b, a + b),
        Binary::Subtract => double(a, b, a - b),
        Binary::Less => signed(a < b),
        Binary::LessEqual => signed(a <= b),
        Binary::Greater => signed(a > b),
        Binary::GreaterEqual => signed(a >= b),
        Binary::Equal => signed(a == b),
        Binary::NotEqual => signed(a != b),
        Binary::LogicalAnd
        | Binary::LogicalOr
        | Binary::Remainder
        | Binary::ShiftLeft
        | Binary::ShiftRight
        | Binary::And
        | Binary::Xor
        | Binary::Or => {
            return None;
        }
    })
}

/// A result in binary64. The specification does not say which NaN results. The assembler runs on x86-64: it gives the first
/// NaN operand, made quiet, or the negative quiet NaN without payload. The code sets these bits, so that every machine
/// gives the same.
fn double(a: f64, b: f64, result: f64) -> Value {
    const QUIET: u64 = 1 << 51;
    Value::Float64(match () {
        () if !result.is_nan() => result,
        () if a.is_nan() => f64::from_bits(a.to_bits() | QUIET),
        () if b.is_nan() => f64::from_bits(b.to_bits() | QUIET),
        () => f64::from_bits(0xFFF8_0000_0000_0000),
    })
}

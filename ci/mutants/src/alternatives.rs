//! The expressions that mutants have in place of one.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{BinOp, Expr, ExprLit, Lit, RangeLimits, UnOp};

/// The text of a span.
pub(crate) fn text_of(source: &str, span: Span) -> &str {
    &source[span.byte_range()]
}

/// What mutants have in place of an expression; empty where they have nothing.
pub(crate) fn of(expression: &Expr, source: &str) -> Vec<String> {
    let text = |of: &Expr| text_of(source, of.span()).to_owned();
    match expression {
        Expr::Binary(binary) => {
            let (left, right) = (text(&binary.left), text(&binary.right));
            let with = |op: &&str| format!("({left}) {op} ({right})");
            operators(&binary.op).iter().map(with).collect()
        }
        Expr::Unary(unary) => match (&unary.op, &*unary.expr) {
            (UnOp::Not(_), inner) => vec![text(inner)],
            (UnOp::Neg(_), Expr::Lit(literal)) => {
                let mut others = vec![text(&unary.expr)];
                others.extend(numbers(literal).into_iter().map(|number| format!("-{number}")));
                others
            }
            (UnOp::Neg(_), inner) => vec![text(inner)],
            _ => Vec::new(),
        },
        Expr::Lit(literal) => numbers(literal),
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            let whole = text(expression);
            let begin = call.method.span().byte_range().start - expression.span().byte_range().start;
            let mut others = Vec::new();
            if let Some(other) = other_method(&method) {
                others.push(format!("{}{other}{}", &whole[..begin], &whole[begin + method.len()..]));
            } else if answers_bool(&method) {
                others.push(format!("!({whole})"));
            }
            others
        }
        Expr::Macro(call) if call.mac.path.is_ident("matches") => vec![format!("!{}", text(expression))],
        _ => Vec::new(),
    }
}

/// The end of a range that does not have it, one further.
pub(crate) fn further_end(expression: &Expr, source: &str) -> Option<(Span, String)> {
    let Expr::Range(range) = expression else { return None };
    let end = range.end.as_ref().filter(|_| matches!(range.limits, RangeLimits::HalfOpen(_)))?;
    // A literal has this change by itself.
    let is_number = matches!(&**end, Expr::Lit(_));
    (!is_number).then(|| (end.span(), format!("({}) + 1", text_of(source, end.span()))))
}

/// Whether `if` may be asked for the opposite: of comparisons and the like, an operator says it already.
pub(crate) fn is_negatable(condition: &Expr) -> bool {
    match condition {
        Expr::Path(_) | Expr::Call(_) | Expr::Field(_) | Expr::Index(_) => true,
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            other_method(&method).is_none() && !answers_bool(&method)
        }
        _ => false,
    }
}

fn operators(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["+"],
        BinOp::Div(_) => &["*"],
        BinOp::Rem(_) => &["/"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::BitXor(_) => &["|"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["+="],
        BinOp::DivAssign(_) => &["*="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitXorAssign(_) => &["|="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => &[],
    }
}

/// A number one greater and one less, a logical value inverted.
fn numbers(literal: &ExprLit) -> Vec<String> {
    match &literal.lit {
        Lit::Int(number) => {
            let Ok(value) = number.base10_parse::<u128>() else { return Vec::new() };
            let suffix = number.suffix();
            let less = value.checked_sub(1).map(|less| format!("{less}{suffix}"));
            std::iter::once(format!("{}{suffix}", value + 1)).chain(less).collect()
        }
        Lit::Float(number) => {
            let Ok(value) = number.base10_parse::<f64>() else { return Vec::new() };
            let suffix = number.suffix();
            vec![format!("{:?}{suffix}", value + 1.0), format!("({:?}{suffix})", value - 1.0)]
        }
        Lit::Bool(value) => vec![(!value.value).to_string()],
        _ => Vec::new(),
    }
}

fn other_method(method: &str) -> Option<&'static str> {
    const PAIRS: &[(&str, &str)] = &[
        ("min", "max"),
        ("any", "all"),
        ("floor", "ceil"),
        ("wrapping_add", "wrapping_sub"),
        ("checked_add", "checked_sub"),
        ("saturating_add", "saturating_sub"),
        ("is_some", "is_none"),
        ("is_ok", "is_err"),
        ("is_some_and", "is_none_or"),
        ("div_euclid", "rem_euclid"),
        ("leading_zeros", "trailing_zeros"),
        ("first", "last"),
        ("rotate_left", "rotate_right"),
    ];
    const ONE_WAY: &[(&str, &str)] = &[
        ("round", "floor"),
        ("round_ties_even", "floor"),
        ("trunc", "floor"),
        ("rem_euclid", "div_euclid"),
        ("wrapping_neg", "wrapping_abs"),
    ];
    let of_pairs = PAIRS.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
    of_pairs.chain(ONE_WAY.iter().copied()).find(|(from, _)| *from == method).map(|(_, to)| to)
}

fn answers_bool(method: &str) -> bool {
    method.starts_with("is_")
        || ["has", "contains", "contains_key", "starts_with", "eq", "ne"].contains(&method)
}

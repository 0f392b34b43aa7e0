//! Which conditions ask whether a deviation is on, or whether the run is traced: what they guard is no rule of the specification.

use std::collections::BTreeSet;

use syn::{BinOp, Expr, Lit, Pat, Path, UnOp};

/// What a condition asks about deviations and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// It holds only with a certain deviation.
    Deviation,
    /// It holds only with some deviation, or in a traced run.
    NotSpecification,
    /// It holds wherever no deviation is on and nothing is traced.
    Specification,
    /// It is true while no deviation is switched on; where it is false, a certain one is.
    WithoutDeviation,
    /// Something else.
    Nothing,
}

impl Asks {
    /// Whether the condition is always true while no deviation is switched on.
    pub(crate) fn holds_for_the_specification(self) -> bool {
        matches!(self, Self::Specification | Self::WithoutDeviation)
    }
}

/// What a condition asks about deviations. `named` are the variables that hold only with a certain one.
pub(crate) fn asks(condition: &Expr, named: &BTreeSet<String>) -> Asks {
    match condition {
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            if method == "is_specification" {
                return Asks::Specification;
            }
            let of_semantics = matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("semantics"));
            let names_one = call.args.iter().any(|argument| match argument {
                Expr::Path(path) => path.path.segments.iter().any(|segment| segment.ident == "Deviation"),
                _ => false,
            });
            let is_it = ["has", "deviates"].contains(&&*method) && (names_one || of_semantics);
            if is_it { Asks::Deviation } else { Asks::Nothing }
        }
        Expr::Path(path) if path.path.get_ident().is_some_and(|name| named.contains(&name.to_string())) => {
            Asks::Deviation
        }
        Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "TRACED") => {
            Asks::NotSpecification
        }
        Expr::Paren(inner) => asks(&inner.expr, named),
        Expr::Let(of) => match (&*of.pat, &*of.expr) {
            (Pat::Tuple(patterns), Expr::Tuple(values)) => {
                // `(true, Some(it)) = (T::TRACED, …)`, which has no opposite.
                let only = |(pattern, value): (&Pat, &Expr)| {
                    is_true(pattern) && matches!(asks(value, named), Asks::Deviation | Asks::NotSpecification)
                };
                let is_deviant = patterns.elems.iter().zip(&values.elems).any(only);
                if is_deviant { Asks::NotSpecification } else { Asks::Nothing }
            }
            _ => Asks::Nothing,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => match asks(&unary.expr, named) {
            Asks::Specification => Asks::NotSpecification,
            Asks::NotSpecification => Asks::Specification,
            Asks::Deviation => Asks::WithoutDeviation,
            Asks::WithoutDeviation => Asks::Deviation,
            Asks::Nothing => Asks::Nothing,
        },
        Expr::Binary(binary) => {
            if let Some(asked) = compared(binary) {
                return asked;
            }
            let sides = [asks(&binary.left, named), asks(&binary.right, named)];
            match binary.op {
                BinOp::And(_) if sides.contains(&Asks::Deviation) => Asks::Deviation,
                BinOp::And(_) if sides.contains(&Asks::NotSpecification) => Asks::NotSpecification,
                BinOp::Or(_) if sides.contains(&Asks::Specification) => Asks::Specification,
                BinOp::Or(_) if sides.contains(&Asks::WithoutDeviation) => Asks::WithoutDeviation,
                BinOp::Or(_) if sides == [Asks::Deviation; 2] => Asks::Deviation,
                _ => Asks::Nothing,
            }
        }
        _ => Asks::Nothing,
    }
}

/// What a comparison with the deviation of an atomic asks: `AtomicDeviant::No` is none.
fn compared(binary: &syn::ExprBinary) -> Option<Asks> {
    let side = |side: &Expr| match side {
        Expr::Path(path) => is_none_or_one(&path.path),
        _ => None,
    };
    let is_one = side(&binary.left).or_else(|| side(&binary.right))?;
    match (&binary.op, is_one) {
        (BinOp::Eq(_), true) => Some(Asks::Deviation),
        (BinOp::Eq(_), false) => Some(Asks::Specification),
        (BinOp::Ne(_), false) => Some(Asks::NotSpecification),
        _ => None,
    }
}

/// Whether a pattern is `true`.
pub(crate) fn is_true(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Lit(literal) if matches!(&literal.lit, Lit::Bool(value) if value.value))
}

/// Whether a pattern is a deviation of an atomic, or several.
pub(crate) fn is_of_deviation(pattern: &Pat) -> bool {
    match pattern {
        Pat::Path(path) => is_none_or_one(&path.path) == Some(true),
        Pat::Or(several) => several.cases.iter().all(is_of_deviation),
        _ => false,
    }
}

/// Whether a path is a deviation of an atomic; `Some(false)` if it is that there is none.
fn is_none_or_one(path: &Path) -> Option<bool> {
    let is_of_it = path.segments.iter().any(|segment| segment.ident == "AtomicDeviant");
    is_of_it.then(|| path.segments.last().is_some_and(|last| last.ident != "No"))
}

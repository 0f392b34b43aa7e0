//! Why written operands fit no row of an opcode.

use warpdiff_ptx::source::Diagnostic;

use super::modifiers::opcode;
use super::operands::left_out;
use super::written::{Written, WrittenOperand, WrittenValue};
use crate::form::{Form, Mark, Marks, OperandField};
use crate::lexer::error;

/// Why operands fit no form of an opcode.
pub(super) fn explain(form: &Form, written: &Written<'_>, wide: bool, diagnostics: &mut Vec<Diagnostic>) {
    let shape = shape(form);
    let most = form.operands.len();
    let fewest = form.operands.iter().filter(|field| left_out(**field).is_none()).count();
    if !(fewest..=most).contains(&written.operands.len()) {
        let count = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
        let message = format!("`{}` takes {count} operands, not {}", opcode(form), written.operands.len());
        diagnostics.push(error(written.span, message, Some(&shape)));
        return;
    }
    for (field, (operand, span)) in form.operands.iter().zip(&written.operands) {
        let is_address = matches!(operand.value, WrittenValue::Address { .. });
        let takes_address = matches!(field, OperandField::Address { .. } | OperandField::Coordinates);
        if is_address != takes_address && fewest == most {
            let message = if is_address {
                "an address where a register is needed"
            } else {
                "no address where one is needed"
            };
            diagnostics.push(error(*span, message, Some(&shape)));
            return;
        }
    }
    for (operand, span) in &written.operands {
        let anywhere = (0..most).fold(Marks::NONE, |all, index| all.and(form.marks_of(index).0));
        if let Some(mark) = MARKS.iter().find(|(mark, _)| operand.marks.has(*mark) && !anywhere.has(*mark)) {
            let message = format!("no operand of `{}` can be written with `{}`", opcode(form), mark.1);
            diagnostics.push(error(*span, message, Some(&shape)));
            return;
        }
    }
    if !form.has_pair() {
        diagnostics.push(error(
            written.span,
            format!("operands of a kind that `{}` does not take", opcode(form)),
            Some(&shape),
        ));
        return;
    }
    // Only the pair of a compare-and-swap is left.
    if let Some((WrittenOperand { value: WrittenValue::Register(rc), .. }, span)) = written.operands.last() {
        let distance = if wide { 2 } else { 1 };
        let message = format!("Rc is {rc}, which does not follow Rb");
        diagnostics.push(error(*span, message, Some(&format!("register Rb+{distance} or RZ"))));
    } else {
        diagnostics.push(error(
            written.span,
            format!("operands of a kind that `{}` does not take", opcode(form)),
            Some(&shape),
        ));
    }
}

/// The marks with how they are written.
const MARKS: [(Mark, &str); 10] = [
    (Mark::Negated, "-"),
    (Mark::Absolute, "||"),
    (Mark::Inverted, "~"),
    (Mark::UpperHalf, ".H1"),
    (Mark::LowerHalf, ".H0"),
    (Mark::ByteOne, ".B1"),
    (Mark::ByteTwo, ".B2"),
    (Mark::ConditionCodes, ".CC"),
    (Mark::Single, ".F32"),
    (Mark::LowerTwice, ".H0_H0"),
];

/// `Rd, [Ra + offset], Rb, Rc`.
fn shape(form: &Form) -> String {
    let name = |field: &OperandField| match field {
        OperandField::Register { role, .. } => *role,
        OperandField::Address { .. } => "[Ra + offset]",
        OperandField::AfterRb { .. } | OperandField::Rz => "Rc",
        OperandField::SystemRegister => "special register",
        OperandField::Immediate16
        | OperandField::Magnitude16
        | OperandField::Immediate20 { .. }
        | OperandField::Immediate32 { .. }
        | OperandField::Float20 { .. }
        | OperandField::Float32
        | OperandField::Half10 { .. }
        | OperandField::Half16 { .. }
        | OperandField::Unsigned { .. } => "number",
        OperandField::RdAgain => "Rd",
        OperandField::Swizzle => "signs",
        OperandField::Indirect | OperandField::AbsoluteIndirect => "Ra {offset}",
        OperandField::ShiftCount { .. }
        | OperandField::OptionalNumber { .. }
        | OperandField::QuadLanes { .. } => "{number}",
        OperandField::Condition { .. } => "{CC.test}",
        OperandField::AbsoluteTarget => "address",
        OperandField::OptionalRd => "{Rd}",
        OperandField::OptionalRb => "{Rb}",
        OperandField::Coordinates => "[Ra]",
        OperandField::Word { names: [name], .. } => name,
        OperandField::Word { .. } => "dimension",
        OperandField::Components => "components",
        OperandField::Constant | OperandField::ConstantTarget => "c[bank][offset]",
        OperandField::IndexedConstant => "c[bank][Ra + offset]",
        OperandField::PredicateOut { .. } => "P",
        OperandField::OptionalPredicate { .. } => "{P}",
        OperandField::PredicateIn { .. } => "{!}P",
        OperandField::Target => "label",
        OperandField::Scoreboard => "SB",
        OperandField::Scoreboards => "{barriers}",
        OperandField::ConditionCodes => "CC",
        OperandField::AllPredicates => "PR",
    };
    if form.operands.is_empty() {
        return "nothing behind it".to_owned();
    }
    format!("`{}`", form.operands.iter().map(name).collect::<Vec<_>>().join(", "))
}

/// Whether the form is a compare-and-swap of 64 bits, where `Rc` is two registers after `Rb`.
pub(super) fn is_wide_pair(form: &Form, modifiers: &[u8]) -> bool {
    form.has_pair() && modifiers == [1]
}

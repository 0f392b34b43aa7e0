//! Simpler operands: constants and other registers in place of registers, smaller constants.

use warpdiff_model::Launch;
use warpdiff_ptx::ast::{ConstantValue, Instruction, Operand};

use crate::observed::Observed;
use crate::persistence::{Persistence, take, take_first};
use crate::program::{Program, name_of};
use crate::statements::apply;
use crate::text_edit::TextEdit;

/// Programs with more instructions than this are not looked at operand by operand yet.
const FEW: usize = 64;

/// How a value is written in the place of a register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// As the register is declared.
    AsDeclared,
    /// As a floating-point number, of which the register has the bits: instructions on such numbers take no others.
    AsFloat,
}

/// Puts the values that the reference found in registers in their place, and zero in place of a register that nothing wrote.
pub(crate) fn inline_values(launch: &mut Launch, judge: &mut dyn Persistence) {
    for spelling in [Spelling::AsDeclared, Spelling::AsFloat] {
        inline_spelled(launch, judge, spelling);
    }
}

fn inline_spelled(launch: &mut Launch, judge: &mut dyn Persistence, spelling: Spelling) {
    let Some(program) = Program::of(launch) else { return };
    *launch = program.printed(launch);
    let Some(observed) = Observed::of(launch) else { return };
    let mut changes: Vec<Vec<TextEdit>> = Vec::new();
    for instruction in program.instructions() {
        let Some(seen) = observed.line(program.line(instruction.span)) else { continue };
        if spelling == Spelling::AsFloat && !program.is_of_floats(instruction) {
            continue;
        }
        for (place, operand) in program.leaves(instruction.operands).iter().enumerate() {
            let (Operand::Name(_) | Operand::Component { .. }) = operand else { continue };
            let name = program.module.text_of(operand.span());
            // What an instruction writes comes first.
            if place == 0 && seen.written.contains_key(name) {
                continue;
            }
            let literal = seen.read.get(name).filter(|seen| seen.same || seen.undefined);
            let literal = literal.and_then(|seen| match spelling {
                Spelling::AsDeclared => observed.literal(name, seen, seen.first),
                Spelling::AsFloat => observed.float_literal(name, seen, seen.first),
            });
            changes.extend(literal.map(|literal| vec![program.replaced(operand.span(), literal)]));
        }
    }
    apply(launch, judge, &program, &changes);
}

/// Leaves out an instruction and reads one of its sources in place of its result: an address without its offset, a value without its
/// conversion.
pub(crate) fn forward_sources(launch: &mut Launch, judge: &mut dyn Persistence) {
    loop {
        let Some(program) = Program::of(launch).filter(|program| program.instructions().count() <= FEW)
        else {
            return;
        };
        *launch = program.printed(launch);
        let Some(observed) = Observed::of(launch) else { return };
        let whole = launch.clone();
        let of = |instruction: &Instruction| {
            let line = program.line(instruction.span);
            let Some(seen) = observed.line(line) else { return Vec::new() };
            let mut results = seen.written.keys();
            let (Some(result), None) = (results.next(), results.next()) else { return Vec::new() };
            let sources =
                seen.read.keys().filter(|source| *source != result && observed.ty(source).is_some());
            let mut sources: Vec<&String> = sources.collect();
            sources.sort();
            let forwarded = |source: &&String| {
                let mut edits = vec![TextEdit::deletion(program.whole_line(instruction.span))];
                edits.extend(renamed(&program, result, source));
                program.with(&whole, edits.iter())
            };
            sources.iter().map(forwarded).collect()
        };
        let candidates: Vec<Launch> = program.instructions().flat_map(of).collect();
        if take_first(launch, judge, candidates.into_iter()).is_none() {
            return;
        }
    }
}

/// Another name wherever the program reads or writes this one.
fn renamed<'p>(program: &'p Program, from: &'p str, to: &'p str) -> impl Iterator<Item = TextEdit> + 'p {
    let operands = program.instructions().flat_map(|instruction| {
        let guard = instruction.guard.map(|guard| guard.name);
        program.leaves(instruction.operands).into_iter().filter_map(|operand| name_of(&operand)).chain(guard)
    });
    let names = operands.filter(move |name| program.module.text_of(*name) == from);
    names.map(move |name| program.replaced(name, to))
}

/// Makes constants of instructions smaller: zero, one, fewer bits.
pub(crate) fn shrink_constants(launch: &mut Launch, judge: &mut dyn Persistence) {
    let Some(program) = Program::of(launch).filter(|program| program.instructions().count() <= FEW) else {
        return;
    };
    *launch = program.printed(launch);
    let count: usize = program.instructions().map(|instruction| program.constants(instruction).len()).sum();
    for place in 0..count {
        while shrink_constant(launch, judge, place) {}
    }
}

/// Makes the constant at this place of the program smaller, if that persists.
fn shrink_constant(launch: &mut Launch, judge: &mut dyn Persistence, place: usize) -> bool {
    let Some(program) = Program::of(launch) else { return false };
    let constant = program.instructions().flat_map(|instruction| program.constants(instruction)).nth(place);
    let Some(constant) = constant else { return false };
    let whole = program.printed(launch);
    let with = |text: String| program.with(&whole, std::iter::once(&program.replaced(constant.span, text)));
    match constant.value {
        ConstantValue::Integer { bits, .. } if bits > 1 => {
            let value = bits.cast_signed();
            // Half as many significant bits, then one less.
            let length = u64::BITS - value.unsigned_abs().leading_zeros();
            let low = value.unsigned_abs() & ((1 << (length / 2)) - 1);
            let mut smaller = vec![0, 1, low.cast_signed(), value / 2];
            if value < 0 {
                smaller.extend([-1]);
            }
            if let Ok(word) = u32::try_from(bits)
                && word > i32::MAX as u32
            {
                // A negative word that is written without its sign.
                smaller.extend([i64::from(word.cast_signed())]);
            }
            smaller.dedup();
            smaller.retain(|new| new.unsigned_abs() < value.unsigned_abs());
            take_first(launch, judge, smaller.into_iter().map(|value| with(value.to_string()))).is_some()
        }
        ConstantValue::Float32(bits) if bits != 0 && bits != 1f32.to_bits() => {
            let simple = [0, 1f32.to_bits()].map(|bits| with(format!("0f{bits:08X}")));
            take_first(launch, judge, simple.into_iter()).is_some_and(|_| false)
        }
        ConstantValue::Float64(bits) if bits != 0 && bits != 1f64.to_bits() => {
            let simple = [0, 1f64.to_bits()].map(|bits| with(format!("0d{bits:016X}")));
            take_first(launch, judge, simple.into_iter()).is_some_and(|_| false)
        }
        ConstantValue::Expression(_) => take(launch, judge, with("0".into())),
        _ => false,
    }
}

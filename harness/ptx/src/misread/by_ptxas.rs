//! What ptxas 12.9 makes of an instruction by what wrote its sources: a comparison that it takes for decided, a conversion that it joins with
//! the one before. Each rule was read from the machine words of programs with two such instructions; `docs/findings.md` has them.

use warpdiff_model::{Deviation as D, Semantics};

use super::change::retype;
use crate::checked::{FunctionId, Immediate, Instruction, Modifiers, Module, Operand, Subject, Types};
use crate::vocabulary::Modifier as M;
use crate::vocabulary::{Opcode, Type};
use crate::written::Written;

/// The bits of 1.0.
const ONE: u32 = 0x3F80_0000;
/// Sums of numbers that are not negative are followed so deep.
const DEPTH: usize = 4;

/// A deviation, and what it makes of an instruction. The option only ends a rule early, where the instruction is none that it concerns.
type Rule = (D, fn(&mut Instruction, &Written<'_>) -> Option<()>);

const RULES: &[Rule] = &[
    (D::PtxasZeroFactor, zero_factor),
    (D::PtxasLeastSelects, number_selects),
    (D::PtxasSetIsOne, set_is_one),
    (D::PtxasSetSigned, set_signed),
    (D::PtxasExtendedSign, extended_sign),
    (D::PtxasLimitedNumber, limited_number),
    (D::PtxasNeverNegative, never_negative),
    (D::PtxasNegatedZero, negated_zero),
    (D::PtxasClampOrder, clamp_order),
    (D::PtxasMovedFlush, moved_flush),
    (D::PtxasSignallingKept, signalling_kept),
];

/// Whether these semantics have such a rule.
pub(super) fn are_joined(semantics: &Semantics) -> bool {
    RULES.iter().any(|(deviation, _)| semantics.has(*deviation))
}

/// Makes of the instructions of `read` what these semantics make of them in `module`.
pub(super) fn join(read: &mut Module, module: &Module, semantics: &Semantics) {
    for (number, (function, before)) in read.functions.iter_mut().zip(&module.functions).enumerate() {
        let mut written = Written::enter(module, FunctionId(number as u32), semantics);
        for (index, (instruction, before)) in function.body.iter_mut().zip(&before.body).enumerate() {
            written.reach(index as u32);
            for (_, rule) in RULES.iter().filter(|(deviation, _)| semantics.has(*deviation)) {
                rule(instruction, &written);
            }
            written.note(index as u32, before);
        }
    }
}

/// `mad.hi.s32 d, a, 0, c` becomes `SHR t, a, 0x1f; IADD d, c, t`, as for the factor 1, and `madc.hi.s32` the same with `IADD.X`. Zero as the first factor is
/// multiplied.
fn zero_factor(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let is_product = matches!(instruction.opcode, Opcode::Mad | Opcode::Madc);
    let is_plain =
        instruction.has(M::Hi) && !instruction.has(M::Sat) && instruction.types.first() == Some(&Type::S32);
    if is_product && is_plain && written.word(instruction.operands.get(2)?, Type::S32) == Some(0) {
        set_constant(instruction, 2, 1);
    }
    Some(())
}

/// `slct` by a constant word is folded as by a number: of -2^31, which is -0.0, the first source, and of what is a NaN the second.
fn number_selects(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    if instruction.opcode != Opcode::Slct || instruction.types.iter().last() != Some(&Type::S32) {
        return None;
    }
    let bits = written.passed_word(instruction.operands.get(3)?, Type::S32)?;
    retype_sources(instruction, Type::F32);
    instruction.operands[3] = Operand::Immediate(Immediate::Float32(bits));
    Some(())
}

/// Two sources of an instruction of which one is a constant.
struct WithConstant {
    /// Places of the other source and of the constant.
    other: usize,
    constant: usize,
    /// The bits of the constant.
    bits: u32,
}

impl WithConstant {
    /// Of the operands at places 1 and 2, which have a type.
    fn of(instruction: &Instruction, ty: Type, written: &Written<'_>) -> Option<Self> {
        Self::known(instruction, |operand| written.word(operand, ty))
    }

    /// The same with what calls pass.
    fn of_passed(instruction: &Instruction, ty: Type, written: &Written<'_>) -> Option<Self> {
        Self::known(instruction, |operand| written.passed_word(operand, ty))
    }

    fn known(instruction: &Instruction, word: impl Fn(&Operand) -> Option<u32>) -> Option<Self> {
        let known = |place: usize| word(instruction.operands.get(place)?);
        match (known(1), known(2)) {
            (None, Some(bits)) => Some(Self { other: 1, constant: 2, bits }),
            (Some(bits), None) => Some(Self { other: 2, constant: 1, bits }),
            _ => None,
        }
    }

    /// Whether the constant is the first source.
    fn is_first(&self) -> bool {
        self.constant == 1
    }
}

/// A comparison of 32 bits with a constant: the type of its sources, and them.
fn comparison(instruction: &Instruction, written: &Written<'_>) -> Option<(Type, WithConstant)> {
    let ty = compared(instruction)?;
    Some((ty, WithConstant::of(instruction, ty, written)?))
}

/// The same with a constant that a call passes, too.
fn passed_comparison(instruction: &Instruction, written: &Written<'_>) -> Option<(Type, WithConstant)> {
    let ty = compared(instruction)?;
    Some((ty, WithConstant::of_passed(instruction, ty, written)?))
}

/// The type of the sources of a comparison of 32 bits.
fn compared(instruction: &Instruction) -> Option<Type> {
    let ty = *instruction.types.iter().last()?;
    let is_word = ty.size() == 4 && !matches!(ty, Type::F16x2 | Type::Bf16x2);
    (matches!(instruction.opcode, Opcode::Set | Opcode::Setp) && is_word).then_some(ty)
}

/// The comparison, as its modifier.
fn kind(instruction: &Instruction) -> Option<M> {
    let kinds = [
        [M::Lt, M::Le, M::Gt, M::Ge, M::Eq, M::Ne, M::Num],
        [M::Ltu, M::Leu, M::Gtu, M::Geu, M::Equ, M::Neu, M::Nan],
    ];
    kinds.into_iter().flatten().find(|kind| instruction.has(*kind))
}

/// Whether the comparison is combined with a predicate.
fn is_combined(instruction: &Instruction) -> bool {
    [M::And, M::Or, M::Xor].into_iter().any(|word| instruction.has(word))
}

/// Takes a modifier for another one, or for none.
fn exchange(instruction: &mut Instruction, old: M, new: impl Into<Option<M>>) {
    let (new, mut modifiers) = (new.into(), Modifiers::new());
    let kept = instruction.modifiers.iter().filter_map(|word| if *word == old { new } else { Some(*word) });
    kept.for_each(|word| modifiers.push(word));
    instruction.modifiers = modifiers;
}

/// Takes the last type, that of the sources, for another.
fn retype_sources(instruction: &mut Instruction, ty: Type) {
    let last = instruction.types.len() - 1;
    retype(instruction, |index, old| if index == last { ty } else { old });
}

fn set_constant(instruction: &mut Instruction, place: usize, value: u32) {
    let bits = i64::from(value as i32) as u64;
    instruction.operands[place] = Operand::Immediate(Immediate::Integer { bits, unsigned: false });
}

/// What an instruction that gives a truth as a word makes of "true"; 0 is what it makes of "false". `set`, or `selp` between the two.
fn truth(by: &Instruction, written: &Written<'_>) -> Option<u32> {
    match by.opcode {
        Opcode::Set => Some(if by.types.first()? == &Type::F32 { ONE } else { u32::MAX }),
        Opcode::Selp => {
            let value = |place: usize| written.word(by.operands.get(place)?, Type::B32);
            match (value(1)?, value(2)?) {
                (yes @ (u32::MAX | ONE), 0) | (0, yes @ (u32::MAX | ONE)) => Some(yes),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A truth that is compared with 1, as a number of either kind, for equality: whatever stands for "true" is taken for it.
fn set_is_one(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let (ty, with) = passed_comparison(instruction, written)?;
    let yes = truth(written.writer(&instruction.operands[with.other])?, written)?;
    let is_one = with.bits == if ty.is_float() { ONE } else { 1 };
    let equality = match kind(instruction)? {
        kind @ (M::Eq | M::Equ) => (kind, M::Eq),
        kind @ (M::Ne | M::Neu) => (kind, M::Ne),
        _ => return None,
    };
    if is_one {
        exchange(instruction, equality.0, equality.1);
        retype_sources(instruction, Type::S32);
        set_constant(instruction, with.constant, yes);
    }
    Some(())
}

/// All ones or zero that are compared with zero, unsigned or as numbers: -1 or 0, signed.
fn set_signed(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let (ty, with) = comparison(instruction, written)?;
    let is_zero = with.bits == 0 || ty.is_float() && with.bits == 1 << 31;
    let is_truth = truth(written.writer(&instruction.operands[with.other])?, written) == Some(u32::MAX);
    if !is_zero || !is_truth {
        return None;
    }
    if ty.is_float() {
        let kind = kind(instruction)?;
        // Neither -1 nor 0 is above zero, and both are numbers.
        let (always, never) = if with.is_first() { (M::Ge, M::Lt) } else { (M::Le, M::Gt) };
        let signed = match kind {
            M::Ltu => M::Lt,
            M::Leu => M::Le,
            M::Gtu => M::Gt,
            M::Geu => M::Ge,
            M::Equ => M::Eq,
            M::Neu => M::Ne,
            M::Num => always,
            M::Nan => never,
            ordered => ordered,
        };
        exchange(instruction, kind, signed);
        exchange(instruction, M::Ftz, None);
    }
    retype_sources(instruction, Type::S32);
    set_constant(instruction, with.constant, 0);
    Some(())
}

/// `cvt.f32.u32`, `cvt.f16.u32` and `cvt.sat.*.u32` of an extension with a sign: `I2F.F32.S16`, `I2I.U8.S16.SAT`.
fn extended_sign(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let (to, from) = match (instruction.opcode, instruction.types.first(), instruction.types.get(1)) {
        (Opcode::Cvt, Some(to), Some(from)) => (*to, *from),
        _ => return None,
    };
    let joins = matches!(to, Type::F32 | Type::F16) || !to.is_float() && instruction.has(M::Sat);
    let by = written.writer(instruction.operands.get(1)?)?;
    if joins && from == Type::U32 && extends_sign(by, written) {
        retype_sources(instruction, Type::S32);
    }
    Some(())
}

/// Whether an instruction gives a number of 8 or 16 bits, extended with its sign.
fn extends_sign(by: &Instruction, written: &Written<'_>) -> bool {
    let (first, last) = (by.types.first().copied(), by.types.iter().last().copied());
    match by.opcode {
        Opcode::Cvt => {
            let narrow = [Type::S8, Type::S16];
            let wide = last.is_some_and(|from| narrow.contains(&from)) && !by.has(M::Sat);
            wide && first.is_some_and(|to| to.size() == 4 && !to.is_float())
                || first.is_some_and(|to| narrow.contains(&to))
        }
        Opcode::Bfe if first == Some(Type::S32) => {
            let number = |place: usize| Some(written.word(by.operands.get(place)?, Type::U32)? & 0xFF);
            matches!((number(2), number(3)), (Some(0 | 8 | 16 | 24), Some(8)) | (Some(0 | 16), Some(16)))
        }
        // Several numbers are loaded as one, of which each is `BFE`.
        Opcode::Ld if matches!(by.operands.first(), Some(Operand::Vector(_))) => {
            matches!(first, Some(Type::S8 | Type::S16))
        }
        // Behind a comparison of 16 bits stands `I2I.S32.S16`.
        Opcode::Set => first.is_some_and(|to| !to.is_float()) && last.is_some_and(|ty| ty.size() == 2),
        _ => false,
    }
}

/// An integer that an instruction with `.sat` wrote, where it is limited as a number, from 0 to 1: it is taken for one that is within.
fn limited_number(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let is_limited = |operand: &Operand| {
        let by = written.writer(operand);
        by.is_some_and(|by| {
            by.has(M::Sat) && by.types.first().is_some_and(|to| !to.is_float() && to.size() == 4)
        })
    };
    if *instruction.types.first()? != Type::F32 || *instruction.types.iter().last()? != Type::F32 {
        return None;
    }
    let source = if instruction.opcode == Opcode::Cvt {
        let rounds = [M::Rni, M::Rzi, M::Rmi, M::Rpi].into_iter().any(|word| instruction.has(word));
        (instruction.has(M::Sat) && !rounds).then_some(1)?
    } else {
        let with = WithConstant::of(instruction, Type::F32, written)?;
        let bound = f32::from_bits(with.bits);
        let is_within = match instruction.opcode {
            Opcode::Max => bound <= 0.0 && !instruction.has(M::NaN),
            Opcode::Min => bound >= 1.0 && !instruction.has(M::NaN),
            Opcode::Mul => with.bits == ONE,
            _ => false,
        };
        is_within.then_some(with.other)?
    };
    let operand = instruction.operands.get(source).filter(|operand| is_limited(operand))?.clone();
    if instruction.has(M::Ftz) {
        // `FADD.FTZ.SAT`.
        limit(instruction, operand, true);
    } else {
        instruction.operands.truncate(1);
        instruction.operands.push(operand);
        (instruction.opcode, instruction.subject) = (Opcode::Mov, Subject::Conversion);
        (instruction.modifiers, instruction.types) = (Modifiers::new(), Types::new());
        instruction.types.push(Type::B32);
    }
    Some(())
}

/// What changes no number is left out: `cvt.f32.f32` and `cvt.f64.f64`, the lesser and the greater of a number and itself, and the product with one. It would
/// make a signalling NaN quiet.
fn signalling_kept(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let (first, last) = (*instruction.types.first()?, *instruction.types.iter().last()?);
    let moved = match first {
        Type::F32 => Type::B32,
        Type::F64 => Type::B64,
        _ => return None,
    };
    let is_plain = first == last && instruction.modifiers.iter().all(|word| *word == M::Rn);
    let operand = instruction.operands.get(1)?.clone();
    let kept = match instruction.opcode {
        _ if !is_plain => return None,
        Opcode::Cvt => operand,
        Opcode::Min | Opcode::Max => {
            let bits = |at: usize| written.bits(instruction.operands.get(at)?, first);
            let is_same = operand == instruction.operands[2] || bits(1).is_some() && bits(1) == bits(2);
            (is_same && instruction.operands.len() == 3).then_some(operand)?
        }
        Opcode::Mul => {
            let one = if first == Type::F32 { u64::from(ONE) } else { 1f64.to_bits() };
            let is_one = |at: usize| written.bits(&instruction.operands[at], first) == Some(one);
            let other = if is_one(2) { 1 } else { is_one(1).then_some(2)? };
            instruction.operands[other].clone()
        }
        _ => return None,
    };
    instruction.operands.truncate(1);
    instruction.operands.push(kept);
    (instruction.opcode, instruction.subject) = (Opcode::Mov, Subject::Conversion);
    (instruction.modifiers, instruction.types) = (Modifiers::new(), Types::new());
    instruction.types.push(moved);
    Some(())
}

/// What is never negative, but for -2^31, whose absolute value is itself, and for NaN: comparisons are decided, and remainders are unsigned.
fn never_negative(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let is_absolute = |operand: &Operand| {
        let by = written.writer(operand);
        by.is_some_and(|by| by.opcode == Opcode::Abs && by.types.first() == Some(&Type::S32))
    };
    if instruction.opcode == Opcode::Rem {
        let divisor = written.passed_word(instruction.operands.get(2)?, Type::S32)?;
        let is_divided = (divisor as i32) > 0 && !divisor.is_power_of_two();
        if *instruction.types.first()? == Type::S32 && is_divided && is_absolute(&instruction.operands[1]) {
            retype_sources(instruction, Type::U32);
        }
        return Some(());
    }
    let (ty, with) = match compared(instruction)? {
        Type::S32 => passed_comparison(instruction, written)?,
        _ => comparison(instruction, written)?,
    };
    let (other, kind) = (&instruction.operands[with.other], kind(instruction)?);
    // As they are where the constant is the second source.
    let (below, reaches, above) = if with.is_first() { (M::Gt, M::Le, M::Lt) } else { (M::Lt, M::Ge, M::Gt) };
    if ty == Type::S32 {
        let is_decided = with.bits == 0 && (kind == below || kind == reaches) && is_absolute(other);
        return is_decided.then(|| retype_sources(instruction, Type::U32));
    }
    let bound = f32::from_bits(with.bits);
    let is_decided = kind == reaches && bound <= 0.0 || kind == above && bound < 0.0;
    let is_plain = instruction.opcode == Opcode::Setp && !is_combined(instruction);
    if ty == Type::F32 && is_plain && is_decided && is_not_negative(other, written, DEPTH) {
        // Of NaN the unordered comparison holds, and of numbers it says the same.
        let unordered = [(M::Ge, M::Geu), (M::Le, M::Leu), (M::Gt, M::Gtu), (M::Lt, M::Ltu)];
        let new = unordered.into_iter().find(|(ordered, _)| *ordered == kind)?.1;
        exchange(instruction, kind, new);
    }
    Some(())
}

/// Whether an operand holds an absolute value, a square, a power of two, or a sum of such.
fn is_not_negative(operand: &Operand, written: &Written<'_>, depth: usize) -> bool {
    if let Some(bits) = written.word(operand, Type::F32) {
        return f32::from_bits(bits) >= 0.0;
    }
    let Some(by) = written.definition(operand).filter(|by| depth > 0 && by.types.first() == Some(&Type::F32))
    else {
        return false;
    };
    let is_plain = [M::Ftz, M::Sat, M::Rn, M::Rz, M::Rm, M::Rp].into_iter().all(|word| !by.has(word));
    match (by.opcode, &by.operands[1..]) {
        (Opcode::Abs, _) => is_plain,
        (Opcode::Ex2, _) => true,
        (Opcode::Mul, [a, b]) => is_plain && a == b,
        (Opcode::Add, [a, b]) => {
            is_plain && [a, b].into_iter().all(|it| is_not_negative(it, written, depth - 1))
        }
        _ => false,
    }
}

/// The negative of a word against zero: `ICMP.LT`, of the word itself in the other direction. -2^31 is its own negative.
fn negated_zero(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let (ty, with) = comparison(instruction, written)?;
    if instruction.opcode != Opcode::Setp || is_combined(instruction) || ty != Type::S32 || with.bits != 0 {
        return None;
    }
    let negated =
        written.definition(&instruction.operands[with.other]).and_then(|by| negated(by, written))?.clone();
    let kind = kind(instruction)?;
    let other = match kind {
        M::Lt => M::Gt,
        M::Le => M::Ge,
        M::Gt => M::Lt,
        M::Ge => M::Le,
        _ => return None,
    };
    exchange(instruction, kind, other);
    instruction.operands[with.other] = negated;
    Some(())
}

/// `max.f32` with zero of `min.f32` with 1.0: `FADD.SAT`, as for the other order, of which NaN gives zero.
fn clamp_order(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let bounded = |instruction: &Instruction, opcode: Opcode| {
        let is_it = instruction.opcode == opcode && instruction.types.first() == Some(&Type::F32);
        let with = (is_it && !instruction.has(M::NaN))
            .then(|| WithConstant::of(instruction, Type::F32, written))??;
        Some((with.other, f32::from_bits(with.bits)))
    };
    let (place, low) = bounded(instruction, Opcode::Max)?;
    let by = written.definition(&instruction.operands[place])?;
    let (inner, high) = bounded(by, Opcode::Min)?;
    if low != 0.0 || high != 1.0 {
        return None;
    }
    let flushes = instruction.has(M::Ftz);
    let number = by.operands[inner].clone();
    limit(instruction, number, flushes);
    Some(())
}

/// Makes it `cvt.sat.f32.f32` of an operand.
fn limit(instruction: &mut Instruction, number: Operand, flushes: bool) {
    (instruction.opcode, instruction.subject) = (Opcode::Cvt, Subject::Conversion);
    instruction.operands.truncate(1);
    instruction.operands.push(number);
    instruction.modifiers = Modifiers::new();
    let words = [flushes.then_some(M::Ftz), Some(M::Sat)];
    words.into_iter().flatten().for_each(|word| instruction.modifiers.push(word));
    instruction.types = Types::new();
    [Type::F32; 2].into_iter().for_each(|ty| instruction.types.push(ty));
}

/// A truth of a comparison of `.f32` that is compared with zero under `.ftz`: the first comparison, or its opposite, under `.ftz`.
fn moved_flush(instruction: &mut Instruction, written: &Written<'_>) -> Option<()> {
    let (ty, with) = passed_comparison(instruction, written)?;
    let by = written.definition(&instruction.operands[with.other])?;
    let is_plain = instruction.opcode == Opcode::Setp && !is_combined(instruction) && instruction.has(M::Ftz);
    let sources = by.types.iter().last();
    let is_truth = by.opcode == Opcode::Set && sources == Some(&Type::F32) && !is_combined(by);
    if !is_plain || !is_truth || ty != Type::F32 || with.bits << 1 != 0 {
        return None;
    }
    let (outer, inner) = (kind(instruction)?, kind(by)?);
    let opposites = [
        (M::Lt, M::Geu),
        (M::Le, M::Gtu),
        (M::Gt, M::Leu),
        (M::Ge, M::Ltu),
        (M::Eq, M::Neu),
        (M::Ne, M::Equ),
        (M::Num, M::Nan),
    ];
    let opposite = opposites
        .into_iter()
        .find_map(|(a, b)| if a == inner { Some(b) } else { (b == inner).then_some(a) })?;
    let new = match outer {
        M::Eq | M::Equ => opposite,
        M::Ne | M::Neu => inner,
        _ => return None,
    };
    exchange(instruction, outer, new);
    instruction.operands.truncate(1);
    instruction.operands.extend(by.operands[1..3].iter().cloned());
    Some(())
}

/// What an instruction gives the negative of, in 32 bits.
pub fn negated<'i>(by: &'i Instruction, written: &Written<'_>) -> Option<&'i Operand> {
    let is_word = matches!(by.types.first(), Some(Type::S32 | Type::U32 | Type::B32))
        && !by.has(M::Sat)
        && !by.has(M::Cc);
    let is_all_ones = |operand: &Operand| written.word(operand, Type::S32) == Some(u32::MAX);
    match (by.opcode, &by.operands[1..]) {
        _ if !is_word => None,
        (Opcode::Neg, [a]) => Some(a),
        (Opcode::Sub, [zero, a]) if written.word(zero, Type::S32) == Some(0) => Some(a),
        (Opcode::Mul, [a, b]) if by.has(M::Lo) && is_all_ones(b) => Some(a),
        _ => None,
    }
}

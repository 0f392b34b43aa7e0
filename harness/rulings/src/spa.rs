//! Arithmetic of SPA 5.0 on words, and `ATOMS`.

use warpdiff_sass::{Instruction, Mark, Mnemonic as M};
use warpdiff_semantics::onlooker::Touched;

use crate::memory::{self, Atomic};
use crate::ruling::{Ruling, Rulings};

/// The word with its sign.
fn signed(word: u64) -> i64 {
    i64::from((word as u32).cast_signed())
}

/// What decides an instruction with these operands, in the order in which the machine takes them.
pub(crate) fn rulings(instruction: &Instruction, operands: &[u64], result: u64) -> Rulings {
    let mut found = Rulings::default();
    match (instruction.form.mnemonic, operands) {
        (M::IADD | M::IADD32I, [a, b]) => sum(&mut found, instruction, *a, *b),
        (M::IADD3, [a, b, c]) => {
            let all = [*a, *b, *c];
            let (unsigned, exact) =
                (all.iter().sum::<u64>(), all.iter().map(|word| signed(*word)).sum::<i64>());
            found.when(unsigned > u64::from(u32::MAX), Ruling::IntegerCarries);
            found.when(i32::try_from(exact).is_err(), Ruling::IntegerOverflows);
        }
        (M::SHL | M::SHR, [_, amount]) => {
            found.when(*amount == 0, Ruling::ShiftByZero);
            // "Amounts of 32 and more shift everything out"; with `.W` the machine takes another one before.
            found.when(*amount > 31, Ruling::ShiftOver);
        }
        (M::IMUL | M::IMUL32I, [a, b]) => product(&mut found, instruction, *a, *b),
        (M::XMAD, [a, b, c]) => halves(&mut found, instruction, [*a, *b, *c]),
        (M::LOP | M::LOP32I, _) => {}
        _ => return found,
    }
    found.when(result as u32 == 0, Ruling::IntegerZero);
    found
}

/// The sum; or the difference, of which the machine takes first what is not negated. `.SAT` leaves the order as it is written, and "limits the result"
/// to a signed word.
fn sum(found: &mut Rulings, instruction: &Instruction, a: u64, b: u64) {
    let negated = [1, 2].map(|n| instruction.marks.get(n).is_some_and(|marks| marks.has(Mark::Negated)));
    let saturates = instruction.modifier("saturation").unwrap_or(0) != 0;
    let (a, b) = if saturates && negated[0] { (b, a) } else { (a, b) };
    let is_difference = negated[0] != negated[1];
    let exact = signed(a) + if is_difference { -signed(b) } else { signed(b) };
    let fits = i32::try_from(exact).is_ok();
    found.when(!fits && saturates, Ruling::IntegerSaturates);
    found.when(!fits && !saturates, Ruling::IntegerOverflows);
    let carries = if is_difference { a < b } else { a + b > u64::from(u32::MAX) };
    found.when(carries && !saturates, Ruling::IntegerCarries);
}

/// The lower or the upper word of a product.
fn product(found: &mut Rulings, instruction: &Instruction, a: u64, b: u64) {
    let names = instruction.modifier_name("signedness of the factors");
    let signs = match names {
        Some("U32.U32") => [false; 2],
        Some("S32.U32") => [true, false],
        Some("U32.S32") => [false, true],
        _ => [true; 2],
    };
    let [a, b] = [(a, signs[0]), (b, signs[1])]
        .map(|(word, is_signed)| i128::from(if is_signed { signed(word) } else { word.cast_signed() }));
    found.when(a < 0 || b < 0, Ruling::FactorNegative);
    let exact = a * b;
    let is_lower = instruction.modifier("part of the product").unwrap_or(0) == 0;
    let (is_signed, upper) = (signs != [false; 2], exact >> 32);
    let fits = if is_signed { i32::try_from(exact).is_ok() } else { upper == 0 };
    found.when(is_lower && !fits, Ruling::IntegerOverflows);
    found.when(!is_lower && upper != 0 && !(is_signed && upper == -1), Ruling::ProductUpper);
}

/// `XMAD`: a product of halves and a summand, which is a word where nothing else is said.
fn halves(found: &mut Rulings, instruction: &Instruction, [a, b, c]: [u64; 3]) {
    let signs = instruction.modifier("signedness of the halves").unwrap_or(0);
    let half = |n: usize, word: u64| {
        let is_upper = instruction.marks.get(n + 1).is_some_and(|marks| marks.has(Mark::UpperHalf));
        let half = (word >> if is_upper { 16 } else { 0 }) as u16;
        if signs >> n & 1 == 1 { i64::from(half.cast_signed()) } else { i64::from(half) }
    };
    let (a, b) = (half(0, a), half(1, b));
    found.when(a < 0 || b < 0, Ruling::FactorNegative);
    let is_plain = ["shift of the product", "treatment of the summand", "merging"]
        .iter()
        .all(|role| instruction.modifier(role).unwrap_or(0) == 0);
    let word = u64::from((a * b) as u32);
    found.when(is_plain && word + c > u64::from(u32::MAX), Ruling::IntegerCarries);
}

/// What an `ATOMS` with that operand finds (`Rb`: of a compare and swap what is compared with).
pub(crate) fn of_atomic(instruction: &Instruction, touched: &Touched, operand: u64) -> Rulings {
    let is_pair = ["CAS", "CAST"].iter().any(|word| instruction.form.fixed_modifiers.contains(word));
    let size = instruction.modifier_name("size").unwrap_or_default();
    let atomic = match instruction.modifier_name("operation") {
        _ if instruction.form.mnemonic != M::ATOMS => return Rulings::default(),
        _ if is_pair => Atomic::Compare,
        Some("INC") => Atomic::Increment,
        Some("DEC") => Atomic::Decrement,
        Some("ADD") => Atomic::Add { signed: size.starts_with('S') },
        _ => return Rulings::default(),
    };
    memory::of_operation(atomic, if size.ends_with("64") { 8 } else { 4 }, touched, operand)
}

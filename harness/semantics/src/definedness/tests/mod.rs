//! Every rule against the enumeration of all completions of its undefined operand bits: at widths of up to five bits for
//! rules with a width, with a few undefined bits at a time for rules of 32 bits. The operations themselves are written
//! here anew, on integers, so that a rule is not tested against the code it goes with.

use super::arithmetic::neg;
use super::bitwise::sign_extend;
use super::*;

mod arithmetic;
mod atomic;
mod bitwise;
mod order;

/// Whether a rule must mark every bit that all completions agree in, or may leave some out.
#[derive(Clone, Copy, PartialEq)]
enum Claim {
    Exact,
    Sound,
}

/// All patterns of defined and undefined bits; the undefined bits of `value` are zero.
fn patterns(width: u32) -> impl Iterator<Item = Bits> + Clone {
    (0..=ones(width)).flat_map(move |defined| {
        (0..=ones(width)).filter(move |value| value & !defined == 0).map(move |value| Bits { value, defined })
    })
}

/// All completions of the low `width` bits.
fn completions(bits: Bits, width: u32) -> impl Iterator<Item = u64> {
    let undefined = !bits.defined & ones(width);
    // The subsets of `undefined`, in descending order (Hacker's Delight): s ↦ (s − 1) & undefined.
    let subsets = std::iter::successors(Some(undefined), move |s| (*s != 0).then(|| (s - 1) & undefined));
    subsets.map(move |s| bits.value & bits.defined & ones(width) | s)
}

/// With the undefined bits of the value set instead of clear: a mask may not depend on them.
fn garbled(bits: Bits) -> Bits {
    Bits { value: bits.value | !bits.defined, ..bits }
}

/// The bits all of `results` agree in.
fn agreed(results: impl Iterator<Item = u64>) -> u64 {
    let (all, any) = results.fold((u64::MAX, 0), |(all, any), result| (all & result, any | result));
    !(all ^ any)
}

fn judge(claim: Claim, mask: u64, truth: u64, out: u32, place: &dyn std::fmt::Debug) {
    assert_eq!(mask & !ones(out), 0, "bits above the result's width are marked: {place:?}");
    assert_eq!(
        mask & !truth,
        0,
        "unsound: {place:x?} marks {mask:b}, completions agree in {:b}",
        truth & ones(out)
    );
    if claim == Claim::Exact {
        assert_eq!(mask, truth & ones(out), "not exact: {place:x?}");
    }
}

fn unary(claim: Claim, width: u32, out: u32, rule: impl Fn(Bits) -> u64, operation: impl Fn(u64) -> u64) {
    for a in patterns(width) {
        let truth = agreed(completions(a, width).map(&operation));
        judge(claim, rule(a), truth, out, &a);
        assert_eq!(rule(a), rule(garbled(a)), "the value of an undefined bit matters: {a:x?}");
    }
}

fn binary(
    claim: Claim,
    width: u32,
    out: u32,
    rule: impl Fn(Bits, Bits) -> u64,
    operation: impl Fn(u64, u64) -> u64,
) {
    for a in patterns(width) {
        for b in patterns(width) {
            let all = completions(a, width).flat_map(|x| completions(b, width).map(move |y| (x, y)));
            let truth = agreed(all.map(|(x, y)| operation(x, y)));
            judge(claim, rule(a, b), truth, out, &(a, b));
            assert_eq!(
                rule(a, b),
                rule(garbled(a), garbled(b)),
                "the value of an undefined bit matters: {a:x?} {b:x?}"
            );
        }
    }
}

/// A reproducible sequence (xorshift64, Marsaglia 2003).
fn random() -> impl FnMut() -> u64 {
    let mut x = 0x9e37_79b9_7f4a_7c15u64;
    move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    }
}

/// Operands of 32 bits with up to six undefined bits among them.
fn sparse<const N: usize>(
    claim: Claim,
    out: u32,
    rule: impl Fn([Bits; N]) -> u64,
    operation: impl Fn([u64; N]) -> u64,
) {
    sparse_at(32, claim, out, rule, operation);
}

/// Operands of `width` bits with up to six undefined bits among them.
fn sparse_at<const N: usize>(
    width: u32,
    claim: Claim,
    out: u32,
    rule: impl Fn([Bits; N]) -> u64,
    operation: impl Fn([u64; N]) -> u64,
) {
    let mut random = random();
    for round in 0..4000 {
        // Every other round uses small numbers, so that amounts and selectors mean something.
        let mut operands =
            [(); N].map(|()| Bits::known(random() & if round % 2 == 0 { 0x3f } else { ones(width) }));
        for _ in 0..round % 7 {
            let place = random();
            let bit = if round % 3 == 0 { place >> 8 & 7 } else { (place >> 8) % u64::from(width) };
            operands[place as usize % N].defined &= !(1 << bit);
        }
        let operands = operands.map(|bits| Bits { value: bits.value & bits.defined, ..bits });
        let mut results = Vec::new();
        complete(width, &operands, &mut Vec::new(), &mut |values| {
            results.push(operation(std::array::from_fn(|i| values[i])));
        });
        let mask = rule(operands);
        judge(claim, mask, agreed(results.into_iter()), out, &operands);
        assert_eq!(mask, rule(operands.map(garbled)), "the value of an undefined bit matters: {operands:x?}");
    }
}

fn complete(width: u32, operands: &[Bits], chosen: &mut Vec<u64>, each: &mut impl FnMut(&[u64])) {
    let Some(bits) = operands.get(chosen.len()) else {
        return each(chosen);
    };
    for value in completions(*bits, width) {
        chosen.push(value);
        complete(width, operands, chosen, each);
        chosen.pop();
    }
}

const WIDTH: u32 = 4;

fn low(x: u64) -> u64 {
    x & ones(WIDTH)
}

/// The low four bits as a signed number.
fn signed(x: u64) -> i64 {
    let x = low(x) as i64;
    if x < 8 { x } else { x - 16 }
}

fn as_word(x: u64) -> u32 {
    x as u32
}

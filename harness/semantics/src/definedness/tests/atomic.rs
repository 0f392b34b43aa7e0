//! The rules of integer atomics, with a few undefined bits in each of what memory holds and of the operands.

use crate::atomic::AtomicKind;
use crate::definedness::Bits;
use crate::definedness::atomic::{by_operands, spread};

use super::completions;

const WORD: u64 = 0xFFFF_FFFF;

/// What an operation leaves in memory, as PTX ISA 9.7.13 has it.
fn stored(kind: AtomicKind, old: u64, b: u64, c: u64) -> u64 {
    let signed = |word: u64| word as u32 as i32;
    match kind {
        AtomicKind::Add => (old + b) & WORD,
        AtomicKind::MinU => old.min(b),
        AtomicKind::MaxU => old.max(b),
        AtomicKind::MinS => u64::from(signed(old).min(signed(b)) as u32),
        AtomicKind::MaxS => u64::from(signed(old).max(signed(b)) as u32),
        AtomicKind::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomicKind::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        AtomicKind::And => old & b,
        AtomicKind::Or => old | b,
        AtomicKind::Xor => old ^ b,
        AtomicKind::Exch => b,
        AtomicKind::Cas => {
            if old == b {
                c
            } else {
                old
            }
        }
        _ => unreachable!("it adds numbers of floating point"),
    }
}

#[test]
fn bits_that_stay_defined_are_the_same_whatever_the_undefined_ones_are() {
    use AtomicKind::*;
    let values = [0, 1, 5, 0x8000_0000, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x1234_5678];
    let undefined = [0, 1, 0x8000_0001, 0x0000_8400];
    for kind in [Add, MinU, MaxU, MinS, MaxS, Inc, Dec, And, Or, Xor, Exch, Cas] {
        let bits = |n: usize| Bits { value: values[n % 7] & !undefined[n / 7], defined: !undefined[n / 7] };
        for (old, b) in (0..28).flat_map(|old| (0..28).map(move |b| (bits(old), bits(b)))) {
            for c in [bits(2), bits(9)] {
                let of_operands = !by_operands(kind, &[b, c, bits(0), bits(0)], WORD) & WORD;
                let left = !spread(kind, (!old.defined & WORD, of_operands), WORD) & WORD;
                let each_old = completions(old, 32);
                let results: Vec<u64> = each_old
                    .flat_map(|old| completions(b, 32).map(move |b| (old, b)))
                    .flat_map(|(old, b)| completions(c, 32).map(move |c| stored(kind, old, b, c)))
                    .collect();
                let differing = results.iter().fold(0, |all, result| all | (result ^ results[0]));
                assert_eq!(differing & left, 0, "{kind:?} of {old:?}, {b:?} and {c:?}");
                if matches!(kind, Xor | Exch) {
                    assert_eq!(differing, !left & WORD, "{kind:?} of {old:?} and {b:?} is exact");
                }
            }
        }
    }
}

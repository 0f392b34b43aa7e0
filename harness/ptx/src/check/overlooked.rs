//! Words of an instruction that the assembler overlooks, as ptxas 12.9 was seen to do.

use crate::ast::{Word, WordKind};
use crate::vocabulary::{Modifier, Opcode};

/// Words of an instruction by their number, the first the lowest bit.
pub(super) type Places = u32;

/// What may be written twice and counts once.
const REPEATED: &[Modifier] = &[
    Modifier::Cc,
    Modifier::Approx,
    Modifier::Sync,
    Modifier::Sat,
    Modifier::Satfinite,
    Modifier::Relu,
    Modifier::NaN,
    Modifier::Shiftamt,
    Modifier::Uni,
];

/// Which of the words mean nothing: one of the questions of `testp` in any other instruction, `.uni` of a texture lookup, `.any` and `.all` of
/// a barrier, and some words the second time.
pub(super) fn overlooked(opcode: Opcode, words: &[Word]) -> Places {
    if words.len() > Places::BITS as usize {
        return 0;
    }
    let modifier = |word: &Word| match word.kind {
        WordKind::Modifier(modifier) => Some(modifier),
        _ => None,
    };
    let has = |wanted: Modifier| words.iter().any(|word| modifier(word) == Some(wanted));
    let questions = words.iter().filter_map(modifier).filter(|modifier| is_question(*modifier)).count();
    let plain_barrier = opcode == Opcode::Bar && !has(Modifier::Cta) && !has(Modifier::Warp);
    let mut places = 0;
    for (i, word) in words.iter().enumerate() {
        let Some(modifier) = modifier(word) else { continue };
        let means_nothing = match modifier {
            _ if is_question(modifier) => opcode != Opcode::Testp && questions == 1,
            Modifier::Uni if matches!(opcode, Opcode::Tex | Opcode::Tld4) => true,
            Modifier::Any => plain_barrier,
            Modifier::All => plain_barrier && has(Modifier::Sync),
            _ => false,
        };
        let again = || REPEATED.contains(&modifier) && words[..i].iter().any(|first| first.kind == word.kind);
        if means_nothing || again() {
            places |= 1 << i;
        }
    }
    places
}

/// `.finite` … `.subnormal`, of `testp`.
fn is_question(modifier: Modifier) -> bool {
    use Modifier::{Finite, Infinite, Normal, Notanumber, Number, Subnormal};
    matches!(modifier, Finite | Infinite | Number | Notanumber | Normal | Subnormal)
}

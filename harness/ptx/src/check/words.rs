//! The words of an instruction, by kind: its modifiers, its state spaces, its types.

use crate::ast::{self, Word, WordKind};
use crate::checked::{Modifiers, Spaces, Types};
use crate::source::Span;
use crate::vocabulary::{Modifier, Opcode, Space};

/// The words of an instruction, sorted by kind.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) opcode: Opcode,
    pub(super) modifiers: Modifiers,
    pub(super) spaces: Spaces,
    pub(super) types: Types,
    /// Vector elements: 1 without `.v2` or `.v4`.
    pub(super) vector: usize,
    /// Span of opcode and words, for messages and for operands without a span.
    pub(super) span: Span,
}

/// The words of an instruction, sorted.
pub(super) fn sort(instruction: &ast::Instruction, words: &[Word]) -> Words {
    let mut sorted = Words {
        opcode: instruction.opcode,
        modifiers: Modifiers::new(),
        spaces: Spaces::new(),
        types: Types::new(),
        vector: 1,
        span: words_span(instruction, words),
    };
    for word in words {
        match word.kind {
            WordKind::Type(ty) => sorted.types.push(ty),
            WordKind::Space(space) => sorted.spaces.push(space),
            WordKind::Modifier(modifier) => {
                match modifier {
                    Modifier::SharedCta | Modifier::SharedCluster => sorted.spaces.push(Space::Shared),
                    Modifier::ParamEntry | Modifier::ParamFunc => sorted.spaces.push(Space::Param),
                    Modifier::V2 => sorted.vector = 2,
                    Modifier::V4 => sorted.vector = 4,
                    Modifier::V8 => sorted.vector = 8,
                    _ => {}
                }
                // `.NaN` of `min` and `max` is `.nan` from here on: one word for who runs it.
                sorted.modifiers.push(if modifier == Modifier::NaN { Modifier::Nan } else { modifier });
            }
            WordKind::Other => {}
        }
    }
    sorted
}

/// The span of its opcode and words.
pub(super) fn words_span(instruction: &ast::Instruction, words: &[Word]) -> Span {
    words.last().map_or(instruction.opcode_span, |word| instruction.opcode_span.to(word.span))
}

//! Warnings where NVIDIA's assembler gives variables other contents than the specification, or makes variables that the
//! specification does not allow: the deviations of the catalogue that have a [`Contrast`].
//!
//! The specification decides the meaning of a program; the assembler decides the contents that a program finds on hardware.
//! [`checked::Variable`] has the bytes of both, and [`checked::Module::deviations`] gives the places where they differ.
//!
//! [`Contrast`]: warpdiff_model::Contrast
//! [`checked::Variable`]: crate::checked::Variable
//! [`checked::Module::deviations`]: crate::checked::Module::deviations

use warpdiff_model::Deviation;

use crate::source::{Diagnostic, Span};

/// A warning that the program shows a deviation of the assembler at `span`; it states what the specification says and what
/// the assembler does.
pub fn warning(deviation: Deviation, span: Span) -> Diagnostic {
    let both = deviation.entry().contrast;
    Diagnostic {
        span,
        message: format!("{deviation}: the specification and ptxas disagree here"),
        expected: None,
        note: both.map(|both| format!("{}; ptxas {}", both.specification, both.assembler)),
        unsupported: false,
        unchecked: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Rules, compile};

    /// The example of each shows that deviation, and no other, whichever dialect the program is checked by. It is the witness of
    /// those that the emulator cannot be given.
    #[test]
    fn the_examples_show_what_they_are_examples_of() {
        let compiled = |dialect, text: &str| {
            let module = compile(text, &Rules { dialect, ..Rules::default() })?;
            Ok::<_, Vec<_>>(module.deviations.iter().map(|(deviation, _)| *deviation).collect::<Vec<_>>())
        };
        let (mut shown, mut legal) = (0, 0);
        for entry in Deviation::catalogue() {
            let Some(both) = entry.contrast else { continue };
            let text = format!(".version 8.8\n.target sm_90\n.address_size 64\n{}\n", both.example);
            assert_eq!(compiled(Dialect::Ptxas(12, 9), &text), Ok(vec![entry.deviation]));
            // Only the assembler's rules decide which variables it makes at all.
            let by_text = compiled(Dialect::Spec, &text).ok();
            if let Some(noted) = by_text.filter(|_| entry.deviation != Deviation::PtxasUnnamedVariable) {
                assert_eq!(noted, [entry.deviation]);
                legal += 1;
            }
            let note = warning(entry.deviation, Span::default()).note.unwrap_or_default();
            assert!(note.contains(both.specification) && note.contains(both.assembler), "{note}");
            shown += 1;
        }
        assert_eq!((shown, legal), (10, 5));
    }
}

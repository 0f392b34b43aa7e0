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

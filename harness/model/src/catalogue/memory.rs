//! Deviations of loads and stores of PTX.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "memory", from super::atomics::END;
    /// `ld` of `.s8` and `.s16` zero-extends.
    LdSignedZeroExtended = "ld.signed-zero-extended" {
        is: Conversion,
        origin: [Reading],
        breaks: ["ld.signed-extends", "spa.load.sign-extended"],
        shown_by: ["ld :signed", "LDL|LDS|LDG"],
    }
    /// Predicated-off lanes of a warp execute `st` all the same.
    PredicateIgnoredBySt = "st.predicate-ignored" {
        is: Value,
        origin: [Project("SwiftShader commit 2deb0df8f")],
        breaks: ["predication"],
        shown_by: ["st @"],
    }
}

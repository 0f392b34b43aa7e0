//! Deviations of loads and stores of PTX.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Ptxas, Reading};
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
    /// A load whose result nothing reads is not executed, so that it reports no error.
    PtxasDeadLoads = "ptxas.dead-loads" {
        is: OutOfBounds,
        origin: [Ptxas],
        breaks: ["suld.trap.traps"],
        shown_by: ["ld|suld"],
        not_generated: Some("every result of a generated program is stored"),
        optional: true,
    }
    /// A vector load accesses no elements before the first or behind the last that is read, a load of 64 bits no upper half that is not
    /// read, and what is accessed is all that is aligned.
    PtxasNarrowedLoads = "ptxas.narrowed-loads" {
        is: Alignment,
        origin: [Ptxas],
        breaks: ["memory.misaligned", "align.access-size"],
        shown_by: ["ld .v2|.v4", "ld .b64|.u64|.s64"],
        not_generated: Some("every result of a generated program is stored"),
        optional: true,
    }
}

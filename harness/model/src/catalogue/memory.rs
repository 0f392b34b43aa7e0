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
    /// The bytes behind the name of a variable in an address are lost: `[v+4]` is `[v]`.
    NameOffsetLost = "memory.name-offset-lost" {
        is: Addressing,
        origin: [Project("gpuocelot commits 2cf9f050, 82181894, db759448")],
        breaks: ["addressing.offset"],
        shown_by: ["ld|ldu|st|atom|red"],
    }
    /// The bytes behind the name of a variable that `mov` and `cvta` take the address of are lost.
    MovNameOffsetLost = "mov.name-offset-lost" {
        is: Addressing,
        origin: [Project("gpuocelot commits a659b2cb, e2a7e548")],
        breaks: ["mov.address"],
        shown_by: ["mov|cvta"],
        not_generated: Some("generated programs take no address with bytes behind a name"),
    }
    /// Loads of vectors put the element at the lowest address into the last register.
    LdVectorReversed = "ld.vector-reversed" {
        is: Layout,
        origin: [Reading],
        breaks: ["ld.vector"],
        shown_by: ["ld|ldu .v2|.v4|.v8"],
    }
    /// Stores of vectors put the first register at the highest address.
    StVectorReversed = "st.vector-reversed" {
        is: Layout,
        origin: [Reading],
        breaks: ["st.vector"],
        shown_by: ["st .v2|.v4|.v8"],
    }
    /// `mov` packs and unpacks vectors with the first element in the upper bits.
    MovVectorReversed = "mov.vector-reversed" {
        is: Layout,
        origin: [Reading],
        breaks: ["mov.pack"],
        shown_by: ["mov"],
        not_generated: Some("no generated program packs vectors"),
    }
    /// `cvta` of shared, local and constant addresses changes nothing.
    CvtaIgnored = "cvta.ignored" {
        is: Addressing,
        origin: [Reading],
        breaks: ["cvta"],
        shown_by: ["cvta .shared|.local|.const|.param"],
        not_generated: Some("generated programs convert addresses in global memory alone"),
    }
}

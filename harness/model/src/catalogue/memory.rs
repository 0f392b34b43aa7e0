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
        not_generated: Some("none of 20,000 generated programs shows it"),
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
    }
    /// `cvta` of shared, local and constant addresses changes nothing.
    CvtaIgnored = "cvta.ignored" {
        is: Addressing,
        origin: [Reading],
        breaks: ["cvta"],
        shown_by: ["cvta .shared|.local|.const|.param"],
    }
    /// Generic addresses have 32 bits: `cvta` cuts off what is above them.
    GenericCut = "generic.cut-to-32" {
        is: Addressing,
        origin: [Project("gpgpu-sim commit 8de7987c")],
        breaks: ["cvta"],
        shown_by: ["cvta"],
    }
    /// `cvta` adds the base of the window to an address that is generic already, so that the base counts twice.
    CvtaTwice = "cvta.twice" {
        is: Addressing,
        origin: [Project("llvm/llvm-project #89205")],
        breaks: ["cvta"],
        shown_by: ["cvta .shared|.local|.const|.param"],
    }
    /// `cvta.to` subtracts the base of the window from an address in the window already, so that the base counts twice.
    CvtaToTwice = "cvta.to-twice" {
        is: Addressing,
        origin: [Project("JuliaGPU/CUDA.jl #558")],
        breaks: ["cvta"],
        shown_by: ["cvta .to .shared|.local|.const|.param"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `cvta` of constant addresses changes nothing, so that they are taken for global ones.
    CvtaConstIgnored = "cvta.const-ignored" {
        is: Addressing,
        origin: [Project("gpgpu-sim #143")],
        breaks: ["cvta", "generic.addressing"],
        shown_by: ["cvta .const"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `cvta` has the windows of shared and local memory exchanged.
    CvtaWindowsSwapped = "cvta.windows-swapped" {
        is: Addressing,
        origin: [Reading],
        breaks: ["cvta", "generic.addressing"],
        shown_by: ["cvta .shared|.local"],
        not_generated: Some("the generated program that shows it first is explained by other deviations as well"),
    }
    /// `mov` of the name of a variable in shared, local or constant memory gives its generic address.
    MovAbsolute = "mov.name-generic" {
        is: Addressing,
        origin: [Project("gpuocelot commit 09ae2475: the absolute address, not the offset in the space")],
        breaks: ["mov.address"],
        shown_by: ["mov"],
    }
    /// `isspacep` answers for global memory whatever space it is asked for.
    IsspacepGlobal = "isspacep.falls-through" {
        is: Value,
        origin: [Project("gpgpu-sim isspacep_impl: no case ends with a break")],
        breaks: ["isspacep"],
        shown_by: ["isspacep"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// Shared addresses have eleven bits: those 2 KiB apart are one.
    SharedAliases = "shared.aliases" {
        is: Addressing,
        origin: [Project("vortexgpgpu/vortex #327: the mask of local memory addresses is too narrow")],
        breaks: ["shared.cta", "memory.out-of-bounds"],
        shown_by: ["ld|ldu|st|atom|red .shared"],
    }
    /// Bits of shared addresses from the 32nd on are ignored.
    SharedHighIgnored = "shared.high-bits-ignored" {
        is: OutOfBounds,
        origin: [Project("gpuocelot commit 03e1413b"), Ptxas],
        breaks: ["memory.out-of-bounds"],
        shown_by: ["ld|ldu|st|atom|red .shared"],
        not_generated: Some("generated programs access shared memory within bounds"),
    }
    /// Shared addresses are taken modulo the size of the variables of the module.
    SharedWraps = "shared.wraps" {
        is: OutOfBounds,
        origin: [Project("gpuocelot commit d2041b1e")],
        breaks: ["memory.out-of-bounds"],
        shown_by: ["ld|ldu|st|atom|red .shared"],
        not_generated: Some("generated programs access shared memory within bounds"),
    }
    /// Stores of 8 and 16 bits write a whole word.
    StNarrowWord = "st.narrow-as-word" {
        is: Value,
        origin: [Project("Ryujinx/Ryujinx #2741; yuzu-emu/yuzu commit 702ad3cf8")],
        breaks: ["st.narrow"],
        shown_by: ["st .b8|.u8|.s8|.b16|.u16|.s16"],
    }
    /// A load of less than its register leaves the upper bits of the register.
    LdKeepsUpper = "ld.keeps-upper-bits" {
        is: Conversion,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m072")],
        breaks: ["ld.unsigned-extends"],
        shown_by: ["ld|ldu"],
        not_generated: Some("generated programs load into fresh registers, where `ld.signed-zero-extended` does the same"),
    }
    /// `ld` of unsigned types extends by the sign.
    LdUnsignedExtended = "ld.unsigned-sign-extended" {
        is: Conversion,
        origin: [Reading],
        breaks: ["ld.unsigned-extends"],
        shown_by: ["ld|ldu .u8|.u16|.u32"],
    }
    /// The bytes behind a register in an address count elements.
    OffsetScaled = "memory.offset-scaled" {
        is: Addressing,
        origin: [Reading],
        breaks: ["addressing.offset"],
        shown_by: ["ld|ldu|st|atom|red"],
    }
    /// Negative bytes behind a register in an address are a large positive number of 32 bits.
    OffsetUnsigned = "memory.offset-unsigned" {
        is: Addressing,
        origin: [Reading],
        breaks: ["addressing.offset"],
        shown_by: ["ld|ldu|st|atom|red"],
        not_generated: Some("no generated address has negative bytes behind a register"),
    }
    /// `@!p` on loads and stores is `@p`.
    MemoryNegationIgnored = "memory.guard-negation-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["predication"],
        shown_by: ["ld|st @"],
    }
}

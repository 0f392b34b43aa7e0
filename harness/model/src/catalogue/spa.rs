//! Deviations of loads, stores and atomics of SPA 5.0.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "spa", from super::control::END;
    /// The immediate offset of `LDL`, `LDS` and `ATOMS` is zero-extended beside a register, too.
    SpaOffsetZeroExtended = "spa.offset-zero-extended" {
        is: Addressing,
        origin: [Project("Ryujinx/Ryujinx #1687")],
        breaks: ["spa.load.offset.signed", "spa.atoms.offset.signed"],
        shown_by: ["LDL|LDS|STL|STS|ATOMS"],
    }
    /// The immediate of `LDL`, `LDS` and `ATOMS` is sign-extended without a register, too.
    SpaAbsoluteSignExtended = "spa.absolute-sign-extended" {
        is: Addressing,
        origin: [Project("Ryujinx: the decoder of shared atomics sign-extends the offset always")],
        breaks: ["spa.load.absolute", "spa.atoms.absolute"],
        shown_by: ["LDL|LDS|STL|STS|ATOMS"],
    }
    /// The sum of register and offset of `LDL`, `LDS` and `ATOMS` does not wrap at 32 bits.
    SpaAddressNotWrapped = "spa.address-not-wrapped" {
        is: Addressing,
        origin: [Project("FlashGPU-Sim #34")],
        breaks: ["spa.load.offset.signed", "spa.atoms.address"],
        shown_by: ["LDL|LDS|STL|STS|ATOMS"],
    }
    /// `LDL` and `LDS` read the bytes at a misaligned address.
    SpaMisalignedNotForced = "spa.misaligned-not-forced" {
        is: Alignment,
        origin: [Reading],
        breaks: ["spa.load.misaligned.forced"],
        shown_by: ["LDL|LDS"],
    }
    /// `LDL` and `LDS` read zero outside of what is allocated, without an error.
    SpaOutOfBoundsSilent = "spa.out-of-bounds-silent" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["spa.load.outside.error"],
        shown_by: ["LDL|LDS"],
    }
    /// `LDL` and `LDS` leave Rd as it was outside of what is allocated.
    SpaOutOfBoundsKept = "spa.out-of-bounds-kept" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["spa.load.outside.zero"],
        shown_by: ["LDL|LDS"],
        not_generated: Some("what memory and registers hold after a fault is not compared in generated programs"),
    }
    /// `LDS.U` reads at the address of the first thread for all of them.
    SpaUniformFromFirstLane = "spa.uniform-from-first-lane" {
        is: Addressing,
        origin: [Reading],
        breaks: ["spa.lds.uniform"],
        shown_by: ["LDS .U"],
    }
    /// `LDL.LU` loses what it has read even where it covers no whole line.
    SpaLastUseAlwaysLost = "spa.last-use-always-lost" {
        is: Value,
        origin: [Reading],
        breaks: ["spa.ldl.last-use.partial"],
        shown_by: ["LDL"],
    }
    /// Loads of 64 and 128 bits put the word at the lowest address into the last register.
    SpaWideReversed = "spa.wide-reversed" {
        is: Layout,
        origin: [Reading],
        breaks: ["spa.load.wide"],
        shown_by: ["LDL|LDS|LDG"],
    }
    /// `ATOMS` forces a misaligned address to align, as loads do, without an error.
    SpaAtomsMisalignedMasked = "spa.atoms-misaligned-masked" {
        is: Alignment,
        origin: [Project("Ryujinx and yuzu: words are indexed with the address shifted right by two")],
        breaks: ["spa.atoms.misaligned"],
        shown_by: ["ATOMS"],
    }
    /// `ATOMS.CAS` and `.CAST` compare with Rc and store Rb.
    SpaCasComparesRc = "spa.cas-compares-rc" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["spa.atoms.cas.compares-rb"],
        shown_by: ["ATOMS .CAS|.CAST"],
    }
    /// `ATOMS.CAST` returns the value it found.
    SpaCastReturnsOld = "spa.cast-returns-old" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["spa.atoms.cast"],
        shown_by: ["ATOMS .CAST"],
    }
    /// `.SPIN` lets none of several contending threads attempt.
    SpaSpinNoneWins = "spa.spin-none-wins" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["spa.atoms.spin.one"],
        shown_by: ["ATOMS .SPIN"],
    }
    /// `.SPIN` lets every contending thread attempt.
    SpaSpinIgnored = "spa.spin-ignored" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["spa.atoms.spin.fails"],
        shown_by: ["ATOMS .SPIN"],
    }
    /// `LDL` and `LDS` that begin inside of what is allocated and end outside raise no error.
    SpaWideBoundFirstByte = "spa.wide-bound-first-byte" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["spa.load.outside.error"],
        shown_by: ["LDL|LDS"],
        not_generated: Some("the windows of generated programs end at multiples of 16 bytes, so that no access straddles their end"),
    }
    /// `ATOMS` sign-extends its immediate beside a register that the shader does not have.
    SpaAtomsMissingRegisterSigned = "spa.atoms-missing-register-signed" {
        is: Addressing,
        origin: [Reading],
        breaks: ["spa.atoms.absolute"],
        shown_by: ["ATOMS"],
        not_generated: Some("no shared memory of generated programs is so large that a negative offset alone names a place in it"),
    }
    /// Of the lanes of a warp whose `ATOMS` meet in one location, each finds what was there before all of them, and the last one's
    /// result alone is kept.
    SpaAtomsLostUpdate = "spa.atoms-lost-update" {
        is: Atomicity,
        origin: [Project("pocl/pocl commit 93986b3c8: what counts as uniform runs once for all threads")],
        breaks: ["spa.atoms.atomic"],
        shown_by: ["ATOMS"],
        not_generated: Some("each thread of a generated program has 64 bytes of shared memory of its own, so that no two meet"),
    }
    /// The address of `ATOMS` counts words.
    SpaAtomsWordIndex = "spa.atoms-word-index" {
        is: Addressing,
        origin: [Project("yuzu-emu/yuzu commit 762b7f90b")],
        breaks: ["spa.atoms.address"],
        shown_by: ["ATOMS"],
    }
    /// `ATOMS` always accesses address 0.
    SpaAtomsAddressZero = "spa.atoms-address-zero" {
        is: Addressing,
        origin: [Project("mesa nouveau commit dd4b44efc04")],
        breaks: ["spa.atoms.address"],
        shown_by: ["ATOMS"],
    }
    /// `LDL` and `LDS` of 16 bits take the low half of the word whatever bit 1 of the address.
    SpaHalfFromLow = "spa.half-from-low-word" {
        is: Addressing,
        origin: [Project("yuzu-emu/yuzu commits 96638f57c, 9a2cdf852")],
        breaks: ["spa.load.sizes"],
        shown_by: ["LDL|LDS .U16|.S16"],
    }
    /// `LDL` and `LDS` of 8 bits take the low byte of the word whatever the low bits of the address.
    SpaByteFromLow = "spa.byte-from-low-word" {
        is: Addressing,
        origin: [Reading],
        breaks: ["spa.load.sizes"],
        shown_by: ["LDL|LDS .U8|.S8"],
    }
    /// Of the sizes of `ATOMS` one bit is decoded: `.U64` is `.U32`.
    SpaAtomsSizeLowBit = "spa.atoms-size-low-bit" {
        is: Conversion,
        origin: [Project("envytools commit b6946205")],
        breaks: ["spa.atoms.exch"],
        shown_by: ["ATOMS .U64"],
    }
    /// `@!P` of loads, stores and atomics counts as `@P`.
    SpaGuardNegationIgnored = "spa.guard-negation-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["spa.guard"],
        shown_by: ["LDL|LDS|STL|STS|ATOMS @"],
    }
    /// The sizes of local and shared memory count words: four times as much is allocated.
    SpaSizeInWords = "spa.size-in-words" {
        is: OutOfBounds,
        origin: [Project("Ryujinx commit c6ed61422; yuzu commit df3303502")],
        breaks: ["spa.load.outside.error", "spa.load.outside.zero"],
        shown_by: ["LDL|LDS|STL|STS|ATOMS", "MOV :constant"],
    }
    /// Local and shared memory are allocated in units of 256 bytes.
    SpaSizeRounded = "spa.size-rounded-up" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["spa.load.outside.error", "spa.load.outside.zero"],
        shown_by: ["LDL|LDS|STL|STS|ATOMS", "MOV :constant"],
        not_generated: Some("what generated programs access outside of their memory is at byte 512 and beyond, where memory of whole units ends, too"),
    }
    /// What `LDL`, `LDS` and `ATOMS` write to RZ is there for those behind them that read RZ.
    SpaRzWritten = "spa.rz-written" {
        is: Value,
        origin: [Project("Ryujinx/Ryujinx #2885, #5504: RZ is a register like others")],
        breaks: ["spa.load.absolute", "spa.atoms.absolute"],
        shown_by: ["LDL|LDS|STL|STS|ATOMS"],
    }
    /// `LDL` and `LDS` of 64 and 128 bits find each word by the base register as it is by then, which a word before may have overwritten.
    SpaWideBaseOverwritten = "spa.wide-base-overwritten" {
        is: Addressing,
        origin: [Project("Ryujinx/Ryujinx commit 5b57fa073")],
        breaks: ["spa.load.wide"],
        shown_by: ["LDL|LDS .64|.128"],
    }
    /// Misaligned addresses of `LDL` and `LDS` of 64 and 128 bits are forced to align to four bytes.
    SpaWideForcedToWord = "spa.wide-forced-to-word" {
        is: Alignment,
        origin: [Project("Ryujinx EmitLoad; yuzu LoadSharedU64")],
        breaks: ["spa.load.misaligned.forced"],
        shown_by: ["LDL|LDS .64|.128"],
        not_generated: Some("the generated program that shows it first is explained by `spa.wide-base-overwritten` as well"),
    }
    /// `ATOMS.CAS` and `.CAST` read Rc from a field of its own instead of behind Rb: there is 0 in every word, so that it is R0.
    SpaCasOwnField = "spa.cas-swap-from-own-field" {
        is: Atomicity,
        origin: [Project("mesa nouveau commit df043f07646: the swap value is taken from the register named")],
        breaks: ["spa.atoms.cas", "spa.atoms.cast"],
        shown_by: ["ATOMS .CAS|.CAST"],
    }
    /// `ATOMS.CAS` and `.CAST` of 64 bits read Rc from Rb + 1, as those of 32 bits do.
    SpaCasWideNext = "spa.cas-wide-next" {
        is: Atomicity,
        origin: [Project("mesa nouveau commit d7b65cf7d3d: the pair is made of 32-bit halves")],
        breaks: ["spa.atoms.cas", "spa.atoms.cast"],
        shown_by: ["ATOMS .CAS|.CAST .64"],
    }
    /// `ATOMS.MIN` and `.MAX` of `.S32` are loops that give a compare and swap its values in the wrong order, which changes nothing.
    SpaMinMaxLoopReversed = "spa.minmax-loop-reversed" {
        is: Atomicity,
        origin: [Project("Ryujinx/Ryujinx #2741, commit c9ce41e36")],
        breaks: ["spa.atoms.signed"],
        shown_by: ["ATOMS .MIN|.MAX .S32"],
    }
    /// `LDS` is encoded as `STS`.
    SpaLdsAsSts = "spa.lds-as-sts" {
        is: Value,
        origin: [Project("mesa nouveau commit 3a635761685")],
        breaks: ["spa.load.window"],
        shown_by: ["LDS"],
    }
    /// The offset of `ATOMS` is what its field holds, a number of words, and not scaled by four.
    SpaAtomsOffsetUnscaled = "spa.atoms-offset-unscaled" {
        is: Addressing,
        origin: [Project("mesa nouveau commit 7e75f0913ab")],
        breaks: ["spa.atoms.address", "spa.atoms.absolute"],
        shown_by: ["ATOMS"],
    }
    /// `ATOMS.INC`, `.DEC` and `.EXCH` change nothing and return 0.
    SpaAtomsOpIgnored = "spa.atoms-op-ignored" {
        is: Atomicity,
        origin: [Project("Ryujinx EmitAtomicOp; yuzu #3506")],
        breaks: ["spa.atoms.inc", "spa.atoms.dec", "spa.atoms.exch"],
        shown_by: ["ATOMS .INC|.DEC|.EXCH"],
    }
    /// `ATOMS.EXCH` to RZ is dropped.
    SpaExchDropped = "spa.exch-without-result" {
        is: Atomicity,
        origin: [Project("mesa nouveau commit b38aab50a04: it has no encoding")],
        breaks: ["spa.atoms.exch"],
        shown_by: ["ATOMS .EXCH"],
    }
    /// `ATOMS` exchanges `.MIN` and `.MAX`.
    SpaMinMaxSwapped = "spa.atoms-min-max-swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["spa.atoms.min", "spa.atoms.max"],
        shown_by: ["ATOMS .MIN|.MAX"],
    }
    /// `ATOMS` exchanges `.AND` and `.OR`.
    SpaAndOrSwapped = "spa.atoms-and-or-swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["spa.atoms.and", "spa.atoms.or"],
        shown_by: ["ATOMS .AND|.OR"],
    }
    /// `ATOMS` exchanges `.INC` and `.DEC`.
    SpaIncDecSwapped = "spa.atoms-inc-dec-swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["spa.atoms.inc", "spa.atoms.dec"],
        shown_by: ["ATOMS .INC|.DEC"],
    }
    /// `ATOMS.MIN` and `.MAX` without a size are of `.S32`.
    SpaAtomsSignedByDefault = "spa.atoms-signed-by-default" {
        is: Conversion,
        origin: [Reading],
        breaks: ["spa.atoms.size.default"],
        shown_by: ["ATOMS .MIN|.MAX .U32"],
    }
    /// `LDL` and `LDS` sign-extend `.U8` and `.U16`.
    SpaNarrowSigned = "spa.narrow-sign-extended" {
        is: Conversion,
        origin: [Reading],
        breaks: ["spa.load.sizes"],
        shown_by: ["LDL|LDS .U8|.U16"],
    }
    /// `LDL` and `LDS` of 64 and 128 bits load one word.
    SpaWideAsWord = "spa.wide-as-word" {
        is: Layout,
        origin: [Reading],
        breaks: ["spa.load.wide"],
        shown_by: ["LDL|LDS .64|.128"],
    }
    /// Loads are executed whatever their guard.
    SpaGuardIgnored = "spa.guard-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["spa.guard"],
        shown_by: ["LDL|LDS @"],
        not_generated: Some("no load of a generated program has a guard"),
    }
    /// Of the immediate without a register the low 16 bits count.
    SpaAbsoluteLowHalf = "spa.absolute-16-bits" {
        is: Addressing,
        origin: [Reading],
        breaks: ["spa.load.absolute"],
        shown_by: ["LDL|LDS|STL|STS|ATOMS"],
    }
    /// The offset beside a register of `LDL` and `LDS` counts words.
    SpaLoadOffsetInWords = "spa.load-offset-in-words" {
        is: Addressing,
        origin: [Reading],
        breaks: ["spa.load.offset.bytes"],
        shown_by: ["LDL|LDS"],
    }
    /// `ATOMS.CAS` and `ATOMS.CAST` of 64 bits are of 32.
    SpaCasWideAsWord = "spa.cas-wide-as-word" {
        is: Conversion,
        origin: [Reading],
        breaks: ["spa.atoms.cast.wide"],
        shown_by: ["ATOMS .CAS|.CAST .64"],
    }
    /// `ATOMS.CAS` and `ATOMS.CAST` with RZ for Rc store the register behind Rb.
    SpaCasZeroNext = "spa.cas-rz-next" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["spa.atoms.cas.rz"],
        shown_by: ["ATOMS .CAS|.CAST"],
    }
    /// `ATOMS.CAST` selects one thread of each bank without `.SPIN`, too.
    SpaSpinAlways = "spa.spin-always" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["spa.atoms.spin.without"],
        shown_by: ["ATOMS .CAST"],
    }
    /// `.SPIN` lets a thread fail that is alone in its bank.
    SpaSpinAloneFails = "spa.spin-alone-fails" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["spa.atoms.spin.alone"],
        shown_by: ["ATOMS .SPIN"],
    }
    /// `.SPIN` selects one thread of the warp, whatever the banks.
    SpaSpinOfWarp = "spa.spin-of-warp" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["spa.atoms.spin.bank"],
        shown_by: ["ATOMS .SPIN"],
    }
}

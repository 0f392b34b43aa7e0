//! Deviations of integers and bits.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Ptxas, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "arithmetic", from super::memory::END;
    /// `shl` and `shr` take the amount modulo the width instead of clamping it.
    ShiftAmountMasked = "shift.amount-masked" {
        is: Value,
        origin: [Project("ZLUDA commit f04f0ec6; mesa b872b60e942; yuzu 77ef4fa90")],
        breaks: ["shl.clamps-amount", "shr.clamps-amount"],
        shown_by: ["shl|shr"],
    }
    /// `mad.hi`, `mul.hi` on signed types multiply as unsigned.
    MulHiUnsigned = "mul.hi-unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["mul.hi.signed", "mad.hi"],
        shown_by: ["mul|mad|madc .hi"],
    }
    /// `cvt.rni` rounds halves away from zero.
    CvtRniHalfAway = "cvt.rni-half-away" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.rni"],
        shown_by: ["cvt .rni"],
    }
    /// `bfe.s32` zero-extends the field.
    BfeSignedZeroExtended = "bfe.signed-zero-extended" {
        is: Conversion,
        origin: [Project("gpgpu-sim: the first implementation of bfe")],
        breaks: ["bfe.signed"],
        shown_by: ["bfe"],
    }
    /// CC.CF after `sub` is the carry of the sum with the complement, the opposite of the borrow, and `subc` takes it so: what ptxas makes
    /// of them (`IADD.CC`, `IADD3.X` with the source inverted).
    PtxasBorrowInverted = "ptxas.borrow-inverted" {
        is: Value,
        origin: [Ptxas, Project("vosen/ZLUDA #197: the carry of sub.cc has the other polarity than addc expects")],
        breaks: ["cc.one-flag"],
        shown_by: ["subc", "sub .cc"],
    }
    /// `add` and `sub` of integers with `.sat` wrap.
    IntegerSatIgnored = "add.sat-ignored" {
        is: Value,
        origin: [Reading, Project("SemiAnalysisAI/FuzzX ptxas m051: sub.sat is folded as if it could not saturate")],
        breaks: ["add.int.sat", "sub.int.sat"],
        shown_by: ["add|sub :signed .sat"],
    }
    /// `mad.hi.sat` wraps.
    MadSatIgnored = "mad.sat-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["mad.hi.sat"],
        shown_by: ["mad .sat"],
    }
    /// Video instructions with `.sat` do not limit their first result.
    VideoSatIgnored = "video.sat-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["video.saturates"],
        shown_by: ["vadd|vsub|vabsdiff|vmin|vmax|vshl|vshr|vmad .sat"],
    }
    /// `min` and `max` of signed integers compare as unsigned.
    MinMaxUnsigned = "min-max.unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["min.int", "max.int"],
        shown_by: ["min|max :signed"],
    }
    /// `div` on signed types divides as unsigned.
    DivUnsigned = "div.unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["div.int"],
        shown_by: ["div :signed"],
    }
    /// `rem` on signed types takes its operands for unsigned.
    RemUnsigned = "rem.unsigned" {
        is: Value,
        origin: [Project("gpgpu-sim commit d072fa72")],
        breaks: ["rem.int"],
        shown_by: ["rem :signed"],
    }
    /// `sad` on signed types compares as unsigned.
    SadUnsigned = "sad.unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["sad"],
        shown_by: ["sad :signed"],
    }
    /// `sad` leaves out its third operand.
    SadNoAddend = "sad.no-addend" {
        is: Value,
        origin: [Project("vosen/ZLUDA commit 14b74a91; gpgpu-sim bug 80")],
        breaks: ["sad"],
        shown_by: ["sad"],
    }
    /// `shr` on signed types shifts zeros in.
    ShrUnsigned = "shr.unsigned" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m010")],
        breaks: ["shr.signed"],
        shown_by: ["shr :signed"],
    }
    /// Shifts of 16 bits cut the amount to 16 bits before they limit it.
    ShiftAmountCut = "shift.amount-cut" {
        is: Value,
        origin: [Project("gpuocelot commit bab378e7")],
        breaks: ["shl.clamps-amount"],
        shown_by: ["shl|shr .b16|.u16|.s16"],
        not_generated: Some("no generated amount is beyond 16 bits and has a small lower half"),
    }
    /// `shf.wrap` limits its amount as `.clamp` does.
    ShfWrapClamps = "shf.wrap-clamps" {
        is: Value,
        origin: [Reading],
        breaks: ["shf"],
        shown_by: ["shf .wrap"],
    }
    /// `shf.clamp` takes its amount modulo 32, as `.wrap` does.
    ShfClampWraps = "shf.clamp-wraps" {
        is: Value,
        origin: [Reading],
        breaks: ["shf"],
        shown_by: ["shf .clamp"],
    }
    /// `mul.wide` multiplies in the width of its operands.
    MulWideHalf = "mul.wide-half" {
        is: Value,
        origin: [Project("gpuocelot commit e266c0a6")],
        breaks: ["mul.wide"],
        shown_by: ["mul .wide"],
    }
    /// `mul.wide` and `mad.wide` on signed types multiply as unsigned.
    MulWideUnsigned = "mul.wide-unsigned" {
        is: Value,
        origin: [Project("gpuocelot commit 6c61a37c: the signs are those of the registers' types")],
        breaks: ["mul.wide", "mad.wide"],
        shown_by: ["mul|mad .wide :signed"],
    }
    /// `mul24` and `mad24` on signed types multiply as unsigned.
    Mul24Unsigned = "mul24.unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["mul24"],
        shown_by: ["mul24|mad24 :signed"],
    }
    /// `mul24.lo` multiplies all 32 bits of its operands.
    Mul24Whole = "mul24.whole" {
        is: Value,
        origin: [Reading],
        breaks: ["mul24"],
        shown_by: ["mul24 .lo"],
    }
    /// `mul24.hi` and `mad24.hi` take the lower part of the product.
    Mul24HighAsLow = "mul24.high-as-low" {
        is: Value,
        origin: [Reading],
        breaks: ["mul24"],
        shown_by: ["mul24|mad24 .hi"],
    }
    /// `abs` of the least integer is the greatest one.
    AbsLeastLimited = "abs.least-limited" {
        is: Value,
        origin: [Reading],
        breaks: ["abs.int"],
        shown_by: ["abs :signed"],
    }
    /// `dp4a` and `dp2a` take signed parts for unsigned.
    DotProductUnsigned = "dp.unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["dp4a", "dp2a"],
        shown_by: ["dp4a|dp2a :signed"],
    }
    /// `addc` does not add the carry.
    AddcCarryIgnored = "addc.carry-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["addc"],
        shown_by: ["addc"],
    }
    /// `subc` does not subtract the borrow.
    SubcBorrowIgnored = "subc.borrow-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["subc"],
        shown_by: ["subc"],
    }
    /// `bfe` of length 0 gives all bits from the position on.
    BfeEmptyIsWhole = "bfe.empty-is-whole" {
        is: Value,
        origin: [Project("gpgpu-sim commit 9d8abe50")],
        breaks: ["bfe"],
        shown_by: ["bfe"],
    }
    /// `bfe` takes positions beyond the width modulo the width.
    BfePositionModulo = "bfe.position-modulo" {
        is: Value,
        origin: [Project("gpgpu-sim #343, case 2")],
        breaks: ["bfe"],
        shown_by: ["bfe"],
    }
    /// `bfi` takes the bits of the field from the place at which it inserts them.
    BfiUnshifted = "bfi.unshifted" {
        is: Value,
        origin: [Project("gpgpu-sim commit d22c3dcf")],
        breaks: ["bfi"],
        shown_by: ["bfi"],
    }
    /// `bfind` counts positions from one.
    BfindFromOne = "bfind.from-one" {
        is: Value,
        origin: [Project("numba/numba #6919: of `ffs`")],
        breaks: ["bfind"],
        shown_by: ["bfind"],
    }
    /// `bfind` on signed types looks for the first bit that is set.
    BfindUnsigned = "bfind.unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["bfind"],
        shown_by: ["bfind :signed"],
    }
    /// `bfind.shiftamt` gives the position.
    BfindShiftIgnored = "bfind.shiftamt-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["bfind"],
        shown_by: ["bfind .shiftamt"],
    }
    /// `clz.b64` counts in the lower 32 bits.
    ClzLowWord = "clz.low-word" {
        is: Value,
        origin: [Project("google/clspv #664")],
        breaks: ["clz"],
        shown_by: ["clz .b64"],
    }
    /// `popc.b64` counts in the lower 32 bits.
    PopcLowWord = "popc.low-word" {
        is: Value,
        origin: [Reading],
        breaks: ["popc"],
        shown_by: ["popc .b64"],
    }
    /// `brev` reverses bytes and keeps the order of the bits within them.
    BrevBytes = "brev.bytes" {
        is: Value,
        origin: [Reading],
        breaks: ["brev"],
        shown_by: ["brev"],
    }
    /// `prmt` does not replicate signs.
    PrmtSignIgnored = "prmt.sign-ignored" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m066")],
        breaks: ["prmt"],
        shown_by: ["prmt"],
    }
    /// `prmt` takes its third operand for a selector in every mode.
    PrmtModesIgnored = "prmt.modes-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["prmt.modes"],
        shown_by: ["prmt .f4e|.b4e|.rc8|.ecl|.ecr|.rc16"],
    }
    /// `cnot` inverts each bit.
    CnotIsNot = "cnot.bitwise" {
        is: Value,
        origin: [Reading],
        breaks: ["cnot"],
        shown_by: ["cnot"],
    }
    /// `add` of 64 bits loses the carry from the lower half to the upper one.
    AddHalves = "add.halves" {
        is: Value,
        origin: [Project("gpgpu-sim #343, case 5: add.u64 is wrong in its high bits")],
        breaks: ["add.int.wraps"],
        shown_by: ["add .u64|.s64"],
    }
    /// `addc` without `.cc` adds 1 whatever the carry.
    AddcCarryInjected = "addc.carry-injected" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m017, m018")],
        breaks: ["addc"],
        shown_by: ["addc"],
    }
    /// `addc.cc` and `subc.cc` leave CC.CF as it is.
    CarryStale = "addc.flag-kept" {
        is: Value,
        origin: [Reading],
        breaks: ["addc"],
        shown_by: ["addc|subc .cc"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `bfe` on signed types from a position beyond the top is 0.
    BfeBeyondZero = "bfe.beyond-zero" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m052")],
        breaks: ["bfe.signed"],
        shown_by: ["bfe :signed"],
    }
    /// `bfi` of a field that reaches beyond the top inserts nothing.
    BfiBeyondKept = "bfi.beyond-kept" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m053")],
        breaks: ["bfi"],
        shown_by: ["bfi"],
    }
    /// `bfi` of length 0 inserts all bits.
    BfiEmptyIsWhole = "bfi.empty-is-whole" {
        is: Value,
        origin: [Reading],
        breaks: ["bfi"],
        shown_by: ["bfi"],
    }
    /// `bfind` without `.shiftamt` of a number that has no such bit is 0.
    BfindNoneIsZero = "bfind.none-is-zero" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m034")],
        breaks: ["bfind"],
        shown_by: ["bfind"],
    }
    /// `lop3` indexes its table with the bit of c on top and that of a below.
    Lop3Reversed = "lop3.table-reversed" {
        is: Value,
        origin: [Reading],
        breaks: ["lop3"],
        shown_by: ["lop3"],
    }
    /// `shf` shifts `[a:b]`.
    ShfSwapped = "shf.swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["shf"],
        shown_by: ["shf"],
    }
    /// `prmt` takes bytes 0 to 3 from b and bytes 4 to 7 from a.
    PrmtSwapped = "prmt.swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["prmt"],
        shown_by: ["prmt"],
    }
    /// `mul.hi` gives the lower half of the product.
    MulHighAsLow = "mul.hi-as-low" {
        is: Value,
        origin: [Reading],
        breaks: ["mul.hi"],
        shown_by: ["mul .hi"],
    }
    /// `add.cc` leaves the condition code as it was.
    AddCarryLost = "add.cc-lost" {
        is: Value,
        origin: [Reading],
        breaks: ["add.cc"],
        shown_by: ["add .cc"],
    }
    /// `sub.cc` leaves the condition code as it was.
    SubBorrowLost = "sub.cc-lost" {
        is: Value,
        origin: [Reading],
        breaks: ["sub.cc"],
        shown_by: ["sub .cc"],
        not_generated: Some("none of 24,000 generated programs takes the borrow that `sub.cc` left"),
    }
    /// `bmsk.clamp` takes position and length modulo 32.
    BmskClampWraps = "bmsk.clamp-wraps" {
        is: Value,
        origin: [Reading],
        breaks: ["bmsk"],
        shown_by: ["bmsk .clamp"],
    }
    /// `bmsk.wrap` limits position and length to 32.
    BmskWrapClamps = "bmsk.wrap-clamps" {
        is: Value,
        origin: [Reading],
        breaks: ["bmsk"],
        shown_by: ["bmsk .wrap"],
    }
    /// `fns` counts from the bit beside the base on.
    FnsBaseExcluded = "fns.base-excluded" {
        is: Value,
        origin: [Reading],
        breaks: ["fns"],
        shown_by: ["fns"],
    }
    /// `fns` with offset 0 finds the first set bit from the base on.
    FnsHereIsNext = "fns.here-is-next" {
        is: Value,
        origin: [Reading],
        breaks: ["fns.here"],
        shown_by: ["fns"],
    }
    /// Video instructions extend the parts of their sources with zeros.
    VideoSourcesUnsigned = "video.sources-unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["video.parts", "video.arithmetic"],
        shown_by: ["vadd|vsub|vabsdiff|vmin|vmax|vshl|vshr|vmad :signed"],
    }
    /// Video instructions clear the rest of the destination beside the part that takes the result.
    VideoMergeClears = "video.merge-clears" {
        is: Value,
        origin: [Reading],
        breaks: ["video.merge"],
        shown_by: ["vadd|vsub|vabsdiff|vmin|vmax|vshl|vshr|vset"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// The second operation of video instructions is not done.
    VideoSecondIgnored = "video.second-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["video.second"],
        shown_by: ["vadd|vsub|vabsdiff|vmin|vmax|vshl|vshr|vset .add|.min|.max"],
    }
    /// `vshl` and `vshr` with `.clamp` take the amount modulo 32.
    VshlClampWraps = "vshl.clamp-wraps" {
        is: Value,
        origin: [Reading],
        breaks: ["vshl"],
        shown_by: ["vshl|vshr .clamp"],
    }
    /// `vshl` and `vshr` with `.wrap` limit the amount to 32.
    VshlWrapClamps = "vshl.wrap-clamps" {
        is: Value,
        origin: [Reading],
        breaks: ["vshl"],
        shown_by: ["vshl|vshr .wrap"],
    }
    /// `vmad.po` does not add 1.
    VmadPoIgnored = "vmad.po-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["vmad"],
        shown_by: ["vmad .po"],
    }
    /// `vmad.shr7` and `vmad.shr15` do not shift.
    VmadScaleIgnored = "vmad.scale-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["vmad"],
        shown_by: ["vmad .shr7|.shr15"],
    }
    /// `vset` compares its sources as unsigned numbers.
    VsetUnsigned = "vset.unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["vset"],
        shown_by: ["vset :signed"],
    }
}

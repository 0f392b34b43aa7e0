//! Deviations of surfaces in values: of loads, stores, conversions and reductions, and of the answers of `suq`.

use super::deviation::Deviation;
use super::entry::Origin::{Kepler, Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "surface", from super::surface::END;
    /// `suld.b.b8` sign-extends into a wider register.
    SuldB8SignExtended = "suld.b8-sign-extended" {
        is: Conversion,
        origin: [Reading],
        breaks: ["suld.b8.zero-extends"],
        shown_by: ["suld .b8", "SULD"],
    }
    /// `.v4.b8` and other vectors of a surface access are packed in reverse order.
    SurfaceVectorReversed = "surface.vector-reversed" {
        is: Layout,
        origin: [Reading],
        breaks: ["suld.vector.order", "sust.vector.order"],
        shown_by: ["surface .v2|.v4", "SURFACE"],
    }
    /// `sust.p` writes the components of a texel in reverse order.
    SustPReversed = "sust.p-reversed" {
        is: Layout,
        origin: [Reading],
        breaks: ["sust.p.components", "sust.p.surplus-ignored"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` writes zero to the components that its source does not have.
    SustPMissingZeroed = "sust.p-missing-zeroed" {
        is: UnpredictableComponent,
        origin: [Reading],
        breaks: [],
        shown_by: ["sust .p", "SUST .P"],
        permitted_by: Some("sust.p.missing-unpredictable"),
    }
    /// `sust.p` truncates to normalised formats instead of rounding to the nearest.
    SustPTruncates = "sust.p-truncates" {
        is: Conversion,
        origin: [Project("pocl #2206; mesa gallivm 8c3d3622d9c, 65016646e35")],
        breaks: ["sust.p.normalised"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sured.p` takes data for unsigned whatever the format of the surface.
    SuredPSignFromOpcode = "sured.p-sign-from-opcode" {
        is: Conversion,
        origin: [Kepler, Project("yuzu: it takes SD32 for unsigned")],
        breaks: ["sured.p.sign.s32", "sured.p.sign.s64"],
        shown_by: ["sured .p"],
    }
    /// `sured` on 64 bits is two reductions on 32 bits.
    SuredWideAsHalves = "sured.wide-as-halves" {
        is: Atomicity,
        origin: [Project("Ryujinx: a format of two channels of 32 bits stands for 64; yuzu #7806")],
        breaks: ["sured.wide"],
        shown_by: ["sured"],
    }
    /// `sured.p` takes the data of SINT formats of 8 and 16 bits for unsigned.
    SuredPNarrowUnsigned = "sured.p-narrow-unsigned" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sured.p.sign.s32"],
        shown_by: ["sured .p", "SURED|SUATOM"],
    }
    /// `suld.b.b16` sign-extends into a wider register.
    SuldB16SignExtended = "suld.b16-sign-extended" {
        is: Conversion,
        origin: [Reading],
        breaks: ["suld.wide-register"],
        shown_by: ["suld .b16", "SULD"],
    }
    /// `suld.b.b32` sign-extends into a wider register.
    SuldB32SignExtended = "suld.b32-sign-extended" {
        is: Conversion,
        origin: [Reading],
        breaks: ["suld.wide-register"],
        shown_by: ["suld .b32", "SULD"],
    }
    /// All elements of a vector of a surface access are at the place of the first.
    SurfaceVectorRepeated = "surface.vector-repeated" {
        is: Layout,
        origin: [Reading],
        breaks: ["suld.vector.order", "sust.vector.order"],
        shown_by: ["surface .v2|.v4", "SURFACE"],
    }
    /// Predicated-off lanes of a warp execute `sust` all the same.
    SustPredicateIgnored = "sust.predicate-ignored" {
        is: Value,
        origin: [Project("google/swiftshader commit 2deb0df8f")],
        breaks: ["predication"],
        shown_by: ["sust @"],
    }
    /// `sust.p` stores the greatest number to a FLOAT16 surface where the source is infinite.
    SustPHalfInfinityLost = "sust.p-half-infinity-lost" {
        is: Conversion,
        origin: [Project("google/swiftshader commit fd8f0e2fa: infinity is not preserved")],
        breaks: ["sust.p.converts"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` to FLOAT16 surfaces rounds ties away from zero.
    SustPHalfTiesUp = "sust.p-half-ties-up" {
        is: Conversion,
        origin: [Project("google/swiftshader commit fd8f0e2fa")],
        breaks: ["sust.p.half.rounding"],
        shown_by: ["sust .p", "SUST .P"],
        not_generated: Some("inputs are seldom exactly between two half-precision numbers"),
    }
    /// `sust.p` takes the data for SNORM surfaces for integers.
    SustPSnormAsSint = "sust.p-snorm-as-sint" {
        is: Conversion,
        origin: [Project("Ryujinx/Ryujinx commit de6ef7a47")],
        breaks: ["sust.p.source.f32"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` scales the data for SNORM surfaces twice.
    SustPScaledTwice = "sust.p-scaled-twice" {
        is: Conversion,
        origin: [Project("Ryujinx/Ryujinx #2317")],
        breaks: ["sust.p.converts"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` rounds to UNORM formats and truncates to SNORM ones.
    SustPSnormTruncates = "sust.p-snorm-truncates" {
        is: Conversion,
        origin: [Project("mesa gallivm commit 8c3d3622d9c")],
        breaks: ["sust.p.normalised"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` does not limit what it stores to normalised formats, so that it wraps.
    SustPUnlimited = "sust.p-unlimited" {
        is: Conversion,
        origin: [Project("google/swiftshader commit 88289191e")],
        breaks: ["sust.p.normalised.range"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `suq` of any dimension is the width.
    SuqAlwaysWidth = "suq.always-width" {
        is: Value,
        origin: [Project("yuzu-emu/yuzu commit ebfc38d19")],
        breaks: ["suq.height", "suq.depth"],
        shown_by: ["suq .height|.depth"],
    }
    /// `suq.array_size` is the depth.
    SuqArrayAsDepth = "suq.array-as-depth" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.array-size"],
        shown_by: ["suq .array_size"],
    }
    /// `sust.b` of less than a texel clears the rest of the texel.
    SustWholeTexel = "sust.whole-texel" {
        is: Layout,
        origin: [Project("vosen/ZLUDA commit d9d13088")],
        breaks: ["sust.size"],
        shown_by: ["sust .b", "SUST .D"],
    }
    /// `suld.b` and `sust.b` of more than a texel transfer one texel alone: the rest is loaded as zero, and not stored.
    SurfaceWideCut = "surface.wide-cut-to-texel" {
        is: Layout,
        origin: [Project("vosen/ZLUDA commit 5d5f7cca")],
        breaks: ["suld.size"],
        shown_by: ["surface .b", "SURFACE .D"],
    }
    /// `sust.b` of 32 bits converts to the format of the surface, as `sust.p` does.
    SustByFormat = "sust.b-by-format" {
        is: Conversion,
        origin: [Project("Ryujinx/Ryujinx #1625; ROCm/clr amd_surface_functions.h")],
        breaks: ["sust.b.unformatted"],
        shown_by: ["sust .b .b32"],
    }
    /// `suld.b` of 32 bits converts from the format of the surface: of UNORM texels it loads floats.
    SuldByFormat = "suld.b-by-format" {
        is: Conversion,
        origin: [Project("ROCm/clr amd_surface_functions.h; shader-slang/slang #1798")],
        breaks: ["suld.b.unformatted"],
        shown_by: ["suld .b .b32"],
    }
    /// `suq.depth` of a 3d surface is 1, as of a 2d one.
    SuqDepthOne = "suq.depth-one" {
        is: Value,
        origin: [Project("Ryujinx/Ryujinx #2613")],
        breaks: ["suq.depth"],
        shown_by: ["suq .depth"],
    }
    /// `suq.width` counts bytes.
    SuqWidthInBytes = "suq.width-in-bytes" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.width"],
        shown_by: ["suq .width"],
    }
    /// `suq.height` is the number of the last row.
    SuqLastRow = "suq.height-last-row" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.height"],
        shown_by: ["suq .height"],
    }
    /// `suq.array_size` is the number of the last layer.
    SuqLastLayer = "suq.array-size-last-layer" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.array-size"],
        shown_by: ["suq .array_size"],
        not_generated: Some("the generated program that shows it first is explained by `suq.array-as-depth` as well"),
    }
    /// `suq.array_size` of a surface that is no array is 1.
    SuqArraySizeOne = "suq.array-size-one" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.array-size.none"],
        shown_by: ["suq .array_size"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `sured` exchanges `min` and `max`.
    SuredMinMaxSwapped = "sured.min-max-swapped" {
        is: Value,
        origin: [Project("yuzu-emu/yuzu surface_atomic_operations.cpp: the operation is decoded from bits of the type")],
        breaks: ["sured.min-max"],
        shown_by: ["sured .min|.max"],
    }
    /// `sured` exchanges `and` and `or`.
    SuredBitsSwapped = "sured.and-or-swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["sured.and-or"],
        shown_by: ["sured .and|.or"],
    }
    /// `sured.b` of `.s32` and `.s64` compares its data as unsigned numbers.
    SuredUnsigned = "sured.b-unsigned" {
        is: Conversion,
        origin: [Project("doitsujin/dxvk #166: data and format disagree in their sign")],
        breaks: ["sured.min-max"],
        shown_by: ["sured .b :signed"],
    }
    /// Predicated-off lanes of a warp execute `suld` all the same.
    SuldPredicateIgnored = "suld.predicate-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["predication"],
        shown_by: ["suld @"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `sust.p` exchanges the components R and B.
    SustPRedBlue = "sust.p-red-blue-swapped" {
        is: Layout,
        origin: [Reading],
        breaks: ["sust.p.components"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` writes the last element of its source to A, whichever component it stands for.
    SustPSecondToAlpha = "sust.p-last-to-alpha" {
        is: Layout,
        origin: [Reading],
        breaks: ["sust.p.components"],
        shown_by: ["sust .p .v2", "SUST .P"],
    }
    /// `sust.p` takes the data for UINT surfaces of 8 and 16 bits for signed: those with the top bit become 0.
    SustPUintSigned = "sust.p-uint-as-signed" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.source.u32"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` takes the data for SINT surfaces of 8 and 16 bits for unsigned: negative ones become the greatest number.
    SustPSintUnsigned = "sust.p-sint-as-unsigned" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.source.s32"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` takes the data for FLOAT surfaces for integers.
    SustPFloatFromInteger = "sust.p-float-from-integer" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.source.f32"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` stores infinity to a FLOAT16 surface where the source is no number.
    SustPHalfNan = "sust.p-half-nan-infinite" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.nan"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` stores 0.0 to FLOAT surfaces where the source is -0.0.
    SustPZeroUnsigned = "sust.p-minus-zero" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.converts"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sust.p` multiplies the data for normalised formats by 2ⁿ instead of 2ⁿ − 1.
    SustPScalePower = "sust.p-scale-power-of-two" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.normalised"],
        shown_by: ["sust .p", "SUST .P"],
    }
    /// `sured.p` takes data for signed whatever the format of the surface.
    SuredPAlwaysSigned = "sured.p-always-signed" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sured.p.sign.u32", "sured.p.sign.u64"],
        shown_by: ["sured .p", "SURED|SUATOM"],
    }
    /// `sured.b` compares by the sign that the format of the surface has, as `sured.p` does.
    SuredBByFormat = "sured.b-sign-by-format" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sured.b.unformatted"],
        shown_by: ["sured .b .min|.max"],
    }
}

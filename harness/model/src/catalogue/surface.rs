//! Deviations of surfaces: `suld`, `sust`, `sured`, `suq`.

use super::deviation::Deviation;
use super::entry::Origin::{Kepler, Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "surface", from 0;
    /// `suld` with `.clamp` loads zero out of bounds, as `.zero` does.
    SuldClampAsZero = "suld.clamp-as-zero" {
        is: Clamp,
        origin: [Project("Ryujinx and the headers of ROCm/clr: the mode is not used")],
        breaks: ["suld.clamp.nearest"],
        shown_by: ["suld .clamp"],
    }
    /// `sust` with `.clamp` drops stores out of bounds, as `.zero` does.
    SustClampAsZero = "sust.clamp-as-zero" {
        is: Clamp,
        origin: [Project("Ryujinx and the headers of ROCm/clr: the mode is not used")],
        breaks: ["sust.clamp.nearest"],
        shown_by: ["sust .clamp"],
    }
    /// Surface accesses take `.clamp` for `.trap` and the reverse.
    SurfaceClampTrapSwapped = "surface.clamp-trap-swapped" {
        is: Clamp,
        origin: [Reading],
        breaks: [
            "suld.clamp.nearest", "suld.trap.traps",
            "sust.clamp.nearest", "sust.trap.traps",
            "sured.clamp.nearest", "sured.trap.traps",
        ],
        shown_by: ["surface .clamp|.trap"],
    }
    /// The x coordinate of `suld.b`, `sust.b` and `sured.b` counts texels instead of bytes.
    SurfaceXAsTexel = "surface.x-as-texel" {
        is: Addressing,
        origin: [Project("shader-slang/slang #1841")],
        breaks: ["suld.x-in-bytes", "sust.x-in-bytes", "sured.b.x-in-bytes"],
        shown_by: ["surface"],
    }
    /// A negative x coordinate of a surface access counts as a large unsigned one.
    SurfaceNegativeXUnsigned = "surface.negative-x-unsigned" {
        is: Addressing,
        origin: [Reading],
        breaks: ["suld.coordinate.signed", "sust.coordinate.signed", "sured.coordinate.signed"],
        shown_by: ["surface"],
    }
    /// Surface accesses check the bound of their first byte only.
    SurfaceBoundFirstByte = "surface.bound-first-byte" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["surface.straddle"],
        shown_by: ["surface"],
    }
    /// The y coordinate of a surface access is not checked but wraps to the height.
    SurfaceYWraps = "surface.y-wraps" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: [
            "suld.clamp.nearest", "suld.trap.traps", "suld.zero.loads-zero",
            "sust.clamp.nearest", "sust.trap.traps", "sust.zero.drops",
            "sured.clamp.nearest", "sured.trap.traps", "sured.zero.drops",
        ],
        shown_by: ["surface"],
    }
    /// `suld.b.b8` sign-extends into a wider register.
    SuldB8SignExtended = "suld.b8-sign-extended" {
        is: Conversion,
        origin: [Reading],
        breaks: ["suld.b8.zero-extends"],
        shown_by: ["suld .b8"],
    }
    /// `.v4.b8` and other vectors of a surface access are packed in reverse order.
    SurfaceVectorReversed = "surface.vector-reversed" {
        is: Layout,
        origin: [Reading],
        breaks: ["suld.vector.order", "sust.vector.order"],
        shown_by: ["surface .v2|.v4"],
    }
    /// A misaligned surface address goes to the nearest aligned one instead of the one below.
    SurfaceMisalignedRounded = "surface.misaligned-rounded" {
        is: Alignment,
        origin: [Reading],
        breaks: ["surface.misaligned"],
        shown_by: ["surface"],
    }
    /// The x coordinate of `sust.p` and `sured.p` counts bytes instead of samples.
    SurfaceSampleXAsByte = "surface.sample-x-as-byte" {
        is: Addressing,
        origin: [Project("shader-slang/slang #1842, #11090")],
        breaks: ["sust.p.x-in-samples", "sured.p.x-scaled"],
        shown_by: ["surface .p"],
    }
    /// The layer index of a surface access is signed.
    SurfaceLayerSigned = "surface.layer-signed" {
        is: Addressing,
        origin: [Reading],
        breaks: ["suld.array.layer-unsigned", "sust.array.layer-unsigned"],
        shown_by: ["surface .a1d|.a2d"],
    }
    /// The last of four surface coordinates is used: as z of 3d surfaces, as y of 2d arrays.
    SurfaceFourthCoordinate = "surface.fourth-coordinate" {
        is: Addressing,
        origin: [Reading],
        breaks: [
            "suld.3d.fourth-ignored", "suld.a2d.fourth-ignored",
            "sust.3d.fourth-ignored", "sust.a2d.fourth-ignored",
            "sured.3d.fourth-ignored",
        ],
        shown_by: ["surface .3d|.a2d"],
    }
    /// `sust.p` writes the components of a texel in reverse order.
    SustPReversed = "sust.p-reversed" {
        is: Layout,
        origin: [Reading],
        breaks: ["sust.p.components"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` writes zero to the components that its source does not have.
    SustPMissingZeroed = "sust.p-missing-zeroed" {
        is: UnpredictableComponent,
        origin: [Reading],
        breaks: [],
        shown_by: ["sust .p"],
        permitted_by: Some("sust.p.missing-unpredictable"),
    }
    /// `sust.p` truncates to normalised formats instead of rounding to the nearest.
    SustPTruncates = "sust.p-truncates" {
        is: Conversion,
        origin: [Project("pocl #2206; mesa gallivm 8c3d3622d9c, 65016646e35")],
        breaks: ["sust.p.normalised"],
        shown_by: ["sust .p"],
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
    /// `sured` with `.zero` reduces the nearest location out of bounds.
    SuredZeroWrites = "sured.zero-writes" {
        is: Clamp,
        origin: [Reading],
        breaks: ["sured.zero.drops"],
        shown_by: ["sured"],
    }
    /// x and y of an access to a 2d array are unsigned, so that `.clamp` moves negative ones to the last column and row: the code that
    /// ptxas 11.8 makes for Kepler (`SUCLAMP.U32`).
    KeplerA2dUnsigned = "kepler.a2d-unsigned" {
        is: Addressing,
        origin: [Kepler],
        breaks: ["suld.coordinate.signed", "sust.coordinate.signed"],
        shown_by: ["surface .a2d"],
    }
    /// A surface access that begins inside a row and ends beyond it is in bounds, and goes on into whatever pads the row; `.clamp` moves
    /// one beyond the row to the last such place: the code that ptxas 11.8 makes for Kepler.
    KeplerStraddleInBounds = "kepler.straddle-in-bounds" {
        is: OutOfBounds,
        origin: [Kepler],
        breaks: ["surface.straddle"],
        shown_by: ["surface"],
    }
    /// A misaligned surface access that begins above the last aligned place in a row is out of bounds, instead of masked or a
    /// fault: the code that ptxas 11.8 makes for Kepler (`SUCLAMP` compares with the bound before it looks at the alignment).
    KeplerMisalignedOutOfBounds = "kepler.misaligned-out-of-bounds" {
        is: Alignment,
        origin: [Kepler],
        breaks: ["surface.misaligned"],
        shown_by: ["surface"],
    }
    /// The y coordinate of a 3d surface access is held against the depth instead of the height.
    SurfaceYBoundFromDepth = "surface.y-bound-from-depth" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.3d.coordinates", "sust.3d.coordinates", "sured.3d.coordinates"],
        shown_by: ["surface .3d"],
    }
    /// The z coordinate of a 3d surface access is held against the height instead of the depth.
    SurfaceZBoundFromHeight = "surface.z-bound-from-height" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.3d.coordinates", "sust.3d.coordinates", "sured.3d.coordinates"],
        shown_by: ["surface .3d"],
    }
    /// `suld` with `.zero` leaves its destination as it was out of bounds.
    SuldZeroKeepsDestination = "suld.zero-keeps-destination" {
        is: Clamp,
        origin: [Project("mesa nouveau commit c3325097be9")],
        breaks: ["suld.zero.loads-zero"],
        shown_by: ["suld"],
    }
    /// `suld` of a vector with `.zero` clears the first register of its destination only out of bounds.
    SuldZeroFirstElement = "suld.zero-first-element" {
        is: Clamp,
        origin: [Reading],
        breaks: ["suld.zero.loads-zero"],
        shown_by: ["suld .v2|.v4"],
    }
    /// `.clamp` moves an access narrower than a texel to the nearest texel and keeps its place within the texel.
    SurfaceClampKeepsOffset = "surface.clamp-keeps-offset" {
        is: Clamp,
        origin: [Reading],
        breaks: ["surface.clamp.sized"],
        shown_by: ["surface .clamp"],
    }
    /// `sured.p` takes the data of SINT formats of 8 and 16 bits for unsigned.
    SuredPNarrowUnsigned = "sured.p-narrow-unsigned" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sured.p.sign.s32"],
        shown_by: ["sured .p"],
        not_generated: Some("a program reduces one surface: where its format has 8 or 16 bits, `sured.p-sign-from-opcode` explains as much"),
    }
    /// Every `.surfref` variable, and every `.surfref` parameter, is the first that has a surface.
    SurfaceFirstReference = "surface.first-reference" {
        is: Addressing,
        origin: [Reading],
        breaks: ["suld.operand.surfref", "sust.operand.surfref", "surface.operand.parameter"],
        shown_by: ["surface"],
    }
    /// `suld` with `.zero` loads from the nearest location.
    SuldZeroAsClamp = "suld.zero-as-clamp" {
        is: Clamp,
        origin: [Project("google/swiftshader commit 1c004416c")],
        breaks: ["suld.zero.loads-zero"],
        shown_by: ["suld .zero"],
    }
    /// `sust` with `.zero` stores to the nearest location.
    SustZeroAsClamp = "sust.zero-as-clamp" {
        is: Clamp,
        origin: [Project("gpuweb/gpuweb #4194: a browser clamped")],
        breaks: ["sust.zero.drops"],
        shown_by: ["sust .zero"],
    }
    /// Surface accesses behave as with `.zero` whatever is written.
    SurfaceModeIgnored = "surface.mode-ignored" {
        is: Clamp,
        origin: [Project("envytools commit 18340224: the field is not decoded")],
        breaks: [
            "suld.clamp.nearest", "suld.trap.traps", "sust.clamp.nearest", "sust.trap.traps", "sured.clamp.nearest",
            "sured.trap.traps",
        ],
        shown_by: ["surface .clamp|.trap"],
    }
    /// Surface accesses with `.trap` behave as with `.zero`.
    SurfaceTrapAsZero = "surface.trap-as-zero" {
        is: OutOfBounds,
        origin: [Project("ROCm/clr amd_surface_functions.h and Ryujinx: the mode is not used; StanfordLegion/legion #1475")],
        breaks: ["suld.trap.traps", "sust.trap.traps", "sured.trap.traps"],
        shown_by: ["surface .trap"],
    }
    /// Surface accesses with `.trap` behave as with `.clamp`.
    SurfaceTrapAsClamp = "surface.trap-as-clamp" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.trap.traps", "sust.trap.traps", "sured.trap.traps"],
        shown_by: ["surface .trap"],
    }
    /// Only the final address is held against the whole surface: x beyond the row reaches the next row.
    SurfaceBoundLinear = "surface.bound-linear" {
        is: OutOfBounds,
        origin: [Project("google/swiftshader commit 60727de18")],
        breaks: ["suld.zero.loads-zero", "sust.zero.drops"],
        shown_by: ["surface .zero|.trap"],
    }
    /// Stores are not checked row by row, as loads are: beyond the row they reach the next one.
    SustUnguarded = "sust.unguarded" {
        is: OutOfBounds,
        origin: [Project("google/swiftshader commit 08afdde77: loads are checked, stores are not")],
        breaks: ["sust.zero.drops"],
        shown_by: ["sust .zero|.trap"],
    }
    /// Only the upper bound is checked: a negative x reaches the row before.
    SurfaceNegativeInBounds = "surface.negative-in-bounds" {
        is: OutOfBounds,
        origin: [Project("google/swiftshader commit 030b541b8")],
        breaks: ["suld.zero.loads-zero", "sust.zero.drops"],
        shown_by: ["surface"],
    }
    /// The layer of a 1d array is held against its height, which is 1.
    SurfaceA1dLayersOfHeight = "surface.a1d-layers-of-height" {
        is: OutOfBounds,
        origin: [Project("mesa nouveau commit 8b540db44cd")],
        breaks: ["suld.a1d.coordinates", "sust.a1d.coordinates"],
        shown_by: ["surface .a1d"],
    }
    /// All layers of an array are the first: the last one written wins.
    SurfaceLayersFold = "surface.layers-fold" {
        is: Addressing,
        origin: [Project("ROCm/rocm-systems #11872, #6683; ROCm/clr #275: the layer goes to the mip level")],
        breaks: ["suld.array.layer-first", "sust.array.layer-first"],
        shown_by: ["surface .a1d|.a2d"],
    }
    /// z does not enter the address: all slices of a 3d surface are the first.
    SurfaceSlicesFold = "surface.slices-fold" {
        is: Addressing,
        origin: [Project("mesa nouveau commits 162352e6711, 869e32593a9")],
        breaks: ["suld.3d.coordinates", "sust.3d.coordinates", "sured.3d.coordinates"],
        shown_by: ["surface .3d"],
    }
    /// The layer of an array is read from the element behind the coordinates.
    SurfaceLayerLast = "surface.layer-last" {
        is: Addressing,
        origin: [Project("Ryujinx/Ryujinx #1637")],
        breaks: ["suld.array.layer-first", "sust.array.layer-first"],
        shown_by: ["suld|sust .a1d|.a2d"],
    }
    /// The layer of a 1d array is read from the element of x.
    SurfaceLayerIsX = "surface.layer-is-x" {
        is: Addressing,
        origin: [Project("gfx-rs/naga #1445")],
        breaks: ["suld.a1d.coordinates", "sust.a1d.coordinates"],
        shown_by: ["suld|sust .a1d"],
    }
    /// The second element of the coordinates is x, in bytes, and the first one y.
    SurfaceXYSwapped = "surface.x-y-swapped" {
        is: Addressing,
        origin: [Reading],
        breaks: ["suld.2d.coordinates", "sust.2d.coordinates", "sured.2d.coordinates"],
        shown_by: ["surface .2d"],
    }
    /// The last row and the last slice count as out of bounds.
    SurfaceLastOutside = "surface.last-outside" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.2d.coordinates", "sust.2d.coordinates", "sured.2d.coordinates"],
        shown_by: ["surface .2d|.3d|.a2d"],
    }
    /// `.clamp` moves every access out of bounds along x to the first location of the row.
    SurfaceClampToFirst = "surface.clamp-to-first" {
        is: Clamp,
        origin: [Reading],
        breaks: ["suld.clamp.nearest", "sust.clamp.nearest", "sured.clamp.nearest"],
        shown_by: ["surface .clamp"],
    }
    /// `.clamp` moves x alone; other coordinates out of bounds load zero and drop stores.
    SurfaceClampXAlone = "surface.clamp-x-alone" {
        is: Clamp,
        origin: [Reading],
        breaks: ["suld.clamp.nearest", "sust.clamp.nearest", "sured.clamp.nearest"],
        shown_by: ["surface .clamp"],
    }
    /// `suld.b.b16` sign-extends into a wider register.
    SuldB16SignExtended = "suld.b16-sign-extended" {
        is: Conversion,
        origin: [Reading],
        breaks: ["suld.wide-register"],
        shown_by: ["suld .b16"],
    }
    /// `suld.b.b32` sign-extends into a wider register.
    SuldB32SignExtended = "suld.b32-sign-extended" {
        is: Conversion,
        origin: [Reading],
        breaks: ["suld.wide-register"],
        shown_by: ["suld .b32"],
    }
    /// All elements of a vector of a surface access are at the place of the first.
    SurfaceVectorRepeated = "surface.vector-repeated" {
        is: Layout,
        origin: [Reading],
        breaks: ["suld.vector.order", "sust.vector.order"],
        shown_by: ["surface .v2|.v4"],
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
        shown_by: ["sust .p"],
    }
    /// `sust.p` to FLOAT16 surfaces rounds ties away from zero.
    SustPHalfTiesUp = "sust.p-half-ties-up" {
        is: Conversion,
        origin: [Project("google/swiftshader commit fd8f0e2fa")],
        breaks: ["sust.p.half.rounding"],
        shown_by: ["sust .p"],
        not_generated: Some("inputs are seldom exactly between two half-precision numbers"),
    }
    /// `sust.p` takes the data for SNORM surfaces for integers.
    SustPSnormAsSint = "sust.p-snorm-as-sint" {
        is: Conversion,
        origin: [Project("Ryujinx/Ryujinx commit de6ef7a47")],
        breaks: ["sust.p.source.f32"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` scales the data for SNORM surfaces twice.
    SustPScaledTwice = "sust.p-scaled-twice" {
        is: Conversion,
        origin: [Project("Ryujinx/Ryujinx #2317")],
        breaks: ["sust.p.converts"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` rounds to UNORM formats and truncates to SNORM ones.
    SustPSnormTruncates = "sust.p-snorm-truncates" {
        is: Conversion,
        origin: [Project("mesa gallivm commit 8c3d3622d9c")],
        breaks: ["sust.p.normalised"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` does not limit what it stores to normalised formats, so that it wraps.
    SustPUnlimited = "sust.p-unlimited" {
        is: Conversion,
        origin: [Project("google/swiftshader commit 88289191e")],
        breaks: ["sust.p.normalised.range"],
        shown_by: ["sust .p"],
    }
    /// `suq` of any dimension is the width.
    SuqAlwaysWidth = "suq.always-width" {
        is: Value,
        origin: [Project("yuzu-emu/yuzu commit ebfc38d19")],
        breaks: ["suq.height", "suq.depth"],
        shown_by: ["suq .height|.depth"],
        not_generated: Some("no generated program asks for properties of surfaces"),
    }
    /// `suq.array_size` is the depth.
    SuqArrayAsDepth = "suq.array-as-depth" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.array-size"],
        shown_by: ["suq .array_size"],
        not_generated: Some("no generated program asks for properties of surfaces"),
    }
    /// An access out of bounds under `.zero` is pushed away by 2³¹ bytes: at x = −2³¹ that overflows and comes back in bounds.
    SurfaceFarOffset = "surface.far-offset-wraps" {
        is: OutOfBounds,
        origin: [Project("google/swiftshader commit 4a65df1d5")],
        breaks: ["suld.zero.loads-zero", "sust.zero.drops"],
        shown_by: ["surface .zero"],
    }
    /// `sured` with `and` and `or`, which have a code path of their own, is not checked row by row: beyond the row it reaches the next one.
    SuredBitsUnchecked = "sured.bits-unchecked" {
        is: OutOfBounds,
        origin: [Project("gfx-rs/naga #2099 (issue 1848): one operation has no check")],
        breaks: ["sured.zero.drops"],
        shown_by: ["sured .and|.or"],
    }
    /// `sust.b` of less than a texel clears the rest of the texel.
    SustWholeTexel = "sust.whole-texel" {
        is: Layout,
        origin: [Project("vosen/ZLUDA commit d9d13088")],
        breaks: ["sust.size"],
        shown_by: ["sust .b"],
    }
    /// `suld.b` and `sust.b` of less than a texel access its first bytes, whichever byte of it x names.
    SurfaceNarrowOffset = "surface.narrow-offset-dropped" {
        is: Addressing,
        origin: [Project("vosen/ZLUDA commits d9d13088, 5d5f7cca (#203): x is shifted to texels")],
        breaks: ["suld.x-in-bytes", "sust.x-in-bytes"],
        shown_by: ["surface .b"],
    }
    /// `suld.b` and `sust.b` of more than a texel transfer one texel alone: the rest is loaded as zero, and not stored.
    SurfaceWideCut = "surface.wide-cut-to-texel" {
        is: Layout,
        origin: [Project("vosen/ZLUDA commit 5d5f7cca")],
        breaks: ["suld.size"],
        shown_by: ["surface .b"],
    }
    /// The row of `suld.b`, `sust.b` and `sured.b` has as many bytes as its width times the size of the access, as if texels were as large.
    SurfaceBoundByAccess = "surface.bound-by-access" {
        is: OutOfBounds,
        origin: [Project("Ryujinx/Ryujinx InstEmitSurface.cs: the surface is reinterpreted with texels of that size")],
        breaks: ["suld.x-in-bytes", "sust.x-in-bytes"],
        shown_by: ["surface .b"],
    }
    /// Of the layer index of a surface access the low 16 bits count: layer 65536 is layer 0.
    SurfaceLayerLowHalf = "surface.layer-low-half" {
        is: Addressing,
        origin: [Project("yuzu-emu/yuzu surface_load_store.cpp at 832a7220")],
        breaks: ["suld.array.layer-unsigned", "sust.array.layer-unsigned"],
        shown_by: ["surface .a1d|.a2d"],
    }
    /// The x coordinate of `sust.p` is scaled by the size of a channel instead of that of the texel.
    SustXByChannel = "sust.p-x-by-channel" {
        is: Addressing,
        origin: [Project("shader-slang/slang #1874")],
        breaks: ["sust.p.x-in-samples"],
        shown_by: ["sust .p"],
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
        not_generated: Some("no generated program asks for properties of surfaces"),
    }
    /// `suq.width` counts bytes.
    SuqWidthInBytes = "suq.width-in-bytes" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.width"],
        shown_by: ["suq .width"],
        not_generated: Some("no generated program asks for properties of surfaces"),
    }
    /// `suq.height` is the number of the last row.
    SuqLastRow = "suq.height-last-row" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.height"],
        shown_by: ["suq .height"],
        not_generated: Some("no generated program asks for properties of surfaces"),
    }
    /// `suq.array_size` is the number of the last layer.
    SuqLastLayer = "suq.array-size-last-layer" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.array-size"],
        shown_by: ["suq .array_size"],
        not_generated: Some("no generated program asks for properties of surfaces"),
    }
    /// `suq.array_size` of a surface that is no array is 1.
    SuqArraySizeOne = "suq.array-size-one" {
        is: Value,
        origin: [Reading],
        breaks: ["suq.array-size.none"],
        shown_by: ["suq .array_size"],
        not_generated: Some("no generated program asks for properties of surfaces"),
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
    /// `sured` with `.clamp` reduces nothing out of bounds.
    SuredClampAsZero = "sured.clamp-as-zero" {
        is: Clamp,
        origin: [Reading],
        breaks: ["sured.clamp.nearest"],
        shown_by: ["sured .clamp"],
    }
    /// Predicated-off lanes of a warp execute `suld` all the same.
    SuldPredicateIgnored = "suld.predicate-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["predication"],
        shown_by: ["suld @"],
        not_generated: Some("no load of a generated program has a guard"),
    }
    /// The byte that x of `suld.b`, `sust.b` and `sured.b` names is held against the width in texels.
    SurfaceBoundInTexels = "surface.bound-in-texels" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.x-in-bytes", "sust.x-in-bytes", "sured.b.x-in-bytes"],
        shown_by: ["surface .b"],
    }
    /// The first byte behind a row is in bounds: an access there reaches the next row.
    SurfaceBoundInclusive = "surface.bound-inclusive" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.zero.loads-zero", "sust.zero.drops", "sured.zero.drops"],
        shown_by: ["surface .zero|.trap"],
    }
    /// The second element of the coordinates of a 3d surface is z, and the third y.
    SurfaceYZSwapped = "surface.y-z-swapped" {
        is: Addressing,
        origin: [Reading],
        breaks: ["suld.3d.coordinates", "sust.3d.coordinates", "sured.3d.coordinates"],
        shown_by: ["surface .3d"],
    }
    /// `sust.p` exchanges the components R and B.
    SustPRedBlue = "sust.p-red-blue-swapped" {
        is: Layout,
        origin: [Reading],
        breaks: ["sust.p.components"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` writes the last element of its source to A, whichever component it stands for.
    SustPSecondToAlpha = "sust.p-last-to-alpha" {
        is: Layout,
        origin: [Reading],
        breaks: ["sust.p.components"],
        shown_by: ["sust .p .v2"],
    }
    /// `sust.p` takes the data for UINT surfaces of 8 and 16 bits for signed: those with the top bit become 0.
    SustPUintSigned = "sust.p-uint-as-signed" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.source.u32"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` takes the data for SINT surfaces of 8 and 16 bits for unsigned: negative ones become the greatest number.
    SustPSintUnsigned = "sust.p-sint-as-unsigned" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.source.s32"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` takes the data for FLOAT surfaces for integers.
    SustPFloatFromInteger = "sust.p-float-from-integer" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.source.f32"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` stores infinity to a FLOAT16 surface where the source is no number.
    SustPHalfNan = "sust.p-half-nan-infinite" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.nan"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` stores 0.0 to FLOAT surfaces where the source is -0.0.
    SustPZeroUnsigned = "sust.p-minus-zero" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.converts"],
        shown_by: ["sust .p"],
    }
    /// `sust.p` multiplies the data for normalised formats by 2ⁿ instead of 2ⁿ − 1.
    SustPScalePower = "sust.p-scale-power-of-two" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sust.p.normalised"],
        shown_by: ["sust .p"],
    }
}

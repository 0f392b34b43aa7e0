//! Deviations of surfaces: where `suld`, `sust` and `sured` access them, and what they do out of bounds.

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
        shown_by: ["suld .clamp", "SULD"],
    }
    /// `sust` with `.clamp` drops stores out of bounds, as `.zero` does.
    SustClampAsZero = "sust.clamp-as-zero" {
        is: Clamp,
        origin: [Project("Ryujinx and the headers of ROCm/clr: the mode is not used")],
        breaks: ["sust.clamp.nearest"],
        shown_by: ["sust .clamp", "SUST"],
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
        shown_by: ["surface .clamp|.trap", "SURFACE"],
    }
    /// The x coordinate of `suld.b`, `sust.b` and `sured.b` counts texels instead of bytes.
    SurfaceXAsTexel = "surface.x-as-texel" {
        is: Addressing,
        origin: [Project("shader-slang/slang #1841")],
        breaks: ["suld.x-in-bytes", "sust.x-in-bytes", "sured.b.x-in-bytes"],
        shown_by: ["surface", "SURFACE"],
    }
    /// A negative x coordinate of a surface access counts as a large unsigned one.
    SurfaceNegativeXUnsigned = "surface.negative-x-unsigned" {
        is: Addressing,
        origin: [Reading],
        breaks: ["suld.coordinate.signed", "sust.coordinate.signed", "sured.coordinate.signed"],
        shown_by: ["surface", "SURFACE"],
    }
    /// Surface accesses check the bound of their first byte only.
    SurfaceBoundFirstByte = "surface.bound-first-byte" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["surface.straddle"],
        shown_by: ["surface", "SURFACE"],
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
        shown_by: ["surface", "SURFACE"],
    }
    /// A misaligned surface address goes to the nearest aligned one instead of the one below.
    SurfaceMisalignedRounded = "surface.misaligned-rounded" {
        is: Alignment,
        origin: [Reading],
        breaks: ["surface.misaligned"],
        shown_by: ["surface", "SURFACE"],
    }
    /// The x coordinate of `sust.p` and `sured.p` counts bytes instead of samples.
    SurfaceSampleXAsByte = "surface.sample-x-as-byte" {
        is: Addressing,
        origin: [Project("shader-slang/slang #1842, #11090")],
        breaks: ["sust.p.x-in-samples", "sured.p.x-scaled"],
        shown_by: ["surface .p", "SURFACE"],
    }
    /// The layer index of a surface access is signed.
    SurfaceLayerSigned = "surface.layer-signed" {
        is: Addressing,
        origin: [Reading],
        breaks: ["suld.array.layer-unsigned", "sust.array.layer-unsigned"],
        shown_by: ["surface .a1d|.a2d", "SURFACE .1D_ARRAY|.2D_ARRAY"],
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
    /// `sured` with `.zero` reduces the nearest location out of bounds.
    SuredZeroWrites = "sured.zero-writes" {
        is: Clamp,
        origin: [Reading],
        breaks: ["sured.zero.drops"],
        shown_by: ["sured", "SURED|SUATOM"],
    }
    /// x and y of an access to a 2d array are unsigned, so that `.clamp` moves negative ones to the last column and row: the code that
    /// ptxas 11.8 makes for Kepler (`SUCLAMP.U32`).
    KeplerA2dUnsigned = "kepler.a2d-unsigned" {
        is: Addressing,
        origin: [Kepler],
        breaks: ["suld.coordinate.signed", "sust.coordinate.signed"],
        shown_by: ["surface .a2d", "SURFACE .2D_ARRAY"],
    }
    /// A surface access that begins inside a row and ends beyond it is in bounds, and goes on into whatever pads the row; `.clamp` moves
    /// one beyond the row to the last such place: the code that ptxas 11.8 makes for Kepler.
    KeplerStraddleInBounds = "kepler.straddle-in-bounds" {
        is: OutOfBounds,
        origin: [Kepler],
        breaks: ["surface.straddle"],
        shown_by: ["surface", "SURFACE"],
    }
    /// A misaligned surface access that begins above the last aligned place in a row is out of bounds, instead of masked or a
    /// fault: the code that ptxas 11.8 makes for Kepler (`SUCLAMP` compares with the bound before it looks at the alignment).
    KeplerMisalignedOutOfBounds = "kepler.misaligned-out-of-bounds" {
        is: Alignment,
        origin: [Kepler],
        breaks: ["surface.misaligned"],
        shown_by: ["surface", "SURFACE"],
    }
    /// The y coordinate of a 3d surface access is held against the depth instead of the height.
    SurfaceYBoundFromDepth = "surface.y-bound-from-depth" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.3d.coordinates", "sust.3d.coordinates", "sured.3d.coordinates"],
        shown_by: ["surface .3d", "SURFACE .3D"],
    }
    /// The z coordinate of a 3d surface access is held against the height instead of the depth.
    SurfaceZBoundFromHeight = "surface.z-bound-from-height" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.3d.coordinates", "sust.3d.coordinates", "sured.3d.coordinates"],
        shown_by: ["surface .3d", "SURFACE .3D"],
    }
    /// `suld` with `.zero` leaves its destination as it was out of bounds.
    SuldZeroKeepsDestination = "suld.zero-keeps-destination" {
        is: Clamp,
        origin: [Project("mesa nouveau commit c3325097be9")],
        breaks: ["suld.zero.loads-zero"],
        shown_by: ["suld", "SULD|SUATOM"],
    }
    /// `suld` of a vector with `.zero` clears the first register of its destination only out of bounds.
    SuldZeroFirstElement = "suld.zero-first-element" {
        is: Clamp,
        origin: [Reading],
        breaks: ["suld.zero.loads-zero"],
        shown_by: ["suld .v2|.v4", "SULD|SUATOM"],
    }
    /// `.clamp` moves an access narrower than a texel to the nearest texel and keeps its place within the texel.
    SurfaceClampKeepsOffset = "surface.clamp-keeps-offset" {
        is: Clamp,
        origin: [Reading],
        breaks: ["surface.clamp.sized"],
        shown_by: ["surface .clamp", "SURFACE"],
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
        shown_by: ["suld .zero", "SULD .IGN"],
    }
    /// `sust` with `.zero` stores to the nearest location.
    SustZeroAsClamp = "sust.zero-as-clamp" {
        is: Clamp,
        origin: [Project("gpuweb/gpuweb #4194: a browser clamped")],
        breaks: ["sust.zero.drops"],
        shown_by: ["sust .zero", "SUST .IGN"],
    }
    /// Surface accesses behave as with `.zero` whatever is written.
    SurfaceModeIgnored = "surface.mode-ignored" {
        is: Clamp,
        origin: [Project("envytools commit 18340224: the field is not decoded")],
        breaks: [
            "suld.clamp.nearest", "suld.trap.traps", "sust.clamp.nearest", "sust.trap.traps", "sured.clamp.nearest",
            "sured.trap.traps",
        ],
        shown_by: ["surface .clamp|.trap", "SURFACE"],
    }
    /// Surface accesses with `.trap` behave as with `.zero`.
    SurfaceTrapAsZero = "surface.trap-as-zero" {
        is: OutOfBounds,
        origin: [Project("ROCm/clr amd_surface_functions.h and Ryujinx: the mode is not used; StanfordLegion/legion #1475")],
        breaks: ["suld.trap.traps", "sust.trap.traps", "sured.trap.traps"],
        shown_by: ["surface .trap", "SURFACE .TRAP"],
    }
    /// Surface accesses with `.trap` behave as with `.clamp`.
    SurfaceTrapAsClamp = "surface.trap-as-clamp" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.trap.traps", "sust.trap.traps", "sured.trap.traps"],
        shown_by: ["surface .trap", "SURFACE .TRAP"],
    }
    /// Only the final address is held against the whole surface: x beyond the row reaches the next row.
    SurfaceBoundLinear = "surface.bound-linear" {
        is: OutOfBounds,
        origin: [Project("google/swiftshader commit 60727de18")],
        breaks: ["suld.zero.loads-zero", "sust.zero.drops"],
        shown_by: ["surface .zero|.trap", "SURFACE .IGN|.TRAP"],
    }
    /// Stores are not checked row by row, as loads are: beyond the row they reach the next one.
    SustUnguarded = "sust.unguarded" {
        is: OutOfBounds,
        origin: [Project("google/swiftshader commit 08afdde77: loads are checked, stores are not")],
        breaks: ["sust.zero.drops"],
        shown_by: ["sust .zero|.trap", "SUST .IGN|.TRAP"],
    }
    /// Only the upper bound is checked: a negative x reaches the row before.
    SurfaceNegativeInBounds = "surface.negative-in-bounds" {
        is: OutOfBounds,
        origin: [Project("google/swiftshader commit 030b541b8")],
        breaks: ["suld.zero.loads-zero", "sust.zero.drops"],
        shown_by: ["surface", "SURFACE"],
    }
    /// The layer of a 1d array is held against its height, which is 1.
    SurfaceA1dLayersOfHeight = "surface.a1d-layers-of-height" {
        is: OutOfBounds,
        origin: [Project("mesa nouveau commit 8b540db44cd")],
        breaks: ["suld.a1d.coordinates", "sust.a1d.coordinates"],
        shown_by: ["surface .a1d", "SURFACE .1D_ARRAY"],
    }
    /// All layers of an array are the first: the last one written wins.
    SurfaceLayersFold = "surface.layers-fold" {
        is: Addressing,
        origin: [Project("ROCm/rocm-systems #11872, #6683; ROCm/clr #275: the layer goes to the mip level")],
        breaks: ["suld.array.layer-first", "sust.array.layer-first"],
        shown_by: ["surface .a1d|.a2d", "SURFACE .1D_ARRAY|.2D_ARRAY"],
    }
    /// z does not enter the address: all slices of a 3d surface are the first.
    SurfaceSlicesFold = "surface.slices-fold" {
        is: Addressing,
        origin: [Project("mesa nouveau commits 162352e6711, 869e32593a9")],
        breaks: ["suld.3d.coordinates", "sust.3d.coordinates", "sured.3d.coordinates"],
        shown_by: ["surface .3d", "SURFACE .3D"],
    }
    /// The layer of an array is read from the element behind the coordinates.
    SurfaceLayerLast = "surface.layer-last" {
        is: Addressing,
        origin: [Project("Ryujinx/Ryujinx #1637")],
        breaks: [
            "suld.array.layer-first", "sust.array.layer-first", "suld.a2d.coordinates", "sust.a2d.coordinates",
        ],
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
        shown_by: ["surface .2d", "SURFACE .2D"],
    }
    /// The last row and the last slice count as out of bounds.
    SurfaceLastOutside = "surface.last-outside" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.2d.coordinates", "sust.2d.coordinates", "sured.2d.coordinates"],
        shown_by: ["surface .2d|.3d|.a2d", "SURFACE .2D|.3D|.2D_ARRAY"],
    }
    /// `.clamp` moves every access out of bounds along x to the first location of the row.
    SurfaceClampToFirst = "surface.clamp-to-first" {
        is: Clamp,
        origin: [Reading],
        breaks: ["suld.clamp.nearest", "sust.clamp.nearest", "sured.clamp.nearest"],
        shown_by: ["surface .clamp", "SURFACE"],
    }
    /// `.clamp` moves x alone; other coordinates out of bounds load zero and drop stores.
    SurfaceClampXAlone = "surface.clamp-x-alone" {
        is: Clamp,
        origin: [Reading],
        breaks: ["suld.clamp.nearest", "sust.clamp.nearest", "sured.clamp.nearest"],
        shown_by: ["surface .clamp", "SURFACE"],
    }
    /// An access out of bounds under `.zero` is pushed away by 2³¹ bytes: at x = −2³¹ that overflows and comes back in bounds.
    SurfaceFarOffset = "surface.far-offset-wraps" {
        is: OutOfBounds,
        origin: [Project("google/swiftshader commit 4a65df1d5")],
        breaks: ["suld.zero.loads-zero", "sust.zero.drops"],
        shown_by: ["surface .zero", "SURFACE .IGN"],
    }
    /// `sured` with `and` and `or`, which have a code path of their own, is not checked row by row: beyond the row it reaches the next one.
    SuredBitsUnchecked = "sured.bits-unchecked" {
        is: OutOfBounds,
        origin: [Project("gfx-rs/naga #2099 (issue 1848): one operation has no check")],
        breaks: ["sured.zero.drops"],
        shown_by: ["sured .and|.or", "SURED|SUATOM"],
    }
    /// `suld.b` and `sust.b` of less than a texel access its first bytes, whichever byte of it x names.
    SurfaceNarrowOffset = "surface.narrow-offset-dropped" {
        is: Addressing,
        origin: [Project("vosen/ZLUDA commits d9d13088, 5d5f7cca (#203): x is shifted to texels")],
        breaks: ["suld.x-in-bytes", "sust.x-in-bytes"],
        shown_by: ["surface .b", "SURFACE .D"],
    }
    /// The row of `suld.b`, `sust.b` and `sured.b` has as many bytes as its width times the size of the access, as if texels were as large.
    SurfaceBoundByAccess = "surface.bound-by-access" {
        is: OutOfBounds,
        origin: [Project("Ryujinx/Ryujinx InstEmitSurface.cs: the surface is reinterpreted with texels of that size")],
        breaks: ["suld.x-in-bytes", "sust.x-in-bytes"],
        shown_by: ["surface .b", "SURFACE .D"],
    }
    /// Of the layer index of a surface access the low 16 bits count: layer 65536 is layer 0.
    SurfaceLayerLowHalf = "surface.layer-low-half" {
        is: Addressing,
        origin: [Project("yuzu-emu/yuzu surface_load_store.cpp at 832a7220")],
        breaks: ["suld.array.layer-unsigned", "sust.array.layer-unsigned"],
        shown_by: ["surface .a1d|.a2d", "SURFACE .1D_ARRAY|.2D_ARRAY"],
    }
    /// The x coordinate of `sust.p` is scaled by the size of a channel instead of that of the texel.
    SustXByChannel = "sust.p-x-by-channel" {
        is: Addressing,
        origin: [Project("shader-slang/slang #1874")],
        breaks: ["sust.p.x-in-samples"],
        shown_by: ["sust .p", "SULD|SUST|SURED .P"],
    }
    /// `sured` with `.clamp` reduces nothing out of bounds.
    SuredClampAsZero = "sured.clamp-as-zero" {
        is: Clamp,
        origin: [Reading],
        breaks: ["sured.clamp.nearest"],
        shown_by: ["sured .clamp", "SURED|SUATOM"],
    }
    /// The byte that x of `suld.b`, `sust.b` and `sured.b` names is held against the width in texels.
    SurfaceBoundInTexels = "surface.bound-in-texels" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.x-in-bytes", "sust.x-in-bytes", "sured.b.x-in-bytes"],
        shown_by: ["surface .b", "SURFACE .D"],
    }
    /// The first byte behind a row is in bounds: an access there reaches the next row.
    SurfaceBoundInclusive = "surface.bound-inclusive" {
        is: OutOfBounds,
        origin: [Reading],
        breaks: ["suld.zero.loads-zero", "sust.zero.drops", "sured.zero.drops"],
        shown_by: ["surface .zero|.trap", "SURFACE .IGN|.TRAP"],
    }
    /// The second element of the coordinates of a 3d surface is z, and the third y.
    SurfaceYZSwapped = "surface.y-z-swapped" {
        is: Addressing,
        origin: [Reading],
        breaks: ["suld.3d.coordinates", "sust.3d.coordinates", "sured.3d.coordinates"],
        shown_by: ["surface .3d", "SURFACE .3D"],
    }
}

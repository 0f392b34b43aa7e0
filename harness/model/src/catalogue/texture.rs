//! Deviations of textures and of opaque variables: `tex`, `tld4`, `txq`, `istypep`, handles.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "texture", from super::variables::END;
    /// `tex` with linear filtering takes the texel that the coordinates lie in and the next, not those half a texel around them.
    TexLinearOffset = "tex.linear-offset" {
        is: Addressing,
        origin: [Project("gpuocelot commit bf150b0e")],
        breaks: ["tex.linear"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` with linear filtering weighs texels by all bits of the fraction.
    TexWeightsUnquantised = "tex.weights-unquantised" {
        is: Conversion,
        origin: [Reading],
        breaks: ["tex.linear.weights"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` wraps in mirror mode.
    TexMirrorAsWrap = "tex.mirror-as-wrap" {
        is: Clamp,
        origin: [Reading],
        breaks: ["tex.mirror"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` clamps to the edge in wrap mode.
    TexWrapAsClamp = "tex.wrap-as-clamp" {
        is: Clamp,
        origin: [Project("chipStar commit ea4b2700")],
        breaks: ["tex.wrap"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` clamps to the edge in border mode.
    TexBorderAsClamp = "tex.border-as-clamp" {
        is: Clamp,
        origin: [Project("pocl commit d6ba1f2b9")],
        breaks: ["tex.border"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` without filtering rounds coordinates to the nearest integer instead of down.
    TexNearestRounds = "tex.nearest-rounds" {
        is: Addressing,
        origin: [Reading],
        breaks: ["tex.nearest"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// The layer of `tex` outside of the array wraps around: permitted, since no text says which layer it is.
    TexLayerWraps = "tex.layer-wraps" {
        is: Addressing,
        origin: [Reading],
        breaks: [],
        shown_by: ["tex", "tld4", "TEXTURE"],
        permitted_by: Some("tex.array.outside"),
    }
    /// The fourth component of `tex`, where texels have none, is 0: permitted, since no text says what it is.
    TexMissingWZero = "tex.missing-w-zero" {
        is: UnpredictableComponent,
        origin: [Project("pocl #2255")],
        breaks: [],
        shown_by: ["tex", "tld4", "TEXTURE"],
        permitted_by: Some("tex.components"),
    }
    /// `tex` takes normalised coordinates for coordinates in texels.
    TexNormalisedIgnored = "tex.normalised-ignored" {
        is: Addressing,
        origin: [Project("gpuocelot commit 87285b30")],
        breaks: ["tex.normalised"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// The address mode of x holds for all dimensions of `tex`.
    TexAddressOfX = "tex.address-of-x" {
        is: Clamp,
        origin: [Reading],
        breaks: ["tex.address.dimensions"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` zero-extends signed texels.
    TexSignedZeroExtended = "tex.signed-zero-extended" {
        is: Conversion,
        origin: [Project("gpuocelot: how it reads a channel")],
        breaks: ["tex.read.element"],
        shown_by: ["tex", "tld4", "TEXTURE", "SULD .P"],
    }
    /// `tex` does not look at `force_unnormalized_coords`.
    TexForceIgnored = "tex.force-ignored" {
        is: Addressing,
        origin: [Reading],
        breaks: ["sampler.force-unnormalized"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` exchanges border mode and clamping to the edge.
    TexBorderEdgeSwapped = "tex.border-edge-swapped" {
        is: Clamp,
        origin: [Project("pocl/pocl commit d6ba1f2b9")],
        breaks: ["tex.border", "tex.clamp"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` in clamp mode looks up the coordinates as they are: outside of the texture it reads zero.
    TexClampDiscarded = "tex.clamp-discarded" {
        is: Clamp,
        origin: [Project("pocl/pocl #427: clamped coordinates are computed and not used")],
        breaks: ["tex.clamp"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` multiplies the layer by the number of layers where coordinates are normalised.
    TexLayerNormalised = "tex.layer-normalised" {
        is: Addressing,
        origin: [Project("jrprice/Oclgrind commit 31631f8")],
        breaks: ["tex.array.index"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` reads the layer from the element behind the coordinates.
    TexLayerLast = "tex.layer-last" {
        is: Addressing,
        origin: [Project("yuzu-emu/yuzu commit 119e12746")],
        breaks: ["tex.array.index"],
        shown_by: ["tex .a1d|.a2d"],
    }
    /// `tex` without filtering rounds coordinates to steps of 1/256 before it cuts them.
    TexNearestFixed = "tex.nearest-fixed" {
        is: Addressing,
        origin: [Project("mesa gallivm commit 9954f014979")],
        breaks: ["tex.nearest"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// Rows of a texture are as many bytes apart as they have texels.
    TexRowsInTexels = "tex.rows-in-texels" {
        is: Addressing,
        origin: [Project("gpuocelot/gpuocelot commit 7af88260")],
        breaks: ["tex.coordinates"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// The components of a texel are read four bytes apart whatever their width.
    TexComponentsInWords = "tex.components-in-words" {
        is: Layout,
        origin: [Project("gpgpu-sim/gpgpu-sim_distribution commit 73ea99a2")],
        breaks: ["tex.read.element"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` reads the least value of an SNORM channel as less than -1.0.
    TexSnormBelow = "tex.snorm-below" {
        is: Conversion,
        origin: [Project("google/swiftshader commit 5c883d3c1; mesa llvmpipe 2adb13f187f")],
        breaks: ["tex.read.element"],
        shown_by: ["tex", "tld4", "TEXTURE", "SULD .P"],
        not_generated: Some("none of 40,000 generated programs reads the least value of an SNORM channel without filtering it among others"),
    }
    /// z does not enter the address of a texel: all slices are the first.
    TexSlicesFold = "tex.slices-fold" {
        is: Addressing,
        origin: [Reading],
        breaks: ["tex.coordinates"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `txq` of any dimension is the width.
    TxqAlwaysWidth = "txq.always-width" {
        is: Value,
        origin: [Reading],
        breaks: ["txq.dimensions"],
        shown_by: ["txq .height|.depth"],
    }
    /// `tex` with linear filtering adds half a texel where mirror mode mirrors, instead of subtracting it.
    TexMirrorHalfTexel = "tex.mirror-half-texel" {
        is: Addressing,
        origin: [Project("mesa softpipe commit eae4c6df8de")],
        breaks: ["tex.mirror"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` without filtering cuts coordinates towards zero instead of rounding them down: −0.5 lies in the image.
    TexNearestTruncates = "tex.nearest-truncates" {
        is: Addressing,
        origin: [Project("gpgpu-sim commit db817518")],
        breaks: ["tex.nearest"],
        shown_by: ["tex", "TEXTURE"],
    }
    /// `tex` in wrap mode leaves the remainder of a negative coordinate negative, which is before the first texel: it reads that one.
    TexWrapRemainder = "tex.wrap-negative-remainder" {
        is: Clamp,
        origin: [Project("gpgpu-sim commit db817518")],
        breaks: ["tex.wrap"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` divides what it reads as normalised unsigned numbers by 2ⁿ instead of 2ⁿ − 1.
    TexUnormOverPower = "tex.unorm-over-power-of-two" {
        is: Conversion,
        origin: [Project("gpuocelot/gpuocelot TextureOperations.h")],
        breaks: ["tex.read.normalised-float"],
        shown_by: ["tex", "tld4", "TEXTURE", "SULD .P"],
    }
    /// `tex` gives the bits of half-precision texels.
    TexHalfAsBits = "tex.half-as-bits" {
        is: Conversion,
        origin: [Reading],
        breaks: ["tex.read.element"],
        shown_by: ["tex", "tld4", "TEXTURE", "SULD .P"],
    }
    /// `tex` with linear filtering exchanges the weights of the two texels.
    TexWeightsSwapped = "tex.weights-swapped" {
        is: Addressing,
        origin: [Reading],
        breaks: ["tex.linear"],
        shown_by: ["tex", "TEXTURE"],
    }
    /// `tex` does not add the offset to the coordinates.
    TexOffsetIgnored = "tex.offset-ignored" {
        is: Addressing,
        origin: [Reading],
        breaks: ["tex.offset"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tex` without filtering subtracts half a texel from coordinates, as with it.
    TexNearestHalf = "tex.nearest-half-texel" {
        is: Addressing,
        origin: [Reading],
        breaks: ["tex.nearest"],
        shown_by: ["tex", "TEXTURE"],
    }
    /// `tld4` gives the first component whatever it is asked for.
    Tld4AlwaysRed = "tld4.always-red" {
        is: Value,
        origin: [Reading],
        breaks: ["tld4.component"],
        shown_by: ["tld4"],
    }
    /// `txq` of a texture in a register asks the first texture variable of the module.
    TxqFirstTexture = "txq.register-ignored" {
        is: Addressing,
        origin: [Project("mesa nouveau commit 20e484afa48")],
        breaks: ["txq.operand.handle"],
        shown_by: ["txq"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `txq.normalized_coords` is 0 where coordinates are normalised, and 1 where they are not.
    TxqNormalizedInverted = "txq.normalized-inverted" {
        is: Value,
        origin: [Reading],
        breaks: ["txq.normalized-coords"],
        shown_by: ["txq .normalized_coords"],
    }
    /// `txq.force_unnormalized_coords` says whether the sampler takes coordinates as normalised.
    TxqForceInverted = "txq.force-inverted" {
        is: Value,
        origin: [Reading],
        breaks: ["txq.force-unnormalized"],
        shown_by: ["txq .force_unnormalized_coords"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `txq.num_samples` and `.num_mipmap_levels` of a plain texture are 1.
    TxqSamplesOne = "txq.samples-one" {
        is: Value,
        origin: [Reading],
        breaks: ["txq.levels-and-samples"],
        shown_by: ["txq .num_samples|.num_mipmap_levels"],
    }
    /// `txq.array_size` is the depth.
    TxqArrayAsDepth = "txq.array-size-as-depth" {
        is: Value,
        origin: [Project("mesa llvmpipe commit 8000e7b4b6e: the number of layers stands in another dimension")],
        breaks: ["txq.array-size"],
        shown_by: ["txq .array_size"],
    }
    /// All accesses by a handle take it from the register that the first of them in the function names.
    HandleFixed = "opaque.handle-register-fixed" {
        is: Addressing,
        origin: [Project("Ryujinx/Ryujinx #3732")],
        breaks: ["suld.operand.handle", "sust.operand.handle", "sured.operand.handle"],
        shown_by: ["suld|sust|sured", "tex|tld4"],
    }
    /// `istypep.surfref` asks for textures.
    IstypepSurfaceAsTexture = "istypep.surfref-as-texref" {
        is: Value,
        origin: [Project("vosen/ZLUDA ptx_parser: `.surfref` is parsed as `.texref`")],
        breaks: ["istypep"],
        shown_by: ["istypep .surfref"],
    }
    /// `clamp_ogl` counts as `clamp_to_edge`.
    TexClampOglAsClamp = "tex.clamp-ogl-as-clamp" {
        is: Clamp,
        origin: [Reading],
        breaks: ["tex.clamp-ogl"],
        shown_by: ["tex", "tld4", "TEXTURE"],
        not_generated: Some("no generated texture has the address mode `clamp_ogl`"),
    }
    /// `clamp_ogl` counts as `clamp_to_border`.
    TexClampOglAsBorder = "tex.clamp-ogl-as-border" {
        is: Clamp,
        origin: [Reading],
        breaks: ["tex.clamp-ogl"],
        shown_by: ["tex", "tld4", "TEXTURE"],
        not_generated: Some("no generated texture has the address mode `clamp_ogl`"),
    }
    /// The two faces of the y axis of a cube are exchanged.
    TexCubeYExchanged = "tex.cube-y-exchanged" {
        is: Addressing,
        origin: [Reading],
        breaks: ["tex.cube.face"],
        shown_by: ["tex|tld4 .cube|.acube", "TEXTURE"],
    }
    /// t goes upwards on the faces of a cube.
    TexCubeFlipped = "tex.cube-t-flipped" {
        is: Addressing,
        origin: [Reading],
        breaks: ["tex.cube.face"],
        shown_by: ["tex|tld4 .cube|.acube", "TEXTURE"],
    }
    /// The index into an array of cubes counts faces: a cube begins at that face.
    TexAcubeByFace = "tex.acube-index-of-face" {
        is: Addressing,
        origin: [Reading],
        breaks: ["tex.acube"],
        shown_by: ["tex|tld4 .acube", "TEXTURE"],
    }
    /// In independent mode a lookup goes by the sampler fields of the texture, not by the sampler.
    TexSamplerOfTexture = "tex.sampler-of-texture" {
        is: Addressing,
        origin: [Reading],
        breaks: ["sampler.texref-ignored"],
        shown_by: ["tex", "tld4", "TEXTURE"],
    }
    /// `tld4` gives the texel that the coordinates are in, and the ones behind it.
    Tld4FromTexel = "tld4.from-texel" {
        is: Addressing,
        origin: [Reading],
        breaks: ["tld4.footprint"],
        shown_by: ["tld4", "TLD4|TLD4S"],
    }
}

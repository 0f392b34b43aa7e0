//! Deviations of conversions.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "conversion", from super::float::END;
    /// `cvt` to floats rounds to nearest whatever its rounding modifier.
    CvtRoundingIgnored = "cvt.rounding-ignored" {
        is: Conversion,
        origin: [Project("gpgpu-sim #343, case 4: cvt.rz from integers to floats rounds to nearest")],
        breaks: ["cvt.int-to-float", "cvt.float-to-float"],
        shown_by: ["cvt .rz|.rm|.rp"],
    }
    /// `cvt.sat` does not limit its result.
    CvtSatIgnored = "cvt.sat-ignored" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.int.sat", "cvt.float.sat"],
        shown_by: ["cvt .sat"],
    }
    /// `cvt.ftz` keeps subnormal numbers.
    CvtFtzIgnored = "cvt.ftz-ignored" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.ftz"],
        shown_by: ["cvt .ftz"],
    }
    /// `cvt.rni` rounds towards zero.
    CvtRniTruncates = "cvt.rni-truncates" {
        is: Conversion,
        origin: [Project("yuzu-emu/yuzu commit f5ec165e8")],
        breaks: ["cvt.rni"],
        shown_by: ["cvt .rni"],
    }
    /// `cvt.rmi` rounds towards zero.
    CvtRmiTruncates = "cvt.rmi-truncates" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.rmi"],
        shown_by: ["cvt .rmi"],
    }
    /// `cvt.rpi` rounds towards zero.
    CvtRpiTruncates = "cvt.rpi-truncates" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.rpi"],
        shown_by: ["cvt .rpi"],
    }
    /// `cvt.rzi` rounds to the nearest integer.
    CvtRziNearest = "cvt.rzi-nearest" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.rzi"],
        shown_by: ["cvt .rzi"],
    }
    /// `cvt` of a signed integer to a wider one fills with zeros.
    CvtWideningZeros = "cvt.widening-zeros" {
        is: Conversion,
        origin: [Project("vosen/ZLUDA #36")],
        breaks: ["cvt.int.extends"],
        shown_by: ["cvt :signed"],
    }
    /// `cvt` to a signed integer of 8 or 16 bits leaves zeros above it in a wider register.
    CvtResultUnextended = "cvt.result-unextended" {
        is: Conversion,
        origin: [Project("gpgpu-sim commit 6e0aab40")],
        breaks: ["cvt.int.wide-register"],
        shown_by: ["cvt .s8|.s16"],
    }
    /// `cvt` of an integer to `.f64` goes through `.f32`.
    CvtDoubleViaSingle = "cvt.double-via-single" {
        is: Conversion,
        origin: [Project("Ryujinx/Ryujinx #2831")],
        breaks: ["cvt.int-to-float"],
        shown_by: ["cvt .f64"],
    }
    /// `cvt.rz` to `.f16` of a number beyond its range is infinite.
    CvtHalfOverflowInfinite = "cvt.half-overflow-infinite" {
        is: Conversion,
        origin: [Project("jrprice/Oclgrind commit 61c7359")],
        breaks: ["cvt.float-to-float"],
        shown_by: ["cvt .rz .f16"],
    }
    /// `cvt` of a NaN from `.f32` to `.s32` is the least integer, as the host has it.
    CvtNanIsLeast = "cvt.nan-is-least" {
        is: Conversion,
        origin: [Project("gpuocelot commit d0e3722c")],
        breaks: ["cvt.nan"],
        shown_by: ["cvt .s32"],
    }
    /// `cvt.u32.f32` is 0.
    CvtUnsignedZero = "cvt.unsigned-zero" {
        is: Conversion,
        origin: [Project("gpuocelot commit 7f0ea702")],
        breaks: ["cvt.rzi"],
        shown_by: ["cvt .u32"],
    }
    /// `cvt.u32.f32` of 2^31 and more is 2^31, which a conversion to a signed integer gives.
    CvtUnsignedAsSigned = "cvt.unsigned-as-signed" {
        is: Conversion,
        origin: [Project("google/swiftshader commit 764d14268")],
        breaks: ["cvt.float-to-int.clamps"],
        shown_by: ["cvt .u32"],
    }
    /// `cvt.f32.f64` rounds to an integer.
    CvtFloatIntegral = "cvt.float-integral" {
        is: Conversion,
        origin: [Project("gpuocelot commits bf150b0e, 23455a5a; yuzu 46791c464")],
        breaks: ["cvt.float-to-float"],
        shown_by: ["cvt .f32"],
    }
    /// `.rmi` and `.rpi` of `cvt` are exchanged.
    CvtDirectionsSwapped = "cvt.rmi-rpi-swapped" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.rmi", "cvt.rpi"],
        shown_by: ["cvt .rmi|.rpi"],
    }
    /// `cvt.rn.f32.u64` takes numbers from 2^63 on for negative ones.
    CvtWideUnsignedAsSigned = "cvt.wide-unsigned-as-signed" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.int-to-float"],
        shown_by: ["cvt .rn .u64"],
    }
    /// `cvt` to a narrower integer limits the number without `.sat`, too.
    CvtNarrowingSaturates = "cvt.narrowing-saturates" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.int.truncates"],
        shown_by: ["cvt"],
    }
}

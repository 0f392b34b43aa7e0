//! Each misreading as the instruction that is written and the one that it is taken for.

use warpdiff_model::{Deviation, Semantics};
use warpdiff_ptx::checked::{Instruction, Module};
use warpdiff_ptx::misread::{by_rows, of};
use warpdiff_ptx::vocabulary::{Modifier, Opcode};
use warpdiff_ptx::{Rules, compile};

/// A kernel with this line, behind others that mention the registers in an order, so that they have the same numbers whatever the line is.
fn module(line: &str) -> Module {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.global .surfref image;\n.global .texref picture;\n.global .u32 v[4];\n.shared .u32 s[4];\n\
         .visible .entry main() {{\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .b64 %l<4>;\n.reg .pred %p<4>;\n\
         add.u32 %r1, %r2, %r3;\nadd.u32 %r4, %r5, %r6;\nadd.f32 %f1, %f2, %f3;\nadd.u64 %l1, %l2, %l3;\nsetp.ne.u32 %p1, %r1, %r2;\n\
         setp.ne.u32 %p2, %r1, %r2;\n{line}\nL:\nret;\n}}\n"
    );
    compile(&text, &Rules::default()).unwrap_or_else(|errors| panic!("{line}: {errors:?}"))
}

/// The instruction of the line, before the last one.
fn of_line(module: &Module) -> &Instruction {
    let body = &module.functions[0].body;
    &body[body.len() - 2]
}

/// The deviation, a line, and what it is misread as.
const TOLD: &[(Deviation, &str, &str)] = {
    use Deviation as D;
    &[
        (D::AddRoundingIgnored, "add.rz.ftz.f32 %f1, %f2, %f3;", "add.ftz.f32 %f1, %f2, %f3;"),
        (D::MulRoundingIgnored, "mul.rm.f32 %f1, %f2, %f3;", "mul.f32 %f1, %f2, %f3;"),
        (D::DivRoundingIgnored, "div.rp.f32 %f1, %f2, %f3;", "div.rn.f32 %f1, %f2, %f3;"),
        (D::RcpRoundingIgnored, "rcp.rz.f32 %f1, %f2;", "rcp.rn.f32 %f1, %f2;"),
        (D::SqrtRoundingIgnored, "sqrt.rz.f32 %f1, %f2;", "sqrt.rn.f32 %f1, %f2;"),
        (D::CvtRoundingIgnored, "cvt.rz.f32.s32 %f1, %r2;", "cvt.rn.f32.s32 %f1, %r2;"),
        (D::FloatFtzIgnored, "add.ftz.f32 %f1, %f2, %f3;", "add.f32 %f1, %f2, %f3;"),
        (D::FloatSatIgnored, "mul.sat.f32 %f1, %f2, %f3;", "mul.f32 %f1, %f2, %f3;"),
        (D::IntegerSatIgnored, "add.sat.s32 %r1, %r2, %r3;", "add.s32 %r1, %r2, %r3;"),
        (D::MadSatIgnored, "mad.hi.sat.s32 %r1, %r2, %r3, %r4;", "mad.hi.s32 %r1, %r2, %r3, %r4;"),
        (D::MulTruncates, "mul.rn.f32 %f1, %f2, %f3;", "mul.rz.f32 %f1, %f2, %f3;"),
        (D::DivTruncates, "div.rn.f32 %f1, %f2, %f3;", "div.rz.f32 %f1, %f2, %f3;"),
        (D::RcpTruncates, "rcp.rn.f32 %f1, %f2;", "rcp.rz.f32 %f1, %f2;"),
        (D::SqrtTruncates, "sqrt.rn.f32 %f1, %f2;", "sqrt.rz.f32 %f1, %f2;"),
        (D::FloatSubnormalsFlushed, "add.f32 %f1, %f2, %f3;", "add.ftz.f32 %f1, %f2, %f3;"),
        (D::HalfSubnormalsFlushed, "add.f16x2 %r1, %r2, %r3;", "add.ftz.f16x2 %r1, %r2, %r3;"),
        (D::CvtNarrowingSaturates, "cvt.s8.s32 %r1, %r2;", "cvt.sat.s8.s32 %r1, %r2;"),
        (D::TestpNumberFinite, "testp.number.f32 %p1, %f2;", "testp.finite.f32 %p1, %f2;"),
        (D::TestpNormalFinite, "testp.normal.f32 %p1, %f2;", "testp.finite.f32 %p1, %f2;"),
        (D::MulHighAsLow, "mul.hi.s32 %r1, %r2, %r3;", "mul.lo.s32 %r1, %r2, %r3;"),
        (D::AddCarryLost, "add.cc.u32 %r1, %r2, %r3;", "add.u32 %r1, %r2, %r3;"),
        (D::SubBorrowLost, "sub.cc.u32 %r1, %r2, %r3;", "sub.u32 %r1, %r2, %r3;"),
        (D::BmskClampWraps, "bmsk.clamp.b32 %r1, %r2, %r3;", "bmsk.wrap.b32 %r1, %r2, %r3;"),
        (D::BmskWrapClamps, "bmsk.wrap.b32 %r1, %r2, %r3;", "bmsk.clamp.b32 %r1, %r2, %r3;"),
        (D::VideoSourcesUnsigned, "vadd.s32.s32.s32 %r1, %r2.b3, %r3;", "vadd.s32.u32.u32 %r1, %r2.b3, %r3;"),
        (
            D::VideoMergeClears,
            "vadd.u32.u32.u32 %r1.b0, %r2, %r3, %r4;",
            "vadd.u32.u32.u32 %r1.b0, %r2, %r3, 0;",
        ),
        (
            D::VideoMergeClears,
            "vset.u32.u32.ne %r1.h1, %r2, %r3, %r4;",
            "vset.u32.u32.ne %r1.h1, %r2, %r3, 0;",
        ),
        (
            D::VideoSecondIgnored,
            "vadd.u32.u32.u32.add %r1, %r2, %r3, %r4;",
            "vadd.u32.u32.u32 %r1, %r2, %r3;",
        ),
        (D::VideoSecondIgnored, "vset.u32.u32.eq.min %r1, %r2, %r3, %r4;", "vset.u32.u32.eq %r1, %r2, %r3;"),
        (D::VshlClampWraps, "vshl.u32.u32.u32.clamp %r1, %r2, %r3;", "vshl.u32.u32.u32.wrap %r1, %r2, %r3;"),
        (D::VshlWrapClamps, "vshr.u32.u32.u32.wrap %r1, %r2, %r3;", "vshr.u32.u32.u32.clamp %r1, %r2, %r3;"),
        (D::VmadPoIgnored, "vmad.u32.u32.u32.po %r1, %r2, %r3, %r4;", "vmad.u32.u32.u32 %r1, %r2, %r3, %r4;"),
        (
            D::VmadScaleIgnored,
            "vmad.u32.u32.u32.shr7 %r1, %r2, %r3, %r4;",
            "vmad.u32.u32.u32 %r1, %r2, %r3, %r4;",
        ),
        (D::VsetUnsigned, "vset.s32.s32.lt %r1, %r2, %r3;", "vset.u32.u32.lt %r1, %r2, %r3;"),
        (D::VideoSatIgnored, "vadd.s32.s32.s32.sat %r1, %r2, %r3;", "vadd.s32.s32.s32 %r1, %r2, %r3;"),
        (D::CvtSatIgnored, "cvt.sat.s8.s32 %r1, %r2;", "cvt.s8.s32 %r1, %r2;"),
        (D::CvtFtzIgnored, "cvt.rzi.ftz.s32.f32 %r1, %f2;", "cvt.rzi.s32.f32 %r1, %f2;"),
        (D::PtxasHalfUnflushed, "cvt.rm.ftz.f16.f32 %r1, %f2;", "cvt.rm.f16.f32 %r1, %f2;"),
        (D::PtxasHalfUnflushed, "cvt.rp.ftz.sat.f16.f32 %r1, %f2;", "cvt.rp.sat.f16.f32 %r1, %f2;"),
        (D::PtxasTestpUnguarded, "@%p1 testp.finite.f32 %p2, %f2;", "testp.finite.f32 %p2, %f2;"),
        (D::CvtRniTruncates, "cvt.rni.s32.f32 %r1, %f2;", "cvt.rzi.s32.f32 %r1, %f2;"),
        (D::CvtRmiTruncates, "cvt.rmi.s32.f32 %r1, %f2;", "cvt.rzi.s32.f32 %r1, %f2;"),
        (D::CvtRpiTruncates, "cvt.rpi.s32.f32 %r1, %f2;", "cvt.rzi.s32.f32 %r1, %f2;"),
        (D::CvtRziNearest, "cvt.rzi.s32.f32 %r1, %f2;", "cvt.rni.s32.f32 %r1, %f2;"),
        (D::MinMaxNanIgnored, "min.NaN.f32 %f1, %f2, %f3;", "min.f32 %f1, %f2, %f3;"),
        (D::CvtWideningZeros, "cvt.s64.s32 %l1, %r2;", "cvt.s64.u32 %l1, %r2;"),
        (D::CvtResultUnextended, "cvt.s8.s32 %r1, %r2;", "cvt.u8.s32 %r1, %r2;"),
        (D::MinMaxUnsigned, "min.s32 %r1, %r2, %r3;", "min.u32 %r1, %r2, %r3;"),
        (D::DivUnsigned, "div.s32 %r1, %r2, %r3;", "div.u32 %r1, %r2, %r3;"),
        (D::RemUnsigned, "rem.s64 %l1, %l2, %l3;", "rem.u64 %l1, %l2, %l3;"),
        (D::SadUnsigned, "sad.s32 %r1, %r2, %r3, %r4;", "sad.u32 %r1, %r2, %r3, %r4;"),
        (D::ShrUnsigned, "shr.s32 %r1, %r2, %r3;", "shr.u32 %r1, %r2, %r3;"),
        (D::MulWideUnsigned, "mul.wide.s32 %l1, %r2, %r3;", "mul.wide.u32 %l1, %r2, %r3;"),
        (D::Mul24Unsigned, "mul24.lo.s32 %r1, %r2, %r3;", "mul24.lo.u32 %r1, %r2, %r3;"),
        (D::DotProductUnsigned, "dp4a.s32.u32 %r1, %r2, %r3, %r4;", "dp4a.u32.u32 %r1, %r2, %r3, %r4;"),
        (D::BfindUnsigned, "bfind.s32 %r1, %r2;", "bfind.u32 %r1, %r2;"),
        (D::CompareUnsigned, "setp.lt.s32 %p1, %r2, %r3;", "setp.lt.u32 %p1, %r2, %r3;"),
        (D::ReduxUnsigned, "redux.sync.min.s32 %r1, %r2, %r3;", "redux.sync.min.u32 %r1, %r2, %r3;"),
        (D::AtomMinMaxSigned, "atom.global.min.u32 %r1, [v], %r2;", "atom.global.min.s32 %r1, [v], %r2;"),
        (D::SlctControlInteger, "slct.s32.f32 %r1, %r2, %r3, %r4;", "slct.s32.s32 %r1, %r2, %r3, %r4;"),
        (D::Mul24HighAsLow, "mul24.hi.s32 %r1, %r2, %r3;", "mul24.lo.s32 %r1, %r2, %r3;"),
        (D::BfindShiftIgnored, "bfind.shiftamt.u32 %r1, %r2;", "bfind.u32 %r1, %r2;"),
        (D::ShfWrapClamps, "shf.l.wrap.b32 %r1, %r2, %r3, %r4;", "shf.l.clamp.b32 %r1, %r2, %r3, %r4;"),
        (D::ShfClampWraps, "shf.r.clamp.b32 %r1, %r2, %r3, %r4;", "shf.r.wrap.b32 %r1, %r2, %r3, %r4;"),
        (D::PrmtModesIgnored, "prmt.b32.rc8 %r1, %r2, %r3, %r4;", "prmt.b32 %r1, %r2, %r3, %r4;"),
        (D::SetUnorderedAsOrdered, "setp.ltu.f32 %p1, %f2, %f3;", "setp.lt.f32 %p1, %f2, %f3;"),
        (D::SetOrderedAsUnordered, "set.ge.u32.f32 %r1, %f2, %f3;", "set.geu.u32.f32 %r1, %f2, %f3;"),
        (D::SetNumNanSwapped, "setp.num.f32 %p1, %f2, %f3;", "setp.nan.f32 %p1, %f2, %f3;"),
        (D::SetFtzIgnored, "setp.lt.ftz.f32 %p1, %f2, %f3;", "setp.lt.f32 %p1, %f2, %f3;"),
        (D::SetpCombinesOr, "setp.lt.and.s32 %p1, %r2, %r3, %p2;", "setp.lt.or.s32 %p1, %r2, %r3, %p2;"),
        (D::CopysignSwapped, "copysign.f32 %f1, %f2, %f3;", "copysign.f32 %f1, %f3, %f2;"),
        (D::CnotIsNot, "cnot.b32 %r1, %r2;", "not.b32 %r1, %r2;"),
        (D::AddcCarryIgnored, "addc.u32 %r1, %r2, %r3;", "add.u32 %r1, %r2, %r3;"),
        (D::SubcBorrowIgnored, "subc.u32 %r1, %r2, %r3;", "sub.u32 %r1, %r2, %r3;"),
        (D::VoteAllAsAny, "vote.sync.all.pred %p1, %p2, %r1;", "vote.sync.any.pred %p1, %p2, %r1;"),
        (D::VoteNegationIgnored, "vote.sync.any.pred %p1, !%p2, %r1;", "vote.sync.any.pred %p1, %p2, %r1;"),
        (
            D::ShflModesSwapped,
            "shfl.sync.up.b32 %r1, %r2, %r3, %r4, %r5;",
            "shfl.sync.down.b32 %r1, %r2, %r3, %r4, %r5;",
        ),
        (D::SuqAlwaysWidth, "suq.height.b32 %r1, [image];", "suq.width.b32 %r1, [image];"),
        (D::TxqAlwaysWidth, "txq.depth.b32 %r1, [picture];", "txq.width.b32 %r1, [picture];"),
        (D::SuqArrayAsDepth, "suq.array_size.b32 %r1, [image];", "suq.depth.b32 %r1, [image];"),
        (D::TxqArrayAsDepth, "txq.array_size.b32 %r1, [picture];", "txq.depth.b32 %r1, [picture];"),
        (
            D::SuredMinMaxSwapped,
            "sured.b.min.1d.s32.zero [image, {%r1}], %r2;",
            "sured.b.max.1d.s32.zero [image, {%r1}], %r2;",
        ),
        (
            D::SuredBitsSwapped,
            "sured.p.or.1d.b32.zero [image, {%r1}], %r2;",
            "sured.p.and.1d.b32.zero [image, {%r1}], %r2;",
        ),
        (
            D::SuredUnsigned,
            "sured.b.min.1d.s32.zero [image, {%r1}], %r2;",
            "sured.b.min.1d.u32.zero [image, {%r1}], %r2;",
        ),
        (
            D::Tld4AlwaysRed,
            "tld4.g.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [picture, {%f1, %f2}];",
            "tld4.r.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [picture, {%f1, %f2}];",
        ),
        (D::IstypepSurfaceAsTexture, "istypep.surfref %p1, %l1;", "istypep.texref %p1, %l1;"),
        (
            D::SuldPredicateIgnored,
            "@!%p1 suld.b.1d.b32.trap %r1, [image, {%r2}];",
            "suld.b.1d.b32.trap %r1, [image, {%r2}];",
        ),
        (
            D::SustPredicateIgnored,
            "@%p1 sust.b.1d.b32.zero [image, {%r1}], %r2;",
            "sust.b.1d.b32.zero [image, {%r1}], %r2;",
        ),
        (D::AtomPredicateIgnored, "@!%p1 red.global.add.u32 [v], %r1;", "red.global.add.u32 [v], %r1;"),
        (D::BraNegationIgnored, "@!%p1 bra L;", "@%p1 bra L;"),
        (D::NameOffsetLost, "ld.global.u32 %r1, [v+4];", "ld.global.u32 %r1, [v];"),
        (D::MovNameOffsetLost, "mov.u64 %l1, v+4;", "mov.u64 %l1, v;"),
        (D::LdVectorReversed, "ld.global.v2.u32 {%r1, %r2}, [v];", "ld.global.v2.u32 {%r2, %r1}, [v];"),
        (D::StVectorReversed, "st.global.v2.u32 [v], {%r1, %r2};", "st.global.v2.u32 [v], {%r2, %r1};"),
        (D::MovVectorReversed, "mov.b64 %l1, {%r1, %r2};", "mov.b64 %l1, {%r2, %r1};"),
        (
            D::SurfaceLayerLast,
            "suld.b.a2d.b32.zero %r1, [image, {%r2, %r3, %r4, %r5}];",
            "suld.b.a2d.b32.zero %r1, [image, {%r3, %r4, %r2, %r5}];",
        ),
        (
            D::SurfaceLayerIsX,
            "suld.b.a1d.b32.zero %r1, [image, {%r2, %r3}];",
            "suld.b.a1d.b32.zero %r1, [image, {%r3, %r3}];",
        ),
        (
            D::TexLayerLast,
            "tex.a1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [picture, {%r5, %r6}];",
            "tex.a1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [picture, {%r6, %r5}];",
        ),
        (D::MovLiteralInverted, "mov.pred %p1, 1;", "mov.pred %p1, 0;"),
        (D::SelpNegationIgnored, "selp.b32 %r1, %r2, %r3, !%p2;", "selp.b32 %r1, %r2, %r3, %p2;"),
        (D::SelpSwapped, "selp.b32 %r1, %r2, %r3, %p2;", "selp.b32 %r1, %r3, %r2, %p2;"),
        (D::SetpZeroSigned, "setp.ge.u32 %p1, %r2, 0;", "setp.ge.s32 %p1, %r2, 0;"),
        (D::SetpXorAsOr, "setp.lt.xor.s32 %p1, %r2, %r3, %p2;", "setp.lt.or.s32 %p1, %r2, %r3, %p2;"),
        (D::Lop3Reversed, "lop3.b32 %r1, %r2, %r3, %r4, 7;", "lop3.b32 %r1, %r4, %r3, %r2, 7;"),
        (D::ShfSwapped, "shf.l.wrap.b32 %r1, %r2, %r3, %r4;", "shf.l.wrap.b32 %r1, %r3, %r2, %r4;"),
        (D::PrmtSwapped, "prmt.b32 %r1, %r2, %r3, %r4;", "prmt.b32 %r1, %r3, %r2, %r4;"),
        (D::CarryStale, "addc.cc.u32 %r1, %r2, %r3;", "addc.u32 %r1, %r2, %r3;"),
        (D::CvtDirectionsSwapped, "cvt.rmi.s32.f32 %r1, %f2;", "cvt.rpi.s32.f32 %r1, %f2;"),
        (D::ExitPredicateIgnored, "@%p1 exit;", "exit;"),
        (D::LaneidIsTid, "mov.u32 %r1, %laneid;", "mov.u32 %r1, %tid.x;"),
        (D::LanemaskLeIsLt, "mov.u32 %r1, %lanemask_le;", "mov.u32 %r1, %lanemask_lt;"),
        (D::BarrierArriveWaits, "bar.arrive 1, 64;", "bar.sync 1, 64;"),
        (D::BarrierIdIgnored, "bar.sync 1, 64;", "bar.sync 0, 64;"),
        (D::BarrierIdIgnored, "bar.red.popc.u32 %r1, 1, %p1;", "bar.red.popc.u32 %r1, 0, %p1;"),
        (D::BarrierCountIgnored, "bar.sync 1, 64;", "bar.sync 1;"),
        (D::BarrierRedCountsWarp, "bar.red.popc.u32 %r1, 1, %p1;", "bar.red.popc.u32 %r1, 1, 32, %p1;"),
        (D::BarrierRedCountsAll, "bar.red.popc.u32 %r1, 1, %p1;", "bar.red.popc.u32 %r1, 1, 1;"),
        (D::BarrierRedCountsAll, "bar.red.popc.u32 %r1, 1, 64, %p1;", "bar.red.popc.u32 %r1, 1, 64, 1;"),
        (D::BarrierRedSwapped, "bar.red.and.pred %p1, 1, %p2;", "bar.red.or.pred %p1, 1, %p2;"),
        (D::BarrierRedNegationIgnored, "bar.red.or.pred %p1, 1, !%p2;", "bar.red.or.pred %p1, 1, %p2;"),
        (D::ReduxSigned, "redux.sync.min.u32 %r1, %r2, %r3;", "redux.sync.min.s32 %r1, %r2, %r3;"),
        (D::CvtaWindowsSwapped, "cvta.shared.u64 %l1, %l2;", "cvta.local.u64 %l1, %l2;"),
        (D::MovAbsolute, "mov.u64 %l1, s+4;", "cvta.shared.u64 %l1, s+4;"),
        (D::IsspacepGlobal, "isspacep.local %p1, %l2;", "isspacep.global %p1, %l2;"),
        (D::AtomGenericAsGlobal, "atom.add.u32 %r1, [%l1], %r2;", "atom.global.add.u32 %r1, [%l1], %r2;"),
        (D::StNarrowWord, "st.global.u8 [v], %r1;", "st.global.b32 [v], %r1;"),
        (D::LdUnsignedExtended, "ld.global.u8 %r1, [v];", "ld.global.s8 %r1, [v];"),
        (D::OffsetScaled, "ld.global.u32 %r1, [%l1+4];", "ld.global.u32 %r1, [%l1+16];"),
        (D::OffsetUnsigned, "ld.global.u32 %r1, [%l1+-4];", "ld.global.u32 %r1, [%l1+0xfffffffc];"),
        (D::MemoryNegationIgnored, "@!%p1 st.global.u32 [v], %r1;", "@%p1 st.global.u32 [v], %r1;"),
        (
            D::AtomCasSwapped,
            "atom.global.cas.b32 %r1, [v], %r2, %r3;",
            "atom.global.cas.b32 %r1, [v], %r3, %r2;",
        ),
    ]
};

#[test]
fn each_row_reads_an_instruction_as_another() {
    for (deviation, line, other) in TOLD {
        let (written, read) = (module(line), module(other));
        let misread = of(&written, &Semantics::default().with(*deviation));
        let misread = misread.unwrap_or_else(|| panic!("{deviation} is no misreading"));
        let (found, expected) = (of_line(&misread), of_line(&read));
        // What is no modifier any more stands for the default, which is written out in some instructions.
        let rounding = |modifiers: &[Modifier]| {
            let is_default = |modifier: &&Modifier| modifier.text() != "rn";
            modifiers.iter().filter(is_default).copied().collect::<Vec<_>>()
        };
        assert_eq!(rounding(&found.modifiers), rounding(&expected.modifiers), "{line}");
        assert_eq!((found.opcode, &found.types), (expected.opcode, &expected.types), "{line}");
        assert_eq!(found.spaces, expected.spaces, "{line}");
        assert_eq!((&found.guard, &found.operands), (&expected.guard, &expected.operands), "{line}");
        assert_ne!(of_line(&written), found, "{line}");
        assert!(of(&written, &Semantics::default()).is_none());
    }
}

/// Deviations, and a line that they read as an instruction that cannot be written so: its opcode.
const UNWRITTEN: &[(Deviation, &str, Opcode)] = {
    use Deviation as D;
    &[
        // A `mov` or `cvt` has no space.
        (D::CvtaIgnored, "cvta.shared.u64 %l1, %l2;", Opcode::Mov),
        (D::CvtaConstIgnored, "cvta.const.u64 %l1, %l2;", Opcode::Mov),
        (D::GenericCut, "cvta.to.global.u64 %l1, %l2;", Opcode::Cvt),
        // What does nothing keeps its operands.
        (D::SlctSignedMissing, "slct.s32.s32 %r1, %r2, %r3, %r4;", Opcode::Nanosleep),
        (D::TrapContinues, "@%p1 trap;", Opcode::Nanosleep),
        (D::BarrierIgnored, "bar.sync 0;", Opcode::Nanosleep),
        (D::BarrierArriveIgnored, "bar.arrive 0, 32;", Opcode::Nanosleep),
        (D::RedIgnored, "red.global.add.u32 [v], %r1;", Opcode::Nanosleep),
    ]
};

#[test]
fn some_are_read_as_what_cannot_be_written() {
    for (deviation, line, opcode) in UNWRITTEN {
        let misread = of(&module(line), &Semantics::default().with(*deviation)).unwrap();
        assert_eq!(of_line(&misread).opcode, *opcode, "{line}");
    }
}

#[test]
fn a_branch_over_one_instruction_is_not_taken_and_others_are() {
    let branch = |text: &str| {
        let misread = of(&module(text), &Semantics::default().with(Deviation::BraOverOneIgnored)).unwrap();
        let body = &misread.functions[0].body;
        body.iter().find(|it| it.guard.is_some()).map(|it| it.opcode)
    };
    assert_eq!(branch("@%p1 bra L;\nadd.u32 %r1, %r2, %r3;"), Some(Opcode::Nanosleep));
    assert_eq!(branch("@%p1 bra L;"), Some(Opcode::Bra));
    assert_eq!(branch("@%p1 bra L;\nadd.u32 %r1, %r2, %r3;\nadd.u32 %r1, %r2, %r3;"), Some(Opcode::Bra));
}

#[test]
fn a_call_loses_its_guard() {
    let text = ".version 8.5\n.target sm_90\n.address_size 64\n.func f() { ret; }\n\
         .visible .entry main() { .reg .pred %p; setp.eq.u32 %p, 1, 1; @%p call f; ret; }";
    let written = compile(text, &Rules::default()).unwrap();
    let misread = of(&written, &Semantics::default().with(Deviation::CallPredicateIgnored)).unwrap();
    let call = misread.functions[1].body.iter().find(|it| it.opcode == Opcode::Call).unwrap();
    assert_eq!(call.guard, None);
}

#[test]
fn every_row_is_told() {
    for row in by_rows() {
        let is_told = |(deviation, ..): &&(Deviation, &str, &str)| *deviation == row;
        let is_unwritten = |(deviation, ..): &&(Deviation, &str, Opcode)| *deviation == row;
        let has_a_test = [Deviation::BraOverOneIgnored, Deviation::CallPredicateIgnored];
        assert!(
            has_a_test.contains(&row)
                || TOLD.iter().any(|told| is_told(&told))
                || UNWRITTEN.iter().any(|unwritten| is_unwritten(&unwritten)),
            "{}",
            row
        );
    }
}

#[test]
fn a_deviation_that_is_no_misreading_leaves_the_module() {
    let written = module("add.rz.f32 %f1, %f2, %f3;");
    assert!(of(&written, &Semantics::default().with(Deviation::SuldClampAsZero)).is_none());
    let unsigned = of(&written, &Semantics::default().with(Deviation::DivUnsigned));
    assert_eq!(unsigned.as_ref(), Some(&written), "it has no division");
}

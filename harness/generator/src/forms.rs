//! Instructions from registers to registers: one row per instruction and operand shape.
//!
//! Only what the specification decides to the last bit stands here: no approximations, no instruction that depends on other
//! threads. Every opcode is legal in PTX 8.0 for sm_75.

use crate::specimen::Class::{self, B16, B32, B64, Pred};
use crate::values::Value::{
    self, Amount, Bit, Divisor32, Divisor64, F16, F16x2, F32, F64, Field, I16, I32, I64, Truth,
};

/// Instructions of one shape.
#[derive(Debug)]
pub struct Form {
    /// Its frequency, relative to other rows.
    pub weight: u32,
    /// Opcodes with all modifiers: any of them.
    pub opcodes: &'static [&'static str],
    /// Class of the result.
    pub result: Class,
    /// The meaning of each source.
    pub sources: &'static [Value],
}

const fn form(
    weight: u32,
    opcodes: &'static [&'static str],
    result: Class,
    sources: &'static [Value],
) -> Form {
    Form { weight, opcodes, result, sources }
}

/// The table.
#[rustfmt::skip]
pub const FORMS: &[Form] = &[
    // Integer addition, subtraction, multiplication (9.7.1).
    form(4, &["add.s32", "add.u32", "add.sat.s32", "sub.s32", "sub.u32", "sub.sat.s32"], B32, &[I32, I32]),
    form(2, &["add.s64", "add.u64", "sub.s64", "sub.u64"], B64, &[I64, I64]),
    form(2, &["add.s16", "add.u16", "sub.s16", "sub.u16"], B16, &[I16, I16]),
    form(2, &["mul.lo.s32", "mul.lo.u32", "mul24.lo.s32", "mul24.lo.u32", "mul24.hi.s32", "mul24.hi.u32"], B32, &[I32, I32]),
    form(3, &["mul.hi.s32", "mul.hi.u32"], B32, &[I32, I32]),
    form(2, &["mul.hi.s64", "mul.hi.u64", "mul.lo.s64", "mul.lo.u64"], B64, &[I64, I64]),
    form(2, &["mul.lo.s16", "mul.lo.u16", "mul.hi.s16", "mul.hi.u16"], B16, &[I16, I16]),
    form(2, &["mul.wide.s32", "mul.wide.u32"], B64, &[I32, I32]),
    form(1, &["mul.wide.s16", "mul.wide.u16"], B32, &[I16, I16]),
    form(3, &["mad.lo.s32", "mad.lo.u32", "mad.hi.s32", "mad.hi.u32", "mad.hi.sat.s32", "mad24.lo.s32", "mad24.lo.u32", "mad24.hi.s32", "mad24.hi.sat.s32"], B32, &[I32, I32, I32]),
    form(1, &["mad.lo.s64", "mad.lo.u64", "mad.hi.s64", "mad.hi.u64"], B64, &[I64, I64, I64]),
    form(1, &["mad.lo.s16", "mad.hi.s16", "mad.hi.u16"], B16, &[I16, I16, I16]),
    form(1, &["mad.wide.s32", "mad.wide.u32"], B64, &[I32, I32, I64]),
    form(1, &["mad.wide.s16", "mad.wide.u16"], B32, &[I16, I16, I32]),
    form(1, &["sad.s32", "sad.u32"], B32, &[I32, I32, I32]),
    form(1, &["sad.s64", "sad.u64"], B64, &[I64, I64, I64]),
    form(2, &["div.s32", "div.u32", "rem.s32", "rem.u32"], B32, &[I32, Divisor32]),
    form(1, &["div.s64", "div.u64", "rem.s64", "rem.u64"], B64, &[I64, Divisor64]),
    form(1, &["min.s32", "min.u32", "max.s32", "max.u32"], B32, &[I32, I32]),
    form(1, &["min.s64", "min.u64", "max.s64", "max.u64"], B64, &[I64, I64]),
    form(1, &["min.s16", "min.u16", "max.s16", "max.u16"], B16, &[I16, I16]),
    form(1, &["abs.s32", "neg.s32"], B32, &[I32]),
    form(1, &["abs.s64", "neg.s64"], B64, &[I64]),
    form(1, &["abs.s16", "neg.s16"], B16, &[I16]),
    form(1, &["dp4a.s32.s32", "dp4a.u32.u32", "dp4a.s32.u32", "dp4a.u32.s32", "dp2a.lo.s32.s32", "dp2a.hi.u32.u32"], B32, &[I32, I32, I32]),
    // Bits.
    form(1, &["popc.b32", "clz.b32", "bfind.u32", "bfind.s32", "bfind.shiftamt.u32", "bfind.shiftamt.s32", "brev.b32"], B32, &[I32]),
    form(1, &["popc.b64", "clz.b64", "bfind.u64", "bfind.s64", "bfind.shiftamt.s64"], B32, &[I64]),
    form(1, &["brev.b64"], B64, &[I64]),
    form(3, &["bfe.u32", "bfe.s32"], B32, &[I32, Field, Field]),
    form(2, &["bfe.u64", "bfe.s64"], B64, &[I64, Field, Field]),
    form(1, &["bfi.b32"], B32, &[I32, I32, Field, Field]),
    form(1, &["bfi.b64"], B64, &[I64, I64, Field, Field]),
    form(1, &["bmsk.clamp.b32", "bmsk.wrap.b32"], B32, &[Bit, Amount]),
    form(1, &["szext.clamp.s32", "szext.wrap.s32", "szext.clamp.u32", "szext.wrap.u32"], B32, &[I32, Amount]),
    form(1, &["fns.b32"], B32, &[I32, Bit, I32]),
    form(1, &["prmt.b32", "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8", "prmt.b32.ecl", "prmt.b32.ecr", "prmt.b32.rc16"], B32, &[I32, I32, I32]),
    // Logic and shifts (9.7.8).
    form(1, &["and.b32", "or.b32", "xor.b32"], B32, &[I32, I32]),
    form(1, &["and.b64", "or.b64", "xor.b64"], B64, &[I64, I64]),
    form(1, &["and.b16", "or.b16", "xor.b16"], B16, &[I16, I16]),
    form(1, &["not.b32", "cnot.b32"], B32, &[I32]),
    form(1, &["not.b64", "cnot.b64"], B64, &[I64]),
    form(3, &["shl.b32", "shr.b32", "shr.u32", "shr.s32"], B32, &[I32, Amount]),
    form(2, &["shl.b64", "shr.b64", "shr.u64", "shr.s64"], B64, &[I64, Amount]),
    form(2, &["shl.b16", "shr.b16", "shr.u16", "shr.s16"], B16, &[I16, Amount]),
    form(1, &["shf.l.clamp.b32", "shf.l.wrap.b32", "shf.r.clamp.b32", "shf.r.wrap.b32"], B32, &[I32, I32, Amount]),
    // Comparison and selection (9.7.5).
    form(1, &["setp.eq.s32", "setp.ne.u32", "setp.lt.s32", "setp.le.s32", "setp.gt.s32", "setp.ge.s32", "setp.lo.u32", "setp.ls.u32", "setp.hi.u32", "setp.hs.u32"], Pred, &[I32, I32]),
    form(1, &["setp.eq.b64", "setp.lt.s64", "setp.ge.u64"], Pred, &[I64, I64]),
    form(1, &["setp.eq.b16", "setp.lt.s16", "setp.ge.u16"], Pred, &[I16, I16]),
    form(1, &["setp.eq.f32", "setp.ne.f32", "setp.lt.f32", "setp.ge.ftz.f32", "setp.equ.f32", "setp.neu.f32", "setp.ltu.f32", "setp.gtu.ftz.f32", "setp.num.f32", "setp.nan.f32"], Pred, &[F32, F32]),
    form(1, &["setp.eq.f64", "setp.lt.f64", "setp.geu.f64", "setp.nan.f64"], Pred, &[F64, F64]),
    form(1, &["set.lt.u32.s32", "set.hi.s32.u32"], B32, &[I32, I32]),
    form(1, &["set.gt.u32.f32", "set.ltu.f32.f32"], B32, &[F32, F32]),
    form(1, &["selp.b32", "selp.s32"], B32, &[I32, I32, Truth]),
    form(1, &["selp.f32"], B32, &[F32, F32, Truth]),
    form(1, &["selp.b64"], B64, &[I64, I64, Truth]),
    form(1, &["slct.b32.s32"], B32, &[I32, I32, I32]),
    form(1, &["slct.b32.f32", "slct.s32.f32"], B32, &[I32, I32, F32]),
    form(1, &["slct.f32.f32", "slct.ftz.f32.f32"], B32, &[F32, F32, F32]),
    form(1, &["and.pred", "or.pred", "xor.pred"], Pred, &[Truth, Truth]),
    form(1, &["not.pred"], Pred, &[Truth]),
    // Conversion (9.7.9).
    form(1, &["cvt.s32.s16", "cvt.u32.u16", "cvt.s32.s8", "cvt.u32.u8"], B32, &[I16]),
    form(1, &["cvt.s64.s32", "cvt.u64.u32", "cvt.s64.s8", "cvt.u64.u16"], B64, &[I32]),
    form(1, &["cvt.u32.u64", "cvt.s32.s64", "cvt.sat.s32.s64", "cvt.sat.u32.u64", "cvt.sat.u32.s64"], B32, &[I64]),
    form(1, &["cvt.u16.u32", "cvt.s16.s32", "cvt.sat.s16.s32", "cvt.sat.u16.u32", "cvt.sat.u8.s32", "cvt.sat.s8.s32"], B16, &[I32]),
    form(2, &["cvt.rni.s32.f32", "cvt.rni.u32.f32", "cvt.rzi.s32.f32", "cvt.rzi.u32.f32", "cvt.rmi.s32.f32", "cvt.rpi.s32.f32", "cvt.rni.ftz.s32.f32"], B32, &[F32]),
    form(1, &["cvt.rni.s64.f32", "cvt.rzi.u64.f32", "cvt.rmi.s64.f32"], B64, &[F32]),
    form(1, &["cvt.rni.s32.f64", "cvt.rzi.s32.f64", "cvt.rpi.u32.f64"], B32, &[F64]),
    form(1, &["cvt.rni.s64.f64", "cvt.rzi.u64.f64", "cvt.rni.u64.f64"], B64, &[F64]),
    form(1, &["cvt.rni.s32.f16", "cvt.rzi.u32.f16"], B32, &[F16]),
    form(1, &["cvt.rni.f32.f32", "cvt.rzi.f32.f32", "cvt.rmi.f32.f32", "cvt.rpi.f32.f32", "cvt.sat.f32.f32", "cvt.rni.sat.f32.f32"], B32, &[F32]),
    form(1, &["cvt.rni.f64.f64", "cvt.rzi.f64.f64"], B64, &[F64]),
    form(1, &["cvt.rn.f32.s32", "cvt.rz.f32.s32", "cvt.rm.f32.u32", "cvt.rp.f32.u32"], B32, &[I32]),
    form(1, &["cvt.rn.f32.s64", "cvt.rz.f32.u64", "cvt.rp.f32.s64"], B32, &[I64]),
    form(1, &["cvt.rn.f64.s64", "cvt.rm.f64.u64"], B64, &[I64]),
    form(1, &["cvt.rn.f64.s32", "cvt.rn.f64.u32"], B64, &[I32]),
    form(1, &["cvt.rn.f32.f64", "cvt.rz.f32.f64", "cvt.rm.f32.f64", "cvt.rp.ftz.f32.f64"], B32, &[F64]),
    form(1, &["cvt.f64.f32", "cvt.ftz.f64.f32"], B64, &[F32]),
    form(1, &["cvt.rn.f16.f32", "cvt.rz.f16.f32"], B16, &[F32]),
    form(1, &["cvt.f32.f16"], B32, &[F16]),
    form(1, &["cvt.rn.f16.s32", "cvt.rn.f16.u32"], B16, &[I32]),
    // Floating point (9.7.3), half precision (9.7.4).
    form(3, &["add.f32", "add.rz.f32", "add.rm.f32", "add.rp.f32", "add.ftz.f32", "add.sat.f32", "sub.f32", "sub.rm.ftz.f32", "mul.f32", "mul.rz.f32", "mul.rm.f32", "mul.rp.f32", "mul.ftz.sat.f32"], B32, &[F32, F32]),
    form(2, &["add.f64", "add.rz.f64", "add.rm.f64", "sub.f64", "sub.rp.f64", "mul.f64", "mul.rz.f64", "mul.rp.f64"], B64, &[F64, F64]),
    form(4, &["fma.rn.f32", "fma.rz.f32", "fma.rm.f32", "fma.rp.f32", "fma.rn.ftz.f32", "fma.rn.sat.f32", "mad.rn.f32"], B32, &[F32, F32, F32]),
    form(2, &["fma.rn.f64", "fma.rz.f64", "fma.rm.f64", "fma.rp.f64"], B64, &[F64, F64, F64]),
    form(1, &["div.rn.f32", "div.rz.f32", "div.rm.f32", "div.rp.ftz.f32"], B32, &[F32, F32]),
    form(1, &["div.rn.f64", "div.rp.f64"], B64, &[F64, F64]),
    form(1, &["rcp.rn.f32", "rcp.rm.f32", "sqrt.rn.f32", "sqrt.rz.f32", "sqrt.rp.ftz.f32", "abs.f32", "neg.f32", "abs.ftz.f32"], B32, &[F32]),
    form(1, &["rcp.rn.f64", "sqrt.rn.f64", "sqrt.rm.f64", "abs.f64", "neg.f64"], B64, &[F64]),
    form(1, &["min.f32", "max.f32", "min.ftz.f32", "max.ftz.f32", "copysign.f32"], B32, &[F32, F32]),
    form(1, &["min.f64", "max.f64", "copysign.f64"], B64, &[F64, F64]),
    form(1, &["testp.finite.f32", "testp.infinite.f32", "testp.number.f32", "testp.notanumber.f32", "testp.normal.f32", "testp.subnormal.f32"], Pred, &[F32]),
    form(1, &["add.f16", "sub.f16", "mul.f16", "add.sat.f16", "mul.ftz.f16", "add.rn.f16"], B16, &[F16, F16]),
    form(1, &["fma.rn.f16", "fma.rn.sat.f16", "fma.rn.ftz.f16"], B16, &[F16, F16, F16]),
    form(1, &["add.f16x2", "mul.f16x2", "sub.ftz.f16x2"], B32, &[F16x2, F16x2]),
    form(1, &["fma.rn.f16x2"], B32, &[F16x2, F16x2, F16x2]),
];

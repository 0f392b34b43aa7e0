//! Exact arithmetic on scalars: what a PTX instruction computes, as pure functions on bits.
//!
//! A value of type `.f32` is a `u32`, `.f64` a `u64`, `.f16` and `.bf16` a `u16`; nothing here knows of lanes, registers
//! or definedness (that is [`crate::definedness`]). The engine calls these in its loops over lanes, so everything is
//! `#[inline]` and free of allocation; the `_rn` functions of [`single`] and [`double`] are free of branches too, so that
//! such a loop vectorises.

pub(crate) mod approximate;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod double;
pub(crate) mod extremum;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod nan;
pub(crate) mod rounding;
pub(crate) mod single;

pub(crate) use rounding::{Mode, Rounding};

/* The signatures, until rustdoc shows them:

rounding   enum Rounding { Rn, Rz, Rm, Rp }              struct Mode { rounding: Rounding, ftz: bool, sat: bool }  Mode::PLAIN, .is_plain()

single     (bits: u32)
  add_rn sub_rn mul_rn (a, b) -> u32    fma_rn(a, b, c) -> u32      fma_unfused_rn(a,b,c)    vectorise
  add sub mul div (a, b, Mode) -> u32   fma fma_unfused (a, b, c, Mode) -> u32   rcp sqrt (a, Mode) -> u32
  neg abs (a, ftz: bool) -> u32         copysign(a, b) -> u32 (sign of a, magnitude of b)
  flush(a) -> u32 (subnormal → ±0)      saturate(a) -> u32 ([0,1], NaN → +0)     is_nan(a)

double     (bits: u64): the same with `Rounding` in place of `Mode`: add_rn … , add(a, b, Rounding), neg(a), abs(a) …

half       (bits: u16)  enum Kind { F16, Bf16 }
  add sub mul (a, b, Kind, HalfMode) -> u16   fma(a, b, c, Kind, HalfMode) -> u16   neg abs (a, Kind, ftz)   struct HalfMode { ftz, sat, relu }
  min max(a, b, Kind, Extremum) -> u16        pairwise(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32, pairwise1, pairwise3

extremum   struct Extremum { ftz, nan, xorsign_abs }     min32 max32 (a: u32, b: u32, Extremum) -> u32    min64 max64 (a: u64, b: u64) -> u64

compare    enum Comparison { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan }   (Lo Ls Hi Hs are Lt Le Gt Ge on unsigned)
  f32(Comparison, a: u32, b: u32, ftz) -> bool    f64(Comparison, a: u64, b: u64) -> bool    f16(Comparison, a, b, Kind, ftz)
  integer(Comparison, signed: bool, a: u64, b: u64, width: u32) -> bool
  enum Property { Finite, Infinite, Number, Notanumber, Normal, Subnormal }    testp32(Property, u32) -> bool   testp64(Property, u64) -> bool

convert    enum Format { F16, Bf16, F32, F64 }   enum IntegerRounding { Rni, Rzi, Rmi, Rpi, HalfAway (the deviation) }
  integer_to_integer(bits: u64, from: Integer, to: Integer, sat: bool) -> u64       struct Integer { signed: bool, width: u32 }   (result: low `width` bits; caller extends)
  integer_to_float(bits: u64, from: Integer, to: Format, Rounding, sat) -> u64
  float_to_integer(bits: u64, from: Format, to: Integer, IntegerRounding, ftz, NanRule) -> u64    enum NanRule { Current, Older }
  float_to_float(bits: u64, from: Format, to: Format, Rounding, ftz, sat) -> u64
  float_to_integral(bits: u64, format: Format, IntegerRounding, ftz, sat) -> u64      cvt.rni.f32.f32 …
  sign_extend(bits: u64, width: u32) -> u64
  fast, vectorising: s32_to_f32_rn(u32) u32_to_f32_rn(u32) f32_to_s32_rzi(u32) f32_to_f64(u32) f64_to_f32_rn(u64)

approximate (bits: u32 → u32, ftz: bool)   ex2 lg2 sin cos tanh rcp sqrt rsqrt (a, ftz)   div(a, b, ftz) div_full(a, b, ftz)
  rcp64_ftz(u64) rsqrt64(u64) rsqrt64_ftz(u64)      enum Operation {..}   fn error_bound(Operation) -> Bound    (Bound → warpdiff_model::ToleranceUnit)

integer    modules w16 (u16), w32 (u32), w64 (u64), each:
  mul_hi_unsigned mul_hi_signed (a, b)     sad_unsigned sad_signed (a, b, c)     div_unsigned div_signed rem_unsigned rem_signed (a, b)  (total: never panic; see `definedness::divide`)
  abs neg min_signed max_signed min_unsigned max_unsigned   popc clz (-> u32)  bfind_signed bfind_unsigned (a, shiftamt: bool) -> u32  brev cnot
  shl(a, amount: u32) shr_unsigned shr_signed (clamped at width)   shl_masked shr_unsigned_masked shr_signed_masked (deviation)
  bfe_unsigned bfe_signed (a, pos: u32, len: u32)   bfi(a, b, pos, len)  (insert a into b)
 and for 32 bits: mul24_lo_signed/unsigned mul24_hi_signed/unsigned (a, b)   add_sat sub_sat mad_hi_sat (s32)
  add_carry(a, b, carry: bool) -> (u32, bool)  sub_borrow(a, b, carry) -> (u32, bool)   (CC.CF; also w64)
  lop3(a, b, c, table: u8)  shf_left shf_right (low, high, amount, wrap: bool)  bmsk(pos, width, wrap: bool)  szext_signed szext_unsigned (a, width, wrap)
  prmt(a, b, selector, PrmtMode)  enum PrmtMode { Index, F4e, B4e, Rc8, Ecl, Ecr, Rc16 }   dp4a(a, b, c, signed_a, signed_b) dp2a(a, b, c, high: bool, signed_a, signed_b)  fns(mask, base, offset)

nan        which bits of a NaN result the manual fixes:   defined32(result: u32) -> u32 mask (all ones if no NaN)  defined16(result: u16, Kind) -> u16
  defined64(result: u64, inputs: &[u64]) -> u64     defined_sign_operation32(result) …(neg/abs)
*/

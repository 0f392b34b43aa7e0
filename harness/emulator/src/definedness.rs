//! Which bits of a result are defined, given which bits of the operands are: the rules of Memcheck, as pure functions.
//!
//! Every function here answers the mask of defined bits of a result (1 = defined). A mask is *sound* when any two
//! completions of the undefined operand bits give the same result in the bits it marks; it is *exact* when it marks all
//! such bits. Soundness is tested for every rule by enumerating all completions at small widths; "exact" is said where it
//! holds and tested the same way. The *values* of undefined bits never influence a mask.

/* The signatures, until rustdoc shows them. `Bits { value: u64, defined: u64 }`; `width` in bits, 1..=64; masks are within `width`.
 exact:  and or xor (a, b) not(a)  mov = a.defined   shl shr_unsigned shr_signed (a, amount: Bits(32 bit), width)   select(p: Bits(1 bit), a, b)
   prmt(a, b, selector, PrmtMode)  bfe_unsigned bfe_signed (a, pos, len, width)  bfi(a, b, pos, len, width)  lop3(a, b, c, table: u8)  shf_left shf_right (low, high, amount, wrap)
   brev(a, width)  sign_extend(defined, from, to)  truncate…
 add(a, b, width) sub(a, b, width) add_carry(a, b, carry: Bits, width) -> (mask, carry defined: bool)  neg(a, width)  abs(a, width)
 mul_lo(a, b, width)  mul_wide(a, b, signed, width) -> mask of 2*width  mul_hi(a, b, signed, width)  — compose mad = add(mul…)
 min max (a, b, signed, width)  compare(Comparison, signed, a, b, width) -> bool (defined)   divide(a, b, signed, width) remainder(..) (by zero: undefined)
 popc clz bfind (a, width)  convert_integer(a, from: Integer, to: Integer, sat)   all_or_nothing(&[Bits], input widths, result width)
 float_negate = all but sign pass through …
*/

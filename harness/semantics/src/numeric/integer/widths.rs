//! Arithmetic, shifts and bit fields that exist in several widths: `add`, `mul`, `mad`, `shl`, `bfe`, …. Signed operands are bit
//! patterns like all others.

macro_rules! width {
    ($(#[$doc:meta])* $name:ident: $u:ident, $s:ident, $wide_u:ident, $wide_s:ident, $bits:literal) => {
        $(#[$doc])*
        pub mod $name {
            /// Width in bits.
            pub const BITS: u32 = $bits;

            /// `mul.hi.u`: the upper half of the double-width product.
            #[inline(always)]
            pub fn mul_hi_unsigned(a: $u, b: $u) -> $u {
                ((a as $wide_u * b as $wide_u) >> BITS) as $u
            }

            /// `mul.hi.s`.
            #[inline(always)]
            pub fn mul_hi_signed(a: $u, b: $u) -> $u {
                ((a as $s as $wide_s * b as $s as $wide_s) >> BITS) as $u
            }

            /// `sad.u`: `c + |a − b|`.
            #[inline(always)]
            pub fn sad_unsigned(a: $u, b: $u, c: $u) -> $u {
                c.wrapping_add(a.abs_diff(b))
            }

            /// `sad.s`: `c + |a − b|`.
            #[inline(always)]
            pub fn sad_signed(a: $u, b: $u, c: $u) -> $u {
                c.wrapping_add((a as $s).abs_diff(b as $s))
            }

            /// `div.u`. "Division by zero yields an unspecified, machine-specific value": all ones here, undefined bits
            /// in `definedness`.
            #[inline(always)]
            pub fn div_unsigned(a: $u, b: $u) -> $u {
                a.checked_div(b).unwrap_or($u::MAX)
            }

            /// `div.s`, towards zero. By zero as for `div.u`; the least number by −1 wraps (and is undefined).
            #[inline(always)]
            pub fn div_signed(a: $u, b: $u) -> $u {
                if b == 0 { $u::MAX } else { (a as $s).wrapping_div(b as $s) as $u }
            }

            /// `div.s` towards −∞: what "depends on whether divide rounds towards zero or negative infinity" permits.
            #[inline(always)]
            pub fn div_signed_floored(a: $u, b: $u) -> $u {
                let remainder = rem_signed(a, b);
                let adjust = b != 0 && remainder != 0 && (remainder ^ b) >> (BITS - 1) != 0;
                div_signed(a, b).wrapping_sub($u::from(adjust))
            }

            /// `rem.u`. By zero "unspecified": `a` here.
            #[inline(always)]
            pub fn rem_unsigned(a: $u, b: $u) -> $u {
                a.checked_rem(b).unwrap_or(a)
            }

            /// `rem.s`, with the sign of the dividend. By zero "unspecified": `a` here.
            #[inline(always)]
            pub fn rem_signed(a: $u, b: $u) -> $u {
                if b == 0 { a } else { (a as $s).wrapping_rem(b as $s) as $u }
            }

            /// `rem.s` with the sign of the divisor: the other thing the manual permits for negative numbers.
            #[inline(always)]
            pub fn rem_signed_floored(a: $u, b: $u) -> $u {
                let remainder = rem_signed(a, b);
                let adjust = b != 0 && remainder != 0 && (remainder ^ b) >> (BITS - 1) != 0;
                if adjust { remainder.wrapping_add(b) } else { remainder }
            }

            /// `popc.b`: the number of one bits.
            #[inline(always)]
            pub fn popc(a: $u) -> u32 {
                a.count_ones()
            }

            /// `clz.b`: the number of leading zeros, the width for zero.
            #[inline(always)]
            pub fn clz(a: $u) -> u32 {
                a.leading_zeros()
            }

            /// `bfind.u`: the position of the highest one bit, or 0xffffffff. With `.shiftamt` the left shift that takes
            /// it to the top.
            #[inline(always)]
            pub fn bfind_unsigned(a: $u, shiftamt: bool) -> u32 {
                if a == 0 {
                    u32::MAX
                } else if shiftamt {
                    a.leading_zeros()
                } else {
                    BITS - 1 - a.leading_zeros()
                }
            }

            /// `bfind.s`: "the position of the most significant 0 for negative inputs and 1 for non-negative inputs".
            #[inline(always)]
            pub fn bfind_signed(a: $u, shiftamt: bool) -> u32 {
                let sign = ((a as $s) >> (BITS - 1)) as $u;
                bfind_unsigned(a ^ sign, shiftamt)
            }

            /// `shl.b`: "Shift amounts greater than the register width N are clamped to N."
            #[inline(always)]
            pub fn shl(a: $u, amount: u32) -> $u {
                if amount < BITS { a << (amount & (BITS - 1)) } else { 0 }
            }

            /// `shr.u` and `shr.b`: amounts clamped to the width, zeros shifted in.
            #[inline(always)]
            pub fn shr_unsigned(a: $u, amount: u32) -> $u {
                if amount < BITS { a >> (amount & (BITS - 1)) } else { 0 }
            }

            /// `shr.s`: amounts clamped to the width, the sign shifted in.
            #[inline(always)]
            pub fn shr_signed(a: $u, amount: u32) -> $u {
                ((a as $s) >> amount.min(BITS - 1)) as $u
            }

            /// `bfe.u`: the field of `length` bits at `position`, zero-extended. Position and length are taken modulo 256
            /// ("0..255"); bits beyond the register count as zero.
            #[inline(always)]
            pub fn bfe_unsigned(a: $u, position: u32, length: u32) -> $u {
                let (position, length) = (position & 0xff, length & 0xff);
                shr_unsigned(a, position) & !shl($u::MAX, length)
            }

            /// `bfe.s`: the same sign-extended. The sign is the field's highest bit inside the register:
            /// bit `min(position + length − 1, msb)`; an empty field gives zero.
            #[inline(always)]
            pub fn bfe_signed(a: $u, position: u32, length: u32) -> $u {
                let (position, length) = (position & 0xff, length & 0xff);
                if length == 0 {
                    return 0;
                }
                let sign = a >> (position + length - 1).min(BITS - 1) & 1;
                let mask = shl($u::MAX, length.min(BITS.saturating_sub(position)));
                let field = shr_unsigned(a, position);
                if sign != 0 { field | mask } else { field & !mask }
            }

            /// `bfi.b f, a, b, c, d`: `b` with its field of `length` bits at `position` replaced by the low bits of `a`.
            /// Position and length are taken modulo 256; what would go beyond the register is dropped.
            #[inline(always)]
            pub fn bfi(a: $u, b: $u, position: u32, length: u32) -> $u {
                let (position, length) = (position & 0xff, length & 0xff);
                let mask = shl(!shl($u::MAX, length), position);
                b & !mask | shl(a, position) & mask
            }
        }
    };
}

width! {
    /// 16 bits.
    w16: u16, i16, u32, i32, 16
}
width! {
    /// 32 bits.
    w32: u32, i32, u64, i64, 32
}
width! {
    /// 64 bits.
    w64: u64, i64, u128, i128, 64
}

#[cfg(test)]
#[path = "widths_tests.rs"]
mod tests;

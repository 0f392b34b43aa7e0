//! Undefined bits through floating-point arithmetic, signs and comparisons.

use super::Bits;
use crate::numeric::compare::Comparison;
use crate::numeric::rounding::Layout;

/// Possible classes of a number with undefined bits.
struct Possibly {
    nan: bool,
    subnormal: bool,
}

fn possibly(a: Bits, format: Layout) -> Possibly {
    let fraction = (format.sign() - 1) & !format.infinity();
    let can_be_one = a.value | !a.defined;
    let can_be_zero = !a.value | !a.defined;
    let nonzero_fraction = can_be_one & fraction != 0;
    Possibly {
        nan: nonzero_fraction && can_be_one & format.infinity() == format.infinity(),
        subnormal: nonzero_fraction && can_be_zero & format.infinity() == format.infinity(),
    }
}

/// The bits of the upper word that `MUFU.RCP64H` and `MUFU.RSQ64H` make of the upper word of a double for which nothing is documented.
///
/// Zero, infinity and NaN have known results, which the code of ptxas and of Mesa relies on; the root's is right except for the sign, which
/// Mesa's routine puts in. A subnormal number counts as zero.
pub fn open_bits_of_upper_word(upper: u32, root: bool) -> u32 {
    const SIGN: u32 = 1 << 31;
    let (magnitude, is_negative) = (upper & !SIGN, upper & SIGN != 0);
    let (is_zero, is_nan) = (magnitude < 0x0010_0000, magnitude > 0x7ff0_0000);
    match magnitude {
        _ if root && (is_nan || is_negative) => SIGN,
        _ if is_zero || is_nan || magnitude == 0x7ff0_0000 => 0,
        _ => u32::MAX,
    }
}

/// An operand of arithmetic. A NaN identified by its defined bits counts as defined: no operation distinguishes between NaNs.
#[inline]
pub fn operand(a: Bits, format: Layout) -> Bits {
    let certain = a.value & a.defined & (format.sign() - 1);
    let is_nan = certain & format.infinity() == format.infinity() && certain != format.infinity();
    if is_nan { Bits::known(a.value) } else { a }
}

/// The bits of a NaN result that passes on a NaN operand which are defined in the operands: where one is a NaN, its payload may be undefined.
#[inline]
pub fn passed_on(operands: &[Bits], format: Layout) -> u64 {
    let quiet = format.infinity() | format.quiet_bit();
    let nans = operands.iter().filter(|bits| format.is_nan(bits.value));
    nans.fold(u64::MAX, |defined, nan| defined & (nan.defined | quiet))
}

/// The bits that copying a number with another sign keeps: if it may be NaN, which NaN comes out is not told; if it may be
/// flushed, a fraction bit is certain only if it is zero anyway.
fn magnitude(a: Bits, format: Layout, ftz: bool) -> u64 {
    let possibly = possibly(a, format);
    let fraction = (format.sign() - 1) & !format.infinity();
    let mut defined = a.defined & (format.sign() - 1);
    if possibly.nan {
        defined &= !fraction;
    }
    if ftz && possibly.subnormal {
        defined &= !fraction | !a.value;
    }
    defined
}

/// `neg{.ftz}` of a number with undefined bits. (For a defined number, see [`crate::numeric::nan`].)
#[inline]
pub fn neg(a: Bits, format: Layout, ftz: bool) -> u64 {
    let sign = if possibly(a, format).nan { 0 } else { a.defined & format.sign() };
    magnitude(a, format, ftz) | sign
}

/// `abs{.ftz}` of a number with undefined bits: the sign is zero unless it may be NaN.
#[inline]
pub fn abs(a: Bits, format: Layout, ftz: bool) -> u64 {
    let sign = if possibly(a, format).nan { 0 } else { format.sign() };
    magnitude(a, format, ftz) | sign
}

/// The least and the greatest number that a number with undefined bits may be; `None` if it may be a NaN.
fn range(a: Bits, format: Layout) -> Option<(u64, u64)> {
    let magnitude = format.sign() - 1;
    let (least, greatest) = (a.value & a.defined & magnitude, (a.value | !a.defined) & magnitude);
    if greatest > format.infinity() {
        return None;
    }
    Some(match (a.defined & format.sign() != 0, a.value & format.sign() != 0) {
        (false, _) => (format.sign() | greatest, greatest),
        (true, true) => (format.sign() | greatest, format.sign() | least),
        (true, false) => (least, greatest),
    })
}

/// Whether the defined bits of two numbers decide a comparison; `holds` compares numbers. Sound, and exact where bits are undefined from
/// some bit downward, as they are in the result of an approximation.
pub fn compare(
    a: Bits,
    b: Bits,
    format: Layout,
    kind: Comparison,
    holds: impl Fn(Comparison, u64, u64) -> bool,
) -> bool {
    let (Some(a), Some(b)) = (range(a, format), range(b, format)) else { return false };
    // An order that is the same between all ends is the same between all numbers.
    let same = |kind| {
        let first = holds(kind, a.0, b.0);
        [(a.0, b.1), (a.1, b.0), (a.1, b.1)]
            .iter()
            .all(|(a, b)| holds(kind, *a, *b) == first)
            .then_some(first)
    };
    use Comparison as C;
    match kind {
        C::Num | C::Nan => true,
        C::Eq | C::Ne | C::Equ | C::Neu => {
            same(C::Lt) == Some(true) || same(C::Gt) == Some(true) || a.0 == a.1 && b.0 == b.1
        }
        C::Lt | C::Le | C::Gt | C::Ge | C::Ltu | C::Leu | C::Gtu | C::Geu => same(kind).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::compare;
    use crate::numeric::half::Kind;

    const KINDS: [Comparison; 14] = {
        use Comparison as C;
        [
            C::Eq,
            C::Ne,
            C::Lt,
            C::Le,
            C::Gt,
            C::Ge,
            C::Equ,
            C::Neu,
            C::Ltu,
            C::Leu,
            C::Gtu,
            C::Geu,
            C::Num,
            C::Nan,
        ]
    };

    /// All numbers that the undefined bits make possible.
    fn completions(a: Bits) -> impl Iterator<Item = u64> {
        let open = !a.defined & 0xFFFF;
        (0..=0xFFFF_u64)
            .filter(move |bits| bits & !open == 0)
            .map(move |bits| a.value & a.defined & 0xFFFF | bits)
    }

    #[test]
    fn a_comparison_is_decided_only_if_it_is_the_same_for_all_completions() {
        // 1, the number below and above, a subnormal one, both zeros, infinity, a NaN, -1.
        let values = [0x3c00, 0x3bff, 0x3c01, 0x0001, 0, 0x8000, 0x7c00, 0x7e00, 0xbc00];
        let open = [0, 1, 0x7, 0x3ff, 0x8000, 0x8001, 0x0200];
        for (a, a_open) in values.iter().flat_map(|a| open.map(|open| (*a, open))) {
            for (b, b_open) in values.iter().flat_map(|b| open[..4].iter().map(|open| (*b, *open))) {
                let bits = |value: u64, open: u64| Bits { value, defined: !open };
                let (a, b) = (bits(a, a_open), bits(b, b_open));
                // Enough of the completions of the wide ones: their ends are among them.
                let (all_a, all_b): (Vec<_>, Vec<_>) =
                    (completions(a).step_by(3).collect(), completions(b).step_by(5).collect());
                for (kind, ftz) in KINDS.iter().flat_map(|kind| [(*kind, false), (*kind, true)]) {
                    let holds = |kind, a: u64, b: u64| compare::f16(kind, a as u16, b as u16, Kind::F16, ftz);
                    if super::compare(a, b, Layout::F16, kind, holds) {
                        let first = holds(kind, all_a[0], all_b[0]);
                        let same = all_a.iter().all(|a| all_b.iter().all(|b| holds(kind, *a, *b) == first));
                        assert!(same, "{kind:?} {a:x?} {b:x?} {ftz}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_undefined_payload_is_not_passed_on() {
        let nan = Bits { value: 0x7e05, defined: !0x0003 };
        assert_eq!(passed_on(&[nan, Bits::known(0x3c00)], Layout::F16), !0x0003);
        let signalling = Bits { value: 0x7c01, defined: !0x8200 };
        assert_eq!(passed_on(&[nan, signalling], Layout::F16), !0x8003, "it becomes quiet");
        assert_eq!(passed_on(&[Bits { value: 0x3c00, defined: 0 }], Layout::F16), u64::MAX);
    }

    #[test]
    fn what_is_surely_above_zero_is_above_zero() {
        let near_one = Bits { value: 0x3bff, defined: !0x3ff };
        let zero = Bits::known(0);
        let holds = |kind, a: u64, b: u64| compare::f16(kind, a as u16, b as u16, Kind::F16, false);
        let decided = |a, b, kind| super::compare(a, b, Layout::F16, kind, holds);
        assert!(KINDS.iter().all(|kind| decided(near_one, zero, *kind)));
        assert!(!decided(near_one, Bits::known(0x3bfe), Comparison::Lt));
        assert!(!decided(near_one, Bits::known(0x3bfe), Comparison::Eq));
        let any_sign = Bits { value: 0x3c00, defined: !0x8000 };
        assert!(!decided(any_sign, zero, Comparison::Gt));
        assert!(decided(any_sign, Bits::known(0x4000), Comparison::Lt), "-1 and 1 are below 2");
        assert!(!decided(Bits { value: 0x7c00, defined: !1 }, zero, Comparison::Gt), "it may be a NaN");
    }
}

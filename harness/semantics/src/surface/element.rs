//! Elements of a surface transfer: their order, and how a narrow one fills a wider register.

use warpdiff_model::{Deviation, Semantics};

/// Position within the transfer, in elements, of the `index`-th operand of a vector of `count`.
///
/// PTX lists vector elements from the lowest address upward; [`Deviation::SurfaceVectorReversed`] reverses them.
#[inline]
pub fn element_position(index: u32, count: u32, semantics: &Semantics) -> u32 {
    if semantics.has(Deviation::SurfaceVectorReversed) { count - 1 - index } else { index }
}

/// A loaded element of `size` bytes as it fills a register wider than itself.
///
/// A `.b8` … `.b32` transfer has no sign, so it zero-extends (ptxas: "b8 loads zero-extend; b32 into a 64-bit register
/// zeroes the high half"). [`Deviation::SuldB8SignExtended`] sign-extends `.b8`.
#[inline]
pub fn extend_loaded(value: u64, size: u32, semantics: &Semantics) -> u64 {
    let value = if size >= 8 { value } else { value & ((1 << (8 * size)) - 1) };
    if size == 1 && semantics.has(Deviation::SuldB8SignExtended) {
        value as u8 as i8 as i64 as u64
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_elements_ascend_and_the_deviation_reverses_them() {
        let specification = Semantics::default();
        let reversed = specification.with(Deviation::SurfaceVectorReversed);
        assert_eq!([0, 1, 2, 3].map(|i| element_position(i, 4, &specification)), [0, 1, 2, 3]);
        assert_eq!([0, 1, 2, 3].map(|i| element_position(i, 4, &reversed)), [3, 2, 1, 0]);
        assert_eq!(element_position(0, 1, &reversed), 0);
    }

    #[test]
    fn b8_zero_extends_and_the_deviation_sign_extends_it_alone() {
        let specification = Semantics::default();
        let signed = specification.with(Deviation::SuldB8SignExtended);
        assert_eq!(extend_loaded(0x80, 1, &specification), 0x80);
        assert_eq!(extend_loaded(0x80, 1, &signed), 0xffff_ffff_ffff_ff80);
        assert_eq!(extend_loaded(0x7f, 1, &signed), 0x7f);
        assert_eq!(extend_loaded(0x8000, 2, &signed), 0x8000);
        assert_eq!(extend_loaded(0xffff_ffff_8000_0000, 4, &specification), 0x8000_0000);
        assert_eq!(extend_loaded(u64::MAX, 8, &specification), u64::MAX);
    }
}

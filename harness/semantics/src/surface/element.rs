//! Elements of a surface transfer: their order, and how a narrow one fills a wider register.

use warpdiff_model::{Deviation, Semantics};

/// Position within the transfer, in elements, of the `index`-th operand of a vector of `count`.
///
/// PTX lists vector elements from the lowest address upward; [`Deviation::SurfaceVectorReversed`] reverses them.
#[inline]
pub fn element_position(index: u32, count: u32, semantics: &Semantics) -> u32 {
    match () {
        () if semantics.is_specification() => index,
        () if semantics.has(Deviation::SurfaceVectorReversed) => count - 1 - index,
        () if semantics.has(Deviation::SurfaceVectorRepeated) => 0,
        () => index,
    }
}

/// A loaded element of `size` bytes as it fills a register wider than itself.
///
/// A `.b8` … `.b32` transfer has no sign, so it zero-extends (ptxas: "b8 loads zero-extend; b32 into a 64-bit register
/// zeroes the high half"). [`Deviation::SuldB8SignExtended`] sign-extends `.b8`.
#[inline]
pub fn extend_loaded(value: u64, size: u32, semantics: &Semantics) -> u64 {
    let value = if size >= 8 { value } else { value & ((1 << (8 * size)) - 1) };
    match size {
        _ if semantics.is_specification() => value,
        1 if semantics.has(Deviation::SuldB8SignExtended) => value as u8 as i8 as i64 as u64,
        2 if semantics.has(Deviation::SuldB16SignExtended) => value as u16 as i16 as i64 as u64,
        4 if semantics.has(Deviation::SuldB32SignExtended) => value as u32 as i32 as i64 as u64,
        _ => value,
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
        let repeated = specification.with(Deviation::SurfaceVectorRepeated);
        assert_eq!([0, 1, 2, 3].map(|i| element_position(i, 4, &repeated)), [0; 4]);
    }

    #[test]
    fn b8_zero_extends_and_the_deviation_sign_extends_it_alone() {
        let specification = Semantics::default();
        let halves = specification.with(Deviation::SuldB16SignExtended);
        assert_eq!(extend_loaded(0x8000, 2, &halves), 0xffff_ffff_ffff_8000);
        assert_eq!(extend_loaded(0x80, 1, &halves), 0x80);
        let words = specification.with(Deviation::SuldB32SignExtended);
        assert_eq!(extend_loaded(0x8000_0000, 4, &words), 0xffff_ffff_8000_0000);
        let signed = specification.with(Deviation::SuldB8SignExtended);
        assert_eq!(extend_loaded(0x80, 1, &specification), 0x80);
        assert_eq!(extend_loaded(0x80, 1, &signed), 0xffff_ffff_ffff_ff80);
        assert_eq!(extend_loaded(0x7f, 1, &signed), 0x7f);
        assert_eq!(extend_loaded(0x8000, 2, &signed), 0x8000);
        assert_eq!(extend_loaded(0xffff_ffff_8000_0000, 4, &specification), 0x8000_0000);
        assert_eq!(extend_loaded(u64::MAX, 8, &specification), u64::MAX);
    }
}

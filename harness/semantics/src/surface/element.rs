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

/// The element of a source of so many that `sust.p` writes to this component of a texel with so many; `None` where it has none.
///
/// "The source vector elements are interpreted left-to-right as R, G, B, and A surface components."
#[inline]
pub fn component_source(component: u32, channels: u32, elements: u32, semantics: &Semantics) -> Option<u32> {
    let source = match () {
        () if semantics.is_specification() => component,
        () if semantics.has(Deviation::SustPReversed) => {
            return channels.min(elements).checked_sub(component + 1);
        }
        () if semantics.has(Deviation::SustPRedBlue) && channels == 4 && component < 3 => 2 - component,
        () if semantics.has(Deviation::SustPSecondToAlpha) && channels == 4 && elements == 2 => {
            match component {
                0 => 0,
                3 => 1,
                _ => return None,
            }
        }
        () => component,
    };
    (source < elements).then_some(source)
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
    fn components_come_from_their_elements_and_deviations_exchange_them() {
        let specification = Semantics::default();
        let sources = |channels, elements, semantics: &Semantics| {
            [0, 1, 2, 3].map(|component| component_source(component, channels, elements, semantics))
        };
        assert_eq!(sources(4, 4, &specification), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(sources(4, 2, &specification), [Some(0), Some(1), None, None]);
        let reversed = specification.with(Deviation::SustPReversed);
        assert_eq!(sources(4, 2, &reversed), [Some(1), Some(0), None, None]);
        let exchanged = specification.with(Deviation::SustPRedBlue);
        assert_eq!(sources(4, 4, &exchanged), [Some(2), Some(1), Some(0), Some(3)]);
        assert_eq!(sources(4, 2, &exchanged), [None, Some(1), Some(0), None]);
        assert_eq!(sources(2, 2, &exchanged)[..2], [Some(0), Some(1)]);
        let last = specification.with(Deviation::SustPSecondToAlpha);
        assert_eq!(sources(4, 2, &last), [Some(0), None, None, Some(1)]);
        assert_eq!(sources(4, 4, &last), [Some(0), Some(1), Some(2), Some(3)]);
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

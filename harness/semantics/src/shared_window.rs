//! Mistakes in addresses of shared memory: bits of an address that are not looked at.

use warpdiff_model::{Deviation, Semantics};

/// Where an access to this offset in shared memory goes, if the semantics mistake it: the offset is taken modulo the number that this
/// answers. `size` is that of the variables of the module.
pub fn modulus(size: u64, semantics: &Semantics) -> Option<u64> {
    if semantics.is_specification() {
        return None;
    }
    let mistakes = [
        (Deviation::SharedAliases, 2 << 10),
        (Deviation::SharedHighIgnored, 1 << 32),
        (Deviation::SharedWraps, size.max(1)),
    ];
    mistakes.into_iter().find(|(deviation, _)| semantics.has(*deviation)).map(|(_, modulus)| modulus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mistake_has_its_modulus() {
        let of = |deviation| modulus(48, &Semantics::default().with(deviation));
        assert_eq!(of(Deviation::SharedAliases), Some(2048));
        assert_eq!(of(Deviation::SharedHighIgnored), Some(0x1_0000_0000));
        assert_eq!(of(Deviation::SharedWraps), Some(48));
        assert_eq!(of(Deviation::CvtaTwice), None);
        assert_eq!(modulus(48, &Semantics::default()), None);
    }
}

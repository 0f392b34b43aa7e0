//! Which bits of a state are damaged, and of which kind each is.

use warpdiff_model::allowed::{MaskedRegion, MaskedState};
use warpdiff_model::{Launch, RegionKind};

use super::tally::Kind;

/// States of more bytes than this are sampled.
pub const WHOLE: usize = 4096;

/// One bit of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    /// Index of the region.
    pub region: usize,
    /// Byte offset.
    pub at: usize,
    /// Number of the bit, from the least significant.
    pub bit: u8,
    /// What kind of bit it is.
    pub kind: Kind,
}

/// The bits to flip: every one of a state of up to [`WHOLE`] bytes; of a larger one all bits of bytes at regular
/// distances, each region's first and last among them.
pub fn bits(state: &MaskedState, launch: &Launch) -> Vec<Bit> {
    let total: usize = state.regions.iter().map(|r| r.region.bytes.len()).sum();
    let step = total.div_ceil(WHOLE).max(1);
    let mut bits = Vec::new();
    for (region, masked) in state.regions.iter().enumerate() {
        let length = masked.region.bytes.len();
        let bystander = is_bystander(masked, launch);
        let last = (length > 0 && !(length - 1).is_multiple_of(step)).then(|| length - 1);
        for at in (0..length).step_by(step).chain(last) {
            bits.extend((0..8).map(|bit| Bit { region, at, bit, kind: kind(masked, at, bit, bystander) }));
        }
    }
    bits
}

fn kind(masked: &MaskedRegion, at: usize, bit: u8, bystander: bool) -> Kind {
    if masked.defined[at] >> bit & 1 == 0 {
        return Kind::Masked;
    }
    if masked.unordered[at] >> bit & 1 == 1 {
        return Kind::Unordered;
    }
    match masked.region.kind {
        RegionKind::Guard => Kind::Guard,
        _ if bystander => Kind::Bystander,
        RegionKind::Buffer => Kind::Buffer,
        RegionKind::Surface => Kind::Surface,
        RegionKind::Variable => Kind::Variable,
    }
}

/// Whether the launch leaves the region as it was.
fn is_bystander(masked: &MaskedRegion, launch: &Launch) -> bool {
    let name = &masked.region.name;
    match masked.region.kind {
        RegionKind::Buffer => {
            launch.buffers.iter().any(|b| b.name == *name && b.bytes == masked.region.bytes)
        }
        RegionKind::Surface => {
            launch.surfaces.iter().any(|s| s.name == *name && s.bytes == masked.region.bytes)
        }
        RegionKind::Guard | RegionKind::Variable => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpdiff_model::Region;

    fn state(length: usize) -> MaskedState {
        let region = Region { kind: RegionKind::Buffer, name: "b".into(), bytes: vec![0; length] };
        let masked =
            MaskedRegion { region, defined: vec![0xF0; length], unordered: vec![0x10; length], stride: 0 };
        MaskedState { regions: vec![masked], serial: Vec::new() }
    }

    #[test]
    fn every_bit_of_a_small_state_is_there_by_kind() {
        let bits = bits(&state(3), &Launch::new("".into(), "k"));
        let count = |kind| bits.iter().filter(|b| b.kind == kind).count();
        assert_eq!((count(Kind::Masked), count(Kind::Unordered), count(Kind::Buffer)), (12, 3, 9));
    }

    #[test]
    fn a_large_state_is_sampled_with_its_ends() {
        let bits = bits(&state(100_000), &Launch::new("".into(), "k"));
        assert!(bits.len() <= (WHOLE + 1) * 8, "{}", bits.len());
        assert!(bits.iter().any(|b| b.at == 0) && bits.iter().any(|b| b.at == 99_999));
    }
}

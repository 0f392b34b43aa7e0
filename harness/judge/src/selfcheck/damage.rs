//! The bits of a state that are damaged, with their kinds.

use warpdiff_model::allowed::{MaskedRegion, MaskedState};
use warpdiff_model::{Launch, RegionKind};

use super::tally::DamageKind;

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
    /// Its kind.
    pub kind: DamageKind,
}

/// How many bits of a state are damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageExtent {
    /// Every bit.
    EveryBit,
    /// Every bit, but of guard bands and bystanders only one bit in each byte, beginning with this one. It is for the launches of
    /// one case, which differ in one row only: eight of them damage every bit.
    Turns(usize),
}

/// The bits to flip: all bits of a state of up to [`WHOLE`] bytes; of a larger one the bits of bytes at regular distances, with the
/// first and last of each region. Logs are left out, because they are damaged as histories.
pub fn bits<'a>(
    state: &'a MaskedState,
    launch: &'a Launch,
    extent: DamageExtent,
) -> impl Iterator<Item = Bit> + 'a {
    let total: usize = state.regions.iter().map(|r| r.region.bytes.len()).sum();
    let step = distance(total);
    state.regions.iter().enumerate().flat_map(move |(region, masked)| {
        let length = masked.region.bytes.len();
        let bystander = is_bystander(masked, launch);
        let last = (length > 0 && !(length - 1).is_multiple_of(step)).then(|| length - 1);
        let bytes = (0..length).step_by(step).chain(last);
        let damaged = bytes.filter(move |at| state.logs.is_empty() || !state.is_logged(region, *at));
        damaged
            .flat_map(move |at| {
                (0..8).map(move |bit| Bit { region, at, bit, kind: kind(masked, at, bit, bystander) })
            })
            .filter(move |bit| extent.includes(bit))
    })
}

/// Bytes from one damaged byte to the next. The time to judge a damage grows with the state, so the number of damages falls with
/// its size: the work is at most that of a state of [`WHOLE`] bytes.
fn distance(total: usize) -> usize {
    let damaged = (WHOLE * WHOLE / total.max(1)).clamp(64, WHOLE);
    total.div_ceil(damaged).max(1)
}

impl DamageExtent {
    fn includes(self, bit: &Bit) -> bool {
        match self {
            Self::Turns(turn) if matches!(bit.kind, DamageKind::Guard | DamageKind::Bystander) => {
                usize::from(bit.bit) == (bit.at + turn) % 8
            }
            _ => true,
        }
    }
}

fn kind(masked: &MaskedRegion, at: usize, bit: u8, bystander: bool) -> DamageKind {
    // The bits of a value with a set of permitted values are compared together.
    if masked.defined[at] >> bit & 1 == 0 && masked.value_at(at).is_none() {
        return DamageKind::Masked;
    }
    if masked.unordered[at] >> bit & 1 == 1 {
        return DamageKind::Unordered;
    }
    match masked.region.kind {
        RegionKind::Guard => DamageKind::Guard,
        _ if bystander => DamageKind::Bystander,
        RegionKind::Buffer => DamageKind::Buffer,
        RegionKind::Surface => DamageKind::Surface,
        RegionKind::Variable => DamageKind::Variable,
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
    use warpdiff_model::Region;

    use super::*;

    fn state(length: usize) -> MaskedState {
        let region = Region { kind: RegionKind::Buffer, name: "b".into(), bytes: vec![0; length] };
        let masked = MaskedRegion {
            region,
            defined: vec![0xF0; length].into(),
            unordered: vec![0x10; length].into(),
            stride: 0,
            values: Vec::new(),
        };
        MaskedState { regions: vec![masked], ..MaskedState::default() }
    }

    #[test]
    fn every_bit_of_a_small_state_is_there_by_kind() {
        let (state, launch) = (state(3), Launch::new("".into(), "k"));
        let bits: Vec<Bit> = bits(&state, &launch, DamageExtent::EveryBit).collect();
        let count = |kind| bits.iter().filter(|b| b.kind == kind).count();
        assert_eq!(
            (count(DamageKind::Masked), count(DamageKind::Unordered), count(DamageKind::Buffer)),
            (12, 3, 9)
        );
    }

    #[test]
    fn a_large_state_is_sampled_with_its_ends() {
        let (state, launch) = (state(100_000), Launch::new("".into(), "k"));
        let bits: Vec<Bit> = bits(&state, &launch, DamageExtent::EveryBit).collect();
        // 4096 * 4096 / 100000 = 167 bytes, and the last one.
        assert!((160 * 8..=169 * 8).contains(&bits.len()), "{}", bits.len());
        assert!(bits.iter().any(|b| b.at == 0) && bits.iter().any(|b| b.at == 99_999));
    }

    #[test]
    fn eight_turns_damage_every_bit_of_a_guard_band() {
        let mut state = state(16);
        state.regions[0].region.kind = RegionKind::Guard;
        state.regions[0].defined.to_mut().fill(0xFF);
        state.regions[0].unordered.to_mut().fill(0);
        let launch = Launch::new("".into(), "k");
        let turns: Vec<Bit> =
            (0..8).flat_map(|turn| bits(&state, &launch, DamageExtent::Turns(turn))).collect();
        assert_eq!(turns.len(), 128);
        assert!(bits(&state, &launch, DamageExtent::EveryBit).all(|bit| turns.contains(&bit)));
    }
}

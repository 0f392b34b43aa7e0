//! What votes and reductions of the lanes of a warp give (PTX ISA 9.7.13, `vote`, `redux`).

use warpdiff_model::{Deviation, Semantics};

/// Number of lanes.
const LANES: usize = 32;

/// An operation in which the lanes of a warp exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the instruction and mode that it is named after")]
pub enum CollectiveKind {
    VoteAll,
    VoteAny,
    VoteUni,
    Ballot,
    ShuffleUp,
    ShuffleDown,
    ShuffleButterfly,
    ShuffleIndex,
    MatchAny,
    MatchAll,
    ReduceAdd,
    ReduceMinU,
    ReduceMaxU,
    ReduceMinS,
    ReduceMaxS,
    ReduceAnd,
    ReduceOr,
    ReduceXor,
}

/// What a vote or reduction of the lanes `same` gives to each of them, of the value that each lane brings; of what gives every lane
/// something else, the value of the first.
pub fn combined(kind: CollectiveKind, same: u32, values: &[u64; LANES], semantics: &Semantics) -> u64 {
    use CollectiveKind as K;
    let mut brought = (0..LANES).filter(|lane| same >> lane & 1 == 1).map(|lane| values[lane]);
    if matches!(kind, K::VoteAll | K::VoteAny | K::VoteUni | K::Ballot) {
        let bit = |all, lane: usize| all | (values[lane] as u32 & 1) << lane;
        let ballot = (0..LANES).fold(0, bit) & same;
        return vote(kind, same, ballot, semantics);
    }
    let signed = |value: &u64| *value as u32 as i32;
    match kind {
        K::ReduceAdd => brought.fold(0, |a, b| (a + b) & 0xFFFF_FFFF),
        K::ReduceMinU => brought.min().unwrap_or(0),
        K::ReduceMaxU => brought.max().unwrap_or(0),
        K::ReduceMinS => brought.min_by_key(signed).unwrap_or(0),
        K::ReduceMaxS => brought.max_by_key(signed).unwrap_or(0),
        K::ReduceAnd => brought.fold(u64::MAX, |a, b| a & b),
        K::ReduceOr => brought.fold(0, |a, b| a | b),
        K::ReduceXor => brought.fold(0, |a, b| a ^ b),
        _ => brought.next().unwrap_or(0),
    }
}

/// A vote of the lanes `same`, of which those of the ballot have a true predicate.
fn vote(kind: CollectiveKind, same: u32, ballot: u32, semantics: &Semantics) -> u64 {
    let has = |deviation| !semantics.is_specification() && semantics.has(deviation);
    match kind {
        CollectiveKind::VoteAll => u64::from(ballot == same && !has(Deviation::VoteAllNever)),
        CollectiveKind::VoteAny => u64::from(ballot != 0),
        CollectiveKind::VoteUni => u64::from(ballot == same || ballot == 0 && !has(Deviation::VoteUniAsAll)),
        _ if has(Deviation::BallotInitialOnes) => u64::from(ballot | !same),
        _ if has(Deviation::BallotReversed) => u64::from(ballot.reverse_bits()),
        _ => u64::from(ballot),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: CollectiveKind, same: u32, first: &[u64], semantics: &Semantics) -> u64 {
        let mut values = [7; LANES];
        values[..first.len()].copy_from_slice(first);
        combined(kind, same, &values, semantics)
    }

    #[test]
    fn votes_and_reductions_are_those_of_the_manual() {
        let of = |kind, same, first: &[u64]| of(kind, same, first, &Semantics::default());
        use CollectiveKind as K;
        assert_eq!(of(K::Ballot, 0b111, &[1, 0, 1]), 0b101);
        assert_eq!(of(K::VoteAll, 0b101, &[1, 0, 1]), 1);
        assert_eq!(of(K::VoteAll, 0b111, &[1, 0, 1]), 0);
        assert_eq!(of(K::VoteAny, 0b111, &[0, 0, 1]), 1);
        assert_eq!(of(K::VoteUni, 0b010, &[1, 0, 1]), 1);
        assert_eq!(of(K::VoteUni, 0b011, &[1, 0, 1]), 0);
        assert_eq!(of(K::ReduceAdd, 0b11, &[0xFFFF_FFFF, 2]), 1);
        assert_eq!(of(K::ReduceMinS, 0b11, &[0xFFFF_FFFF, 2]), 0xFFFF_FFFF);
        assert_eq!(of(K::ReduceMinU, 0b11, &[0xFFFF_FFFF, 2]), 2);
        assert_eq!(of(K::ReduceAnd, 0b11, &[6, 3]), 2);
        assert_eq!(of(K::ReduceXor, 0b11, &[6, 3]), 5);
    }

    #[test]
    fn deviations_show() {
        let deviating = |deviation, kind, same, first: &[u64]| {
            of(kind, same, first, &Semantics::default().with(deviation))
        };
        use CollectiveKind as K;
        assert_eq!(deviating(Deviation::BallotInitialOnes, K::Ballot, 0b111, &[1, 0, 1]), 0xFFFF_FFFD);
        assert_eq!(deviating(Deviation::BallotReversed, K::Ballot, 0b111, &[1, 0, 1]), 0xA000_0000);
        assert_eq!(deviating(Deviation::VoteAllNever, K::VoteAll, 0b1, &[1]), 0);
        assert_eq!(deviating(Deviation::VoteUniAsAll, K::VoteUni, 0b11, &[0, 0]), 0);
        assert_eq!(deviating(Deviation::VoteUniAsAll, K::VoteUni, 0b11, &[1, 1]), 1);
    }
}

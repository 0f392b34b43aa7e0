//! Which lane a shuffle reads (PTX ISA 9.7.9, `shfl`).

use warpdiff_model::{Deviation, Semantics};

/// How a shuffle names its source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// `.up`
    Up,
    /// `.down`
    Down,
    /// `.bfly`
    Butterfly,
    /// `.idx`
    Index,
}

/// The source lane of `lane`, and whether it is in range. `b` is the lane operand, `c` the clamp value and the mask of segments.
pub fn source_lane(how: Shuffle, lane: u32, b: u32, c: u32, semantics: &Semantics) -> (usize, bool) {
    let has = |deviation| !semantics.is_specification() && semantics.has(deviation);
    let (low, high) = (c & 31, c >> 8 & 31);
    let (clamp, segment) = if has(Deviation::ShflFieldsSwapped) { (high, low) } else { (low, high) };
    let segment = if has(Deviation::ShflSegmentsIgnored) { 0 } else { segment };
    let b = if has(Deviation::ShflLaneUnmasked) { b } else { b & 31 };
    let max_lane = lane & segment | clamp & !segment;
    let min_lane = lane & segment;
    let (j, valid) = match how {
        Shuffle::Up => {
            let j = lane.wrapping_sub(b);
            let is_signed = !has(Deviation::ShflUpUnsigned);
            (j, if is_signed { j as i32 >= max_lane as i32 } else { j >= max_lane })
        }
        Shuffle::Down => (lane.wrapping_add(b), lane.checked_add(b).is_some_and(|j| j <= max_lane)),
        Shuffle::Butterfly => {
            let j = if has(Deviation::ShflButterflyAdds) { lane.wrapping_add(b) } else { lane ^ b };
            (j, j <= max_lane)
        }
        Shuffle::Index => {
            let first = if has(Deviation::ShflIndexOfWarp) { 0 } else { min_lane };
            let j = first | b & !segment;
            (j, j <= max_lane)
        }
    };
    if valid { ((j & 31) as usize, true) } else { (lane as usize, has(Deviation::ShflAlwaysInRange)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(how: Shuffle, lane: u32, b: u32, c: u32) -> (usize, bool) {
        source_lane(how, lane, b, c, &Semantics::default())
    }

    fn deviating(deviation: Deviation, how: Shuffle, lane: u32, b: u32, c: u32) -> (usize, bool) {
        source_lane(how, lane, b, c, &Semantics::default().with(deviation))
    }

    #[test]
    fn lanes_are_those_of_the_manual() {
        assert_eq!(at(Shuffle::Up, 5, 2, 0), (3, true));
        assert_eq!(at(Shuffle::Up, 1, 2, 0), (1, false));
        assert_eq!(at(Shuffle::Down, 30, 2, 31), (30, false));
        assert_eq!(at(Shuffle::Butterfly, 5, 1, 31), (4, true));
        // Segments of eight lanes: c<12..8> is 0x18.
        assert_eq!(at(Shuffle::Down, 6, 2, 0x181F), (6, false));
        assert_eq!(at(Shuffle::Index, 20, 3, 0x181F), (19, true));
        // Five bits of the lane operand count.
        assert_eq!(at(Shuffle::Index, 0, 33, 31), (1, true));
    }

    #[test]
    fn deviations_show() {
        assert_eq!(deviating(Deviation::ShflSegmentsIgnored, Shuffle::Down, 6, 2, 0x181F), (8, true));
        assert_eq!(deviating(Deviation::ShflLaneUnmasked, Shuffle::Index, 0, 33, 31), (0, false));
        assert_eq!(deviating(Deviation::ShflUpUnsigned, Shuffle::Up, 1, 2, 0), (31, true));
        assert_eq!(deviating(Deviation::ShflButterflyAdds, Shuffle::Butterfly, 5, 1, 31), (6, true));
        assert_eq!(deviating(Deviation::ShflIndexOfWarp, Shuffle::Index, 20, 3, 0x181F), (3, true));
        assert_eq!(deviating(Deviation::ShflAlwaysInRange, Shuffle::Up, 1, 2, 0), (1, true));
        // Segments of 0x1F hold one lane each, and 0x18 clamps nothing then.
        assert_eq!(deviating(Deviation::ShflFieldsSwapped, Shuffle::Index, 20, 3, 0x181F), (20, true));
    }
}

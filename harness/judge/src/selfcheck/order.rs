//! Whether some order of atomics explains their values, by trying every order.

use warpdiff_model::serial::{AtomicOp, Location, Operation, Place};

/// Operations at one location up to which every order is tried: 7! is 5040.
const MOST: usize = 7;

/// Whether some order of the operations, each thread's own in program order, gives the values found at their places.
/// `None` if there are too many to try, or an operation whose arithmetic is not repeated here.
pub(super) fn exists(location: &Location, read: &dyn Fn(Place, usize) -> Option<u64>) -> Option<bool> {
    let width = usize::from(location.width);
    let operations = &location.operations;
    if operations.len() > MOST || !operations.iter().all(|o| is_integer(o.op)) {
        return None;
    }
    let initial = location.initial?;
    let seen: Option<Vec<Option<u64>>> = operations
        .iter()
        .map(|o| o.returned.map_or(Some(None), |place| read(place, width).map(Some)))
        .collect();
    let last = location.last.map_or(Some(None), |place| read(place, width).map(Some));
    // A place outside of the state has no value.
    let (Some(seen), Some(last)) = (seen, last) else { return Some(false) };
    let search = Search { operations, seen: &seen, last, bits: location.width as u32 * 8 };
    Some(search.from(initial, 0))
}

struct Search<'a> {
    operations: &'a [Operation],
    seen: &'a [Option<u64>],
    last: Option<u64>,
    bits: u32,
}

impl Search<'_> {
    /// Whether the operations not yet in `done` can follow, from this value.
    fn from(&self, value: u64, done: u32) -> bool {
        if done.count_ones() as usize == self.operations.len() {
            return self.last.is_none_or(|last| last == value);
        }
        (0..self.operations.len()).any(|next| {
            let operation = &self.operations[next];
            let earlier =
                |other: usize| self.operations[other].thread == operation.thread && done >> other & 1 == 0;
            let possible = done >> next & 1 == 0
                && !(0..next).any(earlier)
                && self.seen[next].is_none_or(|seen| seen == value);
            possible && self.from(apply(operation.op, value, self.bits), done | 1 << next)
        })
    }
}

fn is_integer(op: AtomicOp) -> bool {
    use AtomicOp::{Add, And, Cas, Dec, Exch, Inc, MaxS, MaxU, MinS, MinU, Or, Xor};
    matches!(
        op,
        Add(_)
            | MinU(_)
            | MinS(_)
            | MaxU(_)
            | MaxS(_)
            | Inc(_)
            | Dec(_)
            | And(_)
            | Or(_)
            | Xor(_)
            | Exch(_)
            | Cas(..)
    )
}

/// The value after an operation on an integer of `bits` bits (PTX ISA, "atom").
fn apply(op: AtomicOp, m: u64, bits: u32) -> u64 {
    let keep = u64::MAX >> (64 - bits);
    let signed = |v: u64| ((v << (64 - bits)) as i64) >> (64 - bits);
    let result = match op {
        AtomicOp::Add(b) => m.wrapping_add(b),
        AtomicOp::MinU(b) => (m & keep).min(b & keep),
        AtomicOp::MaxU(b) => (m & keep).max(b & keep),
        AtomicOp::MinS(b) => signed(m).min(signed(b)) as u64,
        AtomicOp::MaxS(b) => signed(m).max(signed(b)) as u64,
        AtomicOp::Inc(b) if m >= b => 0,
        AtomicOp::Inc(_) => m + 1,
        AtomicOp::Dec(b) if m == 0 || m > b => b,
        AtomicOp::Dec(_) => m - 1,
        AtomicOp::And(b) => m & b,
        AtomicOp::Or(b) => m | b,
        AtomicOp::Xor(b) => m ^ b,
        AtomicOp::Exch(b) => b,
        AtomicOp::Cas(compare, new) => {
            if m & keep == compare & keep {
                new
            } else {
                m
            }
        }
        // Not integers: `is_integer` keeps them away.
        _ => m,
    };
    result & keep
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(operations: Vec<Operation>) -> Location {
        let last = Some(Place { region: 0, offset: 0 });
        Location { name: String::new(), width: 4, initial: Some(0), last, operations }
    }

    fn add(thread: u32, offset: usize) -> Operation {
        Operation { op: AtomicOp::Add(1), thread, returned: Some(Place { region: 0, offset }), spin: None }
    }

    fn with(values: [u64; 3]) -> impl Fn(Place, usize) -> Option<u64> {
        move |place, _| values.get(place.offset / 4).copied()
    }

    #[test]
    fn two_increments_return_zero_and_one_in_either_order() {
        let location = location(vec![add(0, 4), add(1, 8)]);
        assert_eq!(exists(&location, &with([2, 0, 1])), Some(true));
        assert_eq!(exists(&location, &with([2, 1, 0])), Some(true));
        assert_eq!(exists(&location, &with([2, 0, 0])), Some(false));
        assert_eq!(exists(&location, &with([1, 0, 1])), Some(false), "the last value is 2");
    }

    #[test]
    fn one_thread_keeps_its_program_order() {
        let location = location(vec![add(0, 4), add(0, 8)]);
        assert_eq!(exists(&location, &with([2, 0, 1])), Some(true));
        assert_eq!(exists(&location, &with([2, 1, 0])), Some(false));
    }

    #[test]
    fn minimum_and_maximum_are_signed_where_the_type_is() {
        // -1 as .s32 is less than 1, as .u32 greater.
        assert_eq!(apply(AtomicOp::MinS(0xFFFF_FFFF), 1, 32), 0xFFFF_FFFF);
        assert_eq!(apply(AtomicOp::MinU(0xFFFF_FFFF), 1, 32), 1);
        assert_eq!(apply(AtomicOp::MaxS(0xFFFF_FFFF), 1, 32), 1);
        // atom.inc: d = a >= b ? 0 : a + 1; atom.dec: d = a == 0 || a > b ? b : a - 1.
        assert_eq!(apply(AtomicOp::Inc(3), 3, 32), 0);
        assert_eq!(apply(AtomicOp::Dec(3), 4, 32), 3);
        assert_eq!(apply(AtomicOp::Dec(3), 0, 32), 3);
    }

    #[test]
    fn too_many_operations_are_not_tried() {
        let many = (0..8).map(|t| add(t, 4)).collect();
        assert_eq!(exists(&location(many), &with([0; 3])), None);
    }
}

//! The serialisation check against every order of a few operations, and by hand.

use proptest::prelude::*;
use warpdiff_model::serial::{AtomicOp, Location, Operation, Place};
use warpdiff_model::serialise::{Serialisation, check_all};

/// Where the final value stands in these tests; the values returned stand at 0, 1, ….
const LAST: usize = usize::MAX;

/// What is decided of one location alone.
fn check(location: &Location, read: impl Fn(Place) -> Option<u64>) -> Serialisation {
    let mut answers = check_all(std::slice::from_ref(location), |place, _| read(place));
    answers.pop().expect("an answer for the location")
}

/// A location whose operation number i returned `returned[i]`, and what is observed at its places.
#[derive(Debug)]
struct Observed {
    location: Location,
    values: Vec<Option<u64>>,
    last: Option<u64>,
}

impl Observed {
    fn new(
        width: u8,
        initial: Option<u64>,
        last: Option<u64>,
        steps: &[(u32, AtomicOp, Option<u64>)],
    ) -> Self {
        let place = |offset| Place { region: 0, offset };
        let operations = steps.iter().enumerate().map(|(index, (thread, op, returned))| Operation {
            op: *op,
            thread: *thread,
            returned: returned.map(|_| place(index)),
            spin: None,
        });
        let location = Location {
            name: "shared 0x0 of block 0, epoch 0".into(),
            width,
            initial,
            last: last.map(|_| place(LAST)),
            operations: operations.collect(),
        };
        Self { location, values: steps.iter().map(|(.., returned)| *returned).collect(), last }
    }

    fn check(&self) -> Serialisation {
        let read = |place: Place| if place.offset == LAST { self.last } else { self.values[place.offset] };
        check(&self.location, read)
    }

    fn serialises(&self) -> bool {
        match self.check() {
            Serialisation::Serialises => true,
            Serialisation::Violates { .. } => false,
            Serialisation::Undecided { why } => panic!("undecided: {why}"),
        }
    }

    /// Whether an order exists, by trying all of them.
    fn some_order_exists(&self) -> bool {
        let starts = self.location.initial.map_or((0..9).chain([0xffff]).collect(), |initial| vec![initial]);
        let done = vec![false; self.values.len()];
        starts.into_iter().any(|start| self.leads_on(start, &done))
    }

    fn leads_on(&self, value: u64, done: &[bool]) -> bool {
        if done.iter().all(|d| *d) {
            return self.last.is_none_or(|last| last == value);
        }
        (0..done.len()).any(|index| {
            let operation = &self.location.operations[index];
            let earlier = |i: usize| !done[i] && self.location.operations[i].thread == operation.thread;
            if done[index] || (0..index).any(earlier) || self.values[index].is_some_and(|v| v != value) {
                return false;
            }
            let mut after = done.to_vec();
            after[index] = true;
            self.leads_on(operation.op.apply(value, self.location.width), &after)
        })
    }
}

/// Operations that stay among few values, so that orders meet.
fn op() -> impl Strategy<Value = AtomicOp> {
    let small = 0u64..4;
    prop_oneof![
        small.clone().prop_map(AtomicOp::Add),
        small.clone().prop_map(AtomicOp::MinU),
        small.clone().prop_map(AtomicOp::MaxS),
        small.clone().prop_map(AtomicOp::Inc),
        small.clone().prop_map(AtomicOp::Dec),
        small.clone().prop_map(AtomicOp::And),
        small.clone().prop_map(AtomicOp::Or),
        small.clone().prop_map(AtomicOp::Xor),
        small.clone().prop_map(AtomicOp::Exch),
        (small.clone(), small).prop_map(|(compare, new)| AtomicOp::Cas(compare, new)),
    ]
}

/// An observation of up to six operations that were run one after another from 0 in the order given, listed in another
/// order (that of the key, which keeps the program order of a thread), some values hidden, at most one changed.
fn observed(distinct_threads: bool) -> impl Strategy<Value = Observed> {
    let step = (op(), 0u32..4, any::<u32>(), prop::bool::weighted(0.8));
    let change = prop::option::of((any::<prop::sample::Index>(), 0u64..6));
    (prop::collection::vec(step, 1..=6), change, any::<bool>(), any::<bool>(), 0u64..4).prop_map(
        move |(steps, change, know_initial, know_last, initial)| {
            let mut value = initial;
            let mut listed = Vec::new();
            for (index, (op, thread, key, seen)) in steps.into_iter().enumerate() {
                let thread = if distinct_threads { index as u32 } else { thread };
                let seen = seen || distinct_threads;
                listed
                    .push((if distinct_threads { key } else { thread }, (thread, op, seen.then_some(value))));
                value = op.apply(value, 2);
            }
            if let Some((index, changed)) = change {
                let index = index.index(listed.len() + 1);
                match listed.get_mut(index) {
                    Some((_, (_, _, returned))) => *returned = returned.map(|_| changed),
                    None => value = changed,
                }
            }
            listed.sort_by_key(|(key, _)| *key);
            let steps: Vec<_> = listed.into_iter().map(|(_, step)| step).collect();
            Observed::new(2, know_initial.then_some(initial), know_last.then_some(value), &steps)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// One operation per thread, every value seen: the Eulerian trail decides, exactly.
    #[test]
    fn trail_agrees_with_every_order(observed in observed(true)) {
        prop_assert_eq!(observed.serialises(), observed.some_order_exists());
    }

    /// Program order and hidden values: the search agrees where it decides, and it decides unless what came first is
    /// neither known nor seen.
    #[test]
    fn search_agrees_with_every_order(observed in observed(false)) {
        match observed.check() {
            Serialisation::Serialises => {
                // From an undefined value to an undefined one, unseen: nothing to hold against anybody.
                let unconstrained = observed.location.initial.is_none() && observed.values.iter().all(Option::is_none);
                prop_assert!(unconstrained || observed.some_order_exists());
            }
            Serialisation::Violates { why } => prop_assert!(!observed.some_order_exists(), "{}", why),
            Serialisation::Undecided { .. } => {
                prop_assert!(observed.location.initial.is_none() && observed.values.contains(&None));
            }
        }
    }
}

fn adds(returned: &[u64]) -> Vec<(u32, AtomicOp, Option<u64>)> {
    returned
        .iter()
        .enumerate()
        .map(|(thread, value)| (thread as u32, AtomicOp::Add(1), Some(*value)))
        .collect()
}

#[test]
fn counter_increments_return_each_value_once() {
    assert!(Observed::new(4, Some(0), Some(4), &adds(&[2, 0, 3, 1])).serialises());
    assert!(!Observed::new(4, Some(0), Some(4), &adds(&[2, 0, 2, 1])).serialises(), "a value returned twice");
    assert!(!Observed::new(4, Some(0), Some(3), &adds(&[2, 0, 3, 1])).serialises(), "an increment lost");
    assert!(
        !Observed::new(4, Some(0), Some(5), &adds(&[2, 1, 3, 4])).serialises(),
        "nobody found the initial value"
    );
    assert!(!Observed::new(4, Some(0), Some(4), &adds(&[0, 1, 5, 4])).serialises(), "a gap");
}

#[test]
fn ends_that_are_not_known_are_free() {
    assert!(Observed::new(4, None, Some(9), &adds(&[8, 7])).serialises());
    assert!(Observed::new(4, Some(7), None, &adds(&[8, 7])).serialises());
    assert!(!Observed::new(4, None, Some(8), &adds(&[8, 7])).serialises());
    assert!(!Observed::new(4, Some(8), None, &adds(&[8, 7])).serialises());
}

#[test]
fn closed_trail_begins_anywhere_it_passes_and_ends_there() {
    let swaps = [(0, AtomicOp::Xor(1), Some(0)), (1, AtomicOp::Xor(1), Some(1))];
    assert!(Observed::new(4, Some(0), Some(0), &swaps).serialises());
    assert!(Observed::new(4, Some(1), Some(1), &swaps).serialises());
    assert!(!Observed::new(4, Some(0), Some(1), &swaps).serialises());
    assert!(!Observed::new(4, Some(2), Some(2), &swaps).serialises(), "it does not pass the initial value");
}

/// A CAS that failed is a loop at a value that some order must pass.
#[test]
fn failed_cas_needs_a_visit_to_what_it_returned() {
    let lock = (0, AtomicOp::Cas(0, 1), Some(0));
    assert!(Observed::new(4, Some(0), Some(1), &[lock, (1, AtomicOp::Cas(0, 2), Some(1))]).serialises());
    assert!(!Observed::new(4, Some(0), Some(1), &[lock, (1, AtomicOp::Cas(0, 2), Some(3))]).serialises());
    assert!(
        !Observed::new(4, Some(0), Some(1), &[lock, (1, AtomicOp::Cas(0, 2), Some(0))]).serialises(),
        "both won"
    );
}

#[test]
fn program_order_of_a_thread_is_kept() {
    let swapped = [(0, AtomicOp::Add(1), Some(1)), (0, AtomicOp::Add(1), Some(0))];
    assert!(!Observed::new(4, Some(0), Some(2), &swapped).serialises());
    let kept =
        [(0, AtomicOp::Add(1), Some(0)), (1, AtomicOp::Add(1), Some(1)), (0, AtomicOp::Add(1), Some(2))];
    assert!(Observed::new(4, Some(0), Some(3), &kept).serialises());
}

#[test]
fn reductions_are_judged_by_what_they_leave() {
    let reds = |op: fn(u64) -> AtomicOp| [(0, op(5), None), (1, op(3), None)];
    assert!(Observed::new(4, Some(1), Some(9), &reds(AtomicOp::Add)).serialises());
    assert!(!Observed::new(4, Some(1), Some(6), &reds(AtomicOp::Add)).serialises());
    assert!(Observed::new(4, Some(9), Some(3), &reds(AtomicOp::MinU)).serialises());
    // Exchanges do not commute: either may be last, nothing else.
    assert!(Observed::new(4, Some(1), Some(5), &reds(AtomicOp::Exch)).serialises());
    assert!(Observed::new(4, Some(1), Some(3), &reds(AtomicOp::Exch)).serialises());
    assert!(!Observed::new(4, Some(1), Some(1), &reds(AtomicOp::Exch)).serialises());
    // Nor does float addition associate: 2^24 + 1 + 1 is 2^24 taken one by one from the left, 2^24 + 2 from the right.
    let (big, one, minus) = (16_777_216f32, 1f32, -16_777_216f32);
    let float = |value: f32| u64::from(value.to_bits());
    let sums: Vec<_> =
        [(0, big), (1, one), (2, minus)].map(|(t, v)| (t, AtomicOp::AddF32(v.to_bits()), None)).into();
    for (last, possible) in [(0f32, true), (1.0, true), (2.0, false)] {
        assert_eq!(Observed::new(4, Some(0), Some(float(last)), &sums).serialises(), possible, "{last}");
    }
}

/// PTX: for .f16x2 the atomicity is that of each half.
#[test]
fn halves_of_a_pair_serialise_each_on_its_own() {
    let one = AtomicOp::AddF16x2(0x3c00_3c00);
    // In the low half thread 0 came first (found 0), in the high half thread 1.
    let torn = [(0, one, Some(0x3c00_0000)), (1, one, Some(0x0000_3c00))];
    assert!(Observed::new(4, Some(0), Some(0x4000_4000), &torn).serialises());
    let lost = [(0, one, Some(0)), (1, one, Some(0x0000_3c00))];
    assert!(!Observed::new(4, Some(0), Some(0x4000_4000), &lost).serialises());
}

#[test]
fn payload_of_a_nan_does_not_matter() {
    let nan = AtomicOp::AddF32(0x7fc0_0001);
    let steps = [(0, nan, Some(0x3f80_0000)), (1, AtomicOp::AddF32(0x3f80_0000), Some(0xffc0_1234))];
    assert!(Observed::new(4, Some(0x3f80_0000), Some(0x7fff_ffff), &steps).serialises());
    assert!(!Observed::new(4, Some(0x3f80_0000), Some(0x4000_0000), &steps).serialises());
}

#[test]
fn place_that_does_not_exist_is_a_violation() {
    let observed = Observed::new(4, Some(0), Some(1), &adds(&[0]));
    assert!(matches!(check(&observed.location, |_| None), Serialisation::Violates { .. }));
}

/// Linear time where nothing branches, also with several operations per thread: 40,000 of them.
#[test]
fn large_counters_are_decided() {
    let steps: Vec<_> = (0..40_000u64).map(|i| ((i % 20_000) as u32, AtomicOp::Add(1), Some(i))).collect();
    assert!(Observed::new(4, Some(0), Some(40_000), &steps).serialises());
}

/// Past the bound the answer is "undecided", and quickly.
#[test]
fn hopeless_search_is_given_up() {
    // Sums of distinct powers reach every subset: no memory helps, and the final value is that of none.
    let mut steps: Vec<_> = (0..40u32).map(|i| (i, AtomicOp::Add(1 << i), None)).collect();
    steps.push((40, AtomicOp::Cas(1 << 50, 0), Some(0)));
    steps.push((41, AtomicOp::Add(0), Some(1 << 51)));
    let observed = Observed::new(8, Some(0), Some((1 << 40) - 1), &steps);
    assert!(matches!(observed.check(), Serialisation::Undecided { .. }));
}

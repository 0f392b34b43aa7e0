//! Verdicts: each kind of admission, by hand and by flipping bits of random allowed sets.

use proptest::prelude::*;
use warpdiff_model::allowed::{MaskedRegion, MaskedState, Mismatch, Permits, Value};
use warpdiff_model::serial::{AtomicOp, Location, Operation, Place};
use warpdiff_model::{
    Admission, Allowed, Assignment, Choice, Fault, FaultClass, FaultKind, MismatchClass, Observation,
    Outcome, Permitted, Region, RegionKind, State, Tolerance, ToleranceUnit,
};

fn region(kind: RegionKind, name: &str, bytes: &[u8]) -> Region {
    Region { kind, name: name.into(), bytes: bytes.to_vec() }
}

/// A fully defined, undivided region.
fn masked(kind: RegionKind, name: &str, bytes: &[u8]) -> MaskedRegion {
    let region = region(kind, name, bytes);
    MaskedRegion {
        defined: vec![0xff; bytes.len()].into(),
        unordered: vec![0; bytes.len()].into(),
        stride: 0,
        region,
        values: Vec::new(),
    }
}

fn buffer(bytes: &[u8], stride: u32) -> MaskedRegion {
    MaskedRegion { stride, ..masked(RegionKind::Buffer, "out", bytes) }
}

fn completes(regions: Vec<MaskedRegion>) -> Permitted {
    Permitted::Completed { state: MaskedState { regions, ..MaskedState::default() } }
}

fn fault(class: FaultClass, kind: FaultKind) -> Fault {
    Fault { class, kind, thread: None, line: Some(7), address: None, detail: "suld at x = 16".into() }
}

/// Allowed sets of up to four outcomes, told apart by the alternatives of two choices.
fn allowed(permitted: Vec<Permitted>) -> Allowed {
    let outcomes = permitted.into_iter().zip(0..).map(|(permitted, alternative)| Outcome {
        assignment: assignment(alternative),
        permitted,
        may: Vec::new(),
    });
    Allowed { outcomes: outcomes.collect(), tolerances: Vec::new() }
}

fn assignment(alternative: u8) -> Assignment {
    Assignment::default()
        .with(Choice::SurfaceStraddle, alternative & 1)
        .with(Choice::SurfaceClampPlace, alternative >> 1)
}

fn completed(regions: Vec<Region>) -> Observation {
    Observation::Completed { state: State { regions } }
}

fn out(bytes: &[u8]) -> Observation {
    completed(vec![region(RegionKind::Buffer, "out", bytes)])
}

fn faulted(class: FaultClass) -> Observation {
    Observation::faulted(class)
}

fn conforms(allowed: &Allowed, observation: &Observation) -> bool {
    matches!(allowed.admits(observation), Admission::Conforms { inconsistent: false, .. })
}

fn violates(allowed: &Allowed, observation: &Observation) -> Vec<Mismatch> {
    match allowed.admits(observation) {
        Admission::Violates { mismatches } => {
            assert!(!mismatches.is_empty(), "a violation names its differences");
            mismatches
        }
        other => panic!("expected a violation, got {other:?}"),
    }
}

#[test]
fn exact_state_conforms_and_names_its_assignment() {
    let allowed = allowed(vec![completes(vec![buffer(&[1, 2, 3, 4], 0)])]);
    let admission = allowed.admits(&out(&[1, 2, 3, 4]));
    assert_eq!(admission, Admission::Conforms { inconsistent: false, matches: vec![assignment(0)] });
}

#[test]
fn mismatch_says_where_and_what() {
    let allowed = allowed(vec![completes(vec![buffer(&[0; 12], 4)])]);
    // Bytes 3 to 5 differ; rows are 4 bytes, so the run ends with row 0.
    let mismatches = violates(&allowed, &out(&[0, 0, 0, 7, 8, 9, 0, 0, 0, 0, 0, 0]));
    let [first, second] = &mismatches[..] else { panic!("{mismatches:?}") };
    assert_eq!(
        (first.offset, first.row, &first.expected[..], &first.observed[..]),
        (3, Some(0), &[0][..], &[7][..])
    );
    assert_eq!((second.offset, second.row, &second.observed[..]), (4, Some(1), &[8, 9][..]));
    assert_eq!(second.defined, [0xff, 0xff]);
    assert_eq!(first.region, Some((RegionKind::Buffer, "out".into())));
    assert_eq!(first.class, MismatchClass::Value);
}

#[test]
fn mismatches_are_those_of_the_closest_outcome_and_not_too_many() {
    let far = completes(vec![buffer(&[1; 64], 0)]);
    let near = completes(vec![buffer(&[2; 64], 0)]);
    let mut bytes = [2; 64];
    bytes[10] = 5;
    let mismatches = violates(&allowed(vec![far.clone(), near]), &out(&bytes));
    assert_eq!((mismatches.len(), mismatches[0].offset, mismatches[0].expected[0]), (1, 10, 2));
    let alternating: Vec<u8> = (0..64).map(|i| i % 2).collect();
    assert_eq!(violates(&allowed(vec![far]), &out(&alternating)).len(), Allowed::MISMATCH_LIMIT);
}

#[test]
fn undefined_and_unordered_bits_are_not_compared() {
    let mut region = buffer(&[0b1010, 0], 0);
    region.defined = vec![0x0f, 0xff].into();
    region.unordered = vec![0, 0xf0].into();
    let allowed = allowed(vec![completes(vec![region])]);
    assert!(conforms(&allowed, &out(&[0b1111_1010, 0xf0])));
    assert_eq!(violates(&allowed, &out(&[0b0000_1011, 0]))[0].defined, [0x0f]);
    assert_eq!(violates(&allowed, &out(&[0b1010, 1]))[0].defined, [0x0f]);
}

/// Of a surface: a component of one byte that is 127 or 128, which share no bit, and a binary32 that is some NaN.
fn surface_of_values() -> Allowed {
    let mut region = masked(RegionKind::Surface, "image", &[5, 127, 0, 0, 1, 0, 0x80, 0x7f]);
    region.defined = vec![0xff, 0, 0xff, 0xff, 0, 0, 0x80, 0x7f].into();
    region.values = vec![
        Value { offset: 1, size: 1, permitted: Permits::Either([127, 128]) },
        Value { offset: 4, size: 4, permitted: Permits::Nan(0x7f80_0001) },
    ];
    allowed(vec![completes(vec![region])])
}

#[test]
fn a_value_is_one_of_those_that_are_permitted_although_no_bit_of_it_is_fixed() {
    let allowed = surface_of_values();
    let image = |bytes: &[u8]| completed(vec![region(RegionKind::Surface, "image", bytes)]);
    assert!(conforms(&allowed, &image(&[5, 127, 0, 0, 1, 0, 0x80, 0x7f])));
    assert!(conforms(&allowed, &image(&[5, 128, 0, 0, 0, 0, 0xc0, 0xff])));
    for other in [0, 126, 129, 255] {
        let mismatches = violates(&allowed, &image(&[5, other, 0, 0, 1, 0, 0x80, 0x7f]));
        let [mismatch] = &mismatches[..] else { panic!("{mismatches:?}") };
        assert_eq!(
            (mismatch.offset, &mismatch.expected[..], &mismatch.defined[..]),
            (1, &[127][..], &[0xff][..])
        );
        assert!(mismatch.detail.ends_with("; at 1 is permitted 7f or 80"), "{}", mismatch.detail);
    }
    // Infinity has all bits that NaNs share.
    let mismatches = violates(&allowed, &image(&[5, 127, 0, 0, 0, 0, 0x80, 0x7f]));
    assert_eq!((mismatches[0].offset, mismatches[0].observed.len()), (4, 4));
    assert!(mismatches[0].detail.ends_with("; at 4 is permitted a NaN"), "{}", mismatches[0].detail);
    // A number is wrong in its exponent as well; it is one difference.
    assert_eq!(violates(&allowed, &image(&[5, 127, 0, 0, 1, 0, 0x80, 0x3f])).len(), 1);
}

#[test]
fn a_value_that_another_state_does_not_permit_is_undefined_in_both() {
    let Allowed { mut outcomes, .. } = surface_of_values();
    let Permitted::Completed { state } = &mut outcomes[0].permitted else { panic!() };
    let mut kept = state.regions[0].clone();
    kept.values[0].permitted = Permits::Either([128, 127]);
    let mut region = state.regions[0].clone();
    region.region.bytes[4] = 0;
    region.keep_values_of(&kept);
    assert_eq!(region.values, kept.values[1..]);
    assert_eq!(region.region.bytes[4..], [1, 0, 0x80, 0x7f], "an example of what is permitted");
    region.unordered.to_mut()[5] = 1;
    region.keep_values_of(&kept);
    assert!(region.values.is_empty());
}

#[test]
fn union_over_choices() {
    let allowed = allowed(vec![completes(vec![buffer(&[1, 1], 0)]), completes(vec![buffer(&[2, 2], 0)])]);
    let matches = |bytes| match allowed.admits(&out(bytes)) {
        Admission::Conforms { inconsistent: false, matches } => matches,
        other => panic!("{other:?}"),
    };
    assert_eq!(matches(&[1, 1]), [assignment(0)]);
    assert_eq!(matches(&[2, 2]), [assignment(1)]);
    violates(&allowed, &out(&[1, 2]));
}

#[test]
fn rows_that_decide_a_choice_differently_conform_inconsistently() {
    let allowed =
        allowed(vec![completes(vec![buffer(&[1, 1, 1, 1], 2)]), completes(vec![buffer(&[2, 2, 2, 2], 2)])]);
    let mixed = Admission::Conforms { inconsistent: true, matches: Vec::new() };
    assert_eq!(allowed.admits(&out(&[1, 1, 2, 2])), mixed);
    // Within a row it is one instruction that decided; half of each is neither.
    violates(&allowed, &out(&[1, 2, 1, 1]));
    violates(&allowed, &out(&[1, 1, 2, 3]));
}

#[test]
fn undivided_regions_are_those_of_one_outcome_as_a_whole() {
    let guard = |fill: u8| masked(RegionKind::Guard, "out", &[fill; 4]);
    let state = |fill: u8| completes(vec![buffer(&[fill; 4], 2), guard(fill)]);
    let allowed = allowed(vec![state(1), state(2)]);
    let observe = |out: &[u8], guard: &[u8]| {
        completed(vec![region(RegionKind::Buffer, "out", out), region(RegionKind::Guard, "out", guard)])
    };
    assert!(matches!(
        allowed.admits(&observe(&[1, 1, 2, 2], &[2; 4])),
        Admission::Conforms { inconsistent: true, .. }
    ));
    violates(&allowed, &observe(&[1, 1, 1, 1], &[1, 1, 2, 2]));
}

#[test]
fn guard_bands_are_named_by_side() {
    let allowed = allowed(vec![completes(vec![masked(RegionKind::Guard, "out", &[0xa5; 8])])]);
    let mut bytes = [0xa5; 8];
    bytes[3] = 0;
    bytes[4] = 0;
    let observed = |bytes: &[u8]| completed(vec![region(RegionKind::Guard, "out", bytes)]);
    let mismatch = &violates(&allowed, &observed(&bytes))[0];
    assert_eq!(mismatch.class, MismatchClass::OutOfBounds);
    assert!(mismatch.detail.contains("before"), "{}", mismatch.detail);
    bytes[3] = 0xa5;
    assert!(violates(&allowed, &observed(&bytes))[0].detail.contains("after"));
}

#[test]
fn regions_go_by_name_and_must_all_be_there() {
    let regions = || vec![masked(RegionKind::Buffer, "a", &[1]), masked(RegionKind::Buffer, "b", &[2])];
    let allowed = allowed(vec![completes(regions())]);
    let (a, b) = (region(RegionKind::Buffer, "a", &[1]), region(RegionKind::Buffer, "b", &[2]));
    assert!(conforms(&allowed, &completed(vec![b.clone(), a.clone()])), "the order does not matter");
    let lacking = violates(&allowed, &completed(vec![a.clone()]));
    assert_eq!(lacking[0].region, Some((RegionKind::Buffer, "b".into())));
    let short = region(RegionKind::Buffer, "b", &[]);
    assert!(violates(&allowed, &completed(vec![a.clone(), short]))[0].detail.contains("0 bytes"));
    violates(&allowed, &completed(vec![a.clone(), b.clone(), region(RegionKind::Surface, "b", &[])]));
    violates(&allowed, &completed(vec![a.clone(), b, a]));
}

#[test]
fn values_within_their_tolerance() {
    let bits = |value: f32| value.to_bits().to_le_bytes();
    let row = |value: f32| [bits(value), [9; 4]].concat();
    let mut set = allowed(vec![completes(vec![buffer(&[row(1.0), row(0.0)].concat(), 8)])]);
    set.tolerances =
        vec![Tolerance { region: 0, offset: 0, stride: 8, size: 4, unit: ToleranceUnit::Ulps(2) }];
    let next = |value: f32, steps: u32| f32::from_bits(value.to_bits() + steps);
    let observe = |a: f32, b: f32| out(&[row(a), row(b)].concat());
    assert!(conforms(&set, &observe(next(1.0, 2), -0.0)));
    assert_eq!(violates(&set, &observe(next(1.0, 3), 0.0))[0].row, Some(0));
    assert_eq!(violates(&set, &observe(1.0, f32::NAN))[0].row, Some(1));
    // What is beside the value is compared exactly, also where the value itself differs within its tolerance.
    let mut beside = [row(next(1.0, 1)), row(0.0)].concat();
    beside[4] = 8;
    assert_eq!(violates(&set, &out(&beside))[0].offset, 4);
    // A value of which one bit is undefined has no distance.
    let Permitted::Completed { state } = &mut set.outcomes[0].permitted else { unreachable!() };
    state.regions[0].defined.to_mut()[0] = 0xfe;
    assert!(conforms(&set, &observe(next(1.0, 1), 0.0)), "the undefined bit");
    violates(&set, &observe(next(1.0, 2), 0.0));
}

#[test]
fn must_fault() {
    let must = |class| allowed(vec![Permitted::Faulted { faults: vec![fault(class, FaultKind::Must)] }]);
    let trap = must(FaultClass::SurfaceTrap);
    // "causes an execution trap": which error the host sees is not said.
    assert!(conforms(&trap, &faulted(FaultClass::SurfaceTrap)));
    assert!(conforms(&trap, &faulted(FaultClass::Unspecified)));
    assert!(conforms(&trap, &faulted(FaultClass::OutOfBounds)));
    violates(&trap, &faulted(FaultClass::Assert));
    let mismatch = &violates(&trap, &out(&[1]))[0];
    assert_eq!(mismatch.class, MismatchClass::OutOfBounds);
    assert!(
        mismatch.detail.starts_with("must fault with surface-trap, but completed"),
        "{}",
        mismatch.detail
    );
    assert_eq!(violates(&must(FaultClass::Misaligned), &out(&[1]))[0].class, MismatchClass::Alignment);
    assert!(conforms(&must(FaultClass::Assert), &faulted(FaultClass::Assert)));
    violates(&must(FaultClass::Assert), &faulted(FaultClass::Unspecified));
}

#[test]
fn may_fault() {
    let mut set = allowed(vec![completes(vec![buffer(&[1], 0)])]);
    violates(&set, &faulted(FaultClass::Misaligned));
    set.outcomes[0].may = vec![fault(FaultClass::Misaligned, FaultKind::May)];
    assert!(conforms(&set, &faulted(FaultClass::Misaligned)));
    assert!(conforms(&set, &out(&[1])));
    violates(&set, &out(&[2]));
}

#[test]
fn choice_between_completing_and_faulting() {
    let faults = vec![fault(FaultClass::Misaligned, FaultKind::Must)];
    let set = allowed(vec![completes(vec![buffer(&[1], 0)]), Permitted::Faulted { faults }]);
    let admission = set.admits(&faulted(FaultClass::Unspecified));
    assert_eq!(admission, Admission::Conforms { inconsistent: false, matches: vec![assignment(1)] });
    assert!(conforms(&set, &out(&[1])));
    violates(&set, &out(&[2]));
}

#[test]
fn status_that_is_never_allowed() {
    let set = allowed(vec![completes(vec![buffer(&[1], 0)])]);
    let class = |observation: &Observation| violates(&set, observation)[0].class;
    let rejected = Observation::rejected("load", "no kernel image");
    assert_eq!(class(&rejected), MismatchClass::Legality);
    assert_eq!(class(&Observation::Crashed { signal: 11 }), MismatchClass::Crash);
    assert_eq!(class(&Observation::timed_out()), MismatchClass::Hang);
}

#[test]
fn time_out_is_allowed_where_the_reference_does_not_end_either() {
    let set = allowed(vec![Permitted::TimedOut]);
    assert!(conforms(&set, &Observation::timed_out()));
    assert!(matches!(set.admits(&out(&[1])), Admission::Indeterminate { .. }));
    assert!(matches!(set.admits(&faulted(FaultClass::Trap)), Admission::Indeterminate { .. }));
    violates(&set, &Observation::Crashed { signal: 6 });
}

#[test]
fn what_was_not_run_is_not_judged() {
    let indeterminate =
        Permitted::Indeterminate { place: "bra, line 4".into(), origin: "%p1 is never set".into() };
    let set = allowed(vec![completes(vec![buffer(&[1], 0)]), indeterminate]);
    let not_run = Observation::NotRun { why: "no device".into() };
    assert_eq!(set.admits(&not_run), Admission::NotJudged { why: "no device".into() });
    assert!(matches!(
        set.admits(&Observation::Unsupported { what: "tex".into() }),
        Admission::NotJudged { .. }
    ));
    // A defect of the case is never a pass, whatever was observed.
    for observation in [out(&[1]), out(&[2]), faulted(FaultClass::Trap), Observation::timed_out()] {
        let Admission::Indeterminate { why } = set.admits(&observation) else { panic!("{observation:?}") };
        assert!(why.contains("bra, line 4") && why.contains("%p1 is never set"), "{why}");
    }
}

#[test]
fn masks_of_the_wrong_size_let_nothing_pass() {
    let mut region = buffer(&[1, 2], 0);
    region.defined.to_mut().pop();
    assert!(matches!(
        allowed(vec![completes(vec![region])]).admits(&out(&[1, 2])),
        Admission::Indeterminate { .. }
    ));
    assert!(matches!(allowed(Vec::new()).admits(&out(&[1])), Admission::Indeterminate { .. }));
}

/// Two threads increment a counter; what they found is in bytes 0 to 3 and 4 to 7, the counter in 8 to 11.
fn counter() -> Allowed {
    let place = |offset| Some(Place { region: 0, offset });
    let operations = [0, 1].map(|thread| Operation {
        op: AtomicOp::Add(1),
        thread,
        returned: place(4 * thread as usize),
        spin: None,
    });
    let serial = Location {
        name: "global `out`+8, epoch 0".into(),
        width: 4,
        initial: Some(0),
        last: place(8),
        operations: operations.into(),
    };
    let mut region = buffer(&[0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0], 4);
    region.unordered.to_mut()[..8].fill(0xff);
    let state = MaskedState { regions: vec![region], serial: vec![serial], ..MaskedState::default() };
    allowed(vec![Permitted::Completed { state }])
}

#[test]
fn atomics_must_serialise() {
    let observe = |a, b, last| out(&[a, 0, 0, 0, b, 0, 0, 0, last, 0, 0, 0]);
    assert!(conforms(&counter(), &observe(0, 1, 2)));
    assert!(conforms(&counter(), &observe(1, 0, 2)));
    let mismatch = &violates(&counter(), &observe(0, 0, 2))[0];
    assert_eq!(mismatch.class, MismatchClass::Atomicity);
    assert!(mismatch.detail.starts_with("global `out`+8, epoch 0: "), "{}", mismatch.detail);
    violates(&counter(), &observe(1, 2, 2));
    violates(&counter(), &observe(0, 1, 1));
}

#[test]
fn undecided_serialisation_is_no_pass_and_no_excuse() {
    let mut set = counter();
    let Permitted::Completed { state } = &mut set.outcomes[0].permitted else { unreachable!() };
    // Nobody knows what the counter held before, nor what the first operation found.
    state.serial[0].initial = None;
    state.serial[0].operations.iter_mut().for_each(|operation| operation.op = AtomicOp::Exch(7));
    state.serial[0].operations[0].returned = None;
    state.serial[0].operations.push(Operation {
        op: AtomicOp::Add(1),
        thread: 2,
        returned: None,
        spin: None,
    });
    let observe = |b, last| out(&[0, 0, 0, 0, b, 0, 0, 0, last, 0, 0, 0]);
    assert!(matches!(set.admits(&observe(1, 2)), Admission::Indeterminate { .. }));
    violates(&set, &observe(1, 3));
}

/// A completed state with random bytes and masks: a divided buffer, its guard, a surface.
fn state(fill: impl Strategy<Value = u8> + Clone + 'static) -> impl Strategy<Value = MaskedState> {
    let bytes = move |len| prop::collection::vec((fill.clone(), any::<u8>(), any::<u8>()), len);
    (bytes(12), bytes(8), bytes(6)).prop_map(|(buffer, guard, surface)| {
        let region = |kind, name, stride, bytes: Vec<(u8, u8, u8)>| MaskedRegion {
            region: region(kind, name, &bytes.iter().map(|(b, d, _)| b & d).collect::<Vec<_>>()),
            defined: bytes.iter().map(|(_, d, _)| *d).collect(),
            unordered: bytes.iter().map(|(_, d, u)| d & u).collect(),
            stride,
            values: Vec::new(),
        };
        let regions = vec![
            region(RegionKind::Buffer, "out", 4, buffer),
            region(RegionKind::Guard, "out", 0, guard),
            region(RegionKind::Surface, "image", 0, surface),
        ];
        MaskedState { regions, ..MaskedState::default() }
    })
}

/// The state with every bit that is not compared set from `noise`, and one more bit flipped.
fn observation(state: &MaskedState, noise: u8, flip: Option<(usize, usize, u8)>) -> Observation {
    let regions = state.regions.iter().enumerate().map(|(index, masked)| {
        let compared = |i: usize| masked.defined[i] & !masked.unordered[i];
        let bytes = masked.region.bytes.iter().enumerate();
        let mut bytes: Vec<u8> = bytes.map(|(i, b)| b & compared(i) | noise & !compared(i)).collect();
        if let Some((region, offset, bit)) = flip
            && region == index
        {
            bytes[offset] ^= 1 << bit;
        }
        Region { bytes, ..masked.region.clone() }
    });
    completed(regions.collect())
}

/// Every bit of a state: region, byte, bit, and whether it is compared.
fn bits(state: &MaskedState) -> impl Iterator<Item = (usize, usize, u8, bool)> + '_ {
    state.regions.iter().enumerate().flat_map(|(region, masked)| {
        (0..masked.defined.len()).flat_map(move |offset| {
            let compared = masked.defined[offset] & !masked.unordered[offset];
            (0..8).map(move |bit| (region, offset, bit, compared >> bit & 1 == 1))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// One outcome: flipping a compared bit violates and is reported there, flipping any other conforms.
    #[test]
    fn each_bit_of_one_outcome(state in state(any::<u8>()), noise in any::<u8>()) {
        let set = allowed(vec![Permitted::Completed { state: state.clone() }]);
        prop_assert!(conforms(&set, &observation(&state, noise, None)));
        for (region, offset, bit, compared) in bits(&state) {
            let flipped = observation(&state, noise, Some((region, offset, bit)));
            if compared {
                let mismatches = violates(&set, &flipped);
                prop_assert_eq!(mismatches.len(), 1);
                let place = &state.regions[region].region;
                prop_assert_eq!(mismatches[0].region.as_ref(), Some(&(place.kind, place.name.clone())));
                prop_assert_eq!(mismatches[0].offset, offset);
            } else {
                prop_assert!(conforms(&set, &flipped));
            }
        }
    }

    /// Several outcomes: the verdict on a flipped state is that of an independent enumeration, row by row.
    #[test]
    fn each_bit_of_a_union(
        states in prop::collection::vec(state(0u8..2), 1..4),
        chosen in any::<prop::sample::Index>(),
        noise in any::<u8>(),
    ) {
        let set = allowed(states.iter().map(|state| Permitted::Completed { state: state.clone() }).collect());
        let from = chosen.get(&states);
        for (region, offset, bit, _) in bits(from) {
            let flipped = observation(from, noise, Some((region, offset, bit)));
            let Observation::Completed { state: observed } = &flipped else { unreachable!() };
            let agrees = |state: &MaskedState, region: usize, rows: std::ops::Range<usize>| rows.into_iter().all(|i| {
                let masked = &state.regions[region];
                let compared = masked.defined[i] & !masked.unordered[i];
                (masked.region.bytes[i] ^ observed.regions[region].bytes[i]) & compared == 0
            });
            let units = [(0, 0..4), (0, 4..8), (0, 8..12), (1, 0..8), (2, 0..6)];
            let whole = states.iter().any(|s| units.iter().all(|(region, rows)| agrees(s, *region, rows.clone())));
            let mixed = units.iter().all(|(region, rows)| states.iter().any(|s| agrees(s, *region, rows.clone())));
            match set.admits(&flipped) {
                Admission::Conforms { inconsistent: false, .. } => prop_assert!(whole),
                Admission::Conforms { inconsistent: true, .. } => prop_assert!(mixed && !whole),
                Admission::Violates { .. } => prop_assert!(!mixed),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }

    /// Whatever regions an observation has, there is a verdict.
    #[test]
    fn no_observation_is_too_odd(
        state in state(any::<u8>()),
        regions in prop::collection::vec((0usize..3, prop::sample::select(vec!["out", "image", ""]), 0usize..14), 0..5),
    ) {
        let set = allowed(vec![Permitted::Completed { state }]);
        let kinds = [RegionKind::Buffer, RegionKind::Guard, RegionKind::Surface];
        let odd = regions.into_iter().map(|(kind, name, len)| region(kinds[kind], name, &vec![0; len]));
        let _: Admission = set.admits(&completed(odd.collect()));
    }
}

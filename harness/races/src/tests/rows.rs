//! Rows of accesses that repeat earlier ones.

use super::*;

/// An access by one thread, or by 32 threads to words that lie one after the other; or a barrier.
#[derive(Clone, Copy, Debug)]
enum Step {
    ReadOne(u32, usize),
    WriteOne(u32, usize),
    StrongOne(u32, usize, Strong),
    ReadRow(usize),
    WriteRow(usize),
    StrongRow(usize, Strong),
    Barrier,
    Fence(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let (thread, offset) = (0..THREADS, 0..33usize);
    let row = prop_oneof![4 => Just(0usize), 1 => Just(4)];
    let strong = prop_oneof![6 => Just(ATOMIC), 4 => Just(LOAD), 4 => Just(STORE), 1 => Just(ACQUIRE), 1 => Just(RELEASE)];
    prop_oneof![
        1 => (thread.clone(), offset.clone()).prop_map(|(thread, word)| Step::ReadOne(thread, 4 * word)),
        1 => (thread.clone(), offset.clone()).prop_map(|(thread, word)| Step::WriteOne(thread, 4 * word)),
        1 => (thread, offset, strong.clone())
            .prop_map(|(thread, word, strong)| Step::StrongOne(thread, 4 * word, strong)),
        4 => row.clone().prop_map(Step::ReadRow),
        4 => row.clone().prop_map(Step::WriteRow),
        8 => (row, strong).prop_map(|(offset, strong)| Step::StrongRow(offset, strong)),
        1 => Just(Step::Barrier),
        1 => (0..THREADS).prop_map(Step::Fence),
    ]
}

fn each_of_row(
    m: &mut Machine,
    offset: usize,
    access: impl Fn(&mut Machine, u32, usize, u32) -> u32,
) -> Vec<u32> {
    (0..32).map(|lane| access(m, lane, offset + 4 * lane as usize, 4)).collect()
}

/// Accesses a row, which changes nothing if it is said to repeat earlier accesses.
fn accesses_row(
    m: &mut Machine,
    repeats: bool,
    offset: usize,
    access: impl Fn(&mut Machine, u32, usize, u32) -> u32,
) -> Result<(), TestCaseError> {
    let before = format!("{:?}{:?}", m.clocks, m.shadow);
    let raced = each_of_row(m, offset, access);
    if repeats {
        prop_assert_eq!(raced, vec![0; 32]);
        prop_assert_eq!(before, format!("{:?}{:?}", m.clocks, m.shadow));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A row said to repeat earlier accesses may be passed over: its accesses answer 0 and change nothing. A row just accessed, with
    /// nothing else since and no race, does repeat.
    #[test]
    fn rows_that_repeat_change_nothing(steps in prop::collection::vec(step(), 1..12)) {
        let mut m = Machine::of(Clocks::new(1, THREADS), unaccessed(0, 132));
        for step in steps {
            match step {
                Step::ReadOne(thread, offset) => _ = m.read(thread, offset, 4),
                Step::WriteOne(thread, offset) => _ = m.write(thread, offset, 4),
                Step::StrongOne(thread, offset, strong) => _ = m.strong(thread, offset, strong),
                Step::Barrier => m.clocks.barrier(0),
                Step::Fence(thread) => m.clocks.fence(thread, Scope::Grid),
                Step::ReadRow(offset) => {
                    let repeats = m.shadow.repeats_reads::<4>(&m.clocks, offset, 0);
                    accesses_row(&mut m, repeats, offset, Machine::read)?;
                }
                Step::WriteRow(offset) => {
                    let repeats = m.shadow.repeats_writes::<4>(&m.clocks, offset, 0);
                    accesses_row(&mut m, repeats, offset, Machine::write)?;
                }
                Step::StrongRow(offset, strong) => {
                    let repeats = m.shadow.repeats_strong(&m.clocks, offset, 0, strong);
                    let access =
                        |m: &mut Machine, thread, offset, _| m.strong(thread, offset, strong);
                    accesses_row(&mut m, repeats, offset, access)?;
                }
            }
        }
    }
}

#[test]
fn a_row_accessed_twice_repeats_until_a_barrier_or_somebody_else() {
    let mut m = Machine::of(Clocks::new(1, THREADS), unaccessed(0, 132));
    let repeats = |m: &Machine| {
        (m.shadow.repeats_reads::<4>(&m.clocks, 4, 0), m.shadow.repeats_writes::<4>(&m.clocks, 4, 0))
    };
    assert_eq!(repeats(&m), (false, false));
    each_of_row(&mut m, 4, Machine::read);
    assert_eq!(repeats(&m), (true, false));
    each_of_row(&mut m, 4, Machine::write);
    each_of_row(&mut m, 4, Machine::read);
    assert_eq!(repeats(&m), (true, true));
    assert_eq!(
        (m.shadow.repeats_reads::<4>(&m.clocks, 8, 0), m.shadow.repeats_reads::<4>(&m.clocks, 4, 1)),
        (false, false)
    );
    assert!(!m.shadow.repeats_reads::<8>(&m.clocks, 0, 0), "the row is longer than the memory");
    m.clocks.barrier(0);
    assert_eq!(repeats(&m), (false, false));
    each_of_row(&mut m, 4, Machine::write);
    each_of_row(&mut m, 4, Machine::read);
    assert_eq!(repeats(&m), (true, true));
    assert_eq!(m.write(33, 8, 4), 0b1111, "it races");
    assert_eq!(repeats(&m), (false, false));
}

#[test]
fn a_row_of_atomics_repeats_until_somebody_else_or_another_scope() {
    let mut m = Machine::of(Clocks::new(1, THREADS), unaccessed(0, 132));
    each_of_row(&mut m, 0, Machine::write);
    m.clocks.barrier(0);
    let repeats = |m: &Machine, strong| m.shadow.repeats_strong(&m.clocks, 0, 0, strong);
    assert!(!repeats(&m, ATOMIC));
    each_of_row(&mut m, 0, |m, thread, offset, _| m.atomic(thread, offset));
    assert!(repeats(&m, ATOMIC));
    assert!(!repeats(&m, Strong { scope: Scope::Cta, ..ATOMIC }));
    assert!(!repeats(&m, Strong { order: Order::Acquire, ..ATOMIC }));
    assert_eq!(m.atomic(33, 124), 0);
    assert!(!repeats(&m, ATOMIC));
}

#[test]
fn a_row_of_strong_loads_and_stores_repeats_until_somebody_else_or_a_release() {
    let mut m = Machine::of(Clocks::new(1, THREADS), unaccessed(0, 132));
    let repeats =
        |m: &Machine| [LOAD, STORE, ATOMIC].map(|strong| m.shadow.repeats_strong(&m.clocks, 0, 0, strong));
    assert_eq!(repeats(&m), [false; 3]);
    each_of_row(&mut m, 0, |m, thread, offset, _| m.strong(thread, offset, LOAD));
    assert_eq!(repeats(&m), [true, false, false]);
    each_of_row(&mut m, 0, |m, thread, offset, _| m.strong(thread, offset, STORE));
    assert_eq!(repeats(&m), [true; 3], "the two are what an atomic does");
    m.strong(33, 128, RELEASE);
    assert_eq!(repeats(&m), [true; 3], "it releases what is read elsewhere");
    assert_eq!(m.strong(33, 124, LOAD), 0);
    assert_eq!(repeats(&m), [false; 3]);
    m.clocks.barrier(0);
    each_of_row(&mut m, 0, |m, thread, offset, _| m.strong(thread, offset, ATOMIC));
    assert_eq!(
        repeats(&m),
        [false, false, true],
        "a store ends the release sequence that an atomic goes on with"
    );
}

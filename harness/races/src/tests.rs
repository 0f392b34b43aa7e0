//! Races by hand, from PTX ISA 8 (memory consistency model).

mod definitions;
mod rows;

use proptest::prelude::*;

use super::{Arrivals, Clocks, Met, Order, RacedBytes, SHARED_SHADOWS, Scope, Shadow, Strong, StrongKind};

/// Two CTAs of 34 threads: a full warp and one of two lanes.
const THREADS: u32 = 34;

/// A relaxed atomic of grid scope: `atom` and `red` without `.sem` and `.scope`.
const ATOMIC: Strong = Strong { kind: StrongKind::Update, order: Order::Relaxed, scope: Scope::Grid };

/// A shadow of bytes of which nothing is known.
fn unaccessed(number: u32, len: usize) -> Shadow {
    Shadow::knowing(number, len, RacedBytes::default())
}

/// One buffer of 64 bytes and two CTAs.
struct Machine {
    clocks: Clocks,
    shadow: Shadow,
    arrivals: Arrivals,
}

impl Machine {
    fn new() -> Self {
        Self::of(Clocks::new(2, THREADS), unaccessed(0, 64))
    }

    fn of(clocks: Clocks, shadow: Shadow) -> Self {
        Self { clocks, shadow, arrivals: Arrivals::default() }
    }

    fn reporting() -> Self {
        Self { shadow: Shadow::reporting(0, 64), ..Self::new() }
    }

    fn read(&mut self, thread: u32, offset: usize, len: u32) -> u32 {
        self.shadow.read(&mut self.clocks, offset, len, thread)
    }

    fn write(&mut self, thread: u32, offset: usize, len: u32) -> u32 {
        self.shadow.write(&mut self.clocks, offset, len, thread)
    }

    fn strong(&mut self, thread: u32, offset: usize, strong: Strong) -> u32 {
        self.shadow.strong(&mut self.clocks, offset, 4, thread, strong)
    }

    /// What the accesses since the last call met, all made by one operation.
    fn met(&mut self, operation: u32) -> Option<Met> {
        self.shadow.take_met(&self.clocks, operation)
    }

    fn atomic(&mut self, thread: u32, offset: usize) -> u32 {
        self.strong(thread, offset, ATOMIC)
    }
}

const fn strong(kind: StrongKind, order: Order, scope: Scope) -> Strong {
    Strong { kind, order, scope }
}

const LOAD: Strong = strong(StrongKind::Read, Order::Relaxed, Scope::Grid);
const STORE: Strong = strong(StrongKind::Write, Order::Relaxed, Scope::Grid);
const ACQUIRE: Strong = strong(StrongKind::Read, Order::Acquire, Scope::Grid);
const RELEASE: Strong = strong(StrongKind::Write, Order::Release, Scope::Grid);

#[test]
fn thread_does_not_race_with_itself() {
    let mut m = Machine::new();
    assert_eq!(m.write(0, 0, 4), 0);
    assert_eq!(m.read(0, 0, 4), 0);
    assert_eq!(m.atomic(0, 0), 0);
    m.clocks.fence(0, Scope::Grid);
    assert_eq!(m.write(0, 0, 4), 0);
    assert!(!m.shadow.raced_late());
}

#[test]
fn reads_do_not_race() {
    let mut m = Machine::new();
    for thread in 0..2 * THREADS {
        assert_eq!(m.read(thread, 0, 16), 0);
    }
    assert!(!m.shadow.raced_late());
}

/// Two lanes of one instruction that store to the same byte are two threads.
#[test]
fn write_races_with_write_exactly_where_they_overlap() {
    let mut m = Machine::new();
    assert_eq!(m.write(0, 0, 8), 0);
    assert_eq!(m.write(1, 4, 8), 0b0000_1111);
    assert_eq!(m.write(33, 0, 16), 0x0fff);
    assert_eq!(m.write(2, 15, 1), 1);
    assert_eq!(m.write(3, 16, 1), 0);
}

#[test]
fn read_after_an_unordered_write_races_each_time() {
    let mut m = Machine::new();
    m.write(0, 0, 4);
    assert_eq!(m.read(1, 2, 4), 0b0011);
    assert_eq!(m.read(1, 2, 4), 0b0011);
    assert!(!m.shadow.raced_late());
}

#[test]
fn write_after_an_unordered_read_comes_late() {
    let mut m = Machine::new();
    assert_eq!(m.read(0, 0, 4), 0);
    assert_eq!(m.write(1, 2, 4), 0, "what it leaves there is not in doubt");
    assert!(m.shadow.raced_late());
    // The launch is run again, and the read is told.
    let known = m.shadow.into_raced();
    let mut m = Machine::of(Clocks::new(2, THREADS), Shadow::knowing(0, 64, known));
    assert_eq!(m.read(0, 0, 4), 0b1100);
    assert_eq!(m.read(0, 0, 4), 0b1100);
    m.write(1, 2, 4);
    assert!(!m.shadow.raced_late());
    assert_eq!(m.read(2, 8, 4), 0);
    m.write(3, 8, 4);
    assert!(m.shadow.raced_late());
    let mut again = Shadow::knowing(0, 64, m.shadow.into_raced());
    let mut clocks = Clocks::new(2, THREADS);
    assert_eq!(again.read(&mut clocks, 0, 16, 0), 0x0f0c, "known bytes add up");
}

#[test]
fn barrier_orders_its_cta_only() {
    let mut m = Machine::new();
    m.write(0, 0, 4);
    m.read(1, 4, 4);
    m.clocks.barrier(0);
    assert_eq!(m.read(33, 0, 4), 0);
    assert_eq!(m.write(33, 4, 4), 0);
    assert!(!m.shadow.raced_late());
    assert_eq!(m.read(THREADS, 0, 4), 0xf, "another CTA");
    m.clocks.barrier(1);
    assert_eq!(m.read(THREADS, 0, 4), 0xf, "its own barrier does not help");
    // The barrier does not order what came after it.
    m.write(2, 8, 4);
    assert_eq!(m.read(3, 8, 4), 0xf);
}

#[test]
fn warp_synchronisation_orders_the_lanes_of_its_mask_only() {
    let mut m = Machine::new();
    m.write(0, 0, 4);
    m.clocks.warp_sync(0, 0, u32::MAX);
    assert_eq!(m.read(31, 0, 4), 0);
    assert_eq!(m.read(32, 0, 4), 0xf, "the other warp");
    m.write(1, 4, 4);
    m.clocks.warp_sync(0, 0, 0b0110);
    assert_eq!(m.read(2, 4, 4), 0);
    assert_eq!(m.read(3, 4, 4), 0xf, "a lane outside the mask");
    // The last warp has two lanes; a mask of more means both.
    m.write(32, 8, 4);
    m.clocks.warp_sync(0, 1, u32::MAX);
    assert_eq!(m.read(33, 8, 4), 0);
}

#[test]
fn executing_together_is_no_synchronisation() {
    let mut m = Machine::new();
    m.write(0, 0, 4);
    assert_eq!(m.read(1, 0, 4), 0xf);
    m.clocks.warp_sync(0, 1, u32::MAX);
    assert_eq!(m.read(2, 0, 4), 0xf);
}

/// bar.sync of some warps, and bar.arrive: the producer does not wait.
#[test]
fn named_barriers_order_what_arrived_before_what_waited() {
    let mut m = Machine::new();
    m.write(0, 0, 4);
    m.read(32, 4, 4);
    m.clocks.arrive(&mut m.arrivals, 0);
    assert_eq!(m.write(0, 8, 4), 0, "it does not wait, and goes on before the other comes");
    m.clocks.barrier_among(m.arrivals.clone(), &[32]);
    assert_eq!(m.read(32, 8, 4), 0xf, "so that this is not ordered");
    assert_eq!(m.read(32, 0, 4), 0);
    assert_eq!(m.read(1, 0, 4), 0xf, "it took no part");
    m.write(0, 4, 4);
    assert!(m.shadow.raced_late(), "the producer learned nothing of the consumer");
    assert_eq!(m.read(32, 4, 4), 0xf, "and what it does afterwards is not ordered");
}

/// What one thread acquired, a barrier passes on to the others.
#[test]
fn barriers_pass_on_what_was_acquired() {
    for pass_on in [Clocks::barrier as fn(&mut Clocks, u32), |clocks, cta| clocks.warp_sync(cta, 0, u32::MAX)]
    {
        let mut m = Machine::new();
        m.write(THREADS + 5, 0, 4);
        m.clocks.barrier(1);
        m.strong(THREADS, 32, RELEASE);
        m.strong(0, 32, ACQUIRE);
        assert_eq!(m.read(1, 0, 4), 0xf);
        pass_on(&mut m.clocks, 0);
        assert_eq!(m.read(1, 0, 4), 0);
    }
}

#[test]
fn message_passing_needs_both_sides() {
    let fences = [(true, true, 0), (true, false, 0xf), (false, true, 0xf), (false, false, 0xf)];
    for (producer, consumer, raced) in fences {
        let mut m = Machine::new();
        m.write(0, 0, 4);
        if producer {
            m.clocks.fence(0, Scope::Grid);
        }
        assert_eq!(m.strong(0, 32, STORE), 0);
        assert_eq!(m.strong(THREADS, 32, LOAD), 0);
        if consumer {
            m.clocks.fence(THREADS, Scope::Grid);
        }
        assert_eq!(m.read(THREADS, 0, 4), raced, "{producer} {consumer}");
    }
    // With .release and .acquire instead of fences.
    let mut m = Machine::new();
    m.write(0, 0, 4);
    m.strong(0, 32, RELEASE);
    assert_eq!(m.read(THREADS, 0, 4), 0xf);
    m.strong(THREADS, 32, ACQUIRE);
    assert_eq!(m.read(THREADS, 0, 4), 0);
    // What came after the release is not part of it.
    m.write(0, 8, 4);
    m.strong(THREADS, 32, ACQUIRE);
    assert_eq!(m.read(THREADS, 8, 4), 0xf);
}

/// Scopes must include the other thread on both sides.
#[test]
fn cta_scope_does_not_reach_another_cta() {
    for (release, acquire, reader, raced) in [
        (Scope::Cta, Scope::Cta, 1, 0),
        (Scope::Cta, Scope::Grid, THREADS, 0xf),
        (Scope::Grid, Scope::Cta, THREADS, 0xf),
        (Scope::Grid, Scope::Grid, THREADS, 0),
    ] {
        let mut m = Machine::new();
        m.write(0, 0, 4);
        m.clocks.fence(0, release);
        m.strong(0, 32, STORE);
        m.strong(reader, 32, LOAD);
        m.clocks.fence(reader, acquire);
        assert_eq!(m.read(reader, 0, 4), raced, "{release:?} {acquire:?}");
    }
    // A wider fence before a narrower one still stands behind what it covered.
    let mut m = Machine::new();
    m.write(0, 0, 4);
    m.clocks.fence(0, Scope::Grid);
    m.write(0, 4, 4);
    m.clocks.fence(0, Scope::Cta);
    m.strong(0, 32, STORE);
    m.strong(THREADS, 32, ACQUIRE);
    assert_eq!(m.read(THREADS, 0, 8), 0xf0);
}

/// A lock taken with atom.cas and given back with atom.exch.
#[test]
fn lock_orders_with_fences_and_races_without() {
    for fences in [true, false] {
        let mut m = Machine::new();
        let mut raced = 0;
        for thread in [0, 1, 33, THREADS, THREADS + 33, 0] {
            assert_eq!(m.atomic(thread, 32), 0);
            if fences {
                m.clocks.fence(thread, Scope::Grid);
            }
            raced |= m.read(thread, 0, 4) | m.write(thread, 0, 4);
            if fences {
                m.clocks.fence(thread, Scope::Grid);
            }
            assert_eq!(m.atomic(thread, 32), 0);
        }
        assert_eq!(raced, if fences { 0 } else { 0xf });
        // Without fences the first thread's read races with the second's write, whatever the first has written since.
        assert_eq!(m.shadow.raced_late(), !fences);
    }
}

/// A release sequence goes on through atomic updates of other threads, and ends at a plain strong store of another.
#[test]
fn release_sequences() {
    let mut m = Machine::new();
    m.write(0, 0, 4);
    m.strong(0, 32, RELEASE);
    m.atomic(1, 32);
    m.strong(THREADS, 32, ACQUIRE);
    assert_eq!(m.read(THREADS, 0, 4), 0);
    m.strong(2, 32, STORE);
    m.strong(THREADS + 1, 32, ACQUIRE);
    assert_eq!(m.read(THREADS + 1, 0, 4), 0xf);
}

/// A release of one place makes nothing of a write to another, nor an acquire of a read from another; a fence is for all places.
#[test]
fn releases_and_acquires_are_of_one_place() {
    let update = |order| strong(StrongKind::Update, order, Scope::Grid);
    for (elsewhere, here, raced) in [
        (Some(RELEASE), STORE, 0xf),
        (Some(update(Order::AcquireRelease)), STORE, 0xf),
        (Some(update(Order::Release)), ATOMIC, 0xf),
        (None, RELEASE, 0),
    ] {
        let mut m = Machine::new();
        m.write(0, 0, 4);
        elsewhere.map(|elsewhere| m.strong(0, 36, elsewhere));
        m.strong(0, 32, here);
        m.strong(THREADS, 32, ACQUIRE);
        assert_eq!(m.read(THREADS, 0, 4), raced, "{elsewhere:?} {here:?}");
        let mut m = Machine::new();
        m.write(0, 0, 4);
        m.strong(0, 32, RELEASE);
        m.strong(THREADS, 32, if elsewhere.is_some() { LOAD } else { ACQUIRE });
        elsewhere.map(|_| m.strong(THREADS, 36, ACQUIRE));
        assert_eq!(m.read(THREADS, 0, 4), raced, "acquired elsewhere: {}", elsewhere.is_some());
    }
    // "A release operation on M followed by a strong write on M", "a strong read on M followed by an acquire operation on M".
    let mut m = Machine::new();
    m.write(0, 0, 4);
    m.strong(0, 32, RELEASE);
    m.write(0, 4, 4);
    m.strong(0, 32, STORE);
    m.strong(THREADS, 32, LOAD);
    m.strong(1, 32, STORE);
    m.strong(THREADS, 32, ACQUIRE);
    assert_eq!(m.read(THREADS, 0, 8), 0xf0, "what came between is no part of it");
}

/// "W precedes R in observation order if R and W are morally strong and R reads the value written by W", or by way of atomic updates.
#[test]
fn observation_needs_strong_writes_of_the_same_bytes_and_mutual_scopes() {
    let narrow = |kind| strong(kind, Order::Relaxed, Scope::Cta);
    let after = |between: &dyn Fn(&mut Machine)| {
        let mut m = Machine::new();
        m.write(0, 0, 4);
        m.strong(0, 32, RELEASE);
        between(&mut m);
        m.strong(THREADS, 32, ACQUIRE);
        m.read(THREADS, 0, 4)
    };
    assert_eq!(after(&|_| ()), 0);
    assert_eq!(after(&|m| _ = m.atomic(THREADS + 1, 32)), 0);
    assert_eq!(after(&|m| _ = m.write(0, 32, 4)), 0xf, "a plain write ends it");
    assert_eq!(after(&|m| _ = m.write(0, 35, 1)), 0xf, "of one byte, too");
    assert_eq!(after(&|m| _ = m.write(0, 36, 4)), 0, "but not beside it");
    assert_eq!(
        after(&|m| _ = m.strong(1, 32, narrow(StrongKind::Update))),
        0xf,
        "an update that the reader is outside of"
    );
    assert_eq!(after(&|m| _ = m.shadow.strong(&mut m.clocks, 28, 8, 1, ATOMIC)), 0xf, "another location");
    // A fence for all, then a write that does not reach the reader.
    let mut m = Machine::new();
    m.write(0, 0, 4);
    m.clocks.fence(0, Scope::Grid);
    m.strong(0, 32, narrow(StrongKind::Write));
    m.strong(THREADS, 32, ACQUIRE);
    assert_eq!(m.read(THREADS, 0, 4), 0xf);
}

/// Every block adds to a counter after its fence; the last one reads what all wrote, and resets the counter.
#[test]
fn last_block_pattern() {
    let mut m = Machine::new();
    for (cta, thread) in [(0, 0), (1, THREADS)] {
        m.write(thread + 1, 4 * cta, 4);
        m.clocks.barrier(cta as u32);
        m.clocks.fence(thread, Scope::Grid);
        assert_eq!(m.atomic(thread, 32), 0);
        m.clocks.fence(thread, Scope::Grid);
        m.clocks.barrier(cta as u32);
    }
    assert_eq!(m.read(THREADS + 7, 0, 8), 0);
    // The reset is ordered after the increments that the thread's own increment observed.
    assert_eq!(m.write(THREADS, 32, 4), 0);
    let mut unfenced = Machine::new();
    unfenced.write(0, 0, 4);
    unfenced.atomic(0, 32);
    unfenced.atomic(THREADS, 32);
    assert_eq!(unfenced.read(THREADS, 0, 4), 0xf);
    assert_eq!(unfenced.write(THREADS, 32, 4), 0, "it observed the other increment");
    assert_eq!(unfenced.write(1, 32, 4), 0xf, "this thread did not");
}

/// Thread 0 loads what a thread of another CTA has stored, and stores plainly and strongly itself. A store of `.cta` scope by another thread of its CTA
/// is not morally strong to the store of the other CTA ("specifies a scope that includes the thread executing the other operation", PTX ISA 8.7): it
/// races with it, and what the load took for defined was not.
#[test]
fn a_narrow_store_races_with_one_of_another_cta_behind_later_stores() {
    let mut m = Machine::new();
    assert_eq!(m.strong(THREADS, 0, STORE), 0);
    assert_eq!(m.strong(0, 0, LOAD), 0);
    assert_eq!(m.write(0, 0, 4), 0, "the load has observed the store of the other CTA");
    _ = m.strong(0, 0, STORE);
    _ = m.strong(1, 0, Strong { scope: Scope::Cta, ..STORE });
    assert!(m.shadow.raced_late());
}

#[test]
fn atomics_are_exempt_among_themselves_and_race_with_plain_accesses() {
    let mut m = Machine::new();
    for thread in 0..2 * THREADS {
        assert_eq!(m.atomic(thread, 0), 0);
    }
    assert_eq!(m.read(5, 0, 4), 0xf);
    assert_eq!(m.write(5, 0, 4), 0xf);
    let mut m = Machine::new();
    m.write(0, 0, 4);
    assert_eq!(m.atomic(1, 0), 0xf);
    let mut m = Machine::new();
    m.read(0, 0, 4);
    assert_eq!(m.atomic(1, 0), 0);
    assert!(m.shadow.raced_late());
    assert_eq!(m.read(0, 0, 4), 0xf, "the next read finds what the atomic left");
    // Strong reads conflict with writes only.
    let mut m = Machine::new();
    m.strong(0, 0, LOAD);
    assert_eq!(m.read(1, 0, 4), 0);
    assert_eq!(m.write(1, 0, 4), 0xf);
}

#[test]
fn atomics_before_a_barrier_are_before_plain_accesses_after_it() {
    let mut m = Machine::new();
    m.write(0, 0, 4);
    m.clocks.barrier(0);
    for thread in 0..THREADS {
        assert_eq!(m.atomic(thread, 0), 0);
    }
    m.clocks.barrier(0);
    assert_eq!(m.read(7, 0, 4), 0);
    m.clocks.barrier(0);
    assert_eq!(m.write(8, 0, 4), 0);
    assert!(!m.shadow.raced_late());
}

#[test]
fn another_shape_is_not_forgotten_before_a_barrier() {
    let wide = |m: &mut Machine, thread| m.shadow.strong(&mut m.clocks, 0, 8, thread, ATOMIC);
    let mut m = Machine::new();
    assert_eq!(wide(&mut m, 0), 0);
    assert_eq!(m.atomic(0, 0), 0);
    // Thread 0 has both behind it, thread 1 is ordered with neither.
    assert_eq!(m.atomic(1, 0), 0xf);
    assert_eq!(m.atomic(1, 4), 0xf);
    // On memory that other CTAs reach they stay; on shared memory a barrier ends them.
    for (number, raced) in [(0, 0xf), (SHARED_SHADOWS, 0)] {
        let mut m = Machine::of(Clocks::new(2, THREADS), unaccessed(number, 64));
        wide(&mut m, 0);
        m.clocks.barrier(0);
        assert_eq!(m.atomic(1, 0), 0);
        assert_eq!(m.atomic(2, 0), raced);
    }
}

#[test]
fn strong_accesses_of_cta_scope_race_across_ctas() {
    let narrow = strong(StrongKind::Update, Order::Relaxed, Scope::Cta);
    let mut m = Machine::new();
    assert_eq!(m.strong(0, 0, narrow), 0);
    assert_eq!(m.strong(1, 0, narrow), 0);
    assert_eq!(m.strong(THREADS, 0, ATOMIC), 0xf);
    assert!(m.shadow.raced_late());
    // Reads do not conflict.
    let mut m = Machine::new();
    assert_eq!(m.strong(0, 0, strong(StrongKind::Read, Order::Relaxed, Scope::Cta)), 0);
    assert_eq!(m.strong(THREADS, 0, LOAD), 0);
}

/// More readers of one CTA than are remembered one by one, and more CTAs.
#[test]
fn many_readers_are_ordered_by_barriers() {
    let (ctas, threads) = (300, 64);
    let mut clocks = Clocks::new(ctas, threads);
    let mut shadow = unaccessed(0, 4);
    for thread in 0..threads {
        assert_eq!(shadow.read(&mut clocks, 0, 4, thread), 0);
    }
    clocks.barrier(0);
    assert_eq!(shadow.write(&mut clocks, 0, 4, 9), 0);
    assert!(!shadow.raced_late());
    let mut shadow = unaccessed(1, 4);
    for thread in 0..ctas * threads {
        assert_eq!(shadow.read(&mut clocks, 0, 4, thread), 0);
    }
    clocks.barrier(0);
    assert_eq!(shadow.write(&mut clocks, 0, 4, 9), 0);
    assert!(shadow.raced_late());
}

#[test]
fn a_report_names_the_other_access_and_leaves_values_defined() {
    let met = |offset, thread, operation, wrote| {
        Some(Met { offset, thread: Some(thread), operation: Some(operation), wrote })
    };
    let mut m = Machine::reporting();
    assert_eq!((m.write(1, 4, 4), m.met(10)), (0, None));
    // Bytes 6 and 7 were written by thread 1, later ones by nobody.
    assert_eq!((m.read(0, 6, 4), m.met(11)), (0, met(6, 1, 10, true)));
    assert_eq!(m.met(12), None);
    // Of a race that the value shows nothing of: the reads came first. The latest of them is named, but not its own.
    m.clocks.barrier(0);
    assert_eq!((m.read(2, 4, 4), m.met(13)), (0, None));
    assert_eq!((m.read(3, 4, 4), m.met(14)), (0, None));
    assert_eq!((m.read(0, 4, 4), m.met(15)), (0, None));
    assert_eq!((m.write(0, 4, 4), m.met(16)), (0, met(4, 3, 14, false)));
    // A write and an atomic; two atomics.
    m.clocks.barrier(0);
    assert_eq!((m.atomic(1, 8), m.met(17)), (0, None));
    assert_eq!((m.atomic(2, 8), m.met(18)), (0, None));
    assert_eq!((m.write(1, 8, 4), m.met(19)), (0, met(8, 2, 18, true)));
    assert_eq!((m.atomic(3, 8), m.met(20)), (0, met(8, 1, 19, true)));
    // The other CTA passes no barrier of this one.
    assert_eq!((m.read(THREADS, 4, 4), m.met(21)), (0, met(4, 0, 16, true)));
}

/// A thread that writes plainly and goes on with an atomic: others race with the write.
#[test]
fn a_report_names_the_plain_access_beside_an_atomic_of_the_same_thread() {
    let mut m = Machine::reporting();
    assert_eq!((m.write(0, 0, 4), m.met(17)), (0, None));
    assert_eq!((m.atomic(0, 0), m.met(18)), (0, None));
    assert_eq!(
        (m.atomic(1, 0), m.met(18)),
        (0, None.or(Some(Met { offset: 0, thread: Some(0), operation: Some(17), wrote: true })))
    );
    // A plain read after atomics, and an atomic after that read.
    let mut m = Machine::reporting();
    assert_eq!((m.atomic(0, 0), m.met(18)), (0, None));
    assert_eq!((m.atomic(1, 0), m.met(18)), (0, None));
    let by = |thread, operation, wrote| {
        Some(Met { offset: 0, thread: Some(thread), operation: Some(operation), wrote })
    };
    assert_eq!((m.read(0, 0, 4), m.met(19)), (0, by(1, 18, true)));
    let mut m = Machine::reporting();
    assert_eq!((m.read(0, 0, 4), m.met(19)), (0, None));
    assert_eq!((m.atomic(0, 0), m.met(18)), (0, None));
    assert_eq!((m.atomic(1, 0), m.met(18)), (0, by(0, 19, false)));
}

/// More readers than are remembered one by one: the operation is named as long as it is one.
#[test]
fn a_report_names_the_operation_of_many_threads() {
    for (last, operation) in [(9, Some(9)), (8, None)] {
        let (threads, late) = (256, 3);
        let mut clocks = Clocks::new(1, threads);
        let mut shadow = Shadow::reporting(0, 4);
        for thread in 0..threads {
            shadow.read(&mut clocks, 0, 4, thread);
            let by = if thread < threads / 2 { last } else { 9 };
            assert_eq!(shadow.take_met(&clocks, by), None);
        }
        // Whoever reads last meets the writer: it was there before.
        clocks.barrier_among(Arrivals::default(), &(late..threads).collect::<Vec<_>>());
        shadow.write(&mut clocks, 0, 4, threads - 1);
        let met = shadow.take_met(&clocks, 10).map(|met| (met.operation, met.wrote));
        assert_eq!(met, Some((operation, false)), "threads 0 to 2 took no part, and are forgotten");
    }
}

#[test]
fn accesses_beyond_the_end_are_cut() {
    let mut m = Machine::new();
    assert_eq!(m.write(0, 62, 4), 0);
    assert_eq!(m.write(1, 62, 4), 0b11);
    assert_eq!(m.read(1, usize::MAX, 4), 0);
    assert_eq!(m.read(1, 0, 0), 0);
}

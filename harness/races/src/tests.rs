//! Races by hand, from PTX ISA 8 (memory consistency model), and against vector clocks that forget nothing.

use proptest::prelude::*;

use super::{Clocks, Met, Order, RacedBytes, SHARED_SHADOWS, Scope, Shadow, Strong, StrongKind};

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
}

impl Machine {
    fn new() -> Self {
        Self { clocks: Clocks::new(2, THREADS), shadow: unaccessed(0, 64) }
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
    let mut m = Machine { clocks: Clocks::new(2, THREADS), shadow: Shadow::knowing(0, 64, known) };
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
    m.clocks.barrier_among(&[0], &[32]);
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
        assert!(!m.shadow.raced_late());
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
        let mut m = Machine { clocks: Clocks::new(2, THREADS), shadow: unaccessed(number, 64) };
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
    let met = |offset, thread, wrote| Some(Met { offset, thread: Some(thread), wrote });
    let mut m = Machine::reporting();
    assert_eq!((m.write(1, 4, 4), m.shadow.take_met()), (0, None));
    // Bytes 6 and 7 were written by thread 1, later ones by nobody.
    assert_eq!((m.read(0, 6, 4), m.shadow.take_met()), (0, met(6, 1, true)));
    assert_eq!(m.shadow.take_met(), None);
    // Of a race that the value shows nothing of: the reads came first. The latest of them is named.
    m.clocks.barrier(0);
    assert_eq!((m.read(2, 4, 4), m.read(3, 4, 4), m.read(0, 4, 4)), (0, 0, 0));
    assert_eq!(m.shadow.take_met(), None);
    assert_eq!((m.write(0, 4, 4), m.shadow.take_met()), (0, met(4, 3, false)));
    // A write and an atomic; two atomics.
    m.clocks.barrier(0);
    assert_eq!((m.atomic(1, 8), m.atomic(2, 8), m.shadow.take_met()), (0, 0, None));
    assert_eq!((m.write(1, 8, 4), m.shadow.take_met()), (0, met(8, 2, true)));
    assert_eq!((m.atomic(3, 8), m.shadow.take_met()), (0, met(8, 1, true)));
    // The other CTA passes no barrier of this one.
    assert_eq!((m.read(THREADS, 4, 4), m.shadow.take_met()), (0, met(4, 0, true)));
}

#[test]
fn accesses_beyond_the_end_are_cut() {
    let mut m = Machine::new();
    assert_eq!(m.write(0, 62, 4), 0);
    assert_eq!(m.write(1, 62, 4), 0b11);
    assert_eq!(m.read(1, usize::MAX, 4), 0);
    assert_eq!(m.read(1, 0, 0), 0);
}

/// What a thread does, in the property test.
#[derive(Clone, Copy, Debug)]
enum Event {
    Read(usize),
    Write(usize),
    Strong(usize, StrongKind, Order, Scope),
    Fence(Scope),
    Barrier,
    WarpSync,
    PairSync(usize),
}

/// The threads that act: two lanes of each warp.
const ACTORS: [u32; 8] = [0, 1, 32, 33, THREADS, THREADS + 1, THREADS + 32, THREADS + 33];

fn event() -> impl Strategy<Value = (usize, Event)> {
    let scope = prop_oneof![Just(Scope::Cta), Just(Scope::Grid)];
    let kind = prop_oneof![Just(StrongKind::Read), Just(StrongKind::Write), Just(StrongKind::Update)];
    let orders = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcquireRelease];
    let order = prop::sample::select(orders.to_vec());
    let event = prop_oneof![
        4 => (0usize..3).prop_map(Event::Read),
        4 => (0usize..3).prop_map(Event::Write),
        4 => (3usize..5, kind.clone(), order.clone(), scope.clone()).prop_map(|(p, k, o, s)| Event::Strong(p, k, o, s)),
        1 => (0usize..3, kind, order, scope.clone()).prop_map(|(p, k, o, s)| Event::Strong(p, k, o, s)),
        2 => scope.prop_map(Event::Fence),
        1 => Just(Event::Barrier),
        1 => Just(Event::WarpSync),
        1 => (0usize..8).prop_map(Event::PairSync),
    ];
    (0usize..8, event)
}

/// A vector clock over the actors.
type Vector = [u32; 8];

fn join(a: &mut Vector, b: &Vector) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).max(*b));
}

/// Vector clocks and every access ever made.
#[derive(Default)]
struct Oracle {
    clock: [Vector; 8],
    pending: [Vec<(Scope, usize, Vector)>; 8],
    fenced: [Vec<(Scope, Vector)>; 8],
    /// At each place what stands released: scope, actor, knowledge.
    released: [Vec<(Scope, usize, Vector)>; 5],
    accesses: [Vec<Made>; 5],
}

/// An access that was made.
#[derive(Clone, Copy)]
struct Made {
    actor: usize,
    /// The actor's clock then.
    clock: u32,
    /// `None` for a plain one.
    scope: Option<Scope>,
    reads: bool,
    writes: bool,
}

fn cta(actor: usize) -> usize {
    actor / 4
}

impl Oracle {
    /// Whether the access races with an earlier one that leaves its value in doubt; and whether it would if a strong read
    /// told nothing of what it observed, and one strong access of `.cta` scope made all narrow that come to its place.
    fn access(
        &mut self,
        actor: usize,
        place: usize,
        scope: Option<Scope>,
        reads: bool,
        writes: bool,
    ) -> (bool, bool) {
        let earlier = &self.accesses[place];
        let plain = scope.is_none();
        let ordered = |made: &Made| made.actor == actor || made.clock <= self.clock[actor][made.actor];
        // What a strong read observed precedes whatever the read precedes.
        let observed = |index: usize| {
            earlier[index + 1..].iter().any(|later| later.scope.is_some() && later.reads && ordered(later))
        };
        let is_narrow = |scope: Option<Scope>| scope == Some(Scope::Cta);
        let narrow_place = is_narrow(scope) || earlier.iter().any(|made| is_narrow(made.scope));
        let mut raced = (false, false);
        for (index, made) in earlier.iter().enumerate().filter(|(_, made)| !ordered(made)) {
            if !plain && made.scope.is_some() {
                let conflicts = writes || made.writes;
                let narrow = is_narrow(scope) || is_narrow(made.scope);
                raced.0 |= conflicts && narrow && cta(actor) != cta(made.actor) && !observed(index);
                raced.1 |= conflicts && narrow_place;
            } else if made.writes || writes && plain && made.scope.is_some() {
                raced.0 |= !(plain && made.scope.is_some() && observed(index));
                raced.1 = true;
            }
        }
        let clock = self.clock[actor][actor];
        self.accesses[place].push(Made { actor, clock, scope, reads, writes });
        raced
    }

    fn tick(&mut self, actor: usize) {
        self.clock[actor][actor] += 1;
    }

    fn acquire(&mut self, actor: usize, scope: Scope) {
        let pending = std::mem::take(&mut self.pending[actor]);
        for (released, from, knowledge) in pending {
            if cta(from) == cta(actor) || (released == Scope::Grid && scope == Scope::Grid) {
                join(&mut self.clock[actor], &knowledge);
            } else {
                self.pending[actor].push((released, from, knowledge));
            }
        }
    }

    fn release(&mut self, actor: usize, scope: Scope) {
        self.fenced[actor].push((scope, self.clock[actor]));
        self.tick(actor);
    }

    fn synchronise(&mut self, actors: &[usize]) {
        let mut common = Vector::default();
        actors.iter().for_each(|actor| join(&mut common, &self.clock[*actor]));
        for &actor in actors {
            self.clock[actor] = common;
            self.tick(actor);
        }
    }

    fn strong(
        &mut self,
        actor: usize,
        place: usize,
        kind: StrongKind,
        order: Order,
        scope: Scope,
    ) -> (bool, bool) {
        let (reads, writes) = (kind != StrongKind::Write, kind != StrongKind::Read);
        let raced = self.access(actor, place, Some(scope), reads, writes);
        if reads {
            self.pending[actor].extend(self.released[place].iter().copied());
            if matches!(order, Order::Acquire | Order::AcquireRelease) {
                self.acquire(actor, scope);
            }
        }
        if writes {
            if matches!(order, Order::Release | Order::AcquireRelease) {
                self.release(actor, scope);
            }
            if !reads {
                self.released[place].clear();
            }
            let fenced = self.fenced[actor].iter().map(|(scope, knowledge)| (*scope, actor, *knowledge));
            self.released[place].extend(fenced);
        }
        raced
    }

    fn run(&mut self, actor: usize, event: Event) -> (bool, bool) {
        match event {
            Event::Read(place) => return self.access(actor, place, None, true, false),
            Event::Write(place) => return self.access(actor, place, None, false, true),
            Event::Strong(place, kind, order, scope) => return self.strong(actor, place, kind, order, scope),
            Event::Fence(scope) => {
                self.acquire(actor, scope);
                self.release(actor, scope);
            }
            Event::Barrier => self.synchronise(&[0, 1, 2, 3].map(|i| 4 * cta(actor) + i)),
            Event::WarpSync => self.synchronise(&[actor & !1, actor | 1]),
            Event::PairSync(other) => self.synchronise(&[actor, other]),
        }
        (false, false)
    }
}

fn run(m: &mut Machine, thread: u32, event: Event) -> bool {
    // Places are four bytes apart, of which three are accessed: vector comparisons must not see the fourth.
    let raced = match event {
        Event::Read(place) => m.read(thread, 4 * place, 3),
        Event::Write(place) => m.write(thread, 4 * place, 3),
        Event::Strong(place, kind, order, scope) => {
            m.shadow.strong(&mut m.clocks, 4 * place, 3, thread, Strong { kind, order, scope })
        }
        Event::Fence(scope) => {
            m.clocks.fence(thread, scope);
            0
        }
        Event::Barrier => {
            m.clocks.barrier(thread / THREADS);
            0
        }
        Event::WarpSync => {
            m.clocks.warp_sync(thread / THREADS, thread % THREADS / 32, u32::MAX);
            0
        }
        Event::PairSync(other) => {
            m.clocks.barrier_among(&[], &[thread, ACTORS[other]]);
            0
        }
    };
    assert!(raced == 0 || raced == 7, "the bytes of one access differ: {raced:b}");
    raced == 7
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Compressed knowledge and pruned sets miss no race and invent none, but for the observations that a set forgets.
    #[test]
    fn agrees_with_vector_clocks(events in prop::collection::vec(event(), 1..60)) {
        let mut machine = Machine::new();
        let mut oracle = Oracle::default();
        (0..8).for_each(|actor| oracle.tick(actor));
        for (index, (actor, event)) in events.into_iter().enumerate() {
            let (must, may) = oracle.run(actor, event);
            let raced = run(&mut machine, ACTORS[actor], event);
            prop_assert!(must <= raced && raced <= may, "event {}: {} {:?}: {} {} {}", index, actor, event, must, raced, may);
        }
    }

    /// A shadow that reports meets exactly what another one says is raced at once or late, and names a thread that was there.
    #[test]
    fn a_report_meets_what_races(events in prop::collection::vec(event(), 1..60)) {
        let (mut machine, mut reporting) = (Machine::new(), Machine::reporting());
        let mut accessed: Vec<(usize, u32)> = Vec::new();
        for (actor, event) in events {
            let place = match event {
                Event::Read(place) | Event::Write(place) | Event::Strong(place, ..) => Some(place),
                _ => None,
            };
            let raced = run(&mut machine, ACTORS[actor], event);
            prop_assert!(!run(&mut reporting, ACTORS[actor], event));
            let met = reporting.shadow.take_met();
            prop_assert!(!raced || met.is_some(), "{actor} {event:?} raced, and met nothing");
            if let Some(met) = met {
                prop_assert!(raced || machine.shadow.raced_late(), "{actor} {event:?} met {met:?}");
                prop_assert_eq!(Some(met.offset / 4), place);
                if let Some(thread) = met.thread {
                    prop_assert!(thread != ACTORS[actor] && accessed.contains(&(met.offset / 4, thread)), "{met:?}");
                }
            }
            accessed.extend(place.map(|place| (place, ACTORS[actor])));
        }
    }
}

/// An access by one thread, or by 32 threads to words that lie one after the other; or a barrier.
#[derive(Clone, Copy, Debug)]
enum Step {
    ReadOne(u32, usize),
    WriteOne(u32, usize),
    AtomicOne(u32, usize),
    ReadRow(usize),
    WriteRow(usize),
    AtomicRow(usize),
    Barrier,
}

fn step() -> impl Strategy<Value = Step> {
    let (thread, offset) = (0..THREADS, 0..33usize);
    let row = prop_oneof![4 => Just(0usize), 1 => Just(4)];
    prop_oneof![
        1 => (thread.clone(), offset.clone()).prop_map(|(thread, word)| Step::ReadOne(thread, 4 * word)),
        1 => (thread.clone(), offset.clone()).prop_map(|(thread, word)| Step::WriteOne(thread, 4 * word)),
        1 => (thread, offset).prop_map(|(thread, word)| Step::AtomicOne(thread, 4 * word)),
        4 => row.clone().prop_map(Step::ReadRow),
        4 => row.clone().prop_map(Step::WriteRow),
        4 => row.prop_map(Step::AtomicRow),
        1 => Just(Step::Barrier),
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
        let mut m = Machine { clocks: Clocks::new(1, THREADS), shadow: unaccessed(0, 132) };
        for step in steps {
            match step {
                Step::ReadOne(thread, offset) => _ = m.read(thread, offset, 4),
                Step::WriteOne(thread, offset) => _ = m.write(thread, offset, 4),
                Step::AtomicOne(thread, offset) => _ = m.atomic(thread, offset),
                Step::Barrier => m.clocks.barrier(0),
                Step::ReadRow(offset) => {
                    let repeats = m.shadow.repeats_reads::<4>(&m.clocks, offset, 0);
                    accesses_row(&mut m, repeats, offset, Machine::read)?;
                }
                Step::WriteRow(offset) => {
                    let repeats = m.shadow.repeats_writes::<4>(&m.clocks, offset, 0);
                    accesses_row(&mut m, repeats, offset, Machine::write)?;
                }
                Step::AtomicRow(offset) => {
                    let repeats = m.shadow.repeats_updates(&m.clocks, offset, 0, ATOMIC);
                    accesses_row(&mut m, repeats, offset, |m, thread, offset, _| m.atomic(thread, offset))?;
                }
            }
        }
    }
}

#[test]
fn a_row_accessed_twice_repeats_until_a_barrier_or_somebody_else() {
    let mut m = Machine { clocks: Clocks::new(1, THREADS), shadow: unaccessed(0, 132) };
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
    let mut m = Machine { clocks: Clocks::new(1, THREADS), shadow: unaccessed(0, 132) };
    each_of_row(&mut m, 0, Machine::write);
    m.clocks.barrier(0);
    let repeats = |m: &Machine, strong| m.shadow.repeats_updates(&m.clocks, 0, 0, strong);
    assert!(!repeats(&m, ATOMIC));
    each_of_row(&mut m, 0, |m, thread, offset, _| m.atomic(thread, offset));
    assert!(repeats(&m, ATOMIC));
    assert!(!repeats(&m, Strong { scope: Scope::Cta, ..ATOMIC }));
    assert!(!repeats(&m, Strong { order: Order::Acquire, ..ATOMIC }));
    assert_eq!(m.atomic(33, 124), 0);
    assert!(!repeats(&m, ATOMIC));
}

//! Races against vector clocks that forget nothing.

use super::*;

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

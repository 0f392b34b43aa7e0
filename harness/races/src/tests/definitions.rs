//! Races against the definitions of the memory model, applied to the whole history of each event (PTX ISA 8.7 to 8.9).

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
    /// A barrier of two, which also ends the arrivals so far.
    PairSync(usize),
    Arrive,
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
        1 => Just(Event::Arrive),
    ];
    (0usize..8, event)
}

/// A set of events, by number.
type Events = u64;

/// An event that later ones may synchronise with, or observe.
#[derive(Clone, Copy)]
struct Happened {
    actor: usize,
    event: Event,
    /// What had happened before its actor went on.
    before_next: Events,
}

/// Everything that happened, and what follows from the definitions.
#[derive(Default)]
struct Oracle {
    history: Vec<Happened>,
    /// What has happened before the next event of each actor.
    known: [Events; 8],
    /// What had happened before the `bar.arrive`s at the barrier.
    arrived: Events,
    accesses: [Vec<Made>; 5],
}

/// An access that was made.
#[derive(Clone, Copy, Debug)]
struct Made {
    actor: usize,
    /// Its number among all events.
    number: usize,
    /// `None` for a plain one.
    scope: Option<Scope>,
    reads: bool,
    writes: bool,
    /// Whether it was said to race when it was made.
    raced: bool,
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
        let known = self.known[actor];
        let ordered = |made: &Made| known >> made.number & 1 == 1;
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
        let number = self.history.len();
        self.accesses[place].push(Made { actor, number, scope, reads, writes, raced: false });
        raced
    }

    /// The earlier accesses that this event races with if no observation orders them.
    fn racing(&self, actor: usize, event: Event) -> Vec<Made> {
        let (place, scope, writes) = match event {
            Event::Read(place) => (place, None, false),
            Event::Write(place) => (place, None, true),
            Event::Strong(place, kind, _, scope) => (place, Some(scope), kind != StrongKind::Read),
            _ => return Vec::new(),
        };
        let known = self.known[actor];
        let races = |made: &&Made| {
            let is_narrow = scope == Some(Scope::Cta) || made.scope == Some(Scope::Cta);
            let apart = scope.is_none() || made.scope.is_none() || is_narrow && cta(made.actor) != cta(actor);
            (writes || made.writes) && apart && known >> made.number & 1 == 0
        };
        self.accesses[place].iter().filter(races).copied().collect()
    }

    /// The place of a plain write that races with an earlier plain read which has not been said to race: that read took its value for defined.
    fn races_late(&self, actor: usize, event: Event) -> Option<usize> {
        let Event::Write(place) = event else { return None };
        let is_ordered = |made: &Made| self.known[actor] >> made.number & 1 == 1;
        let is_plain_read = |made: &Made| made.scope.is_none() && made.reads;
        let mut reads = self.accesses[place].iter().filter(|made| is_plain_read(made) && !made.raced);
        reads.any(|made| !is_ordered(made)).then_some(place)
    }

    /// Whether each of two operations with scopes is of the scope of the other, or both of one thread.
    fn is_mutual(&self, (one, of_one): (usize, Scope), (other, of_other): (usize, Scope)) -> bool {
        let same_cta = cta(self.history[one].actor) == cta(self.history[other].actor);
        same_cta || (of_one == Scope::Grid && of_other == Scope::Grid)
    }

    /// The strong writes that precede a strong read in observation order: the one whose value it reads, if the two are morally strong,
    /// and, where that is an atomic update, those that precede its read.
    fn observed(&self, mut read: usize) -> Vec<usize> {
        let mut writes = Vec::new();
        loop {
            let Event::Strong(place, _, _, scope) = self.history[read].event else { return writes };
            let is_write = |event| match event {
                Event::Write(at) => at == place,
                Event::Strong(at, kind, ..) => at == place && kind != StrongKind::Read,
                _ => false,
            };
            let Some(source) = (0..read).rev().find(|it| is_write(self.history[*it].event)) else {
                return writes;
            };
            let Event::Strong(_, kind, _, its_scope) = self.history[source].event else { return writes };
            if !self.is_mutual((source, its_scope), (read, scope)) {
                return writes;
            }
            writes.push(source);
            if kind == StrongKind::Write {
                return writes;
            }
            read = source;
        }
    }

    /// The first operations of the release patterns in which this strong write is, with their scopes.
    fn releases_with(&self, write: usize) -> Vec<(usize, Scope)> {
        let Event::Strong(place, ..) = self.history[write].event else { return Vec::new() };
        let begins = |number: usize| match self.history[number].event {
            _ if self.history[number].actor != self.history[write].actor => None,
            Event::Fence(scope) => Some((number, scope)),
            Event::Strong(at, kind, Order::Release | Order::AcquireRelease, scope)
                if at == place && kind != StrongKind::Read =>
            {
                Some((number, scope))
            }
            _ => None,
        };
        (0..=write).filter_map(begins).collect()
    }

    /// What has happened before the operations after `last`, because it ends acquire patterns.
    fn acquired(&self, last: usize) -> Events {
        let actor = self.history[last].actor;
        let (acquires, scope) = match self.history[last].event {
            Event::Fence(scope) => (None, scope),
            Event::Strong(place, kind, Order::Acquire | Order::AcquireRelease, scope)
                if kind != StrongKind::Write =>
            {
                (Some(place), scope)
            }
            _ => return 0,
        };
        let is_read = |number: &usize| {
            let Happened { actor: reader, event, .. } = self.history[*number];
            matches!(event, Event::Strong(at, kind, ..)
                if reader == actor && kind != StrongKind::Write && acquires.is_none_or(|place| place == at))
        };
        let writes = (0..=last).filter(is_read).flat_map(|read| self.observed(read));
        let firsts = writes.flat_map(|write| self.releases_with(write));
        let synchronises = firsts.filter(|first| self.is_mutual(*first, (last, scope)));
        synchronises.fold(0, |all, (first, _)| all | self.history[first].before_next)
    }

    fn synchronise(&mut self, actors: &[usize], arrived: Events) {
        let common = actors.iter().fold(arrived, |all, actor| all | self.known[*actor]);
        actors.iter().for_each(|actor| self.known[*actor] = common);
    }

    fn run(&mut self, actor: usize, event: Event) -> (bool, bool) {
        let raced = match event {
            Event::Read(place) => self.access(actor, place, None, true, false),
            Event::Write(place) => self.access(actor, place, None, false, true),
            Event::Strong(place, kind, _, scope) => {
                let (reads, writes) = (kind != StrongKind::Write, kind != StrongKind::Read);
                self.access(actor, place, Some(scope), reads, writes)
            }
            _ => (false, false),
        };
        let number = self.history.len();
        self.known[actor] |= 1 << number;
        self.history.push(Happened { actor, event, before_next: 0 });
        self.known[actor] |= self.acquired(number);
        self.history[number].before_next = self.known[actor];
        match event {
            Event::Barrier => self.synchronise(&[0, 1, 2, 3].map(|i| 4 * cta(actor) + i), 0),
            Event::WarpSync => self.synchronise(&[actor & !1, actor | 1], 0),
            Event::PairSync(other) => {
                let arrived = std::mem::take(&mut self.arrived);
                self.synchronise(&[actor, other], arrived);
            }
            Event::Arrive => self.arrived |= self.known[actor],
            _ => {}
        }
        raced
    }
}

/// Bytes of each place, which is `APART` bytes behind the one before: comparisons of vectors must not see what is between them.
const BYTES: [u32; 5] = [4, 8, 3, 4, 3];
const APART: usize = 9;

fn run(m: &mut Machine, thread: u32, event: Event) -> bool {
    let mut all = 0;
    let mut at = |place: usize| {
        all = (1 << BYTES[place]) - 1;
        (APART * place, BYTES[place])
    };
    let raced = match event {
        Event::Read(place) => {
            let (offset, len) = at(place);
            m.read(thread, offset, len)
        }
        Event::Write(place) => {
            let (offset, len) = at(place);
            m.write(thread, offset, len)
        }
        Event::Strong(place, kind, order, scope) => {
            let (offset, len) = at(place);
            m.shadow.strong(&mut m.clocks, offset, len, thread, Strong { kind, order, scope })
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
            let arrivals = std::mem::take(&mut m.arrivals);
            m.clocks.barrier_among(arrivals, &[thread, ACTORS[other]]);
            0
        }
        Event::Arrive => {
            m.clocks.arrive(&mut m.arrivals, thread);
            0
        }
    };
    assert!(raced == 0 || raced == all, "the bytes of one access differ: {raced:b}");
    raced != 0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Compressed knowledge and pruned sets miss no race and invent none, but for the observations that a set forgets.
    #[test]
    fn agrees_with_the_definitions(events in prop::collection::vec(event(), 1..60)) {
        let mut machine = Machine::new();
        let mut oracle = Oracle::default();
        for (index, (actor, event)) in events.into_iter().enumerate() {
            let (must, may) = oracle.run(actor, event);
            let raced = run(&mut machine, ACTORS[actor], event);
            prop_assert!(must <= raced && raced <= may, "event {}: {} {:?}: {} {} {}", index, actor, event, must, raced, may);
        }
    }

    /// A plain read that a later plain write races with is found then, whoever has written in between.
    #[test]
    fn reads_are_remembered_until_nothing_can_race_with_them(events in prop::collection::vec(event(), 1..60)) {
        let mut machine = Machine::new();
        let mut oracle = Oracle::default();
        for (index, (actor, event)) in events.into_iter().enumerate() {
            let late = oracle.races_late(actor, event);
            oracle.run(actor, event);
            let raced = run(&mut machine, ACTORS[actor], event);
            if let Event::Read(place) | Event::Strong(place, ..) = event
                && let Some(made) = oracle.accesses[place].last_mut()
            {
                made.raced = raced;
            }
            if let Some(place) = late {
                let found = machine.shadow.clone().into_raced();
                prop_assert!(found.contains(APART * place), "event {index}: {actor} {event:?}");
            }
        }
    }

    /// A shadow that reports meets what races at once, and nothing that another shadow does not find at once or late; it names an access that by the
    /// definitions races with this one, with its thread.
    #[test]
    fn a_report_names_what_races(events in prop::collection::vec(event(), 1..60)) {
        let (mut machine, mut reporting) = (Machine::new(), Machine::reporting());
        let mut oracle = Oracle::default();
        for (index, (actor, event)) in events.into_iter().enumerate() {
            let raced = run(&mut machine, ACTORS[actor], event);
            prop_assert!(!run(&mut reporting, ACTORS[actor], event));
            let met = reporting.met(index as u32);
            let racing = oracle.racing(actor, event);
            let (must, _) = oracle.run(actor, event);
            prop_assert!(!must || met.is_some(), "{actor} {event:?} raced, and met nothing");
            let Some(met) = met else { continue };
            prop_assert!(raced || machine.shadow.raced_late(), "{actor} {event:?} met {met:?}");
            let operation = met.operation.map(|operation| operation as usize);
            prop_assert!(operation.is_some(), "{actor} {event:?} met {met:?}: {racing:?}");
            if let Some(earlier) = operation {
                let Some(made) = racing.iter().find(|made| made.number == earlier) else {
                    prop_assert!(false, "{actor} {event:?} met {met:?}, which it does not race with");
                    continue;
                };
                prop_assert_eq!((met.thread, met.wrote), (Some(ACTORS[made.actor]), made.writes));
            }
        }
    }
}

//! Where two runs of a thread part: the first effect that one of them has and the other has not.
//!
//! An effect is an access to memory that both have to make: to buffers, variables, shared memory and surfaces. Runs may differ in
//! everything else. A compiler keeps local memory in registers, takes constants and parameters from elsewhere, moves accesses to
//! different places past one another, drops loads that nothing needs, and drops stores that others overwrite. So effects are compared
//! byte by byte:
//!
//! * Each byte has to be stored the same values in the same order; a run may lack values that are overwritten later if the last one is
//!   right.
//! * A byte that the other run loads has to be one that this run loads, and to have one of the values that this run finds there.
//!
//! Bits that are open in either run are not compared.

use std::collections::BTreeMap;

use warpdiff_emulator::trace::{Access, AccessKind, MemoryKind, Place, Step};

/// An access of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effect {
    /// The step.
    pub step: usize,
    /// Its access, by number.
    pub access: usize,
}

/// The first effects that differ. At least one of both runs has an effect here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// In the run that is held to be right.
    pub ours: Option<Effect>,
    /// In the other run.
    pub theirs: Option<Effect>,
    /// Whether what is stored differs; otherwise what is loaded does.
    pub stored: bool,
}

/// How many effects a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Loads.
    pub loads: usize,
    /// Stores.
    pub stores: usize,
    /// Atomics.
    pub atomics: usize,
}

/// Whether an access is an effect that runs have in common.
fn is_shared(access: &Access) -> bool {
    matches!(
        access.place.kind,
        MemoryKind::Buffer | MemoryKind::Variable | MemoryKind::Shared | MemoryKind::Surface
    )
}

fn effects(steps: &[Step]) -> impl Iterator<Item = (Effect, &Access)> {
    steps.iter().enumerate().flat_map(|(step, of)| {
        let accesses = of.accesses.iter().enumerate().filter(|(_, access)| is_shared(access));
        accesses.map(move |(number, access)| (Effect { step, access: number }, access))
    })
}

/// The effects of a run.
pub fn counts(steps: &[Step]) -> Counts {
    effects(steps).fold(Counts::default(), |mut counts, (_, access)| {
        *match access.kind {
            AccessKind::Load => &mut counts.loads,
            AccessKind::Store => &mut counts.stores,
            AccessKind::Atomic => &mut counts.atomics,
        } += 1;
        counts
    })
}

/// A byte that is loaded or stored, and its open bits.
#[derive(Clone, Copy, Debug)]
struct Byte {
    effect: Effect,
    value: u8,
    open: u8,
}

impl Byte {
    fn agrees(&self, other: &Byte) -> bool {
        (self.value ^ other.value) & !(self.open | other.open) == 0
    }
}

/// The bytes of a run by their places, each in the order of the run.
#[derive(Default)]
struct Bytes {
    stored: BTreeMap<Place, Vec<Byte>>,
    loaded: BTreeMap<Place, Vec<Byte>>,
}

impl Bytes {
    fn of(steps: &[Step]) -> Bytes {
        let mut bytes = Bytes::default();
        for (effect, access) in effects(steps) {
            for n in 0..access.size.min(8) {
                let place = Place { offset: access.place.offset + i64::from(n), ..access.place.clone() };
                let part = |number: u64| (number >> (8 * n)) as u8;
                let byte = |value: u64| Byte { effect, value: part(value), open: part(access.open) };
                match access.kind {
                    AccessKind::Load => bytes.loaded.entry(place).or_default().push(byte(access.value)),
                    AccessKind::Store => bytes.stored.entry(place).or_default().push(byte(access.value)),
                    AccessKind::Atomic => {
                        let before = access.before.unwrap_or_default();
                        bytes.loaded.entry(place.clone()).or_default().push(byte(before));
                        bytes.stored.entry(place).or_default().push(byte(access.value));
                    }
                }
            }
        }
        bytes
    }
}

/// Where two runs part; `None` if they have the same effects. `ours` is held to be right.
pub fn parting(ours: &[Step], theirs: &[Step]) -> Option<Parting> {
    let (ours, theirs) = (Bytes::of(ours), Bytes::of(theirs));
    let mut found = Vec::new();
    let mut anchors: Vec<(usize, usize)> = Vec::new();
    let places =
        ours.stored.keys().chain(theirs.stored.keys().filter(|place| !ours.stored.contains_key(place)));
    for place in places {
        let of = |bytes: &Bytes| bytes.stored.get(place).cloned().unwrap_or_default();
        let (ours, theirs) = (of(&ours), of(&theirs));
        let same = ours.iter().zip(&theirs).take_while(|(a, b)| a.agrees(b)).count();
        anchors.extend(ours.iter().zip(&theirs).take(same).map(|(a, b)| (a.effect.step, b.effect.step)));
        if same == ours.len() && same == theirs.len() || is_thinned(&ours, &theirs) {
            continue;
        }
        let at = |bytes: &[Byte]| bytes.get(same).map(|byte| byte.effect);
        found.push(Parting { ours: at(&ours), theirs: at(&theirs), stored: true });
    }
    for (place, loads) in &theirs.loaded {
        let ours = ours.loaded.get(place).map(Vec::as_slice).unwrap_or_default();
        let unknown = loads.iter().find(|load| !ours.iter().any(|known| known.agrees(load)));
        let Some(unknown) = unknown else {
            let pairs = loads.first().zip(ours.first());
            anchors.extend(pairs.map(|(theirs, ours)| (ours.effect.step, theirs.effect.step)));
            continue;
        };
        let nth = loads.iter().position(|load| load.effect == unknown.effect).unwrap_or(0);
        let partner = ours.get(nth).or(ours.last()).map(|byte| byte.effect);
        found.push(Parting { ours: partner, theirs: Some(unknown.effect), stored: false });
    }
    anchors.sort_unstable();
    // In the order of our run; an effect of the other alone comes behind the effects before it that both have.
    let order = |parting: &Parting| match (parting.ours, parting.theirs) {
        (Some(ours), _) => (ours.step, 0, ours.access),
        (None, Some(theirs)) => {
            let before =
                anchors.iter().filter(|(_, other)| *other < theirs.step).map(|(ours, _)| *ours).max();
            (before.unwrap_or(0), 1, theirs.step)
        }
        (None, None) => (usize::MAX, 0, 0),
    };
    found.into_iter().min_by_key(order)
}

/// Whether the second run stores what the first one does, but for values that are overwritten later.
fn is_thinned(ours: &[Byte], theirs: &[Byte]) -> bool {
    let (Some(last), Some(their_last)) = (ours.last(), theirs.last()) else { return false };
    let mut left = ours.iter();
    last.agrees(their_last) && theirs.iter().all(|byte| left.any(|known| known.agrees(byte)))
}

/// The steps that made what an effect differs in, in the order of the run: those that wrote the registers it reads, those that wrote
/// the registers that these read, and so on up to the effects before, which both runs have; at most `most`, those nearest to the
/// effect. If both runs access the `same_place`, the registers of the address do not count.
pub fn producers(steps: &[Step], effect: Effect, same_place: bool, most: usize) -> Vec<usize> {
    let mut known = Vec::new();
    let Some(first) = steps.get(effect.step) else { return known };
    let is_load = first.accesses.get(effect.access).is_some_and(|access| access.kind == AccessKind::Load);
    let mut next = match same_place {
        true if is_load => stored_by(first),
        true => written_by(first, false),
        false => written_by(first, true),
    };
    while !next.is_empty() && known.len() < most {
        let mut further = Vec::new();
        for number in std::mem::take(&mut next) {
            if known.len() == most || known.contains(&number) || number >= effect.step {
                continue;
            }
            known.push(number);
            let step = &steps[number];
            // Both runs load this value.
            if step.accesses.iter().any(is_shared) {
                continue;
            }
            further.extend(written_by(step, step.accesses.is_empty()));
            further.extend(stored_by(step));
        }
        next = further;
    }
    known.sort_unstable();
    known
}

/// The steps that wrote the registers that a step reads, with those of its address or without.
fn written_by(step: &Step, addresses: bool) -> Vec<usize> {
    let sources = step.reads.iter().filter(|source| addresses || !source.addresses);
    sources.filter_map(|source| source.written_by).collect()
}

/// The steps that stored what a step loads.
fn stored_by(step: &Step) -> Vec<usize> {
    step.accesses.iter().filter_map(|access| access.written_by).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use warpdiff_emulator::trace::Control;

    use super::*;

    fn access(kind: AccessKind, memory: MemoryKind, offset: i64, size: u32, value: u64) -> Access {
        let place = Place { kind: memory, name: Arc::from("out"), offset };
        Access {
            kind,
            place,
            size,
            value,
            undefined: 0,
            open: 0,
            float: None,
            before: None,
            written_by: None,
        }
    }

    fn store(offset: i64, value: u64) -> Access {
        access(AccessKind::Store, MemoryKind::Buffer, offset, 4, value)
    }

    fn load(offset: i64, value: u64) -> Access {
        access(AccessKind::Load, MemoryKind::Buffer, offset, 4, value)
    }

    /// A run in which each step has one access.
    fn run(accesses: &[Access]) -> Vec<Step> {
        let step = |access: &Access| Step {
            line: 1,
            instruction: Arc::from("an instruction"),
            skipped: false,
            reads: Vec::new(),
            writes: Vec::new(),
            accesses: vec![access.clone()],
            control: Control::Next,
        };
        accesses.iter().map(step).collect()
    }

    fn steps(parting: Option<Parting>) -> Option<(Option<usize>, Option<usize>)> {
        let step = |effect: Option<Effect>| effect.map(|effect| effect.step);
        parting.map(|parting| (step(parting.ours), step(parting.theirs)))
    }

    #[test]
    fn stores_to_different_places_may_change_their_order() {
        let ours = run(&[store(0, 1), store(4, 2)]);
        assert_eq!(parting(&ours, &run(&[store(4, 2), store(0, 1)])), None);
        assert_eq!(steps(parting(&ours, &run(&[store(4, 1), store(0, 2)]))), Some((Some(0), Some(1))));
    }

    #[test]
    fn the_first_difference_in_our_order_counts() {
        let ours = run(&[store(0, 1), store(4, 2), store(8, 3)]);
        let theirs = run(&[store(8, 9), store(4, 9), store(0, 1)]);
        assert_eq!(steps(parting(&ours, &theirs)), Some((Some(1), Some(1))));
    }

    #[test]
    fn an_overwritten_store_may_be_dropped_but_not_the_last() {
        let ours = run(&[store(0, 1), store(0, 2)]);
        assert_eq!(parting(&ours, &run(&[store(0, 2)])), None);
        assert_eq!(steps(parting(&ours, &run(&[store(0, 1)]))), Some((Some(1), None)));
        assert_eq!(steps(parting(&ours, &run(&[store(0, 2), store(0, 1)]))), Some((Some(0), Some(0))));
    }

    #[test]
    fn a_store_of_one_run_alone_parts_them() {
        let ours = run(&[store(0, 1)]);
        assert_eq!(steps(parting(&ours, &run(&[store(0, 1), store(4, 1)]))), Some((None, Some(1))));
        assert_eq!(steps(parting(&ours, &[])), Some((Some(0), None)));
    }

    #[test]
    fn a_wide_store_is_as_good_as_two_narrow_ones() {
        let wide = access(AccessKind::Store, MemoryKind::Buffer, 0, 8, 0x0000_0002_0000_0001);
        assert_eq!(parting(&run(&[store(0, 1), store(4, 2)]), &run(&[wide])), None);
    }

    #[test]
    fn a_load_may_be_dropped_but_not_made_up() {
        let ours = run(&[load(0, 7), load(4, 8)]);
        assert_eq!(parting(&ours, &run(&[load(4, 8)])), None);
        assert_eq!(steps(parting(&ours, &run(&[load(0, 7), load(4, 9)]))), Some((Some(1), Some(1))));
        assert_eq!(steps(parting(&ours, &run(&[load(0, 7), load(64, 8)]))), Some((None, Some(1))));
    }

    #[test]
    fn local_memory_and_open_bits_are_not_compared() {
        let local = access(AccessKind::Store, MemoryKind::Local, 0, 4, 5);
        assert_eq!(parting(&run(&[local]), &[]), None);
        let open = Access { open: 0xFF, ..store(0, 0x12) };
        assert_eq!(parting(&run(&[open]), &run(&[store(0, 0x34)])), None);
        let open = Access { open: 0x0F, ..store(0, 0x12) };
        assert_eq!(steps(parting(&run(&[open]), &run(&[store(0, 0x34)]))), Some((Some(0), Some(0))));
    }

    #[test]
    fn an_atomic_loads_and_stores() {
        let atomic = |before, after| Access {
            before: Some(before),
            ..access(AccessKind::Atomic, MemoryKind::Shared, 0, 4, after)
        };
        assert_eq!(parting(&run(&[atomic(1, 2)]), &run(&[atomic(1, 2)])), None);
        assert_eq!(steps(parting(&run(&[atomic(1, 2)]), &run(&[atomic(1, 3)]))), Some((Some(0), Some(0))));
        assert_eq!(
            counts(&run(&[atomic(1, 2), store(0, 1), load(0, 1)])),
            Counts { loads: 1, stores: 1, atomics: 1 }
        );
    }
}

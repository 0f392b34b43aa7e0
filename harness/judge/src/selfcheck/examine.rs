//! Compares the judge with the enumeration, for one launch.

use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{
    Admission, Allowed, Corruption, FaultClass, Launch, Log, Observation, Outcome, Permitted, Region, State,
};

use super::damage::{Bit, DamageExtent, bits};
use super::enumeration::{Enumeration, Membership};
use super::parts::{JudgedWith, Parts};
use super::tally::{DamageKind, DamageTally};

/// The judge under test: a verdict over an observation.
pub type JudgeUnderTest<'a> = &'a dyn Fn(&Allowed, &Observation) -> Admission;

/// Which bits of a launch's state are damaged, and how much of it each is judged with.
#[derive(Clone, Copy, Debug)]
pub struct Thoroughness {
    /// The bits.
    pub extent: DamageExtent,
    /// What each is judged with.
    pub with: JudgedWith,
}

/// Damages the allowed outcomes of a launch and judges them. `name` precedes each wrong verdict.
pub fn examine(name: &str, allowed: &Allowed, launch: &Launch, thoroughness: Thoroughness) -> DamageTally {
    // Of the part of a state only the verdict is asked for, not what differs in words.
    let judges: (JudgeUnderTest<'_>, JudgeUnderTest<'_>) =
        (&Allowed::admits, &|allowed, observation| allowed.admits_listing(observation, 0));
    examine_judges(name, allowed, launch, thoroughness, judges)
}

/// As [`examine`], with another judge than [`Allowed::admits`]: to show that wrong judges are found.
pub fn examine_judge(
    name: &str,
    allowed: &Allowed,
    launch: &Launch,
    thoroughness: Thoroughness,
    judge: JudgeUnderTest<'_>,
) -> DamageTally {
    examine_judges(name, allowed, launch, thoroughness, (judge, judge))
}

fn examine_judges(
    name: &str,
    allowed: &Allowed,
    launch: &Launch,
    thoroughness: Thoroughness,
    (judge, judge_part): (JudgeUnderTest<'_>, JudgeUnderTest<'_>),
) -> DamageTally {
    let mut tally = DamageTally { launches: 1, ..DamageTally::default() };
    if allowed.outcomes.iter().any(|o| matches!(o.permitted, Permitted::Indeterminate { .. })) {
        tally.skipped = 1;
        return tally;
    }
    let mut examination = Examination { name, allowed, judge, judge_part, tally };
    examination.endings();
    examination.faults();
    let completed = allowed.outcomes.iter().find_map(|o| match &o.permitted {
        Permitted::Completed { state } => Some(state),
        _ => None,
    });
    if let Some(state) = completed {
        examination.states(state, launch, thoroughness);
    }
    examination.tally
}

struct Examination<'a> {
    name: &'a str,
    allowed: &'a Allowed,
    /// For whole states and other observations.
    judge: JudgeUnderTest<'a>,
    /// For parts of states.
    judge_part: JudgeUnderTest<'a>,
    tally: DamageTally,
}

impl Examination<'_> {
    /// Compares a verdict with what it should be, and counts.
    fn expect(
        &mut self,
        kind: DamageKind,
        should: Membership,
        admission: &Admission,
        what: impl FnOnce() -> String,
    ) {
        let name = self.name;
        let count = self.tally.of(kind);
        count.tried += 1;
        match (should, admission) {
            (Membership::Allowed, Admission::Conforms { .. }) => count.allowed += 1,
            (Membership::Forbidden, Admission::Violates { .. }) => count.turned += 1,
            // The judge may not decide orders that cannot be listed here.
            (Membership::Unlisted, Admission::Conforms { .. } | Admission::Violates { .. })
            | (Membership::Unlisted, Admission::Indeterminate { .. }) => count.unlisted += 1,
            (_, verdict) => {
                let verdict = word(verdict);
                self.tally.wrong_verdict(kind, || {
                    let should = if should == Membership::Allowed { "allowed" } else { "a violation" };
                    format!("{name}: {} is {should}, but the verdict is {verdict}", what())
                });
            }
        }
    }

    /// Endings that are never allowed, and completion if it is not allowed.
    fn endings(&mut self) {
        let outcomes = &self.allowed.outcomes;
        let hangs = outcomes.iter().any(|o| o.permitted == Permitted::TimedOut);
        let should = if hangs { Membership::Allowed } else { Membership::Forbidden };
        let verdict = (self.judge)(self.allowed, &Observation::timed_out());
        self.expect(DamageKind::Ending, should, &verdict, || "a time-out".into());
        let crash = (self.judge)(self.allowed, &Observation::Crashed { signal: 11 });
        self.expect(DamageKind::Ending, Membership::Forbidden, &crash, || "a crash".into());
        let rejection = Observation::rejected("load", "no");
        let rejected = (self.judge)(self.allowed, &rejection);
        self.expect(DamageKind::Ending, Membership::Forbidden, &rejected, || "a rejection".into());
        let must_fault = outcomes.iter().all(|o| matches!(o.permitted, Permitted::Faulted { .. }));
        if must_fault {
            let completed = (self.judge)(self.allowed, &Observation::Completed { state: State::default() });
            self.expect(DamageKind::Ending, Membership::Forbidden, &completed, || "completing".into());
        }
    }

    /// Every class of fault: allowed exactly where some outcome has a fault that an observer may see as this class.
    fn faults(&mut self) {
        // After a time-out the reference does not know which faults would follow.
        if self.allowed.outcomes.iter().all(|o| o.permitted == Permitted::TimedOut) {
            return;
        }
        for (class, name) in FaultClass::ALL {
            let possible = self.allowed.outcomes.iter().any(|outcome| could_show(outcome, class));
            let should = if possible { Membership::Allowed } else { Membership::Forbidden };
            let observation = Observation::faulted(class);
            let verdict = (self.judge)(self.allowed, &observation);
            self.expect(DamageKind::Fault, should, &verdict, || format!("a fault of class {name}"));
        }
    }

    /// The state of an outcome, and its damages.
    fn states(&mut self, masked: &MaskedState, launch: &Launch, thoroughness: Thoroughness) {
        let regions: Vec<Region> = masked.regions.iter().map(|r| r.region.clone()).collect();
        let mut state = State { regions };
        let base = state.clone();
        let mut enumeration = Enumeration::new(self.allowed, &base);
        // With more atomics than can be listed, the verdict may be that it could not be decided.
        let should = if enumeration.lists_orders() { Membership::Allowed } else { Membership::Unlisted };
        let verdict = self.judge(&mut state);
        self.expect(DamageKind::Ending, should, &verdict, || "the state of an outcome".into());
        self.shapes(&base);
        self.histories(masked, &base);
        let Thoroughness { extent, with } = thoroughness;
        let mut parts = Parts::new(self.allowed, &base, with, enumeration.lists_orders());
        let mut whole = 0;
        for (number, bit) in bits(masked, launch, extent).enumerate() {
            let order = parts.is_tied(bit);
            if order && !enumeration.lists_orders() && !number.is_multiple_of(ORDER_EVERY) {
                continue;
            }
            let byte = base.regions[bit.region].bytes[bit.at] ^ 1 << bit.bit;
            let listed = enumeration.with_byte(bit.region, bit.at, byte, order);
            // A changed value is one that is missing among all of them, whoever has the others.
            let permuted = order && masked.is_permuted(bit.region, bit.at);
            let should = if permuted { Membership::Forbidden } else { listed };
            let (verdict, is_whole) = parts.judge((self.judge, self.judge_part), bit, byte);
            whole += u64::from(is_whole);
            self.expect(bit.kind, should, &verdict, || described(&base, bit));
        }
        self.tally.whole += whole;
    }

    /// Every applicable corruption of every log of the state.
    fn histories(&mut self, masked: &MaskedState, base: &State) {
        for log in &masked.logs {
            for (corruption, name) in Corruption::ALL {
                let Some(mut state) = corrupted(log, base, corruption) else { continue };
                let verdict = self.judge(&mut state);
                let what = || format!("log `{}` with {name}", log.name);
                self.expect(DamageKind::History, Membership::Forbidden, &verdict, what);
            }
        }
    }

    fn judge(&self, state: &mut State) -> Admission {
        let observation = Observation::Completed { state: std::mem::take(state) };
        let verdict = (self.judge)(self.allowed, &observation);
        if let Observation::Completed { state: back } = observation {
            *state = back;
        }
        verdict
    }

    /// A state with another shape than the launch's is never allowed.
    fn shapes(&mut self, base: &State) {
        for index in 0..base.regions.len() {
            let name = base.regions[index].name.clone();
            let mut damaged = Vec::new();
            let mut variant = |what: &'static str, change: &dyn Fn(&mut State)| {
                let mut state = base.clone();
                change(&mut state);
                damaged.push((what, state));
            };
            variant("missing", &|s| drop(s.regions.remove(index)));
            variant("one byte too long", &|s| s.regions[index].bytes.push(0));
            variant("renamed", &|s| s.regions[index].name.push('\''));
            variant("duplicated", &|s| s.regions.push(s.regions[index].clone()));
            if !base.regions[index].bytes.is_empty() {
                variant("one byte too short", &|s| {
                    let _ = s.regions[index].bytes.pop();
                });
            }
            for (what, mut state) in damaged {
                let verdict = self.judge(&mut state);
                self.expect(DamageKind::Shape, Membership::Forbidden, &verdict, || {
                    format!("the state with region `{name}` {what}")
                });
            }
        }
    }
}

/// The state with a corrupted log; `None` if this corruption does not apply to it.
fn corrupted(log: &Log, base: &State, corruption: Corruption) -> Option<State> {
    let bytes = &base.regions.get(log.region)?.bytes;
    let last = log.last.map(|place| {
        let bytes = &base.regions[place.region].bytes[place.offset..place.offset + usize::from(log.width)];
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    });
    let history = corruption.apply(log, &log.read(bytes, last).ok()?)?;
    let mut state = base.clone();
    state.regions[log.region].bytes = log.write(&history, bytes.len())?;
    if let (Some(place), Some(value)) = (log.last, history.last) {
        let width = usize::from(log.width);
        state.regions[place.region].bytes[place.offset..place.offset + width]
            .copy_from_slice(&value.to_le_bytes()[..width]);
    }
    Some(state)
}

/// The interval of damaged bits if a location has too many operations to list: each verdict may take a long search, and only its
/// existence can be checked.
const ORDER_EVERY: usize = 16;

/// Whether an outcome has a fault that a target may report as this class. The specification names an execution trap but not the
/// error that the host sees, so every execution fault counts as any other, except `assert`.
fn could_show(outcome: &Outcome, class: FaultClass) -> bool {
    let must = match &outcome.permitted {
        Permitted::Faulted { faults } => faults.as_slice(),
        _ => &[],
    };
    let assert = |c: FaultClass| c == FaultClass::Assert;
    must.iter().chain(&outcome.may).any(|fault| assert(fault.class) == assert(class))
}

fn word(admission: &Admission) -> &'static str {
    match admission {
        Admission::Conforms { .. } => "that it conforms",
        Admission::Violates { .. } => "a violation",
        Admission::Indeterminate { .. } => "that it is indeterminate",
        Admission::NotJudged { .. } => "none",
    }
}

fn described(base: &State, bit: Bit) -> String {
    let region = &base.regions[bit.region];
    format!(
        "bit {} of byte {} of {} `{}`, flipped,",
        bit.bit,
        bit.at,
        warpdiff_corpus::bytes::kind_name(region.kind),
        region.name
    )
}

#[cfg(test)]
mod tests {
    use warpdiff_model::allowed::{MaskedRegion, Permits, Value};
    use warpdiff_model::{Assignment, Fault, FaultKind, RegionKind};

    use super::*;

    fn region(kind: RegionKind, byte: u8, defined: u8) -> MaskedRegion {
        let region = Region { kind, name: "b".into(), bytes: vec![byte; 8] };
        MaskedRegion {
            region,
            defined: vec![defined; 8].into(),
            unordered: vec![0; 8].into(),
            stride: 0,
            values: Vec::new(),
        }
    }

    fn outcome(permitted: Permitted) -> Allowed {
        let outcome = Outcome { assignment: Assignment::default(), permitted, may: Vec::new() };
        Allowed { outcomes: vec![outcome], tolerances: Vec::new() }
    }

    /// A buffer whose low nibbles are undefined, and its guard band.
    fn completed() -> Allowed {
        let regions = vec![region(RegionKind::Buffer, 0x10, 0xF0), region(RegionKind::Guard, 0xA5, 0xFF)];
        outcome(Permitted::Completed { state: MaskedState { regions, ..MaskedState::default() } })
    }

    fn faulted() -> Allowed {
        let fault = Fault {
            class: FaultClass::Trap,
            kind: FaultKind::Must,
            thread: None,
            line: None,
            address: None,
            detail: String::new(),
        };
        outcome(Permitted::Faulted { faults: vec![fault] })
    }

    fn wrong_verdicts(allowed: &Allowed, judge: JudgeUnderTest<'_>) -> Vec<DamageKind> {
        let launch = Launch::new("".into(), "k");
        let [tally, whole] = [JudgedWith::ItsBlock, JudgedWith::TheWholeState].map(|with| {
            let thoroughness = Thoroughness { extent: DamageExtent::EveryBit, with };
            examine_judge("t", allowed, &launch, thoroughness, judge)
        });
        assert_eq!(tally.counts, whole.counts);
        assert_eq!(tally.total_wrong_verdicts() > 0, !tally.wrong_verdicts.is_empty());
        tally.counts.iter().filter(|(_, count)| count.wrong_verdicts > 0).map(|(kind, _)| *kind).collect()
    }

    fn conforms() -> Admission {
        Admission::Conforms { inconsistent: false, matches: Vec::new() }
    }

    /// The observation as the judge sees it after a change of its state.
    fn seen(observation: &Observation, change: impl Fn(&mut State)) -> Observation {
        let mut observation = observation.clone();
        if let Observation::Completed { state } = &mut observation {
            change(state);
        }
        observation
    }

    #[test]
    fn the_real_judge_has_no_wrong_verdict() {
        assert_eq!(wrong_verdicts(&completed(), &Allowed::admits), []);
        assert_eq!(wrong_verdicts(&faulted(), &Allowed::admits), []);
    }

    #[test]
    fn a_judge_that_does_not_look_at_guard_bands_is_found_out() {
        let blind = |allowed: &Allowed, observation: &Observation| {
            let mend = |state: &mut State| {
                let guards = state.regions.iter_mut().filter(|r| r.kind == RegionKind::Guard);
                guards.filter(|r| r.bytes.len() == 8).for_each(|r| r.bytes.fill(0xA5));
            };
            allowed.admits(&seen(observation, mend))
        };
        assert_eq!(wrong_verdicts(&completed(), &blind), [DamageKind::Guard]);
    }

    #[test]
    fn a_judge_that_overlooks_one_bit_is_found_out() {
        let blind = |allowed: &Allowed, observation: &Observation| {
            let mend = |state: &mut State| {
                let buffers = state.regions.iter_mut().filter(|r| r.kind == RegionKind::Buffer);
                buffers.filter_map(|r| r.bytes.get_mut(5)).for_each(|byte| *byte &= 0x7F);
            };
            allowed.admits(&seen(observation, mend))
        };
        assert_eq!(wrong_verdicts(&completed(), &blind), [DamageKind::Buffer]);
    }

    #[test]
    fn a_judge_that_compares_undefined_bits_is_found_out() {
        let strict = |allowed: &Allowed, observation: &Observation| {
            let mut allowed = allowed.clone();
            for outcome in &mut allowed.outcomes {
                if let Permitted::Completed { state } = &mut outcome.permitted {
                    state.regions.iter_mut().for_each(|r| r.defined.to_mut().fill(0xFF));
                }
            }
            allowed.admits(observation)
        };
        assert_eq!(wrong_verdicts(&completed(), &strict), [DamageKind::Masked]);
    }

    /// A surface with a component that is 0x10 or 0x0F, which have no bit in common but the upper three, and one of the NaNs of a binary32.
    fn values() -> Allowed {
        let mut surface = region(RegionKind::Surface, 0x10, 0xFF);
        surface.region.bytes[4..].copy_from_slice(&0x7F80_0001_u32.to_le_bytes());
        surface.defined.to_mut()[1] = 0xE0;
        surface.defined.to_mut()[4..].copy_from_slice(&0x7F80_0000_u32.to_le_bytes());
        surface.values = vec![
            Value { offset: 1, size: 1, permitted: Permits::Either([0x10, 0x0F]) },
            Value { offset: 4, size: 4, permitted: Permits::Nan(0x7F80_0001) },
        ];
        let regions = vec![surface];
        outcome(Permitted::Completed { state: MaskedState { regions, ..MaskedState::default() } })
    }

    #[test]
    fn a_judge_that_takes_a_value_for_its_undefined_bits_is_found_out() {
        assert_eq!(wrong_verdicts(&values(), &Allowed::admits), []);
        let blind = |allowed: &Allowed, observation: &Observation| {
            let mut allowed = allowed.clone();
            for outcome in &mut allowed.outcomes {
                if let Permitted::Completed { state } = &mut outcome.permitted {
                    state.regions.iter_mut().for_each(|r| r.values.clear());
                }
            }
            allowed.admits(observation)
        };
        assert_eq!(wrong_verdicts(&values(), &blind), [DamageKind::Surface]);
    }

    #[test]
    fn a_judge_that_accepts_everything_is_found_out_everywhere() {
        let kinds =
            [DamageKind::Buffer, DamageKind::Guard, DamageKind::Shape, DamageKind::Fault, DamageKind::Ending];
        assert_eq!(wrong_verdicts(&completed(), &|_, _| conforms()), kinds);
        assert_eq!(wrong_verdicts(&faulted(), &|_, _| conforms()), [DamageKind::Fault, DamageKind::Ending]);
    }
}

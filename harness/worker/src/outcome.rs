//! Holds the answer of a worker against the launch it answers: what is missing, surplus or of another size than the launch
//! says is a lie, and says nothing of the target's semantics.

use std::collections::BTreeMap;

use warpdiff_model::{FaultClass, Launch, Observation, Region, RegionKind, State};

use super::hex::Hex;
use super::protocol::{Outcome, StateMessage};

/// Bytes of an answer beside the memory it shows: names, punctuation, words.
pub(super) const WORDS: usize = 64 << 10;
/// Bytes of all observed variables of a launch, at most: their sizes stand in the program, not in the launch.
const VARIABLES: usize = 4 << 20;

/// Bytes of the longest line that an honest worker can answer a launch with.
pub fn longest(launch: &Launch) -> usize {
    let buffers: usize = launch.buffers.iter().map(|b| b.bytes.len() + 2 * b.guard as usize).sum();
    let surfaces: usize = launch.surfaces.iter().map(|s| s.bytes.len()).sum();
    let variables = if launch.observed_variables.is_empty() { 0 } else { VARIABLES };
    // A name may be escaped, each character of it up to six bytes long, and a buffer is named twice.
    let names = launch.buffers.iter().map(|b| &b.name).chain(launch.surfaces.iter().map(|s| &s.name));
    let names: usize = names.chain(&launch.observed_variables).map(|name| 12 * name.len() + 32).sum();
    2 * (buffers + surfaces + variables) + names + WORDS
}

/// The observation that an answer reports.
///
/// # Errors
/// What is untrue about it, as a lowercase fragment.
pub fn observation(outcome: Outcome, launch: &Launch) -> Result<Observation, String> {
    Ok(match outcome {
        Outcome::Completed { state } => {
            Observation::Completed { state: memory(state, launch, Extent::Whole)? }
        }
        Outcome::Faulted { class, code, thread, state, calls } => Observation::Faulted {
            class: FaultClass::from_name(&class).ok_or_else(|| format!("unknown fault class `{class}`"))?,
            code,
            thread,
            state: state.map(|state| memory(state, launch, Extent::Part)).transpose()?,
            calls: calls.into(),
        },
        Outcome::Rejected { stage, message, calls } => {
            Observation::Rejected { stage, message, calls: calls.into() }
        }
        Outcome::TimedOut { calls } => Observation::TimedOut { calls: calls.into() },
        Outcome::Unsupported { what } => Observation::Unsupported { what },
    })
}

/// How much of the memory an answer has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Every region.
    Whole,
    /// What is left of it: a fault may take some with it.
    Part,
}

/// The regions of the launch, in their order, each of its size.
fn memory(mut state: StateMessage, launch: &Launch, extent: Extent) -> Result<State, String> {
    let mut regions = Vec::new();
    let mut take = |map: &mut BTreeMap<String, Hex>, kind, name: &str, size| {
        if extent == Extent::Whole || map.contains_key(name) {
            regions.push(region(map, kind, name, size)?);
        }
        Ok::<_, String>(())
    };
    for buffer in &launch.buffers {
        take(&mut state.buffers, RegionKind::Buffer, &buffer.name, Some(buffer.bytes.len()))?;
    }
    for buffer in &launch.buffers {
        take(&mut state.guards, RegionKind::Guard, &buffer.name, Some(2 * buffer.guard as usize))?;
    }
    for surface in &launch.surfaces {
        take(&mut state.surfaces, RegionKind::Surface, &surface.name, Some(surface.bytes.len()))?;
    }
    for name in &launch.observed_variables {
        take(&mut state.variables, RegionKind::Variable, name, None)?;
    }
    let left = [&state.buffers, &state.guards, &state.surfaces, &state.variables];
    match left.into_iter().zip(KINDS).find_map(|(map, kind)| Some((map.keys().next()?, kind))) {
        Some((name, kind)) => Err(format!("the launch has no {kind} `{name}`")),
        None => Ok(State { regions }),
    }
}

const KINDS: [&str; 4] = ["buffer", "guard of buffer", "surface", "observed variable"];

fn region(
    map: &mut BTreeMap<String, Hex>,
    kind: RegionKind,
    name: &str,
    size: Option<usize>,
) -> Result<Region, String> {
    let word = match kind {
        RegionKind::Buffer => KINDS[0],
        RegionKind::Guard => KINDS[1],
        RegionKind::Surface => KINDS[2],
        RegionKind::Variable => KINDS[3],
    };
    let Some(Hex(bytes)) = map.remove(name) else { return Err(format!("{word} `{name}` is missing")) };
    match size {
        Some(size) if size != bytes.len() => {
            Err(format!("{word} `{name}` has {} bytes, expected {size}", bytes.len()))
        }
        _ => Ok(Region { kind, name: name.into(), bytes }),
    }
}

/// The message that reports a state: what [`observation`] reads.
pub fn report(state: &State) -> StateMessage {
    let mut message = StateMessage::default();
    for region in &state.regions {
        let map = match region.kind {
            RegionKind::Buffer => &mut message.buffers,
            RegionKind::Guard => &mut message.guards,
            RegionKind::Surface => &mut message.surfaces,
            RegionKind::Variable => &mut message.variables,
        };
        map.insert(region.name.clone(), Hex(region.bytes.clone()));
    }
    message
}

/// The outcome that reports an observation; `None` for what only warpdiff itself can observe.
pub fn outcome(observation: &Observation) -> Option<Outcome> {
    Some(match observation {
        Observation::Completed { state } => Outcome::Completed { state: report(state) },
        Observation::Faulted { class, code, thread, state, calls } => Outcome::Faulted {
            class: class.name().into(),
            code: *code,
            thread: *thread,
            state: state.as_ref().map(report),
            calls: (*calls).into(),
        },
        Observation::Rejected { stage, message, calls } => {
            Outcome::Rejected { stage: stage.clone(), message: message.clone(), calls: (*calls).into() }
        }
        Observation::TimedOut { calls } => Outcome::TimedOut { calls: (*calls).into() },
        Observation::Unsupported { what } => Outcome::Unsupported { what: what.clone() },
        Observation::Crashed { .. } | Observation::NotRun { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use warpdiff_model::Buffer;

    use super::*;
    use crate::protocol::CallsMessage;

    fn launch() -> Launch {
        let mut launch = Launch::new("".into(), "k");
        launch.buffers = vec![Buffer { guard: 2, ..Buffer::new("out", vec![0; 4]) }];
        launch
    }

    fn completed(buffers: &[(&str, usize)], guards: &[(&str, usize)]) -> Outcome {
        let map = |regions: &[(&str, usize)]| {
            regions.iter().map(|(name, size)| (name.to_string(), Hex(vec![7; *size]))).collect()
        };
        Outcome::Completed {
            state: StateMessage { buffers: map(buffers), guards: map(guards), ..StateMessage::default() },
        }
    }

    #[test]
    fn an_honest_answer_has_every_region_whole() {
        let observed = observation(completed(&[("out", 4)], &[("out", 4)]), &launch()).unwrap();
        let Observation::Completed { state } = &observed else { panic!("{observed:?}") };
        let sizes: Vec<_> = state.regions.iter().map(|r| (r.kind, r.bytes.len())).collect();
        assert_eq!(sizes, [(RegionKind::Buffer, 4), (RegionKind::Guard, 4)]);
        assert_eq!(observation(outcome(&observed).unwrap(), &launch()), Ok(observed));
    }

    #[test]
    fn a_lie_about_sizes_is_named() {
        let lie =
            |buffers: &[_], guards: &[_]| observation(completed(buffers, guards), &launch()).unwrap_err();
        assert_eq!(lie(&[("out", 3)], &[("out", 4)]), "buffer `out` has 3 bytes, expected 4");
        assert_eq!(lie(&[("out", 4)], &[("out", 2)]), "guard of buffer `out` has 2 bytes, expected 4");
        assert_eq!(lie(&[], &[("out", 4)]), "buffer `out` is missing");
        assert_eq!(lie(&[("out", 4), ("in", 0)], &[("out", 4)]), "the launch has no buffer `in`");
    }

    #[test]
    fn after_a_fault_a_part_of_the_memory_will_do_but_no_other_memory() {
        let faulted = |outcome| {
            let Outcome::Completed { state } = outcome else { unreachable!("`completed` makes these") };
            let (class, calls) = ("trap".into(), CallsMessage::default());
            observation(
                Outcome::Faulted { class, code: 719, thread: None, state: Some(state), calls },
                &launch(),
            )
        };
        let observed = faulted(completed(&[("out", 4)], &[])).unwrap();
        let Observation::Faulted { state: Some(state), .. } = &observed else { panic!("{observed:?}") };
        assert_eq!(state.regions.len(), 1);
        assert_eq!(observation(outcome(&observed).unwrap(), &launch()), Ok(observed));
        assert!(faulted(completed(&[("out", 3)], &[])).is_err());
        assert!(faulted(completed(&[("in", 4)], &[])).is_err());
    }

    #[test]
    fn a_class_that_nobody_knows_is_named() {
        let outcome = Outcome::Faulted {
            class: "cold".into(),
            code: 1,
            thread: None,
            state: None,
            calls: CallsMessage::default(),
        };
        assert_eq!(observation(outcome, &launch()).unwrap_err(), "unknown fault class `cold`");
    }

    #[test]
    fn the_bound_leaves_room_for_every_honest_answer() {
        let mut launch = launch();
        launch.buffers[0].name = "\u{1}".repeat(10_000);
        let state = State {
            regions: vec![
                Region { kind: RegionKind::Buffer, name: launch.buffers[0].name.clone(), bytes: vec![0; 4] },
                Region { kind: RegionKind::Guard, name: launch.buffers[0].name.clone(), bytes: vec![0; 4] },
            ],
        };
        let text = serde_json::to_string(&report(&state)).unwrap();
        assert!(text.len() < longest(&launch), "{} < {}", text.len(), longest(&launch));
    }
}

//! An observation as a recording keeps it: for a person to read, and exact. Memory that is as it was before the launch is not
//! listed: an untouched guard band, surface or buffer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use warpdiff_model::{Buffer, Launch, Observation};

use crate::worker::answer;
use crate::worker::hex::Hex;
use crate::worker::protocol::{CallsMessage, Outcome, StateMessage};

/// What a target did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// `completed`, `faulted`, `rejected`, `timed-out`, `crashed`, `unsupported`.
    pub outcome: String,
    /// Class of the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The target's own code of the fault, or the signal of the crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// What the calls of the driver API around it answered.
    #[serde(default, skip_serializing_if = "CallsMessage::is_empty")]
    pub calls: CallsMessage,
    /// The faulting thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<[u32; 6]>,
    /// Where it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Words of a rejection, or what is unsupported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// Memory that is not as it was before the launch. Absent where the target shows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

/// Bytes by name, in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Buffers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub buffers: BTreeMap<String, Hex>,
    /// Guard bands of buffers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub guards: BTreeMap<String, Hex>,
    /// Surfaces.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub surfaces: BTreeMap<String, Hex>,
    /// Observed variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Hex>,
    /// What the target could not show, as after a fault.
    #[serde(default, skip_serializing_if = "Unseen::is_empty")]
    pub unseen: Unseen,
}

/// Memory that was not shown, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unseen {
    /// Buffers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<String>,
    /// Guard bands of buffers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<String>,
    /// Surfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaces: Vec<String>,
}

impl Unseen {
    /// Whether everything was shown.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The observation as it is kept; `None` if nothing was run.
pub fn keep(observation: &Observation, launch: &Launch) -> Option<Observed> {
    let kept = |outcome: &str| Observed { outcome: outcome.into(), ..Observed::default() };
    if let Observation::Crashed { signal } = observation {
        return Some(Observed { code: Some((*signal).into()), ..kept("crashed") });
    }
    Some(match answer::outcome(observation)? {
        Outcome::Completed { state } => {
            Observed { memory: Some(changed(state, launch)), ..kept("completed") }
        }
        Outcome::Faulted { class, code, thread, state, calls } => Observed {
            class: Some(class),
            code: Some(code.into()),
            thread,
            memory: state.map(|state| changed(state, launch)),
            calls,
            ..kept("faulted")
        },
        Outcome::Rejected { stage, message, calls } => {
            Observed { stage: Some(stage), words: Some(message), calls, ..kept("rejected") }
        }
        Outcome::TimedOut { calls } => Observed { calls, ..kept("timed-out") },
        Outcome::Unsupported { what } => Observed { words: Some(what), ..kept("unsupported") },
    })
}

/// The observation that was kept of this launch.
///
/// # Errors
/// If it does not fit the launch, as a lowercase fragment.
pub fn restore(kept: &Observed, launch: &Launch) -> Result<Observation, String> {
    let state = || kept.memory.clone().map(|memory| whole(memory, launch));
    let code = kept.code.unwrap_or_default();
    let number = || format!("the code {code} is out of range");
    let outcome = match kept.outcome.as_str() {
        "completed" => Outcome::Completed { state: state().ok_or("no memory is recorded")? },
        "faulted" => Outcome::Faulted {
            class: kept.class.clone().unwrap_or_default(),
            code: u32::try_from(code).map_err(|_| number())?,
            thread: kept.thread,
            state: state(),
            calls: kept.calls,
        },
        "rejected" => Outcome::Rejected {
            stage: kept.stage.clone().unwrap_or_default(),
            message: kept.words.clone().unwrap_or_default(),
            calls: kept.calls,
        },
        "timed-out" => Outcome::TimedOut { calls: kept.calls },
        "unsupported" => Outcome::Unsupported { what: kept.words.clone().unwrap_or_default() },
        "crashed" => return Ok(Observation::Crashed { signal: i32::try_from(code).map_err(|_| number())? }),
        other => return Err(format!("unknown outcome `{other}`")),
    };
    answer::observation(outcome, launch)
}

/// What is not as it was before the launch.
fn changed(state: StateMessage, launch: &Launch) -> Memory {
    let before = before(launch);
    let fresh = |after: BTreeMap<String, Hex>, before: &BTreeMap<String, Hex>| {
        after.into_iter().filter(|(name, bytes)| before.get(name) != Some(bytes)).collect()
    };
    let missing = |after: &BTreeMap<String, Hex>, before: &BTreeMap<String, Hex>| {
        before.keys().filter(|name| !after.contains_key(*name)).cloned().collect()
    };
    let unseen = Unseen {
        buffers: missing(&state.buffers, &before.buffers),
        guards: missing(&state.guards, &before.guards),
        surfaces: missing(&state.surfaces, &before.surfaces),
    };
    Memory {
        unseen,
        buffers: fresh(state.buffers, &before.buffers),
        guards: fresh(state.guards, &before.guards),
        surfaces: fresh(state.surfaces, &before.surfaces),
        variables: state.variables,
    }
}

/// The memory with what is as it was before.
fn whole(memory: Memory, launch: &Launch) -> StateMessage {
    let mut state = before(launch);
    state.buffers.extend(memory.buffers);
    state.guards.extend(memory.guards);
    state.surfaces.extend(memory.surfaces);
    state.variables.extend(memory.variables);
    let Unseen { buffers, guards, surfaces } = memory.unseen;
    buffers.iter().for_each(|name| drop(state.buffers.remove(name)));
    guards.iter().for_each(|name| drop(state.guards.remove(name)));
    surfaces.iter().for_each(|name| drop(state.surfaces.remove(name)));
    state
}

/// The memory before the launch, variables aside.
fn before(launch: &Launch) -> StateMessage {
    let guard = |b: &Buffer| (b.name.clone(), Hex(vec![Buffer::GUARD_BYTE; 2 * b.guard as usize]));
    StateMessage {
        buffers: launch.buffers.iter().map(|b| (b.name.clone(), Hex(b.bytes.clone()))).collect(),
        guards: launch.buffers.iter().map(guard).collect(),
        surfaces: launch.surfaces.iter().map(|s| (s.name.clone(), Hex(s.bytes.clone()))).collect(),
        variables: BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_model::{Calls, FaultClass, Region, RegionKind, State};

    use super::*;

    fn launch() -> Launch {
        let mut launch = Launch::new("".into(), "k");
        launch.buffers = vec![Buffer { guard: 1, ..Buffer::new("out", vec![1, 2]) }];
        launch.observed_variables = vec!["v".into()];
        launch
    }

    fn state(out: [u8; 2], guard: [u8; 2]) -> State {
        let region =
            |kind, name: &str, bytes: &[u8]| Region { kind, name: name.into(), bytes: bytes.to_vec() };
        State {
            regions: vec![
                region(RegionKind::Buffer, "out", &out),
                region(RegionKind::Guard, "out", &guard),
                region(RegionKind::Variable, "v", &[9]),
            ],
        }
    }

    #[test]
    fn every_observation_comes_back_as_it_was() {
        let fault = |state| Observation::Faulted {
            class: FaultClass::Misaligned,
            code: 716,
            thread: Some([1; 6]),
            state,
            calls: Calls { launch: Some(0), synchronize: Some(716), ..Calls::default() },
        };
        for observation in [
            Observation::Completed { state: state([1, 2], [0xA5; 2]) },
            Observation::Completed { state: state([1, 3], [0xA5, 0]) },
            fault(None),
            fault(Some(state([0, 0], [0xA5; 2]))),
            fault(Some(State { regions: vec![state([1, 2], [0xA5; 2]).regions.remove(1)] })),
            Observation::rejected("load", "no: \"x\"\n"),
            Observation::timed_out(),
            Observation::TimedOut { calls: Calls { synchronize: Some(702), ..Calls::default() } },
            Observation::Crashed { signal: 11 },
            Observation::Unsupported { what: "this".into() },
        ] {
            let kept = keep(&observation, &launch()).unwrap();
            let text = serde_yaml::to_string(&kept).unwrap();
            let read: Observed = serde_yaml::from_str(&text).unwrap();
            assert_eq!(restore(&read, &launch()), Ok(observation), "{text}");
        }
        assert_eq!(keep(&Observation::NotRun { why: String::new() }, &launch()), None);
    }

    #[test]
    fn what_did_not_change_is_not_listed() {
        let kept = keep(&Observation::Completed { state: state([1, 2], [0xA5; 2]) }, &launch()).unwrap();
        let memory = kept.memory.unwrap();
        assert!(memory.buffers.is_empty() && memory.guards.is_empty() && memory.variables.len() == 1);
    }

    #[test]
    fn what_does_not_fit_the_launch_is_refused() {
        let mut kept = keep(&Observation::Completed { state: state([3, 4], [0xA5; 2]) }, &launch()).unwrap();
        kept.memory.as_mut().unwrap().buffers.insert("out".into(), Hex(vec![1]));
        assert!(restore(&kept, &launch()).unwrap_err().contains("has 1 bytes"));
    }
}

//! An observation as a recording keeps it: for a person to read, and exact. Memory that is as it was before the launch is not
//! listed: an untouched guard band, surface or buffer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use warpdiff_model::{Buffer, Launch, Observation, RegionKind};
use warpdiff_worker::hex::Hex;
use warpdiff_worker::outcome;
use warpdiff_worker::protocol::{CallsMessage, Outcome, StateMessage};

use super::archive::Archive;
use super::memory::{decode, encode};

/// What was observed of a launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its rows, or `whole` (see [`super::meaning::part`]).
    pub part: String,
    /// What the launch means (see [`super::meaning::meaning`]).
    pub meaning: String,
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
    /// Memory that is not as it was before the launch, by kind and name: `surface img`, as [`super::memory`] writes it. Absent
    /// where the target shows none; `unseen` for a region that it does not show, as after a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<BTreeMap<String, String>>,
}

/// Kinds of regions, by the words that memory is listed under.
const KINDS: [(&str, RegionKind); 4] = [
    ("buffer ", RegionKind::Buffer),
    ("guard ", RegionKind::Guard),
    ("surface ", RegionKind::Surface),
    ("variable ", RegionKind::Variable),
];

/// What stands in place of the bytes of a region that the target did not show.
const UNSEEN: &str = "unseen";

/// The observation of a launch as it is kept; `None` if nothing was run. `part` and `meaning` are left empty. Large memory goes
/// to the archive.
pub fn keep(observation: &Observation, launch: &Launch, archive: &mut Archive) -> Option<Entry> {
    let kept = |outcome: &str| Entry { outcome: outcome.into(), ..Entry::default() };
    if let Observation::Crashed { signal } = observation {
        return Some(Entry { code: Some((*signal).into()), ..kept("crashed") });
    }
    Some(match outcome::outcome(observation)? {
        Outcome::Completed { state } => {
            Entry { changed: Some(changed(state, launch, archive)), ..kept("completed") }
        }
        Outcome::Faulted { class, code, thread, state, calls } => Entry {
            class: Some(class),
            code: Some(code.into()),
            thread,
            changed: state.map(|state| changed(state, launch, archive)),
            calls,
            ..kept("faulted")
        },
        Outcome::Rejected { stage, message, calls } => {
            Entry { stage: Some(stage), words: Some(message), calls, ..kept("rejected") }
        }
        Outcome::TimedOut { calls } => Entry { calls, ..kept("timed-out") },
        Outcome::Unsupported { what } => Entry { words: Some(what), ..kept("unsupported") },
    })
}

/// The observation that was kept of this launch.
///
/// # Errors
/// If it does not fit the launch, as a lowercase fragment.
pub fn restore(kept: &Entry, launch: &Launch, archive: &Archive) -> Result<Observation, String> {
    let state = || kept.changed.as_ref().map(|changed| whole(changed, launch, archive)).transpose();
    let code = kept.code.unwrap_or_default();
    let number = || format!("the code {code} is out of range");
    let outcome = match kept.outcome.as_str() {
        "completed" => Outcome::Completed { state: state()?.ok_or("no memory is recorded")? },
        "faulted" => Outcome::Faulted {
            class: kept.class.clone().unwrap_or_default(),
            code: u32::try_from(code).map_err(|_| number())?,
            thread: kept.thread,
            state: state()?,
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
    outcome::observation(outcome, launch)
}

/// The regions of a state of one kind.
fn regions(state: &mut StateMessage, kind: RegionKind) -> &mut BTreeMap<String, Hex> {
    match kind {
        RegionKind::Buffer => &mut state.buffers,
        RegionKind::Guard => &mut state.guards,
        RegionKind::Surface => &mut state.surfaces,
        RegionKind::Variable => &mut state.variables,
    }
}

/// What is not as it was before the launch.
fn changed(mut state: StateMessage, launch: &Launch, archive: &mut Archive) -> BTreeMap<String, String> {
    let mut before = before(launch);
    let mut changed = BTreeMap::new();
    for (word, kind) in KINDS {
        let (before, state) = (regions(&mut before, kind), regions(&mut state, kind));
        let unseen = before.keys().filter(|name| !state.contains_key(*name));
        changed.extend(unseen.map(|name| (format!("{word}{name}"), UNSEEN.into())));
        for (name, Hex(after)) in std::mem::take(state) {
            let then = before.get(&name).map(|Hex(bytes)| bytes.as_slice());
            if then != Some(after.as_slice()) {
                changed.insert(format!("{word}{name}"), encode(&after, then, archive));
            }
        }
    }
    changed
}

/// The memory with what is as it was before.
fn whole(
    changed: &BTreeMap<String, String>,
    launch: &Launch,
    archive: &Archive,
) -> Result<StateMessage, String> {
    let mut state = before(launch);
    for (title, text) in changed {
        let named = |(word, kind)| title.strip_prefix(word).map(|name: &str| (kind, name));
        let (kind, name) =
            KINDS.into_iter().find_map(named).ok_or_else(|| format!("`{title}` is not a memory region"))?;
        let regions = regions(&mut state, kind);
        if text == UNSEEN {
            regions.remove(name);
            continue;
        }
        let before = regions.get(name).map(|Hex(bytes)| bytes.as_slice());
        let after = decode(text, before, archive).map_err(|why| format!("{title}: {why}"))?;
        regions.insert(name.to_owned(), Hex(after));
    }
    Ok(state)
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
            let mut archive = Archive::default();
            let kept = keep(&observation, &launch(), &mut archive).unwrap();
            let text = serde_yaml::to_string(&kept).unwrap();
            let read: Entry = serde_yaml::from_str(&text).unwrap();
            assert_eq!(restore(&read, &launch(), &archive), Ok(observation), "{text}");
        }
        assert_eq!(
            keep(&Observation::NotRun { why: String::new() }, &launch(), &mut Archive::default()),
            None
        );
    }

    fn kept(bytes: [u8; 2]) -> Entry {
        let observation = Observation::Completed { state: state(bytes, [0xA5; 2]) };
        keep(&observation, &launch(), &mut Archive::default()).unwrap()
    }

    #[test]
    fn what_did_not_change_is_not_listed() {
        let changed = |bytes| kept(bytes).changed.unwrap();
        assert_eq!(changed([1, 2]), BTreeMap::from([("variable v".into(), "0=09".into())]));
        assert_eq!(changed([1, 3])["buffer out"], "1=03");
    }

    #[test]
    fn what_does_not_fit_the_launch_is_refused() {
        let refused = |title: &str, text: &str| {
            let mut kept = kept([3, 4]);
            kept.changed.as_mut().unwrap().insert(title.into(), text.into());
            restore(&kept, &launch(), &Archive::default()).unwrap_err()
        };
        assert!(refused("buffer out", "2=01").contains("lies outside its region"));
        assert!(refused("buffer other", "0=01").contains("the launch has no buffer `other`"));
        assert!(refused("register r", "0=01").contains("is not a memory region"));
    }
}

//! Keeps the observations of a run compactly until explanations are checked.

use std::borrow::Cow;

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::reference::PlannedOrSplit;
use warpdiff_judge::reference::{Programs, RecentPrograms, Unit, units};
use warpdiff_model::{Buffer, Launch, Observation, Region, RegionKind, Semantics, State};
use warpdiff_targets::Answer;

use crate::launch_answers::LaunchAnswers;

/// Most bytes that are kept of one variant. Few launches change more than their outputs and some texels.
const BYTES: usize = 1 << 20;
/// Thread-instructions after which a run counts as one that leaves something else: most launches take fewer, and a loop that a deviation makes
/// endless would cost more than it tells.
const STEPS: u64 = 1 << 19;

/// The answers to the launches of a variant, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeptObservations(Vec<KeptLaunch>);

/// The answer to one launch, or to each of its rows if they ran one by one.
#[derive(Clone, Debug, PartialEq)]
struct KeptLaunch {
    by_row: bool,
    /// Whether it is one row of a planned launch, whose rows were launched one by one from the beginning.
    is_split: bool,
    answers: Vec<KeptAnswer>,
}

#[derive(Clone, Debug, PartialEq)]
struct KeptAnswer {
    /// The observation; its state without the regions.
    shell: Answer,
    /// The regions of its state.
    regions: Vec<KeptRegion>,
}

#[derive(Clone, Debug, PartialEq)]
enum KeptRegion {
    /// A region of the launch in which these bytes changed.
    Changed { kind: RegionKind, index: usize, runs: Vec<(usize, Box<[u8]>)> },
    /// Any other.
    Whole(Region),
}

impl KeptObservations {
    /// Keeps the answers. `None` if they are too large.
    pub(crate) fn of(units: &[Unit<'_>], seen: &[LaunchAnswers]) -> Option<Self> {
        let mut room = BYTES;
        let mut launches = Vec::with_capacity(seen.len());
        for (unit, seen) in units.iter().zip(seen) {
            let by_row = !seen.rows.is_empty();
            let answers: Option<Vec<KeptAnswer>> = match by_row {
                true => seen
                    .rows
                    .iter()
                    .map(|(row, answer)| keep(&row.planned.launch, answer, &mut room))
                    .collect(),
                false => keep(&unit.planned.launch, &seen.whole, &mut room).map(|answer| vec![answer]),
            };
            let is_split = matches!(unit.planned, PlannedOrSplit::Split(_));
            launches.push(KeptLaunch { by_row, is_split, answers: answers? });
        }
        Some(Self(launches))
    }

    /// Whether the emulator leaves under these semantics, in a run of its own, just what was observed of every launch of the variant. It asks for
    /// nothing of the reference, and takes a part of the time. `false` if that is not so, or was not found out.
    pub(crate) fn are_of_own_run(
        &self,
        variant: &Variant,
        semantics: &Semantics,
        recent: &RecentPrograms,
    ) -> bool {
        let Work::Launches(launches) = &variant.work else { return false };
        let mut programs = Programs::among(recent);
        let mut kept = self.0.iter();
        for planned in launches {
            let (Ok(compiled), Some(first)) = (programs.get(&planned.launch.program), kept.next()) else {
                return false;
            };
            let is_left = |launch: &Launch, answer: &KeptAnswer| {
                let own = warpdiff_emulator::observe_within(&compiled.program, launch, semantics, STEPS);
                own.is_ok_and(|own| ends(&own) && own == answer.restored(launch).observation)
            };
            let whole = !first.by_row && !first.is_split;
            let rows = if whole { Vec::new() } else { planned.split() };
            let more = if first.is_split { rows.len().saturating_sub(1) } else { 0 };
            let answers = std::iter::once(first).chain(kept.by_ref().take(more)).flat_map(|of| &of.answers);
            let answers: Vec<&KeptAnswer> = answers.collect();
            let same = match whole {
                true => answers.iter().all(|answer| is_left(&planned.launch, answer)),
                false => {
                    let mut each = rows.iter().zip(&answers);
                    rows.len() == answers.len() && each.all(|(row, answer)| is_left(&row.launch, answer))
                }
            };
            if !same {
                return false;
            }
        }
        kept.next().is_none()
    }

    /// The launches of the variant with their answers. `None` if they are not those that were kept.
    pub(crate) fn replay<'a>(
        &self,
        variant: &'a Variant,
        recent: &RecentPrograms,
    ) -> Option<Vec<(Unit<'a>, Answer)>> {
        let Work::Launches(launches) = &variant.work else { return None };
        let mut programs = Programs::among(recent);
        let mut replayed = Vec::with_capacity(self.0.len());
        let mut kept = self.0.iter();
        for launch in launches {
            for unit in units(launch, &mut programs).ok()? {
                let kept = kept.next()?;
                let asked = if kept.by_row { unit.split().ok()? } else { vec![unit] };
                if asked.len() != kept.answers.len() {
                    return None;
                }
                for (unit, answer) in asked.into_iter().zip(&kept.answers) {
                    let answer = answer.restored(&unit.planned.launch);
                    replayed.push((unit, answer));
                }
            }
        }
        kept.next().is_none().then_some(replayed)
    }
}

/// Whether a run of the emulator says how the launch ends.
fn ends(observation: &Observation) -> bool {
    matches!(observation, Observation::Completed { .. } | Observation::Faulted { .. })
}

fn keep(launch: &Launch, answer: &Answer, room: &mut usize) -> Option<KeptAnswer> {
    let mut shell =
        Answer { said: answer.said.clone(), limit: answer.limit, ..Answer::from(Observation::timed_out()) };
    let mut regions = Vec::new();
    let mut keep_all = |state: &State| -> Option<State> {
        regions = state.regions.iter().map(|region| keep_region(launch, region)).collect();
        let size: usize = regions.iter().map(KeptRegion::size).sum();
        *room = room.checked_sub(size)?;
        Some(State::default())
    };
    shell.observation = match &answer.observation {
        Observation::Completed { state } => Observation::Completed { state: keep_all(state)? },
        Observation::Faulted { class, code, thread, state: Some(state), calls } => Observation::Faulted {
            class: *class,
            code: *code,
            thread: *thread,
            state: Some(keep_all(state)?),
            calls: *calls,
        },
        other => other.clone(),
    };
    Some(KeptAnswer { shell, regions })
}

impl KeptAnswer {
    fn restored(&self, launch: &Launch) -> Answer {
        let mut answer = self.shell.clone();
        if let Observation::Completed { state } | Observation::Faulted { state: Some(state), .. } =
            &mut answer.observation
        {
            state.regions = self.regions.iter().map(|region| region.restored(launch)).collect();
        }
        answer
    }
}

impl KeptRegion {
    /// Its approximate size in bytes.
    fn size(&self) -> usize {
        const ENTRY: usize = 32;
        match self {
            Self::Changed { runs, .. } => runs.iter().map(|(_, bytes)| ENTRY + bytes.len()).sum(),
            Self::Whole(region) => region.bytes.len(),
        }
    }

    fn restored(&self, launch: &Launch) -> Region {
        match self {
            Self::Whole(region) => region.clone(),
            Self::Changed { kind, index, runs } => {
                let (name, before) = before(launch, *kind, *index).unwrap_or_default();
                let mut bytes = before.into_owned();
                for (offset, run) in runs {
                    bytes[*offset..offset + run.len()].copy_from_slice(run);
                }
                Region { kind: *kind, name: name.to_string(), bytes }
            }
        }
    }
}

/// Name and bytes of a region before the launch. The contents of variables are not part of a launch.
fn before(launch: &Launch, kind: RegionKind, index: usize) -> Option<(&str, Cow<'_, [u8]>)> {
    match kind {
        RegionKind::Buffer => {
            launch.buffers.get(index).map(|buffer| (buffer.name.as_str(), Cow::Borrowed(&buffer.bytes[..])))
        }
        RegionKind::Guard => launch.buffers.get(index).map(|buffer| {
            (buffer.name.as_str(), Cow::Owned(vec![Buffer::GUARD_BYTE; 2 * buffer.guard as usize]))
        }),
        RegionKind::Surface => launch
            .surfaces
            .get(index)
            .map(|surface| (surface.name.as_str(), Cow::Borrowed(&surface.bytes[..]))),
        RegionKind::Variable => None,
    }
}

fn keep_region(launch: &Launch, region: &Region) -> KeptRegion {
    let Region { kind, name, bytes } = region;
    let index = match kind {
        RegionKind::Buffer | RegionKind::Guard => launch.buffers.iter().position(|b| b.name == *name),
        RegionKind::Surface => launch.surfaces.iter().position(|s| s.name == *name),
        RegionKind::Variable => None,
    };
    let known = index.and_then(|index| Some((index, before(launch, *kind, index)?.1)));
    match known.filter(|(_, before)| before.len() == bytes.len()) {
        Some((index, before)) => KeptRegion::Changed { kind: *kind, index, runs: changed(&before, bytes) },
        None => KeptRegion::Whole(region.clone()),
    }
}

/// The runs of bytes that changed.
fn changed(before: &[u8], after: &[u8]) -> Vec<(usize, Box<[u8]>)> {
    if before == after {
        return Vec::new();
    }
    let mut runs = Vec::new();
    let mut offset = 0;
    while let Some(skipped) = (offset..after.len()).position(|at| before[at] != after[at]) {
        let start = offset + skipped;
        let length = (start..after.len()).take_while(|at| before[*at] != after[*at]).count();
        runs.push((start, after[start..start + length].into()));
        offset = start + length;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_restored_byte_by_byte() {
        let surface = warpdiff_model::Surface {
            name: "image".into(),
            geometry: warpdiff_model::Geometry::D1,
            extent: [4, 1, 1],
            layers: 1,
            format: "u8".parse().unwrap(),
            bytes: vec![1, 2, 3, 4],
            bound_to: None,
        };
        let launch = Launch {
            buffers: vec![Buffer { guard: 2, ..Buffer::new("out", vec![0; 6]) }],
            surfaces: vec![surface],
            ..Launch::new("".into(), "k")
        };
        let region = |kind, name: &str, bytes: &[u8]| Region { kind, name: name.into(), bytes: bytes.into() };
        let state = State {
            regions: vec![
                region(RegionKind::Buffer, "out", &[7, 0, 0, 8, 9, 0]),
                region(RegionKind::Guard, "out", &[0xA5, 0xA5, 1, 0xA5]),
                region(RegionKind::Surface, "image", &[1, 2, 3, 4]),
                region(RegionKind::Variable, "v", &[5, 6]),
                // Neither a surface of another size nor one that there is not is taken for what was before.
                region(RegionKind::Surface, "image", &[1, 2]),
                region(RegionKind::Surface, "other", &[3]),
            ],
        };
        let answer: Answer = Observation::Completed { state }.into();
        let kept = keep(&launch, &answer, &mut BYTES.clone()).unwrap();
        // Two runs of the buffer, one of the guard, none of the surface; five bytes of what is kept whole.
        assert_eq!(
            kept.regions.iter().map(KeptRegion::size).sum::<usize>(),
            (32 + 1) + (32 + 2) + (32 + 1) + 5
        );
        assert_eq!(kept.restored(&launch), answer);
        assert!(keep(&launch, &answer, &mut 100).is_none(), "too much is not kept");
    }
}

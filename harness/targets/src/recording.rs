//! A recording as a target: the observations of another target are judged again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use warpdiff_judge::assembled::Assembled;
use warpdiff_model::Observation;
use warpdiff_recordings::assembler_answer;
use warpdiff_recordings::folder::Manifest;
use warpdiff_recordings::index::{Index, Recalled};

use super::cuda::is_spa_device;
use super::{EmulatorTarget, Question, Target};

/// Name of the fact with the dialect that a target claims beside PTX.
pub(super) const CLAIMS: &str = "claims";

/// A recording that is replayed.
pub struct RecordedTarget {
    name: String,
    recording: Result<Index, String>,
}

impl RecordedTarget {
    /// The recording in this folder.
    pub fn open(root: &Path) -> Self {
        let name = format!("recording:{}", root.display());
        Self { name, recording: Index::read(root).map_err(|error| error.to_string()) }
    }

    /// The folder in a value of `--against`; `None` for other kinds of targets.
    pub fn folder(text: &str) -> Option<PathBuf> {
        text.strip_prefix("recording:").filter(|path| !path.is_empty()).map(PathBuf::from)
    }
}

impl Target for RecordedTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&self) -> Result<(), String> {
        self.recording.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// It has the observations of cases in every dialect.
    fn takes_spa(&self) -> bool {
        true
    }

    fn claims_spa(&self) -> bool {
        let Ok(recording) = &self.recording else { return false };
        let Manifest { target, device, .. } = &recording.manifest;
        let emulator = target.starts_with("emulator") && !target.starts_with(EmulatorTarget::PTX_ALONE);
        emulator || device.contains_key(CLAIMS) || is_spa_device(device)
    }

    fn is_compiled(&self) -> bool {
        let Ok(recording) = &self.recording else { return false };
        let target = &recording.manifest.target;
        target.starts_with("compiled") || target.starts_with("cuda") && !target.contains('@')
    }

    fn replays(&self) -> bool {
        true
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let absent = |why: &str| Observation::NotRun { why: why.into() };
        let Ok(recording) = &self.recording else { return absent("the recording cannot be read") };
        match recording.recall(question.variant, question.planned) {
            Recalled::Observation(observation) => observation,
            Recalled::OtherLaunch => {
                absent("the case has changed since the recording, or this launch was not recorded")
            }
            Recalled::Unknown => absent("the recording does not have this case"),
            Recalled::Misfit(why) => absent(&format!("the recording does not fit the launch: {why}")),
        }
    }

    /// The recorded answer, if the recording is of an assembler.
    fn assemble(&self, program: &str) -> Option<(String, Assembled)> {
        let recording = self.recording.as_ref().ok().filter(|recording| recording.has_answers())?;
        Some(match recording.answer(program) {
            Some(answer) => (answer.dialect.clone(), assembler_answer::restore(answer)),
            None => {
                let why = "the recording does not have this program".into();
                (self.name.clone(), Assembled::NoVerdict { why })
            }
        })
    }

    /// The recorded facts.
    fn device(&self) -> BTreeMap<String, String> {
        self.recording.as_ref().map(|recording| recording.manifest.device.clone()).unwrap_or_default()
    }
}

//! Chooses the recording that a target is compared with: the one named by `--recorded`, or the newest one of the same device.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use warpdiff_recordings::folder::{Manifest, Recording};
use warpdiff_recordings::index::Index;
use warpdiff_targets::Target;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;

/// Facts that tell devices apart. The driver is not one of them, because recordings are to show how drivers differ.
const OF_A_DEVICE: [&str; 3] = ["device", "sm", "level"];

/// The recording in a folder.
pub(crate) fn named(root: &Path) -> Result<Arc<Index>, Failure> {
    Index::read(root).map(Arc::new).map_err(|error| Failure::broken(error.to_string()))
}

/// A recording of the device behind a target, from `golden/devices` beside a corpus: the newest, preferably with the same driver.
/// `None` if the target does not name its device, or has no recording.
pub(crate) fn of_device(target: &dyn Target, shared: &SharedOptions) -> Result<Option<Arc<Index>>, Failure> {
    let facts = target.device();
    if !facts.contains_key(OF_A_DEVICE[0]) {
        return Ok(None);
    }
    let Ok(roots) = shared.roots() else { return Ok(None) };
    let broken = |error: warpdiff_recordings::folder::FolderError| Failure::broken(error.to_string());
    let mut fitting: Vec<(PathBuf, Manifest)> = Vec::new();
    // None are built in: they are records of single machines.
    for path in roots.beside("golden/devices").iter().flat_map(|folder| folders(folder)) {
        let manifest = Recording::manifest(&path).map_err(broken)?;
        if is_of(&manifest.device, &facts) {
            fitting.push((path, manifest));
        }
    }
    let rank = |manifest: &Manifest| (manifest.device == facts, manifest.date.clone());
    let best = fitting.iter().max_by_key(|(path, manifest)| (rank(manifest), path.clone()));
    best.map(|(path, _)| named(path)).transpose()
}

/// Whether facts describe the same kind of device.
fn is_of(recorded: &BTreeMap<String, String>, facts: &BTreeMap<String, String>) -> bool {
    OF_A_DEVICE.iter().all(|name| recorded.get(*name) == facts.get(*name))
}

/// Folders of recordings, in order.
pub(crate) fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries.map(|entry| entry.path()).filter(|path| Recording::is_in(path)).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_of_a_device_whatever_its_driver() {
        let facts = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
        };
        let recorded = facts(&[("device", "H200"), ("sm", "90"), ("driver", "570"), ("level", "0")]);
        let now =
            |driver, level| facts(&[("device", "H200"), ("sm", "90"), ("driver", driver), ("level", level)]);
        assert!(is_of(&recorded, &now("580", "0")));
        assert!(
            !is_of(&recorded, &now("570", "4")),
            "what the compiler does at another level is another question"
        );
        assert!(!is_of(&recorded, &facts(&[("device", "H200"), ("sm", "90")])));
    }
}

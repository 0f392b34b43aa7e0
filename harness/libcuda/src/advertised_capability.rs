//! The advertised compute capability and CUDA version: those of a common device with the newest driver, or others set in the environment.

use std::ffi::c_int;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::remark::report;

/// The compute capability where none is set. Programs for newer targets are refused.
const CAPABILITY: (u32, u32) = (9, 0);
/// The newest compute capability that CUDA 12.9 knows.
const NEWEST_CAPABILITY: (u32, u32) = (12, 1);
/// The newest CUDA version.
const VERSION: (u32, u32) = (12, 9);
/// The oldest capability and CUDA version that the emulator's front end supports.
const OLDEST_CAPABILITY: (u32, u32) = (5, 0);
const OLDEST_VERSION: (u32, u32) = (11, 0);

/// The compute capability, major and minor.
pub(crate) fn capability() -> (c_int, c_int) {
    static REQUESTED: OnceLock<(u32, u32)> = OnceLock::new();
    let (major, minor) = *REQUESTED.get_or_init(|| {
        requested("WARPDIFF_CUDA_CAPABILITY", OLDEST_CAPABILITY..=NEWEST_CAPABILITY, CAPABILITY)
    });
    (major as c_int, minor as c_int)
}

/// The compute capability as in `.target`: 90.
pub(crate) fn target() -> u32 {
    let (major, minor) = capability();
    (major * 10 + minor) as u32
}

/// The version of CUDA, major and minor.
pub(crate) fn version() -> (u32, u32) {
    static REQUESTED: OnceLock<(u32, u32)> = OnceLock::new();
    *REQUESTED.get_or_init(|| requested("WARPDIFF_CUDA_VERSION", OLDEST_VERSION..=VERSION, VERSION))
}

/// The newest PTX version that the CUDA version takes, by the release notes in the PTX manual.
pub(crate) fn ptx_version() -> (u32, u32) {
    ptx_version_of(version())
}

fn ptx_version_of(cuda: (u32, u32)) -> (u32, u32) {
    match cuda {
        (..=11, minor) => (7, minor.min(8)),
        // 12.6 brought no version of its own.
        (_, minor) => (8, if minor >= 6 { minor - 1 } else { minor }),
    }
}

/// The version in an environment variable, if it lies in the range; otherwise `usual`, with a message on stderr if one is set.
fn requested(variable: &str, range: RangeInclusive<(u32, u32)>, usual: (u32, u32)) -> (u32, u32) {
    let Ok(value) = std::env::var(variable) else { return usual };
    read(&value).filter(|version| range.contains(version)).unwrap_or_else(|| {
        let ((major, minor), (newest, of_newest)) = range.into_inner();
        let expected = format!("expected a version from {major}.{minor} to {newest}.{of_newest}");
        report(&format!("{variable}={value} is ignored: {expected}"));
        usual
    })
}

fn read(value: &str) -> Option<(u32, u32)> {
    let (major, minor) = value.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok().filter(|minor| *minor < 10)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_have_the_ptx_of_the_release_notes() {
        assert_eq!([read("6.1"), read("11.8"), read("6"), read("6.10"), read("x.1")], {
            [Some((6, 1)), Some((11, 8)), None, None, None]
        });
        let known =
            [((11, 0), (7, 0)), ((11, 8), (7, 8)), ((12, 0), (8, 0)), ((12, 6), (8, 5)), ((12, 9), (8, 8))];
        for (cuda, ptx) in known {
            assert_eq!(ptx_version_of(cuda), ptx, "{cuda:?}");
        }
    }
}

//! `ci/last-release.sh` with a stand-in for GitHub's command `gh`: what it fetches, and with which code it ends where there is nothing to
//! compare with or what it got is wrong.
#![cfg(target_os = "linux")]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Answers as `gh` does: `ASSETS` has the names of the release's files, one a line, or is empty if nothing was released; `DOWN` is what it says
/// instead if GitHub does not answer. What is downloaded lies in the folder `RELEASED`.
const STAND_IN: &str = r#"#!/usr/bin/env bash
set -euo pipefail
if [[ -n ${DOWN:-} ]]; then echo "$DOWN" >&2; exit 1; fi
if [[ -z $ASSETS ]]; then echo 'release not found' >&2; exit 1; fi
case "$1 $2" in
    'release view') printf 'v0.4.0\n%s\n' "$ASSETS" ;;
    'release download')
        [[ $3 == v0.4.0 && $4 == --dir && $6 == --clobber ]]
        folder=$5
        shift 6
        while (($# > 0)); do
            [[ $1 == --pattern ]]
            cp "$RELEASED/$2" "$folder"
            shift 2
        done ;;
    *) exit 64 ;;
esac
"#;
/// All that the script runs, but `gh`.
const TOOLS: [&str; 8] = ["bash", "dirname", "uname", "mkdir", "sha256sum", "grep", "realpath", "cp"];

/// What the script may run, what is released, and where it writes.
struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["tools", "released"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        for tool in TOOLS {
            let there = ["/usr/bin", "/bin"].map(|place| Path::new(place).join(tool));
            let there = there.iter().find(|path| path.exists()).unwrap_or_else(|| panic!("{tool}"));
            symlink(there, folder.path().join("tools").join(tool)).unwrap();
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn with_gh(self) -> Self {
        std::fs::write(self.path("tools/gh"), STAND_IN).unwrap();
        std::fs::set_permissions(self.path("tools/gh"), std::fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// The names of the archive for this processor and of its checksum, released with this text and the checksum of another.
    fn release(&self, text: &str, summed: &str) -> String {
        let archive = format!("warpdiff-{}-unknown-linux-gnu.tar.gz", std::env::consts::ARCH);
        let path = self.path("released").join(&archive);
        std::fs::write(&path, summed).unwrap();
        let sum =
            Command::new("sha256sum").arg(&archive).current_dir(self.path("released")).output().unwrap();
        std::fs::write(self.path("released").join(format!("{archive}.sha256")), sum.stdout).unwrap();
        std::fs::write(path, text).unwrap();
        archive
    }

    /// The code that the script ends with, and all that it says.
    fn ended(&self, assets: &str, down: &str) -> (i32, String) {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let output = Command::new(top.join("ci/last-release.sh"))
            .arg("fetched")
            .current_dir(self.folder.path())
            .env("PATH", self.path("tools"))
            .env("ASSETS", assets)
            .env("DOWN", down)
            .env("RELEASED", self.path("released"))
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(said).unwrap())
    }
}

#[test]
fn the_archive_of_this_processor_is_fetched_and_its_checksum_held() {
    let place = Workplace::new().with_gh();
    let archive = place.release("the archive", "the archive");
    let (code, said) = place.ended(&format!("notes.txt\n{archive}\n{archive}.sha256"), "");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("the last release is v0.4.0"), "{said}");
    let fetched = std::fs::read_to_string(place.path("fetched").join(&archive)).unwrap();
    assert_eq!(fetched, "the archive");
    // The same release with another text in place of what was summed.
    let archive = place.release("another text", "the archive");
    let (code, said) = place.ended(&archive, "");
    assert_eq!(code, 4, "{said}");
}

#[test]
fn where_there_is_nothing_to_compare_with_the_reason_is_said() {
    let place = Workplace::new();
    let (code, said) = place.ended("", "");
    assert_eq!((code, said.contains("the command gh, which asks GitHub, is missing")), (5, true), "{said}");
    let place = place.with_gh();
    let (code, said) = place.ended("", "");
    assert_eq!((code, said.contains("nothing has been released yet")), (5, true), "{said}");
    let (code, said) = place.ended("warpdiff-sparc-unknown-linux-gnu.tar.gz", "");
    assert_eq!((code, said.contains("v0.4.0 has no warpdiff-")), (5, true), "{said}");
    let (code, said) = place.ended("", "error connecting to api.github.com");
    assert_eq!((code, said.contains("error connecting to api.github.com")), (4, true), "{said}");
}

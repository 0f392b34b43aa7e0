//! The house stands: imports point downwards, and no files of a crate are tangled.
//!
//! * A crate imports only crates of lower floors ([`FLOORS`]).
//! * Inside a crate, at most [`CIRCLE`] files import each other in a circle: they can be read together, and only together.
//! * A crate has at most [`LINES`] lines without its tests.

mod imports;
mod rust;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates, ground floor first.
const FLOORS: [&str; 27] = [
    "allocator",
    "model",
    "ptx",
    "sass",
    "semantics",
    "races",
    "linker",
    "emulator",
    "rulings",
    "generator",
    "libcuda",
    "terminal",
    "files",
    "pack",
    "corpus",
    "worker",
    "judge",
    "expectations",
    "recordings",
    "targets",
    "tables",
    "session",
    "reducer",
    "report",
    "book",
    "cli",
    "fuzz",
];
/// Files that may import each other in a circle.
const CIRCLE: usize = 4;
/// Lines that a crate may have, without its tests.
const LINES: usize = 25_000;

/// A crate of the workspace.
struct Crate {
    /// Name of its folder.
    folder: String,
    /// Path of its folder.
    path: PathBuf,
    /// Folders of the crates of this workspace that it depends on, outside of tests.
    needs: Vec<String>,
}

/// The crates of the workspace, as cargo reads their manifests.
fn crates() -> Vec<Crate> {
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output =
        Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let folder = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let of = |package: &Value| {
        let path = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned();
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let needs = dependencies.filter(|dependency| dependency["kind"] != "dev");
        let needs = needs.filter_map(|dependency| Some(folder(Path::new(dependency["path"].as_str()?))));
        Crate { folder: folder(&path), needs: needs.collect(), path }
    };
    metadata["packages"].as_array().unwrap().iter().map(of).collect()
}

/// The files of a crate that are no tests, with their paths below `src`.
fn sources(of: &Crate) -> BTreeMap<PathBuf, String> {
    let root = of.path.join("src");
    let mut folders = vec![root.clone()];
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.insert(path.strip_prefix(&root).unwrap().to_owned(), text);
            }
        }
    }
    found
}

#[test]
fn crates_import_only_from_lower_floors() {
    let floor = |name: &str| {
        let found = FLOORS.iter().position(|floor| *floor == name);
        found.unwrap_or_else(|| panic!("`{name}` has no floor: say in `FLOORS` on which one it stands"))
    };
    let mut upward = Vec::new();
    for of in crates() {
        let higher = of.needs.iter().filter(|need| floor(need) >= floor(&of.folder));
        upward.extend(higher.map(|need| format!("{} imports {need}, which stands above it", of.folder)));
    }
    assert!(upward.is_empty(), "{}", upward.join("\n"));
}

#[test]
fn files_that_import_each_other_are_few() {
    let mut tangled = Vec::new();
    for of in crates() {
        let files = sources(&of);
        for circle in imports::circles(&imports::of_files(&files)) {
            if circle.len() > CIRCLE {
                let names: Vec<_> = circle.iter().map(|file| file.display().to_string()).collect();
                tangled.push(format!("{}: {} files: {}", of.folder, circle.len(), names.join(", ")));
            }
        }
    }
    assert!(tangled.is_empty(), "import circles of more than {CIRCLE} files:\n{}", tangled.join("\n"));
}

#[test]
fn crates_are_of_a_size_that_can_be_read() {
    for of in crates() {
        let files = sources(&of);
        let tests: BTreeSet<_> =
            files.iter().flat_map(|(file, text)| imports::only_tests(file, text)).collect();
        let code = files.iter().filter(|(file, _)| !tests.contains(&imports::module(file)));
        let lines: usize = code.map(|(_, text)| imports::lines(text)).sum();
        assert!(lines <= LINES, "{} has {lines} lines: it is more than one thing", of.folder);
    }
}

/// Build tools take a folder of that name for their output.
#[test]
fn no_folder_is_called_target() {
    for of in crates() {
        let folders: BTreeSet<_> =
            sources(&of).into_keys().map(|file| file.parent().unwrap().to_owned()).collect();
        let found = folders.iter().find(|folder| folder.iter().any(|part| part == "target"));
        assert_eq!(found, None, "{}", of.folder);
    }
}

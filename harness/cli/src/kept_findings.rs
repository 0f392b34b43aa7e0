//! Folders of findings, with one file for each signature.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::reduced_case::SIGNATURE;

/// What became of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It was written to this file.
    New(PathBuf),
    /// This file has its signature already.
    Known(PathBuf),
}

/// How the file of a finding is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileName<'a> {
    /// A name that no other finding has: a file of that name is an earlier state of this one, and is replaced.
    Own(&'a str),
    /// A name that another finding may have: then this one gets a number behind it.
    Shared(&'a str),
}

/// Writes a case to a folder, unless one of its files has the signature already.
///
/// # Errors
/// If the folder cannot be read or the file not be written, with the path.
pub(crate) fn keep(
    folder: &Path,
    name: FileName<'_>,
    signature: &str,
    text: &str,
) -> Result<Kept, (PathBuf, io::Error)> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    fs::create_dir_all(folder).map_err(at(folder))?;
    let wanted = format!("{SIGNATURE}{signature}");
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    files.sort();
    for path in files {
        let known = fs::read_to_string(&path).map_err(at(&path))?;
        if known.lines().any(|line| line.trim_end() == wanted) {
            return Ok(Kept::Known(path));
        }
    }
    let path = match name {
        FileName::Own(name) => folder.join(format!("{name}.yaml")),
        FileName::Shared(name) => free(folder, name),
    };
    fs::write(&path, text).map_err(at(&path))?;
    Ok(Kept::New(path))
}

/// A path that no file has.
fn free(folder: &Path, name: &str) -> PathBuf {
    let (mut path, mut number) = (folder.join(format!("{name}.yaml")), 1);
    while path.exists() {
        number += 1;
        path = folder.join(format!("{name}-{number}.yaml"));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_written_once_and_a_name_never_twice() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("regressions");
        let text = |signature: &str| format!("# of a target\n# signature: {signature}\n- case: x\n");
        let first = keep(&folder, FileName::Shared("ld"), "ld.u8: value", &text("ld.u8: value")).unwrap();
        assert_eq!(first, Kept::New(folder.join("ld.yaml")));
        let again = keep(&folder, FileName::Shared("other"), "ld.u8: value", "").unwrap();
        assert_eq!(again, Kept::Known(folder.join("ld.yaml")));
        // A signature that only begins alike is another one.
        let longer =
            keep(&folder, FileName::Shared("ld"), "ld.u8: value, really", &text("ld.u8: value, really"))
                .unwrap();
        assert_eq!(longer, Kept::New(folder.join("ld-2.yaml")));
        // Of a program that was found before, its file is written anew.
        let own = keep(&folder, FileName::Own("ld"), "st.u8: value", &text("st.u8: value")).unwrap();
        assert_eq!(own, Kept::New(folder.join("ld.yaml")));
        let files = std::fs::read_dir(&folder).unwrap().count();
        assert_eq!(files, 2);
    }
}

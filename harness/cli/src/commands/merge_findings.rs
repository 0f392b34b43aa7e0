//! `warpdiff merge --findings`: joins folders of findings, one case for each signature.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use warpdiff_judge::exit_code::Exit;

use crate::failure::Failure;
use crate::kept_findings::{FileName, Kept, keep};
use crate::reduced_case::SIGNATURE;
use crate::standard_output::emit;

/// A finding as a file has it.
struct Finding {
    /// The name of the file without its ending.
    name: String,
    text: String,
}

/// Copies the findings of these folders to another one: of those with one signature the shortest, or that with the first text. So the result does
/// not depend on the order of the folders. What the other folder has stays.
///
/// # Errors
/// A folder or file that cannot be read or written; a case file that states no signature, and so is no finding.
pub(super) fn join(folders: &[PathBuf], into: &Path) -> Result<Exit, Failure> {
    let mut joined: BTreeMap<String, Finding> = BTreeMap::new();
    let mut files = 0;
    for path in case_files(folders)? {
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        let signature = text.lines().find_map(|line| line.strip_prefix(SIGNATURE)).ok_or_else(|| {
            Failure::usage(format!(
                "{}: no line begins with `{}`, as in the findings of `fuzz` and `reduce --keep`",
                path.display(),
                SIGNATURE.trim_end()
            ))
        })?;
        files += 1;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (signature, next) = (signature.trim_end().to_owned(), Finding { name, text });
        let size = |finding: &Finding| (finding.text.len(), finding.text.clone());
        match joined.get(&signature) {
            Some(known) if size(known) <= size(&next) => {}
            _ => _ = joined.insert(signature, next),
        }
    }
    let mut new = 0;
    for (signature, Finding { name, text }) in &joined {
        let kept = keep(into, FileName::Shared(name), signature, text)
            .map_err(|(path, error)| Failure::broken(format!("cannot write {}: {error}", path.display())))?;
        let (mark, path) = match kept {
            Kept::New(path) => ("new", path),
            Kept::Known(path) => ("known", path),
        };
        new += usize::from(mark == "new");
        emit(&format!("{mark:>5}  {signature}\n       {}\n", path.display()))?;
    }
    let signatures = joined.len();
    emit(&format!(
        "{files} findings have {signatures} signatures, {new} of them new in {}\n",
        into.display()
    ))?;
    Ok(if joined.is_empty() { Exit::Conforms } else { Exit::Violates })
}

/// The case files in these folders, and the files named themselves, in order.
fn case_files(folders: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for folder in folders {
        if folder.is_file() {
            files.push(folder.clone());
            continue;
        }
        for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
            let path = entry.map_err(|error| unreadable(folder, &error))?.path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::broken(format!("cannot read {}: {error}", path.display()))
}

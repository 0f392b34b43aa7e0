//! The path of a file in the repository that GitHub Actions has checked out: annotations need it, whatever the working directory of a step is.

use std::path::{Component, Path, PathBuf};

/// The root of the repository, set by GitHub Actions.
const WORKSPACE: &str = "GITHUB_WORKSPACE";

/// The repository of a step, and the folder that it runs in.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    /// The root, and the working directory below it; `None` if that lies elsewhere.
    places: Option<(PathBuf, PathBuf)>,
}

impl Repository {
    /// That of this step, by its environment.
    pub(crate) fn of_this_step() -> Self {
        let root = std::env::var_os(WORKSPACE).filter(|root| !root.is_empty());
        let here = std::env::current_dir().ok();
        Self::of(root.as_deref().map(Path::new), here.as_deref())
    }

    fn of(root: Option<&Path>, here: Option<&Path>) -> Self {
        // The working directory has no links, and the root may be one.
        let whole = |path: Option<&Path>| path.and_then(|path| path.canonicalize().ok());
        Self { places: whole(root).zip(whole(here)).filter(|(root, here)| here.starts_with(root)) }
    }

    /// The path of a file from the root, where it was shown as a path from the working directory. A file that is not there, as in a corpus inside the
    /// program, or that lies outside of the repository, keeps its path.
    pub(crate) fn path_of(&self, shown: &str) -> String {
        let inside = self.places.as_ref().and_then(|(root, here)| {
            let file = without_dots(&here.join(shown));
            let inside = file.strip_prefix(root).ok()?;
            file.exists().then(|| inside.to_string_lossy().into_owned())
        });
        inside.unwrap_or_else(|| shown.to_owned())
    }
}

/// The path without `.` and `..`. Links are not followed: a repository knows a file by the way it is reached.
fn without_dots(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = whole.pop(),
            other => whole.push(other),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_root_of_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repository");
        for file in ["repository/tests/gpu/cases/a.yaml", "repository/cases/b.yaml", "other/c.yaml"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let gpu = root.join("tests/gpu");
        let of = |root: Option<&Path>, shown: &str| Repository::of(root, Some(&gpu)).path_of(shown);
        let root = Some(root.as_path());
        assert_eq!(of(root, "cases/a.yaml"), "tests/gpu/cases/a.yaml");
        assert_eq!(of(root, "./../../cases/b.yaml"), "cases/b.yaml");
        let absolute = gpu.join("cases/a.yaml").canonicalize().unwrap();
        assert_eq!(of(root, absolute.to_str().unwrap()), "tests/gpu/cases/a.yaml");
        // Outside, not there, and without a repository: as shown.
        assert_eq!(of(root, "../../../other/c.yaml"), "../../../other/c.yaml");
        assert_eq!(of(root, "cases/suld/bounds-2d.yaml"), "cases/suld/bounds-2d.yaml");
        assert_eq!(of(None, "cases/a.yaml"), "cases/a.yaml");
        assert_eq!(of(Some(&folder.path().join("other")), "cases/a.yaml"), "cases/a.yaml");
    }
}

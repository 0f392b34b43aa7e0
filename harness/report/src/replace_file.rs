//! Replaces a file as a whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::Builder;

/// Prefix of the names of unfinished files.
pub const UNFINISHED: &str = ".unfinished-";

/// For tests: a file to create when half of the contents is written; the writer then waits to be killed.
const PAUSE: &str = "WARPDIFF_TEST_PAUSE_IN_BLESS";

/// Replaces the contents of `path`: writes them to a new file beside it, flushes that to the disk, and renames it over the
/// old one. A process that is killed at any point leaves the old contents or the new ones.
///
/// # Errors
/// Errors of the file system; the old file is then unchanged.
pub fn replace(path: &Path, contents: &str) -> io::Result<()> {
    // A device or a pipe, such as /dev/stdout, takes the contents; it is not to be replaced by a file.
    if std::fs::metadata(path).is_ok_and(|what| !what.is_file() && !what.is_dir()) {
        return OpenOptions::new().write(true).open(path)?.write_all(contents.as_bytes());
    }
    // A bare file name has the empty path for a parent, which is no folder that can be opened.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
    // Permissions of an ordinary file, less the umask; a temporary file would be readable by its owner only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    let (first, second) = contents.as_bytes().split_at(contents.len() / 2);
    file.write_all(first)?;
    pause_for_test(&mut file)?;
    file.write_all(second)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    // The rename is durable only after the folder is flushed. Windows opens no folders, and flushes them itself.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn pause_for_test(file: &mut tempfile::NamedTempFile) -> io::Result<()> {
    let Some(marker) = std::env::var_os(PAUSE) else { return Ok(()) };
    file.as_file().sync_all()?;
    File::create(marker)?;
    std::thread::sleep(std::time::Duration::from_secs(60));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/x.golden");
        replace(&path, "old").unwrap();
        replace(&path, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    /// Whoever may create files beside a device could replace it.
    #[cfg(unix)]
    #[test]
    fn a_pipe_takes_the_contents_and_stays() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let reader = {
            let path = path.clone();
            std::thread::spawn(move || std::fs::read_to_string(path).unwrap())
        };
        replace(&path, "text").unwrap();
        assert_eq!(reader.join().unwrap(), "text");
        assert!(std::fs::metadata(&path).unwrap().file_type().is_fifo());
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_it_as_any_file() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| {
            std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions())
        };
        let (usual, path) = (folder.path().join("usual"), folder.path().join("x.golden"));
        std::fs::write(&usual, "").unwrap();
        replace(&path, "text").unwrap();
        assert_eq!(mode(&path), mode(&usual));
    }
}

//! Keeps on disk which case files this program found to be sound, so that it reads them whole once: below `$XDG_CACHE_HOME/warpdiff/corpus`,
//! `~/.cache/warpdiff/corpus`, or `$WARPDIFF_CACHE`, which keeps nothing if it is empty.
//!
//! What is kept holds for one program, this very file: it has one file, named after the path of the program, whose first line says which file
//! was there. The lines of case files follow ([`SoundFiles::of_lines`]).

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use warpdiff_corpus::SoundFiles;
use warpdiff_files::{cache, digest};

/// Part of the first line: a change of what is kept changes it.
const FORMAT: &str = "warpdiff sound case files 3";
/// Case files that have fewer bytes together, with the programs of their variants, are read whole in no time.
const WORTH_KEEPING: usize = 64 << 10;
/// Most bytes that are kept; beyond that only what the last command found is.
const MOST: usize = 16 << 20;

/// The case files that this program found to be sound.
#[derive(Debug)]
pub(crate) struct KeptSoundFiles {
    path: PathBuf,
    /// The first line.
    program: String,
}

impl KeptSoundFiles {
    /// Those of this program; `None` if there is to be no cache, or the program does not know its own file.
    pub(crate) fn of_this_program() -> Option<Self> {
        Self::of(&cache::folder("corpus")?, &std::env::current_exe().ok()?)
    }

    fn of(folder: &Path, program: &Path) -> Option<Self> {
        let facts = fs::metadata(program).ok()?;
        let built = facts.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let path = program.to_string_lossy();
        let name = digest::of_parts(&[path.as_bytes()]);
        Some(Self {
            path: folder.join(format!("sound-{}", name.get(..16)?)),
            program: format!("{FORMAT}: {} bytes, {} ns, {path:?}", facts.len(), built.as_nanos()),
        })
    }

    /// What is kept.
    pub(crate) fn read(&self) -> SoundFiles {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        match text.split_once('\n') {
            Some((program, files)) if program == self.program => SoundFiles::of_lines(files.lines()),
            _ => SoundFiles::default(),
        }
    }

    /// Adds what a command found. What cannot be written is not kept: this only saves time.
    pub(crate) fn add(&self, sound: SoundFiles) {
        if sound.bytes_found() < WORTH_KEEPING {
            return;
        }
        let (known, mut found) = sound.into_parts();
        found.sort_unstable();
        let bytes = known.iter().chain(found.iter().map(|found| &found.line)).map(String::len).sum::<usize>();
        let known = if bytes <= MOST { known } else { Vec::new() };
        let files = known.iter().chain(found.iter().map(|found| &found.line)).map(String::as_str);
        let lines: Vec<&str> = std::iter::once(self.program.as_str()).chain(files).collect();
        let _ = self.write(&(lines.join("\n") + "\n"));
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder)?;
        // Whole or not at all: another process may be reading.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(&self.path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many sound files were found, of so many bytes each.
    fn found(count: usize, bytes: usize, of: &KeptSoundFiles) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..count {
            let text =
                format!("- case: c{number}\n  body: \"\"\n  accept: [spec]\n# {}\n", "x".repeat(bytes));
            fs::write(folder.path().join(format!("{number}.yaml")), text).unwrap();
        }
        let sound = of.read();
        let loading = warpdiff_corpus::Loading { sound: Some(&sound), ..warpdiff_corpus::Loading::WHOLE };
        let tree = warpdiff_files::tree::FileTree::on_disk(folder.path());
        let corpus = warpdiff_corpus::load_what_is_right(&[tree], loading).unwrap();
        assert!(corpus.broken.is_empty(), "{:?}", corpus.errors().render(false));
        of.add(sound);
        let mut kept = of.read().into_parts().0;
        kept.sort_unstable();
        kept
    }

    #[test]
    fn what_is_found_is_kept_for_the_same_program() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, program) = (folder.path().join("a/b"), folder.path().join("program"));
        fs::write(&program, "1").unwrap();
        let of = || KeptSoundFiles::of(&cache, &program).unwrap();
        assert_eq!(found(2, 10, &of()), [""; 0], "not worth it");
        assert!(!cache.exists());
        let first = found(2, WORTH_KEEPING, &of());
        assert_eq!(first.len(), 2);
        assert_eq!(found(3, WORTH_KEEPING, &of()).len(), 3, "the same two, and one more");
        fs::write(&program, "12").unwrap();
        assert_eq!(of().read().into_parts().0, [""; 0], "another program");
        assert_eq!(found(1, WORTH_KEEPING, &of()).len(), 1);
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 1, "in place of what was kept for the other");
        let whole = fs::read(&of().path).unwrap();
        fs::write(&of().path, &whole[..whole.len() - 9]).unwrap();
        assert_eq!(of().read().into_parts().0, [""; 0], "a damaged line is nothing");
        found(1, WORTH_KEEPING, &of());
        assert!(fs::read(&of().path).unwrap() == whole, "and the file is found anew");
    }
}

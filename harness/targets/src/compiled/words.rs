//! The machine code of the corpus, kept under version control: on a machine without ptxas the same words run.
//!
//! A folder has `programs.tsv`, a line for each program: the digest of its text, then for -O0 to -O3 the digest of the cubin, `!` and
//! the message of a rejection, or `-`; and `cubins.gz` (`cubins-2.gz`, …), the cubins by their digests.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use warpdiff_recordings::archive::{Archive, digest};

use super::name::Level;

/// Where they are kept, below the folder of the corpus's parent.
const FOLDER: &str = "golden/compiled";
const PROGRAMS: &str = "programs.tsv";
const CUBINS: (&str, &str) = ("cubins", ".gz");
/// First line of the list.
const HEAD: &str = "# program\tO0\tO1\tO2\tO3\tof ";
/// Start of a cell with the message of a rejection.
const REJECTED: &str = "!";
const NOTHING: &str = "-";

/// What a compiler made of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept<C> {
    /// A cubin.
    Cubin(C),
    /// Nothing: it rejects the program, with this message.
    Rejected(String),
}

/// Machine code by program and level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineWords {
    /// The compiler: `ptxas 12.9.86`.
    pub compiler: String,
    programs: BTreeMap<String, [Option<Kept<String>>; 4]>,
    cubins: Archive,
}

impl MachineWords {
    /// The folder `golden/compiled`, here or in a folder above; `None` if there is none.
    pub fn folder() -> Option<PathBuf> {
        let here = std::env::current_dir().ok()?;
        here.ancestors().map(|folder| folder.join(FOLDER)).find(|folder| folder.join(PROGRAMS).is_file())
    }

    /// Reads a folder.
    ///
    /// # Errors
    /// The file that cannot be read, and why.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let of = |path: &Path, why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let path = folder.join(PROGRAMS);
        let text = std::fs::read_to_string(&path).map_err(|error| of(&path, &error))?;
        let mut lines = text.lines();
        let head = lines.next().and_then(|line| line.strip_prefix(HEAD));
        let compiler = head.ok_or_else(|| of(&path, &"not a list of compiled programs"))?.to_owned();
        let mut words = Self { compiler, ..Self::default() };
        for (number, line) in lines.enumerate() {
            let malformed = || of(&path, &format!("line {}: expected a digest and four cells", number + 2));
            let mut cells = line.split('\t');
            let program = cells.next().filter(|digest| digest.len() == 64).ok_or_else(malformed)?;
            let mut row = [const { None }; 4];
            for level in &mut row {
                let cell = cells.next().ok_or_else(malformed)?;
                *level = match cell.strip_prefix(REJECTED) {
                    Some(message) => Some(Kept::Rejected(message.to_owned())),
                    None if cell == NOTHING => None,
                    None => Some(Kept::Cubin(cell.to_owned())),
                };
            }
            words.programs.insert(program.to_owned(), row);
        }
        let mut parts = Vec::new();
        loop {
            let path = part(folder, parts.len());
            match std::fs::read(&path) {
                Ok(bytes) => parts.push(bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && !parts.is_empty() => break,
                Err(error) => return Err(of(&path, &error)),
            }
        }
        words.cubins = Archive::read(&parts).map_err(|why| of(&part(folder, 0), &why))?;
        Ok(words)
    }

    /// What the compiler made of a program at a level; `None` if that is not kept.
    pub fn get(&self, program: &str, level: Level) -> Option<Kept<&[u8]>> {
        let row = self.programs.get(&digest(program.as_bytes()))?;
        Some(match row[level.number()].as_ref()? {
            Kept::Cubin(digest) => Kept::Cubin(self.cubins.get(digest)?),
            Kept::Rejected(message) => Kept::Rejected(message.clone()),
        })
    }

    /// Number of programs.
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// Adds what the compiler made of a program at a level.
    pub fn add(&mut self, program: &str, level: Level, made: Kept<&[u8]>) {
        let made = match made {
            Kept::Cubin(cubin) => Kept::Cubin(self.cubins.add(cubin)),
            Kept::Rejected(message) => Kept::Rejected(message.replace(['\t', '\n'], " ")),
        };
        self.programs.entry(digest(program.as_bytes())).or_default()[level.number()] = Some(made);
    }

    /// Writes a folder. The same contents give the same bytes.
    ///
    /// # Errors
    /// Of the file system.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut text = format!("{HEAD}{}\n", self.compiler);
        for (program, row) in &self.programs {
            text.push_str(program);
            for level in row {
                let _ = match level {
                    None => write!(text, "\t{NOTHING}"),
                    Some(Kept::Cubin(digest)) => write!(text, "\t{digest}"),
                    Some(Kept::Rejected(message)) => write!(text, "\t{REJECTED}{message}"),
                };
            }
            text.push('\n');
        }
        for (number, bytes) in self.cubins.parts()?.into_iter().enumerate() {
            std::fs::write(part(folder, number), bytes)?;
        }
        std::fs::write(folder.join(PROGRAMS), text)
    }
}

/// The path of a file of cubins, counted from 0.
fn part(folder: &Path, number: usize) -> PathBuf {
    let (start, end) = CUBINS;
    folder.join(match number {
        0 => format!("{start}{end}"),
        _ => format!("{start}-{}{end}", number + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut words = MachineWords { compiler: "ptxas 12.9.86".into(), ..MachineWords::default() };
        let [o0, .., o3] = Level::ALL;
        words.add("one", o0, Kept::Cubin(b"cubin"));
        words.add("one", o3, Kept::Cubin(b"cubin"));
        words.add("two", o3, Kept::Rejected("no\tsuch thing".into()));
        let folder = tempfile::tempdir().unwrap();
        words.write(folder.path()).unwrap();
        let read = MachineWords::read(folder.path()).unwrap();
        assert_eq!(read, words);
        assert_eq!(read.get("one", o3), Some(Kept::Cubin(b"cubin".as_slice())));
        assert_eq!(read.get("two", o3), Some(Kept::Rejected("no such thing".into())));
        assert_eq!((read.get("two", o0), read.get("three", o3), read.len()), (None, None, 2));
    }

    #[test]
    fn a_damaged_folder_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(MachineWords::read(folder.path()).unwrap_err().contains("programs.tsv: "));
        let list = folder.path().join(PROGRAMS);
        std::fs::write(&list, "something").unwrap();
        assert!(MachineWords::read(folder.path()).unwrap_err().ends_with("not a list of compiled programs"));
        std::fs::write(&list, format!("{HEAD}ptxas\nabc\t-\n")).unwrap();
        assert!(MachineWords::read(folder.path()).unwrap_err().contains("line 2: expected"));
        std::fs::write(&list, format!("{HEAD}ptxas\n")).unwrap();
        assert!(MachineWords::read(folder.path()).unwrap_err().contains("cubins.gz"));
    }
}

//! The machine code of the corpus, kept under version control: on a machine without ptxas the same words run.
//!
//! A folder has `programs.tsv`, a line for each program: the digest of its text, then for -O0 to -O3 the digest of the cubin, `!` and
//! the message of a rejection, or `-`; and `cubins.gz` (`cubins-2.gz`, …), the cubins by their digests.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use warpdiff_files::built_in::Folder;
use warpdiff_files::digest;
use warpdiff_files::tree::FileTree;
use warpdiff_recordings::archive::Archive;
use warpdiff_sass::cubin::without_source;

use super::name::Level;

const PROGRAMS: &str = "programs.tsv";
const CUBINS: (&str, &str) = ("cubins", ".gz");
/// First line of the list.
const HEAD: &str = "# program\tO0\tO1\tO2\tO3\tof ";
/// Limit of a file in bytes; a larger one is refused, as it might fill the memory.
const LARGEST: u64 = 1 << 30;
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

/// Why there is no folder of machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFolder {
    /// There is none in the places where it is looked for; these are they.
    Absent(String),
    /// The program file, which has one inside, is damaged.
    Damaged(String),
}

/// Machine code by program and level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineWords {
    /// The compiler: `ptxas 12.9.86`.
    pub compiler: String,
    programs: BTreeMap<String, [Option<Kept<String>>; 4]>,
    cubins: Archive,
}

/// How machine code differs from that which is kept, in numbers of programs. Levels that were not compiled do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// The same.
    pub same: usize,
    /// Another one is kept.
    pub changed: usize,
    /// None is kept.
    pub absent: usize,
    /// Kept for a program that is no more.
    pub superfluous: usize,
}

impl Drift {
    /// The programs that were compiled.
    pub fn programs(&self) -> usize {
        self.same + self.changed + self.absent
    }
}

impl MachineWords {
    /// Where they are kept, beside the folder of the corpus.
    pub const FOLDER: &str = "golden/compiled";

    /// Nothing yet, of this compiler: `ptxas V12.9.86`.
    pub fn of(compiler: String) -> Self {
        Self { compiler, ..Self::default() }
    }

    /// Whether a folder holds machine code.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(PROGRAMS).is_file()
    }

    /// How other machine code, made now, differs from this. Only if it is of the `whole` corpus can a program be superfluous.
    pub fn drift(&self, made: &MachineWords, whole: bool) -> Drift {
        let mut drift = Drift::default();
        for (program, row) in &made.programs {
            let kept = self.programs.get(program);
            let compiled =
                || row.iter().enumerate().filter_map(|(level, made)| Some((level, made.as_ref()?)));
            let at = |level: usize| kept.and_then(|kept| kept[level].as_ref());
            if compiled().all(|(level, made)| at(level) == Some(made)) {
                drift.same += 1;
            } else if compiled().any(|(level, _)| at(level).is_some()) {
                drift.changed += 1;
            } else {
                drift.absent += 1;
            }
        }
        if whole {
            drift.superfluous =
                self.programs.keys().filter(|program| !made.programs.contains_key(*program)).count();
        }
        drift
    }

    /// This with other machine code added, which replaces what there is for the same program and level.
    #[must_use]
    pub fn with(mut self, made: MachineWords) -> Self {
        for (program, row) in made.programs {
            let kept = self.programs.entry(program).or_default();
            for (kept, made) in kept.iter_mut().zip(row) {
                *kept = made.or(kept.take());
            }
        }
        self.cubins.append(made.cubins);
        let used: std::collections::BTreeSet<&str> = self
            .programs
            .values()
            .flatten()
            .filter_map(|kept| match kept {
                Some(Kept::Cubin(digest)) => Some(digest.as_str()),
                _ => None,
            })
            .collect();
        self.cubins.retain(|digest| used.contains(digest));
        self.compiler = made.compiler;
        self
    }

    /// The folder `golden/compiled` that has machine code: beside the folder of a corpus in use, the first that has one; otherwise here
    /// or in a folder above; otherwise, if a corpus in use has no folder (`None`), the one built into the program.
    ///
    /// # Errors
    /// Where it was looked for, or that the program file is damaged.
    pub fn folder(corpora: &[Option<PathBuf>]) -> Result<FileTree, NoFolder> {
        let beside = |corpus: &PathBuf| {
            let corpus = corpus.canonicalize().unwrap_or_else(|_| corpus.clone());
            corpus.parent().unwrap_or(&corpus).join(Self::FOLDER)
        };
        let beside: Vec<PathBuf> = corpora.iter().flatten().map(beside).collect();
        let here = std::env::current_dir().unwrap_or_default();
        let above = here.ancestors().map(|folder| folder.join(Self::FOLDER));
        let mut places = beside.iter().cloned().chain(above);
        if let Some(found) = places.find(|folder| Self::is_in(folder)) {
            return Ok(FileTree::on_disk(found));
        }
        // Otherwise its programs would be those of another corpus.
        let built_in = match corpora.contains(&None) {
            true => Folder::Compiled.tree().map_err(NoFolder::Damaged)?,
            false => None,
        };
        built_in.ok_or_else(|| {
            let first: String = beside
                .iter()
                .map(|folder| format!("not in {} beside the corpus, and ", folder.display()))
                .collect();
            let here = here.display();
            NoFolder::Absent(format!(
                "no machine code is kept: {first}there is no {} in {here} or above",
                Self::FOLDER
            ))
        })
    }

    /// Reads a folder.
    ///
    /// # Errors
    /// The file that cannot be read, and why.
    pub fn read(folder: &Path) -> Result<Self, String> {
        Self::read_tree(&FileTree::on_disk(folder))
    }

    /// Reads a folder that may be built in.
    ///
    /// # Errors
    /// The file that cannot be read, and why.
    pub fn read_tree(folder: &FileTree) -> Result<Self, String> {
        let of =
            |name: &Path, why: &dyn std::fmt::Display| format!("{}: {why}", folder.shown(name).display());
        let path = Path::new(PROGRAMS);
        let text = folder.read(path, LARGEST).map_err(|error| of(path, &error))?;
        let text = String::from_utf8(text).map_err(|error| of(path, &error))?;
        let mut lines = text.lines();
        let head = lines.next().and_then(|line| line.strip_prefix(HEAD));
        let compiler = head.ok_or_else(|| of(path, &"not a list of compiled programs"))?.to_owned();
        let mut words = Self { compiler, ..Self::default() };
        for (number, line) in lines.enumerate() {
            let malformed = || of(path, &format!("line {}: expected a digest and four cells", number + 2));
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
            let path = part(parts.len());
            match folder.read(&path, LARGEST) {
                Ok(bytes) => parts.push(bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && !parts.is_empty() => break,
                Err(error) => return Err(of(&path, &error)),
            }
        }
        words.cubins = Archive::read(&parts).map_err(|why| of(&part(0), &why))?;
        Ok(words)
    }

    /// What the compiler made of a program at a level; `None` if that is not kept.
    pub fn get(&self, program: &str, level: Level) -> Option<Kept<&[u8]>> {
        let row = self.programs.get(&digest::of(program.as_bytes()))?;
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
            Kept::Cubin(cubin) => Kept::Cubin(self.cubins.add(&without_source(cubin))),
            Kept::Rejected(message) => Kept::Rejected(message.replace(['\t', '\n'], " ")),
        };
        self.programs.entry(digest::of(program.as_bytes())).or_default()[level.number()] = Some(made);
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
            std::fs::write(folder.join(part(number)), bytes)?;
        }
        std::fs::write(folder.join(PROGRAMS), text)
    }
}

/// The name of a file of cubins, counted from 0.
fn part(number: usize) -> PathBuf {
    let (start, end) = CUBINS;
    PathBuf::from(match number {
        0 => format!("{start}{end}"),
        _ => format!("{start}-{}{end}", number + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_is_counted_by_program() {
        let [o0, .., o3] = Level::ALL;
        let mut kept = MachineWords::of("a".into());
        for program in ["same", "changed", "gone"] {
            kept.add(program, o0, Kept::Cubin(b"one"));
            kept.add(program, o3, Kept::Cubin(b"two"));
        }
        let mut made = MachineWords::of("b".into());
        made.add("same", o3, Kept::Cubin(b"two"));
        made.add("changed", o3, Kept::Rejected("no".into()));
        made.add("new", o3, Kept::Cubin(b"three"));
        let drift = Drift { same: 1, changed: 1, absent: 1, superfluous: 0 };
        assert_eq!(kept.drift(&made, false), drift);
        assert_eq!(kept.drift(&made, true), Drift { superfluous: 1, ..drift });
        let both = kept.with(made);
        assert_eq!(both.get("changed", o0), Some(Kept::Cubin(b"one".as_slice())));
        assert_eq!(both.get("changed", o3), Some(Kept::Rejected("no".into())));
        assert_eq!((both.len(), both.compiler.as_str()), (4, "b"));
    }

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

//! A recording on disk: its files, their format version, and errors for damaged or old ones.
//!
//! * `recording.yaml` – target, device, date, and the hash of every other file;
//! * `observations.yaml` (and `observations-2.yaml`, …) – the observations, variant by variant;
//! * `programs.ptx.gz` – the texts of the programs that ran; `memory.gz` – large memory, where there is any.
//!
//! Each YAML file begins with two lines, the second a hash of everything after it. The files are few and of bounded size, fit for
//! version control and for services that take only small files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use warpdiff_files::digest;

use super::archive::Archive;
use super::memory;
use super::observed::Entry;

/// Start of the first line, in every format.
const MARK: &str = "# warpdiff recording, format ";
/// The format that is written and read. It includes the keys of launches ([`super::meaning`]).
const FORMAT: u32 = 3;
/// End of the first line, after the number.
const EDITS: &str = ". Edits are detected.";
const HASH: &str = "# sha256 ";
/// The file that lists the others.
const MANIFEST: &str = "recording.yaml";
/// Start and end of the names of the other files; from the second file on a number stands between them.
const OBSERVATIONS: (&str, &str) = ("observations", ".yaml");
const PROGRAMS: (&str, &str) = ("programs", ".ptx.gz");
const MEMORY: (&str, &str) = ("memory", ".gz");
/// Size of a file of observations, in bytes, after which the next file begins.
const LARGEST: usize = 12 << 20;

/// Description of a recording: target, device, date, files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The target, as `--against` names it.
    pub target: String,
    /// Facts about the target by name: device, SM, driver, level of its compiler.
    #[serde(default)]
    pub device: BTreeMap<String, String>,
    /// Date in UTC, as `2026-11-21`; of a continued recording the last one.
    pub date: String,
    /// Version of warpdiff.
    pub warpdiff: String,
    /// Number of recorded variants.
    pub variants: usize,
    /// Number of observed launches.
    pub launches: usize,
    /// SHA-256 of every other file.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// The observations of a variant with one program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Id of the variant.
    pub variant: String,
    /// SHA-256 of the text of the program.
    pub program: String,
    /// The answer of an assembler, for a legality case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AssemblerAnswer>,
    /// The observations of its launches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launches: Vec<Entry>,
}

impl Section {
    /// Digests of the memory in the archive.
    pub fn archived(&self) -> impl Iterator<Item = &str> {
        let texts = self.launches.iter().flat_map(|entry| entry.changed.iter().flat_map(BTreeMap::values));
        texts.filter_map(|text| memory::archived(text))
    }
}

/// A stored answer of an assembler to a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssemblerAnswer {
    /// The assembler's dialect, as cases name it: `ptxas-12.9`.
    pub dialect: String,
    /// Whether it accepts the program.
    pub accepts: bool,
    /// Its message, where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// Initial bytes of the variables, `??` where an address goes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bytes: BTreeMap<String, String>,
}

/// A recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Its description.
    pub manifest: Manifest,
    /// The observations, in order of the corpus.
    pub sections: Vec<Section>,
    /// The texts of the programs.
    pub programs: Archive,
    /// Large memory.
    pub memory: Archive,
}

/// Why a recording cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder has no recording.
    #[error("no recording in {}", root.display())]
    Absent {
        /// The folder.
        root: PathBuf,
    },
    /// An error of the file system.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        error: std::io::Error,
    },
    /// A recording of another format.
    #[error("{}: {}", path.display(), other_format(*format))]
    OtherFormat {
        /// The file with the format.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
    /// A file does not belong to a recording, or was changed.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

impl Recording {
    /// Writes the recording to a folder and replaces the recording there. It is written beside the folder first, so that an
    /// interrupted write leaves the old recording or the new one.
    ///
    /// # Errors
    /// If the folder holds anything but a recording, or cannot be written.
    pub fn write(&mut self, root: &Path) -> Result<(), FolderError> {
        if occupied(root) {
            return Err(damaged(root, "the folder is not empty and holds no recording"));
        }
        let files = self.files().map_err(|why| damaged(root, why))?;
        let at = |path: &Path| {
            let path = path.to_path_buf();
            move |error| FolderError::File { path, error }
        };
        let parent = match root.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(parent).map_err(at(parent))?;
        let fresh = tempfile::Builder::new().prefix(".recording-").tempdir_in(parent).map_err(at(parent))?;
        for (name, contents) in &files {
            let path = fresh.path().join(name);
            std::fs::write(&path, contents).map_err(at(&path))?;
        }
        let old = tempfile::Builder::new().prefix(".recording-").tempdir_in(parent).map_err(at(parent))?;
        if root.exists() {
            std::fs::rename(root, old.path().join("old")).map_err(at(root))?;
        }
        // A temporary folder is its owner's alone.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let open = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(fresh.path(), open).map_err(at(root))?;
        }
        std::fs::rename(fresh.keep(), root).map_err(at(root))
    }

    /// Every file with its contents; updates the manifest.
    fn files(&mut self) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let mut files = BTreeMap::new();
        let mut put = |kind: (&str, &str), parts: Vec<Vec<u8>>| {
            for (index, part) in parts.into_iter().enumerate() {
                files.insert(name(kind, index), part);
            }
        };
        put(OBSERVATIONS, observations(&self.sections)?);
        put(PROGRAMS, self.programs.parts().map_err(|e| e.to_string())?);
        if !self.memory.is_empty() {
            put(MEMORY, self.memory.parts().map_err(|e| e.to_string())?);
        }
        let variants: BTreeSet<&str> = self.sections.iter().map(|s| s.variant.as_str()).collect();
        self.manifest.variants = variants.len();
        self.manifest.launches = self.sections.iter().map(|s| s.launches.len()).sum();
        self.manifest.files =
            files.iter().map(|(name, contents)| (name.clone(), digest::of(contents))).collect();
        let body = serde_yaml::to_string(&self.manifest).map_err(|e| e.to_string())?;
        files.insert(MANIFEST.into(), headed(&body).into_bytes());
        Ok(files)
    }

    /// Reads a recording.
    ///
    /// # Errors
    /// If a file is missing, or any byte was changed.
    pub fn read(root: &Path) -> Result<Self, FolderError> {
        let manifest = Self::manifest(root)?;
        let mut files = BTreeMap::new();
        for (name, stated) in &manifest.files {
            let path = root.join(name);
            let contents = std::fs::read(&path).map_err(|error| FolderError::File { path, error })?;
            if digest::of(&contents) != *stated {
                return Err(damaged(
                    &root.join(name),
                    "the hash does not match: the file was edited or damaged",
                ));
            }
            files.insert(name.as_str(), contents);
        }
        let mut parts =
            |kind| -> Vec<Vec<u8>> { (0..).map_while(|i| files.remove(name(kind, i).as_str())).collect() };
        let (texts, programs, memory) = (parts(OBSERVATIONS), parts(PROGRAMS), parts(MEMORY));
        if let Some(name) = files.keys().next() {
            return Err(damaged(&root.join(name), "not a file of a recording"));
        }
        let mut sections: Vec<Section> = Vec::new();
        for (index, text) in texts.into_iter().enumerate() {
            let path = root.join(name(OBSERVATIONS, index));
            let text = String::from_utf8(text).map_err(|_| damaged(&path, "not UTF-8 text"))?;
            sections.extend(read_sections(&path, &text)?);
        }
        let archive = |kind, parts: Vec<Vec<u8>>| {
            Archive::read(&parts).map_err(|why| damaged(&root.join(name(kind, 0)), why))
        };
        let recording = Self {
            sections,
            programs: archive(PROGRAMS, programs)?,
            memory: archive(MEMORY, memory)?,
            manifest,
        };
        let lost = recording.sections.iter().find(|s| recording.programs.get(&s.program).is_none());
        match lost {
            Some(section) => Err(damaged(root, format!("the program of `{}` is missing", section.variant))),
            None => Ok(recording),
        }
    }

    /// Reads only the description of a recording.
    ///
    /// # Errors
    /// If its file is missing or was changed.
    pub fn manifest(root: &Path) -> Result<Manifest, FolderError> {
        let path = root.join(MANIFEST);
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => FolderError::Absent { root: root.into() },
            _ => FolderError::File { path: path.clone(), error },
        })?;
        parse(&path, &text)
    }

    /// The launches that were observed: variant, part and meaning.
    pub fn keys(&self) -> impl Iterator<Item = (String, String, String)> {
        self.sections.iter().flat_map(|section| {
            let key = |e: &Entry| (section.variant.clone(), e.part.clone(), e.meaning.clone());
            section.launches.iter().map(key).collect::<Vec<_>>()
        })
    }

    /// Whether there is a recording in a folder.
    pub fn is_in(root: &Path) -> bool {
        root.join(MANIFEST).is_file()
    }
}

/// Whether a folder holds files but no recording, or the path is a file.
pub fn occupied(root: &Path) -> bool {
    !Recording::is_in(root)
        && (root.is_file() || std::fs::read_dir(root).is_ok_and(|mut all| all.next().is_some()))
}

/// `observations.yaml`, `observations-2.yaml`, …
fn name((begin, end): (&str, &str), index: usize) -> String {
    match index {
        0 => format!("{begin}{end}"),
        index => format!("{begin}-{}{end}", index + 1),
    }
}

/// The texts of the files of observations.
fn observations(sections: &[Section]) -> Result<Vec<Vec<u8>>, String> {
    // Each is a list of one, as it stands in a longer one.
    let texts: Result<Vec<String>, String> = sections
        .par_iter()
        .map(|section| serde_yaml::to_string(&[section]).map_err(|error| error.to_string()))
        .collect();
    let mut bodies = vec![String::new()];
    for text in texts? {
        match bodies.last_mut() {
            Some(body) if body.is_empty() || body.len() + text.len() <= LARGEST => body.push_str(&text),
            _ => bodies.push(text),
        }
    }
    if sections.is_empty() {
        bodies = vec!["[]\n".into()];
    }
    Ok(bodies.iter().map(|body| headed(body).into_bytes()).collect())
}

fn damaged(path: &Path, why: impl Into<String>) -> FolderError {
    FolderError::Damaged { path: path.into(), why: why.into() }
}

fn headed(body: &str) -> String {
    format!("{MARK}{FORMAT}{EDITS}\n{HASH}{}\n{body}", digest::of(body.as_bytes()))
}

/// The message for a recording of another format.
fn other_format(format: u32) -> String {
    match format < FORMAT {
        true => format!(
            "the recording has format {format}, this version of warpdiff reads format {FORMAT}, whose keys differ: record the target again \
             (`warpdiff record`), or use the version of warpdiff that wrote the recording"
        ),
        false => format!(
            "the recording has format {format}, written by a later version of warpdiff; this version reads format {FORMAT}"
        ),
    }
}

/// Bytes of a part of a file of observations, at least.
const PART: usize = 1 << 18;

/// The sections of a file of observations. Its parts are read at the same time: a replay spends a third of its time on it.
fn read_sections(path: &Path, text: &str) -> Result<Vec<Section>, FolderError> {
    let body = body(path, text)?;
    let parts: Result<Vec<Vec<Section>>, FolderError> =
        parts(body, PART).par_iter().map(|part| yaml(path, part)).collect();
    // An error says where in the whole file it is.
    parts.map(|parts| parts.into_iter().flatten().collect()).or_else(|_| yaml(path, body))
}

/// A list in YAML, cut in front of items. Each part has at least `least` bytes, but for the last one. Only an item begins with `- ` at the start of a
/// line: what is inside of an item is indented.
fn parts(list: &str, least: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (line_end, _) in list.match_indices("\n- ") {
        if line_end + 1 - start >= least {
            parts.push(&list[start..=line_end]);
            start = line_end + 1;
        }
    }
    parts.push(&list[start..]);
    parts
}

fn parse<T: for<'a> Deserialize<'a>>(path: &Path, text: &str) -> Result<T, FolderError> {
    yaml(path, body(path, text)?)
}

/// What follows the lines that say format and hash, if it is what was hashed.
fn body<'t>(path: &Path, text: &'t str) -> Result<&'t str, FolderError> {
    let title = text.strip_prefix(MARK).and_then(|rest| rest.split_once('\n'));
    let format = title.and_then(|(title, rest)| Some((title.strip_suffix(EDITS)?.parse().ok()?, rest)));
    let body = match format {
        Some((FORMAT, rest)) => rest.strip_prefix(HASH).and_then(|rest| rest.split_once('\n')),
        Some((format, _)) => return Err(FolderError::OtherFormat { path: path.into(), format }),
        None => None,
    };
    let Some((stated, body)) = body else {
        return Err(damaged(path, "not a file of a recording"));
    };
    if stated != digest::of(body.as_bytes()) {
        return Err(damaged(path, "the hash does not match: the file was edited or damaged"));
    }
    Ok(body)
}

fn yaml<T: for<'a> Deserialize<'a>>(path: &Path, body: &str) -> Result<T, FolderError> {
    // Our own hash stands for the contents: the bounds against hostile YAML would only refuse large recordings.
    let mut options = serde_yaml::Options::default();
    options.budget = None;
    serde_yaml::from_str_with_options(body, options).map_err(|e| damaged(path, e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Recording {
        let mut recording = Recording::default();
        let program = ".version 8.0\n.entry k()\n{\n\tret;  // tab, blank at the end: \n}\n";
        let program = recording.programs.add(program.as_bytes());
        let memory = recording.memory.add(&[7; 1000]);
        let entry = |part: &str, outcome: &str| Entry {
            part: part.into(),
            meaning: "0e15".into(),
            outcome: outcome.into(),
            words: Some("two\nlines ".into()),
            changed: Some(BTreeMap::from([
                ("buffer out".into(), "16=0e11 20=00".into()),
                ("surface img".into(), format!("sha256 {memory}, 1000 bytes")),
            ])),
            ..Entry::default()
        };
        let answer = AssemblerAnswer {
            dialect: "ptxas-12.9".into(),
            accepts: true,
            words: None,
            bytes: BTreeMap::from([("x".into(), "05 00 ?? ??".into())]),
        };
        let section = Section {
            variant: "a/b/c [x=.ca,v=\"2\"]: # no comment".into(),
            program,
            answer: None,
            launches: vec![entry("row 0", "rejected"), entry("row 1", "unsupported")],
        };
        let asked = Section { answer: Some(answer), launches: Vec::new(), ..section.clone() };
        recording.sections = vec![section, asked];
        recording.manifest.target = "emulator".into();
        recording.manifest.device = BTreeMap::from([("name".into(), "a: b".into())]);
        recording
    }

    /// Cut into any parts, observations are what they are as a whole, and the parts are all of the text.
    #[test]
    fn parts_are_the_whole() {
        let mut sections = sample().sections;
        sections[0].variant = "- a\n- b: Zürich".into();
        let list: Vec<Section> = sections.iter().cycle().take(20).cloned().collect();
        let text = serde_yaml::to_string(&list).unwrap();
        for least in [1, 100, text.len() / 2, text.len(), usize::MAX] {
            let parts = parts(&text, least);
            assert_eq!(parts.concat(), text);
            let read = parts.iter().flat_map(|part| yaml::<Vec<Section>>(Path::new("p"), part).unwrap());
            assert_eq!(read.collect::<Vec<_>>(), list);
        }
        assert_eq!(parts(&text, 1).len(), 20);
        assert_eq!(parts("[]\n", 1), ["[]\n"]);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("new/r");
        let mut recording = sample();
        recording.write(&root).unwrap();
        assert_eq!(Recording::read(&root).unwrap(), recording);
        assert_eq!((recording.manifest.variants, recording.manifest.launches), (1, 2));
        // Again, in its place, and nothing else is left.
        recording.sections.truncate(1);
        recording.write(&root).unwrap();
        assert_eq!(Recording::read(&root).unwrap(), recording);
        assert_eq!(std::fs::read_dir(root.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_recording_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("thesis.tex"), "").unwrap();
        let error = sample().write(folder.path()).unwrap_err().to_string();
        assert!(error.contains("holds no recording"), "{error}");
    }

    #[test]
    fn any_altered_byte_and_any_missing_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("r");
        sample().write(&root).unwrap();
        let names: Vec<_> = std::fs::read_dir(&root).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 4);
        for name in names {
            let path = root.join(&name);
            let whole = std::fs::read(&path).unwrap();
            for at in 0..whole.len() {
                let mut altered = whole.clone();
                altered[at] ^= 1;
                std::fs::write(&path, &altered).unwrap();
                assert!(Recording::read(&root).is_err(), "{name:?}, byte {at}");
            }
            std::fs::remove_file(&path).unwrap();
            assert!(Recording::read(&root).is_err());
            std::fs::write(&path, &whole).unwrap();
        }
        assert!(Recording::read(&root).is_ok());
    }

    #[test]
    fn a_recording_of_another_format_is_named_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("r");
        sample().write(&root).unwrap();
        let path = root.join(MANIFEST);
        let whole = std::fs::read_to_string(&path).unwrap();
        for (format, words) in [
            ("2", "has format 2, this version of warpdiff reads format 3"),
            ("4", "a later version of warpdiff"),
        ] {
            std::fs::write(&path, whole.replacen("format 3", &format!("format {format}"), 1)).unwrap();
            let error = Recording::read(&root).unwrap_err();
            assert!(matches!(error, FolderError::OtherFormat { .. }), "{error:?}");
            let said = error.to_string();
            assert!(said.contains("recording.yaml: ") && said.contains(words), "{said}");
        }
        std::fs::write(&path, whole.replacen("format 3", "format three", 1)).unwrap();
        assert!(matches!(Recording::read(&root), Err(FolderError::Damaged { .. })));
    }

    #[test]
    fn observations_are_cut_into_files_of_bounded_size() {
        let mut recording = sample();
        let section = recording.sections[0].clone();
        recording.sections = (0..40)
            .map(|i| {
                let mut section = section.clone();
                section.variant = format!("v{i}");
                section.launches[0].words = Some("x".repeat(1 << 20));
                section
            })
            .collect();
        let files = recording.files().unwrap();
        assert_eq!(files.keys().filter(|name| name.starts_with("observations")).count(), 4);
        assert!(files.values().all(|contents| contents.len() < 16 << 20));
        let folder = tempfile::tempdir().unwrap();
        recording.write(&folder.path().join("r")).unwrap();
        assert_eq!(Recording::read(&folder.path().join("r")).unwrap().sections, recording.sections);
    }
}

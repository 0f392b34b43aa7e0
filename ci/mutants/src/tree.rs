//! The rewritten tree: a copy of the repository in which the chosen files hold their mutants, and its build.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::mutation::{Mutant, Place};
use crate::rewritten::Rewritten;

/// The module that knows which mutant is active, in the lowest crate.
const SWITCH: &str = include_str!("switch.rs.txt");
/// The crate that has it.
const LOWEST: &str = "harness/model";

/// The mutants that do not compile, for the next build.
const KEPT: &str = "do-not-compile.txt";

/// A file with its places.
pub(crate) struct Source {
    /// Its path, from the root of the repository.
    pub(crate) file: String,
    pub(crate) text: String,
    pub(crate) places: Vec<Place>,
}

/// The copy.
pub(crate) struct Tree<'a> {
    pub(crate) root: &'a Path,
    pub(crate) copy: PathBuf,
}

impl Tree<'_> {
    /// Copies what git knows, and what it does not ignore. Files that are the same stay untouched, so that cargo builds no more than it needs.
    pub(crate) fn copy(&self) -> Result<(), String> {
        let mut git = Command::new("git");
        git.args([
            "ls-files",
            "-co",
            "--exclude-standard",
            "Cargo.toml",
            "Cargo.lock",
            ".cargo",
            "harness",
            "fuzz",
            "ci/mutants/judge",
        ]);
        let listed = git.current_dir(self.root).output().map_err(|e| format!("git: {e}"))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        // These two are written below, as they have to be: written twice they would count as changed.
        let library = format!("{LOWEST}/src/lib.rs");
        let is_copied =
            |file: &&str| *file != "Cargo.toml" && *file != library && self.root.join(file).is_file();
        for file in listed.lines().filter(is_copied) {
            let text = fs::read(self.root.join(file)).map_err(|e| format!("{file}: {e}"))?;
            self.write(file, &text)?;
        }
        let manifest =
            fs::read_to_string(self.root.join("Cargo.toml")).map_err(|e| format!("Cargo.toml: {e}"))?;
        let manifest = manifest.replace("members = [", "members = [\n    \"ci/mutants/judge\",");
        // Asking for mutants keeps most of what optimising would find from being found: it takes minutes and gains little.
        let manifest = manifest.replace("codegen-units = 1", "opt-level = 1");
        self.write("Cargo.toml", manifest.as_bytes())?;
        let text = fs::read_to_string(self.root.join(LOWEST).join("src/lib.rs"))
            .map_err(|e| format!("{LOWEST}: {e}"))?;
        self.write(&library, format!("{text}\npub mod mutant_switch;\n").as_bytes())
    }

    /// Writes the sources with their mutants and builds the judge, until all that is left compiles. Answers its path, and the mutants that
    /// do not compile.
    pub(crate) fn build(
        &self,
        sources: &[Source],
        mutants: &[Mutant],
    ) -> Result<(PathBuf, BTreeSet<u32>), String> {
        let switch = SWITCH.replace("${MUTANTS}", &(mutants.len() + 1).to_string());
        self.write(&format!("{LOWEST}/src/mutant_switch.rs"), switch.as_bytes())?;
        let mut left_out = self.left_out_before(mutants);
        loop {
            let mut rewritten = BTreeMap::new();
            for source in sources {
                let path = if source.file.starts_with(LOWEST) {
                    "crate::mutant_switch"
                } else {
                    "warpdiff_model::mutant_switch"
                };
                let new = Rewritten::new(&source.text, &source.places, path, &left_out);
                self.write(&source.file, new.text.as_bytes())?;
                rewritten.insert(source.file.clone(), new);
            }
            let errors = match self.cargo()? {
                Built::Judge(path) => return Ok((path, left_out)),
                Built::Errors(errors) => errors,
            };
            let before = left_out.len();
            for Error { places, .. } in &errors {
                let blamed = |(file, range): &(String, std::ops::Range<usize>)| {
                    rewritten.get(file).map(|text| text.to_blame(range)).unwrap_or_default()
                };
                left_out.extend(
                    places.iter().map(blamed).find(|mutants| !mutants.is_empty()).unwrap_or_default(),
                );
            }
            eprintln!("{} errors: {} mutants do not compile", errors.len(), left_out.len());
            self.keep(mutants, &left_out)?;
            if left_out.len() == before {
                let messages: Vec<_> = errors.into_iter().map(|error| error.message).collect();
                return Err(format!("no mutant is to blame for these errors:\n{}", messages.join("\n")));
            }
        }
    }

    /// What did not compile the last time will not compile now: each that is left in costs another attempt.
    fn left_out_before(&self, mutants: &[Mutant]) -> BTreeSet<u32> {
        let kept = fs::read_to_string(self.copy.join(KEPT)).unwrap_or_default();
        let kept: BTreeSet<&str> = kept.lines().collect();
        mutants.iter().filter(|mutant| kept.contains(&*mutant.key())).map(|mutant| mutant.number).collect()
    }

    fn keep(&self, mutants: &[Mutant], left_out: &BTreeSet<u32>) -> Result<(), String> {
        let of = mutants.iter().filter(|mutant| left_out.contains(&mutant.number));
        let keys: String = of.map(|mutant| mutant.key() + "\n").collect();
        self.write(KEPT, keys.as_bytes())
    }

    fn cargo(&self) -> Result<Built, String> {
        let mut cargo = Command::new("cargo");
        cargo.args([
            "build",
            "--release",
            "-p",
            "warpdiff-mutants-judge",
            "--message-format=json",
            "--quiet",
        ]);
        cargo.current_dir(&self.copy).env("CARGO_TARGET_DIR", self.copy.join("target"));
        cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "false");
        // What mutants compute in constants may be too large, and is then another number.
        cargo.env(
            "RUSTFLAGS",
            "-Awarnings -Aoverflowing_literals -Aarithmetic_overflow -Aunconditional_panic",
        );
        let output = cargo.stderr(Stdio::inherit()).output().map_err(|e| format!("cargo: {e}"))?;
        let mut errors = Vec::new();
        let mut judge = None;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
            if let Some(path) = message["executable"].as_str() {
                judge = Some(PathBuf::from(path));
            }
            let message = &message["message"];
            if message["level"] == "error" {
                errors.extend(Error::of(message));
            }
        }
        match judge {
            Some(path) if output.status.success() => Ok(Built::Judge(path)),
            _ if errors.is_empty() => Err("cargo failed without an error of the compiler".to_owned()),
            _ => Ok(Built::Errors(errors)),
        }
    }

    fn write(&self, file: &str, text: &[u8]) -> Result<(), String> {
        let path = self.copy.join(file);
        if fs::read(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&self.copy);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|e| format!("{}: {e}", path.display()))
    }
}

enum Built {
    Judge(PathBuf),
    Errors(Vec<Error>),
}

/// An error of the compiler.
struct Error {
    message: String,
    /// Where it is, the most telling place first.
    places: Vec<(String, std::ops::Range<usize>)>,
}

impl Error {
    /// `None` for the error that says how many there were.
    fn of(message: &Value) -> Option<Self> {
        let mut spans: Vec<&Value> = message["spans"].as_array()?.iter().collect();
        spans.sort_by_key(|span| span["is_primary"] != true);
        let place = |span: &Value| {
            let begin = usize::try_from(span["byte_start"].as_u64()?).ok()?;
            let end = usize::try_from(span["byte_end"].as_u64()?).ok()?;
            Some((span["file_name"].as_str()?.to_owned(), begin..end))
        };
        let places: Vec<_> = spans.into_iter().filter_map(place).collect();
        let message = message["rendered"].as_str().unwrap_or_default().to_owned();
        (!places.is_empty()).then_some(Self { message, places })
    }
}

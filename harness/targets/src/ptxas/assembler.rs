//! Finds ptxas and runs it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use warpdiff_judge::assembled::Assembled;

use warpdiff_sass::cubin::{Cubin, Emitted, variables};

use super::cache::Cache;
use super::cubin;
use crate::ptxas::circumstance::Circumstance;

/// Environment variable with the path of ptxas.
pub const VARIABLE: &str = "WARPDIFF_PTXAS";
/// Path of ptxas in the PyPI package `nvidia-cuda-nvcc-cu12`, below a folder of packages.
const IN_PACKAGES: &str = "nvidia/cuda_nvcc/bin/ptxas";
/// Time limit for a program.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of its messages that are kept.
const WORDS: usize = 4096;

/// A ptxas on this machine.
#[derive(Clone, Debug)]
pub struct Assembler {
    path: PathBuf,
    /// Size and age of the program, which tell builds with one name apart.
    file: String,
    cache: Option<Arc<Cache>>,
    /// Its release: `(12, 9)`.
    pub release: (u32, u32),
    /// Its build as it prints it: `V12.9.86`.
    pub build: String,
}

impl Assembler {
    /// The ptxas at `path`, or without one: `$WARPDIFF_PTXAS`, the first on the PATH, or that of a Python package in
    /// `$VIRTUAL_ENV` or below `/usr`.
    ///
    /// # Errors
    /// Why there is none, as a lowercase fragment.
    pub fn find(path: Option<&Path>) -> Result<Self, String> {
        let path = match path.map(Path::to_path_buf).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from)) {
            Some(path) => path,
            None => installed().ok_or_else(|| {
                format!("no ptxas on the PATH, in ${VARIABLE} or among the Python packages (`nvidia-cuda-nvcc-cu12` has one)")
            })?,
        };
        let at = |why: String| format!("{}: {why}", path.display());
        let output = Command::new(&path)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|e| at(e.to_string()))?;
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        let (release, build) =
            version(&words).ok_or_else(|| at("`--version` prints no release of ptxas".into()))?;
        let file = fs_facts(&path);
        // Tests of this crate leave nothing behind.
        let cache = if cfg!(test) { None } else { Cache::of_user().map(Arc::new) };
        Ok(Self { path, file, cache, release, build })
    }

    /// Its dialect, as cases name it: `ptxas-12.9`.
    pub fn dialect(&self) -> String {
        format!("ptxas-{}.{}", self.release.0, self.release.1)
    }

    /// Assembles a program for the architecture that it names; with `relocatable` into an object for a linker (`-c`).
    pub fn assemble(&self, program: &str, relocatable: bool) -> Assembled {
        let architecture = architecture(program, self.release);
        let options: &[&str] = if relocatable { &["-c"] } else { &[] };
        self.attempt(program, &architecture, options).unwrap_or_else(|why| Assembled::NoVerdict { why })
    }

    /// Assembles a program without its head, under a circumstance of a table.
    pub fn assemble_under(&self, circumstance: &Circumstance, source: &str) -> Assembled {
        match self.cubin_under(circumstance, source) {
            Ok(Ok(file)) => match cubin::initial_bytes(&file) {
                Ok(bytes) => Assembled::Accepted { bytes },
                Err(why) => Assembled::NoVerdict { why },
            },
            Ok(Err(otherwise)) => otherwise,
            Err(why) => Assembled::NoVerdict { why },
        }
    }

    /// The variables that it emits for a program without its head, or its other answer.
    pub fn emit_under(&self, circumstance: &Circumstance, source: &str) -> Result<Vec<Emitted>, Assembled> {
        let no_verdict = |why: String| Assembled::NoVerdict { why };
        let file = self.cubin_under(circumstance, source).map_err(no_verdict)??;
        variables(&file).map_err(no_verdict)
    }

    fn cubin_under(
        &self,
        circumstance: &Circumstance,
        source: &str,
    ) -> Result<Result<Vec<u8>, Assembled>, String> {
        let program = circumstance.program(source);
        let architecture = match circumstance.architecture {
            Some(number) => format!("sm_{number}"),
            None => architecture(&program, self.release),
        };
        let options: &[&str] = if circumstance.relocatable { &["-c"] } else { &[] };
        self.cubin(&program, &architecture, options)
    }

    fn attempt(&self, program: &str, architecture: &str, options: &[&str]) -> Result<Assembled, String> {
        match self.cubin(program, architecture, options)? {
            Ok(file) => Ok(Assembled::Accepted { bytes: cubin::initial_bytes(&file)? }),
            Err(otherwise) => Ok(otherwise),
        }
    }

    /// The words of every kernel and function of a program, by name.
    ///
    /// # Errors
    /// Why it rejects the program; `None` where it gives no verdict.
    pub fn code(&self, program: &str, architecture: &str) -> Result<Vec<(String, Vec<u64>)>, Option<String>> {
        self.code_under(program, architecture, &[])
    }

    /// The same under these options, such as `-O0`.
    ///
    /// # Errors
    /// As [`Assembler::code`].
    pub fn code_under(
        &self,
        program: &str,
        architecture: &str,
        options: &[&str],
    ) -> Result<Vec<(String, Vec<u64>)>, Option<String>> {
        match self.cubin(program, architecture, options) {
            Ok(Ok(file)) => {
                let cubin = Cubin::read(&file).map_err(|_| None)?;
                Ok(cubin.kernels.into_iter().map(|kernel| (kernel.name, kernel.words)).collect())
            }
            Ok(Err(Assembled::Rejected { message })) => Err(Some(message)),
            _ => Err(None),
        }
    }

    /// The cubin, or the answer without one; from the cache, if it was asked before.
    pub(crate) fn cubin(
        &self,
        program: &str,
        architecture: &str,
        options: &[&str],
    ) -> Result<Result<Vec<u8>, Assembled>, String> {
        let Some(cache) = &self.cache else { return self.run(program, architecture, options) };
        let path = self.path.to_string_lossy();
        let circumstances = [&[&*path, &*self.file, &*self.build, architecture], options].concat();
        let key = Cache::key(&circumstances, program);
        if let Some(kept) = cache.get(&key) {
            return Ok(kept.map_err(|message| Assembled::Rejected { message }));
        }
        let made = self.run(program, architecture, options)?;
        match &made {
            Ok(file) => cache.put(&key, &Ok(file.clone())),
            Err(Assembled::Rejected { message }) => cache.put(&key, &Err(message.clone())),
            Err(_) => {}
        }
        Ok(made)
    }

    fn run(
        &self,
        program: &str,
        architecture: &str,
        options: &[&str],
    ) -> Result<Result<Vec<u8>, Assembled>, String> {
        let broken = |e: std::io::Error| format!("ptxas could not be run: {e}");
        // It runs in a temporary folder, which also removes the remains of a crash.
        let folder = tempfile::tempdir().map_err(broken)?;
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("in.ptx"), program).map_err(broken)?;
        let words = File::create(place("words")).map_err(broken)?;
        let mut child = Command::new(&self.path)
            .current_dir(folder.path())
            .arg(format!("-arch={architecture}"))
            .args(options)
            .args(["-o", "out.cubin", "in.ptx"])
            .stdin(Stdio::null())
            .stdout(words.try_clone().map_err(broken)?)
            .stderr(words)
            .spawn()
            .map_err(broken)?;
        let status = within(&mut child, PATIENCE).map_err(broken)?;
        let mut said = std::fs::read(place("words")).map_err(broken)?;
        said.truncate(WORDS);
        let said = String::from_utf8_lossy(&said);
        match status.as_ref().map(ExitStatus::code) {
            None => Err(format!("ptxas did not finish within {} s", PATIENCE.as_secs())),
            Some(None) => {
                Ok(Err(Assembled::Crashed { why: format!("ptxas crashed ({})", status.unwrap_or_default()) }))
            }
            Some(Some(0)) => std::fs::read(place("out.cubin")).map(Ok).map_err(broken),
            Some(Some(_)) if said.contains("is not defined for option 'gpu-name'") => Err(format!(
                "ptxas {}.{} does not know the target of the program",
                self.release.0, self.release.1
            )),
            Some(Some(_)) => Ok(Err(Assembled::Rejected { message: errors(&said) })),
        }
    }
}

/// Size and time of change of a file.
fn fs_facts(path: &Path) -> String {
    // A link may lead elsewhere tomorrow.
    let facts = std::fs::metadata(path).ok();
    let changed = facts.as_ref().and_then(|facts| facts.modified().ok());
    let since = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    format!("{} {}", facts.map_or(0, |facts| facts.len()), since.unwrap_or_default().as_nanos())
}

/// Waits for the child; kills it after the time limit and returns `None`.
fn within(child: &mut std::process::Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let end = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The errors among its messages, without our file names; all messages if there are none.
fn errors(said: &str) -> String {
    let lines: Vec<_> = said.lines().map(|line| line.replace("ptxas in.ptx, ", "")).collect();
    let wrong: Vec<_> = lines.iter().filter(|line| line.contains("error")).map(String::as_str).collect();
    if wrong.is_empty() { lines.join("; ") } else { wrong.join("; ") }
}

/// The architecture to assemble for: that of the program, or the oldest that the release supports if the program names an older
/// one.
fn architecture(program: &str, release: (u32, u32)) -> String {
    let oldest = if release.0 >= 13 {
        75
    } else if release.0 == 12 {
        50
    } else {
        35
    };
    let named = program.split_once(".target").and_then(|(_, rest)| rest.trim_start().strip_prefix("sm_"));
    let word: String = named.unwrap_or_default().chars().take_while(char::is_ascii_alphanumeric).collect();
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    match digits.parse::<u32>() {
        Ok(number) if number >= oldest => format!("sm_{word}"),
        _ => format!("sm_{oldest}"),
    }
}

/// Release and build in the output of `--version`: "Cuda compilation tools, release 12.9, V12.9.86".
fn version(words: &str) -> Option<((u32, u32), String)> {
    let (release, rest) = words.split_once("release ")?.1.split_once(", ")?;
    let (major, minor) = release.split_once('.')?;
    let build = rest.split_whitespace().next()?.to_owned();
    Some(((major.parse().ok()?, minor.parse().ok()?), build))
}

/// The first ptxas on the PATH or among Python packages.
fn installed() -> Option<PathBuf> {
    let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let direct = on_path.unwrap_or_default().into_iter().map(|folder| folder.join("ptxas"));
    let prefixes = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from).into_iter();
    let prefixes = prefixes.chain(["/usr/local", "/usr"].map(PathBuf::from));
    let packaged = prefixes.flat_map(|prefix| packages(&prefix)).map(|folder| folder.join(IN_PACKAGES));
    direct.chain(packaged).find(|path| path.is_file())
}

/// Folders of Python packages below a prefix.
fn packages(prefix: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("python3") {
            found.push(entry.path().join("site-packages"));
            found.push(entry.path().join("dist-packages"));
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_read_from_its_own_words() {
        let words = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 12.9, V12.9.86\nBuild x\n";
        assert_eq!(version(words), Some(((12, 9), "V12.9.86".into())));
        assert_eq!(version("ptxas of my own"), None);
    }

    #[test]
    fn a_program_is_assembled_for_its_own_target_or_the_oldest_there_is() {
        let of = |text: &str, release| architecture(text, release);
        assert_eq!(of(".version 8.0\n.target sm_90a, debug\n", (12, 9)), "sm_90a");
        assert_eq!(of(".version 1.5\n.target sm_13\n", (12, 9)), "sm_50");
        assert_eq!(of(".version 8.0\n.target sm_50\n", (13, 5)), "sm_75");
        assert_eq!(of("no directive", (11, 8)), "sm_35");
    }

    #[test]
    fn what_is_no_ptxas_is_refused_with_its_path() {
        let error = Assembler::find(Some(Path::new("/bin/true"))).unwrap_err();
        assert!(error.starts_with("/bin/true: `--version` prints no release"), "{error}");
        assert!(Assembler::find(Some(Path::new("/no/ptxas"))).unwrap_err().starts_with("/no/ptxas: "));
    }

    /// A stand-in whose behaviour the program chooses, so that the roads that a real ptxas seldom takes are walked.
    #[test]
    fn rejection_and_crash_are_told_apart() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ptxas");
        let script = "#!/bin/sh\ncase $1 in --version) echo 'tools, release 12.9, V12.9.0'; exit;; esac\n\
                      if grep -q crash in.ptx; then kill -SEGV $$; fi\n\
                      echo \"ptxas in.ptx, line 3; error   : no such thing\" >&2; exit 255\n";
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let ptxas = Assembler::find(Some(&path)).unwrap();
        assert_eq!(ptxas.dialect(), "ptxas-12.9");
        let Assembled::Rejected { message } = ptxas.assemble("x", false) else { panic!("not rejected") };
        assert_eq!(message, "line 3; error   : no such thing");
        let Assembled::Crashed { why } = ptxas.assemble("crash", false) else { panic!("no crash") };
        assert!(why.starts_with("ptxas crashed"), "{why}");
    }
}

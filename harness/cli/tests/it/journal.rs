//! The journal of a run (`--resume`) through deaths at any byte, and reports that a full disk does not take.
#![cfg(target_os = "linux")]

use crate::results;
use std::collections::BTreeSet;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::many_variants::corpus;
use serde_json::Value;
use tempfile::TempDir;

const TARGET: &str = "emulator+suld.clamp-as-zero";
/// Launches of the corpus, each of another program.
const LAUNCHES: usize = 240;
/// Time for something to happen that surely will.
const PATIENCE: Duration = Duration::from_secs(300);

fn warpdiff(place: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    command.current_dir(place.path()).args(["run", "--no-golden", "--against", TARGET]).args(arguments);
    for name in ["CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"] {
        command.env_remove(name);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Lets no file of the command grow beyond so many bytes. A write goes as far as the limit; the next one fails, and ends the process
/// with SIGXFSZ unless that is ignored.
fn limited(mut command: Command, bytes: usize, dies: bool) -> Output {
    let limit = libc::rlimit { rlim_cur: bytes as u64, rlim_max: bytes as u64 };
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: between fork and exec only system calls that are safe there, with pointers to values that live.
    unsafe {
        command.pre_exec(move || {
            libc::setrlimit(libc::RLIMIT_CORE, &no_core);
            libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
            libc::signal(libc::SIGXFSZ, if dies { libc::SIG_DFL } else { libc::SIG_IGN });
            Ok(())
        })
    };
    command.output().unwrap()
}

/// The lines of the journal that are whole.
fn whole_lines(journal: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(journal).unwrap_or_default();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    text[..whole].lines().map(str::to_owned).collect()
}

/// What the journal has of each launch: no launch twice.
fn launches(journal: &Path) -> BTreeSet<String> {
    let lines = whole_lines(journal);
    let known: Vec<String> = lines
        .iter()
        .skip(1)
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            format!("{} {}", line["target"], line["launch"])
        })
        .collect();
    let distinct: BTreeSet<String> = known.iter().cloned().collect();
    assert_eq!(distinct.len(), known.len(), "a launch is there twice");
    distinct
}

/// Numbers that look random and are the same in every run (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// What a run said of each variant, without times.
fn verdicts(output: &Output) -> Vec<String> {
    let report = results::read(&String::from_utf8_lossy(&output.stdout));
    let variants = report["variants"].as_array().unwrap();
    variants.iter().map(|variant| format!("{} {}", variant["id"], variant["targets"][0]["status"])).collect()
}

/// The moments are bytes of the journal, so they are the same on every machine, most of them within a line.
#[test]
fn a_journal_survives_death_at_50_moments_with_nothing_lost_or_doubled() {
    let place = corpus(LAUNCHES);
    let journal = place.path().join("journal");
    let mut numbers = Numbers(14);
    let mut before: Vec<String> = Vec::new();
    for moment in 0..50 {
        let now = whole_lines(&journal).iter().map(|line| line.len() + 1).sum::<usize>();
        // From the first byte that is missing to some lines on: a line has about a kilobyte.
        let bytes = now + 1 + numbers.below(9000) as usize;
        let output = limited(warpdiff(&place, &["--resume", "journal"]), bytes, true);
        assert_eq!(output.status.signal(), Some(libc::SIGXFSZ), "{moment}: {output:?}");
        let after = whole_lines(&journal);
        assert!(after.starts_with(&before), "moment {moment}: a line was lost");
        launches(&journal);
        before = after;
    }
    assert!((60..LAUNCHES).contains(&before.len()), "{} lines after 50 deaths", before.len());
    let resumed = warpdiff(&place, &["--resume", "journal", "--json"]).output().unwrap();
    assert_eq!(launches(&journal).len(), LAUNCHES);
    assert!(whole_lines(&journal).starts_with(&before));
    assert_eq!(verdicts(&resumed), verdicts(&warpdiff(&place, &["--json"]).output().unwrap()));
    // Everything is known: nothing more is written.
    let size = std::fs::metadata(&journal).unwrap().len();
    warpdiff(&place, &["--resume", "journal"]).output().unwrap();
    assert_eq!(std::fs::metadata(&journal).unwrap().len(), size);
}

#[test]
fn a_journal_survives_kill_9() {
    let place = corpus(LAUNCHES);
    let journal = place.path().join("journal");
    let mut numbers = Numbers(9);
    let mut before: Vec<String> = Vec::new();
    let mut kills = 0;
    while kills < 5 {
        let wanted = before.len() + 1 + numbers.below(8) as usize;
        let mut child = warpdiff(&place, &["--resume", "journal"]).spawn().unwrap();
        let begun = Instant::now();
        while whole_lines(&journal).len() < wanted && child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let after = whole_lines(&journal);
        assert!(after.starts_with(&before), "a line was lost");
        if launches(&journal).len() == LAUNCHES {
            // It was faster than this test: from the beginning, for the next kill.
            std::fs::remove_file(&journal).unwrap();
            before.clear();
        } else {
            before = after;
        }
        kills += 1;
    }
    warpdiff(&place, &["--resume", "journal"]).output().unwrap();
    assert_eq!(launches(&journal).len(), LAUNCHES);
}

#[test]
fn a_full_disk_is_said_once_with_a_count_and_fails_the_run() {
    let place = corpus(LAUNCHES);
    let output = limited(warpdiff(&place, &["--resume", "journal"]), 2000, false);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    let kept = whole_lines(&place.path().join("journal")).len() - 1;
    let words = format!("error: journal: {} observations could not be kept: ", LAUNCHES - kept);
    assert!(err.contains(&words), "{err}");
    assert_eq!(err.matches("could not").count(), 1, "{err}");
    // The report is there all the same.
    assert!(String::from_utf8_lossy(&output.stdout).contains("all conform"));
    // With room again the run goes on where the journal ends.
    assert_eq!(warpdiff(&place, &["--resume", "journal"]).output().unwrap().status.code(), Some(0));
    assert_eq!(launches(&place.path().join("journal")).len(), LAUNCHES);
}

/// Each report fails by itself, and the others are written.
#[test]
fn a_report_on_a_full_disk_fails_the_run_and_no_other_report() {
    for full in ["--junit", "--html", "--results"] {
        let place = corpus(LAUNCHES);
        let file =
            |option: &str| if option == full { "/dev/full".to_owned() } else { format!("report{option}") };
        let files =
            ["--junit", "--html", "--results"].map(|option| [option.to_owned(), file(option)]).concat();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let output = warpdiff(&place, &files).env("GITHUB_STEP_SUMMARY", "summary.md").output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{full}: {err}");
        assert_eq!(err.matches("No space left on device").count(), 1, "{full}: {err}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("all conform"), "{full}");
        let written =
            |name: &str| std::fs::metadata(place.path().join(name)).is_ok_and(|what| what.len() > 100);
        for option in ["--junit", "--html", "--results"] {
            assert_eq!(written(&format!("report{option}")), option != full, "{full}: {option}");
        }
        assert!(written("summary.md"), "{full}");
        let device = PathBuf::from("/dev/full");
        assert!(!device.metadata().unwrap().is_file(), "the device is a device still");
    }
}

#[test]
fn a_recording_that_does_not_fit_is_none() {
    let place = corpus(LAUNCHES);
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    command.current_dir(place.path()).args(["record", "--against", TARGET, "-o", "night"]);
    let output = limited(command, 4000, false);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains("File too large"), "{err}");
    // Neither the recording nor a part of it.
    let left: Vec<_> = std::fs::read_dir(place.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left, ["cases"]);
}

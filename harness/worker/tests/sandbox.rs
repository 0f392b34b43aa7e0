//! What a hostile worker tries, and that nothing comes of it. What the kernel of this machine does not permit to hold is skipped, and
//! said on the standard error.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use warpdiff_worker::command::CommandLine;
use warpdiff_worker::limits::Limits;
use warpdiff_worker::process::Process;
use warpdiff_worker::system;

fn limits() -> Limits {
    Limits { hello: Duration::from_secs(120), ..Limits::default() }
}

/// Says what is not tested here.
#[expect(clippy::explicit_write, reason = "`eprintln!` is kept from view in a test that passes")]
fn skipped(why: &str) {
    writeln!(std::io::stderr(), "skipped: {why}").unwrap();
}

/// Whether a bound holds here; where not, the reason is printed.
fn holds(bound: &str) -> bool {
    let held = system::holds().into_iter().find(|held| held.bound == bound).unwrap();
    held.how.inspect_err(|why| skipped(why)).is_ok()
}

/// The worker, which still runs, and what came of its attempt.
fn tries(attempt: &str, limits: &Limits) -> (Process, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile.py");
    let command: CommandLine = format!("python3 '{}' {attempt}", script.display()).parse().unwrap();
    match Process::greet(&command, limits) {
        Ok((process, introduction)) => (process, introduction.device["came"].clone()),
        Err(unusable) => panic!("{attempt}: {}", unusable.why),
    }
}

fn came(attempt: &str, limits: &Limits) -> String {
    tries(attempt, limits).1
}

fn runs(process: &str) -> bool {
    // A zombie does not run.
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(") ").unwrap().1.starts_with('Z'))
}

/// Whether something becomes true soon.
fn soon(what: impl Fn() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(20);
    while !what() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Cargo gives this process variables that are not on the list.
#[test]
fn a_secret_is_not_in_its_environment() {
    let name = "CARGO_MANIFEST_DIR";
    assert!(std::env::var_os(name).is_some(), "this test runs under cargo");
    assert_eq!(came(&format!("secret {name}"), &limits()), "absent");
    let passed: &'static [String] = vec![name.to_owned()].leak();
    assert_ne!(came(&format!("secret {name}"), &Limits { passed, ..limits() }), "absent");
    assert_ne!(came("secret PATH", &limits()), "absent");
}

#[test]
fn the_network_is_out_of_reach() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let attempt = format!("connect {}", listener.local_addr().unwrap().port());
    assert_eq!(came(&attempt, &Limits { network: true, ..limits() }), "connected", "with --allow-network");
    if holds("network") {
        let came_of_it = came(&attempt, &limits());
        assert!(came_of_it.starts_with("refused: "), "{came_of_it}");
        assert_eq!(came("interfaces", &limits()), "lo");
        // Not even root gets back.
        let left = came("leave 0", &limits());
        assert!(left.starts_with("refused: "), "{left}");
    }
}

/// A copy of `id` that belongs to another user and is setuid: in an ordinary process it has that user's rights.
#[test]
fn a_setuid_program_gives_no_rights() {
    const OTHER: u32 = 1;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let program = folder.path().join("id");
    std::fs::copy("/usr/bin/id", &program).unwrap();
    let ours = came(&format!("privileges '{}'", program.display()), &limits());
    assert!(ours.starts_with("1 "), "no_new_privs is set: {ours}");
    if chown(&program, Some(OTHER), None).is_err() {
        skipped("only root makes programs of others");
        return;
    }
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o4755)).unwrap();
    let usual = Command::new(&program).arg("-u").output().unwrap();
    if String::from_utf8_lossy(&usual.stdout).trim() != OTHER.to_string() {
        skipped(&format!("setuid has no effect in {}", folder.path().display()));
        return;
    }
    assert_eq!(came(&format!("privileges '{}'", program.display()), &limits()), ours);
}

#[test]
fn a_huge_file_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge");
    let limits = Limits { file_size: Some(3 << 20), ..limits() };
    // EFBIG.
    assert_eq!(came(&format!("fill '{}'", path.display()), &limits), "stopped: 27");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 3 << 20);
}

#[test]
fn no_descendant_outlives_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    for attempt in ["child", "daemon"] {
        let path = folder.path().join(attempt);
        let (process, _) = tries(&format!("{attempt} '{}'", path.display()), &limits());
        assert!(soon(|| std::fs::read_to_string(&path).is_ok_and(|text| !text.is_empty())));
        let descendant = std::fs::read_to_string(&path).unwrap();
        // A daemon hides whose it is, so the end of any other worker, in another test, may have killed it already.
        assert!(attempt == "daemon" || runs(&descendant), "{attempt}");
        drop(process);
        assert!(soon(|| !runs(&descendant)), "{attempt}: {descendant} still runs");
    }
}

/// Ending one worker leaves the descendants of another alone.
#[test]
fn the_descendants_of_others_live() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept");
    let (kept, _) = tries(&format!("child '{}'", path.display()), &limits());
    let descendant = std::fs::read_to_string(&path).unwrap();
    drop(tries("secret PATH", &limits()));
    assert!(runs(&descendant) && runs(&kept.id().to_string()));
}

#[test]
fn the_number_of_its_processes_is_limited() {
    if holds("processes") {
        let started: u32 = came("forks 1500", &limits()).parse().unwrap();
        assert!((100..1024).contains(&started), "{started}");
    }
}

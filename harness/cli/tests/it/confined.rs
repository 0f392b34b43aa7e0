//! The worker of our own emulator, confined to the system calls that it needs: it answers as ever, and cannot do more.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use warpdiff_worker::protocol::Request;

/// `process_target` shows that it answers launches; this, that it is confined meanwhile.
#[test]
fn a_worker_of_the_emulator_is_confined_when_it_answers() {
    if let Some(why) = warpdiff_worker::system::holds()
        .into_iter()
        .find_map(|held| held.how.err().filter(|_| held.bound == "system calls"))
    {
        writeln!(std::io::stderr(), "skipped: {why}").unwrap();
        return;
    }
    let mut worker = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = worker.stdin.take().unwrap();
    let mut output = BufReader::new(worker.stdout.take().unwrap());
    writeln!(input, "{}", serde_json::to_string(&Request::hello()).unwrap()).unwrap();
    let mut hello = String::new();
    output.read_line(&mut hello).unwrap();
    assert!(hello.contains(r#""type":"hello""#), "{hello}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", worker.id())).unwrap();
    let field =
        |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    // Filters are on, and both of them.
    assert_eq!((field("Seccomp:"), field("NoNewPrivs:")), ("2", "1"), "{status}");
    drop(input);
    assert!(worker.wait().unwrap().success());
}

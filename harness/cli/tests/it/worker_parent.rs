//! `warpdiff worker --parent`: workers that are processes of our own see to it themselves that they do not outlive who
//! started them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use warpdiff_worker::protocol::Request;

/// Starts a worker of our own from a shell, which says its number, and kills the shell when the worker has said hello. The
/// worker's input stays open, so that it is not the end of that which ends it.
#[test]
fn a_worker_of_our_own_ends_with_the_process_that_started_it() {
    let script = r#"exec 3<&0; "$0" worker --parent $$ <&3 & wait"#;
    let mut shell = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_warpdiff")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = shell.stdin.take().unwrap();
    let mut output = BufReader::new(shell.stdout.take().unwrap());
    writeln!(input, "{}", serde_json::to_string(&Request::hello()).unwrap()).unwrap();
    let mut hello = String::new();
    output.read_line(&mut hello).unwrap();
    assert!(hello.contains(r#""type":"hello""#), "{hello}");
    shell.kill().unwrap();
    shell.wait().unwrap();
    // Only the worker still holds the other end.
    assert_eq!(output.read_line(&mut hello).unwrap(), 0);
    drop(input);
}

#[test]
fn a_worker_of_our_own_whose_parent_is_another_does_not_begin() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_warpdiff")).args(["worker", "--parent", "0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot serve process 0: "), "{output:?}");
}

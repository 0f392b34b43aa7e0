//! One worker process: its start, its lines, its standard error, its end.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::command::CommandLine;
use super::limits::Limits;
use super::protocol::{self, Introduction, Reply, Request};
use super::run_end;
use super::spawner;
use crate::system::{self, Group};

/// Bytes of the standard error that are kept, the last ones.
const KEPT: usize = 4096;
/// Limit of a line before `hello`, in bytes.
const FIRST_LINE: usize = 64 << 10;
/// Lines read ahead; a worker that writes more blocks.
const AHEAD: usize = 16;
/// Interval at which a silent worker is checked: it may have ended while a child of it holds its output open.
const LOOK: Duration = Duration::from_millis(100);
/// Time for a worker to end after it closes its output, so that its exit status is not that of a kill.
const GRACE: Duration = Duration::from_millis(500);

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// By this signal.
    Signal(i32),
    /// By itself, with this exit code.
    Exit(i32),
    /// It closed its output and still runs.
    Mute,
}

/// An event from a worker.
#[derive(Debug)]
pub enum Heard {
    /// A message.
    Reply(Reply),
    /// A line that is not a message, and why.
    Garbage(String),
    /// A line longer than this limit, which no correct answer exceeds.
    Oversized(usize),
    /// It ended.
    Ended(Death),
    /// Nothing happened within the time.
    Silence,
    /// Nothing happened until the run was ended.
    RunOver,
}

enum Line {
    Whole(Vec<u8>),
    TooLong(usize),
}

/// A running worker. Dropping it kills it with its descendants.
pub struct Process {
    child: Child,
    group: Group,
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Line>,
    longest: Arc<AtomicUsize>,
    said: Arc<Mutex<VecDeque<u8>>>,
    listener: JoinHandle<()>,
    reaped: bool,
}

impl Process {
    /// Starts a worker without exchanging messages.
    ///
    /// # Errors
    /// Why the program cannot be started, as a lowercase fragment.
    pub fn start(command: &CommandLine, limits: &Limits) -> Result<Self, String> {
        let program = command.words().first().map_or("", String::as_str);
        let (mut child, group) =
            spawner::spawn(command, limits).map_err(|e| format!("cannot start `{program}`: {e}"))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err("a pipe is missing".into());
        };
        let longest = Arc::new(AtomicUsize::new(FIRST_LINE));
        let said = Arc::new(Mutex::new(VecDeque::new()));
        let (input, lines_in) = channel();
        let (lines_out, output) = sync_channel(AHEAD);
        thread::spawn(move || write(stdin, &lines_in));
        let bound = Arc::clone(&longest);
        thread::spawn(move || read(stdout, &bound, &lines_out));
        let kept = Arc::clone(&said);
        let listener = thread::spawn(move || listen(stderr, &kept));
        Ok(Self { child, group, input: Some(input), output, longest, said, listener, reaped: false })
    }

    /// Starts a worker and exchanges `hello` with it.
    ///
    /// # Errors
    /// Why the program is not usable as a worker.
    pub fn greet(command: &CommandLine, limits: &Limits) -> Result<(Self, Introduction), Unusable> {
        let mut process = Self::start(command, limits).map_err(|why| Unusable { why, death: None })?;
        process.send(&Request::hello());
        let unusable = |why: String| Unusable { why, death: None };
        let refused = match process.hear(limits.hello) {
            Heard::Reply(Reply::Hello(hello)) if hello.protocol == protocol::VERSION => {
                if hello.dialects.iter().any(|d| d == protocol::PTX) {
                    return Ok((process, hello));
                }
                unusable(format!("it does not take `{}` programs, only {:?}", protocol::PTX, hello.dialects))
            }
            Heard::Reply(Reply::Hello(hello)) => unusable(format!(
                "it speaks protocol version {}, warpdiff speaks version {}",
                hello.protocol,
                protocol::VERSION
            )),
            Heard::Reply(Reply::Refused { message }) => return Err(unusable(message)),
            Heard::Reply(_) => unusable("its first message is not `hello`".into()),
            Heard::Garbage(why) => unusable(format!("its first line is not `hello`: {why}")),
            Heard::Oversized(size) => unusable(format!("its first line is longer than {size} bytes")),
            Heard::Ended(death) => {
                Unusable { why: format!("{death} before it said `hello`"), death: Some(death) }
            }
            Heard::RunOver => unusable(run_end::CUT_SHORT.into()),
            Heard::Silence => unusable(format!("it did not say `hello` within {:?}", limits.hello)),
        };
        let said = process.last_words().map(|words| format!("; it said: {words}")).unwrap_or_default();
        Err(Unusable { why: refused.why + &said, ..refused })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Queues a message; does not wait until the worker reads it.
    pub fn send(&mut self, request: &Request) {
        if let Ok(line) = protocol::line(request) {
            self.send_raw(line);
        }
    }

    /// Queues a line unchanged, line break included.
    pub fn send_raw(&mut self, line: Vec<u8>) {
        // The writer thread ends when the worker closes its input; the worker's messages or its end show why.
        let _ = self.input.as_ref().map(|input| input.send(line));
    }

    /// Closes its input, on which it must end.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Limits its lines from now on to this many bytes.
    pub fn expect_at_most(&self, bytes: usize) {
        self.longest.store(bytes, Ordering::Relaxed);
    }

    /// Waits for its next event.
    pub fn hear(&mut self, within: Duration) -> Heard {
        let until = Instant::now() + within;
        let mut ended = false;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left.min(LOOK)) {
                Ok(Line::Whole(line)) => return read_reply(&line),
                Ok(Line::TooLong(limit)) => return Heard::Oversized(limit),
                Err(RecvTimeoutError::Disconnected) => return Heard::Ended(self.death()),
                // Lines it wrote before its end may still be in the pipe: one more look.
                Err(RecvTimeoutError::Timeout) if ended => return Heard::Ended(self.death()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Heard::Silence,
                Err(RecvTimeoutError::Timeout) if run_end::reached().is_some() => return Heard::RunOver,
                Err(RecvTimeoutError::Timeout) => ended = system::has_ended(&mut self.child),
            }
        }
    }

    /// How it ended, after its output was closed or it ended.
    fn death(&mut self) -> Death {
        let until = Instant::now() + GRACE;
        while !system::has_ended(&mut self.child) {
            if Instant::now() >= until {
                return Death::Mute;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.reap().unwrap_or(Death::Mute)
    }

    /// Kills it with its descendants and waits for its status.
    fn reap(&mut self) -> Option<Death> {
        let first = !std::mem::replace(&mut self.reaped, true);
        if first {
            // Before the wait: afterwards its process id may belong to another process.
            self.group.kill();
        }
        let status = self.child.wait();
        if first {
            self.group.kill_escaped();
        }
        let status = status.ok()?;
        system::signal_of(status).map(Death::Signal).or(status.code().map(Death::Exit))
    }

    /// The end of its standard error, unchanged, if there is any. After the worker has ended it is complete.
    pub fn last_words(&self) -> Option<String> {
        let until = Instant::now() + GRACE;
        while self.reaped && !self.listener.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = said.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Drops its standard error so far: the worker is idle.
    pub fn forget_words(&self) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Closes its input and waits for its end; kills it after the time. Returns how it ended by itself, or `None` if it was killed.
    pub fn finish(mut self, within: Duration) -> Option<Death> {
        self.close();
        let until = Instant::now() + within;
        while Instant::now() < until {
            // Reads its output, so that a full pipe does not keep it from ending.
            while self.output.try_recv().is_ok() {}
            if system::has_ended(&mut self.child) {
                return self.reap();
            }
            thread::sleep(Duration::from_millis(2));
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.reaped {
            self.reap();
        }
    }
}

/// Why a program is not usable as a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The reason, as a lowercase fragment.
    pub why: String,
    /// How it ended, where that is the reason.
    pub death: Option<Death>,
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Signal(signal) => write!(f, "the process died of signal {signal}"),
            Self::Exit(code) => write!(f, "the process ended with code {code}"),
            Self::Mute => f.write_str("the process closed its output"),
        }
    }
}

fn read_reply(line: &[u8]) -> Heard {
    match serde_json::from_slice(line) {
        Ok(reply) => Heard::Reply(reply),
        Err(error) => {
            let beginning = String::from_utf8_lossy(&line[..line.len().min(80)]);
            Heard::Garbage(format!("{error}: `{beginning}`"))
        }
    }
}

fn write(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read(stdout: ChildStdout, longest: &AtomicUsize, lines: &SyncSender<Line>) {
    let mut stdout = BufReader::with_capacity(64 << 10, stdout);
    loop {
        let line = match read_line(&mut stdout, longest) {
            Ok(Some(line)) => line,
            // The pipe cannot fail but by being closed.
            Ok(None) | Err(_) => return,
        };
        let last = matches!(line, Line::TooLong(_));
        if lines.send(line).is_err() || last {
            return;
        }
    }
}

/// The next line without its break; a last one without a break counts as a line.
fn read_line(from: &mut impl BufRead, longest: &AtomicUsize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    loop {
        let piece = match from.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if piece.is_empty() {
            return Ok((!line.is_empty()).then_some(Line::Whole(line)));
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(piece.len());
        let limit = longest.load(Ordering::Relaxed);
        if line.len() + taken > limit {
            return Ok(Some(Line::TooLong(limit)));
        }
        line.extend_from_slice(&piece[..taken]);
        from.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(Some(Line::Whole(line)));
        }
    }
}

fn listen(mut stderr: impl Read, kept: &Mutex<VecDeque<u8>>) {
    let mut piece = [0; 1024];
    loop {
        let read = match stderr.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => return,
            Ok(read) => read,
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&piece[..read]);
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
}

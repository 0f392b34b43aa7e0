//! `conform-protocol`: checks that a program speaks the protocol. It checks only a few computed values; the corpus checks the
//! semantics.

use std::time::Duration;

use warpdiff_model::{Launch, Observation};

use super::command::CommandLine;
use super::known_launch::{self, KnownLaunch, Wanted};
use super::limits::Limits;
use super::outcome;
use super::process::{Death, Heard, Process};
use super::protocol::{Introduction, LaunchRequest, Reply, Request};

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckResult {
    /// The program behaves as the protocol says.
    Passed,
    /// It does not, for this reason.
    Failed(String),
    /// The check does not apply, for this reason.
    Skipped(String),
}

/// A check of a program.
#[derive(Clone, Debug)]
pub struct Check {
    /// The expected behaviour, as a sentence without a full stop.
    pub title: String,
    /// The result.
    pub result: CheckResult,
}

/// Time for the program to end after its input is closed.
const FAREWELL: Duration = Duration::from_secs(5);
/// Launches that are sent at once.
const QUEUE: u32 = 8;

/// Checks a program. Each check has a worker of its own, so that one failure does not hide another.
pub fn check(command: &CommandLine, limits: &Limits) -> Vec<Check> {
    let introduction = match Process::greet(command, limits) {
        Ok((_, introduction)) => introduction,
        Err(unusable) => {
            let result = CheckResult::Failed(unusable.why);
            return vec![Check { title: "it says hello".into(), result }];
        }
    };
    let mut checks = vec![Check {
        title: format!("it says hello, as `{}`", introduction.name),
        result: CheckResult::Passed,
    }];
    let subject = Subject { command, limits, introduction: &introduction };
    for known in known_launch::all() {
        checks.push(Check { title: known.title.into(), result: subject.run(&known) });
    }
    let mut further = |title: &str, result: Seen| {
        let result = match result {
            Ok(()) => CheckResult::Passed,
            Err(why) => CheckResult::Failed(why),
        };
        checks.push(Check { title: title.into(), result });
    };
    further("launches sent at once are answered in order", subject.queue());
    further(
        "a line that is not JSON is refused, and the next line is answered",
        subject.bad_line(b"{\"type\":\n"),
    );
    further("a message of an unknown type is refused", subject.bad_line(b"{\"type\":\"no-such-thing\"}\n"));
    further("a launch without a program is refused", subject.bad_line(b"{\"type\":\"launch\",\"id\":1}\n"));
    further("unknown fields are ignored", subject.additions());
    further("it ends when its input is closed", subject.farewell());
    checks
}

type Seen = Result<(), String>;

struct Subject<'a> {
    command: &'a CommandLine,
    limits: &'a Limits,
    introduction: &'a Introduction,
}

impl Subject<'_> {
    fn worker(&self) -> Result<Process, String> {
        Process::greet(self.command, self.limits).map(|(process, _)| process).map_err(|e| e.why)
    }

    fn request(&self, id: u64, launch: &Launch) -> Request {
        let limit = u64::try_from(self.limits.launch.as_millis()).unwrap_or(u64::MAX);
        Request::Launch(Box::new(LaunchRequest::new(id, "conform-protocol", launch, limit)))
    }

    fn run(&self, known: &KnownLaunch) -> CheckResult {
        if let Some(needed) = known.needs.filter(|c| !self.introduction.capabilities.contains(c)) {
            return CheckResult::Skipped(format!("it does not offer `{}`", needed.name()));
        }
        let observed = self.worker().and_then(|mut worker| {
            worker.send(&self.request(41, &known.launch));
            self.observed(&mut worker, 41, &known.launch)
        });
        match observed {
            Ok(Observation::Unsupported { what }) => CheckResult::Skipped(format!("unsupported: {what}")),
            Ok(observation) => {
                known.wanted.missed_by(&observation).map_or(CheckResult::Passed, CheckResult::Failed)
            }
            Err(why) => CheckResult::Failed(why),
        }
    }

    /// The answer to a launch that was sent: `started`, then `observed`, both of its number, with memory of its sizes.
    fn observed(&self, worker: &mut Process, id: u64, launch: &Launch) -> Result<Observation, String> {
        worker.expect_at_most(outcome::longest(launch));
        match worker.hear(self.limits.launch) {
            Heard::Reply(Reply::Started { id: begun }) if begun == id => {}
            other => {
                return Err(format!("expected `started` for launch {id}; {}", described(worker, &other)));
            }
        }
        match worker.hear(self.limits.launch) {
            Heard::Reply(Reply::Observed(observed)) if observed.id == id => {
                outcome::observation(observed.outcome, launch)
            }
            other => Err(format!("expected `observed` for launch {id}; {}", described(worker, &other))),
        }
    }

    /// Runs the simplest known launch on this worker.
    fn still_works(&self, worker: &mut Process) -> Seen {
        let launch = known_launch::store(16, 12, 99);
        worker.send(&self.request(7, &launch));
        sound(&self.observed(worker, 7, &launch)?, &known_launch::stored(16, 12, 99))
    }

    fn queue(&self) -> Seen {
        let mut worker = self.worker()?;
        let launches: Vec<_> =
            (0..QUEUE).map(|n| known_launch::store(64, i64::from(n) * 4, n + 100)).collect();
        // Numbers need not begin at 1, nor be dense.
        let id = |n: u32| 1000 + 3 * u64::from(n);
        for (n, launch) in (0..).zip(&launches) {
            worker.send(&self.request(id(n), launch));
        }
        for (n, launch) in (0..).zip(&launches) {
            let observation = self.observed(&mut worker, id(n), launch)?;
            sound(&observation, &known_launch::stored(64, n as usize * 4, n + 100))?;
        }
        Ok(())
    }

    fn bad_line(&self, line: &[u8]) -> Seen {
        let mut worker = self.worker()?;
        worker.send_raw(line.to_vec());
        match worker.hear(self.limits.launch) {
            Heard::Reply(Reply::Refused { .. }) => self.still_works(&mut worker),
            other => Err(format!("expected `refused`; {}", described(&worker, &other))),
        }
    }

    /// Sends a launch with an unknown field.
    fn additions(&self) -> Seen {
        let launch = known_launch::store(16, 0, 3);
        let mut message = serde_json::to_value(self.request(5, &launch)).map_err(|e| e.to_string())?;
        message["added_later"] = serde_json::json!({"anything": [1, 2]});
        let mut worker = self.worker()?;
        worker.send_raw(format!("{message}\n").into_bytes());
        sound(&self.observed(&mut worker, 5, &launch)?, &known_launch::stored(16, 0, 3))
    }

    fn farewell(&self) -> Seen {
        let mut worker = self.worker()?;
        self.still_works(&mut worker)?;
        match worker.finish(FAREWELL) {
            Some(Death::Exit(0)) => Ok(()),
            Some(death) => Err(death.to_string()),
            None => Err(format!("it still runs after {FAREWELL:?}")),
        }
    }
}

/// An unsupported launch passes: the program spoke the protocol.
fn sound(observation: &Observation, wanted: &Wanted) -> Seen {
    match observation {
        Observation::Unsupported { .. } => Ok(()),
        other => wanted.missed_by(other).map_or(Ok(()), Err),
    }
}

fn described(worker: &Process, heard: &Heard) -> String {
    let said = worker.last_words().map(|words| format!("; it said: {words}")).unwrap_or_default();
    let came = match heard {
        Heard::Reply(reply) => {
            let text = serde_json::to_string(reply).unwrap_or_default();
            let shown: String = text.chars().take(200).collect();
            format!("got {shown}")
        }
        Heard::Garbage(why) => format!("got a line that is not a message: {why}"),
        Heard::Oversized(limit) => {
            format!("got a line longer than the {limit} bytes that an answer can take")
        }
        Heard::Ended(death) => death.to_string(),
        Heard::Silence => "got nothing within the time limit".into(),
        Heard::RunOver => "got nothing before this command was ended".into(),
    };
    came + &said
}

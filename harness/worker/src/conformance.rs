//! `conform-protocol`: checks that a program speaks the protocol. It checks only a few computed values; the corpus checks the
//! semantics.

use std::time::Duration;

use warpdiff_model::{Launch, Observation};

use super::ability::Ability;
use super::command::CommandLine;
use super::known_launch::{self, KnownLaunch, Wanted};
use super::limits::Limits;
use super::outcome;
use super::process::{Death, Heard, Process};
use super::protocol::{self, Capability, Introduction, LaunchRequest, ModuleRequest, Reply, Request};

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckResult {
    /// The program behaves as the protocol says.
    Passed,
    /// It does not, for this reason.
    Failed(String),
    /// The program does not offer what the check needs.
    NotOffered(String),
    /// The program answers that it does not support the launch.
    Unsupported(String),
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
/// The largest number of a launch of the simplest program.
const SIMPLE_ID: u64 = 1000 + 3 * QUEUE as u64;

/// Checks a program. Each check has a worker of its own, so that one failure does not hide another. Of each ability in `required` a
/// further check says whether it was shown: without it, an answer `unsupported` is no failure.
pub fn check(command: &CommandLine, limits: &Limits, required: &[Ability]) -> Vec<Check> {
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
    let mut shown: Vec<(&'static [Ability], CheckResult)> = Vec::new();
    for known in known_launch::all() {
        let result = subject.run(&known);
        checks.push(Check { title: known.title.into(), result: result.clone() });
        shown.push((known.shows, result));
    }
    let result = subject.module();
    checks.push(Check {
        title: "a module of two programs is loaded, and both run".into(),
        result: result.clone(),
    });
    shown.push((&[Ability::Modules], result));
    let mut further = |title: &str, result: CheckResult| {
        checks.push(Check { title: title.into(), result });
    };
    further("launches sent at once are answered in order", subject.simple(Subject::queue));
    for (title, line) in [
        ("a line that is not JSON is refused, and the next line is answered", "{\"type\":\n"),
        ("a message of an unknown type is refused", "{\"type\":\"no-such-thing\"}\n"),
        ("a launch without a program is refused", "{\"type\":\"launch\",\"id\":1}\n"),
    ] {
        further(title, subject.simple(|subject| subject.bad_line(line.as_bytes())));
    }
    further("unknown fields are ignored", subject.simple(Subject::additions));
    further("it ends when its input is closed", subject.simple(Subject::farewell));
    for ability in required {
        let title = format!("`{}` is required", ability.name());
        checks.push(Check { title, result: subject.has(*ability, &shown) });
    }
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
        Request::Launch(Box::new(self.launch_request(id, launch)))
    }

    fn launch_request(&self, id: u64, launch: &Launch) -> LaunchRequest {
        let limit = u64::try_from(self.limits.launch.as_millis()).unwrap_or(u64::MAX);
        LaunchRequest::new(id, "conform-protocol", launch, limit)
    }

    fn run(&self, known: &KnownLaunch) -> CheckResult {
        let missing = known.shows.iter().find(|ability| ability.offered(self.introduction) == Some(false));
        if let Some(missing) = missing {
            return CheckResult::NotOffered(format!("it does not offer `{}`", missing.name()));
        }
        let mut request = self.launch_request(41, &known.launch);
        if known.shows.contains(&Ability::SpaWords) {
            request = request.in_dialects(&[protocol::SPA_WORDS.to_owned()]);
        }
        let request = Request::Launch(Box::new(request));
        if let Some(why) = self.too_long(&request) {
            return CheckResult::NotOffered(why);
        }
        let observed = self.worker().and_then(|mut worker| {
            worker.send(&request);
            let (observation, leaving) = self.answer(&mut worker, 41, &known.launch)?;
            self.nothing_follows(&mut worker, leaving)?;
            Ok(observation)
        });
        match observed {
            Ok(Observation::Unsupported { what }) => CheckResult::Unsupported(format!("unsupported: {what}")),
            Ok(observation) => {
                known.wanted.missed_by(&observation).map_or(CheckResult::Passed, CheckResult::Failed)
            }
            Err(why) => CheckResult::Failed(why),
        }
    }

    /// Why a message is not sent, if it is longer than the lines that the program reads.
    fn too_long(&self, request: &Request) -> Option<String> {
        let longest = self.introduction.longest_line?;
        let length = protocol::line(request).map_or(0, |line| line.len() as u64);
        (length > longest)
            .then(|| format!("it reads lines of at most {longest} bytes, and this takes {length}"))
    }

    /// The result of a check that sends launches of the simplest program.
    fn simple(&self, check: impl FnOnce(&Self) -> Seen) -> CheckResult {
        if let Some(why) = self.too_long(&self.request(SIMPLE_ID, &known_launch::store(64, 60, 199))) {
            return CheckResult::NotOffered(why);
        }
        match check(self) {
            Ok(()) => CheckResult::Passed,
            Err(why) => CheckResult::Failed(why),
        }
    }

    /// Whether the program has an ability, by the checks that show it.
    fn has(&self, ability: Ability, shown: &[(&[Ability], CheckResult)]) -> CheckResult {
        use CheckResult::{Failed, NotOffered, Passed, Unsupported};
        let about: Vec<&CheckResult> =
            shown.iter().filter(|(shows, _)| shows.contains(&ability)).map(|(_, result)| result).collect();
        if about.iter().any(|result| matches!(result, Failed(_))) {
            return Failed("a check of it failed, see above".into());
        }
        // A capability is there if anything shows it; of an instruction everything that is offered has to run.
        let is_said = ability.offered(self.introduction).is_some();
        let passed = about.contains(&&Passed);
        let lacking = about.iter().find_map(|result| match result {
            Unsupported(why) if !(is_said && passed) => Some(why),
            NotOffered(why) if !passed => Some(why),
            _ => None,
        });
        lacking.map_or(Passed, |why| Failed(why.clone()))
    }

    /// Checks that nothing follows an answer, as a run does: after it comes the announcement of the next launch, or the end of a
    /// worker that leaves.
    fn nothing_follows(&self, worker: &mut Process, leaving: bool) -> Seen {
        let seen = if leaving {
            worker.close();
            match worker.hear(FAREWELL) {
                Heard::Ended(_) | Heard::Silence | Heard::RunOver => Ok(()),
                other => Err(described(worker, &other)),
            }
        } else {
            let launch = known_launch::store(16, 0, 5);
            worker.send(&self.request(43, &launch));
            // Its own answer does not count: other checks are about that.
            match worker.hear(self.limits.launch) {
                Heard::Reply(Reply::Started { id: 43 }) => Ok(()),
                other => {
                    Err(format!("expected `started` for the next launch; {}", described(worker, &other)))
                }
            }
        };
        seen.map_err(|why| format!("after its answer: {why}"))
    }

    /// Loads a module with two kernels, and launches both.
    fn module(&self) -> CheckResult {
        if !self.introduction.capabilities.contains(&Capability::Modules) {
            return CheckResult::NotOffered(format!("it does not offer `{}`", Capability::Modules.name()));
        }
        let (module, program) = known_launch::module();
        let limit = u64::try_from(self.limits.module.as_millis()).unwrap_or(u64::MAX);
        let load = Request::Module(Box::new(ModuleRequest { id: 4, program, time_limit_ms: limit }));
        let launches: Vec<_> = (5..)
            .zip(&module)
            .map(|(id, (suffix, launch, wanted))| {
                let request = self.launch_request(id, launch).in_module(4, suffix);
                (id, Request::Launch(Box::new(request)), launch, wanted)
            })
            .collect();
        let requests = launches.iter().map(|(_, request, ..)| request).chain([&load]);
        if let Some(why) = requests.into_iter().find_map(|request| self.too_long(request)) {
            return CheckResult::NotOffered(why);
        }
        let run = || {
            // A worker that leaves is replaced by one that loads the module again.
            let mut present = None;
            for (id, request, launch, wanted) in &launches {
                let mut worker = match present.take() {
                    Some(worker) => worker,
                    None => self.loaded(&load)?,
                };
                worker.send(request);
                let (observation, leaving) = self.answer(&mut worker, *id, launch)?;
                sound(&observation, wanted)?;
                present = (!leaving).then_some(worker);
            }
            Ok(())
        };
        match run() {
            Ok(()) => CheckResult::Passed,
            Err(why) => CheckResult::Failed(why),
        }
    }

    /// A worker that has loaded module 4.
    fn loaded(&self, load: &Request) -> Result<Process, String> {
        let mut worker = self.worker()?;
        worker.expect_at_most(outcome::WORDS);
        worker.send(load);
        match worker.hear(self.limits.module) {
            Heard::Reply(Reply::Started { id: 4 }) => {}
            other => return Err(format!("expected `started` for module 4; {}", described(&worker, &other))),
        }
        match worker.hear(self.limits.module) {
            Heard::Reply(Reply::Loaded { id: 4, refused: None }) => Ok(worker),
            other => Err(format!("expected `loaded` for module 4; {}", described(&worker, &other))),
        }
    }

    /// What the program observed of a launch that was sent.
    fn observed(&self, worker: &mut Process, id: u64, launch: &Launch) -> Result<Observation, String> {
        self.answer(worker, id, launch).map(|(observation, _)| observation)
    }

    /// The answer to a launch that was sent, and whether the worker then leaves: `started`, then `observed`, both of its number, with
    /// memory of its sizes.
    fn answer(&self, worker: &mut Process, id: u64, launch: &Launch) -> Result<(Observation, bool), String> {
        worker.expect_at_most(outcome::longest(launch));
        match worker.hear(self.limits.launch) {
            Heard::Reply(Reply::Started { id: begun }) if begun == id => {}
            other => {
                return Err(format!("expected `started` for launch {id}; {}", described(worker, &other)));
            }
        }
        match worker.hear(self.limits.launch) {
            Heard::Reply(Reply::Observed(observed)) if observed.id == id => {
                let leaving = observed.leaving;
                outcome::observation(observed.outcome, launch).map(|observation| (observation, leaving))
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
        let send = |worker: &mut Process, from: u32| {
            for (n, launch) in (0..).zip(&launches).skip(from as usize) {
                worker.send(&self.request(id(n), launch));
            }
        };
        send(&mut worker, 0);
        for (n, launch) in (0..).zip(&launches) {
            let (observation, leaving) = self.answer(&mut worker, id(n), launch)?;
            sound(&observation, &known_launch::stored(64, n as usize * 4, n + 100))?;
            if leaving && n + 1 < QUEUE {
                // The launches behind go to the next worker.
                worker = self.worker()?;
                send(&mut worker, n + 1);
            }
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

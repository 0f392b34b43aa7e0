//! `warpdiff probe`: measures properties of a device that no case can show.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use warpdiff_judge::exit_code::Exit;
use warpdiff_report::replace_file::replace;
use warpdiff_targets::{Answers, CudaName, CudaTarget, Probe, Target};
use warpdiff_terminal::foreign;
use warpdiff_worker::limits::Limits;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Numbers of processes that compile at the same time.
const SIDE_BY_SIDE: [usize; 2] = [4, 16];

/// Options of `probe`.
#[derive(Debug, clap::Args)]
pub(crate) struct ProbeDevice {
    /// Probes to run [default: all]
    names: Vec<String>,
    /// The device: `cuda[:ORDINAL][+O0][@LIBRARY]`
    #[arg(long, value_name = "TARGET", default_value = "cuda")]
    against: CudaName,
    /// Also write the results to FILE, as YAML
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Time limit of a probe, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    time_limit: u64,
    /// Run this probe in this process and print its answers as JSON
    #[arg(long, hide = true, conflicts_with = "output")]
    alone: bool,
}

/// The file of `--output`.
#[derive(Serialize)]
struct ProbeFile<'a> {
    target: &'a str,
    device: BTreeMap<String, String>,
    warpdiff: &'a str,
    probes: Vec<ProbeAnswers>,
}

#[derive(Serialize)]
struct ProbeAnswers {
    probe: &'static str,
    question: &'static str,
    answers: Answers,
}

impl ProbeDevice {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let name = &self.against;
        let probes = self.probes()?;
        if self.alone {
            return alone(name, &probes);
        }
        let target = CudaTarget::new(name, Limits::default());
        target.presence().as_ref().map_err(|why| Failure::broken(format!("{name}: {why}")))?;
        let style = shared.style();
        let mut answered = Vec::new();
        for probe in probes {
            let mut answers = self.in_process(probe, 1);
            if probe.name == "compilation" {
                answers.extend(SIDE_BY_SIDE.into_iter().flat_map(|count| self.in_process(probe, count)));
            }
            let mut text = format!("{}: {}\n", style.strong().paint(probe.name), probe.question);
            for (what, answer) in &answers {
                let _ = writeln!(text, "    {what}: {}", foreign::lines(answer, 6));
            }
            emit(&text)?;
            answered.push(ProbeAnswers { probe: probe.name, question: probe.question, answers });
        }
        if let Some(path) = &self.output {
            let broken = |e: String| Failure::broken(format!("{}: {e}", path.display()));
            let warpdiff = env!("CARGO_PKG_VERSION");
            let written =
                ProbeFile { target: target.name(), device: target.device(), warpdiff, probes: answered };
            let text = serde_yaml::to_string(&written).map_err(|e| broken(e.to_string()))?;
            replace(path, &text).map_err(|e| broken(e.to_string()))?;
        }
        Ok(Exit::Conforms)
    }

    fn probes(&self) -> Result<Vec<&'static Probe>, Failure> {
        if self.names.is_empty() {
            return Ok(Probe::ALL.iter().collect());
        }
        let known: Vec<_> = Probe::ALL.iter().map(|probe| probe.name).collect();
        let one = |name: &String| {
            Probe::of_name(name).ok_or_else(|| {
                Failure::usage(format!("no probe `{name}`; the probes are: {}", known.join(", ")))
            })
        };
        self.names.iter().map(one).collect()
    }

    /// Runs a probe in `count` processes at once: returns the answers of one process, or the time of several. A crash or hang of
    /// the process is an answer, too.
    fn in_process(&self, probe: &Probe, count: usize) -> Answers {
        let begun = Instant::now();
        let started: Result<Vec<Child>, String> = (0..count).map(|_| child(&self.against, probe)).collect();
        let children = match started {
            Ok(children) => children,
            Err(why) => return vec![("the probe".into(), why)],
        };
        let limit = begun + Duration::from_secs(self.time_limit);
        let mut ended: Vec<Result<Answers, String>> =
            children.into_iter().map(|child| answers(child, limit)).collect();
        if count == 1 {
            let only = ended.pop().unwrap_or_else(|| Err("no process was started".into()));
            return only.unwrap_or_else(|why| vec![("the probe".into(), why)]);
        }
        let failed = ended.into_iter().find_map(Result::err);
        let took = format!("{:.2} ms", begun.elapsed().as_secs_f64() * 1e3);
        vec![(format!("all of it in {count} processes at once"), failed.unwrap_or(took))]
    }
}

/// Runs a probe in this process.
fn alone(name: &CudaName, probes: &[&'static Probe]) -> Result<Exit, Failure> {
    for probe in probes {
        let answers = probe.run(name).map_err(Failure::broken)?;
        let line = serde_json::to_string(&answers).map_err(|e| Failure::broken(e.to_string()))?;
        emit(&(line + "\n"))?;
    }
    Ok(Exit::Conforms)
}

fn child(name: &CudaName, probe: &Probe) -> Result<Child, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    Command::new(program)
        .args(["probe", "--alone", "--against", &name.to_string(), probe.name])
        // Without the cache and lazy loading, times are those of compilation.
        .env("CUDA_CACHE_DISABLE", "1")
        .env("CUDA_MODULE_LOADING", "EAGER")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start a process: {error}"))
}

/// The answers of a process, or how it ended.
fn answers(mut child: Child, limit: Instant) -> Result<Answers, String> {
    loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(_) => break,
            None if Instant::now() >= limit => {
                child.kill().map_err(|e| e.to_string())?;
                child.wait().map_err(|e| e.to_string())?;
                return Err("timed out".into());
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let ended =
        || format!("ended with {}: {}", output.status, said.trim().lines().last().unwrap_or_default());
    serde_json::from_slice(&output.stdout).map_err(|_| ended())
}

//! Runs the corpus on the reference with each mutant of a rewritten tree in turn: `judge CASES UNDECIDED COMPILED JOBS SECONDS MUTANT…`.
//!
//! UNDECIDED is a corpus of launches that the specification does not decide, which CASES may not have: the reference has to say so of each.
//! COMPILED has the machine code that NVIDIA's compiler made of the programs of CASES. Each variant runs twice, as PTX and as machine code, and both
//! are held against what the case states by hand.
//! It prints a line for each mutant: its number, its fate, and the variant that decided it. A variant is run with a mutant only if it comes by
//! the mutant's place, which is found out first. Each mutant has a process of its own, forked after the corpus is loaded.

mod machine_code;

use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::reference::{Programs, RecentPrograms, units};
use warpdiff_judge::reference_verdict::reference_verdict;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::mutant_switch::{MUTANTS, activate, reached_by};

use machine_code::MachineCode;

/// The most memory that a mutant takes, beyond which it counts as one that died.
const MEMORY: u64 = 8 << 30;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [cases, undecided, compiled, jobs, seconds, mutants @ ..] = &*arguments else {
        eprintln!("usage: judge CASES UNDECIDED COMPILED JOBS SECONDS MUTANT…");
        return ExitCode::from(2);
    };
    let mutants: Vec<u32> = mutants.iter().filter_map(|mutant| mutant.parse().ok()).collect();
    let limit = Duration::from_secs(seconds.parse().unwrap_or(60));
    let mut corpora = Vec::new();
    for folder in [cases, undecided] {
        match warpdiff_corpus::load(Path::new(folder)) {
            Ok(corpus) => corpora.push(corpus),
            Err(errors) => {
                eprintln!("{}", errors.render(false));
                return ExitCode::from(2);
            }
        }
    }
    let code = match MachineCode::read(Path::new(compiled), &corpora[0].variants) {
        Ok(code) => Arc::new(code),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    std::panic::set_hook(Box::new(|_| ()));
    let runs = |variant: &&Variant| matches!(variant.work, Work::Launches(_));
    let of = |corpus: usize| corpora[corpus].variants.iter().filter(runs).map(|it| Plain::new(it, None));
    let undecided: Vec<Plain<'_>> = of(1).collect();
    if let Some(decided) = undecided.iter().find(|plain| plain.raw != Raw::Indeterminate) {
        eprintln!("the reference decides {}: {}", decided.variant.id, decided.raw);
        return ExitCode::from(2);
    }
    let decided: Vec<Plain<'_>> = of(0).collect();
    let wrong: Vec<String> =
        decided.iter().filter(|plain| plain.raw != Raw::Conforms).map(Plain::name).collect();
    if !wrong.is_empty() {
        eprintln!("without a mutant these do not conform:\n{}", wrong.join("\n"));
        return ExitCode::from(2);
    }
    let mut plain: Vec<Plain<'_>> = decided.into_iter().chain(undecided).collect();
    // Where the machine code does something else already, or cannot run, it says nothing of mutants.
    let as_compiled = corpora[0].variants.iter().filter(runs).filter(|variant| code.has(variant));
    let as_compiled = as_compiled.map(|variant| Plain::new(variant, Some(Arc::clone(&code))));
    plain.extend(as_compiled.filter(|plain| plain.raw == Raw::Conforms));
    // Quick ones first: most mutants are noticed by many.
    plain.sort_by_key(|plain| plain.elapsed);
    let mut reaching = vec![Vec::new(); MUTANTS];
    for (index, plain) in plain.iter().enumerate() {
        plain.reached.iter().for_each(|mutant| reaching[*mutant as usize].push(index));
    }
    let mut running: Vec<Running> = Vec::new();
    let mut waiting = mutants.into_iter().peekable();
    while waiting.peek().is_some() || !running.is_empty() {
        while running.len() < jobs.parse().unwrap_or(1)
            && let Some(mutant) = waiting.next()
        {
            if reaching[mutant as usize].is_empty() {
                println!("{mutant}\tunreached\t");
            } else {
                running.push(Running::start(mutant, &reaching[mutant as usize], &plain, limit));
            }
        }
        running.retain_mut(|one| match one.ended(&plain) {
            Some(line) => {
                println!("{line}");
                false
            }
            None => true,
        });
        std::thread::sleep(Duration::from_millis(2));
    }
    ExitCode::SUCCESS
}

/// A variant without a mutant.
struct Plain<'c> {
    variant: &'c Variant,
    /// What runs in place of its PTX.
    code: Option<Arc<MachineCode>>,
    raw: Raw,
    elapsed: Duration,
    /// The mutants whose places it comes by.
    reached: Vec<u32>,
}

impl<'c> Plain<'c> {
    fn new(variant: &'c Variant, code: Option<Arc<MachineCode>>) -> Self {
        let begun = Instant::now();
        let mut raw = Raw::Broken;
        let reached = reached_by(|| raw = verdict(variant, code.as_deref()));
        Self { variant, code, raw, elapsed: begun.elapsed(), reached }
    }

    /// Its name in the report.
    fn name(&self) -> String {
        let variant = &self.variant.id;
        if self.code.is_some() { format!("{variant}, compiled") } else { variant.to_string() }
    }
}

/// The verdict of the reference on a variant: whether it contradicts what the case states; or whether the machine code does, run by the same engine.
fn verdict(variant: &Variant, code: Option<&MachineCode>) -> Raw {
    let Work::Launches(launches) = &variant.work else { return Raw::NotRun };
    // Programs of another mutant may have been compiled to something else.
    let recent = RecentPrograms::default();
    let mut programs = Programs::among(&recent);
    if let Some(code) = code
        && let Err(raw) = code.put(launches, &mut programs)
    {
        return raw;
    }
    let asked: Result<Vec<_>, _> = launches.iter().map(|launch| units(launch, &mut programs)).collect();
    match asked {
        Ok(asked) => reference_verdict(variant, &asked.into_iter().flatten().collect::<Vec<_>>()).raw,
        Err(_) => Raw::Broken,
    }
}

/// What a mutant's process found: the variant whose expectation is contradicted, or else one that fails in another way.
fn found(mutant: u32, reaching: &[usize], plain: &[Plain<'_>]) -> String {
    activate(mutant);
    let mut other = None;
    for index in reaching {
        let Plain { variant, code, raw, .. } = &plain[*index];
        let now = catch_unwind(AssertUnwindSafe(|| verdict(variant, code.as_deref())));
        match now {
            Ok(Raw::Contradicted) if *raw != Raw::Contradicted => return format!("contradicted\t{index}"),
            // The case says that the specification does not decide it.
            Ok(now) if *raw == Raw::Indeterminate && now != *raw => return format!("contradicted\t{index}"),
            Ok(now) if now == *raw => {}
            Ok(now) => other = other.or_else(|| Some(format!("{now}\t{index}"))),
            Err(_) => other = other.or_else(|| Some(format!("panicked\t{index}"))),
        }
    }
    other.unwrap_or_else(|| "survived\t".to_owned())
}

/// The process of a mutant.
struct Running {
    mutant: u32,
    process: libc::pid_t,
    answer: std::fs::File,
    until: Instant,
}

impl Running {
    fn start(mutant: u32, reaching: &[usize], plain: &[Plain<'_>], limit: Duration) -> Self {
        let mut ends = [0; 2];
        // SAFETY: `ends` has room for the two descriptors.
        assert!(unsafe { libc::pipe(ends.as_mut_ptr()) } == 0, "no pipe");
        // SAFETY: no other thread of this process holds a lock that the child needs: those of the loader wait for work, and what the child runs uses
        // none of them.
        let process = unsafe { libc::fork() };
        assert!(process >= 0, "no process");
        // SAFETY: both descriptors are open, and nobody else owns them.
        let [answer, mut told] = ends.map(|end| unsafe { std::fs::File::from_raw_fd(end) });
        if process == 0 {
            let limit = libc::rlimit { rlim_cur: MEMORY, rlim_max: MEMORY };
            // SAFETY: a plain call with a structure that lives until it returns.
            unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
            let _ = told.write_all(found(mutant, reaching, plain).as_bytes());
            // SAFETY: ends the child without running what the parent registered.
            unsafe { libc::_exit(0) };
        }
        Self { mutant, process, answer, until: Instant::now() + limit }
    }

    /// The line of the mutant, if its process has ended or is out of time.
    fn ended(&mut self, plain: &[Plain<'_>]) -> Option<String> {
        let mut status = 0;
        // SAFETY: `process` is a child of this process that nobody else has waited for.
        let ended = unsafe { libc::waitpid(self.process, &raw mut status, libc::WNOHANG) } != 0;
        if !ended && Instant::now() < self.until {
            return None;
        }
        if !ended {
            // SAFETY: the child has not been waited for, so that the number is still its own.
            unsafe {
                libc::kill(self.process, libc::SIGKILL);
                libc::waitpid(self.process, &raw mut status, 0);
            }
            return Some(format!("{}\ttimed-out\t", self.mutant));
        }
        let mut answer = String::new();
        let _ = self.answer.read_to_string(&mut answer);
        let Some((fate, index)) = answer.split_once('\t') else {
            return Some(format!("{}\tdied\t", self.mutant));
        };
        let variant = index.parse().map_or(String::new(), |index: usize| plain[index].name());
        Some(format!("{}\t{fate}\t{variant}", self.mutant))
    }
}

//! How fast the engine runs the loops as ptxas compiled them, beside the loops as PTX: the same launch, run in turn.

use std::time::{Duration, Instant};

use warpdiff_emulator::{Options, Program, Schedule, run};
use warpdiff_model::{Launch, Semantics};
use warpdiff_sass::cubin::Cubin;

use super::{Loop, Shape, launch, program};

/// PTX instructions of a run, about: so many that the loop and not the launch is measured, so few that most runs are not interrupted on a
/// machine that does something else as well.
const WORK: u64 = 1 << 22;
/// Pairs of runs.
const PAIRS: usize = 101;
const SHAPE: Shape = Shape { threads: 256, blocks: 1 };

/// Prints, for each loop, the speed as machine code over the speed as PTX.
pub(super) fn report() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    if !arguments.all(|filter| "machine_code".contains(&filter)) {
        return;
    }
    println!(
        "speed as machine code (ptxas 12.9, -O3) over speed as PTX, {SHAPE} threads, {PAIRS} pairs of runs"
    );
    println!("loop       run        median   quartiles     fastest  PTX ms   code ms");
    for which in [Loop::Alu, Loop::LoadStore, Loop::Atomic] {
        for tracked in [false, true] {
            compare(which, tracked);
        }
    }
}

fn compare(which: Loop, tracked: bool) {
    let cubin = Cubin::read(which.cubin()).expect("a cubin");
    let (ptx, code) = (program(which), Program::of_cubin(&cubin, "k").expect("the loop is supported"));
    let launch = launch(which, SHAPE, WORK);
    let options = Options { tracked, schedule: Schedule::InOrder, ..Options::default() };
    assert_eq!(timed(&ptx, &launch, &options).1, timed(&code, &launch, &options).1, "both leave the same");
    let (mut ratios, mut fastest) = (Vec::new(), [Duration::MAX; 2]);
    for _ in 0..PAIRS {
        let pair = [&ptx, &code].map(|program| timed(program, &launch, &options).0);
        ratios.push(pair[0].as_secs_f64() / pair[1].as_secs_f64());
        fastest = [0, 1].map(|n| fastest[n].min(pair[n]));
    }
    ratios.sort_by(f64::total_cmp);
    let [ptx, code] = fastest.map(|time| 1e3 * time.as_secs_f64());
    println!(
        "{:<10} {:<10} {:>5.2} x  {:.2} to {:.2}  {:>7.2} x  {ptx:>6.2}   {code:>6.2}",
        which.name(),
        if tracked { "tracked" } else { "untracked" },
        ratios[PAIRS / 2],
        ratios[PAIRS / 4],
        ratios[3 * PAIRS / 4],
        ptx / code,
    );
}

/// How long a run takes, and what it leaves in the buffer.
fn timed(program: &Program, launch: &Launch, options: &Options) -> (Duration, Vec<u8>) {
    let start = Instant::now();
    let run = run(program, launch, &Semantics::default(), options).expect("a launch");
    (start.elapsed(), run.memory.regions[0].region.bytes.clone())
}

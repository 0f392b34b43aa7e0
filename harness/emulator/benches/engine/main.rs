//! Thread-instructions per second of the engine, tracked and untracked, beside the same loops as scalar Rust, one thread
//! after another; then how fast it runs the same loops as machine code. `cargo bench -p warpdiff-emulator`; with `-- machine_code` the
//! second part alone.

mod machine_code;

use std::fmt;
use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use warpdiff_emulator::{Options, Program, Schedule, run};
use warpdiff_model::{Argument, Buffer, Launch, Semantics};

/// Thread-instructions of a measurement, about.
const WORK: u64 = 1 << 24;

fn main() {
    divan::main();
    machine_code::report();
}

/// One of the loops.
#[derive(Clone, Copy)]
enum Loop {
    Alu,
    LoadStore,
    Atomic,
}

impl Loop {
    fn text(self) -> &'static str {
        match self {
            Self::Alu => include_str!("../ptx/loop_alu.ptx"),
            Self::LoadStore => include_str!("../ptx/loop_ldst.ptx"),
            Self::Atomic => include_str!("../ptx/loop_atom.ptx"),
        }
    }

    /// What ptxas makes of it.
    fn cubin(self) -> &'static [u8] {
        match self {
            Self::Alu => include_bytes!("../cubin/loop_alu.cubin"),
            Self::LoadStore => include_bytes!("../cubin/loop_ldst.cubin"),
            Self::Atomic => include_bytes!("../cubin/loop_atom.cubin"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Alu => "loop_alu",
            Self::LoadStore => "loop_ldst",
            Self::Atomic => "loop_atom",
        }
    }

    /// PTX instructions of one round.
    fn instructions(self) -> u64 {
        match self {
            Self::Alu => 9,
            Self::LoadStore => 8,
            Self::Atomic => 7,
        }
    }
}

/// How a loop is launched.
#[derive(Clone, Copy)]
struct Shape {
    threads: u32,
    blocks: u32,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.threads, self.blocks)
    }
}

const SHAPES: [Shape; 3] =
    [Shape { threads: 32, blocks: 1 }, Shape { threads: 256, blocks: 1 }, Shape { threads: 256, blocks: 64 }];

impl Shape {
    fn total(self) -> u64 {
        u64::from(self.threads) * u64::from(self.blocks)
    }

    /// Rounds so that all threads together do the work of a measurement.
    fn rounds(self, which: Loop, work: u64) -> u32 {
        (work / (which.instructions() * self.total())).max(1) as u32
    }

    fn items(self, which: Loop) -> ItemsCount {
        ItemsCount::new(u64::from(self.rounds(which, WORK)) * which.instructions() * self.total())
    }
}

fn program(which: Loop) -> Program {
    let module =
        warpdiff_ptx::compile(which.text(), &warpdiff_ptx::Rules::default()).expect("the loop is legal");
    Program::new(&module, which.text()).expect("the loop is supported")
}

/// A launch of so many PTX instructions of all threads together, about.
fn launch(which: Loop, shape: Shape, work: u64) -> Launch {
    let mut launch = Launch::new(Arc::from(which.text()), "k");
    launch.block = [shape.threads, 1, 1];
    launch.grid = [shape.blocks, 1, 1];
    launch.buffers.push(Buffer::new("out", vec![0; 4 * shape.total() as usize]));
    launch.arguments = vec![
        Argument::Buffer { index: 0, offset: 0 },
        Argument::Value(shape.rounds(which, work).to_le_bytes().to_vec()),
    ];
    launch.step_budget = u64::MAX;
    launch
}

fn engine(bencher: Bencher<'_, '_>, which: Loop, shape: Shape, tracked: bool) {
    let program = program(which);
    let launch = launch(which, shape, WORK);
    let options = Options { tracked, schedule: Schedule::InOrder, ..Options::default() };
    bencher
        .counter(shape.items(which))
        .bench_local(|| run(&program, &launch, &Semantics::default(), &options));
}

/// The word of shared memory that a thread of the loops has to itself.
struct Word(u32);

fn scalar(bencher: Bencher<'_, '_>, which: Loop, shape: Shape) {
    let rounds = shape.rounds(which, WORK);
    let mut out = vec![0u32; shape.total() as usize];
    bencher.counter(shape.items(which)).bench_local(|| {
        for (thread, out) in out.iter_mut().enumerate() {
            let thread = thread as u32 % shape.threads;
            *out = match which {
                Loop::Alu => alu(black_box(thread), black_box(rounds)),
                Loop::LoadStore => load_store(black_box(thread), black_box(rounds)),
                Loop::Atomic => atomic(black_box(thread), black_box(rounds)),
            };
        }
    });
}

fn alu(thread: u32, rounds: u32) -> u32 {
    let (mut r3, mut r4) = (0u32, 1u32);
    loop {
        r4 = r4.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let r5 = r4 ^ r3;
        let r7 = (r5 << 3).wrapping_add(r5);
        r4 = r4.wrapping_sub(r7 & 255);
        r3 += 1;
        if r3 >= rounds {
            return r4.wrapping_add(thread);
        }
    }
}

fn load_store(thread: u32, rounds: u32) -> u32 {
    let mut shared = Word(thread);
    let (mut r3, mut r4) = (0u32, 1u32);
    loop {
        let word = black_box(&mut shared);
        word.0 = word.0.wrapping_add(r3);
        r4 = r4.wrapping_add(black_box(&mut shared).0);
        r3 += 1;
        if r3 >= rounds {
            return r4.wrapping_add(shared.0);
        }
    }
}

fn atomic(thread: u32, rounds: u32) -> u32 {
    let mut shared = Word(thread);
    let (mut r3, mut r4) = (0u32, 1u32);
    let mut add = |value: u32| {
        let word = black_box(&mut shared);
        let old = word.0;
        word.0 = old.wrapping_add(value);
        old
    };
    loop {
        r4 = r4.wrapping_add(add(3));
        r4 ^= add(r3);
        r3 += 1;
        if r3 >= rounds {
            return r4.wrapping_add(add(0));
        }
    }
}

macro_rules! measurements {
    ($module:ident, $which:expr) => {
        mod $module {
            use super::*;

            #[divan::bench(args = SHAPES)]
            fn untracked(bencher: Bencher<'_, '_>, shape: Shape) {
                engine(bencher, $which, shape, false);
            }

            #[divan::bench(args = SHAPES)]
            fn tracked(bencher: Bencher<'_, '_>, shape: Shape) {
                engine(bencher, $which, shape, true);
            }

            #[divan::bench(args = SHAPES)]
            fn scalar_rust(bencher: Bencher<'_, '_>, shape: Shape) {
                scalar(bencher, $which, shape);
            }
        }
    };
}

measurements!(alu_loop, Loop::Alu);
measurements!(load_store_loop, Loop::LoadStore);
measurements!(atomic_loop, Loop::Atomic);

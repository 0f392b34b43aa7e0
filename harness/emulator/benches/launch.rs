//! What a launch costs that has hardly anything to run: a kernel around one instruction, with one row a thread.
//! `cargo bench -p warpdiff-emulator --bench launch`.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use warpdiff_emulator::{Program, allowed, observe};
use warpdiff_model::{Argument, Buffer, Launch, Semantics};

const TEXT: &str = include_str!("ptx/row.ptx");
/// Threads of a launch, each with its row.
const THREADS: [u32; 4] = [1, 6, 32, 256];

fn main() {
    divan::main();
}

fn program() -> Program {
    let module = warpdiff_ptx::compile(TEXT, &warpdiff_ptx::Rules::default()).expect("the kernel is legal");
    Program::new(&module, TEXT).expect("the kernel is supported")
}

fn launch(threads: u32) -> Launch {
    let mut launch = Launch::new(Arc::from(TEXT), "k");
    launch.block = [threads, 1, 1];
    let buffer = |name: &str, row: usize| {
        let mut buffer = Buffer::new(name, vec![1; row * threads as usize]);
        buffer.guard = 64;
        buffer
    };
    launch.buffers = vec![buffer("inputs", 8), buffer("outputs", 4)];
    launch.arguments = vec![
        Argument::Value(threads.to_le_bytes().to_vec()),
        Argument::Buffer { index: 0, offset: 0 },
        Argument::Buffer { index: 1, offset: 0 },
    ];
    launch
}

/// What the specification allows it to do: one tracked run.
#[divan::bench(args = THREADS)]
fn reference(bencher: Bencher<'_, '_>, threads: u32) {
    let (program, launch) = (program(), launch(threads));
    bencher
        .counter(ItemsCount::new(threads))
        .bench_local(|| allowed(&program, &launch, &Semantics::default()));
}

/// What the emulator does as a target: one untracked run.
#[divan::bench(args = THREADS)]
fn target(bencher: Bencher<'_, '_>, threads: u32) {
    let (program, launch) = (program(), launch(threads));
    bencher
        .counter(ItemsCount::new(threads))
        .bench_local(|| observe(&program, &launch, &Semantics::default()));
}

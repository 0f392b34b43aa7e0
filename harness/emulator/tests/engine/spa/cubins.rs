//! Kernels of cubins, whose instructions hold addresses of variables.

use std::sync::Arc;

use warpdiff_emulator::{Options, Program, run};
use warpdiff_model::{Argument, Buffer, Launch, Semantics};
use warpdiff_sass::cubin::Cubin;

/// By ptxas 11.8, of a kernel that loads `numbers[%tid.x]` by its address in two instructions, and adds one if `pointer`, which is
/// initialised with that address, holds it.
const HALVES: &[u8] = include_bytes!("../../../../sass/tests/nvdisasm/cubins/halves.cubin");

fn results(cubin: &Cubin, tracked: bool) -> Vec<u8> {
    let program = Program::of_cubin(cubin, "k").map_err(|error| error.what).unwrap();
    let mut launch = Launch::new(Arc::from(""), "k");
    launch.block = [4, 1, 1];
    launch.buffers.push(Buffer::new("out", vec![0; 16]));
    launch.arguments = vec![Argument::Buffer { index: 0, offset: 0 }];
    let options = Options { tracked, ..Options::default() };
    let run = run(&program, &launch, &Semantics::default(), &options).unwrap();
    run.memory.regions[0].region.bytes.clone()
}

#[test]
fn addresses_in_instructions_are_those_of_variables() {
    let cubin = Cubin::read(HALVES).unwrap();
    for tracked in [false, true] {
        let words: Vec<u32> = results(&cubin, tracked)
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes))
            .collect();
        assert_eq!(words, [11, 21, 31, 41]);
    }
}

#[test]
fn addresses_that_nothing_explains_are_unsupported() {
    let cubin = Cubin::read(HALVES).unwrap();
    let wrong = |change: fn(&mut Cubin)| {
        let mut cubin = cubin.clone();
        change(&mut cubin);
        Program::of_cubin(&cubin, "k").map(|_| ()).unwrap_err().what
    };
    let said = wrong(|cubin| cubin.kernels[0].relocations[0].offset = 0x20);
    assert!(said.ends_with("(of `numbers`): at no instruction"), "{said}");
    let said = wrong(|cubin| cubin.kernels[0].relocations[0].offset = 0x8);
    assert!(said.ends_with("the instruction has no number of 32 bits"), "{said}");
    let said = wrong(|cubin| cubin.kernels[0].relocations[0].symbol = "other".into());
    assert!(said.ends_with("the cubin does not define it"), "{said}");
    let said = wrong(|cubin| cubin.kernels[0].words[2] |= 1 << 20);
    assert!(said.ends_with("the instruction has a number already"), "{said}");
    let said = wrong(|cubin| cubin.kernels[0].relocations[0].section = ".nv.constant3".into());
    assert!(said.contains("no source says"), "{said}");
    let said = wrong(|cubin| cubin.kernels[0].relocations[0].kind = 45);
    assert!(said.contains("a relocation of type 45"), "{said}");
}

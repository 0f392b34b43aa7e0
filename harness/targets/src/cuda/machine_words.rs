//! Makes the cubin of a program of SPA 5.0, which devices of compute capability 5.x are given: the words themselves.

use std::collections::BTreeMap;

use warpdiff_model::Launch;
use warpdiff_sass::cubin::{Cubin, Kernel};
use warpdiff_sass::{Header, Operand, Program, Register, ShaderType};

use super::launch::size;

/// Compute capabilities whose instruction set is SPA 5.0.
const CAPABILITIES: std::ops::RangeInclusive<u32> = 50..=53;
/// Most bytes of shared memory that a kernel can state, and of local memory. "Maximum amount of shared memory per thread block",
/// "amount of local memory per thread" of compute capability 5.x, CUDA C++ Programming Guide.
const SHARED: u32 = 48 << 10;
const LOCAL: u32 = 512 << 10;
/// Registers of a multiprocessor that one block can have, from the same table; each thread takes a multiple of 8.
const REGISTERS: u32 = 64 << 10;
const UNIT: u32 = 8;
/// Registers that an operand can occupy behind the one that it names.
const FOLLOWING: u32 = 7;

/// Whether a device of this compute capability runs SPA 5.0.
pub(crate) fn runs_spa(capability: u32) -> bool {
    CAPABILITIES.contains(&capability)
}

/// Whether these are the facts of a device that runs SPA 5.0.
pub(crate) fn is_spa_device(facts: &BTreeMap<String, String>) -> bool {
    facts.get("sm").and_then(|sm| sm.parse().ok()).is_some_and(runs_spa)
}

/// The cubin of a launch's program of SPA 5.0: its words, scheduled as stated or soundly, and the resources that it states.
///
/// # Errors
/// What cannot be put into a cubin, as a lowercase fragment.
pub(super) fn cubin(launch: &Launch) -> Result<Vec<u8>, String> {
    let program = warpdiff_sass::compile(&launch.program, &Header::default())
        .map_err(|diagnostics| diagnostics.first().map(|first| first.message.clone()).unwrap_or_default())?;
    let Header { shader, shared, local, .. } = program.header;
    if shader != ShaderType::Compute {
        return Err("a graphics shader is no kernel".into());
    }
    if shared > SHARED {
        return Err(format!("it states {shared} bytes of shared memory, a kernel has at most {SHARED}"));
    }
    if local > LOCAL {
        return Err(format!("it states {local} bytes of local memory, a thread has at most {LOCAL}"));
    }
    if !launch.host_writes.is_empty() {
        return Err("it has no variables that the host could write".into());
    }
    let bound = launch.surfaces.iter().find_map(|surface| surface.bound_to.as_ref());
    if let Some(name) = bound {
        return Err(format!("it has no `.surfref {name}`"));
    }
    let sizes: Vec<u32> = launch.arguments.iter().map(|argument| size(argument) as u32).collect();
    let mut kernel = Kernel::of_program(&program, &launch.entry, &sizes);
    kernel.header.registers = registers(&program, launch.block)?;
    Cubin::of_kernels(vec![kernel]).write()
}

/// The number of registers of a thread: as stated, or fewer if the program names fewer, since a block of many threads does not get
/// the 255 of a program that states none. A thread cannot tell.
fn registers(program: &Program, block: [u32; 3]) -> Result<u16, String> {
    let operands = program.statements.iter().flat_map(|statement| statement.instruction.operands.iter());
    let named = operands.filter_map(|operand| match operand {
        Operand::Register(register) | Operand::Indirect { base: register, .. } => Some(*register),
        Operand::Address { base, .. } => Some(*base),
        _ => None,
    });
    let highest =
        named.filter(|register| *register != Register::RZ).map(|register| u32::from(register.0)).max();
    let used = highest.map_or(1, |highest| highest + 1 + FOLLOWING);
    let stated = u32::from(program.header.registers).max(1);
    let registers = stated.min(used);
    let threads = block.iter().map(|n| u64::from(*n)).product::<u64>().max(1);
    let taken = u64::from(registers.next_multiple_of(UNIT)) * threads;
    if taken > u64::from(REGISTERS) {
        return Err(format!(
            "its {threads} threads need {taken} registers with {registers} each, a block has {REGISTERS}"
        ));
    }
    Ok(registers as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpdiff_model::Argument;

    fn launch(program: &str, block: u32) -> Launch {
        Launch {
            block: [block, 1, 1],
            arguments: vec![Argument::Value(vec![0; 4]), Argument::Buffer { index: 0, offset: 0 }],
            ..Launch::new(program.into(), "main")
        }
    }

    #[test]
    fn a_program_becomes_a_cubin_with_its_words_and_resources() {
        let text = ".spa 5.0\n.shared 16\n.local 8\nMOV R4, c[0x0][0x148]; LDS R0, [RZ] &wr=0 ?WAIT2;\nSTG.E [R4], R0 &req={0} ?WAIT1; EXIT ?WAIT15;";
        let cubin = Cubin::read(&cubin(&launch(text, 32)).unwrap()).unwrap();
        let kernel = cubin.kernel("main").unwrap();
        let program = warpdiff_sass::compile(text, &Header::default()).unwrap();
        assert_eq!((cubin.architecture, &kernel.words), (50, &program.words()));
        assert_eq!((kernel.header.shared, kernel.header.local, kernel.header.registers), (16, 8, 12));
        let places: Vec<_> = kernel.parameters.iter().map(|it| (it.offset, it.size)).collect();
        assert_eq!(places, [(0, 4), (8, 8)]);
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let error = |text: &str, block| cubin(&launch(text, block)).unwrap_err();
        assert!(error(".spa 5.0\n.shared 65536\nEXIT;", 1).contains("at most 49152"));
        assert!(error(".spa 5.0\n.local 1048576\nEXIT;", 1).contains("at most 524288"));
        assert!(error(".spa 5.0\nMOV R250, RZ; EXIT;", 1024).contains("a block has 65536"));
        assert!(cubin(&launch(".spa 5.0\nMOV R20, RZ; EXIT;", 1024)).is_ok());
    }

    #[test]
    fn capabilities_of_spa_5_0() {
        assert!([50, 52, 53].map(runs_spa) == [true; 3]);
        assert!([61, 90, 5, 500].map(runs_spa) == [false; 4]);
        assert!(is_spa_device(&BTreeMap::from([("sm".to_owned(), "52".to_owned())])));
        assert!(!is_spa_device(&BTreeMap::new()));
    }
}

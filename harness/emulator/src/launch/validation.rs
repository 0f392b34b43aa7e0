//! Whether a launch fits its kernel (grid, arguments, memory, textures), and the errors if not.

use thiserror::Error;
use warpdiff_model::{Buffer, Launch, Surface};
use warpdiff_ptx::checked::{Function, Variable};
use warpdiff_ptx::vocabulary::Space;

use crate::address_space::slots;
use crate::decoded::Decoded;
use crate::program::Program;
use crate::registers::LANES;

/// Maximum number of threads of a block.
const THREADS_LIMIT: u64 = 1024;
/// Maximum number of threads of a launch.
const GRID_LIMIT: u64 = 1 << 24;
/// Maximum shared memory of a block in bytes: 227 KiB, the largest limit of any device.
const SHARED_LIMIT: u64 = 227 << 10;
/// The same for a program of SPA 5.0: its window. "The allocated per-CTA Shared sizes are set by the driver."
const SHARED_WINDOW: u64 = 16 << 20;
/// Maximum bytes of registers and local memory, shadows included, of all started blocks together; a single block may always use up
/// to this amount.
pub(crate) const BLOCK_MEMORY_LIMIT: u64 = 1 << 30;

/// Reason why a launch cannot begin, as a lowercase fragment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct LaunchError(pub(crate) String);

pub(crate) fn error<T>(message: impl Into<String>) -> Result<T, LaunchError> {
    Err(LaunchError(message.into()))
}

/// The index of the kernel with this name; a program of SPA 5.0 has one kernel, which matches every name.
///
/// # Errors
/// If there is no such kernel.
pub(crate) fn find_kernel(program: &Program, name: &str) -> Result<usize, LaunchError> {
    let is_it = |f: &Function| (f.name == name || program.is_spa()) && f.entry && !f.external;
    let found = program.module().functions.iter().position(is_it);
    found.ok_or_else(|| LaunchError(format!("no kernel is called `{name}`")))
}

/// Threads of the whole launch.
pub(crate) fn threads(launch: &Launch) -> u64 {
    launch.grid.iter().chain(&launch.block).fold(1u64, |all, n| all.saturating_mul(u64::from(*n)))
}

/// Checks grid, block and shared memory of a launch of `function`, whose declaration may demand a block of some shape.
pub(crate) fn check_dimensions(
    function: &Function,
    code: &Decoded,
    launch: &Launch,
    is_spa: bool,
) -> Result<(), LaunchError> {
    let [bx, by, bz] = launch.block;
    if launch.grid.contains(&0) || launch.block.contains(&0) {
        return error("a dimension of the grid or block is zero");
    }
    let block = u64::from(bx) * u64::from(by) * u64::from(bz);
    if block > THREADS_LIMIT || bz > 64 {
        return error(format!("a block of {bx} x {by} x {bz} threads is too large"));
    }
    let [gx, gy, gz] = launch.grid;
    if gx > i32::MAX as u32 || gy > 65535 || gz > 65535 {
        return error(format!("a grid of {gx} x {gy} x {gz} blocks is too large"));
    }
    if threads(launch) > GRID_LIMIT {
        return error(format!("more than {GRID_LIMIT} threads cannot be emulated"));
    }
    if function.required_threads.is_some_and(|required| required != launch.block) {
        return error("the block is not the one that `.reqntid` requires");
    }
    let most = function.max_threads.map(|most| most.iter().map(|n| u64::from(*n)).product::<u64>());
    if most.is_some_and(|most| block > most) {
        return error("the block has more threads than `.maxntid` allows");
    }
    let shared = code.shared_size(launch.dynamic_shared);
    if shared > if is_spa { SHARED_WINDOW } else { SHARED_LIMIT } {
        return error(format!("{shared} bytes of shared memory are too many"));
    }
    Ok(())
}

/// Bytes of a block's registers and local memory, as far as known before it runs.
pub(crate) fn block_memory(entry: usize, code: &Decoded, launch: &Launch, tracked: bool) -> u64 {
    let info = &code.functions[entry];
    let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
    let registers = code.constants.sizes().plus(info.registers).bytes(tracked);
    let local = u64::from(info.frame_size) * if tracked { 2 } else { 1 };
    threads.div_ceil(LANES as u64) * registers + threads * local
}

/// Checks that a block of a launch fits in the memory that the emulator sets aside.
pub(crate) fn check_memory(
    entry: usize,
    code: &Decoded,
    launch: &Launch,
    tracked: bool,
) -> Result<(), LaunchError> {
    let needed = block_memory(entry, code, launch, tracked);
    if needed > BLOCK_MEMORY_LIMIT {
        let (needed, most) = (needed.div_ceil(1 << 20), BLOCK_MEMORY_LIMIT >> 20);
        return error(format!(
            "registers and local memory of a block of {} threads take {needed} MiB, more than {most} MiB",
            launch.block.iter().map(|n| u64::from(*n)).product::<u64>()
        ));
    }
    Ok(())
}

/// Checks that a buffer can be placed in its slot.
pub(super) fn check_buffer(buffer: &Buffer, slot: usize) -> Result<(), LaunchError> {
    if u64::from(buffer.guard) >= slots::DATA || buffer.bytes.len() as u64 >= 1 << 31 {
        return error(format!("buffer `{}` is too large", buffer.name));
    }
    if !buffer.defined.is_empty() && buffer.defined.len() != buffer.bytes.len() {
        return error(format!("the mask of buffer `{}` has not its size", buffer.name));
    }
    if slot as u64 + slots::FIRST >= slots::LIMIT {
        return error("too many buffers");
    }
    Ok(())
}

/// Checks that a surface has the bytes of its shape.
pub(super) fn check_surface(surface: &Surface) -> Result<(), LaunchError> {
    let (name, size) = (&surface.name, surface.size());
    match surface.bytes.len() as u64 == size {
        true => Ok(()),
        false => error(format!("surface `{name}` has not the {size} bytes of its shape")),
    }
}

/// Checks that a variable fits in a slot.
pub(super) fn check_variable(variable: &Variable) -> Result<(), LaunchError> {
    match variable.size < 1 << 31 {
        true => Ok(()),
        false => error(format!("variable `{}` is too large", variable.name)),
    }
}

/// Checks that an argument names one of `len` things.
pub(super) fn check_index(index: usize, len: usize, what: &str) -> Result<(), LaunchError> {
    if index < len { Ok(()) } else { error(format!("{what} {index} of {len}")) }
}

/// Checks that each variable the launch observes is observable.
pub(super) fn check_observed(program: &Program, launch: &Launch) -> Result<(), LaunchError> {
    let known = |name: &String| {
        let variables = &program.module().variables;
        variables
            .iter()
            .any(|v| v.scope.is_none() && v.space == Space::Global && v.name == *name && !v.ty.is_opaque())
    };
    match launch.observed_variables.iter().find(|name| !known(name)) {
        Some(name) => error(format!("the module has no global variable `{name}`")),
        None => Ok(()),
    }
}

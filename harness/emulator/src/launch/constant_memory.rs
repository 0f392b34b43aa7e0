//! The constant memory of a launch of machine code: its banks with what a driver fills in.

use warpdiff_model::Launch;
use warpdiff_ptx::checked::{Parameter, RelocationSymbol};

use crate::address_space::slots;
use crate::decoded::{Decoded, VariablePlace};
use crate::machine_code::{Banks, PARAMETERS};
use crate::memory::Allocation;

/// Offsets in constant bank 0 of sm_50, as the code of ptxas reads them: the addresses at which the windows of shared and local
/// memory begin; the block and the grid, x first; the end of a thread's local memory, where its stack begins, growing down; the
/// address of the user's `.const` variables; the bytes of dynamic shared memory.
const SHARED_WINDOW: usize = 0x0;
const LOCAL_WINDOW: usize = 0x4;
const BLOCK: usize = 0x8;
const GRID: usize = 0x14;
const STACK: usize = 0x20;
const CONSTANTS: usize = 0xd0;
const DYNAMIC_SHARED: usize = 0xfc;

/// The constant memory of a launch. `arguments` is its parameter block; bytes outside every parameter and every field that is known
/// are undefined.
pub(super) fn constant_memory(
    banks: &Banks,
    code: &Decoded,
    launch: &Launch,
    arguments: &Allocation,
    formal: &[Parameter],
    tracked: bool,
) -> Allocation {
    let first = PARAMETERS as usize;
    // A constant bank is read by words.
    let end = (first + arguments.data.len()).next_multiple_of(4);
    let mut memory = Allocation::zeroed(end.max(banks.contents.len()), tracked);
    memory.data[..banks.contents.len()].copy_from_slice(&banks.contents);
    memory.set_undefined_bytes(0, end);
    fill_in(&mut memory, code, launch, banks, tracked);
    for parameter in formal.iter().filter(|parameter| !parameter.ty.is_opaque()) {
        let (offset, size) = (parameter.offset as usize, parameter.size as usize);
        let place = first + offset;
        memory.data[place..place + size].copy_from_slice(&arguments.data[offset..offset + size]);
        for n in 0..if tracked { size } else { 0 } {
            memory.set_undefined(place + n, 1, arguments.undefined(offset + n, 1));
            memory.set_unordered(place + n, 1, arguments.unordered(offset + n, 1));
            memory.set_unfixed(place + n, 1, arguments.unfixed(offset + n, 1));
        }
    }
    for (place, address) in &banks.addresses {
        let base = match address.symbol {
            RelocationSymbol::Function(id) => Decoded::function_address(id),
            RelocationSymbol::Variable(id) => match code.variables[id.0 as usize] {
                VariablePlace::Const { offset, .. } if !address.generic => u64::from(offset),
                VariablePlace::Const { address, .. } | VariablePlace::Global { address } => address,
                _ => 0,
            },
        };
        let value = base.wrapping_add(address.addend as u64) >> address.shift;
        put(&mut memory, *place as usize, address.width, value, tracked.then_some(u64::MAX));
    }
    for (place, object) in &banks.handles {
        // Machine code reads the lower half alone.
        let handle = object.handle() & u64::from(u32::MAX);
        let place = *place as usize;
        put(&mut memory, place, 4, handle, None);
        if tracked {
            memory.set_unordered(place, 4, u64::MAX);
        }
    }
    memory
}

/// Writes the fields of bank 0 that a driver fills in.
fn fill_in(memory: &mut Allocation, code: &Decoded, launch: &Launch, banks: &Banks, tracked: bool) {
    let unfixed = tracked.then_some(u64::MAX);
    put(memory, SHARED_WINDOW, 4, slots::spa::SHARED_WINDOW, unfixed);
    put(memory, LOCAL_WINDOW, 4, slots::spa::LOCAL_WINDOW, unfixed);
    for n in 0..3 {
        put(memory, BLOCK + 4 * n, 4, launch.block[n].into(), None);
        put(memory, GRID + 4 * n, 4, launch.grid[n].into(), None);
    }
    put(memory, STACK, 4, code.functions[0].frame_size.into(), None);
    put(memory, DYNAMIC_SHARED, 4, launch.dynamic_shared.into(), None);
    if let Some(id) = banks.constants
        && let VariablePlace::Const { address, .. } = code.variables[id.0 as usize]
    {
        put(memory, CONSTANTS, 8, address, unfixed);
    }
}

/// Writes a defined number, some bits of which may depend on the implementation.
fn put(memory: &mut Allocation, place: usize, size: usize, value: u64, unfixed: Option<u64>) {
    memory.write(place, size, value);
    memory.set_undefined(place, size, 0);
    if let Some(bits) = unfixed {
        memory.set_unfixed(place, size, bits);
    }
}

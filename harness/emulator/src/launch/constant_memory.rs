//! The constant memory of a launch of machine code: its banks with what a driver fills in.

use warpdiff_model::{Argument, Launch};
use warpdiff_ptx::checked::{Parameter, RelocationSymbol};

use crate::address_space::slots;
use crate::decoded::{Decoded, VariablePlace};
use crate::launch::descriptors::TableAddresses;
use crate::memory::Allocation;
use warpdiff_linker::{Banks, PARAMETERS};
use warpdiff_semantics::opaque::{Named, OpaqueArgument, OpaqueBindings};

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

/// Machine code with what a launch binds.
pub(crate) struct BoundCode<'l> {
    pub(crate) banks: &'l Banks,
    pub(crate) code: &'l Decoded,
    pub(crate) launch: &'l Launch,
    pub(crate) formal: &'l [Parameter],
    pub(crate) opaque: &'l OpaqueBindings,
    pub(crate) tables: TableAddresses,
}

impl BoundCode<'_> {
    /// The constant memory of the launch. `arguments` is its parameter block; bytes outside every parameter and every field that is
    /// known are undefined.
    pub(crate) fn constant_memory(&self, arguments: &Allocation, tracked: bool) -> Allocation {
        let first = PARAMETERS as usize;
        let contents = &self.banks.contents;
        // A constant bank is read by words.
        let end = (first + arguments.data.len()).next_multiple_of(4);
        let mut memory = Allocation::zeroed(end.max(contents.len()), tracked);
        memory.data[..contents.len()].copy_from_slice(contents);
        memory.set_undefined_bytes(0, end);
        let mut memory = Writer { memory, unfixed: if tracked { u64::MAX } else { 0 } };
        self.fill_in(&mut memory);
        self.put_arguments(&mut memory, arguments, tracked);
        for (place, address) in &self.banks.addresses {
            let base = match address.symbol {
                RelocationSymbol::Function(id) => Decoded::function_address(id),
                RelocationSymbol::Variable(id) => match self.code.variables[id.0 as usize] {
                    VariablePlace::Const { offset, .. } if !address.generic => u64::from(offset),
                    VariablePlace::Const { address, .. } | VariablePlace::Global { address } => address,
                    _ => 0,
                },
            };
            let value = base.wrapping_add(address.addend as u64) >> address.shift;
            memory.put_unfixed(*place as usize, address.width, value);
        }
        for (place, object) in &self.banks.handles {
            // The handle of a texture and that of its sampler share a word.
            let place = *place as usize;
            let other = memory.memory.read(place, 4);
            memory.put_unfixed(place, 4, other | u64::from(self.handle(*object)));
        }
        memory.memory
    }

    /// The handle of an object.
    fn handle(&self, object: Named) -> u32 {
        let headers = &self.opaque.headers;
        let is_sampler = match object {
            Named::Sampler(_) => true,
            Named::Parameter(position) => {
                matches!(self.opaque.parameters.get(position), Some(Some(OpaqueArgument::Sampler(_))))
            }
            _ => false,
        };
        if is_sampler { headers.sampler_handle(object) } else { headers.handle(object) }
    }

    fn put_arguments(&self, memory: &mut Writer, arguments: &Allocation, tracked: bool) {
        for (parameter, argument) in self.formal.iter().zip(&self.launch.arguments) {
            if parameter.ty.is_opaque() {
                continue;
            }
            let (offset, size) = (parameter.offset as usize, parameter.size as usize);
            let place = PARAMETERS as usize + offset;
            let object = match argument {
                Argument::Surface { index } => Some(*index),
                Argument::Texture { index } => Some(self.launch.surfaces.len() + *index),
                _ => None,
            };
            if let Some(index) = object {
                memory.put_unfixed(place, size.min(8), self.handle(Named::Object(index)).into());
                continue;
            }
            let memory = &mut memory.memory;
            memory.data[place..place + size].copy_from_slice(&arguments.data[offset..offset + size]);
            for n in 0..if tracked { size } else { 0 } {
                memory.set_undefined(place + n, 1, arguments.undefined(offset + n, 1));
                memory.set_unfixed(place + n, 1, arguments.unfixed(offset + n, 1));
            }
        }
    }

    /// Writes the fields of bank 0 that a driver fills in.
    fn fill_in(&self, memory: &mut Writer) {
        memory.put_unfixed(SHARED_WINDOW, 4, slots::spa::SHARED_WINDOW);
        memory.put_unfixed(LOCAL_WINDOW, 4, slots::spa::LOCAL_WINDOW);
        for n in 0..3 {
            memory.put(BLOCK + 4 * n, 4, self.launch.block[n].into());
            memory.put(GRID + 4 * n, 4, self.launch.grid[n].into());
        }
        memory.put(STACK, 4, self.code.functions[0].frame_size.into());
        memory.put(DYNAMIC_SHARED, 4, self.launch.dynamic_shared.into());
        if let Some(id) = self.banks.constants
            && let VariablePlace::Const { address, .. } = self.code.variables[id.0 as usize]
        {
            memory.put_unfixed(CONSTANTS, 8, address);
        }
        for (place, address) in self.tables.tables.iter().filter(|(place, _)| *place != 0) {
            memory.put_unfixed(*place, 8, *address);
        }
    }
}

/// Constant memory while it is filled.
struct Writer {
    memory: Allocation,
    /// The bits of a number that count as depending on the implementation; none in an untracked run.
    unfixed: u64,
}

impl Writer {
    /// Writes a defined number.
    fn put(&mut self, place: usize, size: usize, value: u64) {
        self.memory.write(place, size, value);
        self.memory.set_undefined(place, size, 0);
    }

    /// Writes a number that another implementation may choose otherwise.
    fn put_unfixed(&mut self, place: usize, size: usize, value: u64) {
        self.put(place, size, value);
        if self.unfixed != 0 {
            self.memory.set_unfixed(place, size, self.unfixed);
        }
    }
}

//! Managed memory, which has the same address on host and device: its pages, and the `.managed` variables of a module.
//!
//! The emulated device keeps its memory in vectors, under addresses of its own. Managed memory also has a mapping in the process at
//! its device address. The two are synchronised before and after all work on the device, as mapped host memory is. The host does
//! not see stores of a running kernel, as on devices without concurrent managed access.

use warpdiff_emulator::device::Loaded;

use crate::abi::DevicePointer;
use crate::driver::{ContextId, Driver};
use crate::mapping;
use crate::remark::report;
use crate::result::{self, CallResult};

/// Size of a page in bytes; mappings are multiples of it.
const PAGE: u64 = 4096;

/// A mapping of zeros at an address of the device.
pub(crate) struct Pages {
    address: DevicePointer,
    /// Used bytes.
    size: usize,
    /// Mapped bytes.
    mapped: usize,
    pub(crate) context: ContextId,
}

impl Pages {
    /// Maps `size` bytes at `address`, a multiple of [`PAGE`], where nothing else is.
    fn map(address: DevicePointer, size: u64, context: ContextId) -> CallResult<Self> {
        let mapped = size.max(1).next_multiple_of(PAGE) as usize;
        if let Err(why) = mapping::map(address, mapped) {
            report(&format!("managed memory cannot be mapped at its device address {address:#x}: {why}"));
            return Err(result::ERROR_OUT_OF_MEMORY);
        }
        Ok(Self { address, size: size as usize, mapped, context })
    }

    /// The host's bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping has that many bytes, all initialised. What the client writes meanwhile, from another thread, is its
        // race.
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.size) }
    }

    /// The host's bytes, for writing.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has that many bytes, all initialised, and is lent by `&mut` to this caller alone.
        unsafe { std::slice::from_raw_parts_mut(self.address as *mut u8, self.size) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map`, and nothing of it is lent out longer than this.
        unsafe { mapping::unmap(self.address, self.mapped) };
    }
}

impl Driver {
    /// Maps device memory into the process.
    pub(crate) fn manage(&mut self, context: ContextId, address: DevicePointer, size: u64) -> CallResult {
        let mut pages = Pages::map(address, size, context)?;
        let held = self.device.bytes(address, pages.size).ok_or(result::ERROR_INVALID_VALUE)?;
        pages.bytes_mut().copy_from_slice(held);
        self.managed.insert(address, pages);
        Ok(())
    }

    /// Maps the `.managed` variables of a module into the process; on failure none of them.
    pub(crate) fn manage_variables(&mut self, context: ContextId, loaded: &Loaded) -> CallResult {
        let variables = loaded.variables();
        let managed = variables.iter().filter(|variable| variable.managed && variable.size > 0);
        for variable in managed.clone() {
            if let Err(code) = self.manage(context, variable.address, variable.size) {
                managed.for_each(|variable| self.unmanage(variable.address));
                return Err(code);
            }
        }
        Ok(())
    }

    /// Unmaps the managed memory at an address, if there is any.
    pub(crate) fn unmanage(&mut self, address: DevicePointer) {
        self.managed.remove(&address);
    }
}

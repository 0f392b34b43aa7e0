//! Managed memory: bytes that host and device reach by the same address.
//!
//! The emulated device keeps its memory in vectors, under addresses of its own. Of managed memory there is besides a mapping in the
//! process at the very address that it has on the device; both are made equal before and after everything that the device does,
//! as mapped host memory is. While a kernel runs the host cannot see what it does, as on devices without concurrent managed access.

use std::ffi::c_void;

use warpdiff_emulator::device::Loaded;

use crate::abi::DevicePointer;
use crate::driver::{ContextId, Driver};
use crate::remark::report;
use crate::result::{self, Answer};

/// Bytes of a page, to multiples of which mappings are made.
const PAGE: u64 = 4096;

/// A mapping of zeros at an address of the device.
pub(crate) struct Pages {
    address: DevicePointer,
    /// Bytes that are used.
    size: usize,
    /// Bytes that are mapped.
    mapped: usize,
    pub(crate) context: ContextId,
}

impl Pages {
    /// Maps `size` bytes at `address`, a multiple of [`PAGE`], where nothing else is.
    fn map(address: DevicePointer, size: u64, context: ContextId) -> Answer<Self> {
        let mapped = size.max(1).next_multiple_of(PAGE) as usize;
        let wanted = usize::try_from(address).map_err(|_| result::ERROR_OUT_OF_MEMORY)? as *mut c_void;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: a new mapping, which replaces none (MAP_FIXED_NOREPLACE).
        let found = unsafe { libc::mmap(wanted, mapped, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if found == libc::MAP_FAILED {
            report(&format!("managed memory cannot be mapped at {address:#x}, where the device has it"));
            return Err(result::ERROR_OUT_OF_MEMORY);
        }
        let pages = Self { address: found as u64, size: size as usize, mapped, context };
        // A kernel that does not know the flag takes the address for a hint.
        if found != wanted {
            report(&format!("managed memory was mapped elsewhere than at {address:#x}"));
            return Err(result::ERROR_OUT_OF_MEMORY);
        }
        Ok(pages)
    }

    /// What the host has there.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping has that many bytes, all initialised. What the client writes meanwhile, from another thread, is its race.
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.size) }
    }

    /// What the host has there, to be written.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has that many bytes, all initialised, and is lent by `&mut` to this caller alone.
        unsafe { std::slice::from_raw_parts_mut(self.address as *mut u8, self.size) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map`, and nothing of it is lent out longer than this.
        unsafe { libc::munmap(self.address as *mut c_void, self.mapped) };
    }
}

impl Driver {
    /// Lets the host reach memory of the device by its address.
    pub(crate) fn manage(&mut self, context: ContextId, address: DevicePointer, size: u64) -> Answer {
        let mut pages = Pages::map(address, size, context)?;
        let held = self.device.bytes(address, pages.size).ok_or(result::ERROR_INVALID_VALUE)?;
        pages.bytes_mut().copy_from_slice(held);
        self.managed.insert(address, pages);
        Ok(())
    }

    /// Lets the host reach the `.managed` variables of a module. Of a failure none is left.
    pub(crate) fn manage_variables(&mut self, context: ContextId, loaded: &Loaded) -> Answer {
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

    /// Takes managed memory away from the host, if there is any at the address.
    pub(crate) fn unmanage(&mut self, address: DevicePointer) {
        self.managed.remove(&address);
    }
}

//! Maps memory of this process at addresses of the emulated device.

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{map, unmap};
#[cfg(target_os = "linux")]
pub(crate) use linux::{map, unmap};

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::c_void;
    use std::io;

    /// Maps zeros, as many bytes as are stated, at an address, a multiple of the size of a page, where nothing else is.
    pub(crate) fn map(address: u64, size: usize) -> Result<(), String> {
        let wanted = usize::try_from(address).map_err(|error| error.to_string())? as *mut c_void;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: a new mapping, which replaces none (MAP_FIXED_NOREPLACE).
        let found = unsafe { libc::mmap(wanted, size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if found == libc::MAP_FAILED {
            return Err(io::Error::last_os_error().to_string());
        }
        // A kernel that does not know the flag takes the address for a hint.
        if found != wanted {
            // SAFETY: the mapping was just made, and nobody knows of it.
            unsafe { libc::munmap(found, size) };
            return Err("the kernel mapped it elsewhere".into());
        }
        Ok(())
    }

    /// Removes a mapping.
    ///
    /// # Safety
    /// [`map`] made it, and nothing refers to it.
    pub(crate) unsafe fn unmap(address: u64, size: usize) {
        // SAFETY: by the contract of this function.
        unsafe { libc::munmap(address as *mut c_void, size) };
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    /// Says that there is no managed memory here.
    pub(crate) fn map(_address: u64, _size: usize) -> Result<(), String> {
        Err("needs Linux: memory mapped at an address that was chosen before".into())
    }

    /// Nothing was mapped.
    ///
    /// # Safety
    /// None is needed.
    pub(crate) unsafe fn unmap(_address: u64, _size: usize) {}
}

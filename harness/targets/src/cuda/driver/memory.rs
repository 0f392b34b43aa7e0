//! Memory: of the device, of the host where the device works on it in place, and what both reach.

use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

use cudarc::driver::sys::CUdeviceptr;

use super::{CallResult, DevicePointer, Driver, Module};
use crate::cuda::result::Refusal;

/// `CU_MEMHOSTALLOC_DEVICEMAP`
const HOST_ALLOC_DEVICE_MAP: c_uint = 2;

/// Memory of the host that the device works on in place, so that what was stored there is seen even after a fault.
#[derive(Debug)]
pub(in crate::cuda) struct Mapped {
    host: *mut u8,
    bytes: usize,
    /// Its address on the device.
    pub(in crate::cuda) device: DevicePointer,
}

/// Memory that host and device reach by the same address: a `.managed` variable of a loaded module. Where the library says that
/// there is such memory and the host cannot reach it, this process dies of it, and is known to have died of this launch.
#[derive(Debug)]
pub(in crate::cuda) struct Managed {
    host: *mut u8,
    bytes: usize,
}

impl Driver {
    /// Allocates device memory, aligned to at least 256 bytes.
    pub(in crate::cuda) fn allocate(&self, bytes: usize) -> CallResult<DevicePointer> {
        let mut address: CUdeviceptr = 0;
        // SAFETY: `address` is a valid place.
        unsafe { call!(self.cuMemAlloc_v2(&mut address, bytes)) }?;
        Ok(address)
    }

    /// Frees what [`Driver::allocate`] gave.
    pub(in crate::cuda) fn free(&self, address: DevicePointer) -> CallResult {
        // SAFETY: device memory cannot be reached from here but by calls, which the library checks.
        unsafe { call!(self.cuMemFree_v2(address)) }
    }

    /// Allocates memory of the host that the device works on in place.
    pub(in crate::cuda) fn map(&self, bytes: usize) -> CallResult<Mapped> {
        let mut host: *mut c_void = null_mut();
        // SAFETY: `host` is a valid place; the rest are numbers.
        unsafe { call!(self.cuMemHostAlloc(&mut host, bytes, HOST_ALLOC_DEVICE_MAP)) }?;
        if host.is_null() {
            return Err(Refusal::Nonsense("cuMemHostAlloc succeeds but returns no memory".into()));
        }
        let mut mapped = Mapped { host: host.cast(), bytes, device: 0 };
        // SAFETY: the place is valid, and the memory was just allocated.
        let found = unsafe { call!(self.cuMemHostGetDevicePointer_v2(&mut mapped.device, host, 0)) };
        match found {
            Ok(()) => Ok(mapped),
            Err(refusal) => {
                let _ = self.unmap(&mapped);
                Err(refusal)
            }
        }
    }

    /// Frees what [`Driver::map`] gave, which must not be used any more.
    pub(in crate::cuda) fn unmap(&self, mapped: &Mapped) -> CallResult {
        // SAFETY: the memory was given by `cuMemHostAlloc`, and `Mapped` lends nothing out of it.
        unsafe { call!(self.cuMemFreeHost(mapped.host.cast())) }
    }

    /// Writes device memory.
    pub(in crate::cuda) fn upload(&self, address: DevicePointer, bytes: &[u8]) -> CallResult {
        // SAFETY: the slice is readable for its length; the address is the library's to check.
        unsafe { call!(self.cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len())) }
    }

    /// Reads device memory.
    pub(in crate::cuda) fn download(&self, address: DevicePointer, bytes: usize) -> CallResult<Vec<u8>> {
        let mut read = vec![0u8; bytes];
        // SAFETY: the vector is writable for its length; the address is the library's to check.
        unsafe { call!(self.cuMemcpyDtoH_v2(read.as_mut_ptr().cast(), address, bytes)) }?;
        Ok(read)
    }

    /// The memory of a `.managed` variable of a module, of so many bytes, as the host reaches it.
    pub(in crate::cuda) fn managed(&self, module: Module, name: &str, bytes: usize) -> CallResult<Managed> {
        let (address, size) = self.variable(module, name)?;
        if size != bytes {
            return Err(Refusal::of_size(name, size));
        }
        if address == 0 {
            return Err(Refusal::Nonsense(format!(
                "cuModuleGetGlobal succeeds but returns no address for `{name}`"
            )));
        }
        Ok(Managed { host: address as *mut u8, bytes })
    }
}

impl Mapped {
    /// Writes the beginning of it. Nothing may run on the device.
    pub(in crate::cuda) fn write(&mut self, bytes: &[u8]) {
        let count = bytes.len().min(self.bytes);
        // SAFETY: there are that many bytes at both, and memory of the library does not overlap with the slice.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.host, count) };
    }

    /// A copy of all of it. Nothing may run on the device.
    pub(in crate::cuda) fn read(&self) -> Vec<u8> {
        // SAFETY: the memory has that many bytes, all of which `cuMemHostAlloc` or a kernel has written, and nobody writes
        // while the device is idle.
        unsafe { std::slice::from_raw_parts(self.host, self.bytes) }.to_vec()
    }
}

impl Managed {
    /// Writes all of it. Nothing may run on the device.
    pub(in crate::cuda) fn write(&mut self, bytes: &[u8]) {
        let count = bytes.len().min(self.bytes);
        // SAFETY: the library says that the variable has that many bytes; memory of the library does not overlap with the slice.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.host, count) };
    }

    /// A copy of all of it. Nothing may run on the device.
    pub(in crate::cuda) fn read(&self) -> Vec<u8> {
        // SAFETY: as above. All of it was initialised when the module was loaded, and nobody writes while the device is idle.
        unsafe { std::slice::from_raw_parts(self.host, self.bytes) }.to_vec()
    }
}

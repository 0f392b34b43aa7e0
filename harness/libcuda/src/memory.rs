//! `cuMemAlloc*`, `cuMemHost*`, `cuMemset*`: device memory, mapped host memory, and linear fills.

use std::ffi::c_void;

use crate::abi::{DevicePointer, Handle};
use crate::boundary::{current, entries};
use crate::driver::{Allocation, ContextId, Driver, HostMemory, MEMORY, zeroed};
use crate::pointer::{Out, put_host_bytes};
use crate::remark::unsupported;
use crate::result::{self, CallResult};

/// Rows of a pitched allocation begin at multiples of this.
const PITCH: usize = 512;

fn allocate(driver: &mut Driver, context: ContextId, size: usize) -> CallResult<DevicePointer> {
    if size == 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    if (size as u64).saturating_add(driver.memory_used()) > MEMORY {
        return Err(result::ERROR_OUT_OF_MEMORY);
    }
    let bytes = zeroed(size).ok_or(result::ERROR_OUT_OF_MEMORY)?;
    let address = driver.device.allocate(bytes).ok_or(result::ERROR_OUT_OF_MEMORY)?;
    driver.allocations.insert(address, Allocation { context, size: size as u64 });
    Ok(address)
}

fn free(driver: &mut Driver, address: DevicePointer) -> CallResult {
    // "If dptr is NULL, no operation is performed."
    if address == 0 {
        return Ok(());
    }
    driver.allocations.remove(&address).ok_or(result::ERROR_INVALID_VALUE)?;
    driver.unmanage(address);
    driver.device.free(address);
    Ok(())
}

fn allocate_host(
    driver: &mut Driver,
    context: ContextId,
    size: usize,
    flags: u32,
) -> CallResult<*mut c_void> {
    if size == 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let mut owned = zeroed(size).ok_or(result::ERROR_OUT_OF_MEMORY)?.into_boxed_slice();
    let pointer = owned.as_mut_ptr();
    map_host(driver, context, pointer as usize, size, flags, Some(owned))?;
    Ok(pointer.cast())
}

fn map_host(
    driver: &mut Driver,
    context: ContextId,
    address: usize,
    size: usize,
    flags: u32,
    owned: Option<Box<[u8]>>,
) -> CallResult {
    let copy = zeroed(size).ok_or(result::ERROR_OUT_OF_MEMORY)?;
    let device = driver.device.allocate(copy).ok_or(result::ERROR_OUT_OF_MEMORY)?;
    driver.host_memory.insert(address, HostMemory { context, size, device, flags, owned });
    Ok(())
}

/// The mapped host memory that holds an address, and the offset in it.
fn mapped(driver: &Driver, pointer: *const c_void) -> CallResult<(&HostMemory, usize)> {
    let address = pointer as usize;
    let (start, memory) =
        driver.host_memory.range(..=address).next_back().ok_or(result::ERROR_INVALID_VALUE)?;
    let offset = address - start;
    if offset < memory.size { Ok((memory, offset)) } else { Err(result::ERROR_INVALID_VALUE) }
}

/// Fills `rows` rows of `count` elements with the bytes of an element. Addresses must be multiples of its size.
fn fill(
    driver: &mut Driver,
    address: DevicePointer,
    pitch: usize,
    element: &[u8],
    count: usize,
    rows: usize,
) -> CallResult {
    let width = element.len();
    let aligned = address.is_multiple_of(width as u64) && (rows <= 1 || pitch.is_multiple_of(width));
    let row = count.checked_mul(width).filter(|row| aligned && (rows <= 1 || *row <= pitch));
    let row = row.ok_or(result::ERROR_INVALID_VALUE)?;
    if row == 0 || rows == 0 {
        return Ok(());
    }
    let all = (rows - 1).checked_mul(pitch).and_then(|start| start.checked_add(row));
    driver.host_to_device();
    all.and_then(|all| driver.device.bytes(address, all)).ok_or(result::ERROR_INVALID_VALUE)?;
    for start in (0..rows).map(|n| address + (n * pitch) as u64) {
        let target = driver.device.bytes_mut(start, row).ok_or(result::ERROR_INVALID_VALUE)?;
        for chunk in target.chunks_exact_mut(width) {
            chunk.copy_from_slice(element);
        }
    }
    driver.device_to_host();
    Ok(())
}

fn fill_linear(address: DevicePointer, element: &[u8], count: usize) -> CallResult {
    current(|driver, _| fill(driver, address, 0, element, count, 1))
}

fn fill_pitched(
    address: DevicePointer,
    pitch: usize,
    element: &[u8],
    count: usize,
    rows: usize,
) -> CallResult {
    current(|driver, _| fill(driver, address, pitch, element, count, rows))
}

fn on_stream(stream: Handle, body: impl FnOnce(&mut Driver) -> CallResult) -> CallResult {
    current(|driver, _| {
        driver.check_stream(stream)?;
        body(driver)
    })
}

entries! {
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        current(|driver, _| {
            free.put(MEMORY.saturating_sub(driver.memory_used()) as usize)?;
            total.put(MEMORY as usize)
        })
    }

    fn cuMemAlloc_v2(out: Out<DevicePointer>, size: usize) {
        current(|driver, context| {
            out.required()?;
            let address = allocate(driver, context, size)?;
            out.put(address)
        })
    }

    fn cuMemAllocAsync(out: Out<DevicePointer>, size: usize, stream: Handle) {
        current(|driver, context| {
            driver.check_stream(stream)?;
            out.required()?;
            let address = allocate(driver, context, size)?;
            out.put(address)
        })
    }

    fn cuMemAllocManaged(out: Out<DevicePointer>, size: usize, flags: u32) {
        current(|driver, context| {
            // CU_MEM_ATTACH_GLOBAL, HOST or SINGLE.
            if out.is_null() || !matches!(flags, 1 | 2 | 4) {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let address = allocate(driver, context, size)?;
            if let Err(code) = driver.manage(context, address, size as u64) {
                free(driver, address)?;
                return Err(code);
            }
            out.put(address)
        })
    }

    fn cuMemAllocPitch_v2(out: Out<DevicePointer>, pitch: Out<usize>, width: usize, height: usize, element: u32) {
        current(|driver, context| {
            if out.is_null() || pitch.is_null() || !matches!(element, 4 | 8 | 16) {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let row = width.checked_next_multiple_of(PITCH).ok_or(result::ERROR_INVALID_VALUE)?;
            let size = row.checked_mul(height).ok_or(result::ERROR_OUT_OF_MEMORY)?;
            let address = allocate(driver, context, size)?;
            pitch.put(row)?;
            out.put(address)
        })
    }

    fn cuMemFree_v2(address: DevicePointer) {
        current(|driver, _| free(driver, address))
    }

    fn cuMemFreeAsync(address: DevicePointer, stream: Handle) {
        on_stream(stream, |driver| free(driver, address))
    }

    fn cuMemGetAddressRange_v2(base: Out<DevicePointer>, size: Out<usize>, address: DevicePointer) {
        current(|driver, _| {
            let (start, len) = driver.device.range(address).ok_or(result::ERROR_NOT_FOUND)?;
            // Either may be left out.
            base.put_if_wanted(start)?;
            size.put_if_wanted(len as usize)
        })
    }

    fn cuMemAllocHost_v2(out: Out<*mut c_void>, size: usize) {
        current(|driver, context| {
            out.required()?;
            let pointer = allocate_host(driver, context, size, 0)?;
            out.put(pointer)
        })
    }

    fn cuMemHostAlloc(out: Out<*mut c_void>, size: usize, flags: u32) {
        current(|driver, context| {
            // CU_MEMHOSTALLOC_PORTABLE, DEVICEMAP, WRITECOMBINED.
            if out.is_null() || flags & !7 != 0 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let pointer = allocate_host(driver, context, size, flags)?;
            out.put(pointer)
        })
    }

    fn cuMemFreeHost(pointer: *mut c_void) {
        current(|driver, _| {
            let owned = driver.host_memory.get(&(pointer as usize)).is_some_and(|memory| memory.owned.is_some());
            if !owned {
                return Err(result::ERROR_INVALID_VALUE);
            }
            if let Some(memory) = driver.host_memory.remove(&(pointer as usize)) {
                driver.device.free(memory.device);
            }
            Ok(())
        })
    }

    fn cuMemHostRegister_v2(pointer: *mut c_void, size: usize, flags: u32) {
        current(|driver, context| {
            // PORTABLE, DEVICEMAP, IOMEMORY (which this is not), READ_ONLY.
            if pointer.is_null() || size == 0 || flags & !0xF != 0 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            if flags & 4 != 0 {
                return Err(result::ERROR_NOT_PERMITTED);
            }
            let start = pointer as usize;
            let end = start.checked_add(size).ok_or(result::ERROR_INVALID_VALUE)?;
            if driver.host_memory.iter().any(|(address, memory)| *address < end && start < address + memory.size) {
                return Err(result::ERROR_HOST_MEMORY_ALREADY_REGISTERED);
            }
            map_host(driver, context, start, size, flags, None)
        })
    }

    fn cuMemHostUnregister(pointer: *mut c_void) {
        current(|driver, _| {
            match driver.host_memory.get(&(pointer as usize)) {
                Some(memory) if memory.owned.is_none() => {}
                _ => return Err(result::ERROR_HOST_MEMORY_NOT_REGISTERED),
            }
            if let Some(memory) = driver.host_memory.remove(&(pointer as usize)) {
                driver.device.free(memory.device);
            }
            Ok(())
        })
    }

    fn cuMemHostGetDevicePointer_v2(out: Out<DevicePointer>, pointer: *mut c_void, flags: u32) {
        current(|driver, _| {
            if flags != 0 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let (memory, offset) = mapped(driver, pointer)?;
            out.put(memory.device + offset as u64)
        })
    }

    fn cuMemHostGetFlags(flags: Out<u32>, pointer: *mut c_void) {
        current(|driver, _| {
            let (memory, _) = mapped(driver, pointer)?;
            flags.put(memory.flags)
        })
    }

    fn cuPointerGetAttribute(data: *mut c_void, attribute: u32, pointer: DevicePointer) {
        current(|driver, _| {
            let (start, size) = driver.device.range(pointer).ok_or(result::ERROR_INVALID_VALUE)?;
            let owner = driver.allocations.get(&start).map(|allocation| allocation.context);
            let on_host = driver.host_memory.iter().find(|(_, memory)| memory.device == start);
            let managed = driver.managed.contains_key(&start);
            // Each is an integer of the size that `cuda.h` gives it, a truth value of one byte.
            let value = match attribute {
                // CONTEXT, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER.
                1 => owner.or(on_host.map(|(_, memory)| memory.context)).unwrap_or(0).to_ne_bytes().to_vec(),
                2 => if on_host.is_some() { 1u32 } else { 2 }.to_ne_bytes().to_vec(),
                3 => pointer.to_ne_bytes().to_vec(),
                4 if managed => pointer.to_ne_bytes().to_vec(),
                4 => match on_host {
                    Some((address, _)) => (*address as u64 + (pointer - start)).to_ne_bytes().to_vec(),
                    None => return Err(result::ERROR_INVALID_VALUE),
                },
                // IS_MANAGED, DEVICE_ORDINAL, RANGE_START_ADDR, RANGE_SIZE, MAPPED.
                8 => vec![u8::from(managed)],
                9 => 0u32.to_ne_bytes().to_vec(),
                11 => start.to_ne_bytes().to_vec(),
                12 => size.to_ne_bytes().to_vec(),
                13 => vec![1],
                _ => return unsupported(&format!("cuPointerGetAttribute of attribute {attribute}")),
            };
            // SAFETY: the client has room for the value of the attribute that it names.
            unsafe { put_host_bytes(data.cast(), &value) }
        })
    }

    fn cuMemsetD8_v2(address: DevicePointer, value: u8, count: usize) {
        fill_linear(address, &[value], count)
    }

    fn cuMemsetD16_v2(address: DevicePointer, value: u16, count: usize) {
        fill_linear(address, &value.to_le_bytes(), count)
    }

    fn cuMemsetD32_v2(address: DevicePointer, value: u32, count: usize) {
        fill_linear(address, &value.to_le_bytes(), count)
    }

    fn cuMemsetD8Async(address: DevicePointer, value: u8, count: usize, stream: Handle) {
        on_stream(stream, |driver| fill(driver, address, 0, &[value], count, 1))
    }

    fn cuMemsetD16Async(address: DevicePointer, value: u16, count: usize, stream: Handle) {
        on_stream(stream, |driver| fill(driver, address, 0, &value.to_le_bytes(), count, 1))
    }

    fn cuMemsetD32Async(address: DevicePointer, value: u32, count: usize, stream: Handle) {
        on_stream(stream, |driver| fill(driver, address, 0, &value.to_le_bytes(), count, 1))
    }

    fn cuMemsetD2D8_v2(address: DevicePointer, pitch: usize, value: u8, width: usize, height: usize) {
        fill_pitched(address, pitch, &[value], width, height)
    }

    fn cuMemsetD2D16_v2(address: DevicePointer, pitch: usize, value: u16, width: usize, height: usize) {
        fill_pitched(address, pitch, &value.to_le_bytes(), width, height)
    }

    fn cuMemsetD2D32_v2(address: DevicePointer, pitch: usize, value: u32, width: usize, height: usize) {
        fill_pitched(address, pitch, &value.to_le_bytes(), width, height)
    }

    fn cuMemsetD2D8Async(address: DevicePointer, pitch: usize, value: u8, width: usize, height: usize, stream: Handle) {
        on_stream(stream, |driver| fill(driver, address, pitch, &[value], width, height))
    }

    fn cuMemsetD2D16Async(address: DevicePointer, pitch: usize, value: u16, width: usize, height: usize, stream: Handle) {
        on_stream(stream, |driver| fill(driver, address, pitch, &value.to_le_bytes(), width, height))
    }

    fn cuMemsetD2D32Async(address: DevicePointer, pitch: usize, value: u32, width: usize, height: usize, stream: Handle) {
        on_stream(stream, |driver| fill(driver, address, pitch, &value.to_le_bytes(), width, height))
    }
}

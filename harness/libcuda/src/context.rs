//! Initialisation, devices and contexts.

use std::ffi::{c_char, c_int, c_void};

use crate::abi::Handle;
use crate::boundary::{
    Answer, current, current_id, entries, get, healthy, initialise, initialised, put, put_text, text,
    unsupported, with_stack,
};
use crate::device::{self, PCI_BUS_ID, UUID};
use crate::driver::{Driver, MEMORY};
use crate::{result, shown};

/// There is one device.
fn check_device(device: c_int) -> Answer {
    if device == 0 { Ok(()) } else { Err(result::ERROR_INVALID_DEVICE) }
}

/// Flags a context may have: scheduling, mapping, local memory, core dumps, synchronous copies.
const CONTEXT_FLAGS: u32 = 0xFF;

fn create(driver: &mut Driver, out: *mut Handle, flags: u32, device: c_int) -> Answer {
    check_device(device)?;
    if out.is_null() || flags & !CONTEXT_FLAGS != 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let id = driver.create_context(flags);
    with_stack(|stack| stack.push(id));
    // SAFETY: checked above.
    unsafe { put(out, id as Handle) }
}

fn known(driver: &Driver, context: Handle) -> Answer<u64> {
    let id = context as u64;
    if driver.contexts.contains_key(&id) { Ok(id) } else { Err(result::ERROR_INVALID_CONTEXT) }
}

fn destroy(driver: &mut Driver, context: Handle) -> Answer {
    let id = known(driver, context)?;
    // "If hctx is current to the calling thread then it will be popped from the current thread's context stack."
    with_stack(|stack| stack.pop_if(|top| *top == id));
    if driver.primary.id == Some(id) {
        driver.primary.id = None;
        driver.primary.count = 0;
    }
    driver.destroy_context(id)
}

entries! {
    fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(result::ERROR_INVALID_VALUE);
        }
        initialise();
        Ok(())
    }

    fn cuDriverGetVersion(version: *mut c_int) {
        let (major, minor) = shown::version();
        unsafe { put(version, (1000 * major + 10 * minor) as c_int) }
    }

    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) {
        initialised(|_| {
            check_device(ordinal)?;
            unsafe { put(device, 0) }
        })
    }

    fn cuDeviceGetCount(count: *mut c_int) {
        initialised(|_| unsafe { put(count, 1) })
    }

    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            unsafe { put_text(name, usize::try_from(len).unwrap_or(0), &device::name()) }.map(drop)
        })
    }

    fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) {
        initialised(|_| {
            check_device(device)?;
            unsafe { put(uuid, UUID) }
        })
    }

    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) {
        initialised(|_| {
            check_device(device)?;
            unsafe { put(uuid, UUID) }
        })
    }

    fn cuDeviceGetPCIBusId(name: *mut c_char, len: c_int, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            unsafe { put_text(name, usize::try_from(len).unwrap_or(0), PCI_BUS_ID) }.map(drop)
        })
    }

    fn cuDeviceGetByPCIBusId(device: *mut c_int, name: *const c_char) {
        initialised(|_| match unsafe { text(name) }? {
            PCI_BUS_ID => unsafe { put(device, 0) },
            _ => Err(result::ERROR_INVALID_DEVICE),
        })
    }

    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            unsafe { put(bytes, MEMORY as usize) }
        })
    }

    fn cuDeviceGetAttribute(value: *mut c_int, attribute: u32, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            unsafe { put(value, device::attribute(attribute).ok_or(result::ERROR_INVALID_VALUE)?) }
        })
    }

    fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            let (shown_major, shown_minor) = shown::capability();
            unsafe { put(major, shown_major).and_then(|()| put(minor, shown_minor)) }
        })
    }

    fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) {
        initialised(|_| {
            check_device(device)?;
            check_device(peer)?;
            unsafe { put(can, 0) }
        })
    }

    fn cuDevicePrimaryCtxRetain(out: *mut Handle, device: c_int) {
        healthy(|driver| {
            check_device(device)?;
            if out.is_null() {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let id = match driver.primary.id {
                Some(id) => id,
                None => driver.create_context(driver.primary.flags),
            };
            driver.primary.id = Some(id);
            driver.primary.count += 1;
            unsafe { put(out, id as Handle) }
        })
    }

    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        initialised(|driver| {
            check_device(device)?;
            let id = driver.primary.id.ok_or(result::ERROR_INVALID_CONTEXT)?;
            driver.primary.count = driver.primary.count.saturating_sub(1);
            if driver.primary.count == 0 {
                driver.primary.id = None;
                driver.destroy_context(id)?;
            }
            Ok(())
        })
    }

    fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        initialised(|driver| {
            check_device(device)?;
            let Some(id) = driver.primary.id.take() else { return Ok(()) };
            driver.primary.count = 0;
            driver.destroy_context(id)
        })
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: u32) {
        initialised(|driver| {
            check_device(device)?;
            if flags & !CONTEXT_FLAGS != 0 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            driver.primary.flags = flags;
            Ok(())
        })
    }

    fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut u32, active: *mut c_int) {
        initialised(|driver| {
            check_device(device)?;
            unsafe { put(flags, driver.primary.flags)?; }
            unsafe { put(active, c_int::from(driver.primary.id.is_some())) }
        })
    }

    fn cuCtxCreate_v2(out: *mut Handle, flags: u32, device: c_int) {
        healthy(|driver| create(driver, out, flags, device))
    }

    fn cuCtxCreate_v3(out: *mut Handle, affinity: *const c_void, count: c_int, flags: u32, device: c_int) {
        if !affinity.is_null() && count > 0 {
            return Err(result::ERROR_UNSUPPORTED_EXEC_AFFINITY);
        }
        healthy(|driver| create(driver, out, flags, device))
    }

    fn cuCtxCreate_v4(out: *mut Handle, parameters: *const [*const c_void; 3], flags: u32, device: c_int) {
        // CUctxCreateParams: execution affinities, how many, CIG parameters.
        if !parameters.is_null() {
            let [affinity, _, graphics] = unsafe { get(parameters) }?;
            if !affinity.is_null() || !graphics.is_null() {
                return unsupported("cuCtxCreate_v4 with an execution affinity or graphics queue");
            }
        }
        healthy(|driver| create(driver, out, flags, device))
    }

    fn cuCtxDestroy_v2(context: Handle) {
        initialised(|driver| destroy(driver, context))
    }

    fn cuCtxDetach(context: Handle) {
        initialised(|driver| destroy(driver, context))
    }

    fn cuCtxGetCurrent(out: *mut Handle) {
        initialised(|_| unsafe { put(out, current_id().unwrap_or(0) as Handle) })
    }

    fn cuCtxSetCurrent(context: Handle) {
        initialised(|driver| {
            // "If ctx is NULL then … the top of the calling thread's context stack is popped."
            let id = if context.is_null() { None } else { Some(known(driver, context)?) };
            with_stack(|stack| {
                stack.pop();
                stack.extend(id);
            });
            Ok(())
        })
    }

    fn cuCtxPushCurrent_v2(context: Handle) {
        initialised(|driver| {
            let id = known(driver, context)?;
            with_stack(|stack| stack.push(id));
            Ok(())
        })
    }

    fn cuCtxPopCurrent_v2(out: *mut Handle) {
        initialised(|_| {
            let id = with_stack(Vec::pop).ok_or(result::ERROR_INVALID_CONTEXT)?;
            // The result may be left out.
            if out.is_null() { Ok(()) } else { unsafe { put(out, id as Handle) } }
        })
    }

    fn cuCtxGetDevice(device: *mut c_int) {
        initialised(|_| {
            current_id().ok_or(result::ERROR_INVALID_CONTEXT)?;
            unsafe { put(device, 0) }
        })
    }

    fn cuCtxGetApiVersion(context: Handle, version: *mut u32) {
        initialised(|driver| {
            if !context.is_null() {
                known(driver, context)?;
            }
            unsafe { put(version, 3020) }
        })
    }

    fn cuCtxGetFlags(flags: *mut u32) {
        current(|driver, id| unsafe { put(flags, driver.contexts.get(&id).map_or(0, |context| context.flags)) })
    }

    fn cuCtxSynchronize() {
        // Launches run when they are made; what they left behind is found by `current`.
        current(|_, _| Ok(()))
    }

    fn cuCtxSetLimit(limit: u32, value: usize) {
        current(|driver, id| {
            if limit > 6 {
                return Err(result::ERROR_UNSUPPORTED_LIMIT);
            }
            driver.contexts.entry(id).or_default().limits.insert(limit, value);
            Ok(())
        })
    }

    fn cuCtxGetLimit(value: *mut usize, limit: u32) {
        current(|driver, id| {
            // Stack size, printf buffer, heap, device runtime depth and launches, L2 fetch granularity, L2 persisting.
            let usual = *[1024usize, 1 << 20, 8 << 20, 2, 2048, 64, 0]
                .get(limit as usize)
                .ok_or(result::ERROR_UNSUPPORTED_LIMIT)?;
            let set = driver.contexts.get(&id).and_then(|context| context.limits.get(&limit));
            unsafe { put(value, set.copied().unwrap_or(usual)) }
        })
    }

    fn cuCtxGetCacheConfig(out: *mut u32) {
        current(|driver, id| unsafe { put(out, driver.contexts.get(&id).map_or(0, |context| context.cache)) })
    }

    fn cuCtxSetCacheConfig(config: u32) {
        current(|driver, id| {
            if config > 3 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            driver.contexts.entry(id).or_default().cache = config;
            Ok(())
        })
    }

    fn cuCtxGetSharedMemConfig(out: *mut u32) {
        current(|driver, id| unsafe { put(out, driver.contexts.get(&id).map_or(0, |context| context.banks)) })
    }

    fn cuCtxSetSharedMemConfig(config: u32) {
        current(|driver, id| {
            if config > 2 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            driver.contexts.entry(id).or_default().banks = config;
            Ok(())
        })
    }

    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        current(|_, _| {
            // Either may be left out; there are no priorities.
            for pointer in [least, greatest] {
                if !pointer.is_null() {
                    unsafe { put(pointer, 0) }?;
                }
            }
            Ok(())
        })
    }
}

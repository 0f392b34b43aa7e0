//! `cuInit`, `cuDevice*`, `cuCtx*`: initialisation, devices and contexts.

use std::ffi::{c_char, c_int, c_void};

use crate::abi::Handle;
use crate::boundary::{current, current_id, entries, healthy, initialise, initialised, with_stack};
use crate::device::{self, PCI_BUS_ID, UUID};
use crate::driver::{Driver, MEMORY};
use crate::pointer::{In, Out, Terminated, put_text};
use crate::remark::unsupported;
use crate::result::CallResult;
use crate::{advertised_capability, result};

/// There is one device.
fn check_device(device: c_int) -> CallResult {
    if device == 0 { Ok(()) } else { Err(result::ERROR_INVALID_DEVICE) }
}

/// Flags a context may have: scheduling, mapping, local memory, core dumps, synchronous copies.
const CONTEXT_FLAGS: u32 = 0xFF;

fn create(driver: &mut Driver, out: Out<Handle>, flags: u32, device: c_int) -> CallResult {
    check_device(device)?;
    if out.is_null() || flags & !CONTEXT_FLAGS != 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let id = driver.create_context(flags);
    with_stack(|stack| stack.push(id));
    out.put(id as Handle)
}

fn known(driver: &Driver, context: Handle) -> CallResult<u64> {
    let id = context as u64;
    if driver.contexts.contains_key(&id) { Ok(id) } else { Err(result::ERROR_INVALID_CONTEXT) }
}

fn destroy(driver: &mut Driver, context: Handle) -> CallResult {
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

    fn cuDriverGetVersion(version: Out<c_int>) {
        let (major, minor) = advertised_capability::version();
        version.put((1000 * major + 10 * minor) as c_int)
    }

    fn cuDeviceGet(device: Out<c_int>, ordinal: c_int) {
        initialised(|_| {
            check_device(ordinal)?;
            device.put(0)
        })
    }

    fn cuDeviceGetCount(count: Out<c_int>) {
        initialised(|_| count.put(1))
    }

    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            // SAFETY: the client says that the buffer has `len` bytes.
            unsafe { put_text(name, usize::try_from(len).unwrap_or(0), &device::name()) }.map(drop)
        })
    }

    fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            uuid.put(UUID)
        })
    }

    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            uuid.put(UUID)
        })
    }

    fn cuDeviceGetPCIBusId(name: *mut c_char, len: c_int, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            // SAFETY: the client says that the buffer has `len` bytes.
            unsafe { put_text(name, usize::try_from(len).unwrap_or(0), PCI_BUS_ID) }.map(drop)
        })
    }

    fn cuDeviceGetByPCIBusId(device: Out<c_int>, name: Terminated) {
        initialised(|_| match name.text()? {
            PCI_BUS_ID => device.put(0),
            _ => Err(result::ERROR_INVALID_DEVICE),
        })
    }

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            bytes.put(MEMORY as usize)
        })
    }

    fn cuDeviceGetAttribute(value: Out<c_int>, attribute: u32, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            value.put(device::attribute(attribute).ok_or(result::ERROR_INVALID_VALUE)?)
        })
    }

    fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: c_int) {
        initialised(|_| {
            check_device(device)?;
            let (shown_major, shown_minor) = advertised_capability::capability();
            major.put(shown_major)?;
            minor.put(shown_minor)
        })
    }

    fn cuDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int) {
        initialised(|_| {
            check_device(device)?;
            check_device(peer)?;
            can.put(0)
        })
    }

    fn cuDevicePrimaryCtxRetain(out: Out<Handle>, device: c_int) {
        healthy(|driver| {
            check_device(device)?;
            out.required()?;
            let id = match driver.primary.id {
                Some(id) => id,
                None => driver.create_context(driver.primary.flags),
            };
            driver.primary.id = Some(id);
            driver.primary.count += 1;
            out.put(id as Handle)
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

    fn cuDevicePrimaryCtxGetState(device: c_int, flags: Out<u32>, active: Out<c_int>) {
        initialised(|driver| {
            check_device(device)?;
            flags.put(driver.primary.flags)?;
            active.put(c_int::from(driver.primary.id.is_some()))
        })
    }

    fn cuCtxCreate_v2(out: Out<Handle>, flags: u32, device: c_int) {
        healthy(|driver| create(driver, out, flags, device))
    }

    fn cuCtxCreate_v3(out: Out<Handle>, affinity: *const c_void, count: c_int, flags: u32, device: c_int) {
        if !affinity.is_null() && count > 0 {
            return Err(result::ERROR_UNSUPPORTED_EXEC_AFFINITY);
        }
        healthy(|driver| create(driver, out, flags, device))
    }

    fn cuCtxCreate_v4(out: Out<Handle>, parameters: In<[*const c_void; 3]>, flags: u32, device: c_int) {
        // CUctxCreateParams: execution affinities, how many, CIG parameters.
        if !parameters.is_null() {
            let [affinity, _, graphics] = parameters.get()?;
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

    fn cuCtxGetCurrent(out: Out<Handle>) {
        initialised(|_| out.put(current_id().unwrap_or(0) as Handle))
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

    fn cuCtxPopCurrent_v2(out: Out<Handle>) {
        initialised(|_| {
            let id = with_stack(Vec::pop).ok_or(result::ERROR_INVALID_CONTEXT)?;
            // The result may be left out.
            out.put_if_wanted(id as Handle)
        })
    }

    fn cuCtxGetDevice(device: Out<c_int>) {
        initialised(|_| {
            current_id().ok_or(result::ERROR_INVALID_CONTEXT)?;
            device.put(0)
        })
    }

    fn cuCtxGetApiVersion(context: Handle, version: Out<u32>) {
        initialised(|driver| {
            if !context.is_null() {
                known(driver, context)?;
            }
            version.put(3020)
        })
    }

    fn cuCtxGetFlags(flags: Out<u32>) {
        current(|driver, id| flags.put(driver.contexts.get(&id).map_or(0, |context| context.flags)))
    }

    fn cuCtxSynchronize() {
        // Launches are synchronous; `current` finds their errors.
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

    fn cuCtxGetLimit(value: Out<usize>, limit: u32) {
        current(|driver, id| {
            // Stack size, printf buffer, heap, device runtime depth and launches, L2 fetch granularity, L2 persisting.
            let usual = *[1024usize, 1 << 20, 8 << 20, 2, 2048, 64, 0]
                .get(limit as usize)
                .ok_or(result::ERROR_UNSUPPORTED_LIMIT)?;
            let set = driver.contexts.get(&id).and_then(|context| context.limits.get(&limit));
            value.put(set.copied().unwrap_or(usual))
        })
    }

    fn cuCtxGetCacheConfig(out: Out<u32>) {
        current(|driver, id| out.put(driver.contexts.get(&id).map_or(0, |context| context.cache)))
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

    fn cuCtxGetSharedMemConfig(out: Out<u32>) {
        current(|driver, id| out.put(driver.contexts.get(&id).map_or(0, |context| context.banks)))
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

    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        current(|_, _| {
            // Either may be left out; there are no priorities.
            for pointer in [least, greatest] {
                pointer.put_if_wanted(0)?;
            }
            Ok(())
        })
    }
}

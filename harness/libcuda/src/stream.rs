//! `cuStream*`, `cuEvent*`: streams and events. Every call is synchronous, so streams are always idle.

use std::ffi::{c_int, c_void};
use std::time::Instant;

use crate::abi::Handle;
use crate::boundary::{current, entries, initialised};
use crate::driver::{ContextId, Driver, Event, Object, Stream};
use crate::pointer::Out;
use crate::result::{self, CallResult};

/// `CU_EVENT_DISABLE_TIMING`
const DISABLE_TIMING: u32 = 2;

fn create(
    driver: &mut Driver,
    context: ContextId,
    out: Out<Handle>,
    flags: u32,
    priority: i32,
) -> CallResult {
    // CU_STREAM_NON_BLOCKING
    if out.is_null() || flags > 1 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let handle = driver.insert(context, Object::Stream(Stream { flags, priority }));
    out.put(handle)
}

/// The flags and priority of a stream; the default ones have none.
fn stream(driver: &Driver, handle: Handle) -> CallResult<(u32, i32)> {
    driver.check_stream(handle)?;
    Ok(match driver.objects.get(&(handle as u64)) {
        Some((_, Object::Stream(stream))) => (stream.flags, stream.priority),
        _ => (0, 0),
    })
}

fn record(event: Handle, stream: Handle) -> CallResult {
    current(|driver, _| {
        driver.check_stream(stream)?;
        driver.event_mut(event)?.recorded = Some(Instant::now());
        Ok(())
    })
}

fn elapsed(out: Out<f32>, start: Handle, end: Handle) -> CallResult {
    current(|driver, _| {
        let (start, end) = (driver.event(start)?, driver.event(end)?);
        // "If either event has not been recorded … or has been created with CU_EVENT_DISABLE_TIMING …:
        // CUDA_ERROR_INVALID_HANDLE".
        let (true, Some(from), true, Some(to)) = (start.timed, start.recorded, end.timed, end.recorded)
        else {
            return Err(result::ERROR_INVALID_HANDLE);
        };
        let milliseconds = match to.checked_duration_since(from) {
            Some(time) => time.as_secs_f32() * 1e3,
            None => -(from - to).as_secs_f32() * 1e3,
        };
        out.put(milliseconds)
    })
}

entries! {
    fn cuStreamCreate(out: Out<Handle>, flags: u32) {
        current(|driver, context| create(driver, context, out, flags, 0))
    }

    fn cuStreamCreateWithPriority(out: Out<Handle>, flags: u32, priority: c_int) {
        // "If priority is outside the range … it will be clamped": the range is zero.
        let _ = priority;
        current(|driver, context| create(driver, context, out, flags, 0))
    }

    fn cuStreamDestroy_v2(handle: Handle) {
        current(|driver, _| match driver.objects.get(&(handle as u64)) {
            Some((_, Object::Stream(_))) => {
                driver.objects.remove(&(handle as u64));
                Ok(())
            }
            _ => Err(result::ERROR_INVALID_HANDLE),
        })
    }

    fn cuStreamQuery(handle: Handle) {
        current(|driver, _| driver.check_stream(handle))
    }

    fn cuStreamSynchronize(handle: Handle) {
        current(|driver, _| driver.check_stream(handle))
    }

    fn cuStreamWaitEvent(handle: Handle, event: Handle, _flags: u32) {
        current(|driver, _| {
            driver.check_stream(handle)?;
            driver.event(event).map(drop)
        })
    }

    fn cuStreamGetFlags(handle: Handle, flags: Out<u32>) {
        current(|driver, _| flags.put(stream(driver, handle)?.0))
    }

    fn cuStreamGetPriority(handle: Handle, priority: Out<c_int>) {
        current(|driver, _| priority.put(stream(driver, handle)?.1))
    }

    fn cuStreamGetDevice(handle: Handle, device: Out<c_int>) {
        current(|driver, _| {
            driver.check_stream(handle)?;
            device.put(0)
        })
    }

    fn cuStreamGetCtx(handle: Handle, out: Out<Handle>) {
        current(|driver, context| {
            driver.check_stream(handle)?;
            let owner = driver.objects.get(&(handle as u64)).map_or(context, |(owner, _)| *owner);
            out.put(owner as Handle)
        })
    }

    fn cuStreamIsCapturing(handle: Handle, status: Out<u32>) {
        current(|driver, _| {
            driver.check_stream(handle)?;
            // CU_STREAM_CAPTURE_STATUS_NONE
            status.put(0)
        })
    }

    fn cuLaunchHostFunc(handle: Handle, function: Option<unsafe extern "C" fn(*mut c_void)>, data: *mut c_void) {
        current(|driver, _| driver.check_stream(handle))?;
        let function = function.ok_or(result::ERROR_INVALID_VALUE)?;
        // The driver is unlocked: the function must not call it, but might.
        // SAFETY: the client gave the function to be called with this argument, and everything that it was to wait for is done.
        unsafe { function(data) };
        Ok(())
    }

    fn cuStreamAddCallback(
        handle: Handle,
        function: Option<unsafe extern "C" fn(Handle, u32, *mut c_void)>,
        data: *mut c_void,
        flags: u32,
    ) {
        current(|driver, _| driver.check_stream(handle))?;
        let function = function.filter(|_| flags == 0).ok_or(result::ERROR_INVALID_VALUE)?;
        // SAFETY: the client gave the function to be called with this stream, a result and this argument.
        unsafe { function(handle, result::SUCCESS, data) };
        Ok(())
    }

    fn cuEventCreate(out: Out<Handle>, flags: u32) {
        current(|driver, context| {
            // BLOCKING_SYNC, DISABLE_TIMING, INTERPROCESS (which needs DISABLE_TIMING, and another process).
            if out.is_null() || flags > 3 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let event = Event { timed: flags & DISABLE_TIMING == 0, recorded: None };
            let handle = driver.insert(context, Object::Event(event));
            out.put(handle)
        })
    }

    fn cuEventDestroy_v2(event: Handle) {
        current(|driver, _| {
            driver.event(event)?;
            driver.objects.remove(&(event as u64));
            Ok(())
        })
    }

    fn cuEventRecord(event: Handle, stream: Handle) {
        record(event, stream)
    }

    fn cuEventRecordWithFlags(event: Handle, stream: Handle, _flags: u32) {
        record(event, stream)
    }

    fn cuEventQuery(event: Handle) {
        current(|driver, _| driver.event(event).map(drop))
    }

    fn cuEventSynchronize(event: Handle) {
        current(|driver, _| driver.event(event).map(drop))
    }

    fn cuEventElapsedTime(out: Out<f32>, start: Handle, end: Handle) {
        elapsed(out, start, end)
    }

    fn cuEventElapsedTime_v2(out: Out<f32>, start: Handle, end: Handle) {
        elapsed(out, start, end)
    }

    fn cuProfilerStart() {
        initialised(|_| Ok(()))
    }

    fn cuProfilerStop() {
        initialised(|_| Ok(()))
    }
}

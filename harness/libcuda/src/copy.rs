//! `cuMemcpy*`: copies between host, device memory and arrays.

use std::ffi::c_void;

use crate::abi::{DevicePointer, Handle, Memcpy2d, Memcpy3d};
use crate::boundary::{current, entries};
use crate::driver::Driver;
use crate::pointer::{In, host_bytes, put_host_bytes};
use crate::result::{self, CallResult};

/// One end of a copy.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Memory of the host: null, or valid for everything that the client's call says is to be copied from or to there.
    Host(*mut u8),
    /// Device memory.
    Device(DevicePointer),
    /// An array.
    Array(Handle),
}

/// One end of a copy of a box of rows.
#[derive(Clone, Copy, Debug)]
struct End {
    place: Place,
    /// First byte in the row, first row, first slice.
    at: [usize; 3],
    /// Bytes from row to row, rows from slice to slice (not of an array).
    pitch: usize,
    rows: usize,
}

/// `CUmemorytype`: host, device, array, unified (an address that is looked up).
fn place(
    driver: &Driver,
    kind: u32,
    host: *mut c_void,
    device: DevicePointer,
    array: Handle,
) -> CallResult<Place> {
    match kind {
        1 => Ok(Place::Host(host.cast())),
        2 => Ok(Place::Device(device)),
        3 => Ok(Place::Array(array)),
        4 => Ok(unified(driver, device)),
        _ => Err(result::ERROR_INVALID_VALUE),
    }
}

/// A host or device address.
fn unified(driver: &Driver, address: DevicePointer) -> Place {
    match driver.device.range(address) {
        Some(_) => Place::Device(address),
        None => Place::Host(address as *mut u8),
    }
}

/// Number of an array, and byte offset of a row in its packed texels; the row must be inside.
fn array_row(
    driver: &Driver,
    array: Handle,
    [x, y, z]: [usize; 3],
    len: usize,
) -> CallResult<(usize, usize)> {
    let array = driver.array(array)?;
    let descriptor = &array.descriptor;
    let row = descriptor.width * array.texel_size;
    let (height, depth) = (descriptor.height.max(1), descriptor.depth.max(1));
    let fits = x.checked_add(len).is_some_and(|end| end <= row) && y < height && z < depth;
    if !fits || !x.is_multiple_of(array.texel_size) || !len.is_multiple_of(array.texel_size) {
        return Err(result::ERROR_INVALID_VALUE);
    }
    Ok((array.number, (z * height + y) * row + x))
}

/// Offset of a row of linear memory from its base.
fn linear_row(end: &End, y: usize, z: usize) -> CallResult<usize> {
    let row = z.checked_mul(end.rows).and_then(|rows| rows.checked_add(y));
    let start = row.and_then(|row| row.checked_mul(end.pitch)).and_then(|start| start.checked_add(end.at[0]));
    start.ok_or(result::ERROR_INVALID_VALUE)
}

/// Reads a row of what is to be copied.
fn read(driver: &Driver, end: &End, y: usize, z: usize, len: usize) -> CallResult<Vec<u8>> {
    let (y, z) = (end.at[1].saturating_add(y), end.at[2].saturating_add(z));
    match end.place {
        Place::Host(base) => {
            if base.is_null() {
                return Err(result::ERROR_INVALID_VALUE);
            }
            // SAFETY: a row of the box that is copied, for all of which the client vouches, as `Place` says.
            unsafe { host_bytes(base.wrapping_add(linear_row(end, y, z)?), len) }
        }
        Place::Device(base) => {
            let address = base.checked_add(linear_row(end, y, z)? as u64);
            let bytes = address.and_then(|address| driver.device.bytes(address, len));
            bytes.map(<[u8]>::to_vec).ok_or(result::ERROR_INVALID_VALUE)
        }
        Place::Array(array) => {
            let (number, start) = array_row(driver, array, [end.at[0], y, z], len)?;
            let texels = driver.device.texels(number).and_then(|texels| texels.get(start..start + len));
            texels.map(<[u8]>::to_vec).ok_or(result::ERROR_INVALID_VALUE)
        }
    }
}

/// Writes a row of what is to be copied.
fn write(driver: &mut Driver, end: &End, y: usize, z: usize, bytes: &[u8]) -> CallResult {
    let (y, z) = (end.at[1].saturating_add(y), end.at[2].saturating_add(z));
    let len = bytes.len();
    match end.place {
        Place::Host(base) => {
            if base.is_null() {
                return Err(result::ERROR_INVALID_VALUE);
            }
            // SAFETY: a row of the box that is copied, for all of which the client vouches, as `Place` says.
            return unsafe { put_host_bytes(base.wrapping_add(linear_row(end, y, z)?), bytes) };
        }
        Place::Device(base) => {
            let address = base.checked_add(linear_row(end, y, z)? as u64);
            let target = address.and_then(|address| driver.device.bytes_mut(address, len));
            target.ok_or(result::ERROR_INVALID_VALUE)?.copy_from_slice(bytes);
        }
        Place::Array(array) => {
            let (number, start) = array_row(driver, array, [end.at[0], y, z], len)?;
            let texels = driver.device.texels_mut(number, start, len);
            texels.ok_or(result::ERROR_INVALID_VALUE)?.copy_from_slice(bytes);
        }
    }
    Ok(())
}

/// Copies a box of `width` bytes, `height` rows and `depth` slices. Everything is read before anything is written.
fn copy_box(driver: &mut Driver, from: End, to: End, [width, height, depth]: [usize; 3]) -> CallResult {
    if width == 0 || height == 0 || depth == 0 {
        return Ok(());
    }
    driver.host_to_device();
    let mut rows = Vec::new();
    for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
        rows.push(read(driver, &from, y, z, width)?);
    }
    let mut written = Ok(());
    for (row, (z, y)) in rows.iter().zip((0..depth).flat_map(|z| (0..height).map(move |y| (z, y)))) {
        written = write(driver, &to, y, z, row);
        if written.is_err() {
            break;
        }
    }
    match to.place {
        // The host's own bytes are the newer ones now.
        Place::Host(_) => driver.host_to_device(),
        _ => driver.device_to_host(),
    }
    written
}

/// Copies bytes.
fn copy(driver: &mut Driver, from: Place, to: Place, len: usize) -> CallResult {
    let end = |place| End { place, at: [0; 3], pitch: 0, rows: 0 };
    copy_box(driver, end(from), end(to), [len, 1, 1])
}

fn linear(from: Place, to: Place, len: usize) -> CallResult {
    current(|driver, _| copy(driver, from, to, len))
}

fn on_stream(stream: Handle, from: Place, to: Place, len: usize) -> CallResult {
    current(|driver, _| {
        driver.check_stream(stream)?;
        copy(driver, from, to, len)
    })
}

/// Copies bytes; one end is `offset` bytes into a 1D array.
fn with_array(from: (Place, usize), to: (Place, usize), len: usize) -> CallResult {
    current(|driver, _| {
        let end = |(place, offset)| End { place, at: [offset, 0, 0], pitch: 0, rows: 0 };
        copy_box(driver, end(from), end(to), [len, 1, 1])
    })
}

fn copy_2d(driver: &mut Driver, copy: Memcpy2d) -> CallResult {
    let c = &copy;
    let from = End {
        place: place(driver, c.src_type, c.src_host.cast_mut(), c.src_device, c.src_array)?,
        at: [c.src_x, c.src_y, 0],
        // "If … pitch is 0, there is no padding", for copies of one row.
        pitch: if c.src_pitch == 0 { c.width } else { c.src_pitch },
        rows: 0,
    };
    let to = End {
        place: place(driver, c.dst_type, c.dst_host, c.dst_device, c.dst_array)?,
        at: [c.dst_x, c.dst_y, 0],
        pitch: if c.dst_pitch == 0 { c.width } else { c.dst_pitch },
        rows: 0,
    };
    check_pitch(&from, c.width)?;
    check_pitch(&to, c.width)?;
    copy_box(driver, from, to, [c.width, c.height, 1])
}

/// "pitch must be greater than or equal to WidthInBytes + XInBytes".
fn check_pitch(end: &End, width: usize) -> CallResult {
    let linear = !matches!(end.place, Place::Array(_));
    let overlong = end.at[0].checked_add(width).is_none_or(|row| row > end.pitch);
    let single = end.at[1] == 0 && end.at[2] == 0 && end.pitch == width;
    if linear && overlong && !single { Err(result::ERROR_INVALID_VALUE) } else { Ok(()) }
}

fn copy_3d(driver: &mut Driver, copy: Memcpy3d) -> CallResult {
    let c = &copy;
    if c.src_lod != 0 || c.dst_lod != 0 || !c.reserved0.is_null() || !c.reserved1.is_null() {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let rows = |height: usize| if height == 0 { c.height } else { height };
    let from = End {
        place: place(driver, c.src_type, c.src_host.cast_mut(), c.src_device, c.src_array)?,
        at: [c.src_x, c.src_y, c.src_z],
        pitch: if c.src_pitch == 0 { c.width } else { c.src_pitch },
        rows: rows(c.src_height),
    };
    let to = End {
        place: place(driver, c.dst_type, c.dst_host, c.dst_device, c.dst_array)?,
        at: [c.dst_x, c.dst_y, c.dst_z],
        pitch: if c.dst_pitch == 0 { c.width } else { c.dst_pitch },
        rows: rows(c.dst_height),
    };
    check_pitch(&from, c.width)?;
    check_pitch(&to, c.width)?;
    copy_box(driver, from, to, [c.width, c.height, c.depth])
}

fn host_source(pointer: *const c_void) -> Place {
    Place::Host(pointer.cast_mut().cast())
}

fn host_target(pointer: *mut c_void) -> Place {
    Place::Host(pointer.cast())
}

entries! {
    fn cuMemcpyHtoD_v2(to: DevicePointer, from: *const c_void, len: usize) {
        linear(host_source(from), Place::Device(to), len)
    }

    fn cuMemcpyDtoH_v2(to: *mut c_void, from: DevicePointer, len: usize) {
        linear(Place::Device(from), host_target(to), len)
    }

    fn cuMemcpyDtoD_v2(to: DevicePointer, from: DevicePointer, len: usize) {
        linear(Place::Device(from), Place::Device(to), len)
    }

    fn cuMemcpy(to: DevicePointer, from: DevicePointer, len: usize) {
        current(|driver, _| copy(driver, unified(driver, from), unified(driver, to), len))
    }

    fn cuMemcpyHtoDAsync_v2(to: DevicePointer, from: *const c_void, len: usize, stream: Handle) {
        on_stream(stream, host_source(from), Place::Device(to), len)
    }

    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: DevicePointer, len: usize, stream: Handle) {
        on_stream(stream, Place::Device(from), host_target(to), len)
    }

    fn cuMemcpyDtoDAsync_v2(to: DevicePointer, from: DevicePointer, len: usize, stream: Handle) {
        on_stream(stream, Place::Device(from), Place::Device(to), len)
    }

    fn cuMemcpyAsync(to: DevicePointer, from: DevicePointer, len: usize, stream: Handle) {
        current(|driver, _| {
            driver.check_stream(stream)?;
            copy(driver, unified(driver, from), unified(driver, to), len)
        })
    }

    fn cuMemcpyHtoA_v2(to: Handle, offset: usize, from: *const c_void, len: usize) {
        with_array((host_source(from), 0), (Place::Array(to), offset), len)
    }

    fn cuMemcpyAtoH_v2(to: *mut c_void, from: Handle, offset: usize, len: usize) {
        with_array((Place::Array(from), offset), (host_target(to), 0), len)
    }

    fn cuMemcpyDtoA_v2(to: Handle, offset: usize, from: DevicePointer, len: usize) {
        with_array((Place::Device(from), 0), (Place::Array(to), offset), len)
    }

    fn cuMemcpyAtoD_v2(to: DevicePointer, from: Handle, offset: usize, len: usize) {
        with_array((Place::Array(from), offset), (Place::Device(to), 0), len)
    }

    fn cuMemcpyAtoA_v2(to: Handle, to_offset: usize, from: Handle, from_offset: usize, len: usize) {
        with_array((Place::Array(from), from_offset), (Place::Array(to), to_offset), len)
    }

    fn cuMemcpyHtoAAsync_v2(to: Handle, offset: usize, from: *const c_void, len: usize, stream: Handle) {
        current(|driver, _| driver.check_stream(stream))?;
        with_array((host_source(from), 0), (Place::Array(to), offset), len)
    }

    fn cuMemcpyAtoHAsync_v2(to: *mut c_void, from: Handle, offset: usize, len: usize, stream: Handle) {
        current(|driver, _| driver.check_stream(stream))?;
        with_array((Place::Array(from), offset), (host_target(to), 0), len)
    }

    fn cuMemcpy2D_v2(copy: In<Memcpy2d>) {
        current(|driver, _| copy_2d(driver, copy.get()?))
    }

    fn cuMemcpy2DUnaligned_v2(copy: In<Memcpy2d>) {
        current(|driver, _| copy_2d(driver, copy.get()?))
    }

    fn cuMemcpy2DAsync_v2(copy: In<Memcpy2d>, stream: Handle) {
        current(|driver, _| {
            driver.check_stream(stream)?;
            copy_2d(driver, copy.get()?)
        })
    }

    fn cuMemcpy3D_v2(copy: In<Memcpy3d>) {
        current(|driver, _| copy_3d(driver, copy.get()?))
    }

    fn cuMemcpy3DAsync_v2(copy: In<Memcpy3d>, stream: Handle) {
        current(|driver, _| {
            driver.check_stream(stream)?;
            copy_3d(driver, copy.get()?)
        })
    }
}

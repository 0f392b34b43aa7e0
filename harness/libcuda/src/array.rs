//! Arrays, surface objects and references, texture objects and references.

use std::ffi::c_void;

use warpdiff_emulator::device::Shape;
use warpdiff_model::{ChannelType, Format, Geometry};

use crate::abi::{Array3dDescriptor, ArrayDescriptor, DevicePointer, Handle, ResourceDescriptor};
use crate::boundary::{Answer, current, entries, get, put, unsupported};
use crate::driver::{Array, ContextId, Driver, Object};
use crate::result;

/// `CUDA_ARRAY3D_LAYERED`
const LAYERED: u32 = 0x01;
/// `CUDA_ARRAY3D_SURFACE_LDST`
const SURFACE_LDST: u32 = 0x02;
/// `CUDA_ARRAY3D_CUBEMAP`
const CUBEMAP: u32 = 0x04;
/// `CUDA_ARRAY3D_TEXTURE_GATHER`: changes nothing about an array that is not sampled.
const TEXTURE_GATHER: u32 = 0x08;
/// `CU_RESOURCE_TYPE_ARRAY`
const RESOURCE_ARRAY: u32 = 0;

/// The texel format of a `CUarray_format` with so many channels. The formats that fix the number of channels must be
/// given it.
fn format(number: u32, channels: u32) -> Option<Format> {
    use ChannelType::{F16, F32, S8, S16, S32, Snorm8, Snorm16, U8, U16, U32, Unorm8, Unorm16};
    let (channel, fixed) = match number {
        0x01 => (U8, None),
        0x02 => (U16, None),
        0x03 => (U32, None),
        0x08 => (S8, None),
        0x09 => (S16, None),
        0x0A => (S32, None),
        0x10 => (F16, None),
        0x20 => (F32, None),
        0xC0..=0xCB => {
            let channel = [Unorm8, Unorm16, Snorm8, Snorm16][((number - 0xC0) / 3) as usize];
            (channel, Some([1, 2, 4][((number - 0xC0) % 3) as usize]))
        }
        _ => return None,
    };
    let legal = matches!(channels, 1 | 2 | 4) && fixed.is_none_or(|fixed| fixed == channels);
    legal.then_some(Format { channel, channels: channels as u8 })
}

/// The shape that a descriptor asks for.
fn shape(descriptor: &Array3dDescriptor) -> Answer<Shape> {
    let Array3dDescriptor { width, height, depth, flags, .. } = *descriptor;
    if flags & !(LAYERED | SURFACE_LDST | CUBEMAP | TEXTURE_GATHER) != 0 {
        return unsupported(&format!("an array with the flags {flags:#x}"));
    }
    let format = match format(descriptor.format, descriptor.channels) {
        Some(format) => format,
        // Block-compressed, planar and packed formats.
        None if (0x91..0xC0).contains(&descriptor.format) => {
            return unsupported(&format!("the array format {:#x}", descriptor.format));
        }
        None => return Err(result::ERROR_INVALID_VALUE),
    };
    let layered = flags & (LAYERED | CUBEMAP) != 0;
    if flags & CUBEMAP != 0 && (width != height || depth == 0 || depth % 6 != 0) {
        return Err(result::ERROR_INVALID_VALUE);
    }
    // The ranges of the device's attributes, and the rule which dimensions are zero.
    let (geometry, limits) = match (layered, width, height, depth) {
        (_, 0, ..) | (true, _, _, 0) => return Err(result::ERROR_INVALID_VALUE),
        (true, _, 0, _) => (Geometry::A1d, [32768, 0, 2048]),
        (true, ..) => (Geometry::A2d, [32768, 32768, 2048]),
        (false, _, 0, 0) => (Geometry::D1, [131_072, 0, 0]),
        (false, _, _, 0) => (Geometry::D2, [131_072, 65536, 0]),
        (false, _, 0, _) => return Err(result::ERROR_INVALID_VALUE),
        (false, ..) => (Geometry::D3, [16384, 16384, 16384]),
    };
    if [width, height, depth].iter().zip(limits).any(|(extent, limit)| *extent > limit) {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let extent = |n: usize| n.max(1) as u32;
    let (planes, layers) = if layered { (1, extent(depth)) } else { (extent(depth), 1) };
    Ok(Shape { geometry, extent: [extent(width), extent(height), planes], layers, format })
}

fn create(
    driver: &mut Driver,
    context: ContextId,
    out: *mut Handle,
    descriptor: Array3dDescriptor,
) -> Answer {
    if out.is_null() {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let shape = shape(&descriptor)?;
    let number = driver.device.create_array(shape).ok_or(result::ERROR_OUT_OF_MEMORY)?;
    let texel_size = shape.format.texel_size() as usize;
    let handle = driver.insert(context, Object::Array(Array { number, descriptor, texel_size }));
    // SAFETY: checked above.
    unsafe { put(out, handle) }
}

fn destroy(driver: &mut Driver, handle: Handle) -> Answer {
    let number = driver.array(handle)?.number;
    driver.objects.remove(&(handle as u64));
    driver.device.destroy_array(number);
    driver.surfaces.retain(|surface, _| driver.device.array_of(*surface).is_some());
    for (_, object) in driver.objects.values_mut() {
        if let Object::Module(module) = object {
            for binding in &mut module.bindings {
                if *binding == Some(handle as u64) {
                    *binding = None;
                }
            }
        }
    }
    Ok(())
}

/// "surface load/store": an array that a surface is made of needs the flag.
fn surface_array(driver: &Driver, handle: Handle) -> Answer<usize> {
    let array = driver.array(handle)?;
    if array.descriptor.flags & SURFACE_LDST == 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    Ok(array.number)
}

/// Answers whether a handle is of a texture reference.
fn texture_reference(handle: Handle) -> Answer {
    current(|driver, _| match driver.objects.get(&(handle as u64)) {
        Some((_, Object::TextureReference)) => Ok(()),
        _ => Err(result::ERROR_INVALID_HANDLE),
    })
}

entries! {
    fn cuArrayCreate_v2(out: *mut Handle, descriptor: *const ArrayDescriptor) {
        current(|driver, context| {
            let ArrayDescriptor { width, height, format, channels } = unsafe { get(descriptor) }?;
            // "Surface load/store" arrays are made by cuArray3DCreate only.
            let descriptor = Array3dDescriptor { width, height, depth: 0, format, channels, flags: 0 };
            create(driver, context, out, descriptor)
        })
    }

    fn cuArray3DCreate_v2(out: *mut Handle, descriptor: *const Array3dDescriptor) {
        current(|driver, context| {
            let descriptor = unsafe { get(descriptor) }?;
            create(driver, context, out, descriptor)
        })
    }

    fn cuArrayGetDescriptor_v2(out: *mut ArrayDescriptor, array: Handle) {
        current(|driver, _| {
            let Array3dDescriptor { width, height, format, channels, .. } = driver.array(array)?.descriptor;
            unsafe { put(out, ArrayDescriptor { width, height, format, channels }) }
        })
    }

    fn cuArray3DGetDescriptor_v2(out: *mut Array3dDescriptor, array: Handle) {
        current(|driver, _| unsafe { put(out, driver.array(array)?.descriptor) })
    }

    fn cuArrayDestroy(array: Handle) {
        current(|driver, _| destroy(driver, array))
    }

    fn cuSurfObjectCreate(out: *mut u64, descriptor: *const ResourceDescriptor) {
        current(|driver, context| {
            let descriptor = unsafe { get(descriptor) }?;
            if out.is_null() || descriptor.kind != RESOURCE_ARRAY || descriptor.flags != 0 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let array = surface_array(driver, descriptor.resource[0] as Handle)?;
            let surface = driver.device.create_surface(array).ok_or(result::ERROR_INVALID_HANDLE)?;
            driver.surfaces.insert(surface, (context, descriptor));
            unsafe { put(out, surface) }
        })
    }

    fn cuSurfObjectDestroy(surface: u64) {
        current(|driver, _| {
            driver.surfaces.remove(&surface).ok_or(result::ERROR_INVALID_VALUE)?;
            driver.device.destroy_surface(surface);
            Ok(())
        })
    }

    fn cuSurfObjectGetResourceDesc(out: *mut ResourceDescriptor, surface: u64) {
        current(|driver, _| {
            let (_, descriptor) = driver.surfaces.get(&surface).ok_or(result::ERROR_INVALID_VALUE)?;
            unsafe { put(out, *descriptor) }
        })
    }

    #[cfg(not(feature = "inject-missing-symbol"))]
    fn cuSurfRefSetArray(reference: Handle, array: Handle, flags: u32) {
        current(|driver, _| {
            if flags != 0 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            surface_array(driver, array)?;
            let (module, position) = surface_reference(driver, reference)?;
            let binding = driver.module_mut(module as Handle)?.bindings.get_mut(position);
            *binding.ok_or(result::ERROR_INVALID_HANDLE)? = Some(array as u64);
            Ok(())
        })
    }

    fn cuSurfRefGetArray(out: *mut Handle, reference: Handle) {
        current(|driver, _| {
            let (module, position) = surface_reference(driver, reference)?;
            let binding = driver.module(module as Handle)?.bindings.get(position).copied().flatten();
            unsafe { put(out, binding.ok_or(result::ERROR_INVALID_VALUE)? as Handle) }
        })
    }

    fn cuTexObjectCreate(
        out: *mut u64,
        descriptor: *const ResourceDescriptor,
        texture: *const c_void,
        _view: *const c_void,
    ) {
        current(|driver, context| {
            let descriptor = unsafe { get(descriptor) }?;
            if out.is_null() || texture.is_null() || descriptor.kind > 3 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            if descriptor.kind == RESOURCE_ARRAY {
                driver.array(descriptor.resource[0] as Handle)?;
            }
            let handle = driver.new_handle();
            driver.textures.insert(handle, (context, descriptor));
            unsafe { put(out, handle) }
        })
    }

    fn cuTexObjectDestroy(texture: u64) {
        current(|driver, _| driver.textures.remove(&texture).map(drop).ok_or(result::ERROR_INVALID_VALUE))
    }

    fn cuTexObjectGetResourceDesc(out: *mut ResourceDescriptor, texture: u64) {
        current(|driver, _| {
            let (_, descriptor) = driver.textures.get(&texture).ok_or(result::ERROR_INVALID_VALUE)?;
            unsafe { put(out, *descriptor) }
        })
    }

    fn cuTexRefCreate(out: *mut Handle) {
        current(|driver, context| {
            if out.is_null() {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let handle = driver.insert(context, Object::TextureReference);
            unsafe { put(out, handle) }
        })
    }

    fn cuTexRefDestroy(reference: Handle) {
        texture_reference(reference)?;
        current(|driver, _| {
            driver.objects.remove(&(reference as u64));
            Ok(())
        })
    }

    fn cuTexRefSetArray(reference: Handle, array: Handle, _flags: u32) {
        texture_reference(reference)?;
        current(|driver, _| driver.array(array).map(drop))
    }

    fn cuTexRefSetAddress_v2(offset: *mut usize, reference: Handle, address: DevicePointer, size: usize) {
        texture_reference(reference)?;
        current(|driver, _| {
            driver.device.bytes(address, size).ok_or(result::ERROR_INVALID_VALUE)?;
            if offset.is_null() { Ok(()) } else { unsafe { put(offset, 0) } }
        })
    }

    fn cuTexRefSetFormat(reference: Handle, number: u32, channels: i32) {
        texture_reference(reference)?;
        let channels = u32::try_from(channels).map_err(|_| result::ERROR_INVALID_VALUE)?;
        format(number, channels).map(drop).ok_or(result::ERROR_INVALID_VALUE)
    }

    fn cuTexRefSetAddressMode(reference: Handle, dimension: i32, mode: u32) {
        texture_reference(reference)?;
        if (0..3).contains(&dimension) && mode <= 3 { Ok(()) } else { Err(result::ERROR_INVALID_VALUE) }
    }

    fn cuTexRefSetFilterMode(reference: Handle, mode: u32) {
        texture_reference(reference)?;
        if mode <= 1 { Ok(()) } else { Err(result::ERROR_INVALID_VALUE) }
    }

    fn cuTexRefSetFlags(reference: Handle, _flags: u32) {
        texture_reference(reference)
    }
}

/// The module and position of a surface reference.
fn surface_reference(driver: &Driver, handle: Handle) -> Answer<(u64, usize)> {
    match driver.objects.get(&(handle as u64)) {
        Some((_, Object::SurfaceReference { module, position })) => Ok((*module, *position)),
        _ => Err(result::ERROR_INVALID_HANDLE),
    }
}

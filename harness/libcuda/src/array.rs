//! `cuArray*`, `cuSurf*`: arrays, surface objects and references.

use warpdiff_emulator::device::Shape;
use warpdiff_model::{ChannelType, Format, Geometry};

use crate::abi::{Array3dDescriptor, ArrayDescriptor, Handle, ResourceDescriptor};
use crate::boundary::{current, entries};
use crate::driver::{Array, ContextId, Driver, Object};
use crate::pointer::{In, Out};
use crate::remark::unsupported;
use crate::result::{self, CallResult};

/// `CUDA_ARRAY3D_LAYERED`
const LAYERED: u32 = 0x01;
/// `CUDA_ARRAY3D_SURFACE_LDST`
const SURFACE_LDST: u32 = 0x02;
/// `CUDA_ARRAY3D_CUBEMAP`
const CUBEMAP: u32 = 0x04;
/// `CUDA_ARRAY3D_TEXTURE_GATHER`: changes nothing about an array that is not sampled.
const TEXTURE_GATHER: u32 = 0x08;
/// `CU_RESOURCE_TYPE_ARRAY`
pub(crate) const RESOURCE_ARRAY: u32 = 0;

/// The texel format of a `CUarray_format` with this number of channels; `None` if the format requires another number.
pub(crate) fn format(number: u32, channels: u32) -> Option<Format> {
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

/// The shape in a descriptor.
fn shape(descriptor: &Array3dDescriptor) -> CallResult<Shape> {
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
    // "Width must be equal to Height, and Depth must be six"; with layers "a multiple of six".
    let cubemap = flags & CUBEMAP != 0;
    let one = flags & LAYERED == 0;
    if cubemap && (width != height || depth == 0 || depth % 6 != 0 || one && depth != 6) {
        return Err(result::ERROR_INVALID_VALUE);
    }
    // The ranges of the device's attributes, and the rule which dimensions are zero.
    let (geometry, limits) = match (layered, width, height, depth) {
        (_, 0, ..) | (true, _, _, 0) => return Err(result::ERROR_INVALID_VALUE),
        (true, _, 0, _) => (Geometry::A1d, [32768, 0, 2048]),
        (true, ..) if cubemap => (if one { Geometry::Cube } else { Geometry::Acube }, [32768, 32768, 2046]),
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
    out: Out<Handle>,
    descriptor: Array3dDescriptor,
) -> CallResult {
    out.required()?;
    let shape = shape(&descriptor)?;
    let number = driver.device.create_array(shape).ok_or(result::ERROR_OUT_OF_MEMORY)?;
    let texel_size = shape.format.texel_size() as usize;
    let handle = driver.insert(context, Object::Array(Array { number, descriptor, texel_size }));
    out.put(handle)
}

fn destroy(driver: &mut Driver, handle: Handle) -> CallResult {
    let number = driver.array(handle)?.number;
    driver.objects.remove(&(handle as u64));
    driver.device.destroy_array(number);
    driver.surfaces.retain(|surface, _| driver.device.array_of(*surface).is_some());
    driver.textures.retain(|_, (_, texture)| texture.array() != Some(handle as u64));
    for (_, object) in driver.objects.values_mut() {
        let bindings = match object {
            Object::Module(module) => module.bindings.as_mut_slice(),
            Object::TextureReference(reference) => std::slice::from_mut(&mut reference.array),
            _ => continue,
        };
        for binding in bindings.iter_mut().filter(|binding| **binding == Some(handle as u64)) {
            *binding = None;
        }
    }
    Ok(())
}

/// "surface load/store": an array that a surface is made of needs the flag.
fn surface_array(driver: &Driver, handle: Handle) -> CallResult<usize> {
    let array = driver.array(handle)?;
    if array.descriptor.flags & SURFACE_LDST == 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    Ok(array.number)
}

entries! {
    fn cuArrayCreate_v2(out: Out<Handle>, descriptor: In<ArrayDescriptor>) {
        current(|driver, context| {
            let ArrayDescriptor { width, height, format, channels } = descriptor.get()?;
            // "Surface load/store" arrays are made by cuArray3DCreate only.
            let descriptor = Array3dDescriptor { width, height, depth: 0, format, channels, flags: 0 };
            create(driver, context, out, descriptor)
        })
    }

    fn cuArray3DCreate_v2(out: Out<Handle>, descriptor: In<Array3dDescriptor>) {
        current(|driver, context| {
            let descriptor = descriptor.get()?;
            create(driver, context, out, descriptor)
        })
    }

    fn cuArrayGetDescriptor_v2(out: Out<ArrayDescriptor>, array: Handle) {
        current(|driver, _| {
            let Array3dDescriptor { width, height, format, channels, .. } = driver.array(array)?.descriptor;
            out.put(ArrayDescriptor { width, height, format, channels })
        })
    }

    fn cuArray3DGetDescriptor_v2(out: Out<Array3dDescriptor>, array: Handle) {
        current(|driver, _| out.put(driver.array(array)?.descriptor))
    }

    fn cuArrayDestroy(array: Handle) {
        current(|driver, _| destroy(driver, array))
    }

    fn cuSurfObjectCreate(out: Out<u64>, descriptor: In<ResourceDescriptor>) {
        current(|driver, context| {
            let descriptor = descriptor.get()?;
            if out.is_null() || descriptor.kind != RESOURCE_ARRAY || descriptor.flags != 0 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let array = surface_array(driver, descriptor.resource[0] as Handle)?;
            let surface = driver.device.create_surface(array).ok_or(result::ERROR_INVALID_HANDLE)?;
            driver.surfaces.insert(surface, (context, descriptor));
            out.put(surface)
        })
    }

    fn cuSurfObjectDestroy(surface: u64) {
        current(|driver, _| {
            driver.surfaces.remove(&surface).ok_or(result::ERROR_INVALID_VALUE)?;
            driver.device.destroy_surface(surface);
            Ok(())
        })
    }

    fn cuSurfObjectGetResourceDesc(out: Out<ResourceDescriptor>, surface: u64) {
        current(|driver, _| {
            let (_, descriptor) = driver.surfaces.get(&surface).ok_or(result::ERROR_INVALID_VALUE)?;
            out.put(*descriptor)
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

    fn cuSurfRefGetArray(out: Out<Handle>, reference: Handle) {
        current(|driver, _| {
            let (module, position) = surface_reference(driver, reference)?;
            let binding = driver.module(module as Handle)?.bindings.get(position).copied().flatten();
            out.put(binding.ok_or(result::ERROR_INVALID_VALUE)? as Handle)
        })
    }
}

/// The module and position of a surface reference.
fn surface_reference(driver: &Driver, handle: Handle) -> CallResult<(u64, usize)> {
    match driver.objects.get(&(handle as u64)) {
        Some((_, Object::SurfaceReference { module, position })) => Ok((*module, *position)),
        _ => Err(result::ERROR_INVALID_HANDLE),
    }
}

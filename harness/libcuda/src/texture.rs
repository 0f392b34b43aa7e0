//! `cuTex*`: texture objects and references.

use std::ffi::c_void;

use warpdiff_emulator::device::BoundTexture;
use warpdiff_model::{AddressMode, FilterMode, ReadMode, Sampler};

use crate::abi::{DevicePointer, Handle, ResourceDescriptor, TextureDescriptor};
use crate::array::{RESOURCE_ARRAY, format};
use crate::boundary::{current, entries};
use crate::driver::{Driver, Object, Texture, TextureReference};
use crate::pointer::{In, Out};
use crate::remark::unsupported;
use crate::result::{self, CallResult};

/// `CU_TRSF_READ_AS_INTEGER`
const READ_AS_INTEGER: u32 = 0x01;
/// `CU_TRSF_NORMALIZED_COORDINATES`
const NORMALIZED_COORDINATES: u32 = 0x02;
/// `CU_TRSF_SRGB`: texels are converted from sRGB to linear values.
const SRGB: u32 = 0x10;
/// `CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION`, `CU_TRSF_SEAMLESS_CUBEMAP`: change nothing about what can be asked of a texture.
const OTHER_FLAGS: u32 = 0x60;
/// `CU_TRSA_OVERRIDE_FORMAT`, which cuTexRefSetArray must be given.
const OVERRIDE_FORMAT: u32 = 1;

impl Texture {
    /// The array that it is made of, by handle.
    pub(crate) fn array(&self) -> Option<u64> {
        (self.resource.kind == RESOURCE_ARRAY).then_some(self.resource.resource[0])
    }
}

fn address_mode(number: u32) -> CallResult<AddressMode> {
    let mode = AddressMode::ALL[..AddressMode::IN_DRIVER_API].get(number as usize);
    mode.map(|(mode, _)| *mode).ok_or(result::ERROR_INVALID_VALUE)
}

fn filter_mode(number: u32) -> CallResult<FilterMode> {
    let mode = FilterMode::ALL.get(number as usize);
    mode.map(|(mode, _)| *mode).ok_or(result::ERROR_INVALID_VALUE)
}

/// A sampler with these flags.
fn flagged(sampler: Sampler, flags: u32) -> CallResult<Sampler> {
    if flags & !(READ_AS_INTEGER | NORMALIZED_COORDINATES | SRGB | OTHER_FLAGS) != 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    if flags & SRGB != 0 {
        return unsupported("a texture that converts from sRGB");
    }
    let read = if flags & READ_AS_INTEGER != 0 { ReadMode::Element } else { ReadMode::NormalizedFloat };
    Ok(Sampler { read, normalized_coordinates: flags & NORMALIZED_COORDINATES != 0, ..sampler })
}

/// The flags of a sampler that it keeps.
fn flags(sampler: &Sampler) -> u32 {
    let read = if sampler.read == ReadMode::Element { READ_AS_INTEGER } else { 0 };
    read | if sampler.normalized_coordinates { NORMALIZED_COORDINATES } else { 0 }
}

fn sampler(descriptor: &TextureDescriptor) -> CallResult<Sampler> {
    let [x, y, z] = descriptor.address.map(address_mode);
    let (address, filter) = ([x?, y?, z?], filter_mode(descriptor.filter)?);
    flagged(Sampler { address, filter, border: descriptor.border, ..Sampler::default() }, descriptor.flags)
}

/// Changes the sampler of a reference.
fn change(reference: Handle, act: impl FnOnce(&mut Sampler) -> CallResult) -> CallResult {
    current(|driver, _| act(&mut driver.texture_reference_mut(reference)?.sampler))
}

fn create(driver: &mut Driver, resource: &ResourceDescriptor, sampler: Sampler) -> CallResult<u64> {
    if resource.kind != RESOURCE_ARRAY {
        return unsupported("a texture of linear memory or of mipmaps");
    }
    let array = driver.array(resource.resource[0] as Handle)?.number;
    driver.device.create_texture(BoundTexture { array, sampler }).ok_or(result::ERROR_INVALID_HANDLE)
}

entries! {
    fn cuTexObjectCreate(
        out: Out<u64>,
        descriptor: In<ResourceDescriptor>,
        texture: In<TextureDescriptor>,
        view: *const c_void,
    ) {
        current(|driver, context| {
            let (resource, described) = (descriptor.get()?, texture.get()?);
            if out.is_null() || resource.kind > 3 || resource.flags != 0 {
                return Err(result::ERROR_INVALID_VALUE);
            }
            if !view.is_null() {
                return unsupported("a resource view of a texture");
            }
            let handle = create(driver, &resource, sampler(&described)?)?;
            driver.textures.insert(handle, (context, Texture { resource, sampler: described }));
            out.put(handle)
        })
    }

    fn cuTexObjectDestroy(texture: u64) {
        current(|driver, _| {
            driver.textures.remove(&texture).ok_or(result::ERROR_INVALID_VALUE)?;
            driver.device.destroy_texture(texture);
            Ok(())
        })
    }

    fn cuTexObjectGetResourceDesc(out: Out<ResourceDescriptor>, texture: u64) {
        current(|driver, _| {
            let (_, texture) = driver.textures.get(&texture).ok_or(result::ERROR_INVALID_VALUE)?;
            out.put(texture.resource)
        })
    }

    fn cuTexObjectGetTextureDesc(out: Out<TextureDescriptor>, texture: u64) {
        current(|driver, _| {
            let (_, texture) = driver.textures.get(&texture).ok_or(result::ERROR_INVALID_VALUE)?;
            out.put(texture.sampler)
        })
    }

    fn cuTexRefCreate(out: Out<Handle>) {
        current(|driver, context| {
            out.required()?;
            let handle = driver.insert(context, Object::TextureReference(TextureReference::default()));
            out.put(handle)
        })
    }

    fn cuTexRefDestroy(reference: Handle) {
        current(|driver, _| {
            driver.texture_reference(reference)?;
            driver.objects.remove(&(reference as u64));
            Ok(())
        })
    }

    fn cuTexRefSetArray(reference: Handle, array: Handle, flags: u32) {
        current(|driver, _| {
            if flags != OVERRIDE_FORMAT {
                return Err(result::ERROR_INVALID_VALUE);
            }
            driver.array(array)?;
            driver.texture_reference_mut(reference)?.array = Some(array as u64);
            Ok(())
        })
    }

    fn cuTexRefGetArray(out: Out<Handle>, reference: Handle) {
        current(|driver, _| {
            let array = driver.texture_reference(reference)?.array.ok_or(result::ERROR_INVALID_VALUE)?;
            out.put(array as Handle)
        })
    }

    fn cuTexRefSetAddress_v2(offset: Out<usize>, reference: Handle, address: DevicePointer, size: usize) {
        current(|driver, _| {
            driver.texture_reference(reference)?;
            driver.device.bytes(address, size).ok_or(result::ERROR_INVALID_VALUE)?;
            // "Any previous address or CUDA array state associated with the texture reference is superseded": linear memory is
            // nothing that a kernel could ask about here.
            driver.texture_reference_mut(reference)?.array = None;
            offset.put_if_wanted(0)
        })
    }

    fn cuTexRefSetFormat(reference: Handle, number: u32, channels: i32) {
        let channels = u32::try_from(channels).map_err(|_| result::ERROR_INVALID_VALUE)?;
        // An array brings its own.
        change(reference, |_| format(number, channels).map(drop).ok_or(result::ERROR_INVALID_VALUE))
    }

    fn cuTexRefSetAddressMode(reference: Handle, dimension: i32, mode: u32) {
        change(reference, |sampler| {
            let slot = usize::try_from(dimension).ok().and_then(|n| sampler.address.get_mut(n));
            *slot.ok_or(result::ERROR_INVALID_VALUE)? = address_mode(mode)?;
            Ok(())
        })
    }

    fn cuTexRefGetAddressMode(out: Out<u32>, reference: Handle, dimension: i32) {
        current(|driver, _| {
            let address = driver.texture_reference(reference)?.sampler.address;
            let mode = usize::try_from(dimension).ok().and_then(|n| address.get(n).copied());
            out.put(mode.ok_or(result::ERROR_INVALID_VALUE)? as u32)
        })
    }

    fn cuTexRefSetFilterMode(reference: Handle, mode: u32) {
        change(reference, |sampler| {
            sampler.filter = filter_mode(mode)?;
            Ok(())
        })
    }

    fn cuTexRefGetFilterMode(out: Out<u32>, reference: Handle) {
        current(|driver, _| out.put(driver.texture_reference(reference)?.sampler.filter as u32))
    }

    fn cuTexRefSetFlags(reference: Handle, flags: u32) {
        change(reference, |sampler| {
            *sampler = flagged(*sampler, flags)?;
            Ok(())
        })
    }

    fn cuTexRefGetFlags(out: Out<u32>, reference: Handle) {
        current(|driver, _| out.put(flags(&driver.texture_reference(reference)?.sampler)))
    }

    fn cuTexRefSetBorderColor(reference: Handle, color: In<[u32; 4]>) {
        let border = color.get()?;
        change(reference, |sampler| {
            sampler.border = border;
            Ok(())
        })
    }

    fn cuTexRefGetBorderColor(out: Out<[u32; 4]>, reference: Handle) {
        current(|driver, _| out.put(driver.texture_reference(reference)?.sampler.border))
    }
}

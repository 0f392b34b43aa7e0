//! Texture objects and references.

use std::ffi::c_char;

use warpdiff_cuda::abi::{ResourceDescriptor, TextureDescriptor};

use crate::library::{Cuda, Handle};
use crate::surfaces::{array_of_u32, create_array};
use crate::{INVALID_HANDLE, INVALID_VALUE, LAUNCH_FAILED, NOT_FOUND, NOT_SUPPORTED, module, words};

// cuda.h, stated again.
const READ_AS_INTEGER: u32 = 1;
const NORMALIZED_COORDINATES: u32 = 2;
const OVERRIDE_FORMAT: u32 = 1;

const QUERY: &str = ".global .texref picture;
.visible .entry by_name(.param .u64 out)
{
    .reg .b32 %r<2>; .reg .b64 %rd;
    ld.param.u64 %rd, [out];
    txq.width.b32 %r0, [picture]; txq.normalized_coords.b32 %r1, [picture];
    st.global.u32 [%rd], %r0; st.global.u32 [%rd+4], %r1; ret;
}
.visible .entry by_handle(.param .u64 out, .param .u64 texture)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [texture];
    txq.width.b32 %r0, [%rd1]; txq.normalized_coords.b32 %r1, [%rd1];
    st.global.u32 [%rd0], %r0; st.global.u32 [%rd0+4], %r1; ret;
}
";

pub(crate) fn sampler(mode: u32, filter: u32, flags: u32) -> TextureDescriptor {
    let address = [mode, 3 - mode.min(3), mode];
    let border = [1f32, 0.5, 0.25, 0.0].map(f32::to_bits);
    TextureDescriptor { address, filter, flags, mipmaps: [0; 5], border, reserved: [0; 12] }
}

pub(crate) fn texture_of(cuda: &Cuda, array: Handle, sampler: &TextureDescriptor) -> Result<u64, u32> {
    let mut resource = [0; 16];
    resource[0] = array as u64;
    let descriptor = ResourceDescriptor { kind: 0, resource, flags: 0 };
    let mut texture = 0u64;
    let create = cuda.call::<fn(*mut u64, *const ResourceDescriptor, *const TextureDescriptor, *const u8)>(
        "cuTexObjectCreate",
    );
    match create(&mut texture, &descriptor, sampler, std::ptr::null()) {
        0 => Ok(texture),
        code => Err(code),
    }
}

#[test]
fn texture_objects_are_made_with_every_mode_and_asked_about() {
    assert_eq!(size_of::<TextureDescriptor>(), 104);
    let cuda = Cuda::new();
    let kernel = cuda.kernel(cuda.module(&module(QUERY)), "by_handle");
    let out = cuda.buffer(&[0; 8]);
    let described = cuda.call::<fn(*mut TextureDescriptor, u64)>("cuTexObjectGetTextureDesc");
    for (width, mode) in (3..).zip(0..4) {
        for filter in [0, 1] {
            for flags in 0..4 {
                let array = create_array(&cuda, &array_of_u32(width, 2));
                let wanted = sampler(mode, filter, flags);
                let texture = texture_of(&cuda, array, &wanted).expect("a texture");
                assert_eq!(cuda.launch(kernel, 1, &mut [out, texture]), 0);
                let normalized = u32::from(flags & NORMALIZED_COORDINATES != 0);
                assert_eq!(cuda.read(out, 8), Ok(words(&[width as u32, normalized])));
                let mut back = sampler(0, 0, 0);
                assert_eq!(described(&mut back, texture), 0);
                assert_eq!(
                    (back.address, back.filter, back.flags, back.border),
                    (wanted.address, filter, flags, wanted.border)
                );
            }
        }
    }
}

#[test]
fn what_is_no_sampler_or_no_array_makes_no_texture() {
    let cuda = Cuda::new();
    let array = create_array(&cuda, &array_of_u32(4, 0));
    for (mode, filter, flags) in [(4, 0, 0), (0, 2, 0), (0, 0, 0x80)] {
        assert_eq!(texture_of(&cuda, array, &sampler(mode, filter, flags)), Err(INVALID_VALUE));
    }
    assert_eq!(texture_of(&cuda, std::ptr::null_mut(), &sampler(0, 0, 0)), Err(INVALID_HANDLE));
    // CU_TRSF_SRGB: a lookup would have to convert.
    assert_eq!(texture_of(&cuda, array, &sampler(0, 0, 0x10)), Err(NOT_SUPPORTED));
}

#[test]
fn texture_references_are_bound_and_keep_what_they_are_told() {
    let cuda = Cuda::new();
    let loaded = cuda.module(&module(QUERY));
    let kernel = cuda.kernel(loaded, "by_name");
    let out = cuda.buffer(&[0; 8]);
    let mut reference: Handle = std::ptr::null_mut();
    let get = cuda.call::<fn(*mut Handle, Handle, *const c_char)>("cuModuleGetTexRef");
    assert_eq!(get(&mut reference, loaded, c"picture".as_ptr()), 0);
    let set_array = cuda.call::<fn(Handle, Handle, u32)>("cuTexRefSetArray");
    let set_address = cuda.call::<fn(Handle, i32, u32)>("cuTexRefSetAddressMode");
    let get_address = cuda.call::<fn(*mut u32, Handle, i32)>("cuTexRefGetAddressMode");
    let set_filter = cuda.call::<fn(Handle, u32)>("cuTexRefSetFilterMode");
    let set_flags = cuda.call::<fn(Handle, u32)>("cuTexRefSetFlags");
    let get_flags = cuda.call::<fn(*mut u32, Handle)>("cuTexRefGetFlags");
    for (width, flags) in [(5, READ_AS_INTEGER), (6, READ_AS_INTEGER | NORMALIZED_COORDINATES)] {
        let array = create_array(&cuda, &array_of_u32(width, 0));
        assert_eq!(set_array(reference, array, OVERRIDE_FORMAT), 0);
        assert_eq!(set_flags(reference, flags), 0);
        assert_eq!(cuda.launch(kernel, 1, &mut [out]), 0);
        assert_eq!(cuda.read(out, 8), Ok(words(&[width as u32, flags >> 1])));
        let mut back = 0;
        assert_eq!((get_flags(&mut back, reference), back), (0, flags));
        assert_eq!(set_array(reference, array, 0), INVALID_VALUE);
    }
    for (dimension, mode) in (0..3).flat_map(|dimension| (0..4).map(move |mode| (dimension, mode))) {
        assert_eq!(set_address(reference, dimension, mode), 0);
        let mut back = 9;
        assert_eq!((get_address(&mut back, reference, dimension), back), (0, mode));
    }
    assert_eq!(set_address(reference, 3, 0), INVALID_VALUE);
    assert_eq!(set_address(reference, 0, 4), INVALID_VALUE);
    assert_eq!(set_filter(reference, 1), 0);
    assert_eq!(set_filter(reference, 2), INVALID_VALUE);
    assert_eq!(get(&mut reference, loaded, c"pictura".as_ptr()), NOT_FOUND);
}

#[test]
fn a_texture_that_was_destroyed_is_no_texture() {
    for destroy_array in [false, true] {
        let cuda = Cuda::new();
        let array = create_array(&cuda, &array_of_u32(4, 0));
        let texture = texture_of(&cuda, array, &sampler(0, 0, READ_AS_INTEGER)).expect("a texture");
        let kernel = cuda.kernel(cuda.module(&module(QUERY)), "by_handle");
        let out = cuda.buffer(&[0; 8]);
        let code = match destroy_array {
            true => cuda.call::<fn(Handle)>("cuArrayDestroy")(array),
            false => cuda.call::<fn(u64)>("cuTexObjectDestroy")(texture),
        };
        assert_eq!(code, 0);
        assert_eq!(cuda.launch(kernel, 1, &mut [out, texture]), 0);
        assert_eq!(cuda.synchronize(), LAUNCH_FAILED);
    }
}

const BY_PARAMETER: &str =
    ".visible .entry k(.param .u64 out, .param .texref image, .param .samplerref sampler)
{
    .reg .b32 %r<2>; .reg .b64 %rd;
    ld.param.u64 %rd, [out];
    txq.width.b32 %r0, [image]; txq.force_unnormalized_coords.b32 %r1, [sampler];
    st.global.u32 [%rd], %r0; st.global.u32 [%rd+4], %r1; ret;
}
";

#[test]
fn parameters_of_opaque_type_take_the_handles_of_texture_objects() {
    let cuda = Cuda::new();
    let text = module(BY_PARAMETER);
    let head = text.find(".target").expect("a target");
    let end = head + text[head..].find('\n').expect("a line");
    let independent = format!("{}, texmode_independent{}", &text[..end], &text[end..]);
    let kernel = cuda.kernel(cuda.module(&independent), "k");
    let out = cuda.buffer(&[0; 8]);
    for (width, flags, forced) in [(5, READ_AS_INTEGER, 1), (6, READ_AS_INTEGER | NORMALIZED_COORDINATES, 0)]
    {
        let image = create_array(&cuda, &array_of_u32(width, 0));
        let image = texture_of(&cuda, image, &sampler(0, 0, READ_AS_INTEGER)).expect("a texture");
        let other = create_array(&cuda, &array_of_u32(1, 0));
        let sampler = texture_of(&cuda, other, &sampler(0, 0, flags)).expect("a texture");
        assert_eq!(cuda.launch(kernel, 1, &mut [out, image, sampler]), 0);
        // A sampler of texels forces unnormalised coordinates.
        assert_eq!(cuda.read(out, 8), Ok(words(&[width as u32, forced])));
        assert_eq!(cuda.launch(kernel, 1, &mut [out, image, 0]), INVALID_HANDLE);
        assert_eq!(cuda.launch(kernel, 1, &mut [out, 0, sampler]), INVALID_HANDLE);
    }
}

//! Arrays, their copies, and the surfaces made of them.

use std::ffi::{c_char, c_void};

use crate::library::{Cuda, Handle};
use crate::{INVALID_HANDLE, INVALID_VALUE, LAUNCH_FAILED, NOT_FOUND, NOT_SUPPORTED, module, words};

/// `CUDA_ARRAY3D_DESCRIPTOR` of an array of u32 texels that surfaces can be made of.
pub(crate) fn array_of_u32(width: usize, height: usize) -> warpdiff_cuda::abi::Array3dDescriptor {
    warpdiff_cuda::abi::Array3dDescriptor { width, height, depth: 0, format: 3, channels: 1, flags: 2 }
}

/// Copies between an array and the host.
pub(crate) fn copy_array(
    cuda: &Cuda,
    array: Handle,
    bytes: &mut [u8],
    width: usize,
    height: usize,
    to_array: bool,
) -> u32 {
    let null = std::ptr::null_mut();
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let (host_type, array_type) = (1, 3);
    let copy = warpdiff_cuda::abi::Memcpy2d {
        src_x: 0,
        src_y: 0,
        src_type: if to_array { host_type } else { array_type },
        src_host: host,
        src_device: 0,
        src_array: if to_array { null } else { array },
        src_pitch: width,
        dst_x: 0,
        dst_y: 0,
        dst_type: if to_array { array_type } else { host_type },
        dst_host: host,
        dst_device: 0,
        dst_array: if to_array { array } else { null },
        dst_pitch: width,
        width,
        height,
    };
    cuda.call::<fn(*const warpdiff_cuda::abi::Memcpy2d)>("cuMemcpy2D_v2")(&copy)
}

pub(crate) fn create_array(cuda: &Cuda, descriptor: &warpdiff_cuda::abi::Array3dDescriptor) -> Handle {
    let mut array: Handle = std::ptr::null_mut();
    let create =
        cuda.call::<fn(*mut Handle, *const warpdiff_cuda::abi::Array3dDescriptor)>("cuArray3DCreate_v2");
    assert_eq!(create(&mut array, descriptor), 0);
    array
}

pub(crate) fn surface_of(cuda: &Cuda, array: Handle) -> Result<u64, u32> {
    let mut resource = [0; 16];
    resource[0] = array as u64;
    let descriptor = warpdiff_cuda::abi::ResourceDescriptor { kind: 0, resource, flags: 0 };
    let mut surface = 0u64;
    let create =
        cuda.call::<fn(*mut u64, *const warpdiff_cuda::abi::ResourceDescriptor)>("cuSurfObjectCreate");
    match create(&mut surface, &descriptor) {
        0 => Ok(surface),
        code => Err(code),
    }
}

#[test]
fn surfaces_are_written_and_read_back() {
    let cuda = Cuda::new();
    let array = create_array(&cuda, &array_of_u32(4, 2));
    let mut texels = words(&[0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(copy_array(&cuda, array, &mut texels, 16, 2, true), 0);
    let surface = surface_of(&cuda, array).expect("a surface");
    // Thread t copies texel (t, 1) to (t, 0) and stores it in a buffer, too. x counts bytes.
    let text = module(
        ".visible .entry k(.param .u64 surface, .param .u64 out)
        {
            .reg .b32 %r<3>; .reg .b64 %rd<4>;
            ld.param.u64 %rd0, [surface]; ld.param.u64 %rd1, [out];
            mov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 2; mov.u32 %r2, 1;
            suld.b.2d.b32.trap %r1, [%rd0, {%r0, %r2}];
            mov.u32 %r2, 0;
            sust.b.2d.b32.trap [%rd0, {%r0, %r2}], %r1;
            cvt.u64.u32 %rd2, %r0; add.u64 %rd1, %rd1, %rd2;
            st.global.u32 [%rd1], %r1;
            ret;
        }",
    );
    let kernel = cuda.kernel(cuda.module(&text), "k");
    let out = cuda.buffer(&[0; 16]);
    assert_eq!(cuda.launch(kernel, 4, &mut [surface, out]), 0);
    assert_eq!(cuda.synchronize(), 0);
    assert_eq!(cuda.read(out, 16), Ok(words(&[4, 5, 6, 7])));
    let mut back = vec![0; 32];
    assert_eq!(copy_array(&cuda, array, &mut back, 16, 2, false), 0);
    assert_eq!(back, words(&[4, 5, 6, 7, 4, 5, 6, 7]));
}

#[test]
fn a_surface_needs_an_array_with_the_flag() {
    let cuda = Cuda::new();
    let plain =
        create_array(&cuda, &warpdiff_cuda::abi::Array3dDescriptor { flags: 0, ..array_of_u32(4, 2) });
    assert_eq!(surface_of(&cuda, plain), Err(INVALID_VALUE));
    assert_eq!(surface_of(&cuda, std::ptr::null_mut()), Err(INVALID_HANDLE));
}

#[cfg(not(feature = "inject-missing-symbol"))]
#[test]
fn surface_references_are_bound_and_bound_again() {
    let cuda = Cuda::new();
    let loaded = cuda.module(&module(
        ".global .surfref image;
        .visible .entry k(.param .u64 out)
        {
            .reg .b32 %r<2>; .reg .b64 %rd;
            ld.param.u64 %rd, [out]; mov.u32 %r0, 4;
            suld.b.1d.b32.trap %r1, [image, {%r0}];
            st.global.u32 [%rd], %r1; ret;
        }",
    ));
    let kernel = cuda.kernel(loaded, "k");
    let out = cuda.buffer(&[0; 4]);
    let mut reference: Handle = std::ptr::null_mut();
    let get = cuda.call::<fn(*mut Handle, Handle, *const c_char)>("cuModuleGetSurfRef");
    assert_eq!(get(&mut reference, loaded, c"image".as_ptr()), 0);
    let set = cuda.call::<fn(Handle, Handle, u32)>("cuSurfRefSetArray");
    for first in [100, 200] {
        let array = create_array(&cuda, &array_of_u32(2, 0));
        let mut texels = words(&[first, first + 1]);
        assert_eq!(copy_array(&cuda, array, &mut texels, 8, 1, true), 0);
        assert_eq!(set(reference, array, 0), 0);
        assert_eq!(cuda.launch(kernel, 1, &mut [out]), 0);
        // Byte 4 of the row is the second texel.
        assert_eq!(cuda.read(out, 4), Ok(words(&[first + 1])));
    }
    assert_eq!(get(&mut reference, loaded, c"imaga".as_ptr()), NOT_FOUND);
}

#[test]
fn boxes_are_copied_between_pitched_memory_and_layers() {
    use warpdiff_cuda::abi::{Array3dDescriptor, Memcpy3d};
    let cuda = Cuda::new();
    // Two layers of 3 x 2 texels of one byte each.
    let layered = Array3dDescriptor { width: 3, height: 2, depth: 2, format: 1, channels: 1, flags: 1 };
    let array = create_array(&cuda, &layered);
    let null = std::ptr::null_mut();
    let empty = Memcpy3d {
        src_x: 0,
        src_y: 0,
        src_z: 0,
        src_lod: 0,
        src_type: 1,
        src_host: null,
        src_device: 0,
        src_array: null,
        reserved0: null,
        src_pitch: 0,
        src_height: 0,
        dst_x: 0,
        dst_y: 0,
        dst_z: 0,
        dst_lod: 0,
        dst_type: 1,
        dst_host: null,
        dst_device: 0,
        dst_array: null,
        reserved1: null,
        dst_pitch: 0,
        dst_height: 0,
        width: 3,
        height: 2,
        depth: 2,
    };
    let copy = cuda.call::<fn(*const Memcpy3d)>("cuMemcpy3D_v2");
    // Device memory with rows of four bytes and three rows a layer; `.` is padding.
    let memory = cuda.buffer(b"abc.def.....ghi.jkl.....");
    let to_array = Memcpy3d { src_type: 2, src_device: memory, src_pitch: 4, src_height: 3, ..empty };
    assert_eq!(copy(&Memcpy3d { dst_type: 3, dst_array: array, ..to_array }), 0);
    let mut host = [b'.'; 12];
    let to_host = Memcpy3d { src_type: 3, src_array: array, dst_host: host.as_mut_ptr().cast(), ..empty };
    assert_eq!(copy(&to_host), 0);
    assert_eq!(&host, b"abcdefghijkl");
    // One texel: the middle of the second row of the second layer, to the end of the host's bytes.
    let mut host = [b'.'; 4];
    let one = Memcpy3d { src_x: 1, src_y: 1, src_z: 1, width: 1, height: 1, depth: 1, ..to_host };
    assert_eq!(copy(&Memcpy3d { dst_host: host.as_mut_ptr().cast(), dst_x: 3, dst_pitch: 4, ..one }), 0);
    assert_eq!(&host, b"...k");
    // A row more than there is.
    assert_eq!(copy(&Memcpy3d { src_y: 1, ..to_host }), INVALID_VALUE);
    assert_eq!(copy(&Memcpy3d { src_z: 1, ..to_host }), INVALID_VALUE);
    assert_eq!(copy(&Memcpy3d { src_type: 9, ..to_host }), INVALID_VALUE);
}

#[test]
fn arrays_exist_in_the_shapes_and_formats_of_cuda() {
    use warpdiff_cuda::abi::Array3dDescriptor;
    let cuda = Cuda::new();
    let create = cuda.call::<fn(*mut Handle, *const Array3dDescriptor)>("cuArray3DCreate_v2");
    let code = |width, height, depth, format, channels, flags| {
        let mut array: Handle = std::ptr::null_mut();
        create(&mut array, &Array3dDescriptor { width, height, depth, format, channels, flags })
    };
    // 1D, 2D, 3D, 1D layered, 2D layered, cubemap, two of them.
    for (width, height, depth, flags) in
        [(4, 0, 0, 2), (4, 4, 0, 2), (4, 4, 4, 2), (4, 0, 3, 3), (4, 4, 3, 3), (4, 4, 6, 6), (4, 4, 12, 7)]
    {
        assert_eq!(code(width, height, depth, 3, 1, flags), 0, "{width} {height} {depth} {flags}");
    }
    // No width, depth without height, layers without depth, a cubemap with five faces, and one of two cubes without layers.
    for (width, height, depth, flags) in
        [(0, 0, 0, 2), (4, 0, 4, 2), (4, 4, 0, 3), (4, 4, 5, 6), (4, 4, 12, 6)]
    {
        assert_eq!(
            code(width, height, depth, 3, 1, flags),
            INVALID_VALUE,
            "{width} {height} {depth} {flags}"
        );
    }
    for format in [0x01, 0x02, 0x03, 0x08, 0x09, 0x0A, 0x10, 0x20] {
        for (channels, expected) in [(1, 0), (2, 0), (3, INVALID_VALUE), (4, 0), (0, INVALID_VALUE)] {
            assert_eq!(code(4, 4, 0, format, channels, 2), expected, "{format:#x} x {channels}");
        }
    }
    // CU_AD_FORMAT_UNORM_INT8X2 has two channels; BC1 exists, and is not served; 0x77 does not exist.
    assert_eq!(code(4, 4, 0, 0xC1, 2, 2), 0);
    assert_eq!(code(4, 4, 0, 0xC1, 4, 2), INVALID_VALUE);
    assert_eq!(code(4, 4, 0, 0x91, 4, 0), NOT_SUPPORTED);
    assert_eq!(code(4, 4, 0, 0x77, 4, 0), INVALID_VALUE);
}

/// Handles are used again, or a client that makes many surfaces would have the table grow without end; but not at once, so that one that
/// outlives its surface is found out.
#[test]
fn handles_of_destroyed_surfaces_rest_before_they_are_used_again() {
    let cuda = Cuda::new();
    let array = create_array(&cuda, &array_of_u32(4, 0));
    let destroy = cuda.call::<fn(u64)>("cuSurfObjectDestroy");
    let kept = surface_of(&cuda, array).expect("a surface");
    let mut handles = Vec::new();
    for _ in 0..2000 {
        let handle = surface_of(&cuda, array).expect("a surface");
        assert_eq!(destroy(handle), 0);
        // "cuSurfObjectDestroy: CUDA_ERROR_INVALID_VALUE" of what is no surface object.
        assert_eq!(destroy(handle), INVALID_VALUE);
        handles.push(handle);
    }
    assert!(!handles.contains(&kept), "the handle of a surface that exists is given to another");
    let distinct: std::collections::BTreeSet<_> = handles.iter().collect();
    assert!(distinct.len() < 300, "{} handles for one surface at a time", distinct.len());
    assert!(handles.windows(200).all(|some| some[1..].iter().all(|handle| *handle != some[0])));
    // The surface that was there all the while still is.
    let text = module(
        ".visible .entry k(.param .u64 surface)
        { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [surface]; mov.u32 %r, 0; sust.b.1d.b32.trap [%rd, {%r}], %r; ret; }",
    );
    let kernel = cuda.kernel(cuda.module(&text), "k");
    assert_eq!(cuda.launch(kernel, 1, &mut [kept]), 0);
    assert_eq!(cuda.synchronize(), 0);
    assert_eq!(cuda.launch(kernel, 1, &mut [handles[1999]]), 0);
    assert_eq!(cuda.synchronize(), LAUNCH_FAILED);
}

#[test]
fn a_surface_that_was_destroyed_is_no_surface() {
    for destroy_array in [false, true] {
        let cuda = Cuda::new();
        let array = create_array(&cuda, &array_of_u32(4, 0));
        let (first, second) = (surface_of(&cuda, array), surface_of(&cuda, array));
        let (first, second) = (first.expect("a surface"), second.expect("another of the same array"));
        assert_ne!(first, second);
        let text = module(
            ".visible .entry k(.param .u64 surface)
            { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [surface]; mov.u32 %r, 0; sust.b.1d.b32.trap [%rd, {%r}], %r; ret; }",
        );
        let kernel = cuda.kernel(cuda.module(&text), "k");
        if destroy_array {
            assert_eq!(cuda.call::<fn(Handle)>("cuArrayDestroy")(array), 0);
        } else {
            assert_eq!(cuda.call::<fn(u64)>("cuSurfObjectDestroy")(first), 0);
            // The other surface of the array is alive.
            assert_eq!(cuda.launch(kernel, 1, &mut [second]), 0);
            assert_eq!(cuda.synchronize(), 0);
        }
        assert_eq!(cuda.launch(kernel, 1, &mut [first]), 0);
        assert_eq!(cuda.synchronize(), LAUNCH_FAILED);
    }
}

/// Parameters of opaque type have no bytes in a buffer; their handles lie behind it, in the order of the parameters.
#[test]
fn packed_arguments_have_the_handles_of_opaque_parameters_behind_them() {
    let cuda = Cuda::new();
    let arrays: Vec<Handle> = (0..2).map(|_| create_array(&cuda, &array_of_u32(1, 1))).collect();
    let surfaces: Vec<u64> = arrays
        .iter()
        .zip([5, 9])
        .map(|(array, texel)| {
            assert_eq!(copy_array(&cuda, *array, &mut words(&[texel]), 4, 1, true), 0);
            surface_of(&cuda, *array).expect("a surface")
        })
        .collect();
    let text = module(
        ".visible .entry k(.param .surfref one, .param .u64 out, .param .surfref two, .param .u32 more)
        {
            .reg .b32 %r<3>; .reg .b64 %rd<1>;
            ld.param.u64 %rd0, [out]; ld.param.u32 %r2, [more];
            suld.b.2d.b32.trap %r0, [one, {0, 0}]; suld.b.2d.b32.trap %r1, [two, {0, 0}];
            add.u32 %r1, %r1, %r2;
            st.global.u32 [%rd0], %r0; st.global.u32 [%rd0+4], %r1; ret;
        }",
    );
    let kernel = cuda.kernel(cuda.module(&text), "k");
    let out = cuda.buffer(&[0; 8]);
    // The parameters with bytes take 12, the handles begin at the next multiple of 8.
    let packed = |one: u64| [out, 100, one, surfaces[1]].map(u64::to_le_bytes).concat();
    let launch = |mut packed: Vec<u8>| {
        let mut len = packed.len();
        let mut extra: [*mut c_void; 5] = [
            std::ptr::without_provenance_mut(1),
            packed.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(2),
            (&raw mut len).cast(),
            std::ptr::null_mut(),
        ];
        cuda.launch_packed(kernel, &mut extra)
    };
    assert_eq!(launch(packed(surfaces[0])), 0);
    assert_eq!(cuda.read(out, 8), Ok(words(&[5, 109])));
    // Without all of the last handle, without it, and with one of nothing.
    assert_eq!(launch(packed(surfaces[0])[..31].to_vec()), INVALID_VALUE);
    assert_eq!(launch(packed(surfaces[0])[..24].to_vec()), INVALID_VALUE);
    assert_eq!(launch(packed(1)), INVALID_HANDLE);
}

//! Cubins: machine code that a compiler or `warpdiff assemble --cubin` made.

use std::ffi::CString;

use warpdiff_cuda::abi::TextureDescriptor;
use warpdiff_sass::Header;
use warpdiff_sass::cubin::{Cubin, Kernel};

use super::library::{Cuda, Handle};
use super::surfaces::{array_of_u32, copy_array, create_array, surface_of};
use super::textures::{sampler, texture_of};
use super::words;

const INVALID_IMAGE: u32 = 200;
const NO_BINARY_FOR_GPU: u32 = 209;

/// `cubins/two.ptx`, as it says there.
const TWO: &[u8] = include_bytes!("cubins/two.cubin");
/// The offset of `e_flags`, whose low byte is the architecture.
const FLAGS: usize = 0x30;

fn load(cuda: &Cuda, image: &[u8]) -> Result<Handle, u32> {
    let mut module: Handle = std::ptr::null_mut();
    let load = cuda.call::<fn(*mut Handle, *const u8)>("cuModuleLoadData");
    match load(&mut module, image.as_ptr()) {
        0 => Ok(module),
        code => Err(code),
    }
}

fn variable(cuda: &Cuda, module: Handle, name: &str) -> (u64, usize) {
    let (mut address, mut size) = (0_u64, 0_usize);
    let name = CString::new(name).unwrap();
    let get = cuda.call::<fn(*mut u64, *mut usize, Handle, *const std::ffi::c_char)>("cuModuleGetGlobal_v2");
    assert_eq!(get(&mut address, &mut size, module, name.as_ptr()), 0);
    (address, size)
}

fn write(cuda: &Cuda, address: u64, bytes: &[u8]) {
    let copy = cuda.call::<fn(u64, *const u8, usize)>("cuMemcpyHtoD_v2");
    assert_eq!(copy(address, bytes.as_ptr(), bytes.len()), 0);
}

#[test]
fn a_cubin_of_the_compiler_runs() {
    let cuda = Cuda::new();
    let module = load(&cuda, TWO).unwrap();
    let (scale, count) = (cuda.kernel(module, "scale"), cuda.kernel(module, "count"));
    let out = cuda.buffer(&[0; 8]);
    assert_eq!(cuda.launch(scale, 2, &mut [out, 10]), 0);
    assert_eq!(cuda.synchronize(), 0);
    // Each of two threads takes its neighbour's sum, 11 and 10, times 3, plus 100.
    assert_eq!(cuda.read(out, 8), Ok(words(&[133, 130])));
    // The host may write the variables; kernels share them.
    let (factor, size) = variable(&cuda, module, "factor");
    assert_eq!(size, 8);
    write(&cuda, factor, &words(&[2, 1]));
    assert_eq!(cuda.launch(scale, 2, &mut [out, 10]), 0);
    assert_eq!(cuda.read(out, 8), Ok(words(&[23, 21])));
    let (counter, size) = variable(&cuda, module, "counter");
    assert_eq!((size, cuda.read(counter, 4)), (4, Ok(words(&[5]))));
    assert_eq!(cuda.launch(count, 3, &mut [7]), 0);
    assert_eq!(cuda.read(counter, 4), Ok(words(&[26])));
    assert_eq!(cuda.call::<fn(Handle)>("cuModuleUnload")(module), 0);
}

#[test]
fn two_modules_have_variables_of_their_own() {
    let cuda = Cuda::new();
    let modules = [load(&cuda, TWO).unwrap(), load(&cuda, TWO).unwrap()];
    let counters = modules.map(|module| variable(&cuda, module, "counter").0);
    assert_eq!(cuda.launch(cuda.kernel(modules[1], "count"), 1, &mut [1]), 0);
    assert_eq!(counters.map(|counter| cuda.read(counter, 4).unwrap()), [words(&[5]), words(&[6])]);
}

#[test]
fn a_cubin_that_was_assembled_runs() {
    let text = "MOV R2, c[0x0][0x140]; MOV R3, c[0x0][0x144]; S2R R0, SR_TID.X; MOV R1, c[0x0][0x148]; \
        IADD R1, R1, R0; SHL R4, R0, 0x2; IADD R2.CC, R2, R4; IADD.X R3, R3, RZ; STG.E [R2], R1; EXIT;";
    let program = warpdiff_sass::compile(text, &Header { registers: 6, ..Header::default() }).unwrap();
    let kernel = Kernel::of_program(&program, "probe", &[8, 4]);
    let image = Cubin::of_kernels(vec![kernel]).write().unwrap();
    let cuda = Cuda::new();
    let module = load(&cuda, &image).unwrap();
    let out = cuda.buffer(&[0; 12]);
    assert_eq!(cuda.launch(cuda.kernel(module, "probe"), 3, &mut [out, 40]), 0);
    assert_eq!(cuda.read(out, 12), Ok(words(&[40, 41, 42])));
    // From a file it is the same.
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &image).unwrap();
    let path = CString::new(file.path().to_str().unwrap()).unwrap();
    let mut module: Handle = std::ptr::null_mut();
    let load = cuda.call::<fn(*mut Handle, *const std::ffi::c_char)>("cuModuleLoad");
    assert_eq!(load(&mut module, path.as_ptr()), 0);
    assert_eq!(cuda.launch(cuda.kernel(module, "probe"), 1, &mut [out, 7]), 0);
    assert_eq!(cuda.read(out, 12), Ok(words(&[7, 41, 42])));
}

/// Machine code names a surface by a small number that the driver gives it; the client passes the handle of the object.
#[test]
fn a_surface_is_passed_by_its_handle() {
    let cuda = Cuda::new();
    let array = create_array(&cuda, &array_of_u32(4, 0));
    assert_eq!(copy_array(&cuda, array, &mut words(&[9, 8, 7, 6]), 16, 1, true), 0);
    let surfaces = [surface_of(&cuda, array).unwrap(), surface_of(&cuda, array).unwrap()];
    let module = load(&cuda, include_bytes!("cubins/surface.cubin")).unwrap();
    let out = cuda.buffer(&[0; 16]);
    assert_eq!(cuda.launch(cuda.kernel(module, "copy"), 4, &mut [surfaces[1], out]), 0);
    assert_eq!(cuda.read(out, 16), Ok(words(&[9, 8, 7, 6])));
    // A surface that has been destroyed is none.
    assert_eq!(cuda.call::<fn(u64)>("cuSurfObjectDestroy")(surfaces[1]), 0);
    assert_eq!(cuda.launch(cuda.kernel(module, "copy"), 4, &mut [surfaces[1], out]), 0);
    assert_eq!(cuda.synchronize(), super::LAUNCH_FAILED);
}

/// `CL_UNSIGNED_INT32` and `CL_R`, which a channel of 32 bits without a sign is (PTX ISA 5.3.3, Tables 12 and 13).
const UNSIGNED_INT32: u32 = 0x10DC;
const ONE_CHANNEL: u32 = 0x10B0;

/// The compiler makes loads from the driver's tables of all queries but those of the header: width and height.
#[test]
fn surfaces_and_textures_are_asked_about() {
    let cuda = Cuda::new();
    let module = load(&cuda, include_bytes!("cubins/queries.cubin")).unwrap();
    let (of_surface, of_texture) = (cuda.kernel(module, "of_surface"), cuda.kernel(module, "of_texture"));
    let arrays = [(5, 3), (6, 0), (7, 2), (8, 0)]
        .map(|(width, height)| create_array(&cuda, &array_of_u32(width, height)));
    // By name.
    let mut plane: Handle = std::ptr::null_mut();
    let get = cuda.call::<fn(*mut Handle, Handle, *const std::ffi::c_char)>("cuModuleGetSurfRef");
    assert_eq!(get(&mut plane, module, c"plane".as_ptr()), 0);
    assert_eq!(cuda.call::<fn(Handle, Handle, u32)>("cuSurfRefSetArray")(plane, arrays[1], 0), 0);
    let mut picture: Handle = std::ptr::null_mut();
    let get = cuda.call::<fn(*mut Handle, Handle, *const std::ffi::c_char)>("cuModuleGetTexRef");
    assert_eq!(get(&mut picture, module, c"picture".as_ptr()), 0);
    assert_eq!(cuda.call::<fn(Handle, Handle, u32)>("cuTexRefSetArray")(picture, arrays[3], 1), 0);
    assert_eq!(cuda.call::<fn(Handle, u32)>("cuTexRefSetFilterMode")(picture, 1), 0);
    // By handle; a surface that was destroyed before lies between.
    let gone = surface_of(&cuda, arrays[1]).unwrap();
    let surface = surface_of(&cuda, arrays[0]).unwrap();
    assert_eq!(cuda.call::<fn(u64)>("cuSurfObjectDestroy")(gone), 0);
    let out = cuda.buffer(&[0xA5; 48]);
    assert_eq!(cuda.launch(of_surface, 1, &mut [out, surface]), 0);
    // Neither is an array of surfaces, and CUDA arrays have no linear layout.
    let expected = [5, 3, UNSIGNED_INT32, ONE_CHANNEL, 0, 0, 6, ONE_CHANNEL];
    assert_eq!(cuda.read(out, 32), Ok(words(&expected)));
    // Mirrored along x and clamped along y, linear, normalised; of PTX mirror is 1, clamp_to_edge 3 and linear 1.
    const NORMALIZED_COORDINATES: u32 = 2;
    let sampler = TextureDescriptor { address: [2, 1, 1], ..sampler(0, 1, NORMALIZED_COORDINATES) };
    let texture = texture_of(&cuda, arrays[2], &sampler).unwrap();
    // Twice: what a launch adds to the memory of the device is gone after it.
    for _ in 0..2 {
        assert_eq!(cuda.launch(of_texture, 1, &mut [out, texture]), 0);
        let expected = [7, 2, UNSIGNED_INT32, ONE_CHANNEL, 1, 1, 1, 3, 0, 0, 8, 1];
        assert_eq!(cuda.read(out, 48), Ok(words(&expected)));
    }
    assert_eq!(cuda.read(cuda.buffer(&[1, 2, 3, 4]), 4), Ok(vec![1, 2, 3, 4]));
}

#[test]
fn an_access_beyond_memory_faults() {
    let cuda = Cuda::new();
    let module = load(&cuda, TWO).unwrap();
    assert_eq!(cuda.launch(cuda.kernel(module, "scale"), 1, &mut [16, 10]), 0);
    assert_eq!(cuda.synchronize(), super::ILLEGAL_ADDRESS);
}

#[test]
fn other_architectures_and_damaged_files_are_told_apart() {
    let cuda = Cuda::new();
    let with = |at: usize, byte: u8| {
        let mut image = TWO.to_vec();
        image[at] = byte;
        load(&cuda, &image).err()
    };
    assert_eq!([60, 75, 90].map(|architecture| with(FLAGS, architecture)), [Some(NO_BINARY_FOR_GPU); 3]);
    assert_eq!([50, 52, 53].map(|architecture| with(FLAGS, architecture)), [None; 3]);
    // As ptxas 12.9 writes cubins for sm_100: version 8 of the ABI, with the architecture in the second byte.
    let mut newer = TWO.to_vec();
    newer[8] = 8;
    newer[FLAGS..FLAGS + 4].copy_from_slice(&[0x02, 100, 0x00, 0x06]);
    assert_eq!(load(&cuda, &newer).err(), Some(NO_BINARY_FOR_GPU));
    let why = warpdiff_sass::cubin::Cubin::read(&newer).err();
    assert_eq!(why.as_deref(), Some("unsupported: the instructions of sm_100"));
    // Without an architecture; of another machine; of 32 bits; the name of the first section outside the file.
    let sections = u64::from_le_bytes(TWO[0x28..0x30].try_into().unwrap()) as usize;
    let damaged = [with(FLAGS, 0), with(18, 62), with(4, 1), with(sections + 64 + 3, 0x7f)];
    assert_eq!(damaged, [Some(INVALID_IMAGE); 4]);
}

//! The structures of `cuda.h` that cross the boundary, with every enum as the integer it is.
//!
//! A client may pass any number where the header says enum; a closed Rust enum would make that undefined behaviour. The
//! tests compare sizes and offsets with the bindings of the cudarc crate.

use std::ffi::c_void;

/// `CUdeviceptr`.
pub type DevicePointer = u64;
/// Any `CU…` handle: a pointer that is never followed.
pub type Handle = *mut c_void;

/// `CUDA_ARRAY_DESCRIPTOR_v2`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ArrayDescriptor {
    /// Width in texels.
    pub width: usize,
    /// Height in texels; 0 for a 1D array.
    pub height: usize,
    /// `CUarray_format`.
    pub format: u32,
    /// 1, 2 or 4.
    pub channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR_v2`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Array3dDescriptor {
    /// Width in texels.
    pub width: usize,
    /// Height in texels; 0 for a 1D array.
    pub height: usize,
    /// Depth in texels, or layers; 0 for a 1D or 2D array.
    pub depth: usize,
    /// `CUarray_format`.
    pub format: u32,
    /// 1, 2 or 4.
    pub channels: u32,
    /// `CUDA_ARRAY3D_…`
    pub flags: u32,
}

/// `CUDA_MEMCPY2D_v2`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "fields as in cuda.h")]
pub struct Memcpy2d {
    pub src_x: usize,
    pub src_y: usize,
    pub src_type: u32,
    pub src_host: *const c_void,
    pub src_device: DevicePointer,
    pub src_array: Handle,
    pub src_pitch: usize,
    pub dst_x: usize,
    pub dst_y: usize,
    pub dst_type: u32,
    pub dst_host: *mut c_void,
    pub dst_device: DevicePointer,
    pub dst_array: Handle,
    pub dst_pitch: usize,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D_v2`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "fields as in cuda.h")]
pub struct Memcpy3d {
    pub src_x: usize,
    pub src_y: usize,
    pub src_z: usize,
    pub src_lod: usize,
    pub src_type: u32,
    pub src_host: *const c_void,
    pub src_device: DevicePointer,
    pub src_array: Handle,
    pub reserved0: *mut c_void,
    pub src_pitch: usize,
    pub src_height: usize,
    pub dst_x: usize,
    pub dst_y: usize,
    pub dst_z: usize,
    pub dst_lod: usize,
    pub dst_type: u32,
    pub dst_host: *mut c_void,
    pub dst_device: DevicePointer,
    pub dst_array: Handle,
    pub reserved1: *mut c_void,
    pub dst_pitch: usize,
    pub dst_height: usize,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `CUDA_RESOURCE_DESC`: of the union only its first word is looked at, the array.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ResourceDescriptor {
    /// `CUresourcetype`: 0 is an array.
    pub kind: u32,
    /// The union; `resource[0]` is the array.
    pub resource: [u64; 16],
    /// 0.
    pub flags: u32,
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TextureDescriptor {
    /// `CUaddress_mode` of x, y, z.
    pub address: [u32; 3],
    /// `CUfilter_mode`
    pub filter: u32,
    /// `CU_TRSF_…`
    pub flags: u32,
    /// Anisotropy and mipmaps, which nothing here has: all zero.
    pub mipmaps: [u32; 5],
    /// Bits of the four floats.
    pub border: [u32; 4],
    /// Zero.
    pub reserved: [i32; 12],
}

/// `CUlaunchConfig`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Stream.
    pub stream: Handle,
    /// Attributes.
    pub attributes: *const LaunchAttribute,
    /// How many.
    pub attribute_count: u32,
}

/// `CUlaunchAttribute`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LaunchAttribute {
    /// `CUlaunchAttributeID`.
    pub id: u32,
    /// Padding.
    pub pad: [u8; 4],
    /// The union.
    pub value: [u64; 8],
}

impl LaunchAttribute {
    /// Word `n` of the union.
    pub fn word(&self, n: usize) -> u32 {
        (self.value[n / 2] >> (32 * (n % 2))) as u32
    }
}

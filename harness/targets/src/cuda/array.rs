//! Descriptors of CUDA arrays: formats, extents and copies of surfaces.

use std::ptr::{null, null_mut};

use cudarc::driver::sys::{CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUarray, CUarray_format, CUmemorytype};
use warpdiff_model::{ChannelType, Format, Geometry, Surface};

// From cuda.h, where they are macros.
const ARRAY3D_LAYERED: u32 = 0x01;
const ARRAY3D_CUBEMAP: u32 = 0x04;
pub(super) const ARRAY3D_SURFACE_LDST: u32 = 0x02;

/// A CUDA array with surface load/store, with the sizes that copies need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    pub(super) handle: CUarray,
    row_bytes: usize,
    rows: usize,
    slices: usize,
}

impl Array {
    /// The array for a surface, without a handle yet, and its descriptor.
    pub(super) fn of(surface: &Surface) -> (Self, CUDA_ARRAY3D_DESCRIPTOR) {
        let size = |n: u32| n as usize;
        let [width, height, depth] = surface.extent.map(size);
        let layers = size(surface.layers);
        // "If Height and Depth are 0, a 1D array is allocated …; with CUDA_ARRAY3D_LAYERED, Depth is the number of layers."
        let (height, depth, flags) = match surface.geometry {
            Geometry::D1 => (0, 0, 0),
            Geometry::D2 => (height, 0, 0),
            Geometry::D3 => (height, depth, 0),
            Geometry::A1d => (0, layers, ARRAY3D_LAYERED),
            Geometry::A2d => (height, layers, ARRAY3D_LAYERED),
            // "The Depth extent … must be six" of a cubemap, and "a multiple of six" of layers of them.
            Geometry::Cube => (height, layers, ARRAY3D_CUBEMAP),
            Geometry::Acube => (height, layers, ARRAY3D_CUBEMAP | ARRAY3D_LAYERED),
        };
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: height,
            Depth: depth,
            Format: array_format(surface.format),
            NumChannels: u32::from(surface.format.channels),
            Flags: flags | ARRAY3D_SURFACE_LDST,
        };
        let row_bytes = width * surface.format.texel_size() as usize;
        (Self { handle: null_mut(), row_bytes, rows: height.max(1), slices: depth.max(1) }, descriptor)
    }

    /// Bytes of all texels.
    pub(super) fn size(self) -> usize {
        self.row_bytes * self.rows * self.slices
    }

    /// The descriptor of a copy of the whole array, without the host address.
    pub(super) fn copy(self, to_array: bool) -> CUDA_MEMCPY3D {
        let (host, array) = (CUmemorytype::CU_MEMORYTYPE_HOST, CUmemorytype::CU_MEMORYTYPE_ARRAY);
        let (from, to) = if to_array { (host, array) } else { (array, host) };
        CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: from,
            srcHost: null(),
            srcDevice: 0,
            srcArray: if to_array { null_mut() } else { self.handle },
            reserved0: null_mut(),
            srcPitch: self.row_bytes,
            srcHeight: self.rows,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: to,
            dstHost: null_mut(),
            dstDevice: 0,
            dstArray: if to_array { self.handle } else { null_mut() },
            reserved1: null_mut(),
            dstPitch: self.row_bytes,
            dstHeight: self.rows,
            WidthInBytes: self.row_bytes,
            Height: self.rows,
            Depth: self.slices,
        }
    }
}

/// The array format of a texel format. Normalised array formats include the number of channels.
fn array_format(format: Format) -> CUarray_format {
    use CUarray_format as F;
    match (format.channel, format.channels) {
        (ChannelType::U8, _) => F::CU_AD_FORMAT_UNSIGNED_INT8,
        (ChannelType::U16, _) => F::CU_AD_FORMAT_UNSIGNED_INT16,
        (ChannelType::U32, _) => F::CU_AD_FORMAT_UNSIGNED_INT32,
        (ChannelType::S8, _) => F::CU_AD_FORMAT_SIGNED_INT8,
        (ChannelType::S16, _) => F::CU_AD_FORMAT_SIGNED_INT16,
        (ChannelType::S32, _) => F::CU_AD_FORMAT_SIGNED_INT32,
        (ChannelType::F16, _) => F::CU_AD_FORMAT_HALF,
        (ChannelType::F32, _) => F::CU_AD_FORMAT_FLOAT,
        (ChannelType::Unorm8, 1) => F::CU_AD_FORMAT_UNORM_INT8X1,
        (ChannelType::Unorm8, 2) => F::CU_AD_FORMAT_UNORM_INT8X2,
        (ChannelType::Unorm8, _) => F::CU_AD_FORMAT_UNORM_INT8X4,
        (ChannelType::Unorm16, 1) => F::CU_AD_FORMAT_UNORM_INT16X1,
        (ChannelType::Unorm16, 2) => F::CU_AD_FORMAT_UNORM_INT16X2,
        (ChannelType::Unorm16, _) => F::CU_AD_FORMAT_UNORM_INT16X4,
        (ChannelType::Snorm8, 1) => F::CU_AD_FORMAT_SNORM_INT8X1,
        (ChannelType::Snorm8, 2) => F::CU_AD_FORMAT_SNORM_INT8X2,
        (ChannelType::Snorm8, _) => F::CU_AD_FORMAT_SNORM_INT8X4,
        (ChannelType::Snorm16, 1) => F::CU_AD_FORMAT_SNORM_INT16X1,
        (ChannelType::Snorm16, 2) => F::CU_AD_FORMAT_SNORM_INT16X2,
        (ChannelType::Snorm16, _) => F::CU_AD_FORMAT_SNORM_INT16X4,
    }
}

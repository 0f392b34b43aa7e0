//! The structures are laid out as those of the cudarc crate, which come from `cuda.h` of CUDA 12.9.

use std::mem::{align_of, offset_of, size_of};

use cudarc::driver::sys;
use warpdiff_cuda::abi;

macro_rules! same {
    ($ours:ty, $theirs:ty; $($mine:ident $other:ident),* $(,)?) => {
        assert_eq!(size_of::<$ours>(), size_of::<$theirs>(), "size of {}", stringify!($ours));
        assert_eq!(align_of::<$ours>(), align_of::<$theirs>(), "alignment of {}", stringify!($ours));
        $(
            assert_eq!(
                offset_of!($ours, $mine),
                offset_of!($theirs, $other),
                "offset of {} of {}",
                stringify!($mine),
                stringify!($ours)
            );
        )*
    };
}

#[test]
fn arrays() {
    same!(abi::ArrayDescriptor, sys::CUDA_ARRAY_DESCRIPTOR; width Width, height Height, format Format, channels NumChannels);
    same!(abi::Array3dDescriptor, sys::CUDA_ARRAY3D_DESCRIPTOR;
        width Width, height Height, depth Depth, format Format, channels NumChannels, flags Flags);
}

#[test]
fn copies() {
    same!(abi::Memcpy2d, sys::CUDA_MEMCPY2D;
        src_x srcXInBytes, src_y srcY, src_type srcMemoryType, src_host srcHost, src_device srcDevice,
        src_array srcArray, src_pitch srcPitch, dst_x dstXInBytes, dst_y dstY, dst_type dstMemoryType,
        dst_host dstHost, dst_device dstDevice, dst_array dstArray, dst_pitch dstPitch, width WidthInBytes,
        height Height);
    same!(abi::Memcpy3d, sys::CUDA_MEMCPY3D;
        src_x srcXInBytes, src_y srcY, src_z srcZ, src_lod srcLOD, src_type srcMemoryType, src_host srcHost,
        src_device srcDevice, src_array srcArray, reserved0 reserved0, src_pitch srcPitch, src_height srcHeight,
        dst_x dstXInBytes, dst_y dstY, dst_z dstZ, dst_lod dstLOD, dst_type dstMemoryType, dst_host dstHost,
        dst_device dstDevice, dst_array dstArray, reserved1 reserved1, dst_pitch dstPitch, dst_height dstHeight,
        width WidthInBytes, height Height, depth Depth);
}

#[test]
fn resources_and_launches() {
    same!(abi::ResourceDescriptor, sys::CUDA_RESOURCE_DESC; kind resType, resource res, flags flags);
    same!(abi::LaunchConfig, sys::CUlaunchConfig;
        grid gridDimX, block blockDimX, shared sharedMemBytes, stream hStream, attributes attrs,
        attribute_count numAttrs);
    same!(abi::LaunchAttribute, sys::CUlaunchAttribute; id id, pad pad, value value);
}

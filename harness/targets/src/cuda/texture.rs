//! Descriptors of samplers.

use cudarc::driver::sys::{CUDA_TEXTURE_DESC, CUaddress_mode, CUfilter_mode};
use warpdiff_model::{AddressMode, FilterMode, ReadMode, Sampler};

// From cuda.h, where they are macros.
/// `CU_TRSA_OVERRIDE_FORMAT`: a reference takes the format of the array.
pub(super) const OVERRIDE_FORMAT: u32 = 1;
/// `CU_TRSF_READ_AS_INTEGER`
const READ_AS_INTEGER: u32 = 1;
/// `CU_TRSF_NORMALIZED_COORDINATES`
const NORMALIZED_COORDINATES: u32 = 2;

/// The feature of a sampler that the driver API does not have, if any.
pub(super) fn lacks(sampler: &Sampler) -> Option<&'static str> {
    let lacking =
        |mode: &AddressMode| AddressMode::ALL[AddressMode::IN_DRIVER_API..].iter().any(|(m, _)| m == mode);
    sampler.address.iter().any(lacking).then_some("the driver API has no address mode `clamp-ogl`")
}

/// The descriptor of a sampler, without mipmaps and anisotropy.
pub(super) fn descriptor(sampler: &Sampler) -> CUDA_TEXTURE_DESC {
    let address = |mode| match mode {
        AddressMode::Wrap => CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP,
        // That the API has no `clamp-ogl` is found out before anything is described: `lacks`.
        AddressMode::Clamp | AddressMode::ClampOgl => CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP,
        AddressMode::Mirror => CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR,
        AddressMode::Border => CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER,
    };
    let filter = match sampler.filter {
        FilterMode::Nearest => CUfilter_mode::CU_TR_FILTER_MODE_POINT,
        FilterMode::Linear => CUfilter_mode::CU_TR_FILTER_MODE_LINEAR,
    };
    let read = if sampler.read == ReadMode::Element { READ_AS_INTEGER } else { 0 };
    let coordinates = if sampler.normalized_coordinates { NORMALIZED_COORDINATES } else { 0 };
    CUDA_TEXTURE_DESC {
        addressMode: sampler.address.map(address),
        filterMode: filter,
        flags: read | coordinates,
        maxAnisotropy: 0,
        mipmapFilterMode: CUfilter_mode::CU_TR_FILTER_MODE_POINT,
        mipmapLevelBias: 0.0,
        minMipmapLevelClamp: 0.0,
        maxMipmapLevelClamp: 0.0,
        borderColor: sampler.border.map(f32::from_bits),
        reserved: [0; 12],
    }
}

//! Arrays, and the surface and texture objects made of them.

use std::ptr::null;

use cudarc::driver::sys::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_st__bindgen_ty_1,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1, CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5,
    CUresourcetype, CUsurfObject, CUtexObject,
};
use warpdiff_model::{Sampler, Surface};

use super::{CallResult, Driver};
use crate::cuda::array::{ARRAY3D_SURFACE_LDST, Array};
use crate::cuda::result::Refusal;
use crate::cuda::texture;

impl Driver {
    /// Makes an array of a surface's shape and format, without contents.
    pub(in crate::cuda) fn array(&self, surface: &Surface) -> CallResult<Array> {
        let (mut array, descriptor) = Array::of(surface);
        // SAFETY: the place is valid, and the descriptor lives through the call.
        unsafe { call!(self.cuArray3DCreate_v2(&mut array.handle, &descriptor)) }?;
        Ok(array)
    }

    /// An array of the same shape without the flag that surfaces want.
    pub(in crate::cuda) fn array_without_stores(&self, surface: &Surface) -> CallResult<Array> {
        let (mut array, described) = Array::of(surface);
        let descriptor =
            CUDA_ARRAY3D_DESCRIPTOR { Flags: described.Flags & !ARRAY3D_SURFACE_LDST, ..described };
        // SAFETY: the place is valid, and the descriptor lives through the call.
        unsafe { call!(self.cuArray3DCreate_v2(&mut array.handle, &descriptor)) }?;
        Ok(array)
    }

    /// Destroys an array.
    pub(in crate::cuda) fn destroy(&self, array: Array) -> CallResult {
        // SAFETY: the array was made by this driver.
        unsafe { call!(self.cuArrayDestroy(array.handle)) }
    }

    /// Fills an array with packed texels.
    pub(in crate::cuda) fn fill(&self, array: Array, texels: &[u8]) -> CallResult {
        let size = array.size();
        if texels.len() != size {
            return Err(Refusal::Nonsense(format!(
                "a surface of {size} bytes is given {} bytes",
                texels.len()
            )));
        }
        let copy = CUDA_MEMCPY3D { srcHost: texels.as_ptr().cast(), ..array.copy(true) };
        // SAFETY: the descriptor lives through the call; the texels are as many as it says, as was just checked.
        unsafe { call!(self.cuMemcpy3D_v2(&copy)) }
    }

    /// The packed texels of an array.
    pub(in crate::cuda) fn texels(&self, array: Array) -> CallResult<Vec<u8>> {
        let mut texels = vec![0u8; array.size()];
        let copy = CUDA_MEMCPY3D { dstHost: texels.as_mut_ptr().cast(), ..array.copy(false) };
        // SAFETY: the descriptor lives through the call; the vector has room for as many texels as it says.
        unsafe { call!(self.cuMemcpy3D_v2(&copy)) }?;
        Ok(texels)
    }

    /// Makes a surface object of an array: the bindless handle.
    pub(in crate::cuda) fn surface(&self, array: Array) -> CallResult<u64> {
        let descriptor = resource(array);
        let mut surface: CUsurfObject = 0;
        // SAFETY: `surface` is a valid place, and the descriptor, of an array of this driver, lives through the call.
        unsafe { call!(self.cuSurfObjectCreate(&mut surface, &descriptor)) }?;
        Ok(surface)
    }

    /// Destroys a surface object.
    pub(in crate::cuda) fn destroy_surface(&self, surface: u64) -> CallResult {
        // SAFETY: a handle is a number, which the library checks.
        unsafe { call!(self.cuSurfObjectDestroy(surface)) }
    }

    /// Makes a texture object of an array: the bindless handle.
    pub(in crate::cuda) fn texture(&self, array: Array, sampler: &Sampler) -> CallResult<u64> {
        let (descriptor, sampler) = (resource(array), texture::descriptor(sampler));
        let mut texture: CUtexObject = 0;
        // SAFETY: `texture` is a valid place; both descriptors live through the call, and a view may be left out.
        unsafe { call!(self.cuTexObjectCreate(&mut texture, &descriptor, &sampler, null())) }?;
        Ok(texture)
    }

    /// Destroys a texture object.
    pub(in crate::cuda) fn destroy_texture(&self, texture: u64) -> CallResult {
        // SAFETY: a handle is a number, which the library checks.
        unsafe { call!(self.cuTexObjectDestroy(texture)) }
    }
}

/// An array as what a surface or texture object is made of.
fn resource(array: Array) -> CUDA_RESOURCE_DESC {
    let nothing = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 { reserved: [0; 32] };
    // The whole union is zero first: a library may look at all of it.
    let mut resource = CUDA_RESOURCE_DESC_st__bindgen_ty_1 { reserved: nothing };
    resource.array = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: array.handle };
    CUDA_RESOURCE_DESC { resType: CUresourcetype::CU_RESOURCE_TYPE_ARRAY, res: resource, flags: 0 }
}

//! `cuGetProcAddress`, `cuGetErrorName`: finds entry points by name and version, and names of result codes.

use std::ffi::{c_char, c_int, c_void};

use crate::advertised_capability;
use crate::boundary::{EntryPoint, entries};
use crate::introduced::introduced;
use crate::pointer::{Out, Terminated};
use crate::result::{self, CallResult};
use crate::{array, context, copy, launch, link, memory, module, stream, texture, unsupported_entry_points};

/// `CUdriverProcAddressQueryResult`
const FOUND: u32 = 0;
const NOT_FOUND: u32 = 1;
const VERSION_NOT_SUFFICIENT: u32 = 2;

/// Names of functions with versioned symbols: the name, the first CUDA version in which it means the symbol, and the symbol, as in
/// NVIDIA's headers (`cudaTypedefs.h`).
const VERSIONED: &[(&str, c_int, &str)] = &[
    ("cuArray3DCreate", 3020, "cuArray3DCreate_v2"),
    ("cuArray3DGetDescriptor", 3020, "cuArray3DGetDescriptor_v2"),
    ("cuArrayCreate", 3020, "cuArrayCreate_v2"),
    ("cuArrayGetDescriptor", 3020, "cuArrayGetDescriptor_v2"),
    ("cuCtxCreate", 3020, "cuCtxCreate_v2"),
    ("cuCtxCreate", 11040, "cuCtxCreate_v3"),
    ("cuCtxCreate", 12050, "cuCtxCreate_v4"),
    ("cuCtxDestroy", 4000, "cuCtxDestroy_v2"),
    ("cuCtxPopCurrent", 4000, "cuCtxPopCurrent_v2"),
    ("cuCtxPushCurrent", 4000, "cuCtxPushCurrent_v2"),
    ("cuDeviceGetUuid", 9020, "cuDeviceGetUuid"),
    ("cuDeviceGetUuid", 11040, "cuDeviceGetUuid_v2"),
    ("cuDevicePrimaryCtxRelease", 11000, "cuDevicePrimaryCtxRelease_v2"),
    ("cuDevicePrimaryCtxReset", 11000, "cuDevicePrimaryCtxReset_v2"),
    ("cuDevicePrimaryCtxSetFlags", 11000, "cuDevicePrimaryCtxSetFlags_v2"),
    ("cuDeviceTotalMem", 3020, "cuDeviceTotalMem_v2"),
    ("cuEventDestroy", 4000, "cuEventDestroy_v2"),
    ("cuEventElapsedTime", 2000, "cuEventElapsedTime"),
    ("cuEventElapsedTime", 12080, "cuEventElapsedTime_v2"),
    ("cuGLCtxCreate", 3020, "cuGLCtxCreate_v2"),
    ("cuGLGetDevices", 6050, "cuGLGetDevices_v2"),
    ("cuGLMapBufferObject", 3020, "cuGLMapBufferObject_v2"),
    ("cuGLMapBufferObjectAsync", 3020, "cuGLMapBufferObjectAsync_v2"),
    ("cuGetProcAddress", 11030, "cuGetProcAddress"),
    ("cuGetProcAddress", 12000, "cuGetProcAddress_v2"),
    ("cuGraphAddDependencies", 10000, "cuGraphAddDependencies"),
    ("cuGraphAddDependencies", 12030, "cuGraphAddDependencies_v2"),
    ("cuGraphAddKernelNode", 12000, "cuGraphAddKernelNode_v2"),
    ("cuGraphAddNode", 12020, "cuGraphAddNode"),
    ("cuGraphAddNode", 12030, "cuGraphAddNode_v2"),
    ("cuGraphExecKernelNodeSetParams", 12000, "cuGraphExecKernelNodeSetParams_v2"),
    ("cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2"),
    ("cuGraphGetEdges", 10000, "cuGraphGetEdges"),
    ("cuGraphGetEdges", 12030, "cuGraphGetEdges_v2"),
    ("cuGraphKernelNodeGetParams", 12000, "cuGraphKernelNodeGetParams_v2"),
    ("cuGraphKernelNodeSetParams", 12000, "cuGraphKernelNodeSetParams_v2"),
    ("cuGraphNodeGetDependencies", 10000, "cuGraphNodeGetDependencies"),
    ("cuGraphNodeGetDependencies", 12030, "cuGraphNodeGetDependencies_v2"),
    ("cuGraphNodeGetDependentNodes", 10000, "cuGraphNodeGetDependentNodes"),
    ("cuGraphNodeGetDependentNodes", 12030, "cuGraphNodeGetDependentNodes_v2"),
    ("cuGraphRemoveDependencies", 10000, "cuGraphRemoveDependencies"),
    ("cuGraphRemoveDependencies", 12030, "cuGraphRemoveDependencies_v2"),
    ("cuGraphicsResourceGetMappedPointer", 3020, "cuGraphicsResourceGetMappedPointer_v2"),
    ("cuGraphicsResourceSetMapFlags", 6050, "cuGraphicsResourceSetMapFlags_v2"),
    ("cuIpcOpenMemHandle", 11000, "cuIpcOpenMemHandle_v2"),
    ("cuLinkAddData", 6050, "cuLinkAddData_v2"),
    ("cuLinkAddFile", 6050, "cuLinkAddFile_v2"),
    ("cuLinkCreate", 6050, "cuLinkCreate_v2"),
    ("cuMemAdvise", 8000, "cuMemAdvise"),
    ("cuMemAdvise", 12020, "cuMemAdvise_v2"),
    ("cuMemAlloc", 3020, "cuMemAlloc_v2"),
    ("cuMemAllocHost", 3020, "cuMemAllocHost_v2"),
    ("cuMemAllocPitch", 3020, "cuMemAllocPitch_v2"),
    ("cuMemFree", 3020, "cuMemFree_v2"),
    ("cuMemGetAddressRange", 3020, "cuMemGetAddressRange_v2"),
    ("cuMemGetInfo", 3020, "cuMemGetInfo_v2"),
    ("cuMemHostGetDevicePointer", 3020, "cuMemHostGetDevicePointer_v2"),
    ("cuMemHostRegister", 6050, "cuMemHostRegister_v2"),
    ("cuMemPrefetchAsync", 8000, "cuMemPrefetchAsync"),
    ("cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"),
    ("cuMemcpy2D", 3020, "cuMemcpy2D_v2"),
    ("cuMemcpy2DAsync", 3020, "cuMemcpy2DAsync_v2"),
    ("cuMemcpy2DUnaligned", 3020, "cuMemcpy2DUnaligned_v2"),
    ("cuMemcpy3D", 3020, "cuMemcpy3D_v2"),
    ("cuMemcpy3DAsync", 3020, "cuMemcpy3DAsync_v2"),
    ("cuMemcpyAtoA", 3020, "cuMemcpyAtoA_v2"),
    ("cuMemcpyAtoD", 3020, "cuMemcpyAtoD_v2"),
    ("cuMemcpyAtoH", 3020, "cuMemcpyAtoH_v2"),
    ("cuMemcpyAtoHAsync", 3020, "cuMemcpyAtoHAsync_v2"),
    ("cuMemcpyDtoA", 3020, "cuMemcpyDtoA_v2"),
    ("cuMemcpyDtoD", 3020, "cuMemcpyDtoD_v2"),
    ("cuMemcpyDtoDAsync", 3020, "cuMemcpyDtoDAsync_v2"),
    ("cuMemcpyDtoH", 3020, "cuMemcpyDtoH_v2"),
    ("cuMemcpyDtoHAsync", 3020, "cuMemcpyDtoHAsync_v2"),
    ("cuMemcpyHtoA", 3020, "cuMemcpyHtoA_v2"),
    ("cuMemcpyHtoAAsync", 3020, "cuMemcpyHtoAAsync_v2"),
    ("cuMemcpyHtoD", 3020, "cuMemcpyHtoD_v2"),
    ("cuMemcpyHtoDAsync", 3020, "cuMemcpyHtoDAsync_v2"),
    ("cuMemsetD16", 3020, "cuMemsetD16_v2"),
    ("cuMemsetD2D16", 3020, "cuMemsetD2D16_v2"),
    ("cuMemsetD2D32", 3020, "cuMemsetD2D32_v2"),
    ("cuMemsetD2D8", 3020, "cuMemsetD2D8_v2"),
    ("cuMemsetD32", 3020, "cuMemsetD32_v2"),
    ("cuMemsetD8", 3020, "cuMemsetD8_v2"),
    ("cuModuleGetGlobal", 3020, "cuModuleGetGlobal_v2"),
    ("cuStreamBatchMemOp", 11070, "cuStreamBatchMemOp_v2"),
    ("cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"),
    ("cuStreamDestroy", 4000, "cuStreamDestroy_v2"),
    ("cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"),
    ("cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"),
    ("cuStreamGetCtx", 9020, "cuStreamGetCtx"),
    ("cuStreamGetCtx", 12050, "cuStreamGetCtx_v2"),
    ("cuStreamUpdateCaptureDependencies", 11030, "cuStreamUpdateCaptureDependencies"),
    ("cuStreamUpdateCaptureDependencies", 12030, "cuStreamUpdateCaptureDependencies_v2"),
    ("cuStreamWaitValue32", 11070, "cuStreamWaitValue32_v2"),
    ("cuStreamWaitValue64", 11070, "cuStreamWaitValue64_v2"),
    ("cuStreamWriteValue32", 11070, "cuStreamWriteValue32_v2"),
    ("cuStreamWriteValue64", 11070, "cuStreamWriteValue64_v2"),
    ("cuTexRefGetAddress", 3020, "cuTexRefGetAddress_v2"),
    ("cuTexRefSetAddress", 3020, "cuTexRefSetAddress_v2"),
    ("cuTexRefSetAddress2D", 4010, "cuTexRefSetAddress2D_v3"),
    ("cuVDPAUCtxCreate", 3020, "cuVDPAUCtxCreate_v2"),
];

/// Every exported function, by module.
fn modules() -> [&'static [(&'static str, EntryPoint)]; 11] {
    [
        ENTRIES,
        context::ENTRIES,
        memory::ENTRIES,
        copy::ENTRIES,
        array::ENTRIES,
        texture::ENTRIES,
        module::ENTRIES,
        launch::ENTRIES,
        link::ENTRIES,
        stream::ENTRIES,
        unsupported_entry_points::ENTRIES,
    ]
}

/// The address of an exported function.
fn exported(symbol: &str) -> Option<*const ()> {
    let entries = modules().into_iter().flatten();
    entries.into_iter().find(|(name, _)| *name == symbol).map(|(_, entry)| entry.0)
}

/// The function that a name means in a CUDA version. The oldest functions of some names take addresses of 32 bits
/// (`cuMemAlloc` of CUDA 2.0); they are not served, so that no function fits such a version.
fn find(name: &str, version: c_int) -> Result<*const (), u32> {
    let versions = VERSIONED.iter().filter(|(base, ..)| *base == name);
    let newest =
        versions.clone().filter(|(_, since, _)| *since <= version).max_by_key(|(_, since, _)| *since);
    match newest {
        Some((.., symbol)) => exported(symbol).ok_or(NOT_FOUND),
        None if versions.count() > 0 => Err(VERSION_NOT_SUFFICIENT),
        None => match exported(name) {
            Some(_) if version < introduced(name) => Err(VERSION_NOT_SUFFICIENT),
            found => found.ok_or(NOT_FOUND),
        },
    }
}

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`, the last of the flags; the others are 0 and `CU_GET_PROC_ADDRESS_LEGACY_STREAM`.
/// Which default stream a function uses has no effect: every stream is idle.
const PER_THREAD_DEFAULT_STREAM: u64 = 2;

/// Finds a function and writes its address, or null; answers whether it is there.
fn look_up(
    symbol: Terminated,
    out: Out<*mut c_void>,
    version: c_int,
    flags: u64,
) -> CallResult<Result<(), u32>> {
    // "If the specified CUDA version is greater than the driver version, the API will return CUDA_ERROR_INVALID_VALUE."
    let (major, minor) = advertised_capability::version();
    if version > (major * 1000 + minor * 10) as c_int || flags > PER_THREAD_DEFAULT_STREAM {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let found = find(symbol.text()?, version);
    out.put(found.map_or(std::ptr::null_mut(), |address| address.cast_mut().cast()))?;
    Ok(found.map(drop))
}

entries! {
    fn cuGetProcAddress(symbol: Terminated, out: Out<*mut c_void>, version: c_int, flags: u64) {
        // The function of CUDA 11.3 has no status: a missing function is an error.
        look_up(symbol, out, version, flags)?.map_err(|_| result::ERROR_NOT_FOUND)
    }

    fn cuGetProcAddress_v2(
        symbol: Terminated,
        out: Out<*mut c_void>,
        version: c_int,
        flags: u64,
        status: Out<u32>,
    ) {
        // "The API will return CUDA_SUCCESS and set the returned pfn to NULL if the requested driver function is not supported on
        // the platform, no ABI compatible driver function exists for the specified cudaVersion or if the driver symbol is invalid";
        // the status is optional.
        let found = look_up(symbol, out, version, flags)?;
        status.put_if_wanted(found.err().unwrap_or(FOUND))
    }

    fn cuGetErrorName(code: u32, out: Out<*const c_char>) {
        let name = result::name(code);
        out.put(name.map_or(std::ptr::null(), |name| name.as_ptr()))?;
        name.map(drop).ok_or(result::ERROR_INVALID_VALUE)
    }

    fn cuGetErrorString(code: u32, out: Out<*const c_char>) {
        let text = result::description(code);
        out.put(text.map_or(std::ptr::null(), |text| text.as_ptr()))?;
        text.map(drop).ok_or(result::ERROR_INVALID_VALUE)
    }

    fn cuGetExportTable(_out: *mut *const c_void, _id: *const [u8; 16]) {
        // Tables that the CUDA runtime asks for. NVIDIA documents neither what they hold nor how their functions are called, and by one of
        // them the runtime makes sure that the driver is NVIDIA's own. There are none: docs/libcuda.md says what that means for a client.
        Err(result::ERROR_NOT_FOUND)
    }
}

//! The version of CUDA in which a function of the driver API first appeared, for those with a single symbol (no `_v2`). Asked for an older version, the driver has none of that name.
//!
//! The numbers are those of the typedefs in NVIDIA's headers (`PFN_cuMemAllocAsync_v11020` of `cudaTypedefs.h`). What is not listed
//! is as old as the oldest typedefs.

use std::ffi::c_int;

/// The version of the oldest typedefs: CUDA 2.0.
const OLDEST: c_int = 2000;

/// A version, and the names that it introduced.
type Introduced = (c_int, &'static [&'static str]);

/// The version that introduced a name.
pub(crate) fn introduced(name: &str) -> c_int {
    INTRODUCED.iter().find(|(_, names)| names.contains(&name)).map_or(OLDEST, |(version, _)| *version)
}

#[rustfmt::skip]
const INTRODUCED: &[Introduced] = &[
    (2010, &[
        "cuModuleLoadDataEx",
    ]),
    (2020, &[
        "cuDriverGetVersion", "cuFuncGetAttribute", "cuMemHostAlloc",
    ]),
    (2030, &[
        "cuMemHostGetFlags",
    ]),
    (3000, &[
        "cuFuncSetCacheConfig", "cuGetExportTable", "cuGraphicsMapResources", "cuGraphicsSubResourceGetMappedArray",
        "cuGraphicsUnmapResources", "cuGraphicsUnregisterResource", "cuModuleGetSurfRef", "cuSurfRefGetArray",
        "cuSurfRefSetArray",
    ]),
    (3010, &[
        "cuCtxGetLimit", "cuCtxSetLimit",
    ]),
    (3020, &[
        "cuCtxGetApiVersion", "cuCtxGetCacheConfig", "cuCtxSetCacheConfig", "cuMemsetD16Async",
        "cuMemsetD2D16Async", "cuMemsetD2D32Async", "cuMemsetD2D8Async", "cuMemsetD32Async", "cuMemsetD8Async",
        "cuStreamWaitEvent",
    ]),
    (4000, &[
        "cuCtxDisablePeerAccess", "cuCtxEnablePeerAccess", "cuCtxGetCurrent", "cuCtxSetCurrent",
        "cuDeviceCanAccessPeer", "cuLaunchKernel", "cuMemHostUnregister", "cuMemcpy", "cuMemcpy3DPeer",
        "cuMemcpy3DPeerAsync", "cuMemcpyAsync", "cuMemcpyPeer", "cuMemcpyPeerAsync", "cuPointerGetAttribute",
    ]),
    (4010, &[
        "cuDeviceGetByPCIBusId", "cuDeviceGetPCIBusId", "cuIpcCloseMemHandle", "cuIpcGetEventHandle",
        "cuIpcGetMemHandle", "cuIpcOpenEventHandle",
    ]),
    (4020, &[
        "cuCtxGetSharedMemConfig", "cuCtxSetSharedMemConfig", "cuFuncSetSharedMemConfig",
    ]),
    (5000, &[
        "cuGraphicsResourceGetMappedMipmappedArray", "cuMipmappedArrayCreate", "cuMipmappedArrayDestroy",
        "cuMipmappedArrayGetLevel", "cuStreamAddCallback", "cuSurfObjectCreate", "cuSurfObjectDestroy",
        "cuSurfObjectGetResourceDesc", "cuTexObjectCreate", "cuTexObjectDestroy", "cuTexObjectGetResourceDesc",
        "cuTexObjectGetResourceViewDesc", "cuTexObjectGetTextureDesc", "cuTexRefGetMaxAnisotropy",
        "cuTexRefGetMipmapFilterMode", "cuTexRefGetMipmapLevelBias", "cuTexRefGetMipmapLevelClamp",
        "cuTexRefGetMipmappedArray", "cuTexRefSetMaxAnisotropy", "cuTexRefSetMipmapFilterMode",
        "cuTexRefSetMipmapLevelBias", "cuTexRefSetMipmapLevelClamp", "cuTexRefSetMipmappedArray",
    ]),
    (5050, &[
        "cuCtxGetStreamPriorityRange", "cuLinkComplete", "cuLinkDestroy", "cuStreamCreateWithPriority",
        "cuStreamGetFlags", "cuStreamGetPriority",
    ]),
    (6000, &[
        "cuGetErrorName", "cuGetErrorString", "cuMemAllocManaged", "cuPointerSetAttribute",
        "cuStreamAttachMemAsync",
    ]),
    (6050, &[
        "cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuOccupancyMaxPotentialBlockSize",
    ]),
    (7000, &[
        "cuCtxGetFlags", "cuDevicePrimaryCtxGetState", "cuDevicePrimaryCtxRetain",
        "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "cuOccupancyMaxPotentialBlockSizeWithFlags",
        "cuPointerGetAttributes",
    ]),
    (8000, &[
        "cuDeviceGetP2PAttribute", "cuMemRangeGetAttribute", "cuMemRangeGetAttributes", "cuTexRefGetBorderColor",
        "cuTexRefSetBorderColor",
    ]),
    (9000, &[
        "cuFuncSetAttribute", "cuLaunchCooperativeKernel", "cuLaunchCooperativeKernelMultiDevice",
    ]),
    (10000, &[
        "cuDestroyExternalMemory", "cuDestroyExternalSemaphore", "cuDeviceGetLuid",
        "cuExternalMemoryGetMappedBuffer", "cuExternalMemoryGetMappedMipmappedArray", "cuGraphAddChildGraphNode",
        "cuGraphAddEmptyNode", "cuGraphAddHostNode", "cuGraphAddMemcpyNode", "cuGraphAddMemsetNode",
        "cuGraphChildGraphNodeGetGraph", "cuGraphClone", "cuGraphCreate", "cuGraphDestroy", "cuGraphDestroyNode",
        "cuGraphExecDestroy", "cuGraphGetNodes", "cuGraphGetRootNodes", "cuGraphHostNodeGetParams",
        "cuGraphHostNodeSetParams", "cuGraphInstantiate", "cuGraphLaunch", "cuGraphMemcpyNodeGetParams",
        "cuGraphMemcpyNodeSetParams", "cuGraphMemsetNodeGetParams", "cuGraphMemsetNodeSetParams",
        "cuGraphNodeFindInClone", "cuGraphNodeGetType", "cuImportExternalMemory", "cuImportExternalSemaphore",
        "cuLaunchHostFunc", "cuSignalExternalSemaphoresAsync", "cuStreamEndCapture", "cuStreamIsCapturing",
        "cuWaitExternalSemaphoresAsync",
    ]),
    (10010, &[
        "cuThreadExchangeStreamCaptureMode",
    ]),
    (10020, &[
        "cuDeviceGetNvSciSyncAttributes", "cuGraphExecHostNodeSetParams", "cuGraphExecMemcpyNodeSetParams",
        "cuGraphExecMemsetNodeSetParams", "cuMemAddressFree", "cuMemAddressReserve", "cuMemCreate",
        "cuMemExportToShareableHandle", "cuMemGetAccess", "cuMemGetAllocationGranularity",
        "cuMemGetAllocationPropertiesFromHandle", "cuMemImportFromShareableHandle", "cuMemMap", "cuMemRelease",
        "cuMemSetAccess", "cuMemUnmap", "cuOccupancyAvailableDynamicSMemPerBlock",
    ]),
    (11000, &[
        "cuCtxResetPersistingL2Cache", "cuFuncGetModule", "cuGraphKernelNodeCopyAttributes",
        "cuGraphKernelNodeGetAttribute", "cuGraphKernelNodeSetAttribute", "cuMemRetainAllocationHandle",
        "cuStreamCopyAttributes", "cuStreamGetAttribute", "cuStreamSetAttribute",
    ]),
    (11010, &[
        "cuArrayGetSparseProperties", "cuDeviceGetTexture1DLinearMaxWidth", "cuEventRecordWithFlags",
        "cuGraphAddEventRecordNode", "cuGraphAddEventWaitNode", "cuGraphEventRecordNodeGetEvent",
        "cuGraphEventRecordNodeSetEvent", "cuGraphEventWaitNodeGetEvent", "cuGraphEventWaitNodeSetEvent",
        "cuGraphExecChildGraphNodeSetParams", "cuGraphExecEventRecordNodeSetEvent",
        "cuGraphExecEventWaitNodeSetEvent", "cuGraphUpload", "cuMemMapArrayAsync",
        "cuMipmappedArrayGetSparseProperties",
    ]),
    (11020, &[
        "cuArrayGetPlane", "cuDeviceGetDefaultMemPool", "cuDeviceGetMemPool", "cuDeviceSetMemPool",
        "cuGraphAddExternalSemaphoresSignalNode", "cuGraphAddExternalSemaphoresWaitNode",
        "cuGraphExecExternalSemaphoresSignalNodeSetParams", "cuGraphExecExternalSemaphoresWaitNodeSetParams",
        "cuGraphExternalSemaphoresSignalNodeGetParams", "cuGraphExternalSemaphoresSignalNodeSetParams",
        "cuGraphExternalSemaphoresWaitNodeGetParams", "cuGraphExternalSemaphoresWaitNodeSetParams",
        "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemPoolCreate", "cuMemPoolDestroy",
        "cuMemPoolExportPointer", "cuMemPoolExportToShareableHandle", "cuMemPoolGetAccess", "cuMemPoolGetAttribute",
        "cuMemPoolImportFromShareableHandle", "cuMemPoolImportPointer", "cuMemPoolSetAccess",
        "cuMemPoolSetAttribute", "cuMemPoolTrimTo",
    ]),
    (11030, &[
        "cuFlushGPUDirectRDMAWrites", "cuGraphDebugDotPrint", "cuGraphReleaseUserObject", "cuGraphRetainUserObject",
        "cuUserObjectCreate", "cuUserObjectRelease", "cuUserObjectRetain",
    ]),
    (11040, &[
        "cuCtxGetExecAffinity", "cuDeviceGetExecAffinitySupport", "cuDeviceGetGraphMemAttribute",
        "cuDeviceGraphMemTrim", "cuDeviceSetGraphMemAttribute", "cuGraphAddMemAllocNode", "cuGraphAddMemFreeNode",
        "cuGraphInstantiateWithFlags", "cuGraphMemAllocNodeGetParams", "cuGraphMemFreeNodeGetParams",
    ]),
    (11060, &[
        "cuArrayGetMemoryRequirements", "cuGraphNodeGetEnabled", "cuGraphNodeSetEnabled", "cuLaunchKernelEx",
        "cuMipmappedArrayGetMemoryRequirements",
    ]),
    (11070, &[
        "cuGraphAddBatchMemOpNode", "cuGraphBatchMemOpNodeGetParams", "cuGraphBatchMemOpNodeSetParams",
        "cuGraphExecBatchMemOpNodeSetParams", "cuMemGetHandleForAddressRange", "cuModuleGetLoadingMode",
        "cuOccupancyMaxActiveClusters", "cuOccupancyMaxPotentialClusterSize",
    ]),
    (12000, &[
        "cuCtxGetId", "cuGraphExecGetFlags", "cuGraphInstantiateWithParams", "cuKernelGetAttribute",
        "cuKernelGetFunction", "cuKernelSetAttribute", "cuKernelSetCacheConfig", "cuLibraryGetGlobal",
        "cuLibraryGetKernel", "cuLibraryGetManaged", "cuLibraryGetModule", "cuLibraryGetUnifiedFunction",
        "cuLibraryLoadData", "cuLibraryLoadFromFile", "cuLibraryUnload", "cuStreamGetId", "cuTensorMapEncodeIm2col",
        "cuTensorMapEncodeTiled", "cuTensorMapReplaceAddress",
    ]),
    (12010, &[
        "cuCoredumpGetAttribute", "cuCoredumpGetAttributeGlobal", "cuCoredumpSetAttribute",
        "cuCoredumpSetAttributeGlobal", "cuCtxSetFlags", "cuMulticastAddDevice", "cuMulticastBindAddr",
        "cuMulticastBindMem", "cuMulticastCreate", "cuMulticastGetGranularity", "cuMulticastUnbind",
    ]),
    (12020, &[
        "cuGraphExecNodeSetParams", "cuGraphNodeSetParams",
    ]),
    (12030, &[
        "cuFuncGetName", "cuGraphConditionalHandleCreate", "cuKernelGetName", "cuStreamBeginCaptureToGraph",
    ]),
    (12040, &[
        "cuCtxFromGreenCtx", "cuCtxGetDevResource", "cuDevResourceGenerateDesc", "cuDevSmResourceSplitByCount",
        "cuDeviceGetDevResource", "cuDeviceRegisterAsyncNotification", "cuDeviceUnregisterAsyncNotification",
        "cuFuncGetParamInfo", "cuFuncIsLoaded", "cuFuncLoad", "cuGreenCtxCreate", "cuGreenCtxDestroy",
        "cuGreenCtxGetDevResource", "cuGreenCtxRecordEvent", "cuGreenCtxWaitEvent", "cuKernelGetParamInfo",
        "cuStreamGetGreenCtx",
    ]),
    (12050, &[
        "cuCtxRecordEvent", "cuCtxWaitEvent", "cuGreenCtxStreamCreate", "cuKernelGetLibrary",
    ]),
    (12060, &[
        "cuMemBatchDecompressAsync",
    ]),
    (12080, &[
        "cuCheckpointProcessCheckpoint", "cuCheckpointProcessGetRestoreThreadId", "cuCheckpointProcessGetState",
        "cuCheckpointProcessLock", "cuCheckpointProcessRestore", "cuCheckpointProcessUnlock",
        "cuMemcpy3DBatchAsync", "cuMemcpyBatchAsync", "cuStreamGetDevice", "cuTensorMapEncodeIm2colWide",
    ]),
    (12090, &[
        "cuLogsCurrent", "cuLogsDumpToFile", "cuLogsDumpToMemory", "cuLogsRegisterCallback",
        "cuLogsUnregisterCallback",
    ]),
];

//! Result codes (`CUresult`), with their names and descriptions.

use std::ffi::CStr;

macro_rules! codes {
    ($($number:literal $constant:ident $text:literal)*) => {
        $(
            #[doc = concat!("`CUDA_", stringify!($constant), "`: ", $text)]
            pub const $constant: u32 = $number;
        )*

        /// The name of a code, as the header spells it.
        pub(crate) fn name(code: u32) -> Option<&'static CStr> {
            let name = match code {
                $($number => concat!("CUDA_", stringify!($constant), "\0"),)*
                _ => return None,
            };
            CStr::from_bytes_until_nul(name.as_bytes()).ok()
        }

        /// What a code means.
        pub(crate) fn description(code: u32) -> Option<&'static CStr> {
            let text = match code {
                $($number => concat!($text, "\0"),)*
                _ => return None,
            };
            CStr::from_bytes_until_nul(text.as_bytes()).ok()
        }
    };
}

codes! {
    0 SUCCESS "no error"
    1 ERROR_INVALID_VALUE "invalid argument"
    2 ERROR_OUT_OF_MEMORY "out of memory"
    3 ERROR_NOT_INITIALIZED "initialization error"
    4 ERROR_DEINITIALIZED "driver shutting down"
    5 ERROR_PROFILER_DISABLED "profiler disabled while using external profiling tool"
    34 ERROR_STUB_LIBRARY "CUDA driver is a stub library"
    46 ERROR_DEVICE_UNAVAILABLE "CUDA-capable device(s) is/are busy or unavailable"
    100 ERROR_NO_DEVICE "no CUDA-capable device is detected"
    101 ERROR_INVALID_DEVICE "invalid device ordinal"
    200 ERROR_INVALID_IMAGE "device kernel image is invalid"
    201 ERROR_INVALID_CONTEXT "invalid device context"
    205 ERROR_MAP_FAILED "mapping of buffer object failed"
    206 ERROR_UNMAP_FAILED "unmapping of buffer object failed"
    207 ERROR_ARRAY_IS_MAPPED "array is mapped"
    208 ERROR_ALREADY_MAPPED "resource already mapped"
    209 ERROR_NO_BINARY_FOR_GPU "no kernel image is available for execution on the device"
    210 ERROR_ALREADY_ACQUIRED "resource already acquired"
    211 ERROR_NOT_MAPPED "resource not mapped"
    214 ERROR_ECC_UNCORRECTABLE "uncorrectable ECC error encountered"
    215 ERROR_UNSUPPORTED_LIMIT "limit is not supported on this architecture"
    216 ERROR_CONTEXT_ALREADY_IN_USE "exclusive-thread device already in use by a different thread"
    217 ERROR_PEER_ACCESS_UNSUPPORTED "peer access is not supported between these two devices"
    218 ERROR_INVALID_PTX "a PTX JIT compilation failed"
    219 ERROR_INVALID_GRAPHICS_CONTEXT "invalid OpenGL or DirectX context"
    220 ERROR_NVLINK_UNCORRECTABLE "uncorrectable NVLink error detected during the execution"
    221 ERROR_JIT_COMPILER_NOT_FOUND "PTX JIT compiler library not found"
    222 ERROR_UNSUPPORTED_PTX_VERSION "the provided PTX was compiled with an unsupported toolchain."
    223 ERROR_JIT_COMPILATION_DISABLED "PTX JIT compilation was disabled"
    224 ERROR_UNSUPPORTED_EXEC_AFFINITY "the provided execution affinity is not supported"
    300 ERROR_INVALID_SOURCE "device kernel image is invalid"
    301 ERROR_FILE_NOT_FOUND "file not found"
    302 ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND "shared object symbol not found"
    303 ERROR_SHARED_OBJECT_INIT_FAILED "shared object initialization failed"
    304 ERROR_OPERATING_SYSTEM "OS call failed or operation not supported on this OS"
    400 ERROR_INVALID_HANDLE "invalid resource handle"
    401 ERROR_ILLEGAL_STATE "the operation cannot be performed in the present state"
    500 ERROR_NOT_FOUND "named symbol not found"
    600 ERROR_NOT_READY "device not ready"
    700 ERROR_ILLEGAL_ADDRESS "an illegal memory access was encountered"
    701 ERROR_LAUNCH_OUT_OF_RESOURCES "too many resources requested for launch"
    702 ERROR_LAUNCH_TIMEOUT "the launch timed out and was terminated"
    703 ERROR_LAUNCH_INCOMPATIBLE_TEXTURING "launch with incompatible texturing mode"
    704 ERROR_PEER_ACCESS_ALREADY_ENABLED "peer access is already enabled"
    705 ERROR_PEER_ACCESS_NOT_ENABLED "peer access has not been enabled"
    708 ERROR_PRIMARY_CONTEXT_ACTIVE "cannot set while device is active in this process"
    709 ERROR_CONTEXT_IS_DESTROYED "context is destroyed"
    710 ERROR_ASSERT "device-side assert triggered"
    711 ERROR_TOO_MANY_PEERS "peer mapping resources exhausted"
    712 ERROR_HOST_MEMORY_ALREADY_REGISTERED "part or all of the requested memory range is already mapped"
    713 ERROR_HOST_MEMORY_NOT_REGISTERED "pointer does not correspond to a registered memory region"
    714 ERROR_HARDWARE_STACK_ERROR "hardware stack error"
    715 ERROR_ILLEGAL_INSTRUCTION "an illegal instruction was encountered"
    716 ERROR_MISALIGNED_ADDRESS "misaligned address"
    717 ERROR_INVALID_ADDRESS_SPACE "operation not supported on global/shared address space"
    718 ERROR_INVALID_PC "invalid program counter"
    719 ERROR_LAUNCH_FAILED "unspecified launch failure"
    720 ERROR_COOPERATIVE_LAUNCH_TOO_LARGE "too many blocks in cooperative launch"
    721 ERROR_TENSOR_MEMORY_LEAK "tensor memory not completely freed"
    800 ERROR_NOT_PERMITTED "operation not permitted"
    801 ERROR_NOT_SUPPORTED "operation not supported"
    802 ERROR_SYSTEM_NOT_READY "system not yet initialized"
    803 ERROR_SYSTEM_DRIVER_MISMATCH "system has unsupported display driver / cuda driver combination"
    804 ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE "forward compatibility was attempted on non supported HW"
    900 ERROR_STREAM_CAPTURE_UNSUPPORTED "operation not permitted when stream is capturing"
    901 ERROR_STREAM_CAPTURE_INVALIDATED "operation failed due to a previous error during capture"
    910 ERROR_GRAPH_EXEC_UPDATE_FAILURE "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"
    911 ERROR_EXTERNAL_DEVICE "an async error has occured in external entity outside of CUDA"
    912 ERROR_INVALID_CLUSTER_SIZE "a kernel launch error has occurred due to cluster misconfiguration"
    913 ERROR_FUNCTION_NOT_LOADED "the function handle is not loaded when calling an API that requires a loaded function"
    914 ERROR_INVALID_RESOURCE_TYPE "the resource type is invalid"
    915 ERROR_INVALID_RESOURCE_CONFIGURATION "one or more resources are insufficient or not applicable for the operation"
    999 ERROR_UNKNOWN "unknown error"
}

/// A result code other than success.
pub(crate) type Code = u32;
/// What an entry point computes.
pub(crate) type Answer<T = ()> = Result<T, Code>;

/// How far an error reaches that a launch left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// "The context cannot be used, so it must be destroyed (and a new one should be created)."
    Context,
    /// "This leaves the process in an inconsistent state and any further CUDA work will return the same error. To continue
    /// using CUDA, the process must be terminated and relaunched."
    Process,
}

/// What `cuda.h` says of an error code.
pub(crate) fn reach(code: u32) -> Reach {
    if code == ERROR_ASSERT { Reach::Context } else { Reach::Process }
}

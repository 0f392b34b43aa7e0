//! The CUDA driver API, served by the reference emulator.
//!
//! Built as `libwarpdiff_cuda.so`, this is a drop-in for `libcuda.so.1` that needs no GPU: programs that use the driver API
//! run their PTX on the emulator. It advertises one device of compute capability 9.0 and CUDA 12.9.
//!
//! * `boundary` – defines entry points, across which nothing unwinds; `pointer` – no pointer of a client is followed unchecked.
//! * `driver` – the state between calls: contexts, memory, handles, sticky errors.
//! * `context`, `device`, `advertised_capability` – initialisation, the device and its versions, contexts.
//! * `memory`, `managed`, `copy`, `array`, `texture` – memory, copies, arrays with their surfaces, textures.
//! * `jit`, `link`, `module`, `launch` – programs, kernels and variables, launches.
//! * `stream` – streams and events.
//! * `report` – what launches do wrong, in a file.
//! * `fresh_driver` – what a client that knows this library calls after a fault.
//! * `procedures`, `introduced` – entry points by name and version; `unsupported_entry_points` – entry points that only return an error.
//! * [`abi`], [`result`] – structures and codes of the API.
//!
//! # Differences from a device
//!
//! * Every call is synchronous. Streams are always idle and order nothing.
//! * Launches report errors as a device does: the launching call succeeds, the next call fails. With `CUDA_LAUNCH_BLOCKING=1` the
//!   launching call fails. After `CUDA_ERROR_ASSERT` the context is lost and a new one works;
//!   after any other fault, as CUDA documents, "any further CUDA work will return the same error" until the process ends, or until the
//!   client calls `warpdiffFreshDriver`, which other drivers do not have.
//!   Memory keeps the stores before the fault; they are visible in mapped host memory.
//! * A launch times out (`CUDA_ERROR_LAUNCH_TIMEOUT`) after 2³⁰ thread-instructions, or as many as
//!   `WARPDIFF_CUDA_STEP_BUDGET` says.
//! * An access one byte past the end of an allocation faults. An allocation has at most 2 GiB, all allocations together 4 GiB.
//! * The device is one of compute capability 9.0 with CUDA 12.9. `WARPDIFF_CUDA_CAPABILITY=6.1` and `WARPDIFF_CUDA_VERSION=11.4` advertise an
//!   older device and driver, which refuse newer programs; `WARPDIFF_CUDA_CAPABILITY=12.0` a newer device.
//! * `WARPDIFF_CUDA_DEVIATIONS=spa.misaligned-not-forced,suld.clamp-as-zero` gives the device mistakes (`warpdiff deviations` lists
//!   them), to show that a client finds them.
//! * `WARPDIFF_CUDA_EXPLAIN=1` prints each fault with its instruction and line.
//! * `WARPDIFF_CUDA_REPORT=-`, `=FILE` or `=FILE.jsonl` reports races, reads of memory that nobody has written, faults, deadlocks and
//!   missing waits, each with its line and thread: what compute-sanitizer says, without a GPU. See docs/libcuda.md.
//! * `vprintf` prints to the standard output when its kernel ends, `__assertfail` to the standard error; a kernel has no `malloc`.
//! * The CUDA runtime API (`libcudart`) does not start on it: before it asks how many devices there are, it asks
//!   `cuGetExportTable` for tables of functions that NVIDIA does not document. Programs that use the driver API run: load PTX with
//!   `cuModuleLoadData`, launch with `cuLaunchKernel`. docs/libcuda.md says more, and which clients do.
//! * Modules are PTX text, or cubins for sm_50 to sm_53, whatever device is advertised: their machine words run. Loading a cubin for
//!   another architecture or a fat binary fails with `CUDA_ERROR_NO_BINARY_FOR_GPU`, a damaged cubin with
//!   `CUDA_ERROR_INVALID_IMAGE`. A cubin's `txq` and `suq` of members that it reads from the driver's tables are not supported.
//! * Loading a program with an instruction that the emulator does not run fails with `CUDA_ERROR_NOT_SUPPORTED`; the JIT log names the instruction.
//! * The argument of a `.param .surfref` is the handle of a surface object, that of a `.param .texref` the handle of a texture
//!   object, that of a `.param .samplerref` the handle of the texture object with the sampler. In a buffer of arguments (`extra`)
//!   these handles follow the other parameters, in their order, from the next multiple of eight on.
//! * Managed memory, including `.managed` variables, belongs to the host between calls: later launches see its writes. It needs
//!   Linux 4.17, and a free range in the process at its device address.
//! * Unsupported: unified addressing, peer access, graph, memory pool, cluster or cooperative launch.

pub mod abi;
mod advertised_capability;
mod array;
mod boundary;
mod context;
mod copy;
mod device;
mod driver;
mod fresh_driver;
#[cfg(feature = "inject")]
mod inject;
mod introduced;
mod jit;
mod launch;
mod link;
mod managed;
mod mapping;
mod memory;
mod module;
mod pointer;
mod procedures;
mod remark;
mod report;
pub mod result;
mod stream;
mod texture;
mod unsupported_entry_points;

//! The CUDA driver API, served by the reference emulator.
//!
//! Built as `libwarpdiff_cuda.so`, this is a drop-in for `libcuda.so.1` that needs no GPU: programs that use the driver API
//! run their PTX on the emulator. It shows one device of compute capability 9.0 and CUDA 12.9.
//!
//! * `boundary` – defines entry points, across which nothing unwinds; `pointer` – no pointer of a client is followed unchecked.
//! * `driver` – what is kept between calls: contexts, memory, handles, errors that stick.
//! * `context`, `device`, `shown` – initialisation, the device and its versions, contexts.
//! * `memory`, `managed`, `copy`, `array`, `texture` – memory, copies, arrays with their surfaces, textures.
//! * `jit`, `link`, `module`, `launch` – programs, kernels and variables, launches.
//! * `stream` – streams and events.
//! * `procedures` – entry points by name and version; `absent` – those that are exported but not served.
//! * [`abi`], [`result`] – structures and codes of the API.
//!
//! # What differs from a device
//!
//! * Every call is done when it returns. Streams are always idle, and order nothing.
//! * Launches report what they ended with as a device does: the call that launches succeeds, the next one fails. With
//!   `CUDA_LAUNCH_BLOCKING=1` the launch itself fails. After `CUDA_ERROR_ASSERT` the context is lost and a new one works;
//!   after any other fault, as CUDA documents, "any further CUDA work will return the same error" until the process ends.
//!   Memory holds what was stored before the fault; mapped host memory shows it.
//! * A launch times out (`CUDA_ERROR_LAUNCH_TIMEOUT`) after 2³⁰ thread-instructions, or as many as
//!   `WARPDIFF_CUDA_STEP_BUDGET` says.
//! * An allocation is followed by nothing: an access one byte past its end faults. It can have 2 GiB, all together 4.
//! * `WARPDIFF_CUDA_CAPABILITY=6.1` and `WARPDIFF_CUDA_VERSION=11.4` show an older device and driver, which refuse newer programs.
//! * `WARPDIFF_CUDA_EXPLAIN=1` prints each fault with its instruction and line.
//! * Modules are PTX text. A cubin or fat binary is refused with `CUDA_ERROR_NO_BINARY_FOR_GPU`; a program with an
//!   instruction that the emulator does not run, with `CUDA_ERROR_NOT_SUPPORTED` when it is loaded, with the instruction in
//!   the JIT log.
//! * A `.param .surfref` is given the handle of a surface object as its argument, a `.param .texref` that of a texture object, a
//!   `.param .samplerref` that of a texture object whose sampler it has. In a buffer of arguments (`extra`) these handles follow
//!   behind the other parameters, from the next multiple of eight on, in their order.
//! * Managed memory, `.managed` variables among it, is the host's between calls: what it writes is seen by what is launched after that.
//!   It wants Linux 4.17, and a place in the process at the address that the device has for it.
//! * There is no unified addressing, peer access, graph, memory pool, cluster or cooperative launch.

pub mod abi;
mod absent;
mod array;
mod boundary;
mod context;
mod copy;
mod device;
mod driver;
#[cfg(feature = "inject")]
mod inject;
mod jit;
mod launch;
mod link;
mod managed;
mod memory;
mod module;
mod pointer;
mod procedures;
mod remark;
pub mod result;
mod shown;
mod stream;
mod texture;

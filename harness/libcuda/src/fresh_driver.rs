//! `warpdiffFreshDriver`, which CUDA does not have: after a fault a client goes on in the same process, as if in a new one.

use crate::boundary::{guarded, renewed, with_stack};

/// Puts a fresh driver in the place of the one that the process has, and returns `CUDA_SUCCESS`. Whatever the client made is gone: contexts,
/// memory, modules, sticky errors. It begins again with `cuDevicePrimaryCtxRetain` or `cuCtxCreate`.
///
/// CUDA documents that after most faults "the process must be terminated and relaunched", and so it is here for clients that do not call
/// this. Starting a process takes a hundred times as long.
///
/// Fails with `CUDA_ERROR_NOT_INITIALIZED` before `cuInit`, and with `CUDA_ERROR_UNKNOWN` after an internal error of this library, whose
/// state is then not trusted.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn warpdiffFreshDriver() -> u32 {
    guarded("warpdiffFreshDriver", || {
        renewed()?;
        with_stack(Vec::clear);
        Ok(())
    })
}

//! The standard output of a worker of a device: the protocol's alone, whatever the library prints.

use std::fs::File;
use std::io;

/// Why there are no workers of devices on other systems.
pub(in crate::cuda) const NEEDS_LINUX: &str =
    "needs Linux: CUDA devices, and libraries in place of their driver; `process:` targets work here";

/// Reserves the standard output for the protocol: later output of the library, or of a kernel through `vprintf`, goes to the
/// standard error.
///
/// # Errors
/// If descriptors cannot be duplicated.
#[cfg(target_os = "linux")]
pub(in crate::cuda) fn claim_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both are the standard descriptors of this process; nothing of Rust's owns them.
    if unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(output))
}

/// Where there are no devices there is nothing to reserve it for.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(in crate::cuda) fn claim_output() -> io::Result<File> {
    Err(io::Error::new(io::ErrorKind::Unsupported, NEEDS_LINUX))
}

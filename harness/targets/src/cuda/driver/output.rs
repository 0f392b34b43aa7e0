//! The standard output of a worker of a device: the protocol's alone, whatever the library prints. And the builds of this program that have no
//! such workers.

use std::fs::File;
use std::io;

/// Why this build has no workers of devices, if it has none: it was made for another system, or it is a static program, in which `dlopen` of
/// musl always fails.
pub const NO_WORKERS: Option<&str> = if cfg!(not(target_os = "linux")) {
    Some("needs Linux: CUDA devices, and libraries in place of their driver; `process:` targets work here")
} else if cfg!(target_feature = "crt-static") {
    Some(
        "needs a warpdiff for glibc: this one is statically linked and cannot load a driver library; `process:` targets work here",
    )
} else {
    None
};

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
    Err(io::Error::new(io::ErrorKind::Unsupported, NO_WORKERS.unwrap_or_default()))
}

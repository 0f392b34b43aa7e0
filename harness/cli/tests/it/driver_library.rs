//! The driver library that cargo built beside a test, as a development dependency.

use std::path::PathBuf;

/// Its path.
pub(crate) fn library() -> PathBuf {
    // Naming something of it has cargo build it.
    let _: warpdiff_cuda::abi::DevicePointer = 0;
    let test = std::env::current_exe().expect("the test knows where it is");
    let folder = test.parent().expect("a folder");
    let name = "libwarpdiff_cuda.so";
    let places = [folder.join(name), folder.join("..").join(name)];
    places.into_iter().find(|path| path.exists()).expect("cargo built the library beside the test")
}

//! The advertised device: its name, UUID, attributes and limits.

use std::ffi::c_int;

use crate::advertised_capability;

/// Its name, by which a harness recognises that it is not hardware.
const NAME: &str = "warpdiff reference emulator";
/// Its PCI bus id.
pub(crate) const PCI_BUS_ID: &str = "0000:00:00.0";
/// Its UUID: the same in every process, for it is the same device.
pub(crate) const UUID: [u8; 16] = *b"warpdiff-emulato";
/// Threads of a block.
pub(crate) const BLOCK_THREADS: u32 = 1024;
/// Default limit of shared memory of a block, in bytes.
pub(crate) const SHARED: u32 = 48 << 10;
/// Limit of shared memory of a block that a kernel can opt into, in bytes.
pub(crate) const SHARED_OPT_IN: u32 = 227 << 10;
/// The last attribute of CUDA 12.9.
const LAST_ATTRIBUTE: u32 = 144;

/// Its name, or the one set for a build with injected faults.
pub(crate) fn name() -> String {
    #[cfg(feature = "inject")]
    if let Some(name) = crate::inject::device_name() {
        return name;
    }
    NAME.into()
}

/// A device attribute (`CUdevice_attribute`); `None` for a number that CUDA 12.9 does not have. Abilities that are not
/// served, streams and unified addressing among them, are 0.
pub(crate) fn attribute(attribute: u32) -> Option<c_int> {
    let value = match attribute {
        1 => BLOCK_THREADS as c_int,
        // Block and grid dimensions.
        2 | 3 => 1024,
        4 => 64,
        5 => c_int::MAX,
        6 | 7 => 65535,
        8 => SHARED as c_int,
        // Constant memory.
        9 => 65536,
        // Warp size.
        10 => 32,
        // Pitch of copies.
        11 => c_int::MAX,
        // Registers of a block, of a multiprocessor.
        12 | 82 => 65536,
        // Clock rates in kHz.
        13 | 36 => 1_000_000,
        // Alignment of textures and surfaces.
        14 | 30 => 512,
        // Multiprocessors.
        16 => 1,
        // Host memory can be mapped.
        19 => 1,
        // Textures: 1D, 2D, 3D, 2D layered, 1D layered.
        21 | 22 => 131_072,
        23 => 65536,
        24..=26 => 16384,
        27 | 28 | 42 => 32768,
        29 | 43 => 2048,
        // Width of the memory bus in bits, size of the L2 cache.
        37 => 64,
        38 => 1 << 20,
        // Threads of a multiprocessor.
        39 => 2048,
        // Pitch alignment of textures.
        51 => 32,
        // Surfaces: 1D, 2D, 3D, 1D layered, 2D layered, cubemap.
        55 | 61 | 63 | 64 | 66 | 67 => 32768,
        56 => 131_072,
        57 => 65536,
        58..=60 => 16384,
        62 | 65 | 68 => 2048,
        75 => advertised_capability::capability().0,
        76 => advertised_capability::capability().1,
        // L1 caching.
        79 | 80 => 1,
        // Shared memory of a multiprocessor: 228 KiB.
        81 => 228 << 10,
        // Managed memory.
        83 => 1,
        // Throughput of single to double precision.
        87 => 2,
        97 => SHARED_OPT_IN as c_int,
        // Host memory can be registered.
        99 => 1,
        // Blocks of a multiprocessor.
        106 => 32,
        // Shared memory that each block pays.
        111 => 1024,
        0 => return None,
        other if other <= LAST_ATTRIBUTE => 0,
        _ => return None,
    };
    Some(value)
}

//! A launch: everything a target needs to run a program once.

use std::sync::Arc;
use std::time::Duration;

use crate::{Surface, Texture};

/// A linear device buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Name, unique within the launch.
    pub name: String,
    /// Initial contents.
    pub bytes: Vec<u8>,
    /// For each byte the mask of bits that are defined initially; empty when all are.
    pub defined: Vec<u8>,
    /// Size in bytes of the guard band before and after the buffer. A target allocates `guard + bytes + guard` and fills
    /// the bands with [`Buffer::GUARD_BYTE`]; they belong to the compared state.
    pub guard: u32,
    /// Bytes that belong to one row of a table case; 0 when the buffer is not divided. Used to name the row of a
    /// mismatch and to tell a target that decides a choice differently in two places from one that is wrong.
    pub stride: u32,
}

impl Buffer {
    /// The byte that fills guard bands.
    pub const GUARD_BYTE: u8 = 0xA5;

    /// A fully defined buffer with the default guard bands of 256 bytes.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, defined: Vec::new(), guard: 256, stride: 0 }
    }
}

/// A kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Bytes passed by value, little endian: a scalar or a struct.
    Value(Vec<u8>),
    /// The 64-bit global address of `Launch::buffers[index]` plus `offset` bytes.
    Buffer {
        /// Index into [`Launch::buffers`].
        index: usize,
        /// Byte offset from the start of the data (after the guard band).
        offset: i64,
    },
    /// The 64-bit bindless handle of `Launch::surfaces[index]`.
    Surface {
        /// Index into [`Launch::surfaces`].
        index: usize,
    },
    /// A `.param .surfref` bound to `Launch::surfaces[index]`.
    SurfaceReference {
        /// Index into [`Launch::surfaces`].
        index: usize,
    },
    /// The 64-bit bindless handle of `Launch::textures[index]`.
    Texture {
        /// Index into [`Launch::textures`].
        index: usize,
    },
    /// A `.param .texref` bound to `Launch::textures[index]`.
    TextureReference {
        /// Index into [`Launch::textures`].
        index: usize,
    },
    /// A `.param .samplerref` that has the sampler of `Launch::textures[index]`.
    SamplerReference {
        /// Index into [`Launch::textures`].
        index: usize,
    },
}

/// A write of the host to a variable with the attribute `.managed` before the launch, through the variable's own address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostWrite {
    /// Name of the module-scope variable.
    pub variable: String,
    /// All of its bytes.
    pub bytes: Vec<u8>,
}

/// Everything a target needs to run a program once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The PTX text of the module. Shared between the launches of a variant.
    pub program: Arc<str>,
    /// Name of the `.entry` to launch.
    pub entry: String,
    /// Grid dimensions in blocks.
    pub grid: [u32; 3],
    /// Block dimensions in threads.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub dynamic_shared: u32,
    /// Kernel arguments in order.
    pub arguments: Vec<Argument>,
    /// Linear buffers.
    pub buffers: Vec<Buffer>,
    /// Surfaces.
    pub surfaces: Vec<Surface>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Names of module-scope `.global` variables whose final bytes belong to the compared state.
    pub observed_variables: Vec<String>,
    /// The writes of the host to `.managed` variables before the launch.
    pub host_writes: Vec<HostWrite>,
    /// Thread-instructions after which the launch counts as timed out.
    pub step_budget: u64,
    /// The time limit that its case states; `None` for the usual one.
    pub time_limit: Option<Duration>,
}

impl Launch {
    /// Default for [`Launch::step_budget`]: sixty-four million thread-instructions.
    pub const DEFAULT_STEP_BUDGET: u64 = 1 << 26;

    /// A launch of one thread of `entry` with nothing bound.
    pub fn new(program: Arc<str>, entry: impl Into<String>) -> Self {
        Self {
            program,
            entry: entry.into(),
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared: 0,
            arguments: Vec::new(),
            buffers: Vec::new(),
            surfaces: Vec::new(),
            textures: Vec::new(),
            observed_variables: Vec::new(),
            host_writes: Vec::new(),
            step_budget: Self::DEFAULT_STEP_BUDGET,
            time_limit: None,
        }
    }
}

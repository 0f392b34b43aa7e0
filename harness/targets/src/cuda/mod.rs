//! `cuda[:ORDINAL][+O0|+O4][@LIBRARY]`: a device, or a drop-in for the driver library, through the CUDA driver API.
//!
//! * [`CudaName`] is what the command line names; [`CudaTarget`] supervises the worker processes.
//! * `serve` is such a worker: it answers the worker protocol; `launch` runs one launch from allocation to read-back.
//! * `survey` asks what no launch can ask: [`Probe`].
//! * `exposure` says whether launches that may fault should be run at all.
//! * `fit` rewrites `.version` and `.target` down to what the device takes, where that is sound.
//! * `driver` opens the library and calls it: all that is unsafe is there. `array` describes surfaces to it, `result` says what its
//!   codes mean.

mod array;
mod driver;
mod exposure;
mod fit;
mod launch;
mod name;
mod result;
mod serve;
mod survey;
mod target;
mod texture;

pub use name::CudaName;
pub use serve::serve;
pub use survey::{Answers, Probe};
pub(super) use target::runs_spa;
pub use target::{CudaTarget, Presence, presence};

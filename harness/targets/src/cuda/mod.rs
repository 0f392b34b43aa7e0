//! `cuda[:ORDINAL][+O0…+O4][@LIBRARY]`: a device, or a drop-in driver library, through the CUDA driver API.
//!
//! * [`CudaName`] – the name on the command line; [`CudaTarget`] – supervises the worker processes.
//! * `serve` – the worker process; `launch` – one launch, from allocation to read-back.
//! * `machine_words` – the cubin of a program of SPA 5.0, for devices of compute capability 5.x.
//! * `survey` – [`Probe`]s: experiments that no case can express.
//! * `exposure` – whether launches that may fault should be run at all.
//! * `fit` – lowers `.version` and `.target` to what the device takes, where that is sound.
//! * `driver` – opens and calls the library, with all unsafe code; `array`, `texture` – descriptors; `result` – meaning of result
//!   codes.

mod array;
mod driver;
mod exposure;
mod launch;
mod machine_words;
mod name;
mod result;
mod serve;
mod survey;
mod target;
mod texture;

pub use driver::output::NO_WORKERS;
pub(super) use machine_words::is_spa_device;
pub use name::CudaName;
pub use serve::serve;
pub use survey::{Answers, Probe};
pub use target::{CudaTarget, Presence, presence};

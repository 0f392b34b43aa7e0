//! Cubins for sm_50 to sm_62: what NVIDIA's assembler makes of a PTX module, and what a driver loads.
//!
//! * [`Cubin::read`]: kernels with their words, constant banks and resources, in `reader`.
//! * [`listing()`]: the text that nvdisasm prints for its code.
//! * `lines`: the table of PTX lines.
//! * [`Cubin::write`]: the file of kernels.
//! * `variables`: the variables of the module with their initial contents.
//! * `elf`: the file format underneath; `info`: the attributes in sections `.nv.info`.

mod elf;
mod info;
mod lines;
mod listing;
mod reader;
mod variables;
mod write;

pub use lines::LineRow;
pub use listing::{Beside, listing};
pub use reader::{
    Bank, BankRelocation, Cubin, Kernel, KernelParameter, OpaqueKind, OpaqueSymbol, SamplerInitial,
    without_source,
};
pub use variables::{Emitted, EmittedAddress, variables};

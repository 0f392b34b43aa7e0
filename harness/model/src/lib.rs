//! The vocabulary of warpdiff: what a target is asked to run ([`Launch`]), what it did ([`Observation`]), and what the
//! specification permits ([`Allowed`]). Everything else in the workspace speaks in these words.
//!
//! `allowed.admits(&observation)` is the verdict; see [`allowed`].

mod admit;
pub mod allowed;
pub mod alternatives;
mod axis;
pub mod bound;
pub mod calls;
pub mod catalogue;
pub mod choice;
mod compare;
pub mod corruption;
pub mod fault;
pub mod finding;
pub mod format;
pub mod history;
pub mod launch;
mod merge;
pub mod observation;
pub mod permutation;
pub mod semantics;
pub mod serial;
pub mod serialise;
pub mod state;
pub mod surface;
pub mod texture;
pub mod thread;
pub mod tolerance;

pub use allowed::{Admission, Allowed, Mismatch, MismatchClass, Outcome, Permitted};
pub use axis::{Axis, place_in_words};
pub use bound::{Derived, Interval};
pub use calls::Calls;
pub use catalogue::deviation::Deviation;
pub use catalogue::entry::{Contrast, Entry, Origin};
pub use choice::{Assignment, Choice};
pub use corruption::Corruption;
pub use fault::{Fault, FaultClass, FaultKind};
pub use format::{ChannelType, Format};
pub use history::{History, Log};
pub use launch::{Argument, Buffer, HostWrite, Launch};
pub use observation::Observation;
pub use permutation::Permutation;
pub use semantics::Semantics;
pub use state::{Region, RegionKind, State};
pub use surface::{Geometry, Surface};
pub use texture::{AddressMode, FilterMode, ReadMode, Sampler, Texture};
pub use thread::Thread;
pub use tolerance::{Tolerance, ToleranceUnit};

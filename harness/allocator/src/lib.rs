//! The allocator of the program on Linux. It allocates with mimalloc; the system maps large pieces, and each thread keeps small pieces that it has
//! freed. On other systems the crate is empty.
//!
//! Programs are many and small, and so is what is allocated for each. What is large is mapped by itself: its pages are zero without being written,
//! take room only once they are touched, and go back to the system as soon as they are freed. One launch with the whole window of shared memory
//! would otherwise take as much as a corpus.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod stock;

#[cfg(target_os = "linux")]
pub use linux::{Allocator, give_back};

//! The allocator of the program on Linux. It allocates with mimalloc; the system maps large pieces, and each thread keeps small pieces that it has
//! freed. On other systems the crate is empty. A program that links this crate allocates with it.
//!
//! A run compiles and runs many small programs, and allocates many small pieces of memory for each. A large piece is a mapping of its own: the system
//! gives its pages full of zeros, they take room only once something touches them, and they go back as soon as the piece is freed. Otherwise one launch
//! with the whole window of shared memory would take as much memory as a corpus.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod stock;

#[cfg(target_os = "linux")]
pub use linux::give_back;

// It stands here, and not in each program: so the compiler puts the functions that call it into this crate, which debug builds optimise. The tests of
// this crate count the pieces in a stock. So everything else in them allocates with the system.
#[cfg(all(target_os = "linux", not(test)))]
#[global_allocator]
static ALLOCATOR: linux::Allocator = linux::Allocator;

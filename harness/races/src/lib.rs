//! Race detection: finds bytes of a plain access that are unordered with a conflicting access of another thread.
//!
//! Two accesses *conflict* when they are of different threads, at least one writes, and they are not *morally strong* to each
//! other (PTX ISA 8.7): both strong (atomics, `.volatile`, `.relaxed` and stronger), of scopes that include each other's
//! thread, of exactly the same bytes. Conflicting accesses *race* unless one happens before the other: through a barrier of the CTA, `bar.warp.sync`, or a release that the other thread
//! acquired. Releases and acquires are of one memory location, but for fences, which serve all of them.
//!
//! Plain stores race even if they store the same value: the model considers conflicts, not values, and leaves the value after a
//! race unspecified.
//!
//! * `clocks` – [`Clocks`], the happens-before knowledge of each thread; barriers, fences, releases and acquires.
//! * `shadow` – [`Shadow`], the accesses to each byte of memory; reads, writes and strong accesses return the mask of raced
//!   bytes.
//! * `log`, `shadow::met` – for a report: which operations accessed each byte, and which earlier access one raced with.
//! * `accessors` – sets of accesses, interned, so that a shadow holds one number per byte.
//! * `knowledge` – the knowledge passed from a release to an acquire; `releases` – the releases at each place, and who observes them.
//! * [`contention`] – atomics and other strong accesses of one location that nothing orders.
//! * `numbers` – [`NumberHasher`], a hash of places and accesses.
//!
//! One [`Clocks`] per launch, one [`Shadow`] per allocation that several threads can reach (each buffer, variable and
//! surface; the shared memory of each CTA). Threads are numbered over the whole grid: `cta * threads_per_cta + tid`,
//! 32 consecutive ones of a CTA to a warp.
//!
//! A write that races with an *earlier read* cannot change the value already read. [`Shadow::raced_late`] reports such races; the
//! launch is then run again with shadows made by [`Shadow::knowing`], which report every plain read of those bytes as raced.
//!
//! A shadow made by [`Shadow::reporting`] serves a report of races instead: it answers with which access one met another
//! ([`Shadow::take_met`]), and leaves every value defined.

mod accessors;
mod clocks;
pub mod contention;
mod knowledge;
mod log;
mod numbers;
mod releases;
mod shadow;
#[cfg(test)]
mod tests;

pub use clocks::{Arrivals, Clocks, Order, SHARED_SHADOWS, Scope, Strong, StrongKind};
pub use numbers::NumberHasher;
pub use shadow::{Met, RacedBytes, Shadow, widen};

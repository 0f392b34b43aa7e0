//! The machine: executes a decoded program over a launch.
//!
//! * [`grid`] – which block and which warp runs.
//! * [`warp`] – which lanes of a warp run; [`turn`] – an operation and the lanes that execute it.
//! * [`execute`] – the loop over operations; [`lanes`] applies a function to 32 lanes and its rule to their shadow;
//!   [`scalar`] – such functions; [`slow_operations`] – operations outside the loop.
//! * [`reach`] – where an address leads; [`access`], [`atomic`], [`surface`] – what is done there; [`window`] – what SPA 5.0 says
//!   otherwise of it.
//! * [`barrier`] – where threads of the block meet; [`warp_sync`], [`collective`] – where lanes of a warp do.
//! * [`call`] – frames; [`scoreboard`] – what scheduled programs wait for, and their hazards.
//! * [`faults`], [`indeterminate`] – how lanes and launches end.
//! * [`state`], [`block`] – what all blocks share, and what the warps of a block do.
//!
//! Everything is generic over [`tracking`]; without, the shadow costs nothing.

mod access;
mod atomic;
mod barrier;
mod block;
mod call;
mod collective;
mod execute;
mod faults;
mod grid;
mod indeterminate;
mod lanes;
mod reach;
mod scalar;
pub(crate) mod scoreboard;
mod slow_operations;
mod state;
mod surface;
mod tracking;
mod turn;
mod warp;
mod warp_sync;
mod window;

pub(crate) use state::{Machine, Stop};
pub(crate) use tracking::{Tracked, Tracking, Untracked};
